"""Embedding, padding and the layers that arrange elements, against numpy."""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops

A = np.random.default_rng(0).normal(size=(2, 3, 4, 5)).astype(np.float32)


def table(net):
    return net.embedding_table.asnumpy()


@pytest.mark.parametrize("use_one_hot", [False, True])
def test_embedding(use_one_hot):
    net = nn.Embedding(7, 3, use_one_hot, padding_idx=2)
    assert net.embedding_table.name == "embedding_table" and (table(net)[2] == 0).all()
    assert 0 < np.abs(table(net)[[0, 1, 3, 4, 5, 6]]).max() < 0.1  # "normal" has deviation 0.01
    ids = np.array([[0, 6], [2, 0]])
    np.testing.assert_array_equal(net(Tensor(ids)).asnumpy(), table(net)[ids])
    gradient = ms.grad(lambda i: net(i).sum(), None, weights=net.trainable_params())(Tensor(ids))
    counts = np.bincount(ids.ravel(), minlength=7)
    np.testing.assert_array_equal(gradient[0].asnumpy(), counts[:, None] * np.ones(3))


def test_embedding_trains():
    net = nn.Embedding(4, 1, embedding_table=Tensor(np.zeros((4, 1), np.float32)))
    ids, wanted = Tensor([0, 1, 3]), Tensor([[1.0], [2.0], [3.0]])
    loss = ms.value_and_grad(lambda: ((net(ids) - wanted) ** 2).sum(), None, net.trainable_params())
    for _ in range(40):
        _, gradient = loss()
        net.embedding_table.set_data(net.embedding_table - 0.2 * gradient[0])
    np.testing.assert_allclose(table(net), [[1], [2], [0], [3]], atol=1e-6)


LAYERS = [
    (nn.OneHot(1, 3), np.array([[0, 2]]), np.array([[[1, 0], [0, 0], [0, 1]]], np.float32)),
    (nn.Flatten(), A, A.reshape(2, 60)),
    (nn.Flatten(2), A, A.reshape(2, 3, 20)),
    (nn.Flatten(0, 1), A, A.reshape(6, 4, 5)),
    (nn.Identity(3, a=4), A, A),
    (nn.Roll((1, -2), (0, 3)), A, np.roll(A, (1, -2), (0, 3))),
    (nn.Unflatten(1, (3, 1)), A, A.reshape(2, 3, 1, 4, 5)),
    (nn.Unflatten(-1, [5, 1]), A, A[..., None]),
    (nn.Pad(((0, 0), (0, 0), (1, 2), (0, 1))), A, np.pad(A, ((0, 0), (0, 0), (1, 2), (0, 1)))),
    (
        nn.Pad(((0, 0), (0, 0), (1, 2), (0, 1)), "SYMMETRIC"),
        A,
        np.pad(A, ((0, 0), (0, 0), (1, 2), (0, 1)), "symmetric"),
    ),
    (
        nn.ConstantPad1d(2, 7.0),
        A,
        np.pad(A, ((0, 0), (0, 0), (0, 0), (2, 2)), constant_values=7),
    ),
    (
        nn.ConstantPad3d((1, 0, 0, 2, 1, 1), -1.0),
        A,
        np.pad(A, ((0, 0), (1, 1), (0, 2), (1, 0)), constant_values=-1),
    ),
    (nn.ConstantPad2d(1, 0.0), A, np.pad(A, ((0, 0), (0, 0), (1, 1), (1, 1)))),
    (nn.ZeroPad2d((1, 2, 0, 1)), A, np.pad(A, ((0, 0), (0, 0), (0, 1), (1, 2)))),
    (nn.ReflectionPad1d(3), A[0], np.pad(A[0], ((0, 0), (0, 0), (3, 3)), "reflect")),
    (
        nn.ReflectionPad2d((1, 2, 3, 0)),
        A,
        np.pad(A, ((0, 0), (0, 0), (3, 0), (1, 2)), "reflect"),
    ),
    (nn.ReflectionPad3d(1), A, np.pad(A, ((0, 0), (1, 1), (1, 1), (1, 1)), "reflect")),
    (nn.ReplicationPad1d((6, 1)), A[0], np.pad(A[0], ((0, 0), (0, 0), (6, 1)), "edge")),
    (nn.ReplicationPad2d(2), A, np.pad(A, ((0, 0), (0, 0), (2, 2), (2, 2)), "edge")),
    (nn.ReplicationPad3d(1), A, np.pad(A, ((0, 0), (1, 1), (1, 1), (1, 1)), "edge")),
]


@pytest.mark.parametrize("layer,given,wanted", LAYERS, ids=lambda v: type(v).__name__)
def test_layers(layer, given, wanted):
    np.testing.assert_array_equal(layer(Tensor(given)).asnumpy(), wanted, strict=True)


def test_blocks_of_pixels():
    x = Tensor(A[:, :, :, :4].copy())
    there = nn.PixelUnshuffle(2)(x)
    assert there.shape == (2, 12, 2, 2)
    np.testing.assert_array_equal(there.asnumpy(), ops.pixel_unshuffle(x, 2).asnumpy())
    np.testing.assert_array_equal(nn.PixelShuffle(2)(there).asnumpy(), x.asnumpy())


@pytest.mark.parametrize(
    "make,kind,words",
    [
        (lambda: nn.Embedding(2.0, 3), TypeError, "'vocab_size' must be an int"),
        (lambda: nn.Embedding(2, 3, 1), TypeError, "'use_one_hot' must be a bool"),
        (lambda: nn.Embedding(2, 3, padding_idx=2), ValueError, "'padding_idx' must be in"),
        (lambda: nn.Flatten()(ops.ones((4,))), ValueError, "but got 1"),
        (lambda: nn.Flatten(0.5)(ops.ones((4,))), TypeError, "must be an int"),
        (lambda: nn.Hardtanh(1.0, 1.0), ValueError, "must be less than the 'max_val'"),
        (lambda: nn.Unflatten(1.0, (1,)), TypeError, "'axis' must be an int"),
        (lambda: nn.Unflatten(1, 3), TypeError, "tuple or list"),
        (lambda: nn.Pad([(1, 1)]), TypeError, "must be a tuple"),
        (lambda: nn.Pad(((1, 1),), "EDGE"), ValueError, "'mode' must be"),
        (lambda: nn.Pad((0, 2)), TypeError, "must be a tuple of pairs"),
        (lambda: nn.Pad(((0, 2), (1,))), ValueError, "must be a tuple of pairs"),
        (lambda: nn.ReflectionPad1d(1.5), TypeError, "tuple or list of ints"),
    ],
)
def test_refused(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    assert re.search(words, said(caught.value))
