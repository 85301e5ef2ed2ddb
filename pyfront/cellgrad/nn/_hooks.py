"""Forward hooks of Cells: functions called before and after `construct`, compiled with it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from cellgrad.core.arguments import check_callable
from cellgrad.core.errors import error

Caller = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


class _Hook:
    """A registered function and how it wants to be called."""

    __slots__ = ("always", "function", "kwargs")

    def __init__(self, function: Callable[..., Any], kwargs: bool, always: bool = False):
        self.function = function
        self.kwargs = kwargs
        self.always = always


class HookHandle:
    """What registering a hook returns; `remove` takes the hook off again."""

    def __init__(self, owner: CellHooks, hooks: OrderedDict[int, _Hook], key: int):
        self._owner = owner
        self._hooks = hooks
        self.handle_id = key

    def remove(self) -> None:
        """Takes the hook off; a second call does nothing."""
        if self._hooks.pop(self.handle_id, None) is not None:
            self._owner._changed()


class CellHooks:
    """The hooks of a Cell."""

    _pre_hooks: OrderedDict[int, _Hook]
    _post_hooks: OrderedDict[int, _Hook]
    _hook_count: int

    def _init_hooks(self) -> None:
        object.__setattr__(self, "_pre_hooks", OrderedDict())
        object.__setattr__(self, "_post_hooks", OrderedDict())
        object.__setattr__(self, "_hook_count", 0)

    def _changed(self) -> None:
        """Compiled code that read this Cell is compiled again on its next call."""

    def _register(
        self, hooks: OrderedDict[int, _Hook], where: str, hook: _Hook, prepend: bool
    ) -> HookHandle:
        check_callable(hook.function, where, "hook", "a function")
        key = self._hook_count
        object.__setattr__(self, "_hook_count", key + 1)
        hooks[key] = hook
        if prepend:
            hooks.move_to_end(key, last=False)
        self._changed()
        return HookHandle(self, hooks, key)

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Calls `hook_fn(cell, args)` before `construct`.

        What it returns, unless None, replaces the arguments. In compiled code the hook is compiled
        as part of the Cell.

        Args:
            hook_fn: the function; with `with_kwargs` it is called as ``hook_fn(cell, args,
                kwargs)`` and returns None or the pair of both.
            prepend: whether it goes before the hooks registered so far.
            with_kwargs: whether keyword arguments are passed, too.

        Raises:
            TypeError: `hook_fn` is not callable.

        >>> net = nn.ReLU()
        >>> handle = net.register_forward_pre_hook(lambda cell, inputs: inputs[0] + 2)
        >>> print(net(Tensor([-1.0, 2.0])))
        [1. 4.]
        >>> handle.remove()
        """
        hook = _Hook(hook_fn, with_kwargs)
        return self._register(self._pre_hooks, "register_forward_pre_hook", hook, prepend)

    def register_forward_hook(
        self,
        hook_fn: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """Calls `hook_fn(cell, args, output)` after `construct`.

        What it returns, unless None, replaces the output. In compiled code the hook is compiled as
        part of the Cell.

        Args:
            hook_fn: the function; with `with_kwargs` it is called as ``hook_fn(cell, args, kwargs,
                output)``.
            prepend: whether it goes before the hooks registered so far.
            with_kwargs: whether keyword arguments are passed, too.
            always_call: whether it is also called, with output None, when `construct` raises.

        Raises:
            TypeError: `hook_fn` is not callable.

        >>> net = nn.ReLU()
        >>> handle = net.register_forward_hook(lambda cell, inputs, output: output * 2)
        >>> print(net(Tensor([-1.0, 2.0])))
        [0. 4.]
        >>> handle.remove()
        """
        hook = _Hook(hook_fn, with_kwargs, always_call)
        return self._register(self._post_hooks, "register_forward_hook", hook, prepend)

    def _hooked(
        self, construct: Any, call: Caller, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """`construct` with the hooks around it; `call` calls user code."""
        try:
            for hook in list(self._pre_hooks.values()):
                args, kwargs = _before(hook, self, call, args, kwargs)
            output = call(construct, args, kwargs)
        except Exception:
            for hook in [h for h in self._post_hooks.values() if h.always]:
                given = (self, args, kwargs, None) if hook.kwargs else (self, args, None)
                call(hook.function, given, {})
            raise
        for hook in list(self._post_hooks.values()):
            after = (self, args, kwargs, output) if hook.kwargs else (self, args, output)
            result = call(hook.function, after, {})
            output = output if result is None else result
        return output


def _before(
    hook: _Hook, owner: Any, call: Caller, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    given = (owner, args, kwargs) if hook.kwargs else (owner, args)
    result = call(hook.function, given, {})
    if result is None:
        return args, kwargs
    if not hook.kwargs:
        return (result if isinstance(result, tuple) else (result,)), kwargs
    if not isinstance(result, tuple) or len(result) != 2:
        raise error(
            RuntimeError,
            "A forward pre-hook with kwargs must return None or a tuple of (new_args, new_kwargs), "
            f"but got {type(result).__name__}.",
        )
    return result
