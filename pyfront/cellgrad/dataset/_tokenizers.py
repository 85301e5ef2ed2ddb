"""Strings cut into tokens."""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cellgrad.core.aliases import Columns
from cellgrad.core.arguments import argument_error, check_bool, check_instance, check_int
from cellgrad.core.errors import error
from cellgrad.dataset._transform import Array, Transform
from cellgrad.dataset._vocab import Vocab, strings

# A token, and the first and the last byte in UTF-8 of where it was in the string.
Token = tuple[str, int, int]

# The symbols of ASCII that Unicode does not count as punctuation, and the characters of Chinese: each is a token.
_SYMBOLS = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_UNUSED = re.compile(r"(\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\])")


class NormalizeForm(enum.Enum):
    """Forms of Unicode for `NormalizeUTF8`."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class OfString(Transform):
    """A function of one string."""

    def text(self, value: Array) -> str:
        """The one string that an array holds."""
        array = strings(value, self.name, "the input")
        if array.ndim:
            raise error(
                ValueError,
                f"For '{self.name}', the input must be one string, but got an array of shape {list(array.shape)}.",
            )
        return str(array)


class Tokenizer(OfString):
    """A function that gives the tokens of a string; with offsets, three columns: the tokens, the byte of UTF-8 where each
    begins, and the one after its last. A string without tokens has one, "".
    """

    def __init__(self, with_offsets: bool = False):
        self.with_offsets = check_bool(with_offsets, self.name, "with_offsets")

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a string."""
        raise error(
            NotImplementedError,
            f"For '{self.name}', 'tokens' is not defined.",
            "define tokens(self, text), which gives the tokens of one string with their places",
        )

    def one(self, value: Array) -> Columns:
        return self.given(list(self.tokens(self.text(value))))

    def given(self, found: list[Token]) -> Columns:
        """The columns of tokens."""
        words, starts, ends = zip(*(found or [("", 0, 0)]), strict=True)
        if not self.with_offsets:
            return np.array(words)
        return np.array(words), np.array(starts, np.uint32), np.array(ends, np.uint32)


def _placed(parts: Iterator[tuple[str, bool]]) -> Iterator[Token]:
    """The parts of a string that are kept, with their places."""
    at = 0
    for part, kept in parts:
        end = at + len(part.encode())
        if kept and part:
            yield part, at, end
        at = end


class WhitespaceTokenizer(Tokenizer):
    """What whitespace separates.

    >>> from cellgrad.dataset import text
    >>> text.WhitespaceTokenizer()("to be  or not")
    array(['to', 'be', 'or', 'not'], dtype='<U3')
    """

    def tokens(self, text: str) -> Iterator[Token]:
        return _placed((part, not part.isspace()) for part in re.split(r"(\s+)", text))


class UnicodeCharTokenizer(Tokenizer):
    """The characters."""

    def tokens(self, text: str) -> Iterator[Token]:
        return _placed((c, True) for c in text)


class RegexTokenizer(Tokenizer):
    """What a regular expression separates, and those separators that a second one matches whole.

    Args:
        delim_pattern: the separators, as Python's `re` writes them.
        keep_delim_pattern: the separators that are tokens, too; "" for none.
        with_offsets: whether places are given.

    Raises:
        TypeError, ValueError: something that is no string, or no regular expression.

    >>> from cellgrad.dataset import text
    >>> text.RegexTokenizer(r"\\s+|,", ",")("to be, or")
    array(['to', 'be', ',', 'or'], dtype='<U2')
    """

    def __init__(
        self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False
    ):
        super().__init__(with_offsets)
        self.separators = compiled(delim_pattern, self.name, "delim_pattern")
        self.kept = compiled(keep_delim_pattern, self.name, "keep_delim_pattern")

    def tokens(self, text: str) -> Iterator[Token]:
        return _placed(self._parts(text))

    def _parts(self, text: str) -> Iterator[tuple[str, bool]]:
        at = 0
        for found in self.separators.finditer(text):
            if found[0]:
                yield text[at : found.start()], True
                yield found[0], bool(self.kept.pattern) and bool(self.kept.fullmatch(found[0]))
                at = found.end()
        yield text[at:], True


def compiled(pattern: Any, owner: str, what: str) -> re.Pattern[str]:
    """A regular expression of an argument."""
    try:
        return re.compile(check_instance(pattern, owner, what, str))
    except re.error as e:
        raise error(
            ValueError,
            f"For '{owner}', the '{what}' is no regular expression of Python: {e}.",
            "ICU's classes such as \\p{L} are not known; \\w, \\d, \\s and [...] are",
        ) from None


def casefold(text: str) -> str:
    """NFKC_Casefold of Unicode: lower case, compatible forms, and no characters that are not seen."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold()).casefold()
    seen = "".join(c for c in folded if unicodedata.category(c) != "Cf" and c != "\u034f")
    return unicodedata.normalize("NFKC", seen)


class BasicTokenizer(Tokenizer):
    """Words, punctuation and Chinese characters, as BERT has them.

    Args:
        lower_case: whether letters become small and lose their accents.
        keep_whitespace: whether whitespace is a token.
        normalization_form: a `NormalizeForm` for strings whose case stays.
        preserve_unused_token: whether [CLS], [SEP], [UNK], [PAD], [MASK] and [unused...] are tokens.
        with_offsets: whether places are given, those in the string after its case and form were changed.

    Raises:
        TypeError: other arguments.

    >>> from cellgrad.dataset import text
    >>> text.BasicTokenizer(lower_case=True)("Hi, Zoë!")
    array(['hi', ',', 'zoe', '!'], dtype='<U3')
    """

    def __init__(
        self,
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ):
        super().__init__(with_offsets)
        self.lower_case = check_bool(lower_case, self.name, "lower_case")
        self.keep_whitespace = check_bool(keep_whitespace, self.name, "keep_whitespace")
        self.form = check_instance(
            normalization_form, self.name, "normalization_form", NormalizeForm
        )
        self.preserve = check_bool(preserve_unused_token, self.name, "preserve_unused_token")

    def tokens(self, text: str) -> Iterator[Token]:
        return _placed(self._parts(text))

    def _parts(self, text: str) -> Iterator[tuple[str, bool]]:
        for part in _UNUSED.split(text) if self.preserve else [text]:
            if self.preserve and _UNUSED.fullmatch(part):
                yield part, True
                continue
            plain = "".join(
                " " if unicodedata.category(c) in ("Cc", "Cf") else c for c in self._changed(part)
            )
            for token in re.findall(r"\s+|[^\s]+", plain):
                if token.isspace():
                    yield token, self.keep_whitespace
                else:
                    yield from ((word, True) for word in _words(token))

    def _changed(self, text: str) -> str:
        if not self.lower_case:
            return normalized(text, self.form)
        apart = unicodedata.normalize("NFD", casefold(text))
        return "".join(c for c in apart if unicodedata.category(c) != "Mn")


def normalized(text: str, form: NormalizeForm) -> str:
    """The string in a form of Unicode."""
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)  # type: ignore[arg-type]


def _alone(c: str) -> bool:
    if c in _SYMBOLS or unicodedata.category(c).startswith("P"):
        return True
    return any(a <= ord(c) <= b for a, b in _CHINESE)


def _words(text: str) -> Iterator[str]:
    start = 0
    for i, c in enumerate(text):
        if _alone(c):
            yield text[start:i]
            yield c
            start = i + 1
    yield text[start:]


class WordpieceTokenizer(Tokenizer):
    """Tokens cut into the longest pieces that a vocabulary has; pieces after the first begin with a sign.

    Args:
        vocab: the pieces.
        suffix_indicator: the sign.
        max_bytes_per_token: longer tokens are unknown.
        unknown_token: what unknown tokens become; "": they stay.
        with_offsets: whether places are given, those in each token.

    Raises:
        TypeError, ValueError: other arguments.

    >>> from cellgrad.dataset import text
    >>> pieces = text.Vocab.from_list(["play", "##ing", "[UNK]"])
    >>> text.WordpieceTokenizer(pieces)(["playing", "works"])
    array(['play', '##ing', '[UNK]'], dtype='<U5')
    """

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        with_offsets: bool = False,
    ):
        super().__init__(with_offsets)
        self.pieces = check_instance(vocab, self.name, "vocab", Vocab).vocab()
        self.sign = check_instance(suffix_indicator, self.name, "suffix_indicator", str)
        self.longest = check_int(max_bytes_per_token, self.name, "max_bytes_per_token", at_least=0)
        self.unknown = check_instance(unknown_token, self.name, "unknown_token", str)

    def one(self, value: Array) -> Columns:
        array = strings(value, self.name, "the input")
        if array.ndim > 1:
            raise error(
                ValueError,
                f"For '{self.name}', the input must be a string or an array of one dimension, but got shape "
                f"{list(array.shape)}.",
            )
        return self.given(
            [t for word in array.reshape(-1).tolist() for t in self.cut(word) if t[0]]
        )

    def tokens(self, text: str) -> Iterator[Token]:
        return iter(self.cut(text))

    def cut(self, word: str, first: int = 0) -> list[Token]:
        """The pieces of a word that begins at a byte."""
        size = len(word.encode())
        whole = [(self.unknown or word, first, first + size)]
        if size > self.longest:
            return whole
        out: list[Token] = []
        start, at = 0, first
        while start < len(word):
            sign = self.sign if start else ""
            ends = range(len(word), start, -1)
            end = next((e for e in ends if sign + word[start:e] in self.pieces), None)
            if end is None:
                return whole
            after = at + len(word[start:end].encode())
            out.append((sign + word[start:end], at, after))
            start, at = end, after
        return out


class BertTokenizer(Tokenizer):
    """`BasicTokenizer`, then `WordpieceTokenizer`; the arguments are theirs.

    >>> from cellgrad.dataset import text
    >>> pieces = text.Vocab.from_list(["play", "##ing", "[UNK]"])
    >>> text.BertTokenizer(pieces, lower_case=True)("Playing works")
    array(['play', '##ing', '[UNK]'], dtype='<U5')
    """

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ):
        super().__init__(with_offsets)
        form, kept = normalization_form, preserve_unused_token
        self.basic = BasicTokenizer(lower_case, keep_whitespace, form, kept)
        self.pieces = WordpieceTokenizer(
            vocab, suffix_indicator, max_bytes_per_token, unknown_token
        )

    def tokens(self, text: str) -> Iterator[Token]:
        for word, start, _ in self.basic.tokens(text):
            yield from self.pieces.cut(word, start)


class PythonTokenizer(OfString):
    """The tokens that a function of a string gives as a list.

    Raises:
        TypeError: no function, or one that gives something else.

    >>> from cellgrad.dataset import text
    >>> text.PythonTokenizer(str.split)("to be")
    array(['to', 'be'], dtype='<U2')
    """

    def __init__(self, tokenizer: Callable[[str], list[str]]):
        if not callable(tokenizer):
            raise argument_error(TypeError, self.name, "tokenizer", "a function", tokenizer)
        self.tokenizer = tokenizer

    def one(self, value: Array) -> Columns:
        return strings(self.tokenizer(self.text(value)), self.name, "the result of the function")
