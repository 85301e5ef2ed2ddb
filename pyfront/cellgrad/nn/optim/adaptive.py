"""Optimizers with a step size an element from squares of gradients: Adagrad, RMSProp, Adadelta,
FTRL, ProximalAdagrad.
"""

from __future__ import annotations

from collections.abc import Iterator

from cellgrad import ops
from cellgrad.core.aliases import Gradients, LearningRate, ParameterGroups, TensorOrTensors
from cellgrad.core.arguments import check_bool
from cellgrad.core.tensor import Tensor
from cellgrad.nn.optim.optimizer import Optimizer, float_of, wide
from cellgrad.ops.selection import write_to

__all__ = ["FTRL", "Adadelta", "Adagrad", "ProximalAdagrad", "RMSProp"]


def _construct(self: Optimizer, grads: Gradients) -> TensorOrTensors:
    """`Optimizer.construct`, whose argument MindSpore calls otherwise in some optimizers."""
    return Optimizer.construct(self, grads)


_construct.__dict__["renames"] = True  # and does nothing else


class Adagrad(Optimizer):
    """``accum += gradient ** 2`` and ``w -= lr * gradient / sqrt(accum)``.

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        accum: the first value of the accumulator, at least 0.
        update_slots: whether the accumulator is updated.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.Adagrad([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.9046537 2.0953462]
    """

    takes_complex = False

    def __init__(
        self,
        params: ParameterGroups,
        accum: float = 0.1,
        learning_rate: LearningRate = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.update_slots = check_bool(update_slots, self.cls_name, "update_slots")
        self.accum = self.slots("accum", float_of(accum, self.cls_name, "accum"))

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        for (w, g, lr), accum in zip(self.prepared(gradients), self.accum):
            total = wide(accum)
            if self.update_slots:
                total = total + ops.square(g)
                write_to(accum, total)
            yield wide(w) - lr * g / ops.sqrt(total)

    construct = _construct  # type: ignore[assignment]


class RMSProp(Optimizer):
    """``ms = decay * ms + (1 - decay) * gradient ** 2``,
    ``moment = momentum * moment + lr * gradient / sqrt(ms + epsilon)`` and ``w -= moment``; with
    `centered` the square of the mean gradient is subtracted under the root. The mean square starts
    at one.

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        decay, momentum, epsilon: at least 0.
        use_locking: kept for scripts.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.RMSProp([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.9 2.1]
    """

    takes_complex = False

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_bool(use_locking, self.cls_name, "use_locking")
        self.centered = check_bool(centered, self.cls_name, "centered")
        self.decay = float_of(decay, self.cls_name, "decay")
        self.momentum = float_of(momentum, self.cls_name, "momentum")
        self.epsilon = float_of(epsilon, self.cls_name, "epsilon")
        if centered:
            self.mg = self.slots("mean_grad")
        self.ms = self.slots("mean_square", "ones")
        self.moment = self.slots("moment")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        for i, (w, g, lr) in enumerate(self.prepared(gradients)):
            square = wide(self.ms[i]) * self.decay + ops.square(g) * (1.0 - self.decay)
            write_to(self.ms[i], square)
            spread = square
            if self.centered:
                mean = wide(self.mg[i]) * self.decay + g * (1.0 - self.decay)
                write_to(self.mg[i], mean)
                spread = square - ops.square(mean)
            step = lr * g / ops.sqrt(spread + self.epsilon)
            if self.momentum:
                step = wide(self.moment[i]) * self.momentum + step
            write_to(self.moment[i], step)
            yield wide(w) - step


class Adadelta(Optimizer):
    """``accum = rho * accum + (1 - rho) * gradient ** 2``,
    ``update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * gradient``,
    ``accum_update = rho * accum_update + (1 - rho) * update ** 2`` and ``w -= lr * update``.

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        rho: in [0, 1].
        epsilon: at least 0.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.Adadelta([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.9996838 2.0003161]
    """

    takes_complex = False

    def __init__(
        self,
        params: ParameterGroups,
        learning_rate: LearningRate = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = float_of(rho, self.cls_name, "rho")
        float_of(1.0 - self.rho, self.cls_name, "1 - rho")
        self.epsilon = float_of(epsilon, self.cls_name, "epsilon")
        self.accum = self.slots("accum")
        self.accum_update = self.slots("accum_update")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        rho, eps = self.rho, self.epsilon
        for (w, g, lr), accum, changes in zip(
            self.prepared(gradients), self.accum, self.accum_update
        ):
            total = wide(accum) * rho + ops.square(g) * (1.0 - rho)
            update = ops.sqrt(wide(changes) + eps) / ops.sqrt(total + eps) * g
            write_to(accum, total)
            write_to(changes, wide(changes) * rho + ops.square(update) * (1.0 - rho))
            yield wide(w) - lr * update

    construct = _construct  # type: ignore[assignment]


class FTRL(Optimizer):
    """Follow the regularised leader, with L1 and L2 regularisation; Parameters become exactly zero
    where the L1 term wins.

    Args:
        params, learning_rate, loss_scale: see `Optimizer`.
        weight_decay: see `Optimizer`; for all Parameters, whatever their names.
        initial_accum: the first value of the sum of squares, at least 0.
        lr_power: at most 0; the power of the sum that divides the rate.
        l1, l2: at least 0.
        use_locking: kept for scripts.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.FTRL([w], learning_rate=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.6031424 1.4923235]
    """

    takes_complex = False

    def __init__(
        self,
        params: ParameterGroups,
        initial_accum: float = 0.1,
        learning_rate: LearningRate = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_bool(use_locking, self.cls_name, "use_locking")
        if not self.is_group:
            self.decay_flags = (True,) * self.param_length
        initial = float_of(initial_accum, self.cls_name, "initial_accum")
        self.power = float_of(-lr_power, self.cls_name, "-lr_power")
        self.l1 = float_of(l1, self.cls_name, "l1")
        self.l2 = float_of(l2, self.cls_name, "l2")
        self.moments = self.slots("moments", initial)
        self.linear = self.slots("linear")

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        for (w, g, lr), moments, linear in zip(self.prepared(gradients), self.moments, self.linear):
            before, weight = wide(moments), wide(w)
            total = before + ops.square(g)
            old, new = ops.pow(before, self.power), ops.pow(total, self.power)
            slope = wide(linear) + g - (new - old) / lr * weight
            beyond = ops.clip_by_value(slope, -self.l1, self.l1) - slope
            write_to(moments, total)
            write_to(linear, slope)
            yield beyond / (new / lr + 2.0 * self.l2)

    construct = _construct  # type: ignore[assignment]


class ProximalAdagrad(Optimizer):
    """`Adagrad` with L1 and L2 regularisation that is solved for, not differentiated (Duchi and Singer 2009):
    Parameters become exactly zero where the L1 term wins.

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        accum: the first value of the sum of squares, at least 0.
        l1, l2: at least 0.
        use_locking: kept for scripts.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.ProximalAdagrad([w], learning_rate=0.1, l1=1.0)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.80930746 2.        ]
    """

    takes_complex = False

    def __init__(
        self,
        params: ParameterGroups,
        accum: float = 0.1,
        learning_rate: LearningRate = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: LearningRate = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_bool(use_locking, self.cls_name, "use_locking")
        self.l1 = float_of(l1, self.cls_name, "l1")
        self.l2 = float_of(l2, self.cls_name, "l2")
        self.accum = self.slots("accum", float_of(accum, self.cls_name, "accum"))

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        for (w, g, lr), accum in zip(self.prepared(gradients), self.accum):
            total = wide(accum) + ops.square(g)
            write_to(accum, total)
            rate = lr / ops.sqrt(total)
            new = wide(w) - rate * g
            if self.l1:
                new = ops.sign(new) * ops.relu(ops.abs(new) - rate * self.l1)
            yield new / (1.0 + rate * self.l2)

    construct = _construct  # type: ignore[assignment]
