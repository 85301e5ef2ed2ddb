"""The base of data sets, and the steps of a pipeline.

A data set gives the rows of an epoch: the same rows in the same order for the same seed and epoch, so
that training can be taken up where it was left.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from cellgrad.core.aliases import Names
from cellgrad.core.arguments import argument_error, check_int, check_sequence
from cellgrad.core.errors import error, not_defined
from cellgrad.core.tensor import Tensor
from cellgrad.dataset import _workers, config
from cellgrad.dataset._arrays import as_array, stacked
from cellgrad.dataset._buckets import bucket_batch_by_length, flat_map
from cellgrad.dataset._padding import padded_batch
from cellgrad.dataset._rows import BatchInfo, Resumed, Row, RowIterator, alike, converted, names_of
from cellgrad.dataset._transform import chain

__all__ = ["Dataset", "Row", "zip"]


class Dataset(Resumed):
    """Rows of named columns. Methods give new data sets; nothing is read before iteration.

    Iterating gives a list of Tensors a row; each time is the next epoch, with an order of its own
    where there is a shuffle.

    >>> data = ms.dataset.NumpySlicesDataset([1.0, 2.0, 3.0, 4.0], ["x"], shuffle=False)
    >>> data = data.map(lambda x: x * 10, ["x"]).batch(2)
    >>> for row in data.create_dict_iterator():
    ...     print(row["x"])
    [10. 20.]
    [30. 40.]
    """

    def __init__(self, columns: Sequence[str], children: Sequence[Dataset] = ()):
        self.columns = list(columns)
        self.children = list(children)
        self._epoch = 0
        self._counted: int | None = None

    # --- what subclasses define ---------------------------------------------------------------

    def rows(self, epoch: int) -> Iterator[Row]:
        """The rows of an epoch, as numpy arrays."""
        raise not_defined(self, "rows")

    def pieces(self, epoch: int, size: int) -> Iterator[Row] | None:
        """The rows of an epoch stacked in groups, where that is faster than one by one."""
        return None

    def known_size(self) -> int:
        """The number of rows of an epoch, or -1 where it is not known before reading."""
        raise not_defined(self, "known_size")

    def can_be_counted(self) -> bool:
        """Whether an epoch ends, and reading it once more changes nothing."""
        return all(c.can_be_counted() for c in self.children)

    def random(self, epoch: int) -> np.random.Generator:
        """Random numbers that depend on the seed, the epoch, and the place in the pipeline."""
        return np.random.default_rng([config.get_seed(), epoch, self._depth()])

    def _depth(self) -> int:
        return 1 + max((c._depth() for c in self.children), default=0)

    # --- reading ------------------------------------------------------------------------------

    def create_tuple_iterator(
        self,
        columns: Names | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> RowIterator:
        """An iterable that gives a list of Tensors (with `output_numpy`, arrays) a row; each
        iteration is an epoch.
        """
        source = self if columns is None else self.project(columns)
        return RowIterator(source, False, num_epochs, output_numpy)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> RowIterator:
        """As `create_tuple_iterator`, with a dict by column a row."""
        return RowIterator(self, True, num_epochs, output_numpy)

    def __iter__(self) -> Iterator[list[Tensor]]:
        self._epoch += 1
        return converted(self.rows(self._epoch - 1), None, False)

    def epoch_rows(self, epoch: int) -> Iterator[list[Tensor]]:
        """The rows of a given epoch, as lists of Tensors."""
        return converted(self.rows(epoch), None, False)

    def get_dataset_size(self) -> int:
        """The number of rows of an epoch, counted where only reading tells it; -1 where the rows have
        no end or can be read once only.
        """
        known = self.known_size()
        if known < 0 and self._counted is None and self.can_be_counted():
            self._counted = sum(1 for _ in self.rows(0))
        return self._counted if known < 0 and self._counted is not None else known

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return list(self.columns)

    def _first(self) -> Row:
        row = next(self.rows(0), None)
        if row is None:
            raise error(RuntimeError, "The data set has no rows.")
        return row

    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """The shapes of the first row."""
        return [list(v.shape) for v in self._first()]

    def output_types(self) -> list[type]:
        """The numpy dtypes of the first row."""
        return [v.dtype for v in self._first()]

    def get_batch_size(self) -> int:
        """The number of rows in a batch, 1 without `batch`."""
        return self.children[0].get_batch_size() if self.children else 1

    def get_repeat_count(self) -> int:
        """How often the rows are repeated."""
        return self.children[0].get_repeat_count() if self.children else 1

    # --- steps --------------------------------------------------------------------------------

    def shuffle(self, buffer_size: int) -> Dataset:
        """Rows in random order: each is drawn from the next `buffer_size` ones.

        Raises:
            TypeError, ValueError: `buffer_size` is not an int above 1.
        """
        return _Shuffle(self, check_int(buffer_size, "shuffle", "buffer_size", at_least=2))

    def batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        **kwargs: object,
    ) -> Dataset:
        """Rows stacked in groups.

        Args:
            batch_size: rows in a group, or a function of a `BatchInfo` that gives them.
            drop_remainder: whether a last, smaller group is left out.
            num_parallel_workers: kept for scripts.
            kwargs: `per_batch_map`, a function of the columns (lists of arrays) and a `BatchInfo`,
                gives the columns of the batch; `input_columns` names what it takes,
                `output_columns` what it gives.

        Raises:
            TypeError, ValueError: arguments of wrong types, or rows whose shapes differ.

        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False)
        >>> data = data.batch(2)
        >>> [row["x"].tolist() for row in data.create_dict_iterator(output_numpy=True)]
        [[1, 2], [3, 4]]
        """
        if not callable(batch_size):
            batch_size = check_int(batch_size, "batch", "batch_size", at_least=1)
        return _Batch(self, batch_size, drop_remainder, kwargs)

    padded_batch, bucket_batch_by_length, flat_map = padded_batch, bucket_batch_by_length, flat_map

    def map(
        self,
        operations: Callable[..., object] | Sequence[Callable[..., object]],
        input_columns: Names | None = None,
        output_columns: Names | None = None,
        num_parallel_workers: int | None = None,
        **kwargs: object,
    ) -> Dataset:
        """Columns replaced by functions of them.

        Args:
            operations: a function of numpy arrays, one a column, or a list of them, applied one
                after the other.
            input_columns: the columns they take, by default the first.
            output_columns: the names of what the last one gives, by default those of the input.
            num_parallel_workers: threads; the order of rows does not depend on them.
            kwargs: MindSpore's other settings, kept for scripts.

        Raises:
            TypeError, ValueError: arguments of wrong types, or unknown columns.

        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False)
        >>> data = data.map(lambda x: x * 10, ["x"])
        >>> [row["x"].item() for row in data.create_dict_iterator()]
        [10, 20, 30, 40]
        """
        listed: Any = operations if isinstance(operations, list | tuple) else [operations]
        if not listed or not all(callable(f) for f in listed):
            raise error(TypeError, "For 'map', the 'operations' must be functions.")
        inputs = self._known(self.columns[:1] if input_columns is None else input_columns, "map")
        outputs = inputs if output_columns is None else names_of(output_columns, "map")
        given = num_parallel_workers or config.get_num_parallel_workers()
        workers = check_int(given, "map", "num_parallel_workers", at_least=1)
        return _Map(self, list(listed), inputs, outputs, workers)

    def filter(
        self,
        predicate: Callable[..., object],
        input_columns: Names | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """The rows for which a function of the columns is true.

        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False)
        >>> data = data.filter(lambda x: x > 2, ["x"])
        >>> [row["x"].item() for row in data.create_dict_iterator()]
        [3, 4]
        """
        given = self.columns if input_columns is None else input_columns
        at = [self.columns.index(c) for c in self._known(given, "filter")]
        return self._through(lambda rows: (r for r in rows if predicate(*(r[i] for i in at))))

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows `count` times an epoch, each time as another epoch; without end for None or -1.

        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False)
        >>> data = data.repeat(2)
        >>> [row["x"].item() for row in data.create_dict_iterator()]
        [1, 2, 3, 4, 1, 2, 3, 4]
        """
        if count not in (None, -1):
            check_int(count, "repeat", "count", at_least=1)
        return _Repeat(self, count or -1)

    def take(self, count: int = -1) -> Dataset:
        """The first rows; all for -1.

        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False)
        >>> data = data.take(2)
        >>> [row["x"].item() for row in data.create_dict_iterator()]
        [1, 2]
        """
        end = None if count == -1 else check_int(count, "take", "count", at_least=1)
        return _Slice(self, 0, end)

    def skip(self, count: int) -> Dataset:
        """All but the first rows.

        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False)
        >>> data = data.skip(3)
        >>> [row["x"].item() for row in data.create_dict_iterator()]
        [4]
        """
        return _Slice(self, check_int(count, "skip", "count", at_least=0), None)

    def project(self, columns: Names) -> Dataset:
        """The named columns, in this order."""
        return _Project(self, self._known(columns, "project"))

    def rename(self, input_columns: Names, output_columns: Names) -> Dataset:
        """Other names for columns."""
        old, new = self._known(input_columns, "rename"), names_of(output_columns, "rename")
        if len(old) != len(new):
            raise error(ValueError, f"For 'rename', got {len(old)} columns and {len(new)} names.")
        renamed = dict(builtins.zip(old, new))
        out = _Project(self, self.columns)
        out.columns = [renamed.get(c, c) for c in self.columns]
        return out

    def zip(self, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
        """Rows with the columns of this and other data sets, side by side."""
        return zip((self, *(datasets if isinstance(datasets, tuple | list) else (datasets,))))

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """The rows of this data set, then those of others."""
        others = datasets if isinstance(datasets, tuple | list) else (datasets,)
        return _Concat((self, *others))

    def __add__(self, other: Dataset) -> Dataset:
        return self.concat(other)

    def split(self, sizes: Sequence[int | float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Parts of given sizes (ints) or fractions (floats that sum to 1), of rows drawn at random
        (the same for every epoch) or in order.

        Raises:
            ValueError: sizes that do not add up, or a size of rows that is not known.
        """
        total = self.get_dataset_size()
        if total < 0:
            raise error(ValueError, "For 'split', the number of rows must be known.")
        if all(isinstance(s, float) for s in sizes):
            counts = [round(s * total) for s in sizes]
            counts[-1] = total - sum(counts[:-1])
        else:
            counts = [int(s) for s in sizes]
        if sum(counts) != total or min(counts) <= 0:
            wanted = f"positive and sum to the {total} rows, or to 1"
            raise argument_error(ValueError, "split", "sizes", wanted, list(sizes))
        order = self.random(0).permutation(total) if randomize else np.arange(total)
        ends = np.cumsum([0, *counts])
        return tuple(_Pick(self, order[a:b]) for a, b in itertools.pairwise(ends))

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of this data set."""
        out = apply_func(self)
        if not isinstance(out, Dataset):
            raise error(TypeError, f"For 'apply', the function gave a {type(out).__name__}.")
        return out

    def prefetch(self, buffer_size: int | None = None) -> Dataset:
        """Reads rows ahead, in another thread."""
        size = config.get_prefetch_size() if buffer_size is None else buffer_size
        return _Prefetch(self, check_int(size, "prefetch", "buffer_size", at_least=1))

    def _through(self, function: Callable[[Iterator[Row]], Iterator[Row]]) -> Dataset:
        """The rows that a function makes of the rows of an epoch."""
        return _Through(self, function)

    def _known(self, columns: Any, owner: str) -> list[str]:
        listed = names_of(columns, owner)
        for c in listed:
            if c not in self.columns:
                text = f"For '{owner}', there is no column '{c}'; there are {self.columns}."
                raise error(ValueError, text)
        return listed


def zip(datasets: Sequence[Dataset]) -> Dataset:
    """Rows with the columns of several data sets, side by side, as many as the shortest has.

    Raises:
        TypeError: something that is not a data set.
        ValueError: two columns of one name.

    >>> x = ms.dataset.NumpySlicesDataset([1.0, 2.0], ["x"], shuffle=False)
    >>> y = ms.dataset.NumpySlicesDataset([3.0, 4.0, 5.0], ["y"], shuffle=False)
    >>> ms.dataset.zip((x, y)).get_dataset_size()
    2
    """
    return _Zip(check_sequence(list(datasets), "zip", "datasets", "data sets", Dataset))


# --- the steps --------------------------------------------------------------------------------


class _Step(Dataset):
    """A step that keeps its source's columns and number of rows."""

    def __init__(self, source: Dataset):
        super().__init__(source.columns, [source])

    @property
    def source(self) -> Dataset:
        return self.children[0]

    def known_size(self) -> int:
        return self.source.known_size()


class _Shuffle(_Step):
    def __init__(self, source: Dataset, size: int):
        super().__init__(source)
        self.size = size

    def rows(self, epoch: int) -> Iterator[Row]:
        random = self.random(epoch)
        buffer: list[Row] = []
        for row in self.source.rows(epoch):
            if len(buffer) < self.size:
                buffer.append(row)
                continue
            i = int(random.integers(self.size))
            yield buffer[i]
            buffer[i] = row
        for i in random.permutation(len(buffer)):
            yield buffer[i]


class _Batch(_Step):
    def __init__(
        self,
        source: Dataset,
        size: int | Callable[[BatchInfo], int],
        drop: bool,
        options: dict[str, Any],
    ):
        super().__init__(source)
        self.size, self.drop = size, drop
        known = ("per_batch_map", "input_columns", "output_columns", "python_multiprocessing")
        unknown = [k for k in options if k not in (*known, "max_rowsize")]
        if unknown:
            raise error(TypeError, f"For 'batch', got an unexpected argument '{unknown[0]}'.")
        self.function = options.get("per_batch_map")
        self.inputs = source._known(options.get("input_columns", source.columns), "batch")
        self.outputs = names_of(options.get("output_columns") or self.inputs, "batch")
        if self.function is not None:
            kept = [c for c in source.columns if c not in self.inputs]
            self.columns = self.outputs + kept

    def get_batch_size(self) -> int:
        return -1 if callable(self.size) else self.size

    def known_size(self) -> int:
        n = self.source.known_size()
        if n < 0 or callable(self.size):
            return -1
        return n // self.size if self.drop else -(-n // self.size)

    def rows(self, epoch: int) -> Iterator[Row]:
        size = self.size
        pieces = None
        if self.function is None and not callable(size):
            pieces = self.source.pieces(epoch, size)
        if pieces is not None:
            for piece in pieces:
                if len(piece[0]) == size or not self.drop:
                    yield piece
            return
        rows = self.source.rows(epoch)
        for number in itertools.count():
            info = BatchInfo(epoch, number)
            wanted = size
            if callable(wanted):
                wanted = check_int(wanted(info), "batch", "batch_size", at_least=1)
            group = list(itertools.islice(rows, wanted))
            if not group or (self.drop and len(group) < wanted):
                return
            columns: dict[str, Any] = dict(builtins.zip(self.source.columns, builtins.zip(*group)))
            if self.function is not None:
                given = self.function(*(list(columns.pop(c)) for c in self.inputs), info)
                given = given if isinstance(given, tuple) else (given,)
                columns |= dict(builtins.zip(self.outputs, given))
            yield tuple(stacked(columns[c], c) for c in self.columns)


class _Map(_Step):
    def __init__(
        self,
        source: Dataset,
        functions: list[Callable[..., Any]],
        inputs: list[str],
        outputs: list[str],
        workers: int,
    ):
        super().__init__(source)
        self.functions, self.inputs, self.outputs = functions, inputs, outputs
        self.workers = workers
        if len(inputs) == len(outputs):
            renamed = dict(builtins.zip(inputs, outputs))
            columns = [renamed.get(c, c) for c in source.columns]
        else:  # as in MindSpore, the new ones first
            columns = outputs + [c for c in source.columns if c not in inputs]
        self.columns = names_of(columns, "map")

    def _one(self, place: tuple[int, int, Row]) -> Row:
        epoch, position, row = place
        columns: dict[str, Any] = dict(builtins.zip(self.source.columns, row))
        # A row's random numbers depend on where it is, and not on the thread it is mapped by.
        random = np.random.default_rng([config.get_seed(), epoch, self._depth(), position])
        values = chain(self.functions, random, tuple(columns[c] for c in self.inputs))
        if len(values) != len(self.outputs):
            raise error(
                ValueError,
                f"For 'map', the operations gave {len(values)} columns, but output_columns names "
                f"{len(self.outputs)}: {self.outputs}.",
            )
        columns |= dict(builtins.zip(self.outputs, values))
        return tuple(as_array(columns[c]) for c in self.columns)

    def rows(self, epoch: int) -> Iterator[Row]:
        rows = ((epoch, i, row) for i, row in enumerate(self.source.rows(epoch)))
        return _workers.ordered(self._one, rows, 1 if config.get_debug_mode() else self.workers)


class _Through(_Step):
    def __init__(self, source: Dataset, function: Callable[[Iterator[Row]], Iterator[Row]]):
        super().__init__(source)
        self.function = function

    def known_size(self) -> int:
        return -1

    def rows(self, epoch: int) -> Iterator[Row]:
        return self.function(self.source.rows(epoch))


class _Repeat(_Step):
    def __init__(self, source: Dataset, count: int):
        super().__init__(source)
        self.count = count

    def get_repeat_count(self) -> int:
        return self.count

    def can_be_counted(self) -> bool:
        return self.count >= 0 and super().can_be_counted()

    def known_size(self) -> int:
        n = self.source.known_size()
        return -1 if n < 0 or self.count < 0 else n * self.count

    def rows(self, epoch: int) -> Iterator[Row]:
        first = epoch * max(self.count, 1)
        for i in itertools.count() if self.count < 0 else range(self.count):
            empty = True
            for row in self.source.rows(first + i):
                empty = False
                yield row
            if empty:
                return


class _Slice(_Step):
    def __init__(self, source: Dataset, start: int, stop: int | None):
        super().__init__(source)
        self.start, self.stop = start, stop

    def known_size(self) -> int:
        n = self.source.known_size()
        if n < 0:
            return -1
        return max(min(n, n if self.stop is None else self.stop) - self.start, 0)

    def rows(self, epoch: int) -> Iterator[Row]:
        return itertools.islice(self.source.rows(epoch), self.start, self.stop)


class _Pick(_Step):
    def __init__(self, source: Dataset, positions: np.ndarray[Any, Any]):
        super().__init__(source)
        self.positions = positions

    def known_size(self) -> int:
        return len(self.positions)

    def rows(self, epoch: int) -> Iterator[Row]:
        listed = list(self.source.rows(0))
        return (listed[i] for i in self.positions)


class _Project(_Step):
    def __init__(self, source: Dataset, columns: list[str]):
        super().__init__(source)
        self.at = [source.columns.index(c) for c in columns]
        self.columns = columns

    def rows(self, epoch: int) -> Iterator[Row]:
        return (tuple(r[i] for i in self.at) for r in self.source.rows(epoch))


class _Zip(Dataset):
    def __init__(self, datasets: Sequence[Dataset]):
        super().__init__(names_of([c for d in datasets for c in d.columns], "zip"), datasets)

    def known_size(self) -> int:
        return min(d.known_size() for d in self.children)

    def rows(self, epoch: int) -> Iterator[Row]:
        parts = builtins.zip(*(d.rows(epoch) for d in self.children))
        return (tuple(itertools.chain.from_iterable(p)) for p in parts)


class _Concat(Dataset):
    def __init__(self, datasets: Sequence[Dataset]):
        first = datasets[0]
        for d in datasets[1:]:
            if not isinstance(d, Dataset) or d.columns != first.columns:
                raise error(
                    ValueError,
                    f"For 'concat', data sets must have the same columns, {first.columns}, but "
                    f"got {getattr(d, 'columns', type(d).__name__)}.",
                )
        super().__init__(first.columns, datasets)

    def known_size(self) -> int:
        sizes = [d.known_size() for d in self.children]
        return -1 if min(sizes) < 0 else sum(sizes)

    def rows(self, epoch: int) -> Iterator[Row]:
        return alike(itertools.chain.from_iterable(d.rows(epoch) for d in self.children), "concat")


class _Prefetch(_Step):
    def __init__(self, source: Dataset, size: int):
        super().__init__(source)
        self.size = size

    def rows(self, epoch: int) -> Iterator[Row]:
        rows = self.source.rows(epoch)
        return _workers.ahead(rows, 0 if config.get_debug_mode() else self.size)
