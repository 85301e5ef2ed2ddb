"""Samplers, and data sets of images in files: what is said to be of MindSpore was taken from MindSpore 2.10."""

import builtins
import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from cellgrad import dataset as ds
from cellgrad.dataset import vision

RNG = np.random.default_rng(1919)


def taken(sampler, epoch=0, n=10):
    data = ds.NumpySlicesDataset({"x": np.arange(n)}, sampler=sampler)
    rows = [int(row[0]) for row in data.rows(epoch)]
    assert data.get_dataset_size() == len(rows)
    return rows


def test_sequential_and_subset():
    assert taken(ds.SequentialSampler()) == list(range(10))
    assert taken(ds.SequentialSampler(3)) == [3, 4, 5, 6, 7, 8, 9]
    assert taken(ds.SequentialSampler(3, num_samples=4)) == [3, 4, 5, 6]
    assert taken(ds.SequentialSampler(num_samples=20)) == list(range(10))
    assert taken(ds.SubsetSampler([5, 2, 2, 9])) == [5, 2, 2, 9]
    assert taken(ds.SubsetSampler([5, 2, 2, 9], num_samples=2)) == [5, 2]
    assert taken([4, 1]) == [4, 1]


# (shards, offset): the rows of each shard; from MindSpore 2.10 with 10 rows and shuffle=False.
SHARDS = {
    (3, -1): [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]],
    (3, 0): [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]],
    (3, 1): [[2, 5, 8], [0, 3, 6, 9], [1, 4, 7]],
    (3, 2): [[1, 4, 7], [2, 5, 8], [0, 3, 6, 9]],
    (4, -1): [[0, 4, 8], [1, 5, 9], [2, 6, 0], [3, 7, 1]],
    (4, 0): [[0, 4, 8], [1, 5, 9], [2, 6], [3, 7]],
    (4, 1): [[3, 7], [0, 4, 8], [1, 5, 9], [2, 6]],
    (4, 2): [[2, 6], [3, 7], [0, 4, 8], [1, 5, 9]],
}


@pytest.mark.parametrize("shards, offset", SHARDS)
def test_distributed(shards, offset):
    for shard, wanted in enumerate(SHARDS[shards, offset]):
        for count in (None, 2):
            sampler = ds.DistributedSampler(shards, shard, False, count, offset)
            assert taken(sampler) == wanted[:count]


def test_shuffled_shards_are_the_rows():
    rows = [row for shard in range(5) for row in taken(ds.DistributedSampler(5, shard), epoch=3)]
    assert sorted(rows) == list(range(10)) and rows != sorted(rows)


def test_random_ones_change_with_the_epoch_and_not_with_the_run():
    for make in (
        ds.RandomSampler,
        lambda: ds.SubsetRandomSampler(range(10)),
        lambda: ds.WeightedRandomSampler(np.arange(10), 10),
        lambda: ds.DistributedSampler(1, 0),
    ):
        first, second = taken(make()), taken(make(), 1)
        assert first == taken(make()) and first != second
    assert sorted(taken(ds.RandomSampler())) == list(range(10))
    assert sorted(taken(ds.SubsetRandomSampler([5, 2, 9]))) == [2, 5, 9]
    assert len(taken(ds.SubsetRandomSampler([5, 2, 9], num_samples=2))) == 2
    assert len(taken(ds.RandomSampler(num_samples=4))) == 4
    drawn = taken(ds.RandomSampler(replacement=True), n=200)
    assert len(drawn) == 200 and 100 < len(set(drawn)) < 160  # 126 are expected, give or take 5


def test_weights():
    assert taken(ds.WeightedRandomSampler([0, 0, 1, 0], 4)) == [2, 2, 2, 2]
    assert sorted(taken(ds.WeightedRandomSampler([0, 1, 1], 2, replacement=False))) == [1, 2]
    counts = Counter(taken(ds.WeightedRandomSampler([1, 3, 0, 4], 8000)))
    assert counts[2] == 0
    for row, share in ((0, 1 / 8), (1, 3 / 8), (3, 4 / 8)):  # six standard deviations
        assert abs(counts[row] / 8000 - share) < 6 * np.sqrt(share * (1 - share) / 8000)


def test_some_of_each_class():
    labels = np.array([2, 0, 2, 7, 2, 0])
    data = lambda **k: ds.NumpySlicesDataset(
        {"x": np.arange(6), "label": labels}, sampler=ds.PKSampler(**k)
    )
    rows = list(data(num_val=2).rows(0))
    assert [int(label) for _, label in rows] == [0, 0, 2, 2, 7, 7]
    assert len({int(x) for x, label in rows if label == 2}) == 2
    assert all(labels[x] == label for x, label in rows)
    assert len(list(data(num_val=2, num_samples=3).rows(0))) == 3
    orders = {
        tuple(int(label) for _, label in data(num_val=1, shuffle=True).rows(e)) for e in range(9)
    }
    assert len(orders) > 2


def test_a_sampler_of_ones_own():
    class Third(ds.Sampler):
        def __iter__(self):
            yield from range(0, self.dataset_size, 3)

    assert taken(Third()) == [0, 3, 6, 9] and taken(Third(num_samples=2)) == [0, 3]
    with pytest.raises(NotImplementedError, match="For 'Sampler', '__iter__' is not defined"):
        taken(ds.Sampler())


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (
            lambda: taken(ds.SequentialSampler(12)),
            RuntimeError,
            "start_index must be less than the 10 rows",
        ),
        (
            lambda: taken(ds.SubsetSampler([11])),
            RuntimeError,
            r"\(11\) is out of bound, expected range \[0, 9\]",
        ),
        (lambda: taken([-1]), RuntimeError, r"\(-1\) is out of bound"),
        (lambda: ds.SubsetSampler(["a"]), TypeError, "indices"),
        (lambda: ds.RandomSampler(1), TypeError, "replacement"),
        (lambda: ds.DistributedSampler(2, 2), ValueError, "shard_id"),
        (lambda: ds.DistributedSampler(0, 0), ValueError, "num_shards"),
        (lambda: ds.WeightedRandomSampler([-1.0]), ValueError, "weights"),
        (lambda: ds.WeightedRandomSampler([0, 0]), ValueError, "one above 0"),
        (lambda: ds.WeightedRandomSampler(["a"]), TypeError, "a list of numbers"),
        (lambda: taken(ds.WeightedRandomSampler([1] * 11)), RuntimeError, "11 weights for 10 rows"),
        (lambda: taken(ds.WeightedRandomSampler([1], 2, False)), ValueError, "only 1 have"),
        (lambda: ds.PKSampler(0), ValueError, "num_val"),
        (lambda: ds.PKSampler(1, 2), ValueError, "num_class"),
        (lambda: taken(ds.PKSampler(1)), ValueError, "class_column"),
        (lambda: ds.Sampler(-1), ValueError, "num_samples"),
        (
            lambda: next(ds.Dataset(["x"]).rows(0)),
            NotImplementedError,
            "For 'Dataset', 'rows' is not defined",
        ),
    ],
)
def test_mistakes(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


# --- CIFAR-10 -----------------------------------------------------------------------------------


@pytest.fixture
def cifar(tmp_path):
    """Files with two records each: the label is that of the file and the record."""
    wanted = {}
    for i, name in enumerate([*(f"data_batch_{i}" for i in (1, 2, 5)), "test_batch"]):
        images = RNG.integers(0, 256, (2, 32, 32, 3)).astype(np.uint8)
        labels = np.array([2 * i, 2 * i + 1], np.uint8)
        planes = images.transpose(0, 3, 1, 2).reshape(2, -1)
        (tmp_path / f"{name}.bin").write_bytes(np.column_stack([labels, planes]).tobytes())
        wanted |= dict(zip(labels.tolist(), images, strict=True))
    return tmp_path, wanted


@pytest.mark.parametrize(
    "usage, labels", [("train", range(6)), ("test", (6, 7)), ("all", range(8)), (None, range(8))]
)
def test_cifar(cifar, usage, labels):
    folder, wanted = cifar
    data = ds.Cifar10Dataset(folder, usage, shuffle=False)
    rows = list(data.rows(0))
    assert [int(label) for _, label in rows] == list(labels) and data.output_types()[1] == np.int32
    for image, label in rows:
        np.testing.assert_array_equal(image, wanted[int(label)])
    assert data.get_col_names() == ["image", "label"]
    assert len(list(ds.Cifar10Dataset(folder, sampler=ds.PKSampler(1)).rows(0))) == 8


def test_damaged_cifar(cifar):
    folder, _ = cifar
    path = folder / "test_batch.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="6145 bytes are no whole number of records of 3073"):
        ds.Cifar10Dataset(folder, "test")
    path.write_bytes(bytes([10]) + bytes(3072))
    with pytest.raises(ValueError, match="a label of CIFAR-10 is above 9"):
        ds.Cifar10Dataset(folder, "test")
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"expected test_batch\.bin"):
        ds.Cifar10Dataset(folder, "test")
    with pytest.raises(ValueError, match="does not exist"):
        ds.Cifar10Dataset(folder / "none")
    with pytest.raises(ValueError, match="usage"):
        ds.Cifar10Dataset(folder, "valid")


# --- folders of images ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Of each class some images, in formats without loss, and a grey one; by path, what they are."""
    wanted = {}
    for name in ("a/10.png", "a/2.png", "b/x.bmp", "b/y.png"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        shape = (5, 6) if name == "b/y.png" else (5, 6, 3)
        image = RNG.integers(0, 256, shape).astype(np.uint8)
        Image.fromarray(image).save(path)
        wanted[name] = image if image.ndim == 3 else np.stack([image] * 3, -1)
    return tmp_path, wanted


def test_a_folder_of_images(folder):
    path, wanted = folder
    data = ds.ImageFolderDataset(path, shuffle=False, decode=True)
    rows = list(data.rows(0))
    assert [int(label) for _, label in rows] == [0, 0, 1, 1]
    for (image, _), name in zip(rows, ("a/10.png", "a/2.png", "b/x.bmp", "b/y.png"), strict=True):
        np.testing.assert_array_equal(image, wanted[name])
    assert (data.num_classes(), data.get_class_indexing()) == (2, {"a": 0, "b": 1})
    assert data.output_types() == [np.uint8, np.int32]
    raw = next(ds.ImageFolderDataset(path, shuffle=False).rows(0))[0]
    assert raw.tobytes() == (path / "a/10.png").read_bytes()
    np.testing.assert_array_equal(vision.Decode()(raw), wanted["a/10.png"])


def test_which_images(folder):
    path, _ = folder
    (path / "a/notes.txt").write_text("no image")
    count = lambda **k: [
        int(label) for _, label in ds.ImageFolderDataset(path, shuffle=False, **k).rows(0)
    ]
    assert count() == [0, 0, 0, 1, 1] and count(extensions=[".PNG"]) == [0, 0, 1]
    assert count(class_indexing={"b": 5}) == [5, 5]
    pairs = ds.ImageFolderDataset(path, extensions=[".png", ".bmp"], sampler=ds.PKSampler(1))
    assert [int(label) for _, label in pairs.rows(0)] == [0, 1]
    with pytest.raises(RuntimeError, match=r"notes\.txt is no image that can be read"):
        list(ds.ImageFolderDataset(path, decode=True).rows(0))


def test_in_a_pipeline(folder):
    path, wanted = folder
    data = ds.ImageFolderDataset(path, shuffle=False)
    steps = [vision.Decode(), vision.Rescale(1 / 255, 0), vision.HWC2CHW()]
    images, labels = next(iter(data.map(steps, ["image"]).batch(4)))
    assert images.shape == (4, 3, 5, 6) and labels.asnumpy().tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(
        images.asnumpy()[0], wanted["a/10.png"].transpose(2, 0, 1) / 255, rtol=1e-6
    )


@pytest.mark.parametrize(
    "options, kind, words",
    [
        ({"extensions": ".png"}, TypeError, "extensions"),
        ({"extensions": [".gif"]}, FileNotFoundError, "There are no images"),
        ({"class_indexing": {"c": 0}}, ValueError, "does not exist"),
        ({"class_indexing": ["a"]}, TypeError, "class_indexing"),
        ({"decode": 1}, TypeError, "decode"),
        ({"decrypt": "key"}, ValueError, "decrypt"),
    ],
)
def test_mistakes_with_folders(folder, options, kind, words):
    with pytest.raises(kind, match=words):
        ds.ImageFolderDataset(folder[0], **options)


def test_decoding(monkeypatch):
    with pytest.raises(TypeError, match=r"one dimension of uint8, but got shape \[3, 3\]"):
        vision.Decode()(np.zeros((3, 3), np.uint8))
    with pytest.raises(RuntimeError, match="is no image that can be read"):
        vision.Decode()(np.zeros(7, np.uint8))
    with pytest.raises(ValueError, match="to_pil"):
        vision.Decode(True)
    smooth = np.add.outer(np.arange(32), np.arange(48)).astype(np.uint8)[..., None].repeat(3, 2)
    buffer = io.BytesIO()
    Image.fromarray(smooth).save(buffer, "JPEG", quality=95)
    image = vision.Decode()(np.frombuffer(buffer.getvalue(), np.uint8))
    assert image.shape == (32, 48, 3) and np.abs(image.astype(int) - smooth).max() <= 4
    found = builtins.__import__
    hidden = lambda name, *a, **k: found("no_such_package" if name == "PIL" else name, *a, **k)
    monkeypatch.setattr(builtins, "__import__", hidden)
    with pytest.raises(ImportError, match=r"needs Pillow(.|\n)*pip install pillow"):
        vision.Decode()(np.zeros(7, np.uint8))


def test_random_resized_crops():
    """Of an image whose elements are their places: the part is a rectangle within the ranges."""
    h, w = 60, 90
    image = np.stack(np.meshgrid(np.arange(h), np.arange(w), indexing="ij"), -1).astype(np.float32)
    crop = vision.RandomResizedCrop((20, 20), scale=(0.1, 0.5), ratio=(0.5, 2.0))
    rng, shares = np.random.default_rng(3), []
    for _ in range(200):
        out = crop.drawn(rng, image)
        assert out.shape == (20, 20, 2)
        height, width = ((out[-1, -1] - out[0, 0]) * 20 / 19)[
            [0, 1]
        ]  # of the part; its edges are clamped
        shares.append(height * width / (h * w))
        assert out.min() >= 0 and out[..., 0].max() <= h - 1 and out[..., 1].max() <= w - 1
        assert 0.42 < width / height < 2.4
    assert 0.07 < min(shares) < 0.2 and 0.4 < max(shares) < 0.56
    wide = vision.RandomResizedCrop(4, scale=(1, 1), ratio=(1, 1), max_attempts=2)
    out = wide.drawn(rng, image)  # nothing fits: the largest square in the middle
    np.testing.assert_allclose(out[0, 0], [7, 22], atol=0.51)
    np.testing.assert_allclose(out[-1, -1], [52, 67], atol=0.51)
    buffer = io.BytesIO()
    Image.fromarray(RNG.integers(0, 256, (9, 9, 3)).astype(np.uint8)).save(buffer, "PNG")
    encoded = np.frombuffer(buffer.getvalue(), np.uint8)
    assert vision.RandomCropDecodeResize(5)(encoded).shape == (5, 5, 3)
    for bad in ({"scale": (0, 1)}, {"ratio": 3}, {"scale": (1, 0.5)}):
        with pytest.raises(ValueError, match="two numbers above 0"):
            vision.RandomResizedCrop(5, **bad)
