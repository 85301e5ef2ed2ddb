"""Random programs with collectives and their gradients, on several ranks, against numpy."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import collectives


@pytest.mark.parametrize("ranks", [2, 4])
def test_random_programs(ranks):
    assert collectives.run(list(range(8)), ranks) == []


def test_on_a_network_that_takes_time():
    assert collectives.run([8, 9, 10], 2, network="2000,10") == []


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 1200, 50))
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_many_random_programs(first, ranks):
    assert collectives.run(list(range(first, first + 50)), ranks) == []


def test_a_wrong_number_is_found(monkeypatch):
    """numpy that takes the mean for the sum differs."""
    steps = [("mean", [0, 1], 0), ("add", [2, 1], 0)]
    _, x = collectives.program(0, 2)
    monkeypatch.setattr(collectives, "program", lambda seed, count: (steps, x))
    right = collectives.expected
    taken = [("sum", [0, 1], 0), steps[1]]
    monkeypatch.setattr(collectives, "expected", lambda _, x, count: right(taken, x, count))
    assert len(collectives.run([0], 2)) >= 1
