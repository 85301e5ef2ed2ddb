"""Rows of data sets and their iterators, and what the arguments of pipelines share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor

if TYPE_CHECKING:
    from cellgrad.dataset.pipeline import Dataset

Row = tuple[np.ndarray[Any, Any], ...]


def names_of(columns: Any, owner: str) -> list[str]:
    listed = [columns] if isinstance(columns, str) else list(columns)
    if not all(isinstance(c, str) for c in listed) or len(set(listed)) != len(listed):
        raise error(
            ValueError, f"For '{owner}', columns must be different names, but got {columns!r}."
        )
    return listed


def converted(rows: Iterator[Row], names: list[str] | None, numpy: bool) -> Iterator[Any]:
    """Rows as lists or dicts of Tensors; strings stay arrays of numpy."""
    for row in rows:
        values: list[Any] = (
            list(row) if numpy else [v if v.dtype.kind in "SU" else Tensor(v) for v in row]
        )
        yield values if names is None else dict(zip(names, values))


def alike(rows: Iterator[Row], owner: str) -> Iterator[Row]:
    """The rows, whose columns must have the dtypes and numbers of dimensions of the first one."""
    first = None
    for row in rows:
        kinds = [("string" if v.dtype.kind in "SU" else str(v.dtype), v.ndim) for v in row]
        if first is not None and kinds != first:
            wanted, got = (
                ", ".join(f"{d} of {n} dimensions" for d, n in k) for k in (first, kinds)
            )
            raise error(
                RuntimeError,
                f"For '{owner}', the rows of all data sets must be alike: {wanted}; but got {got}.",
                "convert one of them with map, for example transforms.TypeCast",
            )
        first = kinds
        yield row


class RowIterator:
    """Rows by epoch: each iteration is the next epoch."""

    def __init__(self, dataset: Dataset, named: bool, num_epochs: int, numpy: bool):
        self.dataset = dataset
        self.names = dataset.columns if named else None
        self.num_epochs = num_epochs
        self.numpy = numpy
        self.epoch = 0

    def __iter__(self) -> Iterator[Any]:
        if self.epoch == self.num_epochs:
            raise error(
                RuntimeError,
                f"The iterator was made for {self.num_epochs} epochs, which are over.",
                "raise num_epochs, or leave it out",
            )
        self.epoch += 1
        return converted(self.dataset.rows(self.epoch - 1), self.names, self.numpy)


class BatchInfo:
    """Which batch is made, for functions given to `Dataset.batch`.

    >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
    >>> data = data.batch(lambda batch: batch.get_batch_num() + 1)
    >>> print([row["x"] for row in data.create_dict_iterator(output_numpy=True)])
    [array([1]), array([2, 3])]
    """

    def __init__(self, epoch: int, number: int):
        self._epoch, self._number = epoch, number

    def get_epoch_num(self) -> int:
        """The number of the epoch, from 0."""
        return self._epoch

    def get_batch_num(self) -> int:
        """The number of the batch in its epoch, from 0."""
        return self._number
