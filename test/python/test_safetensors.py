"""Files of the safetensors format: what the format forbids is refused, and no flipped bit is missed."""

import copy
import json
import math
import random

import numpy as np
import pytest
import safetensors.numpy

from cellgrad import Tensor
from cellgrad.checkpoints import safetensors as _safetensors
from cellgrad.common import dtype as mstype

SIZES = {"BOOL": 1, "I8": 1, "U8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2}
SIZES |= {"I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8}
TENSORS = {
    "fc.weight": Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "fc.bias": Tensor([1.5, -2.5, 3.0], mstype.bfloat16),
    "größe": Tensor(7, mstype.int64),
    "none": Tensor(np.zeros((0, 4), np.float32)),
}


def blob(header, body=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def part(offsets, dtype="F32", shape=(2,)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.fixture
def load(monkeypatch):
    def load(content):
        monkeypatch.setattr(_safetensors, "read_all", lambda path: (content, None))
        return _safetensors.load("t.safetensors")

    return load


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "t.safetensors"
    _safetensors.save(TENSORS, str(path))
    return path.read_bytes()


def same(found):
    return found.keys() == TENSORS.keys() and all(
        t.dtype is TENSORS[n].dtype
        and t.shape == TENSORS[n].shape
        and t._buf.view().tobytes() == TENSORS[n]._buf.view().tobytes()
        for n, t in found.items()
    )


def test_there_and_back(tmp_path, stored):
    (tmp_path / "t.safetensors").write_bytes(stored)
    assert same(_safetensors.load(str(tmp_path / "t.safetensors")))


def test_other_readers_and_writers(tmp_path, load):
    path = str(tmp_path / "a.safetensors")
    arrays = {"odd": np.arange(3, dtype=np.float32), "wide": np.arange(2.0), "n": np.array([True])}
    _safetensors.save({n: Tensor(a) for n, a in arrays.items()}, path)
    found = safetensors.numpy.load_file(path)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
    theirs = safetensors.numpy.save(arrays, {"made by": "another tool"})
    for name, tensor in load(theirs).items():
        np.testing.assert_array_equal(tensor.asnumpy(), arrays[name])
    # The same tensors with our metadata in another order: the checksum holds.
    with safetensors.safe_open(path, "np") as file:
        again = safetensors.numpy.save(dict(reversed(found.items())), file.metadata())
    assert load(again).keys() == arrays.keys()


def test_elements_are_aligned(tmp_path):
    path = tmp_path / "a.safetensors"
    _safetensors.save(
        {"a": Tensor(np.ones(3, np.float32)), "b": Tensor(np.ones(2)), "c": Tensor([True])},
        str(path),
    )
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    assert size % 8 == 0
    for name, entry in json.loads(content[8 : 8 + size]).items():
        if name != "__metadata__":
            assert entry["data_offsets"][0] % SIZES[entry["dtype"]] == 0


DEEP = b'{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"more":' + b"[" * 9000 + b"]" * 9000
FORBIDDEN = {
    "negative offsets": (blob({"a": part([-8, 0])}, bytes(8)), "integer `-8`"),
    "an overlap": (blob({"a": part([0, 8]), "b": part([4, 12])}, bytes(12)), "invalid offset"),
    "one range twice": (blob({"a": part([0, 8]), "b": part([0, 8])}, bytes(8)), "invalid offset"),
    "a gap": (blob({"a": part([0, 8]), "b": part([12, 20])}, bytes(20)), "invalid offset"),
    "a gap at the start": (blob({"a": part([8, 16])}, bytes(16)), "invalid offset"),
    "bytes at the end": (blob({"a": part([0, 8])}, bytes(9)), "not fully covered"),
    "too few bytes": (blob({"a": part([0, 8])}, bytes(7)), "not fully covered"),
    "offsets backwards": (blob({"a": part([8, 0])}, bytes(8)), "offset"),
    "another size": (blob({"a": part([0, 8], shape=[3])}, bytes(8)), "shape|data type"),
    "a size that overflows": (blob({"a": part([0, 0], shape=[2**62, 4])}), "overflow"),
    "a dimension too large": (blob({"a": part([0, 0], shape=[0, 2**63])}), "dimension"),
    "dimensions that overflow": (blob({"a": part([0, 0], shape=[0] + [2**62] * 9)}), "too big"),
    "a negative dimension": (blob({"a": part([0, 8], shape=[-2])}, bytes(8)), "integer `-2`"),
    "a fraction": (blob({"a": part([0, 8], shape=[2.0])}, bytes(8)), "floating point"),
    "too many dimensions": (blob({"a": part([0, 4], shape=[1] * 99)}, bytes(4)), "dimension"),
    "a name twice": (
        blob(b'{"a":%s,"a":%s}' % ((json.dumps(part([0, 8])).encode(),) * 2), bytes(8)),
        "'a' twice",
    ),
    "an unknown dtype": (blob({"a": part([0, 8], "F33")}, bytes(8)), "F33"),
    "a dtype of others": (
        blob({"a": part([0, 2], "F8_E5M2")}, bytes(2)),
        "'a' has the dtype F8_E5M2",
    ),
    "a list": (blob([]), "sequence"),
    "a number": (blob(b"3"), "header|integer|JSON"),
    "a part that is a text": (blob({"a": "F32"}), "invalid type: string"),
    "no shape": (blob({"a": {"dtype": "F32", "data_offsets": [0, 0]}}), "shape"),
    "one offset": (blob({"a": part([0])}), "length 1"),
    "metadata that is no text": (blob({"__metadata__": {"a": 1}}), "expected a string"),
    "deep lists": (blob(b"[" * 100_000 + b"]" * 100_000), "sequence"),
    "deep lists in a part": (blob(DEEP + b"}}", bytes(4)), "recursion|depth|header"),
    "no UTF-8": (blob(b'{"\xff":1}'), "UTF-8|utf-8"),
    "half a surrogate": (blob(b'{"\\ud800":1}'), "JSON"),
    "text": (b"hello, world, this is text", "header too large"),
    "nothing": (b"", "header too small"),
    "a length only": ((2**64 - 1).to_bytes(8, "little"), "header too large"),
    "a length beyond the end": (b"\x40" + bytes(7) + b"{}", "header"),
}


@pytest.mark.parametrize("case", FORBIDDEN)
def test_what_the_format_forbids(load, case):
    content, words = FORBIDDEN[case]
    with pytest.raises(ValueError, match=rf"'t\.safetensors' is truncated, damaged .*({words})"):
        load(content)


def test_a_name_of_the_format_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match=r"the name '__metadata__'"):
        _safetensors.save({"__metadata__": Tensor(1.0)}, str(tmp_path / "a"))


def test_devices_are_not_read():
    with pytest.raises(OSError, match="a device or a pipe, not a file"):
        _safetensors.load("/dev/zero")


def test_every_flipped_bit_is_noticed(load, stored):
    """Or it is in what names the checksum, and then the tensors are the same."""
    refused = 0
    for i in range(len(stored)):
        for bit in range(8):
            try:
                found = load(stored[:i] + bytes([stored[i] ^ 1 << bit]) + stored[i + 1 :])
            except ValueError:
                refused += 1
            else:
                assert same(found), (i, bit)
    assert refused > 8 * len(stored) - 300


def valid(content):
    """What the format says, in our own words; without what its checksum says."""
    size = int.from_bytes(content[:8], "little")
    names = []

    def keep(pairs):
        names.append([name for name, _ in pairs])
        return dict(pairs)

    try:
        header = json.loads(content[8 : 8 + size].decode(), object_pairs_hook=keep)
        if any(len(set(n)) < len(n) for n in names):
            return False
        at = 0
        for entry in sorted(
            (e for n, e in header.items() if n != "__metadata__"), key=lambda e: e["data_offsets"]
        ):
            start, end = entry["data_offsets"]
            if min(entry["shape"], default=0) < 0 or start != at:
                return False
            if end - start != math.prod(entry["shape"]) * SIZES[entry["dtype"]]:
                return False
            at = end
        return at == len(content) - 8 - size and size + 8 <= len(content)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


CHANGES = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    12,
    16,
    20,
    24,
    -1,
    -8,
    2**31,
    2**63,
    2**64,
    1.5,
    None,
    "F32",
    "U16",
    [],
]
CHANGES += ["BF16", "F64", "BOOL", "f32", [0, 8], [8, 8], [2], [0, 0], {}, True]


def mutated(choose):
    """A header with changes at a few places, with a body that often fits."""
    header = {
        "a": part([0, 8]),
        "b": part([8, 12], "BF16", [2, 1]),
        "c": part([12, 12], "F64", [3, 0]),
        "d": part([12, 20], "I64", []),
    }
    for _ in range(choose.randrange(1, 4)):
        entry = header[choose.choice("abcd")]
        field = choose.choice(["dtype", "shape", "data_offsets"])
        if isinstance(entry.get(field), list) and entry[field] and choose.random() < 0.7:
            entry[field][choose.randrange(len(entry[field]))] = copy.copy(choose.choice(CHANGES))
        elif choose.random() < 0.1:
            entry.pop(field, None)
        else:
            entry[field] = copy.copy(choose.choice(CHANGES))
    body = bytes(20 if choose.random() < 0.8 else choose.randrange(40))
    content = bytearray(blob(header, body))
    if choose.random() < 0.3:
        content[choose.randrange(len(content))] = choose.randrange(256)
    return bytes(content)


def test_mutated_headers(load):
    """What is taken is what the format allows, and the rest is a ValueError."""
    choose, taken = random.Random(1), 0
    for _ in range(3000):
        content = mutated(choose)
        try:
            load(content)
        except ValueError:
            continue  # U16, and numbers beyond the library's, are allowed by the format
        assert valid(content), content
        taken += 1
    assert taken > 30
