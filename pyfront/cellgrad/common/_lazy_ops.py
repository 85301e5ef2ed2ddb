"""``cellgrad.ops`` for the methods of Tensor, on which it is built: imported on first use."""

from __future__ import annotations

from typing import Any


class LazyOps:
    """Stands for ``cellgrad.ops`` as `ops` of a module, and gives way to it when first used.

    Args:
        names: the module's ``globals()``.
    """

    def __init__(self, names: dict[str, Any]):
        self._names = names

    def __getattr__(self, name: str) -> Any:
        from cellgrad import ops

        self._names["ops"] = ops
        return getattr(ops, name)
