"""Progress on a terminal, and lines printed beside it."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["bar", "say"]


def bar(total: int | None, start: int, what: str) -> Any:
    """A progress bar of steps, shown where the error stream is a terminal."""
    from tqdm import tqdm

    return tqdm(total=total, initial=start, desc=what, unit="step", disable=None, leave=False)


def say(text: str, flush: bool = True) -> None:
    """Prints a line, above a progress bar if there is one."""
    from tqdm import tqdm

    tqdm.write(text, file=sys.stdout)
    if flush:
        sys.stdout.flush()
