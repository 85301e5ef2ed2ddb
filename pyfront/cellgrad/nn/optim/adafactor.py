"""AdaFactor: Adam's second moment of a matrix, kept by rows and columns."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Gradients, LearningRate, ParameterGroups, TensorOrTensors
from cellgrad.core.arguments import check_bool, check_instance, check_number
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor
from cellgrad.nn.optim.optimizer import Optimizer, float_of, fraction_of, wide
from cellgrad.ops.classes.adafactor import over_factors, root_mean_square
from cellgrad.ops.selection import write_to

__all__ = ["AdaFactor"]


class AdaFactor(Optimizer):
    """Adafactor (Shazeer and Stern 2018): gradients divided by the root of their mean square, of which a
    matrix keeps means over rows and columns alone. In step t, with ``b = 1 - t**-decay_rate``:
    ``v = b * v + (1 - b) * (gradient**2 + eps[0])``, ``u = gradient / sqrt(v)`` and
    ``w -= lr * u / max(1, rms(u) / clip_threshold)``, where rms is the root of the mean square.

    Args:
        params, weight_decay: see `Optimizer`; the decay is ``lr * weight_decay * w``, of all Parameters.
        learning_rate: as of `Optimizer`, or None with `relative_step`.
        eps: two floats: what is added to squares, and the least size that `scale_parameter` counts.
        clip_threshold: from which root of the mean square on an update is made smaller.
        decay_rate: in (0, 1).
        beta1: of the running mean of updates; 0 or None for none.
        scale_parameter: whether `lr` is multiplied by the root of the mean square of the Parameter, or by
            `eps[1]` if that is greater. As in MindSpore, not with a schedule of learning rates.
        relative_step: whether `lr` is ``min(0.01, 1 / sqrt(t))``.
        warmup_init: whether it is ``min(1e-6 * t, 1 / sqrt(t))``.
        compression: whether v of vectors is kept in float16.
        loss_scale: kept for scripts: updates do not depend on the scale of gradients.

    Raises:
        TypeError: arguments of other types.
        ValueError: numbers out of range; both or neither of `learning_rate` and `relative_step`;
            `warmup_init` without `relative_step`.

    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> optimizer = nn.AdaFactor([w], beta1=0.0, learning_rate=0.5, relative_step=False, scale_parameter=False)
    >>> _ = optimizer((Tensor([[1.0, 1.0], [-1.0, 1.0]]),))
    >>> print(w.value())
    [[0.5 1.5]
     [3.5 3.5]]
    """

    takes_complex = False

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate | None = None,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float | None = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ):
        name = type(self).__name__
        if (learning_rate is None) != bool(relative_step):
            what = "both are" if relative_step else "neither is"
            raise error(
                ValueError,
                f"For '{name}', one of 'learning_rate' and 'relative_step' must be given, but {what}.",
                "for a learning rate of your own: relative_step=False",
            )
        if warmup_init and not relative_step:
            raise error(
                ValueError,
                f"For '{name}', 'warmup_init' requires relative_step=True, but got False.",
            )
        super().__init__(
            0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale
        )
        check_instance(eps, name, "eps", (list, tuple), expected="two floats")
        if len(eps) != 2:
            raise error(ValueError, f"For '{name}', 'eps' must have two values, but got {eps}.")
        self.eps = tuple(float_of(e, name, "eps") for e in eps)
        self.clip_threshold = float(check_number(clip_threshold, name, "clip_threshold", above=0.0))
        self.decay_rate = fraction_of(decay_rate, name, "decay_rate")
        self.beta1 = 0.0 if beta1 is None else float_of(beta1, name, "beta1")
        self.relative_step = check_bool(relative_step, name, "relative_step")
        self.warmup_init = check_bool(warmup_init, name, "warmup_init")
        self.compression = check_bool(compression, name, "compression")
        self.scale_parameter = check_bool(scale_parameter, name, "scale_parameter")
        if self.dynamic_lr:
            self.scale_parameter = False
        self.use_first_moment = self.beta1 > 0.0
        if self.use_first_moment:
            self.exp_avg = self.slots("exp_avg")
        self.exp_avg_sq_row = self._means("row", lambda shape: shape[:-1])
        self.exp_avg_sq_col = self._means("col", lambda shape: shape[:-2] + shape[-1:])
        self.exp_avg_sq = ParameterTuple(
            Parameter(
                ops.zeros(
                    (1,) if p.ndim > 1 else p.shape,
                    mstype.float16 if compression and p.ndim < 2 else p.dtype,
                ),
                name=f"exp_avg_sq_{p.name}",
            )
            for p in self._parameters
        )
        self.step = Parameter(Tensor([0.0], mstype.float32), name="afactor_step")

    def _means(self, what: str, shape_of: Any) -> ParameterTuple:
        """The state of matrices, with one element in that of others."""
        return ParameterTuple(
            Parameter(
                ops.zeros(shape_of(p.shape) if p.ndim > 1 else (1,), p.dtype),
                name=f"exp_avg_sq_{what}_{p.name}",
            )
            for p in self._parameters
        )

    def _divided(self, i: int, g: Tensor, kept: Tensor) -> Tensor:
        """The gradient over the root of its mean square, which it updates; `kept` is the share of the old one."""
        squares, new = ops.square(g) + self.eps[0], 1.0 - kept
        if g.ndim < 2:
            v = wide(self.exp_avg_sq[i]) * kept + squares * new
            write_to(self.exp_avg_sq[i], v)
            return g / ops.sqrt(v)
        row, col = self.exp_avg_sq_row[i], self.exp_avg_sq_col[i]
        rows = wide(row) * kept + ops.mean(squares, -1) * new
        columns = wide(col) * kept + ops.mean(squares, -2) * new
        write_to(row, rows)
        write_to(col, columns)
        return over_factors(g, rows, columns)

    def construct(self, gradients: Gradients) -> TensorOrTensors:
        step = ops.assign_add(self.step, 1.0).reshape(())
        kept = 1.0 - ops.pow(step, -self.decay_rate)
        decays = self.decays() if self.is_group else [self.weight_decay] * self.param_length
        for i, (w, g, lr) in enumerate(self.prepared(gradients, decay=False)):
            weight = wide(w)
            if self.relative_step and not self.dynamic_lr:
                first = 1e-6 * step if self.warmup_init else 1e-2
                lr = ops.minimum(1.0 / ops.sqrt(step), first)
            if self.scale_parameter:
                lr = lr * ops.maximum(root_mean_square(weight), self.eps[1])
            update = self._divided(i, g, kept)
            update = update * (
                lr / ops.maximum(root_mean_square(update) / self.clip_threshold, 1.0)
            )
            if self.use_first_moment:
                mean = self.exp_avg[i]
                update = wide(write_to(mean, wide(mean) * self.beta1 + update * (1.0 - self.beta1)))
            if decays[i] is not None and (isinstance(decays[i], Tensor) or decays[i] > 0):
                weight = weight - weight * (decays[i] / self.loss_scale) * lr
            write_to(w, weight - update)
        return True
