"""Training steps whose Parameters have the same bits on any number of ranks.

The batch of a step is cut into tiles. One program computes the gradients of a tile, on all ranks the
same; tiles are added as a binary counter carries, and ranks go on as the same tree; another program
reduces and updates. So which rank computes a tile makes no difference.
"""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.compile.jit import jit
from cellgrad.core import ranks
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import rank_parts
from cellgrad.parallel._auto_parallel_context import get_auto_parallel_context

__all__ = ["OrderedStep", "is_ordered", "refuse_ordered"]

_ORDERED = "reduction='ordered'"


def is_ordered() -> bool:
    """Whether training steps that are made now add tiles in a fixed order."""
    return get_auto_parallel_context("reduction") == "ordered"


def refuse_ordered(step: Any) -> None:
    """Refuses a step in compiled code, where its tiles would not be programs of their own."""
    if step.ordered is not None:
        raise error(
            RuntimeError,
            f"'{step.cls_name}' with {_ORDERED} is called in compiled code, or exported: it runs a program for each "
            "tile of the batch.",
            "call the step itself, or make it without the setting",
        )


class Sums:
    """A sum of tuples of tensors, added as a binary counter carries: ((a + b) + (c + d)) + ..."""

    def __init__(self) -> None:
        self._levels: list[tuple[Tensor, ...]] = []
        self._count = 0

    def add(self, given: tuple[Tensor, ...]) -> None:
        """Takes the next summand."""
        self._levels.append(given)
        self._count += 1
        for _ in range((self._count & -self._count).bit_length() - 1):
            self._join()

    def _join(self) -> None:
        last, before = self._levels.pop(), self._levels.pop()
        self._levels.append(_added(before, last))

    def total(self) -> tuple[Tensor, ...]:
        """The sum of all."""
        while len(self._levels) > 1:
            self._join()
        return self._levels[0]


@jit
def _added(a: tuple[Tensor, ...], b: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(ops.add(x, y) for x, y in zip(a, b))


class OrderedStep:
    """The calls of a training step, tile by tile.

    Raises:
        ValueError: the mode is not "data_parallel".
        TypeError: a step with a `construct` of its own, or one that gives its gradients.
    """

    def __init__(self, step: Any):
        if not step.reducer_flag:
            raise error(
                ValueError,
                f"For '{step.cls_name}', {_ORDERED} is of 'data_parallel', but parallel_mode is "
                f"'{step.parallel_mode}'.",
                "set parallel_mode='data_parallel', on one rank too",
            )
        if step.return_grad or type(step).construct is not _defined(step, "finish").construct:
            raise error(
                TypeError,
                f"For '{step.cls_name}', {_ORDERED} does not go with 'return_grad', or a 'construct' of its own.",
                "take nn.TrainOneStepCell or nn.TrainOneStepWithLossScaleCell as they are",
            )
        self.tile = int(get_auto_parallel_context("batch_tile"))
        self._step = step
        self._gradients = jit(lambda *inputs: step.gradients(*inputs))
        self._finish: dict[tuple[int, bool], Any] = {}

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        step = self._step
        if kwargs:
            raise error(
                TypeError, f"For '{step.cls_name}' with {_ORDERED}, give inputs by position."
            )
        count = self._count(args)
        sums = Sums()
        out: Any = None
        for i in range(count):
            rows = tuple(a[i * self.tile : (i + 1) * self.tile] for a in args)
            if i == 0:
                self._check(rows)
            out, gradients = self._gradients(*rows)
            each = out if isinstance(out, tuple | list) else (out,)
            sums.add((*each, *gradients))
        total = sums.total()
        losses, gradients = total[: -len(step.weights)], total[-len(step.weights) :]
        key = (count, isinstance(out, tuple | list))
        if key not in self._finish:

            def finished(x: tuple[Tensor, ...], y: tuple[Tensor, ...]) -> Any:
                return self._finished(x, y, *key)

            self._finish[key] = jit(finished)
        return self._finish[key](losses, gradients)

    def _finished(
        self, losses: tuple[Tensor, ...], gradients: tuple[Tensor, ...], count: int, several: bool
    ) -> Any:
        """The end of a step, from the sums over the tiles of this rank."""
        step = self._step
        means = tuple(loss / count for loss in losses)
        degree = count * ranks.size() if step.mean else None
        if step.shards is not None:
            reduced = step.shards.reduced(gradients, step.mean, degree)
        else:
            reduced = rank_parts.summed(gradients)
            if degree is not None:
                reduced = rank_parts.divided(reduced, degree)
        return step.finish(means if several else means[0], reduced)

    def _count(self, args: tuple[Any, ...]) -> int:
        """The number of tiles of this rank."""
        name = self._step.cls_name
        rows = {a.shape[0] if isinstance(a, Tensor) and a.ndim else None for a in args}
        n = rows.pop() if len(rows) == 1 else None
        if n is None or n == 0 or n % self.tile:
            shapes = [list(a.shape) if isinstance(a, Tensor) else type(a).__name__ for a in args]
            raise error(
                ValueError,
                f"For '{name}' with {_ORDERED}, inputs must be Tensors whose first dimensions are one multiple of "
                f"'batch_tile', {self.tile}, but got {shapes}.",
                "leave a smaller last batch out: batch(..., drop_remainder=True)",
            )
        count: int = n // self.tile
        if ranks.size() > 1 and count & (count - 1):
            raise error(
                ValueError,
                f"For '{name}' with {_ORDERED}, a rank of several must have 1, 2, 4, 8, ... tiles, but a batch of {n} "
                f"rows has {count} tiles of {self.tile}.",
                "choose another 'batch_tile' or batch size",
            )
        return count

    def _check(self, rows: tuple[Any, ...]) -> None:
        """Refuses a network that tells tiles apart by more than their rows, before it runs."""
        program = self._gradients.program  # type: ignore[attr-defined]
        program.prepare(rows, {})
        names = sorted({p.name for c in program.cache.values() for p in c.written})
        if names:
            raise error(
                ValueError,
                f"For '{self._step.cls_name}' with {_ORDERED}, the network changes {', '.join(names[:3])} with each "
                "tile, as BatchNorm and Dropout do: the ranks would not have what one process has.",
                "take nn.LayerNorm or nn.GroupNorm, and no random numbers, or leave the setting out",
            )


def _defined(step: Any, name: str) -> Any:
    """The class that defines a method of a step."""
    return next(c for c in type(step).__mro__ if name in vars(c))
