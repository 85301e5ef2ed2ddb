"""What programs import from MindSpore's inner modules: primitives that are not in `ops`, and small helpers."""

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad import multiprocessing as mp
from cellgrad._c_expression import CreationType, TensorPy, get_code_extra, security
from cellgrad.amp import _OutputTo32
from cellgrad.common import _monad
from cellgrad.common.api import _no_recursive, _pynative_executor
from cellgrad.common.parameter import _Buffer
from cellgrad.ops import auto_generate as gen
from cellgrad.ops import multitype_ops, operations
from cellgrad.ops._primitive_cache import _get_cache_prim
from cellgrad.ops.operations import (
    MatrixLogarithm,
    PSROIPooling,
    SparseSoftmaxCrossEntropyWithLogitsV2,
    Uniform,
    _csr_ops,
    _grad_ops,
    _inner_ops,
)
from cellgrad.ops.operations._rl_inner_ops import GRUV2
from cellgrad.scipy.utils import _nd_transpose
from cellgrad.train.callback import _CallbackManager, _InternalCallbackParam

SCALE, CELLS, CHANNELS, HEIGHT, WIDTH = 0.25, 2, 3, 7, 6
draw = np.random.default_rng(0)
IMAGES = draw.standard_normal((2, CHANNELS * CELLS**2, HEIGHT, WIDTH))
# Inside, beyond two edges, of no size, outside; two of the other image.
REGIONS = np.zeros((2, 5, 3))
REGIONS[0].T[:] = [[0, 3.2, 5.1, 17.9, 21.0], [0, -7, -3, 9, 40], [1, 8, 8, 7, 9]]
REGIONS[1].T[:] = [[1, 60, 60, 70, 70], [0, 0, 0, 20, 24], [1, 2.2, 1, 13, 26.1]]


def pooled(x, regions):
    """R-FCN's formula, cell by cell."""
    boxes = regions.transpose(0, 2, 1).reshape(-1, 5)
    out = np.zeros((len(boxes), CHANNELS, CELLS, CELLS))
    for k, (image, *corners) in enumerate(boxes):
        x1, y1, x2, y2 = (np.sign(v) * np.floor(abs(v) + 0.5) for v in np.array(corners) * SCALE)
        wide, high = max(x2 - x1, 0.1) / CELLS, max(y2 - y1, 0.1) / CELLS
        for c in range(CHANNELS):
            for i in range(CELLS):
                for j in range(CELLS):
                    rows = slice(
                        *np.clip(
                            [np.floor(y1 + i * high), np.ceil(y1 + (i + 1) * high)], 0, HEIGHT
                        ).astype(int)
                    )
                    columns = slice(
                        *np.clip(
                            [np.floor(x1 + j * wide), np.ceil(x1 + (j + 1) * wide)], 0, WIDTH
                        ).astype(int)
                    )
                    part = x[int(image), (c * CELLS + i) * CELLS + j, rows, columns]
                    out[k, c, i, j] = part.mean() if part.size else 0
    return out  # fmt: skip


def test_position_sensitive_pooling(mode):
    pool = PSROIPooling(SCALE, CELLS, CHANNELS)
    x, regions = Tensor(IMAGES), Tensor(REGIONS)
    wanted = pooled(IMAGES, REGIONS)
    assert (wanted == 0).all((1, 2, 3)).tolist() == [False, False, False, True, False, False]
    out = pool(x, regions)
    np.testing.assert_allclose(out.asnumpy(), wanted, 1e-12, 1e-12)
    half = pool(x.astype(ms.float16), regions.astype(ms.float16))
    assert half.dtype is ms.float16
    np.testing.assert_allclose(half.asnumpy(), wanted, 2e-3, 2e-3)

    # The gradient is the adjoint of a linear function, and that by the regions is 0.
    dy = draw.standard_normal(wanted.shape)
    primitive = _grad_ops.PSROIPoolingGrad((HEIGHT, WIDTH), SCALE, CELLS, CHANNELS)
    gradient = primitive(Tensor(dy), regions)
    np.testing.assert_allclose((gradient.asnumpy() * IMAGES).sum(), (dy * wanted).sum(), 1e-12)
    loss = lambda x, regions: (pool(x, regions) * Tensor(dy)).sum()
    by_x, by_regions = ms.grad(loss, (0, 1))(x, regions)
    np.testing.assert_allclose(by_x.asnumpy(), gradient.asnumpy(), 1e-12)
    assert not by_regions.asnumpy().any()
    stacked = ms.vmap(pool, (0, None))(ops.stack([x, 2 * x]), regions)
    np.testing.assert_allclose(stacked.asnumpy()[1], 2 * wanted, 1e-12, 1e-12)


def test_gradient_of_position_sensitive_pooling_is_mindspores():
    """Of one region, whose cells are within the image: MindSpore has means of its pixels there."""
    primitive = _grad_ops.PSROIPoolingGrad((5, 4), 0.0625, 2, 1)
    regions = Tensor([[[0.0], [15.03563], [20.0132], [57.93563], [60.23452]]])
    wanted = np.zeros((1, 4, 5, 4))
    for cell, (row, column) in enumerate([(1, 1), (1, 2), (2, 1), (2, 2)]):
        wanted[0, cell, row : row + 2, column : column + 2] = 0.25
    assert primitive(ops.ones((1, 1, 2, 2)), regions).asnumpy().tolist() == wanted.tolist()


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (TypeError, "'spatial_scale' must be a float", lambda: PSROIPooling(1, 2, 3)),
        (ValueError, "'spatial_scale' must be above 0", lambda: PSROIPooling(0.0, 2, 3)),
        (TypeError, "'group_size' must be an int", lambda: PSROIPooling(0.5, 2.0, 3)),
        (ValueError, "'output_dim' must be positive", lambda: PSROIPooling(0.5, 2, 0)),
        (
            RuntimeError,
            "must have 12 channels and 'rois' the shape [2, 5, R]",
            lambda: PSROIPooling(0.5, 2, 3)(ops.ones((2, 11, 3, 3)), ops.ones((2, 5, 1))),
        ),
        (
            TypeError,
            "'features' and 'rois' must have the same dtype",
            lambda: PSROIPooling(0.5, 1, 1)(ops.ones((1, 1, 3, 3)), Tensor(np.ones((1, 5, 1)))),
        ),
        (
            TypeError,
            "'features' must be of floats",
            lambda: PSROIPooling(0.5, 1, 1)(ops.ones((1, 1, 3, 3), ms.int32), ops.ones((1, 5, 1))),
        ),
        (
            TypeError,
            "'input_size' must be an int or a tuple of two ints",
            lambda: _grad_ops.PSROIPoolingGrad([2, 2], 0.5, 1, 1),
        ),
        (
            RuntimeError,
            "'dy' must be of shape [1, 1, 2, 2]",
            lambda: _grad_ops.PSROIPoolingGrad(3, 0.5, 2, 1)(
                ops.ones((1, 1, 3, 2)), ops.ones((1, 5, 1))
            ),
        ),
        (
            ValueError,
            "'input_x' must be 2 Tensors",
            lambda: _grad_ops.ConcatOffset()([Tensor([1])]),
        ),
        (TypeError, "'input_x' must", lambda: _grad_ops.ConcatOffset()(Tensor([1, 2]))),
        (TypeError, "'data' must be a Tensor", lambda: _Buffer(2.0)),
        (
            ValueError,
            "'grad' must have shape [2, 1], a row an index, but got [3, 1]",
            lambda: ops.SparseApplyAdagrad(0.5)(
                ops.ones((3, 1)), ops.ones((3, 1)), ops.ones((3, 1)), Tensor([0, 1])
            ),
        ),
        (TypeError, "'maxval' must be a float", lambda: Uniform(0.0, 1)),
        (ValueError, "'minval' must be at least 0", lambda: Uniform(-1.0, 1.0)),
        (ValueError, "'minval' must be at most 1.0", lambda: Uniform(2.0, 1.0)),
        (TypeError, "'x' must be of floating-point", lambda: Uniform()(Tensor([1]))),
        (ValueError, "'a' must have at least 2 dimensions", lambda: _nd_transpose(Tensor([1.0]))),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)


def test_places_of_a_matrix_in_csr_format(mode):
    indptr, indices = Tensor([0, 1, 1, 3], ms.int32), Tensor([2, 0, 1], ms.int32)
    dense = Tensor(np.arange(18.0).reshape(3, 3, 2), ms.float32)
    pick = lambda dense: _csr_ops.CSRGather()(indptr, indices, dense, (3, 3, 2))
    assert pick(dense).asnumpy().tolist() == [[4, 5], [12, 13], [14, 15]]
    counts = ms.grad(lambda d: pick(d * d).sum())(dense).asnumpy()[..., 0]
    assert counts.tolist() == [[0, 0, 8], [0, 0, 0], [24, 28, 0]]


def test_copies_into_a_part():
    x = Tensor(np.zeros((2, 3)), ms.float32)
    _inner_ops.CopyWithSlice()(x[0], Tensor([1.0, 2.0, 3.0]))
    assert x.asnumpy().tolist() == [[1, 2, 3], [0, 0, 0]]


def test_uniform_numbers():
    ms.set_seed(3)
    given = Tensor(np.zeros((200, 100)), ms.float64)
    drawn = Uniform(1.0, 3.0, seed=5)(given)
    assert drawn.dtype is ms.float64 and drawn.shape == given.shape
    assert 1 <= float(drawn.min()) < 1.01 and 2.99 < float(drawn.max()) < 3
    assert abs(float(drawn.mean()) - 2) < 0.02


def test_small_helpers():
    assert _nd_transpose(ops.ones((1, 2, 3))).shape == (1, 3, 2)
    assert isinstance(Tensor(1.0), TensorPy) and get_code_extra(test_small_helpers) is None
    _pynative_executor.set_creation_type(Tensor(1.0), CreationType.DEFAULT)
    power = ms.jit(lambda x: _get_cache_prim(ops.Pow)()(x, 3))
    assert power(Tensor([2.0])).asnumpy().tolist() == [8]
    cell = _OutputTo32(nn.Dense(2, 1).to_float(ms.float16))
    assert cell(ops.ones((1, 2))).dtype is ms.float32


def test_buffers(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = _Buffer(Tensor([1.0, 2.0]))
            self.passing = _Buffer(Tensor([3.0, 4.0]), persistent=False)

        def construct(self, x):
            return (self.table * x + self.passing).sum()

    net = Net()
    assert [name for name, _ in net.named_buffers()] == ["table", "passing"]
    assert list(net.state_dict()) == ["table"]
    assert float(net(Tensor([5.0, 6.0]))) == 24
    assert ms.grad(net)(Tensor([5.0, 6.0])).asnumpy().tolist() == [1, 2]


def test_gradient_of_fractional_average_pooling(mode):
    """Elements are MindSpore's; windows that overlap share the elements at their bounds."""
    at = Tensor([0, 2, 5]), Tensor([0, 1, 3, 4])
    shape = Tensor([1, 5, 4, 1])
    for overlapping, dy, wanted in (
        (False, [[4, 7, 1], [7, 2, 7]], [[2, 1.75, 1.75, 0.5], [7 / 3, 1 / 3, 1 / 3, 7 / 3]]),
        (
            True,
            [[3, 3, 6], [1, 7, 7]],
            [[0.5, 5 / 6, 1 / 3, 7 / 3], [1 / 6, 17 / 18, 7 / 9, 28 / 9]],
        ),
    ):
        primitive = _grad_ops.FractionalAvgPoolGrad(overlapping)
        dx = primitive(shape, Tensor(dy, ms.float64).reshape(1, 2, 3, 1), *at).asnumpy()[0, ..., 0]
        np.testing.assert_allclose(dx[[0, 4]], wanted, 1e-12)
    np.testing.assert_allclose(dx[2], [2 / 3, 16 / 9, 10 / 9, 49 / 9], 1e-12)


def test_gradient_of_layer_norm_over_all_dimensions(mode):
    """Each element has a weight of its own, so nothing is summed."""
    x, dy, gamma = draw.standard_normal((3, 2, 3))
    mean, variance = x.mean(), x.var()
    primitive = _grad_ops.LayerNormGrad(0, 0)
    at = [Tensor(np.full((1, 1), v)) for v in (variance, mean)]
    dx, dgamma, dbeta = primitive(Tensor(x), Tensor(dy), *at, Tensor(gamma))
    slope = (x - mean) / np.sqrt(variance + 1e-7)
    np.testing.assert_allclose(dgamma.asnumpy(), dy * slope, 1e-12)
    np.testing.assert_allclose(dbeta.asnumpy(), dy, 1e-12)
    given = dy * gamma
    wanted = given - given.mean() - slope * (given * slope).mean()
    np.testing.assert_allclose(dx.asnumpy(), wanted / np.sqrt(variance + 1e-7), 1e-6)


def test_offsets_of_what_is_joined():
    parts = [ops.ones((2, 3, 1)), ops.ones((2, 1, 1)), ops.ones((2, 4, 1))]
    offsets = _grad_ops.ConcatOffset(3, 1)(parts)
    assert offsets.asnumpy().tolist() == [[0, 0, 0], [0, 3, 0], [0, 4, 0]]


M = Tensor([[1.0, 5.0], [7.0, 2.0]])
LINE = Tensor(np.arange(4.0).reshape(1, 1, 4), ms.float32)
IMAGE = Tensor(np.arange(6.0).reshape(1, 1, 2, 3), ms.float32)
DOUBLED = [[0, 0, 1, 1, 2], [0, 0, 1, 1, 2], [3, 3, 4, 4, 5], [3, 3, 4, 4, 5]]


@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda: gen.MaxDim()(M, 0), ([7, 5], [1, 0])),
        (lambda: gen.MinDim()(M, 1, True), ([[1], [2]], [[0], [1]])),
        (lambda: (gen.NewOnes()(M, (2,)),), ([1, 1],)),
        (lambda: (gen.NewZeros()(M, (2,), ms.int32),), ([0, 0],)),
        (lambda: (gen.UpsampleNearest1D()(LINE, (6,)),), ([[[0, 0, 1, 2, 2, 3]]],)),
        (lambda: (gen.UpsampleNearest1D()(LINE, None, [1.5]),), ([[[0, 0, 1, 2, 2, 3]]],)),
        (lambda: (gen.UpsampleNearest2D()(IMAGE, None, [2.0, 1.7]),), ([[DOUBLED]],)),
        (lambda: (Tensor(ops.functional.tuple_div((4, 6), (2, 3))),), ([2, 2],)),
    ],
)
def test_primitives_without_settings_are_mindspores(call, wanted):
    assert tuple(x.asnumpy().tolist() for x in call()) == wanted


def test_primitives_that_mindspore_has_on_other_processors():
    """Against formulas: lines through the elements, and Euclid's norm."""
    line = gen.UpsampleLinear1D()(LINE, (6,), None, True).asnumpy()
    np.testing.assert_allclose(line[0, 0], np.linspace(0, 3, 6), 1e-6)
    image = gen.UpsampleBilinear2D()(IMAGE, (3, 5), None, True).asnumpy()[0, 0]
    np.testing.assert_allclose(image, np.arange(3)[:, None] * 1.5 + np.arange(5) / 2, 1e-6)
    np.testing.assert_allclose(gen.Norm()(M, 2, (1,)).asnumpy(), np.sqrt([26, 53]), 1e-6)
    slopes = ms.grad(lambda x: gen.MaxDim()(x, 0)[0].sum())(M)
    assert slopes.asnumpy().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    "x, y, words",
    [
        ((1, 2), (1,), "must be the same, but got 2 and 1"),
        ((1.5,), (2,), "should be an int64 number, but got 1.5 and 2"),
        ((4,), (0,), "should not be 0"),
        ((5,), (2,), "should be divisible, but got 5 and 2"),
    ],
)
def test_tuples_that_cannot_be_divided(x, y, words):
    with pytest.raises(RuntimeError, match=words):
        ops.functional.tuple_div(x, y)


def test_tensors_go_to_another_process():
    def child(given, back):
        back.put(given.get() * 2)

    context = mp.get_context("fork")
    given, back = context.Queue(), context.Queue()
    process = context.Process(target=child, args=(given, back))
    process.start()
    given.put(Tensor([3.0]))
    assert back.get(timeout=60).asnumpy().tolist() == [6]
    process.join()


def test_what_orders_effects_in_mindspores_graphs_is_taken():
    @ms.jit
    @_no_recursive
    def product(x, y):
        return ops.depend(x * y, _monad.U)

    assert product(Tensor(2.0), Tensor(3.0)) == 6


def test_gradient_of_fractional_largest_pooling(mode):
    """Elements are MindSpore's: the first of equal elements has the gradient."""
    x = [[3, 1, 2, 5, 4], [3, 3, 9, 9, 0], [7, 7, 1, 1, 1], [0, 8, 2, 2, 6], [5, 5, 5, 5, 5]]
    dy = Tensor(np.arange(1.0, 7.0)).reshape(1, 2, 3, 1)
    at = Tensor([0, 2, 5]), Tensor([0, 1, 3, 5])
    for overlapping, wanted in (
        (False, [[1, 0, 0, 0, 0], [0, 0, 2, 3, 0], [4, 0, 0, 0, 0], [0, 5, 0, 0, 6], [0] * 5]),
        (True, [[0] * 5, [0, 0, 2, 3, 0], [1, 0, 0, 0, 0], [0, 9, 0, 0, 6], [0] * 5]),
    ):
        primitive = _grad_ops.FractionalMaxPoolGrad(overlapping)
        for dtype in (ms.float64, ms.int32):
            given = Tensor(x, dtype).reshape(1, 5, 5, 1)
            dx = primitive(given, dy.astype(dtype), dy.astype(dtype), *at)
            assert dx.dtype is dtype and dx.asnumpy()[0, ..., 0].tolist() == wanted


@pytest.mark.parametrize(
    "mode_of_pad, contiguous, first",
    [
        ("reflect", True, [[30, 100, 72, 36], [16, 58, 44, 22]]),
        ("edge", True, [[16, 11, 13, 51], [72, 39, 41, 135]]),
        ("circular", True, [[68, 72, 34, 64], [40, 44, 20, 36]]),
        ("edge", False, [[88, 50, 54, 58, 128]]),
    ],
)
def test_gradient_of_padding(mode_of_pad, contiguous, first, mode):
    """Elements are MindSpore's."""
    dy = Tensor(np.arange(56.0).reshape(1, 2, 4, 7))
    primitive = _grad_ops.PadV3Grad(mode_of_pad, contiguous)
    dx = primitive(dy, Tensor([1, 2, 1, 1]))
    assert dx.asnumpy()[0, 0].tolist() == first


def test_gated_units_that_reset_first(mode):
    """Values and gradients are MindSpore's."""
    rs = np.random.RandomState(0)
    x, h, w = (Tensor(rs.randn(*s).astype(np.float32)) for s in ((3, 2, 4), (1, 2, 2), (48, 1, 1)))
    lengths, layer = Tensor([3, 2], ms.int32), GRUV2(4, 2, 1, True, False, 0.0)
    out, last, _, _ = layer(x, h, w, lengths)
    np.testing.assert_allclose(out[0, 0].asnumpy(), [2.2487345, -1.0015031], 1e-5)
    np.testing.assert_allclose(
        last[0].asnumpy(), [[0.5969083, -0.681336], [-0.8042197, 0.2014435]], 1e-5
    )
    dx, dh, dw = ms.grad(lambda *v: layer(*v, lengths)[0].sum(), (0, 1, 2))(x, h, w)
    np.testing.assert_allclose(
        dx[0, 0].asnumpy(), [0.0353941, 0.046132, -0.0073659, 0.0261164], 1e-4
    )
    np.testing.assert_allclose(dh[0, 0].asnumpy(), [1.6269295, -0.0423928], 1e-4)
    np.testing.assert_allclose(
        dw[:4, 0, 0].asnumpy(), [1.2451868, -0.0735445, 0.6075741, 0.1371858], 1e-4
    )
    gradient = _grad_ops.GRUV2Grad(4, 2, 1, True, False, 0.0)
    found = gradient(x, h, w, lengths, out, last, ops.ones_like(out), ops.zeros_like(last), None)
    for a, b in zip(found, (dx, dh, dw), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), 1e-5, 1e-6)
    with pytest.raises(ValueError, match="one layer"):
        GRUV2(4, 2, 2, True, False, 0.0)


def test_logarithm_of_matrices(mode):
    """The first is MindSpore's; others are those whose exponentials are known."""
    x = Tensor(np.array([[1 + 2j, 2 + 1j], [4 + 1j, 5 + 2j]]))
    wanted = [
        [0.69155775 + 1.71618359j, 0.64665196 - 0.34928196j],
        [1.02426074 - 0.88736831j, 1.44677531 + 0.6400109j],
    ]
    np.testing.assert_allclose(MatrixLogarithm()(x).asnumpy(), wanted, 1e-7)
    parts = draw.standard_normal((2, 3, 4, 4)) / 3
    logarithm = parts[0] + 1j * parts[1]
    power = ops.matrix_exp(Tensor(logarithm))
    np.testing.assert_allclose(MatrixLogarithm()(power).asnumpy(), logarithm, 1e-9, 1e-10)
    # Of exp(t A), the logarithm is t A.
    line = lambda t: ops.real(MatrixLogarithm()(ops.matrix_exp(t * Tensor(logarithm)))).sum()
    np.testing.assert_allclose(
        ms.grad(line)(Tensor(0.7, ms.float64)).asnumpy(), logarithm.real.sum(), 1e-8
    )


def test_cross_entropy_with_its_gradient(mode):
    """Numbers are MindSpore's."""
    x, labels = Tensor([[2.0, 3, 1, 4, 5], [2, 1, 2, 4, 3]]), Tensor([0, 1], ms.int32)
    loss, gradient = SparseSoftmaxCrossEntropyWithLogitsV2()(x, labels)
    np.testing.assert_allclose(loss.asnumpy(), [3.4519143, 3.5237441], 1e-6)
    wanted = [-0.96831506, 0.08612854, 0.01165623, 0.23412165, 0.6364086]
    np.testing.assert_allclose(gradient[0].asnumpy(), wanted, 1e-5)
    found = ms.grad(lambda x: SparseSoftmaxCrossEntropyWithLogitsV2()(x, labels)[0].sum())(x)
    np.testing.assert_allclose(found.asnumpy(), gradient.asnumpy(), 1e-5, 1e-6)


def test_norms_are_clipped(mode):
    """The first is MindSpore's; along an axis its kernel does not do what its page says."""
    x = np.array([[[1, 2], [3, 4]], [[0.1, 0.2], [0, 0.3]]], np.float32)
    clip = _inner_ops.ClipByNorm()
    out = clip(Tensor(x), Tensor([2.0])).asnumpy()
    np.testing.assert_allclose(out[0, 0], [0.3642993, 0.7285986], 1e-6)
    norm = np.sqrt((x * x).sum(0, keepdims=True))
    out = _inner_ops.ClipByNorm(0)(Tensor(x, ms.float16), Tensor([2.0], ms.float16))
    assert out.dtype is ms.float32
    np.testing.assert_allclose(out.asnumpy(), x * 2 / np.maximum(norm, 2), 1e-3)


def test_families_of_dtypes():
    """As MindSpore's primitive says."""
    families = ms.number, ms.int_, ms.uint, ms.float_, ms.int32, ms.float16
    found = {
        t: [_inner_ops.IsSubClass()(t, f) for f in families] for t in (*families[4:], ms.uint8)
    }
    assert found == {
        ms.int32: [True, True, False, False, True, False],
        ms.float16: [True, False, False, True, False, True],
        ms.uint8: [True, False, True, False, False, False],
    }
    assert _inner_ops.IsSubClass()(ms.bool_, ms.number) and not _inner_ops.IsSubClass()(
        ms.string, ms.number
    )
    with pytest.raises(TypeError, match="'type_'"):
        _inner_ops.IsSubClass()(ms.number, None)
    known = ms.int_, ms.int64, ms.float_, ms.float32, ms.bool_, ms.number, ms.list_, ms.tensor_type
    of = {str(v): [_inner_ops.IsInstance()(v, t) for t in known] for v in (1, 1.5, True, [1])}
    marks = {"1": "11000100", "1.5": "00110100", "True": "00001100", "[1]": "00000010"}
    assert of == {v: [c == "1" for c in text] for v, text in marks.items()}
    assert ms.jit(lambda x: x * _inner_ops.IsInstance()(x, ms.tensor_type))(Tensor(3)) == 3
    x = Tensor([1.0, 2.0])
    assert _inner_ops.SameTypeShape()(x, x) is x
    with pytest.raises(TypeError, match="SameTypeShape"):
        _inner_ops.SameTypeShape()(x, x.astype(ms.int32))
    with pytest.raises(ValueError, match="SameTypeShape"):
        _inner_ops.SameTypeShape()(x, x[:1])


# MindSpore's results of [[2, 2, 0, 1], [0, 3, 3, 1]] and [[2, 2, 1], [0, 2, 4]]: places, numbers, shape.
SETS = {
    "a-b": ([[0, 0], [1, 0], [1, 1]], [0, 1, 3], [2, 2]),
    "b-a": ([[1, 0], [1, 1]], [2, 4], [2, 2]),
    "intersection": ([[0, 0], [0, 1], [1, 0]], [1, 2, 0], [2, 2]),
    "union": (
        [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [1, 3], [1, 4]],
        [0, 1, 2, 0, 1, 2, 3, 4],
        [2, 5],
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_sets_of_rows(name):
    a = Tensor(np.array([[2, 2, 0, 1], [0, 3, 3, 1]], np.int32))
    b = Tensor(np.array([[2, 2, 1], [0, 2, 4]], np.int32))
    places, numbers, shape = operations.DenseToDenseSetOperation(name)(a, b)
    assert (
        places.asnumpy().tolist(),
        numbers.asnumpy().tolist(),
        shape.asnumpy().tolist(),
    ) == SETS[name]
    assert numbers.dtype == ms.int32 and places.dtype == ms.int64
    at = np.array([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]])
    sparse = operations.DenseToSparseSetOperation(name)
    found = sparse(a, Tensor(at), b.reshape(-1), Tensor([2, 3], ms.int64))
    assert [v.asnumpy().tolist() for v in found] == list(SETS[name])
    for kind, call in (
        (ValueError, lambda: operations.DenseToDenseSetOperation("x")(a, b)),
        (ValueError, lambda: operations.DenseToDenseSetOperation()(a, b[:1])),
        (ValueError, lambda: operations.DenseToDenseSetOperation()(a[0], b[0])),
        (TypeError, lambda: operations.DenseToDenseSetOperation()(a, b.astype(ms.int64))),
        (TypeError, lambda: operations.DenseToDenseSetOperation(validate_indices=1)),
    ):
        with pytest.raises(kind, match="DenseToDenseSetOperation"):
            call()


def test_the_slope_of_igamma_by_its_order():
    """As MindSpore's primitive, whose numbers these are."""
    found = _grad_ops.IgammaGradA()(Tensor([0.5, 2.0, 4.0]), Tensor([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found.asnumpy(), [-0.38983735, -0.29400462, -0.20153049], rtol=1e-6)


def test_callbacks_in_a_loop_of_ones_own():
    """As a program for MindSpore calls them, with its learning rates of this case."""
    optimizer = nn.Momentum(nn.Dense(1, 1).trainable_params(), learning_rate=1.0, momentum=0.9)
    params = _InternalCallbackParam()
    params.optimizer, rates = optimizer, []
    with _CallbackManager([ms.train.ReduceLROnPlateau("eval_loss", patience=2)]) as callbacks:
        for i, loss in enumerate([1.0, 1.1, 0.9, 1.0, 1.1]):
            callbacks.on_train_epoch_begin(ms.train.RunContext(params))
            params.eval_results, params.cur_epoch_num = {"eval_loss": loss}, i + 1
            callbacks.on_train_epoch_end(ms.train.RunContext(params))
            rates.append(optimizer.learning_rate.item())
    np.testing.assert_allclose(rates, [1.0, 1.0, 1.0, 1.0, 0.1], rtol=1e-6)
    with pytest.raises(AttributeError):
        callbacks.on_train  # noqa: B018


def test_what_asks_an_ascend_processor_can_be_made_and_not_called():
    for name in ("NPUAllocFloatStatus", "NPUGetFloatStatus", "NPUClearFloatStatus"):
        status = getattr(operations, name)()
        with pytest.raises(RuntimeError, match="cellgrad computes on others"):
            status(Tensor([0.0]))


def test_a_sum_of_sparse_matrices():
    """The parts are MindSpore's."""
    a = [[2, 3], [0, 2], [0, 1, 2], [2, 0], np.array([1.5, 2], np.float32)]
    b = [[2, 3], [0, 3], [0, 2, 3], [0, 2, 1], np.array([4, 5, 6], np.float32)]
    add = operations.SparseMatrixAdd()
    found = add(*[Tensor(v) for v in (*a, *b)], Tensor(2.0), Tensor(-1.0))
    wanted = [[2, 3], [0, 4], [0, 2, 4], [0, 2, 0, 1], [-4, -2, 4, -6]]
    assert [v.asnumpy().tolist() for v in found] == wanted
    with pytest.raises(ValueError, match="of two numbers"):
        add(*[Tensor(v) for v in ([1, 2, 3], *a[1:], *b)], Tensor(2.0), Tensor(-1.0))


def test_group_norm_with_its_statistics(mode):
    """The second group is scaled by zeros and fours; mean and deviation are those of numpy."""
    x = draw.standard_normal((2, 4, 3)).astype(np.float32)
    weight, bias = (Tensor(np.array(v, np.float32)) for v in ([1, 2, 0, 4], [0, 0, 1, 1]))
    out, mean, inverse = gen.GroupNorm()(Tensor(x), weight=weight, num_groups=2, bias=bias, eps=0.5)
    groups = x.reshape(2, 2, 6)
    deviation = 1 / np.sqrt(groups.var(-1) + 0.5)
    np.testing.assert_allclose(mean.asnumpy(), groups.mean(-1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inverse.asnumpy(), deviation, rtol=1e-5)
    wanted = ((groups - groups.mean(-1)[..., None]) * deviation[..., None]).reshape(2, 4, 3)
    wanted = wanted * weight.asnumpy()[:, None] + bias.asnumpy()[:, None]
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_a_partial_call_by_name(mode):
    total = ms.jit(lambda x: ops.Partial()(ops.ReduceSum(), axis=1)(x))
    assert total(Tensor([[1.0, 2.0]])).asnumpy().tolist() == [3.0]
    assert not security.enable_security()


def test_types_of_python_values_and_back():
    """What MindSpore 2.10 gives."""
    of_values = {
        1: ms.int64,
        1.5: ms.float64,
        2j: ms.complex128,
        "a": ms.string,
        None: ms.type_none,
        (1,): ms.tuple_,
    }
    for value, dtype in of_values.items():
        assert ms.get_py_obj_dtype(value) is ms.get_py_obj_dtype(type(value)) is dtype
    assert ms.get_py_obj_dtype(True) is ms.bool_ and ms.get_py_obj_dtype([1]) is ms.list_
    assert ms.get_py_obj_dtype(np.int8) is ms.get_py_obj_dtype(np.int8(1)) is ms.int8
    for value in ({}, np.ones(2), type, slice, print):
        with pytest.raises(NotImplementedError):
            ms.get_py_obj_dtype(value)
    found = [ms.dtype_to_pytype(t) for t in (ms.string, ms.list_, ms.tuple_, ms.type_none, ms.int_)]
    assert found == [str, list, tuple, type(None), int]
    with pytest.raises(KeyError):
        ms.dtype_to_pytype(ms.number)


def test_zeros_and_ones_of_any_value():
    x = Tensor([1.0, 2.0])
    nested = (x, 1, [2.5, None, True], ())
    for make in (
        lambda f: f(nested),
        lambda f: ms.jit(lambda x: f((x, 1, [2.5, None, True], ())))(x),
    ):
        assert str(make(multitype_ops.zeros_like)) == str((x * 0, 0, [0.0, None, 0], ()))
        assert str(make(multitype_ops.ones_like)) == str((x * 0 + 1, 1, [1.0, None, 1], ()))
    with pytest.raises(TypeError):
        multitype_ops.zeros_like("a")
    order = multitype_ops.generate_shape_index  # MindSpore 2.10 gives these
    assert (order((3, 2, 3), (2,), 1), order((2, 3, 4, 5), (4, 5), -1)) == ((1, 0, 2), (2, 3, 0, 1))
    assert order((2, 3, 4, 5), (4,), -1) == order((2, 3, 4, 5), (4,), 3) == (3, 0, 1, 2)
    assert not security.enable_security()


def test_settings_without_an_effect_have_the_values_that_mindspore_gives():
    assert ms.get_context("max_call_depth") == 1000 and ms.get_context("deterministic") == "OFF"
    ms.set_context(variable_memory_max_size="3GB")
    assert ms.get_context("variable_memory_max_size") == "3GB"
    with pytest.raises(TypeError):
        ms.set_context(device_target=123)
