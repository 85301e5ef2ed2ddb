"""Functions that join and split arrays, and order their dimensions."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.aliases import ArrayLike, Dims
from cellgrad.core.arguments import argument_error, check_int
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn

__all__ = [
    "append",
    "array_split",
    "column_stack",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "moveaxis",
    "split",
    "stack",
    "vsplit",
    "vstack",
]


def moveaxis(a: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Dimensions at other places; the others keep their order.

    Raises:
        TypeError: axes that are no ints.
        ValueError: axes out of range, twice, or not as many of both.

    >>> print(numpy.moveaxis(Tensor([[1, 2], [3, 4]]), 0, 1))
    [[1 3]
     [2 4]]
    """
    x = hn.only(a, "moveaxis", "a")
    old, new = (hn.axes_of(axes, x.ndim, "moveaxis") for axes in (source, destination))
    if len(old) != len(new):
        raise error(
            ValueError, "For 'moveaxis', 'source' and 'destination' must have as many axes."
        )
    order = [d for d in range(x.ndim) if d not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return ops.transpose(x, tuple(order))


# --- joining ------------------------------------------------------------------------------------


def concatenate(arrays: ArrayLike, axis: int | None = 0) -> Tensor:
    """Arrays one after the other along a dimension, in a dtype that all can have; flattened ones if
    `axis` is None. Of one array, its parts along the first dimension.

    Raises:
        TypeError: no Tensors.
        ValueError: shapes that do not fit, or an axis out of range.

    >>> print(numpy.concatenate((Tensor([1, 2]), Tensor([3]))))
    [1 2 3]
    """
    if isinstance(arrays, Tensor):
        if axis is None:
            return arrays.reshape(-1)
        hn.axis_of(axis, arrays.ndim, "concatenate")
        if axis == arrays.ndim - 1:
            hn.axis_of(axis, arrays.ndim - 1, "concatenate")
        arrays = ops.unbind(arrays)
    if not isinstance(arrays, tuple | list):
        raise argument_error(TypeError, "concatenate", "arrays", "Tensors", arrays)
    parts = [hn.only(a, "concatenate", "arrays") for a in arrays]
    if axis is None:
        parts, axis = [x.reshape(-1) for x in parts], 0
    d = hn.axis_of(axis, parts[0].ndim, "concatenate")
    return ops.concat(hn.of_one_dtype(parts), d)


def append(arr: Tensor, values: Tensor, axis: int | None = None) -> Tensor:
    """Two arrays one after the other, flattened if `axis` is None.

    Raises:
        TypeError: no Tensors.
        ValueError: other numbers of dimensions, shapes that do not fit, or an axis out of range.

    >>> print(numpy.append(Tensor([[1, 2]]), Tensor([3])))
    [1 2 3]
    """
    a, b = hn.only(arr, "append", "arr"), hn.only(values, "append", "values")
    if axis is not None and a.ndim != b.ndim:
        raise error(ValueError, f"For 'append', 'arr' has {a.ndim} dimensions, 'values' {b.ndim}.")
    return concatenate((a, b), axis)


def stack(arrays: ArrayLike, axis: int = 0) -> Tensor:
    """Arrays of one shape along a new dimension.

    Raises:
        TypeError: no Tensors.
        ValueError: no arrays, other shapes.

    >>> print(numpy.stack((Tensor([1, 2]), Tensor([3, 4]))))
    [[1 2]
     [3 4]]
    """
    if isinstance(arrays, Tensor):
        return moveaxis(arrays, 0, axis)
    if not isinstance(arrays, tuple | list) or not arrays:
        raise argument_error(ValueError, "stack", "arrays", "Tensors", arrays)
    parts = [hn.only(a, "stack", "arrays") for a in arrays]
    return hn.stacked(parts, hn.axis_of(axis, parts[0].ndim + 1, "stack"), "stack")


def _parts(tup: Any, op: str) -> list[Tensor]:
    if not isinstance(tup, tuple | list):
        raise argument_error(TypeError, op, "tup", "a Tensor, tuple or list", tup)
    if not tup:
        raise error(ValueError, f"For '{op}', there must be an array to stack.")
    return hn.of_one_dtype([hn.only(x, op, "tup") for x in tup])


def vstack(tup: ArrayLike) -> Tensor:
    """Arrays one below the other; vectors are rows.

    Raises:
        TypeError: no Tensors.
        ValueError: none at all, or shapes that do not fit.

    >>> print(numpy.vstack((Tensor([1, 2]), Tensor([3, 4]))))
    [[1 2]
     [3 4]]
    """
    if isinstance(tup, Tensor):
        return tup
    return ops.concat([hn.seen_as(x, max(x.ndim, 2)) for x in _parts(tup, "vstack")], 0)


def hstack(tup: ArrayLike) -> Tensor:
    """Arrays side by side; vectors one after the other.

    Raises:
        TypeError: no Tensors.
        ValueError: none at all, or shapes that do not fit.

    >>> print(numpy.hstack((Tensor([1, 2]), Tensor([3, 4]))))
    [1 2 3 4]
    """
    if isinstance(tup, Tensor):
        return tup
    parts = [hn.seen_as(x, max(x.ndim, 1)) for x in _parts(tup, "hstack")]
    return ops.concat(parts, 0 if parts[0].ndim == 1 else 1)


def dstack(tup: ArrayLike) -> Tensor:
    """Arrays one behind the other, along the third dimension.

    Raises:
        TypeError: no Tensors.
        ValueError: none at all, or shapes that do not fit.

    >>> print(numpy.dstack((Tensor([1, 2]), Tensor([3, 4]))))
    [[[1 3]
      [2 4]]]
    """
    if isinstance(tup, Tensor):
        return tup
    flat = [hn.seen_as(x, max(x.ndim, 2)) for x in _parts(tup, "dstack")]
    return ops.concat([x if x.ndim > 2 else ops.expand_dims(x, 2) for x in flat], 2)


def column_stack(tup: ArrayLike) -> Tensor:
    """Vectors as the columns of a matrix, beside matrices.

    Raises:
        TypeError: no Tensors.
        ValueError: none at all, or shapes that do not fit.

    >>> print(numpy.column_stack((Tensor([1, 2]), Tensor([3, 4]))))
    [[1 3]
     [2 4]]
    """
    if isinstance(tup, Tensor):
        return tup
    flat = [hn.seen_as(x, max(x.ndim, 1)) for x in _parts(tup, "column_stack")]
    return ops.concat([x if x.ndim > 1 else ops.expand_dims(x, 1) for x in flat], 1)


# --- splitting ----------------------------------------------------------------------------------


def _split(x: Any, where: Any, axis: Any, op: str) -> tuple[Tensor, ...]:
    given = hn.only(x, op)
    d = hn.axis_of(axis, given.ndim, op)
    n = given.shape[d]
    if isinstance(where, int) and not isinstance(where, bool):
        if not 0 < where <= n or (op != "array_split" and n % where):
            raise error(ValueError, f"For '{op}', {n} elements cannot be split into {where} parts.")
        sizes = [n // where + (i < n % where) for i in range(where)]
        limits = [sum(sizes[: i + 1]) for i in range(where)]
    elif isinstance(where, tuple | list):
        limits = [check_int(i, op, "indices_or_sections") for i in where]
        limits = [*(i + n if i < 0 else i for i in limits), n]
    else:
        kinds = "an int, or a tuple or list of them"
        raise argument_error(TypeError, op, "indices_or_sections", kinds, where)
    starts = [0, *limits[:-1]]
    if any(stop <= first for first, stop in zip(starts, limits, strict=True)):
        raise error(ValueError, f"For '{op}', a part is empty: the limits are {limits}.")
    ends = zip(starts, limits, strict=True)
    return tuple(ops.narrow(given, d, first, min(stop, n) - first) for first, stop in ends)


def split(x: Tensor, indices_or_sections: Dims, axis: int = 0) -> tuple[Tensor, ...]:
    """Equal parts of a number, or parts that begin at indices.

    Raises:
        TypeError: `x` is no Tensor, `indices_or_sections` no int, tuple or list.
        ValueError: parts that are not equal, or empty.

    >>> print(*numpy.split(Tensor([1, 2, 3, 4]), 2))
    [1 2] [3 4]
    """
    return _split(x, indices_or_sections, axis, "split")


def array_split(x: Tensor, indices_or_sections: Dims, axis: int = 0) -> tuple[Tensor, ...]:
    """As `split`; of parts of a number, the first ones may be longer by one.

    Raises:
        TypeError: `x` is no Tensor, `indices_or_sections` no int, tuple or list.
        ValueError: an empty part.

    >>> print(*numpy.array_split(Tensor([1, 2, 3]), 2))
    [1 2] [3]
    """
    return _split(x, indices_or_sections, axis, "array_split")


def vsplit(x: Tensor, indices_or_sections: Dims) -> tuple[Tensor, ...]:
    """`split` along the first dimension.

    Raises:
        TypeError, ValueError: as `split`.

    >>> print(*numpy.vsplit(Tensor([[1, 2], [3, 4]]), 2))
    [[1 2]] [[3 4]]
    """
    return _split(x, indices_or_sections, 0, "vsplit")


def hsplit(x: Tensor, indices_or_sections: Dims) -> tuple[Tensor, ...]:
    """`split` along the second dimension.

    Raises:
        TypeError, ValueError: as `split`.

    >>> print(*numpy.hsplit(Tensor([[1, 2], [3, 4]]), 2))
    [[1]
     [3]] [[2]
     [4]]
    """
    return _split(x, indices_or_sections, 1, "hsplit")


def dsplit(x: Tensor, indices_or_sections: Dims) -> tuple[Tensor, ...]:
    """`split` along the third dimension.

    Raises:
        TypeError, ValueError: as `split`.

    >>> print(*numpy.dsplit(Tensor([[[1, 2]]]), 2))
    [[[1]]] [[[2]]]
    """
    return _split(x, indices_or_sections, 2, "dsplit")
