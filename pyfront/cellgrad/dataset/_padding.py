"""Batches of rows that are filled up to one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.core.arguments import argument_error, check_instance, check_sequence
from cellgrad.dataset._arrays import joint_dtype
from cellgrad.dataset.transforms import PadEnd

if TYPE_CHECKING:
    from cellgrad.dataset.pipeline import Dataset

_WANTED = "a dict of columns and tuples of a shape (or None) and a value (or None)"


def padded_batch(
    self: Dataset,
    batch_size: int,
    drop_remainder: bool = False,
    num_parallel_workers: int | None = None,
    pad_info: dict[str, tuple[Sequence[int | None] | None, object]] | None = None,
) -> Dataset:
    """Rows stacked in groups, filled up to one shape.

    Args:
        batch_size: rows in a group.
        drop_remainder: whether a last, smaller group is left out.
        num_parallel_workers: kept for scripts.
        pad_info: a dict of columns, each with a tuple of the shape that its arrays are filled up or cut to, and of what
            fills. None for the shape, or for one of its lengths, is the largest of the group; None for the value is
            zero, or "". Empty: all columns, so. None: nothing is filled up.

    Raises:
        TypeError, ValueError: other arguments, columns that are not there, or arrays of other numbers of dimensions.

    >>> import numpy as np
    >>> rows = [np.array(words) for words in (["a"], ["b", "c"])]
    >>> data = ms.dataset.GeneratorDataset(rows, ["x"], shuffle=False)
    >>> data = data.padded_batch(2, pad_info={"x": ([None], "-")})
    >>> [row["x"].tolist() for row in data.create_dict_iterator(output_numpy=True)]
    [[['a', '-'], ['b', 'c']]]
    """
    if pad_info is None:
        return self.batch(batch_size, drop_remainder)
    wanted = check_pad_info(self, pad_info, "padded_batch")

    def of_columns(*columns: Any) -> tuple[Any, ...]:
        return tuple(
            filled(list(map(np.asarray, rows)), *wanted[name]) if name in wanted else rows
            for name, rows in zip(self.columns, columns[:-1], strict=True)
        )

    return self.batch(batch_size, drop_remainder, per_batch_map=of_columns)


def check_pad_info(data: Dataset, pad_info: Any, owner: str) -> dict[str, tuple[Any, Any]]:
    """How each column is filled up: all of them, if it is empty."""
    check_instance(pad_info, owner, "pad_info", dict)
    wanted = dict.fromkeys(data.columns, (None, None)) if not pad_info else dict(pad_info)
    data._known(list(wanted), owner)
    for given in wanted.values():
        if not isinstance(given, tuple) or len(given) != 2:
            raise argument_error(TypeError, owner, "pad_info", _WANTED, given)
        if given[0] is not None:
            check_sequence(given[0], owner, "pad_info", "ints or None", int | None, empty=True)
    return wanted


def filled(rows: list[np.ndarray[Any, Any]], shape: Any, value: Any) -> list[Any]:
    """The rows filled up to one shape; lengths that are None are the largest there is."""
    lengths = list(shape) if shape is not None else [None] * rows[0].ndim
    for i, n in enumerate(lengths):
        if n is None and all(i < r.ndim for r in rows):
            lengths[i] = max(r.shape[i] for r in rows)
    for row in rows:
        joint_dtype(row, value, "padded_batch", "the value of pad_info")
    pad = PadEnd(lengths, value)
    return [pad.one(row) for row in rows]
