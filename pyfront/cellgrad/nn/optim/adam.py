"""Adam and its variants: AdamWeightDecay, AdaMax, Lamb."""

from __future__ import annotations

from collections.abc import Iterator

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Gradients, LearningRate, ParameterGroups
from cellgrad.core.arguments import check_bool, check_number
from cellgrad.core.errors import error
from cellgrad.core.foreign import argument_hint
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.optim.optimizer import (
    Optimizer,
    fraction_of,
    one_minus,
    wide,
)
from cellgrad.ops.selection import write_to

__all__ = ["AdaMax", "Adam", "AdamOffload", "AdamWeightDecay", "Lamb", "LazyAdam"]


class _Moments(Optimizer):
    """What the family shares: the coefficients of two running means."""

    takes_complex = False

    def _coefficients(self, beta1: float, beta2: float, eps: float) -> None:
        self.beta1 = fraction_of(beta1, self.cls_name, "beta1")
        self.beta2 = fraction_of(beta2, self.cls_name, "beta2")
        self.eps = float(check_number(eps, self.cls_name, "eps", above=0))

    def _first(self, moment: Parameter, g: Tensor) -> Tensor:
        """Updates the running mean of gradients."""
        new = wide(moment) * self.beta1 + g * one_minus(self.beta1)
        write_to(moment, new)
        return new

    def _second(self, moment: Parameter, g: Tensor) -> Tensor:
        """Updates the running mean of their squares."""
        new = wide(moment) * self.beta2 + ops.square(g) * one_minus(self.beta2)
        write_to(moment, new)
        return new


class Adam(_Moments):
    """Adaptive moment estimation. With m and v the running means of the gradient and of its square,
    ``w -= lr * sqrt(1 - beta2**t) / (1 - beta1**t) * m / (sqrt(v) + eps)``; weight decay is added
    to the gradient.

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        beta1, beta2: in (0, 1).
        eps: positive.
        use_locking: kept for scripts.
        use_nesterov: whether ``beta1 * m + (1 - beta1) * gradient`` takes the place of m.
        use_amsgrad: whether the greatest v so far takes the place of v; then, as in MindSpore,
            `use_nesterov` has no effect.
        kwargs: `use_lazy` and `use_offload` are accepted and have no effect on dense gradients; one of
            the three alone may be True.

    Raises:
        TypeError, ValueError: arguments that are not, or that exclude each other.
        KeyError: other keywords.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> _ = nn.Adam([w], learning_rate=0.5)((Tensor([1.0]),))
    >>> print(w.asnumpy().round(3))
    [0.5]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: LearningRate = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        **kwargs: object,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        unknown = set(kwargs) - {"use_lazy", "use_offload"}
        if unknown:
            raise error(
                KeyError,
                f"For 'Adam', invalid keys are passed as kwargs, supported keys are 'use_lazy' and "
                f"'use_offload', but got {sorted(unknown)}.",
                argument_hint(type(self), min(unknown)),
            )
        self._coefficients(beta1, beta2, eps)
        check_bool(use_locking, self.cls_name, "use_locking")
        self.use_nesterov = check_bool(use_nesterov, self.cls_name, "use_nesterov")
        self.use_amsgrad = check_bool(use_amsgrad, self.cls_name, "use_amsgrad")
        others = [check_bool(v, self.cls_name, k) for k, v in kwargs.items()]
        if all(others) and len(others) == 2:
            raise error(
                ValueError, "For 'Adam', 'use_lazy' and 'use_offload' can not both be True."
            )
        if use_amsgrad and any(others):
            raise error(
                ValueError,
                "For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'.",
            )
        one = Tensor(1.0, mstype.default_float())
        self.beta1_power = Parameter(one, name="beta1_power")
        self.beta2_power = Parameter(one, name="beta2_power")
        self.moment1 = self.slots("moment1")
        self.moment2 = self.slots("moment2")
        if use_amsgrad:
            self.vhat = self.slots("vhat")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        steps = self.prepared(gradients)
        power1 = write_to(self.beta1_power, self.beta1_power * self.beta1)
        power2 = write_to(self.beta2_power, self.beta2_power * self.beta2)
        correction = ops.sqrt(1.0 - power2) / (1.0 - power1)
        for i, (w, g, lr) in enumerate(steps):
            m = self._first(self.moment1[i], g)
            v = self._second(self.moment2[i], g)
            if self.use_amsgrad:
                v = ops.maximum(wide(self.vhat[i]), v)
                write_to(self.vhat[i], v)
            elif self.use_nesterov:
                m = m * self.beta1 + g * one_minus(self.beta1)
            yield wide(w) - lr * correction * m / (ops.sqrt(v) + self.eps)


class AdamOffload(Adam):
    """`Adam`, without AMSGrad.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.AdamOffload([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.90000004 2.1       ]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: LearningRate = 0.0,
        loss_scale: float = 1.0,
    ):
        super().__init__(
            params,
            learning_rate,
            beta1,
            beta2,
            eps,
            use_locking,
            use_nesterov,
            weight_decay,
            loss_scale,
        )


class LazyAdam(AdamOffload):
    """`Adam`, which it is for gradients that are not sparse, as all are here.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.LazyAdam([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.90000004 2.1       ]
    """


class AdamWeightDecay(_Moments):
    """Adam without bias correction and with decoupled weight decay:
    ``w -= lr * (m / (sqrt(v) + eps) + weight_decay * w)``.

    Args:
        params, learning_rate, weight_decay: see `Optimizer`.
        beta1, beta2: in (0, 1).
        eps: positive.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.AdamWeightDecay([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.6837801 2.3162198]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        self._coefficients(beta1, beta2, eps)
        self.moments1 = self.slots("adam_m")
        self.moments2 = self.slots("adam_v")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        decays = self.decays()
        for i, (w, g, lr) in enumerate(self.prepared(gradients, decay=False)):
            m = self._first(self.moments1[i], g)
            v = self._second(self.moments2[i], g)
            step = m / (ops.sqrt(v) + self.eps)
            if decays[i] is not None:
                step = step + wide(w) * decays[i]
            yield wide(w) - lr * step


class AdaMax(_Moments):
    """Adam with the greatest magnitude, decayed, in place of the root of v:
    ``u = max(beta2 * u, |gradient|)`` and ``w -= lr / (1 - beta1**t) * m / (u + eps)``.

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        beta1, beta2: in (0, 1).
        eps: positive.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.AdaMax([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.9 2.1]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: LearningRate = 0.0,
        loss_scale: float = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self._coefficients(beta1, beta2, eps)
        self.beta1_power = Parameter(Tensor([1.0], mstype.default_float()), name="beta1_power")
        self.moment1 = self.slots("moment1")
        self.moment2 = self.slots("moment2")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        steps = self.prepared(gradients)
        power = write_to(self.beta1_power, self.beta1_power * self.beta1).reshape(())
        for (w, g, lr), first, greatest in zip(steps, self.moment1, self.moment2):
            m = self._first(first, g)
            u = ops.maximum(wide(greatest) * self.beta2, ops.abs(g))
            write_to(greatest, u)
            yield wide(w) - lr / (1.0 - power) * m / (u + self.eps)


class Lamb(_Moments):
    """Adam with bias correction, decoupled weight decay, and a step whose norm is that of the
    Parameter: with ``r = m' / (sqrt(v') + eps) + weight_decay * w``,
    ``w -= lr * norm(w) / norm(r) * r`` (the ratio is 1 where a norm is 0).

    Args:
        params, learning_rate, weight_decay: see `Optimizer`.
        beta1, beta2: in (0, 1).
        eps: positive.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.Lamb([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.8418861 2.158114 ]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        self._coefficients(beta1, beta2, eps)
        self.params = self._parameters
        self.moments1 = self.slots("lamb_m")
        self.moments2 = self.slots("lamb_v")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        decays = self.decays()
        steps = self.prepared(gradients, decay=False)
        count = ops.cast(self.global_step, mstype.default_float()).reshape(())
        correct1 = 1.0 - ops.pow(self.beta1, count)
        correct2 = 1.0 - ops.pow(self.beta2, count)
        changes, sums = [], []
        for i, (w, g, _) in enumerate(steps):
            m = self._first(self.moments1[i], g) / correct1
            v = self._second(self.moments2[i], g) / correct2
            step = m / (ops.sqrt(v) + self.eps)
            if decays[i] is not None:
                step = step + wide(w) * decays[i]
            changes.append(step)
            sums += [ops.sum(ops.square(t)) for t in (wide(w), step)]
        if self.shards is not None:
            sums = list(self.shards.totals(sums))
        for i, (w, _, lr) in enumerate(steps):
            size, length = ops.sqrt(sums[2 * i]), ops.sqrt(sums[2 * i + 1])
            both = ops.logical_and(ops.greater(size, 0.0), ops.greater(length, 0.0))
            ratio = ops.select(both, size / length, 1.0)
            yield wide(w) - lr * ratio * changes[i]
