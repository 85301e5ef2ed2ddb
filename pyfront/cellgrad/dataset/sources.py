"""Where rows come from: Python objects and arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, cast

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Names
from cellgrad.core.arguments import check_int
from cellgrad.core.context import ParallelMode
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error, not_defined
from cellgrad.dataset._arrays import as_array, stacked
from cellgrad.dataset.pipeline import Dataset, Row, _Batch, _Map, _Prefetch, _Project
from cellgrad.dataset.samplers import Sampler
from cellgrad.ops._static import is_int
from cellgrad.parallel._auto_parallel_context import get_auto_parallel_context
from cellgrad.parallel._utils import _get_device_num, _get_global_rank, _get_parallel_mode

__all__ = ["GeneratorDataset", "NumpySlicesDataset"]


def _is_sharded() -> bool:
    """Whether data sets give each rank its part where the program does not say."""
    return (
        _get_device_num() > 1
        and _get_parallel_mode() == ParallelMode.DATA_PARALLEL
        and bool(get_auto_parallel_context("shard_datasets"))
    )


@contextlib.contextmanager
def every_row_once(data: Any) -> Iterator[None]:
    """Has data sets that give each rank its part give no row twice, to make parts of one size."""
    found = [s for s in _sources(data) if s.of_rank] if isinstance(data, Dataset) else []
    for source in found:
        source.filled = False
    try:
        yield
    finally:
        for source in found:
            source.filled = True


def rows_of_step(data: Any) -> int | None:
    """How many rows all ranks have in a batch of this data set, where those are the next ones in the order
    of an epoch; None where they are not, or a batch may have another number.
    """
    count = 1
    while isinstance(data, _Batch | _Map | _Prefetch | _Project):
        if isinstance(data, _Batch):
            if callable(data.size):
                return None
            count *= data.size
        data = data.source
    if not isinstance(data, Source) or data.sampler is not None or data.total() < 0:
        return None
    return count * (data.num_shards or 1)


def _sources(data: Dataset) -> Iterator[Source]:
    if isinstance(data, Source):
        yield data
    for child in data.children:
        yield from _sources(child)


class Source(Dataset):
    """Rows of a source with positions: their order, and which of them."""

    def __init__(
        self,
        columns: Sequence[str],
        shuffle: bool,
        sampler: Sampler | Iterable[int] | None,
        num_samples: int | None,
        num_shards: int | None,
        shard_id: int | None,
    ):
        super().__init__(columns)
        if (num_shards is None) != (shard_id is None):
            raise error(ValueError, "'num_shards' and 'shard_id' must be given together.")
        if num_shards is not None:
            check_int(shard_id, type(self).__name__, "shard_id", at_least=0, below=num_shards)
        if shuffle and sampler is not None:
            raise error(
                RuntimeError, "'sampler' and 'shuffle' cannot be specified at the same time."
            )
        if num_samples is not None:
            check_int(num_samples, type(self).__name__, "num_samples", at_least=0)
        self.shuffled, self.sampler = shuffle, sampler
        self.num_samples = num_samples or None
        # Where a sampler chooses, or the program does, it is as they say.
        self.of_rank = num_shards is None and sampler is None and _is_sharded()
        if self.of_rank:
            num_shards, shard_id = _get_device_num(), _get_global_rank()
        self.num_shards, self.shard_id = num_shards, shard_id
        self.filled = True

    def total(self) -> int:
        """The number of positions of the source, or -1."""
        raise not_defined(self, "total")

    def at(self, position: int) -> Row:
        """The row at a position."""
        raise not_defined(self, "at")

    def labels(self, column: str) -> list[int]:
        """The elements of a column of whole numbers."""
        k = self.columns.index(column)
        return [int(self.at(i)[k]) for i in range(self.total())]

    def known_size(self) -> int:
        n = self.total()
        if n < 0:
            return -1
        if self.sampler is not None:
            n = len(self._sampled(0))
        if self.num_shards is not None and self.shard_id is not None:
            n += -n % self.num_shards if self.filled else 0
            n = len(range(self.shard_id, n, self.num_shards))
        return n if self.num_samples is None else min(n, self.num_samples)

    def positions(self, epoch: int) -> list[int]:
        """The positions of an epoch, in order."""
        if self.sampler is not None:
            order = self._sampled(epoch)
        elif self.shuffled:
            order = self.random(epoch).permutation(self.total()).tolist()
        else:
            order = list(range(self.total()))
        if self.num_shards is not None:
            # Shards are of one size: the first rows fill up the last ones.
            if self.filled:
                order += order[: -len(order) % self.num_shards]
            order = order[self.shard_id :: self.num_shards]
        return order[: self.num_samples]

    def _sampled(self, epoch: int) -> list[int]:
        """The positions that the sampler gives, each of which the source must have."""
        if isinstance(self.sampler, Sampler):
            order = self.sampler.order(self, self.random(epoch))
        else:
            order = [int(i) for i in cast(Iterable[int], self.sampler)]
        n = self.total()
        for i in order:
            if not 0 <= i < n:
                raise error(
                    RuntimeError,
                    f"Sample ID ({i}) is out of bound, expected range [0, {n - 1}]: the sampler of a data set "
                    "gives it.",
                )
        return order

    def rows(self, epoch: int) -> Iterator[Row]:
        return (self.at(i) for i in self.positions(epoch))


class GeneratorDataset(Source):
    """Rows from a Python object.

    Args:
        source: an object with ``__getitem__`` and ``__len__``, an iterable, or a function that gives
            an iterator (a generator function); a row is a tuple of columns, or one column.
        column_names: a name or a list of them.
        column_types: a list of dtypes to convert to, or None.
        schema, num_parallel_workers, python_multiprocessing, max_rowsize: kept for scripts.
        num_samples: how many rows an epoch has at most.
        shuffle: whether rows come in random order, by default for a source with positions and no
            sampler; others can be shuffled with the method.
        sampler: a `Sampler`, or an iterable of positions.
        num_shards, shard_id: which part of the rows. By default all, or in a "data_parallel" program of several
            ranks, without a sampler, the part of the rank; ``num_shards=1, shard_id=0`` then gives all.
        batch_sampler: an iterable of lists of positions: the rows of each are a batch. It takes the place of what says
            which rows there are, and in which order.
        collate_fn: with `batch_sampler`, a function that gives the columns of a batch for lists of what the source has in
            each column. By default arrays are stacked.

    Raises:
        TypeError: a source of another kind.
        ValueError, RuntimeError: arguments that exclude each other, or a batch sampler that gives no lists of ints.

    >>> data = ms.dataset.GeneratorDataset([(1.0,), (2.0,)], ["x"], shuffle=False)
    >>> [row["x"].item() for row in data.create_dict_iterator()]
    [1.0, 2.0]
    """

    def __init__(
        self,
        source: object,
        column_names: Names | None = None,
        column_types: Sequence[Type] | None = None,
        schema: object = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: object = None,
        batch_sampler: Iterable[Iterable[int]] | None = None,
        collate_fn: Callable[..., object] | None = None,
    ):
        if column_names is None:
            raise error(ValueError, "For 'GeneratorDataset', 'column_names' must be given.")
        names = [column_names] if isinstance(column_names, str) else list(column_names)
        self.indexed = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        if not self.indexed and not callable(source) and not hasattr(source, "__iter__"):
            raise error(
                TypeError,
                "For 'GeneratorDataset', the source must have __getitem__ and __len__, be iterable "
                f"or a generator function, but got {type(source).__name__}.",
            )
        if not self.indexed and (shuffle or sampler is not None or num_shards is not None):
            raise error(
                ValueError,
                "For 'GeneratorDataset', 'shuffle', 'sampler' and 'num_shards' need a source with "
                "__getitem__ and __len__.",
                "use the method shuffle(buffer_size)",
            )
        _check_batches(batch_sampler, collate_fn, self.indexed)
        if batch_sampler is not None:
            if any(v is not None for v in (num_samples, shuffle, sampler, num_shards, shard_id)):
                raise error(
                    ValueError,
                    "For 'GeneratorDataset', batch_sampler is mutually exclusive with num_samples, shuffle, "
                    "num_shards, shard_id and sampler.",
                )
            sampler = cast(Any, batch_sampler)
        self.in_batches, self.collate = batch_sampler is not None, collate_fn
        ordered = sampler is not None or not self.indexed
        super().__init__(
            names,
            not ordered if shuffle is None else shuffle,
            sampler,
            num_samples,
            num_shards,
            shard_id,
        )
        self.given: Any = source
        self.types = None
        if column_types is not None:
            self.types = [mstype.dtype_to_nptype(t) for t in column_types]

    def total(self) -> int:
        return len(self.given) if self.indexed else -1

    def known_size(self) -> int:
        if self.in_batches:
            return len(self.sampler) if isinstance(self.sampler, Sized) else -1
        return super().known_size()

    def get_batch_size(self) -> int:
        return -1 if self.in_batches else super().get_batch_size()

    def can_be_counted(self) -> bool:
        if self.in_batches:
            return not isinstance(self.sampler, Iterator)
        return self.indexed or callable(self.given) or iter(self.given) is not self.given

    def at(self, position: int) -> Row:
        return self._row(self.given[position])

    def _columns(self, row: Any) -> Sequence[Any]:
        several = isinstance(row, tuple) or (isinstance(row, list) and len(self.columns) > 1)
        values = row if several else (row,)
        if len(values) != len(self.columns):
            raise error(
                ValueError,
                f"For 'GeneratorDataset', a row of the source has {len(values)} columns, but "
                f"'column_names' has {len(self.columns)}: {self.columns}.",
            )
        return values

    def _row(self, row: Any) -> Row:
        arrays = [as_array(v) for v in self._columns(row)]
        if self.types is not None:
            arrays = [a.astype(t) for a, t in zip(arrays, self.types)]
        return tuple(arrays)

    def _batches(self) -> Iterator[Row]:
        for positions in cast(Iterable[Any], self.sampler):
            if not hasattr(positions, "__iter__") or not all(is_int(i) for i in positions):
                raise error(
                    RuntimeError,
                    "For 'GeneratorDataset', batch_sampler should give lists of ints, but got "
                    f"{type(positions).__name__} {positions!r}.",
                )
            rows = [self._columns(self.given[int(i)]) for i in positions]
            columns: Any = [list(c) for c in zip(*rows, strict=True)]
            if self.collate is not None:
                yield self._row(self.collate(*columns))
                continue
            named = zip(self.columns, columns, strict=True)
            yield self._row(tuple([stacked(list(map(as_array, c)), n) for n, c in named]))

    def rows(self, epoch: int) -> Iterator[Row]:
        if self.in_batches:
            yield from self._batches()
            return
        if self.indexed:
            yield from super().rows(epoch)
            return
        items = self.given() if callable(self.given) else self.given
        if epoch > 0 and iter(items) is items and not callable(self.given):
            raise error(
                RuntimeError,
                "The source of the data set is an iterator, which can be read once, but a second "
                "epoch was asked for.",
                "pass the generator function itself, or an object with __iter__",
            )
        for i, row in enumerate(items):
            if i == self.num_samples:
                return
            yield self._row(row)


def _check_batches(batch_sampler: Any, collate_fn: Any, indexed: bool) -> None:
    """Refuses what says nothing about batches."""
    owner = "GeneratorDataset"
    if batch_sampler is None:
        if collate_fn is not None:
            text = f"For '{owner}', collate_fn can be specified only when batch_sampler is set."
            raise error(ValueError, text)
        return
    if not hasattr(batch_sampler, "__getitem__") and not hasattr(batch_sampler, "__iter__"):
        text = f"For '{owner}', batch_sampler should have __getitem__ or __iter__ method, but got {batch_sampler!r}."
        raise error(TypeError, text)
    if not indexed:
        text = "batch_sampler is not supported if source does not have attribute '__getitem__' or '__len__'"
        raise error(ValueError, f"For '{owner}', {text}.")
    if collate_fn is not None and not callable(collate_fn):
        text = f"For '{owner}', collate_fn should be callable, but got {collate_fn!r}."
        raise error(TypeError, text)


class NumpySlicesDataset(Source):
    """Rows from arrays: slices along their first dimension.

    Args:
        data: an array or list (one column), a tuple of them, or a dict of them by column.
        column_names: names; ``column_0``, ... by default, or the keys of the dict.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id: as of
            `GeneratorDataset`.

    Raises:
        ValueError: arrays of different lengths, or another number of names than of arrays.

    >>> data = ms.dataset.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
    >>> [(row["x"].item(), row["y"].item()) for row in data.create_dict_iterator()]
    [(1, 3), (2, 4)]
    """

    def __init__(
        self,
        data: ArrayLike | Sequence[ArrayLike] | Mapping[str, ArrayLike],
        column_names: Names | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ):
        names: list[str] | None = None
        if isinstance(data, dict):
            names, arrays = list(data), [as_array(v) for v in data.values()]
        elif isinstance(data, tuple):
            arrays = [as_array(v) for v in data]
        else:
            arrays = [as_array(data)]
        if column_names is not None:
            names = [column_names] if isinstance(column_names, str) else list(column_names)
        names = [f"column_{i}" for i in range(len(arrays))] if names is None else names
        lengths = {len(a) if a.ndim else 0 for a in arrays}
        if len(names) != len(arrays) or len(lengths) != 1 or 0 in lengths:
            raise error(
                ValueError,
                f"For 'NumpySlicesDataset', arrays must have one length above 0 and a name each, "
                f"but got {len(arrays)} of lengths {sorted(lengths)} and {len(names)} names.",
            )
        super().__init__(
            names,
            sampler is None if shuffle is None else shuffle,
            sampler,
            num_samples,
            num_shards,
            shard_id,
        )
        self.arrays = arrays

    def total(self) -> int:
        return len(self.arrays[0])

    def at(self, position: int) -> Row:
        return tuple(a[position, ...] for a in self.arrays)

    def pieces(self, epoch: int, size: int) -> Iterator[Row]:
        order = self.positions(epoch)
        groups = (order[i : i + size] for i in range(0, len(order), size))
        return (tuple(a[group] for a in self.arrays) for group in groups)
