"""Random programs for single passes: a few here, thousands in the sweep.

`repeated.py` is about what `cell-rematerialize` computes again, `upstream.py` about upstream's passes
before differentiation.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import differential
import generator
import repeated
import upstream

TABLE = generator.records()


@pytest.mark.parametrize("first", range(0, 30, 15))
def test_repeated_programs(first):
    barriers = [repeated.check(seed, TABLE) for seed in range(first, first + 15)]
    assert sum(b > 0 for b in barriers) > 10


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 3000, 250))
def test_many_repeated_programs(first):
    for seed in range(first, first + 250):
        repeated.check(seed, TABLE)


def test_another_value_is_noticed(monkeypatch):
    """A pass that reads another value of the same type where it repeats."""
    original = repeated.expanded

    def wrong(program, order, passes):
        made = original(program, order, passes)
        if passes == repeated.EXPAND:
            return made
        return generator.Program.parse(made.graph.text().replace("cell.tanh", "cell.sin"))

    monkeypatch.setattr(repeated, "expanded", wrong)
    with pytest.raises(differential.Mismatch, match="is not the same"):
        for seed in range(10):
            repeated.check(seed, TABLE)


def test_upstream_passes_before_differentiation():
    passes = {name for seed in range(50) for name in upstream.check(seed, TABLE).split(",")}
    assert passes >= set(upstream.PASSES)


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_upstream_passes(first):
    for seed in range(first, first + 250):
        upstream.check(seed, TABLE)
