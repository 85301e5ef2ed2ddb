"""Models with CUDA kernels on the emulated device: what their calls return, and what is counted of them."""

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest
from device_models import CUT, Model

INPUTS = Path(__file__).resolve().parents[1] / "capi" / "Inputs"
OK, SKIPPED, CONTEXT, ARENA, CHECK = 0, -1, 3, 4, 1000


def model(folder, text, *flags):
    source = folder / "m.mlir"
    source.write_text(text)
    return Model(source, "cuda", *flags)


def test_a_step_that_leaves_its_update_out(tmp_path):
    with model(tmp_path, (INPUTS / "skipped.mlir").read_text()) as m:
        entry = m.entries["train_step"]
        status, (w, _), (told, _) = m.run(entry, [[1, 2], [0.5, 0.5]])
        assert (status, told) == (OK, False) and w.tolist() == [0.5, 1.5]
        status, (w, _), (told, _) = m.run(entry, [[1, 2], [0.5, np.inf]])
        assert (status, told) == (SKIPPED, True) and w.tolist() == [1, 2]
        # With pointers of the device nobody has read what the result says.
        status, (w, _), (told, _) = m.run_on_device(entry, [[1, 2], [0.5, np.inf]])
        assert (status, told) == (OK, True) and w.tolist() == [1, 2]
        assert not entry["waits"]


def test_the_driver_is_named_for_opening_alone(tmp_path, monkeypatch):
    monkeypatch.delenv("CELLGRAD_CUDA_DRIVER", raising=False)
    with model(tmp_path, (INPUTS / "skipped.mlir").read_text()):
        assert "CELLGRAD_CUDA_DRIVER" not in os.environ


LOOP = """
func.func @f(%x: tensor<37xf32>, %n: tensor<i32>) -> tensor<37xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tensor.extract %n[] : tensor<i32>
  %trips = arith.index_cast %count : i32 to index
  %0 = scf.for %i = %zero to %trips step %one iter_args(%a = %x) -> tensor<37xf32> {
    %1 = arith.index_cast %i : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = tensor.from_elements %2 : tensor<f32>
    %4 = cell.broadcast %3 along [0] : tensor<f32> -> tensor<37xf32>
    %5 = cell.add %a, %4 : tensor<37xf32>
    scf.yield %5 : tensor<37xf32>
  }
  return %0 : tensor<37xf32>
}
"""


@pytest.mark.parametrize("flags", [[], [CUT]])
def test_a_loop_whose_trips_are_on_the_device(tmp_path, flags):
    """It may be cancelled, and is on the host, which reads the count once."""
    x = np.arange(37, dtype=np.float32)
    with model(tmp_path, LOOP, *flags) as m:
        entry = m.entries["f"]
        assert entry["waits"]
        for n in (0, 1, 7):
            for call in (m.run, m.run_on_device):
                status, _, (y,) = call(entry, [x, n])
                assert status == OK, m.message()
                np.testing.assert_array_equal(y, x + n * (n - 1) / 2)


def test_a_handle_is_of_one_model(tmp_path):
    (tmp_path / "other").mkdir()
    with model(tmp_path, LOOP) as m, model(tmp_path / "other", LOOP, CUT) as other:
        x = np.zeros(37, np.float32)
        m.cuda, own = other.cuda, m.cuda
        assert m.run(m.entries["f"], [x, 1])[0] == CONTEXT
        m.cuda = own
        assert m.run(m.entries["f"], [x, 1])[0] == OK


def test_an_arena_that_is_too_small(tmp_path):
    with model(tmp_path, LOOP) as m:
        entry, x = m.entries["f"], np.zeros(37, np.float32)
        # Two arguments and a result behind the temporaries, 256 bytes each.
        assert (entry["arena_bytes"], entry["device_arena_bytes"]) == (
            entry["device_arena_bytes"] + 768,
            entry["device_arena_bytes"],
        )
        assert m.run(entry, [x, 1], arena=256, arena_bytes=entry["arena_bytes"] - 1)[0] == ARENA


def test_a_check_says_its_line(tmp_path):
    text = """
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %z = cell.constant dense<0.0> : tensor<3xf32>
  %ok = cell.less_equal %z, %x : tensor<3xf32>
  cell.check %ok "negative" : tensor<3xi1>
  return %x : tensor<3xf32>
}
"""
    with model(tmp_path, text) as m:
        assert m.run(m.entries["f"], [[1, -1, 1]])[0] == CHECK
        m.library.cg_m_status_message.restype = ctypes.c_char_p
        assert m.library.cg_m_status_message(CHECK) == b"negative (m.mlir:5)"
        assert m.library.cg_m_status_message(12).startswith(b"the CUDA device")
        assert m.run(m.entries["f"], [[1, 0, 1]])[0] == OK


def test_rows_that_fit_in_no_shared_memory(tmp_path):
    """Each block has a slice of the arena."""
    rows, columns = 3, 13_000
    square, column = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    text = f"""
func.func @f(%x: {square}) -> {square} {{
  %m = cell.reduce_max %x over [1] : {square} -> {column}
  %b = cell.broadcast %m along [1] : {column} -> {square}
  %d = cell.sub %x, %b : {square}
  %e = cell.exp %d : {square}
  %s = cell.reduce_sum %e over [1] : {square} -> {column}
  %c = cell.broadcast %s along [1] : {column} -> {square}
  %r = cell.div %e, %c : {square}
  return %r : {square}
}}
"""
    x = np.random.default_rng(0).normal(size=(rows, columns)).astype(np.float32)
    with model(tmp_path, text, CUT) as m:
        entry = m.entries["f"]
        assert entry["device_arena_bytes"] >= rows * columns * 4
        status, _, (y,) = m.run_on_device(entry, [x])
        assert status == OK, m.message()
    e = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=4e-6)


class Record(ctypes.Structure):
    """The beginning of a cg_print_record."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("text", ctypes.c_char_p),
        ("data", ctypes.POINTER(ctypes.c_float)),
    ]


def test_values_of_a_line_are_printed_from_the_device(tmp_path):
    text = """
func.func @f(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<3xf32> {
  %z = cell.add %x, %x : tensor<3xf32>
  cell.print "x {} and {} or {}" (%z, %y, %x : tensor<3xf32>, tensor<f32>, tensor<3xf32>)
  return %z : tensor<3xf32>
}
"""
    printed, places = [], []

    @ctypes.CFUNCTYPE(None, ctypes.POINTER(Record), ctypes.c_void_p)
    def keep(record, user):
        r = record.contents
        shape = r.shape[: r.rank]
        places.append(ctypes.cast(r.data, ctypes.c_void_p).value or 0)
        printed.append((r.text, r.data[: int(np.prod(shape))] if r.data else None))

    with model(tmp_path, text) as m:
        assert m.run(m.entries["f"], [[1, 2, 3], 0.5], print=keep)[0] == OK
    words = [(b"x ", [2, 4, 6]), (b" and ", [0.5]), (b" or ", [1, 2, 3]), (b"\n", None)]
    assert printed == words
    assert not any(place % ctypes.sizeof(ctypes.c_float) for place in places)
