"""Complex tensors: values against numpy, derivatives against closed forms and MindSpore's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, mint, ops

Z = np.array([1 + 2j, -0.5 + 0.3j, 0.2 - 1.5j])
W = np.array([0.3 - 1j, 2 + 1j, 1 + 1j])
R = np.array([1.0, 2.0, 3.0])


# --- elementwise functions --------------------------------------------------------------------

# Each with numpy's function and its first and second derivative.
HOLOMORPHIC = {
    "exp": (np.exp, np.exp, np.exp),
    "expm1": (np.expm1, np.exp, np.exp),
    "exp2": (np.exp2, lambda z: np.log(2) * 2**z, lambda z: np.log(2) ** 2 * 2**z),
    "log": (np.log, lambda z: 1 / z, lambda z: -1 / z**2),
    "log1p": (np.log1p, lambda z: 1 / (1 + z), lambda z: -1 / (1 + z) ** 2),
    "log2": (np.log2, lambda z: 1 / z / np.log(2), lambda z: -1 / z**2 / np.log(2)),
    "log10": (np.log10, lambda z: 1 / z / np.log(10), lambda z: -1 / z**2 / np.log(10)),
    "sqrt": (np.sqrt, lambda z: 0.5 / np.sqrt(z), lambda z: -0.25 / np.sqrt(z) / z),
    "rsqrt": (
        lambda z: 1 / np.sqrt(z),
        lambda z: -0.5 / np.sqrt(z) / z,
        lambda z: 0.75 / np.sqrt(z) / z**2,
    ),
    "reciprocal": (lambda z: 1 / z, lambda z: -1 / z**2, lambda z: 2 / z**3),
    "square": (np.square, lambda z: 2 * z, lambda z: 2 + 0 * z),
    "neg": (np.negative, lambda z: -1 + 0 * z, lambda z: 0 * z),
    "sin": (np.sin, np.cos, lambda z: -np.sin(z)),
    "cos": (np.cos, lambda z: -np.sin(z), lambda z: -np.cos(z)),
    "tan": (np.tan, lambda z: np.cos(z) ** -2, lambda z: 2 * np.tan(z) / np.cos(z) ** 2),
    "sinh": (np.sinh, np.cosh, np.sinh),
    "cosh": (np.cosh, np.sinh, np.cosh),
    "tanh": (np.tanh, lambda z: np.cosh(z) ** -2, lambda z: -2 * np.tanh(z) / np.cosh(z) ** 2),
    "asin": (np.arcsin, lambda z: 1 / root(z), lambda z: z / root(z) ** 3),
    "acos": (np.arccos, lambda z: -1 / root(z), lambda z: -z / root(z) ** 3),
    "atan": (np.arctan, lambda z: 1 / (1 + z * z), lambda z: -2 * z / (1 + z * z) ** 2),
    "asinh": (np.arcsinh, lambda z: 1 / root(1j * z), lambda z: -z / root(1j * z) ** 3),
    "acosh": (
        np.arccosh,
        lambda z: 1 / np.sqrt(z - 1) / np.sqrt(z + 1),
        lambda z: -z / (np.sqrt(z - 1) * np.sqrt(z + 1)) ** 3,
    ),
    "atanh": (np.arctanh, lambda z: 1 / (1 - z * z), lambda z: 2 * z / (1 - z * z) ** 2),
    "sigmoid": (
        lambda z: 1 / (1 + np.exp(-z)),
        lambda z: np.cosh(z / 2) ** -2 / 4,
        lambda z: -np.tanh(z / 2) / np.cosh(z / 2) ** 2 / 4,
    ),
}


def root(z):
    """sqrt(1 - z**2), continuous off the real axis beyond 1."""
    return np.sqrt(1 - z) * np.sqrt(1 + z)


def spread(count):
    rng = np.random.default_rng(3)
    size = 10.0 ** rng.uniform(-3, 0.7, (2, count)) * rng.choice([-1, 1], (2, count))
    return size[0] + 1j * size[1]


# Off the branch cuts, but on the axes, the diagonals and the unit circle, where formulas have seams.
SEAMS = np.array(
    [
        *(
            0.5,
            0.25j,
            -0.25j,
            0.3 + 0.3j,
            0.3 - 0.3j,
            0.6 + 0.8j,
            0.8 - 0.6j,
            1 + 1j,
            2 - 2j,
            1 + 2j,
        ),
        *(
            1 - 0.5j,
            -1 + 0.5j,
            -1 - 2j,
            -0.7 + 0.7j,
            -3 - 3j,
            1e-3 + 1e-9j,
            -1e-9 + 1e-3j,
            0.0 + 0.5j,
        ),
    ]
)


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_functions_and_their_derivatives(name):
    function, first, second = HOLOMORPHIC[name]
    of = getattr(ops, name)
    z = spread(500)
    np.testing.assert_allclose(of(Tensor(z)).asnumpy(), function(z), 5e-14, 1e-16)
    if name in ("exp", "log", "sqrt", "tanh", "asin", "sigmoid"):
        single = of(Tensor(z.astype(np.complex64)))
        assert single.dtype is ms.complex64
        np.testing.assert_allclose(
            single.asnumpy(), function(z.astype(np.complex64).astype(complex)), 4e-6
        )
    z = np.concatenate([SEAMS, z[:50]])
    if name == "acosh":  # real ones below 1 are on its cut
        z = z[(z.imag != 0) | (z.real > 1)]
    slope = ms.grad(of)
    np.testing.assert_allclose(slope(Tensor(z)).asnumpy(), np.conj(first(z)), 1e-10, 1e-13)
    again = ms.grad(lambda z: slope(z).conj())(Tensor(z)).asnumpy()
    np.testing.assert_allclose(again, np.conj(second(z)), 1e-9, 1e-12)


FINITE = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 1e-10, 30.0, -30.0, 700.0, 1e150, -1e200, 1e-200]


@pytest.mark.parametrize(
    "name",
    [
        "exp",
        "log",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "asin",
        "acos",
        "atan",
        "asinh",
        "acosh",
        "atanh",
        "abs",
        "angle",
    ],
)
def test_signed_zeros_large_and_small_numbers(name):
    z = np.empty(len(FINITE) ** 2, complex)
    z.real, z.imag = np.repeat(FINITE, len(FINITE)), np.tile(FINITE, len(FINITE))
    with np.errstate(all="ignore"):
        expected = HOLOMORPHIC[name][0](z) if name in HOLOMORPHIC else getattr(np, name)(z)
    found = getattr(ops, name)(Tensor(z)).asnumpy()
    for part in (np.real, np.imag):
        np.testing.assert_allclose(part(found), part(expected), 1e-13, 1e-300)
        zero = (part(expected) == 0) & ((z.real == 0) | (z.imag == 0)) & (name in ("sqrt", "angle"))
        assert (np.signbit(part(found)) == np.signbit(part(expected)))[zero].all()


def test_infinities():
    inf, nan = np.inf, np.nan
    for name, z, expected in [
        ("exp", complex(inf, 0), complex(inf, 0)),
        ("exp", complex(-inf, inf), 0),
        ("exp", complex(-inf, nan), 0),
        ("log", complex(inf, 1), complex(inf, 0)),
        ("log", 0j, complex(-inf, 0)),
        ("sqrt", complex(nan, inf), complex(inf, inf)),
        ("sqrt", complex(-inf, 1), complex(0, inf)),
        ("tanh", complex(inf, 1), 1),
        ("tanh", complex(-inf, inf), -1),
        ("abs", complex(nan, -inf), inf),
        ("abs", complex(1e200, 1e200), 2**0.5 * 1e200),
        ("angle", complex(-inf, inf), 0.75 * np.pi),
        ("atan", complex(inf, 0), np.pi / 2),
    ]:
        found = getattr(ops, name)(Tensor(np.array([z]))).asnumpy()
        np.testing.assert_allclose(found, [expected], 1e-14, err_msg=f"{name}({z})")


def test_predicates():
    z = np.array([1, complex(np.nan, 0), complex(0, np.inf), complex(np.nan, np.inf)])
    for name in ("isnan", "isinf", "isfinite"):
        np.testing.assert_array_equal(getattr(ops, name)(Tensor(z)).asnumpy(), getattr(np, name)(z))
    np.testing.assert_array_equal(ops.isreal(Tensor(z)).asnumpy(), [True, True, False, False])
    assert (
        ops.is_complex(Tensor(z))
        and Tensor(z).is_complex()
        and not ops.is_floating_point(Tensor(z))
    )


# --- arithmetic -------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
def test_arithmetic_and_promotion(op):
    numpy_op = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[op]
    of = getattr(ops, op)
    c64, c128 = Z.astype(np.complex64), Z
    reals = [R.astype(t) for t in (np.float16, np.float32, np.int32, np.int64)]
    for a, b, dtype in [
        (c64, W.astype(np.complex64), ms.complex64),
        (c64, W, ms.complex128),
        *((c64, r, ms.complex64) for r in reals),
        *((r, c64, ms.complex64) for r in reals),
        (c64, R, ms.complex128),  # beside float64
        (c128, R.astype(np.float32), ms.complex128),
        (c64, np.array([True, True, True]), ms.complex64),
    ]:
        found = of(Tensor(a), Tensor(b))
        assert found.dtype is dtype
        np.testing.assert_allclose(found.asnumpy(), numpy_op(a, b), 3e-7)
    for number in (2, 1.5, 1 - 2j):
        found = of(Tensor(c64), number), of(number, Tensor(c64))
        assert [t.dtype for t in found] == [ms.complex64] * 2
        np.testing.assert_allclose(found[0].asnumpy(), numpy_op(c64, number), 3e-7)
        np.testing.assert_allclose(found[1].asnumpy(), numpy_op(number, c64), 3e-7)
    for real, dtype in (
        (np.float32, ms.complex64),
        (np.float64, ms.complex128),
        (np.int32, ms.complex64),
    ):
        found = of(Tensor(R.astype(real)), 1 - 2j)
        assert found.dtype is dtype
        np.testing.assert_allclose(found.asnumpy(), numpy_op(R, 1 - 2j), 3e-7)


def test_quotients_neither_overflow_nor_underflow():
    for x, y in [
        (1e200 + 1e200j, 1e200 + 2e200j),
        (1e-200 + 1e-200j, 3e-200 - 1e-200j),
        (1j, 1e300j),
    ]:
        np.testing.assert_allclose((Tensor([x]) / Tensor([y])).asnumpy(), [np.divide(x, y)], 1e-15)
        np.testing.assert_allclose(ops.reciprocal(Tensor([y])).asnumpy(), [np.divide(1, y)], 1e-15)
    with np.errstate(all="ignore"):
        assert not np.isfinite((Tensor([1 + 2j]) / Tensor([0j])).asnumpy()).any()


def test_powers():
    for exponent in (1, 2, 3, 4, 2.0, -1, 0.5, 7, 0, 1 - 1j):
        np.testing.assert_allclose((Tensor(Z) ** exponent).asnumpy(), Z**exponent, 1e-13)
    np.testing.assert_allclose((Tensor(Z) ** Tensor(W)).asnumpy(), Z**W, 1e-13)
    np.testing.assert_allclose((2.0 ** Tensor(Z)).asnumpy(), 2.0**Z, 1e-13)
    zeros = Tensor(np.zeros(3, complex)) ** Tensor([0j, 2 + 1j, 0.5])
    np.testing.assert_array_equal(zeros.asnumpy(), [1, 0, 0])
    slopes = ms.grad(lambda z, w: z**w, (0, 1))(Tensor(Z), Tensor(W))
    np.testing.assert_allclose(slopes[0].asnumpy(), np.conj(W * Z ** (W - 1)), 1e-12)
    np.testing.assert_allclose(slopes[1].asnumpy(), np.conj(Z**W * np.log(Z)), 1e-12)


def test_comparisons():
    z = Tensor(Z)
    np.testing.assert_array_equal((z == z).asnumpy(), [True] * 3)
    np.testing.assert_array_equal((z == (1 + 2j)).asnumpy(), [True, False, False])
    np.testing.assert_array_equal((z != Tensor(Z.real)).asnumpy(), [True] * 3)
    assert bool(Tensor(1j)) and not bool(Tensor(0j))
    assert ops.isclose(z, z + 1e-9j).all() and not ops.isclose(z, z + 1e-2j).any()


# --- derivatives: the convention --------------------------------------------------------------

# What MindSpore 2.10 gives in PyNative mode for complex64; its graph mode has the same.
RECORDED = {
    "abs": (
        lambda z: ops.abs(z),
        [0.4472136 + 0.8944272j, -0.8574929 + 0.5144958j, 0.1321637 - 0.9912279j],
    ),
    "real": (ops.real, [1, 1, 1]),
    "imag": (ops.imag, [1j, 1j, 1j]),
    "conj": (ops.conj, [1, 1, 1]),
    "angle": (ops.angle, [-0.4 + 0.2j, -0.8823529 - 1.4705882j, 0.655022 + 0.0873362j]),
    "exp": (ops.exp, [-1.1312044 - 2.4717267j, 0.5794409 - 0.1792421j, 0.0863986 + 1.2183431j]),
    "sqrt": (ops.sqrt, [0.2844322 + 0.1757888j, 0.1747848 + 0.631028j, 0.3058093 - 0.2677411j]),
    "tanh": (ops.tanh, [-0.3020015 - 0.568103j, 0.8106256 - 0.2365918j, -16.937656 - 13.975062j]),
    "asin": (ops.asin, [0.3884435 - 0.1608985j, 1.0432948 + 0.180713j, 0.5510141 + 0.0510545j]),
    "sum": (lambda z: ops.sum(z), [1, 1, 1]),
    "neg": (lambda z: -z, [-1, -1, -1]),
    "astype": (lambda z: z.astype(ms.float32), [1, 1, 1]),
}


@pytest.mark.parametrize("name", RECORDED)
def test_gradients_are_mindspores(name):
    function, expected = RECORDED[name]
    found = ms.grad(function)(Tensor(Z.astype(np.complex64)))
    assert found.dtype is ms.complex64
    np.testing.assert_allclose(found.asnumpy(), expected, 3e-6)


def test_gradients_of_two_operands_are_mindspores():
    z, w = Tensor(Z), Tensor(W)
    found = ms.grad(lambda z, w: z / w, (0, 1))(z, w)
    np.testing.assert_allclose(
        found[0].asnumpy(), [0.275229 - 0.917431j, 0.4 + 0.2j, 0.5 + 0.5j], 2e-5
    )
    np.testing.assert_allclose(
        found[1].asnumpy(), [1.77594 - 1.02685j, 0.012 + 0.116j, 0.75 - 0.1j], 2e-5
    )
    found = ms.grad(lambda z, w: ops.matmul(z.reshape(1, 3), w.reshape(3, 1)), (0, 1))(z, w)
    np.testing.assert_allclose(found[0].asnumpy(), W.conj(), 1e-12)
    np.testing.assert_allclose(found[1].asnumpy(), Z.conj(), 1e-12)
    by_real = ms.grad(lambda z, r: z * r, (0, 1))(z, Tensor(R))
    assert by_real[1].dtype is ms.float64  # the gradient by a real operand is real
    np.testing.assert_allclose(by_real[1].asnumpy(), Z.real)


def energy(z, w):
    return ops.real(ops.abs(z * w - ops.exp(z)) ** 2 + ops.real(z / w)).sum()


def test_gradients_of_real_functions_against_differences(mode):
    found = ms.grad(energy, (0, 1))(Tensor(Z), Tensor(W))
    h = 1e-6
    for k, g in enumerate(found):
        for i in range(3):
            for unit, slope in ((1, g.asnumpy()[i].real), (1j, g.asnumpy()[i].imag)):
                step = np.zeros((2, 3), complex)
                step[k, i] = h * unit
                up, down = (
                    energy(Tensor(Z + s * step[0]), Tensor(W + s * step[1])) for s in (1, -1)
                )
                assert abs((up.item() - down.item()) / (2 * h) - slope) < 1e-7 * (1 + abs(slope))


def test_hessian_along_a_direction(mode):
    v = np.array([0.3 - 0.1j, 1j, -0.7])
    gradient = ms.grad(energy)
    _, pushed = ms.jvp(lambda z: gradient(z, Tensor(W)), Tensor(Z), Tensor(v))
    h = 1e-5
    up, down = (gradient(Tensor(Z + s * h * v), Tensor(W)).asnumpy() for s in (1, -1))
    np.testing.assert_allclose(pushed.asnumpy(), (up - down) / (2 * h), 1e-8)


def test_sens_is_complex():
    sens = np.array([1j, 2, 1 - 1j])
    found = ms.ops.GradOperation(sens_param=True)(lambda z: z * z)(Tensor(Z), Tensor(sens))
    np.testing.assert_allclose(found.asnumpy(), np.conj(2 * Z) * sens)
    with pytest.raises(TypeError, match="must have a complex dtype"):
        ms.ops.GradOperation(sens_param=True)(lambda z: z * z)(Tensor(Z), Tensor(R))


def test_derivatives_at_zero():
    zero = Tensor([0j])
    assert ms.grad(ops.abs)(zero).asnumpy() == 0
    assert ms.grad(ops.angle)(zero).asnumpy() == 0
    assert np.isnan(ms.grad(ops.sqrt)(zero).asnumpy()).all()


@pytest.mark.parametrize("dtype, close", [(np.complex64, 3e-6), (np.complex128, 1e-14)])
@pytest.mark.parametrize("name, turn", [("tanh", 1), ("tan", 1j)])
def test_derivatives_beside_poles(name, turn, dtype, close):
    """At an imaginary part of pi / 2, where tan is infinite, tanh is smooth but for its pole."""
    far = np.array([0.5, 1.0, 2.0, -2.0, 5.0, 15.0, 20.0, 25.0])
    z = (far[:, None] + 1j * (np.pi / 2 + np.array([0.0, 1e-7, -1e-5, 1e-3, np.pi]))).ravel()
    z = (z * turn).astype(dtype)
    slope = ms.grad(lambda z: ops.real(getattr(ops, name)(z)).sum())
    second = ms.grad(lambda z: ops.real(slope(z)).sum())
    x = z.astype(np.complex128) / turn
    for found, wanted in (
        (slope(Tensor(z)), 1 / np.cosh(x) ** 2),
        (second(Tensor(z)), -2 * np.sinh(x) / np.cosh(x) ** 3 / turn),
    ):
        np.testing.assert_allclose(found.asnumpy(), np.conj(wanted), close, close)


@pytest.mark.parametrize("name, turn", [("atanh", 1), ("atan", 1j)])
@pytest.mark.parametrize(
    "dtype, most, close", [(np.complex64, 38, 1e-6), (np.complex128, 300, 1e-14)]
)
def test_inverse_tangents_far_from_0(name, turn, dtype, most, close):
    """There 1 / z is all that is left beside a quarter turn: atanh(z) = 1 / z + 1 / (3 z ** 3) + ... + i pi / 2."""
    sizes = 10.0 ** np.array([4, 5, 9, 15, 19, 20, 30, most])
    angles = np.exp(1j * np.array([0.0, 0.3, 1.5, 2.0, 3.1, -0.1, -1.6, -3.0]))
    z = (2.0 * sizes[:, None] * angles).ravel().astype(dtype)
    x = z.astype(np.complex128)  # the argument of atanh
    quarter = np.where(np.signbit(x.imag), -np.pi / 2, np.pi / 2)
    wanted = (1 / x + (1 / x) ** 3 / 3 + 1j * quarter) / turn
    given = Tensor((x / turn).astype(dtype))
    function = getattr(ops, name)
    np.testing.assert_allclose(function(given).asnumpy(), wanted, close, 1e-44)
    slope = ms.grad(lambda z: ops.real(function(z)).sum())(given).asnumpy()
    np.testing.assert_allclose(slope, np.conj(1 / (1 - x) / (1 + x)), close, 1e-44)


# --- structure, sums and products -------------------------------------------------------------

M = (np.arange(6).reshape(2, 3) + 1) * (0.5 - 0.25j) + 1j
N = (np.arange(12).reshape(3, 4) - 5) * (1 + 0.5j)
INDEX = np.array([1, 0, 1])

STRUCTURE = {
    "reshape": (lambda x: x.reshape(3, 2), lambda x: x.reshape(3, 2)),
    "transpose": (lambda x: ops.transpose(x, (1, 0)), lambda x: x.T),
    "adjoint": (ops.adjoint, lambda x: x.conj().T),
    "mH": (lambda x: x.mH, lambda x: x.conj().T),
    "broadcast": (
        lambda x: ops.broadcast_to(x, (2, 2, 3)),
        lambda x: np.broadcast_to(x, (2, 2, 3)),
    ),
    "slice": (lambda x: x[:, ::-1][0:1], lambda x: x[:, ::-1][0:1]),
    "element": (lambda x: x[1, 2], lambda x: x[1, 2]),
    "index": (lambda x: x[Tensor(INDEX)], lambda x: x[INDEX]),
    "gather": (lambda x: ops.gather(x, Tensor(INDEX), 1), lambda x: x[:, INDEX]),
    "concat": (lambda x: ops.concat((x, 1j * x), 1), lambda x: np.concatenate((x, 1j * x), 1)),
    "stack": (lambda x: ops.stack((x, -x)), lambda x: np.stack((x, -x))),
    "split": (lambda x: ops.split(x, 2, 1)[1], lambda x: x[:, 2:]),
    "tile": (lambda x: ops.tile(x, (2, 1)), lambda x: np.tile(x, (2, 1))),
    "flip": (lambda x: ops.flip(x, (1,)), lambda x: x[:, ::-1]),
    "roll": (lambda x: ops.roll(x, 1, 1), lambda x: np.roll(x, 1, 1)),
    "pad": (lambda x: ops.pad(x, (1, 2)), lambda x: np.pad(x, ((0, 0), (1, 2)))),
    "tril": (ops.tril, np.tril),
    "diag": (lambda x: ops.diag(x[0]), lambda x: np.diag(x[0])),
    "squeeze": (lambda x: x.expand_dims(0).squeeze(0), lambda x: x),
    "repeat": (lambda x: ops.repeat_interleave(x, 2, 1), lambda x: np.repeat(x, 2, 1)),
    "where": (
        lambda x: ops.where(ops.real(x) > 1.2, x, 0.0),
        lambda x: np.where(x.real > 1.2, x, 0),
    ),
    "masked_fill": (
        lambda x: ops.masked_fill(x, ops.imag(x) > 0.6, 0),
        lambda x: np.where(x.imag > 0.6, 0, x),
    ),
    "sum": (lambda x: ops.sum(x, 1), lambda x: x.sum(1)),
    "mean": (lambda x: ops.mean(x), lambda x: x.mean()),
    "prod": (lambda x: ops.prod(x, 1), lambda x: x.prod(1)),
    "cumsum": (lambda x: ops.cumsum(x, 1), lambda x: x.cumsum(1)),
    "cumprod": (lambda x: ops.cumprod(x, 1), lambda x: x.cumprod(1)),
    "trace": (lambda x: ops.trace(x), lambda x: np.trace(x)),
    "norm": (lambda x: ops.norm(x), lambda x: np.linalg.norm(x)),
    "vector_norm": (
        lambda x: ops.vector_norm(x, 3, 1),
        lambda x: np.linalg.norm(x, 3, 1),
    ),
    "matrix_norm": (lambda x: ops.matrix_norm(x, 1), lambda x: np.linalg.norm(x, 1)),
    "matmul": (lambda x: x @ Tensor(N), lambda x: x @ N),
    "matmul by real": (lambda x: x @ Tensor(N.real), lambda x: x @ N.real),
    "einsum": (
        lambda x: ops.einsum("ij,jk->ki", x, Tensor(N)),
        lambda x: np.einsum("ij,jk->ki", x, N),
    ),
    "inverse": (
        lambda x: ops.inverse(x[:, :2]),
        lambda x: np.linalg.inv(x[:, :2]),
    ),
    "matrix_solve": (
        lambda x: ops.matrix_solve(x[:, 1:], x[:, :1]),
        lambda x: np.linalg.solve(x[:, 1:], x[:, :1]),
    ),
    "solve with the adjoint": (
        lambda x: ops.matrix_solve(x[:, 1:], x, True),
        lambda x: np.linalg.solve(x[:, 1:].conj().T, x),
    ),
    "matrix_power": (
        lambda x: ops.matrix_power(x[:, :2], -3),
        lambda x: np.linalg.matrix_power(x[:, :2], -3),
    ),
    "outer": (lambda x: ops.outer(x[0], x[1]), lambda x: np.outer(x[0], x[1])),
    "inner": (lambda x: ops.inner(x[0], x[1]), lambda x: np.inner(x[0], x[1])),
    "vecdot": (lambda x: ops.vecdot(x[0], x[1]), lambda x: np.vdot(x[0], x[1])),
    "vdot": (lambda x: mint.vdot(x[0], x[1]), lambda x: np.vdot(x[0], x[1])),
    "kron": (lambda x: ops.kron(x, x), lambda x: np.kron(x, x)),
    "cross": (lambda x: ops.cross(x[0], x[1]), lambda x: np.cross(x[0], x[1])),
    "addcmul": (lambda x: ops.addcmul(x, x, x), lambda x: x + x * x),
    "sgn": (ops.sgn, lambda x: x / np.abs(x)),
    "real": (ops.real, np.real),
    "imag": (ops.imag, np.imag),
    "conj": (ops.conj, np.conj),
    "view_as_real": (ops.view_as_real, lambda x: np.stack((x.real, x.imag), -1)),
    "all": (lambda x: ops.all(x), lambda x: x.all()),
    "count_nonzero": (lambda x: ops.count_nonzero(x), lambda x: np.count_nonzero(x)),
    "diff": (lambda x: ops.diff(x), lambda x: np.diff(x)),
    "addn": (lambda x: ops.addn([x, x]), lambda x: 2 * x),
}


@pytest.mark.parametrize("name", STRUCTURE)
def test_structure_sums_and_products(name):
    of, expected = STRUCTURE[name]
    found, wanted = of(Tensor(M)), np.asarray(expected(M))
    np.testing.assert_allclose(found.asnumpy(), wanted, 1e-13)
    assert found.asnumpy().dtype.kind == wanted.dtype.kind
    if wanted.dtype.kind not in "fc":
        return
    # Along a direction, against differences: forward mode, and the transposed reverse mode.
    rng = np.random.default_rng(1)
    v = rng.normal(size=M.shape) + 1j * rng.normal(size=M.shape)
    h = 1e-6
    slope = (np.asarray(expected(M + h * v)) - expected(M - h * v)) / (2 * h)
    value, pushed = ms.jvp(of, Tensor(M), Tensor(v))
    np.testing.assert_allclose(value.asnumpy(), wanted, 1e-13)
    np.testing.assert_allclose(pushed.asnumpy(), slope, 1e-6, 1e-8)
    u = rng.normal(size=wanted.shape)
    u = u + 1j * rng.normal(size=wanted.shape) if wanted.dtype.kind == "c" else u
    pulled = ms.ops.GradOperation(sens_param=True)(of)(Tensor(M), Tensor(u)).asnumpy()
    np.testing.assert_allclose(
        np.sum(np.real(np.conj(u) * slope)), np.sum(np.real(np.conj(pulled) * v)), 1e-6
    )


def test_a_jacobian_by_parts():
    jacobian = ms.jacfwd(lambda p: ops.view_as_real(ops.complex(p[0], p[1]) ** 2))
    np.testing.assert_array_equal(jacobian(Tensor([1.0, 2.0])).asnumpy(), [[2, -4], [4, 2]])


def test_layers_and_shapes_of_complex_numbers():
    """What numpy gives for the same sums and places."""
    x, w, b = np.array([[1j, 2]]), np.array([[1 + 1j, 3], [2, 1j]]), np.array([1j, -1])
    tx, tw, tb = Tensor(x), Tensor(w), Tensor(b)
    np.testing.assert_allclose(ops.dense(tx, tw, tb).asnumpy(), x @ w.T + b)
    np.testing.assert_array_equal(ops.bias_add(tx, tb).asnumpy(), x + b)
    np.testing.assert_array_equal(ops.matrix_band_part(tw, 0, -1).asnumpy(), np.triu(w))
    np.testing.assert_array_equal(
        ops.Padding(3)(tb.reshape(2, 1)).asnumpy(), np.pad(b[:, None], ((0, 0), (0, 2)))
    )
    mixed = ops.shuffle(tb).asnumpy()
    assert set(mixed.tolist()) == set(b.tolist())


def test_a_loop_reads_and_writes_elements_where_they_lie(tmp_path):
    """A trip that changes one number of many does not take all of them apart and put them together."""

    def f(z):
        for i in range(ms.Tensor(5)):
            z = ops.tensor_scatter_update(z, i.reshape(1, 1), z[i + 1].reshape(1) * 2)
        return z

    values = np.exp(1j * np.arange(40))
    z = ms.Tensor(values)
    for i in range(5):
        values[i] = values[i + 1] * 2
    np.testing.assert_array_equal(ms.jit(f)(z).asnumpy(), values)
    ms.export(ms.jit(f), z, file_name=str(tmp_path / "loop"), file_format="MLIR")
    text = (tmp_path / "loop.mlir").read_text()
    assert "scf.while" in text
    bodies = [f for f in text.split("func.func") if f.startswith(" private @f_body")]
    assert any("cell.scatter" in body for body in bodies)
    for body in bodies:
        assert not re.search(r"cell\.(slice|concat|reshape).*tensor<40x", body), body
