"""Functions that move and repeat elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from cellgrad import ops
from cellgrad.core.aliases import ArrayLike, Axis, Dims, ShapeLike, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_int
from cellgrad.core.errors import error
from cellgrad.core.record import fresh, is_number
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.numpy.joining import moveaxis, stack

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "array_str",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "size",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
]


# --- shape --------------------------------------------------------------------------------------


def reshape(x: Tensor, new_shape: ShapeLike) -> Tensor:
    """The elements under another shape; a length of -1 is found.

    Raises:
        TypeError: `x` is no Tensor.
        ValueError: another number of elements.

    >>> print(numpy.reshape(Tensor([[1, 2], [3, 4]]), (4,)))
    [1 2 3 4]
    """
    return hn.only(x, "reshape").reshape(new_shape)


def ravel(x: Tensor) -> Tensor:
    """The elements in one dimension.

    Raises:
        TypeError: `x` is no Tensor.

    >>> print(numpy.ravel(Tensor([[1, 2], [3, 4]])))
    [1 2 3 4]
    """
    return hn.only(x, "ravel").reshape(-1)


def expand_dims(a: Tensor, axis: Axis) -> Tensor:
    """The array with dimensions of 1 at places of the result.

    Raises:
        TypeError: `a` is no Tensor, `axis` no int, tuple or list.
        ValueError: an axis out of range.

    >>> print(numpy.expand_dims(Tensor([1, 2]), 0))
    [[1 2]]
    """
    x = hn.only(a, "expand_dims", "a")
    count = len(axis) if isinstance(axis, tuple | list) else 1
    for d in sorted(hn.axes_of(axis, x.ndim + count, "expand_dims")):
        x = ops.expand_dims(x, d)
    return x


def squeeze(a: Tensor, axis: Axis = None) -> Tensor:
    """The array without dimensions of 1.

    Raises:
        TypeError: `a` is no Tensor.
        ValueError: an axis whose length is not 1.

    >>> print(numpy.squeeze(Tensor([[[1], [2]]])))
    [1 2]
    """
    x = hn.only(a, "squeeze", "a")
    for d in () if axis is None else hn.axes_of(axis, x.ndim, "squeeze"):
        if x.shape[d] != 1:
            raise error(
                ValueError,
                f"For 'squeeze', dimension {d} of shape {list(x.shape)} is not of length 1.",
            )
    return x.squeeze(axis)


def transpose(a: Tensor, axes: Axis = None) -> Tensor:
    """The dimensions in another order, by default reversed.

    Raises:
        TypeError: `a` is no Tensor.
        ValueError: `axes` are not all dimensions.

    >>> print(numpy.transpose(Tensor([[1, 2], [3, 4]])))
    [[1 3]
     [2 4]]
    """
    x = hn.only(a, "transpose", "a")
    order = tuple(range(x.ndim))[::-1] if axes is None else hn.axes_of(axes, x.ndim, "transpose")
    return ops.transpose(x, order)


def swapaxes(x: Tensor, axis1: int, axis2: int) -> Tensor:
    """Two dimensions in each other's place.

    Raises:
        TypeError: `x` is no Tensor, an axis no int.
        ValueError: an axis out of range.

    >>> print(numpy.swapaxes(Tensor([[1, 2], [3, 4]]), 0, 1))
    [[1 3]
     [2 4]]
    """
    given = hn.only(x, "swapaxes")
    first, second = (hn.axis_of(a, given.ndim, "swapaxes") for a in (axis1, axis2))
    return ops.swapaxes(given, first, second)


def rollaxis(x: Tensor, axis: int, start: int = 0) -> Tensor:
    """A dimension moved before another one.

    Raises:
        TypeError: `x` is no Tensor, `axis` or `start` no int.
        ValueError: one of them out of range.

    >>> numpy.rollaxis(ops.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    given = hn.only(x, "rollaxis")
    d = hn.axis_of(axis, given.ndim, "rollaxis")
    place = check_int(start, "rollaxis", "start", at_least=-given.ndim, at_most=given.ndim)
    place = place + given.ndim if place < 0 else place
    return moveaxis(given, d, place - 1 if place > d else place)


def _atleast(ndim: int, arys: tuple[Any, ...], widened: Callable[[Tensor], Tensor]) -> Any:
    op = f"atleast_{ndim}d"
    out = [x if x.ndim >= ndim else widened(x) for x in (hn.only(a, op, "arys") for a in arys)]
    return out[0] if len(out) == 1 else out


def atleast_1d(*arys: Tensor) -> TensorOrTensors:
    """The arrays with at least one dimension.

    Raises:
        TypeError: no Tensor.

    >>> print(numpy.atleast_1d(Tensor(3)))
    [3]
    """
    return _atleast(1, arys, lambda x: hn.seen_as(x, 1))


def atleast_2d(*arys: Tensor) -> TensorOrTensors:
    """The arrays with at least two dimensions.

    Raises:
        TypeError: no Tensor.

    >>> print(numpy.atleast_2d(Tensor([1, 2])))
    [[1 2]]
    """
    return _atleast(2, arys, lambda x: hn.seen_as(x, 2))


def atleast_3d(*arys: Tensor) -> TensorOrTensors:
    """The arrays with at least three dimensions; a vector is in the middle one.

    Raises:
        TypeError: no Tensor.

    >>> numpy.atleast_3d(Tensor([1, 2])).shape
    (1, 2, 1)
    """
    return _atleast(3, arys, lambda x: ops.expand_dims(hn.seen_as(x, 2), 2))


def broadcast_to(array: Tensor, shape: ShapeLike) -> Tensor:
    """The array in a shape to which it broadcasts.

    Raises:
        ValueError: it does not.

    >>> print(numpy.broadcast_to(Tensor([1, 2]), (2, 2)))
    [[1 2]
     [1 2]]
    """
    x, lengths = hn.only(array, "broadcast_to", "array"), hn.shape_of(shape, "broadcast_to")
    if hn.broadcast_shape("broadcast_to", x.shape, lengths) != lengths:
        raise error(ValueError, f"For 'broadcast_to', {x.shape} does not broadcast to {lengths}.")
    return fresh(ops.broadcast_to(x, lengths))


def broadcast_arrays(*args: Tensor) -> list[Tensor]:
    """The arrays in their common shape.

    Raises:
        ValueError: there is none.

    >>> print(*numpy.broadcast_arrays(Tensor([1, 2]), Tensor([[3]])))
    [[1 2]] [[3 3]]
    """
    shape = hn.broadcast_shape("broadcast_arrays", *(x.shape for x in args))
    return [fresh(ops.broadcast_to(x, shape)) for x in args]


# --- order and repetition -----------------------------------------------------------------------


def flip(m: Tensor, axis: Axis = None) -> Tensor:
    """The elements in reverse along dimensions, by default all.

    Raises:
        TypeError: `m` is no Tensor.
        ValueError: an axis out of range.

    >>> print(numpy.flip(Tensor([[1, 2], [3, 4]])))
    [[4 3]
     [2 1]]
    """
    x = hn.only(m, "flip", "m")
    axes = hn.axes_of(axis, x.ndim, "flip")
    return ops.flip(x, axes) if axes else fresh(x)


def flipud(m: Tensor) -> Tensor:
    """The rows in reverse.

    Raises:
        TypeError: `m` is no Tensor.

    >>> print(numpy.flipud(Tensor([[1, 2], [3, 4]])))
    [[3 4]
     [1 2]]
    """
    return flip(m, 0)


def fliplr(m: Tensor) -> Tensor:
    """The columns in reverse.

    Raises:
        TypeError: `m` is no Tensor.

    >>> print(numpy.fliplr(Tensor([[1, 2], [3, 4]])))
    [[2 1]
     [4 3]]
    """
    return flip(m, 1)


def rot90(a: Tensor, k: int = 1, axes: Axis = (0, 1)) -> Tensor:
    """The array turned `k` times by a quarter, from the first towards the second axis.

    Raises:
        TypeError: `a` is no Tensor, `k` no int, `axes` no tuple or list.
        ValueError: not two axes, or the same twice.

    >>> print(numpy.rot90(Tensor([[1, 2], [3, 4]])))
    [[2 4]
     [1 3]]
    """
    x, turns = hn.only(a, "rot90", "a"), check_int(k, "rot90", "k") % 4
    if not isinstance(axes, tuple | list):
        raise argument_error(TypeError, "rot90", "axes", "a tuple or list of ints", axes)
    if len(axes) != 2:
        raise argument_error(ValueError, "rot90", "axes", "two axes", axes)
    first, second = hn.axes_of(axes, x.ndim, "rot90")
    # As MindSpore, which sorts neither: the axes as they are given.
    if turns in (0, 2):
        return x if turns == 0 else flip(x, (first, second))
    turned = ops.swapaxes(x, first, second)
    return flip(turned, first if turns == 1 else second)


def roll(a: Tensor, shift: ArrayLike, axis: Axis = None) -> Tensor:
    """The elements moved along dimensions; those that leave at one end enter at the other. The
    flattened array is rolled if `axis` is None.

    Raises:
        TypeError: `a` is no Tensor.
        ValueError: an axis out of range, other numbers of shifts and axes.

    >>> print(numpy.roll(Tensor([1, 2, 3]), 1))
    [3 1 2]
    """
    x = hn.only(a, "roll", "a")
    if axis is None:
        return roll(x.reshape(-1), shift, 0).reshape(x.shape)
    shifts = list(shift) if isinstance(shift, tuple | list) else [shift]
    axes = list(axis) if isinstance(axis, tuple | list) else [axis]
    most = max(len(shifts), len(axes))
    if len(shifts) not in (1, most) or len(axes) not in (1, most):
        raise error(ValueError, "For 'roll', 'shift' and 'axis' must be as many, or one.")
    shifts, axes = (v * most if len(v) < most else v for v in (shifts, axes))
    for by, d in zip(shifts, axes, strict=True):
        x = ops.roll(x, check_int(by, "roll", "shift"), hn.axis_of(d, x.ndim, "roll"))
    return x


def tile(a: Tensor, reps: Dims) -> Tensor:
    """The array repeated along dimensions.

    Raises:
        TypeError: `a` is no Tensor.

    >>> print(numpy.tile(Tensor([1, 2]), 2))
    [1 2 1 2]
    """
    x, counts = hn.only(a, "tile", "a"), hn.shape_of(reps, "tile")
    return ops.tile(x, (1,) * (x.ndim - len(counts)) + counts)


def repeat(a: ArrayLike, repeats: Dims, axis: int | None = None) -> Tensor:
    """Each element repeated, along a dimension or of the flattened array.

    Raises:
        ValueError: an axis out of range, other numbers of elements and `repeats`.

    >>> print(numpy.repeat(Tensor([1, 2]), 2))
    [1 1 2 2]
    """
    return hn.array(a, "repeat", "a").repeat_interleave(repeats, axis)


# --- others -------------------------------------------------------------------------------------


def size(a: ArrayLike, axis: int | None = None) -> int:
    """The number of elements, or the length of a dimension.

    Raises:
        TypeError: `axis` is no int.
        ValueError: it is out of range.

    >>> numpy.size(Tensor([[1, 2, 3]]))
    3
    """
    x = hn.array(a, "size", "a")
    return x.size if axis is None else x.shape[hn.axis_of(axis, x.ndim, "size")]


def array_str(a: Tensor) -> str:
    """The text that `print` writes.

    Raises:
        TypeError: `a` is no Tensor.

    >>> numpy.array_str(Tensor([1, 2]))
    '[1 2]'
    """
    return str(hn.only(a, "array_str", "a"))


def apply_along_axis(
    func1d: Callable[..., ArrayLike], axis: int, arr: Tensor, *args: object, **kwargs: object
) -> Tensor:
    """What a function gives for each vector along a dimension, in the place of that dimension.

    Raises:
        ValueError: an axis out of range.

    >>> print(numpy.apply_along_axis(lambda v: v.sum(), 0, Tensor([[1, 2], [3, 4]])))
    [4 6]
    """
    x = hn.only(arr, "apply_along_axis", "arr")
    d = hn.axis_of(axis, x.ndim, "apply_along_axis")
    last = moveaxis(x, d, -1)
    around = last.shape[:-1]
    rows = last.reshape((-1, last.shape[-1]))
    results = [hn.array(func1d(rows[i], *args, **kwargs)) for i in range(rows.shape[0])]
    out = stack(results).reshape(around + results[0].shape)
    new = tuple(range(len(around), out.ndim))
    return moveaxis(out, new, tuple(range(d, d + len(new)))) if new else out


def apply_over_axes(func: Callable[..., Tensor], a: ArrayLike, axes: Dims) -> Tensor:
    """A function called with one axis after the other; a dimension that it removes is put back.

    Raises:
        ValueError: a result of other dimensions.

    >>> print(numpy.apply_over_axes(numpy.sum, Tensor([[1, 2], [3, 4]]), (0, 1)))
    [[10]]
    """
    x = hn.array(a, "apply_over_axes", "a")
    out, over = x, cast(Sequence[int], (axes,) if is_number(axes) else axes)
    for axis in over:
        made = func(out, axis=axis)
        out = made if made.ndim == x.ndim else ops.expand_dims(made, axis)
        if out.ndim != x.ndim:
            raise error(ValueError, f"For 'apply_over_axes', 'func' must give {x.ndim} dimensions.")
    return out
