"""What programs import from ``mindspore.common._pijit_context``: the decorator behind ``jit(capture_mode="bytecode")``."""

from __future__ import annotations

from typing import Any

from cellgrad.compile.jit import jit


class Unsupported(RuntimeError):
    """What MindSpore raises where it cannot compile bytecode. Never raised: here source is compiled."""


class PIJitCaptureContext:
    """Decorates functions, or the `construct` of Cells: they are compiled as by ``jit(capture_mode="bytecode")``.

    Args:
        fullgraph: kept for scripts: nothing is left to Python silently in either case.
        jit_config: a `JitConfig` or dictionary of settings of MindSpore's compiler; without effect.

    Raises:
        TypeError: something is decorated that cannot be called.

    >>> from cellgrad.common._pijit_context import PIJitCaptureContext
    >>> print(PIJitCaptureContext()(lambda x: x * x)(Tensor(3.0)))
    9.0
    """

    def __init__(self, fullgraph: bool = False, jit_config: Any = None):
        self.config = {"fullgraph": fullgraph}
        self.jit_config = jit_config

    def __call__(self, fn: Any) -> Any:
        if isinstance(fn, type):
            fn.construct = self(fn.construct)  # type: ignore[attr-defined]
            return fn
        return jit(fn, capture_mode="bytecode", fullgraph=self.config["fullgraph"])
