"""Checkpoints written in another format: MindSpore's ``.ckpt`` and ``.safetensors``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from cellgrad.checkpoints.serialization import load_checkpoint, save_checkpoint
from cellgrad.core.arguments import argument_error, check_instance, check_int
from cellgrad.core.errors import error

__all__ = ["ckpt_to_safetensors", "safetensors_to_ckpt"]


def _of_ranks(folder: str, save_path: str | None, op: str) -> Iterator[tuple[str, str]]:
    """The files of a folder's ``rank...`` folders, and where each goes."""
    ranks = [d for d in sorted(os.listdir(folder)) if d.startswith("rank")]
    ranks = [d for d in ranks if os.path.isdir(os.path.join(folder, d))]
    if not ranks:
        raise error(
            ValueError,
            f"For '{op}', the folder '{folder}' has no folder whose name begins with 'rank'.",
            "give the path of a file, or the folder that has 'rank_0' and the like in it",
        )
    for rank in ranks:
        for name in sorted(os.listdir(os.path.join(folder, rank))):
            target = folder if save_path is None else save_path
            yield os.path.join(folder, rank, name), os.path.join(target, rank)


def _convert(
    op: str,
    formats: tuple[str, str],
    file_path: str,
    save_path: str | None,
    name_map: dict[str, str] | None,
    file_name_regex: str | None,
    processes_num: int,
) -> None:
    before, after = (f".{name}" for name in formats)
    check_instance(file_path, op, "file_path", str)
    check_int(processes_num, op, "processes_num", at_least=1)
    if save_path is not None and os.path.splitext(save_path)[1]:
        raise error(ValueError, f"For '{op}', 'save_path' must be a folder, but got '{save_path}'.")
    if name_map is not None and not isinstance(name_map, dict):
        raise argument_error(ValueError, op, "name_map", "a dict", name_map)
    pattern = re.compile(file_name_regex or "")
    if os.path.isdir(file_path):
        listed = list(_of_ranks(file_path, save_path, op))
        files = [(a, b) for a, b in listed if a.endswith(before)]
        files = [(a, b) for a, b in files if pattern.search(os.path.basename(a))]
    elif not os.path.isfile(file_path):
        raise error(ValueError, f"For '{op}', there is no file or folder '{file_path}'.")
    elif not file_path.endswith(before) or not pattern.search(file_path):
        wanted = f"a {before} file" + (
            f" that '{file_name_regex}' is in" if pattern.pattern else ""
        )
        raise error(ValueError, f"For '{op}', the file must be {wanted}, but got '{file_path}'.")
    else:
        files = [(file_path, save_path or os.path.dirname(file_path))]
    names: dict[str, str] = name_map or {}
    for source, folder in files:
        os.makedirs(folder or ".", exist_ok=True)
        entries: dict[str, Any] = load_checkpoint(source, format=formats[0])
        renamed = [
            {"name": names.get(name, name), "data": value} for name, value in entries.items()
        ]
        target = os.path.join(folder, os.path.basename(source).removesuffix(before) + after)
        save_checkpoint(renamed, target, format=formats[1])


def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Writes ``.ckpt`` files as ``.safetensors`` files of the same names.

    Args:
        file_path: a file, or a folder with folders ``rank...`` whose files are written.
        save_path: the folder for what is written, where the files are by default.
        name_map: other names of Parameters.
        file_name_regex: a pattern that must be in the name of a file.
        processes_num: kept for scripts.

    Raises:
        ValueError: no such file, a file of another format, or a `save_path` with an ending.
        TypeError: a `file_path` that is no str.

    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/model"
    >>> ms.save_checkpoint([{"name": "w", "data": Tensor([1.0, 2.0])}], f"{path}.ckpt")
    >>> ms.ckpt_to_safetensors(f"{path}.ckpt")
    >>> print(ms.load_checkpoint(f"{path}.safetensors", format="safetensors")["w"].value())
    [1. 2.]
    """
    formats = ("ckpt", "safetensors")
    given = (file_path, save_path, name_map, file_name_regex, processes_num)
    _convert("ckpt_to_safetensors", formats, *given)


def safetensors_to_ckpt(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Writes ``.safetensors`` files as ``.ckpt`` files of the same names; see `ckpt_to_safetensors`.

    >>> import tempfile
    >>> path, rows = f"{tempfile.mkdtemp()}/model", [{"name": "w", "data": Tensor([1.0, 2.0])}]
    >>> ms.save_checkpoint(rows, f"{path}.safetensors", format="safetensors")
    >>> ms.safetensors_to_ckpt(f"{path}.safetensors")
    >>> print(ms.load_checkpoint(f"{path}.ckpt")["w"].value())
    [1. 2.]
    """
    formats = ("safetensors", "ckpt")
    given = (file_path, save_path, name_map, file_name_regex, processes_num)
    _convert("safetensors_to_ckpt", formats, *given)
