"""Hooks of Cells: functions called before and after `construct`, and where reverse mode has the gradients
of its arguments and results; compiled with it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from cellgrad.core import state
from cellgrad.core.arguments import check_callable
from cellgrad.core.errors import error
from cellgrad.core.hooks import refuse_in_capture
from cellgrad.transforms.hooks import after_backward, before_backward

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
        refuse_in_capture("removed")
        if self._hooks.pop(self.handle_id, None) is not None:
            self._owner._changed()


class CellHooks:
    """The hooks of a Cell."""

    _pre_hooks: OrderedDict[int, _Hook]
    _post_hooks: OrderedDict[int, _Hook]
    _backward_hooks: OrderedDict[int, _Hook]
    _backward_pre_hooks: OrderedDict[int, _Hook]
    _hook_count: int

    def _init_hooks(self) -> None:
        for name in ("_pre_hooks", "_post_hooks", "_backward_hooks", "_backward_pre_hooks"):
            object.__setattr__(self, name, OrderedDict())
        object.__setattr__(self, "_hook_count", 0)

    def _has_hooks(self) -> bool:
        return bool(
            self._pre_hooks or self._post_hooks or self._backward_hooks or self._backward_pre_hooks
        )

    def _changed(self) -> None:
        """Compiled code that read this Cell is compiled again on its next call."""

    def _register(
        self, hooks: OrderedDict[int, _Hook], where: str, hook: _Hook, prepend: bool
    ) -> HookHandle:
        check_callable(hook.function, where, "hook", "a function")
        refuse_in_capture("registered")
        key = self._hook_count
        object.__setattr__(self, "_hook_count", key + 1)
        hooks[key] = hook
        if prepend:
            hooks.move_to_end(key, last=False)
        self._changed()
        return HookHandle(self, hooks, key)

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., object], *, prepend: bool = False, with_kwargs: bool = False
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
        hook_fn: Callable[..., object],
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

    def register_backward_hook(self, hook_fn: Callable[..., object]) -> HookHandle:
        """Calls ``hook_fn(cell, grad_input, grad_output)`` where reverse mode has the gradients of
        this Cell's arguments.

        Both are tuples, with a gradient for each positional argument that is a Tensor, and for each
        Tensor of the output. What the hook returns, unless None, replaces `grad_input`: a tuple of
        as many Tensors, or a Tensor for one. Gradients of Parameters are not touched. The hook is
        compiled as part of the derivative.

        Raises:
            TypeError: `hook_fn` is not callable, or returns another number of gradients.

        >>> net = nn.ReLU()
        >>> handle = net.register_backward_hook(lambda cell, inputs, outputs: inputs[0] * 2)
        >>> print(ms.grad(net)(Tensor([-1.0, 2.0])))
        [0. 2.]
        >>> handle.remove()
        """
        hook = _Hook(hook_fn, False)
        return self._register(self._backward_hooks, "register_backward_hook", hook, False)

    def register_backward_pre_hook(self, hook_fn: Callable[..., object]) -> HookHandle:
        """Calls ``hook_fn(cell, grad_output)`` where reverse mode has the gradients of this Cell's
        output, before it goes through the Cell.

        `grad_output` is a tuple with a gradient for each Tensor of the output. What the hook
        returns, unless None, replaces it: a tuple of as many Tensors, or a Tensor for one.

        Raises:
            TypeError: `hook_fn` is not callable, or returns another number of gradients.

        >>> net = nn.Dense(2, 1, "ones", has_bias=False)
        >>> handle = net.register_backward_pre_hook(lambda cell, gradients: gradients[0] * 2)
        >>> print(ms.grad(net)(Tensor([[1.0, 2.0]])))
        [[2. 2.]]
        >>> handle.remove()
        """
        hook = _Hook(hook_fn, False)
        return self._register(self._backward_pre_hooks, "register_backward_pre_hook", hook, False)

    def _hooked(
        self, construct: Any, call: Caller, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """`construct` with the hooks around it; `call` calls user code."""
        called: set[int] = set()
        try:
            for hook in list(self._pre_hooks.values()):
                args, kwargs = _before(hook, self, call, args, kwargs)
            output = self._backward_hooked(construct, call, args, kwargs, called)
        except Exception:
            for hook in [h for h in self._post_hooks.values() if h.always and id(h) not in called]:
                given = (self, args, kwargs, None) if hook.kwargs else (self, args, None)
                call(hook.function, given, {})
            raise
        if self._backward_pre_hooks and _differentiable():
            output = before_backward(self, _functions(self._backward_pre_hooks), output)
        return output

    def _backward_hooked(
        self,
        construct: Any,
        call: Caller,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        called: set[int],
    ) -> Any:
        """`construct` and the forward hooks after it, with backward hooks; `called` gets those of the
        forward hooks that were called.
        """

        def constructed(*given: Any) -> Any:
            output = call(construct, given, kwargs)
            for hook in list(self._post_hooks.values()):
                called.add(id(hook))
                after = (self, given, kwargs, output) if hook.kwargs else (self, given, output)
                result = call(hook.function, after, {})
                output = output if result is None else result
            return output

        if not self._backward_hooks or not _differentiable():
            return constructed(*args)
        constructed.__name__ = type(self).__name__
        return after_backward(self, _functions(self._backward_hooks), constructed, args)


def _differentiable() -> bool:
    """Whether gradients may be asked for of what a Cell computes."""
    return state.current.scope is not None or state.current.tape is not None


def _functions(hooks: OrderedDict[int, _Hook]) -> list[Callable[..., Any]]:
    return [hook.function for hook in hooks.values()]


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
