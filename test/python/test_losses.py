"""Losses: values and gradients against real MindSpore (`goldens/record_losses.py` says how they were
recorded), extreme inputs against numpy, and what is refused.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import loss_cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "losses.json").read_text())


@pytest.fixture(scope="module")
def names():
    out = {"ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor}
    exec(loss_cases.SETUP, out)
    return out


@pytest.mark.parametrize("case", loss_cases.CASES + loss_cases.TORCH)
def test_loss_agrees_with_the_record(case, names):
    function, inputs = case.split(" | ")
    loss, args = eval(function, names), eval(f"({inputs})", names)
    value, gradient = ms.value_and_grad(loss, 0)(*args)
    wanted_value, wanted_gradient = (np.array(a, np.float32) for a in RECORDED[case])
    assert value.dtype is ms.float32 and value.shape == wanted_value.shape
    # MindSpore's exp and log are good to about 1e-5.
    np.testing.assert_allclose(value.asnumpy(), wanted_value, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(gradient.asnumpy(), wanted_gradient, rtol=1e-4, atol=2e-6)


def test_cross_entropy_of_large_logits_stays_exact():
    logits = Tensor([[1e4, 0.0, -1e4], [3e38, -3e38, 0.0]])
    labels = Tensor([1, 0], ms.int32)
    value, gradient = ms.value_and_grad(nn.CrossEntropyLoss(reduction="none"))(logits, labels)
    np.testing.assert_array_equal(value.asnumpy(), np.float32([1e4, 0]))
    np.testing.assert_array_equal(gradient.asnumpy(), np.float32([[1, -1, 0], [0, 0, 0]]))


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64])
def test_cross_entropy_keeps_the_dtype(dtype):
    x = np.random.default_rng(0).standard_normal((6, 4))
    labels = np.array([0, 3, 1, 1, 2, 0])
    value, gradient = ms.value_and_grad(nn.CrossEntropyLoss())(
        Tensor(x, dtype), Tensor(labels, ms.int32)
    )
    log_p = x - np.log(np.exp(x).sum(1, keepdims=True))
    rtol = {ms.float16: 2e-3, ms.bfloat16: 2e-2, ms.float64: 1e-14}[dtype]
    assert value.dtype is dtype and gradient.dtype is dtype
    wanted = -log_p[np.arange(6), labels].mean()
    np.testing.assert_allclose(float(value.astype(ms.float64)), wanted, rtol=rtol)
    slope = (np.exp(log_p) - np.eye(4)[labels]) / 6
    np.testing.assert_allclose(gradient.astype(ms.float64).asnumpy(), slope, atol=rtol)


def test_a_row_of_ignored_labels_only_is_zero_but_its_mean_is_not_a_number():
    x, labels = Tensor([[1.0, 2.0]]), Tensor([-100], ms.int32)
    assert nn.CrossEntropyLoss(reduction="sum")(x, labels) == 0
    assert np.isnan(nn.CrossEntropyLoss()(x, labels).asnumpy())


@pytest.mark.parametrize("bad", [3, -1, -4])
@pytest.mark.parametrize(
    "loss",
    [
        lambda x, t: ops.cross_entropy(x, t, None, -100, "none"),
        ops.nll_loss,
        ops.multi_margin_loss,
        lambda x, t: nn.FocalLoss()(x, t.reshape((2, 1))),
        nn.SoftmaxCrossEntropyWithLogits(sparse=True),
    ],
)
def test_a_label_that_is_no_class_is_an_error(loss, bad):
    """MindSpore and PyTorch refuse it on the CPU, too; MindSpore's gathers count from the end."""
    x = Tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], ms.float32)
    with pytest.raises(IndexError, match=r"class indices must be in the range \[0, 3\)"):
        loss(x, Tensor([1, bad], ms.int32))
    with pytest.raises(IndexError, match=r"class indices must be in the range"):
        ms.grad(loss)(x, Tensor([1, bad], ms.int32))


@pytest.mark.parametrize("ignored", [-100, -1, 3, 1])
def test_an_ignored_label_need_not_be_a_class(ignored):
    x = Tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], ms.float32)
    loss = ops.cross_entropy(x, Tensor([2, ignored], ms.int32), ignore_index=ignored)
    np.testing.assert_allclose(loss.asnumpy(), np.log1p(np.exp(-1) + np.exp(-2)), rtol=1e-6)


def test_second_derivative_of_cross_entropy_is_the_covariance_of_the_softmax():
    x = np.random.default_rng(1).standard_normal(5)
    label = Tensor(2, ms.int32)
    hessian = ms.hessian(lambda z: ops.cross_entropy(z, label))(Tensor(x, ms.float64))
    p = np.exp(x) / np.exp(x).sum()
    np.testing.assert_allclose(hessian.asnumpy(), np.diag(p) - np.outer(p, p), atol=1e-14)


@pytest.mark.parametrize(
    "loss, curvature",
    [
        (lambda x, y: ops.huber_loss(x, y, "sum"), 1.0),
        (lambda x, y: ops.smooth_l1_loss(x, y, 2.0, "sum"), 0.5),
        (lambda x, y: nn.HuberLoss("sum")(x, y), 1.0),
    ],
)
def test_parabolas_are_curved_where_input_and_target_are_equal(loss, curvature):
    x, y = (Tensor(np.array([0.3, -2.0, 0.0, last])) for last in (0.7, 0.2))
    slope = lambda x: ms.grad(loss)(x, y)
    np.testing.assert_allclose(slope(x).asnumpy(), [0, 0, 0, 0.5 * curvature], atol=1e-15)
    np.testing.assert_array_equal(ms.grad(slope)(x).asnumpy(), [curvature] * 4)  # PyTorch's


X, LABELS = Tensor(np.ones((4, 5), np.float32)), Tensor([0, 1, 2, 3], ms.int32)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "'reduction' must be 'mean', 'sum' or 'none'", lambda: nn.L1Loss("median")),
        (
            ValueError,
            "'reduction' must be 'none', 'mean' or 'sum'",
            lambda: ops.mse_loss(X, X, "batchmean"),
        ),
        (TypeError, "'input' must be a Tensor", lambda: ops.l1_loss(1.0, X)),
        (ValueError, "must broadcast", lambda: ops.mse_loss(X, Tensor([1.0, 2.0]))),
        (ValueError, "must have one shape", lambda: ops.smooth_l1_loss(X, X[0])),
        (ValueError, "'beta' must be at least 0", lambda: ops.smooth_l1_loss(X, X, -1.0)),
        (ValueError, "'delta' must be positive", lambda: ops.huber_loss(X, X, delta=0.0)),
        (TypeError, "'delta' must be a number", lambda: ops.huber_loss(X, X, delta=True)),
        (ValueError, "must have one shape", lambda: ops.binary_cross_entropy(X, X[0])),
        (ValueError, "must have one shape", lambda: ops.kl_div(X, X[0])),
        (
            ValueError,
            "needs a first dimension",
            lambda: ops.kl_div(*[Tensor(1.0)] * 2, "batchmean"),
        ),
        (ValueError, "'eps' must be positive", lambda: ops.gaussian_nll_loss(X, X, X, eps=0.0)),
        (TypeError, "'full' must be a bool", lambda: ops.gaussian_nll_loss(X, X, X, full=1)),
        (ValueError, "'margin' must be in", lambda: ops.cosine_embedding_loss(X, X, LABELS, 2.0)),
        (ValueError, "'margin' must be in", lambda: nn.CosineEmbeddingLoss(1.5)),
        (TypeError, "'margin' must be a number", lambda: nn.CosineEmbeddingLoss("1")),
        (ValueError, "expected shapes (N, D", lambda: ops.cosine_embedding_loss(X, X, X)),
        (ValueError, "'p' must be a positive int", lambda: ops.triplet_margin_loss(X, X, X, p=0)),
        (TypeError, "must be integers", lambda: ops.cross_entropy(X, Tensor([0.0] * 4))),
        (ValueError, "of shape [4]", lambda: ops.cross_entropy(X, LABELS[:3])),
        (ValueError, "one element a class", lambda: ops.cross_entropy(X, LABELS, X[0, :3])),
        (ValueError, "in [0, 1]", lambda: ops.cross_entropy(X, LABELS, label_smoothing=2.0)),
        (
            TypeError,
            "'label_smoothing' must be a number",
            lambda: ops.cross_entropy(X, LABELS, label_smoothing="1"),
        ),
        (TypeError, "'ignore_index'", lambda: ops.nll_loss(X, LABELS, None, 1.5)),
        (ValueError, "dimension of classes", lambda: ops.nll_loss(Tensor(1.0), LABELS)),
        (TypeError, "'weight' must be a Tensor", lambda: nn.CrossEntropyLoss([1.0])),
        (TypeError, "'sparse' must be bool", lambda: nn.SoftmaxCrossEntropyWithLogits(1)),
        (ValueError, "sparse=True", lambda: nn.SoftmaxCrossEntropyWithLogits()(X, LABELS)),
        (ValueError, "'p' must be 1 or 2", lambda: ops.multi_margin_loss(X, LABELS, 3)),
        (ValueError, "must be (N, C)", lambda: ops.multi_margin_loss(X[0], LABELS)),
        (ValueError, "integers of the same shape", lambda: ops.multilabel_margin_loss(X, X)),
        (ValueError, "'smooth' must be positive", lambda: nn.DiceLoss(0)),
        (ValueError, "must have one shape", lambda: nn.DiceLoss()(X, X[0])),
        (ValueError, "'activation' must be one of", lambda: nn.MultiClassDiceLoss(activation="x")),
        (TypeError, "must be str or Cell", lambda: nn.MultiClassDiceLoss(activation=1)),
        (ValueError, "'weights' must have 2 dimensions", lambda: nn.MultiClassDiceLoss(X[0])),
        (TypeError, "'weights' must be a Tensor", lambda: nn.MultiClassDiceLoss("1")),
        (TypeError, "'ignore_indiex' must be an int", lambda: nn.MultiClassDiceLoss(None, "2")),
        (TypeError, "'gamma' must be a number", lambda: nn.FocalLoss(gamma="2")),
        (ValueError, "must have 5 rows", lambda: nn.MultiClassDiceLoss(X[:, :1])(X, X)),
        (ValueError, "one shape (N, C", lambda: nn.MultiClassDiceLoss()(X, X[0])),
        (ValueError, "'weight' must be 1", lambda: nn.FocalLoss(X)),
        (ValueError, "must be (N, C)", lambda: nn.FocalLoss()(X[0], LABELS)),
        (ValueError, "must be one or equal", lambda: nn.FocalLoss()(X, X[:, :2])),
        (TypeError, "can not be a Parameter", lambda: nn.BCEWithLogitsLoss("sum", ms.Parameter(X))),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)
    assert "test_losses.py" in str(caught.value)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_slopes_where_margins_end(mode):
    """Recorded from MindSpore 2.10: each loss is 0, and its slope is of one side."""
    ms.set_context(mode=mode)
    try:
        a, b, t = (ms.Tensor(v) for v in ([1.0, 2.0, 0.0], [0.0, 1.0, -1.0], [1.0, 1.0, -1.0]))
        ranking = nn.MarginRankingLoss(margin=1.0, reduction="sum")
        left, right = ms.grad(ranking, (0, 1))(a, b, t)
        assert left.asnumpy().tolist() == [-1, -1, 1] and right.asnumpy().tolist() == [1, 1, -1]
        x, label = ms.Tensor([[1.0, 0.0, 2.0]]), ms.Tensor([0])
        for p, wanted in ((1, [-1 / 3, 0, 1 / 3]), (2, [-4 / 3, 0, 4 / 3])):
            slope = ms.grad(lambda v: ops.multi_margin_loss(v, label, p, 1, reduction="sum"))(x)  # noqa: B023
            np.testing.assert_allclose(slope.asnumpy(), [wanted], 1e-6)
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


# Vectors, the cosine and its gradient by both, as MindSpore 2.10 gives them.
COSINES = [
    ([1e-9, 0.0], [1.0, 0.0], 0.1, [1e8, 0.0], [0.1, 0.0]),
    ([1e-5, 0.0], [1e-5, 0.0], 0.01, [1e3, 0.0], [1e3, 0.0]),
    ([0.0, 0.0], [1.0, 2.0], 0.0, [1e8, 2e8], [0.0, 0.0]),
]


@pytest.mark.parametrize("x, y, value, by_x, by_y", COSINES)
def test_cosines_of_short_vectors(x, y, value, by_x, by_y):
    a, b = ms.Tensor(x), ms.Tensor(y)
    of = ms.value_and_grad(lambda u, v: ops.cosine_similarity(u, v, 0), (0, 1))
    for function in (of, ms.jit(of)):
        out, (left, right) = function(a, b)
        np.testing.assert_allclose(out.asnumpy(), value, 1e-6)
        np.testing.assert_allclose(left.asnumpy(), by_x, 1e-6)
        np.testing.assert_allclose(right.asnumpy(), by_y, 1e-6)


@pytest.mark.parametrize("shape", [(4, 5), (3, 5, 5), (2, 5, 5, 5), (2, 3, 4, 5)])
def test_classes_of_sparse_labels_are_the_last_dimension(shape):
    """As in MindSpore on the CPU, where `ops.cross_entropy` has them at dimension 1."""
    draw = np.random.default_rng(4)
    x = draw.standard_normal(shape)
    labels = draw.integers(0, 5, shape[:-1]).astype(np.int32)
    log_p = x - np.log(np.exp(x).sum(-1, keepdims=True))
    wanted = -np.take_along_axis(log_p, labels[..., None], -1)[..., 0]
    given = Tensor(x, ms.float32), Tensor(labels)
    for reduction, value in (("none", wanted), ("mean", wanted.mean()), ("sum", wanted.sum())):
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=reduction)(*given)
        assert loss.shape == value.shape
        np.testing.assert_allclose(loss.asnumpy(), value, rtol=2e-6)
    slope = (np.exp(log_p) - np.eye(5)[labels]) / labels.size
    mean = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    primitive = ops.SparseSoftmaxCrossEntropyWithLogits()
    for gradient in (
        ms.grad(mean)(*given),
        ms.grad(primitive)(*given),
        ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(*given),
    ):
        np.testing.assert_allclose(gradient.asnumpy(), slope, atol=2e-7)


def test_labels_without_a_class_for_each_row_are_refused():
    x = Tensor(np.ones((2, 3, 4, 5), np.float32))
    for labels in (np.zeros((2, 4, 5)), np.zeros(24)):
        with pytest.raises(ValueError) as e:
            nn.SoftmaxCrossEntropyWithLogits(sparse=True)(x, Tensor(labels.astype(np.int32)))
        assert "'labels' must have shape [2, 3, 4]" in said(e.value)


@pytest.mark.parametrize("loss", [ops.cross_entropy, ops.nll_loss])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    "input, weight, wanted",
    [
        (ms.float16, ms.float32, ms.float32),
        (ms.float32, ms.float16, ms.float32),
        (ms.float32, ms.float64, ms.float64),
    ],
)
def test_a_weighted_loss_has_the_dtype_of_the_product(loss, reduction, input, weight, wanted):
    x, w = Tensor([[0.5, 1.0, 2.0]], input), Tensor([1.0, 2.0, 3.0], weight)
    assert loss(x, Tensor([1], ms.int32), w, reduction=reduction).dtype is wanted
    assert ms.grad(loss)(x, Tensor([1], ms.int32), w).dtype is input
    if loss is ops.cross_entropy:
        assert loss(x, ops.softmax(x), w, reduction=reduction).dtype is wanted


def test_focal_loss_of_fewer_labels_reads_the_first_logits():
    """As the gather of these labels, in MindSpore: its documentation has the values of whole labels."""
    x = np.random.default_rng(4).standard_normal((3, 2, 3)).astype(np.float32)
    w = Tensor([0.5, 2.0])
    for shape in ((1, 1, 3), (3, 1, 2), (2, 1, 1)):
        labels = Tensor(np.ones(shape), ms.int32)
        part = Tensor(x[: shape[0], :, : shape[2]])
        for loss in (nn.FocalLoss(reduction="none"), nn.FocalLoss(w, 1.5, "none")):
            value = loss(Tensor(x), labels)
            np.testing.assert_array_equal(value.asnumpy(), loss(part, labels).asnumpy())
    one = nn.FocalLoss()(Tensor([[0.8, 1.4], [0.5, 0.9], [1.2, 0.9]]), Tensor([[1]], ms.int32))
    p = 1 / (1 + np.exp(-0.6))
    np.testing.assert_allclose(one.asnumpy(), -((1 - p) ** 2) * np.log(p), rtol=1e-6)
    with pytest.raises(ValueError, match="must not be longer than 'logits'"):
        nn.FocalLoss()(part, Tensor(np.ones((3, 1, 1)), ms.int32))
