"""Incomplete gamma and beta functions, the zeta function: against SciPy, and their derivatives against
closed forms and differences of SciPy's; CTC primitives against numbers recorded of MindSpore 2.10."""

import numpy as np
import pytest
import scipy.special as special

import cellgrad as ms
from cellgrad import Tensor, nn, ops

RNG = np.random.default_rng(77)
WIDE = np.exp(RNG.uniform(np.log(1e-3), np.log(1e4), 600))
# Left, right and at the turn of x around a, and far from it.
NEAR = WIDE * np.exp(RNG.normal(0, 0.7, 600) * np.minimum(1, 4 / np.sqrt(WIDE)))
SMALL, ANY = np.exp(RNG.uniform(-7, 3, 600)), np.exp(RNG.uniform(-12, 5, 600))
A, X = np.concatenate([WIDE, SMALL, [2.0, 5.0]]), np.concatenate([NEAR, ANY, [3.0, 6.0]])
P, Q = np.exp(RNG.uniform(-6, 7, (2, 800)))
AT = np.concatenate(
    [RNG.beta(np.maximum(P, 0.05), np.maximum(Q, 0.05))[:600], RNG.uniform(0, 1, 200)]
)
AT[0], AT[1], P[2], Q[2] = 0.0, 1.0, 1.0, 1.0
S, SHIFT = RNG.uniform(1.001, 60, 600), np.exp(RNG.uniform(-3, 6, 600))

FUNCTIONS = {
    "igamma": (ops.igamma, special.gammainc, (A, X), 5e-11),
    "igammac": (ops.igammac, special.gammaincc, (A, X), 5e-11),
    "betainc": (ops.Betainc(), special.betainc, (P, Q, AT), 1e-9),
    "zeta": (ops.zeta, special.zeta, (S, SHIFT), 1e-13),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    """To 10 digits; what is lost is lost in logarithms of large numbers."""
    function, exact, arguments, bound = FUNCTIONS[name]
    wanted = exact(*arguments)
    got = function(*(Tensor(v) for v in arguments)).asnumpy()
    np.testing.assert_allclose(got, wanted, rtol=bound, atol=1e-290)
    single = [v[-100:].astype(np.float32) for v in arguments]
    got = function(*(Tensor(v) for v in single))
    assert got.dtype == ms.float32
    with np.errstate(over="ignore", under="ignore"):
        wanted = exact(*(v.astype(np.float64) for v in single)).astype(np.float32)
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=2e-7, atol=1e-37)


def differences(exact, arguments, k):
    """A central difference of order 4 by one argument."""
    h = 1e-3 * arguments[k]
    at = lambda n: exact(*(v + n * h if i == k else v for i, v in enumerate(arguments)))
    return (8 * (at(1) - at(-1)) - at(2) + at(-2)) / (12 * h)


INSIDE = {
    "igamma": (np.array([0.3, 1.5, 6, 30, 2.0]), np.array([0.5, 1.0, 9, 25, 3.0])),
    "betainc": (
        np.array([0.5, 3, 2, 20.0]),
        np.array([2, 0.7, 5, 10.0]),
        np.array([0.3, 0.6, 0.8, 0.7]),
    ),
    "zeta": (np.array([1.5, 3.0, 12.0]), np.array([0.7, 2.0, 1.0])),
}


@pytest.mark.parametrize("name", INSIDE)
def test_slopes_by_every_argument(name):
    function, exact, _, _ = FUNCTIONS[name]
    arguments = INSIDE[name]
    slopes = ms.grad(function, tuple(range(len(arguments))))(*(Tensor(v) for v in arguments))
    for k, slope in enumerate(slopes):
        np.testing.assert_allclose(slope.asnumpy(), differences(exact, arguments, k), rtol=1e-8)


def density(a, x):
    return np.exp((a - 1) * np.log(x) - x - special.gammaln(a))


def test_second_derivatives():
    a, x = INSIDE["igamma"]
    first = ms.grad(ops.igammac, (0, 1))
    # of -density, by a and x; by a twice: of the slope by a, which is compared above
    crossed = ms.grad(lambda a, x: first(a, x)[1], (0, 1))(Tensor(a), Tensor(x))
    by_a = -density(a, x) * (np.log(x) - special.digamma(a))
    np.testing.assert_allclose(crossed[0].asnumpy(), by_a, rtol=1e-9, atol=1e-12)
    by_x = -density(a, x) * ((a - 1) / x - 1)
    np.testing.assert_allclose(crossed[1].asnumpy(), by_x, rtol=1e-9, atol=1e-12)
    s, q = INSIDE["zeta"]
    twice = ms.grad(ms.grad(ops.zeta, 1), 1)(Tensor(s), Tensor(q)).asnumpy()
    np.testing.assert_allclose(twice, s * (s + 1) * special.zeta(s + 2, q), rtol=1e-11)


def test_ends():
    inf, nan = np.inf, np.nan
    a = Tensor([0.0, -1.0, 2.0, 2.0, 2.0, 2.0, 0.5])
    x = Tensor([1.0, 1.0, -1.0, 0.0, inf, nan, 0.0])
    np.testing.assert_array_equal(ops.igamma(a, x).asnumpy(), [nan, nan, nan, 0, 1, nan, 0])
    np.testing.assert_array_equal(ops.igammac(a, x).asnumpy(), [nan, nan, nan, 1, 0, nan, 1])
    # x**(a - 1) at 0
    slopes = ms.grad(ops.igamma, 1)(Tensor([2.0, 1.0, 0.5]), Tensor([0.0, 0.0, 0.0]))
    np.testing.assert_allclose(slopes.asnumpy(), [0, 1, inf])
    beta = ops.Betainc()(
        Tensor([2.0, 2, 2, 0, 500]), Tensor([2.0, 2, 2, 1, 700]), Tensor([0.0, 1, 1.5, 0.5, 0])
    )
    np.testing.assert_array_equal(beta.asnumpy(), [0, 1, nan, nan, 0])
    slopes = ms.grad(ops.Betainc(), 2)(
        Tensor([1.0, 2.0, 1.0]), Tensor([1.0, 3.0, 2.0]), Tensor([0.0, 0.0, 1.0])
    )
    np.testing.assert_allclose(slopes.asnumpy(), [1, 0, 0], atol=1e-6)
    zeta = ops.zeta(Tensor([1.0, 0.5, 2.0, 2.0, 2.5]), Tensor([1.0, 1.0, 0.0, -1.0, -0.5]))
    np.testing.assert_array_equal(zeta.asnumpy(), [inf, nan, inf, inf, nan])


def test_zeta_below_0_has_terms_of_both_signs():
    def wanted(s, q):
        count = np.ceil(-q)
        return ((q + np.arange(count)) ** -s).sum() + special.zeta(s, q + count)

    s, q = np.array([2.0, 3.0, 2.0, 5.0, 9.0]), np.array([-0.5, -0.5, -1.75, -7.25, -0.3])
    exact = np.array([wanted(*each) for each in zip(s, q)])
    np.testing.assert_allclose(ops.zeta(Tensor(s), Tensor(q)).asnumpy(), exact, rtol=1e-13)
    slopes = ms.grad(ops.zeta, 1)(Tensor(s), Tensor(q)).asnumpy()
    exact = np.array([-a * wanted(a + 1, b) for a, b in zip(s, q)])
    np.testing.assert_allclose(slopes, exact, rtol=1e-12)


class Ratio(nn.Cell):
    def construct(self, a, x):
        return a.igamma(x) + ops.Zeta()(a + 1, 1)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_in_both_modes_and_in_a_batch(mode):
    ms.set_context(mode=mode)
    a, x = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, 3.0])
    wanted = special.gammainc(a, x) + special.zeta(a + 1, 1)
    np.testing.assert_allclose(Ratio()(Tensor(a), Tensor(x)).asnumpy(), wanted, rtol=1e-12)
    batch = ms.vmap(Ratio(), (0, None))(Tensor(a), Tensor(x))
    np.testing.assert_allclose(batch.asnumpy(), wanted, rtol=1e-12)


ERRORS = [
    (lambda: ops.igamma("a", Tensor(1.0)), TypeError, "For 'igamma', 'input' must be"),
    (lambda: ops.Zeta()(Tensor(2.0), None), TypeError, "For 'zeta', 'other' must be"),
    (lambda: ops.igammac(ops.ones(2), ops.ones(3)), ValueError, "igammac"),
    (
        lambda: ops.CTCLoss(ctc_merge_repeated=False),
        ValueError,
        "'ctc_merge_repeated' must be True",
    ),
    (lambda: ops.CTCLoss(True), ValueError, "'preprocess_collapse_repeated' must be False"),
    (lambda: ops.CTCLossV2(reduction="mean"), ValueError, "'reduction'"),
    (
        lambda: ops.CTCLoss()(ops.ones((2, 1, 3)), ops.ones((1, 2)), ops.ones(1), ops.ones(1)),
        TypeError,
        "'labels_indices'",
    ),
]


@pytest.mark.parametrize("row", range(len(ERRORS)))
def test_errors(row):
    call, kind, text = ERRORS[row]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


LOGITS = Tensor((np.sin(np.arange(40) * 1.7) * 2).reshape(5, 2, 4).astype(np.float32))
PLACES = Tensor(np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], np.int64))
LETTERS, STEPS = Tensor([0, 2, 1, 1, 0], ms.int32), Tensor([4, 5], ms.int32)
# Recorded: MindSpore 2.10 on the CPU, the first steps of both texts.
FIRST = [
    [-0.7586629986763, 0.8053100109100342, 0.06647399812936783, -0.11312200129032135],
    [0.3291569948196411, -0.38394901156425476, 0.030222000554203987, 0.024569999426603317],
]


def test_ctc_of_sparse_texts():
    loss, slope = ops.CTCLoss()(LOGITS, PLACES, LETTERS, STEPS)
    np.testing.assert_allclose(loss.asnumpy(), [4.133816242218018, 9.7095308303833], rtol=1e-6)
    np.testing.assert_allclose(slope.asnumpy()[0], FIRST, atol=3e-6)
    assert not slope.asnumpy()[4, 0].any()  # the first text has four steps
    own = ms.grad(lambda x: ops.CTCLoss()(x, PLACES, LETTERS, STEPS)[0].sum())(LOGITS)
    np.testing.assert_allclose(own.asnumpy(), slope.asnumpy(), atol=1e-6)


def test_ctc_of_dense_texts():
    log_probs = ops.log_softmax(LOGITS, -1)
    texts, lengths = Tensor([[1, 2], [3, 3]], ms.int32), Tensor([2, 2], ms.int32)
    loss, alpha = ops.CTCLossV2()(log_probs, texts, STEPS, lengths)
    np.testing.assert_allclose(loss.asnumpy(), [2.630746603012085, 6.151572227478027], rtol=2e-6)
    assert alpha.shape == (2, 5, 5)
    last = [-9.961400032043457, -4.916600227355957, -6.206699848175049, -6.3084001541137695]
    np.testing.assert_allclose(alpha.asnumpy()[1, 4, :4], last, atol=1e-4)


def test_ctc_of_impossible_texts():
    three = Tensor([1, 5], ms.int32)  # steps: the first text is longer
    assert np.isinf(ops.CTCLoss()(LOGITS, PLACES, LETTERS, three)[0].asnumpy()[0])
    ignoring = ops.CTCLoss(ignore_longer_outputs_than_inputs=True)
    loss, slope = ignoring(LOGITS, PLACES, LETTERS, three)
    assert loss.asnumpy()[0] == 0 and not slope.asnumpy()[:, 0].any()


UNDEFINED = {
    "igamma": (ops.igamma, ([-2.0, 1.0, 0.0], [1.0, -2.0, 3.0])),
    "igammac": (ops.igammac, ([-2.0, 1.0, 0.0], [1.0, -2.0, 3.0])),
    "betainc": (ops.Betainc(), ([-1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.5, 0.5, 1.5])),
    "zeta": (ops.zeta, ([0.5, 2.5], [3.0, -1.5])),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_derivatives_where_nothing_is_defined(mode, name):
    function, arguments = UNDEFINED[name]
    operands = [Tensor(v) for v in arguments]
    assert np.isnan(function(*operands).asnumpy()).all()
    for slope in ms.grad(function, tuple(range(len(operands))))(*operands):
        assert np.isnan(slope.asnumpy()).all()
