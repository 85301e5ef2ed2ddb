"""MindSpore's older operations and those that change a tensor: numbers recorded of MindSpore 2.10, or
NumPy's where it has no kernel for the CPU."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, mint, nn, ops
from cellgrad.ops.operations import _grad_ops, _inner_ops
from cellgrad.testing import check_grads


def t(values, kind=np.float32):
    return Tensor(np.array(values, kind))


def i(values):
    return t(values, np.int32)


SQUARE = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
BAND = (t([[1, 2, 3]]), t([[2, 3, 4]]), t([[3, 4, 5]]))
PLACES = (i([0, 0]), i([0, 1]))

# Recorded: MindSpore 2.10 on the CPU.
RECORDED = [
    (  # beyond the image, the nearest place in it
        lambda: ops.crop_and_resize(
            ops.arange(1000.0, 1576.0).reshape(1, 32, 18, 1),
            t([[-0.3, 0, 0.75, 0.9], [0, 0, 0.75, 1.75]]),
            i([0, 0]),
            (3, 3),
            "bilinear_v2",
            0.3,
        ).reshape(2, 9)[:, [0, 2, 3, 8]],
        [[1002.3334, 1013.6667, 1137.3333, 1352.6667], [1070.8334, 1083, 1220.8334, 1383]],
    ),
    (lambda: ops.Bincount()(i([1, 2, 2, 7]), i(5), t([1, 2, 3, 9])), [0, 1, 5, 0, 0]),
    (lambda: ops.Bincount()(i([1, 2, 2, 7]), i(5), t([])), [0, 1, 2, 0, 0]),
    (lambda: ops.Bincount()(i([1, 2, 2, 4]), i(5), t([1, 2, 3, 4], np.int64)), [0, 1, 5, 0, 4]),
    (lambda: ops.Expand()(t([1, 2]), t([3, 2], np.int64)), [[1, 2]] * 3),
    (lambda: ops.IndexPut(1)(i([[1, 2, 3], [4, 5, 6]]), i([3]), PLACES), [[4, 5, 3], [4, 5, 6]]),
    (lambda: ops.IndexPut()(i([[1, 2], [4, 5]]), i([3, 4]), [i([0])]), [[3, 4], [4, 5]]),
    (lambda: ops.ListDiff()(i([1, 2, 3, 4, 5, 6, 2]), i([1, 3, 5]))[0], [2, 4, 6, 2]),
    (lambda: ops.ListDiff()(i([1, 2, 3, 4, 5, 6, 2]), i([1, 3, 5]))[1], [1, 3, 5, 6]),
    (
        lambda: ops.MatrixSolveLs()(t([[3, 0], [2, 1], [1, 0]]), t([[4], [2], [4]]), Tensor(0.0)),
        [[1.6], [-1.2]],
    ),
    (
        lambda: ops.MatrixSolveLs()(t([[3, 0], [2, 1], [1, 0]]), t([[4], [2], [4]]), Tensor(0.5)),
        [[1.4647888], [-0.6197184]],
    ),
    (
        lambda: ops.TridiagonalMatMul()(*BAND, t([[1, 1, 1], [2, 3, 4], [5, 6, 7]])),
        [[4, 5, 6], [20, 25, 30], [30, 39, 48]],
    ),
    (lambda: ops.ResizeLinear1D()(t([[[1, 2, 3]]]), (6,)), [[[1, 1.4, 1.8, 2.2, 2.6, 3]]]),
    (
        lambda: ops.ResizeLinear1D("half_pixel")(t([[[1, 2, 3]]]), (6,)),
        [[[1, 1.25, 1.75, 2.25, 2.75, 3]]],
    ),
    (
        lambda: ops.ConjugateTranspose()(t([[1 + 1j, 2], [3, 4]], np.complex64), (1, 0)),
        [[1 - 1j, 3], [2, 4]],
    ),
    (lambda: ops.CompareAndBitpack()(t(range(1, 17)), Tensor(6.0)), [3, 255]),
    (
        lambda: ops.ScatterAddWithAxis(0)(t(SQUARE), i([[1, 0, 2], [0, 2, 1]]), ops.ones((2, 3))),
        [[2, 3, 3], [5, 5, 7], [7, 9, 10]],
    ),
    (lambda: ops.coalesce(*COORDINATES)[0], [[0, 1], [1, 2]]),
    (lambda: ops.Coalesce()(*COORDINATES)[1], [6, 4]),
    (lambda: ops.UniqueWithPad()(i([1, 1, 2, 2, 3, 1]), i(0))[0], [1, 2, 3, 0, 0, 0]),
    (lambda: i([1, 1, 2, 5, 5]).unique_with_pad(9)[0], [1, 2, 5, 9, 9]),
    (lambda: i([1, 1, 2, 5, 5]).unique_with_pad(9)[1], [0, 0, 1, 2, 2]),
    (lambda: ops.i0(t([0, 1, 2])), [1, 1.266066, 2.2795854]),
    (
        lambda: ops.batch_dot(ops.arange(12.0).reshape(2, 3, 2), ops.arange(8.0).reshape(2, 2, 2)),
        [[[2, 3], [6, 11], [10, 19]], [[66, 79], [86, 103], [106, 127]]],
    ),
    (lambda: ops.batch_dot(t([[0, 1], [2, 3]]), t([[0, 1], [2, 3]]), (1, 1)), [[1], [13]]),
    (
        lambda: ops.SparseTensorDenseAdd()(
            i([[0, 0], [0, 1]]), t([5, 5]), (2, 2), t([[1, 1], [2, 2]])
        ),
        [[6, 6], [2, 2]],
    ),
    (lambda: ops.NoRepeatNGram(1)(*WORDS)[0, 0] < -3e38, [0, 1, 1, 0, 0, 1]),
    (lambda: ops.NoRepeatNGram(2)(*WORDS)[0] < -3e38, [[0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 1, 0]]),
    (lambda: ops.NoRepeatNGram(3)(*WORDS)[0] < -3e38, [[0, 1, 0, 0, 0, 1], [0] * 6]),
    (
        lambda: _inner_ops.TensorCopySlices()(ops.zeros((3, 2)), t([[1, 2]]), (1,), (2,), (1,)),
        [[0, 0], [1, 2], [0, 0]],
    ),
    (
        lambda: _grad_ops.TraceV2Grad()(t(2), Tensor([3, 4]), 1, 0, 1),
        [[0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]],
    ),
    (
        lambda: _grad_ops.TraceV2Grad()(t([2, 3]), Tensor([2, 2, 2]), -1, 1, 2),
        [[[0, 0], [2, 0]], [[0, 0], [3, 0]]],
    ),
    (lambda: ops.UniformCandidateSampler(1, 3, False, 5)(i([[1]]))[1], [[0.6]]),
    (
        lambda: ops.log_uniform_candidate_sampler(i([[1], [3], [0]]), 1, 3, False, 5)[1],
        [[0.67888314], [0.37361637], [1.1605585]],
    ),
    # MindSpore's documentation.
    (lambda: ops.ConfusionMatrix(4)(i([0, 1, 1, 3]), i([1, 2, 1, 3]))[1], [0, 1, 1, 0]),
    (
        lambda: ops.HistogramFixedWidth(5)(t([-1, 0, 1.5, 2, 5, 15]), t([0, 5])),
        [2, 1, 1, 0, 2],
    ),
    (lambda: ops.CountNonZero([1])(i([[0, 0, 1], [1, 1, 2], [0, 0, 1]])), [1, 3, 1]),
    (lambda: ops.Quantile()(t([0.07, -0.5446, 0.9214]), t([0, 0.5, 1])), [-0.5446, 0.07, 0.9214]),
    (lambda: t([[4, 3, 5], [6, 7, 8]]).put_(i([1, 3]), t([9, 10])), [[4, 9, 5], [10, 7, 8]]),
    (lambda: t(SQUARE).fill_diagonal_(0.0), [[0, 2, 3], [4, 0, 6], [7, 8, 0]]),
    (lambda: i([2, 3, 1, 0]).choose([[0, 1, 2, 3], [10, 11, 12, 13]] * 2), [0, 11, 12, 3]),
    # NumPy.
    (lambda: i([0, 1, -1, 5]).choose([10, 20, 30], "wrap"), [10, 20, 30, 30]),
    (lambda: t([[1 + 1j, 2]], np.complex64).H, [[1 - 1j], [2]]),
    (lambda: t([[1, 2], [3, 4]]).index_copy_(1, i([0]), t([[9], [8]])), [[9, 2], [8, 4]]),
    (lambda: t([[1, 2], [3, 4]]).addmm_(t([[1], [0]]), t([[5, 6]])), [[6, 8], [3, 4]]),
    (lambda: ms.frombuffer(b"\1\0\2\0\3\0", ms.int16, 2, 2), [2, 3]),
    (lambda: mint.gcd(i([12, 9]), i([8, 6])), [4, 3]),
]
WORDS = (i([[[1, 2, 1, 2, 5, 1, 2], [3, 3, 2, 5, 4, 1, 5]]]), t([[[0.5] * 6] * 2]))
COORDINATES = (t([[0, 0, 1], [1, 1, 2]], int), t([1, 5, 4]), t([3, 3], int))


@pytest.mark.parametrize("case", range(len(RECORDED)))
def test_values(case):
    function, wanted = RECORDED[case]
    np.testing.assert_allclose(function().asnumpy(), wanted, 1e-6, 1e-6)


def test_unique_classes_are_expected_by_the_number_of_draws():
    sampled, expected, _ = ops.UniformCandidateSampler(1, 3, True, 5)(i([[1]]))
    assert len({*sampled.asnumpy().tolist()}) == 3
    possible = [0.6, *(1 - 0.8**n for n in range(4, 60))]  # three draws, or n until three differ
    assert np.abs(expected.asnumpy() - possible).min() < 1e-6


def test_parameters_change_in_place(mode):
    x = Parameter(t([[1, 2], [3, 4], [5, 6]]), name="x")
    out = ops.InplaceIndexAdd(0)(x, i([0, 0]), t([[0.5, 1], [1, 1.5]]))
    for found in (out, x):
        assert found.asnumpy().tolist() == [[2.5, 4.5], [3, 4], [5, 6]]
    ops.zero_(x)
    assert not x.asnumpy().any()


def test_derivatives(mode):
    x = Tensor(np.array([0.3, -0.6, 1.1]))

    def changed(x):
        y = x * 2.0
        y.put_(i([1]), x[:1], accumulate=True)
        ops.tanh_(y)
        return ops.clamp_(y, -0.7, 0.95) * x

    check_grads(changed, (x,), order=2)


def test_derivatives_of_products():
    a, b = Tensor(np.arange(6.0).reshape(3, 2) ** 2 + 1), Tensor(np.array([[1.0], [2.0], [-1.0]]))
    check_grads(lambda a, b: ops.MatrixSolveLs()(a, b, Tensor(0.5)), (a, b), order=1)
    band = [v.astype(ms.float64) for v in BAND]
    check_grads(ops.TridiagonalMatMul(), (*band, b), order=2)
    check_grads(lambda a, b: ops.batch_dot(a, b, (1, 1)), (a, b * a), order=2)


def test_conv3d_transpose_is_the_class():
    x, w = (
        Tensor(np.arange(24.0).reshape(1, 2, 2, 2, 3)),
        Tensor(np.arange(32.0).reshape(2, 2, 2, 2, 2)),
    )
    made = ops.Conv3DTranspose(2, 2, 2, stride=2)
    np.testing.assert_array_equal(
        ops.conv3d_transpose(x, w, stride=2).asnumpy(), made(x, w).asnumpy()
    )


def test_random_numbers_have_their_distributions():
    ms.set_seed(3)
    x = ops.zeros(20000)
    for drawn, at, wanted in [
        (x.uniform_(2.0, 6.0), np.mean, 4.0),
        (ops.normal_(ops.zeros(20000), 3.0, 2.0), np.std, 2.0),
        (ops.exponential_(ops.zeros(20000), 4.0), np.mean, 0.25),
        (ops.bernoulli_(ops.zeros(20000), 0.3), np.mean, 0.3),
        (ops.random_(ops.zeros(20000), 0, 5), np.mean, 2.0),
        (ops.Cauchy([20000], 1.0, 2.0)(), np.median, 1.0),
        (ops.log(x.log_normal(0.5, 1.5)), np.std, 1.5),
    ]:
        assert abs(at(drawn.asnumpy()) - wanted) < 0.06, (at, wanted)
    logits = ops.log(t([[0.1, 0.2, 0.7]]))
    drawn = ops.RandomCategorical(ms.int32)(logits, 20000).asnumpy()
    assert drawn.dtype == np.int32 and drawn.shape == (1, 20000)
    np.testing.assert_allclose(np.bincount(drawn[0]) / 20000, [0.1, 0.2, 0.7], atol=0.02)


def test_names_handed_on():
    assert ms.common.jit is ms.jit and ms.train.export is ms.export and ms.common.byte is ms.int8
    assert (ms.cfloat, ms.uintc, ms.ushort) == (ms.complex64, ms.uint32, ms.uint16)
    assert str(ms.string) == "String" and repr(ms.tuple_) == "cellgrad.tuple_"
    state = ms.default_generator.manual_seed(7).get_state()
    first = mint.rand(3, generator=ms.default_generator).asnumpy()
    ms.default_generator.set_state(state)
    np.testing.assert_array_equal(mint.rand(3).asnumpy(), first)


X = t([1, 2])


@pytest.mark.parametrize(
    "function, kind, message",
    [
        (lambda: ops.uniform_(X, 2, 1), ValueError, "'from_' = 2.0 is larger"),
        (lambda: X.normal_(generator=object()), TypeError, "'generator' must be a Generator"),
        (lambda: X.normal_(std=-1.0), ValueError, "'std'"),
        (lambda: X.exponential_(0), ValueError, "'lambd'"),
        (lambda: ops.random_(X, 3, 3), ValueError, r"no integer is in \[3, 3\)"),
        (lambda: ops.tanh_(i([1])), TypeError, "'input'"),
        (lambda: X.put_(i([0]), X), ValueError, "as many as 'index' has"),
        (lambda: X.index_copy_(0, i([0]), X), ValueError, "one part an index"),
        (lambda: i([0]).choose([X], "raise"), ValueError, "'mode'"),
        (lambda: i([0]).choose([]), ValueError, "must not be empty"),
        (lambda: X.H, ValueError, "of matrices"),
        (lambda: ops.batch_dot(t(SQUARE), t(SQUARE)[:2]), ValueError, "'axes'"),
        (lambda: ops.IndexPut(2), ValueError, "'accumulate'"),
        (lambda: ops.CompareAndBitpack()(X, Tensor(1.0)), ValueError, "divided by 8"),
        (lambda: ops.ResizeLinear1D("other"), ValueError, "'coordinate_transformation_mode'"),
        (lambda: ops.HistogramFixedWidth(3, "int64"), ValueError, "'dtype'"),
        (lambda: ops.Cauchy([2], 0.0, 0.0), ValueError, "'sigma'"),
        (lambda: ops.LogNormalReverse(std=-1.0), ValueError, "'std'"),
        (lambda: ops.random_categorical(X, 1), ValueError, "'logits'"),
        (lambda: ms.frombuffer(b"abc", ms.int16), ValueError, "'frombuffer'"),
        (lambda: nn.SampledSoftmaxLoss, AttributeError, "a table of its own"),
    ],
)
def test_errors(function, kind, message):
    with pytest.raises(kind, match=message):
        function()


@pytest.mark.parametrize("unique", [False, True])
def test_classes_are_drawn_as_often_as_expected(unique):
    """Of draws until there are three classes, and of three draws: by numpy, with the same steps."""
    share = np.log((np.arange(5) + 2) / (np.arange(5) + 1)) / np.log(6)
    random, tries, wanted = np.random.default_rng(3), [], np.zeros(5)
    for _ in range(3000):
        drawn = list(random.choice(5, 3, p=share))
        while unique and len(set(drawn)) < 3:
            drawn.append(random.choice(5, p=share))
        tries.append(len(drawn))
        for c in set(drawn) if unique else drawn:
            wanted[c] += 1 / 3000
    sampler = ops.LogUniformCandidateSampler(1, 3, unique, 5, seed=4)
    counts, found = np.zeros(5), []
    for _ in range(3000):
        drawn, often, _ = sampler(i([[0]]))
        np.add.at(counts, drawn.asnumpy(), 1 / 3000)
        found.append(often.asnumpy()[0, 0])
    np.testing.assert_allclose(counts, wanted, atol=0.06)
    p, tries = share[0], np.array(tries)
    often = np.where(tries == 3, 3 * p, 1 - (1 - p) ** tries)
    np.testing.assert_allclose(np.mean(found), often.mean(), atol=0.02)


def test_true_classes_are_left_out():
    drawn = ops.UniformCandidateSampler(2, 2, True, 4, 0, True)(i([[1, 3]]))[0]
    assert sorted(drawn.asnumpy().tolist()) == [0, 2]
    with pytest.raises(ValueError, match="at most 'range_max'"):
        ops.UniformCandidateSampler(1, 5, True, 4)(i([[1]]))
    with pytest.raises(ValueError, match="'num_true' columns"):
        ops.UniformCandidateSampler(2, 3, True, 4)(i([[1]]))
    with pytest.raises(ValueError, match="same batch and beams"):
        ops.NoRepeatNGram()(WORDS[0], WORDS[1][:, :1])


def fields_in_numpy(operator, table, values, ids, fields, count):
    """`nn.MultiFieldEmbeddingLookup`, in float64."""
    out = np.zeros((len(ids), count, table.shape[1]))
    for n, f in np.ndindex(out.shape[:2]):
        here = (fields[n] == f) & (values[n] != 0)
        rows = values[n][here, None] * table[ids[n][here]]
        if operator == "MAX" and len(rows):
            out[n, f] = rows.max(0)
        elif len(rows):
            out[n, f] = rows.sum(0) / (np.abs(values[n][here]).sum() if operator == "MEAN" else 1)
    return out


@pytest.mark.parametrize("operator", ["SUM", "MEAN", "MAX"])
def test_fields_of_a_table(operator):
    """A value of 0 is no row to MAX, and a field of such values alone has a slope in a sum only: as MindSpore 2.10
    has it on the CPU, whose MAX of the second case is -15."""
    table = np.array([[1, -2], [3, 4], [-5, 6], [7, -8]], float)
    ids = np.array([[0, 1, 2, 3], [3, 2, 1, 0]])
    values = np.array([[0.5, -2, 3, 0], [1, 0.25, 0, -1]])
    fields = np.array([[0, 0, 2, 2], [1, 1, 2, 0]])
    by = np.arange(1.0, 13).reshape(2, 3, 2)
    net = nn.MultiFieldEmbeddingLookup(4, 2, 3, t(table), operator=operator)

    def weighted(v):
        return (net(i(ids), v, i(fields)) * t(by)).sum()

    def in_numpy(table, values):
        return (fields_in_numpy(operator, table, values, ids, fields, 3) * by).sum()

    found = net(i(ids), t(values), i(fields)).asnumpy()
    np.testing.assert_allclose(
        found, fields_in_numpy(operator, table, values, ids, fields, 3), 1e-6
    )
    if operator == "MAX":
        assert found[0, 2, 0] == -15
    by_values, (by_table,) = ms.grad(weighted, 0, net.trainable_params())(t(values))
    wanted = np.zeros_like(values)
    for place in np.ndindex(values.shape):
        here = (fields[place[0]] == fields[place]) & (values[place[0]] != 0)
        if {"SUM": True, "MEAN": here.any(), "MAX": values[place]}[operator]:
            step = np.zeros_like(values)
            step[place] = 1e-6
            wanted[place] = (in_numpy(table, values + step) - in_numpy(table, values - step)) / 2e-6
    np.testing.assert_allclose(by_values.asnumpy(), wanted, 1e-5, 1e-6)
    for place in np.ndindex(table.shape):
        step = np.zeros_like(table)
        step[place] = 1e-6
        slope = (in_numpy(table + step, values) - in_numpy(table - step, values)) / 2e-6
        assert by_table.asnumpy()[place] == pytest.approx(slope, 1e-5, 1e-6)


def test_dtypes_of_fields():
    """MindSpore 2.10 takes these alone."""
    net, one = nn.MultiFieldEmbeddingLookup(4, 2, 3), ops.ones((1, 2))
    for ids, fields in ((ms.int16, ms.int32), (ms.int32, ms.int8), (ms.float32, ms.int32)):
        with pytest.raises(
            TypeError, match=r"must be of int32 or int64, but got (Int16|Int8|Float32)"
        ):
            net(one.astype(ids), one, one.astype(fields))
    whole = one.astype(ms.int32)
    for given in ((whole[0], one, whole), (whole, one[0], whole), (whole, one, whole[0])):
        with pytest.raises(ValueError, match="must have 2 dimensions"):
            net(*given)
