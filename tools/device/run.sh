#!/usr/bin/env bash
# What has to be known of a GPU, in a quarter of an hour: five parts, each under a time limit of its own, each with a page
# of tables in a folder. docs/gpu.md says what they mean.
#
#   run.sh [--emulated] [--go-on] [--out FOLDER]
#
# In a checkout with a build it uses that; elsewhere what pack.sh has packed, which lies beside this script or in .device.
# --emulated takes the emulated driver and tiny sizes: a trial of this script. --go-on measures after a difference, too.
# PYTHON is the interpreter. FOLDER is $OUT, else device-tables.
set -uo pipefail
out=${OUT:-device-tables}
emulated='' go_on=''
given=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    --emulated) emulated=1 ;;
    --go-on) go_on=1 ;;
    --out) out=${2:?--out needs a folder} && shift ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
fail() {
  echo "error: $*" >&2
  exit 1
}
mkdir -p "$out" && out=$(realpath "$out") || fail "cannot make the folder '$out'"

# --- The package: this checkout's, or the packed one, unpacked. ------------------------
here=$(cd "$(dirname "$0")" && pwd)
root=$(realpath "$here/../..")
if [ ! -e "$root/build/bin/cellc" ] || [ -e "$here/payload.tar.xz" ]; then
  payload=$here/payload.tar.xz
  [ -e "$payload" ] || payload=$root/.device/payload.tar.xz
  [ -e "$payload" ] || fail "no build in '$root' and no packed one: run tools/device/pack.sh where the toolchain is"
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  export PYTHON=${PYTHON:-python3}
  "$PYTHON" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2], filter="tar")' "$payload" "$unpacked" ||
    fail "$PYTHON could not unpack '$payload'"
  OUT=$out bash "$unpacked/tools/device/run.sh" "${given[@]}" --out "$out"
  exit
fi
cd "$root" || exit
packed=$root/packed
if [ -d "$packed" ]; then
  wanted=$(cat "$packed/python")
  found=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  [ "$wanted" = "$found" ] || fail "this was packed for Python $wanted; $PYTHON is $found: name another with PYTHON=..."
  "$PYTHON" -c 'import numpy' || fail "$PYTHON has no numpy"
  "$PYTHON" "$root/tools/device/missing.py" "$packed/site" "$packed/missing" || fail 'the packed Python packages are not whole'
  export PYTHONPATH=$root/pyfront:$root/build/python:$packed/missing
else
  export PYTHON=${PYTHON:-$root/.venv/bin/python}
fi
export PYTHONUNBUFFERED=1 CELLGRAD_CACHE=0

# --- The driver. ------------------------------------------------------------------------
emulator=$root/build/test/emulator/libcuda.so.1
if [ -n "$emulated" ]; then
  export CELLGRAD_CUDA_DRIVER=$emulator CELL_EMU_UNWRITTEN=allow
else
  # With its path: tests look whether the file is there.
  CELLGRAD_CUDA_DRIVER=$("$PYTHON" - "${CELLGRAD_CUDA_DRIVER:-libcuda.so.1}" <<'END'
import ctypes, re, sys
ctypes.CDLL(sys.argv[1])
print(next(p for p in re.findall(r"\S*/libcuda\.so\S*", open("/proc/self/maps").read())))
END
  ) || fail "no CUDA driver: is this a machine with an NVIDIA GPU? --emulated needs none"
  export CELLGRAD_CUDA_DRIVER
fi

# --- The parts. -------------------------------------------------------------------------
log=$out/log.txt
: >"$log"
summary=()
part() { # part NAME SECONDS COMMAND...: runs it; its status, and a row of the summary
  local name=$1 seconds=$2 begin=$SECONDS status=0
  shift 2
  printf '\n=== %s (at most %s s)\n' "$name" "$seconds" | tee -a "$log"
  timeout --kill-after=5 "$seconds" "$@" 2>&1 | tee -a "$log"
  status=${PIPESTATUS[0]}
  local verdict=ok
  [ "$status" = 0 ] || verdict="failed ($status)"
  case $status in 124 | 137) verdict='out of time' ;; esac
  summary+=("$(printf '%-28s %4s s  %s' "$name" "$((SECONDS - begin))" "$verdict")")
  return "$status"
}
finish() {
  { printf '\n'; printf '%s\n' "${summary[@]}" "${1:-}"; } | tee -a "$log"
  echo "The tables are in $out"
  exit "$2"
}
sanitizer=$(command -v compute-sanitizer || true)
stop_unless() { # stop_unless WHAT COMMAND...: the first faults of a command that failed, and the end
  [ -z "$go_on" ] || return 0
  if [ -n "$sanitizer" ] && [ -z "$emulated" ]; then
    timeout 120 "$sanitizer" --tool memcheck "${@:2}" >"$out/sanitizer.txt" 2>&1
  fi
  finish "$1: nothing else is measured (--go-on does)." 1
}
tools=$root/tools/device
sizes=() rows=() small=()
[ -z "$emulated" ] || { sizes=(--mebibytes 4) rows=(--rows 1024) small=(--small); }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
facts=$work/facts.json
kernels=$packed/kernels
if [ ! -d "$kernels" ]; then
  kernels=$work/kernels
  "$PYTHON" "$tools/device_kernels.py" "$kernels" || fail 'the kernels did not compile'
fi
part '1 the device' 60 "$PYTHON" "$tools/facts.py" "${sizes[@]}" --kernels "$kernels" \
  --out "$out/1-device.md" --json "$facts" || finish 'Without a device that works there is nothing to measure.' 1

instructions=("$PYTHON" "$tools/conformance.py" --emulator "$emulator" --driver "$CELLGRAD_CUDA_DRIVER")
part '2 instructions' 90 "${instructions[@]}" --out "$out/2-instructions.md" ||
  stop_unless 'Instructions differ' "$PYTHON" "$tools/conformance.py" --execute "$CELLGRAD_CUDA_DRIVER" 0 /dev/null
mathematics=("$PYTHON" "$tools/mathematics.py" "${rows[@]}" --expected "$packed/expected.json")
part '2 own mathematics' 45 "${mathematics[@]}" --out "$out/2-mathematics.md" ||
  stop_unless 'Own mathematics differs' "${mathematics[@]}"

export LOGS COLUMNS=200 # wide, so that pytest says why in a line
LOGS=$work/logs
mkdir "$LOGS"
files=(test/python/test_gpu.py test/python/test_device_models.py)
if [ -z "$emulated" ]; then # What has a device of its own first, then all others.
  files=(test/python/test_gpu.py test/python/test_device_*.py)
fi
part '3 tests of the device' 60 bash "$tools/test_gpu.sh" "${files[@]}"
[ -n "$emulated" ] || part '3 other tests' 100 bash "$tools/test_gpu.sh"
"$PYTHON" "$tools/suite_table.py" "$LOGS" --out "$out/3-tests.md" | tee -a "$log"
[ "${PIPESTATUS[0]}" = 0 ] ||
  stop_unless 'Tests fail' "$PYTHON" -m pytest -q -p no:cacheprovider test/python/test_gpu.py

bench=("$PYTHON" bench/device.py)
part '4 families of kernels' 120 "${bench[@]}" families "${small[@]}" --ceilings "$facts" --out "$out/4-families.md"
families=$?
part '5 training steps' 60 "${bench[@]}" steps "${small[@]}" --ceilings "$facts" --out "$out/5-steps.md"
steps=$?
finish '' $((families != 0 || steps != 0))
