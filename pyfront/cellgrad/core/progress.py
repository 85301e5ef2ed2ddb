"""What takes its time says so where a terminal watches: bars of steps, and what is waited for.

CELLGRAD_PROGRESS=0 has none. Everything is on standard error and leaves no trace.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from cellgrad.core import variables

DELAY = 1.0  # seconds after which something is told of that is waited for


def shown() -> bool:
    """Whether somebody watches: standard error is a terminal, and CELLGRAD_PROGRESS is not 0."""
    return variables.flag("PROGRESS", True) and sys.stderr is not None and sys.stderr.isatty()


def bar(total: int | None, start: int, what: str) -> Any:
    """A progress bar of steps, a context manager whose `update` makes one."""
    from tqdm import tqdm

    return tqdm(
        total=total, initial=start, desc=what, unit="step", disable=not shown(), leave=False
    )


def say(text: str, flush: bool = True) -> None:
    """Prints a line, above a progress bar if there is one."""
    from tqdm import tqdm

    tqdm.write(text, file=sys.stdout)
    if flush:
        sys.stdout.flush()


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """Shows `what` is done in the block, and for how long, once it takes more than a second."""
    if not shown():
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(what, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(what: str, done: threading.Event) -> None:
    if done.wait(DELAY):
        return
    from tqdm import tqdm

    with tqdm(desc=what, bar_format="{desc}: {elapsed}", leave=False) as line:
        line.start_t -= DELAY
        while not done.wait(0.5):
            line.refresh()
