"""``mindspore.common.file_system``: how MindSpore opens files of checkpoints."""

from __future__ import annotations

import builtins

__all__ = ["FileSystem"]


class FileSystem:
    """Opens files as ``open`` does: ``open(path, *open_args)`` to read, ``create(path, *create_args)`` to append.

    >>> from cellgrad.common.file_system import FileSystem
    >>> FileSystem().create is open, FileSystem().open_args
    (True, ('rb',))
    """

    create = open = staticmethod(builtins.open)
    create_args = ("ab",)
    open_args = ("rb",)
