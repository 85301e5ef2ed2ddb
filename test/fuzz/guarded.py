"""Calls of compiled code in memory that is guarded.

Every argument, every result and the arena, which has exactly the bytes that the signature says, ends at a
page that nobody may touch: code that reads or writes beyond it ends with a signal. Before each lie
bytes that must be the same after the call. The arena is full of NaNs, so that what is read there
before it is written shows.

A pool that is lent to a call (Shuffled) runs regions on the calling thread, but cuts them anywhere, in any
order, as any worker: what depends on that shows without a race. What a worker finds in its memory is NaN,
and that of others stays as it is. No byte of what all workers see is changed by two pieces of a region.
"""

from __future__ import annotations

import _ctypes
import ctypes
import mmap
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad import _native

PAGE = mmap.PAGESIZE
ALIGNMENT = 64  # of the arena
MOST_COMPARED = 1 << 26  # bytes, for all pieces of a region
MARK = b"\xa5" * 64
PROT_NONE = 0
PRINT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
ASK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32)
RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, TASK, ctypes.c_void_p)
libc = ctypes.CDLL(None, use_errno=True)


class Parallel(ctypes.Structure):
    """cg_parallel of runtime/cellgrad_abi.h."""

    _fields_ = [("struct_size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("run", RUN)]


class Shuffled:
    """A pool of `threads` workers that take pieces of a region in turn, in an order of `seed`."""

    def __init__(self, threads: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.regions = 0
        self.memory = np.zeros((threads, 0), np.uint8)  # of each worker
        self.strayed = False  # some worker wrote to the memory of another
        self.shared: list[np.ndarray] = []  # the memory that all write to, in bytes
        self.met = False  # two pieces of a region wrote to one place in it
        self.face = Parallel(ctypes.sizeof(Parallel), threads, RUN(self.run))

    def run(self, _: int, count: int, task: Any, frame: int) -> None:
        self.regions += 1
        rng, begin, pieces = self.rng, 0, []
        longest = rng.choice([1, 2, count])
        while begin < count:
            end = min(count, begin + rng.randint(1, longest))
            pieces.append((begin, end))
            begin = end
        rng.shuffle(pieces)
        compared = sum(part.size for part in self.shared) * len(pieces) <= MOST_COMPARED
        seen = self.shared if compared else []
        written = [np.zeros(part.size, np.bool_) for part in seen]
        for begin, end in pieces:
            worker = rng.randrange(self.face.threads)
            self.memory[...] = 0xFF
            before = [part.copy() for part in seen]
            task(frame, begin, end, worker)
            self.strayed |= bool((np.delete(self.memory, worker, 0) != 0xFF).any())
            for part, old, all_ in zip(seen, before, written, strict=True):
                changed = part != old
                self.met |= bool((changed & all_).any())
                all_ |= changed


class Stray(RuntimeError):
    """A call that writes where it must not."""


class Context(ctypes.Structure):
    """cg_context of runtime/cellgrad_abi.h."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("arena", ctypes.c_void_p),
        ("arena_bytes", ctypes.c_uint64),
        ("print", PRINT),
        ("print_user", ctypes.c_void_p),
        ("cancel", ctypes.POINTER(ctypes.c_int32)),
        ("max_trips", ctypes.c_uint64),
        ("max_stash_bytes", ctypes.c_uint64),
        ("failed_bytes", ctypes.POINTER(ctypes.c_uint64)),
        ("on_cancel", ASK),
        ("on_cancel_user", ctypes.c_void_p),
        ("parallel", ctypes.POINTER(Parallel)),
        ("unused", ctypes.c_void_p * 3),
        ("reserved", ctypes.c_uint64 * 8),
    ]


class Room:
    """`size` bytes between a mark and a page that cannot be touched."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.start = -(size + len(MARK)) % PAGE + len(MARK)
        self.memory = mmap.mmap(-1, self.start + size + PAGE)
        self.memory[self.start - len(MARK) : self.start] = MARK
        first = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.address = first + self.start
        if libc.mprotect(ctypes.c_void_p(self.address + size), PAGE, PROT_NONE):
            raise OSError(ctypes.get_errno(), "mprotect")

    def array(self, dtype: Any, shape: Sequence[int]) -> np.ndarray:
        return np.ndarray(tuple(shape), dtype, self.memory, self.start)

    def is_marked(self) -> bool:
        return self.memory[self.start - len(MARK) : self.start] == MARK


class Entry:
    """An entry of a compiled model, called as the one of `_native.Model` is."""

    def __init__(self, model: Model, spec: dict[str, Any]) -> None:
        self.model, self.spec = model, spec
        self.function = model.library[spec["symbol"]]

    def with_batch(self, given: Sequence[Any]) -> tuple[Sequence[Any], int | None]:
        """All arguments, and the batch size, which is the first of them, where it is open."""
        specs = self.spec["args"]
        if not specs or specs[0]["role"] != "batch":
            return given, None
        batch = next(
            len(value)
            for value, spec in zip(given, specs[1:], strict=True)
            if None in spec["shape"]
        )
        return [batch, *given], batch

    def run(
        self, given: Sequence[Any], pool: Shuffled | None = None, **context: Any
    ) -> tuple[int, list[np.ndarray], list[np.ndarray]]:
        """The status, the arguments afterwards, and the results; with memory for all workers."""
        rooms, args, out = [], [], []
        given, batch = self.with_batch(given)
        for spec in [*self.spec["args"], *self.spec["results"]]:
            if "donated_arg" not in spec:
                dtype = np.dtype(spec["dtype"])
                shape = [batch if extent is None else extent for extent in spec["shape"]]
                rooms.append(Room(dtype.itemsize * int(np.prod(shape, dtype=np.int64))))
                (args if len(args) < len(self.spec["args"]) else out).append(
                    rooms[-1].array(dtype, shape)
                )
        for array, value in zip(args, given, strict=True):
            array[...] = value
        pointers = [room.address for room in rooms]
        if batch is not None:
            pointers[0] = batch
        size = int(self.spec["arena_bytes"])
        if pool:
            fixed, slot = self.spec["arena"]["fixed"], self.spec["arena"]["thread"]
            size = fixed + pool.face.threads * slot
        size = -(-size // ALIGNMENT) * ALIGNMENT
        arena = Room(size)
        arena.array(np.uint8, [size])[...] = 0xFF
        call = Context(struct_size=ctypes.sizeof(Context), **context)
        call.arena, call.arena_bytes = arena.address, size
        if pool:
            call.parallel = ctypes.pointer(pool.face)
            slots = arena.array(np.uint8, [size])[fixed : fixed + pool.face.threads * slot]
            pool.memory = slots.reshape(pool.face.threads, slot)
            pool.shared = [arena.array(np.uint8, [fixed])]
            pool.shared += [room.array(np.uint8, [room.size]) for room in rooms]
        status = self.function((ctypes.c_void_p * len(pointers))(*pointers), ctypes.byref(call))
        if not all(room.is_marked() for room in [*rooms, arena]):
            raise Stray(f"{self.spec['symbol']} writes before its memory")
        if pool and pool.strayed:
            raise Stray(f"a worker of {self.spec['symbol']} writes to the memory of another")
        if pool and pool.met:
            raise Stray(f"two items of {self.spec['symbol']} write to one place")
        left = iter(out)
        results = [
            args[spec["donated_arg"]] if "donated_arg" in spec else next(left)
            for spec in self.spec["results"]
        ]
        return int(status), args, results

    def __call__(self, given: Sequence[Any], pool: Shuffled | None = None) -> list[np.ndarray]:
        status, _, results = self.run([np.asarray(a) for a in given], pool)
        if status != 0:
            raise RuntimeError(f"{self.spec['symbol']} ends with status {status}")
        return results


class Model:
    """A compiled model; it must be dropped before its file is."""

    def __init__(self, path: Any) -> None:
        entries = _native.Model(str(path)).signature["entries"]
        self.specs = {spec["name"]: spec for spec in entries}
        self.library = ctypes.CDLL(str(path))

    def __del__(self) -> None:
        _ctypes.dlclose(self.library._handle)

    def entry(self, name: str) -> Entry:
        return Entry(self, self.specs[name])
