"""What programs for numpy and JAX write: `interp`, `solve`, `concatenate`, `x.at[i].set(v)`; against numpy."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(5)
XP = np.cumsum(RNG.uniform(0.2, 1.0, 9))
FP = RNG.normal(size=9)
X = RNG.uniform(XP[0] - 1, XP[-1] + 1, (4, 6))


def t(a):
    return Tensor(np.asarray(a, np.float64))


def close(given, expected):
    np.testing.assert_allclose(given.asnumpy(), expected, rtol=1e-13, atol=1e-14)


def test_interp(mode):
    close(ops.interp(t(X), t(XP), t(FP)), np.interp(X, XP, FP))
    close(ops.interp(t(X), t(XP), t(FP), -1.0, t(2.0)), np.interp(X, XP, FP, -1.0, 2.0))
    close(ops.interp(t(XP), t(XP), t(FP)), FP)
    close(ms.jit(lambda x: ops.interp(x, XP, FP))(t(X)), np.interp(X, XP, FP))
    assert ops.interp(float(XP[2]), t(XP), t(FP)).item() == FP[2]
    ends = [np.nan, np.inf, -np.inf]
    np.testing.assert_array_equal(
        ops.interp(t(ends), t(XP), t(FP)).asnumpy(), np.interp(ends, XP, FP)
    )
    close(ops.interp(t([0.0, 1.0, 2.0]), t([1.0]), t([5.0]), 0.0), [0.0, 5.0, 5.0])
    assert ops.interp(Tensor([1, 2]), [0, 4], [0, 1]).asnumpy().tolist() == [0.25, 0.5]


def test_slopes_of_interp(mode):
    slope = ms.grad(lambda x: ops.interp(x, t(XP), t(FP)))
    each = np.diff(FP) / np.diff(XP)
    close(slope(t((XP[1:] + XP[:-1]) / 2)), each)
    close(slope(t(XP)), np.append(each, each[-1]))
    close(slope(t([XP[0] - 1, XP[-1] + 1, np.inf])), [0.0, 0.0, 0.0])
    outside = ms.grad(lambda p, f: ops.interp(t([XP[0] - 1]), p, f).sum(), (0, 1))(t(XP), t(FP))
    close(outside[0], np.zeros(9))
    close(outside[1], np.eye(9)[0])
    between = XP[:-1] * 0.4 + XP[1:] * 0.6  # differences stay within an interval
    check_grads(ops.interp, (t(between), t(XP), t(FP)), order=2)


def test_interp_of_a_batch(tmp_path):
    rows = RNG.normal(size=(3, 9))
    out = ms.vmap(ops.interp, (None, None, 0))(t(X[0]), t(XP), t(rows))
    close(out, np.stack([np.interp(X[0], XP, r) for r in rows]))
    ms.export(ops.interp, t(X), t(XP), t(FP), file_name=str(tmp_path / "m"), value_and_grad=False)
    close(ms.load(str(tmp_path / "m")).forward(t(X), t(XP), t(FP)), np.interp(X, XP, FP))


def test_wrong_points():
    for xp, fp in ((XP[:3], FP), (XP[:, None], FP[:, None]), ([], [])):
        with pytest.raises(ValueError, match="'xp' and 'fp' must have one dimension"):
            ops.interp(t(X), t(xp), t(fp))
    with pytest.raises(TypeError, match="For 'interp', expected Tensor or number"):
        ops.interp("x", t(XP), t(FP))


def test_solve_and_concatenate(mode):
    a, b = RNG.normal(size=(2, 3, 3)), RNG.normal(size=(2, 3, 2))
    close(ops.solve(t(a), t(b)), np.linalg.solve(a, b))
    close(ops.solve(t(a[0]), t(b[0, :, 0])), np.linalg.solve(a[0], b[0, :, 0]))
    expected = np.linalg.solve(a, np.broadcast_to(b[0, :, :1], (2, 3, 1)))[..., 0]
    close(ops.solve(t(a), t(b[0, :, 0])), expected)
    check_grads(ops.solve, (t(a[0]), t(b[0, :, 0])), order=2)
    with pytest.raises(ValueError, match="must"):
        ops.solve(t(a), t(b[0, :2, 0]))
    close(ops.concatenate((t(a), t(b)), axis=2), np.concatenate((a, b), axis=2))
    close(ops.concatenate([t(a), t(a)]), np.concatenate([a, a]))


# --- x.at[i].set(v) ---------------------------------------------------------------------------

M = RNG.normal(size=(4, 3))
TWICE = np.array([0, 2, 0, 3])
INDICES = {
    "int": 1,
    "slice": slice(1, 3),
    "pair": (slice(None), 2),
    "array": TWICE,
    "arrays": (TWICE, np.array([1, 1, 1, 0])),
    "mask": M > 0.3,
}
METHODS = {"add": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}
METHODS |= {"subtract": np.subtract, "divide": np.divide}


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["eager", "compiled"])
def test_updates(index, wrap):
    where, x = INDICES[index], t(M)
    shape = M[where].shape
    value = RNG.uniform(0.5, 1.5, shape)

    def run(x, v):
        at = x.at[where]
        return at.set(0.25), at.get(), [getattr(at, name)(v) for name in METHODS], at.add(2.0)

    fixed, got, updated, plus = wrap(run)(x, t(value))
    expected = M.copy()
    expected[where] = 0.25
    close(fixed, expected)
    close(got, M[where])
    for ufunc, new in zip(METHODS.values(), updated, strict=True):
        expected = M.copy()
        ufunc.at(expected, where, value)
        close(new, expected)
    expected = M.copy()
    np.add.at(expected, where, 2.0)
    close(plus, expected)
    close(x, M)


def test_gradients_of_updates():
    def f(x, v):
        return (x.at[Tensor([0, 2])].multiply(v).at[1].set(v * v).at[3].max(v) ** 2).sum()

    check_grads(f, (t(M), t([0.3, 0.5, -0.7])), order=2)
    close(
        ms.vmap(lambda x, v: x.at[1].set(v))(t(M), t(FP[:4])), np.insert(M[:, [0, 2]], 1, FP[:4], 1)
    )


def test_wrong_updates():
    with pytest.raises(ValueError, match="cannot be broadcast"):
        t(M).at[0].set(t(np.zeros(2)))
    with pytest.raises(IndexError):
        t(M).at[7].set(0.0)
    with pytest.raises(TypeError, match="can be assigned to elements"):
        t(M).at[0].set("x")


def test_many_tensors_are_joined():
    parts = [np.array([[i, -i]], np.float64) for i in range(75)]
    close(ops.concat([t(p) for p in parts]), np.concatenate(parts))
    close(ms.jit(lambda xs: ops.stack(xs, 1))([t(p) for p in parts]), np.stack(parts, 1))
    gradient = ms.grad(lambda xs: (ops.cat(xs, 1) ** 2).sum())([t(p) for p in parts])
    close(gradient[74], 2 * parts[74])
