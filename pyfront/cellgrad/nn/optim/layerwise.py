"""LARS: gradients scaled layer by layer, before another optimizer's step."""

from __future__ import annotations

from collections.abc import Callable

from cellgrad import ops
from cellgrad.core.aliases import Gradients, TensorOrTensors
from cellgrad.core.arguments import check_bool, check_callable, check_instance
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.nn.optim.optimizer import Optimizer

__all__ = ["LARS"]


def _is_scaled(parameter: Parameter) -> bool:
    return "LayerNorm" not in parameter.name and "bias" not in parameter.name


class LARS(Optimizer):
    """Another optimizer, whose gradients are first multiplied by the ratio of the norms of weights and
    gradients, layer by layer (You et al. 2017). Weight decay is part of it, no longer of the other
    optimizer.

    Args:
        optimizer: an Optimizer.
        epsilon: added to the divisor.
        coefficient: of the ratio.
        use_clip: whether the ratio is divided by the learning rate, and at most 1.
        lars_filter: of a Parameter, whether its gradient is scaled; by default, if its name has neither
            "LayerNorm" nor "bias" in it.

    Raises:
        TypeError: arguments of other types.
        ValueError: `use_clip` with rates that depend on the group and on the step; an optimizer whose
            state is shared among ranks.

    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = nn.LARS(nn.SGD([w], 1.0), epsilon=0.0, coefficient=0.5)
    >>> _ = optimizer((Tensor([1.0, -2.0]),))
    >>> print(w.value())
    [0.5 3. ]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-05,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Parameter], bool] = _is_scaled,
    ):
        name = type(self).__name__
        opt = check_instance(optimizer, name, "optimizer", Optimizer)
        check_instance(epsilon, name, "epsilon", float)
        check_instance(coefficient, name, "coefficient", float)
        check_bool(use_clip, name, "use_clip")
        check_callable(lars_filter, name, "lars_filter")
        super().__init__(0.0, list(opt.parameters), 0.0, opt.loss_scale)
        if opt.shards is not None or (use_clip and opt.is_group_lr and opt.dynamic_lr):
            raise error(
                ValueError,
                "For 'LARS', the optimizer must keep its whole state, and with 'use_clip' have no rates "
                "that depend on both the group and the step.",
            )
        self.opt = opt
        self.use_clip = use_clip
        self.lars_flag = tuple(bool(lars_filter(p)) for p in self.parameters)
        self.lars = ops.LARSUpdate(epsilon, coefficient, use_clip)
        # Decay and scale are done here, and no longer there.
        self.is_group, self.global_step = opt.is_group, opt.global_step
        self.weight_decay, self.decay_flags = opt.weight_decay, opt.decay_flags
        self.exec_weight_decay, self.need_scale = opt.exec_weight_decay, opt.need_scale
        opt.exec_weight_decay = opt.need_scale = False
        opt.reciprocal_scale = 1.0

    def construct(self, gradients: Gradients) -> TensorOrTensors:
        scaled = self.scale_grad(self._checked(gradients))
        rate = self.opt.get_lr() if self.use_clip else 0.0
        rates = rate if isinstance(rate, tuple) else [rate] * self.param_length
        out = []
        for g, w, decay, r, flag in zip(
            scaled, self.parameters, self.decays(), rates, self.lars_flag
        ):
            if flag:
                decay = 0.0 if decay is None else decay / self.loss_scale
                sums = ops.reduce_sum(ops.square(w)), ops.reduce_sum(ops.square(g))
                g = self.lars(w, g, *sums, decay, r)
            out.append(g)
        return self.opt(tuple(out))
