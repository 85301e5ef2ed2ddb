#!/usr/bin/env bash
# Makes this machine and this checkout ready to build: Debian packages, .venv, CMake.
# Each step does nothing when it is already done. Run by 'make'; needs no arguments.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly setup=tools/setup
python=${PYTHON:-python3}
llvm_major=$(sed -n 's/^llvm=\([0-9]*\).*/\1/p' .dep-versions)

fail() {
  printf 'error: %s\n' "$@" >&2
  exit 1
}

# --- What has to be here before we start; every missing thing is one line. -------------
missing=()
need() { # need <command> <what to do>
  command -v "$1" >/dev/null || missing+=("$1 not found: $2")
}
at_least() { # at_least <wanted> <found>
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n1)" = "$1" ]
}
need git "apt-get install git"
need gcc "apt-get install gcc"
need "$python" "apt-get install python3 (3.11 or later)"
need cmake "apt-get install cmake (3.25 or later)"
if command -v "$python" >/dev/null; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    missing+=("$("$python" -V 2>&1 || echo "$python") is too old: 3.11 or later is needed; name one with PYTHON=...")
fi
if command -v cmake >/dev/null; then
  found=$(cmake --version | sed -n '1s/[^0-9]*//p')
  at_least 3.25 "$found" || missing+=("cmake $found is too old: 3.25 or later is needed")
fi
[ ${#missing[@]} -eq 0 ] || fail "${missing[@]}"

free_gib() { df -Pk "$1" | awk 'NR == 2 { print int($4 / 1048576) }'; }
enough_disk() { # enough_disk <path> <GiB> <for what>
  local free
  free=$(free_gib "$1")
  [ "$free" -ge "$2" ] || fail "$free GiB free on the disk of $1: $3 needs $2"
}

# --- Debian packages -------------------------------------------------------------------
wanted=() reasons=()
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null || true)
want() { # want <package> <reason>
  grep -qx "installed $1" <<<"$installed" && return
  wanted+=("$1") reasons+=("$(printf '  %-20s %s' "$1" "$2")")
}
while read -r package reason; do
  case $package in '' | '#'*) continue ;; esac
  want "${package//@/$llvm_major}" "$reason"
done <$setup/packages.txt
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
  want python3-venv "makes the virtual environment"
"$python" -c 'import os, sys, sysconfig as s
sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))' ||
  want python3-dev "Python's C headers: the extension module is compiled against them"

if [ ${#wanted[@]} -gt 0 ]; then
  release=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_CODENAME:-}")
  [ "$release" = "debian bookworm" ] || fail \
    "this is '$release': only Debian 12 (bookworm) can be set up automatically; install: ${wanted[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "packages are missing and there is no sudo; as root: apt-get install ${wanted[*]}"
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
  fi
  enough_disk /usr 5 "installing LLVM"
  echo "Installing Debian packages:"
  printf '%s\n' "${reasons[@]}"
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -q -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 </dev/null ||
      { tail -n 15 "$log" >&2; fail "apt-get $1 failed (its last lines are above)"; }
  }
  apt update
  apt-cache show "llvm-$llvm_major-dev" >/dev/null 2>&1 || fail \
    "apt knows no llvm-$llvm_major-dev: add 'deb http://deb.debian.org/debian-security bookworm-security main' to its sources"
  apt install -y --no-install-recommends "${wanted[@]}"
fi

# --- .venv: Python packages and this tree ----------------------------------------------
enough_disk . 3 "the build"
stamp=$({ "$python" -V; pwd; cat $setup/requirements.txt; } | sha256sum)
if [ "$(cat .venv/.stamp 2>/dev/null)" != "$stamp" ]; then
  echo "Making .venv with the Python packages of $setup/requirements.txt:"
  sed -n 's/^\([a-zA-Z-]*\)==[^ ]* *# *\(.*\)/\1  \2/p' $setup/requirements.txt |
    while read -r package reason; do printf '  %-20s %s\n' "$package" "$reason"; done
  rm -rf .venv
  "$python" -m venv .venv
  .venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps -r $setup/requirements.txt ||
    fail "pip could not install $setup/requirements.txt (its message is above)"
  # 'import cellgrad' finds the sources first, then what the build compiles and generates.
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$PWD/pyfront" "$PWD/build/python" >"$site/cellgrad-tree.pth"
  echo "$stamp" >.venv/.stamp
fi
if [ ! -x .venv/bin/cellgrad ]; then # the command, as pip would make it
  printf '#!%s\nimport sys\n\nfrom cellgrad.command import main\n\nsys.exit(main())\n' "$PWD/.venv/bin/python" >.venv/bin/cellgrad
  chmod +x .venv/bin/cellgrad
fi

# --- CMake -----------------------------------------------------------------------------
stamp=$({ pwd; cat CMakePresets.json .dep-versions .venv/.stamp; } | sha256sum)
if [ ! -f build/build.ninja ] || [ "$(cat build/.stamp 2>/dev/null)" != "$stamp" ]; then
  echo "Configuring build/ (cmake --preset dev)"
  cmake --fresh --preset dev -DPython_EXECUTABLE="$PWD/.venv/bin/python" >build.log 2>&1 ||
    { tail -n 15 build.log >&2; fail "cmake failed; the whole log is build.log"; }
  mv build.log build/configure.log
  echo "$stamp" >build/.stamp
fi
