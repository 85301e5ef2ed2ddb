"""Logarithms of sums of exponentials along dimensions, computed from differences to the maximum."""

from __future__ import annotations

from cellgrad.core.aliases import Axis
from cellgrad.core.dtype import Type
from cellgrad.core.record import axes_of, axis_of, check_float, emit, operation, reshape_to
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import reductions
from cellgrad.ops._public import public
from cellgrad.ops.selection import select


def _top(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The maximum, which no derivative passes through; 0 in place of an infinite one."""
    top = emit("cell.stop_gradient", [reductions.amax(x, axes, True)])
    return select(gen.isinf(top), 0.0, top)


@public(
    "ops.LogSoftmaxExt()(input, dim=-1) = ops.log_softmax(input, dim)",
    "nn.LogSoftmaxExt(dim=-1)(x) = ops.log_softmax(x, dim)",
    "ops.LogSoftmax(axis)(logits)",
    "nn.LogSoftmax(axis)(x)",
    "mint.nn.LogSoftmax(dim=None)(x) = F.log_softmax(x, dim=dim)",
    "mint.nn.functional.log_softmax(input, dim=None, *, dtype=None) = "
    "ops.log_softmax(h.to(input, dtype), h.implied(input, dim))",
    "mint.special.log_softmax(input, dim=None, *, dtype=None) = "
    "F.log_softmax(input, dim, dtype=dtype)",
)
@operation
def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, without underflow.

    Raises:
        TypeError, ValueError: `logits` is not a Tensor, or `axis` is out of range.

    >>> ops.log_softmax(Tensor([[0.0, 0.0]])).shape
    (1, 2)

    >>> print(mint.nn.LogSoftmax(0)(Tensor([0.0, 0.0])))
    [-0.6931472 -0.6931472]

    >>> print(mint.special.log_softmax(Tensor([0.0, 0.0]), 0))
    [-0.6931472 -0.6931472]
    """
    x = check_float(logits, "log_softmax", "logits")
    axes = (axis_of(axis, x.ndim, "log_softmax"),)
    if x.ndim and not x.shape[axes[0]]:
        return x
    shifted = x - _top(x, axes)
    return shifted - gen.log(reductions.sum(gen.exp(shifted), axes, True))


@public("mint.logsumexp")
@operation
def logsumexp(input: Tensor, dim: Axis, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over `dim` (int or tuple of ints), without overflow;
    -inf where there are no elements.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `dim` is out of range.

    >>> print(ops.logsumexp(Tensor([0.0, -100.0]), 0))
    0.0
    """
    x = check_float(input, "logsumexp", "input")
    axes = axes_of(dim, x.ndim, "logsumexp") if x.ndim else ()
    top = _top(x, axes) if all(x.shape[a] for a in axes) else 0.0
    out = gen.log(reductions.sum(gen.exp(x - top), axes, True)) + top
    if keepdim:
        return out
    return reshape_to(out, tuple(n for i, n in enumerate(x.shape) if i not in axes))


@public("nn.Softmin(axis)(x)")
@operation
def softmin(x: Tensor, axis: int = -1, *, dtype: Type | None = None) -> Tensor:
    """The softmax of ``-x`` along `axis`.

    Raises:
        TypeError, ValueError: `x` is not a Tensor, or `axis` is out of range.

    >>> print(ops.softmin(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """
    out: Tensor = reductions.softmax(-check_float(x, "softmin", "x"), axis, dtype=dtype)
    return out
