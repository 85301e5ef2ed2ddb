"""Random programs for the lowering: a few hundred here, many thousand in the sweep."""

import ctypes
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import differential
import failing
import guarded
import lowering
import twin
from contractions import Contractions

FUZZ = str(Path(__file__).resolve().parents[1] / "fuzz")
CHUNK = 25
SWEEP = pytest.mark.sweep
FEW = {
    "small": 200,
    "large": 50,
    "epilogues": 100,
    "shared": 75,
    "packed": 75,
    "conv": 100,
    "borders": 75,
    "equal": 50,
    "loops": 50,
    "recurrent": 25,
    "donations": 50,
    "layers": 8,
}
MANY = {
    "small": 10_000,
    "large": 2_000,
    "epilogues": 3_000,
    "shared": 3_000,
    "packed": 3_000,
    "conv": 5_000,
    "borders": 3_000,
    "equal": 2_000,
    "loops": 3_000,
    "recurrent": 2_000,
    "donations": 3_000,
    "layers": 500,
}


def chunks(counts, size):
    return [(kind, first) for kind, n in counts.items() for first in range(0, n, size)]


@pytest.mark.parametrize("kind, first", chunks(FEW, CHUNK))
def test_lowered_programs(kind, first):
    for seed in range(first, min(first + CHUNK, FEW[kind])):
        lowering.run(kind, seed)


def test_derivative_whose_epilogue_writes_over_its_product():
    """The product's memory was taken away as read by nothing else, and the compiler stopped."""
    lowering.run("conv", 20168)


@SWEEP
@pytest.mark.parametrize("kind, first", chunks(MANY, 250))
def test_many_lowered_programs(kind, first):
    for seed in range(1000 + first, 1250 + first):
        lowering.run(kind, seed)
    assert differential.peak_gigabytes() < 4


# Every way of computing a product or a nest that the plans know.
FORMS = {
    "matrix product, pack A",
    "matrix product, pack B",
    "matrix product, pack and transpose B",
    "matrix product, epilogue",
    *(f"matrix product, items of {part}" for part in ("rows", "columns", "the sum")),
    *(f"matrix product, {part} ragged" for part in ("rows", "columns", "depth")),
    *(f"matrix product, blocks of {part}" for part in ("rows", "columns", "depth")),
    *(f"tiles, {how}" for how in ("exchanged", "pack B", "buffer C", "borders", "blocks of depth")),
    *(f"nest of {kind}" for kind in ("blocks", "blocks, sum inside", "lanes", "rows", "tiles")),
    "nest of scalars",
}


def test_every_form_is_drawn():
    drawn = set()
    for kind in ("small", "large", "epilogues", "shared", "conv", "borders"):
        for seed in range(60):
            drawn.update(lowering.forms(lowering.plans(kind, seed)))
            if drawn >= FORMS:
                return
    assert FORMS - drawn == set()


ABOUT_WEIGHTS = ("cell-chain-sums", "cell-sum-behind-loops", "cell-straighten-products")


def test_passes_about_weights_of_loops_change_some_programs():
    command = [lowering.BUILD / "bin" / "cell-opt", "-", "-o", "/dev/null"]
    command += ["--pass-pipeline=builtin.module(cell-to-llvm-pipeline)"]
    command += ["--mlir-print-ir-after-change"]
    command += [f"--mlir-print-ir-after={name}" for name in ABOUT_WEIGHTS]
    changed = set[str]()
    for seed in range(40):
        program, _ = lowering.draw("recurrent", seed)
        f, args = differential.entry(program, "gradient", [s for _, s in program.results])
        of, wrt = range(len(program.results)), range(len(program.arguments))
        first, cts = args[: len(wrt)], args[len(wrt) :]
        f.ret(f.vjp("f", first, cts, of=list(of), wrt=list(wrt))[len(of) :])
        text = program.graph.text()
        run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        changed.update(name for name in ABOUT_WEIGHTS if f"({name})" in run.stderr)
        if changed == set(ABOUT_WEIGHTS):
            return
    assert changed == set(ABOUT_WEIGHTS)


@pytest.mark.parametrize("kind", ["small", "large", "conv"])
def test_one_wrong_element_is_found(monkeypatch, kind):
    """The last element of the first result, off by a part of a term."""

    class Wrong:
        def __init__(self, model):
            self.model = model

        def entry(self, name):
            def call(given):
                results = [np.array(r) for r in self.model.entry(name)(given)]
                last = results[0].reshape(-1)[-1:]
                last += np.asarray(0.25 * max(1, abs(last[0])) + 1, results[0].dtype)
                return differential.buffers(results)

            call.spec = {"parallel": False}
            return call

    original = lowering.compiled
    monkeypatch.setattr(lowering, "compiled", lambda *given: Wrong(original(*given)))
    found = 0
    for seed in range(10):
        try:
            lowering.prepared(*seeded(kind, seed))()
        except differential.Mismatch:
            found += 1
    assert found >= 8, "some results are of numbers that rounding has made meaningless"


def seeded(kind, seed):
    program, drawn = lowering.draw(kind, seed)
    return program, seed, drawn


def test_most_results_are_exact():
    """Bounds of rounding are no excuse where there is no rounding."""
    bounds = []
    for seed in range(60):
        drawn = Contractions(seed)
        drawn.program()
        drawn.inputs()
        bounds += [float(w.error.max(initial=0)) for w in drawn.wanted()]
    assert np.mean(np.array(bounds) == 0) > 0.4
    assert np.mean(np.array(bounds) < 1e-2) > 0.9


def test_bounds_of_sums():
    """What float32 makes of a sum of many numbers lies within the bound, what is off does not."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 1000)).astype(np.float32)
    exact = x.astype(np.float64).sum(axis=1)
    bound = twin.summed(exact, np.abs(x).sum(axis=1), np.zeros(40), 1000, "float32")
    assert twin.worst(np.add.accumulate(x, axis=1)[:, -1], bound) <= 0
    assert twin.worst(np.delete(x, 500, axis=1).sum(axis=1), bound) > 0


SWAP = """func.func @f(%n: tensor<i32>, %m: tensor<i32>, %p: tensor<40xf32> {cell.donate = 0 : i64},
    %q: tensor<40xf32> {cell.donate = 1 : i64}) -> (tensor<40xf32>, tensor<40xf32>) {
  %below = cell.less %n, %m : tensor<i32>
  %take = tensor.extract %below[] : tensor<i1>
  %new = scf.if %take -> tensor<40xf32> {
    scf.yield %q : tensor<40xf32>
  } else {
    %less = cell.neg %q : tensor<40xf32>
    scf.yield %less : tensor<40xf32>
  }
  return %new, %p : tensor<40xf32>, tensor<40xf32>
}
"""


def test_two_arguments_that_swap_places_by_a_branch(tmp_path):
    call = failing.Call(SWAP, failing.compiled(SWAP, tmp_path, {"opt_level": 2}), 0)
    p, q = np.arange(40, dtype=np.float32), np.arange(50, 90, dtype=np.float32)
    for n, sign in [(0, 1), (2, -1)]:
        status, _, (first, second) = call.entry.run([n, 1, p, q])
        assert status == 0
        np.testing.assert_array_equal(first, sign * q)
        np.testing.assert_array_equal(second, p)


def test_what_is_written_before_memory_is_seen():
    room = guarded.Room(12)
    assert room.is_marked()
    ctypes.memset(room.address - 1, 0, 1)
    assert not room.is_marked()


# A product of products needs 4096 bytes for the first of them.
SHORT = '''
import sys, tempfile
import numpy as np
sys.path.insert(0, sys.argv[1])
import failing, guarded
text = """func.func @f(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %y = cell.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %z = cell.matmul %y, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %z : tensor<32x32xf32>
}"""
with tempfile.TemporaryDirectory() as folder:
    entry = guarded.Model(failing.compiled(text, folder, {"opt_level": 2})).entry("f")
sizes = []
class Short(guarded.Room):
    def __init__(self, size):
        sizes.append(size)
        super().__init__(size - int(sys.argv[2]) * (len(sizes) == 3))
guarded.Room = Short
entry([np.ones((32, 32), np.float32)])
assert len(sizes) == 3 and sizes[2] == 4096, sizes
'''


@pytest.mark.parametrize("missing, ends", [(0, 0), (64, -signal.SIGSEGV)])
def test_an_arena_that_is_too_small_is_found(missing, ends):
    command = [sys.executable, "-c", SHORT, FUZZ, str(missing)]
    assert subprocess.run(command).returncode == ends
