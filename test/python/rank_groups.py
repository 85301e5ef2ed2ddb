"""Ranks for tests: forks of this process, which share memory.

With CELL_TEST_RANKS each computes on an emulated GPU of its own: "nccl", with the fake NCCL between
them, or "mccl", through memory of the host. This process must not have opened a GPU before.
"""

import os
import pickle
import secrets
import selectors
import signal
import time
import traceback
from pathlib import Path

import cellgrad as ms
from cellgrad import communication

BACKEND = os.environ.get("CELL_TEST_RANKS") or None
EMULATOR = Path(
    os.environ.get("CELLGRAD_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"),
    "test",
    "emulator",
)
ON_DEVICES = {
    "CELLGRAD_CUDA_DRIVER": str(EMULATOR / "libcuda.so.1"),
    "CELLGRAD_NCCL_LIBRARY": str(EMULATOR / "libnccl.so.2"),
    "CELL_EMU_DEVICES": "4",
}


class Ended(Exception):
    """A rank ended without a result: its status, negative for a signal."""


def on_ranks(count, body, timeout=120, env=None):
    """What ``body(rank)`` gives on each of `count` ranks: a value, or an exception.

    An exception of a rank is returned in place of its value, as is `Ended`. All are killed after
    `timeout` seconds, which fails.
    """
    variables = {
        "CELLGRAD_GROUP": secrets.token_hex(8),
        "CELLGRAD_RANKS": str(count),
        "CELLGRAD_NUM_THREADS": "1",
        "CELLGRAD_COMM_TIMEOUT": "60",
        **(ON_DEVICES if BACKEND else {}),
        **(env or {}),
    }
    children, pipes = [], []
    for rank in range(count):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.environ.update(variables, CELLGRAD_RANK=str(rank))
            _run(body, rank, writer)
        os.close(writer)
        children.append(child)
        pipes.append(reader)
    try:
        texts = _read(pipes, time.monotonic() + timeout)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)  # those that have ended wait to be asked
        statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        for reader in pipes:
            os.close(reader)
    return [
        pickle.loads(text) if text else Ended(status)
        for text, status in zip(texts, statuses, strict=True)
    ]


def _run(body, rank, writer):
    status = 1
    try:
        if BACKEND:
            ms.set_device("GPU")
        communication.init(BACKEND)
        result = body(rank)
        status = 0
    except BaseException as e:
        traceback.print_exc()
        result = e.with_traceback(None)
    try:
        try:
            text = pickle.dumps(result)
        except Exception:
            text = pickle.dumps(RuntimeError(str(result)))
        with os.fdopen(writer, "wb") as out:
            out.write(text)
    finally:
        os._exit(status)


def _read(pipes, until):
    texts = dict.fromkeys(pipes, b"")
    with selectors.DefaultSelector() as waiting:
        for reader in pipes:
            waiting.register(reader, selectors.EVENT_READ)
        while waiting.get_map():
            left = until - time.monotonic()
            if left <= 0:
                raise AssertionError("the ranks have not ended within the time limit of the test")
            for key, _ in waiting.select(left):
                part = os.read(key.fd, 1 << 16)
                texts[key.fd] += part
                if not part:
                    waiting.unregister(key.fd)
    return [texts[reader] for reader in pipes]


def values(count, body, **options):
    """The same, where no rank may fail."""
    found = on_ranks(count, body, **options)
    for rank, value in enumerate(found):
        assert not isinstance(value, BaseException), f"rank {rank}: {value!r}"
    return found
