#!/usr/bin/env bash
# Checks formatting, style, types and file sizes of every tracked file; --fix formats instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
clang_format=clang-format-$(sed -n 's/^llvm=\([0-9]*\).*/\1/p' .dep-versions)
bin=.venv/bin

# The checkout may belong to someone else, as in a container.
cxx=$(git -c safe.directory="*" ls-files --cached --others --exclude-standard -- \
  '*.cpp' '*.h' '*.c' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done)

if [ "${1:-}" = --fix ]; then
  xargs -r "$clang_format" -i <<<"$cxx"
  "$bin/ruff" format -q .
  "$bin/ruff" check --fix --silent . || true
  exit
fi

status=0
check() { # check <what> <command...>
  local what=$1
  shift
  if output=$("$@" 2>&1); then
    printf '%-14s ok\n' "$what"
  else
    printf '%s\n%-14s FAILED\n' "$output" "$what"
    status=1
  fi
}
all_clang_format() { # one line for each file that 'make format' would change
  local bad
  bad=$(while read -r file; do
    "$clang_format" --dry-run -Werror "$file" >/dev/null 2>&1 || echo "$file: not formatted"
  done <<<"$cxx")
  [ -z "$bad" ] || { echo "$bad"; return 1; }
}
check clang-format all_clang_format
check 'ruff format' "$bin/ruff" format --check --output-format=concise .
check ruff "$bin/ruff" check --output-format=concise .
check mypy "$bin/mypy"
check 'file sizes' "$bin/python" tools/setup/check_sizes.py
exit $status
