"""Operations that MindSpore keeps for older programs: expressions whose results under MindSpore 2.10 are
recorded in `older.json`, in PyNative mode.

They see `ms`, `nn`, `ops`, `np`, `Tensor`, `Parameter` and the names of SETUP.
"""

SETUP = """
def R(*shape, seed=0):
    return np.random.RandomState(seed).rand(*shape).astype(np.float32)
def T(x, dtype=None):
    return Tensor(np.asarray(x), dtype)
def I(*x):
    return Tensor(np.array(x), ms.int32)
def arrays(x):
    return [arrays(v) for v in x] if isinstance(x, tuple) else x.asnumpy().tolist()
def boxes(*shape):
    x = R(*shape, 4)
    x[..., 2:] += x[..., :2]
    return T(x)
def combined(most, **settings):
    op = ops.CombinedNonMaxSuppression(**settings)
    return arrays(op(boxes(2, 6, 1), T(R(2, 6, 2, seed=1)), T(2, ms.int32), T(most, ms.int32), T(.3, ms.float32), T(.2, ms.float32)))
def overlaps(limit):
    op = ops.NonMaxSuppressionWithOverlaps()
    return arrays(op(T(R(6, 6)), T(R(6, seed=1)), T(4, ms.int32), T(limit, ms.float32), T(.2, ms.float32)))
def distance(normalize, truth=(3, 2)):
    L = lambda v: Tensor(np.array(v), ms.int64)
    F = lambda v: Tensor(np.array(v), ms.float32)
    first = L([[0, 0], [1, 0], [1, 1]]), F([1, 2, 3]), L([3, 2])
    second = L([[0, 0], [0, 1], [2, 0], [2, 1]]), F([1, 2, 2, 3]), L(list(truth))
    return arrays(ops.EditDistance(normalize)(*first, *second))
def lstm(bias):
    x, w = T(R(3, 2, 3) - .5), T(R(8 * 3 + 8 * 2 + 8 * bias, 1, 1) - .5)
    state = T(R(1, 2, 2)), T(R(1, 2, 2, seed=1))
    return arrays(ops.LSTM(3, 2, 1, bias, False, 0.)(x, *state, w)[:3])
def stepped(**settings):
    w = Parameter(Tensor([1., -2., .01]), name='w')
    step = nn.ProximalAdagrad([w], learning_rate=.1, **settings)
    for _ in range(3):
        step((Tensor([.5, -1., .1]),))
    return arrays(w)
def drawn(op, *inputs):
    x = op(*inputs)
    return x.shape, x.dtype, len(np.unique(x.asnumpy())) > 1
"""

ALL = {
    "resized by area": [
        f"arrays(ops.ResizeArea({align})(T(R(1, 5, 4, 2)), I({size})))"
        for align in (False, True)
        for size in ("2, 3", "7, 9", "1, 1")
    ],
    "resized by cubics": [
        f"arrays(ops.ResizeBicubic({settings})(T(R(1, 2, 5, 4)), I({size})))"
        for settings in ("", "True", "False, True")
        for size in ("2, 3", "7, 9", "1, 1")
    ]
    + ["ops.ResizeBicubic(True, True)(T(R(1, 2, 5, 4)), I(2, 3))"],
    "patches": [
        f"arrays(ops.ExtractVolumePatches({settings})(T(R(1, 2, 3, 4, 4))))"
        for settings in ("2, 1, 'VALID'", "(2, 3, 2), (2, 1, 3), 'SAME'", "3, 2, 'SAME'")
    ],
    "boxes": [
        "combined(3)",
        "combined(9)",
        "combined(9, pad_per_class=True)",
        "combined(3, clip_boxes=False)",
        *(f"overlaps({limit})" for limit in (0.1, 0.5, 0.9)),
    ],
    "sequences": [
        "distance(True)",
        "distance(False)",
        "distance(True, (4, 3))",
        "arrays(ops.RaggedRange(ms.int32)(T([0., 5., 2.], ms.float32), T([1., 2., 2.], ms.float32), T([.3, -1., 1.], ms.float32)))",
        "arrays(ops.RaggedRange(ms.int64)(I(0, 5, 2), I(7, 2, 5), I(3, -1, -1)))",
        "ops.RaggedRange(ms.int64)(I(0), I(2), I(1))[1].dtype",
    ],
    "layers": [
        "lstm(True)",
        "lstm(False)",
        "stepped()",
        "stepped(l1=.1, l2=.2)",
        "stepped(weight_decay=.1, loss_scale=2.)",
        "[list(p.shape) for p in nn.Linear(3, 2).get_parameters()]",
        "[p.name for p in nn.Linear(3, 2, bias=False).get_parameters()]",
        "arrays(nn.Linear(2, 1, True, 'ones', 'ones')(Tensor([[1., 2.]])))",
        "sorted(nn.get_metrics({'accuracy', 'loss'}))",
        "nn.get_metrics(['accuracy'])",
    ],
    "others": [
        "arrays(ops.STFT(4, 2, 4, False, True, True)(T(R(10)), T(R(4, seed=1))).real())",
        "ops.STFT(4, 2, 4, True, True, False)(T(R(2, 10)), T(R(4, seed=1))).shape",
        "arrays(ops.zeta(Tensor([3., 2., 2.5]), Tensor([-.5, -1.5, 1.5])))",
        "arrays(ops.padding(T(R(2, 1)), 3))",
        "arrays(ops.CheckNumerics()(T(R(3))))",
        "ops.CheckNumerics()(T([1., np.nan]))",
        "ops.Assert()(True, [T(R(3))]).shape",
        "ops.Assert()(T(R(3)).sum() > 9, [T(R(3))])",
        "drawn(ops.TruncatedNormal(), I(3, 2))",
        "drawn(ops.ParameterizedTruncatedNormal(), I(3, 2), *(Tensor([v], ms.float32) for v in (0., 1., -1., 2.)))",
        "drawn(ops.NonDeterministicInts(ms.int32), I(3, 2))",
        "drawn(ops.RandomPoisson(), I(20), Tensor([5.]))",
        "drawn(ops.MultinomialWithReplacement(9, True), T(R(2, 5)), T(1, ms.int64), T(2, ms.int64))",
        "sorted(ops.multinomial_with_replacement(T(R(4)), 1, 2, 4, False).asnumpy().tolist())",
    ],
}
