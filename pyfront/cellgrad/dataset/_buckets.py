"""Batches of rows of about one length, and rows that a function gives for each row."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.core.arguments import check_bool, check_callable, check_instance
from cellgrad.core.errors import error
from cellgrad.dataset._arrays import stacked
from cellgrad.dataset._padding import check_pad_info, filled
from cellgrad.dataset._rows import Row

if TYPE_CHECKING:
    from cellgrad.dataset.pipeline import Dataset

_OWNER = "bucket_batch_by_length"


def bucket_batch_by_length(
    self: Dataset,
    column_names: Sequence[str],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    element_length_function: Callable[..., int] | None = None,
    pad_info: dict[str, tuple[Sequence[int | None] | None, object]] | None = None,
    pad_to_bucket_boundary: bool = False,
    drop_remainder: bool = False,
) -> Dataset:
    """Rows stacked in groups of about one length: sequences need less filling up so. A row goes to the bucket that its
    length is in; a bucket with enough rows is a batch. At the end come those that are left, the shortest first.

    Args:
        column_names: the columns that the length is of.
        bucket_boundaries: increasing ints. The first bucket has the lengths below the first one, the last bucket those
            from the last one on.
        bucket_batch_sizes: rows in a batch of each bucket, one more than there are boundaries.
        element_length_function: gives the length for arrays of these columns. None: the first dimension of the only one.
        pad_info: as of `padded_batch`; None: as if it were empty.
        pad_to_bucket_boundary: whether None for a length in `pad_info` is the largest of the bucket, and not the largest
            of the batch.
        drop_remainder: whether groups that are smaller at the end are left out.

    Raises:
        TypeError, ValueError: other arguments, columns that are not there, or rows of one group whose shapes differ.
        RuntimeError: with `pad_to_bucket_boundary`, a row for the last bucket, which has no largest length.

    >>> import numpy as np
    >>> rows = [np.arange(n) for n in (1, 4, 2, 3)]
    >>> data = ms.dataset.GeneratorDataset(rows, ["x"], shuffle=False)
    >>> data = data.bucket_batch_by_length(["x"], [3], [2, 2])
    >>> [row["x"].tolist() for row in data.create_dict_iterator(output_numpy=True)]
    [[[0, 0], [0, 1]], [[0, 1, 2, 3], [0, 1, 2, 0]]]
    """
    columns = self._known(column_names, _OWNER)
    ends = _ints(bucket_boundaries, "bucket_boundaries", "must only contain positive numbers.")
    if any(a >= b for a, b in itertools.pairwise(ends)):
        raise _wrong(ValueError, "bucket_boundaries should be strictly increasing", ends)
    sizes = _ints(bucket_batch_sizes, "bucket_batch_sizes", "should be a list of positive numbers")
    if len(sizes) != len(ends) + 1:
        text = "bucket_batch_sizes must contain one element more than bucket_boundaries"
        raise _wrong(ValueError, text, sizes)
    check_bool(pad_to_bucket_boundary, _OWNER, "pad_to_bucket_boundary")
    check_bool(drop_remainder, _OWNER, "drop_remainder")
    if element_length_function is not None:
        check_callable(element_length_function, _OWNER, "element_length_function")
    elif len(columns) != 1:
        text = "without element_length_function, exactly one column must be named"
        raise _wrong(ValueError, text, columns)
    wanted = check_pad_info(self, {} if pad_info is None else pad_info, _OWNER)
    at = [self.columns.index(c) for c in columns]

    def bucket_of(row: Row) -> int:
        of = [row[i] for i in at]
        if element_length_function is None:
            length = len(of[0]) if of[0].ndim else 1
        else:
            length = int(np.asarray(element_length_function(*of)).item())
        return bisect.bisect_right(ends, length)

    def batch(bucket: int, rows: list[Row]) -> Row:
        values = []
        for name, column in zip(self.columns, zip(*rows, strict=True), strict=True):
            listed: Sequence[Any] = column
            if name in wanted:
                shape, value = wanted[name]
                if pad_to_bucket_boundary and shape is not None and None in shape:
                    shape = [_largest(ends, bucket) if n is None else n for n in shape]
                listed = filled(list(column), shape, value)
            values.append(stacked(listed, name))
        return tuple(values)

    def batches(rows: Iterator[Row]) -> Iterator[Row]:
        buckets: list[list[Row]] = [[] for _ in sizes]
        for row in rows:
            i = bucket_of(row)
            buckets[i].append(row)
            if len(buckets[i]) == sizes[i]:
                yield batch(i, buckets[i])
                buckets[i] = []
        for i, left in enumerate(buckets):
            if left and not drop_remainder:
                yield batch(i, left)

    return self._through(batches)


def flat_map(self: Dataset, func: Callable[..., Dataset]) -> Dataset:
    """The rows of the data sets that a function gives for the rows of this one, one after the other. It is called at
    once, for all rows.

    Args:
        func: takes the columns of a row, as numpy arrays.

    Raises:
        TypeError: `func` is not callable, or gives something else.
        ValueError: data sets with other columns than the first.

    >>> data = ms.dataset.NumpySlicesDataset([[1, 2], [3, 4]], ["x"], shuffle=False)
    >>> data = data.flat_map(lambda x: ms.dataset.NumpySlicesDataset(x, ["y"], shuffle=False))
    >>> [row["y"].item() for row in data.create_dict_iterator()]
    [1, 2, 3, 4]
    """
    check_callable(func, "flat_map", "func")
    parts = [func(*row) for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    for part in parts:
        if not hasattr(part, "create_dict_iterator"):
            raise error(TypeError, f"For 'flat_map', the function gave a {type(part).__name__}.")
    return parts[0].concat(parts[1:]) if parts else self


def _largest(ends: list[int], bucket: int) -> int:
    if bucket == len(ends):
        raise error(
            RuntimeError,
            f"For '{_OWNER}', a row is in the last bucket, which has no end to fill it up to.",
            "add a boundary above all lengths, or leave out pad_to_bucket_boundary",
        )
    return ends[bucket] - 1


def _ints(given: Any, name: str, positive: str) -> list[int]:
    check_instance(given, _OWNER, name, list | tuple)
    if not given:
        raise _wrong(ValueError, f"{name} cannot be empty", given)
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in given):
        raise _wrong(TypeError, f"{name} should be a list of int", given)
    if min(given) <= 0:
        raise _wrong(ValueError, f"{name} {positive}", given)
    return [int(v) for v in given]


def _wrong(kind: type[Exception], text: str, given: Any) -> Exception:
    return error(kind, f"For '{_OWNER}', {text}: got {list(given)}.")
