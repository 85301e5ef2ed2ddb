"""Functions that are called where the state of a Cell is made or taken."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from cellgrad.core.arguments import check_callable

_KINDS = ("state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post")


class StateHookHandle:
    """What registering a hook returns; `remove` takes the hook off again."""

    def __init__(self, hooks: OrderedDict[int, Callable[..., Any]], key: int):
        self._hooks = hooks
        self.handle_id = key

    def remove(self) -> None:
        """Takes the hook off; a second call does nothing."""
        self._hooks.pop(self.handle_id, None)


class StateHooks:
    """The hooks of `state_dict` and `load_state_dict`."""

    _state_hooks: dict[str, OrderedDict[int, Callable[..., Any]]]

    def _init_state_hooks(self) -> None:
        object.__setattr__(self, "_state_hooks", {kind: OrderedDict() for kind in _KINDS})

    def _add_state_hook(self, kind: str, hook: Callable[..., Any]) -> StateHookHandle:
        check_callable(hook, f"register_{kind}_hook", "hook", "a function")
        hooks = self._state_hooks[kind]
        key = max(hooks, default=-1) + 1
        hooks[key] = hook
        return StateHookHandle(hooks, key)

    def register_state_dict_pre_hook(self, hook: Callable[..., object]) -> StateHookHandle:
        """``hook(cell, prefix, keep_vars)`` before `state_dict`.

        >>> net = nn.Dense(2, 1)
        >>> _ = net.register_state_dict_pre_hook(lambda cell, prefix, keep: print("saving"))
        >>> len(net.state_dict())
        saving
        2
        """
        return self._add_state_hook("state_dict_pre", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., object]) -> StateHookHandle:
        """``hook(cell, state_dict, prefix, local_metadata)`` after `state_dict`, which it may change.

        >>> net = nn.Dense(2, 1)
        >>> _ = net.register_state_dict_post_hook(lambda cell, state, *others: state.update(one=1))
        >>> list(net.state_dict())
        ['weight', 'bias', 'one']
        """
        return self._add_state_hook("state_dict_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., object]) -> StateHookHandle:
        """``hook(cell, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)`` before `load_state_dict`; it may change the state and add error messages.

        >>> net = nn.Dense(2, 1)
        >>> _ = net.register_load_state_dict_pre_hook(lambda cell, state, *others: state.pop("old"))
        >>> net.load_state_dict({**net.state_dict(), "old": Tensor([1.0])})
        <All keys matched successfully>
        """
        return self._add_state_hook("load_state_dict_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., object]) -> StateHookHandle:
        """``hook(cell, incompatible_keys)`` after `load_state_dict`.

        >>> net = nn.Dense(2, 1)
        >>> _ = net.register_load_state_dict_post_hook(lambda cell, keys: print(keys.missing_keys))
        >>> _ = net.load_state_dict({"weight": net.weight}, strict=False)
        ['bias']
        """
        return self._add_state_hook("load_state_dict_post", hook)

    def _before_state(self, prefix: str, keep_vars: bool) -> None:
        for hook in list(self._state_hooks["state_dict_pre"].values()):
            hook(self, prefix, keep_vars)

    def _after_state(self, state: dict[str, Any], prefix: str) -> None:
        for hook in list(self._state_hooks["state_dict_post"].values()):
            hook(self, state, prefix, {})

    def _before_loading(self, state: Any, prefix: str, strict: bool, problems: list[str]) -> None:
        for hook in list(self._state_hooks["load_state_dict_pre"].values()):
            hook(self, state, prefix, {}, strict, [], [], problems)

    def _after_loading(self, found: Any) -> None:
        for hook in list(self._state_hooks["load_state_dict_post"].values()):
            hook(self, found)
