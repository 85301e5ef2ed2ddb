"""`dataset.transforms` and `dataset.vision` against results recorded from MindSpore 2.10.

For each expression the golden file (goldens/record_transforms.py) has the dtype, the shape, the first
elements, and the sum of the elements weighted by cos(0), cos(1), ...
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import said

import cellgrad as ms
import cellgrad.dataset as ds
import cellgrad.dataset.transforms as T
import cellgrad.dataset.vision as V
from cellgrad.dataset._transform import Transform

GOLDENS = json.loads((Path(__file__).parent / "goldens" / "transforms.json").read_text())
IMAGE = np.random.default_rng(0).integers(0, 256, (9, 7, 3)).astype(np.uint8)
NAMES = {
    "ms": ms,
    "np": np,
    "T": T,
    "V": V,
    "img": IMAGE,
    "chw": np.ascontiguousarray(IMAGE.transpose(2, 0, 1)),
    "g": np.arange(12).reshape(3, 4).astype(np.float32),
}


@pytest.mark.parametrize("call", GOLDENS)
def test_against_mindspore(call: str) -> None:
    wanted = GOLDENS[call]
    got = np.asarray(eval(call, dict(NAMES)))
    flat = got.astype(np.float64).ravel()
    assert (str(got.dtype), list(got.shape)) == (wanted["dtype"], wanted["shape"])
    np.testing.assert_allclose(flat[:4], wanted["first"], rtol=1e-5, atol=1e-6)
    weighted = float((flat * np.cos(np.arange(flat.size))).sum())
    scale = max(float(np.abs(flat).sum()), 1.0)
    assert abs(weighted - wanted["sum"]) <= (0 if got.dtype == np.uint8 else 1e-6 * scale) + 1e-9


def test_two_columns_from_one() -> None:
    first, second = T.Duplicate()(NAMES["g"])
    np.testing.assert_array_equal(first, second)
    assert first is not second


def _pipeline(workers: int) -> list[Any]:
    source = ds.NumpySlicesDataset({"x": np.stack([IMAGE] * 12)}, shuffle=False)
    steps = T.Compose(
        [
            V.RandomHorizontalFlip(),
            V.RandomVerticalFlip(0.3),
            T.RandomOrder([V.Rescale(2.0, 1.0), V.Rescale(1.0, 3.0)]),
            V.RandomCrop((5, 5), padding=1),
            T.RandomApply([V.Rescale(0.5, 0.0)]),
            T.RandomChoice([V.Rescale(1.0, 0.0), V.Rescale(1.0, 7.0)]),
        ]
    )
    rows = source.map(steps, "x", num_parallel_workers=workers).batch(12)
    return [row["x"] for _ in range(2) for row in rows.create_dict_iterator(1, output_numpy=True)]


@pytest.fixture
def seeds() -> Iterator[None]:
    yield
    ds.config._settings["seed"] = None


@pytest.mark.usefixtures("seeds")
def test_random_numbers_depend_on_seed_epoch_and_row_alone() -> None:
    ds.config.set_seed(3)
    one, four = _pipeline(1), _pipeline(4)
    np.testing.assert_array_equal(one, four)
    assert one[0].shape == (12, 5, 5, 3)
    assert len({row.tobytes() for row in one[0]}) > 6
    ds.config.set_seed(4)
    assert not np.array_equal(one, _pipeline(1))
    flips = sum(
        bool((V.RandomHorizontalFlip(0.25)(IMAGE) != IMAGE).any()) for _ in range(20)
    )  # each object begins with the seed
    assert flips in (0, 20)
    flip = V.RandomHorizontalFlip(0.25)
    assert 60 < sum(bool((flip(IMAGE) != IMAGE).any()) for _ in range(400)) < 140


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: T.TypeCast("bad"), TypeError, "'data_type' must be a dtype, but got 'bad'"),
        (lambda: T.OneHot(-1), ValueError, "'num_classes' must be positive, but got -1"),
        (lambda: T.OneHot(2, 1.5), ValueError, "'smoothing_rate' must be in"),
        (lambda: T.OneHot(2)(np.array(5)), ValueError, r"labels must be in \[0, 2\)"),
        (lambda: T.OneHot(3)(np.array(1.5)), TypeError, "labels must be integers"),
        (lambda: T.Mask(3, 3), TypeError, "'operator' must be a Relational"),  # type: ignore[arg-type]
        (lambda: T.PadEnd([2])(IMAGE), ValueError, "'pad_shape' has 1 dimensions"),
        (lambda: T.Compose([]), ValueError, "must not be empty"),
        (lambda: T.Compose(3), TypeError, "must be a tuple or list of functions, but got int"),
        (lambda: T.Compose([3]), TypeError, "but transforms\\[0\\] is int"),
        (lambda: V.Rescale("a", 1), TypeError, "'rescale' must be a number"),  # type: ignore[arg-type]
        (lambda: V.Normalize([1, 2], [1]), ValueError, "must have as many elements"),
        (lambda: V.Normalize([1], [0]), ValueError, "'std' must be positive, but got 0"),
        (lambda: V.Normalize(1, 2), TypeError, "must be a tuple or list"),  # type: ignore[arg-type]
        (lambda: V.Normalize([1, 2], [1, 2])(IMAGE), ValueError, "has 3 channels"),
        (lambda: V.HWC2CHW()("x"), TypeError, "an image must be an array"),
        (lambda: V.Resize((0, 1)), ValueError, "'size' must be positive"),
        (lambda: V.Resize("a"), TypeError, "an int or two ints"),
        (lambda: V.Resize(3, 7), ValueError, "Inter.BILINEAR or Inter.NEAREST"),  # type: ignore[arg-type]
        (lambda: V.RandomHorizontalFlip(2), ValueError, "must be in .0, 1., but got 2"),
        (lambda: V.RandomHorizontalFlip("a"), TypeError, "must be a number"),  # type: ignore[arg-type]
        (lambda: V.Crop((8, 0), 3)(IMAGE), ValueError, "is not inside of an image"),
        (lambda: V.RandomCrop(20)(IMAGE), ValueError, "is not inside of an image"),
        (lambda: V.Pad((1, 2, 3)), ValueError, "must be 1, 2 or 4 numbers"),
        (lambda: V.Pad(-1), ValueError, "'padding' must be at least 0"),
        (lambda: ds.MnistDataset("/nowhere"), ValueError, "/nowhere does not exist"),
    ],
)
def test_mistakes(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert re.search(message, said(caught.value))
    assert "test_transforms.py" in str(caught.value)


def test_mnist_files(tmp_path: Path) -> None:
    images = np.random.default_rng(1).integers(0, 256, (7, 28, 28)).astype(np.uint8)
    labels = np.arange(7, dtype=np.uint8)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(
        struct.pack(">IIII", 2051, *images.shape) + images.tobytes()
    )
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(
        struct.pack(">II", 2049, 7) + labels.tobytes()
    )
    data = ds.MnistDataset(tmp_path, shuffle=False)
    assert data.get_col_names() == ["image", "label"] and data.get_dataset_size() == 7
    batch = next(iter(data.map([V.ToTensor()], "image").batch(7)))
    np.testing.assert_allclose(batch[0].asnumpy()[:, 0], images / np.float32(255), rtol=1e-6)
    assert batch[1].asnumpy().tolist() == list(range(7)) and batch[1].dtype == ms.int32
    assert ds.MnistDataset(tmp_path, "train", num_shards=2, shard_id=1).get_dataset_size() == 4
    with pytest.raises(FileNotFoundError, match="t10k-images-idx3-ubyte"):
        ds.MnistDataset(tmp_path, "test")
    with pytest.raises(ValueError, match="'usage' must be one of"):
        ds.MnistDataset(tmp_path, "foo")
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(b"\0\0\x08\x01\0\0\0\x09")
    with pytest.raises(ValueError, match="is damaged"):
        ds.MnistDataset(tmp_path)
    huge = struct.pack(">3I", 2**31, 2**31, 4)  # 2^64 elements: 0 for numbers of 64 bits
    (tmp_path / "train-images-idx3-ubyte").write_bytes(b"\0\0\x08\x03" + huge)
    with pytest.raises(ValueError, match="images-idx3-ubyte is damaged"):
        ds.MnistDataset(tmp_path)


def test_a_transform_without_its_function_says_what_to_define():
    class Mine(Transform):
        pass

    with pytest.raises(NotImplementedError, match=r"'one' is not defined(.|\n)*define one"):
        Mine()(IMAGE)
