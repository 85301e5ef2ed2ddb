"""Settings of data sets."""

from __future__ import annotations

from cellgrad.core.arguments import argument_error, check_bool, check_int
from cellgrad.core.initializer import get_seed as _global_seed

__all__ = [
    "get_debug_mode",
    "get_num_parallel_workers",
    "get_prefetch_size",
    "get_seed",
    "set_debug_mode",
    "set_num_parallel_workers",
    "set_prefetch_size",
    "set_seed",
]

_DEFAULT_SEED = 5489
_settings: dict[str, int | None] = {"seed": None, "workers": 1, "prefetch": 16}
_debug = [False]


def set_seed(seed: int) -> None:
    """Sets what shuffles depend on; each epoch has an order of its own.

    Raises:
        TypeError, ValueError: `seed` is not a non-negative int.
    """
    _settings["seed"] = check_int(seed, "set_seed", "seed", at_least=0)


def get_seed() -> int:
    """The seed of shuffles: of `set_seed` here, else of `cellgrad.set_seed`, else a fixed one."""
    for found in (_settings["seed"], _global_seed()):
        if found is not None:
            return found
    return 1 if _debug[0] else _DEFAULT_SEED


def set_num_parallel_workers(num: int) -> None:
    """Sets how many threads `map` uses where it is not told.

    Raises:
        TypeError, ValueError: `num` is not a positive int.
    """
    _settings["workers"] = check_int(num, "set_num_parallel_workers", "num", at_least=1)


def get_num_parallel_workers() -> int:
    """How many threads `map` uses where it is not told."""
    return _settings["workers"] or 1


def set_prefetch_size(size: int) -> None:
    """Sets how many rows `prefetch` reads ahead where it is not told.

    Raises:
        TypeError, ValueError: `size` is not a positive int.
    """
    _settings["prefetch"] = check_int(size, "set_prefetch_size", "size", at_least=1)


def get_prefetch_size() -> int:
    """How many rows `prefetch` reads ahead where it is not told."""
    return _settings["prefetch"] or 1


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: None = None) -> None:
    """Whether data sets compute in the thread that iterates alone, so that a debugger can follow, and shuffle with
    the seed 1 where there is none.

    Args:
        debug_hook_list: must be None: operations print nothing.

    Raises:
        TypeError: no bool, or a list of hooks.
    """
    if debug_hook_list is not None:
        raise argument_error(
            TypeError, "set_debug_mode", "debug_hook_list", "None", debug_hook_list
        )
    _debug[0] = check_bool(debug_mode_flag, "set_debug_mode", "debug_mode_flag")


def get_debug_mode() -> bool:
    """Whether data sets compute in the thread that iterates alone."""
    return _debug[0]
