"""What to compute again so that a program fits in a budget of memory.

Candidates are the Cells that the program calls, by their depth in the tree of Cells. Of each depth
the first k in the order of their calls are recomputed, as what they keep is needed longest; k is found
by bisection, with the memory that the compiler plans for each. Among depths that reach the budget
the one is taken whose kernels are estimated to take least time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cellgrad.capture import calls
from cellgrad.compile import memory as _memory
from cellgrad.compile.compiled import Compiled
from cellgrad.compile.program import Program, function_name
from cellgrad.core import log as _log
from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.scope import Trace

_MOST_LEVELS = 6


@dataclass(frozen=True)
class Choice:
    """What is recomputed. Bytes are those of `ms.memory_report`; times are estimates for one core."""

    budget: int
    cells: tuple[str, ...]  # their attribute paths
    peak: int
    peak_before: int  # without recomputation
    nanoseconds: int
    nanoseconds_before: int

    def __str__(self) -> str:
        if not self.cells:
            return f"{self.peak} bytes, within {self.budget}: nothing is computed again"
        more = self.nanoseconds - self.nanoseconds_before
        share = 100 * more / max(self.nanoseconds_before, 1)
        return (
            f"{self.peak} bytes instead of {self.peak_before}, within {self.budget}, for about "
            f"{more / 1e6:.3f} ms ({share:.1f} %): {', '.join(self.cells)}"
        )


@dataclass
class _Trial:
    cells: list[Any]
    report: dict[str, Any]


class _Search:
    """Looks for the Cells to recompute in one call of a program."""

    def __init__(self, program: _Program, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.program = program
        self.call = (args, kwargs)
        self.least = 0

    def plan(self, cells: list[Any]) -> tuple[_Trial, Trace]:
        self.program.recomputed = frozenset(id(cell) for cell in cells)
        report, trace = _memory.planned(self.program, *self.call)
        self.least = min(self.least or report["peak"], report["peak"])
        return _Trial(cells, report), trace

    def run(self) -> Choice:
        """Leaves the Cells in `program.recomputed`. Raises ValueError where none are enough."""
        budget = self.program.budget
        before, trace = self.plan([])
        chosen = before
        if before.report["peak"] > budget:
            found = [self.smallest(cells, budget) for cells in levels(trace)]
            enough = [trial for trial in found if trial is not None]
            if not enough:
                raise error(
                    ValueError,
                    f"For 'recompute', the budget of '{self.program.name}' is {budget} bytes, but the "
                    f"least that recomputing its Cells reaches is {self.least} bytes at the peak, and "
                    f"{before.report['peak']} bytes without.",
                    f"give a budget of {self.least} or more, use a smaller batch, or split large Cells: "
                    "ms.memory_report says what takes the memory",
                )
            chosen = min(enough, key=lambda trial: trial.report["nanoseconds"])
            self.program.recomputed = frozenset(id(cell) for cell in chosen.cells)
        return Choice(
            budget,
            tuple(trace.paths[id(cell)] or type(cell).__name__ for cell in chosen.cells),
            chosen.report["peak"],
            before.report["peak"],
            chosen.report["nanoseconds"],
            before.report["nanoseconds"],
        )

    def smallest(self, cells: list[Any], budget: int) -> _Trial | None:
        """The fewest of the first Cells that are enough; None where all are not."""
        trial, _ = self.plan(cells)
        if trial.report["peak"] > budget:
            return None
        low, high = 0, len(cells)  # `low` Cells are too few, `high` are enough
        while high - low > 1:
            middle = (low + high) // 2
            other, _ = self.plan(cells[:middle])
            if other.report["peak"] <= budget:
                trial, high = other, middle
            else:
                low = middle
        return trial


def levels(trace: Trace) -> list[list[Any]]:
    """The Cells that were called, by depth, each in the order of their calls."""
    found: dict[int, list[Any]] = {}
    for key, cell in trace.cells.items():
        path = trace.paths.get(key)
        if path is not None:
            found.setdefault(path.count(".") + 1 if path else 0, []).append(cell)
    if len(found.get(0, ())) == 1:  # all there is
        del found[0]
    return [found[depth] for depth in sorted(found)[:_MOST_LEVELS]]


class _Program(Program):
    """A program that is to fit in a budget."""

    __slots__ = ("budget", "choice")

    def __init__(self, run: Callable[..., Any], name: str, budget: int):
        super().__init__(run, name)
        self.budget = budget
        self.choice: Choice | None = None

    def _capture_and_compile(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compiled:
        self.choice = _Search(self, args, kwargs).run()
        _log.write("recompute", f"'{self.name}': {self.choice}")
        return super()._capture_and_compile(args, kwargs)


class Budgeted:
    """A function whose compiled code fits in a budget of memory; see `cellgrad.recompute`."""

    def __init__(self, function: Callable[..., Any], budget: int):
        self.function = function
        self.program = _Program(
            lambda *a, **k: calls.call(function, a, k), function_name(function), budget
        )

    @property
    def choice(self) -> Choice | None:
        """What was chosen for the last signature that was compiled; None before the first call."""
        return self.program.choice

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if state.current.scope is not None:
            raise error(
                RuntimeError,
                "For 'recompute', a budget is of a whole compiled program, but the function is "
                "called in another one.",
                "put recompute(budget=...) around the gradient function or the training step",
            )
        return self.program(args, kwargs)

    def __repr__(self) -> str:
        return f"<{self.function!r} within {self.program.budget} bytes>"
