"""Words and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cellgrad.core.aliases import Dims, Names
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_sequence,
)
from cellgrad.core.errors import error
from cellgrad.core.files import read_all
from cellgrad.dataset.pipeline import Dataset

_LARGEST = 2**31 - 1


class Vocab:
    """Words and their numbers. Made by its class methods `from_list`, `from_dict`, `from_file`, `from_dataset`.

    >>> from cellgrad.dataset import text
    >>> words = text.Vocab.from_list(["the", "cat"], special_tokens=["<unk>"])
    >>> words.tokens_to_ids(["cat", "dog"]), words.ids_to_tokens(1)
    ([2, -1], 'the')
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    @classmethod
    def _numbered(cls, words: Iterable[str], special: Sequence[str], first: bool) -> Vocab:
        out = cls()
        listed = [*special, *words] if first else [*words, *special]
        out._ids = {word: i for i, word in enumerate(listed)}
        return out

    @classmethod
    def from_list(
        cls,
        word_list: Sequence[str],
        special_tokens: Sequence[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words of a list, numbered from 0.

        Args:
            word_list: different words.
            special_tokens: words that are added, at the beginning, or with `special_first=False` at the end.

        Raises:
            TypeError: something that is no list of strings.
            ValueError: a word that is there twice.
        """
        owner = "Vocab.from_list"
        words = _words(word_list, owner, "word_list")
        special = _special(special_tokens, words, owner)
        return cls._numbered(words, special, check_bool(special_first, owner, "special_first"))

    @classmethod
    def from_dict(cls, word_dict: dict[str, int]) -> Vocab:
        """The words of a dict, with their numbers.

        Raises:
            TypeError, ValueError: keys that are no strings, or numbers that are no ints from 0 to 2³¹ - 1.
        """
        owner = "Vocab.from_dict"
        for word, number in check_instance(word_dict, owner, "word_dict", dict).items():
            check_instance(word, owner, "word_dict", str)
            check_int(number, owner, "word_dict", at_least=0, below=_LARGEST + 1)
        out = cls()
        out._ids = dict(word_dict)
        return out

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: Sequence[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words of a file of UTF-8, one a line.

        Args:
            file_path: the file.
            delimiter: what ends the word in a line; the rest of the line is left out. "": the line is the word.
            vocab_size: how many words are read at most.
            special_tokens: words that are added, at the beginning, or with `special_first=False` at the end.

        Raises:
            TypeError: arguments of wrong types.
            ValueError: a word that is there twice.
            FileNotFoundError, OSError: a file that cannot be read.
        """
        owner = "Vocab.from_file"
        check_instance(delimiter, owner, "delimiter", str)
        text = read_all(check_instance(file_path, owner, "file_path", str))[0].decode("utf-8")
        words = lines_of(text)
        if delimiter:
            words = [line.split(delimiter, 1)[0] for line in words]
        if vocab_size is not None:
            words = words[: check_int(vocab_size, owner, "vocab_size", at_least=1)]
        special = _special(special_tokens, _different(words, owner, file_path), owner)
        return cls._numbered(words, special, check_bool(special_first, owner, "special_first"))

    @classmethod
    def from_dataset(
        cls,
        dataset: Dataset,
        columns: Names | None = None,
        freq_range: tuple[int | None, int | None] | None = None,
        top_k: int | None = None,
        special_tokens: Sequence[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words of a data set, the most frequent first, those of one frequency in the order of their characters.

        Args:
            dataset: a data set, which is read once.
            columns: a name or names of columns of strings; None for all columns.
            freq_range: how often words must be there at least and at most; None for no bound.
            top_k: how many words there are at most.
            special_tokens: words that are added, at the beginning, or with `special_first=False` at the end.

        Raises:
            TypeError, ValueError: arguments of wrong types, columns that are not there or hold no strings, or special
                words that the data set has.
        """
        owner = "Vocab.from_dataset"
        check_instance(dataset, owner, "dataset", Dataset)
        low, high = _bounds(freq_range, owner)
        if top_k is not None:
            check_int(top_k, owner, "top_k", at_least=1)
        source = dataset if columns is None else dataset.project(columns)
        counts: Counter[str] = Counter()
        for row in source.rows(0):
            for name, value in zip(source.columns, row, strict=True):
                counts.update(strings(value, owner, f"column '{name}'").ravel().tolist())
        special = _special(special_tokens, counts, owner)
        found = [
            (-n, word) for word, n in counts.items() if low <= n and (high is None or n <= high)
        ]
        words = [word for _, word in sorted(found)[:top_k]]
        return cls._numbered(words, special, check_bool(special_first, owner, "special_first"))

    def vocab(self) -> dict[str, int]:
        """The words and their numbers."""
        return dict(self._ids)

    def tokens_to_ids(self, tokens: Names) -> int | list[int]:
        """The number of a word, or the list of those of a list or array of words; -1 for unknown words.

        Raises:
            TypeError: something else.
        """
        if isinstance(tokens, str):
            return self._ids.get(tokens, -1)
        listed = tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
        words = check_sequence(listed, "tokens_to_ids", "tokens", "strings", str, empty=True)
        return [self._ids.get(word, -1) for word in words]

    def ids_to_tokens(self, ids: Dims) -> str | list[str]:
        """The word of a number, or the list of those of a list or array of numbers; "" for unknown numbers.

        Raises:
            TypeError, ValueError: something else than ints from 0 to 2³¹ - 1.
        """
        words = {number: word for word, number in self._ids.items()}
        given: Any = ids.tolist() if isinstance(ids, np.ndarray) else ids
        listed = given if isinstance(given, list) else [given]
        for number in listed:
            check_int(number, "ids_to_tokens", "ids", at_least=0, below=_LARGEST + 1)
        out = [words.get(number, "") for number in listed]
        return out if isinstance(given, list) else out[0]


def lines_of(text: str) -> list[str]:
    """The lines that end with "\\n" alone."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def strings(value: Any, owner: str, what: str = "the array") -> np.ndarray[Any, Any]:
    """An array of strings.

    Raises:
        TypeError: something else.
    """
    array = np.asarray(value)
    if array.dtype.kind != "U":
        hint = "text.to_str makes strings of bytes" if array.dtype.kind == "S" else ""
        raise error(
            TypeError, f"For '{owner}', {what} must hold strings, but got {array.dtype}.", hint
        )
    return array


def _words(words: Any, owner: str, what: str) -> list[str]:
    listed = check_sequence(words, owner, what, "strings", str, empty=True)
    return _different(list(listed), owner, what)


def _different(words: list[str], owner: str, what: str) -> list[str]:
    for word, n in Counter(words).items():
        if n > 1:
            raise error(ValueError, f"For '{owner}', {what} contains duplicate word: {word!r}.")
    return words


def _special(special: Any, words: Iterable[str], owner: str) -> list[str]:
    listed = [] if special is None else _words(special, owner, "special_tokens")
    both = sorted(set(listed) & set(words))
    if both:
        raise error(
            ValueError, f"For '{owner}', words of special_tokens are there already: {both}."
        )
    return listed


def _bounds(given: Any, owner: str) -> tuple[int, int | None]:
    if given is None:
        return 0, None
    if not isinstance(given, tuple) or len(given) != 2:
        raise argument_error(TypeError, owner, "freq_range", "a tuple of two ints or None", given)
    for n in given:
        if n is not None:
            check_int(n, owner, "freq_range", at_least=0)
    low, high = given
    if high is not None and (low or 0) > high:
        raise argument_error(
            ValueError, owner, "freq_range", "the first not above the second", given
        )
    return low or 0, high
