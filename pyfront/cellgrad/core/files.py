"""Files that appear complete or not at all, and files that are read whole."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

PREFIX = ".cellgrad-"  # of names that are written to before they are renamed
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def _create(folder: str, mode: int, at: int | None) -> tuple[int, str]:
    """A new file: its descriptor and path. The kernel takes the umask, and what a folder's default
    ACL says, from `mode`."""
    while True:
        part = os.path.join(folder, PREFIX + os.urandom(8).hex())
        try:
            return os.open(part, _CREATE, mode, dir_fd=at), part
        except FileExistsError:
            continue


def _refuse_special(path: str, at: int | None) -> None:
    with contextlib.suppress(FileNotFoundError):
        kind = os.stat(path, dir_fd=at).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", path)


@contextlib.contextmanager
def replacing(
    path: str, durable: bool = True, mode: int = 0o666, at: int | None = None
) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` when the block ends without an exception.

    What was there stays until then. If `durable`, what was written reaches the disk before it is
    renamed. `mode` is the new file's, less the umask; `at` is the descriptor of the folder that
    `path` starts from, the current one by default.

    Raises:
        OSError: it cannot be written, with `path` as its `filename`.
    """
    path = os.path.abspath(path) if at is None else path
    try:
        _refuse_special(path, at)
        handle, part = _create(os.path.dirname(path), mode, at)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(part, path, src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):  # the folder went away
                os.unlink(part, dir_fd=at)
            raise
    except OSError as e:
        # Names the file that was asked for, not the one that is renamed to it.
        raise OSError(e.errno, e.strerror or str(e), path) from e


def read_all(
    path: str, at: int | None = None, limit: int | None = None
) -> tuple[bytes, os.stat_result]:
    """The content of a regular file, and what the system says about the file that was read.

    Raises:
        OSError: there is no such file; it is a folder, a device or a pipe; or it has more than
            `limit` bytes.
    """
    # A pipe is not waited for. Where a folder's descriptor is given, links out of it are no files.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
    flags |= 0 if at is None else os.O_NOFOLLOW
    with open(path, "rb", 0, opener=lambda name, _: os.open(name, flags, dir_fd=at)) as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", path)
        if limit is not None and info.st_size > limit:
            raise OSError(errno.EFBIG, f"it has {info.st_size} bytes, more than {limit}", path)
        # Files of the kernel's that never end have no size.
        return (file.read() if info.st_size else b""), info
