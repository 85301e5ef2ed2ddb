"""``mindspore.device_context.cpu.op_tuning``."""

from cellgrad.core.context import set_num_threads

__all__ = ["threads_num"]


def threads_num(num: int) -> None:
    """Sets how many threads a compiled call computes on; see `set_num_threads`.

    Raises:
        TypeError: `num` is not an int.
        ValueError: it is below 1.

    >>> ms.device_context.cpu.op_tuning.threads_num(1)
    """
    set_num_threads(num)
