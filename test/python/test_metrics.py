"""Metrics: against scikit-learn, numpy and numbers by hand, over several batches."""

import numpy as np
import pytest
from messages import said
from sklearn import metrics as sk

import cellgrad as ms
from cellgrad import Tensor, nn, train

RANDOM = np.random.default_rng(0)
SCORES = RANDOM.standard_normal((40, 4)).astype(np.float32)
CLASSES = RANDOM.integers(0, 4, 40).astype(np.int32)
PREDICTED = SCORES.argmax(1)
BITS = RANDOM.integers(0, 2, (40, 4))
WANTED_BITS = RANDOM.integers(0, 2, (40, 4))


def over_batches(metric, *arrays, size=16):
    metric.clear()
    for i in range(0, len(arrays[0]), size):
        metric.update(*(Tensor(a[i : i + size]) for a in arrays))
    return metric.eval()


@pytest.mark.parametrize("one_hot", [False, True])
def test_classes(one_hot):
    labels = np.eye(4, dtype=np.float32)[CLASSES] if one_hot else CLASSES
    assert over_batches(train.Accuracy(), SCORES, labels) == sk.accuracy_score(CLASSES, PREDICTED)
    for metric, reference in (
        (train.Precision(), sk.precision_score),
        (train.Recall(), sk.recall_score),
        (train.F1(), sk.f1_score),
        (train.Fbeta(2.0), lambda *a, **k: sk.fbeta_score(*a, beta=2.0, **k)),
    ):
        each = over_batches(metric, SCORES, labels)
        np.testing.assert_allclose(each, reference(CLASSES, PREDICTED, average=None))
        mean = reference(CLASSES, PREDICTED, average="macro")
        np.testing.assert_allclose(metric.eval(average=True), mean)
    for k in (1, 2, 3):
        wanted = sk.top_k_accuracy_score(CLASSES, SCORES, k=k)
        assert over_batches(train.TopKCategoricalAccuracy(k), SCORES, labels) == wanted
    assert over_batches(train.Top1CategoricalAccuracy(), SCORES, labels) == sk.accuracy_score(
        CLASSES, PREDICTED
    )
    assert over_batches(train.Top5CategoricalAccuracy(), SCORES, labels) == 1.0


def test_labels():
    p = np.array([[0, 1], [1, 1], [0, 0], [1, 0]])
    y = np.array([[0, 1], [1, 0], [0, 0], [0, 1]])
    assert over_batches(train.Accuracy("multilabel"), p, y, size=3) == 0.5
    precision = over_batches(train.Precision("multilabel"), p, y, size=3)
    np.testing.assert_allclose(precision, [1, 0.5, 0, 0])
    recall = over_batches(train.Recall("multilabel"), p, y, size=3)
    np.testing.assert_allclose(recall, [1, 1, 0, 0])


@pytest.mark.parametrize(
    "normalize, reference",
    [("no_norm", None), ("target", "true"), ("prediction", "pred"), ("all", "all")],
)
def test_confusion_matrix(normalize, reference):
    wanted = sk.confusion_matrix(CLASSES, PREDICTED, normalize=reference)
    for predictions in (SCORES, PREDICTED):
        matrix = over_batches(train.ConfusionMatrix(4, normalize), predictions, CLASSES)
        np.testing.assert_allclose(matrix, wanted)
    metric = train.ConfusionMatrix(2, threshold=0.3)
    assert metric([0.2, 0.4, 0.9], [0, 0, 1]).tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    "name, reference",
    [
        ("sensitivity", sk.recall_score),
        ("precision", sk.precision_score),
        ("f1 score", sk.f1_score),
        ("accuracy", sk.accuracy_score),
        ("specificity", lambda y, p: sk.recall_score(1 - y, 1 - p)),
        ("threat score", sk.jaccard_score),
        ("ba", sk.balanced_accuracy_score),
        ("mcc", sk.matthews_corrcoef),
        ("fm", lambda y, p: np.sqrt(sk.precision_score(y, p) * sk.recall_score(y, p))),
        ("bm", lambda y, p: 2 * sk.balanced_accuracy_score(y, p) - 1),
        ("mk", lambda y, p: sk.precision_score(y, p) + sk.precision_score(1 - y, 1 - p) - 1),
        ("ppv", sk.precision_score),
    ],
)
def test_rates(name, reference):
    each = [reference(WANTED_BITS[:, c], BITS[:, c]) for c in range(4)]
    metric = train.ConfusionMatrixMetric(False, name, decrease="none")
    np.testing.assert_allclose(over_batches(metric, BITS, WANTED_BITS), each)
    metric = train.ConfusionMatrixMetric(True, name)
    np.testing.assert_allclose(over_batches(metric, BITS, WANTED_BITS), np.mean(each[1:]))


def test_values():
    x, y = SCORES, RANDOM.standard_normal((40, 4)).astype(np.float32)
    assert over_batches(train.MAE(), x, y) == pytest.approx(np.abs(x - y).sum() / 40, rel=1e-6)
    assert over_batches(train.MSE(), x, y) == pytest.approx(np.square(x - y).sum() / 40, rel=1e-6)
    loss = train.Loss()
    loss.update(Tensor([1.0, 3.0]))
    loss.update(Tensor(5.0))
    assert loss.eval() == 3.5
    p = np.exp(SCORES) / np.exp(SCORES).sum(1, keepdims=True)
    entropy = -np.log(p[np.arange(40), CLASSES])
    assert over_batches(train.Perplexity(), p, CLASSES) == pytest.approx(
        np.exp(entropy.mean()), rel=1e-6
    )
    assert over_batches(train.Perplexity(2), p, CLASSES) == pytest.approx(
        np.exp(entropy[CLASSES != 2].mean()), rel=1e-6
    )
    assert train.Dice()([[1.0, 1.0]], [[1.0, 0.0]]) == pytest.approx(2 / 3, rel=1e-4)
    x = [[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]  # the example of MindSpore's documentation
    assert train.Dice(1e-5)(x, [[0, 1], [1, 0], [0, 1]]) == pytest.approx(0.20467791371802546)
    rows = RANDOM.standard_normal((3, 5))
    cosines = train.CosineSimilarity(zero_diagonal=False)(rows)
    np.testing.assert_allclose(np.diag(cosines), 1)
    np.testing.assert_allclose(
        train.CosineSimilarity("dot", "sum")(rows)[0], rows[0] @ rows[1:].sum(0)
    )


def test_metrics_and_callbacks_are_where_mindspore_has_them():
    assert nn.Accuracy is ms.Accuracy is train.Accuracy and nn.names is train.names
    assert ms.LossMonitor is train.LossMonitor and ms.EarlyStopping is train.EarlyStopping
    with pytest.raises(AttributeError, match="'Precisions'"):
        nn.Precisions  # noqa: B018


def test_names_and_indexes():
    assert train.names()[:4] == ["F1", "acc", "accuracy", "auc"]
    assert train.get_metric_fn("auc", np.array([0.0, 1.0]), np.array([0.0, 1.0])) == 0.5
    assert isinstance(train.get_metric_fn("topk", 3), train.TopKCategoricalAccuracy)
    metric = train.MSE().set_indexes([2, 0])
    assert metric([1.0], [9.0], [3.0]) == 4.0
    x, other, y = (
        np.array(v)
        for v in (
            [[3, 0, 1], [1, 3, 0], [1, 0, 2]],
            [[0, 2, 1], [1, 2, 1], [0, 0, 1]],
            [[0, 0, 1], [0, 2, 1], [2, 0, 1]],
        )
    )
    apart = train.RootMeanSquareDistance()
    assert apart(x, y, 0) == train.RootMeanSquareDistance().set_indexes([0, 2, 3])(x, other, y, 0)

    words = [["i", "have", "a", "pen", "on", "my", "desk"]]
    references = [[["i", "have", "a", "pen", "in", "my", "desk"], ["on", "my", "desk"]]]
    score = train.BleuScore()(words, references)
    assert train.BleuScore().set_indexes([2, 0])(references, 9, words) == score
    cover, image = train.OcclusionSensitivity(margin=1), Tensor([[[[1.0, 0.5]]]])
    cover.set_indexes([0, 3, 2])
    assert cover(nn.Flatten(), None, Tensor([1]), image).tolist() == [0.0, 0.5]

    class Greatest(train.Metric):
        def clear(self):
            self.value = -np.inf

        @train.rearrange_inputs
        def update(self, *inputs):
            self.value = max(self.value, *(self._convert_data(v).max() for v in inputs))

        def eval(self):
            return self.value

    assert Greatest().set_indexes([1])([5.0], [2.0]) == 2.0


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (KeyError, "Unsupport metric", lambda: train.get_metric_fn("best")),
        (TypeError, "'eval_type'", lambda: train.Accuracy("regression")),
        (ValueError, "it needs 2 inputs", lambda: train.Accuracy()(SCORES)),
        (TypeError, "must be tensor, list", lambda: train.MSE()("a", [1.0])),
        (RuntimeError, "number of samples is 0", lambda: train.Accuracy().eval()),
        (RuntimeError, "number of samples is 0", lambda: train.Loss().eval()),
        (ValueError, "must be (N, C, ...)", lambda: train.Accuracy()(SCORES, SCORES)),
        (ValueError, "classes below 4", lambda: train.Accuracy()(SCORES, CLASSES + 4)),
        (ValueError, "of type multilabel", lambda: train.Recall("multilabel")(SCORES, BITS)),
        (ValueError, "must be positive", lambda: train.Fbeta(0)),
        (ValueError, "'k'", lambda: train.TopKCategoricalAccuracy(0)),
        (ValueError, "'normalize' must be", lambda: train.ConfusionMatrix(2, "rows")),
        (TypeError, "'threshold' must be a float", lambda: train.ConfusionMatrix(2, threshold=1)),
        (ValueError, "or one more", lambda: train.ConfusionMatrix(2)(BITS, CLASSES[:, None, None])),
        (ValueError, "'metric_name' must be", lambda: train.ConfusionMatrixMetric(True, "luck")),
        (
            NotImplementedError,
            "'metric_name' must be",
            lambda: train.ConfusionMatrixMetric(True, "luck"),
        ),
        (TypeError, "'metric_name' must be", lambda: train.ConfusionMatrixMetric(True, 1)),
        (TypeError, "'skip_channel' must be", lambda: train.ConfusionMatrixMetric(1)),
        (ValueError, "zeros and ones", lambda: train.ConfusionMatrixMetric()(SCORES, BITS)),
        (ValueError, "must be 0 or 1", lambda: train.Loss()(SCORES)),
        (ValueError, "as many elements", lambda: train.MAE()(SCORES, CLASSES)),
        (ValueError, "must have one shape", lambda: train.Dice()(SCORES, CLASSES)),
        (ValueError, "'similarity' must be", lambda: train.CosineSimilarity("angle")),
        (ValueError, "probabilities (..., C)", lambda: train.Perplexity()(SCORES, SCORES)),
        (RuntimeError, "probabilities (..., C)", lambda: train.Perplexity()(SCORES, SCORES)),
        (TypeError, "'ignore_label' must be an int", lambda: train.Perplexity("abc")),
        (ValueError, "must be a list", lambda: train.MSE().set_indexes((0, 1))),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)


def test_another_number_of_classes():
    metric = train.Accuracy()
    metric.update(SCORES, CLASSES)
    with pytest.raises(ValueError, match="class number not match"):
        metric.update(SCORES[:, :3], CLASSES % 3)


def test_dice_is_computed_in_float64():
    metric = train.Dice()
    metric.clear()
    metric.update(Tensor([[1.0, 0.0]]), Tensor([[1.0, 1.0]]))
    assert metric.eval() == pytest.approx(2 / (3 + 1e-5), rel=1e-14)
