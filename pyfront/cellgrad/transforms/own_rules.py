"""Derivatives of Primitives that a program defines: `bprop_getters`, under MindSpore's inner path
``ops._grad_experimental.grad_base``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from cellgrad.core.arguments import check_callable
from cellgrad.core.errors import error
from cellgrad.ops._elementwise import Primitive
from cellgrad.transforms.custom import custom_rule

__all__ = ["bprop_getters"]

G = TypeVar("G", bound=Callable[..., Callable[..., Any]])


class _Getters:
    """Has `register`, a decorator of a function that gives the rule of a Primitive."""

    def register(self, prim: type[Primitive]) -> Callable[[G], G]:
        """Decorates ``getter(primitive)``, which gives ``bprop(*inputs, out, dout)``, the rule of a call.

        Args:
            prim: a class of the program's own, with a ``__call__`` of operations.

        Raises:
            TypeError: another class, or a name.

        >>> from cellgrad.transforms.own_rules import bprop_getters
        >>> class Scale(ops.PrimitiveWithInfer):
        ...     def __call__(self, x):
        ...         return x * 2
        >>> @bprop_getters.register(Scale)
        ... def get(self):
        ...     return lambda x, out, dout: (dout * 7,)
        >>> print(ms.grad(Scale())(Tensor(3.0)))
        7.0
        """
        if not (isinstance(prim, type) and issubclass(prim, Primitive)) or (
            prim.__module__.partition(".")[0] == "cellgrad"
        ):
            raise error(
                TypeError,
                f"For 'register', 'prim' must be a class of Primitives of the program's own, but got {prim!r}.",
                "give a function its rule by ms.custom_rule",
            )

        def decorate(getter: G) -> G:
            check_callable(getter, "register", "getter")
            plain: Any = prim.__call__

            @functools.wraps(plain)
            def call(self: Primitive, *args: Any) -> Any:
                return custom_rule(functools.partial(plain, self), vjp=getter(self))(*args)

            prim.__call__ = call  # type: ignore[method-assign]
            return getter

        return decorate


bprop_getters = _Getters()
