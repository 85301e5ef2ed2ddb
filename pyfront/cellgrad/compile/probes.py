"""Times of the kernels of compiled programs.

While there is a listener, programs are compiled with calls around their kernels, which is part of
their signatures: what was compiled before is as it was, and is used again afterwards.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from cellgrad.core import context

MOST_RUNS = 200_000  # of kernels that a listener keeps one by one


@dataclass
class Call:
    """A call of a compiled program; times in nanoseconds of `time.monotonic_ns`."""

    name: str
    kernels: list[dict[str, Any]]  # what the signature says of each
    begin: int
    end: int
    totals: list[tuple[int, int]]  # of each kernel its runs, and their time
    runs: list[tuple[int, int, int]]  # kernel, begin, end; the first ones
    thread: int
    threads: int  # that were lent to it


@dataclass
class Compilation:
    """The capture and compilation of a program."""

    name: str
    begin: int
    end: int
    thread: int


class Listener(Protocol):
    """What is told of calls and compilations."""

    def called(self, call: Call) -> None: ...
    def compiled(self, compilation: Compilation) -> None: ...
    def room(self) -> int:
        """How many more runs of kernels it keeps one by one."""


_listeners: list[Listener] = []
_lock = threading.Lock()


def listen(listener: Listener) -> None:
    """Tells a listener of all calls from now on."""
    with _lock:
        _listeners.append(listener)
        context.note("probes", True)


def leave(listener: Listener) -> None:
    """Ends what `listen` began."""
    with _lock:
        _listeners[:] = [other for other in _listeners if other is not listener]
        context.note("probes", bool(_listeners))


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """Tells of the compilation of a program."""
    if not _listeners:
        yield
        return
    begin = time.monotonic_ns()
    try:
        yield
    finally:
        made = Compilation(name, begin, time.monotonic_ns(), threading.get_ident())
        for listener in list(_listeners):
            listener.compiled(made)


def timed(entry: Any, name: str, kernels: list[dict[str, Any]]) -> Callable[[list[Any]], list[Any]]:
    """An entry with probes that tells of its calls."""

    def call(buffers: list[Any]) -> list[Any]:
        listeners = list(_listeners)
        if not listeners:  # kept by somebody since
            done: list[Any] = entry(buffers)
            return done
        room = max(listener.room() for listener in listeners)
        results: list[Any]
        results, begin, end, totals, runs = entry.record(buffers, room)
        told = Call(
            name,
            kernels,
            begin,
            end,
            totals,
            runs,
            threading.get_ident(),
            context.get_num_threads(),
        )
        for listener in listeners:
            listener.called(told)
        return results

    return call
