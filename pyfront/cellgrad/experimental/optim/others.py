"""Optimizers with ``param_groups`` beside Adam and SGD. Each adds ``weight_decay`` times the Parameter to its
gradient.
"""

from __future__ import annotations

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Gradients, LearningRate, ParameterGroups, State
from cellgrad.core.arguments import check_bool, check_number
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor
from cellgrad.experimental.optim.optimizers import Optimizer, check_betas, correction
from cellgrad.nn.optim.optimizer import float_of, refuse_complex, wide
from cellgrad.ops.selection import write_to

__all__ = ["ASGD", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"]


class _Decayed(Optimizer):
    """The base: settings that are checked, and gradients with weight decay."""

    def __init__(self, params: ParameterGroups, **settings: object):
        name = self.cls_name
        for key, value in settings.items():
            if key == "betas":
                check_betas(value, name)
            elif key in ("maximize", "centered"):
                check_bool(value, name, key)
            elif key not in ("lr", "etas", "step_sizes"):
                float_of(value, name, key)
        super().__init__(params, settings)
        refuse_complex(self.parameters, name)

    def _zeros(self, name: str) -> ParameterTuple:
        return self.parameters.clone(prefix=name, init="zeros")

    def _numbers(self, name: str, value: float) -> ParameterTuple:
        """A number for each Parameter."""
        kind = mstype.default_float()
        return ParameterTuple(
            [Parameter(Tensor(value, kind), name=f"{name}.{p.name}") for p in self.parameters]
        )

    def decayed(self, gradients: Gradients) -> list[tuple[int, Parameter, Tensor, Tensor, State]]:
        """The number of each Parameter, the Parameter, its value and gradient, and its group."""
        out = []
        for i, w, g, group in self.steps(gradients):
            weight = wide(w)
            decay = group.get("weight_decay", 0.0)
            out.append((i, w, weight, g + weight * decay if decay else g, group))
        return out


def _mixed(state: Parameter, rate: float, new: Tensor) -> Tensor:
    """A moving average after a step: assigned, and in float32 at least."""
    out = wide(state) * rate + new * (1.0 - rate)
    write_to(state, out)
    return out


class Adadelta(_Decayed):
    """Adadelta (Zeiler 2012): steps of the size of earlier ones.

    Args:
        params: see `Optimizer`.
        lr: a factor, a number or a 0-d Tensor.
        rho: the rate of both moving averages, in [0, 1].
        eps, weight_decay: at least 0.
        maximize: whether to climb.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.Adadelta([w], lr=100.0)((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.68377393 2.3162262 ]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ):
        check_number(rho, "Adadelta", "rho", at_least=0, at_most=1)
        super().__init__(
            params, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize
        )
        self.accum, self.accum_update = self._zeros("accum"), self._zeros("accum_update")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            rho, eps = group["rho"], group["eps"]
            square = _mixed(self.accum[i], rho, g * g)
            update = ops.sqrt(wide(self.accum_update[i]) + eps) / ops.sqrt(square + eps) * g
            _mixed(self.accum_update[i], rho, update * update)
            write_to(w, weight - group["lr"] * update)
        return True


class Adagrad(_Decayed):
    """Adagrad (Duchi, Hazan, Singer 2011): gradients over roots of the sums of their squares.

    Args:
        params, lr, eps, weight_decay, maximize: as of `Adadelta`.
        lr_decay: the rate of step t is ``lr / (1 + (t - 1) * lr_decay)``; at least 0.
        initial_accumulator_value: what the sums of squares begin with; at least 0.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.Adagrad([w], lr=0.1)((Tensor([1.0, -2.0]),))
    >>> print(w.value())
    [0.9 2.1]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ):
        super().__init__(
            params,
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
            maximize=maximize,
        )
        self.accum = self._zeros("accum")
        groups = [g for g in self.param_groups for _ in g["params"]]
        for accum, group in zip(self.accum, groups, strict=True):
            accum.set_data(ops.full_like(accum, group["initial_accumulator_value"]))

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            rate = group["lr"] / (1.0 + (self.state_step - 1.0) * group["lr_decay"])
            total = wide(self.accum[i]) + g * g
            write_to(self.accum[i], total)
            write_to(w, weight - rate * g / (ops.sqrt(total) + group["eps"]))
        return True


class Adamax(_Decayed):
    """Adamax (Kingma, Ba 2015): Adam with the largest gradient so far in place of the second moment.

    Args:
        params, lr, eps, weight_decay, maximize: as of `Adadelta`.
        betas: two numbers in [0, 1).

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.Adamax([w], lr=0.1)((Tensor([1.0, -2.0]),))
    >>> print(w.value())
    [0.9 2.1]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ):
        super().__init__(
            params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize
        )
        self.exp_avg, self.exp_inf = self._zeros("exp_avg"), self._zeros("exp_inf")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            beta1, beta2 = group["betas"]
            m = _mixed(self.exp_avg[i], beta1, g)
            largest = ops.maximum(wide(self.exp_inf[i]) * beta2, ops.abs(g) + group["eps"])
            write_to(self.exp_inf[i], largest)
            rate = ops.cast(group["lr"] / correction(beta1, self.state_step), m.dtype)
            write_to(w, weight - rate * m / largest)
        return True


class NAdam(_Decayed):
    """Adam with Nesterov's momentum (Dozat 2016).

    Args:
        params, lr, eps, weight_decay: as of `Adadelta`.
        betas: two numbers in [0, 1).
        momentum_decay: how fast the momentum grows to ``betas[0]``; at least 0.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.NAdam([w], lr=0.1)((Tensor([1.0, -2.0]),))
    >>> print(w.value().asnumpy().round(4))
    [0.8944 2.1056]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
    ):
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            momentum_decay=momentum_decay,
        )
        self.exp_avg, self.exp_avg_sq = self._zeros("exp_avg"), self._zeros("exp_avg_sq")
        self.mu_product = self._numbers("mu_product", 1.0)

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            (beta1, beta2), lr, decay = group["betas"], group["lr"], group["momentum_decay"]
            step = self.state_step
            now = beta1 * (1.0 - 0.5 * ops.pow(0.96, step * decay))
            after = beta1 * (1.0 - 0.5 * ops.pow(0.96, (step + 1.0) * decay))
            product = write_to(self.mu_product[i], self.mu_product[i] * now)
            m = _mixed(self.exp_avg[i], beta1, g)
            v = _mixed(self.exp_avg_sq[i], beta2, g * g)
            bottom = ops.sqrt(v / ops.cast(correction(beta2, step), v.dtype)) + group["eps"]
            by_gradient = lr * (1.0 - now) / (1.0 - product) * g
            by_momentum = lr * after / (1.0 - product * after) * m
            write_to(w, weight - (by_gradient + by_momentum) / bottom)
        return True


class RAdam(_Decayed):
    """Adam without its second moment while that is known badly (Liu et al. 2020).

    Args:
        params, lr, eps, weight_decay: as of `Adadelta`.
        betas: two numbers in [0, 1).

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.RAdam([w], lr=0.1)((Tensor([1.0, -2.0]),))
    >>> print(w.value())
    [0.9 2.2]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        self.exp_avg, self.exp_avg_sq = self._zeros("exp_avg"), self._zeros("exp_avg_sq")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            beta1, beta2 = group["betas"]
            step = self.state_step
            m = _mixed(self.exp_avg[i], beta1, g)
            v = _mixed(self.exp_avg_sq[i], beta2, g * g)
            correct1, correct2 = correction(beta1, step), correction(beta2, step)
            most = 2.0 / (1.0 - beta2) - 1.0
            length = most - 2.0 * step * (1.0 - correct2) / correct2
            known = ops.greater(length, 5.0)
            safe = ops.select(known, length, 6.0)  # of the way that is not taken
            top = (safe - 4.0) * (safe - 2.0) * most
            factor = ops.sqrt(top / ((most - 4.0) * (most - 2.0) * safe))
            adapted = ops.cast(factor * ops.sqrt(correct2), v.dtype) / (ops.sqrt(v) + group["eps"])
            scale = ops.select(known, adapted, ops.ones_like(adapted))
            write_to(w, weight - ops.cast(group["lr"] / correct1, m.dtype) * m * scale)
        return True


class RMSprop(_Decayed):
    """RMSprop (Hinton 2012): gradients over roots of moving averages of their squares.

    Args:
        params, lr, eps, weight_decay, maximize: as of `Adadelta`.
        alpha: the rate of the averages; at least 0.
        momentum: at least 0; 0 has none.
        centered: whether the squared average of the gradients is subtracted from that of their squares.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.RMSprop([w], lr=0.1, alpha=0.75)((Tensor([1.0, -2.0]),))
    >>> print(w.value())
    [0.8 2.2]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ):
        super().__init__(
            params,
            lr=lr,
            alpha=alpha,
            eps=eps,
            weight_decay=weight_decay,
            momentum=momentum,
            centered=centered,
            maximize=maximize,
        )
        self.mean_square, self.mean_grad = self._zeros("mean_square"), self._zeros("mean_grad")
        self.moment = self._zeros("moment")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            square = _mixed(self.mean_square[i], group["alpha"], g * g)
            if group["centered"]:
                mean = _mixed(self.mean_grad[i], group["alpha"], g)
                square = square - mean * mean
            update = g / (ops.sqrt(square) + group["eps"])
            if group["momentum"]:
                update = wide(self.moment[i]) * group["momentum"] + update
                write_to(self.moment[i], update)
            write_to(w, weight - group["lr"] * update)
        return True


class ASGD(_Decayed):
    """Averaged gradient descent (Polyak, Juditsky 1992): `ax` has the averages of the Parameters.

    Args:
        params, lr, weight_decay, maximize: as of `Adadelta`.
        lambd: a decay of the Parameters; at least 0.
        alpha: the power of the step in the rate ``lr / (1 + lambd * lr * t)**alpha``; at least 0.
        t0: the step from which on there are averages; before, they are the Parameters.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.ASGD([w], lr=0.5, lambd=0.0)((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.5 2.5]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ):
        super().__init__(
            params,
            lr=lr,
            lambd=lambd,
            alpha=alpha,
            t0=t0,
            weight_decay=weight_decay,
            maximize=maximize,
        )
        self.eta, self.mu = self._numbers("eta", 0.0), self._numbers("mu", 1.0)
        self.ax = self._zeros("ax")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            lr, step = group["lr"], self.state_step
            eta = ops.select(ops.equal(step, 1.0), lr, self.eta[i])
            new = weight * (1.0 - group["lambd"] * eta) - eta * g
            average = wide(self.ax[i])
            average = ops.select(
                ops.equal(self.mu[i], 1.0), new, average + (new - average) * self.mu[i]
            )
            write_to(w, new)
            write_to(self.ax[i], average)
            write_to(self.eta[i], lr / ops.pow(1.0 + group["lambd"] * lr * step, group["alpha"]))
            write_to(self.mu[i], 1.0 / ops.maximum(step - group["t0"], 1.0))
        return True


class Rprop(_Decayed):
    """Resilient propagation (Riedmiller, Braun 1993): steps by the signs of gradients, of a size that grows
    while a sign stays.

    Args:
        params, lr, maximize: as of `Adadelta`; `lr` is the size of the first steps.
        etas: the factors where a sign changes, in (0, 1), and where it stays, above 1.
        step_sizes: the least and the largest size.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = optim.Rprop([w], lr=0.5)((Tensor([1.0, -3.0]),))
    >>> print(w.value())
    [0.5 2.5]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ):
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise error(
                    ValueError, f"For 'Rprop', '{name}' must be two numbers, but got {pair}."
                )
        if not 0 < etas[0] < 1 < etas[1]:
            raise error(
                ValueError,
                f"For 'Rprop', 'etas' must be a number in (0, 1) and one above 1, but got {etas}.",
            )
        super().__init__(params, lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize)
        self.prev, self.step_size = self._zeros("prev"), self._zeros("step_size")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, weight, g, group in self.decayed(gradients):
            (less, more), (least, most) = group["etas"], group["step_sizes"]
            agree = g * wide(self.prev[i])
            factor = ops.select(ops.greater(agree, 0.0), more, ops.ones_like(agree))
            factor = ops.select(ops.less(agree, 0.0), less, factor)
            before = wide(self.step_size[i])
            before = ops.select(
                ops.equal(self.state_step, 1.0), ops.ones_like(before) * group["lr"], before
            )
            size = ops.clamp(before * factor, least, most)
            used = ops.select(ops.less(agree, 0.0), 0.0, g)
            write_to(self.step_size[i], size)
            write_to(self.prev[i], used)
            write_to(w, weight - ops.sign(used) * size)
        return True
