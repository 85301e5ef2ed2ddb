#!/usr/bin/env bash
# Makes what a build for 64-bit ARM takes from that machine, of Debian's packages: cmake --preset aarch64
# -DCMAKE_SYSROOT=FOLDER. Nothing is installed, and this machine's apt stays as it is.
#
#   sysroot.sh FOLDER
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(realpath -m "$1")
llvm=$(sed -n 's/^llvm=\([0-9]*\).*/\1/p' "$(dirname "$0")/../../.dep-versions")
[ ! -e "$root" ] || { echo "error: '$root' exists: name a folder to be made" >&2; exit 1; }
packages=("llvm-$llvm-dev" "libmlir-$llvm-dev" "mlir-$llvm-tools" "liblld-$llvm-dev" libc6-dev libstdc++-12-dev
  libzstd-dev zlib1g-dev python3-dev)

apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt"/{lists,archives}/partial
touch "$apt/status" # nothing is installed there: packages come with all that they need
cat >"$apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
END
export APT_CONFIG=$apt/conf DEBIAN_FRONTEND=noninteractive
apt-get -q -o Acquire::Languages=none update >"$apt/log" 2>&1 &&
  apt-get -q -y -d --no-install-recommends install "${packages[@]}" >>"$apt/log" 2>&1 ||
  { tail -n 15 "$apt/log" >&2; echo "error: apt has not these packages for arm64: ${packages[*]}" >&2; exit 1; }
mkdir -p "$root"
for package in "$apt"/archives/*.deb; do
  dpkg -x "$package" "$root"
done
# Links such as libm.so -> /lib/aarch64-linux-gnu/libm.so.6 mean files of that machine.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -srfn "$root$(readlink "$link")" "$link"
done
du -sh "$root"
