"""Hints for names of other libraries, and warnings about weights that nothing reads."""

import math
import subprocess
import sys
import warnings

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, mint, nn, ops
from cellgrad.core import notices
from cellgrad.core.foreign import _FUNCTIONS

x = Tensor([[1.0, 2.0]])


def square(x):
    return x * x


ARGUMENTS = {
    "argnums": (lambda: ms.grad(square, argnums=0), "write grad_position=..."),
    "argnum": (lambda: ms.jacrev(square, argnum=0), "write grad_position=..."),
    "in_dims": (lambda: ms.vmap(square, in_dims=0), "write in_axes=..."),
    "dim": (lambda: ops.concat((x, x), dim=0), "write axis=..."),
    "axis": (lambda: ops.sum(x, axis=0), "write dim=..."),
    "a slip": (lambda: ops.concat((x, x), axi=0), "write axis=..."),
    "unknown": (lambda: ops.concat((x, x), colour=0), "it takes tensors, axis"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["outside", "compiled"])
def test_hints_for_arguments(name, wrap):
    call, hint = ARGUMENTS[name]
    with pytest.raises(TypeError, match="got an unexpected keyword argument") as caught:
        wrap(call)()
    assert f"hint: {hint}" in said(caught.value)
    assert "test_notices.py" in str(caught.value)


def test_other_type_errors_stay():
    def inner(x):
        return square(x, dim=0)

    with pytest.raises(TypeError, match=r"square\(\) got an unexpected keyword argument 'dim'$"):
        inner(x)
    with pytest.raises(TypeError) as caught:
        ms.grad(inner)(x)
    assert "hint" not in str(caught.value)


def test_the_hint_of_an_error_that_ends_a_program():
    code = "import cellgrad as ms; ms.nn.Dense(2, 3, bias=False)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stderr.endswith("'bias'\n  hint: write has_bias=..., as MindSpore does\n")


CALLS = {
    "numpy.concatenate": (lambda x: np.concatenate((x, x)), "ops.concatenate?"),
    "numpy.linalg": (lambda x: np.linalg.norm(x), "ops.norm?"),
    "math": (lambda x: math.sin(x[0, 0]), "ops.sin?"),
    "another name": (lambda x: np.fabs(x), "ops.abs?"),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_other_libraries(name):
    function, hint = CALLS[name]
    function(x)
    with pytest.raises(TypeError, match="needs the elements of a tensor") as caught:
        ms.jit(function)(x)
    assert f"hint: did you mean {hint}" in said(caught.value)


def test_no_other_function_is_meant_than_the_one_that_is_called():
    def shift(x, n):
        return ops.ifftshift(x, n + 0)

    with pytest.raises(TypeError, match="needs the elements of a tensor") as caught:
        ms.jit(shift)(x, Tensor(1))
    assert "did you mean" not in said(caught.value)


@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["outside", "compiled"])
def test_functions_that_are_not_there(wrap):
    for call, hint in (
        (lambda: ops.power(x, 2), "ops.pow"),
        (lambda: ops.fori_loop, "ops.ForiLoop()(lower, upper, body, init)"),
        (lambda: ops.relux(x), "nearest: relu"),
        (lambda: ops.no_grad, "nothing: calls record nothing"),
    ):
        with pytest.raises(
            AttributeError, match=r"module 'cellgrad.ops' has no attribute"
        ) as caught:
            wrap(call)()
        assert f"hint: {hint}" in said(caught.value)
    assert not hasattr(ops, "__nothing__") and not hasattr(ops, "nothing")


def test_the_hints_are_right():
    spaces = {"ops": ops, "ms": ms, "mint": mint}
    for name, hint in _FUNCTIONS.items():
        if not hasattr(ops, name):
            for word in hint.replace("(", " ").replace(",", " ").split():
                space, _, attribute = word.partition(".")
                assert space not in spaces or hasattr(spaces[space], attribute), (name, hint)


def test_modules_and_methods_of_other_libraries(monkeypatch):
    monkeypatch.delattr(ms, "scipy", raising=False)  # which other tests import
    with pytest.raises(AttributeError, match=r"hint: import cellgrad\.scipy"):
        ms.scipy.fft  # noqa: B018
    for name, hint in (("named_parameters", "parameters_and_names()"), ("to", "to_float")):
        with pytest.raises(AttributeError) as caught:
            getattr(nn.ReLU(), name)
        assert hint in str(caught.value)
    with pytest.raises(KeyError) as caught:
        nn.Adam(nn.Dense(2, 2).trainable_params(), lr=0.1)
    assert "hint: write learning_rate=..." in str(caught.value)


def test_an_empty_gradient_is_told_of():
    notices.forget()
    with pytest.warns(UserWarning) as told:
        assert ms.grad(square)(3.0) == ()
    assert "position 0 is of type float, a constant" in str(told[0].message)
    assert "hint: pass ms.Tensor(3.0)" in str(told[0].message)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ms.grad(square)(x)
        ms.grad(lambda x, n: x * n, (0, 1))(x, 3.0)  # one has a gradient, as in MindSpore


# --- weights ----------------------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(2, 2)
        self.left_out = ms.Parameter(Tensor([1.0]))
        self.layers = []
        self.layers.append(nn.Dense(2, 2))
        self.by_name = {"b": nn.Dense(2, 2)}
        self.same = [self.a]
        self.plain = [nn.ReLU(), 3]

    def construct(self, x):
        return self.layers[0](self.a(x))


def told(run):
    notices.forget()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
        run()
    assert all(w.filename == __file__ for w in found)
    return [str(w.message) for w in found]


def test_cells_in_plain_lists(mode):
    net = Net()
    first, second = told(lambda: net.trainable_params())
    assert first.startswith("'layers' of Net is a list that holds Cells: their Parameters are not")
    assert "hint: self.layers = nn.CellList(layers)" in first
    assert second.startswith("'by_name' of Net is a dict") and "nn.CellDict(by_name)" in second
    assert [m.split()[0] for m in told(lambda: nn.SequentialCell(net).trainable_params())] == [
        "'layers'",
        "'by_name'",
    ]
    assert told(lambda: nn.SequentialCell(nn.Dense(2, 2)).trainable_params()) == []


def test_weights_that_nothing_reads(mode):
    net = nn.SequentialCell(nn.Dense(2, 1), nn.Dense(1, 1))
    w, b = ms.Parameter(Tensor([1.0]), name="w"), ms.Parameter(Tensor([1.0]), name="b")
    weights = net.trainable_params()
    gradient = ms.grad(net, None, [*weights, w])
    (message,) = told(lambda: gradient(x))
    assert message.startswith(
        "'SequentialCell' does not read the weight 'w': its gradient is zero."
    )
    (message,) = told(lambda: ms.value_and_grad(lambda x: x * 2, 0, [w, b])(x))
    assert "does not read the weights 'w', 'b': their gradients are zero." in message
    assert told(lambda: ms.grad(net, None, weights)(x)) == []
    # What is read and has a zero gradient is no mistake, nor what is read by an inner function.
    assert told(lambda: ms.grad(lambda x: w * 0.0, None, [w])(x)) == []
    assert told(lambda: ms.grad(lambda x: ms.grad(lambda y: y * y * w)(x), None, [w])(x)) == []
    assert told(lambda: ms.grad(lambda x: w if x.sum() > 5 else b, None, [w, b])(x)) == []
