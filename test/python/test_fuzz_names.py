"""Random programs of a few names for a few tensors: compiled ones give Python's numbers."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import names


def test_names_of_one_tensor():
    compiled, wrong = names.check(range(20))
    assert wrong == [], "\n".join(wrong)
    assert compiled >= 10, "too much is refused"


@pytest.mark.sweep
def test_many_programs():
    compiled, wrong = names.check(range(1000, 2000))
    assert compiled > 500 and wrong == []
