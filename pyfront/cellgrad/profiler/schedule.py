"""Which steps of a loop a profile records."""

from __future__ import annotations

import enum
from collections.abc import Callable

from cellgrad.core.arguments import check_int

__all__ = ["ProfilerAction", "schedule"]


class ProfilerAction(enum.Enum):
    """What a profile does in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(
    *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
) -> Callable[[int], ProfilerAction]:
    """Which steps are recorded, for `profile`: after `skip_first` steps, rounds of `wait` and
    `warmup` steps that are not, and `active` steps that are.

    Args:
        wait: steps without recording at the start of a round.
        active: steps that are recorded at its end, at least 1.
        warmup: steps between them; also not recorded.
        repeat: how many rounds; 0 for no end.
        skip_first: steps before the first round.

    Raises:
        TypeError: something that is no int.
        ValueError: a negative number, or `active` of 0.

    >>> plan = ms.profiler.schedule(wait=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(4)]
    ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    counts = {"wait": wait, "warmup": warmup, "repeat": repeat, "skip_first": skip_first}
    for name, count in counts.items():
        check_int(count, "schedule", name, at_least=0)
    check_int(active, "schedule", "active", at_least=1)
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        done, at = divmod(check_int(step, "schedule", "step", at_least=0) - skip_first, length)
        if done < 0 or 0 < repeat <= done or at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if at < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action
