"""runtime/comm, called as a C program calls it, against numpy; the mistakes that are planted in it have a place."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "mutate"))

import communicators
import planted_comm

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return communicators.built(tmp_path_factory.mktemp("comm"))


def test_collectives_and_faults(library):
    assert communicators.check(library, count=25) == []


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 3000, 500))
def test_many_collectives(library, first):
    assert communicators.check(library, count=500, first=first) == []


def test_a_wrong_number_is_found(library, monkeypatch):
    monkeypatch.setattr(communicators, "COMBINE", [communicators.np.subtract] * 4)
    assert communicators.check(library, sizes=(2,), count=30)


def test_planted_mistakes_have_a_place():
    for file, mistakes in planted_comm.MISTAKES.items():
        text = (ROOT / "runtime" / "comm" / file).read_text()
        for what, old, _ in mistakes:
            assert text.count(old) == 1, what
