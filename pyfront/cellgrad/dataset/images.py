"""Data sets of images in the files they are published as."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cellgrad.core.arguments import check_one_of
from cellgrad.core.errors import error
from cellgrad.core.files import read_all
from cellgrad.dataset.sources import NumpySlicesDataset

__all__ = ["MnistDataset"]

_KINDS = {"train": ("train",), "test": ("t10k",), "all": ("train", "t10k")}


class MnistDataset(NumpySlicesDataset):
    """Handwritten digits from the files of MNIST, in columns "image" (uint8, [28, 28, 1]) and "label"
    (int32; MindSpore's are uint32).

    Args:
        dataset_dir: the folder with ``train-images-idx3-ubyte``, ``train-labels-idx1-ubyte`` or
            ``t10k-...``; nothing is downloaded.
        usage: ``"train"``, ``"test"`` or ``"all"``, by default what there is.
        num_parallel_workers, cache: kept for scripts.
        num_samples, shuffle, sampler, num_shards, shard_id: as of `GeneratorDataset`.

    Raises:
        ValueError: no such folder, another `usage`, or files that are damaged.
        FileNotFoundError: no such files in the folder.
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ):
        folder = Path(dataset_dir)
        if not folder.is_dir():
            raise error(
                ValueError,
                f"The folder {dataset_dir} does not exist or is not a directory.",
                "the folder with the files of MNIST; they are not downloaded",
            )
        check_one_of(usage, "MnistDataset", "usage", (None, *_KINDS))
        found = [
            (_idx(folder / f"{kind}-images-idx3-ubyte", 3), labels)
            for kind in _KINDS[usage or "all"]
            if (labels := folder / f"{kind}-labels-idx1-ubyte").is_file()
        ]
        if not found:
            raise error(
                FileNotFoundError,
                f"There are no files of MNIST (usage {usage!r}) in {folder}: expected "
                f"{_KINDS[usage or 'all'][0]}-images-idx3-ubyte and -labels-idx1-ubyte.",
            )
        columns: Sequence[Any] = (
            np.concatenate([images for images, _ in found])[..., None],
            np.concatenate([_idx(labels, 1) for _, labels in found]).astype(np.int32),
        )
        super().__init__(
            tuple(columns),
            ["image", "label"],
            num_samples,
            num_parallel_workers or 1,
            shuffle,
            sampler,
            num_shards,
            shard_id,
        )


def _idx(path: Path, rank: int) -> np.ndarray[Any, Any]:
    """An array of bytes in MNIST's format: a magic number, the sizes, the elements."""
    data, _ = read_all(str(path))
    header = 4 * (1 + rank)
    sizes = struct.unpack(f">{rank}I", data[4:header]) if len(data) >= header else ()
    if data[:4] != bytes((0, 0, 8, rank)) or len(data) != header + math.prod(sizes):
        raise error(
            ValueError, f"{path} is damaged: it is not a file of MNIST of {rank} dimensions."
        )
    return np.frombuffer(data, np.uint8, offset=header).reshape(sizes)
