"""How a program uses several ranks, under MindSpore's names."""

from __future__ import annotations

from typing import Any

from cellgrad.core import ranks
from cellgrad.core.arguments import check_bool, check_int, check_one_of
from cellgrad.core.context import ParallelMode
from cellgrad.core.errors import error, nearest

__all__ = [
    "get_auto_parallel_context",
    "reset_auto_parallel_context",
    "set_auto_parallel_context",
]

_DEFAULTS: dict[str, Any] = {
    "batch_tile": None,
    "device_num": None,
    "enable_parallel_optimizer": False,
    "global_rank": None,
    "gradients_mean": False,
    "parallel_mode": ParallelMode.STAND_ALONE,
    "parameter_broadcast": False,
    "reduction": "plain",
    "shard_datasets": True,
}
_settings = dict(_DEFAULTS)
_MODES = (ParallelMode.STAND_ALONE, ParallelMode.DATA_PARALLEL)
_BOOLS = (
    "enable_parallel_optimizer",
    "gradients_mean",
    "parameter_broadcast",
    "shard_datasets",
)
_NAME = "set_auto_parallel_context"


def set_auto_parallel_context(**kwargs: object) -> None:
    """Sets how programs use the ranks.

    Args:
        parallel_mode: "stand_alone", the default, or "data_parallel": training steps reduce gradients
            over the ranks.
        gradients_mean: whether they become the mean; else the sum.
        parameter_broadcast: whether training steps begin with the Parameters of rank 0 on all ranks.
        enable_parallel_optimizer: whether optimizers of `nn` that are made from now on keep their state in
            parts, one for each rank. Same numbers, a fraction of the memory; see docs/distributed.md.
        reduction: "plain", or "ordered": training steps compute the gradients of tiles of the batch one
            by one, and add them in an order that does not depend on the number of ranks.
        batch_tile: the number of rows of such a tile.
        shard_datasets: whether data sets without `num_shards` give each rank its part of the rows, in
            "data_parallel".
        device_num, global_rank: kept for scripts; they must be what the launcher says.

    Raises:
        ValueError: another setting, or a value that is not possible.

    >>> ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    >>> print(ms.get_auto_parallel_context("parallel_mode"))
    data_parallel
    >>> ms.reset_auto_parallel_context()
    """
    new = dict(kwargs)
    for name, value in kwargs.items():
        if name not in _DEFAULTS:
            raise error(
                ValueError,
                f"For '{_NAME}', there is no setting '{name}' here.",
                nearest(name, list(_DEFAULTS)) or "settings are " + ", ".join(sorted(_DEFAULTS)),
            )
        if name == "parallel_mode":
            check_one_of(value, _NAME, name, _MODES)
        elif name in _BOOLS:
            check_bool(value, _NAME, name)
        elif name == "reduction":
            check_one_of(value, _NAME, name, ("plain", "ordered"))
        elif name == "batch_tile":
            if value is not None:
                check_int(value, _NAME, name, at_least=1)
        else:
            check_int(value, _NAME, name, at_least=0)
            known = ranks.size() if name == "device_num" else ranks.rank()
            if value != known:
                raise error(
                    ValueError,
                    f"For '{_NAME}', '{name}' is {value}, but the launcher says {known}.",
                    "leave it out, and call communication.init() first",
                )
    after = {**_settings, **new}
    if after["reduction"] == "ordered" and after["batch_tile"] is None:
        raise error(
            ValueError,
            f"For '{_NAME}', reduction='ordered' adds gradients of tiles of the batch, but 'batch_tile' is not set.",
            "give batch_tile, the number of rows of a tile, such as the batch size of one of the most ranks",
        )
    _settings.update(new)


def get_auto_parallel_context(attr_key: str) -> Any:
    """The value of a setting.

    Raises:
        ValueError: there is none of that name.

    >>> print(ms.get_auto_parallel_context("gradients_mean"))
    False
    """
    check_one_of(attr_key, "get_auto_parallel_context", "attr_key", sorted(_DEFAULTS))
    if attr_key == "device_num":
        return ranks.size()
    if attr_key == "global_rank":
        return ranks.rank()
    return _settings[attr_key]


def reset_auto_parallel_context() -> None:
    """Sets all settings to their defaults.

    >>> ms.reset_auto_parallel_context()
    """
    _settings.clear()
    _settings.update(_DEFAULTS)
