"""Training steps with a loss scale: gradients of float16 neither vanish nor overflow unnoticed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from cellgrad import ops
from cellgrad.capture.branches import perform_where
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import Gradients, TensorLike, TensorOrTensors
from cellgrad.core.arguments import check_instance, check_int
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.nn.wrap.cell_wrapper import TrainOneStepCell
from cellgrad.nn.wrap.finite import all_finite
from cellgrad.ops.collectives import all_reduce

T = TypeVar("T")

__all__ = [
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "TrainOneStepWithLossScaleCell",
    "unless",
]


def unless(condition: Tensor, action: Callable[[], Any]) -> None:
    """Does `action`, whose assignments to Parameters count, where `condition` does not hold.

    In compiled code that is a branch: what is left out costs nothing, and what is done writes the
    Parameters in place.
    """
    if state.current.scope is not None:
        perform_where(ops.logical_not(condition), action)
    elif not bool(condition.asnumpy()):
        action()


class FixedLossScaleUpdateCell(Cell):
    """A loss scale that stays.

    Args:
        loss_scale_value: the scale.

    >>> print(nn.FixedLossScaleUpdateCell(loss_scale_value=1024).get_loss_scale())
    1024
    """

    def __init__(self, loss_scale_value: float):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """The first scale."""
        return self.loss_scale_value

    def construct(self, _: object, overflow: Tensor) -> Tensor:
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """A loss scale that shrinks after overflow and grows after `scale_window` steps without.

    Args:
        loss_scale_value: the first scale.
        scale_factor: what it is divided by, down to 1, and multiplied by.
        scale_window: a positive int.

    Inputs:
        loss_scale: the Parameter that is updated.
        overflow: whether this step's gradients are not finite; returned.

    Raises:
        TypeError, ValueError: a window of another type or size.

    >>> manager = nn.DynamicLossScaleUpdateCell(1024, scale_factor=2, scale_window=1000)
    >>> print(manager.get_loss_scale())
    1024
    """

    def __init__(self, loss_scale_value: float, scale_factor: float, scale_window: int):
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor = float(scale_factor)
        self.scale_window = check_int(scale_window, self.cls_name, "scale_window", at_least=1)
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(
            Tensor(0, mstype.int32), name="last_overflow_iterator_step"
        )

    def get_loss_scale(self) -> float:
        """The first scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Tensor) -> Tensor:
        grow = ops.greater_equal(self.cur_iter - self.last_overflow_iter, self.scale_window)
        smaller = ops.maximum(loss_scale / self.scale_factor, 1.0)
        grown = loss_scale * self.scale_factor
        # An infinite scale could never shrink again.
        larger = ops.select(ops.logical_and(grow, ops.isfinite(grown)), grown, loss_scale)
        ops.assign(loss_scale, ops.select(overflow, smaller, larger))
        counted = ops.logical_or(overflow, grow)
        ops.assign(
            self.last_overflow_iter, ops.select(counted, self.cur_iter, self.last_overflow_iter)
        )
        ops.assign(self.cur_iter, self.cur_iter + 1)
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step whose loss is scaled before it is differentiated; the gradients are divided
    by the scale, and where one of them is not finite the optimizer's update does not happen.

    Args:
        network: gives its loss.
        optimizer: updates its `parameters`.
        scale_sense: a Cell that updates the scale, or a Tensor of shape () or (1,).

    Inputs:
        what the network takes.

    Outputs:
        the loss; whether there was an overflow, a 0-d bool Tensor; the scale, after its update.

    Raises:
        TypeError: `scale_sense` is neither.
        ValueError: a Tensor of another shape.

    >>> net = nn.WithLossCell(nn.Dense(2, 1, "ones", has_bias=False), nn.MSELoss())
    >>> optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
    >>> step = nn.TrainOneStepWithLossScaleCell(net, optimizer, Tensor(1024.0))
    >>> loss, overflow, scale = step(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
    >>> print(loss, overflow, scale)
    4.0 False 1024.0
    """

    def __init__(self, network: Cell, optimizer: Cell, scale_sense: Tensor | Cell):
        super().__init__(network, optimizer, sens=None)
        self.hyper_map = ops.HyperMap()
        self.is_distributed = False
        self.loss_scaling_manager: Any = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            first: Any = scale_sense.get_loss_scale()
            scale_sense = Tensor(float(first), mstype.float32)
        check_instance(
            scale_sense,
            self.cls_name,
            "scale_sense",
            Tensor,
            expected="a Cell or a Tensor",
            hint="nn.FixedLossScaleUpdateCell(number) is a Cell with a fixed scale",
        )
        if scale_sense.shape not in ((), (1,)):
            raise error(
                ValueError,
                f"For '{self.cls_name}', the shape of 'scale_sense' must be (1,) or (), but got "
                f"{scale_sense.shape}.",
            )
        self.scale_sense = Parameter(scale_sense, name="scale_sense")

    def set_sense_scale(self, sens: Tensor) -> None:
        """Sets the scale.

        Raises:
            TypeError: `sens` is not a Tensor.
        """
        check_instance(sens, self.cls_name, "sens", Tensor)
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond: object, compute_input: T) -> tuple[Tensor, T]:
        """A status for `get_overflow_status`, and `compute_input`; nothing needs to be started."""
        return ops.zeros(8, mstype.int32), compute_input

    def get_overflow_status(self, status: Tensor, compute_output: Gradients) -> Tensor:
        """Whether an element of the gradients is not finite: a 0-d bool Tensor."""
        return ops.logical_not(all_finite(compute_output))  # type: ignore[no-any-return]

    def process_loss_scale(self, overflow: Tensor) -> Tensor:
        """Updates the scale; returns `overflow`."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)  # type: ignore[no-any-return]
        return overflow

    def gradients(self, *inputs: object) -> tuple[TensorOrTensors, tuple[Tensor, ...]]:
        scale = self.scale_sense.reshape(())
        loss, grads = self.loss_and_gradients(scale, *inputs)
        inverse = ops.reciprocal(scale)
        return loss, tuple(g * ops.cast(inverse, g.dtype) for g in grads)

    def finish(
        self, loss: TensorLike, grads: Sequence[Tensor]
    ) -> tuple[TensorOrTensors, Tensor, Tensor]:
        status = ops.zeros(8, mstype.int32)
        if self.shards is None:
            overflow = self.get_overflow_status(status, grads)
        else:  # of the own parts, and then of all
            overflow = all_reduce(self.get_overflow_status(status, cast(Any, grads).tensors), "max")
        overflow = self.process_loss_scale(overflow)
        unless(overflow, lambda: self.optimizer(grads))
        return loss, overflow, self.scale_sense.value()
