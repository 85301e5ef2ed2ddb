"""Threads that read ahead; the order of what is read does not depend on them."""

from __future__ import annotations

import collections
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")


def ordered(function: Callable[[T], U], items: Iterator[T], workers: int) -> Iterator[U]:
    """The results of a function, in the order of its arguments, by several threads; for 1 by the same one."""
    if workers == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: collections.deque[Future[U]] = collections.deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def ahead(items: Iterator[T], size: int) -> Iterator[T]:
    """The items, of which up to `size` are read before they are asked for; for 0 by the same thread."""
    if not size:
        yield from items
        return
    found: queue.Queue[tuple[str, Any]] = queue.Queue(size)
    stopped = threading.Event()

    def put(kind: str, value: Any) -> bool:
        while not stopped.is_set():
            try:
                found.put((kind, value), timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def read() -> None:
        try:
            for item in items:
                if not put("item", item):
                    return
            put("end", None)
        except BaseException as e:
            put("error", e)

    thread = threading.Thread(target=read, daemon=True, name="cellgrad-prefetch")
    thread.start()
    try:
        while True:
            kind, value = found.get()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        stopped.set()
        thread.join()
