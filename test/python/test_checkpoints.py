"""Checkpoints: MindSpore's files and our own; a file appears complete or not at all."""

import os
import re
import time
from pathlib import Path

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn
from cellgrad.checkpoints import ckpt as _checkpoint

RECORDED = Path(__file__).parent / "checkpoints" / "mindspore.ckpt"
DTYPES = [
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


def test_a_file_of_mindspore_is_read():
    """`checkpoints/record.py` says how it was written."""
    got = ms.load_checkpoint(str(RECORDED), crc_check=True)
    for name in DTYPES:
        p, dtype = got[f"body.{name}"], getattr(ms, name)
        assert p.dtype is dtype and p.name == f"body.{name}"
        wanted = np.array([[1, 0, 2], [3, 4, 100]])
        np.testing.assert_array_equal(
            p.float().asnumpy(), wanted != 0 if name == "bool_" else wanted
        )
    np.testing.assert_array_equal(got["special"].asnumpy(), [np.nan, np.inf, -0.0])
    assert (int(got["epoch"]), float(got["lr"]), bool(got["done"])) == (3, 0.5, True)
    assert got["epoch"].shape == () and got["note"] == "größer"


def test_the_same_entries_give_the_same_bytes(tmp_path):
    """What MindSpore wrote is written again byte by byte, so MindSpore reads what is written here."""
    path = str(tmp_path / "again")
    ms.save_checkpoint(ms.load_checkpoint(str(RECORDED)), path)
    assert Path(path + ".ckpt").read_bytes() == RECORDED.read_bytes()


def test_a_tensor_in_several_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(_checkpoint, "_SLICE", 64)
    w = Parameter(Tensor(np.arange(100.0)), name="w")
    ms.save_checkpoint([w, Parameter(Tensor(np.zeros((0, 3))), name="none")], str(tmp_path / "w"))
    got = ms.load_checkpoint(str(tmp_path / "w.ckpt"))
    np.testing.assert_array_equal(got["w"].asnumpy(), np.arange(100.0))
    assert got["none"].shape == (0, 3)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_network_there_and_back(tmp_path, format):
    def make():
        return nn.SequentialCell(nn.Dense(3, 4, activation="tanh"), nn.Dense(4, 2))

    ms.set_seed(0)
    net, other = make(), make()
    x = Tensor([[1.0, 2.0, 3.0]])
    assert (net(x).asnumpy() != other(x).asnumpy()).any()
    path = str(tmp_path / f"net.{format}")
    ms.save_checkpoint(net, path, format=format)
    values = ms.load_checkpoint(path, other, format=format)
    assert sorted(values) == ["0.bias", "0.weight", "1.bias", "1.weight"]
    np.testing.assert_array_equal(net(x).asnumpy(), other(x).asnumpy())


def test_choosing_names(tmp_path):
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dense(4, 2))
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint(net, path, choice_func=lambda n: "bias" in n, append_dict={"step": 7})
    assert list(ms.load_checkpoint(path)) == ["0.bias", "1.bias", "step"]
    assert list(ms.load_checkpoint(path, filter_prefix="0")) == ["1.bias", "step"]
    assert list(ms.load_checkpoint(path, specify_prefix=["0"])) == ["0.bias"]
    assert list(ms.load_checkpoint(path, choice_func=lambda n: n == "step")) == ["step"]
    with pytest.raises(ValueError, match="Nothing was loaded"):
        ms.load_checkpoint(path, specify_prefix="2")


def test_written_in_another_thread(tmp_path):
    net, path = nn.Dense(3, 4), str(tmp_path / "a.ckpt")
    before = net.weight.asnumpy().copy()
    ms.save_checkpoint(net, path, async_save=True)
    net.weight.set_data(net.weight * 0)
    np.testing.assert_array_equal(ms.load_checkpoint(path)["weight"].asnumpy(), before)


class Whole(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(2, 2)
        self.head = nn.Dense(2, 1)


def test_what_fits_is_loaded_and_the_rest_named():
    net = nn.Dense(2, 2)
    values = {"weight": Parameter(Tensor(np.ones((2, 2), np.float16)), name="weight")}
    values["more"] = Parameter(Tensor([1.0]), name="more")
    assert ms.load_param_into_net(net, values) == (["bias"], ["more"])
    np.testing.assert_array_equal(net.weight.asnumpy(), np.ones((2, 2)))
    assert net.weight.dtype is ms.float32


def test_a_common_prefix_is_found():
    whole, part = Whole(), nn.Dense(2, 2)
    assert ms.load_param_into_net(part, {"x": Parameter(Tensor([1.0]))})[0] == ["weight", "bias"]
    left, unused = ms.load_param_into_net(part, whole.parameters_dict())
    assert left == [] and unused == ["head.weight", "head.bias"]
    np.testing.assert_array_equal(part.weight.asnumpy(), whole.body.weight.asnumpy())
    left, _ = ms.load_param_into_net(part, whole.parameters_dict(), strict_load=True)
    assert left == ["weight", "bias"]


def test_nothing_is_loaded_if_one_value_does_not_fit():
    net = nn.Dense(2, 2)
    before = net.weight.asnumpy().copy()
    good = Parameter(Tensor(np.ones((2, 2), np.float32)), name="weight")
    for bad, words in (
        (Tensor([1.0]), "same shape as bias"),
        (Tensor([1, 2]), "same type"),
    ):
        with pytest.raises(RuntimeError) as caught:
            ms.load_param_into_net(net, {"weight": good, "bias": Parameter(bad, name="bias")})
        assert re.search(words, said(caught.value))
        np.testing.assert_array_equal(net.weight.asnumpy(), before)
    with pytest.raises(RuntimeError, match="strict_load=False"):
        ms.load_param_into_net(
            net, {"weight": Parameter(Tensor(np.ones((2, 2), np.float16)))}, strict_load=True
        )


def test_trailing_dimensions_of_one_are_dropped():
    net = nn.Dense(2, 2)
    ms.load_param_into_net(net, {"bias": Parameter(Tensor([[1.0], [2.0]]), name="bias")})
    np.testing.assert_array_equal(net.bias.asnumpy(), [1, 2])


MESSAGE = RECORDED.read_bytes()[:-17]  # without the checksum, as MindSpore writes by default
NOTE = "größer".encode("utf-32-le")
DAMAGE = {
    "cut": (MESSAGE[:-30], "it ends inside a field"),
    "cut inside a number": (MESSAGE[:1] + b"\xff" * 11, "more than ten bytes"),
    "empty": (b"", "Nothing was loaded"),
    "text": (b"hello, world", "a field 13"),
    "another dtype": (MESSAGE.replace(b"Float16", b"Float99"), "the dtype 'Float99'"),
    "another shape": (MESSAGE.replace(b"\x08\x02\x08\x03", b"\x08\x02\x08\x04", 1), "6 bytes for"),
    "huge dimensions": (
        _checkpoint._field(
            1,
            _checkpoint._field(1, b"a")
            + _checkpoint._field(2, b"\x08\x00\x08" + b"\xff" * 9 + b"\x01\x12\x05Int32"),
        ),
        r"'a' has the shape \[0, 18446744073709551615\]",
    ),
    "a text of other bytes": (MESSAGE.replace(NOTE[:4], b"\xff" * 4), "'note' is not UTF-32"),
    "an entry twice": (MESSAGE + MESSAGE, "it has 'body.bool_' twice"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_without_a_checksum_are_refused(tmp_path, damage):
    path = tmp_path / "a.ckpt"
    content, words = DAMAGE[damage]
    path.write_bytes(content)
    with pytest.raises(ValueError) as caught:
        ms.load_checkpoint(str(path))
    assert re.search(words, said(caught.value))


def test_parts_of_one_tensor_are_alike(tmp_path, monkeypatch):
    monkeypatch.setattr(_checkpoint, "_SLICE", 8)
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint({"w": Tensor([1.0, 2.0, 3.0, 4.0])}, str(path))
    whole = path.read_bytes()[:-17]
    path.write_bytes(whole.replace(b"\x08\x04", b"\x08\x03", 1))
    with pytest.raises(ValueError, match="the parts of 'w' have different dtypes or shapes"):
        ms.load_checkpoint(str(path))


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Whether a file of that content is; what it would be read as is given, not the file."""
    path = tmp_path / "a.ckpt"
    path.touch()

    def refused(content):
        monkeypatch.setattr(_checkpoint, "read_all", lambda p: (content, None))
        try:
            ms.load_checkpoint(str(path))
        except ValueError as e:
            return "Failed to read the checkpoint file" in str(e)
        return False

    return refused


def test_every_flipped_bit_is_noticed(tmp_path, refused):
    path = tmp_path / "b.ckpt"
    ms.save_checkpoint(nn.Dense(2, 2), str(path), append_dict={"epoch": 3, "note": "größer"})
    content = path.read_bytes()
    assert not refused(content)
    for i in range(len(content)):
        for bit in range(8):
            assert refused(content[:i] + bytes([content[i] ^ 1 << bit]) + content[i + 1 :]), (
                i,
                bit,
            )


def test_every_changed_byte_of_the_mark_is_noticed(tmp_path, refused):
    """Whatever it is changed to: the file never looks like one without a checksum."""
    path = tmp_path / "b.ckpt"
    ms.save_checkpoint({"a": Tensor(1.0)}, str(path))
    content = path.read_bytes()
    for i in range(len(content) - 17, len(content) - 10):
        for byte in set(range(256)) - {content[i]}:
            assert refused(content[:i] + bytes([byte]) + content[i + 1 :]), (i, byte)


def test_files_without_a_checksum_are_read_with_a_warning(tmp_path):
    path = tmp_path / "a.ckpt"
    path.write_bytes(MESSAGE)
    with pytest.warns(UserWarning, match=r"a\.ckpt' has no checksum(.|\n)*write it again") as told:
        assert len(ms.load_checkpoint(str(path))) == 15
    assert told[0].filename == __file__
    with pytest.raises(ValueError, match="it has no checksum"):
        ms.load_checkpoint(str(path), crc_check=True)


def test_devices_are_not_read(tmp_path):
    for name in ("zero.ckpt", "zero.safetensors"):
        (tmp_path / name).symlink_to("/dev/zero")
        with pytest.raises(OSError, match="it is a device or a pipe, not a file"):
            ms.load_checkpoint(str(tmp_path / name), format=name.split(".")[1])


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint(nn.Dense(2, 2), str(path))
    before = path.read_bytes()

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        ms.save_checkpoint(nn.Dense(9, 9), str(path))
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["a.ckpt"]


def test_readers_see_whole_files_while_one_is_replaced(tmp_path):
    path, net = str(tmp_path / "a.ckpt"), nn.Dense(50, 50)
    ms.save_checkpoint(net, path)
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        ms.save_checkpoint(net, path, async_save=True)
        assert len(ms.load_checkpoint(path)) == 2
    assert os.listdir(tmp_path) == ["a.ckpt"]


def test_a_pipe_is_not_replaced(tmp_path):
    path = tmp_path / "pipe.ckpt"
    os.mkfifo(path)
    with pytest.raises(OSError, match="it is a device or a pipe, not a file"):
        ms.save_checkpoint(nn.Dense(2, 2), str(path))
    assert path.is_fifo() and os.listdir(tmp_path) == ["pipe.ckpt"]


WRONG = {
    "save a number": (lambda d: ms.save_checkpoint(3, d), TypeError, "Cell, list or dict"),
    "save numbers": (
        lambda d: ms.save_checkpoint([3], d + "/a"),
        TypeError,
        "a list must hold Param",
    ),
    "file name": (lambda d: ms.save_checkpoint([], 3), TypeError, "must be a str"),
    "directory": (lambda d: ms.save_checkpoint([], d), IsADirectoryError, "is a directory"),
    "format": (
        lambda d: ms.save_checkpoint([], d, format="npz"),
        ValueError,
        "'ckpt' or 'safetensors', but got 'npz'",
    ),
    "key": (lambda d: ms.save_checkpoint([], d + "/a", enc_key=b"k"), ValueError, "encrypted"),
    "append": (lambda d: ms.save_checkpoint([], d + "/a", append_dict=3), TypeError, "append_dict"),
    "append value": (
        lambda d: ms.save_checkpoint([], d + "/a", append_dict={"a": [1]}),
        TypeError,
        "got str and list",
    ),
    "text in safetensors": (
        lambda d: ms.save_checkpoint({"a": "text"}, d + "/a", format="safetensors"),
        TypeError,
        "cannot hold strings",
    ),
    "names": (
        lambda d: ms.save_checkpoint(Twice(), d + "/a"),
        ValueError,
        "already exists",
    ),
    "load a number": (lambda d: ms.load_checkpoint(3), TypeError, "must be a str"),
    "load nothing": (lambda d: ms.load_checkpoint(d + "/no.ckpt"), ValueError, "does not exist"),
    "other ending": (
        lambda d: ms.load_checkpoint(d + "/no.safetensors"),
        ValueError,
        'format="safetensors"',
    ),
    "prefix": (lambda d: ms.load_checkpoint(d, filter_prefix=3), TypeError, "list of str"),
    "no prefix": (lambda d: ms.load_checkpoint(d, filter_prefix=[]), ValueError, "can't be empty"),
    "no net": (lambda d: ms.load_param_into_net(3, {}), TypeError, "must be a Cell"),
    "no dict": (lambda d: ms.load_param_into_net(nn.Dense(1, 1), 3), TypeError, "must be a dict"),
    "tensors": (
        lambda d: ms.load_param_into_net(nn.Dense(1, 1), {"a": Tensor(1.0)}),
        TypeError,
        r"make Tensors Parameters",
    ),
}


class Twice(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = Parameter(Tensor([1.0]), name="same")
        self.b = Parameter(Tensor([2.0]), name="same")


@pytest.mark.parametrize("case", WRONG)
def test_mistakes(tmp_path, case):
    call, kind, words = WRONG[case]
    with pytest.raises(kind) as caught:
        call(str(tmp_path))
    assert re.search(words, said(caught.value))
