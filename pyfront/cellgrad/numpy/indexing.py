"""Grids, diagonals, triangles, and elements by their places."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Axis, DTypeLike, ShapeLike, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_bool, check_int
from cellgrad.core.errors import error
from cellgrad.core.record import fresh
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.numpy.creation import arange, linspace
from cellgrad.numpy.logic import within
from cellgrad.ops._static import known

__all__ = [
    "diag",
    "diag_indices",
    "diagflat",
    "diagonal",
    "indices",
    "ix_",
    "meshgrid",
    "mgrid",
    "ogrid",
    "ravel_multi_index",
    "take",
    "take_along_axis",
    "trace",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


# --- diagonals ----------------------------------------------------------------------------------


def diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A diagonal of two dimensions, as the last one.

    Raises:
        TypeError: no Tensor.
        ValueError: an axis out of range, less than two dimensions.

    >>> print(numpy.diagonal(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """
    return ops.diagonal(hn.only(a, "diagonal", "a"), offset, axis1, axis2)


def trace(
    a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """The sum of a diagonal; that of integers is int64, or uint64 of uint64.

    Raises:
        TypeError: no Tensor.
        ValueError: an axis out of range, less than two dimensions.

    >>> print(numpy.trace(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    5.0
    """
    x = hn.only(a, "trace", "a")
    x = hn.cast(x, dtype)
    whole = x.dtype.kind in "biu" and x.dtype is not mstype.uint64
    wide = ops.cast(x, mstype.int64) if whole else x
    out = ops.sum(ops.diagonal(wide, offset, axis1, axis2), (-1,))
    kind = mstype.bool_ if x.dtype is mstype.bool_ else out.dtype
    return hn.cast(out, kind if dtype is None else dtype)  # type: ignore[no-any-return]


def diag(v: Tensor, k: int = 0) -> Tensor:
    """The matrix with a vector as its diagonal `k`, or that diagonal of a matrix.

    Raises:
        TypeError: no Tensor.
        ValueError: other numbers of dimensions than 1 and 2.

    >>> print(numpy.diag(Tensor([1, 2])))
    [[1 0]
     [0 2]]
    """
    x = hn.only(v, "diag", "v")
    if x.ndim == 1:
        return diagflat(x, k)
    if x.ndim != 2:
        raise argument_error(ValueError, "diag", "v", "a vector or a matrix", x)
    return fresh(ops.diagonal(x, check_int(k, "diag", "k"), 0, 1))


def diagflat(v: Tensor, k: int = 0) -> Tensor:
    """The matrix with the flattened array as its diagonal `k`.

    Raises:
        TypeError: no Tensor.

    >>> print(numpy.diagflat(Tensor([[1, 2]])))
    [[1 0]
     [0 2]]
    """
    x = hn.only(v, "diagflat", "v").reshape(-1)
    return ops.diag_embed(x, check_int(k, "diagflat", "k"))


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The numbers 0, 1, ... for each dimension: the places of a diagonal.

    Raises:
        TypeError: no ints.

    >>> print(*numpy.diag_indices(2))
    [0 1] [0 1]
    """
    count = check_int(ndim, "diag_indices", "ndim", at_least=0)
    return (arange(check_int(n, "diag_indices", "n")),) * count


def _triangle(m: Any, k: int, lower: bool) -> Tensor:
    op = "tril" if lower else "triu"
    x = hn.array(m, op, "m")
    if x.ndim < 1:
        raise argument_error(ValueError, op, "m", "of at least one dimension", x)
    n = x.shape[-1]
    rows = x.shape[-2] if x.ndim > 1 else n
    mask = np.tri(rows, n, k if lower else k - 1, dtype=bool)
    return ops.where(known(mask if lower else ~mask, mstype.bool_), x, ops.zeros_like(x))


def tril(m: ArrayLike, k: int = 0) -> Tensor:
    """The elements on and below the diagonal `k`, and 0; a vector is every row.

    Raises:
        ValueError: a number.

    >>> print(numpy.tril(Tensor([[1, 2], [3, 4]])))
    [[1 0]
     [3 4]]
    """
    return _triangle(m, check_int(k, "tril", "k"), True)


def triu(m: ArrayLike, k: int = 0) -> Tensor:
    """The elements on and above the diagonal `k`, and 0; a vector is every row.

    Raises:
        ValueError: a number.

    >>> print(numpy.triu(Tensor([[1, 2], [3, 4]])))
    [[1 2]
     [0 4]]
    """
    return _triangle(m, check_int(k, "triu", "k"), False)


def _triangle_indices(n: Any, k: Any, m: Any, lower: bool) -> tuple[Tensor, Tensor]:
    op = "tril_indices" if lower else "triu_indices"
    for value, name in ((n, "n"), (k, "k"), (n if m is None else m, "m")):
        if not isinstance(value, bool | int | float):
            raise argument_error(TypeError, op, name, "a number", value)
    mask = np.tri(
        math.ceil(n), math.ceil(n if m is None else m), math.ceil(k) - (not lower), dtype=bool
    )
    rows, columns = np.nonzero(mask if lower else ~mask)
    return known(rows, mstype.int32), known(columns, mstype.int32)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Rows and columns of the elements on and below the diagonal `k` of a matrix.

    Raises:
        TypeError: no numbers.

    >>> print(*numpy.tril_indices(2))
    [0 1 1] [0 0 1]
    """
    return _triangle_indices(n, k, m, True)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Rows and columns of the elements on and above the diagonal `k` of a matrix.

    Raises:
        TypeError: no numbers.

    >>> print(*numpy.triu_indices(2))
    [0 0 1] [0 1 1]
    """
    return _triangle_indices(n, k, m, False)


def _matrix(arr: Any, op: str) -> tuple[int, int]:
    x = hn.array(arr, op, "arr")
    if x.ndim != 2:
        raise argument_error(ValueError, op, "arr", "a matrix", x)
    return x.shape[0], x.shape[1]


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, Tensor]:
    """`tril_indices` of a matrix's shape.

    Raises:
        ValueError: no matrix.

    >>> print(*numpy.tril_indices_from(Tensor([[1, 2], [3, 4]])))
    [0 1 1] [0 0 1]
    """
    rows, columns = _matrix(arr, "tril_indices_from")
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, Tensor]:
    """`triu_indices` of a matrix's shape.

    Raises:
        ValueError: no matrix.

    >>> print(*numpy.triu_indices_from(Tensor([[1, 2], [3, 4]])))
    [0 0 1] [0 1 1]
    """
    rows, columns = _matrix(arr, "triu_indices_from")
    return triu_indices(rows, k, columns)


# --- grids --------------------------------------------------------------------------------------


def meshgrid(*xi: Tensor, sparse: bool = False, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of the points of a grid, from those along its axes: the second axis first, or with
    the indexing "ij" in order. With `sparse`, dimensions along which nothing changes have length 1.

    Raises:
        TypeError: no Tensors, `sparse` no bool, another indexing.

    >>> print(*numpy.meshgrid(Tensor([1, 2]), Tensor([3, 4])))
    [[1 2]
     [1 2]] [[3 3]
     [4 4]]
    """
    axes = [hn.only(x, "meshgrid", "xi").reshape(-1) for x in xi]
    check_bool(sparse, "meshgrid", "sparse")
    if indexing not in ("xy", "ij"):
        raise argument_error(TypeError, "meshgrid", "indexing", "'xy' or 'ij'", indexing)
    places = list(range(len(axes)))
    if indexing == "xy" and len(axes) > 1:
        places[:2] = [1, 0]
    lengths = [1] * len(axes)
    for x, d in zip(axes, places, strict=True):
        lengths[d] = x.size
    out = [
        x.reshape(tuple(-1 if i == d else 1 for i in range(len(axes))))
        for x, d in zip(axes, places, strict=True)
    ]
    return out if sparse else [fresh(ops.broadcast_to(x, tuple(lengths))) for x in out]


class _Grid:
    """Grids by slices: ``mgrid[0:3, 0:1:5j]``."""

    def __init__(self, sparse: bool):
        self._sparse = sparse

    def __getitem__(self, keys: slice | tuple[slice, ...]) -> TensorOrTensors:
        """The coordinates of the points; an imaginary step is the number of points.

        Raises:
            TypeError: slices without start or stop, or of other things than ints.
        """
        listed = keys if isinstance(keys, tuple) else (keys,)
        axes = []
        for key in listed:
            if (
                not isinstance(key, slice)
                or not isinstance(key.start, int)
                or not isinstance(key.stop, int)
            ):
                raise argument_error(TypeError, "mgrid", "keys", "slices of ints", key)
            step = key.step or 1
            if isinstance(step, complex):
                axes.append(linspace(key.start, key.stop, int(abs(step))))
            else:
                axes.append(arange(key.start, key.stop, step))
        grids = meshgrid(*axes, sparse=self._sparse, indexing="ij")
        if len(grids) == 1:
            return grids[0]
        return grids if self._sparse else hn.stacked(grids, 0, "mgrid")


mgrid = _Grid(False)
ogrid = _Grid(True)


def indices(
    dimensions: ShapeLike, dtype: DTypeLike = mstype.int32, sparse: bool = False
) -> list[Tensor]:
    """The places of the elements of a shape, an array for each dimension.

    Raises:
        TypeError: no tuple or list.

    >>> print(*numpy.indices((2, 2)))
    [[0 0]
     [1 1]] [[0 1]
     [0 1]]
    """
    if not isinstance(dimensions, tuple | list):
        raise argument_error(TypeError, "indices", "dimensions", "a tuple or list", dimensions)
    return meshgrid(*(arange(n, dtype=dtype) for n in dimensions), sparse=sparse, indexing="ij")


def ix_(*args: Tensor) -> tuple[Tensor, ...]:
    """Vectors as an index of the elements at all combinations of them.

    Raises:
        TypeError: no Tensors.
        ValueError: no vectors.

    >>> print(*numpy.ix_(Tensor([0, 1]), Tensor([2, 4])))
    [[0]
     [1]] [[2 4]]
    """
    given = [hn.only(x, "ix_", "args") for x in args]
    if any(x.ndim != 1 for x in given):
        raise error(ValueError, "For 'ix_', 'args' must be vectors.")
    return tuple(meshgrid(*given, sparse=True, indexing="ij"))


# --- elements by place --------------------------------------------------------------------------


def take(a: Tensor, indices: Tensor, axis: int | None = None, mode: str = "clip") -> Tensor:
    """The elements at places along a dimension, or of the flattened array. Places below 0 count from the
    end; one out of range is the nearest one, or with the mode "wrap" counted around.

    Raises:
        TypeError: no Tensors.
        ValueError: an axis out of range, another mode.
        NotImplementedError: the mode "raise".

    >>> print(numpy.take(Tensor([4, 3, 5]), Tensor([0, 2])))
    [4 5]
    """
    x, places = hn.only(a, "take", "a"), hn.only(indices, "take", "indices")
    x = x.reshape(-1) if axis is None else x
    d = 0 if axis is None else hn.axis_of(axis, x.ndim, "take")
    n = x.shape[d]
    if mode == "clip":
        inside = ops.where(ops.less(places, -n), ops.zeros_like(places), places)
        places = ops.where(ops.less(inside, 0), ops.add(inside, n), inside)
    return ops.gather(x, within(places, n, mode, "take"), d)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int | None) -> Tensor:
    """The elements at places along a dimension, each from the vector where its place stands.

    Raises:
        TypeError: no Tensors.
        ValueError: other numbers of dimensions, an axis out of range.

    >>> print(numpy.take_along_axis(Tensor([[4, 3], [1, 2]]), Tensor([[1], [0]]), 1))
    [[3]
     [1]]
    """
    x, places = (
        hn.only(arr, "take_along_axis", "arr"),
        hn.only(indices, "take_along_axis", "indices"),
    )
    x = x.reshape(-1) if axis is None else x
    d = 0 if axis is None else hn.axis_of(axis, x.ndim, "take_along_axis")
    if x.ndim != places.ndim:
        raise error(
            ValueError, "For 'take_along_axis', 'arr' and 'indices' must have as many dimensions."
        )
    around = tuple(1 if i == d else n for i, n in enumerate(places.shape))
    own = tuple(1 if i == d else n for i, n in enumerate(x.shape))
    shape = hn.broadcast_shape("take_along_axis", around, own)
    full = lambda n: tuple(n if i == d else m for i, m in enumerate(shape))
    x = ops.broadcast_to(x, full(x.shape[d]))
    return ops.gather_d(x, d, ops.broadcast_to(places, full(places.shape[d])))


def _strides(shape: Any, order: str, op: str) -> tuple[tuple[int, ...], list[int]]:
    """Lengths, and how far apart neighbours along each dimension are."""
    if order not in ("C", "F"):
        raise argument_error(ValueError, op, "order", "'C' or 'F'", order)
    lengths = hn.shape_of(shape, op)
    if order == "C":
        return lengths, [math.prod(lengths[i + 1 :]) for i in range(len(lengths))]
    return lengths, [math.prod(lengths[:i]) for i in range(len(lengths))]


def unravel_index(indices: ArrayLike, shape: ShapeLike, order: str = "C") -> TensorOrTensors:
    """The places of elements in a shape, from their numbers in the flattened array; numbers out of range
    are the nearest ones, those below 0 count from the end.

    Raises:
        ValueError: another order.

    >>> print(*numpy.unravel_index(Tensor([22, 41]), (7, 6)))
    [3 6] [4 5]
    """
    x = hn.array(indices, "unravel_index", "indices")
    lengths, strides = _strides(shape, order, "unravel_index")
    size = math.prod(lengths)
    x = ops.clamp(x, -size, size - 1)
    x = ops.floor_mod(x, size)
    out = tuple(
        ops.floor_mod(ops.floor_div(x, by), n) for n, by in zip(lengths, strides, strict=True)
    )
    return out[0].reshape(-1) if x.ndim == 0 and len(out) == 1 else out


def ravel_multi_index(
    multi_index: ArrayLike, dims: Axis, mode: str = "clip", order: str = "C"
) -> Tensor:
    """The numbers of elements in the flattened array, from their places: float32, as in MindSpore.

    Raises:
        TypeError: lengths or places that are no integers.
        ValueError: not a place for each dimension, another mode or order.
        NotImplementedError: the mode "raise".

    >>> print(numpy.ravel_multi_index(Tensor([[3, 6], [4, 5]]), (7, 6)))
    [22. 41.]
    """
    lengths, strides = _strides(dims, order, "ravel_multi_index")
    places = hn.array(multi_index, "ravel_multi_index", "multi_index")
    if places.dtype.kind not in "iu":
        raise argument_error(TypeError, "ravel_multi_index", "multi_index", "integers", multi_index)
    if len(lengths) != places.shape[0]:
        raise error(ValueError, f"For 'ravel_multi_index', there must be {len(lengths)} places.")
    parts = [
        ops.mul(within(places[i], n, mode, "ravel_multi_index"), by)
        for i, (n, by) in enumerate(zip(lengths, strides, strict=True))
    ]
    return ops.cast(ops.sum(ops.stack(parts), (0,)), mstype.float32)
