"""Differential fuzzing: a few hundred random programs here, ten thousand in the sweep."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import differential
from generator import Generator, records

CHUNK = 25
TABLE = records()


@pytest.mark.parametrize("first", range(0, 8 * CHUNK, CHUNK))
def test_compiled_equals_interpreted(first):
    for seed in range(first, first + CHUNK):
        differential.check_forward(seed, TABLE)


@pytest.mark.parametrize("first", range(0, 4 * CHUNK, CHUNK))
def test_derivatives_agree_with_each_other(first):
    for seed in range(first, first + CHUNK):
        differential.check_derivatives(seed, TABLE)


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 11000, 500))
def test_many_programs(first):
    for seed in range(first, first + 500):
        differential.check_forward(seed, TABLE)
        differential.check_derivatives(seed, TABLE)


def test_programs_use_every_elementwise_op():
    text = "".join(Generator(seed, "float32", TABLE).program().graph.text() for seed in range(1000))
    assert [r["op"] for r in TABLE if r["op"] + " " not in text] == []


def test_a_wrong_element_is_found():
    expected = np.linspace(-1, 1, 100, dtype=np.float32)
    nearby = expected * np.float32(1 + 1e-7)
    assert differential.excess(expected.copy(), expected, nearby, 1e-5) <= 0
    wrong = expected.copy()
    wrong[37] += np.float32(1e-3)
    assert differential.excess(wrong, expected, nearby, 1e-5) > 0
    wrong[37] = np.nan
    assert differential.excess(wrong, expected, nearby, 1e-5) > 0


def test_a_wrong_derivative_is_found(monkeypatch):
    """A forward mode that forgets half of a tangent does not pass the dot-product test."""
    seed = next(s for s in range(100) if Generator(s, "float64", TABLE, False).program().arguments)
    original = differential.arrays
    calls = []

    def halved(results):
        calls.append(results)
        out = original(results)
        return [a / 2 for a in out] if len(calls) == 1 else out

    monkeypatch.setattr(differential, "arrays", halved)
    for s in range(seed, seed + 20):
        calls.clear()
        try:
            differential.check_derivatives(s, TABLE)
        except differential.Mismatch:
            return
    raise AssertionError("no halved tangent was noticed in 20 programs")
