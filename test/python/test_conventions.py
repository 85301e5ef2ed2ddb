"""Every row of docs/conventions.md, evaluated in both modes, in float32 and float64."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracles"))

import conventions

import cellgrad as ms
from cellgrad import Tensor, ops

ROWS = conventions.all_rows()


def fits(row):
    """Not in float32: numbers below its range."""
    numbers = np.concatenate([np.ravel(a) for a in (row.value, *row.grads, *row.args)])
    return not np.any((numbers != 0) & (np.abs(numbers) < 1e-37))


def check(given, expected, dtype):
    digits = 1e-4 if dtype == "float32" else 1e-9
    np.testing.assert_allclose(given, np.array(expected, np.float64), rtol=digits, atol=0)


def flat(tensors):
    return [np.asarray(t.asnumpy(), np.float64).ravel() for t in tensors]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("row", ROWS, ids=conventions.key)
def test_row(row, dtype):
    if dtype == "float32" and not fits(row):
        dtype = "float64"
    kind = getattr(ms, dtype)
    f = eval(conventions.text_for(row, "cellgrad").replace("ms.float64", f"ms.{dtype}"))
    args = [Tensor(np.array(a, dtype), kind) for a in row.args]

    def slope(*xs):
        """By reverse mode."""
        return ms.vjp(f, *xs)[1](ops.ones_like(f(*xs)))

    def total(*xs):
        parts = [g.sum() for g in slope(*xs)]
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    def forward(function):
        """Of numbers; a unit tangent of one argument, the others held."""
        for i, x in enumerate(args):
            if x.size == 1:
                held = lambda t, i=i: function(*args[:i], t, *args[i + 1 :])
                yield i, np.ravel(ms.jvp(held, x, ops.ones_like(x))[1].asnumpy())

    check(np.ravel(f(*args).asnumpy()), row.value, dtype)
    for given, expected in zip(flat(slope(*args)), row.grads, strict=True):
        check(given, expected, dtype)
    for i, given in forward(f):
        check(given, row.grads[i], dtype)
    if row.second is None:
        return
    reverse = ms.vjp(total, *args)[1](ops.ones_like(total(*args)))
    for given, expected in zip(flat(reverse), row.second, strict=True):
        check(given, expected, dtype)
    for i, given in forward(total):
        check(given, row.second[i], dtype)


def test_page_is_what_the_table_says():
    assert conventions.PAGE.read_text() == conventions.page(), "run make docs"


def test_a_wrong_row_is_found():
    row = ROWS[0]._replace(grads=[[0.5]])
    with pytest.raises(AssertionError):
        test_row(row, "float64")
