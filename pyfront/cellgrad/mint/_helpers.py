"""What several functions of ``mint`` need beside operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core import views
from cellgrad.core.aliases import TensorLike, TensorOrTensors
from cellgrad.core.arguments import argument_error
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import axis_of, check_tensor, is_number
from cellgrad.core.tensor import Tensor
from cellgrad.ops import adaptive_pooling, extrema, interpolation
from cellgrad.ops.indexing import selected as part_at
from cellgrad.ops.next_keys import key_of
from cellgrad.ops.pointwise import scaled
from cellgrad.ops.samples import bincount_in


def flattened(input: Tensor, start_dim: int, end_dim: int) -> Tensor:
    """What `ops.flatten` computes, a view for any dimensions."""
    return _flattened(input, start_dim=start_dim, end_dim=end_dim)


_flattened: Any = views.view(keeps_order=True)(ops.flatten)


def to(input: Tensor, dtype: Type | None) -> Tensor:
    """The input in a dtype, if one is given."""
    return input if dtype is None else check_tensor(input, "mint", "input").astype(dtype)


def long(pair: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Values and their positions, in int64."""
    return pair[0], pair[1].astype(mstype.int64)


def spaced(start: TensorLike, end: TensorLike, steps: int, dtype: Type | None) -> Tensor:
    """Numbers at equal distances, with all digits of the dtype that is given."""
    if dtype is None:
        return ops.linspace(start, end, steps)
    first, last = (Tensor(v, mstype.float64) if is_number(v) else v for v in (start, end))
    return ops.linspace(first, last, steps).astype(dtype)


def index_added(
    input: Tensor, dim: int, index: Tensor, source: Tensor, alpha: TensorLike
) -> Tensor:
    """What `ops.index_add` computes; a Parameter stays."""
    return ops.scattering.added_along(input, index, scaled(input, source, alpha), dim)


def dropout(input: Tensor, p: float, training: bool) -> Tensor:
    """What `ops.dropout` computes, also where all elements are dropped."""
    if not is_number(p) or p != 1:
        return ops.dropout(input, p, training)
    kept = ops.dropout(input, 0.0)
    return ops.zeros_like(kept) if training else kept


def into(input: Tensor, out: Tensor, inplace: bool = True) -> Tensor:
    """The result, written to the input if that is asked for."""
    return input.copy_(out) if inplace else out


def key(generator: Any, op: str, device: Any = None) -> Any:
    """What a function that draws numbers takes in place of a seed: the next key of a generator, or None
    for the default one.

    Raises:
        TypeError: it is no generator.
        ValueError: a device that is not the CPU.
    """
    on_cpu(op, device)
    return key_of(generator, op)


def on_cpu(op: str, device: Any) -> None:
    """Refuses a device that is not the CPU.

    Raises:
        ValueError: it is another one.
    """
    if device not in (None, "CPU", "cpu"):
        raise argument_error(ValueError, op, "device", "None or 'CPU'", device)


def implied(input: Tensor, dim: int | None) -> int:
    """The dimension of a softmax where none is given."""
    return dim if dim is not None else 0 if input.ndim in (0, 1, 3) else 1


def counts(input: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """How often numbers are there, in int64, or sums of weights: in float64, but of float32 in float32."""
    if weights is None:
        return ops.bincount(input, None, minlength).astype(mstype.int64)
    w = check_tensor(weights, "bincount", "weights")
    return bincount_in(
        mstype.float32 if w.dtype is mstype.float32 else mstype.float64, input, w, minlength
    )


def extremum(name: str, input: Tensor, dim: Any, keepdim: bool) -> TensorOrTensors:
    """The extremum of all elements, those along `dim` with positions, or of two tensors."""
    if dim is None:
        return getattr(ops, "a" + name)(input)
    if isinstance(dim, Tensor) and dim.ndim + input.ndim:
        return getattr(ops, name + "imum")(input, dim)
    return long(getattr(ops, name)(input, dim, keepdim))


def median(input: Tensor, dim: int | None, keepdim: bool) -> TensorOrTensors:
    """The middle of all elements, or those along `dim` with positions."""
    if dim is None:
        return extrema.median_of_all(input)
    return ops.median(input, dim, keepdim)


def selected(input: Tensor, dim: int, index: int | Tensor) -> Tensor:
    """The part at an index of a dimension, which goes."""
    return part_at(check_tensor(input, "select", "input"), dim, index)


def diagonal(input: Tensor, offset: int) -> Tensor:
    """The matrix with a vector as a diagonal, or a diagonal of a matrix."""
    if check_tensor(input, "diag", "input").ndim == 1:
        return ops.diag_embed(input, offset)
    return ops.diagonal(input, offset, 0, 1)


def convolved(
    count: int,
    function: Callable[..., Tensor],
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    """A convolution whose padding is numbers, "valid" or "same"."""
    mode, pad = (padding, 0) if isinstance(padding, str) else ("pad", padding)
    given = (weight, bias, stride, mode, pad, dilation, groups)
    return unbatched(count, function, input, *given)


def unbatched(count: int, function: Callable[..., Any], input: Tensor, *given: Any) -> Tensor:
    """A function of batches whose samples have channels and `count` dimensions, also of one sample."""
    if not isinstance(input, Tensor) or input.ndim != count + 1:
        out: Tensor = function(input, *given)
        return out
    return cast("Tensor", function(ops.expand_dims(input, 0), *given)[0])


def max_pool2d(input: Tensor, *given: Any) -> Tensor | tuple[Tensor, Tensor]:
    """`ops.max_pool2d`, also of one sample."""
    if not isinstance(input, Tensor) or input.ndim != 3:
        return ops.max_pool2d(input, *given)
    out = ops.max_pool2d(ops.expand_dims(input, 0), *given)
    return (out[0][0], out[1][0]) if isinstance(out, tuple) else out[0]


def adaptive_mean1d(input: Tensor, output_size: int) -> Tensor:
    """The means of parts of sequences, of any lengths."""
    return adaptive_pooling.adaptive_mean("adaptive_avg_pool1d", 1, input, output_size)


def kl_div(input: Tensor, target: Tensor, reduction: str, log_target: bool) -> Tensor:
    """The divergence of a target given as probabilities or as their logarithms; both are broadcast."""
    if log_target:
        target = ops.exp(target)
    if not (isinstance(input, Tensor) and isinstance(target, Tensor)):
        return ops.kl_div(input, target, reduction)
    try:
        shape = np.broadcast_shapes(input.shape, target.shape)
    except ValueError:
        shape = None
    if shape is None or shape == input.shape == target.shape:
        return ops.kl_div(input, target, reduction)
    both = ops.broadcast_to(input, shape), ops.broadcast_to(target, shape)
    if reduction == "batchmean" and input.ndim:
        return ops.div(ops.kl_div(*both, "sum"), input.shape[0])
    return ops.kl_div(*both, reduction)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Elements from `start`, which is counted from the end where it is negative."""
    if isinstance(start, int) and start < 0:
        x = check_tensor(input, "narrow", "input")
        n = x.shape[axis_of(dim, x.ndim, "narrow")] if x.ndim else 0
        start = start + n if start >= -n else start
    return ops.narrow(input, dim, start, length)


def sort(input: Tensor, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    """`ops.sort`, also of bools, and of tensors without dimensions as of one element."""
    x = check_tensor(input, "sort", "input")
    values, places = ops.sort(_to_sort(x), dim, descending)
    return (
        ops.reshape(values.astype(x.dtype), x.shape),
        ops.reshape(places.astype(mstype.int64), x.shape),
    )


def argsort(input: Tensor, dim: int, descending: bool) -> Tensor:
    """`ops.argsort`, of the same."""
    x = check_tensor(input, "argsort", "input")
    places = ops.argsort(_to_sort(x), dim, descending)
    return ops.reshape(places.astype(mstype.int64), x.shape)


def _to_sort(x: Tensor) -> Tensor:
    whole = ops.reshape(x, (1,)) if x.ndim == 0 else x
    return whole.astype(mstype.uint8) if x.dtype is mstype.bool_ else whole


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """`ops.index_select`, also for a number as a tensor."""
    if isinstance(index, Tensor) and index.ndim == 0:
        index = ops.reshape(index, (1,))
    return ops.index_select(input, dim, index)


def classes(tensor: Tensor, count: int) -> Tensor:
    """Vectors that are 1 at each number, of a length that is found from known numbers for -1."""
    depth = int(ops.amax(tensor).asnumpy()) + 1 if count == -1 else count
    return ops.one_hot(tensor, depth, 1, 0).astype(mstype.int64)


def only(value: Any, wanted: Any, op: str, argument: str) -> None:
    """Refuses any value but one.

    Raises:
        ValueError: another value.
    """
    if value != wanted:
        raise error(ValueError, f"For '{op}', '{argument}' must be {wanted!r}, but got {value!r}.")


def elu(input: Tensor, alpha: float) -> Tensor:
    """``input`` where it is not negative, ``alpha * (exp(input) - 1)`` elsewhere, for any `alpha`."""
    linear = ops.greater_equal(input, 0)  # at 0, too: the derivative of the minimum is half there
    return ops.where(linear, input, ops.mul(ops.expm1(ops.minimum(input, 0)), alpha))


def batch_norm(
    input: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Any,
    bias: Any,
    training: bool,
    momentum: Any,
    eps: float,
) -> Tensor:
    """`ops.batch_norm`; without running statistics with those of the batch."""
    if running_mean is not None and running_var is not None:
        return ops.batch_norm(
            input, running_mean, running_var, weight, bias, training, momentum, eps
        )
    x = check_tensor(input, "batch_norm", "input")
    around = tuple(d for d in range(x.ndim) if d != 1)
    apart = ops.sub(x, ops.mean(x, around, True))
    out = ops.mul(apart, ops.rsqrt(ops.add(ops.mean(ops.square(apart), around, True), eps)))
    shape = tuple(-1 if d == 1 else 1 for d in range(x.ndim))
    if weight is not None:
        out = ops.mul(out, ops.reshape(weight, shape))
    return out if bias is None else ops.add(out, ops.reshape(bias, shape))


def normal(mean: Any, std: Any, size: Any, seed: Any) -> Tensor:
    """Normal numbers of a mean and deviation for each element, or of a size."""
    if size is not None:
        return ops.normal(tuple(size), mean, std, seed)
    parts = [v for v in (mean, std) if isinstance(v, Tensor)]
    if not parts:
        raise error(
            TypeError, "For 'normal', 'mean' or 'std' must be a Tensor, or there must be a 'size'."
        )
    return ops.normal((), mean, std, seed)


def integers(low: Any, high: Any, size: Any, dtype: Any, seed: Any) -> Tensor:
    """Integers in [low, high), or in [0, low) where there is only one bound."""
    first, last = (0, low) if high is None else (low, high)
    return ops.randint(first, last, size, seed, dtype=dtype)


def interpolate(
    input: Tensor,
    size: Any,
    scale_factor: Any,
    mode: str,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
) -> Tensor:
    """`ops.interpolate` with the kernel of PyTorch for "bicubic"."""
    return interpolation.resized(
        input, size, scale_factor, mode, align_corners, recompute_scale_factor, True
    )
