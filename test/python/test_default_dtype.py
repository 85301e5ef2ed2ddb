"""float64 for Python floats: what has the default dtype, and the warning where digits are lost."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import cellgrad as ms
import cellgrad.numpy as mnp
from cellgrad import Tensor, mint, nn, ops
from cellgrad.common.initializer import initializer
from cellgrad.core import notices

X = np.array([0.1, 0.2])
ATOMS = {
    "Tensor": lambda: Tensor(0.1),
    "list": lambda: Tensor([0.1, 0.7]),
    "zeros": lambda: ops.zeros(2),
    "ones": lambda: ops.ones((2, 1)),
    "full": lambda: ops.full((2,), 0.1),
    "eye": lambda: ops.eye(2),
    "linspace": lambda: ops.linspace(0, 1, 4),
    "logspace": lambda: ops.logspace(0, 1, 4),
    "arange": lambda: ops.arange(0, 1, 0.1),
    "randn": lambda: ops.randn(2),
    "rand": lambda: ops.rand(2),
    "normal": lambda: ops.normal((2,), 0.0, 1.0),
    "standard_normal": lambda: ops.standard_normal((2,)),
    "laplace": lambda: ops.standard_laplace((2,)),
    "key": lambda: ms.random.normal(ms.random.key(0), (2,)),
    "initializer": lambda: initializer("normal", [2, 2]),
    "Parameter": lambda: ms.Parameter(0.1),
    "int / int": lambda: Tensor(1) / Tensor(3),
    "int * float": lambda: Tensor(1) * 0.1,
    "sqrt": lambda: ops.sqrt(Tensor(2)),
    "astype": lambda: Tensor(2).astype(float),
}
CELLS = {
    "Dense": lambda: nn.Dense(2, 1),
    "Conv2d": lambda: nn.Conv2d(1, 2, 3),
    "BatchNorm1d": lambda: nn.BatchNorm1d(2),
    "LayerNorm": lambda: nn.LayerNorm((2,)),
    "GroupNorm": lambda: nn.GroupNorm(1, 2),
    "LSTM": lambda: nn.LSTM(2, 3),
    "GRUCell": lambda: nn.GRUCell(2, 3),
    "Embedding": lambda: nn.Embedding(3, 2),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2),
    "BiDense": lambda: nn.BiDense(2, 2, 2),
    "PReLU": lambda: nn.PReLU(),
    "Linear": lambda: mint.nn.Linear(2, 3),
    "BatchNorm2d of mint": lambda: mint.nn.BatchNorm2d(2),
    "EmbeddingLookup": lambda: nn.EmbeddingLookup(3, 2),
}


@pytest.mark.parametrize("name", ATOMS)
def test_tensors_have_the_default_dtype(name):
    assert ATOMS[name]().dtype is ms.float32
    with ms.default_dtype(ms.float64):
        assert ATOMS[name]().dtype is ms.float64
    assert ATOMS[name]().dtype is ms.float32


@pytest.mark.parametrize("name", CELLS)
def test_parameters_have_the_default_dtype(name):
    with ms.default_dtype(ms.float64):
        wide = CELLS[name]()
    for net, dtype in ((wide, ms.float64), (CELLS[name](), ms.float32)):
        counters = [p for p in net.get_parameters() if p.name == "num_batches_tracked"]
        assert {p.dtype for p in net.get_parameters() if not any(p is c for c in counters)} == {
            dtype
        }
        assert {p.dtype for p in counters} <= {ms.int64}


def test_running_statistics_have_all_digits():
    x = np.random.default_rng(0).normal(size=(3, 2, 4, 4))
    with ms.default_dtype(ms.float64):
        layer = mint.nn.BatchNorm2d(2).set_train()
        layer(Tensor(x))
    wanted = 0.9 + 0.1 * x.var((0, 2, 3), ddof=1)
    np.testing.assert_allclose(layer.running_var.asnumpy(), wanted, rtol=1e-15)


def test_what_has_a_dtype_keeps_it():
    with ms.default_dtype(ms.float64):
        assert Tensor(0.1, ms.float32).dtype is ms.float32
        assert (Tensor(np.ones(2, np.float32)) * 0.1).dtype is ms.float32
        assert ops.zeros(2, ms.float16).dtype is ms.float16
        assert nn.Dense(2, 1, dtype=ms.float32).weight.dtype is ms.float32


def test_digits_are_those_of_float64(mode):
    with ms.default_dtype(ms.float64):
        assert (Tensor(0.1) * Tensor(X)).asnumpy().tolist() == (0.1 * X).tolist()
        assert ops.linspace(0, 1, 7).asnumpy().tolist() == np.linspace(0, 1, 7).tolist()
        gradient = ms.grad(lambda x: (Tensor(0.1) * x * x).sum())(Tensor([0.3, 0.4]))
    np.testing.assert_allclose(gradient.asnumpy(), 0.2 * np.array([0.3, 0.4]), rtol=1e-15)


def test_compiled_code_follows_the_switch():
    third = ms.jit(lambda n: n / 3)
    n = Tensor(1)
    assert third(n).dtype is ms.float32
    with ms.default_dtype(ms.float64):
        assert third(n).item() == 1 / 3
    assert third(n).dtype is ms.float32


def test_numbers_that_a_loop_carries():
    @ms.jit
    def total(n):
        sum_, i = 0.0, 0
        while i < n:
            sum_, i = sum_ + 0.1, i + 1
        return sum_

    with ms.default_dtype(ms.float64):
        assert total(Tensor(3)).item() == 0.1 + 0.1 + 0.1
    assert total(Tensor(3)).dtype is ms.float32


@pytest.mark.parametrize("make", [nn.Adam, nn.SGD, lambda p, r: nn.Momentum(p, r, 0.9), nn.Lamb])
def test_optimizers_compute_in_it(make):
    with ms.default_dtype(ms.float64):
        w = ms.Parameter(Tensor([0.5, -0.25]), name="w")
        optimizer = make([w], 0.1)
        floats = [p for p in optimizer.get_parameters() if p.dtype is not ms.int32]
        assert {p.dtype for p in floats} == {ms.float64}
        step = ms.value_and_grad(lambda: (w * w).sum(), None, [w])
        first = step()[0]
        for _ in range(3):
            optimizer(step()[1])
        assert w.dtype is ms.float64 and step()[0] < first


def test_momentum_as_numpy_computes_it():
    w, v = np.array([0.5, -0.25]), np.zeros(2)
    for _ in range(5):
        v = 0.9 * v + 2 * w
        w = w - 0.1 * v
    with ms.default_dtype(ms.float64):
        p = ms.Parameter(Tensor([0.5, -0.25]), name="w")
        optimizer = nn.Momentum([p], 0.1, 0.9)
        step = ms.grad(lambda: (p * p).sum(), None, [p])
        for _ in range(5):
            optimizer(step())
    np.testing.assert_allclose(p.asnumpy(), w, rtol=1e-14)


def test_a_learning_rate_as_a_list():
    with ms.default_dtype(ms.float64):
        p = ms.Parameter(Tensor([0.5]), name="w")
        optimizer = nn.SGD([p], [0.1, 0.3])
        for _ in range(2):
            optimizer((Tensor([1.0]),))
    np.testing.assert_allclose(p.asnumpy(), [0.5 - 0.1 - 0.3], rtol=1e-15)


def test_a_function_may_be_decorated():
    @ms.default_dtype(ms.float64)
    def make():
        return Tensor(0.1)

    assert make().dtype is ms.float64 and Tensor(0.1).dtype is ms.float32


def test_another_dtype_is_refused():
    for wrong in (ms.float16, ms.int32, "float64", None):
        with pytest.raises(ValueError, match="'dtype' must be float32 or float64"):
            ms.set_default_dtype(wrong)
    assert ms.get_default_dtype() is ms.float32


@pytest.mark.parametrize("value, printed", [("float64", "Float64"), ("float32", "Float32")])
def test_the_environment_says_it(value, printed):
    code = "import cellgrad as ms; print(ms.Tensor(0.1).dtype)"
    env = {**os.environ, "CELLGRAD_DEFAULT_DTYPE": value}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert run.stdout.strip() == printed, run.stderr


def test_the_environment_says_nonsense():
    env = {**os.environ, "CELLGRAD_DEFAULT_DTYPE": "double"}
    run = subprocess.run(
        [sys.executable, "-c", "import cellgrad"], env=env, capture_output=True, text=True
    )
    assert run.returncode and "For 'CELLGRAD_DEFAULT_DTYPE'" in run.stderr


# --- the warning ------------------------------------------------------------------------------

x, x32, tenth = Tensor(X), Tensor([0.3, 0.7]), Tensor(0.1)
product = ms.jit(lambda x, a: (a * x).sum())


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c = Tensor(0.3)

    def construct(self, x):
        return self.c * x


MEETINGS = {
    "a number": (1, lambda: Tensor(0.1) * x),
    "a list": (1, lambda: x - Tensor([0.1, 0.5])),
    "a comparison": (1, lambda: x > Tensor(0.1)),
    "from around": (1, lambda: ms.jit(lambda x: tenth * x)(x)),
    "inside": (1, lambda: ms.jit(lambda x: Tensor(0.1) * x)(x)),
    "an attribute": (1, lambda: Scaled()(x)),
    "an argument": (1, lambda: product(x, tenth)),
    "by grad": (1, lambda: ms.grad(product)(x, tenth)),
    "by grad of grad": (1, lambda: ms.grad(lambda x, a: ms.grad(product)(x, a).sum())(x, tenth)),
    "exact in float32": (0, lambda: Tensor(0.5) * x),
    "whole numbers": (0, lambda: Tensor([1, 2.5]) * x),
    "infinite": (0, lambda: Tensor([float("inf"), float("nan")]) * x),
    "asked for": (0, lambda: Tensor(0.1, ms.float32) * x),
    "from an array": (0, lambda: Tensor(np.float32(0.1)) * x),
    "computed": (0, lambda: (tenth * 2) * x),
    "a bare number": (0, lambda: 0.1 * x),
    "float32 alone": (0, lambda: tenth * x32),
    "an argument from an array": (0, lambda: product(x, Tensor(np.float32(0.1)))),
}


@pytest.mark.parametrize("name", MEETINGS)
def test_lost_digits_are_told_once(name, mode):
    count, run = MEETINGS[name]
    product(x, Tensor(np.float32(0.1)))  # compiled before, without a warning
    notices.forget()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
        run()
    assert len(found) == count
    for warning in found:
        assert warning.filename == __file__
        assert "meets a float64 tensor" in str(warning.message)
        assert "hint: give it a dtype" in str(warning.message)


def test_no_lost_digits_under_the_default():
    notices.forget()
    with warnings.catch_warnings(), ms.default_dtype(ms.float64):
        warnings.simplefilter("error")
        assert (Tensor(0.1) * x).asnumpy().tolist() == (0.1 * X).tolist()


def test_numpy_follows_the_switch():
    with ms.default_dtype(ms.float64):
        for got, wanted in (
            (mnp.array([0.1, 0.3]), np.array([0.1, 0.3])),
            (mnp.linspace(0, 1, 7), np.linspace(0, 1, 7)),
            (mnp.sqrt(Tensor([2, 3])), np.sqrt([2, 3])),
            (mnp.divide(Tensor([1]), 3), np.array([1 / 3])),
            (mnp.polyval([0.1, 0.2], 0.3), np.polyval([0.1, 0.2], 0.3)),
            (ops.real(ops.fft(Tensor([1, 2, 4]))), np.fft.fft([1, 2, 4]).real),
            (mnp.float_power(Tensor([2]), Tensor([-3])), np.array([0.125])),
        ):
            assert got.dtype == ms.float64
            np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-15)


def test_optimizers_of_mint_compute_in_it():
    """AdamW by its formula in numpy, with the rate of a schedule: to the last digits of float64."""
    start, slope = np.array([1.0, -2.0, 0.3]), lambda p: np.sin(p) + p
    with ms.default_dtype(ms.float64):
        p = ms.Parameter(Tensor(start), name="p")
        optimizer = ms.mint.optim.AdamW([p], lr=0.05, betas=(0.8, 0.999), weight_decay=0.2)
        schedule = ms.experimental.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        for _ in range(6):
            optimizer((Tensor(slope(p.asnumpy())),))
            schedule.step()
    w, m, v = start.copy(), np.zeros(3), np.zeros(3)
    for t in range(1, 7):
        rate, g = 0.05 * 0.9 ** (t - 1), slope(w)
        w *= 1 - rate * 0.2
        m, v = 0.8 * m + 0.2 * g, 0.999 * v + 0.001 * g * g
        w -= rate / (1 - 0.8**t) * m / (np.sqrt(v) / np.sqrt(1 - 0.999**t) + 1e-8)
    np.testing.assert_allclose(p.asnumpy(), w, rtol=1e-13)
