"""Random ops on buffers compute the same when they are formed into kernels."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import rowbuffers

CHUNK, FEW, MANY = 20, 60, 4000
FORMS = ("kernels", "with products", "that a loop adds up", "deferred", "turned ahead")


@pytest.mark.parametrize("first", range(0, FEW, CHUNK))
def test_kernels_compute_what_their_ops_do(first):
    wrong, forms = rowbuffers.check(range(first, first + CHUNK))
    assert wrong == []
    assert all(forms[form] for form in FORMS), "each form is among the kernels of twenty functions"
    assert forms["too large"] < CHUNK // 4


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(10_000, 10_000 + MANY, 250))
def test_many_functions(first):
    for start in range(first, first + 250, 25):
        assert rowbuffers.check(range(start, start + 25))[0] == []


def test_a_kernel_that_computes_something_else_is_found(monkeypatch):
    """The last item of each is left out."""
    fewer = lambda text: re.sub(r"in \((\d+)\) \{", lambda m: f"in ({int(m[1]) - 1}) {{", text)
    monkeypatch.setattr(rowbuffers, "backwards", fewer)
    wrong, _ = rowbuffers.check(range(3))
    assert wrong
