"""The handles of hooks."""

from cellgrad.nn._hooks import HookHandle

__all__ = ["HookHandle"]
