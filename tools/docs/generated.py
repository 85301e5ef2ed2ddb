"""The command line of tools that write one page: write it, or with --check compare it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def main(path: Path, page: Callable[[], str]) -> int:
    """Writes a page; with --check says whether the file is what would be written."""
    if "--check" not in sys.argv:
        path.write_text(page())
        return 0
    if path.exists() and path.read_text() == page():
        return 0
    print(f"{path} is not what the sources say: run make docs", file=sys.stderr)
    return 1
