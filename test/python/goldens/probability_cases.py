"""Calls of MindSpore's distributions and bijectors; see `record_probability.py` and `test_probability.py`.

``t(...)`` is a float32 Tensor of numbers, ``i(...)`` one of int32.
"""

import numpy as np

# A distribution, values inside and outside of its support, the other one of a divergence, and other
# parameters; methods of it that MindSpore has.
_ALL = "mean mode sd var entropy"
_PROBS = "prob log_prob cdf log_cdf survival_function log_survival"
DISTRIBUTIONS = [
    ("Normal(t(0.5, -1), t(2, 0.5))", "t(0.25, -0.75)", "t(1, 0), t(0.5, 3)", _ALL, _PROBS),
    ("Normal(3.0, 4.0)", "t(0.25, 7)", "t(1), t(0.5)", _ALL, _PROBS),
    ("Uniform(t(0, 1), t(2, 5))", "t(1, 2.5)", "t(-1, 0), t(3, 6)", "mean sd var entropy", _PROBS),
    ("Uniform(0.0, 2.0)", "t(-1, 0, 1, 2, 3)", "t(1), t(3)", "mean sd var entropy", "prob cdf"),
    ("Exponential(t(0.5, 2))", "t(0.25, 3)", "t(1, 5)", _ALL, _PROBS),
    ("Exponential(2.0)", "t(-1, 0, 2)", "t(0.5)", _ALL, "prob log_prob cdf"),
    ("Geometric(t(0.25, 0.5))", "t(0, 3)", "t(0.5, 0.75)", _ALL, _PROBS),
    ("Geometric(0.25)", "t(-1, 0.5, 2)", "t(0.5)", _ALL, "prob cdf survival_function"),
    ("Bernoulli(t(0.25, 0.75))", "t(0, 1)", "t(0.5, 0.625)", _ALL, "prob log_prob cdf"),
    ("Bernoulli(0.25)", "i(0, 1, 1)", "t(0.5)", _ALL, "prob log_prob cdf survival_function"),
    ("Poisson(t(0.5, 4))", "t(0, 3)", None, "mean mode sd var", _PROBS),
    ("Poisson(t(2.5))", "t(-1, 0, 4)", None, "mean mode sd var", "prob log_prob cdf"),
    ("Gamma(t(0.5, 4), t(2, 3))", "t(0.25, 2)", "t(1, 2), t(3, 0.5)", _ALL, _PROBS),
    ("Beta(t(0.5, 4), t(2, 3))", "t(0.25, 0.75)", "t(1, 2), t(3, 0.5)", _ALL, "prob log_prob"),
    ("Cauchy(t(0.5, -1), t(2, 0.5))", "t(0.25, -4)", "t(1, 0), t(0.5, 3)", "mode entropy", _PROBS),
    ("Logistic(t(0.5, -1), t(2, 0.5))", "t(0.25, -4)", None, _ALL, _PROBS),
    ("Logistic(0.5, 2.0)", "t(40, -50)", None, _ALL, "prob log_prob cdf log_cdf log_survival"),
    ("Gumbel(t(0.5, -1), t(2, 0.5))", "t(0.25, 1)", "t(1, 0), t(0.5, 3)", _ALL, _PROBS),
    ("LogNormal(t(0.5, -1), t(2, 0.5))", "t(0.25, 1)", "t(1, 0), t(0.5, 3)", _ALL, _PROBS),
    ("Categorical(t(0.25, 0.125, 0.625))", "i(0, 2, 1)", "t(0.5, 0.25, 0.25)", _ALL, _PROBS),
    (
        "Categorical(t([0.25, 0.75], [0.5, 0.5]))",
        "i(1, 0)",
        "t([0.5, 0.5], [0.25, 0.75])",
        _ALL,
        "prob log_prob cdf",
    ),
    ("HalfNormal(t(0, 0), t(2, 0.5))", "t(0.25, -1)", None, "", "prob"),
    ("HalfNormal(0.0, 2.0)", "t(0.25, 1)", None, "", "prob log_prob"),
    ("Laplace(t(0.5, -1), t(2, 0.5))", "t(0.25, -4)", None, "", "prob log_prob"),
    ("StudentT(t(2, 5), t(0.5, -1), t(2, 0.5))", "t(0.25, -4)", None, "", "prob log_prob"),
    (
        "TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Normal(t(0.5, -1), t(2, 0.5)))",
        "t(0.25, -1)",
        None,
        "mean",
        _PROBS,
    ),
    (
        "TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0))",
        "t(0.25, 3)",
        None,
        "",
        "prob log_prob cdf log_cdf survival_function",
    ),
    (
        "TransformedDistribution(msb.Invert(msb.Exp()), msd.Uniform(1.0, 2.0))",
        "t(0.25, 0.5)",
        None,
        "",
        "prob log_prob cdf",
    ),
]

BIJECTORS = [
    ("Exp()", "t(0.5, -1, 2)", "t(0.5, 1, 2)"),
    ("PowerTransform(2.0)", "t(0.5, 1, 2)", "t(0.5, 1, 2)"),
    ("PowerTransform(t(0, 0.5, 3))", "t(0.5, 1, 2)", "t(0.5, 1, 2)"),
    ("ScalarAffine(t(2, -3), t(1, 0.5))", "t(0.5, -1)", "t(0.5, 2)"),
    ("Softplus(2.0)", "t(0.5, -1, 20, -30)", "t(0.5, 1, 20)"),
    ("GumbelCDF(t(1.0, 0.5), t(2.0, 3.0))", "t(0.5, -1)", "t(0.5, 0.25)"),
    ("Invert(msb.Exp())", "t(0.5, 1, 2)", "t(0.5, -1, 2)"),
]

CASES = [
    f"msd.{made}.{method}()"
    for made, _, _, moments, _ in DISTRIBUTIONS
    for method in moments.split()
]
CASES += [
    f"msd.{made}.{method}({value})"
    for made, value, _, _, of_values in DISTRIBUTIONS
    for method in of_values.split()
]
CASES += [
    f"msd.{made}.{method}({made.partition('(')[0]!r}, {other})"
    for made, _, other, _, _ in DISTRIBUTIONS
    if other
    for method in ("kl_loss", "cross_entropy")
]
for _made, _x, _y in BIJECTORS:
    CASES += [f"msb.{_made}.{m}({_x})" for m in ("forward", "forward_log_jacobian")]
    CASES += [f"msb.{_made}.{m}({_y})" for m in ("inverse", "inverse_log_jacobian")]
CASES += [
    # By the name of the method, with parameters that are given there.
    "msd.Normal()('log_prob', t(0.5, 2), t(1), t(2))",
    "msd.Normal(0.0, 1.0)('mean', mean=t(3, 4), sd=t(2))",
    "msd.Normal(0.0, 1.0)('kl_loss', 'Normal', t(3), t(2), t(1), t(2))",
    "msd.Bernoulli()('prob', i(1, 0), t(0.25))",
    "msd.Bernoulli(0.5)('var', probs1=t(0.25))",
    "msd.Exponential(1.0)('survival_function', t(2), t(0.5, 0.25))",
    "msd.Categorical()('mode', t([0.25, 0.75], [0.75, 0.25]))",
    "msd.Gamma()('sd', t(4), t(0.5))",
    "msd.LogNormal()('prob', t(0.5), t(1), t(2))",
    "msd.Normal(t([0, 1, 2]), t([1], [2])).sd()",
    "msd.Normal(t([0, 1, 2]), t([1], [2])).batch_shape",
    "msd.Normal(0.0, t(1)).is_scalar_batch",
    "msd.Normal(1.0, 2.0).sample((3, 2)).shape",
    "msd.Normal(t(1, 0), 2.0).sample((3,)).shape",
    "msd.LogNormal(t(1, 0), t(2, 1)).sample().shape",
    "msd.Gumbel(t(1, 0), t(2, 1)).sample((2,)).shape",
    "msd.Categorical(t([0.25, 0.75], [0.75, 0.25])).sample((3,)).shape",
    "msd.Bernoulli(0.25).sample((3,)).dtype",
    "msd.Normal(1.0, 2.0).get_dist_args()",
    "msd.Beta(t(1), t(2)).get_dist_type()",
    "msb.Exp()(msd.Normal(0.0, 1.0)).prob(t(2))",
    # Errors.
    "msd.Normal(0.0, -1.0)",
    "msd.Normal(0.0, 1.0, dtype=ms.int32)",
    "msd.Normal(0.0, 1.0, seed=-1)",
    "msd.Normal(0.0, 1.0, name=1)",
    "msd.Normal('zero', 1.0)",
    "msd.Normal(0.0, 1.0).prob(0.5)",
    "msd.Normal(0.0, 1.0).prob(t(0), 'one', 'two')",
    "msd.Normal().prob(t(0))",
    "msd.Normal(0.0, 1.0).kl_loss('Gamma', t(0), t(1))",
    "msd.Normal(0.0, 1.0).sample(3)",
    "msd.Normal(0.0, 1.0)('median')",
    "msd.Normal(t(1), Tensor(np.array([1.0], np.float16)))",
    "msd.Uniform(2.0, 1.0)",
    "msd.Bernoulli(1.5)",
    "msd.Geometric(0.0)",
    "msd.Gamma(1.0, 2.0)",
    "msd.Poisson(1.0)",
    "msd.Exponential(-1.0)",
    "msd.Categorical(t(0.5, 0.25))",
    "msd.Categorical(0.5)",
    "msd.Cauchy(0.0, 1.0).mean()",
    "msd.Cauchy(0.0, 1.0).var()",
    "msd.Uniform(0.0, 1.0).mode()",
    "msd.StudentT(1.0, 0.0, 1.0).cdf(t(1))",
    "msd.TransformedDistribution(msb.Exp(), msd.Bernoulli(0.5))",
    "msd.TransformedDistribution(1, msd.Normal(0.0, 1.0))",
    "msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0)).mean()",
    "msb.PowerTransform(-1.0)",
    "msb.PowerTransform('one')",
    "msb.ScalarAffine(None)",
    "msb.ScalarAffine(2)",
    "msb.GumbelCDF(0.0, 0.0)",
    "msb.Invert(1)",
    "msb.Exp().forward(i(1))",
    "msb.Exp().forward(1.0)",
]


def names(ms, msd, msb):
    """What the cases are evaluated with."""

    def t(*values):
        return ms.Tensor(np.array(values, np.float32))

    def i(*values):
        return ms.Tensor(np.array(values, np.int32))

    return {"ms": ms, "msd": msd, "msb": msb, "np": np, "Tensor": ms.Tensor, "t": t, "i": i}


def plain(value):
    """A result as JSON has it."""
    if hasattr(value, "asnumpy"):
        return [str(value.dtype), value.asnumpy().tolist()]
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return value if isinstance(value, bool | int | float | str) else str(value)
