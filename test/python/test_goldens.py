"""Tensors, operations, Cells and gradients against real MindSpore: see `goldens/record.py` for how
they were recorded.

Text is compared exactly, numbers to float32; of exceptions, the class.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, ParameterTuple, Tensor, nn, ops

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import cases  # noqa: E402
import frontend_cases  # noqa: E402
import older_cases  # noqa: E402

SUITES = {
    suite: (module, json.loads((GOLDENS / f"{suite}.json").read_text()))
    for suite, module in (
        ("recorded", cases),
        ("frontend", frontend_cases),
        ("older", older_cases),
    )
}
EVERY = [
    (suite, group, expression)
    for suite, (module, _) in SUITES.items()
    for group, expressions in module.ALL.items()
    for expression in expressions
]
NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![A-Za-z_\d])")


def normal(text):
    return text.replace("mindspore", "cellgrad").replace("-nan", " nan")


@pytest.fixture(scope="module")
def setup_code(tmp_path_factory):
    out = {}
    for suite, (module, _) in SUITES.items():
        path = tmp_path_factory.mktemp("goldens") / f"{suite}.py"
        path.write_text(module.SETUP)
        out[suite] = compile(module.SETUP, str(path), "exec")
    return out


@pytest.mark.parametrize("suite, group, expression", EVERY)
def test_golden(suite, group, expression, setup_code):
    names = {
        "ms": ms,
        "np": np,
        "nn": nn,
        "ops": ops,
        "Tensor": Tensor,
        "Parameter": Parameter,
        "ParameterTuple": ParameterTuple,
    }
    exec(setup_code[suite], names)
    wanted = normal(SUITES[suite][1][group][expression])
    try:
        result = repr(eval(expression, names))
    except Exception as e:
        result = f"!{type(e).__name__}"
    if group == "printing":
        assert result == wanted
    words, numbers = NUMBER.sub("#", result), NUMBER.findall(result)
    wanted_words, wanted_numbers = NUMBER.sub("#", wanted), NUMBER.findall(wanted)
    assert words == wanted_words
    rtol, atol = cases.TOLERANCE.get(group, (1e-6, 1e-37))
    np.testing.assert_allclose(
        np.array(numbers, float), np.array(wanted_numbers, float), rtol=rtol, atol=atol
    )
