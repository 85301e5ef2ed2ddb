"""Which rows of a source an epoch has, and in which order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from cellgrad.core.aliases import ArrayLike
from cellgrad.core.arguments import argument_error, check_bool, check_int
from cellgrad.core.errors import error

__all__ = [
    "DistributedSampler",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
]


class Positions(Protocol):
    """What samplers see of a data set."""

    columns: list[str]

    def total(self) -> int:
        """The number of its rows."""
        ...

    def labels(self, column: str) -> list[int]:
        """The elements of a column of whole numbers."""
        ...


class Sampler:
    """The base of samplers. One of your own defines ``__iter__``, which gives positions; while it runs,
    `dataset_size` is the number of rows of the source and `num_samples` what was given.

    Args:
        num_samples: how many rows an epoch has at most; None for all.

    Raises:
        TypeError, ValueError: `num_samples` is no int of at least 0.

    >>> class EveryThird(ms.dataset.Sampler):
    ...     def __iter__(self):
    ...         yield from range(0, self.dataset_size, 3)
    >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], sampler=EveryThird())
    >>> [row["x"].item() for row in data.create_dict_iterator()]
    [1, 4]
    """

    dataset_size = 0

    def __init__(self, num_samples: int | None = None):
        if num_samples is not None:
            check_int(num_samples, type(self).__name__, "num_samples", at_least=0)
        self.num_samples = num_samples or None

    def __iter__(self) -> Iterator[int]:
        raise error(
            NotImplementedError,
            f"For '{type(self).__name__}', '__iter__' is not defined.",
            "define __iter__(self), which gives positions from 0 to self.dataset_size - 1",
        )

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        """The positions of an epoch."""
        self.dataset_size = source.total()
        return self._cut([int(i) for i in self])

    def _cut(self, positions: list[int]) -> list[int]:
        return positions[: self.num_samples]


class SequentialSampler(Sampler):
    """Rows as they come.

    Args:
        start_index: the first position, 0 by default.
        num_samples: how many.

    Raises:
        RuntimeError: `start_index` is not below the number of rows.

    >>> sampler = ms.dataset.SequentialSampler(2, num_samples=1)
    >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], ["x"], sampler=sampler)
    >>> [row["x"].item() for row in data.create_dict_iterator()]
    [3]
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None):
        super().__init__(num_samples)
        self.start = check_int(start_index or 0, "SequentialSampler", "start_index", at_least=0)

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        if self.start >= source.total():
            raise error(
                RuntimeError,
                f"For 'SequentialSampler', start_index must be less than the {source.total()} rows, but got "
                f"{self.start}.",
            )
        return self._cut(list(range(self.start, source.total())))


class RandomSampler(Sampler):
    """Rows in random order; with `replacement` each is drawn from all.

    >>> sampler = ms.dataset.RandomSampler(num_samples=2)
    >>> ms.dataset.NumpySlicesDataset([1, 2, 3], ["x"], sampler=sampler).get_dataset_size()
    2
    """

    def __init__(self, replacement: bool = False, num_samples: int | None = None):
        super().__init__(num_samples)
        self.replacement = check_bool(replacement, "RandomSampler", "replacement")

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        n = source.total()
        if not self.replacement:
            return self._cut(random.permutation(n).tolist())
        count = n if self.num_samples is None else min(n, self.num_samples)
        return list(random.integers(0, n, count).tolist())


class DistributedSampler(Sampler):
    """The rows of one of several shards: every `num_shards`-th.

    Args:
        num_shards: how many shards.
        shard_id: which, from 0.
        shuffle: whether the rows are in random order before, the same for all shards.
        num_samples: how many.
        offset: the shard that gets the first row; shards may then differ by one row. With -1 the first rows fill
            up the last shards.

    Raises:
        ValueError: `shard_id` is not below `num_shards`, or `offset` is above it.

    >>> sampler = ms.dataset.DistributedSampler(2, 1, shuffle=False)
    >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], ["x"], sampler=sampler)
    >>> [row["x"].item() for row in data.create_dict_iterator()]
    [2, 1]
    """

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool = True,
        num_samples: int | None = None,
        offset: int = -1,
    ):
        super().__init__(num_samples)
        name = "DistributedSampler"
        self.shards = check_int(num_shards, name, "num_shards", at_least=1)
        self.shard = check_int(shard_id, name, "shard_id", at_least=0, below=num_shards)
        self.shuffle = check_bool(shuffle, name, "shuffle")
        self.offset = check_int(offset, name, "offset", at_least=-1, below=num_shards + 1)

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        n = source.total()
        rows = random.permutation(n).tolist() if self.shuffle else list(range(n))
        if self.offset < 0:
            rows += rows[: -n % self.shards]
        first = (self.shard - max(self.offset, 0)) % self.shards
        return self._cut(rows[first :: self.shards])


class SubsetSampler(Sampler):
    """The rows at given positions, in their order.

    Raises:
        TypeError: positions that are no ints.
        RuntimeError: one that the source does not have.

    >>> sampler = ms.dataset.SubsetSampler([2, 0])
    >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], ["x"], sampler=sampler)
    >>> [row["x"].item() for row in data.create_dict_iterator()]
    [3, 1]
    """

    def __init__(self, indices: ArrayLike, num_samples: int | None = None):
        super().__init__(num_samples)
        listed = list(indices) if hasattr(indices, "__iter__") else [indices]
        name = type(self).__name__
        self.indices = [check_int(i, name, "indices", at_least=0) for i in listed]

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        return self._cut(list(self.indices))


class SubsetRandomSampler(SubsetSampler):
    """The rows at given positions, in random order.

    >>> sampler = ms.dataset.SubsetRandomSampler([2, 0])
    >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], ["x"], sampler=sampler)
    >>> sorted(row["x"].item() for row in data.create_dict_iterator())
    [1, 3]
    """

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        return self._cut(random.permutation(np.asarray(self.indices, np.int64)).tolist())


class WeightedRandomSampler(Sampler):
    """Rows drawn by the weights of the first positions.

    Args:
        weights: a number for each position, none negative, not all zero.
        num_samples: how many draws; as many as there are rows by default.
        replacement: whether a row may be drawn again.

    Raises:
        TypeError: `weights` that are no numbers.
        ValueError: a negative weight, or only zeros; fewer weights above zero than draws without replacement.
        RuntimeError: more weights than rows.

    >>> sampler = ms.dataset.WeightedRandomSampler([0.0, 1.0, 0.0], 2)
    >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], ["x"], sampler=sampler)
    >>> [row["x"].item() for row in data.create_dict_iterator()]
    [2, 2]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int | None = None, replacement: bool = True
    ):
        super().__init__(num_samples)
        name = "WeightedRandomSampler"
        self.replacement = check_bool(replacement, name, "replacement")
        try:
            self.weights = np.asarray(weights, np.float64).reshape(-1)
        except (TypeError, ValueError):
            raise argument_error(TypeError, name, "weights", "a list of numbers", weights) from None
        if (
            not np.isfinite(self.weights).all()
            or (self.weights < 0).any()
            or not self.weights.any()
        ):
            wanted = "finite numbers, none below and one above 0"
            raise argument_error(ValueError, name, "weights", wanted, list(self.weights))

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        n, known = source.total(), len(self.weights)
        if known > n:
            raise error(
                RuntimeError,
                f"For 'WeightedRandomSampler', there are {known} weights for {n} rows.",
            )
        count = n if self.num_samples is None else self.num_samples
        possible = int(np.count_nonzero(self.weights))
        if not self.replacement and count > possible:
            raise error(
                ValueError,
                f"For 'WeightedRandomSampler', {count} rows are drawn without replacement, but only {possible} have "
                "a weight above 0.",
                "give num_samples, or replacement=True",
            )
        shares = self.weights / self.weights.sum()
        return list(random.choice(known, count, self.replacement, shares).tolist())


class PKSampler(Sampler):
    """`num_val` random rows of each class, for as many classes as there are.

    Args:
        num_val: how many rows of each class; drawn again where it has fewer.
        num_class: kept for scripts; only None.
        shuffle: whether classes come in random order instead of that of their numbers.
        class_column: the column with the number of the class.
        num_samples: how many rows at most.

    Raises:
        ValueError: `num_class` is given; there is no such column.

    >>> data = ms.dataset.NumpySlicesDataset(
    ...     {"x": [1, 2, 3], "label": [0, 0, 1]}, sampler=ms.dataset.PKSampler(1)
    ... )
    >>> [row["label"].item() for row in data.create_dict_iterator()]
    [0, 1]
    """

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ):
        super().__init__(num_samples)
        self.each = check_int(num_val, "PKSampler", "num_val", at_least=1)
        if num_class is not None:
            raise argument_error(ValueError, "PKSampler", "num_class", "None", num_class)
        self.shuffle = check_bool(shuffle, "PKSampler", "shuffle")
        self.column = class_column

    def order(self, source: Positions, random: np.random.Generator) -> list[int]:
        if self.column not in source.columns:
            wanted = f"one of {source.columns}"
            raise argument_error(ValueError, "PKSampler", "class_column", wanted, self.column)
        members: dict[int, list[int]] = {}
        for position, label in enumerate(source.labels(self.column)):
            members.setdefault(label, []).append(position)
        classes = sorted(members)
        if self.shuffle:
            random.shuffle(classes)
        out: list[int] = []
        for label in classes:
            rows = np.asarray(members[label])
            rounds = math.ceil(self.each / len(rows))
            drawn = np.concatenate([random.permutation(rows) for _ in range(rounds)])
            out += drawn[: self.each].tolist()
        return self._cut(out)
