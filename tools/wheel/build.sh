#!/usr/bin/env bash
# Makes what `pip install cellgrad` gives: wheels in dist/, with LLVM, MLIR and LLD inside.
#
#   build.sh [--python PYTHON]...
#
# One wheel serves CPython 3.12 and later, by the stable ABI; 3.11 has one of its own. Each PYTHON is of one of these
# versions and has its C headers; by default every python3.11 and python3.12 or later that is found, one of each.
# The libraries are those of `make build`; only the extension module is compiled for each Python.
set -euo pipefail
cd "$(dirname "$0")/../.."
limit=$((30 * 1000 * 1000))  # bytes of a wheel
pythons=()
while [ $# -gt 0 ]; do
  case $1 in
    --python) pythons+=("${2:?--python needs a path}") && shift ;;
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
found() { # found <minor>...: the first Python of these versions
  local minor python
  for minor in "$@"; do
    for python in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor".*/bin/python; do
      has_headers "$python" && echo "$python" && return
    done
  done
}
if [ ${#pythons[@]} -eq 0 ]; then
  mapfile -t pythons < <(found 11; found 12 13 14)
  [ ${#pythons[@]} -gt 0 ] || fail "no Python 3.11 or later with C headers: name one with --python"
fi

# Equal bytes for equal sources: archives carry the time of the commit, compilers the folder's relative names.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}"
export SOURCE_DATE_EPOCH PIP_DISABLE_PIP_VERSION_CHECK=1
launcher="env;CCACHE_BASEDIR=$PWD;CCACHE_NOHASHDIR=1;ccache"
mkdir -p dist
for python in "${pythons[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  env=build-wheel/env-$version
  if ! cmp -s tools/wheel/requirements.txt "$env/requirements.txt"; then
    rm -rf "$env"
    "$python" -m venv "$env"
    "$env/bin/python" -m pip install -q --no-deps -r tools/wheel/requirements.txt
    cp tools/wheel/requirements.txt "$env/"
  fi
  raw=build-wheel/raw-$version log=build-wheel/$version.log
  rm -rf "$raw"
  "$env/bin/python" -m pip wheel -v --no-deps --no-build-isolation -w "$raw" . \
    -C cmake.define.CELLGRAD_BUILT="$PWD/build" -C cmake.define.CELLGRAD_WERROR=ON \
    -C cmake.define.CMAKE_C_COMPILER_LAUNCHER="$launcher" -C cmake.define.CMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
    -C build.tool-args="-j${JOBS:-$(nproc)}" >"$log" 2>&1 ||
    { tail -n 25 "$log" >&2; fail "the build failed; the whole log is $log"; }
  # Names the oldest glibc in the file's name, and fails if the wheel needs a library that is not everywhere.
  PATH=$PWD/$env/bin:$PATH "$env/bin/auditwheel" repair -w "$raw/repaired" "$raw"/*.whl >"$log" 2>&1 ||
    { cat "$log" >&2; fail "auditwheel refuses the wheel"; }
  wheel=$(echo "$raw"/repaired/*.whl)
  # Or the wheel would have other bytes in another folder.
  named=$("$env/bin/python" -c 'import os, sys, zipfile as z
w = z.ZipFile(sys.argv[1])
print(*(n for n in w.namelist() if os.fsencode(os.getcwd()) + b"/" in w.read(n)))' "$wheel")
  [ -z "$named" ] || fail "files of the wheel name this folder: $named"
  size=$(stat -c %s "$wheel")
  [ "$size" -le $limit ] || fail "$(basename "$wheel") has $size bytes, more than $limit"
  mv "$wheel" dist/
  echo "dist/$(basename "$wheel"): $((size / 1000)) kB"
done
