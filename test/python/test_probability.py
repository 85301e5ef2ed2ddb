"""Distributions and bijectors: against MindSpore (`goldens/record_probability.py`) and scipy, their
gradients against differences, what they draw against their own distribution functions."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.stats as st

import cellgrad as ms
import cellgrad.nn.probability.bijector as msb
import cellgrad.nn.probability.distribution as msd
from cellgrad import Parameter, Tensor, nn
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import probability_cases as cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "probability.json").read_text())
NAMES = cases.names(ms, msd, msb)
# Where MindSpore fails, and what is right there.
OURS = {
    "msd.Bernoulli(t(0.25, 0.75)).mode()": ["Int32", [0, 1]],
    "msd.Bernoulli(0.25).mode()": ["Int32", 0],
}


def compared(got, wanted):
    """Compares nested results: text and structure exactly, numbers as far as float32 reaches."""
    if isinstance(wanted, list) and isinstance(got, list) and len(got) == len(wanted):
        for g, w in zip(got, wanted, strict=True):
            compared(g, w)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(got, wanted, rtol=3e-5, atol=2e-6)
    else:
        assert got == wanted


@pytest.mark.parametrize("case", cases.CASES)
def test_golden(case):
    wanted = OURS.get(case, RECORDED[case])
    try:
        got = cases.plain(eval(case, dict(NAMES)))
    except Exception as e:
        assert isinstance(wanted, str), e
        assert wanted.startswith(f"!{type(e).__name__}")
        return
    compared(got, wanted)


# Float64 parameters, values, and scipy's distribution of the same parameters.
X = np.array([0.25, 1.75])
SCIPY = [
    (msd.Normal, (X, X + 1), st.norm(X, X + 1), np.array([-40.0, 30.0])),
    (msd.Cauchy, (X, X + 1), st.cauchy(X, X + 1), np.array([-1e9, 1e9])),
    (msd.Logistic, (X, X + 1), st.logistic(X, X + 1), np.array([-90.0, 90.0])),
    (msd.Laplace, (X, X + 1), st.laplace(X, X + 1), np.array([-50.0, 60.0])),
    (msd.Gumbel, (X, X + 1), st.gumbel_r(X, X + 1), np.array([-5.0, 90.0])),
    (msd.LogNormal, (X, X + 1), st.lognorm(X + 1, scale=np.exp(X)), np.array([-1.0, 1e20])),
    (msd.Exponential, (X,), st.expon(scale=1 / X), np.array([-1.0, 60.0])),
    (msd.Gamma, (X, X + 1), st.gamma(X, scale=1 / (X + 1)), np.array([-1.0, 40.0])),
    (msd.Beta, (X, X + 1), st.beta(X, X + 1), np.array([1e-9, 1 - 1e-9])),
    (msd.Beta, (X, X + 1), st.beta(X, X + 1), np.array([-0.5, 1.5])),
    (msd.Uniform, (X, X + 1), st.uniform(X, 1), np.array([0.9, 4.0])),
    (msd.Poisson, (X,), st.poisson(X), np.array([0.0, 25.0])),
    (msd.Geometric, (X / 2,), st.geom(X / 2, -1), np.array([30.0, 5.0])),
    (msd.HalfNormal, (X, X + 1), st.halfnorm(X, X + 1), np.array([0.2, 9.0])),
    (msd.StudentT, (X + 2, X, X + 1), st.t(X + 2, X, X + 1), np.array([-1e5, 9.0])),
]
OF_VALUES = {"log_prob": "logpdf", "prob": "pdf", "cdf": "cdf", "survival_function": "sf"}
OF_ALL = {"mean": "mean", "var": "var", "sd": "std", "entropy": "entropy"}


@pytest.mark.parametrize("case", range(len(SCIPY)))
def test_tails_and_moments(case):
    """Where probabilities are small, they and their complements keep their digits."""
    made, parameters, wanted, value = SCIPY[case]
    dist = made(*[Tensor(p) for p in parameters], dtype=ms.float64)
    for name, other in OF_VALUES.items():
        if other in ("pdf", "logpdf") and not hasattr(wanted.dist, "pdf"):
            other = other.replace("pdf", "pmf")
        try:
            got = getattr(dist, name)(Tensor(value))
        except NotImplementedError:
            continue
        np.testing.assert_allclose(got.asnumpy(), getattr(wanted, other)(value), 1e-11, 1e-300)
    for name, other in OF_ALL.items():
        try:
            got = getattr(dist, name)()
        except (NotImplementedError, ValueError):
            continue
        np.testing.assert_allclose(got.asnumpy(), getattr(wanted, other)(), 1e-11)


A, B = np.array([0.4, 1.3]), np.array([0.9, 0.6])
DERIVATIVES = {
    "Uniform": (A - 3, B + 3),
    "Cauchy": (A, B),
    "LogNormal": (A, B),
    "Gamma": (A, B),
    "Beta": (A, B),
    "Geometric": (B,),
    "StudentT": (A, B, B),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    """By the value and by each parameter, of all that has a formula, in one sum."""
    given = tuple(Tensor(p) for p in DERIVATIVES[name])
    dist = getattr(msd, name)(dtype=ms.float64)
    # Those of incomplete gamma and beta functions are in test_incomplete.py.
    of_values = ["log_prob"] + ["log_cdf"] * (name not in ("Gamma", "Beta", "Poisson"))
    has = lambda m: any(hasattr(dist, f"_{part}") for part in {m, m.removeprefix("log_")})
    wider = 1.2 if name == "Uniform" else 0.8

    def all_of(value, *p):
        total = sum(getattr(dist, m)(value, *p) for m in of_values if has(m))
        total = total + sum(
            getattr(dist, f"_{m}")(*p)
            for m in ("entropy", "var")
            if hasattr(dist, f"_{m}") and name != "Cauchy"
        )
        if hasattr(dist, "_kl_loss"):
            total = total + dist.kl_loss(name, *[v * wider for v in p], *p)
        return total

    check_grads(all_of, (Tensor(np.array([0.55, 0.35])), *given))


@pytest.mark.parametrize("name", ["Normal", "Uniform", "Cauchy", "Logistic", "Exponential", "Gamma",
                                  "Beta", "Poisson", "Bernoulli", "Geometric", "Laplace", "Gumbel",
                                  "LogNormal"])  # fmt: skip
def test_samples(name):
    """The share of numbers at most x is the distribution function there, within five deviations."""
    low, high = (np.array(v, np.float32) for v in ([0.3], [0.8]))
    given = (low, high)[: 1 if name in ("Exponential", "Poisson", "Bernoulli", "Geometric") else 2]
    dist = getattr(msd, name)(*[Tensor(p) for p in given], seed=7)
    drawn = dist.sample((40000,))
    assert drawn.dtype is dist.dtype and drawn.shape == (40000, 1)
    assert not (dist.sample((40000,)) == drawn).all()
    for x in (0.1, 0.45, 1.0, 2.5):
        wanted = dist.cdf(Tensor([x])).asnumpy()[0]
        share = (drawn.asnumpy() <= x).mean()
        assert abs(share - wanted) <= 5 * np.sqrt(wanted * (1 - wanted) / 40000) + 1e-6, x


def test_samples_of_classes():
    table = np.array([[0.25, 0.5, 0.25], [0.7, 0.1, 0.2]], np.float32)
    drawn = msd.Categorical(Tensor(table), seed=3).sample((200, 100)).asnumpy()
    for row in (0, 1):
        share = np.bincount(drawn[..., row].ravel()) / 20000
        np.testing.assert_allclose(share, table[row], atol=0.02)


def test_samples_follow_their_parameters():
    """A step on the mean of what is drawn; the same numbers are drawn from equal seeds."""
    f = lambda m, s: msd.Normal(seed=5).sample((1000,), m, s).mean()
    by_mean, by_sd = ms.grad(f, (0, 1))(Tensor([2.0]), Tensor([3.0]))
    z = msd.Normal(0.0, 1.0, seed=5).sample((1000,)).asnumpy()
    np.testing.assert_allclose(
        [by_mean.asnumpy()[0], by_sd.asnumpy()[0]], [1, z.mean()], 1e-4, 1e-6
    )


class Fit(nn.Cell):
    def __init__(self):
        super().__init__()
        self.normal = msd.Normal(
            Parameter(Tensor([0.5]), name="m"), Parameter(Tensor([2.0]), name="s")
        )

    def construct(self, x):
        return -self.normal("log_prob", x).mean()


def test_parameters_are_trained(mode):
    net = Fit()
    assert [p.name for p in net.trainable_params()] == ["normal._mean_value", "normal._sd_value"]
    by = ms.grad(net, None, net.trainable_params())(Tensor([1.5, -0.5]))
    np.testing.assert_allclose([g.asnumpy()[0] for g in by], [0, (1 - 1 / 4) / 2], atol=1e-6)


def test_compiled_and_mapped():
    dist = msd.Gamma(Tensor([2.0, 3.0]), Tensor([1.0, 0.5]))
    x = np.array([[0.5, 1.5], [2.5, 3.5]], np.float32)
    wanted = st.gamma(np.array([2.0, 3.0]), scale=np.array([1.0, 2.0])).logpdf(x)
    for f in (ms.jit(lambda x: dist("log_prob", x)), ms.vmap(dist.log_prob)):
        np.testing.assert_allclose(f(Tensor(x)).asnumpy(), wanted, 1e-5)


def test_a_falling_bijector_turns_the_distribution_around():
    dist = msb.ScalarAffine(-2.0, 1.0)(msd.Normal(0.0, 1.0))
    wanted = st.norm(1, 2)
    for name, other in OF_VALUES.items():
        got = getattr(dist, name)(Tensor([2.5])).asnumpy()
        np.testing.assert_allclose(got, getattr(wanted, other)([2.5]), 1e-5)


def test_layers_of_the_gamma_family():
    """Recorded of MindSpore, digamma(-0.5) of scipy (there 0.03649018); integers are refused."""
    x, y = Tensor([-1.5, -0.5, 0.25, 2.0, 30.0]), Tensor([0.25, 2.0, 30.0])
    wanted = [0.86004770, 1.2655133, 1.2880239, 0, 71.257050]
    np.testing.assert_allclose(nn.LGamma()(x).asnumpy(), wanted, 1e-6, 3e-7)
    wanted = [0.7031567, 0.03648997, -4.227453, 0.42278415, 3.3844383]
    np.testing.assert_allclose(nn.DiGamma()(x).asnumpy(), wanted, 3e-6)
    np.testing.assert_allclose(
        nn.LBeta()(y, y).asnumpy(), [2.0036802, -1.7917606, -42.019745], 1e-6
    )
    for cell in (nn.LGamma(), nn.DiGamma()):
        with pytest.raises(TypeError, match="'x' must be of floating-point numbers"):
            cell(Tensor([1], ms.int32))


class Affine(msb.Bijector):
    """As a program for MindSpore writes it."""

    def __init__(self, scale, shift, dtype=None):
        super().__init__(name="Affine", dtype=dtype, param={"param_dict": {"a": scale, "b": shift}})
        self.scale = self._add_parameter(scale, "scale")
        self.shift = self._add_parameter(shift, "shift")

    def _forward(self, value):
        value = self._check_value_dtype(value)
        scale, shift = (self.cast_param_by_value(value, p) for p in (self.scale, self.shift))
        return value * scale + shift


def test_a_bijector_of_a_program(mode):
    """Dtypes and errors are MindSpore's."""
    parts = np.float32([2, 1])
    for dtype, taken in ((None, [ms.float32, ms.float16]), (ms.float32, [ms.float32])):
        bijector = Affine(*(np.array(v) for v in parts), dtype=dtype)
        net = ms.jit(lambda x, b=bijector: b.forward(x))
        for kind in (ms.float32, ms.float16, ms.int32):
            x = Tensor(3, kind)
            if kind in taken:
                out = net(x)
                assert out.dtype is kind and out.item() == 7
            else:
                with pytest.raises(TypeError):
                    net(x)
        with pytest.raises(TypeError):
            net(1.0)
