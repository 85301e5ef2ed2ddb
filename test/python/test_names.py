"""Names of MindSpore: against MindSpore (see `goldens/record_names.py`), their derivatives against
differences, and errors.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import said
from test_goldens import NUMBER, normal

import cellgrad as ms
from cellgrad import Parameter, ParameterTuple, Tensor, nn, ops, train
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import name_cases as cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "names.json").read_text())


@pytest.fixture(scope="module")
def setup_code(tmp_path_factory):
    path = tmp_path_factory.mktemp("goldens") / "setup.py"
    path.write_text(cases.SETUP)
    return compile(cases.SETUP, str(path), "exec")


def names_of(setup_code):
    names = {"ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor, "train": train}
    names |= {"Parameter": Parameter, "ParameterTuple": ParameterTuple}
    exec(setup_code, names)
    return names


@pytest.mark.parametrize("group, expression", [(g, e) for g, es in cases.ALL.items() for e in es])
def test_golden(group, expression, setup_code):
    wanted = normal(RECORDED[group][expression])
    try:
        result = repr(eval(expression, names_of(setup_code)))
    except Exception as e:
        result = f"!{type(e).__name__}"
    assert NUMBER.sub("#", result).split() == NUMBER.sub("#", wanted).split()
    got, exact = (np.array(NUMBER.findall(t), float) for t in (result, wanted))
    np.testing.assert_allclose(got, exact, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("function", cases.GRADIENTS)
def test_derivatives(function, setup_code):
    names = names_of(setup_code)
    f, *values = eval(function, names)
    check_grads(f, tuple(Tensor(np.array(v, np.float64)) for v in values), order=2)


@pytest.mark.parametrize("expression, kind, text", cases.ERRORS)
def test_errors(expression, kind, text, setup_code):
    with pytest.raises(Exception) as caught:
        eval(expression, names_of(setup_code))
    assert type(caught.value).__name__ == kind
    assert text in said(caught.value)


# --- where MindSpore's eager mode fails or differs ----------------------------------------------

SIMILARITY = [  # of MindSpore's graph mode
    ("nn.PSNR()", 7.7626677),
    ("nn.PSNR(2.0)", 13.783267),
    ("nn.SSIM()", 0.03535454),
    ("nn.SSIM(2.0, 7, 1.0, 0.02, 0.05)", 0.05250228),
    ("nn.MSSSIM(power_factors=(0.4, 0.6), filter_size=5)", 0.02579098),
]


@pytest.mark.parametrize("layer, value", SIMILARITY)
def test_similarity_of_images(layer, value, setup_code):
    names = names_of(setup_code)
    result = eval(f"{layer}(noise, noise2)", names)
    np.testing.assert_allclose(result.asnumpy(), [value], rtol=2e-5)


def test_documented_formulas_where_kernels_ignore_arguments():
    v, m, g = (Tensor(np.array(x)) for x in ([1.0, -2.0], [0.25, 0.5], [0.5, -1.5]))
    # Nesterov: the step is along gradient + momentum * new accumulation.
    moved = 0.9 * np.array([0.25, 0.5]) + np.array([0.5, -1.5])
    want = np.array([1.0, -2.0]) - 0.1 * (np.array([0.5, -1.5]) + 0.9 * moved)
    got = ops.ApplyMomentum(use_nesterov=True)(v, m, 0.1, g, 0.9)
    np.testing.assert_allclose(got.asnumpy(), want)
    # Without slots, the sum of squares stays.
    v, s = Tensor(np.array([1.0])), Tensor(np.array([4.0]))
    var, accum = ops.ApplyAdagrad(update_slots=False)(v, s, 0.5, Tensor(np.array([3.0])))
    assert (var.asnumpy(), accum.asnumpy()) == (0.25, 4.0)
    # Dual averaging and FTRL shrink negative sums by their absolute value.
    one = Tensor(np.array([1.0]))
    out = ops.ApplyAdagradDA()(one, -one, 3 * one, -one, 0.5, 0.25, 0.0, 2)
    np.testing.assert_allclose(out.asnumpy(), [0.5 * (2 - 0.5) / 2.0])
    zero = Tensor(np.array([0.0]))
    one = np.array([1.0])
    out = ops.ApplyFtrl()(zero, Tensor(one), Tensor(-one), zero, 1.0, 0.25, 0.0, -0.5)
    np.testing.assert_allclose(out.asnumpy(), [0.75])


def test_root_mean_square_distance_is_a_root():
    metric = train.RootMeanSquareDistance()
    metric.update(Tensor([[1, 1, 1], [0, 0, 0]]), Tensor([[1, 0, 0], [0, 0, 0]]), 1)
    np.testing.assert_allclose(metric.eval(), np.sqrt(5 / 3))


def test_occlusion_covers_windows():
    image = Tensor(np.arange(1.0, 13.0, dtype=np.float32).reshape(1, 1, 4, 3))
    metric = train.OcclusionSensitivity(margin=1, n_batch=5)
    metric.update(nn.Flatten(), image, Tensor([5]))
    assert metric.eval().tolist() == [[0, 0, 0], [0, 0, 6], [0, 0, 6], [0, 0, 0]]
    metric = train.OcclusionSensitivity(b_box=[0, 0, 1, 2, -1, -1])
    metric.update(nn.Flatten(), image, Tensor([5]))
    assert metric.eval().tolist() == [[0, 6, 6], [0, 6, 6]]
    with pytest.raises(ValueError, match="b_box"):
        train.OcclusionSensitivity(b_box=[0, 0]).update(nn.Flatten(), image, Tensor([5]))


class Rows(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 2), np.float32)), name="w")
        self.a = Parameter(Tensor(np.full((3, 2), 0.5, np.float32)), name="a")
        self.step = ops.SparseApplyAdagradV2(lr=0.1, epsilon=0.0)

    def construct(self, grad, rows):
        return self.step(self.w, self.a, grad, rows)


def test_steps_of_rows_in_compiled_code():
    """Twice the same row: a step with each, in order, as outside of compiled code."""
    grad, rows = Tensor(np.float32([[1, 2], [3, 4], [5, 6]])), Tensor([2, 0, 2])
    net, eager = Rows(), Rows()
    net(grad, rows)
    eager.step(eager.w, eager.a, grad, rows)
    w, a = np.ones((3, 2)), np.full((3, 2), 0.5)
    for row, g in zip([2, 0, 2], grad.asnumpy().astype(float)):
        a[row] += g**2
        w[row] -= 0.1 * g / np.sqrt(a[row])
    for cell in (net, eager):
        np.testing.assert_allclose(cell.w.asnumpy(), w, rtol=1e-6)
        np.testing.assert_allclose(cell.a.asnumpy(), a, rtol=1e-6)
