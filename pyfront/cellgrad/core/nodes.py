"""Classes whose instances are nested values: dataclasses, and classes that are registered.

Their parts have names, as attributes have, and are inputs and results of compiled code like the elements
of a dict. What is no part of that kind, a `Static`, is a constant of the code.
"""

from __future__ import annotations

import atexit
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from cellgrad.core.arguments import argument_error, check_callable, check_sequence
from cellgrad.core.errors import error
from cellgrad.core.exact import Static
from cellgrad.core.tensor import Tensor

__all__ = ["register_pytree_node"]

N = TypeVar("N")
K = TypeVar("K")


class _Node(NamedTuple):
    flatten: Callable[[Any], tuple[Iterable[Any], Any]] | None
    unflatten: Callable[[Any, tuple[Any, ...]], Any] | None
    names: tuple[str, ...] | None


_nodes: dict[type, _Node] = {}
_STATIC = "<static>"
atexit.register(_nodes.clear)  # classes of a script lead to all that is in it


def register_pytree_node(
    cls: type[N],
    flatten: Callable[[N], tuple[Iterable[object], K]] | None = None,
    unflatten: Callable[[K, tuple[Any, ...]], N] | None = None,
    names: Sequence[str] | None = None,
) -> type[N]:
    """Makes the instances of a class nested values, as tuples and dicts are: inputs and results of
    compiled code, of gradients, `vmap` and loops.

    Dataclasses are such values without it. May be used as a decorator.

    Args:
        cls: the class.
        flatten: gives ``(parts, rest)`` of an instance: Tensors or nested values, and what is a constant
            of compiled code. Without it the attributes are the parts, and ``__init__`` is not called
            for copies.
        unflatten: makes an instance, ``unflatten(rest, parts)``. It is called while compiling, with
            Tensors that have no elements.
        names: of the parts, for messages and exported models; their places without.

    Returns:
        `cls`.

    Raises:
        TypeError: `cls` is no class, or one whose instances are something else to compiled code: a Cell,
            Tensor, tuple, list or dict; `flatten` without `unflatten`.
        ValueError: `cls` is registered already.

    >>> @ms.register_pytree_node
    ... class Orbit:
    ...     def __init__(self, q, p):
    ...         self.q, self.p = q, p
    >>> g = ms.grad(lambda s: (s.q * s.q * s.p).sum())(Orbit(Tensor([1.0, 2.0]), Tensor(3.0)))
    >>> print(g.q, g.p)
    [ 6. 12.] 5.0
    """
    if not isinstance(cls, type):
        raise argument_error(TypeError, "register_pytree_node", "cls", "a class", cls)
    if issubclass(cls, Tensor | tuple | list | dict | np.ndarray) or hasattr(cls, "construct"):
        raise error(
            TypeError,
            f"For 'register_pytree_node', instances of '{cls.__name__}' are something else to compiled "
            "code: Cells, Tensors, tuples, lists and dicts cannot be registered.",
        )
    if cls in _nodes:
        raise error(
            ValueError, f"For 'register_pytree_node', '{cls.__name__}' is registered already."
        )
    if (flatten is None) is not (unflatten is None):
        raise error(
            TypeError,
            "For 'register_pytree_node', 'flatten' and 'unflatten' belong together, but only one is "
            "given.",
        )
    if flatten is not None:
        check_callable(flatten, "register_pytree_node", "flatten", "a function")
        check_callable(unflatten, "register_pytree_node", "unflatten", "a function")
    if names is not None:
        check_sequence(names, "register_pytree_node", "names", "strings", str, empty=True)
        names = tuple(names)
    _nodes[cls] = _Node(flatten, unflatten, names)
    return cls


def is_record(value: Any) -> bool:
    """Whether a value is an instance of a dataclass or registered class; Cells are not."""
    kind = type(value)
    return kind in _nodes or (
        hasattr(kind, "__dataclass_fields__") and not hasattr(kind, "construct")
    )


def fields_of(value: Any) -> dict[str, Any]:
    """The parts of such an instance by name: of a dataclass its fields, and what else is kept in it."""
    kind = type(value)
    node = _nodes.get(kind)
    if node is not None and node.flatten is not None:
        parts, rest = _flattened(value, node)
        names = node.names or [str(i) for i in range(len(parts))]
        if len(names) != len(parts):
            raise error(
                ValueError,
                f"'flatten' of '{kind.__name__}' gives {len(parts)} parts, but there are "
                f"{len(names)} names: {', '.join(names)}.",
            )
        return {**dict(zip(names, parts, strict=True)), _STATIC: Static(rest)}
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    names = [f.name for f in fields] or [
        n for c in kind.__mro__ for n in getattr(c, "__slots__", ()) if not n.startswith("__")
    ]
    found = {n: getattr(value, n) for n in names if hasattr(value, n)}
    found.update(getattr(value, "__dict__", {}))
    for f in fields:
        if f.metadata.get("static") and f.name in found:
            found[f.name] = Static(found[f.name])
    return found


def _flattened(value: Any, node: _Node) -> tuple[tuple[Any, ...], Any]:
    assert node.flatten is not None
    out = node.flatten(value)
    if not isinstance(out, tuple) or len(out) != 2:
        raise error(
            TypeError,
            f"'flatten' of '{type(value).__name__}' must return a tuple (parts, rest), but returned "
            f"{type(out).__name__}.",
        )
    return tuple(out[0]), out[1]


def with_fields(kind: type, fields: dict[str, Any]) -> Any:
    """An instance of such a class with these parts; `__init__` is not called unless `unflatten` does."""
    node = _nodes.get(kind)
    if node is not None and node.unflatten is not None:
        parts = tuple([v for name, v in fields.items() if name != _STATIC])
        return node.unflatten(fields[_STATIC].value, parts)
    out: Any = object.__new__(kind)
    for name, v in fields.items():
        object.__setattr__(out, name, v.value if type(v) is Static else v)
    return out
