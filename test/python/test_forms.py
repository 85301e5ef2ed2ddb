"""The table of operations: what rows may say, what is made from them, and the errors of bad ones."""

import importlib
import inspect
import sys
from pathlib import Path

import pytest

import cellgrad as ms
from cellgrad import mint, nn, ops
from cellgrad.ops import _other_names, sparse_elements, summaries

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/forms"))

import pages  # noqa: E402
import write_forms  # noqa: E402
from forms import parse  # noqa: E402
from table import RowError, read, with_more  # noqa: E402

import examples  # noqa: E402

GENERATED = Path(ops.abs.__code__.co_filename)
ROWS = write_forms.rows_of(ROOT / "pyfront/cellgrad", GENERATED)
FORMS = write_forms.forms_of(ROWS)

SOURCE = '''
@public({forms})
def scaled(x: Tensor, factor: float = 2.0, *, offset: int = 0) -> Tensor:
    """The tensor, scaled.

    >>> print(ops.scaled(Tensor([1.0]), 3.0))
    [3.]
    """
'''


def rows_of(tmp_path, *forms, source=SOURCE):
    path = tmp_path / "scaling.py"
    path.write_text(source.format(forms=", ".join(map(repr, forms))))
    return read(path, "cellgrad.ops.scaling", "scaling.py")


def form_of(tmp_path, text):
    (row,) = rows_of(tmp_path, text)
    return parse(row.forms[0], row)


def shown(parameters):
    return [str(p) for p in parameters]


# --- what a form says ---------------------------------------------------------------------------


def test_a_form_of_the_same_arguments(tmp_path):
    method = form_of(tmp_path, "Tensor.scaled")
    assert shown(method.takes) == [
        "self",
        "factor: float = 2.0",
        "offset: int = 0",
    ]
    assert method.expression == "ops.scaled(self, factor, offset=offset)"


def test_a_class_has_settings_and_arguments(tmp_path):
    form = form_of(tmp_path, "ops.Scaled(factor=4.0, *, offset)(input)")
    assert shown(form.makes) == ["factor: float = 4.0", "offset: int = 0"]
    assert shown(form.takes) == ["input: Tensor"]
    assert form.expression == "ops.scaled(input, factor, offset=offset)"


def test_a_class_that_is_made_with_nothing(tmp_path):
    assert form_of(tmp_path, "ops.Scaled").is_bare
    form = form_of(tmp_path, "mint.nn.Scaled()(input)")
    assert not form.is_bare and form.makes == ()
    assert form.expression == "ops.scaled(input)"


def test_other_names_stand_for_what_is_left_in_order(tmp_path):
    form = form_of(tmp_path, "mint.scaled(input, scale)")
    assert shown(form.takes) == ["input: Tensor", "scale: float"]
    assert form.expression == "ops.scaled(input, scale)"


def test_a_default_of_none_widens_the_type(tmp_path):
    form = form_of(tmp_path, "mint.scaled(x, factor=None)")
    assert shown(form.takes)[1] == "factor: float | None = None"


def test_a_form_in_place(tmp_path):
    assert form_of(tmp_path, "Tensor.scaled_").expression == (
        'self._replace(ops.scaled(self, factor, offset=offset), "scaled_")'
    )
    assert form_of(tmp_path, "mint.scaled_(x)").expression == "h.into(x, ops.scaled(x))"


def test_another_name_is_the_same_object():
    assert ops.absolute is ops.abs and mint.abs is ops.abs


# --- what examples become -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("Tensor.scaled", ">>> print(Tensor([1.0]).scaled(3.0))\n[3.]"),
        ("ops.Scaled(factor)(x)", ">>> print(ops.Scaled(3.0)(Tensor([1.0])))\n[3.]"),
        ("ops.twice", ">>> print(ops.twice(Tensor([1.0]), 3.0))\n[3.]"),
        (
            "mint.scaled(input, *, factor)",
            ">>> print(mint.scaled(Tensor([1.0]), factor=3.0))\n[3.]",
        ),
        ("mint.scaled(input, n) = h.to(ops.scaled(input, n + 0))", None),
        ("nn.Scaled(x)", None),  # cannot be given the factor of the example
    ],
)
def test_an_example_is_written_with_the_form(tmp_path, text, wanted):
    form = form_of(tmp_path, text)
    found = examples.example(form, [form])
    if wanted is None and "n + 0" in text:
        wanted = ">>> print(mint.scaled(Tensor([1.0]), 3.0))\n[3.]"
    assert found == wanted


def test_an_example_of_its_own_comes_first(tmp_path):
    source = SOURCE.replace(
        "    [3.]\n", "    [3.]\n\n    >>> print(ops.Scaled()(Tensor([1.0])))\n    [2.]\n"
    )
    (row,) = rows_of(tmp_path, "ops.Scaled(factor)(x)", "Tensor.scaled", source=source)
    forms = [parse(text, row) for text in row.forms]
    assert examples.example(forms[0], forms) == ">>> print(ops.Scaled()(Tensor([1.0])))\n[2.]"
    assert examples.example(forms[1], forms) == ">>> print(Tensor([1.0]).scaled(3.0))\n[3.]"


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, message",
    [
        ("Tensor", "scaling.py:3: 'Tensor' is no form: expected one of 'ops.name', 'Tensor.name'"),
        ("torch.scaled", "scaling.py:3: 'torch.scaled' is no form"),
        ("ops.Scaled(factor", "scaling.py:3: a parenthesis is not closed"),
        ("ops.Scaled(factor)(x)(y)", "scaling.py:3: too many argument lists"),
        ("mint.scaled(x)(factor)", "scaling.py:3: too many argument lists"),
        ("mint.scaled(x,, factor)", "scaling.py:3: (x,, factor) is no parameter list"),
        (
            "mint.scaled(x) ops.scaled(x)",
            "scaling.py:3: expected '= expression' after the arguments",
        ),
        ("mint.scaled(x) = ops.scaled(x", "scaling.py:3: 'ops.scaled(x' is no expression"),
        ("mint.scaled(factor)", "scaling.py:3: a form of 'scaled' does not give x"),
        (
            "mint.scaled(a, b, c, d)",
            "scaling.py:3: 'd' of a form is none of 'scaled'; say what it means with '= expression'",
        ),
    ],
)
def test_a_bad_form_is_refused_by_line(tmp_path, text, message):
    with pytest.raises(RowError) as e:
        form_of(tmp_path, text)
    assert str(e.value).startswith(message)


def test_rows_take_literal_strings_only(tmp_path):
    with pytest.raises(RowError, match=r"scaling.py:3: 'public' takes forms as literal strings"):
        rows_of(tmp_path, source="\n@public('ops.' + 'x')\ndef scaled(x): ...\n")
    with pytest.raises(RowError, match="a class has no other forms"):
        rows_of(tmp_path, source="\n@public('ops.x')\nclass Scaled: ...\n")
    with pytest.raises(RowError, match="'scaled' has no first argument to be 'self'"):
        (row,) = rows_of(tmp_path, source="\n@public('Tensor.x')\ndef scaled(*x): ...\n")
        parse(row.forms[0], row)


def test_two_things_of_one_name_are_refused(tmp_path):
    (row,) = rows_of(tmp_path, "ops.abs")
    with pytest.raises(RowError, match=r"scaling.py:3: ops.abs is there already"):
        write_forms.forms_of([*ROWS, row])
    with pytest.raises(RowError, match="rows of one name: scaled"):
        write_forms.forms_of([*rows_of(tmp_path), *rows_of(tmp_path)])


# --- the table itself -----------------------------------------------------------------------------


def test_modules_and_pages_are_those_of_the_rows():
    """What the build wrote is what the sources say now."""
    package = GENERATED.parents[1]
    for path, text in write_forms.written(ROWS, stub=False).items():
        assert (package / path).read_text() == text, f"{path} is old: run make build"
    for path, text in write_forms.written(ROWS, stub=True).items():
        stub = (ROOT / "pyfront/cellgrad" / path).with_suffix(".pyi")
        assert stub.read_text() == text, f"{stub} is old: run make build"
    index = pages.index(ROWS, FORMS)
    assert (ROOT / "docs/functions.md").read_text() == index, "run make docs"


FACES = {
    "ops": ops,
    "Tensor": ms.Tensor,
    "nn": nn,
    "mint": mint,
    "mint.linalg": mint.linalg,
    "mint.special": mint.special,
    "mint.nn": mint.nn,
    "mint.nn.functional": mint.nn.functional,
    "numpy": ms.numpy,
    "numpy.fft": ms.numpy.fft,
}


def test_forms_are_there_with_their_signatures():
    forms = [form for found in FORMS.values() for form in found]
    assert len(forms) > 650 and {form.face for form in forms} == set(FACES)
    for form in forms:
        value = getattr(FACES[form.face], form.name)
        if form.face != "Tensor":
            assert form.name in FACES[form.face].__all__
        if form.is_alias or form.is_bare:
            continue
        wanted = form.takes if form.makes is None else form.makes
        found = inspect.signature(value).parameters
        assert list(found) == [p.name for p in wanted], form.shown


def test_everything_public_in_ops_is_a_row_a_form_or_handed_on():
    rows = {row.name for row in ROWS}
    forms = {f.name for found in FORMS.values() for f in found if f.face == "ops"}
    others = set(_other_names.SAME) | set(_other_names.OF_NUMBERS)
    others |= set(sparse_elements.elementwise(vars(ops)))
    bases = {"Primitive", "PrimitiveWithInfer", "PrimitiveWithCheck", "prim_attr_register"}
    bases.update(summaries.__all__)  # they compute nothing
    handed_on = {n for n in ops.__all__ if n not in rows | forms | others} - bases
    for name in handed_on:
        module = inspect.unwrap(getattr(ops, name)).__module__
        layer = importlib.import_module(module).__name__.split(".")[1]
        assert layer in ("capture", "nn", "transforms", "functools") or module == "functools"


# --- rows beside those above the operations ---------------------------------------------------------


def test_a_module_adds_forms(tmp_path):
    path = tmp_path / "_rows.py"
    path.write_text(
        'ROWS: dict = {"scaled": ("numpy.scaled(x, dtype=None) = hn.cast(ops.scaled(x), dtype)",)}'
    )
    (row,) = with_more(rows_of(tmp_path, "ops.twice"), path)
    form = parse(row.forms[1], row)
    assert row.forms[0] == "ops.twice" and form.shown == "numpy.scaled"
    assert examples.example(form, [form]) is None  # the form cannot be given the example's factor
    path.write_text('ROWS: dict = {"scalde": ("numpy.scalde",)}')
    with pytest.raises(RowError, match=r"_rows.py: no operations of these names: scalde"):
        with_more([row], path)
