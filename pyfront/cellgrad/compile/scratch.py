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
        atexit.register(_remove, _folder, os.getpid())
    _count += 1
    return os.path.join(_folder, f"m{_count}.so")


def _remove(folder: str, owner: int) -> None:
    """Removes the folder when the process ends that has made it, not when a fork of it does."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _in_child() -> None:
    """A fork writes elsewhere: two processes would load each other's files."""
    global _folder
    _folder = None


os.register_at_fork(after_in_child=_in_child)
