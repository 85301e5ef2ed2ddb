#!/usr/bin/env bash
# Makes the source archive in dist/ by the tools of the first environment that build.sh has made, and checks it: made
# from a copy of the checkout's files, in another folder and with other permissions, it has the same bytes, and it has
# every file of the folders that a build reads, which CMake configures where nothing else of the checkout is.
#
#   sdist.sh [--build]
#
# With --build the archive is unpacked in a folder of its own, a wheel is made there from its files alone, and compared
# with that in dist/: it has the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=0
case ${1-} in
  '') ;;
  --build) build=1 ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
fail() {
  printf 'error: %s\n' "$@" >&2
  exit 1
}
pythons=("$PWD"/build-wheel/env-*/bin/python)
[ -x "${pythons[0]}" ] || fail "no environment in build-wheel/: run 'make wheel' first"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}"
export SOURCE_DATE_EPOCH
make_in() { # make_in <folder>: prints the name of the archive
  "${pythons[0]}" -c 'import sys; from scikit_build_core import build; print(build.build_sdist(sys.argv[1]))' "$1" | tail -n 1
}
mkdir -p dist
archive=$(make_in dist)
other=$(mktemp -d)
trap 'rm -rf "$other"' EXIT
mkdir "$other/copy"
git ls-files -z | (umask 077 && xargs -0 cp --parents -t "$other/copy")
(umask 077 && cd "$other/copy" && make_in "$other" >/dev/null)
cmp "dist/$archive" "$other/$archive" || fail "dist/$archive has other bytes when it is made in another folder"
tar -xzf "dist/$archive" -C "$other"

missing=0
while read -r file; do
  [ -e "$other/${archive%.tar.gz}/$file" ] || { echo "missing: $file" >&2; missing=1; }
done < <(git ls-files CMakeLists.txt CMakePresets.json pyproject.toml README.md LICENSE dialect passes pyfront runtime tools)
[ $missing -eq 0 ] || fail "dist/$archive lacks what a build reads"
checkout=$PWD log=$PWD/build-wheel/sdist.log python=${pythons[0]}
(cd "$other/${archive%.tar.gz}" && cmake --preset dev -DPython_EXECUTABLE="$python") >"$log" 2>&1 ||
  { tail -n 25 "$log" >&2; fail "CMake fails on the files of dist/$archive; the whole log is $log"; }
echo "dist/$archive: $(($(stat -c %s "dist/$archive") / 1000)) kB, the same bytes twice"

[ $build -eq 1 ] || exit 0
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
(
  cd "$other/${archive%.tar.gz}"
  ninja -C build -j"${JOBS:-$(nproc)}" cellRegistry cellInterp
  tools/wheel/build.sh --python "$(sed -n 's/^executable = //p' "$checkout/build-wheel/env-$version/pyvenv.cfg")"
) >"$log" 2>&1 || { tail -n 25 "$log" >&2; fail "dist/$archive cannot be built; the whole log is $log"; }
for wheel in "$other/${archive%.tar.gz}"/dist/*.whl; do
  cmp "$wheel" "dist/$(basename "$wheel")" || fail "the wheel made from dist/$archive has other bytes than dist/$(basename "$wheel")"
  echo "dist/$archive: its files alone give dist/$(basename "$wheel"), the same bytes"
done
