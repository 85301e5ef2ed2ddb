"""Rows of data sets and their iterators, and what the arguments of pipelines share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.core.arguments import check_int
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


class Resumed:
    """A data set that iterators go on in the midst of: the part of `Dataset` that says where."""

    children: Sequence[Dataset]
    get_dataset_size: Callable[[], int]
    _init_step: int | None = None

    def set_init_step(self, init_step: int) -> None:
        """Has iterators, and training, begin after so many rows, counted over epochs, with the order that the epoch
        has: where training goes on. The rows of this data set count: batches, where it is one of batches.

        Raises:
            TypeError, ValueError: no int of at least 0.

        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
        >>> data.set_init_step(4)
        >>> [int(row["x"]) for row in data.create_dict_iterator(output_numpy=True)]
        [2, 3]
        """
        self._init_step = check_int(init_step, "set_init_step", "init_step", at_least=0)

    def get_init_step(self) -> int:
        """How many rows iterators leave out; see `set_init_step`. 0 where no step is known, as after `zip`."""
        if self._init_step is not None:
            return self._init_step
        return self.children[0].get_init_step() if len(self.children) == 1 else 0

    def resumed_at(self) -> tuple[int, int]:
        """The epoch that `set_init_step` begins in, and how many of its rows are left out."""
        step = self.get_init_step()
        return divmod(step, self.get_dataset_size()) if step else (0, 0)


class RowIterator:
    """Rows by epoch: each iteration is the next epoch."""

    def __init__(self, dataset: Dataset, named: bool, num_epochs: int, numpy: bool):
        self.dataset = dataset
        self.names = dataset.columns if named else None
        self.num_epochs = num_epochs
        self.numpy = numpy
        self.epoch, self._skipped = dataset.resumed_at()

    def __iter__(self) -> Iterator[Any]:
        if 0 <= self.num_epochs <= self.epoch:
            raise error(
                RuntimeError,
                f"The iterator was made for {self.num_epochs} epochs, which are over.",
                "raise num_epochs, or leave it out",
            )
        self.epoch += 1
        skipped, self._skipped = self._skipped, 0
        rows = itertools.islice(self.dataset.rows(self.epoch - 1), skipped, None)
        return converted(rows, self.names, self.numpy)


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
