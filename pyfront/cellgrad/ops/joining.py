"""Joining and splitting: concatenation, stacking, pieces along a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import record, views
from cellgrad.core.aliases import Dims, TensorLike
from cellgrad.core.arguments import argument_error, check_int, check_ndim, check_sequence
from cellgrad.core.errors import either, error
from cellgrad.core.record import axis_of, cast_to, check_tensor, emit, operation, reshape_to
from cellgrad.core.tensor import Tensor
from cellgrad.ops import shapes
from cellgrad.ops._public import public
from cellgrad.ops._static import is_int, known_int

_GROUP = 8  # tensors that one operation joins


@public("ops.Concat(axis)(tensors)")
@operation
def concat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors along an existing dimension, with a common dtype.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that differ outside `axis`.

    >>> print(ops.concat((Tensor([1.0]), Tensor([2.0, 3.0]))))
    [1. 2. 3.]
    """
    check_sequence(tensors, "concat", "tensors", "Tensors")
    xs = [check_tensor(t, "concat", f"tensors[{i}]") for i, t in enumerate(tensors)]
    first = xs[0]
    if first.ndim == 0:
        raise error(
            ValueError,
            "For 'concat', tensors must have at least one dimension; use ops.stack for 0-d "
            "tensors.",
        )
    d = axis_of(axis, first.ndim, "concat")
    dtype = first.dtype
    for i, x in enumerate(xs):
        if (
            x.ndim != first.ndim
            or x.shape[:d] + x.shape[d + 1 :] != first.shape[:d] + first.shape[d + 1 :]
        ):
            raise error(
                ValueError,
                f"For 'concat', shapes must agree except in dimension {d}, but tensors[0] has "
                f"{list(first.shape)} "
                f"and tensors[{i}] has {list(x.shape)}.",
            )
        dtype = mstype.promote(dtype, x.dtype)
    return _joined([cast_to(x, dtype) for x in xs], d)


def _joined(xs: list[Tensor], d: int) -> Tensor:
    """Many tensors are joined in groups: compiling one operation takes time that grows with more than the
    square of its operands.
    """
    while len(xs) > 1:
        groups = [xs[i : i + _GROUP] for i in range(0, len(xs), _GROUP)]
        xs = [g[0] if len(g) == 1 else emit("cell.concat", g, {"dim": d}) for g in groups]
    return xs[0]


@public(
    "ops.concatenate(arrays, axis)",
    "mint.cat(tensors, dim=0)",
    "mint.concat(tensors, dim=0)",
)
def cat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Same as `concat`.

    >>> print(ops.cat([Tensor([[1], [2]]), Tensor([[3], [4]])], axis=1))
    [[1 3]
     [2 4]]
    """
    out: Tensor = concat(tensors, axis)
    return out


@public(
    "ops.Stack(axis)(tensors)",
    "mint.stack(tensors, dim=0)",
)
@operation
def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors of one shape along a new dimension.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that differ.

    >>> print(ops.stack((Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))))
    [[1. 2.]
     [3. 4.]]
    """
    if not isinstance(tensors, tuple | list) or not tensors:
        raise argument_error(
            either(TypeError, ValueError),
            "stack",
            "tensors",
            "a non-empty tuple or list of Tensors",
            tensors,
        )
    xs = [check_tensor(t, "stack", f"tensors[{i}]") for i, t in enumerate(tensors)]
    for i, x in enumerate(xs):
        if x.shape != xs[0].shape:
            raise error(
                ValueError,
                f"For 'stack', tensors[0] has shape {list(xs[0].shape)} but tensors[{i}] has "
                f"{list(x.shape)}.",
            )
    d = axis_of(axis, xs[0].ndim + 1, "stack")
    out: Tensor = concat([reshape_to(x, (*x.shape[:d], 1, *x.shape[d:])) for x in xs], d)
    return out


record.stack = stack


def _sequence(tensors: Any, op: str) -> list[Tensor]:
    check_sequence(tensors, op, "tensors", "Tensors")
    return [check_tensor(x, op, f"tensors[{i}]") for i, x in enumerate(tensors)]


@public("mint.hstack")
@operation
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the second dimension, those of one dimension along it.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that do not fit.

    >>> print(ops.hstack([Tensor([1, 2]), Tensor([3])]))
    [1 2 3]
    """
    xs = [shapes.atleast_1d(x) for x in _sequence(tensors, "hstack")]
    out: Tensor = concat(xs, 0 if xs[0].ndim == 1 else 1)
    return out


@public("ops.row_stack(tensors)")
@operation
def vstack(inputs: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the first dimension; one of one dimension is a row.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that do not fit.

    >>> print(ops.vstack([Tensor([1, 2]), Tensor([3, 4])]))
    [[1 2]
     [3 4]]
    """
    out: Tensor = concat([shapes.atleast_2d(x) for x in _sequence(inputs, "vstack")], 0)
    return out


@public("mint.dstack")
@operation
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the third dimension; n is read as 1 x n x 1, m x n as m x n x 1.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that do not fit.

    >>> print(ops.dstack([Tensor([1, 2]), Tensor([3, 4])]))
    [[[1 3]
      [2 4]]]
    """
    out: Tensor = concat([shapes.atleast_3d(x) for x in _sequence(tensors, "dstack")], 2)
    return out


@public()
@operation
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along the second dimension; one of one dimension is a column.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that do not fit.

    >>> print(ops.column_stack([Tensor([1, 2]), Tensor([3, 4])]))
    [[1 3]
     [2 4]]
    """
    xs = _sequence(tensors, "column_stack")
    columns = [x if x.ndim > 1 else reshape_to(x, (x.size, 1)) for x in xs]
    out: Tensor = concat(columns, 1)
    return out


@public()
@operation
def block_diag(*inputs: Tensor) -> Tensor:
    """A matrix with the given matrices along its diagonal; a vector is a row.

    Raises:
        RuntimeError: no tensors.
        TypeError: an input that is not a Tensor.
        ValueError: a tensor of more than two dimensions.

    >>> print(ops.block_diag(Tensor([[1, 2]]), Tensor([[3]])))
    [[1 2 0]
     [0 0 3]]
    """
    if not inputs:
        raise error(RuntimeError, "For 'block_diag', the input is empty.")
    xs = [shapes.atleast_2d(check_tensor(x, "block_diag", "inputs")) for x in inputs]
    dtype = xs[0].dtype
    for i, x in enumerate(xs):
        if x.ndim > 2:
            raise error(
                ValueError,
                f"For 'block_diag', tensors must have at most 2 dimensions, but inputs[{i}] has "
                f"shape {list(x.shape)}.",
            )
        dtype = mstype.promote(dtype, x.dtype)
    width, done, rows = sum(x.shape[1] for x in xs), 0, []
    for x in xs:
        low, high = [0, done], [0, width - done - x.shape[1]]
        rows.append(pad_to(cast_to(x, dtype), low, high))
        done += x.shape[1]
    out: Tensor = concat(rows, 0)
    return out


def pad_to(x: Tensor, low: list[int], high: list[int], interior: list[int] | None = None) -> Tensor:
    """Zeros before, after and between the elements of each dimension."""
    if not any(low) and not any(high) and not any(interior or []):
        return x
    return emit("cell.pad", [x], {"low": low, "high": high, "interior": interior or [0] * x.ndim})


def reverse_dims(x: Tensor, dims: list[int]) -> Tensor:
    """The elements in reverse order along some dimensions."""
    turned = [d for d in dims if x.shape[d] > 1]
    return emit("cell.reverse", [x], {"dims": turned}) if turned else x


# --- pieces -----------------------------------------------------------------------------------


def piece(x: Tensor, dim: int, start: int, limit: int, step: int = 1) -> Tensor:
    """Elements `start`, `start` + `step`, ... below `limit` of one dimension."""
    if (start, step) == (0, 1) and limit == x.shape[dim]:
        return x
    starts, limits, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    starts[dim], limits[dim], strides[dim] = start, limit, step
    return emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": strides})


def _pieces(x: Tensor, dim: int, sizes: Sequence[int]) -> tuple[Tensor, ...]:
    out, start = [], 0
    for n in sizes:
        out.append(piece(x, dim, start, start + n))
        start += n
    return tuple(out)


@public(
    "Tensor.split(split_size=None, dim=0, *, axis=None, split_size_or_sections=None) = "
    "ops.split(self, split_size if split_size_or_sections is None else split_size_or_sections, "
    "dim if axis is None else axis)",
    "mint.split(tensor, split_size_or_sections, dim=0)",
)
@views.view()
@operation
def split(tensor: Tensor, split_size_or_sections: Dims, axis: int = 0) -> tuple[Tensor, ...]:
    """Pieces along a dimension: of a length each, the last one maybe shorter, or of the lengths
    listed.

    Raises:
        TypeError: `split_size_or_sections` is neither int nor a tuple or list of non-negative ints.
        ValueError: an axis out of range, a length that is not positive, or lengths that do not add
            up to that of the dimension.

    >>> print(*ops.split(Tensor([1.0, 2.0, 3.0, 4.0]), 2))
    [1. 2.] [3. 4.]
    """
    x = check_ndim(check_tensor(tensor, "split", "tensor"), "split", "tensor", at_least=1)
    d = axis_of(axis, x.ndim, "split")
    n, size = x.shape[d], split_size_or_sections
    if is_int(size):
        check_int(size, "split", "split_size_or_sections", at_least=1)
        return _pieces(x, d, [min(size, n - k) for k in range(0, n, size)] or [0])
    if not isinstance(size, tuple | list) or not all(is_int(k) and k >= 0 for k in size):
        wanted = "an int or a tuple or list of non-negative ints"
        raise argument_error(TypeError, "split", "split_size_or_sections", wanted, size)
    if sum(size) != n:
        raise error(
            ValueError,
            f"For 'split', the sum of 'split_size_or_sections' should be equal to {n}, but got "
            f"{sum(size)}.",
        )
    return _pieces(x, d, size)


@public("Tensor.tensor_split")
@views.view()
@operation
def tensor_split(input: Tensor, indices_or_sections: Dims, axis: int = 0) -> tuple[Tensor, ...]:
    """Pieces along a dimension: as many as asked for, the first ones maybe longer by one, or those
    between the indices listed.

    Raises:
        TypeError: `indices_or_sections` is neither int nor a tuple or list of ints.
        ValueError: an axis out of range, or a number of pieces that is not positive.

    >>> x, y = ops.tensor_split(Tensor([1, 2, 3]), 2)
    >>> print(x, y)
    [1 2] [3]
    """
    return _tensor_split(input, indices_or_sections, axis, "tensor_split", 1)


def _tensor_split(input: Any, where: Any, axis: int, op: str, rank: int) -> tuple[Tensor, ...]:
    x = check_ndim(check_tensor(input, op, "input"), op, "input", at_least=rank)
    d = axis_of(axis, x.ndim, op)
    n = x.shape[d]
    if is_int(where):
        check_int(where, op, "indices_or_sections", at_least=1)
        return _pieces(x, d, [n // where + (k < n % where) for k in range(where)])
    if not isinstance(where, tuple | list) or not all(is_int(k) for k in where):
        raise argument_error(
            TypeError, op, "indices_or_sections", "an int or a tuple or list of ints", where
        )
    bounds = [slice(None, k).indices(n)[1] for k in where]
    return tuple(
        piece(x, d, min(lo, hi), hi) if hi >= lo else piece(x, d, 0, 0)
        for lo, hi in zip([0, *bounds], [*bounds, n], strict=True)
    )


@public("Tensor.hsplit")
@views.view()
@operation
def hsplit(input: Tensor, indices_or_sections: Dims) -> tuple[Tensor, ...]:
    """`tensor_split` along the second dimension.

    Raises:
        ValueError: a tensor of less than two dimensions.

    >>> x, y = ops.hsplit(Tensor([[1, 2], [3, 4]]), 2)
    >>> print(y)
    [[2]
     [4]]
    """
    return _tensor_split(input, indices_or_sections, 1, "hsplit", 2)


@public("Tensor.vsplit")
@views.view()
@operation
def vsplit(input: Tensor, indices_or_sections: Dims) -> tuple[Tensor, ...]:
    """`tensor_split` along the first dimension.

    Raises:
        ValueError: a tensor without dimensions.

    >>> x, y = ops.vsplit(Tensor([[1, 2], [3, 4]]), 2)
    >>> print(x, y)
    [[1 2]] [[3 4]]
    """
    return _tensor_split(input, indices_or_sections, 0, "vsplit", 1)


@public("Tensor.dsplit")
@views.view()
@operation
def dsplit(input: Tensor, indices_or_sections: Dims) -> tuple[Tensor, ...]:
    """`tensor_split` along the third dimension.

    Raises:
        ValueError: a tensor of less than three dimensions.

    >>> x, y = ops.dsplit(ops.ones((1, 2, 4)), 2)
    >>> print(x.shape, y.shape)
    (1, 2, 2) (1, 2, 2)
    """
    return _tensor_split(input, indices_or_sections, 2, "dsplit", 3)


@public(
    "Tensor.chunk(chunks, dim=0, *, axis=None) = "
    "ops.chunk(self, chunks, dim if axis is None else axis)",
    "mint.chunk(input, chunks, dim=0)",
)
@views.view()
@operation
def chunk(input: Tensor, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of one length along a dimension, the last one maybe shorter; of nothing, as
    many pieces of nothing.

    Raises:
        TypeError: `chunks` is not an int.
        ValueError: an axis out of range, or `chunks` is not positive.

    >>> print(ops.chunk(Tensor([1, 2, 3]), 2))
    (Tensor(shape=[2], dtype=Int64, value= [1, 2]), Tensor(shape=[1], dtype=Int64, value= [3]))
    """
    x = check_tensor(input, "chunk", "input")
    count = known_int(chunks, "chunk", "chunks", at_least=1)
    check_ndim(x, "chunk", "input", at_least=1)
    n = x.shape[axis_of(axis, x.ndim, "chunk")]
    if n == 0:
        return (x,) * count
    out: tuple[Tensor, ...] = split(x, max(-(-n // count), 1), axis)
    return out


@public(
    "Tensor.unbind",
    "mint.unbind",
)
@views.view()
@operation
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The tensors along a dimension, without it.

    Raises:
        ValueError: a dimension out of range, or a tensor without dimensions.

    >>> x, y = ops.unbind(Tensor([[1, 2], [3, 4]]))
    >>> print(x, y)
    [1 2] [3 4]
    """
    x = check_ndim(check_tensor(input, "unbind", "input"), "unbind", "input", at_least=1)
    d = axis_of(dim, x.ndim, "unbind")
    shape = x.shape[:d] + x.shape[d + 1 :]
    return tuple(reshape_to(piece(x, d, k, k + 1), shape) for k in range(x.shape[d]))


@public("ops.Unstack(axis, num=None)(input_x) = ops.unstack(input_x, axis)")
def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """Same as `unbind`.

    >>> x, y = ops.unstack(Tensor([[1, 2], [3, 4]]), axis=1)
    >>> print(x, y)
    [1 3] [2 4]
    """
    out: tuple[Tensor, ...] = unbind(input_x, axis)
    return out


@public(
    "Tensor.narrow",
    "mint.narrow(input, dim, start, length) = h.narrow(input, dim, start, length)",
)
def narrow(input: Tensor, axis: int, start: TensorLike, length: int) -> Tensor:
    """`length` elements of a dimension from `start`.

    Raises:
        TypeError: `start` or `length` is not an int known while compiling.
        ValueError: an axis, start or length out of range.

    >>> print(ops.narrow(Tensor([1, 2, 3, 4]), 0, 1, 2))
    [2 3]

    >>> print(mint.narrow(Tensor([1, 2, 3, 4]), 0, -3, 2))
    [2 3]
    """
    x = check_tensor(input, "narrow", "input")
    d = axis_of(axis, x.ndim, "narrow")
    first, count = known_int(start, "narrow", "start"), known_int(length, "narrow", "length")
    n = x.shape[d] if x.ndim else 0
    if not 0 <= first < n or not 1 <= count <= n - first:
        raise error(
            ValueError,
            f"For 'narrow', 'start' must be in [0, {n}) and 'length' in [1, {n} - start], but got "
            f"{first} and {count}.",
        )
    out: Tensor = _narrow(x, d, first, count)
    return out


@views.view()
@operation
def _narrow(x: Tensor, d: int, start: int, length: int) -> Tensor:
    return piece(x, d, start, start + length)
