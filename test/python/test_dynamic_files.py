"""Random files whose first dimensions are `?`, compiled for any batch, against the interpreter for each size."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import dynamic_files
from generator import records


@pytest.mark.parametrize("seed", [1, 4, 6, 11, 354])
def test_random_files(seed):
    assert dynamic_files.check(seed, records()) == "checked"


@pytest.mark.sweep
def test_more_random_files():
    table = records()
    came = [dynamic_files.check(seed, table) for seed in range(1000, 1200)]
    assert came.count("checked") > 80
