#!/usr/bin/env bash
# Runs the checks of .clang-tidy on the files given, or on all sources of the compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
tidy=clang-tidy-$(sed -n 's/^llvm=\([0-9]*\).*/\1/p' .dep-versions)
if [ $# -eq 0 ]; then
  mapfile -t files < <(git -c safe.directory='*' ls-files 'dialect/*.cpp' 'passes/*.cpp' 'tools/*.cpp' 'pyfront/*.cpp')
else
  files=("$@")
fi
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 1 "$tidy" -p build --quiet 2> >(grep -v 'warnings\? generated\|^Suppressed\|^Use -header' >&2)
