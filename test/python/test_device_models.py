"""Models with CUDA kernels on the emulated device: what their calls return, and what is counted of them."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from device import DRIVER
from device_models import CUT, Model

pytestmark = pytest.mark.skipif(not DRIVER.exists(), reason=f"no CUDA driver: {DRIVER}")
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
