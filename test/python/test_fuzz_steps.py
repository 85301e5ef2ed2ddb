"""Random loops over buffers: which of them become items. A few thousand take two seconds."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import steps


@pytest.mark.parametrize("first", [0, 1000, 2000])
def test_steps_of_loops_that_become_items_are_apart(first):
    counts, wrong = steps.check(range(first, first + 1000))
    assert wrong == [], wrong[0]
    assert counts.taken > 0.8 * counts.apart, "few independent loops are seen"
    assert counts.apart < 0.8 * counts.loops, "few loops could be taken wrongly"


@pytest.mark.sweep
def test_many_loops():
    for first in range(10_000, 110_000, 1000):
        assert steps.check(range(first, first + 1000))[1] == []
