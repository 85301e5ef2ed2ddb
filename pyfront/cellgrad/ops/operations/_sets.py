"""MindSpore's primitives of sets, in rows of tensors: what two of them have. Elements must be known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad.core.arguments import (
    check_bool,
    check_instance,
    check_ndim,
    check_one_of,
    check_same_dtype,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known_ints

__all__ = ["DenseToDenseSetOperation", "DenseToSparseSetOperation"]

_SETS: dict[str, Callable[[Any, Any], Any]] = {
    "a-b": np.setdiff1d,
    "b-a": lambda a, b: np.setdiff1d(b, a),
    "intersection": np.intersect1d,
    "union": np.union1d,
}


class DenseToDenseSetOperation(Primitive):
    """What two sets of numbers have, for each place in the dimensions before the last: the places of the numbers, the
    numbers, ascending, and the shape of a tensor that they are in. Elements must be known.

    Args:
        set_operation: "a-b", "b-a", "intersection" or "union".

    Raises:
        TypeError: no Tensors, or two dtypes.
        ValueError: fewer than two dimensions, shapes that do not fit, another operation.
    """

    def __init__(self, set_operation: str = "a-b", validate_indices: bool = True):
        super().__init__()
        self.set_operation = check_instance(set_operation, self.name, "set_operation", str)
        self.validate_indices = check_bool(validate_indices, self.name, "validate_indices")

    def __call__(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, ...]:
        a, b = (check_tensor(v, self.name, n) for v, n in ((x1, "x1"), (x2, "x2")))
        check_same_dtype(a, b, self.name, ("x1", "x2"))
        second = elements(check_ndim(b, self.name, "x2", at_least=2), f"'x2' of {self.name}")
        sets = {at: second[at] for at in np.ndindex(*b.shape[:-1])}
        return self._together(a, sets, b.shape[:-1])

    def _together(self, x1: Tensor, sets: dict[Any, Any], around: Any) -> tuple[Tensor, ...]:
        """The operation on each row of `x1` and the set at its place; none there is an empty one."""
        operation = _SETS[
            check_one_of(self.set_operation.lower(), self.name, "set_operation", tuple(_SETS))
        ]
        shape = check_ndim(x1, self.name, "x1", at_least=2).shape[:-1]
        if shape != tuple(around):
            raise error(
                ValueError,
                f"For '{self.name}', the dimensions of 'x1' and 'x2' before the last must be equal, but got "
                f"{list(shape)} and {list(around)}.",
            )
        rows = elements(x1, f"'x1' of {self.name}")
        empty = np.empty(0, rows.dtype)
        found = {at: operation(rows[at], sets.get(at, empty)) for at in np.ndindex(*shape)}
        places = [(*at, i) for at, values in found.items() for i in range(len(values))]
        longest = max((len(v) for v in found.values()), default=0)
        return (
            Tensor(np.array(places, np.int64).reshape(-1, x1.ndim)),
            Tensor(np.concatenate([empty, *found.values()]).astype(rows.dtype)),
            Tensor(np.array([*shape, longest], np.int64)),
        )


class DenseToSparseSetOperation(DenseToDenseSetOperation):
    """As `DenseToDenseSetOperation`; the second sets are the places, numbers and shape of a tensor with few elements.

    Raises:
        TypeError: no Tensors, or numbers of two dtypes.
        ValueError: shapes that do not fit, another operation.
    """

    def __init__(self, set_operation: str = "", validate_indices: bool = True):
        super().__init__(set_operation, validate_indices)

    def __call__(  # type: ignore[override]
        self, x1: Tensor, x2_indices: Tensor, x2_values: Tensor, x2_shape: Tensor
    ) -> tuple[Tensor, ...]:
        a, values = (
            check_tensor(v, self.name, n) for v, n in ((x1, "x1"), (x2_values, "x2_values"))
        )
        check_same_dtype(a, values, self.name, ("x1", "x2_values"))
        places = check_ndim(
            check_tensor(x2_indices, self.name, "x2_indices"), self.name, "x2_indices", 2
        )
        sets: dict[Any, list[Any]] = {}
        numbers = elements(values, f"'x2_values' of {self.name}")
        for at, value in zip(
            elements(places, f"'x2_indices' of {self.name}"), numbers, strict=True
        ):
            sets.setdefault(tuple(at[:-1].tolist()), []).append(value)
        return self._together(a, sets, known_ints(x2_shape, self.name, "x2_shape")[:-1])
