"""Batches by length, batches that a sampler gives, and rows that a function gives. The first batches of the cases with
lengths are as MindSpore 2.10 gives them."""

import numpy as np
import pytest
from messages import said

from cellgrad import dataset as ds

LENGTHS = (2, 5, 1, 6, 3, 5)


def sequences():
    rows = [(np.arange(n) + 10 * i, np.float32(i)) for i, n in enumerate(LENGTHS)]
    return ds.GeneratorDataset(rows, ["x", "y"], shuffle=False)


def listed(data, column):
    return [row[column].tolist() for row in data.create_dict_iterator(1, output_numpy=True)]


def test_batches_by_length():
    data = sequences().bucket_batch_by_length(["x"], [4], [2, 2])
    assert listed(data, "y") == [[0, 2], [1, 3], [4], [5]]
    first = [[[0, 1], [20, 0]], [[10, 11, 12, 13, 14, 0], [30, 31, 32, 33, 34, 35]]]
    assert listed(data, "x")[:2] == first
    assert data.get_dataset_size() == 4 and data.get_col_names() == ["x", "y"]
    whole = sequences().bucket_batch_by_length(["x"], [4], [2, 2], drop_remainder=True)
    assert listed(whole, "x") == first and listed(whole.repeat(2), "x") == first * 2
    by_other = sequences().bucket_batch_by_length(["x", "y"], [1], [3, 3], lambda x, y: y % 2)
    assert listed(by_other, "y") == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize(
    ("pad_info", "to_boundary", "first"),
    [
        ({"x": ([None], -1)}, False, [[0, 1], [20, -1]]),
        ({"x": ([None], -1)}, True, [[0, 1, -1], [20, -1, -1]]),
        ({"x": (None, -1)}, True, [[0, 1], [20, -1]]),
        ({"x": ([4], None)}, True, [[0, 1, 0, 0], [20, 0, 0, 0]]),
    ],
)
def test_what_is_filled_up(pad_info, to_boundary, first):
    data = sequences().bucket_batch_by_length(
        ["x"], [4, 7], [2, 2, 1], None, pad_info, pad_to_bucket_boundary=to_boundary
    )
    assert listed(data, "x")[0] == first


def test_rows_of_rows():
    data = ds.NumpySlicesDataset(([[1, 2], [3, 4]], [10, 20]), ["a", "b"], shuffle=False)
    flat = data.flat_map(lambda a, b: ds.NumpySlicesDataset(a + b, ["c"], shuffle=False))
    assert listed(flat, "c") == [11, 12, 23, 24]
    assert listed(data.filter(lambda a, b: False).flat_map(int), "a") == []


class Words:
    words = ("a", "b", "c")

    def __getitem__(self, i):
        return {"word": self.words[i]}, i

    def __len__(self):
        return 3


def test_a_sampler_gives_the_batches():
    data = ds.GeneratorDataset(LENGTHS, "x", batch_sampler=[[3, 0], [1], (2, 4, 5)])
    assert listed(data, "x") == [[6, 2], [5], [1, 3, 5]]
    assert data.get_dataset_size() == 3 and data.get_batch_size() == -1

    def collate(words, numbers):
        return np.array([w["word"] for w in words]), sum(numbers)

    data = ds.GeneratorDataset(
        Words(), ["w", "n"], batch_sampler=iter([[0, 2], [1]]), collate_fn=collate
    )
    assert data.get_dataset_size() == -1
    rows = [(r["w"].tolist(), int(r["n"])) for r in data.create_dict_iterator(1, True)]
    assert rows == [(["a", "c"], 2), (["b"], 1)]


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (ValueError, "cannot be empty", lambda d: d.bucket_batch_by_length(["x"], [], [1])),
        (TypeError, "list of int", lambda d: d.bucket_batch_by_length(["x"], ["1"], [1, 1])),
        (ValueError, "positive numbers", lambda d: d.bucket_batch_by_length(["x"], [0], [1, 1])),
        (ValueError, "increasing", lambda d: d.bucket_batch_by_length(["x"], [2, 2], [1, 1, 1])),
        (ValueError, "positive numbers", lambda d: d.bucket_batch_by_length(["x"], [1], [1, 0])),
        (ValueError, "one element more", lambda d: d.bucket_batch_by_length(["x"], [1], [1])),
        (
            ValueError,
            "exactly one column",
            lambda d: d.bucket_batch_by_length(["x", "y"], [1], [1, 1]),
        ),
        (ValueError, "no column 'z'", lambda d: d.bucket_batch_by_length(["z"], [1], [1, 1])),
        (
            RuntimeError,
            "in the last bucket",
            lambda d: listed(
                d.bucket_batch_by_length(["x"], [4], [1, 1], None, {"x": ([None], 0)}, True), "x"
            ),
        ),
        (
            ValueError,
            "must have one shape",
            lambda d: listed(
                d.bucket_batch_by_length(["x"], [9], [2, 1], pad_info={"y": (None, 0)}), "x"
            ),
        ),
        (TypeError, "'func' must be callable", lambda d: d.flat_map(3)),
        (TypeError, "the function gave a int", lambda d: d.flat_map(lambda x, y: 3)),
        (
            RuntimeError,
            "int64 of 0 dimensions; but got float64 of 0 dimensions",
            lambda d: listed(
                ds.NumpySlicesDataset([1], ["x"]) + ds.NumpySlicesDataset([1.5], ["x"]), "x"
            ),
        ),
        (ValueError, "batch_sampler is set", lambda d: generated(collate_fn=len)),
        (TypeError, "callable", lambda d: generated(batch_sampler=[[0]], collate_fn=3)),
        (TypeError, "__iter__ method", lambda d: generated(batch_sampler=3)),
        (ValueError, "mutually exclusive", lambda d: generated(batch_sampler=[[0]], shuffle=True)),
        (ValueError, "does not have", lambda d: generated(iter("ab"), batch_sampler=[[0]])),
        (
            RuntimeError,
            "should give lists of ints",
            lambda d: listed(generated(batch_sampler=[1]), "x"),
        ),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call(sequences())
    assert words in said(caught.value)


def generated(source=LENGTHS, **arguments):
    return ds.GeneratorDataset(source, "x", **arguments)
