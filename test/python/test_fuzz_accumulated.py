"""Random recurrent programs whose gradients are sums of products and of slices, compiled against operation by operation."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import accumulated


@pytest.mark.parametrize("first", [0, 5])
def test_random_programs(first):
    assert [s for s in range(first, first + 5) if accumulated.differs(s)] == []


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_many_random_programs(first):
    assert [s for s in range(first, first + 50) if accumulated.differs(s)] == []


def test_a_wrong_number_is_found(monkeypatch):
    """A step that uses another weight differs."""
    step = accumulated.Program.step
    modes = iter([False, True])

    def other(self, h, x, weights):
        return step(self, h, x, [w * 1.5 for w in weights] if self.other else weights)

    def numbers(self):
        self.other = next(modes)
        return accumulated_numbers(self)

    accumulated_numbers = accumulated.Program.numbers
    monkeypatch.setattr(accumulated.Program, "step", other)
    monkeypatch.setattr(accumulated.Program, "numbers", numbers)
    assert accumulated.differs(3)
