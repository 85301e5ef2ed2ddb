"""What scripts ask about the ranks that train together."""

from __future__ import annotations

from cellgrad.parallel._auto_parallel_context import get_auto_parallel_context

__all__ = [
    "_get_device_num",
    "_get_global_rank",
    "_get_gradients_mean",
    "_get_parallel_mode",
]


def _get_parallel_mode() -> str:
    """`ParallelMode.STAND_ALONE` or `ParallelMode.DATA_PARALLEL`."""
    return str(get_auto_parallel_context("parallel_mode"))


def _get_device_num() -> int:
    """The number of ranks."""
    return int(get_auto_parallel_context("device_num"))


def _get_global_rank() -> int:
    """The number of this rank."""
    return int(get_auto_parallel_context("global_rank"))


def _get_gradients_mean() -> bool:
    """Whether gradients of several ranks are averaged."""
    return bool(get_auto_parallel_context("gradients_mean"))
