"""What compiled code fails with when it runs, and what it cannot raise, name the user's line and Cell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0, 3.0])


class Row(nn.Cell):
    def construct(self, table: Tensor, i: Tensor) -> Tensor:
        return table[i] * 2


class Model(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.CellList([nn.ReLU(), Row()])

    def construct(self, table: Tensor, i: Tensor) -> Tensor:
        return self.rows[1](table, i)


@pytest.mark.parametrize("how", ["call", "gradient"])
def test_an_index_out_of_range_names_line_cell_and_remedy(how: str) -> None:
    model = Model()
    call: Any = model if how == "call" else ms.grad(model)
    call(X, Tensor([0, 2]))
    with pytest.raises(IndexError) as caught:
        call(X, Tensor([0, 7]))
    message, place, source, _caret, hint = str(caught.value).splitlines()
    assert message == "an index is out of bounds for an indexed dimension with size 3."
    assert place.endswith("in construct (cell 'rows.1')") and "test_run_time_places.py:" in place
    assert source.strip() == "return table[i] * 2"
    assert "limit the index with ops.clamp" in hint


SCRIPT = """
import cellgrad as ms
from cellgrad import Tensor, nn

class Net(nn.Cell):
    def construct(self, x):
        return {"a": x}["b"]

def train():
    return nn.SequentialCell(nn.ReLU(), Net())(Tensor([1.0]))

train()
"""


@pytest.mark.parametrize("full", [False, True])
def test_the_traceback_that_ends_a_program_has_the_users_frames(tmp_path: Path, full: bool) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    env = os.environ | {"CELLGRAD_FULL_TRACEBACK": "1" if full else ""}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)
    assert done.returncode == 1
    files = re.findall(r'File "([^"]*)", line (\d+)', done.stderr)
    assert (files == [(str(script), "12"), (str(script), "10")]) is not full
    assert f"KeyError: 'b'\n  at {script}:7:16, in construct (cell '1')" in done.stderr


def test_a_label_that_is_no_class_names_the_call() -> None:
    def loss(x: Tensor, labels: Tensor) -> Tensor:
        return ops.cross_entropy(x, labels)

    with pytest.raises(IndexError, match=r"in the range \[0, 3\)(.|\n)*, in loss\n.*cross_entropy"):
        ms.jit(loss)(Tensor(np.ones((1, 3), np.float32)), Tensor([5], ms.int32))


def raises_if_positive(x: Tensor) -> Tensor:
    if x.sum() > 0:
        raise ValueError("positive")
    return x


def raises_in_a_loop(x: Tensor) -> Tensor:
    for i in range(x.shape[0] + x[0].astype(ms.int32)):
        if x.sum() > i:
            raise ValueError
    return x


@pytest.mark.parametrize("function", [raises_if_positive, raises_in_a_loop])
def test_raise_under_a_tensor_is_made_when_the_code_runs(function: Any) -> None:
    f = ms.jit(function)
    np.testing.assert_array_equal(f(-X).asnumpy(), -X.asnumpy())
    with pytest.raises(ValueError) as caught:
        f(X)
    assert f"in {function.__name__}\n      raise ValueError" in "".join(caught.value.__notes__)


def _checked(x: Tensor) -> Tensor:
    if x.ndim != 1:
        raise ValueError("one dimension, please")
    return x


def test_raise_on_python_values_and_caught_in_a_branch_stay() -> None:
    @ms.jit
    def f(x: Tensor) -> Tensor:
        if x.sum() > 0:
            try:
                raise KeyError("a")
            except KeyError:
                y = _checked(x) * 2
        else:
            y = x
        return y

    assert f(X).asnumpy().tolist() == [2, 4, 6]
    with pytest.raises(ValueError, match="one dimension, please"):
        f(Tensor([[1.0]]))


def test_a_tensor_as_key_of_a_dictionary() -> None:
    with pytest.raises(TypeError, match=r"is used as the key of a dictionary(.|\n)*ops.stack"):
        ms.jit(lambda x, i: {0: x, 1: -x}[i])(X, Tensor(1))


def test_a_key_error_is_readable() -> None:
    with pytest.raises(KeyError) as caught:
        nn.Dense(2, 2, activation="foo")
    assert "\n  at " in str(caught.value) and "\\n" not in str(caught.value)
    assert "but got 'foo'" in str(caught.value)


def test_a_learning_rate_that_is_text() -> None:
    with pytest.raises(ValueError, match=r"'learning_rate' must be int, float.*but got str"):
        nn.SGD(nn.Dense(2, 2).trainable_params(), "fast")


@pytest.mark.parametrize("value", [Tensor([1.0]), Tensor(5.0), 3.0, Tensor([[1.0, 2.0, 3.0]])])
def test_assign_keeps_the_shape_of_a_parameter(value: Any) -> None:
    p = Parameter(X, name="p")
    with pytest.raises(ValueError, match=r"shape of Parameter 'p', \[3\], but got"):
        ops.assign(p, value)
    assert p.asnumpy().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="shape of Parameter 'p'"):
        ops.assign_add(p, Tensor(np.ones((2, 3), np.float32)))
    p.set_data(Tensor([4.0]))
    assert p.shape == (1,)
