"""Random functions: gradients from a tape are those that are compiled."""

import sys
from pathlib import Path

import pytest

from cellgrad.transforms import tape as of_tape

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import tapes


def test_gradients_from_a_tape_are_the_compiled_ones(monkeypatch):
    recorded = []
    record = of_tape.Tape._record
    monkeypatch.setattr(of_tape.Tape, "_record", lambda *a: recorded.append(None) or record(*a))
    count, wrong = tapes.check(range(12))
    assert wrong == [], "\n".join(wrong)
    assert count >= 9, "the tape gives up too often"
    assert len(recorded) > 20 * count, "the tape recorded little: are these gradients compiled?"


@pytest.mark.sweep
def test_many_functions():
    count, wrong = tapes.check(range(1000, 1500))
    assert count > 400 and wrong == []
