"""A step of Adafactor (Shazeer and Stern 2018) on Parameters; see `optimizers`."""

from __future__ import annotations

from collections.abc import Sequence

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_same_shape,
    check_sequence,
    check_shape,
)
from cellgrad.core.record import as_tensor, check_float, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.selection import div
from cellgrad.ops.shapes import expand_dims


def root_mean_square(x: Tensor) -> Tensor:
    return gen.sqrt(reductions.mean(gen.square(x)))


def over_factors(gradient: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The gradient over the root of its mean square, which means over rows and columns stand for."""
    share = gen.sqrt(rows / reductions.mean(rows, -1, True))
    return gradient / (expand_dims(share, -1) * expand_dims(gen.sqrt(columns), -2))


@operation
def _adafactor(
    epsilon: tuple[Tensor, ...],
    numbers: tuple[Tensor, ...],
    gradient: Tensor,
    states: tuple[Tensor, ...],
    by_size: bool,
    averages: bool,
    decays: bool,
) -> tuple[Tensor, ...]:
    threshold, beta1, beta2, decay, rate = numbers
    param, first, row, col, whole = states
    squares, new = gen.square(gradient) + epsilon[0], 1.0 - beta2
    if by_size:
        rate = rate * gen.maximum(root_mean_square(param), epsilon[1])
    if gradient.ndim < 2:
        whole = whole * beta2 + squares * new
        update = gradient / gen.sqrt(whole)
    else:
        row = row * beta2 + reductions.mean(squares, -1) * new
        col = col * beta2 + reductions.mean(squares, -2) * new
        update = over_factors(gradient, row, col)
    update = update * (rate / gen.maximum(root_mean_square(update) / threshold, 1.0))
    if averages:
        update = first = first * beta1 + update * (1.0 - beta1)
    if decays:
        param = param - param * decay * rate
    return param - update, first, row, col, whole


class _Step(Primitive):
    def __init__(
        self,
        enable_scale_parameter: bool = False,
        enable_first_moment: bool = False,
        enable_weight_decay: bool = False,
    ):
        super().__init__()
        self._flags = (
            check_bool(enable_scale_parameter, self.name, "enable_scale_parameter"),
            check_bool(enable_first_moment, self.name, "enable_first_moment"),
            check_bool(enable_weight_decay, self.name, "enable_weight_decay"),
        )

    def _step(
        self,
        epsilon: Sequence[TensorLike],
        clip_threshold: TensorLike,
        beta1: TensorLike,
        beta2: TensorLike,
        weight_decay: TensorLike,
        learning_rate: TensorLike,
        gradient: Tensor,
        param: Tensor,
        exp_avg: Tensor,
        exp_avg_sq_row: Tensor,
        exp_avg_sq_col: Tensor,
        exp_avg_sq: Tensor,
    ) -> tuple[Tensor]:
        w = check_float(param, self.name, "param")
        states = {
            "exp_avg": exp_avg,
            "exp_avg_sq_row": exp_avg_sq_row,
            "exp_avg_sq_col": exp_avg_sq_col,
            "exp_avg_sq": exp_avg_sq,
        }
        kept = [w, *[check_float(v, self.name, name) for name, v in states.items()]]
        g = check_float(gradient, self.name, "gradient")
        check_same_shape(w, g, self.name, ("param", "gradient"))
        if w.ndim > 1:
            check_shape(kept[2], self.name, "exp_avg_sq_row", w.shape[:-1])
            check_shape(kept[3], self.name, "exp_avg_sq_col", (*w.shape[:-2], w.shape[-1]))
        else:
            check_same_shape(w, kept[4], self.name, ("param", "exp_avg_sq"))
        pair = check_sequence(epsilon, self.name, "epsilon", "two numbers")
        if len(pair) != 2:
            raise argument_error(ValueError, self.name, "epsilon", "two numbers", epsilon)
        given = (clip_threshold, beta1, beta2, weight_decay, learning_rate)
        out = _adafactor(
            tuple([as_tensor(e, self.name, w.dtype) for e in pair]),
            tuple([as_tensor(v, self.name, w.dtype) for v in given]),
            g,
            tuple(kept),
            *self._flags,
        )
        for state, new in zip(kept, out, strict=True):
            state[...] = new
        return (out[0],)


@public()
class FusedAdaFactor(_Step):
    """A step of `nn.AdaFactor`. The Parameter and its state get their new values, and a call returns the Parameter's
    in a tuple.

    Args:
        enable_scale_parameter: whether the rate is multiplied by the root of the mean square of the Parameter, or by
            `epsilon[1]` if that is greater.
        enable_first_moment: whether the step is a running mean, `exp_avg`.
        enable_weight_decay: whether the Parameter decays.

    Inputs:
        epsilon: two numbers, the first of which is added to squares.
        clip_threshold, beta1, beta2, weight_decay, learning_rate: numbers.
        gradient: of the Parameter's shape.
        param, exp_avg: the Parameter and the running mean.
        exp_avg_sq_row, exp_avg_sq_col: means of squares over rows and columns, of the shapes without the last
            dimension and without the last but one, for Parameters of at least two dimensions.
        exp_avg_sq: the mean of squares of others.

    Raises:
        TypeError: inputs of other types.
        ValueError: shapes that do not fit.

    >>> w, zero = ops.ones((2, 2)), ops.zeros((2, 2))
    >>> args = (w, zero, ops.zeros(2), ops.zeros(2), zero)
    >>> print(ops.FusedAdaFactor()((0.0, 1.0), 1.0, 0.5, 0.75, 0.0, 0.25, ops.ones((2, 2)), *args)[0])
    [[0.75 0.75]
     [0.75 0.75]]
    """

    __call__ = _Step._step


@public()
class FusedAdaFactorWithGlobalNorm(_Step):
    """As `FusedAdaFactor`, of the gradient divided by `global_norm`, which comes last.

    >>> w, zero = ops.ones((2, 2)), ops.zeros((2, 2))
    >>> args = (w, zero, ops.zeros(2), ops.zeros(2), zero, 2.0)
    >>> step = ops.FusedAdaFactorWithGlobalNorm()
    >>> print(step((0.0, 1.0), 1.0, 0.5, 0.75, 0.0, 0.25, ops.ones((2, 2)), *args)[0])
    [[0.75 0.75]
     [0.75 0.75]]
    """

    def __call__(
        self,
        epsilon: Sequence[TensorLike],
        clip_threshold: TensorLike,
        beta1: TensorLike,
        beta2: TensorLike,
        weight_decay: TensorLike,
        learning_rate: TensorLike,
        gradient: Tensor,
        param: Tensor,
        exp_avg: Tensor,
        exp_avg_sq_row: Tensor,
        exp_avg_sq_col: Tensor,
        exp_avg_sq: Tensor,
        global_norm: TensorLike,
    ) -> tuple[Tensor]:
        return self._step(
            epsilon,
            clip_threshold,
            beta1,
            beta2,
            weight_decay,
            learning_rate,
            div(check_float(gradient, self.name, "gradient"), global_norm),
            param,
            exp_avg,
            exp_avg_sq_row,
            exp_avg_sq_col,
            exp_avg_sq,
        )
