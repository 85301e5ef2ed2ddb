"""Lines of text files as rows."""

from __future__ import annotations

import enum
import glob
from collections.abc import Sequence

import numpy as np

from cellgrad.core.arguments import argument_error, check_sequence
from cellgrad.core.errors import error
from cellgrad.core.files import read_all
from cellgrad.dataset._vocab import lines_of
from cellgrad.dataset.pipeline import Row
from cellgrad.dataset.sources import Source


class Shuffle(enum.StrEnum):
    """What is put in random order where files are read: all rows, or (FILES) the files.

    >>> print(ms.dataset.Shuffle.GLOBAL)
    global
    """

    GLOBAL = "global"
    FILES = "files"


class TextFileDataset(Source):
    """The lines of text files of UTF-8 that are not empty, in a column "text" of strings. Files come in the order of
    their names, one after the other.

    Args:
        dataset_files: a name or a list of names, which may be patterns such as ``"data/*.txt"``.
        num_samples: how many rows an epoch has at most.
        num_parallel_workers, cache: kept for scripts.
        shuffle: True or `Shuffle.GLOBAL`: random order; False: none. `Shuffle.FILES` is no order of this version.
        num_shards, shard_id: which part of the rows.

    Raises:
        TypeError, ValueError: other arguments, names that no file has, or files that are not UTF-8.

    >>> import os, tempfile
    >>> import cellgrad.dataset as ds
    >>> path = os.path.join(tempfile.mkdtemp(), "poem.txt")
    >>> _ = open(path, "w").write("a rose\\n\\nis a rose\\n")
    >>> data = ds.TextFileDataset(path, shuffle=False)
    >>> [str(row["text"]) for row in data.create_dict_iterator(output_numpy=True)]
    ['a rose', 'is a rose']
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ):
        owner = "TextFileDataset"
        if not isinstance(shuffle, bool | None) and shuffle != Shuffle.GLOBAL:
            raise argument_error(
                ValueError, owner, "shuffle", "True, False or Shuffle.GLOBAL", shuffle
            )
        given = [dataset_files] if isinstance(dataset_files, str) else dataset_files
        patterns = check_sequence(given, owner, "dataset_files", "names of files", str)
        missing = [p for p in patterns if not glob.glob(p)]
        if missing:
            raise error(ValueError, f"The following patterns did not match any files: {missing}.")
        self.files = sorted({name for p in patterns for name in glob.glob(p)})
        self.lines = [line for name in self.files for line in _lines(name)]
        super().__init__(
            ["text"], shuffle is None or bool(shuffle), None, num_samples, num_shards, shard_id
        )

    def total(self) -> int:
        return len(self.lines)

    def at(self, position: int) -> Row:
        return (np.array(self.lines[position]),)


def _lines(name: str) -> list[str]:
    try:
        text = read_all(name)[0].decode("utf-8")
    except UnicodeDecodeError as e:
        raise error(ValueError, f"The file {name} is not UTF-8: {e}.") from None
    return [line for line in lines_of(text) if line]
