"""Random programs that add up over a batch of any size, with gradients, statistics and loops."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import any_batch_sums


@pytest.mark.parametrize(("seed", "sizes"), [(1, (1, 3, 139)), (5, (139, 3)), (7, (1, 3, 139))])
def test_random_programs(seed, sizes):
    any_batch_sums.check(seed, sizes)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 160))
def test_more_random_programs(seed):
    draw = random.Random(seed)
    any_batch_sums.check(seed, (1, 2, draw.randint(2, 270)))


def test_batches_that_keep_samples_and_larger_ones():
    """Products of two rows a sample before a normalisation: kept for up to 1,024 samples, else computed again."""
    any_batch_sums.check(73, (48, 1024, 1025))
