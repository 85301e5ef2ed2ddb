"""Optimizers with ``param_groups``: Adam, AdamW, SGD."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Gradients, LearningRate, ParameterGroups, State
from cellgrad.core.arguments import check_bool
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.nn.optim.optimizer import float_of, refuse_complex, wide
from cellgrad.ops.selection import write_to

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]


class Optimizer(Cell):
    """The base. Calling one with gradients updates the Parameters; inside `jit` that is part of the
    compiled code, in place.

    Args:
        params: Parameters, or dicts that group them: ``"params"`` and what differs from the
            defaults.
        defaults: values by name; ``"lr"`` becomes a Parameter of each group.

    Raises:
        TypeError: something that is neither.
        ValueError: no Parameters, a Parameter in two groups, or unknown or negative settings.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> class Descent(optim.Optimizer):
    ...     def construct(self, gradients):
    ...         for parameter, gradient in zip(self.parameters, gradients):
    ...             ops.assign_sub(parameter, self.param_groups[0]["lr"] * gradient)
    ...         return True
    >>> _ = Descent([w], {"lr": 0.5, "weight_decay": 0.0})((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.5 2.5]
    """

    def __init__(self, params: ParameterGroups, defaults: dict[str, object]):
        super().__init__(auto_prefix=False)
        if isinstance(params, Parameter) or not isinstance(params, Iterable):
            raise error(
                TypeError,
                "For 'Optimizer', the argument params must be Iterable type, but got "
                f"{type(params).__name__}.",
            )
        listed = list(params)
        if not listed:
            raise error(ValueError, "For 'Optimizer', the argument params must not be empty.")
        groups = listed if isinstance(listed[0], dict) else [{"params": listed}]
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        found: list[Parameter] = []
        for number, group in enumerate(groups):
            self.param_groups.append(self._group(number, group))
            found += self.param_groups[-1]["params"]
        if len({id(p) for p in found}) != len(found):
            raise error(ValueError, "some parameters appear in more than one parameter group.")
        self.parameters = ParameterTuple(found)
        self.state_step = Parameter(Tensor(0.0, mstype.default_float()), name="state_step")

    def _group(self, number: int, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict) or "params" not in given:
            raise error(TypeError, "Param group must be a dict with 'params'.")
        unknown = set(given) - {"params", *self.defaults}
        if unknown:
            raise error(
                ValueError,
                f"For '{self.cls_name}', a group can set {sorted(self.defaults)}, but got "
                f"{sorted(unknown)}.",
            )
        group = {**self.defaults, **given}
        params = group["params"]
        group["params"] = [params] if isinstance(params, Parameter) else list(params)
        for p in group["params"]:
            if not isinstance(p, Parameter):
                raise error(
                    TypeError,
                    f"Optimizer can only optimize Parameters, but one of the params is "
                    f"{type(p).__name__}.",
                )
        rate, kind = group["lr"], mstype.default_float()
        if not isinstance(rate, Tensor):
            rate = Tensor(float_of(rate, self.cls_name, "learning rate"), kind)
        if rate.ndim:
            raise error(ValueError, "For 'Optimizer', a Tensor as 'lr' must have no dimensions.")
        group["lr"] = Parameter(rate.astype(kind), name=f"learning_rate_group_{number}")
        self.insert_param_to_cell(f"lr_{number}", group["lr"])
        float_of(group.get("weight_decay", 0.0), self.cls_name, "weight_decay")
        return group

    def steps(self, gradients: Gradients) -> list[tuple[int, Parameter, Tensor, State]]:
        """The number of each Parameter, the Parameter, its gradient and its group; counts the step.

        Raises:
            ValueError: another number of gradients, or of other shapes.
        """
        listed = tuple(gradients)
        shapes = [g.shape for g in listed]
        if shapes != [p.shape for p in self.parameters]:
            raise error(
                ValueError,
                f"For '{self.cls_name}', expected gradients of shapes "
                f"{[list(p.shape) for p in self.parameters]}, but got {[list(s) for s in shapes]}.",
                "differentiate by optimizer.parameters",
            )
        write_to(self.state_step, self.state_step + 1.0)
        groups = [g for g in self.param_groups for _ in g["params"]]
        out = []
        for i, (p, g, group) in enumerate(zip(self.parameters, listed, groups)):
            out.append((i, p, -wide(g) if group.get("maximize") else wide(g), group))
        return out


def check_betas(betas: Any, owner: str) -> None:
    """Checks the two rates of moving averages."""
    if not isinstance(betas, tuple | list) or len(betas) != 2 or not all(0 <= b < 1 for b in betas):
        raise error(
            ValueError, f"For '{owner}', 'betas' must be two numbers in [0, 1), got {betas}."
        )


def correction(beta: float, step: Tensor) -> Tensor:
    """``1 - beta**step``, in float64: few digits of float32 are left where `beta` is near 1."""
    return 1.0 - ops.pow(beta, ops.cast(step, mstype.float64))


class Adam(Optimizer):
    """Adam, with bias correction before epsilon; weight decay is added to the gradient.

    Args:
        params: see `Optimizer`.
        lr: a number, or a 0-d Tensor.
        betas: two numbers in [0, 1).
        eps, weight_decay: at least 0.
        amsgrad: whether the greatest second moment so far is used.
        maximize: whether to climb.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = optim.Adam([w], lr=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.9 2.1]
    """

    _DECOUPLED = False

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ):
        check_betas(betas, self.cls_name)
        float_of(eps, self.cls_name, "eps")
        defaults: dict[str, object] = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": check_bool(amsgrad, self.cls_name, "amsgrad"),
            "maximize": check_bool(maximize, self.cls_name, "maximize"),
        }
        super().__init__(params, defaults)
        refuse_complex(self.parameters, "Adam")
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        if any(g["amsgrad"] for g in self.param_groups):
            self.max_exp_avg_sq = self.parameters.clone(prefix="max_exp_avg_sq", init="zeros")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, g, group in self.steps(gradients):
            (beta1, beta2), lr, decay = group["betas"], group["lr"], group["weight_decay"]
            weight = wide(w)
            if decay and self._DECOUPLED:
                weight = weight * (1.0 - lr * decay)
            elif decay:
                g = g + weight * decay
            m = wide(self.exp_avg[i]) * beta1 + g * (1.0 - beta1)
            v = wide(self.exp_avg_sq[i]) * beta2 + ops.square(g) * (1.0 - beta2)
            write_to(self.exp_avg[i], m)
            write_to(self.exp_avg_sq[i], v)
            if group["amsgrad"]:
                v = ops.maximum(wide(self.max_exp_avg_sq[i]), v)
                write_to(self.max_exp_avg_sq[i], v)
            correct2 = ops.sqrt(correction(beta2, self.state_step))
            bottom = ops.sqrt(v) / ops.cast(correct2, v.dtype) + group["eps"]
            rate = ops.cast(lr / correction(beta1, self.state_step), m.dtype)
            write_to(w, weight - rate * m / bottom)
        return True


class AdamW(Adam):
    """`Adam` with decoupled weight decay: Parameters are multiplied by ``1 - lr * weight_decay``.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = optim.AdamW([w], lr=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.899 2.098]
    """

    _DECOUPLED = True

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class SGD(Optimizer):
    """Gradient descent, optionally with momentum; the buffer starts as the first gradient.

    Args:
        params, lr, weight_decay, maximize: as of `Adam`.
        momentum, dampening: at least 0.
        nesterov: needs a momentum and no dampening.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> _ = optimizer((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.9 2.1]
    """

    def __init__(
        self,
        params: ParameterGroups,
        lr: LearningRate,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ):
        if nesterov and (momentum <= 0 or dampening != 0):
            raise error(
                ValueError,
                "For 'SGD', 'nesterov' needs a positive 'momentum' and no 'dampening', but got "
                f"{momentum} and {dampening}.",
            )
        defaults: dict[str, object] = {
            "lr": lr,
            "momentum": float_of(momentum, "SGD", "momentum"),
            "dampening": float_of(dampening, "SGD", "dampening"),
            "weight_decay": weight_decay,
            "nesterov": check_bool(nesterov, "SGD", "nesterov"),
            "maximize": check_bool(maximize, "SGD", "maximize"),
        }
        super().__init__(params, defaults)
        self.accum = self.parameters.clone(prefix="accum", init="zeros")

    def construct(self, gradients: Gradients) -> bool:
        for i, w, g, group in self.steps(gradients):
            momentum, dampening = group["momentum"], group["dampening"]
            weight = wide(w)
            if group["weight_decay"]:
                g = g + weight * group["weight_decay"]
            if momentum:
                buffer = wide(self.accum[i]) * momentum + g * (1.0 - dampening)
                if dampening:
                    buffer = ops.select(ops.equal(self.state_step, 1.0), g, buffer)
                write_to(self.accum[i], buffer)
                g = g + buffer * momentum if group["nesterov"] else buffer
            write_to(w, weight - group["lr"] * g)
        return True
