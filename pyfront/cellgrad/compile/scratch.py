"""Files that are written to be read at once, in a folder that goes with the process.

A process that is killed leaves its folder to the next one, which removes it.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import tempfile
import time

PREFIX = "cellgrad-files-"
YOUNG = 60.0  # seconds: a folder may have been made and not be locked yet
_folder: str | None = None
_count = 0


def fresh_path() -> str:
    """Where to write a shared object that is loaded at once."""
    global _folder, _count
    if _folder is None:
        _remove_leftovers()
        _folder = tempfile.mkdtemp(prefix=PREFIX)
        held = os.open(_folder, os.O_RDONLY)  # until the process ends
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(held, fcntl.LOCK_EX)
        atexit.register(_remove, _folder, os.getpid())
    _count += 1
    return os.path.join(_folder, f"m{_count}.so")


def _remove_leftovers() -> None:
    """Removes the folders of this user that no process holds."""
    try:
        names = os.listdir(tempfile.gettempdir())
    except OSError:  # may be written, but not be read
        return
    for name in names:
        if not name.startswith(PREFIX):
            continue
        path = os.path.join(tempfile.gettempdir(), name)
        with contextlib.suppress(OSError):  # another process removes it, too
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                status = os.fstat(held)
                if status.st_uid == os.getuid() and time.time() - status.st_mtime > YOUNG:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(held)


def _remove(folder: str, owner: int) -> None:
    """Removes the folder when the process ends that has made it, not when a fork of it does."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _in_child() -> None:
    """A fork writes elsewhere: two processes would load each other's files."""
    global _folder
    _folder = None


os.register_at_fork(after_in_child=_in_child)
