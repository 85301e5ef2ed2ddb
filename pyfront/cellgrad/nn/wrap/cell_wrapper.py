"""Networks with a loss, with their gradient, and as a training step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import TensorLike, TensorOrTensors
from cellgrad.core.arguments import check_bool, check_callable, check_instance
from cellgrad.core.context import ParallelMode
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor
from cellgrad.nn._precision import cast_floats
from cellgrad.nn.cell import Cell
from cellgrad.nn.optim import _shards
from cellgrad.nn.wrap.grad_reducer import DistributedGradReducer, broadcast_parameters
from cellgrad.nn.wrap.ordered import OrderedStep, is_ordered, refuse_ordered
from cellgrad.parallel._auto_parallel_context import get_auto_parallel_context
from cellgrad.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode
from cellgrad.transforms.grad import value_and_grad

__all__ = [
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]


class WithLossCell(Cell):
    """A network and its loss: ``loss_fn(backbone(data), label)``.

    Args:
        backbone: the network.
        loss_fn: the loss.

    Inputs:
        data, label: what the network and the loss take.

    >>> net = nn.WithLossCell(nn.Dense(2, 1, "zeros"), nn.MSELoss())
    >>> print(net(Tensor([[1.0, 2.0]]), Tensor([[3.0]])).shape)
    ()
    """

    def __init__(self, backbone: Cell, loss_fn: Cell | Callable[..., Tensor] | None):
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn: Any = loss_fn

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone

    def construct(self, data: Tensor, label: Tensor) -> Tensor:
        return self._loss_fn(self._backbone(data), label)


class WithEvalCell(Cell):
    """A network and its loss for evaluation: returns the loss, the outputs and the label.

    Args:
        network: the network.
        loss_fn: the loss.
        add_cast_fp32: whether outputs and label are converted to float32 for the loss.

    >>> net = nn.WithEvalCell(nn.Dense(2, 1, "ones", has_bias=False), nn.MSELoss())
    >>> loss, output, label = net(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
    >>> print(loss, output, label)
    4.0 [[3.]] [[1.]]
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Cell | Callable[..., Tensor] | None,
        add_cast_fp32: bool = False,
    ):
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn: Any = loss_fn
        self.add_cast_fp32 = check_bool(add_cast_fp32, self.cls_name, "add_cast_fp32")

    def construct(self, data: Tensor, label: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs, label = cast_floats((outputs, label), mstype.float32)
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """The gradients of a network by its trainable Parameters.

    Args:
        network: the network.
        loss_fn: a loss, or None for a network that gives its loss.
        sens: the cotangent of the loss, or None for one.

    >>> net = nn.WithGradCell(nn.Dense(2, 1, "ones", has_bias=False), nn.MSELoss())
    >>> print(net(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))[0])
    [[4. 8.]]
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Cell | Callable[..., Tensor] | None = None,
        sens: TensorLike | None = None,
    ):
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True, sens_param=sens is not None)
        self.sens = sens
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()

    def construct(self, *inputs: object) -> tuple[Tensor, ...]:
        gradient = self.grad(self.network_with_loss, self.weights)
        return gradient(*inputs) if self.sens is None else gradient(*inputs, self.sens)


class ForwardValueAndGrad(Cell):
    """The output of a network and its gradients.

    Args:
        network: a Cell or a function.
        weights: the Parameters to differentiate by, with `get_by_list`.
        get_all, get_by_list, sens_param: as of `ops.GradOperation`.

    Raises:
        TypeError: arguments of wrong types.

    >>> net = nn.ForwardValueAndGrad(nn.Dense(2, 1, "ones", has_bias=False), get_all=True)
    >>> value, (gradient,) = net(Tensor([[1.0, 2.0]]))
    >>> print(value, gradient)
    [[3.]] [[1. 1.]]
    """

    def __init__(
        self,
        network: Cell,
        weights: TensorLike | None = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ):
        super().__init__(auto_prefix=False)
        check_callable(network, "ForwardValueAndGrad", "network", "a Cell or a function")
        if get_by_list and not isinstance(weights, tuple | list):
            raise error(
                TypeError,
                f"For 'ForwardValueAndGrad', when 'get_by_list' is set to True, the argument "
                f"'weights' must be Parameters array, but got '{type(weights).__name__}'",
            )
        self.network = network
        self.weights = ParameterTuple(weights) if get_by_list else None
        self.get_all, self.get_by_list = get_all, get_by_list
        self.sens_param = check_bool(sens_param, self.cls_name, "sens_param")
        self.grad = ops.GradOperation(get_all, get_by_list, sens_param)

    def construct(self, *inputs: object) -> tuple[TensorOrTensors, TensorOrTensors]:
        forward = inputs[:-1] if self.sens_param else inputs
        gradient = self.grad(self.network, self.weights)
        return self.network(*forward), gradient(*inputs)


def shards_of(step: Any) -> Any:
    """How a step's optimizer divides its state among the ranks, None where it does not.

    Raises:
        TypeError: it should, but it is of a kind that does not.
    """
    shards = getattr(step.optimizer, "shards", None)
    if shards is not None:
        # Whole gradients are wanted: they are reduced as without parts, of which the optimizer takes its own.
        return None if step.return_grad else shards
    if step.reducer_flag and _shards.wanted():
        raise error(
            TypeError,
            f"For '{step.cls_name}', 'enable_parallel_optimizer' is set, but '{step.optimizer.cls_name}' keeps its "
            "whole state on every rank.",
            "take an optimizer of nn that is made after the setting, or leave the setting out",
        )
    return None


class TrainOneStepCell(Cell):
    """A network as a training step: its loss, the gradients, and the optimizer's update, compiled
    together, with Parameters and optimizer state updated in place.

    Args:
        network: gives its loss.
        optimizer: updates its `parameters`.
        sens: the cotangent of the loss, or None for one.
        return_grad: whether to return the gradients by name as well.

    Inputs:
        what the network takes.

    Outputs:
        the loss, or with `return_grad` the loss and a dict.

    Raises:
        TypeError: a network or optimizer that is no Cell.
        ValueError: `sens` is 0.

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    >>> step(ops.ones((4, 2)), ops.ones((4, 1))).shape
    ()
    """

    def __init__(
        self,
        network: Cell,
        optimizer: Cell,
        sens: TensorLike | None = None,
        return_grad: bool = False,
    ):
        super().__init__(auto_prefix=False)
        for name, value in (("network", network), ("optimizer", optimizer)):
            check_instance(value, self.cls_name, name, Cell)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights: ParameterTuple = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = ops.GradOperation(get_by_list=True)
        if sens is not None and not isinstance(sens, Tensor) and sens == 0:
            raise error(ValueError, "The input argument of 'sens' can not be 0.")
        self.sense_flag = sens is not None
        self.sens = 1.0 if sens is None else sens
        self.return_grad = check_bool(return_grad, self.cls_name, "return_grad")
        self.parallel_mode = _get_parallel_mode()
        self.reducer_flag = self.parallel_mode == ParallelMode.DATA_PARALLEL
        self.mean, self.degree = _get_gradients_mean(), _get_device_num()
        self.grad_reducer: Any = ops.identity
        if self.reducer_flag:
            # Divided by the number of ranks that the program runs on: an exported step may have others.
            self.grad_reducer = DistributedGradReducer(self.weights, self.mean)
            if get_auto_parallel_context("parameter_broadcast"):
                broadcast_parameters(optimizer, network)
        self.shards = shards_of(self)
        self.ordered = OrderedStep(self) if is_ordered() else None

    if not TYPE_CHECKING:

        def __call__(self, *args: object, **kwargs: object) -> object:
            if self.ordered is None or state.current.scope is not None:
                return super().__call__(*args, **kwargs)
            return self.ordered(args, kwargs)

    def loss_and_gradients(
        self, scale: TensorLike | None, *inputs: object
    ) -> tuple[TensorOrTensors, tuple[Tensor, ...]]:
        """The network's output, and the gradients of it times a scale, from one evaluation: state
        that the network updates, such as running means, is updated once.
        """
        gradient = value_and_grad(self._scaled, None, self.weights, has_aux=True)
        (_, out), gradients = gradient(scale, *inputs)
        return out, gradients

    def _scaled(self, scale: Any, *inputs: Any) -> tuple[Any, Any]:
        out = self.network(*inputs)
        if scale is None:
            return out, out
        each = out if isinstance(out, tuple | list) else (out,)
        return tuple(t * ops.cast(scale, t.dtype) for t in each), out

    def gradients(self, *inputs: object) -> tuple[TensorOrTensors, tuple[Tensor, ...]]:
        """The loss, and the gradients of this rank, not yet reduced."""
        return self.loss_and_gradients(self.sens if self.sense_flag else None, *inputs)

    def reduced(self, grads: tuple[Tensor, ...]) -> TensorOrTensors:
        """The gradients over all ranks: Tensors, or where the optimizer has its state in parts, `Parts`."""
        if self.shards is None:
            return self.grad_reducer(grads)
        return self.shards.reduced(grads, self.mean, None)

    def finish(self, loss: TensorLike, grads: Sequence[Tensor]) -> TensorOrTensors:
        """Updates by reduced gradients; what the step gives."""
        self.optimizer(grads)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, grads)}
        return loss

    def construct(self, *inputs: object) -> TensorOrTensors:
        refuse_ordered(self)
        loss, grads = self.gradients(*inputs)
        return self.finish(loss, self.reduced(grads))


class ParameterUpdate(Cell):
    """Sets a Parameter to its input, which it returns.

    Raises:
        TypeError: `param` is not a Parameter.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> _ = nn.ParameterUpdate(w)(Tensor([5.0]))
    >>> print(w.value())
    [5.]
    """

    def __init__(self, param: Parameter):
        super().__init__(auto_prefix=False)
        check_instance(param, "ParameterUpdate", "param", Parameter)
        self._param = param

    def construct(self, x: Tensor) -> Tensor:
        ops.assign(self._param, x)
        return x
