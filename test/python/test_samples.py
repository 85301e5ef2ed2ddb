"""Counts, quantiles, differences and distances of samples, against numpy and scipy; what they do not
define is recorded from MindSpore 2.10 on the CPU (Linux x86-64), calling the same functions there.
"""

import itertools
import re

import numpy as np
import pytest
from messages import said
from scipy import stats
from scipy.spatial import distance

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(17)
A = RNG.permutation(60).reshape(3, 5, 4) / 10 - 2.93  # no two are close
HOLES = A.copy()
HOLES[0, 1, 2] = np.nan
HOLES[1, :, 0] = np.nan


def t(values, dtype=np.float64):
    return Tensor(np.asarray(values, dtype))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("q", [0.3, 0.0, 1.0, [0.2, 0.9, 0.5]])
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_quantiles(axis, keepdims, q):
    given = t(q) if isinstance(q, list) else q
    for name in ("quantile", "nanquantile"):
        for a in (A, HOLES):
            got = getattr(ops, name)(t(a), given, axis, keepdims)
            want = getattr(np, name)(a, q, axis=axis, keepdims=keepdims)
            np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-13)
            method = getattr(t(a), name)(given, axis, keepdims)
            np.testing.assert_array_equal(method.asnumpy(), got.asnumpy())


def test_quantiles_of_one_element_of_infinities_and_out_of_range():
    assert ops.quantile(t(3.0), 0.7).asnumpy() == 3
    assert ops.quantile(t([1.0, np.inf, np.inf]), 0.5).asnumpy() == np.inf
    assert ops.quantile(t([1.0, np.inf]), 0.0).asnumpy() == 1
    out = ops.quantile(t([1.0, 3.0]), t([0.5, 1.5, np.nan])).asnumpy()
    np.testing.assert_array_equal(out, [2, np.nan, np.nan])
    half = ops.quantile(Tensor([1.0, 2.0], ms.float16), 0.5)
    assert half.dtype == ms.float16
    assert half.asnumpy() == 1.5


def test_median_without_nan():
    # MindSpore: position 2 of a row of four NaN, where none is the middle one; here the lower one.
    x = t([[np.nan, 3, 1, 2], [5, np.nan, np.nan, 4]], np.float32)
    value, at = ops.nanmedian(x, 1)
    np.testing.assert_array_equal(value.asnumpy(), [2, 4])
    np.testing.assert_array_equal(at.asnumpy(), [3, 3])
    assert at.dtype == ms.int64
    value, at = x.nanmedian(0, True)
    np.testing.assert_array_equal(value.asnumpy(), np.array([[5, 3, 1, 2]]))
    assert at.shape == (1, 4)
    assert np.isnan(ops.nanmedian(t([np.nan, np.nan]))[0].asnumpy())


@pytest.mark.parametrize("name", ["int32", "int64", "uint8"])
def test_nanmedian_of_integers_is_their_median(name):
    """As in MindSpore 2.10, which takes integers."""
    x = Tensor(np.array([[4, 1, 3, 3], [2, 2, 9, 7]], name))
    for axis in (0, 1):
        for got, wanted in zip(ops.nanmedian(x, axis), ops.median(x, axis), strict=True):
            assert got.dtype is wanted.dtype
            np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy())
    assert ops.nanmedian(x)[0].asnumpy().tolist() == [3, 2]


@pytest.mark.parametrize(
    ("x", "args", "dtype"),
    [
        (A, (10,), "float64"),
        (A, (7, -1.0, 1.0), "float64"),
        ([1.0, 2, 3, 4, 7, 2.5], (4,), "float32"),
        ([1.0, 2, 3, 4, 7, 2.5], (4, 1.0, 3.0), "float32"),
        ([1, 2, 3, 9], (3,), "int32"),
        ([1, 2, 3, 9], (3,), "float16"),
        ([[5]], (3, 0, 10), "int64"),
    ],
)
def test_histograms(x, args, dtype):
    x = np.asarray(x, dtype)
    bounds = {} if len(args) == 1 else {"range": args[1:]}
    got = ops.histc(Tensor(x), *args)
    np.testing.assert_array_equal(got.asnumpy(), np.histogram(x, args[0], **bounds)[0])
    assert str(got.dtype) == ("Float32" if dtype == "float16" else dtype.capitalize())
    np.testing.assert_array_equal(Tensor(x).histc(*args).asnumpy(), got.asnumpy())


def test_histograms_of_equal_elements_of_none_and_of_nan():
    # MindSpore: [0. 3. 0.] for three equal elements.
    np.testing.assert_array_equal(ops.histc(Tensor([2.0, 2.0, 2.0]), 3).asnumpy(), [0, 3, 0])
    np.testing.assert_array_equal(ops.histc(Tensor([np.nan, 1.0]), 2, 0, 4).asnumpy(), [1, 0])
    nothing = Tensor(np.zeros((0, 3), np.float32))
    np.testing.assert_array_equal(ops.histc(nothing, 2).asnumpy(), [0, 0])


def test_bincount():
    x, w = np.array([1, 2, 2, 5], np.int32), np.array([0.5, 1, 2, 3], np.float32)
    for kept in (0, 8):
        np.testing.assert_array_equal(
            ops.bincount(Tensor(x), minlength=kept).asnumpy(), np.bincount(x, minlength=kept)
        )
        got = Tensor(x).bincount(Tensor(w), kept)
        np.testing.assert_array_equal(got.asnumpy(), np.bincount(x, w, kept))
        assert got.dtype == ms.float32
    assert ops.bincount(Tensor(np.zeros(0, np.int32))).shape == (0,)
    check_grads(lambda w: ops.bincount(Tensor(x), w) ** 2, (Tensor(w),), order=2)


def test_differences():
    for axis in (0, 1, -1):
        for n in (0, 1, 3):
            got = ops.diff(t(A), n, axis).asnumpy()
            np.testing.assert_array_equal(got, np.diff(A, n, axis))
    got = t(A).diff(1, 1, t(A[:, :2]), t(A[:, :1]))
    want = np.diff(A, 1, 1, prepend=A[:, :2], append=A[:, :1])
    np.testing.assert_array_equal(got.asnumpy(), want)
    np.testing.assert_array_equal(
        ops.diff(Tensor([True, False, False])).asnumpy(), np.diff([True, False, False])
    )
    assert ops.diff(t([1.0, 4.0]), 5).shape == (0,)


def test_integrals():
    places = np.array([0.0, 1, 3, 7, 8])
    for got, want in (
        (ops.trapz(t(A), dx=0.5), np.trapezoid(A, dx=0.5)),
        (ops.trapz(t(A), t(places), dim=1), np.trapezoid(A, places, axis=1)),
        (ops.trapz(t(A), t(A), dim=0), np.trapezoid(A, A, axis=0)),
        (ops.trapz(t([[1, 4, 9]], np.int32), dx=2.0), [18.0]),
    ):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-13)


def test_covariances():
    x = A[0]
    counts, weights = np.array([1, 2, 3, 1]), np.array([0.5, 1, 2, 0])
    for correction in (0, 1):
        for f, a in ((None, None), (counts, None), (None, weights), (counts, weights)):
            got = t(x).cov(
                correction=correction,
                fweights=None if f is None else Tensor(f),
                aweights=None if a is None else t(a),
            )
            want = np.cov(x, ddof=correction, fweights=f, aweights=a)
            np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-12)
    np.testing.assert_allclose(ops.cov(t(x[0])).asnumpy(), np.cov(x[0]), rtol=1e-13)
    for row in (
        ops.cov(t(x[:1])),
        ms.jit(Tensor.cov)(t(x[:1])),
    ):  # no dimensions, as MindSpore's and numpy's
        assert row.shape == ()
        np.testing.assert_allclose(row.asnumpy(), np.cov(x[:1]), rtol=1e-13)


@pytest.mark.parametrize(
    ("p", "metric"),
    [(2.0, "euclidean"), (1.0, "cityblock"), (np.inf, "chebyshev"), (3.0, "minkowski")],
)
def test_distances(p, metric):
    more = {"p": p} if metric == "minkowski" else {}
    got = ops.cdist(t(A[0]), t(A[1]), p)
    np.testing.assert_allclose(
        got.asnumpy(), distance.cdist(A[0], A[1], metric, **more), rtol=1e-12
    )
    both = ops.cdist(t(A), t(A[:1]), p).asnumpy()
    np.testing.assert_allclose(both[2], distance.cdist(A[2], A[0], metric, **more), rtol=1e-12)


def test_extrema_with_initial_and_where():
    mask = A > -0.5
    for got, want in (
        (ops.amax(t(A), 1, initial=0.3), A.max(1, initial=0.3)),
        (ops.amin(t(A), (0, 2), initial=0.3), A.min((0, 2), initial=0.3)),
        (t(A).max(0, initial=-9, where=Tensor(mask)), A.max(0, initial=-9, where=mask)),
        (t(A).min(initial=9.5, where=Tensor(mask)), A.min(initial=9.5, where=mask)),
        (ops.max(t(A), 1, initial=0.3)[0], A.max(1, initial=0.3)),
        (
            ops.min(t(A), 2, initial=0.3, where=Tensor(mask[0]))[0],
            A.min(2, initial=0.3, where=mask[0]),
        ),
    ):
        np.testing.assert_array_equal(got.asnumpy(), want)


def test_other_names():
    x = t(A)
    for got, want in (
        (ops.reduce_max(x, 1), A.max(1)),
        (ops.reduce_min(x=x), A.min()),
        (ops.reduce_mean(x, (0, 1)), A.mean((0, 1))),
        (ops.subtract(x, x, alpha=3), A - 3 * A),
        (ops.true_divide(dividend=x, divisor=2), A / 2),
        (ops.arcsin(x=x / 9), np.arcsin(A / 9)),
        (ops.adjoint(x), np.swapaxes(A, -1, -2)),
        (x.mT, np.swapaxes(A, -1, -2)),
        (x.top_k(2)[0], np.sort(A)[..., :-3:-1]),
        (ops.row_stack((x, x)), np.vstack((A, A))),
        (ops.repeat_elements(x, 2, 1), np.repeat(A, 2, 1)),
        (x.ptp(1), np.ptp(A, 1)),
        (ops.relu(x), np.maximum(A, 0)),
        (x.argmax_with_value(1)[0], A.max(1)),
        (x.argmin_with_value(1)[0], A.min(1)),
        (x.argmin_with_value(1)[1], A.argmin(1)),
        (ops.type_as(x, Tensor([1])), A.astype(np.int64)),
    ):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-14)
    y = t(A)
    assert ops.relu(y, inplace=True) is not None
    np.testing.assert_array_equal(y.asnumpy(), np.maximum(A, 0))
    assert ops.is_tensor(x) and ops.is_floating_point(x) and not ops.is_complex(x)


def test_order_statistics_and_closeness():
    value, at = t(A).kthvalue(2, 1)
    np.testing.assert_array_equal(value.asnumpy(), np.sort(A, 1)[:, 1])
    np.testing.assert_array_equal(at.asnumpy(), np.argsort(A, 1)[:, 1])
    assert t(A).kthvalue(1, -1, True)[0].shape == (3, 5, 1)
    with pytest.raises(ValueError, match=r"'k' must be in \[1, 4\]"):
        t(A).kthvalue(5)
    assert t(A).allclose(t(A + 1e-9)) is True
    assert t(A).allclose(t(A + 1e-3)) is False
    assert t([np.nan]).allclose(t([np.nan]), equal_nan=True) is True


SMOOTH = {
    "quantile": lambda x: ops.quantile(x, 0.3, 1),
    "quantiles": lambda x: ops.quantile(x, t([0.1, 0.8]), 2, True),
    "nanmedian": lambda x: ops.nanmedian(x, 1)[0],
    "diff": lambda x: ops.diff(x, 2, 1),
    "trapz": lambda x: ops.trapz(x, ops.exp(x), dim=1),
    "cov": lambda x: ops.cov(x[0], aweights=ops.exp(x[0, 0])),
    "cdist": lambda x: ops.cdist(x[0], x[1], 3.0),
    "distances": lambda x: ops.cdist(x, ops.sin(x[:1]) + 5),
    "amax": lambda x: ops.amax(x, 1, initial=0.2),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives(name):
    function = lambda x: ops.sin(SMOOTH[name](x))
    check_grads(function, (t(A),), order=2, modes=("fwd", "rev"))
    mapped = ms.vmap(function)(t(np.stack([A, A[::-1]])))
    for got, a in zip(mapped.asnumpy(), (A, A[::-1]), strict=True):
        np.testing.assert_allclose(got, function(t(a)).asnumpy(), rtol=1e-12)


def test_derivatives_of_quantiles_by_their_fraction():
    q = t([0.13, 0.61])
    check_grads(lambda q: ops.quantile(t(A), q, 1), (q,), order=2)


def test_the_gradient_of_a_distance_of_zero_is_zero():
    x = t([[1.0, 2.0], [3.0, 4.0]])
    got = ms.grad(lambda x: ops.cdist(x, ops.stop_gradient(x)).sum())(x).asnumpy()
    assert np.isfinite(got).all()


BAD = {
    "quantile out of range": (lambda: ops.quantile(t(A), 1.5), ValueError, r"in \[0, 1\]"),
    "quantile of integers": (lambda: ops.quantile(Tensor([1, 2]), 0.5), TypeError, "floats"),
    "quantile by a list": (lambda: ops.quantile(t(A), [0.5]), TypeError, "float or a Tensor"),
    "quantile by a matrix": (lambda: ops.quantile(t(A), t([[0.5]])), ValueError, "one dimension"),
    "quantile of nothing": (lambda: ops.quantile(t([]), 0.5), ValueError, "empty"),
    "axis": (lambda: ops.nanmedian(t(A), 3), ValueError, "axis|dim"),
    "bins": (lambda: ops.histc(t(A), 0), ValueError, "'bins'"),
    "range": (lambda: ops.histc(t(A), 4, 5.0, 1.0), ValueError, "'max'"),
    "bools": (lambda: ops.histc(Tensor([True])), TypeError, "Bool"),
    "negative": (lambda: ops.bincount(Tensor([1, -2])), ValueError, "at least 0"),
    "weights": (lambda: ops.bincount(Tensor([1, 2]), t([1.0])), ValueError, "weights"),
    "unknown numbers": (
        lambda: ms.jit(lambda x: ops.bincount(x))(Tensor([1, 2])),
        TypeError,
        "unsorted_segment_sum",
    ),
    "diff of a scalar": (lambda: ops.diff(t(1.0)), ValueError, "at least one dimension"),
    "trapz": (lambda: ops.trapz(t(A), t([1.0, 2.0])), ValueError, "length 4"),
    "cov": (lambda: ops.cov(t(A)), ValueError, "2 dimensions"),
    "cov weights": (lambda: ops.cov(t(A[0]), aweights=t([1.0])), ValueError, "aweights"),
    "cdist": (lambda: ops.cdist(t(A), t(A[..., :2])), ValueError, "one length"),
    "cdist power": (lambda: ops.cdist(t(A), t(A), "2"), TypeError, "number"),
    "where alone": (lambda: ops.amax(t(A), where=Tensor(A > 0)), ValueError, "'initial'"),
    "where of numbers": (lambda: ops.amin(t(A), initial=1, where=t(A)), TypeError, "bools"),
    "initial": (lambda: ops.amax(t(A), initial="1"), TypeError, "number"),
    "adjoint": (lambda: ops.adjoint(t([1.0])), ValueError, "2 dimensions"),
    "inplace": (lambda: ops.relu(t(A), inplace=1), TypeError, "bool"),
    "alpha": (lambda: ops.subtract(t(A), t(A), alpha="1"), TypeError, "number"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(name):
    call, kind, message = BAD[name]
    with pytest.raises(kind) as caught:
        call()
    assert re.search(message, said(caught.value))


def binned(sample, quantiles, cumulative):
    """The p-value of counts between quantiles of a distribution of integers."""
    edges = np.unique(quantiles(np.linspace(0.05, 0.95, 15)))
    counts = np.bincount(np.searchsorted(edges, sample), minlength=len(edges) + 1)
    shares = np.diff([0, *cumulative(edges), 1])
    return stats.chisquare(counts, shares * len(sample)).pvalue


def test_poisson_numbers():
    rates = np.array([0.0, 0.3, 9.9, 10.0, 40.0, 1e6])
    drawn = ops.random_poisson(Tensor([4000]), Tensor(rates), seed=3, dtype=ms.float64).asnumpy()
    assert drawn.shape == (4000, 6) and np.all(drawn[:, 0] == 0)
    for rate, sample in zip(rates[1:], drawn.T[1:], strict=True):
        law = stats.poisson(rate)
        assert binned(sample, law.ppf, law.cdf) > 1e-3
    far = ops.random_poisson(Tensor([4000]), Tensor(1e10), 3, ms.float64).asnumpy()
    assert stats.kstest((far - 1e10) / 1e5, "norm").pvalue > 1e-3
    wrong = Tensor([-1.0, float("nan"), float("inf")])
    assert np.isnan(ops.random_poisson(Tensor([2]), wrong).asnumpy()).all()
    whole = ops.Poisson(1)((3,), Tensor([[20.0], [200.0]]))
    assert whole.shape == (2, 3) and whole.dtype == ms.int32
    with pytest.raises(TypeError, match="'shape'"):
        ops.random_poisson((2, 3), Tensor([1.0]))
    with pytest.raises(TypeError, match="'dtype'"):
        ops.random_poisson(Tensor([2]), Tensor([1.0]), dtype=ms.bool_)


def test_gamma_numbers():
    alpha = np.array([0.05, 0.9, 1.0, 7.0, 1e6])
    drawn = ops.random_gamma(Tensor([4000]), Tensor(alpha), seed=5).asnumpy()
    for a, sample in zip(alpha, drawn.T, strict=True):
        assert stats.kstest(sample, stats.gamma(a).cdf).pvalue > 1e-3
    scaled = ops.gamma((4000, 1), Tensor([2.0, 3.0]), Tensor(4.0), seed=7).asnumpy()
    assert stats.kstest(scaled[:, 1], stats.gamma(3, scale=0.25).cdf).pvalue > 1e-3
    draw = ops.RandomGamma(1, 2)
    first, other = (draw(Tensor([2], ms.int32), Tensor([3.0], ms.float16)) for _ in range(2))
    assert first.shape == (2, 1) and first.dtype == ms.float16
    assert not np.array_equal(first.asnumpy(), other.asnumpy())
    assert np.isnan(ops.Gamma()((1,), Tensor([0.0, -1.0]), Tensor(1.0)).asnumpy()).all()
    assert ms.grad(lambda a: ops.random_gamma(Tensor([3]), a).sum())(Tensor([2.0])) == 0
    with pytest.raises(TypeError, match="'alpha'"):
        ops.random_gamma(Tensor([2]), Tensor([1]))


@pytest.mark.parametrize("compiled", [False, True])
def test_choices_among_true_elements(compiled):
    x = np.array([[True, False, True], [False, True, False]])
    draw = ms.jit(ops.choice_with_mask) if compiled else ops.choice_with_mask
    ms.set_seed(0)
    seen = set()
    for _ in range(40):
        places, found = (t.asnumpy() for t in draw(Tensor(x), 2))
        assert found.all() and x[tuple(places.T)].all()
        seen.add(tuple(map(tuple, places.tolist())))
    assert seen == set(itertools.permutations([(0, 0), (0, 2), (1, 1)], 2))
    places, found = ops.RandomChoiceWithMask(8, 1, -1024)(Tensor(x))
    assert places.dtype == ms.int32 and found.asnumpy().tolist() == [True] * 3 + [False] * 5
    assert places.asnumpy()[3:].tolist() == [[0, 0]] * 5
    with pytest.raises(TypeError, match="'input_x'"):
        ops.choice_with_mask(Tensor([1.0]))
