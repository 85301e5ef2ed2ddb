"""Functions and layers of `mint` that MindSpore has on Ascend only: by closed forms, with numpy."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import mint, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4, 3, 2, 5)).astype(np.float32)


def normalised(x, mean, variance, eps=1e-5):
    around = (1, -1) + (1,) * (x.ndim - 2)
    return (x - mean.reshape(around)) / np.sqrt(variance.reshape(around) + eps)


@pytest.mark.parametrize("rank, layer", [(2, "1d"), (3, "1d"), (4, "2d"), (5, "3d")])
def test_batch_norm(rank, layer):
    x = RNG.normal(size=(6, 3, 2, 2, 2)[:rank]).astype(np.float32)
    norm = getattr(mint.nn, f"BatchNorm{layer}")(3, momentum=0.25)
    around = tuple(d for d in range(rank) if d != 1)
    np.testing.assert_allclose(
        norm.set_train(False)(ms.Tensor(x)).asnumpy(), x / np.sqrt(1 + 1e-5), 1e-5
    )
    out = norm.set_train()(ms.Tensor(x)).asnumpy()
    np.testing.assert_allclose(out, normalised(x, x.mean(around), x.var(around)), 1e-4, 1e-5)
    np.testing.assert_allclose(norm.running_mean.asnumpy(), 0.25 * x.mean(around), 1e-4, 1e-6)
    unbiased = x.var(around, ddof=1)
    np.testing.assert_allclose(norm.running_var.asnumpy(), 0.75 + 0.25 * unbiased, 1e-4)
    assert {p.name for p in norm.trainable_params()} == {"weight", "bias"}
    with pytest.raises(ValueError, match="'input' must be of"):
        norm(ms.Tensor(1.0))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_batch_norm_counts_batches(mode, tmp_path):
    ms.set_context(mode=mode)
    norm = mint.nn.BatchNorm1d(3, momentum=None).set_train()
    assert [p.name for p in norm.get_parameters()][2:] == [
        "running_mean",
        "running_var",
        "num_batches_tracked",
    ]
    x = RNG.normal(size=(6, 3)).astype(np.float32)
    batches = [x * (i + 1) + i for i in range(3)]
    step = ms.value_and_grad(lambda x: (norm(x) ** 2).sum())
    for batch in batches:
        step(ms.Tensor(batch))
    norm.set_train(False)(ms.Tensor(x))
    assert norm.num_batches_tracked.dtype is ms.int64 and int(norm.num_batches_tracked) == 3
    # Without momentum the statistics are those of all batches alike.
    mean, variance = np.mean(batches, 1).mean(0), np.var(batches, 1, ddof=1).mean(0)
    np.testing.assert_allclose(norm.running_mean.asnumpy(), mean, 1e-5, 1e-6)
    np.testing.assert_allclose(norm.running_var.asnumpy(), variance, 1e-5)
    ms.save_checkpoint(norm, str(tmp_path / "norm.ckpt"))
    other = mint.nn.BatchNorm1d(3)
    assert ms.load_param_into_net(other, ms.load_checkpoint(str(tmp_path / "norm.ckpt"))) == (
        [],
        [],
    )
    assert int(other.num_batches_tracked) == 3
    ms.set_context(mode=ms.GRAPH_MODE)


def test_batch_norm_without_running_statistics():
    norm = mint.nn.BatchNorm2d(3, affine=False, track_running_stats=False).set_train(False)
    wanted = normalised(X, X.mean((0, 2, 3)), X.var((0, 2, 3)))
    np.testing.assert_allclose(norm(ms.Tensor(X)).asnumpy(), wanted, 1e-4, 1e-5)
    assert not list(norm.get_parameters())
    x = ms.Tensor(X[:2, :, :1, :2].astype(np.float64))
    check_grads(
        lambda x: mint.nn.functional.batch_norm(x, None, None, training=True), (x,), order=2
    )


def test_transposed_convolution():
    layer = mint.nn.ConvTranspose2d(3, 2, (2, 3), stride=2, padding=1, output_padding=1)
    assert layer.weight.shape == (3, 2, 2, 3) and layer.bias.shape == (2,)
    wanted = ops.conv_transpose2d(ms.Tensor(X), layer.weight, layer.bias, 2, 1, 1)
    np.testing.assert_array_equal(layer(ms.Tensor(X)).asnumpy(), wanted.asnumpy())
    assert abs(layer.weight.asnumpy()).max() <= (2 * 2 * 3) ** -0.5
    with pytest.raises(ValueError, match="'padding_mode' must be 'zeros'"):
        mint.nn.ConvTranspose2d(3, 2, 2, padding_mode="reflect")


def test_slopes_padding_and_upsampling():
    assert mint.nn.PReLU(3)(ms.Tensor(-abs(X))).asnumpy() == pytest.approx(-0.25 * abs(X))
    x = ms.Tensor(X)
    around = [(0, 0), (0, 0), (0, 0), (1, 2)]
    np.testing.assert_array_equal(mint.nn.ZeroPad1d((1, 2))(x).asnumpy(), np.pad(X, around))
    around = [(0, 0), (1, 1), (1, 1), (1, 1)]
    np.testing.assert_array_equal(mint.nn.ZeroPad3d(1)(x).asnumpy(), np.pad(X, around))
    near = mint.nn.UpsamplingNearest2d(scale_factor=2)(x).asnumpy()
    np.testing.assert_array_equal(near, X.repeat(2, 2).repeat(2, 3))
    line = mint.nn.UpsamplingBilinear2d(size=(2, 9))(x).asnumpy()[0, 0, 0]
    np.testing.assert_allclose(line, np.interp(np.arange(9) / 2, np.arange(5), X[0, 0, 0]), 1e-5)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("unitriangular", [True, False])
def test_triangular_solve(upper, transpose, unitriangular):
    a = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3)
    b = RNG.normal(size=(2, 3, 2))
    used = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        used = used * (1 - np.eye(3)) + np.eye(3)
    wanted = np.linalg.solve(used.swapaxes(1, 2) if transpose else used, b)
    given = (ms.Tensor(b), ms.Tensor(a), upper, transpose, unitriangular)
    found, same = mint.triangular_solve(*given)
    np.testing.assert_allclose(found.asnumpy(), wanted, 1e-10)
    assert same is given[1]
    with pytest.raises(ValueError, match="do not fit"):
        mint.triangular_solve(ms.Tensor(b), ms.Tensor(a[:, :2, :2]))


def test_random_numbers_and_empty_tensors():
    ms.set_seed(3)
    drawn = mint.normal(ms.Tensor(np.full(4000, 2.0, np.float32)), 0.5).asnumpy()
    assert abs(drawn.mean() - 2) < 0.05 and abs(drawn.std() - 0.5) < 0.05
    assert mint.normal(0.0, 1.0, (2, 3)).shape == (2, 3)
    numbers = mint.randint(2, 5, (300,)).asnumpy()
    assert set(numbers) == {2, 3, 4} and numbers.dtype == np.int64
    assert set(mint.randint(2, (50,)).asnumpy()) == {0, 1}
    assert mint.randint_like(ms.Tensor([1.0, 2.0]), 4).dtype == ms.float32
    assert mint.empty((2, 3), dtype=ms.int32).dtype == ms.int32 and mint.empty(2).shape == (2,)
    with pytest.raises(TypeError, match="must be a Tensor, or there must be a 'size'"):
        mint.normal(0.0, 1.0)
    with pytest.raises(TypeError, match=r"expected \(low, high, size\)"):
        mint.randint(1)


@pytest.mark.parametrize("affine", [True, False])
def test_the_parameters_of_group_norm(affine):
    layer = mint.nn.GroupNorm(2, 4, 1e-5, affine)
    found = [(p.name, p.requires_grad) for p in layer.get_parameters()]
    assert found == [("weight", affine), ("bias", affine)]
    x = ms.Tensor(np.arange(8.0, dtype=np.float32).reshape(1, 4, 2))
    layer.weight.set_data(ms.Tensor([1.0, 2.0, 3.0, 4.0]))
    groups = x.asnumpy().reshape(1, 2, 4)
    normal = (groups - groups.mean(2, keepdims=True)) / np.sqrt(groups.var(2, keepdims=True) + 1e-5)
    expected = normal.reshape(1, 4, 2) * np.float32([[1], [2], [3], [4]])
    np.testing.assert_allclose(layer(x).asnumpy(), expected, 1e-5)


def test_numbers_keep_the_digits_of_their_dtype():
    line = mint.linspace(0.1, -3, 4, dtype=ms.float64).asnumpy()
    np.testing.assert_allclose(line, np.linspace(0.1, -3, 4), 1e-15)
    assert mint.linspace(0, 16777217, 2, dtype=ms.int64).asnumpy().tolist() == [0, 16777217]
    assert mint.linspace(ms.Tensor(0.5), 1, 2, dtype=ms.float64).asnumpy().tolist() == [0.5, 1]
    places, weights = np.array([0, 2, 2]), np.array([0.1, 0.2, 0.3])
    for kind, wanted in (("f8", "f8"), ("i4", "f8"), ("f2", "f8"), ("f4", "f4")):
        got = mint.bincount(ms.Tensor(places), ms.Tensor(weights.astype(kind))).asnumpy()
        assert got.dtype == wanted
        np.testing.assert_allclose(got, np.bincount(places, weights.astype(kind)), 1e-7)
    exact = mint.bincount(ms.Tensor(places), ms.Tensor(weights)).asnumpy()
    assert exact.tolist() == np.bincount(places, weights).tolist()


def test_nan_is_not_below_a_threshold():
    x = ms.Tensor(np.array([np.nan, 0.5, 1.0]))
    for f in (mint.nn.functional.threshold, ms.jit(mint.nn.functional.threshold)):
        np.testing.assert_array_equal(f(x, 0.5, -3.0).asnumpy(), [np.nan, -3, 1])


@pytest.mark.parametrize("count, more, wanted", [(3, 3, np.inf), (3, 5, np.inf), (1, 2, np.nan)])
def test_no_variance_is_negative(count, more, wanted):
    x = ms.Tensor(np.array([1.0, 2.0, 4.0])[:count])
    found = [
        mint.var(x, correction=more),
        mint.std_mean(x, correction=more)[0] ** 2,
        mint.var_mean(x, correction=more)[0],
        ms.numpy.var(x, ddof=more),
        ms.numpy.nanvar(x, ddof=more),
        ms.numpy.cov(x, ddof=more),
    ]
    np.testing.assert_array_equal([v.asnumpy() for v in found], wanted)


F = mint.nn.functional
IMAGE, VOLUME = X[0], RNG.normal(size=(3, 4, 4, 4)).astype(np.float32)
FILTERS = [RNG.normal(size=(2, 3, *(2,) * n)).astype(np.float32) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    "function, x",
    [
        (lambda x: F.conv1d(x, ms.Tensor(FILTERS[0]), padding="same"), IMAGE[:, 0]),
        (lambda x: F.conv2d(x, ms.Tensor(FILTERS[1]), ms.Tensor([1.0, 2.0])), IMAGE),
        (lambda x: mint.conv2d(x, ms.Tensor(FILTERS[1]), padding=1), IMAGE),
        (lambda x: F.conv3d(x, ms.Tensor(FILTERS[2]), stride=2), VOLUME),
        (lambda x: F.conv_transpose2d(x, ms.Tensor(FILTERS[1]).swapaxes(0, 1), stride=2), IMAGE),
        (mint.nn.Conv1d(3, 2, 2), IMAGE[:, 0]),
        (mint.nn.Conv2d(3, 2, 2), IMAGE),
        (mint.nn.Conv3d(3, 2, 2), VOLUME),
        (mint.nn.ConvTranspose2d(3, 2, 2), IMAGE),
        (lambda x: F.max_pool2d(x, 2), IMAGE),
        (mint.nn.MaxPool2d(2, return_indices=True), IMAGE),
        (lambda x: F.avg_pool1d(x, 2), IMAGE[:, 0]),
        (lambda x: F.avg_pool2d(x, 2, 1, 1), IMAGE),
        (lambda x: F.avg_pool3d(x, 2), VOLUME),
        (mint.nn.AvgPool2d(2), IMAGE),
        (lambda x: F.adaptive_max_pool1d(x, 3, True), IMAGE[:, 0]),
    ],
)
def test_one_sample_is_computed_as_in_a_batch(function, x):
    def parts(out):
        return out if isinstance(out, tuple) else (out,)

    alone, batch = function(ms.Tensor(x)), function(ms.Tensor(x[None]))
    for a, b in zip(parts(alone), parts(batch), strict=True):
        assert a.ndim == b.ndim - 1 and a.dtype is b.dtype
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy()[0])
    slope = ms.grad(lambda x: parts(function(x))[0] ** 2)
    wanted = slope(ms.Tensor(x[None])).asnumpy()[0]
    np.testing.assert_allclose(slope(ms.Tensor(x)).asnumpy(), wanted, 1e-6)


def test_adaptive_pooling_of_sequences_of_any_length():
    x = X[:, :, 0]
    ends = [(i * 5 // 3, -(-(i + 1) * 5 // 3)) for i in range(3)]
    means = np.stack([x[..., a:b].mean(-1) for a, b in ends], -1)
    maxima = np.stack([x[..., a:b].max(-1) for a, b in ends], -1)
    at = np.stack([a + x[..., a:b].argmax(-1) for a, b in ends], -1)
    np.testing.assert_allclose(F.adaptive_avg_pool1d(ms.Tensor(x), 3).asnumpy(), means, 1e-6)
    np.testing.assert_allclose(
        mint.nn.AdaptiveAvgPool1d(3)(ms.Tensor(x[0])).asnumpy(), means[0], 1e-6
    )
    values, places = mint.nn.AdaptiveMaxPool1d(3, return_indices=True)(ms.Tensor(x))
    np.testing.assert_array_equal(values.asnumpy(), maxima)
    np.testing.assert_array_equal(places.asnumpy(), at)
    check_grads(lambda x: F.adaptive_avg_pool1d(x, 3), (ms.Tensor(x.astype(np.float64)),))
    with pytest.raises(TypeError, match="'return_indices' must be a bool"):
        F.adaptive_max_pool1d(ms.Tensor(x), 3, 1)


@pytest.mark.parametrize("log_target", [False, True])
@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((3,), (2, 3)), ((4, 1, 3), (2, 1))])
def test_divergence_of_operands_that_are_broadcast(shapes, log_target):
    x, y = (RNG.normal(size=s) for s in shapes)
    target = np.exp(y)
    pointwise = target * (y - x)
    given = ms.Tensor(x), ms.Tensor(y if log_target else target)
    for reduction, wanted in {
        "none": pointwise,
        "mean": pointwise.mean(),
        "sum": pointwise.sum(),
        "batchmean": pointwise.sum() / len(x),
    }.items():
        found = F.kl_div(*given, reduction, log_target).asnumpy()
        np.testing.assert_allclose(found, wanted, 1e-9)
    with pytest.raises(ValueError, match="must broadcast"):
        F.kl_div(given[0], ms.Tensor(np.ones(7)))


def test_order_of_bools_and_numbers():
    x = ms.Tensor([[True, False, True], [False, True, False]])
    values, places = mint.sort(x)
    assert values.asnumpy().tolist() == [[False, True, True], [False, False, True]]
    assert places.asnumpy().tolist() == [[1, 0, 2], [0, 2, 1]] and places.dtype is ms.int64
    assert mint.argsort(x[0], descending=True).asnumpy().tolist() == [0, 2, 1]
    number = ms.Tensor(2.5)
    for found in (mint.sort(number, dim=0, descending=True), mint.sort(number)):
        assert [v.asnumpy().tolist() for v in found] == [2.5, 0]
    assert mint.argsort(number).shape == ()
    assert float(ms.grad(lambda x: mint.sort(x)[0] ** 2)(number)) == 5
    with pytest.raises(ValueError):
        mint.sort(number, dim=1)


def test_elements_by_numbers_and_from_the_end():
    x, at = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor(2)
    assert mint.gather(x, 0, at).asnumpy().tolist() == 3 and x.gather(0, at).shape == ()
    assert mint.gather(ms.Tensor(7.0), 0, ms.Tensor([0, -1])).asnumpy().tolist() == [7, 7]
    assert mint.gather(ms.Tensor(7.0), 0, ms.Tensor(0)).shape == ()
    assert ms.grad(lambda x: mint.gather(x, 0, at) ** 2)(x).asnumpy().tolist() == [0, 0, 6]
    with pytest.raises(IndexError):
        mint.gather(ms.Tensor(7.0), 0, ms.Tensor(1))
    assert mint.index_select(x, 0, at).asnumpy().tolist() == [3]
    assert mint.narrow(x, 0, -2, 1).asnumpy().tolist() == [2]
    assert ms.grad(lambda x: mint.narrow(x, -1, -3, 2) ** 2)(x).asnumpy().tolist() == [2, 4, 0]
    with pytest.raises(ValueError, match=r"'start' must be in \[0, 3\)"):
        mint.narrow(x, 0, -4, 1)
    with pytest.raises(ValueError, match="'start' must be in"):
        ops.narrow(x, 0, -1, 1)  # as MindSpore's


def test_dropout_of_all_elements(mode):
    x = ms.Tensor([1.0, float("nan"), 3.0])
    assert F.dropout(x, 1.0).asnumpy().tolist() == [0, 0, 0]
    assert ms.grad(lambda x: F.dropout(x, 1))(x).asnumpy().tolist() == [0, 0, 0]
    assert F.dropout(x[:1], 1.0, False).asnumpy().tolist() == [1]
    assert mint.nn.Dropout(1.0)(x[:1]).asnumpy().tolist() == [1]
    with pytest.raises(ValueError, match="'p' must be in"):
        F.dropout(x, 1.5)


def test_item():
    assert mint.item(ms.Tensor([[2]])) == 2 and isinstance(mint.item(ms.Tensor([1.5])), float)
    with pytest.raises(TypeError, match="For 'item', 'input' must be a Tensor"):
        mint.item(1)
    with pytest.raises(ValueError, match="index it first"):
        mint.item(ms.Tensor([1.0, 2.0]))
