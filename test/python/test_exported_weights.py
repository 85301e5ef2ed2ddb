"""The weights beside an exported model, read by other programs."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file

import cellgrad as ms
from cellgrad import nn, ops


class Odd(nn.Cell):
    """Parameters whose sizes would push the next ones off their alignment."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(0)
        for name, dtype, size in [
            ("flag", np.bool_, 7),
            ("step", np.int64, 1),
            ("half", np.float16, 3),
            ("weight", np.float32, 5),
            ("scale", np.float64, 1),
            ("count", np.int32, 1),
        ]:
            value = rng.integers(0, 2, size).astype(dtype)
            setattr(self, name, ms.Parameter(ms.Tensor(value), name=name, requires_grad=False))

    def construct(self, x):
        for p in (self.flag, self.half, self.weight, self.scale, self.count, self.step):
            x = x + ops.sum(ops.cast(p, ms.float32))
        return x


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    net = Odd()
    stem = str(tmp_path_factory.mktemp("odd") / "odd")
    ms.export(net, ms.Tensor(1.0), file_name=stem, value_and_grad=False)
    return net, stem


def test_every_tensor_is_aligned_where_the_file_is_mapped(exported):
    _, stem = exported
    raw = np.memmap(stem + ".safetensors", np.uint8, "r")
    size = int(raw[:8].view(np.uint64)[0])
    header = json.loads(raw[8 : 8 + size].tobytes())
    assert (8 + size) % 8 == 0 and len(header) >= 6
    itemsizes = {"BOOL": 1, "F16": 2, "I32": 4, "F32": 4, "I64": 8, "F64": 8}
    for name, entry in header.items():
        if name != "__metadata__":
            start = 8 + size + entry["data_offsets"][0]
            assert (raw.ctypes.data + start) % itemsizes[entry["dtype"]] == 0, name


def test_the_library_of_the_format_reads_the_same(exported):
    net, stem = exported
    found = load_file(stem + ".safetensors")
    assert sorted(found) == sorted(p.name for p in net.get_parameters())
    for p in net.get_parameters():
        np.testing.assert_array_equal(found[p.name], p.asnumpy(), strict=True)


def test_the_model_reads_them(exported):
    net, stem = exported
    x = ms.Tensor(2.0)
    assert ms.load(stem).forward(x).asnumpy() == net(x).asnumpy()
