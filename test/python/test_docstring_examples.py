"""The parts of `test/oracles/docstrings.py`, which compares examples of MindSpore's docstrings."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracles"))
docstrings = importlib.import_module("docstrings")
docstring_session = importlib.import_module("docstring_session")
docstring_variants = importlib.import_module("docstring_variants")

PACKAGE = '''
def double(x):
    """Twice.

    Examples:
        >>> print(double(2))
        4
        >>> def f():
        ...     return 1
    """

class Box:
    def open(self):
        """>>> box.open()"""

attach("halve", """
    >>> halve(2)
""")

def again(x):
    """>>> box.open()"""

def broken(x):
    """>>> 1 +"""

def silent(x):
    """No example: a >>> b."""
'''


def test_examples_of_a_package(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file.py").write_text(PACKAGE)
    found = docstrings.examples(tmp_path)
    assert [(p["id"], p["text"]) for p in found] == [
        ("inner.file.double", "print(double(2))\ndef f():\n    return 1\n"),
        ("inner.file.Box.open", "box.open()\n"),
        ("inner.file(halve)", "halve(2)\n"),
    ]


def test_what_an_example_gives(tmp_path):
    text = "import cellgrad as ms\nx = ms.Tensor([1.5])\n_hidden = 1\n'shown'\nprint(x)\nf = len\n"
    done = docstring_session.perform(text, tmp_path / "example.py")
    assert done["prints"] == "'shown'\n[1.5]\n"
    assert done["values"] == {"x": {"dtype": "Float32", "shape": [1], "values": [1.5]}}


def answer(prints="", **values):
    described = {n: {"dtype": "Float32", "shape": [1], "values": [v]} for n, v in values.items()}
    return {"is": {"prints": prints, "values": described}}


ERROR = {"error": ["TypeError", "Exception"], "says": "no\nmore"}


@pytest.mark.parametrize(
    ("three", "column"),
    [
        ([answer("1", x=1.0)] * 3, "agrees"),
        ([answer("1", x=2.0), answer("1", x=1.0), answer("1", x=1.0)], "differs"),
        ([answer(x=3.0), answer(x=1.0), answer(x=2.0)], "agrees"),
        ([answer(), answer(x=1.0), answer(x=2.0)], "differs"),
        ([answer("1"), answer("2"), answer("2")], "prints"),
        ([answer("1"), answer("2"), answer("3")], "agrees"),
        ([ERROR, answer(), answer()], "fails"),
        ([answer(), ERROR, ERROR], "no answer"),
    ],
)
def test_columns(three, column):
    assert docstrings.outcome(*three)[0] == column


def test_random_values_have_dtype_and_shape():
    one, two = answer(x=1.0), answer(x=2.0)
    other = {"is": {"prints": "", "values": {"x": {"dtype": "Int32", "shape": [1], "values": [1]}}}}
    assert docstrings.outcome(other, one, two) == ("differs", "x: Int32, not Float32")


EXAMPLE = "from cellgrad import Tensor, ops\nx = Tensor([1.0, 2.0])\nprint(ops.mul(x, Tensor([3.0, 4.0])))\n"


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        # Weights are cos(1) and cos(2); the product is linear by each factor.
        ("grad", [np.cos([1.0, 2.0]) * [3, 4], np.cos([1.0, 2.0]) * [1, 2]]),
        (
            "second",
            [np.cos([1.0, 2.0]) * np.cos([3.0, 4.0]), np.cos([1.0, 2.0]) * np.cos([2.0, 3.0])],
        ),
        ("vmap", [[3, 8], [0.75, 2]]),
        ("negative", [[3, 8]]),
        ("empty", []),
    ],
)
def test_variants_of_an_example(variant, expected, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mindspore", ms)
    monkeypatch.delitem(sys.modules, "docstring_calls", raising=False)
    programs = [{"id": "mul", "text": EXAMPLE, "seed": "1"}]
    made = docstring_variants.variants(variant, programs, [answer(x=1.0)])
    assert [p["id"] for p in made] == [f"mul (0) | {variant}"]
    result = docstring_session.perform(made[0]["text"], tmp_path / "example.py", "result")
    given = result["values"]["result"]
    got = [p.get("values") for p in given.get("tuple", [given])]
    shape = np.shape(expected)
    np.testing.assert_allclose(np.reshape(got[: len(expected)], shape), expected, rtol=1e-6)
