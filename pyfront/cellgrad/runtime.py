"""What scripts ask of MindSpore's runtime: ``mindspore.runtime``. Calls compute before they return here, so there is
nothing to launch, to wait for or to set.
"""

__all__ = ["launch_blocking", "synchronize"]


def launch_blocking() -> None:
    """Nothing: each call is done when it returns.

    >>> ms.runtime.launch_blocking()
    """


def synchronize() -> None:
    """Nothing: no work is under way after a call.

    >>> ms.runtime.synchronize()
    """
