#!/usr/bin/env bash
# The Python tests with what they compute on a CUDA device: the emulated one, or that of CELLGRAD_CUDA_DRIVER.
# Each file runs in a process of its own: after an error of a kernel a process has no device any more. Left
# out is what computes nothing, and what is about the code of the CPU or has a device of its own.
# Files that are named run instead. PYTHON is the interpreter; LOGS a folder that keeps what each file printed.
set -uo pipefail
cd "$(dirname "$0")/../.."
others='add_an_op|cpp_layers|cpu_lowering|device_|docs|emulator|fuzz|gpu|headers|import|locale|math_accuracy|mutate|ptxas|residency|sanitize|setup|thread|typing'
# What only the CPU does: any batch, bindings, reports of memory and time. Ranks with a GPU each have test_device_ranks.py.
others="$others|any_batch|bindings|memory_report|profile|recompute_budget|show"
others="$others|communicat|groups|ordered|overlap|parallel_optimizer|random_ranks|rank_"
export PYTHON=${PYTHON:-.venv/bin/python}
export CELLGRAD_TEST_DEVICE=GPU
# A buffer that is filled in part may be copied as a whole: what nobody wrote is NaN then, and shows where it is used.
export CELL_EMU_UNWRITTEN=${CELL_EMU_UNWRITTEN:-allow}
if [ -n "${LOGS:-}" ]; then
  logs=$LOGS
else
  logs=$(mktemp -d)
  trap 'rm -rf "$logs"' EXIT
fi
run() {
  log=$2/$(basename "$1" .py).log
  "$PYTHON" -m pytest -q -p no:cacheprovider -m "not sweep and not rebuild" "$1" >"$log" 2>&1 ||
    { [ $? -eq 5 ] || { cat "$log"; touch "$2/failed"; }; } # 5: all tests of the file are sweeps
  printf '%-32s %s\n' "$(basename "$1" .py)" "$(tail -n 1 "$log")"
}
export -f run
if [ $# -gt 0 ]; then
  files=$(printf '%s\n' "$@")
else
  files=$(find test/python -name 'test_*.py' | grep -Ev "test_($others)" | sort)
fi
# An empty log stays one where there was no time for the file.
for file in $files; do : >"$logs/$(basename "$file" .py).log"; done
printf '%s\n' "$files" | xargs -P "$(nproc)" -I{} bash -c 'run "$@"' _ {} "$logs"
[ ! -e "$logs/failed" ]
