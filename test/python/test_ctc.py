"""CTC loss against the sum over all alignments, one by one, in numpy; derivatives against differences.

What MindSpore 2.10 gives for two cases was recorded by calling its `ops.ctc_loss` on them.
"""

import itertools

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.testing import check_grads

STEPS, BATCH, CLASSES = 5, 4, 4
LOGITS = np.sin(1.7 * np.arange(STEPS * BATCH * CLASSES)).reshape(STEPS, BATCH, CLASSES) * 2
LOG_PROBS = LOGITS - np.log(np.exp(LOGITS).sum(-1, keepdims=True))

MINDSPORE = (
    [3.5251431465148926, 6.3921966552734375, 4.48538875579834, 3.9754350185394287],
    2.6473188400268555,
)


def spelled(path, blank):
    """The text of an alignment: repetitions are one, then blanks go."""
    return [c for c, _ in itertools.groupby(path) if c != blank]


def by_alignments(log_probs, text, blank):
    total = -np.inf
    for path in itertools.product(range(log_probs.shape[1]), repeat=len(log_probs)):
        if spelled(path, blank) == list(text):
            total = np.logaddexp(total, sum(log_probs[t, c] for t, c in enumerate(path)))
    return -total


@pytest.mark.parametrize("blank", [0, 2])
def test_all_alignments(blank):
    a, b, c = (k for k in range(CLASSES) if k != blank)
    # A repeated letter needs a blank between; the third has no letters.
    targets = np.array([[a, b, c], [b, b, a], [a, a, a], [c, a, b]])
    lengths, letters = np.array([5, 5, 3, 4]), np.array([3, 2, 0, 1])
    wanted = [
        by_alignments(LOG_PROBS[: lengths[n], n], targets[n, : letters[n]], blank)
        for n in range(BATCH)
    ]
    given = Tensor(LOG_PROBS), Tensor(targets), Tensor(lengths), Tensor(letters)
    loss, alpha = ops.ctc_loss(*given, blank, "none")
    np.testing.assert_allclose(loss.asnumpy(), wanted, rtol=1e-12)
    assert alpha.shape == (BATCH, STEPS, 7)
    first = np.full(7, -np.inf)
    first[:2] = LOG_PROBS[0, 0, [blank, a]]
    np.testing.assert_allclose(alpha.asnumpy()[0, 0], first, rtol=1e-14)
    total = float(ops.ctc_loss(*given, blank, "sum")[0])
    assert total == pytest.approx(sum(wanted), rel=1e-12)
    mean = nn.CTCLoss(blank)(*given[:2], tuple(lengths.tolist()), tuple(letters.tolist()))
    assert float(mean) == pytest.approx(np.mean(wanted / np.maximum(letters, 1)), rel=1e-12)
    wide = nn.CTCLoss(blank, "none")(Tensor(LOG_PROBS, ms.float32), *given[1:])
    np.testing.assert_allclose(wide.asnumpy(), wanted, rtol=1e-5)


def test_mindspore():
    given = Tensor(LOG_PROBS, ms.float32), Tensor([[1, 2, 3], [2, 2, 1], [1, 1, 3], [3, 1, 2]])
    lengths, letters = Tensor([5, 5, 3, 4]), Tensor([3, 2, 2, 1])
    found = ops.ctc_loss(*given, lengths, letters, 0, "none")[0]
    np.testing.assert_allclose(found.asnumpy(), MINDSPORE[0], rtol=2e-6)
    assert float(ops.ctc_loss(*given, lengths, letters)[0]) == pytest.approx(MINDSPORE[1], rel=2e-6)


def test_nothing_is_spelled_beyond_the_ends():
    """The probabilities of beginnings, by letter and step, end with the text and with the input."""
    given = Tensor(LOG_PROBS), Tensor([[1, 2, 3], [2, 2, 1], [1, 1, 3], [3, 1, 2]])
    lengths, letters = Tensor([5, 5, 3, 4]), Tensor([3, 2, 0, 1])
    loss, alpha = (v.asnumpy() for v in ops.ctc_loss(*given, lengths, letters, 0, "none"))
    for n, (steps, size) in enumerate(zip((5, 5, 3, 4), (7, 5, 1, 3))):
        assert np.isneginf(alpha[n, steps:]).all() and np.isneginf(alpha[n, :, size:]).all()
        ends = alpha[n, steps - 1, max(size - 2, 0) : size]
        assert loss[n] == pytest.approx(-np.logaddexp.reduce(ends), rel=1e-12)


def test_one_text_without_a_batch():
    loss = nn.CTCLoss(reduction="none")
    found = loss(Tensor(LOG_PROBS[:, 0]), Tensor([1, 2]), Tensor([5]), Tensor([2]))
    assert found.shape == ()
    assert float(found) == pytest.approx(by_alignments(LOG_PROBS[:, 0], [1, 2], 0), rel=1e-12)


def test_impossible_texts():
    """Two equal letters need three steps."""
    given = Tensor(LOG_PROBS[:2, :2]), Tensor([[1, 1], [1, 2]]), Tensor([2, 2]), Tensor([2, 2])
    found = nn.CTCLoss(reduction="none")(*given).asnumpy()
    assert np.isinf(found[0]) and np.isfinite(found[1])
    loss = nn.CTCLoss(reduction="none", zero_infinity=True)
    assert loss(*given).asnumpy()[0] == 0
    gradient = ms.grad(lambda x: ops.sum(loss(x, *given[1:])))(given[0]).asnumpy()
    assert np.isfinite(gradient).all()
    assert (gradient[:, 0] == 0).all() and (gradient[:, 1] != 0).any()


def test_derivatives():
    targets, lengths, letters = Tensor([[1, 2], [2, 2], [3, 1], [1, 1]]), (5, 5, 3, 4), (2, 2, 1, 0)

    def f(logits):
        return ops.ctc_loss(ops.log_softmax(logits), targets, lengths, letters)[0]

    check_grads(f, (Tensor(LOGITS),), order=2)


def test_learning_brings_the_loss_down():
    ms.set_seed(0)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = nn.GRU(2, 16)
            self.head = nn.Dense(16, CLASSES)
            self.loss = nn.CTCLoss()

        def construct(self, x, targets):
            return self.loss(ops.log_softmax(self.head(self.rnn(x)[0])), targets, (8, 8), (3, 2))

    net = Net()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.02))
    x = Tensor(np.random.default_rng(0).standard_normal((8, 2, 2)), ms.float32)
    losses = [float(step(x, Tensor([[1, 2, 3], [3, 3, 0]]))) for _ in range(80)]
    assert losses[-1] < 0.1 * losses[0]


X, TARGETS, LENGTHS, LETTERS = Tensor(LOG_PROBS), Tensor([[1, 2]] * 4), Tensor([5] * 4), (2,) * 4


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (TypeError, "'log_probs' must be of floating", (X.astype(ms.int32), TARGETS, LENGTHS, LETTERS)),
        (ValueError, "(T, N, C)", (X[0], TARGETS, LENGTHS, LETTERS)),
        (ValueError, "(N, S)", (X, TARGETS[:2], LENGTHS, LETTERS)),
        (TypeError, "'targets' must be int32", (X, TARGETS.astype(ms.float32), LENGTHS, LETTERS)),
        (TypeError, "'target_lengths' must be", (X, TARGETS, LENGTHS, (1.5,) * 4)),
        (ValueError, "'input_lengths' must have shape [4]", (X, TARGETS, (5, 5), LETTERS)),
        (ValueError, "'blank' must be an int in [0, 4)", (X, TARGETS, LENGTHS, LETTERS, 4)),
        (ValueError, "reduction", (X, TARGETS, LENGTHS, LETTERS, 0, "all")),
        (TypeError, "'zero_infinity' must be a bool", (X, TARGETS, LENGTHS, LETTERS, 0, "sum", 1)),
    ],
)  # fmt: skip
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        ops.ctc_loss(*call)
    assert words in said(caught.value)


@pytest.mark.parametrize(
    "words, call",
    [
        ("the letters of 'targets' must be in [0, 3]", (X, Tensor([[1, 4]] * 4), LENGTHS, LETTERS)),
        ("'input_lengths' must be in [0, 5]", (X, TARGETS, Tensor([6] * 4), LETTERS)),
        ("'target_lengths' must be in [0, 2]", (X, TARGETS, LENGTHS, (3,) * 4)),
    ],
)
def test_labels_and_lengths_are_checked(words, call):
    with pytest.raises(ValueError) as caught:
        ops.ctc_loss(*call)
    assert words in said(caught.value)
    padded = ops.ctc_loss(X, Tensor([[1, -1]] * 4), LENGTHS, (1,) * 4)[0]  # what is not counted
    assert padded == ops.ctc_loss(X, TARGETS, LENGTHS, (1,) * 4)[0]


def test_greedy_decoding_reads_no_further_than_its_steps():
    with pytest.raises(RuntimeError, match=r"should be less than or equal to the 2 steps") as found:
        ops.ctc_greedy_decoder(ops.ones((2, 2, 3)), Tensor([3, 3], ms.int32))
    assert isinstance(found.value, ValueError)
