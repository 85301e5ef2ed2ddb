"""Files that are written to be read at once, in a folder that goes with the process."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_folder: str | None = None
_count = 0


def fresh_path() -> str:
    """Where to write a shared object that is loaded at once."""
    global _folder, _count
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="cellgrad-")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    _count += 1
    return os.path.join(_folder, f"m{_count}.so")
