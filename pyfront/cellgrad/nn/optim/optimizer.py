"""The base of optimizers: parameter groups, learning rates, weight decay, loss scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import (
    Gradients,
    LearningRate,
    ParameterGroups,
    TensorLike,
    TensorOrTensors,
)
from cellgrad.core.arguments import check_bool, check_instance, check_number
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.nn.containers import CellList
from cellgrad.nn.learning_rate_schedule import LearningRateSchedule
from cellgrad.nn.optim import _shards
from cellgrad.ops.selection import write_to

__all__ = ["Optimizer"]

_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


def float_of(value: Any, owner: str, name: str, at_least: float = 0.0) -> float:
    """A number as a float, from `at_least` on."""
    return float(check_number(value, owner, name, at_least=at_least))


def fraction_of(value: Any, owner: str, name: str) -> float:
    """A number as a float between 0 and 1, both excluded."""
    return float(check_number(value, owner, name, above=0.0, below=1.0))


def one_minus(value: float) -> float:
    """``1 - value`` as arithmetic in the default dtype gives it, so that it fits to powers of the value
    that are computed in it.
    """
    kind = mstype.to_numpy(mstype.default_float()).type
    return float(kind(1) - kind(value))


def wide(x: Tensor) -> Tensor:
    """The elements in float32 at least, for the arithmetic of an update."""
    return ops.cast(x, mstype.promote(x.dtype, mstype.float32))


def _listed(parameters: Any, what: str) -> list[Any]:
    if parameters is None:
        raise error(ValueError, f"For 'Optimizer', the argument {what} can not be None.")
    if not isinstance(parameters, Iterable) or isinstance(parameters, Parameter):
        raise error(
            TypeError,
            f"For 'Optimizer', the argument {what} must be Iterable type, but got "
            f"{type(parameters).__name__}.",
            "pass net.trainable_params()",
        )
    listed = list(parameters)
    if not listed:
        raise error(
            ValueError,
            f"For 'Optimizer', the argument {what} must not be empty.",
            "net.trainable_params() is empty when the net has no Parameter, or none with "
            "requires_grad",
        )
    return listed


def _check_all_parameters(listed: list[Any], what: str) -> list[Parameter]:
    for i, p in enumerate(listed):
        if not isinstance(p, Parameter):
            raise error(
                TypeError,
                f"For 'Optimizer', the elements of {what} must be Parameter, but got "
                f"{type(p).__name__} at index {i}.",
            )
    return listed


def refuse_complex(parameters: Iterable[Parameter], optimizer: str) -> None:
    """For optimizers that divide by roots of squared gradients: squares of complex numbers are no sizes."""
    for p in parameters:
        if p.dtype.kind == "c":
            raise error(
                TypeError,
                f"For '{optimizer}', the parameters must be real, but '{p.name}' is of {p.dtype.title}.",
                "keep the real and the imaginary part as two Parameters, ops.complex(a, b) in construct, "
                "or take nn.SGD or nn.Momentum",
            )


class _Constant(LearningRateSchedule):
    """A learning rate that does not depend on the step, beside others that do."""

    def __init__(self, learning_rate: Parameter):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate


class _Listed(LearningRateSchedule):
    """A learning rate for each step; the last one is kept when they are used up."""

    def __init__(self, learning_rate: Tensor, name: str):
        super().__init__()
        self.learning_rate = Parameter(learning_rate, name=name)
        self.last = learning_rate.size - 1
        self.numbers = Tensor(np.arange(learning_rate.size), mstype.int32)

    def construct(self, global_step: Tensor) -> Tensor:
        now = ops.equal(self.numbers, ops.minimum(global_step, self.last))
        return ops.sum(ops.select(now, self.learning_rate, 0.0))  # type: ignore[no-any-return]


class _ScaledDecay(Cell):
    """A weight decay that depends on the step, times the loss scale."""

    def __init__(self, weight_decay: Cell, loss_scale: float):
        super().__init__()
        self.weight_decay = weight_decay
        self.loss_scale = loss_scale

    def construct(self, global_step: Tensor) -> Tensor:
        return self.weight_decay(global_step) * self.loss_scale  # type: ignore[no-any-return]


class Optimizer(Cell):
    """The base of optimizers. Calling one with gradients updates the Parameters; inside `jit` that
    is part of the compiled code, in place.

    Args:
        learning_rate: a number, a 0-d Tensor, a list or 1-d Tensor with one number a step (the last
            is kept when they are used up), or a `LearningRateSchedule`.
        parameters: Parameters, or dicts that group them: ``"params"`` with, where they differ from
            the arguments, ``"lr"``, ``"weight_decay"`` and ``"grad_centralization"``; one dict with
            ``"order_params"`` alone gives the order that gradients come in.
        weight_decay: a number, or a Cell of the step; not for Parameters with "beta" or "gamma" in
            their names, unless in groups.
        loss_scale: what the gradients are divided by.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: negative numbers, no Parameters, groups that do not fit their order.
        KeyError: an unknown key of a group.
        RuntimeError: a Parameter in two groups.

    >>> class Descent(nn.Optimizer):
    ...     def construct(self, gradients):
    ...         rate = self.get_lr()
    ...         for parameter, gradient in zip(self.parameters, gradients):
    ...             ops.assign_sub(parameter, rate * gradient)
    ...         return gradients
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> _ = Descent(0.5, [w])((Tensor([1.0, -1.0]),))
    >>> print(w.value())
    [0.5 2.5]
    """

    takes_complex = True  # whether Parameters may be of complex numbers

    def __init__(
        self,
        learning_rate: LearningRate,
        parameters: ParameterGroups,
        weight_decay: LearningRate = 0.0,
        loss_scale: float = 1.0,
    ):
        super().__init__(auto_prefix=False)
        listed = _listed(parameters, "parameters")
        self.is_group = all(isinstance(p, dict) for p in listed)
        if not self.is_group:
            _check_all_parameters(listed, "parameters")
        self.loss_scale = float(check_number(loss_scale, self.cls_name, "loss_scale", above=0))
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = 1.0 / self.loss_scale
        self.dynamic_lr = False
        self.dynamic_weight_decay = False
        self.is_group_lr = False
        self.is_group_params_ordered = False
        self.grad_centralization = False
        self.global_step = Parameter(Tensor([0], mstype.int32), name="global_step")
        self.global_step_increase_tensor = Tensor([1], mstype.int32)
        self.assignadd = ops.AssignAdd()
        self.map_, self.map_reverse = ops.Map(), ops.Map(None, True)
        self.hyper_map, self.hyper_map_reverse = ops.HyperMap(), ops.HyperMap(None, True)
        if self.is_group:
            self._init_groups(listed, learning_rate, weight_decay)
        else:
            self._init_plain(listed, learning_rate, weight_decay)
        self._parameters: ParameterTuple = self.parameters
        if not self.takes_complex:
            refuse_complex(self._parameters, self.cls_name)
        self.param_length = len(self._parameters)
        self.shards: _shards.Shards | None = None
        if _shards.wanted():
            _shards.check_shardable(self, Optimizer)
            self.shards = _shards.Shards(self._parameters, self.cls_name)

    # --- construction -------------------------------------------------------------------------

    def _init_plain(self, listed: list[Parameter], learning_rate: Any, weight_decay: Any) -> None:
        self.learning_rate: Any = self._rate(learning_rate, "learning_rate")
        self.parameters = ParameterTuple(listed)
        decay = self._decay(weight_decay)
        self.decay_flags = tuple("beta" not in p.name and "gamma" not in p.name for p in listed)
        self.dynamic_decay_flags: Any = isinstance(decay, Cell)
        self.exec_weight_decay = isinstance(decay, Cell) or decay > 0
        self.weight_decay: Any = decay

    def _init_groups(self, groups: list[Any], learning_rate: Any, weight_decay: Any) -> None:
        order = self._check_groups(groups)
        self.is_group_params_ordered = order is not None
        default = self._rate(learning_rate, "learning_rate")
        entries: list[tuple[Parameter, Any, Any, bool]] = []
        seen: set[int] = set()
        for number, group in enumerate(groups):
            if "order_params" in group:
                continue
            rate, decay = default, self._decay(group.get("weight_decay", weight_decay))
            if "lr" in group:
                rate = self._rate(group["lr"], f"learning_rate_group_{number}")
            for p in list(group["params"]):
                if id(p) in seen:
                    raise error(
                        RuntimeError,
                        f"For 'Optimizer', the {p.name} parameter already exists, it does not "
                        f"support repeated setting.",
                        "put each Parameter into one group",
                    )
                seen.add(id(p))
                entries.append((p, rate, decay, group.get("grad_centralization", False)))
        if order is not None:
            by_id = {id(e[0]): e for e in entries}
            if len(order) != len(entries) or {id(p) for p in order} != set(by_id):
                raise error(
                    ValueError,
                    f"For 'Optimizer', 'order_params' must name the Parameters of the groups, but "
                    f"got {len(order)} Parameters for {len(entries)}.",
                )
            entries = [by_id[id(p)] for p in order]
        self.group_params = [e[0] for e in entries]
        self.group_lr = [e[1] for e in entries]
        self.group_weight_decay = [e[2] for e in entries]
        self.parameters = ParameterTuple(self.group_params)
        if not self.is_group_lr:
            self.learning_rate = default
        elif self.dynamic_lr:
            lengths = sorted({r.last + 1 for r in self.group_lr if isinstance(r, _Listed)})
            if len(lengths) > 1:
                raise error(
                    ValueError,
                    "For 'Optimizer', the learning rates of the groups must have one length, but "
                    f"got {' and '.join(map(str, lengths))}.",
                    "give a number for each step to all groups, or one number",
                )
            cells = {id(r): r if isinstance(r, Cell) else _Constant(r) for r in self.group_lr}
            self.group_lr = [cells[id(r)] for r in self.group_lr]
            self.learning_rate = CellList(self.group_lr, auto_prefix=False)
        else:
            for i, r in enumerate({id(r): r for r in self.group_lr}.values()):
                self.insert_param_to_cell(f"group_rate_{i}", r)
            self.learning_rate = tuple(self.group_lr)
        decays = tuple(self.group_weight_decay)
        self.dynamic_decay_flags = tuple(isinstance(d, Cell) for d in decays)
        self.decay_flags = tuple(isinstance(d, Cell) or d > 0 for d in decays)
        self.exec_weight_decay = any(self.decay_flags)
        # Programs read these as Tensors; what is computed with are the numbers.
        self.weight_decay = tuple(d if isinstance(d, Cell) else Tensor(d) for d in decays)
        self.grad_centralization_flags = tuple(e[3] for e in entries)

    def _check_groups(self, groups: list[Any]) -> list[Parameter] | None:
        """The order of the Parameters, where one is given."""
        order = None
        for group in groups:
            unknown = [k for k in group if k not in _KEYS]
            if unknown:
                raise error(
                    KeyError,
                    f"For 'Optimizer', the key in group params must be one of in {list(_KEYS)}, "
                    f"but got {unknown}.",
                )
            if "order_params" in group:
                if len(group) > 1:
                    raise error(
                        ValueError,
                        "For 'Optimizer', the order params dict in group parameters should only "
                        f"include the 'order_params' key, but got {list(group)}.",
                    )
                order = _check_all_parameters(
                    _listed(group["order_params"], "'order_params'"), "'order_params'"
                )
                continue
            if "params" not in group:
                raise error(KeyError, "For 'Optimizer', a group needs the key 'params'.")
            _check_all_parameters(_listed(group["params"], "group `params`"), "a group")
            flag = group.get("grad_centralization", False)
            check_bool(flag, "Optimizer", "grad_centralization")
            self.is_group_lr = self.is_group_lr or "lr" in group
        if order is not None and len(groups) == 1:
            raise error(ValueError, "For 'Optimizer', 'order_params' needs groups to order.")
        return order

    def _rate(self, learning_rate: Any, name: str) -> Any:
        """A Parameter, or a Cell of the step."""
        if isinstance(learning_rate, LearningRateSchedule):
            self.dynamic_lr = True
            return learning_rate
        if isinstance(learning_rate, int | float):
            value = float_of(learning_rate, self.cls_name, "learning rate")
            return Parameter(Tensor(value, mstype.default_float()), name=name)
        if not isinstance(learning_rate, Tensor):
            text = isinstance(learning_rate, str)
            if text or not isinstance(learning_rate, Iterable):
                raise error(
                    ValueError if text else TypeError,  # as MindSpore has it
                    "For 'Optimizer', the argument 'learning_rate' must be int, float, Tensor, "
                    f"Iterable or LearningRateSchedule, but got {type(learning_rate).__name__}.",
                )
            learning_rate = Tensor([float(rate) for rate in learning_rate])
        if learning_rate.ndim == 0:
            return Parameter(Tensor(learning_rate.asnumpy(), mstype.default_float()), name=name)
        if learning_rate.ndim > 1 or not learning_rate.size:
            raise error(
                ValueError,
                "For 'Optimizer', if 'learning_rate' is Tensor type, then the dimension of it "
                f"should be 0 or 1, but got shape {list(learning_rate.shape)}.",
            )
        self.dynamic_lr = True
        return _Listed(Tensor(learning_rate.asnumpy(), mstype.default_float()), name)

    def _decay(self, weight_decay: Any) -> Any:
        """A number, or a Cell of the step; either times the loss scale."""
        if isinstance(weight_decay, Cell):
            self.dynamic_weight_decay = True
            return _ScaledDecay(weight_decay, self.loss_scale)
        return float_of(weight_decay, self.cls_name, "weight_decay") * self.loss_scale

    def slots(self, prefix: str, init: TensorLike | str = "zeros") -> ParameterTuple:
        """State of the Parameters' shapes: new Parameters named ``prefix.name``. With
        `enable_parallel_optimizer`, this rank's part of it.
        """
        if self.shards is not None:
            return self.shards.slots(prefix, init)
        return self._parameters.clone(prefix=prefix, init=init)

    # --- what a step uses ---------------------------------------------------------------------

    def get_lr(self) -> TensorOrTensors:
        """The learning rate of this step: one, or with rates in groups a tuple, one a Parameter.

        >>> optimizer = nn.SGD([Parameter(Tensor([1.0]), name="w")], learning_rate=0.5)
        >>> print(optimizer.get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)
        """
        if not self.dynamic_lr:
            return self.learning_rate
        if not self.is_group_lr:
            return self.learning_rate(self.global_step).reshape(())
        found: dict[int, Tensor] = {}
        for cell in self.learning_rate:
            if id(cell) not in found:
                found[id(cell)] = cell(self.global_step).reshape(())
        return tuple(found[id(cell)] for cell in self.learning_rate)

    def get_weight_decay(self) -> TensorOrTensors:
        """The weight decay of this step: one, or with groups a tuple, one a Parameter."""
        if self.is_group:
            return tuple(
                d(self.global_step) if isinstance(d, Cell) else d for d in self.weight_decay
            )
        if isinstance(self.weight_decay, Cell):
            return self.weight_decay(self.global_step)
        return self.weight_decay

    def decays(self) -> list[Any]:
        """The weight decay of each Parameter, None where there is none."""
        if not self.exec_weight_decay:
            return [None] * self.param_length
        if self.is_group:
            given = zip(self.weight_decay, self.group_weight_decay, strict=True)
            each = [d(self.global_step) if isinstance(d, Cell) else n for d, n in given]
        else:
            each = [self.get_weight_decay()] * self.param_length
        return [d if flag else None for d, flag in zip(each, self.decay_flags)]

    def decay_weight(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The gradients plus weight decay times the Parameters."""
        return self._decayed(gradients, self._parameters)

    def _decayed(
        self, gradients: Sequence[Tensor], weights: Sequence[Tensor]
    ) -> tuple[Tensor, ...]:
        out = []
        for g, w, d in zip(gradients, weights, self.decays()):
            out.append(g if d is None else g + w * ops.cast(d, w.dtype))
        return tuple(out)

    def gradients_centralization(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The gradients minus their means over all dimensions but the first, where a group asks for
        it and, as in MindSpore, the second dimension is a multiple of 16.
        """
        if not self.is_group:
            return tuple(gradients)
        flags = self.grad_centralization_flags
        return tuple(
            g - ops.mean(g, tuple(range(1, g.ndim)), True)
            if flag and g.ndim > 1 and g.shape[1] % 16 == 0
            else g
            for g, flag in zip(gradients, flags)
        )

    def scale_grad(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The gradients divided by the loss scale."""
        if not self.need_scale:
            return tuple(gradients)
        return tuple(g * self.reciprocal_scale for g in gradients)

    def prepared(
        self, gradients: Sequence[Tensor] | _shards.Parts, decay: bool = True
    ) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Each Parameter, its gradient with decay (unless the update does it), centralised and
        unscaled, and its learning rate; counts the step. Of `Parts`, the parts of the Parameters.

        Raises:
            TypeError: gradients that are not a tuple or list of Tensors.
            ValueError: their number or shapes are not those of the Parameters.
        """
        weights: Sequence[Tensor] = self._parameters
        if self.shards is not None:
            if not isinstance(gradients, _shards.Parts):
                gradients = self.shards.own(self._checked(gradients))
            checked, weights = gradients.tensors, self.shards.own(self._parameters).tensors
        else:
            checked = self._checked(gradients)
        if decay:
            checked = self._decayed(checked, weights)
        checked = self.scale_grad(self.gradients_centralization(checked))
        rate = self.get_lr()
        rates = rate if self.is_group_lr else [rate] * self.param_length
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return [(w, wide(g), r) for w, g, r in zip(weights, checked, rates)]

    def _checked(self, gradients: Any) -> tuple[Tensor, ...]:
        if isinstance(gradients, Tensor) and self.param_length == 1:
            gradients = (gradients,)
        if not isinstance(gradients, tuple | list):
            raise error(
                TypeError,
                f"For '{self.cls_name}', the gradients must be a tuple of Tensors, but got "
                f"{type(gradients).__name__}.",
                "ms.value_and_grad(..., weights=optimizer.parameters) gives one",
            )
        if len(gradients) != self.param_length:
            raise error(
                ValueError,
                f"For '{self.cls_name}', expected {self.param_length} gradients, one a Parameter, "
                f"but got {len(gradients)}.",
                "differentiate by optimizer.parameters",
            )
        for g, w in zip(gradients, self._parameters):
            if not isinstance(g, Tensor):
                raise error(
                    TypeError,
                    f"For '{self.cls_name}', the gradient of '{w.name}' must be a Tensor, but got "
                    f"{type(g).__name__}.",
                )
            if g.shape != w.shape:
                raise error(
                    ValueError,
                    f"For '{self.cls_name}', the gradient of '{w.name}' must have its shape "
                    f"{list(w.shape)}, but has {list(g.shape)}.",
                    "gradients come in the order of optimizer.parameters",
                )
        return tuple(gradients)

    def get_lr_parameter(self, param: Any) -> TensorOrTensors:
        """The learning rate of a Parameter, or those of a list of them.

        Raises:
            TypeError: `param` is neither.
            ValueError: a Parameter that is not the optimizer's.

        >>> w = Parameter(Tensor([1.0]), name="w")
        >>> print(nn.SGD([w], learning_rate=0.5).get_lr_parameter(w).value())
        0.5
        """
        listed = param if isinstance(param, list) else [param]
        positions = {id(p): i for i, p in enumerate(self._parameters)}
        out = []
        for p in listed:
            check_instance(
                p, "get_lr_parameter", "param", Parameter, expected="a Parameter or a list of them"
            )
            if id(p) not in positions:
                raise error(
                    ValueError,
                    f"For 'get_lr_parameter', the parameter {p.name} is not in optimizer, please "
                    f"check whether the argument 'param' is correct.",
                )
            rate = self.learning_rate[positions[id(p)]] if self.is_group_lr else self.learning_rate
            out.append(rate.learning_rate if isinstance(rate, _Constant | _Listed) else rate)
        return out if isinstance(param, list) else out[0]

    def update(self, gradients: Gradients) -> Iterator[Tensor]:
        """The new value of each Parameter, from what `prepared` makes of the gradients; updates the state.

        An optimizer defines this where it works element by element, or `construct`.
        """
        raise error(
            NotImplementedError, f"For '{self.cls_name}', the method 'construct' is not defined."
        )

    def construct(self, gradients: Gradients) -> TensorOrTensors:
        values = self.update(gradients)
        if self.shards is not None:
            pairs = zip(self._parameters, values, strict=True)
            self.shards.assign([ops.cast(value, w.dtype) for w, value in pairs])
            return True
        for w, value in zip(self._parameters, values, strict=True):
            write_to(w, value)
        return True
