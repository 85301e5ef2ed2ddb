"""`lrn`, `channel_shuffle`, `bidense`, `lp_pool`, `max_unpool` and their Cells: values against numpy's formulas,
and against what MindSpore 2.10 gave for the same calls; derivatives; mistakes."""

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.testing import check_grads

X = np.sin(np.arange(24.0)).reshape(1, 6, 2, 2)


@pytest.mark.parametrize("radius", [0, 2, 9])
def test_lrn(radius):
    sums = [(X[:, max(c - radius, 0) : c + radius + 1] ** 2).sum(1) for c in range(6)]
    wanted = X / (1.5 + 0.8 * np.stack(sums, 1)) ** 0.6
    for f in (lambda x: ops.lrn(x, radius, 1.5, 0.8, 0.6), nn.LRN(radius, 1.5, 0.8, 0.6)):
        np.testing.assert_allclose(f(Tensor(X)).asnumpy(), wanted, rtol=1e-13)
    check_grads(nn.LRN(radius, 1.5, 0.8, 0.6), (Tensor(X),))


def test_lrn_of_mindspore():
    wanted = [
        0.0,
        0.44076946,
        0.5297519,
        0.07844043,
        -0.39372143,
        -0.48833984,
    ]  # the first of its result
    found = ops.lrn(Tensor(X, ms.float32), 2, 1.5, 0.8, 0.6).asnumpy().ravel()[:6]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_channel_shuffle():
    x = np.arange(2 * 6 * 3).reshape(2, 6, 3)
    for f in (lambda t: ops.channel_shuffle(t, 3), nn.ChannelShuffle(3)):
        np.testing.assert_array_equal(f(Tensor(x)).asnumpy(), x[:, [0, 2, 4, 1, 3, 5]])
    assert "groups=3" in repr(nn.ChannelShuffle(3))


@pytest.mark.parametrize("shape", [(5,), (2, 3)])
def test_bidense(shape):
    random = np.random.default_rng(0)
    net = nn.BiDense(3, 2, 4, dtype=ms.float64)
    assert [(p.name, p.shape) for p in net.get_parameters()] == [
        ("weight", (4, 3, 2)),
        ("bias", (4,)),
    ]
    assert abs(net.weight.asnumpy()).max() <= 3**-0.5
    a, b = random.standard_normal((*shape, 3)), random.standard_normal((*shape, 2))
    wanted = np.einsum("...i,kij,...j->...k", a, net.weight.asnumpy(), b) + net.bias.asnumpy()
    np.testing.assert_allclose(net(Tensor(a), Tensor(b)).asnumpy(), wanted, rtol=1e-12, atol=1e-15)
    check_grads(net, (Tensor(a), Tensor(b)))
    plain = nn.BiDense(3, 2, 4, weight_init="ones", has_bias=False, dtype=ms.float64)
    wanted = a.sum(-1, keepdims=True) * b.sum(-1, keepdims=True) * np.ones(4)
    np.testing.assert_allclose(plain(Tensor(a), Tensor(b)).asnumpy(), wanted, rtol=1e-13)


@pytest.mark.parametrize("power", [1, 2, 3.5])
def test_lp_pool(power):
    x = np.abs(np.cos(np.arange(2 * 3 * 7.0))).reshape(2, 3, 7) + 0.1
    sums = np.stack([(x[..., i : i + 3] ** power).sum(-1) for i in (0, 2, 4)], -1)
    found = nn.LPPool1d(power, 3, 2)(Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, sums ** (1 / power), rtol=1e-13)
    np.testing.assert_allclose(ops.lp_pool1d(Tensor(x[0]), power, 3, 2).asnumpy(), found[0])
    y = np.abs(np.cos(np.arange(2 * 4 * 6.0))).reshape(1, 2, 4, 6) + 0.1
    blocks = (y.reshape(1, 2, 2, 2, 2, 3) ** power).sum((3, 5)) ** (1 / power)
    for f in (nn.LPPool2d(power, (2, 3)), lambda t: ops.lp_pool2d(t, power, (2, 3))):
        np.testing.assert_allclose(f(Tensor(y)).asnumpy(), blocks, rtol=1e-13)
    check_grads(nn.LPPool2d(power, 2, 1), (Tensor(y),))


def test_lp_pool_of_mindspore():
    x = Tensor(np.arange(2 * 3 * 4).reshape(2, 3, 4), ms.float32)
    found = ops.lp_pool1d(x, 1, 3, 1)
    wanted = [[[3, 6], [15, 18], [27, 30]], [[39, 42], [51, 54], [63, 66]]]
    np.testing.assert_allclose(found.asnumpy(), wanted)


@pytest.mark.parametrize("power", [1, 2, 3.5])
def test_lp_pool_has_no_slope_where_a_window_is_zero(power):
    """As in MindSpore, and not NaN, which the root of a sum has there: a relu before it makes such windows."""
    x = Tensor([[[3.0, 4.0, 0.0, 0.0]]])
    wanted = np.array([3.0, 4.0]) ** (power - 1) * (3.0**power + 4.0**power) ** (1 / power - 1)
    first = ms.grad(lambda x: ops.lp_pool1d(x, power, 2).sum())
    np.testing.assert_allclose(first(x).asnumpy(), [[[*wanted, 0, 0]]], rtol=1e-5)
    second = ms.grad(lambda x: first(x).sum())(x).asnumpy()
    np.testing.assert_array_equal(second[..., 2:], 0)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("batch", [(2, 3), (3,)])
def test_max_unpool_undoes_pooling(dims, batch):
    random = np.random.default_rng(0)
    x = random.permutation(np.prod(batch) * 4**dims).reshape(*batch, *[4] * dims) + 1.0
    blocks = x.reshape(*batch, *[2, 2] * dims)
    axes = tuple(len(batch) + 1 + 2 * k for k in range(dims))
    top = blocks.max(axes)
    spread = top
    for k in range(dims):
        spread = spread.repeat(2, len(batch) + k)
    wanted = np.where(x == spread, x, 0)
    flat = x.reshape(*batch, -1)
    places = (flat[..., None, :] == top.reshape(*batch, -1, 1)).argmax(-1).reshape(top.shape)
    layer = getattr(nn, f"MaxUnpool{dims}d")(2)
    function = getattr(ops, f"max_unpool{dims}d")
    for dtype in (ms.int32, ms.int64):
        for f in (layer, lambda a, i: function(a, i, 2)):
            found = f(Tensor(top), Tensor(places, dtype)).asnumpy()
            np.testing.assert_array_equal(found, wanted)
    check_grads(lambda t: ops.square(layer(t, Tensor(places))), (Tensor(top / top.max()),))
    larger = layer(Tensor(top), Tensor(places), (*[5] * dims,))
    assert larger.shape == (*batch, *[5] * dims)


IMAGE = Tensor(X)
PLACES = Tensor(np.zeros((1, 6, 2, 2), np.int64))


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "(N, C, H, W)", lambda: ops.lrn(IMAGE[0])),
        (TypeError, "'beta' must be a float", lambda: ops.lrn(IMAGE, beta=1)),
        (ValueError, "at least 0", lambda: ops.lrn(IMAGE, -1)),
        (ValueError, "'ACROSS_CHANNELS'", lambda: ops.lrn(IMAGE, norm_region="WITHIN")),
        (ValueError, "must divide", lambda: ops.channel_shuffle(IMAGE, 4)),
        (TypeError, "must be an int", lambda: nn.ChannelShuffle(2.0)(IMAGE)),
        (ValueError, "'in1_channels'", lambda: nn.BiDense(0, 2, 3)),
        (ValueError, "(..., in1) and (..., in2)", lambda: nn.BiDense(2, 3, 4)(IMAGE, IMAGE)),
        (ValueError, "shape [4, 2, 3]", lambda: nn.BiDense(2, 3, 4, weight_init=IMAGE)),
        (ValueError, "must not be 0", lambda: nn.LPPool2d(0, 2)(IMAGE)),
        (TypeError, "'norm_type' must be", lambda: nn.LPPool1d("2", 2)(IMAGE[0])),
        (TypeError, "int32 or int64", lambda: ops.max_unpool2d(IMAGE, IMAGE, 2)),
        (ValueError, "one shape", lambda: ops.max_unpool2d(IMAGE, PLACES[0], 2)),
        (ValueError, "in [0, 16), but there is 16", lambda: ops.max_unpool2d(IMAGE, PLACES + 16, 2)),
        (ValueError, "less than a stride", lambda: nn.MaxUnpool2d(2)(IMAGE, PLACES, (6, 6))),
        (ValueError, "a tuple of 2 to 4 ints", lambda: nn.MaxUnpool2d(2)(IMAGE, PLACES, (6,))),
    ],
)  # fmt: skip
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)
