"""What scripts ask about devices: there is one."""

from __future__ import annotations

from cellgrad.core.context import ParallelMode

__all__ = [
    "_get_device_num",
    "_get_global_rank",
    "_get_gradients_mean",
    "_get_parallel_mode",
]


def _get_parallel_mode() -> str:
    """`ParallelMode.STAND_ALONE`."""
    return ParallelMode.STAND_ALONE


def _get_device_num() -> int:
    """1."""
    return 1


def _get_global_rank() -> int:
    """0."""
    return 0


def _get_gradients_mean() -> bool:
    """Whether gradients of several devices are averaged."""
    return False
