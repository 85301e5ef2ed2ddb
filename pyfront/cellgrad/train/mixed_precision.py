"""Networks that compute in float16 or bfloat16, with Parameters in float32."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, TypeVar

from cellgrad import nn, ops
from cellgrad.capture import calls
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_instance, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.precision import computing_in
from cellgrad.nn._precision import cast_floats
from cellgrad.nn.cell import Cell
from cellgrad.ops._elementwise import Primitive
from cellgrad.train.loss_scale_managers import DynamicLossScaleManager, LossScaleManager

__all__ = [
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]

_WHITE_CELLS = (
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "Conv1dTranspose",
    "Conv2dTranspose",
    "Conv3dTranspose",
    "Dense",
    "LSTMCell",
    "RNNCell",
    "GRUCell",
)
_WHITE_PRIMITIVES = (
    "Conv2D",
    "Conv3D",
    "Conv2DTranspose",
    "Conv3DTranspose",
    "MatMul",
    "BatchMatMul",
    "PReLU",
    "ReLU",
    "Ger",
)
_BLACK_CELLS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")


def get_white_list() -> list[type]:
    """The classes that `auto_mixed_precision` at level O1 computes in the lower precision.

    >>> nn.Dense in ms.amp.get_white_list()
    True
    """
    cells = [getattr(nn, n) for n in _WHITE_CELLS if hasattr(nn, n)]
    return cells + [getattr(ops, n) for n in _WHITE_PRIMITIVES if hasattr(ops, n)]


def get_black_list() -> list[type]:
    """The classes that `auto_mixed_precision` at level O2 keeps in float32.

    >>> nn.BatchNorm2d in ms.amp.get_black_list()
    True
    """
    return [getattr(nn, n) for n in _BLACK_CELLS if hasattr(nn, n)]


class _Outputs(Cell):
    """A Cell whose floating-point outputs are converted."""

    def __init__(self, backbone: Cell, dtype: Type):
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self.dtype = dtype

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return cast_floats(self._backbone(*args, **kwargs), self.dtype)


def outputs_to_32(backbone: Cell) -> Cell:
    """A Cell whose floating-point outputs are float32."""
    return _Outputs(backbone, mstype.float32)


class _CastPrimitive(Primitive):
    """A primitive that computes in a lower precision and gives float32."""

    def __init__(self, primitive: Any, dtype: Type):
        super().__init__(primitive.name)
        self.primitive = primitive
        self.dtype = dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inputs, keywords = cast_floats(args, self.dtype), cast_floats(kwargs, self.dtype)
        return cast_floats(self.primitive(*inputs, **keywords), mstype.float32)


class _Listed:
    """A function whose operations compute in the precision that a list gives each."""

    def __init__(self, function: Callable[..., Any], dtype: Type):
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.dtype = dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with computing_in(self.dtype):
            return calls.call_as_around(self.function, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)


def _by_operation(network: Any, dtype: Type) -> Any:
    if not isinstance(network, Cell):
        return _Listed(network, dtype)
    object.__setattr__(network, "construct", _Listed(network.construct, dtype))
    network._changed()
    return network


def _replace_cells(network: Cell, inside: Any) -> None:
    """Replaces sub-Cells by what `inside` gives for them; those it gives None for are entered."""
    for name, cell in network.name_cells().items():
        new = inside(cell)
        if new is None:
            _replace_cells(cell, inside)
        else:
            network._cells[name] = new
    network._changed()


def _lower_listed(network: Cell, listed: tuple[type, ...], dtype: Type) -> Cell:
    """Instances of listed classes compute in `dtype` and give float32."""

    def inside(cell: Cell) -> Cell | None:
        if not isinstance(cell, listed):
            return None
        return outputs_to_32(cell.to_float(dtype))

    if isinstance(network, listed):
        return outputs_to_32(network.to_float(dtype))
    _replace_cells(network, inside)
    for _, cell in network.cells_and_names():
        for name, value in list(vars(cell).items()):
            if isinstance(value, Primitive) and isinstance(value, listed):
                setattr(cell, name, _CastPrimitive(value, dtype))
    return network


def _lower_all_but(network: Cell, listed: tuple[type, ...], dtype: Type) -> Cell:
    """All compute in `dtype` but instances of listed classes; the output is float32."""
    network.to_float(dtype)

    def inside(cell: Cell) -> Cell | None:
        if not isinstance(cell, listed):
            return None
        return _Outputs(cell.to_float(mstype.float32), dtype)

    _replace_cells(network, inside)
    return outputs_to_32(network)


def _check(network: Any, dtype: Any, owner: str, functions: bool = False) -> None:
    if not functions:
        check_instance(network, owner, "network", Cell)
    elif not isinstance(network, Cell | types.FunctionType | types.MethodType):
        raise argument_error(TypeError, owner, "network", "a Cell or a function", network)
    check_one_of(dtype, owner, "dtype", (mstype.float16, mstype.bfloat16))


Network = TypeVar("Network", bound=Callable[..., Any])


def auto_mixed_precision(
    network: Network, amp_level: str = "O0", dtype: Type = mstype.float16
) -> Network:
    """A network that computes in a lower precision; Parameters and gradients stay float32.

    Args:
        network: the Cell; its sub-Cells may be replaced. At level "auto" also a function or method.
        amp_level: "O0" changes nothing; at "O1" what `get_white_list` has computes in `dtype`; at
            "O2" all but what `get_black_list` has; at "O3" all. Outputs are float32. At "auto", each
            operation by itself: products and convolutions compute in `dtype`; powers, exponentials,
            logarithms, sums, softmax, normalization and most losses in float32; others in the dtype of
            their operands. Outputs stay as they are computed.
        dtype: float16 or bfloat16.

    Raises:
        TypeError: `network` is not a Cell, nor a function at level "auto".
        ValueError: another level or dtype.

    >>> net = ms.amp.auto_mixed_precision(nn.Dense(2, 1, "ones", has_bias=False), "O3")
    >>> print(net(Tensor([[1.0, 2.0]])).dtype)
    Float32
    >>> product = ms.amp.auto_mixed_precision(lambda x: ops.matmul(x, x), "auto")
    >>> print(product(ops.ones((2, 2))).dtype, ms.jit(product)(ops.ones((2, 2))).dtype)
    Float16 Float16
    """
    _check(network, dtype, "auto_mixed_precision", amp_level == "auto")
    if amp_level == "O0":
        return network
    lowered: Any = network
    if amp_level == "O1":
        lowered = _lower_listed(lowered, tuple(get_white_list()), dtype)
    elif amp_level in ("O2", "O3"):
        kept = tuple(get_black_list()) if amp_level == "O2" else ()
        lowered = _lower_all_but(lowered, kept, dtype)
    elif amp_level == "auto":
        lowered = _by_operation(lowered, dtype)
    else:
        raise error(
            ValueError,
            f"The amp level {amp_level} is not supported: it must be 'O0', 'O1', 'O2', 'O3' or 'auto'.",
        )
    object.__setattr__(lowered, "_amp_level", amp_level)
    return lowered  # type: ignore[no-any-return]


def custom_mixed_precision(
    network: Cell,
    *,
    white_list: list[type] | None = None,
    black_list: list[type] | None = None,
    dtype: Type = mstype.float16,
) -> Cell:
    """`auto_mixed_precision` with a list of one's own: either of the Cells and primitives that
    compute in `dtype`, or of those that do not.

    Raises:
        TypeError: `network` is not a Cell, or a list has something other than classes of Cells and
            primitives.
        ValueError: both lists or none, or another dtype.

    >>> net = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())
    >>> net = ms.amp.custom_mixed_precision(net, white_list=[nn.Dense])
    >>> print(net(Tensor([[1.0, 2.0]])).dtype)
    Float32
    """
    _check(network, dtype, "custom_mixed_precision")
    if (white_list is None) == (black_list is None):
        raise error(
            ValueError,
            "For 'custom_mixed_precision', one of 'white_list' and 'black_list' must be given, but "
            f"got {'neither' if white_list is None else 'both'}.",
        )
    listed = white_list if white_list is not None else black_list
    if not isinstance(listed, list) or not all(
        isinstance(c, type) and issubclass(c, Cell | Primitive) for c in listed
    ):
        raise error(
            TypeError,
            "For 'custom_mixed_precision', a list must hold classes of Cells and primitives, but "
            f"got {listed!r}.",
        )
    lower = _lower_listed if white_list is not None else _lower_all_but
    return lower(network, tuple(listed), dtype)


def build_train_network(
    network: Cell,
    optimizer: nn.Optimizer,
    loss_fn: Cell | None = None,
    level: str = "O0",
    boost_level: str = "O0",
    **kwargs: LossScaleManager | None,
) -> nn.TrainOneStepCell:
    """A training step for a network, in mixed precision.

    Args:
        network: the network, without its loss if `loss_fn` is given.
        optimizer: updates its Parameters.
        loss_fn: the loss, or None.
        level: as for `auto_mixed_precision`; O2 scales the loss dynamically.
        boost_level: kept for scripts.
        kwargs: `loss_scale_manager`, in place of the level's, or None.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: an unknown level or keyword.

    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
    >>> step = ms.amp.build_train_network(net, optimizer, nn.MSELoss(), level="O0")
    >>> print(step(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))
    4.0
    """
    check_instance(optimizer, "build_train_network", "optimizer", nn.Optimizer)
    unknown = [k for k in kwargs if k != "loss_scale_manager"]
    if unknown:
        raise error(ValueError, f"Unsupported arg '{unknown[0]}'")
    manager = kwargs.get("loss_scale_manager", DynamicLossScaleManager() if level == "O2" else None)
    check_instance(manager, "build_train_network", "loss_scale_manager", LossScaleManager | None)
    network = auto_mixed_precision(network, level)
    if loss_fn is not None:
        if getattr(network, "_amp_level", "") == "auto":
            network = outputs_to_32(network)
        network = nn.WithLossCell(network, loss_fn)
    if manager is None:
        return nn.TrainOneStepCell(network, optimizer).set_train()  # type: ignore[return-value]
    update = manager.get_update_cell()
    if update is None:
        step = nn.TrainOneStepCell(network, optimizer, manager.get_loss_scale())
    else:
        step = nn.TrainOneStepWithLossScaleCell(network, optimizer, update)
    return step.set_train()  # type: ignore[return-value]
