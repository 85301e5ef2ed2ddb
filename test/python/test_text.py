"""Strings in data sets: tokenizers, vocabularies, files, padding; beside MindSpore (goldens/record_text.py), and what
is refused."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import dataset as ds
from cellgrad.dataset import text
from cellgrad.dataset import transforms as T

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import text_cases  # noqa: E402

VOCAB = text.Vocab.from_list(text_cases.WORDS)


def has_a_place_too_many(result):
    """MindSpore gives places of pieces that it took back, so that there are more than tokens."""
    return isinstance(result, list) and len(result) == 3 and isinstance(result[0], dict) and (
        result[0]["shape"] != result[1]["shape"]
    )  # fmt: skip


def test_mindspore():
    wanted = json.loads((GOLDENS / "text.json").read_text())
    found = json.loads(json.dumps(text_cases.results(ms, ds)))
    assert found.keys() == wanted.keys()
    odd = {name for name, result in wanted.items() if has_a_place_too_many(result)}
    assert len(odd) == 10
    for name, result in wanted.items():
        if name in odd:
            assert found[name][0] == result[0], name
            places = [list(zip(*(p["elements"] for p in r[1:]))) for r in (found[name], result)]
            assert len(places[0]) == found[name][0]["shape"][0], name
            assert set(zip(*(p["elements"] for p in found[name][1:]))) <= {
                (a, b) for a, _ in places[1] for _, b in places[1]
            }, name
        else:
            assert found[name] == result, name


@pytest.mark.parametrize("string", text_cases.drawn(200))
def test_places_are_those_of_the_tokens(string):
    for tokenizer in (
        text.WhitespaceTokenizer(True),
        text.UnicodeCharTokenizer(True),
        text.RegexTokenizer("[ab]", "a", True),
    ):
        for token, start, end in zip(*tokenizer(string), strict=True):
            assert string.encode()[start:end].decode() == token


def test_words_that_stay_where_case_is_changed():
    tokens = text.BasicTokenizer(True)("Hi [CLS] You [unused7][mask]")
    assert tokens.tolist() == ["hi", "[CLS]", "you", "[unused7]", "[", "mask", "]"]


def test_strings_are_not_cut_to_the_width_of_the_array():
    words = np.array(["a", "b"])
    assert T.PadEnd([3], "<pad>")(words).tolist() == ["a", "b", "<pad>"]
    assert T.Fill("long")(words).tolist() == ["long", "long"]
    assert T.Concatenate(0, ["<s>"], ["</s>"])(words).tolist() == ["<s>", "a", "b", "</s>"]
    assert text.RegexReplace("a", "bcd")(words).tolist() == ["bcd", "b"]


def test_a_pipeline_from_strings_to_tensors(tmp_path):
    (tmp_path / "train.txt").write_text("the cat sat\n\nthe dog\n")
    words = text.Vocab.from_dataset(
        ds.TextFileDataset(str(tmp_path / "*.txt"), shuffle=False).map(text.WhitespaceTokenizer()),
        special_tokens=["<pad>", "<unk>"],
    )
    data = ds.TextFileDataset(str(tmp_path / "train.txt"), shuffle=False)
    steps = [text.WhitespaceTokenizer(), text.Lookup(words, "<unk>")]
    data = data.map(steps, ["text"]).padded_batch(2, pad_info={"text": ([None], 0)})
    (row,) = list(data)
    assert isinstance(row[0], ms.Tensor) and row[0].dtype == ms.int32
    assert row[0].asnumpy().tolist() == [[2, 3, 5], [2, 4, 0]]


def test_strings_stay_arrays_of_numpy():
    (row,) = ds.NumpySlicesDataset({"x": ["a"], "n": [1]}, shuffle=False).create_dict_iterator()
    assert isinstance(row["x"], np.ndarray) and isinstance(row["n"], ms.Tensor)


def test_files_are_shuffled_and_shared(tmp_path):
    (tmp_path / "n.txt").write_text("".join(f"{i}\n" for i in range(40)))
    name = str(tmp_path / "n.txt")
    order = [str(r[0]) for r in ds.TextFileDataset(name)]
    assert order != sorted(order, key=int) and sorted(order, key=int) == [str(i) for i in range(40)]
    assert order == [str(r[0]) for r in ds.TextFileDataset(name, shuffle=ds.Shuffle.GLOBAL)]
    shards = [ds.TextFileDataset(name, num_shards=3, shard_id=i) for i in range(3)]
    assert {str(r[0]) for shard in shards for r in shard} == set(order)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: text.Vocab.from_list(["a", "a"]), ValueError, "contains duplicate word: 'a'"),
        (lambda: text.Vocab.from_list(["a"], ["a"]), ValueError, "are there already: ['a']"),
        (lambda: text.Vocab.from_list([1]), TypeError, "a tuple or list of strings"),
        (lambda: text.Vocab.from_dict({"a": -1}), ValueError, "'word_dict'"),
        (lambda: text.Vocab.from_dict({1: 1}), TypeError, "'word_dict' must be a str"),
        (lambda: text.Vocab.from_dataset([]), TypeError, "'dataset' must be a Dataset"),
        (lambda: text.Vocab.from_dataset(ds.NumpySlicesDataset([1])), TypeError, "column 'column_0' must hold strings"),
        (lambda: text.Vocab.from_dataset(ds.NumpySlicesDataset(["a"]), freq_range=3), TypeError, "a tuple of two ints"),
        (lambda: text.Vocab.from_dataset(ds.NumpySlicesDataset(["a"]), freq_range=(3, 2)), ValueError, "not above"),
        (lambda: VOCAB.ids_to_tokens(-1), ValueError, "'ids' must"),
        (lambda: text.Lookup(VOCAB)(["zz"]), ValueError, "the word 'zz' is not in the vocabulary"),
        (lambda: text.Lookup(VOCAB, "nope"), ValueError, "'unknown_token' must be a word of vocab"),
        (lambda: text.Lookup(VOCAB)([1]), TypeError, "the input must hold strings, but got int64"),
        (lambda: text.WhitespaceTokenizer()(np.array(b"a")), TypeError, "text.to_str makes strings of bytes"),
        (lambda: text.WhitespaceTokenizer()(["a", "b"]), ValueError, "the input must be one string"),
        (lambda: text.RegexTokenizer("("), ValueError, "'delim_pattern' is no regular expression"),
        (lambda: text.RegexTokenizer(r"\p{L}"), ValueError, "ICU's classes such as"),
        (lambda: text.RegexReplace("a", "$1"), ValueError, "'replace'"),
        (lambda: text.WordpieceTokenizer(VOCAB)([["a"]]), ValueError, "an array of one dimension"),
        (lambda: text.PythonTokenizer(3), TypeError, "'tokenizer' must be a function"),
        (lambda: text.PythonTokenizer(len)("ab"), TypeError, "the result of the function must hold strings"),
        (lambda: text.ToNumber(ms.int8)(["300"]), ValueError, "'300' is out of the range of int8"),
        (lambda: text.ToNumber(ms.int32)(["1.5"]), ValueError, "'1.5' is no number of int32"),
        (lambda: text.ToNumber(ms.float32)(["1e400"]), ValueError, "out of the range of float32"),
        (lambda: text.ToNumber(ms.float32)(["1e39"]), ValueError, "out of the range of float32"),
        (lambda: text.ToNumber(ms.int32)(["1_0"]), ValueError, "'1_0' is no number"),
        (lambda: text.ToNumber(ms.bool_), TypeError, "a dtype of numbers"),
        (lambda: text.Ngram(0), ValueError, "'n' must"),
        (lambda: text.Ngram([]), ValueError, "an int or some ints"),
        (lambda: text.Ngram(2, 3), TypeError, "'left_pad' must be a tuple of a string and an int"),
        (lambda: text.SlidingWindow(2, 1), ValueError, "'axis' must be 0 or -1"),
        (lambda: text.SlidingWindow(2)([[1]]), ValueError, "an array of one dimension"),
        (lambda: text.Truncate(2)("abc"), ValueError, "one or two dimensions"),
        (lambda: text.TruncateSequencePair(2)([1]), TypeError, "two arrays are expected"),
        (lambda: text.NormalizeUTF8("NFC"), TypeError, "'normalize_form' must be"),
        (lambda: text.to_str("a"), TypeError, "'array' must be"),
        (lambda: text._Each()("a"), NotImplementedError, "hint: define text(self, value)"),
        (lambda: T.PadEnd([3], 0)(np.array(["a"])), TypeError, "must be of the kind of the array"),
        (lambda: T.PadEnd([3], "x")(np.array([1])), TypeError, "must be of the kind of the array"),
        (lambda: ds.TextFileDataset("/nowhere/*.txt"), ValueError, "did not match any files"),
        (lambda: ds.TextFileDataset("/dev/null", shuffle="files"), ValueError, "True, False or Shuffle.GLOBAL"),
        (lambda: ds.NumpySlicesDataset([1]).padded_batch(2, pad_info={"y": (None, 0)}), ValueError, "no column 'y'"),
        (lambda: ds.NumpySlicesDataset([1], "x").padded_batch(2, pad_info={"x": 3}), TypeError, "'pad_info' must be"),
    ],
)  # fmt: skip
def test_refused(call, kind, message):
    with pytest.raises(kind) as e:
        call()
    assert message in said(e.value)


def test_a_file_that_is_not_utf8(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"\xff\n")
    with pytest.raises(ValueError, match="is not UTF-8"):
        ds.TextFileDataset(str(tmp_path / "x.txt"))
