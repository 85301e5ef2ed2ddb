"""Elements picked by tensors of indices.

Indices are int32 or int64, of some functions int16 as well; where a function counts negative ones from
the end, they are in [-n, n). An index out of range raises IndexError, where compiled code computes it
when the code runs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorOrTensors
from cellgrad.core.arguments import (
    check_bool,
    check_dtype,
    check_ndim,
    check_one_of,
)
from cellgrad.core.errors import UnknownShape, error
from cellgrad.core.record import (
    as_index,
    axis_of,
    broadcast_shapes,
    broadcast_to_shape,
    check_tensor,
    emit,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _index
from cellgrad.ops._index import elements_along, gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import iota, known, known_int
from cellgrad.ops.joining import piece


def index_tensor(value: Any, op: str, argument: str) -> Tensor:
    """A Tensor of integers.

    Raises:
        TypeError: something that is not a Tensor of integers.
    """
    return check_dtype(check_tensor(value, op, argument), op, argument, "iu")


def place_tensor(value: Any, op: str, argument: str, narrow: bool = False) -> Tensor:
    """A Tensor of int32 or int64, or int16 where `narrow` ones are taken, as by MindSpore's kernels.

    Raises:
        TypeError: something that is not such a Tensor.
    """
    at = index_tensor(value, op, argument)
    if at.dtype in (mstype.int32, mstype.int64) or (narrow and at.dtype is mstype.int16):
        return at
    names = "int16, int32 or int64" if narrow else "int32 or int64"
    raise error(
        TypeError,
        f"For '{op}', '{argument}' must be of dtype {names}, but got {at.dtype.title}.",
        f"convert it first: {argument}.astype(ms.int32)",
    )


def in_range(index: Tensor, n: int, op: str, low: int | None = None) -> bool:
    """Whether indices are known to be in [`low`, `n`), with -n by default.

    Raises:
        IndexError: known indices out of range.
    """
    if n == 0 and index.size:
        raise error(
            IndexError, f"For '{op}', no index is in range of a dimension without elements."
        )
    if not _index.is_known(index):
        return False
    values = index._concrete("an index")
    bad = values[(values < (-n if low is None else low)) | (values >= n)]
    if bad.size:
        raise error(
            _index.OUT_OF_RANGE,
            f"For '{op}', the indices must be in the range [{-n if low is None else low}, {n}), "
            f"but got {bad[0]}.",
        )
    return True


def counted(index: Tensor, n: int, op: str, safe: bool, low: int | None = None) -> Tensor:
    """Indices counted from the start, int32 or int64; `safe` ones are known to be in range."""
    index = as_index(index)
    if not safe:
        least = -n if low is None else low
        inside = [ew.compare("cell.greater_equal", index, least), ew.compare("cell.less", index, n)]
        text = f"For '{op}', the indices must be in the range [{least}, {n})."
        _index.check(emit("cell.logical_and", inside), text)
    if low == 0:
        return index
    negative = ew.compare("cell.less", index, 0)
    return emit("cell.select", [negative, ew.binary("cell.add", index, n), index])


# --- along a dimension ------------------------------------------------------------------------


@public(
    "ops.Gather(batch_dims)(input_params, input_indices, axis)",
    "mint.gather(input, dim, index) = ops.gather_elements(input, dim, index)",
)
def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = 0) -> Tensor:
    """The elements along a dimension that the indices name, in the place of that dimension.

    The first `batch_dims` dimensions are common to both: x of shape [B.., P.., n, R..], with n at
    `axis`, and indices of shape [B.., I..] give [B.., P.., I.., R..].

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are not a Tensor of int16, int32 or int64.
        ValueError: `axis` or `batch_dims` out of range, or batches that differ.

    >>> print(ops.gather(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0]), 0))
    [3. 1.]

    >>> print(mint.gather(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]
    """
    x = check_tensor(input_params, "gather", "input_params")
    index = place_tensor(input_indices, "gather", "input_indices", narrow=True)
    check_ndim(x, "gather", "input_params", at_least=1)
    dim = axis_of(known_int(axis, "gather", "axis"), x.ndim, "gather")
    batch = known_int(batch_dims, "gather", "batch_dims")
    batch += index.ndim if batch < 0 else 0
    if not 0 <= batch <= min(dim, index.ndim) or x.shape[:batch] != index.shape[:batch]:
        raise error(
            ValueError,
            f"For 'gather', 'batch_dims' must be at most 'axis', {dim}, and these dimensions must "
            f"agree, but got {batch_dims} for shapes {list(x.shape)} and {list(index.shape)}.",
        )
    out: Tensor = _gather(x, index, dim, batch, in_range(index, x.shape[dim], "gather"), "gather")
    return out


@operation
def _gather(x: Tensor, index: Tensor, dim: int, batch: int, safe: bool, op: str) -> Tensor:
    return gathered(x, counted(index, x.shape[dim], op, safe), dim, batch)


@public(
    "Tensor.index_select(axis=None, index=None, *, dim=None) = "
    "ops.index_select(self, axis if dim is None else dim, index)",
    "mint.index_select(input, dim, index) = h.index_select(input, dim, index)",
)
def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """The elements along a dimension that a vector of indices names.

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are not a Tensor of int16, int32 or int64.
        ValueError: `axis` out of range, or indices of more than one dimension.

    >>> print(ops.index_select(Tensor([[1, 2], [3, 4]]), 1, Tensor([1])))
    [[2]
     [4]]

    >>> print(mint.index_select(Tensor([[1, 2], [3, 4]]), 0, Tensor(1)))
    [[3 4]]
    """
    x = check_tensor(input, "index_select", "input")
    at = place_tensor(index, "index_select", "index", narrow=True)
    if at.ndim != 1:
        raise error(
            ValueError, f"For 'index_select', the dimension of `index` must be 1, but got {at.ndim}"
        )
    dim = axis_of(axis, x.ndim, "index_select")
    safe = in_range(at, x.shape[dim], "index_select")
    out: Tensor = _gather(x, at, dim, 0, safe, "index_select")
    return out


@public("mint.take")
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened tensor that the indices name.

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are not a Tensor of int32 or int64.

    >>> print(ops.take(Tensor([[1, 2], [3, 4]]), Tensor([0, 3])))
    [1 4]
    """
    return take_along(input, index, None, "raise")


def take_along(input: Tensor, indices: Any, axis: int | None, mode: str) -> Tensor:
    """The elements along a dimension, or of the flattened tensor, that the indices name: the method
    `Tensor.take`. Negative indices count from the end. Indices out of range are an error, those of
    the ends (``"clip"``), or counted on from the other end (``"wrap"``).

    Raises:
        IndexError: an index out of range, in mode ``"raise"``.
        TypeError: indices that are neither ints nor a Tensor of int32 or int64.
        ValueError: `axis` out of range, or an unknown mode.
    """
    x = check_tensor(input, "take", "input")
    at = place_tensor(
        known(np.asarray(indices, np.int64), mstype.int64)
        if isinstance(indices, int | list | tuple)
        else indices,
        "take",
        "indices",
    )
    check_one_of(mode, "take", "mode", ("raise", "wrap", "clip"))
    if axis is None:
        x, axis = x.reshape(x.size), 0
    dim = axis_of(axis, x.ndim, "take")
    safe = mode != "raise" or in_range(at, x.shape[dim], "take")
    out: Tensor = _take_along(x, at, dim, mode, safe)
    return out


@operation
def _take_along(x: Tensor, index: Tensor, dim: int, mode: str, safe: bool) -> Tensor:
    n = x.shape[dim]
    if mode == "wrap":
        index = ew.binary("cell.floor_mod", index, n)
    if mode == "clip":
        index = ew.binary("cell.minimum", ew.binary("cell.maximum", index, -n), n - 1)
    return gathered(x, counted(index, n, "take", safe, 0 if mode == "wrap" else None), dim)


@public("mint.nn.functional.embedding")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Tensor:
    """The rows of `weight` that the indices name; the row `padding_idx` gets no gradient.

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are not a Tensor of integers.
        ValueError: a weight that is not a matrix, `padding_idx` out of range, or a renormalisation
            or scaled gradient, which do not exist here.

    >>> print(ops.embedding(Tensor([1, 0]), Tensor([[0.0, 0.5], [1.0, 1.5]])))
    [[1.  1.5]
     [0.  0.5]]
    """
    rows = check_tensor(weight, "embedding", "weight")
    index = index_tensor(input, "embedding", "input")
    if rows.ndim != 2:
        raise error(
            ValueError, f"For 'embedding', the weight must be a matrix, but has rank {rows.ndim}."
        )
    if max_norm is not None or scale_grad_by_freq:
        raise error(
            ValueError,
            "For 'embedding', 'max_norm' must be None and 'scale_grad_by_freq' False: rows are "
            "neither renormalised in place nor gradients scaled.",
        )
    n = rows.shape[0]
    padding = None
    if padding_idx is not None:
        padding = known_int(padding_idx, "embedding", "padding_idx", at_least=-n, below=n)
        padding %= n
    out: Tensor = _embedding(index, weight, padding, in_range(index, n, "embedding"))
    return out


@operation
def _embedding(index: Tensor, weight: Tensor, padding: int | None, safe: bool) -> Tensor:
    at = counted(index, weight.shape[0], "embedding", safe)
    out = gathered(weight, at, 0)
    if padding is None:
        return out
    kept = reshape_to(ew.compare("cell.equal", at, padding), (*at.shape, 1))
    return emit(
        "cell.select",
        [broadcast_to_shape(kept, out.shape), emit("cell.stop_gradient", [out]), out],
    )


# --- element by element -----------------------------------------------------------------------


def checked_elements(x: Tensor, index: Tensor, dim: Any, op: str) -> int:
    """The dimension of an index with as many dimensions as the tensor, and none longer but that.

    Raises:
        ValueError: `dim` out of range, or an index of another rank or too long.
    """
    d = axis_of(known_int(dim, op, "dim"), x.ndim, op)
    others = zip(x.shape[:d] + x.shape[d + 1 :], index.shape[:d] + index.shape[d + 1 :])
    if not x.ndim or index.ndim != x.ndim or any(n < m for n, m in others):
        raise error(
            ValueError,
            f"For '{op}', the index must have the rank of the tensor, at least 1, and be no longer "
            f"in any dimension but {d}, but got {list(index.shape)} for {list(x.shape)}.",
        )
    return d


@public("Tensor.gather_elements")
def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Element i.. of the result is the one at i.. of the input, with ``index[i..]`` in the place of
    ``i[dim]``.

    A tensor without dimensions counts as a vector of one beside a vector, or another such.

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are not a Tensor of int32 or int64.
        ValueError: `dim` out of range, or an index of another rank, or longer than the input in
            another dimension.

    >>> print(ops.gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]
    """
    x = check_tensor(input, "gather_elements", "input")
    at = place_tensor(index, "gather_elements", "index")
    if x.ndim + at.ndim < 2:  # a number counts as a vector of one
        return gather_elements(x.reshape((-1,)), dim, at.reshape((-1,))).reshape(at.shape)
    d = checked_elements(x, at, dim, "gather_elements")
    safe = in_range(at, x.shape[d], "gather_elements")
    out: Tensor = _gather_elements(x, at, d, safe)
    return out


@public("ops.GatherD")
def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Same as `gather_elements`.

    >>> print(ops.gather_d(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]
    """
    return gather_elements(x, dim, index)


@operation
def _gather_elements(x: Tensor, index: Tensor, d: int, safe: bool) -> Tensor:
    return elements_along(x, counted(index, x.shape[d], "gather_elements", safe), d)


def moved(x: Tensor, perm: list[int]) -> Tensor:
    """The tensor with its dimensions permuted."""
    return x if perm == sorted(perm) else emit("cell.transpose", [x], {"perm": perm})


@public(
    "ops.ReverseSequence(seq_dim, batch_dim)(x, seq_lengths)",
    "Tensor.reverse_sequence(seq_lengths, seq_dim=0, batch_dim=0)",
)
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0) -> Tensor:
    """For each k along `batch_dim`, the first ``seq_lengths[k]`` elements along `seq_dim` reversed.

    Raises:
        TypeError: lengths that are not a Tensor of integers.
        ValueError: dimensions out of range or equal, or other than one length for each k.

    >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> print(ops.reverse_sequence(x, Tensor([2, 3]), seq_dim=1))
    [[2 1 3]
     [6 5 4]]
    """
    value = check_tensor(x, "reverse_sequence", "x")
    lengths = index_tensor(seq_lengths, "reverse_sequence", "seq_lengths")
    d = axis_of(seq_dim, value.ndim, "reverse_sequence")
    b = axis_of(batch_dim, value.ndim, "reverse_sequence")
    if d == b or lengths.shape != (value.shape[b],):
        raise error(
            ValueError,
            f"For 'reverse_sequence', 'seq_dim' and 'batch_dim' must differ and 'seq_lengths' have "
            f"one element for each of the {value.shape[b]} of dimension {b}, but got dimensions "
            f"{d} and {b} and shape {list(lengths.shape)}.",
        )
    out: Tensor = _reverse_sequence(value, lengths, d, b)
    return out


@operation
def _reverse_sequence(x: Tensor, lengths: Tensor, d: int, b: int) -> Tensor:
    lengths = as_index(lengths)
    n = x.shape[d]
    shape = (x.shape[b], n)
    count = broadcast_to_shape(reshape_to(lengths, (shape[0], 1)), shape)
    place = broadcast_to_shape(iota(n, lengths.dtype), shape)
    back = emit("cell.sub", [ew.binary("cell.sub", count, 1), place])
    at = emit("cell.select", [emit("cell.less", [place, count]), back, place])
    rest = [k for k in range(x.ndim) if k not in (d, b)]
    perm = [b, *rest, d]
    turned = moved(x, perm)
    # The batch and the place, joined with what lies between them.
    turned = reshape_to(turned, (shape[0], math.prod(turned.shape[1:-1]), n))
    out = gathered(turned, at, 2, 1)
    out = reshape_to(out, (shape[0], *(x.shape[k] for k in rest), n))
    return moved(out, [perm.index(k) for k in range(x.ndim)])


# --- by tuples of indices ---------------------------------------------------------------------


def checked_tuples(shape: tuple[int, ...], indices: Tensor, op: str) -> bool:
    """Whether the tuples along the last dimension are known to index a shape, from the start.

    Raises:
        IndexError: known tuples out of range.
        ValueError: more numbers in a tuple than dimensions.
    """
    if not indices.ndim or indices.shape[-1] > len(shape):
        raise error(
            ValueError,
            f"For '{op}', the last dimension of 'indices' must be at most the rank, {len(shape)}, "
            f"but 'indices' have shape {list(indices.shape)}.",
        )
    if not _index.is_known(indices):
        return False
    values = indices._concrete("an index").reshape(-1, indices.shape[-1])
    for row in values[((values < 0) | (values >= shape[: values.shape[1]])).any(1)][:1]:
        raise error(
            _index.OUT_OF_RANGE,
            f"For '{op}', the indices {row.tolist()} do not index into shape {list(shape)}.",
        )
    return True


def positions(indices: Tensor, shape: tuple[int, ...], op: str, safe: bool) -> Tensor:
    """Row-major positions of tuples of indices in the dimensions they index."""
    k = indices.shape[-1]
    batch = indices.shape[:-1]
    if not k:
        return splat(0, mstype.int32, batch)
    parts = [
        counted(reshape_to(piece(indices, len(batch), j, j + 1), batch), shape[j], op, safe, 0)
        for j in range(k)
    ]
    return _index.linear(parts, shape[:k], batch)


@public(
    "ops.GatherNd",
    "Tensor.gather_nd",
)
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """The elements, or parts, that the tuples along the last dimension of `indices` name.

    Raises:
        IndexError: indices out of range; they are not counted from the end.
        TypeError: indices that are not a Tensor of int16, int32 or int64.
        ValueError: more indices in a tuple than dimensions.

    >>> print(ops.gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])))
    [2 3]
    """
    x = check_tensor(input_x, "gather_nd", "input_x")
    at = place_tensor(indices, "gather_nd", "indices", narrow=True)
    out: Tensor = _gather_nd(x, at, checked_tuples(x.shape, at, "gather_nd"))
    return out


@operation
def _gather_nd(x: Tensor, indices: Tensor, safe: bool) -> Tensor:
    k = indices.shape[-1]
    at = positions(indices, x.shape, "gather_nd", safe)
    return gathered(reshape_to(x, (math.prod(x.shape[:k]), *x.shape[k:])), at, 0)


# --- by masks ---------------------------------------------------------------------------------


def needs_elements(x: Tensor, op: str, hint: str) -> np.ndarray[Any, Any]:
    """The elements that the shape of a result depends on.

    Raises:
        TypeError: they are not known while compiling.
    """
    if not _index.is_known(x):
        raise error(
            UnknownShape,
            f"For '{op}', the shape of the result depends on the elements of a tensor "
            f"(shape={list(x.shape)}, dtype={x.dtype.title}), which are not known while compiling.",
            hint,
        )
    return x._concrete(f"'{op}'")


@public(
    "ops.MaskedSelect",
    "Tensor.masked_select",
    "mint.masked_select",
)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where a mask holds, in one dimension; both are broadcast. The mask must be known
    while compiling.

    Raises:
        TypeError: a mask that is not a Tensor of bools, or not known while compiling.
        ValueError: shapes that do not broadcast.

    >>> x = Tensor([1, 2, 3])
    >>> print(ops.masked_select(x, Tensor([True, False, True])))
    [1 3]
    """
    x = check_tensor(input, "masked_select", "input")
    truth = check_tensor(mask, "masked_select", "mask")
    check_dtype(truth, "masked_select", "mask", "b")
    values = needs_elements(
        truth,
        "masked_select",
        "keep all elements with ops.where(mask, x, 0) or ops.masked_fill(x, ~mask, 0)",
    )
    shape = broadcast_shapes(x.shape, truth.shape, "masked_select")
    at = np.flatnonzero(np.broadcast_to(values, shape))
    out: Tensor = _flat_elements(x, known(at, mstype.int64), shape)
    return out


@operation
def _flat_elements(x: Tensor, index: Tensor, shape: tuple[int, ...]) -> Tensor:
    flat = reshape_to(broadcast_to_shape(x, shape), (math.prod(shape),))
    return gathered(flat, index, 0)


@public(
    "ops.NonZero",
    "Tensor.nonzero",
    "mint.nonzero",
)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> TensorOrTensors:
    """The indices of elements that are not zero, a row each, or a tuple of the columns: int64. The
    elements must be known while compiling.

    Raises:
        TypeError: elements that are not known while compiling, or `as_tuple` is not a bool.

    >>> print(ops.nonzero(Tensor([[1, 0], [0, 2]])))
    [[0 0]
     [1 1]]
    """
    x = check_tensor(input, "nonzero", "input")
    check_bool(as_tuple, "nonzero", "as_tuple")
    values = needs_elements(x, "nonzero", "compute with the mask x != 0 and ops.where instead")
    found = np.nonzero(np.atleast_1d(values))
    if as_tuple:
        return tuple(known(column, mstype.int64) for column in found)
    return known(
        np.stack(found[: x.ndim], 1) if x.ndim else np.zeros((found[0].size, 0)), mstype.int64
    )


@public("Tensor.argwhere")
def argwhere(input: Tensor) -> Tensor:
    """Same as `nonzero`.

    >>> print(ops.argwhere(Tensor([[1, 0], [0, 2]])))
    [[0 0]
     [1 1]]
    """
    out: Tensor = nonzero(input)
    return out
