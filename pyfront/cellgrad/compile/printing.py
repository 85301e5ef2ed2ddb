"""How compiled code prints."""

from __future__ import annotations

import sys
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import format as _format
from cellgrad.core.storage import to_numpy


def print_hook(text: str, buffer: Any) -> None:
    """What compiled code prints: text, then a tensor if there is one."""
    sys.stdout.write(text)
    if buffer is not None:
        dtype = mstype.BY_NATIVE[buffer.dtype]
        sys.stdout.write(_format.text(to_numpy(buffer, dtype), dtype.name))
