"""Convolutions and pooling: values and gradients against MindSpore 2.10 and PyTorch (see
`goldens/record_windows.py` for how they were recorded), derivatives against differences, batches
against loops, and refused arguments.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.signal
from messages import said

import cellgrad as ms
from cellgrad import Tensor, mint, nn, ops
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", Path(__file__).parents[2] / "build"))
CELL_OPT = BUILD / "bin" / "cell-opt"
sys.path.insert(0, str(GOLDENS))
import record_windows  # noqa: E402
from window_cases import FUNCTIONS, TORCH, array, cotangent  # noqa: E402

RECORDED = json.loads((GOLDENS / "windows.json").read_text())
RNG = np.random.default_rng(12)
SPACE = {"ops": ops, "nn": nn}


def compare(given, recorded):
    shape, elements = recorded
    assert list(given.shape) == shape
    np.testing.assert_allclose(given.asnumpy().ravel(), elements, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("expression", [*FUNCTIONS, *TORCH])
def test_golden(expression):
    used = record_windows.names(expression)
    values = [Tensor(array(n)) for n in used]

    def function(*tensors):
        return eval(expression, {**SPACE, **dict(zip(used, tensors, strict=True))})

    y = function(*values)
    compare(y, RECORDED[expression][0])
    if len(RECORDED[expression]) > 1:
        ct = Tensor(cotangent(y.shape))
        gradients = ms.grad(lambda *t: (function(*t) * ct).sum(), tuple(range(len(used))))(*values)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        for given, recorded in zip(gradients, RECORDED[expression][1:], strict=True):
            compare(given, recorded)


def normal(*shape, dtype=np.float64):
    return Tensor(RNG.normal(size=shape).astype(dtype))


SMOOTH = {
    "conv1d": (lambda x, w: ops.conv1d(x, w, None, 2, "pad", 1, 2), (2, 2, 7), (2, 2, 2)),
    "conv2d": (lambda x, w: ops.conv2d(x, w, None, (2, 1), "same"), (1, 2, 5, 4), (3, 2, 3, 2)),
    "conv2d_groups": (lambda x, w: ops.conv2d(x, w, None, 2, groups=2), (2, 4, 4, 3), (4, 2, 2, 2)),
    "conv2d_depthwise": (lambda x, w: ops.conv2d(x, w, groups=3), (1, 3, 4, 4), (3, 1, 2, 2)),
    "conv3d": (lambda x, w: ops.conv3d(x, w), (1, 2, 3, 3, 3), (2, 2, 2, 2, 2)),
    "transposed": (
        lambda x, w: ops.conv_transpose2d(x, w, None, 2, 1, 1, 2, 2),
        (1, 4, 3, 2),
        (4, 2, 3, 2),
    ),
    "max": (lambda x: ops.max_pool2d(x, 3, 2, 1), (1, 2, 5, 6)),
    "max_overlapping": (lambda x: ops.max_pool2d(x, (2, 3), 1, dilation=(2, 1)), (1, 1, 5, 6)),
    "max3d": (lambda x: ops.max_pool3d(x, 2, 1, 1), (1, 1, 3, 3, 3)),
    "avg": (lambda x: ops.avg_pool2d(x, 3, 2, 1, True, False), (1, 2, 5, 6)),
    "adaptive_avg": (lambda x: ops.adaptive_avg_pool2d(x, (2, 4)), (1, 2, 5, 6)),
    "adaptive_max": (lambda x: ops.adaptive_max_pool2d(x, (3, 4)), (1, 2, 5, 6)),
    "unfold_fold": (
        lambda x: ops.fold(ops.unfold(x, 2, 1, 1, 1) ** 2, (4, 5), 2, 1, 1, 1),
        (1, 2, 4, 5),
    ),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_to_second_order(name):
    function, *shapes = SMOOTH[name]
    check_grads(lambda *t: ops.tanh(function(*t)), tuple(normal(*s) for s in shapes), order=2)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_half_precision_is_summed_in_single(dtype):
    x, w = normal(2, 8, 6, 6, dtype=np.float32), normal(4, 8, 3, 3, dtype=np.float32)
    x, w = x.astype(dtype), w.astype(dtype)
    wide = ops.conv2d(x.astype(ms.float32), w.astype(ms.float32)).astype(dtype)
    given = ops.conv2d(x, w)
    assert given.dtype is dtype
    np.testing.assert_array_equal(
        given.astype(ms.float32).asnumpy(), wide.astype(ms.float32).asnumpy()
    )


# --- ties, NaN, edges -------------------------------------------------------------------------


def test_the_first_maximum_gets_the_gradient():
    x = Tensor(np.array([[[[1.0, 3.0, 3.0], [3.0, 0.0, 3.0]]]], np.float32))
    given = ms.grad(lambda x: ops.max_pool2d(x, (2, 2), 1).sum())(x)
    np.testing.assert_array_equal(given.asnumpy(), [[[[0, 2, 0], [0, 0, 0]]]])


def test_the_first_maximum_has_the_tangent():
    x = Tensor(np.array([[[[1.0, 3.0, 3.0], [3.0, 0.0, 3.0]]]]))
    direction = Tensor(np.array([[[[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]]]))
    pool = lambda x: ops.max_pool2d(x, (2, 2), 1)
    np.testing.assert_array_equal(ms.jvp(pool, x, direction)[1].asnumpy(), [[[[2, 2]]]])
    # The same element at the next order: d/dx of 2 x_first * its tangent.
    push = lambda x: ms.jvp(lambda y: pool(y) ** 2, x, direction)[1].sum()
    np.testing.assert_array_equal(ms.grad(push)(x).asnumpy(), [[[[0, 8, 0], [0, 0, 0]]]])


def test_only_derivatives_look_for_the_first_maximum(tmp_path):
    pool = lambda x: ops.max_pool2d(x, 2, 2).sum()
    for name, function, compares in (("value", pool, False), ("gradient", ms.grad(pool), True)):
        path = str(tmp_path / name)
        options = {"value_and_grad": False, "file_format": "MLIR"}
        ms.export(function, normal(1, 1, 4, 4), file_name=path, **options)
        passes = ["--inline", "--symbol-dce", "--cell-differentiate", "--inline", "--symbol-dce"]
        run = subprocess.run([CELL_OPT, f"{path}.mlir", *passes], capture_output=True, text=True)
        assert "cell.windows" in run.stdout, run.stderr
        assert ("cell.equal" in run.stdout) == compares


def test_nan_is_the_maximum():
    x = np.zeros((1, 1, 2, 4), np.float32)
    x[0, 0, 1, 1] = np.nan
    y = ops.max_pool2d(Tensor(x), 2).asnumpy()
    assert np.isnan(y[0, 0, 0, 0]) and y[0, 0, 0, 1] == 0
    at = ops.max_pool2d(Tensor(x), 2, return_indices=True)[1].asnumpy()
    np.testing.assert_array_equal(at, [[[[5, 2]]]])


def test_padding_is_below_every_element():
    x = Tensor(np.full((1, 1, 2, 2), -np.inf, np.float32))
    y, at = ops.max_pool2d(x, 3, 1, 1, return_indices=True)
    np.testing.assert_array_equal(y.asnumpy(), np.full((1, 1, 2, 2), -np.inf))
    np.testing.assert_array_equal(at.asnumpy(), np.zeros((1, 1, 2, 2)))


def test_no_images_and_no_filters():
    assert ops.conv2d(normal(0, 2, 4, 4), normal(3, 2, 2, 2)).shape == (0, 3, 3, 3)
    assert ops.max_pool2d(normal(0, 2, 4, 4), 2).shape == (0, 2, 2, 2)
    gradient = ms.grad(lambda w: ops.conv2d(normal(0, 2, 4, 4), w).sum())(normal(3, 2, 2, 2))
    np.testing.assert_array_equal(gradient.asnumpy(), np.zeros((3, 2, 2, 2)))


def test_methods_are_the_functions():
    x = normal(1, 2, 4, 5)
    columns = x.unfold(2, 1, 1, 2)
    np.testing.assert_array_equal(columns.asnumpy(), ops.unfold(x, 2, 1, 1, 2).asnumpy())
    back = columns.fold((4, 5), 2, 1, 1, 2)
    np.testing.assert_array_equal(back.asnumpy(), ops.fold(columns, (4, 5), 2, 1, 1, 2).asnumpy())
    size = Tensor([4, 5], ms.int32)
    np.testing.assert_array_equal(back.asnumpy(), ops.fold(columns, size, 2, 1, 1, 2).asnumpy())
    with pytest.raises(TypeError, match="'output_size' must be a tuple or list of ints"):
        ops.fold(columns, Tensor([4.0, 5.0]), 2, 1, 1, 2)


def test_windows_of_one_image_without_a_batch(mode):
    x = normal(2, 4, 5)
    columns = mint.nn.functional.unfold(x, 2, 1, 1, 2)
    np.testing.assert_array_equal(columns.asnumpy(), ops.unfold(x[None], 2, 1, 1, 2)[0].asnumpy())
    back = ms.jit(lambda c: mint.nn.functional.fold(c, (4, 5), 2, 1, 1, 2))(columns)
    assert back.shape == (2, 4, 5)
    wanted = ops.fold(columns[None], (4, 5), 2, 1, 1, 2)[0].asnumpy()
    np.testing.assert_array_equal(back.asnumpy(), wanted)
    slope = ms.grad(lambda v: (ops.unfold(v, 2, 1, 1, 2) ** 2).sum())(x)
    np.testing.assert_allclose(slope.asnumpy(), 2 * back.asnumpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="'input' must have 3 or 4 dimensions"):
        ops.unfold(x[0], 2)


# --- batches ----------------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (1, 2)])
def test_vmap_is_a_loop(groups, axes):
    x, w = (2, 4, 5, 5), (4, 4 // groups, 2, 3)
    args, slices = [], []
    for shape, axis in zip((x, w), axes, strict=True):
        whole = RNG.normal(size=(3, *shape))
        args.append(Tensor(whole[0] if axis is None else np.moveaxis(whole, 0, axis)))
        slices.append([whole[0] if axis is None else whole[i] for i in range(3)])

    def f(x, w):
        return ops.conv2d(x, w, None, 2, "same", groups=groups)

    given = ms.vmap(f, in_axes=axes)(*args).asnumpy()
    expected = [f(Tensor(a), Tensor(b)).asnumpy() for a, b in zip(*slices, strict=True)]
    np.testing.assert_allclose(given, np.stack(expected), rtol=1e-12, atol=1e-12)


def test_vmap_of_a_pooling_gradient():
    x = RNG.normal(size=(3, 1, 2, 6, 6))
    gradient = ms.grad(lambda x: (ops.max_pool2d(x, 3, 2, 1) ** 2).sum())
    given = ms.vmap(gradient)(Tensor(x)).asnumpy()
    expected = [gradient(Tensor(a)).asnumpy() for a in x]
    np.testing.assert_allclose(given, np.stack(expected), rtol=1e-12)


# --- layers -----------------------------------------------------------------------------------


def test_layers_have_mindspores_parameters():
    layer = nn.Conv2d(6, 4, (3, 2), group=2, has_bias=True)
    names = [(p.name, p.shape) for p in layer.get_parameters()]
    assert names == [("weight", (4, 3, 3, 2)), ("bias", (4,))]
    assert np.abs(layer.bias.asnumpy()).max() <= 1 / np.sqrt(18)
    assert np.abs(layer.weight.asnumpy()).max() <= 1 / np.sqrt(18)
    transposed = nn.Conv2dTranspose(6, 4, 3, group=2)
    assert transposed.weight.shape == (6, 2, 3, 3)
    assert nn.Conv1d(3, 2, 5).bias is None
    # A sequence is an image of height 1, so that checkpoints of MindSpore fit.
    assert nn.Conv1d(4, 2, 5, group=2).weight.shape == (2, 2, 1, 5)
    assert nn.Conv1dTranspose(4, 6, 5, group=2).weight.shape == (4, 3, 1, 5)
    assert ms.mint.nn.Conv1d(4, 2, 5).weight.shape == (2, 4, 5)
    assert "kernel_size=(3, 2), stride=(1, 1), pad_mode=same" in repr(layer)


def test_the_weight_of_a_sequence_has_a_gradient_of_its_shape():
    """Against the same convolution of images of height 1."""
    x, w = normal(2, 4, 7), normal(6, 2, 1, 3)
    layer = nn.Conv1d(4, 6, 3, 2, "pad", 1, group=2, weight_init=w.reshape((6, 2, 3)))
    assert (layer.weight.asnumpy() == w.astype(ms.float32).asnumpy()).all()
    image = nn.Conv2d(4, 6, (1, 3), 2, "pad", (0, 0, 1, 1), group=2, weight_init=w)
    x = x.astype(ms.float32)
    for net, inputs in ((layer, x), (image, x.reshape((2, 4, 1, 7)))):
        net.gradient = ms.grad(lambda x, net=net: (net(x) ** 2).sum(), None, [net.weight])(inputs)
    (one,), (two,) = layer.gradient, image.gradient
    assert one.shape == layer.weight.shape
    np.testing.assert_allclose(one.asnumpy(), two.asnumpy(), rtol=1e-5, atol=1e-5)


def test_the_padding_of_volumes_counts_in_mode_same():
    """Results of MindSpore 2.10: `AvgPool3d` counts it, `AvgPool2d` does not."""
    x = Tensor(np.arange(9, dtype=np.float32).reshape(1, 1, 1, 3, 3))
    counted = nn.AvgPool3d((1, 2, 2), 2, "same")(x).asnumpy().reshape(2, 2)
    assert (counted == [[2.0, 1.75], [3.25, 2.0]]).all()
    left_out = nn.AvgPool3d((1, 2, 2), 2, "same", count_include_pad=False)(x)
    assert (left_out.asnumpy().reshape(2, 2) == [[2.0, 3.5], [6.5, 8.0]]).all()
    assert (nn.AvgPool2d(2, 2, "same")(x[:, :, 0]).asnumpy() == left_out.asnumpy()).all()


def test_a_network_learns():
    rng = np.random.default_rng(5)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(
                1, 4, 3, weight_init=Tensor(rng.normal(size=(4, 1, 3, 3)) / 3, ms.float32)
            )
            self.pool = nn.MaxPool2d(2, 2)
            self.dense = nn.Dense(16, 1, weight_init=0.1)

        def construct(self, x):
            x = self.pool(ops.relu(self.conv(x)))
            return self.dense(ops.reshape(x, (x.shape[0], -1)))

    net = Net()
    x = Tensor(rng.normal(size=(16, 1, 4, 4)).astype(np.float32))
    y = Tensor(x.asnumpy().max(axis=(1, 2, 3))[:, None])
    step = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, net.trainable_params())
    losses = []
    for _ in range(100):
        loss, grads = step(x, y)
        losses.append(float(loss.asnumpy()))
        for p, g in zip(net.trainable_params(), grads, strict=True):
            p.set_data(p - 0.05 * g)
    assert losses[-1] < 0.1 * losses[0], losses[::20]


# --- refused arguments ------------------------------------------------------------------------

X = normal(1, 4, 6, 6)
W = normal(6, 4, 3, 3)
REFUSED = {
    "input 3D": (ValueError, "must have 4 dimensions", lambda: ops.conv2d(normal(4, 6, 6), W)),
    "not a tensor": (TypeError, "must be a Tensor", lambda: ops.conv2d(1, W)),
    "int input": (TypeError, "floating-point", lambda: ops.avg_pool2d(Tensor([[[[1, 2]]]]), 1)),
    "dtypes": (TypeError, "the same dtype", lambda: ops.conv2d(X.astype(ms.float32), W)),
    "channels": (ValueError, "takes 3 channels", lambda: ops.conv2d(X, normal(6, 3, 3, 3))),
    "groups": (ValueError, "divide the input channels", lambda: ops.conv2d(X, W, groups=3)),
    "groups float": (TypeError, "'groups' must be an int", lambda: ops.conv2d(X, W, groups=1.0)),
    "bias": (ValueError, "shape [6]", lambda: ops.conv2d(X, W, normal(5))),
    "stride": (ValueError, "at least 1", lambda: ops.conv2d(X, W, stride=0)),
    "stride type": (TypeError, "must be an int", lambda: ops.conv2d(X, W, stride=1.5)),
    "stride length": (ValueError, "tuple of 2 ints", lambda: ops.conv2d(X, W, stride=(1, 1, 1))),
    "pad_mode": (ValueError, "'valid', 'same' or 'pad'", lambda: ops.conv2d(X, W, pad_mode="full")),
    "pad_mode type": (TypeError, "must be a str", lambda: ops.conv2d(X, W, pad_mode=1)),
    "padding unused": (ValueError, "must be zero", lambda: ops.conv2d(X, W, padding=1)),
    "padding negative": (
        ValueError,
        "at least 0",
        lambda: ops.conv2d(X, W, pad_mode="pad", padding=-1),
    ),
    "too small": (ValueError, "does not fit", lambda: ops.conv2d(X, W, dilation=3)),
    "transposed channels": (
        ValueError,
        "takes 6 channels",
        lambda: ops.conv_transpose2d(X, W),
    ),
    "output_padding": (
        ValueError,
        "less than the stride",
        lambda: ops.conv_transpose2d(X, normal(4, 2, 3, 3), output_padding=1),
    ),
    "transposed padding": (
        ValueError,
        "leaves nothing",
        lambda: ops.conv_transpose2d(X, normal(4, 2, 3, 3), padding=4),
    ),
    "pool padding": (ValueError, "half of the kernel", lambda: ops.max_pool2d(X, 2, 2, 2)),
    "pool bool": (TypeError, "must be a bool", lambda: ops.max_pool2d(X, 2, ceil_mode=1)),
    "pool too large": (ValueError, "does not fit", lambda: ops.max_pool2d(X, 7)),
    "avg divisor": (
        ValueError,
        "must be at least 0",
        lambda: ops.avg_pool2d(X, 2, divisor_override=-1),
    ),
    "avg divisor type": (TypeError, "an int", lambda: ops.avg_pool2d(X, 2, divisor_override=1.0)),
    "adaptive length": (ValueError, "tuple of 2", lambda: ops.adaptive_avg_pool2d(X, (1, 2, 3))),
    "adaptive multiple": (
        ValueError,
        "multiple of the output size",
        lambda: ops.adaptive_avg_pool1d(normal(1, 2, 5), 2),
    ),
    "adaptive empty": (
        ValueError,
        "nothing to pool",
        lambda: ops.adaptive_max_pool2d(normal(1, 2, 0, 3), 1),
    ),
    "fold": (ValueError, "windows of 4", lambda: ops.fold(normal(1, 8, 5), (3, 3), 2)),
    "Conv2D mode": (ValueError, "'mode' must be 1", lambda: ops.Conv2D(6, 3, mode=3)),
    "Conv2D format": (ValueError, "'NCHW'", lambda: ops.Conv2D(6, 3, data_format="NHWC")),
    "Conv2D weight": (ValueError, "kernel size (2, 2)", lambda: ops.Conv2D(6, 2)(X, W)),
    "Conv2DTranspose": (
        ValueError,
        "does not have a result",
        lambda: ops.Conv2DTranspose(4, 3)(X, normal(4, 2, 3, 3), (1, 2, 5, 5)),
    ),
    "Conv3DTranspose": (
        ValueError,
        "must be zero",
        lambda: ops.Conv3DTranspose(4, 2, 3, output_padding=1),
    ),
    "MaxPool pad": (ValueError, "'valid' or 'same'", lambda: ops.MaxPool(2, 2, "pad")),
    "layer padding": (ValueError, "must be zero", lambda: nn.Conv2d(4, 6, 3, padding=1)),
    "layer group": (ValueError, "divisible by 'group'", lambda: nn.Conv2d(4, 6, 3, group=4)),
    "layer bias": (TypeError, "must be a bool", lambda: nn.Conv2d(4, 6, 3, has_bias=1)),
    "layer weight": (
        ValueError,
        "'weight_init' must have shape [6, 4, 3, 3]",
        lambda: nn.Conv2d(4, 6, 3, weight_init=normal(6, 4, 3, 2)),
    ),
    "layer output_padding": (
        ValueError,
        "must be zero",
        lambda: nn.Conv2dTranspose(4, 6, 3, 2, output_padding=1),
    ),
    "layer output_padding large": (
        ValueError,
        "less than the stride",
        lambda: nn.Conv2dTranspose(4, 6, 3, 2, "pad", output_padding=2),
    ),
    "pool layer": (ValueError, "can not be set", lambda: nn.MaxPool2d(2, 2, ceil_mode=True)),
    "avg layer": (ValueError, "above 0 or None", lambda: nn.AvgPool2d(2, divisor_override=0)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    kind, text, call = REFUSED[name]
    with pytest.raises(kind) as caught:
        call()
    assert text in said(caught.value)


def test_the_settings_of_pooling_layers_are_as_given():
    for layer in (nn.AvgPool2d, nn.MaxPool2d, nn.AvgPool3d, nn.MaxPool3d):
        assert (layer(3, 2).kernel_size, layer(3, 2).stride) == (3, 2)
    assert (nn.MaxPool2d((3, 2), 1).kernel_size, nn.MaxPool2d((3, 2), 1).stride) == ((3, 2), 1)


def test_paddings_that_layers_refuse():
    for layer, padding in ((nn.ReflectionPad1d, (1, 2, 2)), (nn.ZeroPad2d, (-1, 2, 1))):
        with pytest.raises(ValueError, match="an even number of ints"):
            layer(padding)
    for layer, padding in ((nn.ReflectionPad1d, (-1, 2)), (nn.ReflectionPad2d, -1)):
        with pytest.raises(ValueError, match="ints of at least 0"):
            layer(padding)
    assert nn.ZeroPad2d((-1, 2, 0, 0))(Tensor([[[[1.0, 2.0]]]])).shape == (1, 1, 1, 3)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_pooling_of_integers(dtype, mode):
    """Beside windows in numpy; what is around an image is no element of it."""
    least = 0 if dtype is np.uint8 else -70
    values = (np.arange(64).reshape(1, 4, 4, 4) + least).astype(dtype)
    x = Tensor(values)
    out, at = ops.max_pool2d(x, 3, 2, 1, return_indices=True)
    wanted = values[:, :, 1::2, 1::2]
    assert out.dtype is x.dtype and np.array_equal(out.asnumpy(), wanted)
    assert at.asnumpy()[0, 0].tolist() == [[5, 7], [13, 15]]
    out, at = ops.adaptive_max_pool3d(x, 3, return_indices=True)
    assert np.array_equal(out.asnumpy(), values[:, 1:, 1:, 1:])
    assert at.dtype is ms.int32 and at.asnumpy()[0, 0, 0].tolist() == [21, 22, 23]
    found = ms.grad(lambda v: ops.max_pool2d(v, 2).sum())(x).asnumpy()
    assert found.dtype == dtype and found.sum() == 16 and (found[:, :, 1::2, 1::2] == 1).all()


@pytest.mark.parametrize("sample", range(3))
@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.int32])
def test_samples_of_fractional_pooling(sample, dtype, mode):
    """Places are MindSpore's: samples are for the first dimension of volumes first, and the last of images."""
    samples = np.full((1, 1, 3), 0.5, np.float32)
    samples[..., sample] = 0.8
    pool = ops.FractionalMaxPool3DWithFixedKsize((1, 1, 1), (3, 3, 3))
    at = pool(ops.arange(64).reshape(1, 1, 4, 4, 4).astype(dtype), Tensor(samples))[1].asnumpy()[
        0, 0
    ]
    places = [at[:, 0, 0] // 16, at[0, :, 0] // 4 % 4, at[0, 0] % 4]
    assert [p.tolist() for p in places] == [[0, 1 + (d != sample), 3] for d in range(3)]
    if sample < 2:
        pool = ops.FractionalMaxPoolWithFixedKsize((1, 1), (3, 3))
        image = ops.arange(16).reshape(1, 1, 4, 4).astype(dtype)
        given = np.where(np.arange(2) == sample, 0.8, 0.5).reshape(1, 1, 2).astype(np.float32)
        at = pool(image, Tensor(given))[1].asnumpy()[0, 0]
        places = [at[:, 0] // 4, at[0] % 4]
        assert [p.tolist() for p in places] == [[0, 1 + (d == sample), 3] for d in range(2)]


def test_depthwise_convolution_of_older_scripts():
    x, weight = RNG.random((2, 3, 7, 6)), RNG.random((1, 3, 3, 2))
    expected = [
        [scipy.signal.correlate2d(x[n, c], weight[0, c], "valid")[::2, ::2] for c in range(3)]
        for n in range(2)
    ]
    layer = ops.DepthwiseConv2dNative(1, (3, 2), stride=2)
    np.testing.assert_allclose(layer(Tensor(x), Tensor(weight)).asnumpy(), expected, rtol=1e-6)
    check_grads(layer, (Tensor(x), Tensor(weight)))
    f = Tensor(np.ones((1, 1, 9, 9), np.float32))
    for kind, first, second in (
        (TypeError, 5.0, 5.0),
        (TypeError, f, f.astype(ms.float16)),
        (ValueError, f[0], f),
        (ValueError, f, Tensor(np.ones((2, 1, 5, 6), np.float32))),
        (ValueError, f, Tensor(np.ones((1, 1, 5, 5), np.float32))),
    ):
        with pytest.raises(kind, match="DepthwiseConv2dNative"):
            ops.DepthwiseConv2dNative(2, (5, 5))(first, second)


@pytest.mark.parametrize(
    "end_mode, wanted",
    [
        (
            0,
            [
                [30.9900818, 0, 0, 0],
                [44.0030518, 56.8499641, 86.4915009, 102.4840927],
                [35.3701134, 42.6296539, 128.3903961, 139.8202515],
            ],
        ),
        (
            1,
            [
                [33.1168976, 0, 0, 0],
                [53.0816803, 68.2900543, 119.9692688, 139.6489868],
                [45.3319397, 55.8271790, 157.6248322, 174.0059815],
            ],
        ),
    ],
)
def test_regions_with_as_many_samples_as_they_have_elements(end_mode, wanted):
    """Numbers are MindSpore's; each region has another number of samples."""
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX)
    x = Tensor(np.arange(1.0, 37.0, dtype=np.float32).reshape(1, 1, 6, 6) ** 1.5)
    regions = np.array([[0, -2, -2, 22, 22], [0, 0.5, 1, 5.2, 3.4], [0, 1, 0, 4, 5]], np.float32)
    align = ops.ROIAlign(2, 2, 1.0, -1, end_mode)
    np.testing.assert_allclose(align(x, Tensor(regions)).reshape(3, 4).asnumpy(), wanted, 1e-6)
    by_x = ms.grad(lambda x: align(x, Tensor(regions)).sum())(x)
    np.testing.assert_allclose((by_x * x).sum().asnumpy(), np.sum(wanted), 1e-5)  # it is linear
    both = ops.GradOperation(get_all=True)(lambda *v: align(*v).sum())(x, Tensor(regions))
    np.testing.assert_allclose(both[0].asnumpy(), by_x.asnumpy(), 1e-6)
    # A region without a whole element in a part has one sample there, where MindSpore gives NaN.
    small = Tensor([[0.0, 1.0, 1.0, 2.5, 2.5]])
    one = ops.ROIAlign(2, 2, 1.0, 1, 0)(x, small)
    np.testing.assert_array_equal(ops.ROIAlign(2, 2, 1.0, 0, 0)(x, small).asnumpy(), one.asnumpy())


def test_numbers_of_samples_in_compiled_code_are_known():
    @ms.jit(fullgraph=True)
    def run(x, regions):
        return ops.ROIAlign(1, 1, 1.0, -1)(x, regions)

    with pytest.raises(TypeError, match="give a 'sample_num' of at least 1"):
        run(ops.ones((1, 1, 4, 4)), Tensor([[0.0, 0.0, 0.0, 3.0, 3.0]]))
