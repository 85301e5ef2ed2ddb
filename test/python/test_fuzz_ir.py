"""Mutated IR crashes no tool: a few hundred cases here, ten thousand in the sweep."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import mutate_ir


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_mutated_ir(first):
    assert mutate_ir.check(first, 100) == []


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 11000, 500))
def test_much_mutated_ir(first):
    assert mutate_ir.check(first, 500) == []


def test_mutants_are_not_all_refused():
    """Enough of them get past the parser and the verifier to reach the passes."""
    command = mutate_ir.passes("builtin.module()")
    taken = sum(mutate_ir.accepts(command, text) for text in mutate_ir.cases(0, 40))
    assert 5 <= taken <= 35


def test_a_crash_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(mutate_ir, "SECONDS", 0.5)
    assert mutate_ir.ends(["bash", "-c", "kill -SEGV $$"], "") == "exits with -11"
    assert (
        mutate_ir.ends(["bash", "-c", "echo 'ERROR: x' >&2; kill -ABRT $$"], "")
        == "exits with -6 ERROR: x"
    )
    assert mutate_ir.ends(["bash", "-c", "echo 'a.cpp: runtime error: y' >&2"], "").endswith(
        "runtime error: y"
    )
    assert mutate_ir.ends(["sleep", "30"], "") == "does not end"
    assert mutate_ir.ends(["bash", "-c", "exit 1"], "") == ""
