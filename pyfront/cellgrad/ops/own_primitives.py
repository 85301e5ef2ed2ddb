"""Primitives that a program defines: what their `__init__` is given is kept, and `__call__` is Python that is compiled."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, ParamSpec

from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive

__all__ = ["PrimitiveWithCheck", "PrimitiveWithInfer", "prim_attr_register"]

P = ParamSpec("P")


def prim_attr_register(fn: Callable[P, None]) -> Callable[P, None]:
    """Of the `__init__` of a Primitive: each argument becomes an attribute, and one of `attrs`.

    Raises:
        TypeError: arguments that `__init__` does not take, when the class is called.

    >>> class Scale(ops.Primitive):
    ...     @ops.prim_attr_register
    ...     def __init__(self, factor, axis=0):
    ...         pass
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> scale = Scale(3)
    >>> print(scale.name, scale.attrs, scale(Tensor([1.0, 2.0])))
    Scale {'factor': 3, 'axis': 0} [3. 6.]
    """
    taken = inspect.signature(fn)

    @functools.wraps(fn)
    def init(*args: P.args, **kwargs: P.kwargs) -> None:
        bound = taken.bind(*args, **kwargs)
        bound.apply_defaults()
        own, *others = bound.arguments
        self: Primitive = bound.arguments[own]
        Primitive.__init__(self)
        for name in others:
            value = bound.arguments[name]
            self.add_prim_attr(name, value)
            setattr(self, name, value)
        fn(*bound.args, **bound.kwargs)

    return init


class PrimitiveWithInfer(Primitive):
    """Base of Primitives with rules for shapes and dtypes, which are not asked here: `__call__` says both. One
    without a `__call__` of its own computes what the Primitive of its name in `ops.operations` does, made with
    those of its attributes that this takes.

    Raises:
        RuntimeError: called without a `__call__` of its own, and there is no Primitive of its name.

    >>> class Twice(ops.PrimitiveWithInfer):
    ...     @ops.prim_attr_register
    ...     def __init__(self):
    ...         self.init_prim_io_names(inputs=["x"], outputs=["y"])
    ...     def infer_shape(self, x):
    ...         return x
    ...     def __call__(self, x):
    ...         return x + x
    >>> print(Twice()(Tensor(2.0)), ms.grad(Twice())(Tensor(2.0)))
    4.0 2.0
    """

    def _of_its_name(self, *inputs: object) -> Tensor:
        named = getattr(sys.modules["cellgrad.ops.operations"], self.name, None)
        if not (isinstance(named, type) and issubclass(named, Primitive)):
            raise error(
                RuntimeError,
                f"Unsupported op [{self.name}] on CPU: '{type(self).__name__}' has no '__call__', and what it "
                "computes is in no other language here.",
                "define __call__ of operations, or call ms.host_call",
            )
        taken = inspect.signature(named).parameters
        attributes = getattr(self, "attrs", {})
        made: Any = named(**{k: v for k, v in attributes.items() if k in taken})
        out: Tensor = made(*inputs)
        return out

    __call__: Callable[..., Tensor] = _of_its_name


class PrimitiveWithCheck(PrimitiveWithInfer):
    """Base of Primitives that check shapes and dtypes; see `PrimitiveWithInfer`.

    >>> class Half(ops.PrimitiveWithCheck):
    ...     def __call__(self, x):
    ...         return x / 2
    >>> print(Half()(Tensor(3.0)))
    1.5
    """
