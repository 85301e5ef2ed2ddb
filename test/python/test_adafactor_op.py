"""Steps of `ops.FusedAdaFactor`, beside the formulas of the paper in numpy, which MindSpore's kernel has, too."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, ops

EPSILON, CLIP, BETA1, BETA2, DECAY, RATE = (1e-3, 1e-3), 1.0, 0.9, 0.8, 1e-2, 0.03


def rms(x):
    return np.sqrt((x * x).mean())


def stepped(g, p, m, row, col, v, by_size=False, first=False, decays=False):
    squares, rate = g * g + EPSILON[0], RATE
    if by_size:
        rate = rate * max(EPSILON[1], rms(p))
    if g.ndim > 1:
        row = BETA2 * row + (1 - BETA2) * squares.mean(-1)
        col = BETA2 * col + (1 - BETA2) * squares.mean(-2)
        share = np.sqrt(row / row.mean(-1, keepdims=True))
        update = g / share[..., None] / np.sqrt(col)[..., None, :]
    else:
        v = BETA2 * v + (1 - BETA2) * squares
        update = g / np.sqrt(v)
    update = update / max(1, rms(update) / CLIP) * rate
    if first:
        update = m = BETA1 * m + (1 - BETA1) * update
    return (p - p * DECAY * rate if decays else p) - update, m, row, col, v


@pytest.mark.parametrize("flags", [(), (True,), (False, True), (False, False, True), (True,) * 3])
@pytest.mark.parametrize("shape", [(2, 3, 2), (4, 3), (5,)])
@pytest.mark.parametrize("norm", [None, 10.0])
def test_steps(shape, flags, norm, mode):
    draw = np.random.default_rng(1)
    state = [shape, shape, shape[:-1], (*shape[:-2], shape[-1]), shape]
    g, *values = [draw.random(s) + 0.1 for s in (shape, *state)]
    g = g - 0.5
    parameters = [Parameter(Tensor(v), name=f"p{i}") for i, v in enumerate(values)]
    step = (ops.FusedAdaFactor if norm is None else ops.FusedAdaFactorWithGlobalNorm)(*flags)

    @ms.jit
    def run(g):
        args = (EPSILON, CLIP, BETA1, BETA2, DECAY, RATE, g, *parameters)
        return step(*args) if norm is None else step(*args, norm)

    out = run(Tensor(g))
    wanted = stepped(g if norm is None else g / norm, *values, *flags)
    for parameter, value in zip(parameters, wanted, strict=True):
        np.testing.assert_allclose(parameter.asnumpy(), value, 1e-12)
    assert len(out) == 1 and np.array_equal(out[0].asnumpy(), parameters[0].asnumpy())


@pytest.mark.parametrize(
    "words, change",
    [
        ("'epsilon' must be two numbers", {0: (1.0,)}),
        ("'exp_avg_sq_row' must have shape [3]", {9: ops.ones(2)}),
        ("gradient", {6: ops.ones(2)}),
    ],
)
def test_mistakes_are_named(words, change):
    ones = ops.ones((3, 2))
    args = [
        EPSILON,
        CLIP,
        BETA1,
        BETA2,
        DECAY,
        RATE,
        ones,
        ones,
        ones,
        ops.ones(3),
        ops.ones(2),
        ones,
    ]
    with pytest.raises(ValueError) as caught:
        ops.FusedAdaFactor()(*[change.get(i, v) for i, v in enumerate(args)])
    assert words in str(caught.value)
