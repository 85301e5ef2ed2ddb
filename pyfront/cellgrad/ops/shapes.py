"""Shapes: the same elements under another shape, in another order of dimensions, or repeated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from cellgrad.core import views
from cellgrad.core.aliases import Axis, Dims, ShapeLike, TensorOrTensors
from cellgrad.core.arguments import check_instance, check_ndim, check_one_of, check_same_length
from cellgrad.core.errors import either, error
from cellgrad.core.record import (
    axis_of,
    broadcast_to_shape,
    check_tensor,
    emit,
    fresh,
    operation,
    reshape_to,
    shape_of,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public
from cellgrad.ops._static import known_ints

_Flatten = TypeVar("_Flatten", bound=Callable[..., Tensor])


@public(
    "ops.Reshape",
    "mint.reshape",
)
@views.view(keeps_order=True)
@operation
def reshape(input: Tensor, shape: ShapeLike) -> Tensor:
    """The same elements in row-major order under another shape; one dimension may be -1, which is 0
    where another one is.

    Raises:
        TypeError: a shape that is not ints.
        ValueError: a shape of another size, or with more than one -1.

    >>> print(ops.reshape(Tensor([1.0, 2.0, 3.0, 4.0]), (2, -1)))
    [[1. 2.]
     [3. 4.]]
    """
    x = check_tensor(input, "reshape", "input")
    dims = list(shape_of(shape, "reshape"))
    unknown = [i for i, n in enumerate(dims) if n == -1]
    if len(unknown) > 1 or [n for n in dims if n < -1]:
        raise error(
            ValueError,
            f"For 'reshape', one dimension at most may be -1 and none less, but got {tuple(dims)}.",
        )
    known = 1
    for n in dims:
        known *= 1 if n == -1 else n
    if unknown:
        dims[unknown[0]] = x.size // known if known else 0
    total = 1
    for n in dims:
        total *= n
    if total != x.size:
        raise error(
            ValueError,
            f"For 'reshape', the shape {tuple(shape_of(shape, 'reshape'))} is invalid for an "
            f"input of shape {list(x.shape)} "
            f"with {x.size} elements.",
        )
    return reshape_to(x, tuple(dims))


def _view_but_by_default(function: _Flatten) -> _Flatten:
    """Makes `flatten` give views, but for the dimensions that it joins by default: as MindSpore has it."""
    view = views.view(keeps_order=True)(function)

    @functools.wraps(function)
    def flatten(
        input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1
    ) -> Tensor:
        join = function if (start_dim, end_dim) == (1, -1) else view
        return join(input, order, start_dim=start_dim, end_dim=end_dim)

    return cast(_Flatten, flatten)


@public(
    "ops.Flatten(input)",
    "mint.flatten(input, start_dim=0, end_dim=-1) = h.flattened(input, start_dim, end_dim)",
    "mint.nn.Flatten(start_dim=1, end_dim=-1)(input) = h.flattened(input, start_dim, end_dim)",
    "mint.nn.functional.flatten(input, start_dim=0, end_dim=-1) = "
    "h.flattened(input, start_dim, end_dim)",
)
@_view_but_by_default
@operation
def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """Joins the dimensions from `start_dim` to `end_dim`; by default all but the first.

    Elements are taken in row-major order, or, with order ``"F"``, in that of the transposed tensor. Outside of
    compiled code the result is a view, as that of `reshape`, except for the dimensions of the default.

    Raises:
        TypeError: an order that is not a string.
        ValueError: dimensions out of range, or an order other than ``"C"`` and ``"F"``.

    >>> print(ops.flatten(ops.ones((2, 3, 4))).shape)
    (2, 12)

    >>> print(mint.flatten(ops.ones((2, 3))).shape)
    (6,)

    >>> print(mint.nn.Flatten()(ops.ones((2, 3, 4))).shape)
    (2, 12)

    >>> print(mint.nn.functional.flatten(ops.ones((2, 3))).shape)
    (6,)
    """
    x = check_tensor(input, "flatten", "input")
    check_instance(order, "flatten", "order", str)
    check_one_of(order, "flatten", "order", ("C", "F"))
    if order == "F" and x.ndim > 1:
        x = emit("cell.transpose", [x], {"perm": list(range(x.ndim))[::-1]})
    if x.ndim == 0:
        return reshape_to(x, (1,))
    if x.ndim == 1 and start_dim == 1:
        return x
    first, last = axis_of(start_dim, x.ndim, "flatten"), axis_of(end_dim, x.ndim, "flatten")
    if first > last:
        raise error(
            ValueError,
            f"For 'flatten', 'start_dim' {start_dim} must not come after 'end_dim' {end_dim}.",
        )
    joined = 1
    for n in x.shape[first : last + 1]:
        joined *= n
    return reshape_to(x, (*x.shape[:first], joined, *x.shape[last + 1 :]))


@public("ops.Transpose")
@views.view()
@operation
def transpose(input: Tensor, dims: Axis) -> Tensor:
    """Permutes dimensions: dimension i of the result is ``dims[i]`` of the input.

    Raises:
        TypeError: `dims` are no ints.
        ValueError: `dims` is not a permutation of the dimensions.

    >>> ops.transpose(ops.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    x = check_tensor(input, "transpose", "input")
    listed = tuple(dims) if isinstance(dims, tuple | list) else (dims,)
    if len(listed) != x.ndim:
        whole = all(isinstance(d, int | np.integer) for d in listed)
        raise error(
            either(ValueError, TypeError) if whole else TypeError,
            f"For 'transpose', {x.ndim} dimensions of shape {list(x.shape)} need as many in "
            f"'dims', but got {listed}.",
        )
    perm = [axis_of(a, x.ndim, "transpose") for a in listed]
    if sorted(perm) != list(range(x.ndim)):
        raise error(
            ValueError, f"For 'transpose', 'dims' must name each dimension once, but got {listed}."
        )
    return x if perm == sorted(perm) else emit("cell.transpose", [x], {"perm": perm})


@public("mint.permute(input, dims)")
def permute(input: Tensor, axis: Axis) -> Tensor:
    """Same as `transpose`.

    >>> print(ops.permute(ops.ones((2, 3, 4)), (2, 0, 1)).shape)
    (4, 2, 3)
    """
    out: Tensor = transpose(input, axis)
    return out


@public(
    "Tensor.swapaxes",
    "Tensor.swapdims(dim0, dim1)",
    "mint.swapaxes",
    "mint.transpose(input, dim0, dim1)",
)
@views.view()
@operation
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Exchanges two dimensions.

    >>> print(ops.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape)
    (4, 3, 2)
    """
    x = check_tensor(input, "swapaxes", "input")
    perm = list(range(x.ndim))
    a, b = axis_of(axis0, x.ndim, "swapaxes"), axis_of(axis1, x.ndim, "swapaxes")
    perm[a], perm[b] = perm[b], perm[a]
    return x if a == b else emit("cell.transpose", [x], {"perm": perm})


@public(
    "ops.BroadcastTo(shape)(input)",
    "Tensor.copy_(src, non_blocking=False) = "
    "self._replace(ops.broadcast_to(src, self.shape), 'copy_')",
    "mint.broadcast_to",
)
def broadcast_to(input: Tensor, shape: ShapeLike) -> Tensor:
    """Repeats the elements along dimensions of length 1, and along new leading ones; -1 keeps a
    dimension.

    Args:
        input: any shape.
        shape: the sizes; a Tensor of them must be known while compiling.

    Raises:
        TypeError: `shape` holds no ints, or is a Tensor that is being compiled.
        ValueError: shapes that do not fit.

    >>> print(ops.broadcast_to(Tensor([1.0, 2.0]), (2, 2)))
    [[1. 2.]
     [1. 2.]]

    >>> x = Tensor([1.0, 4.0])
    >>> _ = x.copy_(Tensor([5.0, 6.0]))
    >>> print(x)
    [5. 6.]
    """
    sizes = known_ints(shape, "broadcast_to", "shape") if isinstance(shape, Tensor) else shape
    out: Tensor = _broadcast_to(input, sizes)
    return out


@views.view()
@operation
def _broadcast_to(input: Tensor, shape: Any) -> Tensor:
    x = check_tensor(input, "broadcast_to", "input")
    dims = list(shape_of(shape, "broadcast_to"))
    offset = len(dims) - x.ndim
    fits = offset >= 0
    for i, n in enumerate(x.shape):
        if not fits:
            break
        if dims[offset + i] == -1:
            dims[offset + i] = n
        fits = n in (1, dims[offset + i])
    if not fits or -1 in dims:
        raise error(
            ValueError,
            f"For 'broadcast_to', shape {list(x.shape)} cannot be broadcast to {tuple(shape)}.",
        )
    return broadcast_to_shape(x, tuple(dims))


@public(
    "ops.Squeeze(axis=())(input)",
    "Tensor.squeeze",
    "mint.squeeze(input, dim=None)",
)
@views.view()
@operation
def squeeze(input: Tensor, axis: Axis = None) -> Tensor:
    """Drops dimensions of length 1: all of them, or those of them in `axis`.

    Raises:
        ValueError: a dimension in `axis` that is out of range.

    >>> ops.squeeze(ops.ones((1, 3, 1))).shape
    (3,)
    """
    x = check_tensor(input, "squeeze", "input")
    if axis is None or (isinstance(axis, tuple) and not axis):
        return reshape_to(x, tuple(n for n in x.shape if n != 1))
    listed = axis if isinstance(axis, tuple | list) else (axis,)
    dims = {axis_of(a, x.ndim, "squeeze") for a in listed}
    return reshape_to(x, tuple(n for i, n in enumerate(x.shape) if n != 1 or i not in dims))


@public(
    "ops.ExpandDims",
    "Tensor.expand_dims",
    "Tensor.unsqueeze(dim=None, *, axis=None) = "
    "ops.expand_dims(self, dim if axis is None else axis)",
)
@views.view()
@operation
def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """Inserts a dimension of length 1 at `axis`.

    Raises:
        ValueError: `axis` is out of range.

    >>> ops.expand_dims(Tensor([1.0, 2.0]), 0).shape
    (1, 2)
    """
    x = check_tensor(input_x, "expand_dims", "input_x")
    d = axis_of(axis, x.ndim + 1, "expand_dims")
    return reshape_to(x, (*x.shape[:d], 1, *x.shape[d:]))


@public("mint.unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Same as `expand_dims`.

    >>> print(ops.unsqueeze(Tensor([1, 2]), 1))
    [[1]
     [2]]
    """
    out: Tensor = expand_dims(input, dim)
    return out


@public()
def numel(input: Tensor) -> int:
    """The number of elements of a tensor.

    >>> ops.numel(Tensor([[1.0, 2.0]]))
    2
    """
    return check_tensor(input, "numel", "input").size


@public(
    "Tensor.t",
    "mint.t",
)
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; tensors of another rank as they are.

    >>> print(ops.t(Tensor([[1, 2], [3, 4]])))
    [[1 3]
     [2 4]]
    """
    x = check_tensor(input, "t", "input")
    return swapaxes(x, 0, 1) if x.ndim == 2 else fresh(x)


@public()
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Same as `swapaxes`.

    >>> print(ops.swapdims(ops.ones((2, 3, 4)), 0, 2).shape)
    (4, 3, 2)
    """
    out: Tensor = swapaxes(input, dim0, dim1)
    return out


@public(
    "Tensor.moveaxis",
    "Tensor.movedim",
)
@views.view()
@operation
def movedim(x: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Moves the dimensions in `source` to the places in `destination`; the others keep their order.

    Raises:
        ValueError: dimensions out of range or named twice, or as many sources as destinations are
            not given.

    >>> print(ops.movedim(ops.ones((2, 3, 4)), 0, -1).shape)
    (3, 4, 2)
    """
    x = check_tensor(x, "movedim", "x")
    given = [v if isinstance(v, tuple | list) else (v,) for v in (source, destination)]
    check_same_length(given[0], given[1], "movedim", ("source", "destination"))
    lists = [[axis_of(d, x.ndim, "movedim") for d in listed] for listed in given]
    for listed, value in zip(lists, (source, destination), strict=True):
        if len(set(listed)) != len(listed):
            raise error(ValueError, f"For 'movedim', {value} names a dimension twice.")
    sources, places = lists
    others = [d for d in range(x.ndim) if d not in sources]
    moved = dict(zip(places, sources, strict=True))
    perm = [moved[d] if d in moved else others.pop(0) for d in range(x.ndim)]
    return x if perm == sorted(perm) else emit("cell.transpose", [x], {"perm": perm})


@public()
def moveaxis(x: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Same as `movedim`.

    >>> print(ops.moveaxis(ops.ones((2, 3, 4)), 0, -1).shape)
    (3, 4, 2)
    """
    out: Tensor = movedim(x, source, destination)
    return out


@public(
    "Tensor.ravel",
    "mint.ravel",
)
@views.view(keeps_order=True)
@operation
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension, in row-major order.

    >>> print(ops.ravel(Tensor([[1, 2], [3, 4]])))
    [1 2 3 4]
    """
    x = check_tensor(input, "ravel", "input")
    return reshape_to(x, (x.size,))


@public(
    "Tensor.reshape_as",
    "Tensor.view_as",
)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor under the shape of another of the same size.

    >>> print(ops.view_as(Tensor([1, 2, 3, 4]), ops.ones((2, 2))))
    [[1 2]
     [3 4]]
    """
    out: Tensor = reshape(input, check_tensor(other, "view_as", "other").shape)
    return out


@public()
def expand(input_x: Tensor, size: ShapeLike) -> Tensor:
    """Same as `broadcast_to`.

    >>> print(ops.expand(Tensor([1, 2]), (2, 2)))
    [[1 2]
     [1 2]]
    """
    out: Tensor = broadcast_to(input_x, size)
    return out


@public(
    "Tensor.expand_as(other=None, *, x=None) = ops.expand_as(self, x if other is None else other)"
)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor broadcast to the shape of another.

    >>> print(ops.expand_as(Tensor([1, 2]), ops.ones((2, 2))))
    [[1 2]
     [1 2]]
    """
    out: Tensor = broadcast_to(input, check_tensor(other, "expand_as", "other").shape)
    return out


def _each(inputs: Any, rank: int, function: Any) -> Any:
    if isinstance(inputs, Tensor):
        return function(inputs)
    if not isinstance(inputs, tuple | list):
        raise error(
            TypeError,
            f"For 'atleast_{rank}d', expected a Tensor or a tuple or list of them, but got "
            f"{type(inputs).__name__}.",
        )
    return tuple(function(check_tensor(v, f"atleast_{rank}d", "inputs")) for v in inputs)


@public()
def atleast_1d(inputs: object) -> TensorOrTensors:
    """A tensor with at least one dimension; of a tuple or list, a tuple of such.

    >>> print(ops.atleast_1d(Tensor(5.0)))
    [5.]
    """
    return _each(inputs, 1, lambda x: fresh(x) if x.ndim else reshape(x, (1,)))


@public()
def atleast_2d(inputs: object) -> TensorOrTensors:
    """A tensor with at least two dimensions, new ones in front; of a tuple or list, a tuple.

    >>> print(ops.atleast_2d(Tensor([1.0, 2.0])))
    [[1. 2.]]
    """
    return _each(inputs, 2, lambda x: fresh(x) if x.ndim > 1 else reshape(x, (1, x.size)))


@public()
def atleast_3d(inputs: object) -> TensorOrTensors:
    """A tensor with at least three dimensions: n becomes 1 x n x 1, and m x n becomes m x n x 1.

    Of a tuple or list, a tuple.

    >>> print(ops.atleast_3d(Tensor([1.0, 2.0])).shape)
    (1, 2, 1)
    """

    def widened(x: Tensor) -> Any:
        if x.ndim > 2:
            return fresh(x)
        return reshape(x, (*x.shape, 1) if x.ndim == 2 else (1, x.size, 1))

    return _each(inputs, 3, widened)


@public("Tensor.adjoint")
def adjoint(x: Tensor) -> Tensor:
    """Matrices transposed, and complex conjugates.

    Raises:
        TypeError: `x` is not a Tensor.
        ValueError: less than two dimensions.

    >>> print(ops.adjoint(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[1. 3.]
     [2. 4.]]
    """
    given = check_ndim(check_tensor(x, "adjoint", "x"), "adjoint", "x", at_least=2)
    return swapaxes(given.conj() if given.dtype.kind == "c" else given, -1, -2)
