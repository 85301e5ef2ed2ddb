"""Results of an exported gradient are named after what they are the gradient of."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import ops

X, Y = ms.Tensor(np.ones((2, 3), np.float32)), ms.Tensor(np.ones((3,), np.float32))


def two(x, y):
    return ops.sum(x * y), x + y


def scale(x):
    return ops.sum(x * WEIGHT)


WEIGHT = ms.Parameter(np.ones((3,), np.float32), name="fc.weight")


@pytest.mark.parametrize(
    ("gradient", "inputs", "names"),
    [
        (ms.value_and_grad(scale, 0, [WEIGHT]), [X], ["value", "grad_x", "grad_fc.weight"]),
        (ms.value_and_grad(two, (1, 0)), [X, Y], ["value0", "value1", "grad_y", "grad_x"]),
        (ms.grad(two, 1, has_aux=True), [X, Y], ["grad_y", "aux"]),
        (ops.GradOperation(get_all=True, sens_param=True)(scale), [X, ms.Tensor(2.0)], ["grad_x"]),
    ],
)
def test_result_names(tmp_path, gradient, inputs, names):
    ms.export(scale, X, file_name=str(tmp_path / "m"), value_and_grad=(gradient, *inputs))
    entries = {e["name"]: e for e in ms.load(str(tmp_path / "m")).signature["entries"]}
    assert [r["name"] for r in entries["value_and_grad"]["results"]] == names
