"""Refuses source files over 600 lines: a file that long has more than one subject."""

import subprocess
import sys

LIMIT = 600
KINDS = ("*.cpp", "*.h", "*.c", "*.td", "*.py")


def main() -> int:
    listed = subprocess.run(
        [
            "git",
            "-c",
            "safe.directory=*",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "--",
            *KINDS,
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    too_long = 0
    for path in listed:
        try:
            with open(path, encoding="utf-8") as file:
                lines = sum(1 for _ in file)
        except FileNotFoundError:  # deleted in the working tree
            continue
        if lines > LIMIT:
            print(f"{path}: {lines} lines; split it (limit {LIMIT})")
            too_long += 1
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
