"""Random ops that are computed side by side: none needs another one of another item."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import joins


def test_ops_side_by_side_do_not_need_each_other():
    ops, joined, wrong = joins.check(range(2000))
    assert wrong == [], wrong[0]
    assert 0.25 * ops < joined < 0.75 * ops, "few ops could be joined, or joined wrongly"


@pytest.mark.sweep
def test_many_functions():
    for first in range(10_000, 60_000, 1000):
        assert joins.check(range(first, first + 1000))[2] == []
