"""What `map` applies to arrays of any meaning (``mindspore.dataset.transforms``)."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, cast

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Columns, DTypeLike, TensorLike
from cellgrad.core.arguments import check_instance, check_int, check_number
from cellgrad.core.errors import error
from cellgrad.dataset._arrays import joint_dtype
from cellgrad.dataset._transform import (
    Array,
    Drawing,
    Transform,
    applied,
    chain,
    functions,
)

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TypeCast",
]


class TypeCast(Transform):
    """The elements converted to a dtype: one of the package, of numpy, or its name.

    Raises:
        TypeError: `data_type` is no dtype.

    >>> import numpy as np
    >>> from cellgrad.dataset import transforms
    >>> transforms.TypeCast(ms.int32)(np.array([1.5, 2.5]))
    array([1, 2], dtype=int32)
    """

    def __init__(self, data_type: DTypeLike):
        found = mstype.coerce(data_type)
        try:
            self.dtype = np.dtype(cast(Any, data_type)) if found is None else mstype.to_numpy(found)
        except TypeError:
            raise error(
                TypeError,
                f"For '{self.name}', the 'data_type' must be a dtype, but got {data_type!r}.",
                "mindspore.float32, np.float32 or 'float32'",
            ) from None

    def one(self, value: Array) -> Array:
        return value.astype(self.dtype)


class OneHot(Transform):
    """Labels as rows of zeros with a one each; with `smoothing_rate`, that much is spread evenly.

    Raises:
        TypeError, ValueError: `num_classes` is not a positive int, the rate not in [0, 1], or a label
            is not an integer below `num_classes`.
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0):
        self.num_classes = check_int(num_classes, self.name, "num_classes", at_least=1)
        check_number(smoothing_rate, self.name, "smoothing_rate", at_least=0, at_most=1)
        self.rate = float(smoothing_rate)

    def one(self, value: Array) -> Array:
        if value.dtype.kind not in "iu":
            raise error(
                TypeError,
                f"For '{self.name}', labels must be integers, but got {value.dtype}.",
                "TypeCast(mindspore.int32) before it",
            )
        if value.size and not 0 <= value.min() <= value.max() < self.num_classes:
            raise error(
                ValueError,
                f"For '{self.name}', labels must be in [0, {self.num_classes}), but they reach from "
                f"{value.min()} to {value.max()}.",
            )
        hot = np.eye(self.num_classes, dtype=np.int64)[value]
        if self.rate == 0:
            return hot
        return hot * (1 - self.rate) + self.rate / self.num_classes


class Fill(Transform):
    """An array of the same shape and dtype, all of one value."""

    def __init__(self, fill_value: ArrayLike):
        self.fill_value = fill_value

    def one(self, value: Array) -> Array:
        dtype = joint_dtype(value, self.fill_value, self.name, "the 'fill_value'")
        return np.full(value.shape, self.fill_value, dtype)


class Slice(Transform):
    """A part of the array: for each dimension an int, a list of ints, a slice, None (all) or Ellipsis."""

    def __init__(self, *slices: int | slice | Sequence[int] | EllipsisType | None):
        self.parts: tuple[Any, ...] = tuple(
            slice(None) if s is None else [s] if isinstance(s, int) else s for s in slices
        )

    def one(self, value: Array) -> Array:
        return value[self.parts]


class Relational(enum.Enum):
    """Comparisons for `Mask`."""

    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5


class Mask(Transform):
    """Whether elements compare to a constant, as `dtype` (bool by default).

    Raises:
        TypeError: `operator` is not a `Relational`.
    """

    def __init__(self, operator: Relational, constant: TensorLike, dtype: DTypeLike = mstype.bool_):
        check_instance(operator, self.name, "operator", Relational)
        self.compare = {
            Relational.EQ: np.equal,
            Relational.NE: np.not_equal,
            Relational.LT: np.less,
            Relational.LE: np.less_equal,
            Relational.GT: np.greater,
            Relational.GE: np.greater_equal,
        }[operator]
        self.constant, self.cast = constant, TypeCast(dtype)

    def one(self, value: Array) -> Array:
        return self.cast.one(self.compare(value, self.constant))


class PadEnd(Transform):
    """The array cut, or filled up with `pad_value` (0 by default, "" for strings), at the end of each dimension.

    Args:
        pad_shape: the length of each dimension, None for what it is.

    Raises:
        ValueError: an array of another number of dimensions.
    """

    def __init__(self, pad_shape: Sequence[int | None], pad_value: TensorLike | None = None):
        self.shape = list(pad_shape)
        self.value = pad_value

    def one(self, value: Array) -> Array:
        if value.ndim != len(self.shape):
            raise error(
                ValueError,
                f"For '{self.name}', 'pad_shape' has {len(self.shape)} dimensions, but the array has "
                f"shape {list(value.shape)}.",
            )
        shape = [n if to is None else to for n, to in zip(value.shape, self.shape, strict=True)]
        dtype = joint_dtype(value, self.value, self.name, "the 'pad_value'")
        out = np.zeros(shape, dtype) if self.value is None else np.full(shape, self.value, dtype)
        kept = tuple(slice(min(a, b)) for a, b in zip(shape, value.shape, strict=True))
        out[kept] = value[kept]
        return out


class Concatenate(Transform):
    """The array with others before and after it."""

    def __init__(
        self, axis: int = 0, prepend: TensorLike | None = None, append: TensorLike | None = None
    ):
        self.axis, self.prepend, self.append = axis, prepend, append

    def one(self, value: Array) -> Array:
        parts = [p for p in (self.prepend, value, self.append) if p is not None]
        dtype = value.dtype
        for part in parts:
            dtype = np.result_type(dtype, joint_dtype(value, part, self.name, "what is joined"))
        return np.concatenate(parts, self.axis).astype(dtype)


class Duplicate(Transform):
    """The array twice: two columns."""

    def one(self, value: Array) -> tuple[Array, Array]:
        return value, value.copy()


class Compose(Transform):
    """Functions applied one after the other.

    Raises:
        TypeError, ValueError: `transforms` is not a list of functions, or empty.
    """

    def __init__(self, transforms: Sequence[Callable[..., object]]):
        self.transforms = functions(transforms, self.name)

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        out = chain(self.transforms, random, values)
        return out if len(out) > 1 else out[0]


class RandomApply(Drawing):
    """Functions applied one after the other, or not at all."""

    def __init__(self, transforms: Sequence[Callable[..., object]], prob: float = 0.5):
        super().__init__(prob)
        self.transforms = functions(transforms, self.name)

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        out = chain(self.transforms, random, values) if random.random() < self.prob else values
        return out if len(out) > 1 else out[0]


class RandomChoice(Compose):
    """One of the functions."""

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        chosen = self.transforms[int(random.integers(len(self.transforms)))]
        out = applied(chosen, random, values)
        return out if len(out) > 1 else out[0]


class RandomOrder(Compose):
    """Functions applied one after the other, in random order."""

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        order = random.permutation(len(self.transforms))
        out = chain([self.transforms[i] for i in order], random, values)
        return out if len(out) > 1 else out[0]
