"""Functions of layers under MindSpore's ``mint.nn.functional``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cellgrad import ops
from cellgrad.core import absent
from cellgrad.core.aliases import Axis, TensorLike, TensorOrTensors
from cellgrad.core.arguments import check_bool
from cellgrad.core.tensor import Tensor
from cellgrad.mint import _helpers as h
from cellgrad.mint.nn import _functional_forms
from cellgrad.mint.nn._functional_forms import *  # noqa: F403
from cellgrad.ops.adaptive_pooling import adaptive_max

__all__ = [*_functional_forms.__all__, "adaptive_max_pool1d", "batch_norm", "linear", "normalize"]


def adaptive_max_pool1d(
    input: Tensor, output_size: int, return_indices: bool = False
) -> TensorOrTensors:
    """The maxima of `output_size` parts of sequences [N, C, L] or [C, L], as `ops.adaptive_avg_pool2d` cuts
    them; with `return_indices`, a tuple with their positions.

    Raises:
        TypeError: no Tensor of floating-point numbers, a size that is no int, or a flag that is no bool.
        ValueError: shapes or sizes that do not fit each other.

    >>> print(mint.nn.functional.adaptive_max_pool1d(Tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2))
    [[[2. 4.]]]
    """
    op = "adaptive_max_pool1d"
    check_bool(return_indices, op, "return_indices")
    out: TensorOrTensors = adaptive_max(op, 1, input, output_size, return_indices)
    return out


def batch_norm(
    input: Tensor,
    running_mean: TensorLike,
    running_var: TensorLike,
    weight: TensorLike | None = None,
    bias: TensorLike | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """See `ops.batch_norm`; running statistics that are None are those of the batch.

    >>> one, zero = Tensor([1.0]), Tensor([0.0])
    >>> print(mint.nn.functional.batch_norm(Tensor([[1.0], [3.0]]), zero, one, eps=0.0))
    [[1.]
     [3.]]
    """
    statistics = (running_mean, running_var)
    return h.batch_norm(input, *statistics, weight, bias, training, momentum, eps)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``.

    >>> print(mint.nn.functional.linear(ops.ones((1, 2)), Tensor([[1.0, 2.0]]), Tensor([0.5])))
    [[3.5]]
    """
    out: Tensor = ops.matmul(input, ops.swapaxes(weight, -1, -2) if weight.ndim > 1 else weight)
    return out if bias is None else ops.add(out, bias)


def normalize(input: Tensor, p: float = 2.0, dim: Axis = 1, eps: float = 1e-12) -> Tensor:
    """The input over its norms along `dim`, which are at least `eps`.

    >>> print(mint.nn.functional.normalize(Tensor([[3.0, 4.0]])))
    [[0.6 0.8]]
    """
    return ops.div(input, ops.clamp(ops.vector_norm(input, p, dim, True), eps))


if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
