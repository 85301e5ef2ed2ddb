#!/usr/bin/env bash
# Tests the wheels in dist/: each is installed with pip into a clean environment of every Python it is for, and tested
# where LLVM's packages are hidden and nothing of this checkout but the test files is seen.
#
#   test.sh [--python PYTHON]...
#
# By default every python3.11 and later that is found. Of the suite's own tests those run that depend most on the
# version of Python: capture, guards, errors, the import hook.
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() {
  printf 'error: %s\n' "$@" >&2
  exit 1
}
pythons=()
while [ $# -gt 0 ]; do
  case $1 in
    --python) pythons+=("${2:?--python needs a path}") && shift ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
if [ ${#pythons[@]} -eq 0 ]; then
  for minor in 11 12 13 14; do
    for python in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor".*/bin/python; do
      "$python" -c '' 2>/dev/null && pythons+=("$python") && break
    done
  done
fi
# Mounts of one's own put empty folders over the packages.
hidden=(unshare --map-root-user --mount
  sh -c 'for d in /usr/lib/llvm-*; do mount -t tmpfs none "$d" || exit; done; exec "$@"' hidden)
"${hidden[@]}" true 2>/dev/null || fail "this machine lets nobody hide LLVM's packages (unshare --map-root-user --mount)"

tests=(capture guards capture_decorated elsewhere errors jit outside_changes)
for python in "${pythons[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  case $version in
    3.11) wheel=(dist/cellgrad-*-cp311-*.whl) ;;
    *) wheel=(dist/cellgrad-*-abi3-*.whl) ;;
  esac
  [ -f "${wheel[0]}" ] || { echo "Python $version: no wheel in dist/, not tested"; continue; }
  env=build-wheel/test-$version
  rm -rf "$env"
  "$python" -m venv "$env"
  pip=("$PWD/$env/bin/python" -m pip install -q --disable-pip-version-check)
  began=$SECONDS
  "${pip[@]}" "${wheel[@]}"
  echo "Python $version: $(basename "${wheel[0]}") installed in $((SECONDS - began)) s"
  "${pip[@]}" $(grep -oE "^(pytest|filecheck|mpmath)==[0-9.]+" tools/setup/requirements.txt)
  mkdir -p "$env/tests"
  cp -r test/wheel test/python "$env/tests/"
  (cd "$env/tests" && CELLGRAD_CACHE_DIR=$PWD/cache "${hidden[@]}" ../bin/python -m pytest -q -p no:cacheprovider \
    -c /dev/null --rootdir . wheel $(printf "python/test_%s.py " "${tests[@]}") ) >"$env.log" 2>&1 ||
    { tail -n 40 "$env.log" >&2; fail "tests of the wheel failed for Python $version; the whole log is $env.log"; }
  echo "Python $version: $(tail -n 1 "$env.log")"
done
