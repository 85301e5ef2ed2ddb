"""The command line of tools that write a page: `python tool.py [--check]`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def main(path: Path, page: Callable[[], str]) -> int:
    """Writes the page, or with --check compares it with the file: 1 where they differ."""
    text = page()
    if "--check" not in sys.argv:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        print(f"{path} is not what the sources say: run make docs", file=sys.stderr)
        return 1
    return 0
