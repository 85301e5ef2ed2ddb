"""Random ops whose results the blocks of a grid share: their numbers, on the device of the driver."""

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import nests


@pytest.mark.parametrize("first", [0, 60, 120])
def test_random_nests(first):
    counts = Counter(nests.check(seed) for seed in range(first, first + 60))
    assert not counts.keys() - nests.FINE, counts
    assert all(counts[kind] >= 3 for kind in nests.FINE), f"too few of one kind: {counts}"


@pytest.mark.sweep
def test_many_nests():
    counts = Counter(nests.check(seed) for seed in range(10_000, 15_000))
    assert not counts.keys() - nests.FINE, counts
