"""Small programs give what MindSpore 2.10 gives; `test/oracles/side_by_side.py` has recorded it.

The programs are those of `make oracle`, thinned out: every fifth of a table of functions in 16 styles,
all that were written by hand, and some of the corners of operations.
"""

import importlib
import json
import sys
from pathlib import Path

import pytest

import cellgrad as ms

ORACLES = Path(__file__).resolve().parents[1] / "oracles"
sys.path.insert(0, str(ORACLES))
answers = importlib.import_module("answers")
session = importlib.import_module("session")
side_by_side = importlib.import_module("side_by_side")

PARTS = 8
RECORDED = {
    group: json.loads((ORACLES / "recorded" / f"{group}.json").read_text())
    for group in side_by_side.IN_TESTS
}


def asked(group):
    """The programs of a group that have an answer."""
    return [p for p in side_by_side.tested(group) if p["id"] in RECORDED[group]]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("group", RECORDED)
def test_as_in_mindspore(group, part, tmp_path):
    programs = asked(group)[part::PARTS]
    module = session.module("cellgrad", programs, tmp_path)
    different = []
    try:
        for i, program in enumerate(programs):
            mine = session.answer(ms, program, getattr(module, f"program_{i}"))
            wanted = RECORDED[group][program["id"]]
            theirs = {"error": [wanted["error"]]} if "error" in (wanted or {}) else {"is": wanted}
            how = answers.verdict(mine, theirs)
            if how:
                different.append(f"{program['id']}: {how}")
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)
    assert not different, "\n".join(different)


def test_names_are_unique():
    for group, programs in side_by_side.GROUPS.items():
        names = [p["id"] for p in programs()]
        assert len(names) == len(set(names)), group


def test_there_are_enough():
    assert sum(len(asked(group)) for group in RECORDED) >= 1200
    assert sum(len(list(side_by_side.GROUPS[g]())) for g in side_by_side.GROUPS) >= 1500
