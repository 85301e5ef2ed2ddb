"""What ranks do together for one file: Parameters of which each has a part, and who writes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import ranks
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.ops import rank_parts
from cellgrad.ops.collectives import all_gather, barrier


def _part_of(value: Any) -> Any:
    return value.part if isinstance(value, Parameter) else None


def has_parts(values: Iterable[Any]) -> bool:
    """Whether each rank has a part of one of them."""
    return any(_part_of(v) is not None for v in values)


def shape_of(parameter: Parameter) -> tuple[int, ...]:
    """The shape of a Parameter, or of the tensor that it is a part of."""
    return parameter.shape if parameter.part is None else parameter.part.shape


def own(parameter: Parameter, value: Tensor) -> Tensor:
    """What of a whole value a Parameter holds."""
    if parameter.part is None:
        return value
    wide = value.astype(mstype.float32) if value.dtype is mstype.bfloat16 else value
    return Tensor(parameter.part.own(wide.asnumpy()), value.dtype)


def whole(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries, with whole tensors where ranks have parts. All ranks call this together.

    Raises:
        RuntimeError: the ranks are others than those that have the parts, or do not all call this.
    """
    names = [name for name, value in entries.items() if _part_of(value) is not None]
    parts = [entries[name].part for name in names]
    for name, part in zip(names, parts, strict=True):
        if (part.rank, part.ranks) != (ranks.rank(), ranks.size()):
            raise error(
                RuntimeError,
                f"'{name}' is part {part.rank} of {part.ranks}, but this is rank {ranks.rank()} of {ranks.size()}.",
                "save before communication.release()",
            )
    given = tuple(Tensor(entries[name]) for name in names)
    try:
        found = rank_parts.gathered(given, tuple(p.shape for p in parts), ranks.size())
    except RuntimeError as e:
        e.add_note(
            "  hint: a checkpoint with the state of an optimizer that is in parts "
            "(enable_parallel_optimizer) is saved by all ranks together, not by one"
        )
        raise
    return {**entries, **dict(zip(names, found, strict=True))}


def is_writer(path: str) -> bool:
    """Whether this rank is the first of those that would write this file. All ranks call this together."""
    if ranks.size() == 1:
        return True
    name = f"{os.uname().nodename}:{os.path.realpath(path)}".encode()
    number = int.from_bytes(hashlib.sha256(name).digest()[:8], "little", signed=True)
    numbers = all_gather(Tensor(np.array([number]), mstype.int64)).asnumpy().tolist()
    return bool(numbers.index(number) == ranks.rank())


def bytes_of_all(value: Tensor) -> Tensor:
    """The bytes (uint8) of all ranks, of one number on all; a row each. All ranks call this together."""
    own = value.asnumpy().reshape(1, -1)
    if ranks.size() == 1:
        return Tensor(own, mstype.uint8)
    rows = all_gather(Tensor(own.view(np.int8), mstype.int8)).asnumpy()
    return Tensor(rows.view(np.uint8), mstype.uint8)


def meet() -> None:
    """Waits for all ranks."""
    barrier()
