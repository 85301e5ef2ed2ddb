"""`ms.memory_report`: what a call needs of memory is what it says."""

import ctypes
import itertools
import json

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.core import context


class Net(nn.Cell):
    def __init__(self, layers=4, width=64):
        super().__init__()
        self.layers = nn.SequentialCell([nn.Dense(width, width) for _ in range(layers)])
        self.out = nn.Dense(width, 1)

    def construct(self, x):
        for layer in self.layers:
            x = ops.tanh(layer(x))
        return self.out(x).sum()


X = Tensor(np.linspace(-1, 1, 64 * 64, dtype=np.float32).reshape(64, 64))


class Context(ctypes.Structure):
    """The members of cg_context that every version has."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("arena", ctypes.c_void_p),
        ("arena_bytes", ctypes.c_uint64),
        ("print", ctypes.c_void_p),
        ("print_user", ctypes.c_void_p),
    ]


def touched(path, name, buffers, arena):
    """How many bytes of an arena filled with a pattern a call changes, from its start on."""
    room = np.full(arena + 4096 + 64, 0xA5, np.uint8)
    start = -room.ctypes.data % 64
    pointers = (ctypes.c_void_p * len(buffers))(*[b.ctypes.data for b in buffers])
    lent = Context(40, 0, room.ctypes.data + start, arena, None, None)
    entry = ctypes.CDLL(path)[f"cg_m_{name}"]
    assert entry(pointers, ctypes.byref(lent)) == 0
    changed = np.nonzero(room[start:] != 0xA5)[0]
    return int(changed[-1]) + 1 if len(changed) else 0


def test_the_arena_that_is_used_is_the_one_that_was_said(tmp_path):
    """To the last line of a cache; nothing behind it is written."""
    net = Net()
    report = ms.memory_report(net, X, grad=True)
    files = ms.export(net, X, file_name=str(tmp_path / "m"))
    buffers = [X.asnumpy()] + [p.asnumpy() for p in net.get_parameters()]
    loss = np.zeros(1, np.float32)
    gradients = [np.zeros_like(b) for b in buffers[1:]]
    used = touched(files[0], "value_and_grad", [*buffers, loss, *gradients], report.arena)
    assert report.arena - 64 < used <= report.arena
    sizes = sum(b.nbytes for b in buffers[1:])
    assert report.arguments == X.asnumpy().nbytes
    assert report.parameters == sizes
    assert report.results == sizes + 4
    assert report.peak == report.arguments + report.parameters + report.results + report.arena
    want, _ = ms.value_and_grad(net, None, net.trainable_params())(X)
    np.testing.assert_allclose(loss[0], want.asnumpy(), rtol=1e-6)


def test_the_arena_of_a_call_is_the_one_that_was_said():
    net = Net()
    step = ms.value_and_grad(net, None, net.trainable_params())
    step(X)
    (program,) = step._programs.values()
    (compiled,) = program.cache.values()
    report = ms.memory_report(step, X)
    arena = compiled.entry.model.signature["entries"][0]["arena"]
    assert report.arena == compiled.entry.arena_bytes == arena["fixed"] + arena["thread"]
    assert report.thread == arena["thread"]
    assert report == ms.memory_report(step, X)


def test_values_alive_at_the_peak():
    """Each activation is kept for the adjoint: their lines, Cells and sizes."""
    net = Net(layers=5)
    report = ms.memory_report(net, X, grad=True)
    line = Net.construct.__code__.co_firstlineno + 2
    size = 64 * 64 * 4
    kept = [v for v in report.values if v.shape == (64, 64)]
    assert len(kept) >= 5
    assert {v.bytes for v in kept} == {size}
    assert {v.dtype for v in kept} == {"float32"}
    assert sum(v.bytes for v in report.values) == report.alive <= report.arena
    assert any(v.line == line or v.cell.startswith("layers.") for v in kept)
    assert all(v.op for v in kept)
    spans = sorted((v.offset, v.offset + v.bytes) for v in report.values)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    assert spans[-1][1] <= report.arena


def test_text_and_json():
    report = ms.memory_report(Net(), X, grad=True)
    text = str(report)
    assert f"{report.peak} bytes at the peak" in text
    assert f"{report.arena}  arena" in text
    assert "test_memory_report.py:" in text
    told = json.loads(report.to_json())
    assert told["peak"] == report.peak
    assert told["values"][0] == {**vars(report.values[0]), "shape": [*report.values[0].shape]}
    assert "text" not in told


def test_a_step_that_updates_in_place():
    net = Net(layers=1)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    train = nn.TrainOneStepCell(net, optimizer)
    before = [p.asnumpy() for p in net.get_parameters()]
    report = ms.memory_report(train, X)
    sizes = sum(b.nbytes for b in before)
    assert report.parameters >= 2 * sizes  # weights and moments
    assert report.results < 1000  # the loss
    for p, b in zip(net.get_parameters(), before, strict=True):  # nothing ran
        np.testing.assert_array_equal(p.asnumpy(), b)


def test_functions_without_parameters():
    report = ms.memory_report(lambda x: ops.exp(x).sum(), X, grad=True)
    assert report.parameters == 0
    assert report.results == X.asnumpy().nbytes + 4
    assert report.arena < X.asnumpy().nbytes


def test_loops_of_unknown_length_grow():
    def f(x):
        while x.sum() < 100:
            x = ops.exp(x) + x
        return x.sum()

    assert ms.memory_report(f, X, grad=True).grows
    assert not ms.memory_report(f, X).grows


def test_mistakes(monkeypatch):
    with pytest.raises(TypeError, match="'function'"):
        ms.memory_report(3, X)
    with pytest.raises(TypeError, match="'grad'"):
        ms.memory_report(ops.exp, X, grad=1)
    monkeypatch.setattr(context.current[0], "device_id", 0)
    with pytest.raises(RuntimeError, match="code for the CPU"):
        ms.memory_report(ops.exp, X)
