"""What `map` applies to strings (``mindspore.dataset.text``): arrays of numpy's dtype "U"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Columns, DTypeLike
from cellgrad.core.arguments import argument_error, check_bool, check_instance, check_int
from cellgrad.core.errors import error
from cellgrad.dataset._tokenizers import (
    BasicTokenizer,
    BertTokenizer,
    NormalizeForm,
    PythonTokenizer,
    RegexTokenizer,
    UnicodeCharTokenizer,
    WhitespaceTokenizer,
    WordpieceTokenizer,
    casefold,
    compiled,
    normalized,
)
from cellgrad.dataset._transform import Array, Transform
from cellgrad.dataset._vocab import Vocab, strings

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "Lookup",
    "Ngram",
    "NormalizeForm",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SlidingWindow",
    "ToNumber",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "Vocab",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
    "to_bytes",
    "to_str",
]


def to_str(array: Array, encoding: str = "utf8") -> Array:
    """Strings of an array of bytes.

    Raises:
        TypeError: no array.
    """
    return np.char.decode(check_instance(array, "to_str", "array", np.ndarray), encoding)


def to_bytes(array: Array, encoding: str = "utf8") -> Array:
    """Bytes of an array of strings.

    Raises:
        TypeError: no array.
    """
    return np.char.encode(check_instance(array, "to_bytes", "array", np.ndarray), encoding)


class Lookup(Transform):
    """The numbers of words.

    Args:
        vocab: the words.
        unknown_token: the word whose number unknown words get; None: they are errors.
        data_type: the dtype of the numbers.

    Raises:
        TypeError, ValueError: other arguments; an `unknown_token` that is not in `vocab`; an unknown word without it.

    >>> from cellgrad.dataset import text
    >>> text.Lookup(text.Vocab.from_list(["?", "a", "b"]), "?")(["b", "c"])
    array([2, 0], dtype=int32)
    """

    def __init__(
        self, vocab: Vocab, unknown_token: str | None = None, data_type: DTypeLike = mstype.int32
    ):
        self.ids = check_instance(vocab, self.name, "vocab", Vocab).vocab()
        self.dtype = _number_type(data_type, self.name)
        self.unknown: int | None = None
        if unknown_token is not None:
            check_instance(unknown_token, self.name, "unknown_token", str)
            if unknown_token not in self.ids:
                raise argument_error(
                    ValueError, self.name, "unknown_token", "a word of vocab", unknown_token
                )
            self.unknown = self.ids[unknown_token]

    def one(self, value: Array) -> Array:
        words = strings(value, self.name, "the input")
        numbers = [self.ids.get(word, self.unknown) for word in words.ravel().tolist()]
        if None in numbers:
            word = words.ravel()[numbers.index(None)]
            raise error(
                ValueError,
                f"For '{self.name}', the word {str(word)!r} is not in the vocabulary.",
                "give an unknown_token",
            )
        return np.array(numbers, self.dtype).reshape(words.shape)


def _number_type(given: Any, owner: str) -> np.dtype[Any]:
    found = mstype.coerce(given)
    dtype = None if found is None else np.dtype(mstype.to_numpy(found))
    if dtype is None or dtype.kind not in "iuf":
        raise argument_error(TypeError, owner, "data_type", "a dtype of numbers", given)
    return dtype


class ToNumber(Transform):
    """The numbers that strings spell.

    Raises:
        TypeError: `data_type` is no dtype of numbers.
        ValueError: a string that is no number, or one that the dtype does not have.

    >>> from cellgrad.dataset import text
    >>> text.ToNumber(ms.float32)(["1", "2.5"])
    array([1. , 2.5], dtype=float32)
    """

    def __init__(self, data_type: DTypeLike):
        self.dtype = _number_type(data_type, self.name)

    def one(self, value: Array) -> Array:
        words = strings(value, self.name, "the input")
        numbers = [self._number(word) for word in words.ravel().tolist()]
        return np.array(numbers, self.dtype).reshape(words.shape)

    def _number(self, word: str) -> float | int:
        try:
            if "_" in word:  # which Python takes
                raise ValueError
            if self.dtype.kind == "f":
                number = float(word)
                with np.errstate(over="ignore"):
                    fits = "inf" in word.lower() or not np.isinf(self.dtype.type(number))
            else:
                number = int(word)
                limits = np.iinfo(self.dtype)
                fits = limits.min <= number <= limits.max
        except ValueError:
            raise error(
                ValueError, f"For '{self.name}', {word!r} is no number of {self.dtype}."
            ) from None
        if not fits:
            raise error(
                ValueError, f"For '{self.name}', {word!r} is out of the range of {self.dtype}."
            )
        return number


class _Each(Transform):
    """A function of each string of an array."""

    def text(self, value: str) -> str:
        raise error(
            NotImplementedError,
            f"For '{self.name}', 'text' is not defined.",
            "define text(self, value), which gives the string that takes the place of one",
        )

    def one(self, value: Array) -> Array:
        words = strings(value, self.name, "the input")
        return np.array([self.text(word) for word in words.ravel().tolist()], "U").reshape(
            words.shape
        )


class CaseFold(_Each):
    """Strings without difference of upper and lower case and of compatible forms (NFKC_Casefold of Unicode).

    >>> from cellgrad.dataset import text
    >>> text.CaseFold()("Straße")
    array('strasse', dtype='<U7')
    """

    def text(self, value: str) -> str:
        return casefold(value)


class NormalizeUTF8(_Each):
    """Strings in a form of Unicode.

    Raises:
        TypeError: `normalize_form` is no `NormalizeForm`.
    """

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC):
        self.form = check_instance(normalize_form, self.name, "normalize_form", NormalizeForm)

    def text(self, value: str) -> str:
        return normalized(value, self.form)


class RegexReplace(_Each):
    """What a regular expression matches, replaced.

    Args:
        pattern: the expression, as Python's `re` writes it.
        replace: what replaces it; ``$1`` is its first group.
        replace_all: whether all places are replaced, or the first.

    Raises:
        TypeError, ValueError: other arguments, or no regular expression.

    >>> from cellgrad.dataset import text
    >>> text.RegexReplace(r"(\\d+)", "<$1>")("a12")
    array('a<12>', dtype='<U5')
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True):
        self.pattern = compiled(pattern, self.name, "pattern")
        check_instance(replace, self.name, "replace", str)
        self.groups = re.split(r"\$(\d)", replace)
        for number in self.groups[1::2]:
            check_int(int(number), self.name, "replace", at_least=0, below=self.pattern.groups + 1)
        self.count = 0 if check_bool(replace_all, self.name, "replace_all") else 1

    def text(self, value: str) -> str:
        return self.pattern.sub(self._new, value, count=self.count)

    def _new(self, found: re.Match[str]) -> str:
        parts = (found[int(p)] or "" if i % 2 else p for i, p in enumerate(self.groups))
        return "".join(parts)


class Ngram(Transform):
    """Neighbours joined.

    Args:
        n: how many are joined: an int, or a list of ints, whose results follow each other.
        left_pad, right_pad: a word and how often it is added before and after, at most n - 1 times.
        separator: what joins them.

    An array shorter than n gives one string, "".

    Raises:
        TypeError, ValueError: other arguments, or an input that is no array of one dimension of strings.

    >>> from cellgrad.dataset import text
    >>> text.Ngram(2)(["to", "be", "or"])
    array(['to be', 'be or'], dtype='<U5')
    """

    def __init__(
        self,
        n: int | Sequence[int],
        left_pad: tuple[str, int] = ("", 0),
        right_pad: tuple[str, int] = ("", 0),
        separator: str = " ",
    ):
        sizes = [n] if isinstance(n, int) else list(n)
        if not sizes:
            raise argument_error(ValueError, self.name, "n", "an int or some ints", n)
        self.sizes = [check_int(k, self.name, "n", at_least=1) for k in sizes]
        self.left, self.right = self._pad(left_pad, "left_pad"), self._pad(right_pad, "right_pad")
        self.separator = check_instance(separator, self.name, "separator", str)

    def _pad(self, pad: Any, what: str) -> tuple[str, int]:
        if not isinstance(pad, tuple) or len(pad) != 2:
            raise argument_error(TypeError, self.name, what, "a tuple of a string and an int", pad)
        check_instance(pad[0], self.name, what, str)
        return pad[0], check_int(pad[1], self.name, what, at_least=0)

    def one(self, value: Array) -> Array:
        words = _vector(strings(value, self.name, "the input"), self.name).tolist()
        out = [joined for size in self.sizes for joined in self._joined(words, size)]
        return np.array(out or [""])

    def _joined(self, words: list[str], size: int) -> list[str]:
        (left, before), (right, after) = self.left, self.right
        row = [left] * min(before, size - 1) + words + [right] * min(after, size - 1)
        found = [self.separator.join(row[i : i + size]) for i in range(len(row) - size + 1)]
        return found or [""]


def _vector(value: Array, owner: str) -> Array:
    if value.ndim != 1:
        raise error(
            ValueError,
            f"For '{owner}', the input must be an array of one dimension, but has shape {list(value.shape)}.",
        )
    return value


class SlidingWindow(Transform):
    """Windows of neighbours: [n] becomes [n - width + 1, width].

    Args:
        width: how many are in a window.
        axis: 0, as arrays have one dimension.

    Raises:
        TypeError, ValueError: other arguments, or an input of more dimensions.

    >>> from cellgrad.dataset import text
    >>> text.SlidingWindow(2)([1, 2, 3])
    array([[1, 2],
           [2, 3]])
    """

    def __init__(self, width: int, axis: int = 0):
        self.width = check_int(width, self.name, "width", at_least=1)
        if axis not in (0, -1):
            raise argument_error(ValueError, self.name, "axis", "0 or -1", axis)

    def one(self, value: Array) -> Array:
        row = _vector(value, self.name)
        if len(row) < self.width:
            return row[:0]
        return np.lib.stride_tricks.sliding_window_view(row, self.width).copy()


class Truncate(Transform):
    """At most `max_seq_len` elements of the last dimension of an array of one or two.

    Raises:
        TypeError, ValueError: other arguments or dimensions.
    """

    def __init__(self, max_seq_len: int):
        self.longest = check_int(max_seq_len, self.name, "max_seq_len", at_least=0)

    def one(self, value: Array) -> Array:
        return _rows(value, self.name)[..., : self.longest]


def _rows(value: Array, owner: str) -> Array:
    if value.ndim not in (1, 2):
        raise error(
            ValueError,
            f"For '{owner}', the input must have one or two dimensions, but has shape {list(value.shape)}.",
        )
    return value


class AddToken(Transform):
    """A word more in the last dimension of an array of one or two, at the beginning or the end.

    Raises:
        TypeError, ValueError: other arguments or dimensions.

    >>> from cellgrad.dataset import text
    >>> text.AddToken("<s>")(["a", "b"])
    array(['<s>', 'a', 'b'], dtype='<U3')
    """

    def __init__(self, token: str, begin: bool = True):
        self.token = check_instance(token, self.name, "token", str)
        self.begin = check_bool(begin, self.name, "begin")

    def one(self, value: Array) -> Array:
        words = _rows(strings(value, self.name, "the input"), self.name)
        more = np.full((*words.shape[:-1], 1), self.token)
        return np.concatenate([more, words] if self.begin else [words, more], -1)


class TruncateSequencePair(Transform):
    """Two arrays of one dimension with at most `max_length` elements together: the longer one loses its last elements, the
    second where both are equally long.

    Raises:
        TypeError, ValueError: other arguments or dimensions.

    >>> from cellgrad.dataset import text
    >>> text.TruncateSequencePair(3)([1, 2, 3], [4])
    (array([1, 2]), array([4]))
    """

    def __init__(self, max_length: int):
        self.longest = check_int(max_length, self.name, "max_length", at_least=0)

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        if len(values) != 2:
            raise error(
                TypeError, f"For '{self.name}', two arrays are expected, but got {len(values)}."
            )
        first, second = (_vector(np.asarray(v), self.name) for v in values)
        m, n = len(first), len(second)
        while m + n > self.longest:
            m, n = (m - 1, n) if m > n else (m, n - 1)
        return first[:m], second[:n]
