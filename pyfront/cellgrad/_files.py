"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from typing import BinaryIO


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def replacing(path: str, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` when the block ends without an exception.

    What was there stays until then. If `durable`, what was written reaches the disk before it is
    renamed.
    """
    path = os.path.abspath(path)
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", path)
    handle, part = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".cellgrad-")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
