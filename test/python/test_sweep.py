"""The accuracy tables of docs/sweep.md: float16 here, all of them in the sweep."""

import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sweep"))

import accuracy
import references

ROOT = Path(__file__).resolve().parents[2]
OPS = sorted(accuracy.unary_functions())
PAGE = (ROOT / "docs" / "sweep.md").read_text()


def rows_of_page(dtype):
    """op: the two largest errors that the page states."""
    part = PAGE.split(f"<!-- {dtype}: begin -->")[1].split(f"<!-- {dtype}: end -->")[0]
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in part.splitlines()]
    return {r[0]: r[1:] for r in rows if len(r) == 9 and r[0] in OPS}


def test_every_unary_function_has_a_reference():
    missing = [op for op in OPS if op not in references.UNARY]
    assert missing == [], "say in test/sweep/references.py what they are"


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", accuracy.FORMATS)
def test_every_unary_function_is_in_the_page(dtype):
    assert sorted(set(OPS) - set(rows_of_page(dtype))) == [], "run accuracy.py --write"


@pytest.mark.parametrize("op", sorted(references.UNARY))
def test_formulas_are_right(op):
    """mpmath's numerical differentiation; the same formula in float64."""
    function, derivative = references.UNARY[op]
    for x in (0.3, 0.55, 1.7, 4.2, -0.4, -2.3):
        with mp.workdps(50):
            try:
                exact = function(references.EXACT, mp.mpf(x))
            except ValueError:  # outside of the domain
                continue
            if isinstance(exact, mp.mpc):
                continue
            slope = mp.diff(lambda t: function(references.EXACT, t), mp.mpf(x))
            given = derivative(references.EXACT, mp.mpf(x)) if derivative else mp.mpf(0)
            assert mp.almosteq(given, slope, 1e-20, 1e-20), (op, x)
        np.testing.assert_allclose(
            function(references.DOUBLE, np.array([x])), float(exact), rtol=1e-13
        )
        if derivative:
            wide = derivative(references.DOUBLE, np.array([x]))
            np.testing.assert_allclose(wide, float(given), rtol=1e-13)


def check(dtype, stride, target="native"):
    stated = rows_of_page(dtype)
    worse = []
    for op, findings in accuracy.measure(sorted(stated), dtype, stride, target).items():
        value, slope = stated[op][:4], stated[op][4:]
        for kind, found, cells in zip(("value", "slope"), findings, (value, slope), strict=True):
            if found is None:
                continue
            lost = int(cells[3].split(",")[0])
            if found.ulps > 1.001 * float(cells[0]) + 0.0005 or found.lost > lost:
                worse.append(f"{kind} of {op}: {found}, but the page says {cells}")
    assert worse == []


def test_every_float16():
    check("f16", 1)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_every_number(dtype):
    check(dtype, 61)


def test_an_inaccurate_function_is_found(monkeypatch):
    """The reference of sin moves by a relative 2e-3: four units in the last place of float16."""
    off = (lambda m, x: m.sin(x) * 1.002, references.UNARY["sin"][1])
    monkeypatch.setitem(references.UNARY, "sin", off)
    (value, slope) = accuracy.measure(["sin"], "f16", 1)["sin"]
    assert value.ulps > 2
    assert slope.ulps < 0.51
