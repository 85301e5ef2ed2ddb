"""Hooks of tensors: functions of the gradient that a tensor gets, which may give another one.

The hooks noted here act where a gradient function gives the gradient by a tensor: as an input, or as a
Parameter among the weights. What a hook of a tensor of code under capture does beside that is part of
the program (``transforms.hooks``).
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from cellgrad.core import state
from cellgrad.core.dynamic import dynamic
from cellgrad.core.errors import error
from cellgrad.core.guards import ABSENT

if TYPE_CHECKING:
    from cellgrad.core.scope import Trace
    from cellgrad.core.tensor import Tensor

Hook = Callable[[Any], Any]

# The hooks of each tensor that has some, by its identity. Programs compare these tuples.
registered: dict[int, tuple[Hook, ...]] = {}
_tensors: dict[int, weakref.ref[Any]] = {}
_keys: dict[int, tuple[int, ...]] = {}
_count = itertools.count()


def _not_yet(tensor: Any, hook: Hook) -> Any:
    raise RuntimeError("hooks cannot be registered before cellgrad is fully imported")


# Registers a hook, see `Tensor.register_hook`; `transforms.hooks` sets it.
register: Callable[[Any, Hook], Any] = _not_yet


class TensorHookHandle:
    """What registering a hook of a tensor returns; `remove` takes the hook off again."""

    def __init__(self, tensor: Tensor, key: int):
        self._tensor = weakref.ref(tensor)
        self.id = key

    def remove(self) -> None:
        """Takes the hook off; a second call does nothing."""
        refuse_in_capture("removed")
        self.drop()

    def drop(self) -> None:
        """As `remove`, also in a capture."""
        tensor = self._tensor()
        hooks, keys = ((), ()) if tensor is None else _keyed(tensor)
        if tensor is None or self.id not in keys:
            return
        at = keys.index(self.id)
        _set(tensor, hooks[:at] + hooks[at + 1 :], keys[:at] + keys[at + 1 :])


def refuse_in_capture(what: str) -> None:
    """Refuses to change the hooks of what is around the code that is being captured."""
    if state.current.scope is not None:
        raise dynamic(
            error(
                ValueError,
                f"A hook of what is made outside of compiled code is {what} in it, which would happen "
                "only once, while compiling.",
                "register and remove hooks of Parameters and Cells outside, for example in __init__",
            )
        )


def note(tensor: Tensor, hook: Hook) -> TensorHookHandle:
    """Adds a hook to those that act where a gradient by the tensor is given."""
    key = next(_count)
    hooks, keys = _keyed(tensor)
    _set(tensor, (*hooks, hook), (*keys, key))
    return TensorHookHandle(tensor, key)


def _set(tensor: Tensor, hooks: tuple[Hook, ...], keys: tuple[int, ...]) -> None:
    at, scope = id(tensor), getattr(tensor, "_scope", None)
    if scope is not None:  # under capture
        scope.trace.leaves[at] = tensor, hooks, keys
        return
    if not hooks:
        _drop(at)
        return
    if at not in _tensors:
        _tensors[at] = weakref.ref(tensor, lambda _: _drop(at))
    registered[at] = hooks
    _keys[at] = keys


def _drop(at: int) -> None:
    registered.pop(at, None)
    _tensors.pop(at, None)
    _keys.pop(at, None)


def _keyed(tensor: Tensor) -> tuple[tuple[Hook, ...], tuple[int, ...]]:
    """The hooks of a tensor, and what tells them apart."""
    at, scope = id(tensor), getattr(tensor, "_scope", None)
    if scope is not None:
        _, hooks, keys = scope.trace.leaves.get(at, (tensor, (), ()))
        return hooks, keys
    return registered.get(at, ()), _keys.get(at, ())


def of(tensor: Tensor) -> tuple[Hook, ...]:
    """The hooks of a tensor, in the order of their registration."""
    return _keyed(tensor)[0]


def guarded(trace: Trace, tensor: Tensor) -> tuple[Hook, ...]:
    """As `of`, for a tensor from around the program, which depends on the answer."""
    found = of(tensor)
    if id(tensor) not in trace.made:
        trace.guard(registered, id(tensor), found or ABSENT)
    return found


def carry(tensors: Iterable[Tensor], others: Iterable[Tensor]) -> None:
    """Gives the tensors that stand for others in a capture the hooks of these."""
    for tensor, other in zip(tensors, others, strict=True):
        hooks, keys = _keyed(tensor)
        if hooks:
            _set(other, hooks, keys)


def key(tensors: Iterable[Tensor]) -> tuple[Any, ...]:
    """What the hooks of inputs add to the signature of a call."""
    return tuple([(i, hooks) for i, t in enumerate(tensors) if (hooks := of(t))])
