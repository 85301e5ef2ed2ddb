#!/usr/bin/env bash
# Makes .device: all that run.sh needs on a machine with a GPU that has no network and no toolchain, only glibc and a Python
# with numpy. It holds the package built for that Python, the tools, the emulator, the tests and what they import, kernels as
# PTX and machine code, and checksums of the CPU's numbers.
#
#   pack.sh [--python PYTHON3.12] [--out FOLDER] [--limit MEBIBYTES]
#
# PYTHON is of the version that the machine has, with its C headers; by default python3.12. See docs/gpu.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
python='' out=.device limit=64
while [ $# -gt 0 ]; do
  case $1 in
    --python) python=${2:?--python needs a path} && shift ;;
    --out) out=${2:?--out needs a folder} && shift ;;
    --limit) limit=${2:?--limit needs a number} && shift ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
fail() {
  printf 'error: %s\n' "$@" >&2
  exit 1
}
has_headers() {
  "$1" -c 'import os, sysconfig as s, sys; sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))' 2>/dev/null
}
if [ -z "$python" ]; then
  for found in python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12.*/bin/python3.12; do
    has_headers "$found" && python=$found
  done
fi
[ -n "$python" ] && has_headers "$python" || fail "no Python 3.12 with C headers: name one with --python (pyenv install 3.12)"

# --- The build, for that Python. It is the compiler of `make build`, whose objects ccache knows. --------
build=build-device
requirements=tools/setup/requirements.txt
travelling='safetensors|tqdm|mpmath|pytest|pluggy|iniconfig|packaging|Pygments|filecheck'
stamp=$({ "$python" -VV; pwd; cat "$requirements" CMakePresets.json "$0"; } | sha256sum)
if [ "$(cat $build/.stamp 2>/dev/null)" != "$stamp" ]; then
  rm -rf "$build/python3" "$build/site"
  "$python" -m venv "$build/python3"
  install=("$build/python3/bin/python" -m pip install -q --disable-pip-version-check --no-deps)
  grep -E "^(nanobind|numpy)==" "$requirements" | sed 's/ *#.*//' >"$build/needed.txt"
  "${install[@]}" -r "$build/needed.txt"
  grep -E "^($travelling)==" "$requirements" | sed 's/ *#.*//' >"$build/travelling.txt"
  "${install[@]}" --target "$build/site" -r "$build/travelling.txt"
  # Of the machine there only glibc is sure: the C++ library comes along.
  cmake --fresh --preset dev -B "$build" -DPython_EXECUTABLE="$PWD/$build/python3/bin/python" \
    -DCMAKE_EXE_LINKER_FLAGS=-static-libstdc++ -DCMAKE_SHARED_LINKER_FLAGS=-static-libstdc++ >"$build/configure.log" 2>&1 ||
    { tail -n 15 "$build/configure.log" >&2; fail "cmake failed; the whole log is $build/configure.log"; }
  echo "$stamp" >"$build/.stamp"
fi
ninja -C "$build" -j"${JOBS:-$(nproc)}" --quiet _native cellPythonOps cellc cell-opt ptx-run cellEmulatedDriver

# --- The folder. ------------------------------------------------------------------------
"$build/python3/bin/python" tools/device/pack.py "$build" "$out" --limit "$limit"
