"""Data sets of images in the files they are published as."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_one_of,
    check_sequence,
)
from cellgrad.core.errors import error, not_defined
from cellgrad.core.files import read_all
from cellgrad.dataset._decode import decoded
from cellgrad.dataset.pipeline import Row
from cellgrad.dataset.samplers import Sampler
from cellgrad.dataset.sources import NumpySlicesDataset, Source

__all__ = ["Cifar10Dataset", "ImageFolderDataset", "MnistDataset"]

Array = np.ndarray[Any, Any]
_RECORD = 1 + 3 * 32 * 32
_KINDS = {"train": ("train",), "test": ("t10k",), "all": ("train", "t10k")}


class _Published(NumpySlicesDataset):
    """Images in the files they are published as, which are read whole."""

    hint = ""  # what folder is meant

    def __init__(
        self,
        dataset_dir: str | Path,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ):
        folder = _folder(dataset_dir, f"{self.hint}; they are not downloaded")
        check_one_of(usage, type(self).__name__, "usage", (None, *_KINDS))
        images, labels = self._read(folder, usage)
        super().__init__(
            (images, labels.astype(np.int32)),
            ["image", "label"],
            num_samples,
            num_parallel_workers or 1,
            shuffle,
            sampler,
            num_shards,
            shard_id,
        )

    def _read(self, folder: Path, usage: str | None) -> tuple[Array, Array]:
        """The images and labels of a folder."""
        raise not_defined(self, "_read")


class MnistDataset(_Published):
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

    hint = "the folder with the files of MNIST"

    def _read(self, folder: Path, usage: str | None) -> tuple[Array, Array]:
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
        images = np.concatenate([images for images, _ in found])[..., None]
        return images, np.concatenate([_idx(labels, 1) for _, labels in found])


class Cifar10Dataset(_Published):
    """Small photographs of ten classes from the binary files of CIFAR-10, in columns "image" (uint8, [32, 32, 3]) and
    "label" (int32; MindSpore's are uint32).

    Args:
        dataset_dir: the folder with ``data_batch_1.bin`` to ``data_batch_5.bin`` and ``test_batch.bin``, of
            which not all need be there; nothing is downloaded.
        usage: ``"train"``, ``"test"`` or ``"all"``, by default all.
        num_parallel_workers, cache: kept for scripts.
        num_samples, shuffle, sampler, num_shards, shard_id: as of `GeneratorDataset`.

    Raises:
        ValueError: no such folder, another `usage`, or files that are damaged.
        FileNotFoundError: no such files in the folder.

    Examples:
    >>> import tempfile
    >>> import numpy as np
    >>> import cellgrad.dataset as ds
    >>> folder = tempfile.mkdtemp()
    >>> np.zeros(3073, np.uint8).tofile(f"{folder}/test_batch.bin")  # one label and one image
    >>> [row["image"].shape for row in ds.Cifar10Dataset(folder, "test").create_dict_iterator()]
    [(32, 32, 3)]
    """

    hint = "the folder with the .bin files of CIFAR-10"

    def _read(self, folder: Path, usage: str | None) -> tuple[Array, Array]:
        train = [f"data_batch_{i}.bin" for i in range(1, 6)]
        names = {"train": train, "test": ["test_batch.bin"]}.get(
            usage or "", [*train, "test_batch.bin"]
        )
        found = [_records(folder / name) for name in names if (folder / name).is_file()]
        if not found:
            raise error(
                FileNotFoundError,
                f"There are no files of CIFAR-10 (usage {usage!r}) in {folder}: expected {', '.join(names)}.",
                "the binary version has them, not the Python version",
            )
        records = np.concatenate(found)
        images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return np.ascontiguousarray(images), records[:, 0]


class ImageFolderDataset(Source):
    """Images of a folder with a folder for each class, in columns "image" and "label" (int32). Classes are numbered
    in the order of their names, images come in the order of theirs.

    Args:
        dataset_dir: the folder.
        extensions: the ends of the names of files, such as ``[".png", ".jpg"]``; None for all files.
        class_indexing: a dict of folders and their numbers; others are left out.
        decode: False: "image" has the bytes of a file (`vision.Decode` reads them); True: the image, uint8 of
            [height, width, 3].
        num_parallel_workers, cache, decrypt: kept for scripts; `decrypt` only None.
        num_samples, shuffle, sampler, num_shards, shard_id: as of `GeneratorDataset`.

    Raises:
        ValueError: no such folder, or a folder of `class_indexing` that is not there.
        FileNotFoundError: no images.
        TypeError: `extensions` or `class_indexing` of another kind.
        ImportError: `decode` without Pillow.

    Examples:
    >>> import os
    >>> import tempfile
    >>> import cellgrad.dataset as ds
    >>> folder = tempfile.mkdtemp()
    >>> for name in ("cats", "dogs"):
    ...     os.mkdir(f"{folder}/{name}")
    ...     _ = open(f"{folder}/{name}/one.png", "wb").write(b"not read")
    >>> [int(row["label"]) for row in ds.ImageFolderDataset(folder, shuffle=False).create_dict_iterator()]
    [0, 1]
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        extensions: Sequence[str] | None = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
        decrypt: object = None,
    ):
        name = "ImageFolderDataset"
        folder = _folder(dataset_dir, "the folder that has a folder for each class")
        check_bool(decode, name, "decode")
        if decrypt is not None:
            raise argument_error(ValueError, name, "decrypt", "None", decrypt)
        if extensions is not None:
            for end in check_sequence(extensions, name, "extensions", "strings"):
                check_instance(end, name, "extensions", str)
        if class_indexing is None:
            classes = sorted(p.name for p in folder.iterdir() if p.is_dir())
            class_indexing = {c: i for i, c in enumerate(classes)}
        check_instance(class_indexing, name, "class_indexing", dict)
        self.files: list[tuple[Path, int]] = []
        for kind, number in class_indexing.items():
            inner = _folder(folder / kind, "class_indexing has the names of folders")
            paths = sorted(p for p in inner.rglob("*") if p.is_file())
            check_int(number, name, "class_indexing")
            self.files += [
                (p, number)
                for p in paths
                if extensions is None or p.suffix.lower() in _ends(extensions)
            ]
        if not self.files:
            raise error(
                FileNotFoundError,
                f"There are no images in the folders of {folder}: {list(class_indexing)}.",
            )
        self.classes = dict(class_indexing)
        self.decode = decode
        super().__init__(
            ["image", "label"],
            sampler is None if shuffle is None else shuffle,
            sampler,
            num_samples,
            num_shards,
            shard_id,
        )

    def total(self) -> int:
        return len(self.files)

    def labels(self, column: str) -> list[int]:
        return [number for _, number in self.files] if column == "label" else super().labels(column)

    def at(self, position: int) -> Row:
        path, label = self.files[position]
        data, _ = read_all(str(path))
        image = np.frombuffer(data, np.uint8)
        if self.decode:
            image = decoded(image, str(path))
        return image, np.asarray(label, np.int32)

    def num_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    def get_class_indexing(self) -> dict[str, int]:
        """The number of each class."""
        return dict(self.classes)


def _ends(extensions: Sequence[str]) -> list[str]:
    return ["." + end.lower().removeprefix(".") for end in extensions]


def _folder(given: str | Path, hint: str) -> Path:
    folder = Path(given)
    if not folder.is_dir():
        raise error(ValueError, f"The folder {given} does not exist or is not a directory.", hint)
    return folder


def _records(path: Path) -> Array:
    """The records of a file of CIFAR-10: a label, then the planes of an image."""
    data, _ = read_all(str(path))
    if not data or len(data) % _RECORD:
        raise error(
            ValueError,
            f"{path} is damaged: {len(data)} bytes are no whole number of records of {_RECORD} bytes.",
        )
    records = np.frombuffer(data, np.uint8).reshape(-1, _RECORD)
    if (records[:, 0] > 9).any():
        raise error(ValueError, f"{path} is damaged: a label of CIFAR-10 is above 9.")
    return records


def _idx(path: Path, rank: int) -> Array:
    """An array of bytes in MNIST's format: a magic number, the sizes, the elements."""
    data, _ = read_all(str(path))
    header = 4 * (1 + rank)
    sizes = struct.unpack(f">{rank}I", data[4:header]) if len(data) >= header else ()
    if data[:4] != bytes((0, 0, 8, rank)) or len(data) != header + math.prod(sizes):
        raise error(
            ValueError, f"{path} is damaged: it is not a file of MNIST of {rank} dimensions."
        )
    return np.frombuffer(data, np.uint8, offset=header).reshape(sizes)
