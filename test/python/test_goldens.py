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

RECORDED = json.loads((GOLDENS / "recorded.json").read_text())
NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![A-Za-z_\d])")


def normal(text):
    return text.replace("mindspore", "cellgrad").replace("-nan", " nan")


@pytest.fixture(scope="module")
def setup_code(tmp_path_factory):
    path = tmp_path_factory.mktemp("goldens") / "setup.py"
    path.write_text(cases.SETUP)
    return compile(cases.SETUP, str(path), "exec")


@pytest.mark.parametrize("group, expression", [(g, e) for g, es in cases.ALL.items() for e in es])
def test_golden(group, expression, setup_code):
    names = {
        "ms": ms,
        "np": np,
        "nn": nn,
        "ops": ops,
        "Tensor": Tensor,
        "Parameter": Parameter,
        "ParameterTuple": ParameterTuple,
    }
    exec(setup_code, names)
    wanted = normal(RECORDED[group][expression])
    try:
        result = repr(eval(expression, names))
    except Exception as e:
        result = f"!{type(e).__name__}"
    words, numbers = NUMBER.sub("#", result), NUMBER.findall(result)
    wanted_words, wanted_numbers = NUMBER.sub("#", wanted), NUMBER.findall(wanted)
    assert words == wanted_words
    rtol, atol = cases.TOLERANCE.get(group, (1e-6, 1e-37))
    np.testing.assert_allclose(
        np.array(numbers, float), np.array(wanted_numbers, float), rtol=rtol, atol=atol
    )
