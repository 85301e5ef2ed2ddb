"""Where programs note functions that stand for Primitives in MindSpore's simulator: ``ops.vm_impl_registry``.

MindSpore calls them in builds without kernels only. Here operations are always computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.ops._elementwise import Primitive

__all__ = ["get_vm_impl_fn", "vm_impl_registry"]


class VmImplRegistry(dict[Any, Callable[..., Any]]):
    """Functions by Primitive; kept, and not called by operations."""

    def register(
        self, prim: type[Primitive] | str
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorates ``make(primitive)``, which gives the function that stands for a Primitive.

        >>> from cellgrad.ops.operations._registry import get_vm_impl_fn, vm_impl_registry
        >>> @vm_impl_registry.register("Twice")
        ... def make(primitive):
        ...     return lambda x: x + x
        >>> get_vm_impl_fn("Twice")(3)
        6
        """

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            self[prim if isinstance(prim, str) else prim.__name__] = function
            return function

        return decorate


vm_impl_registry = VmImplRegistry()


def get_vm_impl_fn(prim: Primitive | str) -> Callable[..., Any] | None:
    """What was registered for a Primitive, or None."""
    make = vm_impl_registry.get(prim if isinstance(prim, str) else prim.name)
    return make(prim) if make is not None else None
