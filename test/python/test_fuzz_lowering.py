"""Random programs for the lowering: a few hundred here, twenty thousand in the sweep."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import differential
import lowering
import twin
from contractions import Contractions

CHUNK = 25
SWEEP = pytest.mark.sweep
FEW = {"small": 200, "large": 50, "conv": 100, "loops": 50}
MANY = {"small": 10_000, "large": 2_000, "conv": 5_000, "loops": 3_000}


def chunks(counts, size):
    return [(kind, first) for kind, n in counts.items() for first in range(0, n, size)]


@pytest.mark.parametrize("kind, first", chunks(FEW, CHUNK))
def test_lowered_programs(kind, first):
    for seed in range(first, first + CHUNK):
        lowering.run(kind, seed)


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
    *(f"matrix product, {part} ragged" for part in ("rows", "columns", "depth")),
    *(f"matrix product, blocks of {part}" for part in ("rows", "columns", "depth")),
    *(f"tiles, {how}" for how in ("exchanged", "pack B", "buffer C", "blocks of depth")),
    *(f"nest of {kind}" for kind in ("blocks", "blocks, sum inside", "lanes", "rows", "tiles")),
    "nest of scalars",
}


def test_every_form_is_drawn():
    drawn = set()
    for kind in ("small", "large", "conv"):
        for seed in range(60):
            drawn.update(lowering.forms(lowering.plans(kind, seed)))
            if drawn >= FORMS:
                return
    assert FORMS - drawn == set()


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
