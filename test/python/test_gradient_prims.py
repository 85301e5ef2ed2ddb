"""MindSpore's primitives of gradients (``_grad_ops``): against MindSpore (`goldens/record_gradients.py`)
and, where it has no kernel for the CPU, by hand; their derivatives against differences."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.ops import auto_generate
from cellgrad.ops.operations import _grad_ops as G
from cellgrad.ops.operations import _inner_ops
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import gradient_cases as cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "gradients.json").read_text())
NAMES = cases.names(ms, G, ops)


def numbers(nested):
    return (
        [nested] if not isinstance(nested, list) else [v for part in nested for v in numbers(part)]
    )


def lengths(nested):
    return [len(nested), *map(lengths, nested)] if isinstance(nested, list) else []


@pytest.mark.parametrize("case", cases.CASES)
def test_golden(case):
    got, wanted = cases.plain(eval(case, dict(NAMES))), RECORDED[case]
    assert lengths(got) == lengths(wanted)
    np.testing.assert_allclose(numbers(got), numbers(wanted), rtol=2e-5, atol=2e-6)


def d(*shape, k=0):
    """Ordinary float64 values, none of them at a kink."""
    n = int(np.prod(shape))
    return Tensor((1.5 * np.sin(np.arange(1, n + 1) * (1.3 + 0.7 * k) + k)).reshape(shape))


AT = Tensor(np.array([[[[0, 1], [3, 3]]]]))
VARIANCE = Tensor(np.array([[0.7], [1.1]]))
# Primitives and operands of float64, which are differentiated twice.
DERIVATIVES = [
    *((p(), d(5), d(5, k=1)) for p in (G.AbsGrad, G.AtanGrad, G.SigmoidGrad, G.TanhGrad)),
    *((p(), d(5), d(5, k=1)) for p in (G.ReciprocalGrad, G.InvGrad, G.SoftmaxGrad, G.AsinhGrad)),
    *((p(), d(5), d(5, k=1)) for p in (G.ReluGrad, G.SoftplusGrad, G.EluGrad, G.SeluGrad)),
    *(
        (p(), d(5), d(5, k=1))
        for p in (G.FastGeLUGrad, G.SiLUGrad, G.MishGradExt, G.LogSoftmaxGrad)
    ),
    *((p(), ops.abs(d(5)) + 0.5, d(5, k=1)) for p in (G.SqrtGrad, G.RsqrtGrad, G.AcoshGrad)),
    (lambda x, v: G.GeLUGrad()(v, x, x), d(5), d(5, k=1)),
    (G.PReLUGrad(), d(2, 3, k=1), d(2, 3), d(3, k=2)),
    (G.MaximumGrad(), d(2, 3), d(3, k=2), d(2, 3, k=1)),
    (lambda x, v: G.AvgPoolGrad(2, 2)(x, x, v), d(1, 1, 4, 4), d(1, 1, 2, 2, k=1)),
    (lambda x, v: G.MaxPoolGrad(2, 2)(x, x, v), d(1, 1, 4, 4), d(1, 1, 2, 2, k=1)),
    (lambda v: G.MaxPoolGradWithArgmaxV2(2)(d(1, 1, 2, 2), v, AT), d(1, 1, 2, 2)),
    (
        lambda v, x: G.Conv2DBackpropFilter(1, 2)(v, x, (1, 1, 2, 2)),
        d(1, 1, 2, 2),
        d(1, 1, 3, 3, k=1),
    ),
    (lambda x, v, g: G.LayerNormGrad()(x, v, VARIANCE, d(2, 1), g), d(2, 3), d(2, 3, k=1), d(3)),
    (
        lambda v, x, s: G.BatchNormGrad(True)(v, x, s, d(2) / 9, d(2) * d(2) + 0.5, s),
        d(3, 2),
        d(3, 2, k=1),
        d(2),
    ),
    (G.KLDivLossGrad("mean"), d(1), d(2, 3, k=1), ops.abs(d(2, 3)) + 0.1),
    (G.SmoothL1LossGrad(0.7), d(4), d(4, k=2), d(4, k=1)),
    (G.BinaryCrossEntropyGrad("none"), d(4) / 4 + 0.5, d(4, k=1), d(4, k=2)),
    (G.PdistGrad(), d(3, k=1), d(3, 2), d(3)),
    (G.GridSampler2DGrad(), d(1, 1, 1, 2, k=1), d(1, 1, 3, 3), d(1, 1, 2, 2, k=2) / 3),
]


@pytest.mark.parametrize("row", range(len(DERIVATIVES)))
def test_derivatives(row):
    primitive, *operands = DERIVATIVES[row]

    def joined(*values):
        out = primitive(*values)
        parts = out if isinstance(out, tuple) else (out,)
        return ops.concat([part.reshape(-1) for part in parts])

    check_grads(joined, tuple(operands), order=2)


def test_gradient_of_the_gradient_of_layer_norm():
    """The numbers are MindSpore's."""
    x = d(2, 3)
    of_x = [x.var(1, keepdims=True), x.mean(1, keep_dims=True)]
    operands = [x, d(2, 3, k=1), *of_x, d(3), d(2, 3, k=2), d(3, k=3), d(3, k=4)]
    found = G.LayerNormGradGrad()(*operands)
    wanted = (
        [[0.75973046, -0.09998286, -0.65974748], [-0.26025349, 0.23661023, 0.02364314]],
        [[-0.06121922, 0.50611764, -1.59948301], [0.99137926, -0.3057126, 0.42380553]],
        [-0.34971571, -2.90466642, -0.57526124],
    )
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b, rtol=2e-5, atol=1e-6)


class Step(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu, self.pool, self.tanh = G.ReluGrad(), G.MaxPoolGrad(2, 2), G.TanhGrad()

    def construct(self, x, dout):
        hidden = ops.tanh(x)
        back = self.pool(hidden, hidden, dout)
        return self.tanh(hidden, self.relu(back, hidden))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_in_a_cell_in_both_modes_and_in_a_batch(mode):
    """A layer's gradient by hand is that of ms.grad."""
    ms.set_context(mode=mode)
    x, dout = NAMES["f"](1, 2, 4, 4), NAMES["f"](1, 2, 2, 2, k=1)

    def forward(x):
        return (ops.max_pool2d(ops.relu(ops.tanh(x)), 2) * dout).sum()

    wanted = ms.grad(forward)(x).asnumpy()
    step = Step()
    np.testing.assert_allclose(step(x, dout).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    batch = ms.vmap(step)(ops.stack([x, -x]), ops.stack([dout, dout]))
    np.testing.assert_allclose(batch[0].asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(batch[1].asnumpy(), step(-x, dout).asnumpy())


ONE, TWO = Tensor([1.0, -2.0, 0.5]), Tensor([3.0, 5.0, 7.0])
E = np.exp(np.array([1.0, -2.0, 0.5]))
SLOPE = np.e / (1 + np.e) ** 2  # of the sigmoid at 1
BY_HAND = [  # where MindSpore has no kernel for the CPU, or gives what no derivative is
    (lambda: G.SeluGrad()(TWO, ONE), [3.152103, 5 * (-2 + 1.7580993), 7 * 1.0507010]),
    (lambda: G.SoftmaxGrad()(ONE, TWO), [1 * (3 + 3.5), -2 * (5 + 3.5), 0.5 * (7 + 3.5)]),
    (lambda: G.SoftplusGradExt()(TWO, ONE), np.array([3, 5, 7]) * E / (1 + E)),
    (lambda: G.SoftplusGradExt()(TWO, ONE, 2, 1.5), [3, *(np.array([5, 7]) / (1 + E[1:] ** -2))]),
    (lambda: G.HardtanhGrad()(TWO, ONE / 2, -0.75, 0.3), [0, 0, 7]),
    (lambda: G.SoftMarginLossGrad("none")(ONE, -TWO / TWO, TWO), np.array([3, 5, 7]) * E / (1 + E)),
    (lambda: G.SoftMarginLossGrad("sum")(ONE, -TWO / TWO, Tensor(2.0)), 2 * E / (1 + E)),
    (lambda: G.EinsumGrad("i,i->")((ONE, TWO), Tensor(2.0))[0], [6, 10, 14]),
    (lambda: G.MinimumGradGrad()(ONE, TWO, ONE * 2, TWO)[2], [2, -4, 1]),
    (lambda: G.MaximumGradGrad()(ONE, ONE * 1, ONE, TWO)[2], [2, 1.5, 3.75]),
    (lambda: G.MinimumGradGrad()(ONE, TWO, ONE, TWO)[0], [0, 0, 0]),
    (lambda: G.StridedSliceGrad(1, 1)(TWO, (3,), (2,), (1,), (1,)), [3, 5, 7]),
    (lambda: G.StridedSliceGrad()(TWO[:2], (3,), (2,), (0,), (-1,)), [0, 5, 3]),
    (  # along the first dimension, with y = 1 / (1 + exp(-+1))
        lambda: auto_generate.SoftmaxBackward()(
            Tensor([[3.0], [5.0]]), ops.Softmax((0,))(Tensor([[1.0], [2.0]])), 0
        ),
        [[-2 * SLOPE], [2 * SLOPE]],
    ),
    # MindSpore gives these, too: a cotangent of bool is moved, and may leave out dimensions of one.
    (
        lambda: G.StridedSliceGrad()(TWO > 4, (2, 3), (1, 0), (2, 3), (1, 1)),
        [[False, False, False], [False, True, True]],
    ),
    (lambda: G.SliceGrad()(Tensor([True]), ONE > 0, (1,), (1,)), [False, True, False]),
    (lambda: G.MaximumGrad(True, False)(ONE, TWO / 6, TWO), [3, 0, 0]),
    (lambda: G.MaximumGrad(False, True)(ONE, TWO / 6, TWO), [0, 5, 7]),
    (
        lambda: G.MultilabelMarginLossGrad("none")(
            Tensor(2.0), ONE, Tensor([2, -1, 0], ms.int32), Tensor([0, 0, 1], ms.int32)
        ),
        [2 / 3, 0, -2 / 3],  # 1 - (0.5 - 1) > 0, 1 - (0.5 + 2) < 0
    ),
    (  # one element of the image in each window
        lambda: G.Conv2DBackpropFilter(1, 2, pad_mode="pad", pad=(1, 1, 1, 1), stride=(2, 2))(
            Tensor([[[[3.0, 5.0], [7.0, 2.0]]]]),
            Tensor([[[[1.0, -2.0], [0.5, 4.0]]]]),
            (1, 1, 2, 2),
        ),
        [[[[8, 3.5], [-10, 3]]]],
    ),
    (lambda: G.MaskedSelectGrad()(ONE, ONE > 9, ops.zeros(0)), [0, 0, 0]),
    # Of complex numbers, the conjugate, as everywhere: of 1 / z at z = 1 / (1 + 2j), and of tanh.
    (lambda: G.InvGrad()(Tensor(1 + 2j), Tensor(1j)), 1j * -((1 - 2j) ** 2)),
    (lambda: G.TanhGrad()(Tensor(1 + 2j), Tensor(1j)), 1j * (1 - (1 - 2j) ** 2)),
    (lambda: auto_generate.AbsGrad()(ONE, TWO), [3, -5, 7]),
]


@pytest.mark.parametrize("row", range(len(BY_HAND)))
def test_by_hand(row):
    call, wanted = BY_HAND[row]
    np.testing.assert_allclose(call().asnumpy(), wanted, rtol=1e-5)


def test_what_tests_of_dynamic_shapes_use():
    x = Tensor([1.0, 2.0])
    net = _inner_ops.ConvertToDynamic(is_dynamic_rank=True).add_prim_attr("primitive_target", "CPU")
    np.testing.assert_array_equal(ms.grad(lambda x: net(x) ** 2)(x).asnumpy(), [2, 4])
    assert ops.functional.is_sequence_value_unknown(x.shape) is False
    assert ops.functional.is_sequence_shape_unknown(ms.mutable((1, 2), True)) is False
    assert auto_generate.contiguous(x).asnumpy().tolist() == [1, 2]
    with pytest.raises(AttributeError, match="shape"):
        auto_generate.shapes_of  # noqa: B018
    np.testing.assert_array_equal(ops.hardshrink(Tensor([0.5, -2.0]), True).asnumpy(), [0, -2])
    np.testing.assert_array_equal(ops.softshrink(Tensor([1.5, -3.0]), True).asnumpy(), [0.5, -2])
    for shrink, by_width in ((ops.softshrink, -2), (ops.hardshrink, 0)):
        by = ms.grad(shrink, (0, 1))(Tensor([0.5, 2, 3]), Tensor(1.0))
        assert [g.asnumpy().tolist() for g in by] == [[0, 1, 1], by_width]


@pytest.mark.parametrize(
    "colour, hue, saturation, value",
    [
        ([0.5, 0.5, 0.25], [-2 / 3, 2 / 3, 0], [1, 0, -2], [1, 0, 0]),
        ([0.25, 0.5, 0.5], [0, -2 / 3, 2 / 3], [-2, 1, 0], [0, 1, 0]),
        ([0.25, 0.75, 0.25], [-1 / 3, 0, 1 / 3], [0, 4 / 9, -4 / 3], [0, 1, 0]),
        ([0.5, 0.5, 0.5], [0, 0, 0], [2, 0, -2], [1, 0, 0]),
        ([0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]),
    ],
)
def test_channels_that_are_equal(colour, hue, saturation, value):
    """As MindSpore's: the first of the largest and the last of the smallest has the derivative."""
    by = ms.jacrev(ops.RGBToHSV())(Tensor(colour, ms.float32)).asnumpy()
    np.testing.assert_allclose(by, [hue, saturation, value], rtol=1e-6, atol=1e-7)


ERRORS = [
    (lambda: G.ReluGrad()(ONE), TypeError, "For 'ReluGrad', missing a required argument: 'x'"),
    (lambda: G.ReluGrad()(ONE, 3.0), TypeError, "'x' must be a Tensor"),
    (lambda: G.ReluGrad()(3.0, ONE), TypeError, "'dout' must be a Tensor"),
    (lambda: G.ReluGrad(3), TypeError, "For 'ReluGrad', too many positional arguments"),
    (lambda: G.HShrinkGrad(lamda=1), TypeError, "unexpected keyword argument 'lamda'"),
    (lambda: G.ReluGrad()(ONE[:2], ONE), ValueError, "must have the shape of the output, [3]"),
    (
        lambda: G.UpsampleNearest3DGrad()(ops.ones((1, 1, 2, 2, 2)), (1, 1, 1, 1, 1)),
        (TypeError, ValueError),
        "'output_size' must be a size, as there are no scales",
    ),
]


@pytest.mark.parametrize("row", range(len(ERRORS)))
def test_errors(row):
    call, kind, text = ERRORS[row]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_tail():
    x = Tensor([1.0, 2.0])
    assert ops.composite.tail((1, 2, 3)) == (2, 3) and ops.composite.tail((1,)) == ()
    by_x = ms.grad(ms.jit(lambda x: ops.composite.tail((x, x * x))[0]))(x)
    total = ops.composite.hyper_add((x, (x,)), (x, (x * 2,)))
    assert (total[1][0] == x * 3).all()
    assert ops.composite.core(np.add) is ops.composite.core(loop_can_unroll=True)(np.add) is np.add
    with pytest.raises(TypeError, match="must be callable"):
        ops.composite.core(3)
    np.testing.assert_array_equal(by_x.asnumpy(), [2, 4])
    with pytest.raises(TypeError, match="'sequence' must be"):
        ops.composite.tail([1, 2])
    with pytest.raises(ValueError, match="must have an element"):
        ops.composite.tail(())


def test_a_tuple_may_have_a_parameter_more_than_once():
    w = ms.Parameter(Tensor([3.0]), name="w")
    twice = ms.ParameterTuple((w, w))
    assert len(twice) == 2 and twice[0] is twice[1]
    by_both = ms.grad(lambda x: x * twice[0] * twice[1], None, twice)(Tensor([2.0]))
    assert [g.asnumpy().tolist() for g in by_both] == [[12.0], [12.0]]


def test_operands_that_no_forward_pass_gives_count_as_in_mindspore():
    # MindSpore 2.10's numbers: targets below 0, where the loss is 0, and `out` that is no distance.
    x, target = Tensor([[1.0, -1.0], [2.0, 3.0]]), Tensor([[1.0, 0.0], [-1.0, 0.5]])
    slopes = G.KLDivLossGrad("none")(ops.ones_like(x), x, target)
    np.testing.assert_allclose(slopes.asnumpy(), [[-1.0, 0.0], [1.0, -0.5]])
    mean = G.KLDivLossGrad("batchmean")(Tensor(1.0), x, target)
    np.testing.assert_allclose(mean.asnumpy(), [[-0.5, 0.0], [0.5, -0.25]])
    dout, a = Tensor([[[1.0, 1.0], [2.0, 2.0]]]), Tensor([[[1.0, 1.0], [2.0, 2.0]]])
    b, out = ops.full((1, 2, 2), 3.0), ops.full((1, 2, 2), 3.0)
    for p, want in (
        (1.0, [-2.0, -4.0]),
        (1.5, [-1.632993221282959, -2.309401035308838]),
        (2.0, [-1.3333333730697632, -1.3333333730697632]),
        (3.0, [-0.8888888955116272, -0.4444444477558136]),
    ):
        found = G.CdistGrad(p)(dout, a, b, out).asnumpy()
        np.testing.assert_allclose(found, np.repeat([want], 2, 0).T[None], rtol=1e-6)
    nothing = G.CdistGrad(2.0)(dout, a, a, ops.Cdist(2.0)(a, a))
    assert np.isfinite(nothing.asnumpy()).all()


def test_names_of_views():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for name, arguments, wanted in (
        ("narrow_view", (x, 0, 1, 1), [[3, 4]]),
        ("select_ext_view", (x, 1, 0), [1, 3]),
        ("transpose_view", (x, (1, 0)), [[1, 3], [2, 4]]),
        ("clamp_scalar", (x, 2, 3), [[2, 2], [3, 3]]),
    ):
        assert getattr(auto_generate, name)(*arguments).asnumpy().tolist() == wanted
    assert auto_generate.ExpandDimsView()(x, 0).shape == (1, 2, 2)
    assert [v.shape for v in ms.ops.function.split_view(x, 1)] == [(1, 2)] * 2
    assert ms.ops.function.softmax_ext(x[0]).shape == (2,)
    with pytest.raises(AttributeError, match="no_such_view"):
        auto_generate.no_such_view  # noqa: B018


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("ACosGrad", [-0.96226287 - 1.2362317j, -2.0965698, 1.1547005j]),
        ("AsinGrad", [0.96226287 + 1.2362317j, 2.0965698, -1.1547005j]),
        ("AtanGrad", [0.93743765 + 0.6714979j, 1.8348624, -0.8j]),
    ],
)
def test_gradients_of_complex_numbers(name, wanted, mode):
    """Numbers are MindSpore's."""
    x, dy = (Tensor(np.array(v, np.complex64)) for v in ([-0.5 + 0.2j, 0.3, 0.5], [1 + 1j, 2, -1j]))
    np.testing.assert_allclose(getattr(G, name)()(x, dy).asnumpy(), wanted, 1e-5)


def test_the_gradient_of_a_complex_bias(mode):
    dy = np.arange(12.0).reshape(2, 3, 2) * (1 - 2j)
    found = G.BiasAddGrad()(Tensor(dy)).asnumpy()
    np.testing.assert_array_equal(found, dy.sum((0, 2)))


def test_the_weights_say_the_size_of_a_kernel(mode):
    """A program of MindSpore's, which is made for another number of channels and another kernel."""
    draw = np.random.default_rng(2)
    x, dy = (Tensor(draw.standard_normal(s)) for s in ((2, 3, 6, 5), (2, 4, 4, 3)))
    primitive = G.Conv2DBackpropFilter(1, 1, "valid", 0, (0, 0, 0, 0), 1, (1, 1))
    found = primitive(dy, x, (4, 3, 3, 3)).asnumpy()
    a, b = x.asnumpy(), dy.asnumpy()
    for i in range(3):
        for j in range(3):
            wanted = np.einsum("nohw,nchw->oc", b, a[:, :, i : i + 4, j : j + 3])
            np.testing.assert_allclose(found[:, :, i, j], wanted, 1e-12)


@pytest.mark.parametrize(
    "name, slope",
    [
        ("AtanGrad", lambda x: 1 / (1 + x * x)),
        ("AsinGrad", lambda x: 1 / np.sqrt(1 - x * x)),
        ("SiLUGrad", lambda x: (1 + x / (1 + np.exp(x))) / (1 + np.exp(-x))),
    ],
)
def test_gradients_of_halves_are_rounded_once(name, slope, mode):
    x = np.linspace(-0.9, 0.9, 181).astype(np.float16)
    dy = np.full_like(x, 3.0)
    order = (dy, x) if name == "SiLUGrad" else (x, dy)
    found = getattr(G, name)()(*[Tensor(v) for v in order])
    assert found.dtype is ms.float16
    wanted = 3 * slope(x.astype(np.float64))
    np.testing.assert_array_equal(found.asnumpy(), wanted.astype(np.float16))
