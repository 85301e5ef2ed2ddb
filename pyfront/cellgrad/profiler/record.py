"""What a profile has measured: calls of compiled programs, and what their kernels took.

Bytes and arithmetic operations follow from shapes: they are those of `docs/performance.md`. Times are
measured. A ceiling is what the machine does at most, measured once a process for a number of
threads; the fraction of it that a kernel reaches is that of its nearer ceiling (Williams, Waterman,
Patterson: Roofline, Communications of the ACM 52(4), 2009).
"""

from __future__ import annotations

import functools
import os
import time
from dataclasses import dataclass, field
from typing import Any

from cellgrad import _native
from cellgrad.compile import probes
from cellgrad.core import ranks

PHASES = ("forward", "adjoint", "tangent")


@dataclass(frozen=True)
class Ceilings:
    """What so many threads do a second at most: arithmetic operations in float32 and in float64,
    and bytes of memory.
    """

    threads: int
    float32: float
    float64: float
    bytes: float


@functools.cache
def ceilings(threads: int) -> Ceilings:
    """Measured once for each number of threads, in a tenth of a second."""
    return Ceilings(threads, *_native.machine_ceilings(threads))


@dataclass
class Kernel:
    """A kernel of a compiled program, in all calls of it."""

    program: str
    kernel: str  # what it is: "product 128x64x32"
    ops: tuple[str, ...]  # of the program, the main one first
    phase: str  # "forward", "adjoint" or "tangent"
    file: str
    line: int
    cell: str  # the path of the Cell, and the composition in it
    bytes: int  # that one run moves
    operations: int
    double: bool  # it computes in float64
    runs: int = 0
    nanoseconds: int = 0

    def flops(self) -> float:
        """Arithmetic operations a second."""
        return self.operations * self.runs / self._seconds()

    def bandwidth(self) -> float:
        """Bytes a second."""
        return self.bytes * self.runs / self._seconds()

    def fraction(self, most: Ceilings) -> float:
        """Of the nearer ceiling. More than 1 where what it reads is in a cache."""
        return max(self.flops() / self._peak(most), self.bandwidth() / most.bytes)

    def bound(self, most: Ceilings) -> str:
        """The nearer ceiling: "memory" or "arithmetic"."""
        by_memory = self.bytes / most.bytes >= self.operations / self._peak(most)
        return "memory" if by_memory else "arithmetic"

    def place(self) -> str:
        """The line of the program, as in "net.py:12"."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.file else ""

    def _peak(self, most: Ceilings) -> float:
        return most.float64 if self.double else most.float32

    def _seconds(self) -> float:
        return max(self.nanoseconds, 1) * 1e-9


@dataclass
class Pair:
    """What a line of the program takes, in milliseconds, with its derivatives."""

    place: str
    cell: str
    forward: float = 0.0
    adjoint: float = 0.0
    tangent: float = 0.0

    def total(self) -> float:
        return self.forward + self.adjoint + self.tangent


@dataclass
class Record:
    """Listens to calls; see `compile/probes.py`. Times are in nanoseconds."""

    calls: list[probes.Call] = field(default_factory=list)
    compilations: list[probes.Compilation] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    elapsed: int = 0  # while it listened
    begun: int | None = None  # when it began to listen; None while it does not
    first: int | None = None  # when it first did
    kept: int = 0
    exchanged: tuple[int, int] = (0, 0)  # what collectives took, and were waited for
    before: tuple[int, int] = (0, 0)  # the same when it began to listen

    def called(self, call: probes.Call) -> None:
        call.runs = call.runs[: self.room()]
        self.kept += len(call.runs)
        self.calls.append(call)

    def compiled(self, compilation: probes.Compilation) -> None:
        self.compilations.append(compilation)

    def room(self) -> int:
        return max(0, probes.MOST_RUNS - self.kept)

    def start(self) -> None:
        if self.begun is None:
            self.begun = time.monotonic_ns()
            if self.first is None:
                self.first = self.begun
            self.before = ranks.times()
            probes.listen(self)

    def stop(self) -> None:
        if self.begun is not None:
            probes.leave(self)
            self.elapsed += time.monotonic_ns() - self.begun
            self.exchanged = self.communication()
            self.begun = None

    def communication(self) -> tuple[int, int]:
        """What the collectives of this rank took, with the wait for others, and how long it waited for them: the
        difference was hidden behind computation.
        """
        took, waited = self.exchanged
        if self.begun is None:
            return took, waited
        now, then = ranks.times(), self.before
        return took + now[0] - then[0], waited + now[1] - then[1]

    def total(self) -> int:
        """How long it has listened."""
        running = 0 if self.begun is None else time.monotonic_ns() - self.begun
        return self.elapsed + running

    def in_calls(self) -> int:
        return sum(call.end - call.begin for call in self.calls)

    def compiling(self) -> int:
        return sum(made.end - made.begin for made in self.compilations)

    def threads(self) -> int:
        """The most threads that a call was lent."""
        return max((call.threads for call in self.calls), default=1)

    def kernels(self) -> list[Kernel]:
        """Of all programs, those that took longest first."""
        found: dict[tuple[Any, ...], Kernel] = {}
        for call in self.calls:
            for i, (runs, nanoseconds) in enumerate(call.totals):
                if runs == 0:
                    continue
                kernel = describe(call, i)
                key = (
                    *(kernel.program, kernel.kernel, kernel.ops, kernel.phase, kernel.file),
                    *(kernel.line, kernel.cell, kernel.bytes, kernel.operations, i),
                )
                kernel = found.setdefault(key, kernel)
                kernel.runs += runs
                kernel.nanoseconds += nanoseconds
        return sorted(found.values(), key=lambda kernel: -kernel.nanoseconds)

    def pairs(self) -> list[Pair]:
        """The lines of the program, each with what its derivatives take; a kernel of several lines
        counts to the one that plans name.
        """
        found: dict[tuple[str, int, str], Pair] = {}
        for kernel in self.kernels():
            key = (kernel.file, kernel.line, kernel.cell)
            pair = found.setdefault(key, Pair(kernel.place(), kernel.cell))
            milliseconds = kernel.nanoseconds * 1e-6
            setattr(pair, kernel.phase, getattr(pair, kernel.phase) + milliseconds)
        return sorted(found.values(), key=lambda pair: -pair.total())


def describe(call: probes.Call, number: int) -> Kernel:
    """Kernel `number` of a call, without its runs."""
    told = call.kernels[number]
    nowhere = {"op": "", "phase": "forward", "file": "", "line": 0, "cell": ""}
    origins = told["origins"] or [nowhere]
    main = origins[0]
    ops = tuple(dict.fromkeys(o["op"] for o in origins if o["op"]))
    return Kernel(
        call.name,
        told["kernel"],
        ops,
        main["phase"],
        main["file"],
        main["line"],
        main["cell"],
        told["bytes"],
        told["operations"],
        told["double"],
    )
