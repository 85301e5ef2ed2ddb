"""Bessel functions against mpmath: values and two derivatives, by the recurrences."""

import mpmath as mp
import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

NAMES = ["j0", "j1", "y0", "y1", "i0", "i1", "i0e", "i1e", "k0", "k1", "k0e", "k1e"]
FAMILY = {"j": mp.besselj, "y": mp.bessely, "i": mp.besseli, "k": mp.besselk}


def function(name):
    return getattr(ops, f"bessel_{name}")


def exact(name, x):
    """The value and two derivatives (Abramowitz and Stegun, 9.1.27 and 9.6.26)."""
    x, n, f = mp.mpf(float(x)), int(name[1]), FAMILY[name[0]]
    below, value, above = f(n - 2, x), f(n, x), f(n + 2, x)
    beside = f(n - 1, x), f(n + 1, x)
    sign = -1 if name[0] in "jy" else 1
    first = (beside[0] + sign * beside[1]) / 2 * (-1 if name[0] == "k" else 1)
    second = (below + 2 * sign * value + above) / 4
    if len(name) == 2:
        return value, first, second
    s = 1 if name[0] == "k" else -mp.sign(x)
    e = mp.exp(s * x)
    return e * value, e * (first + s * value), e * (second + 2 * s * first + value)


def points(name):
    rng = np.random.default_rng(3)
    x = np.concatenate(
        [rng.uniform(0, 9, 40), rng.uniform(9, 60, 15), 10 ** rng.uniform(-8, 2, 20)]
    )
    x = np.concatenate([x, [1.0, 5.0, 8.0, 2.404825557695773, 3.8317059702075125]])
    return np.where(np.arange(len(x)) % 2, x, -x) if name[0] in "ji" else x


@pytest.mark.parametrize("name", NAMES)
def test_values_and_derivatives(name):
    x = points(name)
    expected = [np.array([float(v) for v in row]) for row in zip(*[exact(name, v) for v in x])]
    size = np.abs(expected[0])
    if name[0] in "jy":  # the amplitude of the wave, of which errors near its zeros are parts
        size = np.maximum(size, np.minimum(1, np.sqrt(2 / (np.pi * np.abs(x)))))
    f = function(name)
    first = ms.grad(f)
    second = ms.grad(lambda v: first(v).sum())
    given = [g(Tensor(x)).asnumpy() for g in (f, first, second)]
    assert (np.abs(given[0] - expected[0]) < 6 * np.spacing(size)).all()
    for g, e in zip(given[1:], expected[1:], strict=True):
        size = np.maximum(size, np.abs(e))
        assert (np.abs(g - e) < 2e-14 * size).all()
    single = f(Tensor(x.astype(np.float32))).asnumpy()
    wide = np.array([float(exact(name, np.float32(v))[0]) for v in x])
    assert (np.abs(single - wide) <= 0.51 * np.spacing(np.abs(wide).astype(np.float32))).all()


AT_ZERO = {"j0": 1.0, "j1": 0.0, "i0": 1.0, "i1": 0.0, "i0e": 1.0, "i1e": 0.0}
SLOPE = {"j0": 0.0, "j1": 0.5, "i0": 0.0, "i1": 0.5, "i0e": 0.0, "i1e": 0.5}
CURVE = {"j0": -0.5, "j1": 0.0, "i0": 0.5, "i1": 0.0}


@pytest.mark.parametrize("name", NAMES)
def test_special_values(name):
    x = Tensor(np.array([0.0, np.inf, -np.inf, np.nan, -1.0]))
    zero, far, far_below, nan, negative = function(name)(x).asnumpy()
    slope = ms.grad(function(name))(Tensor(np.array(0.0))).item()
    assert np.isnan(nan)
    if name[0] in "yk":
        assert zero == (-np.inf if name[0] == "y" else np.inf)
        assert far == 0 and np.isnan(negative) and np.isnan(slope)
        assert np.isnan(ms.grad(function(name))(Tensor(-1.0)).item())
        return
    assert [zero, slope] == pytest.approx([AT_ZERO[name], SLOPE[name]], abs=5e-16)
    limit = np.inf if name in ("i0", "i1") else 0.0
    assert far == limit and far_below == (-limit if name == "i1" else limit)
    if name in CURVE:
        curve = ms.grad(ms.grad(function(name)))(Tensor(np.array(0.0))).item()
        assert curve == pytest.approx(CURVE[name], abs=1e-15)


def test_just_before_overflow():
    for name in ("i0", "i1"):
        value = function(name)(Tensor(np.array([700.0, 713.0]))).asnumpy()
        expected = [float(exact(name, v)[0]) for v in (700.0, 713.0)]
        np.testing.assert_allclose(value, expected, rtol=2e-15)


def test_forms_and_dtypes(tmp_path):
    x = Tensor([0.5, 2.0])
    assert (ops.BesselJ0()(x) == ops.bessel_j0(x)).all()
    assert ops.bessel_k1e(x.astype(ms.float16)).dtype is ms.float16
    assert ops.bessel_i0(Tensor([1, 2])).dtype is ms.float32
    with pytest.raises(TypeError, match="For 'bessel_y1', 'x' must be a Tensor"):
        ops.bessel_y1(2.0)
    rows = Tensor(np.array([[0.5, 7.0], [2.0, 30.0]]))
    assert (ms.vmap(ops.bessel_j1)(rows) == ops.bessel_j1(rows)).all()
    check_grads(ops.bessel_y0, (Tensor(np.array([0.7, 4.9, 12.0])),), order=2)
    ms.export(ops.bessel_j0, rows, file_name=str(tmp_path / "j"))
    loaded = ms.load(str(tmp_path / "j")).forward(rows)
    assert (loaded == ops.bessel_j0(rows)).all()
