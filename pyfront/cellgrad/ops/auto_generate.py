"""Under the name scripts use: ``ops.auto_generate.HSigmoidGrad``, and all operations of `ops`."""

from typing import Any

from cellgrad import ops
from cellgrad.ops.operations._grad_ops import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return getattr(ops, name)
