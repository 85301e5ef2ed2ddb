"""Gradient descent: SGD, Momentum, averaged and sign-based variants."""

from __future__ import annotations

from collections.abc import Iterator

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Gradients, LearningRate, ParameterGroups
from cellgrad.core.arguments import check_bool, check_instance
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor
from cellgrad.nn.optim.optimizer import Optimizer, float_of, wide
from cellgrad.ops.selection import write_to

__all__ = ["ASGD", "SGD", "Momentum", "Rprop"]


class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum:
    ``accum = momentum * accum + (1 - dampening) * gradient`` (the first is the gradient itself) and
    ``w -= lr * accum``, or with `nesterov` ``w -= lr * (gradient + momentum * accum)``.

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        momentum, dampening: at least 0.
        nesterov: needs a momentum and no dampening.

    Raises:
        TypeError, ValueError: arguments that are not; a weight decay that is a Cell.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> _ = nn.SGD([w], learning_rate=0.5)((Tensor([1.0]),))
    >>> print(w.asnumpy())
    [0.5]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum = float_of(momentum, self.cls_name, "momentum")
        self.dampening = float_of(dampening, self.cls_name, "dampening")
        self.nesterov = check_bool(nesterov, self.cls_name, "nesterov")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise error(
                ValueError,
                f"For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must "
                f"equal to 0.0, but got 'momentum' {momentum}, 'dampening' {dampening}.",
            )
        if self.dynamic_weight_decay:
            raise error(
                TypeError,
                "For 'SGD', dynamic weight decay is currently not supported, the argument 'weight_decay' or "
                "'weight_decay' set in grouped 'params' must be float or int type, but got a Cell.",
            )
        self.has_momentum = momentum > 0
        self.momentum = Parameter(Tensor(momentum, mstype.default_float()), name="momentum")
        self.accum = self.slots("accum")
        # 1 before the first step: the buffer then becomes the gradient, undamped.
        self.stat = self.slots("stat", "ones")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        steps = self.prepared(gradients)
        for (w, g, lr), accum, stat in zip(steps, self.accum, self.stat):
            if not self.has_momentum:
                yield wide(w) - lr * g
                continue
            buffer = wide(accum) * self.momentum + g * (1.0 - self.dampening)
            if self.dampening:
                buffer = ops.select(ops.greater(stat, 0.0), g, buffer)
                write_to(stat, ops.zeros_like(stat))
            write_to(accum, buffer)
            yield wide(w) - lr * (g + self.momentum * buffer if self.nesterov else buffer)


class Momentum(Optimizer):
    """Gradient descent with momentum: ``moments = momentum * moments + gradient`` and
    ``w -= lr * moments``, or with `use_nesterov` ``w -= lr * (gradient + momentum * moments)``.

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        momentum: at least 0.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> _ = nn.Momentum([w], 0.5, 0.9)((Tensor([1.0]),))
    >>> print(w.asnumpy())
    [0.5]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate,
        momentum: float,
        weight_decay: LearningRate = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum = float_of(momentum, self.cls_name, "momentum")
        self.momentum = Parameter(Tensor(momentum, mstype.default_float()), name="momentum")
        self.use_nesterov = check_bool(use_nesterov, self.cls_name, "use_nesterov")
        self.params = self._parameters
        self.moments = self.slots("moments")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        for (w, g, lr), moments in zip(self.prepared(gradients), self.moments):
            new = wide(moments) * self.momentum + g
            write_to(moments, new)
            yield wide(w) - lr * (g + self.momentum * new if self.use_nesterov else new)


class Rprop(Optimizer):
    """Resilient descent: each element has a step size of its own that grows while the sign of its
    gradient stays and shrinks when it changes.

    Args:
        params, learning_rate, weight_decay: see `Optimizer`; the rate is the first step size.
        etas: the factors of shrinking, in (0, 1), and of growing, above 1.
        step_sizes: the least and the greatest step size.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.Rprop([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.9 2.1]
    """

    takes_complex = False

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            check_instance(pair, "Rprop", name, tuple)
            if len(pair) != 2:
                raise error(
                    ValueError, f"For 'Rprop', {name} must have 2 elements, but got {pair}."
                )
        self.etaminus, self.etaplus = (float_of(e, "Rprop", "etas") for e in etas)
        self.step_size_min, self.step_size_max = (
            float_of(s, "Rprop", "step_sizes") for s in step_sizes
        )
        if not 0 < self.etaminus < 1 < self.etaplus or self.step_size_min > self.step_size_max:
            raise error(
                ValueError,
                f"For 'Rprop', 'etas' must be in (0, 1) and above 1 and 'step_sizes' must rise, "
                f"but got {etas} and {step_sizes}.",
            )
        self.prev = self.slots("prev")
        self.step_size = self.slots("step_size")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        first = ops.equal(self.global_step, 0)
        for (w, g, lr), prev, size in zip(self.prepared(gradients), self.prev, self.step_size):
            product = g * wide(prev)
            turned = ops.less(product, 0.0)
            factor = ops.select(
                turned, self.etaminus, ops.select(ops.greater(product, 0.0), self.etaplus, 1.0)
            )
            start = ops.select(first.reshape(()), lr, wide(size))
            new = ops.clip_by_value(start * factor, self.step_size_min, self.step_size_max)
            used = ops.select(turned, 0.0, g)
            yield wide(w) - ops.sign(used) * new
            write_to(prev, used)
            write_to(size, new)


class ASGD(Optimizer):
    """Averaged stochastic gradient descent; the averages are `ax`.

    Args:
        params, learning_rate, weight_decay: see `Optimizer`.
        lambd: the decay of the Parameters.
        alpha: the power of the learning rate's decay.
        t0: the step at which averaging starts.

    Raises:
        TypeError, ValueError: arguments that are no numbers, or negative.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.ASGD([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.89998996 2.0999799 ]
    """

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        self.lambd = float_of(lambd, self.cls_name, "lambd")
        self.alpha = float_of(alpha, self.cls_name, "alpha")
        self.t0 = float_of(t0, self.cls_name, "t0")
        names = [p.name for p in self._parameters]
        one, zero = Tensor(1.0, mstype.default_float()), Tensor(0.0, mstype.default_float())
        self.mu = ParameterTuple(Parameter(one, name=f"mu_{n}") for n in names)
        self.eta = ParameterTuple(Parameter(zero, name=f"eta_{n}") for n in names)
        self.ax = self.slots("ax_")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        steps = self.prepared(gradients)
        count = ops.cast(self.global_step, mstype.default_float()).reshape(())
        for (w, g, lr), mu, eta, ax in zip(steps, self.mu, self.eta, self.ax):
            rate = ops.select(ops.equal(count, 1.0), lr, eta)
            new = wide(w) * (1.0 - self.lambd * rate) - rate * g
            yield new
            write_to(ax, ops.select(ops.equal(mu, 1.0), new, wide(ax) + (new - wide(ax)) * mu))
            write_to(eta, lr / ops.pow(1.0 + self.lambd * lr * count, self.alpha))
            write_to(mu, 1.0 / ops.maximum(count - self.t0, 1.0))
