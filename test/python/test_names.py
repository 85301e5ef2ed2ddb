"""Names of MindSpore: against MindSpore (see `goldens/record_names.py`), their derivatives against
differences, and errors.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import said
from test_goldens import NUMBER, normal

import cellgrad as ms
from cellgrad import Parameter, ParameterTuple, Tensor, nn, ops, train
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import name_cases as cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "names.json").read_text())


@pytest.fixture(scope="module")
def setup_code(tmp_path_factory):
    path = tmp_path_factory.mktemp("goldens") / "setup.py"
    path.write_text(cases.SETUP)
    return compile(cases.SETUP, str(path), "exec")


def names_of(setup_code):
    names = {"ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor, "train": train}
    names |= {"Parameter": Parameter, "ParameterTuple": ParameterTuple}
    exec(setup_code, names)
    return names


@pytest.mark.parametrize("group, expression", [(g, e) for g, es in cases.ALL.items() for e in es])
def test_golden(group, expression, setup_code):
    wanted = normal(RECORDED[group][expression])
    try:
        result = repr(eval(expression, names_of(setup_code)))
    except Exception as e:
        result = f"!{type(e).__name__}"
    assert NUMBER.sub("#", result).split() == NUMBER.sub("#", wanted).split()
    got, exact = (np.array(NUMBER.findall(t), float) for t in (result, wanted))
    np.testing.assert_allclose(got, exact, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("function", cases.GRADIENTS)
def test_derivatives(function, setup_code):
    names = names_of(setup_code)
    f, *values = eval(function, names)
    check_grads(f, tuple(Tensor(np.array(v, np.float64)) for v in values), order=2)


@pytest.mark.parametrize("expression, kind, text", cases.ERRORS)
def test_errors(expression, kind, text, setup_code):
    with pytest.raises(Exception) as caught:
        eval(expression, names_of(setup_code))
    assert type(caught.value).__name__ == kind
    assert text in said(caught.value)
