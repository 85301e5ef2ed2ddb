"""Derivatives as Cells: ``Jvp`` and ``Vjp``; and functions with a rule, ``custom_vjp``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from cellgrad.core.aliases import TensorOrTensors
from cellgrad.core.arguments import argument_error, check_callable
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.transforms.products import jvp, vjp

__all__ = ["CustomVjp", "Jvp", "Vjp", "custom_vjp"]


class Jvp(Cell):
    """The output of a function and its derivative along a direction; see `cellgrad.jvp`.

    Args:
        fn: a Cell or function.

    Inputs: the inputs of `fn`, then the direction: a Tensor for one input, a tuple for several.

    >>> print(*nn.Jvp(lambda x: x * x)(Tensor(3.0), Tensor(1.0)))
    9.0 6.0
    """

    def __init__(self, fn: Callable[..., object]):
        super().__init__()
        self.fn = check_callable(fn, "Jvp", "fn", "a Cell or a function")

    def construct(self, *args: object) -> TensorOrTensors:
        """The output, and the derivative."""
        *inputs, v = _with_last(args, "Jvp", "direction")
        one = len(inputs) == 1 and isinstance(inputs[0], Tensor)
        return jvp(self.fn, inputs[0] if one else tuple(inputs), v)


class Vjp(Cell):
    """The output of a function and the gradients for a cotangent of it; see `cellgrad.vjp`.

    Args:
        fn: a Cell or function.

    Inputs: the inputs of `fn`, then the cotangent: a tuple for several outputs. The gradient is a
    Tensor for one input, a tuple for several.

    >>> print(*nn.Vjp(lambda x: x * x)(Tensor([1.0, 2.0]), Tensor([1.0, 10.0])))
    [1. 4.] [ 2. 40.]
    """

    def __init__(self, fn: Callable[..., object]):
        super().__init__()
        self.fn = check_callable(fn, "Vjp", "fn", "a Cell or a function")

    def construct(self, *args: object) -> TensorOrTensors:
        """The output, and the gradients."""
        *inputs, v = _with_last(args, "Vjp", "cotangent")
        out, pull_back = vjp(self.fn, *inputs)
        several = isinstance(v, tuple | list)
        if several and not isinstance(out, tuple | list):
            raise argument_error(TypeError, "Vjp", "v", "a Tensor, as the output is one", v)
        gradients = pull_back(*v) if several else pull_back(v)
        return out, gradients[0] if len(inputs) == 1 else gradients


def _with_last(args: tuple[Any, ...], name: str, what: str) -> tuple[Any, ...]:
    if len(args) < 2:
        raise error(
            TypeError,
            f"For '{name}', the arguments must be the inputs and the {what}, but got {len(args)}.",
        )
    return args


class CustomVjp(Cell):
    """A function whose gradient another function gives; see `custom_vjp`."""

    def __init__(self, fwd: Callable[..., Any]):
        super().__init__()
        object.__setattr__(self, "construct", fwd)
        self.__name__ = getattr(fwd, "__name__", type(self).__name__)

    def defbwd(self, bwd: Callable[..., Any]) -> None:
        """Sets the function that gives the gradients.

        Args:
            bwd: ``bwd(*inputs, out, dout)``, as ``Cell.bprop``.

        >>> square = ops.custom_vjp(lambda x: x * x)
        >>> square.defbwd(lambda x, out, dout: dout * 7)
        >>> print(ms.grad(square)(Tensor(3.0)))
        7.0
        """
        self.__setattr__("bprop", check_callable(bwd, "defbwd", "bwd", "a function"))

    def bprop(self, *args: Any) -> Any:
        """Stands for the function that is yet to be given."""
        raise error(
            TypeError,
            "The bprop function of @custom_vjp is undefined. Please use 'defbwd(bprop)' to define "
            "the 'bprop' function.",
        )


@overload
def custom_vjp(fn: Callable[..., object]) -> CustomVjp: ...
@overload
def custom_vjp(fn: None = None) -> Callable[[Callable[..., object]], CustomVjp]: ...
def custom_vjp(fn: Callable[..., object] | None = None) -> Any:
    """Makes a function one whose gradient is given by hand; a decorator, with or without a call.

    What it makes has the method ``defbwd(bwd)``, where ``bwd(*inputs, out, dout)`` gives the
    gradients of the inputs.

    >>> @ops.custom_vjp
    ... def product(x, y):
    ...     return x * y
    >>> product.defbwd(lambda x, y, out, dout: (dout * 10, dout * 20))
    >>> print(ms.grad(product)(Tensor(3.0), Tensor(4.0)))
    10.0
    """
    if fn is None:
        return custom_vjp
    return CustomVjp(check_callable(fn, "custom_vjp", "fn", "a function"))
