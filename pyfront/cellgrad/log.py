"""MindSpore's logger, as scripts use it: ``from cellgrad import log as logger``.

Lines go to standard error. ``GLOG_v`` says from which level on: "0" (debug), "1" (info), "2" (warning, the
default), "3" (error) or "4" (critical). What the package says of itself is told by `CELLGRAD_LOG` instead.
"""

from __future__ import annotations

import logging
import os
from typing import Any

__all__ = ["critical", "debug", "error", "get_level", "info", "warning"]

_LEVELS = {
    "0": logging.DEBUG,
    "1": logging.INFO,
    "2": logging.WARNING,
    "3": logging.ERROR,
    "4": logging.CRITICAL,
}
_logger = logging.getLogger("cellgrad.script")
_FORMAT = "[%(levelname)s] ME(%(process)d,%(processName)s):%(asctime)s [%(pathname)s:%(lineno)d] %(message)s"


def get_level() -> str:
    """The level from which on lines are written, as ``GLOG_v`` has it, "2" by default.

    >>> print(ms.get_level() in "01234")
    True
    """
    return os.environ.get("GLOG_v", "2")  # noqa: SIM112


def _write(level: int, msg: str, args: tuple[object, ...], options: dict[str, Any]) -> None:
    if not _logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(_FORMAT))
        _logger.addHandler(handler)
        _logger.propagate = False
    _logger.setLevel(_LEVELS.get(get_level(), logging.WARNING))
    _logger.log(level, msg, *args, stacklevel=3, **options)


def debug(msg: str, *args: object, **kwargs: object) -> None:
    """Writes a line if the level is "0"; arguments are put into `msg` by ``%``.

    >>> from cellgrad import log
    >>> log.debug("step %d", 3)
    """
    _write(logging.DEBUG, msg, args, kwargs)


def info(msg: str, *args: object, **kwargs: object) -> None:
    """Writes a line if the level is "1" or below; see `debug`.

    >>> from cellgrad import log
    >>> log.info("step %d", 3)
    """
    _write(logging.INFO, msg, args, kwargs)


def warning(msg: str, *args: object, **kwargs: object) -> None:
    """Writes a line if the level is "2" or below; see `debug`.

    >>> from cellgrad import log
    >>> log.warning("the loss is large")
    """
    _write(logging.WARNING, msg, args, kwargs)


def error(msg: str, *args: object, **kwargs: object) -> None:
    """Writes a line if the level is "3" or below; see `debug`.

    >>> from cellgrad import log
    >>> log.error("no data")
    """
    _write(logging.ERROR, msg, args, kwargs)


def critical(msg: str, *args: object, **kwargs: object) -> None:
    """Writes a line at any level; see `debug`.

    >>> from cellgrad import log
    >>> log.critical("no data")
    """
    _write(logging.CRITICAL, msg, args, kwargs)
