"""Learning rates as lists, one number a step."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cellgrad.core.arguments import check_bool, check_int, check_same_length, check_sequence
from cellgrad.core.errors import error
from cellgrad.nn.learning_rate_schedule import check_float

__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]


def _check_counts(owner: str, **counts: int) -> None:
    for name, value in counts.items():
        check_int(value, owner, name, at_least=1)


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """``learning_rates[i]`` up to step ``milestone[i]``.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: sequences of different lengths, or milestones that fall.

    >>> nn.piecewise_constant_lr([2, 3], [0.5, 0.25])
    [0.5, 0.5, 0.25]
    """
    owner = "piecewise_constant_lr"
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        check_sequence(value, owner, name, "numbers", empty=True)
    check_same_length(milestone, learning_rates, owner, ("milestone", "learning_rates"))
    rates: list[float] = []
    last = 0
    for i, (step, rate) in enumerate(zip(milestone, learning_rates)):
        check_int(step, owner, f"milestone[{i}]", at_least=1)
        check_float(rate, owner, f"learning_rates[{i}]", zero=True)
        if step < last:
            raise error(
                ValueError,
                f"For '{owner}', milestones must rise, but milestone[{i}] is {step} after {last}.",
            )
        rates += [rate] * (step - last)
        last = step
    return rates


def _check_decay(
    owner: str, rate: float, decay: float, total: int, epoch: int, decay_epoch: int, stair: bool
) -> None:
    check_float(rate, owner, "learning_rate")
    check_float(decay, owner, "decay_rate")
    _check_counts(owner, total_step=total, step_per_epoch=epoch, decay_epoch=decay_epoch)
    check_bool(stair, owner, "is_stair")


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """``learning_rate * decay_rate ** (epoch / decay_epoch)`` for each of `total_step` steps.

    Args:
        learning_rate, decay_rate: positive floats.
        total_step, step_per_epoch, decay_epoch: positive ints; the epoch is the step divided by
            `step_per_epoch`, rounded down.
        is_stair: whether the exponent is rounded down.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> nn.exponential_decay_lr(0.5, 0.5, total_step=4, step_per_epoch=1, decay_epoch=1)
    [0.5, 0.25, 0.125, 0.0625]
    """
    _check_decay(
        "exponential_decay_lr",
        learning_rate,
        decay_rate,
        total_step,
        step_per_epoch,
        decay_epoch,
        is_stair,
    )
    parts = [i // step_per_epoch / decay_epoch for i in range(total_step)]
    return [learning_rate * decay_rate ** (math.floor(p) if is_stair else p) for p in parts]


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """``learning_rate * exp(-decay_rate * epoch)``, with `is_stair` of the epoch rounded down to a
    multiple of `decay_epoch`; arguments and errors as of `exponential_decay_lr`.

    >>> nn.natural_exp_decay_lr(0.5, 1.0, total_step=2, step_per_epoch=1, decay_epoch=1)
    [0.5, 0.18393972058572117]
    """
    _check_decay(
        "natural_exp_decay_lr",
        learning_rate,
        decay_rate,
        total_step,
        step_per_epoch,
        decay_epoch,
        is_stair,
    )
    epochs = [i // step_per_epoch for i in range(total_step)]
    if is_stair:
        epochs = [e // decay_epoch * decay_epoch for e in epochs]
    return [learning_rate * math.exp(-decay_rate * e) for e in epochs]


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """``learning_rate / (1 + decay_rate * epoch / decay_epoch)``; arguments and errors as of
    `exponential_decay_lr`.

    >>> nn.inverse_decay_lr(0.5, 1.0, total_step=4, step_per_epoch=2, decay_epoch=1, is_stair=True)
    [0.5, 0.5, 0.25, 0.25]
    """
    _check_decay(
        "inverse_decay_lr",
        learning_rate,
        decay_rate,
        total_step,
        step_per_epoch,
        decay_epoch,
        is_stair,
    )
    parts = [i // step_per_epoch / decay_epoch for i in range(total_step)]
    return [learning_rate / (1 + decay_rate * (math.floor(p) if is_stair else p)) for p in parts]


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Half a cosine from `max_lr` down to `min_lr` over `decay_epoch`, constant afterwards.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: negative rates, or `min_lr` that is not below `max_lr`.

    >>> nn.cosine_decay_lr(0.0, 1.0, total_step=4, step_per_epoch=1, decay_epoch=2)
    [1.0, 0.5, 0.0, 0.0]
    """
    owner = "cosine_decay_lr"
    check_float(min_lr, owner, "min_lr", zero=True)
    check_float(max_lr, owner, "max_lr")
    _check_counts(
        owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch
    )
    if min_lr >= max_lr:
        raise error(
            ValueError,
            f"For '{owner}', the 'max_lr' must be greater than the 'min_lr', but got 'max_lr' "
            f"value: {max_lr}, 'min_lr' value: {min_lr}.",
        )
    half = 0.5 * (max_lr - min_lr)
    epochs = [min(i // step_per_epoch, decay_epoch) for i in range(total_step)]
    return [min_lr + half * (1 + math.cos(math.pi * e / decay_epoch)) for e in epochs]


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """``(learning_rate - end_learning_rate) * (1 - epoch / decay_epoch) ** power +
    end_learning_rate``, constant afterwards or, with `update_decay_epoch`, with `decay_epoch`
    replaced by its next multiple.

    Raises:
        TypeError, ValueError: arguments that are not positive floats (`end_learning_rate` may be
            0) and ints.

    >>> nn.polynomial_decay_lr(0.5, 0.0, total_step=3, step_per_epoch=1, decay_epoch=2, power=1.0)
    [0.5, 0.25, 0.0]
    """
    owner = "polynomial_decay_lr"
    check_float(learning_rate, owner, "learning_rate")
    check_float(end_learning_rate, owner, "end_learning_rate", zero=True)
    check_float(power, owner, "power")
    _check_counts(
        owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch
    )
    check_bool(update_decay_epoch, owner, "update_decay_epoch")
    rates = []
    for i in range(total_step):
        epoch, last = i // step_per_epoch, decay_epoch
        if update_decay_epoch:
            last = decay_epoch * max(math.ceil(epoch / decay_epoch), 1)
        part = min(epoch, last) / last
        rates.append((learning_rate - end_learning_rate) * (1 - part) ** power + end_learning_rate)
    return rates


def warmup_lr(
    learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int
) -> list[float]:
    """A line from 0 to `learning_rate` over `warmup_epoch`, constant afterwards.

    Raises:
        TypeError, ValueError: arguments that are not a non-negative float and positive ints.

    >>> nn.warmup_lr(0.5, total_step=4, step_per_epoch=1, warmup_epoch=2)
    [0.0, 0.25, 0.5, 0.5]
    """
    owner = "warmup_lr"
    check_float(learning_rate, owner, "learning_rate", zero=True)
    _check_counts(
        owner, total_step=total_step, step_per_epoch=step_per_epoch, warmup_epoch=warmup_epoch
    )
    epochs = [min(i // step_per_epoch, warmup_epoch) for i in range(total_step)]
    return [learning_rate * e / warmup_epoch for e in epochs]
