"""Expressions of names that MindSpore has, by family; see `record_names.py`.

Tensors of a case are made anew for each expression, as some of them are written to.
"""

SETUP = """
def f32(*values):
    return Tensor(np.array(values, np.float32))

def i32(*values):
    return Tensor(np.array(values if len(values) > 1 else values[0], np.int32))

def run(op, *values):
    parts = [Parameter(Tensor(np.array(v, np.float32)), name=f"p{i}") if isinstance(v, list) else v
             for i, v in enumerate(values)]
    out = op(*parts)
    return out, [p.asnumpy().tolist() for p in parts if isinstance(p, Parameter)]

g2 = f32(0.5, -1.5)
gr = f32([0.5, -1.5], [1.0, 2.0], [0.25, -0.5])
m43 = Tensor(np.arange(1, 13, dtype=np.float32).reshape(4, 3))
def measured(metric, *values):
    metric.clear()
    metric.update(*values)
    out = metric.eval()
    if isinstance(out, tuple):
        return [np.asarray(v).tolist() for v in out]
    return np.asarray(out).tolist()

words = [["i", "have", "a", "pen", "on", "my", "desk", "now"], ["it", "is", "red"]]
references = [[["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "my", "desk"]],
              [["it", "is", "red", "too"]]]
grid = f32([[[0, 0], [.85, -.85]], [[2.04, -1.7], [-1.7, .51]]])
volume = Tensor((np.arange(32).reshape(1, 1, 2, 4, 4) * 3 % 7).astype(np.float32))
grid3 = f32([[[[0, 0, .2], [.5, -.5, .7], [1.2, -1, 0]]]])
theta = f32([[.8, .1, .2], [-.3, 1.1, 0]])
theta3 = f32([[.8, .1, .2, 0], [-.3, 1.1, 0, .5], [0, .1, .9, -.2]])
colours = Tensor(np.array([.25, .5, .75, .9, .1, .3, .2, .2, .2, 0, 0, 0], np.float32).reshape(1, 2, 2, 3))
steps = f32([[.6, .4, .2], [.8, .6, .3]], [[.0, .6, .0], [.5, .4, .5]])
columns = Tensor((np.arange(72).reshape(1, 2, 4, 9) % 5).astype(np.float32))
region = Tensor(np.array([[0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]]))
region2 = Tensor(np.array([[0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [1, 0, 1, 1, 1]]))
rows = Tensor(np.array([2, 0, 2], np.int32))
boxes = f32([0, 0, 10, 10], [1, 1, 8, 8], [5, 5, 20, 20], [30, 30, 40, 40])
scored = f32([0, 0, 10, 10, .9], [1, 1, 9, 9, .8], [20, 20, 30, 30, .7], [0, 0, 10, 11, .95])
images = Tensor((np.arange(32).reshape(1, 4, 4, 2) * 3 % 7).astype(np.float32))
noise = Tensor((np.arange(600).reshape(1, 2, 15, 20) * 37 % 101 / 101).astype(np.float32))
noise2 = Tensor((np.arange(600).reshape(1, 2, 15, 20) * 53 % 97 / 97).astype(np.float32))
pictures = Tensor((np.arange(32).reshape(1, 2, 4, 4) * 3 % 7).astype(np.float32))
"""

_V, _M, _S = "[1.0, -2.0]", "[0.25, 0.5]", "[1.5, 0.75]"
_R = "[[1.0, -2.0], [0.5, 0.25], [3.0, -1.0]]"
_Q = "[[1.5, 0.75], [2.0, 1.0], [0.5, 0.25]]"

OPTIMIZERS = [
    f"run(ops.ApplyGradientDescent(), {_V}, 0.5, g2)",
    f"run(ops.ApplyMomentum(), {_V}, {_M}, 0.1, g2, 0.9)",
    f"run(ops.SGD(), {_V}, g2, Tensor(0.1), {_M}, Tensor(0.9), [1.0, 1.0])",
    f"run(ops.SGD(), {_V}, g2, Tensor(0.1), {_M}, Tensor(0.9), [1.5, -0.5])",
    f"run(ops.SGD(0.5, 0.1, False), {_V}, g2, Tensor(0.1), {_M}, Tensor(0.9), [0.0, 0.0])",
    f"run(ops.SGD(0.0, 0.1, True), {_V}, g2, Tensor(0.1), {_M}, Tensor(0.9), [0.0, 0.0])",
    f"run(ops.ApplyAddSign(), {_V}, {_M}, 0.1, 1.0, 0.5, 0.9, g2)",
    f"run(ops.ApplyPowerSign(), {_V}, {_M}, 0.1, 2.0, 0.5, 0.9, g2)",
    f"run(ops.ApplyAdagrad(), {_V}, {_S}, 0.1, g2)",
    f"run(ops.ApplyAdagradV2(epsilon=0.25), {_V}, {_S}, 0.1, g2)",
    f"run(ops.ApplyProximalAdagrad(), {_V}, {_S}, 0.1, 0.2, 0.3, g2)",
    f"run(ops.ApplyProximalGradientDescent(), {_V}, 0.1, 0.2, 0.3, g2)",
    f"run(ops.ApplyAdadelta(), {_V}, {_S}, {_M}, 0.1, 0.9, 0.01, g2)",
    f"run(ops.ApplyRMSProp(), {_V}, {_S}, {_M}, 0.1, g2, 0.9, 0.5, 0.01)[1]",
    f"run(ops.ApplyCenteredRMSProp(), {_V}, [0.1, 0.2], {_S}, {_M}, g2, 0.1, 0.9, 0.5, 0.01)[1]",
    f"run(ops.Adam(), {_V}, {_M}, {_S}, 0.9, 0.99, 0.1, 0.9, 0.99, 0.01, g2)[1]",
    f"run(ops.Adam(use_nesterov=True), {_V}, {_M}, {_S}, 0.9, 0.99, 0.1, 0.9, 0.99, 0.01, g2)[1]",
    f"run(ops.AdamWeightDecay(), {_V}, {_M}, {_S}, 0.1, 0.9, 0.99, 0.01, 0.1, g2)[1]",
    f"run(ops.AdamNoUpdateParam(), {_M}, {_S}, 0.9, 0.99, 0.1, 0.9, 0.99, 0.01, g2)",
    f"run(ops.ApplyAdaMax(), {_V}, {_M}, {_S}, 0.9, 0.1, 0.9, 0.99, 0.01, g2)",
    f"run(ops.ApplyAdamWithAmsgrad(), {_V}, {_M}, {_S}, [2.0, 1.0], Tensor(0.9), Tensor(0.99), Tensor(0.1), g2)",
    f"run(ops.ApplyAdamWithAmsgradV2(), {_V}, {_M}, {_S}, [2.0, 0.1], 0.9, 0.99, 0.1, 0.9, 0.99, "
    "0.01, g2)",
    f"run(ops.SparseApplyAdagrad(0.1), {_R}, {_Q}, gr, rows)",
    f"run(ops.SparseApplyAdagradV2(0.1, 0.25), {_R}, {_Q}, gr[:2], rows[:2])",
    f"run(ops.SparseApplyFtrl(0.1, 0.2, 0.3, -0.5), {_R}, {_Q}, {_Q}, gr, rows)",
    f"run(ops.SparseApplyRMSProp(0.9, 0.5, 0.01), {_R}, {_Q}, {_Q}, 0.1, gr, rows)",
    f"run(ops.FusedSparseAdam(), {_R}, {_Q}, {_Q}, 0.9, 0.99, 0.1, 0.9, 0.99, 0.01, gr, rows)[1]",
    f"run(ops.FusedSparseLazyAdam(), {_R}, {_Q}, {_Q}, 0.9, 0.99, 0.1, 0.9, 0.99, 0.01, gr, rows)[1]",
    f"run(ops.FusedSparseFtrl(0.1, 0.2, 0.3, -0.5), {_R}, {_Q}, {_Q}, gr, rows)[1]",
    f"run(ops.FusedSparseProximalAdagrad(), {_R}, {_Q}, 0.1, 0.2, 0.3, gr, rows)[1]",
]

ALL = {"optimizers": OPTIMIZERS}

ARRAYS = [
    "ops.inplace_add(gr, f32([1, 2], [3, 4]), (0, 2))",
    "ops.inplace_sub(gr, f32([1, 2]), 1)",
    "ops.inplace_update(gr, f32([1, 2], [3, 4]), (2, 0))",
    "ops.InplaceAdd((0,))(gr, f32([1, 2]))",
    "ops.InplaceSub(indices=(0, 1))(gr, f32([1, 2], [3, 4]))",
    "ops.InplaceUpdateV2()(gr, (1,), f32([1, 2]))",
    "ops.matrix_band_part(m43, 1, 1)",
    "ops.matrix_band_part(m43, -1, 0)",
    "ops.matrix_band_part(m43, 0, -1)",
    *(
        f"ops.matrix_diag_part(m43, {k}, Tensor(9.0), {a!r})"
        for k in ("i32(0)", "i32(1)", "i32(-2, 1)", "i32(-1, 2)", "i32(0, 0)")
        for a in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
    ),
    *(
        f"ops.matrix_diag(Tensor(np.array([[1, 2, 3], [4, 5, 6]], np.float32)), {k}, "
        f"padding_value=Tensor(9.0), align={a!r})"
        for k in ("i32(1)", "i32(-2)", "i32(-1, 0)", "i32(0, 1)")
        for a in ("RIGHT_LEFT", "LEFT_RIGHT")
    ),
    "ops.matrix_diag(f32(1, 2, 3), i32(0), i32(3), i32(5), Tensor(7.0))",
    "ops.matrix_set_diag(m43, f32(7, 8, 9))",
    "ops.matrix_set_diag(m43, f32([0, 7, 8], [1, 2, 3]), i32(-1, 0))",
    "ops.MatrixDiagV3()(f32(1, 2), i32(1), i32(-1), i32(-1), Tensor(0.0))",
    "ops.MatrixDiagPartV3()(m43, i32(0), Tensor(0.0))",
    "ops.MatrixSetDiagV3()(m43, f32(7, 8, 9), i32(0))",
    "ops.FillDiagonal(5.0)(m43)",
    "ops.FillDiagonal(5.0, wrap=True)(ops.ones((7, 3)))",
    "m43.fill_diagonal(2.0)",
    "ops.FillDiagonal(3.0)(ops.zeros((2, 2, 2)))",
    "ops.batch_to_space_nd(ops.arange(16.0).reshape(4, 1, 2, 2), [2, 2], [[0, 1], [1, 0]])",
    "ops.space_to_batch_nd(ops.arange(24.0).reshape(1, 1, 4, 6), [2, 3], [[0, 0], [0, 0]])",
    "ops.space_to_batch_nd(ops.arange(6.0).reshape(1, 1, 2, 3), [2, 2], [[1, 1], [0, 1]])",
    "ops.SpaceToBatchND([2, 2], [[0, 0], [0, 0]])(ops.arange(16.0).reshape(1, 1, 4, 4))",
    "ops.BatchToSpaceND([2, 2], [[0, 0], [0, 0]])(ops.arange(16.0).reshape(4, 1, 2, 2))",
    "ops.bartlett_window(i32(5))",
    "ops.bartlett_window(i32(5), False)",
    "ops.blackman_window(i32(6))",
    "ops.blackman_window(i32(6), False)",
    "ops.hamming_window(6)",
    "ops.hamming_window(6, False, 0.5, 0.4)",
    "ops.hann_window(6)",
    "ops.hann_window(6, False)",
    "ops.kaiser_window(6)",
    "ops.kaiser_window(6, False, 3.0)",
    "ops.BartlettWindow()(Tensor(5, ms.int32))",
    "ops.BlackmanWindow()(Tensor(5, ms.int32))",
    "ops.HammingWindow()(Tensor([5], ms.int32))",
    "ops.hann_window(6, dtype=ms.float64)",
    "ops.hann_window(1)",
    "ops.hann_window(0)",
    "ops.hann_window(-1)",
    "ops.hann_window(2.5)",
    "ops.hann_window(3, dtype=ms.int32)",
]
ALL["arrays"] = ARRAYS

BOXES = [
    "ops.iou(boxes, boxes[:2])",
    "ops.iou(boxes, boxes[:2], 'iof')",
    "ops.IOU()(boxes, boxes[:1])",
    "ops.iou(f32([1, 1, 3, 4], [4, 4, 1, 1], [3, 3, 2, 2]), f32([2, 4, 3, 1], [2, 2, 2, 2], [4, 4, 2, 3]))",
    "ops.iou(f32([1, 1, 3, 4]), f32([3, 3, 2, 2], [2, 2, 3, 2]), 'iof')",
    "ops.bounding_box_encode(boxes, boxes + 2, (0.1, 0.1, 0.2, 0.0), (1.0, 2.0, 1.0, 1.0))",
    "ops.bounding_box_decode(boxes, f32([.1, .2, .3, .4], [0, 0, 0, 0], [.1, .1, 9, 9], "
    "[-1, -1, -9, 0]), (48, 64))",
    "ops.BoundingBoxDecode((48, 64), (0.1,) * 4, (2.0,) * 4)(boxes, boxes * 0.01)",
    "ops.check_valid(boxes, f32(20, 20, 1))",
    "ops.CheckValid()(boxes, f32(30, 40, 2))",
    "ops.NMSWithMask(0.5)(scored)",
    "ops.NMSWithMask(0.9)(scored)",
    "ops.crop_and_resize(images, f32([.1, .1, .9, .8], [0, 0, 1.5, 1]), i32(0, 0), (3, 2))",
    "ops.crop_and_resize(images, f32([.1, .1, .9, .8]), i32([0]), (3, 2), 'nearest', 0.5)",
    "ops.crop_and_resize(images, f32([.1, .1, .9, .8]), i32([0]), (3, 2), 'bilinear_v2', 0.5)",
    "ops.crop_and_resize(images, f32([.9, .1, .2, .8]), i32([0]), (1, 2))",
    "ops.CropAndResize()(images, f32([.1, .1, .9, .8]), i32([0]), (3, 2))",
    "ops.ROIAlign(2, 2, 0.5, 2)(pictures, f32([0, 1, 1, 6, 6]))",
    "ops.ROIAlign(2, 2, 0.5, 2, 0)(pictures, f32([0, 1, 1, 6, 6]))",
    "ops.ROIAlign(1, 3, 1.0, 3)(pictures, f32([0, 0.5, 0.25, 3, 3.5]))",
    "ops.ROIAlign(2, 3, 0.5, 2)(pictures, f32([0, 0.2, 0.3, 0.2, 0.3], [0, 3, 3, 1, 1], "
    "[0, -2, -1, 3, 2]))",
    "ops.ROIAlign(2, 3, 0.5, 2, 0)(pictures, f32([0, 0.2, 0.3, 0.2, 0.3], [0, 3, 3, 1, 1]))",
    "nn.AdaptiveMaxPool3d((1, 1, 2), True)(pictures)",
    "ops.intopk(f32([.1, .9, .3], [.5, .2, .9]), i32(2, 1), 2)",
    "ops.InTopK(2)(f32([.1, .9, .3], [.5, .2, .9]), i32(2, 1))",
]
NORMED = [
    "ops.L2Normalize(axis=1)(m43)",
    "ops.L2Normalize(axis=0, epsilon=500.0)(m43)",
    "ops.LpNorm(axis=[0, 1], p=2)(m43)",
    "ops.LpNorm(axis=1, p=1, keep_dims=True)(m43)",
    "ops.LpNorm(axis=1, p=3)(m43)",
    "ops.renorm(m43, 1, 0, 5.0)",
    "ops.renorm(m43, 2, 1, 4.0)",
    "ops.pdist(m43)",
    "ops.pdist(m43, 1.0)",
    "ops.pdist(m43, 0.0)",
    "ops.pdist(m43, float('inf'))",
    "ops.gcd(i32(4, 6, 0), i32(6, -9, 5))",
    "ops.lcm(i32(4, 6, 0), i32(6, -9, 5))",
    "ops.gcd(Tensor([2**40, 12]), Tensor([2**35, 18]))",
    "ops.gcd(f32(4), f32(6))",
    "ops.population_count(Tensor(np.array([0, 1, -1, 7], np.int16)))",
]
ALL |= {"boxes": BOXES, "normed": NORMED}

VALUES = [
    "ops.bias_add(m43, f32(1, 2, 3))",
    "ops.BiasAdd()(pictures, f32(1, 2))",
    "ops.BiasAdd('NHWC')(images, f32(1, 2))",
    "ops.SquareSumAll()(m43, m43)",
    "ops.EqualCount()(i32(1, 2, 3), i32(1, 5, 3))",
    "ops.Median()(m43)",
    "ops.Median(axis=1)(m43)",
    "ops.Median(axis=1, ignore_nan=True)(f32([1, float('nan'), 3, 2]))",
    "ops.Median(axis=1)(f32([1, float('nan'), 3]))",
    "ops.IdentityN()([m43, m43])",
    "ops.TensorToTuple()(i32(1, 2, 3))",
    "ops.scalar_to_tensor(5)",
    "ops.ScalarToTensor()(5, ms.int32)",
    "ops.dyn_shape(m43)",
    "ops.TensorShape()(m43)",
    "ops.is_nonzero(f32(3.0))",
    "ops.deepcopy(m43)",
    "ops.approximate_equal(f32(1, 2), f32(1.000001, 3))",
    "ops.eps(m43)",
    "ops.Rint()(f32(.5, 1.5, -2.5, 2.6))",
    "ops.InvertPermutation()((2, 0, 1))",
    "ops.DataFormatDimMap()(i32(0, 1, 2, 3, -1))",
    "ops.DataFormatVecPermute()(i32(1, 2, 3, 4))",
    "ops.Padding(5)(f32([1], [2]))",
    "ops.NthElement()(m43, 1)",
    "ops.NthElement(True)(m43, 0)",
    "ops.LowerBound()(f32([1, 3, 5]), f32([3, 4]))",
    "ops.UpperBound()(f32([1, 3, 5]), f32([3, 4]))",
    "ops.AddN()([m43, m43])",
    "ops.Histogram(3, 0.0, 6.0)(m43)",
    "ops.Bucketize([1.0, 3.0, 5.0])(m43)",
    "ops.IsClose()(f32(1, 2), f32(1, 3))",
    "ops.GLU()(pictures)",
    "ops.Cdist()(m43, m43 * 2.0)",
    "ops.ChannelShuffle(2)(pictures)",
    "ops.Fmax()(f32(1, float('nan')), f32(2, 3))",
    "ops.tensor_add(m43, 1.0)",
    "ops.tensor_sub(m43, m43)",
    "ops.tensor_mul(m43, m43)",
    "ops.tensor_div(m43, m43 + 1)",
    "ops.tensor_pow(m43, 2)",
    "ops.tensor_mod(m43, 4)",
    "ops.tensor_floordiv(m43, 4)",
    "ops.tensor_exp(f32(1.0))",
    "ops.tensor_gt(m43, 4)",
    "ops.tensor_ge(m43, 4)",
    "ops.tensor_lt(m43, 4)",
    "ops.tensor_le(m43, 4)",
    "ops.floormod(m43, 4)",
    "ops.pows(m43, 2)",
    "ops.invert(i32(1, 2))",
    "ops.scalar_add(1, 2)",
    "ops.scalar_pow(2, 3)",
    "ops.shape_mul((2, 3))",
    "ops.tuple_reversed((1, 2))",
]
ALL["values"] = VALUES

LAYERS = [
    "nn.ImageGradients()(pictures)",
    "nn.CentralCrop(0.5)(images)",
    "nn.CentralCrop(0.3)(images)",
    "nn.L1Regularizer(0.5)(m43)",
    "nn.ClipByNorm()(m43, Tensor(5.0))",
    "nn.ReduceLogSumExp(1)(m43)",
    "nn.Moments()(m43)",
    "nn.Moments(axis=0, keep_dims=True)(m43)",
    "nn.Range(1, 8, 2)()",
    "nn.TimeDistributed(nn.Softmax(), 1)(pictures)",
    "nn.TimeDistributed(nn.Dense(4, 3, 'ones', 'zeros'), time_axis=1, reshape_with_axis=0)(pictures[0])",
    "nn.EmbeddingLookup(4, 2, f32([1, 2], [3, 4], [5, 6], [7, 8]))(i32(1, 3))",
    "nn.L1Regularizer(-1.0)",
    "nn.CentralCrop(2.0)",
    "nn.CentralCrop(1)",
    "nn.PSNR(-1.0)",
    "nn.SSIM()(pictures, pictures)",
]
ALL["layers"] = LAYERS

METRICS = [
    "measured(train.ROC(pos_label=1), f32(.1, .4, .35, .8, .4), i32(0, 1, 0, 1, 0))",
    "measured(train.ROC(class_num=3), f32([.1, .2, .7], [.5, .3, .2], [.3, .6, .1]), i32(2, 0, 1))",
    "train.auc(np.array([0.0, .3, .6, 1]), np.array([0.0, .5, .5, 1]))",
    "train.auc(np.array([1.0, .6, 0]), np.array([0.0, .5, 1]))",
    "train.auc(np.array([1.0, 0, .6]), np.array([0.0, .5, 1]), True)",
    "train.auc(np.array([1.0, 0, .6]), np.array([0.0, .5, 1]))",
    "train.auc([1.0], [2.0])",
    "measured(train.BleuScore(), words, references)",
    "measured(train.BleuScore(2, True), words, references)",
    "train.BleuScore(5)",
    *(
        f"measured(train.{kind}, region, region2, 1)"
        for kind in (
            "HausdorffDistance()",
            "HausdorffDistance('chessboard')",
            "HausdorffDistance('taxicab')",
            "HausdorffDistance(percentile=60.0)",
            "HausdorffDistance(directed=True)",
            "HausdorffDistance(crop=False)",
            "MeanSurfaceDistance()",
            "MeanSurfaceDistance(symmetric=True, distance_metric='taxicab')",
            "RootMeanSquareDistance(symmetric=True)",
        )
    ),
    "train.HausdorffDistance('x')",
    "measured(train.HausdorffDistance(), region, m43, 1)",
    "measured(train.HausdorffDistance(), region, region2, 7)",
]
ALL["metrics"] = METRICS

SAMPLING = [
    *(
        f"ops.grid_sample(pictures, grid, {mode!r}, {pad!r}, {align})"
        for mode in ("bilinear", "nearest")
        for pad in ("zeros", "border", "reflection")
        for align in (False, True)
    ),
    "ops.grid_sample(volume, grid3)",
    "ops.grid_sample(volume, grid3, 'nearest', 'border', True)",
    "ops.affine_grid(theta, (1, 1, 2, 3))",
    "ops.affine_grid(theta, (1, 1, 2, 3), True)",
    "ops.affine_grid(theta3, (1, 1, 2, 2, 3))",
    "ops.ResizeBilinearV2()(pictures, (3, 5))",
    "ops.ResizeBilinearV2(True)(pictures, (3, 5))",
    "ops.ResizeBilinearV2(False, True)(pictures, (3, 5))",
    "ops.ResizeNearestNeighbor((3, 5))(pictures)",
    "ops.ResizeNearestNeighbor((3, 5), True)(pictures)",
    "ops.ResizeNearestNeighborV2()(pictures, (3, 5))",
    "ops.UpsampleTrilinear3D()(volume, (3, 3, 5))",
    "ops.UpsampleNearest3D()(volume, (3, 5, 2))",
    "ops.RGBToHSV()(colours)",
    "ops.HSVToRGB()(colours)",
    "ops.AdjustHue()(colours[0], Tensor(0.2))",
    "ops.AdjustSaturation()(colours[0], Tensor(0.5))",
]
ROWS = [
    "ops.SegmentSum()(m43, i32(0, 0, 1, 3))",
    "ops.SegmentMean()(m43, i32(0, 0, 1, 3))",
    "ops.SegmentProd()(m43, i32(0, 0, 1, 3))",
    "ops.SegmentMax()(-m43, i32(0, 0, 1, 3))",
    "ops.SegmentMin()(m43, i32(0, 0, 1, 3))",
    "ops.sparse_segment_mean(m43, i32(0, 1, 1), i32(0, 0, 1))",
    "ops.SparseToDense()(i32([0, 1], [1, 2]), f32(1, 2), (3, 4))",
    "ops.SparseTensorDenseMatmul()(i32([0, 1], [1, 2]), f32(1, 2), (2, 4), m43)",
    "ops.UnravelIndex()(i32(5, 7), i32(3, 4))",
    "ops.ctc_greedy_decoder(steps, i32(2, 2))",
    "ops.ctc_greedy_decoder(steps, i32(2, 1), False)",
]
ALL |= {"sampling": SAMPLING, "rows": ROWS}

POOLS = [
    "ops.MaxPoolWithArgmax(2, 2)(pictures)",
    "ops.MaxPoolWithArgmax(3, 2, 'same')(pictures)",
    "ops.MaxPoolWithArgmaxV2(2, 2)(pictures)",
    "ops.MaxPoolWithArgmaxV2(2, 1, 1, ceil_mode=True, argmax_type=ms.int32)(pictures)",
    "ops.MaxPool3DWithArgmax(2, 2, 0)(volume)",
    "ops.adaptive_max_pool3d(pictures, (1, 2, 2))",
    "ops.AdaptiveMaxPool3D()(pictures, i32(1, 2, 2))",
    *(
        f"ops.fractional_max_pool2d(pictures, 2, {how}, return_indices=True, "
        f"_random_samples=Tensor(np.array({u}, np.float32)))"
        for how in ("output_size=(2, 2)", "output_size=(3, 2)", "output_ratio=(0.75, 0.75)")
        for u in ("[[[.3, .3], [.3, .3]]]", "[[[.9, .1], [.45, .7]]]")
    ),
    "ops.fractional_max_pool3d(volume, 1, output_size=(1, 3, 2), return_indices=True, "
    "_random_samples=Tensor(np.array([[[.9, .4, .1]]], np.float32)))",
]
ALL["pools"] = POOLS

SMALLER = [
    "ops.dense(m43, f32([1, 2, 3], [0, 1, 0]), f32(1, 1))",
    "ops.Dense()(m43, f32([1, 2, 3]))",
    "ops.col2im(columns, i32(4, 4), [2, 2], [1, 1], [0, 0], [1, 1])",
    "ops.Col2Im(2)(columns, i32(4, 4))",
    "ops.Im2Col([2, 2])(pictures)",
    "ops.Im2Col([2, 3], 2, 1, 1)(pictures)",
    "ops.mirror_pad(m43, Tensor([[1, 1], [0, 1]]), 'REFLECT')",
    "ops.mirror_pad(m43, Tensor([[1, 1], [0, 1]]), 'SYMMETRIC')",
    "f32(1, 2, 3).masked_scatter(Tensor([True, False, True]), f32(9, 8))",
    "ops.MaskedScatter()(m43, m43 > 4, -m43)",
    "m43.sum_to_size((1, 3))",
    "m43.sum_to_size((4, 1))",
    "ops.gumbel_softmax(m43).sum(-1)",
    "ops.gumbel_softmax(m43, tau=-1.0)",
]
ALL["smaller"] = SMALLER

# Functions and float64 arguments: first and second derivatives, in both modes.
GRADIENTS = [
    "lambda x, v: ops.inplace_add(x, v, (0, 2)) ** 2, m43.asnumpy(), [[1, 2, 3], [4, 5, 6]]",
    "lambda x, v: ops.inplace_sub(x, v, (1,)) ** 2, m43.asnumpy(), [[1, 2, 3]]",
    "lambda x, v: ops.inplace_update(x, v, (1,)) ** 2, m43.asnumpy(), [[1, 2, 3]]",
    "lambda x: ops.matrix_band_part(x, 1, 0) ** 2, m43.asnumpy()",
    "lambda x: ops.matrix_diag_part(x, (-1, 1), 9.0) ** 2, m43.asnumpy()",
    "lambda x: ops.matrix_diag(x, 1) ** 2, [1, 2, 3]",
    "lambda x, d: ops.matrix_set_diag(x, d) ** 2, m43.asnumpy(), [7, 8, 9]",
    "lambda x: ops.fill_diagonal(x, 5.0) ** 2, m43.asnumpy()",
    "lambda x: ops.space_to_batch_nd(x, [2, 2], [[1, 1], [0, 1]]) ** 2, np.arange(6).reshape(1, 1, 2, 3)",
    "lambda x: ops.batch_to_space_nd(x, [2, 2], [[0, 1], [1, 0]]) ** 2, "
    "np.arange(16).reshape(4, 1, 2, 2)",
    "lambda x, b: ops.bias_add(x, b) ** 2, m43.asnumpy(), [1, 2, 3]",
    "lambda x: ops.Median(axis=1, ignore_nan=True)(x)[0], m43.asnumpy()",
    "lambda a, b: nn.SSIM(filter_size=3)(a, b), noise.asnumpy()[:, :, :4, :4], "
    "noise2.asnumpy()[:, :, :4, :4]",
    "lambda a, b: nn.PSNR()(a, b), noise.asnumpy()[:, :, :3, :3], noise2.asnumpy()[:, :, :3, :3]",
    "lambda x: nn.ClipByNorm()(x, Tensor(5.0)), m43.asnumpy()",
    "lambda x, g: ops.grid_sample(x, g), pictures.asnumpy(), grid.asnumpy() * 0.31",
    "lambda x, g: ops.grid_sample(x, g, padding_mode='reflection'), pictures.asnumpy(), "
    "grid.asnumpy() * 0.83",
    "lambda t: ops.affine_grid(t, (1, 1, 2, 3)) ** 2, theta.asnumpy()",
    "lambda x: ops.ResizeBilinearV2()(x, (3, 5)) ** 2, pictures.asnumpy()[:, :1]",
    "lambda x: ops.RGBToHSV()(x), colours.asnumpy()[0, 0]",
    "lambda x: ops.SegmentMean()(x, i32(0, 0, 1, 3)) ** 2, m43.asnumpy()",
    "lambda v: ops.SparseToDense()(i32([0, 1], [1, 2]), v, (3, 4)) ** 2, [1.0, 2.0]",
    "lambda x: ops.MaxPoolWithArgmax(2, 2)(x)[0] ** 2, m43.asnumpy().reshape(1, 1, 4, 3)",
    "lambda x: ops.fractional_max_pool2d(x, 2, (2, 2), _random_samples=f32([[.9, .1]])) ** 2, "
    "m43.asnumpy().reshape(1, 1, 4, 3)",
    "lambda x, w, b: ops.dense(x, w, b) ** 2, m43.asnumpy(), [[1, 2, 3], [0, 1, 0]], [1, 1]",
    "lambda x: ops.swiglu(x), [0.5, -1.0, 2.0, 3.0]",
    "lambda x, s: ops.masked_scatter(x, m43 > 4, s) ** 2, m43.asnumpy(), m43.asnumpy()",
    "lambda a, b: ops.iou(a, b), [[0, 0, 9, 8], [3, 2, 7, 9.5]], [[1.5, 1, 8, 6]]",
    "lambda a, b: ops.bounding_box_encode(a, b), [[0, 0, 9, 8]], [[1.5, 1, 8, 6]]",
    "lambda a, b: ops.bounding_box_decode(a, b, (20, 20)), [[2, 2, 9, 8]], [[0.1, 0.2, 0.05, -0.1]]",
    "lambda x: ops.L2Normalize(1)(x), m43.asnumpy()",
    "lambda x: ops.LpNorm(1, 3)(x), m43.asnumpy()",
    "lambda x: ops.renorm(x, 2, 1, 14.0), m43.asnumpy()",
    "lambda x: ops.pdist(x), m43.asnumpy() % 5",
    "lambda x: ops.ROIAlign(2, 2, 0.5, 2)(x, Tensor([[0.0, 1.0, 1.0, 6.0, 6.0]])) ** 2, "
    "pictures.asnumpy()",
]

# Expressions, the errors they raise, and a part of what these say.
ERRORS = [
    ("ops.inplace_add(m43, f32([1, 2, 3]), (7,))", "ValueError", "must be in [0, 4)"),
    ("ops.inplace_add(m43, f32([1, 2]), (0,))", "ValueError", "one row for each index"),
    ("ops.inplace_add(m43, f32([1, 2, 3]), 'a')", "TypeError", "a tuple of ints"),
    ("ops.matrix_diag_part(m43, (2, 1), 0)", "ValueError", "k[0] must be at most k[1]"),
    ("ops.matrix_diag_part(m43, 'a', 0)", "TypeError", "an int or two"),
    ("ops.matrix_diag(f32(1, 2), 0, 1, 1)", "ValueError", "have the shape [1]"),
    ("ops.matrix_diag_part(m43, 3, 0)", "ValueError", "must be in (-4, 3)"),
    ("ops.fill_diagonal(ops.ones((2, 3, 2)), 1.0)", "ValueError", "dimensions must be equal"),
    ("ops.batch_to_space_nd(ops.ones((3, 2)), [2], [[0, 0]])", "ValueError", "do not fit"),
    ("ops.space_to_batch_nd(m43, [2], [[0, 0]])", "ValueError", "must be multiples"),
    ("ops.iou(m43, boxes)", "ValueError", "the shape [N, 4]"),
    ("ops.iou(boxes, boxes, 'x')", "ValueError", "'mode'"),
    ("ops.bounding_box_encode(boxes, boxes, 'x')", "TypeError", "4 numbers"),
    ("ops.bounding_box_decode(boxes, boxes, (1,))", "ValueError", "two ints"),
    ("ops.check_valid(boxes, f32(1, 2))", "ValueError", "must have 3 elements"),
    ("ops.crop_and_resize(m43, boxes, i32(0, 0, 0, 0), (2, 2))", "ValueError", "4 dimensions"),
    ("ops.intopk(m43, i32(1, 2), 1)", "ValueError", "one element a row"),
    ("ops.renorm(m43, -1.0, 0, 1.0)", "ValueError", "must be positive"),
    ("ops.pdist(f32(1.0, 2.0))", "ValueError", ""),
    ("ops.pdist(m43, -1.0)", "ValueError", "at least 0"),
    ("ops.lcm(f32(4), f32(6))", "TypeError", ""),
    ("ops.population_count(f32(4))", "TypeError", ""),
    ("ops.bias_add(m43, f32(1, 2))", "ValueError", "one element for each channel"),
    ("ops.EqualCount()(m43, i32(1, 2))", "ValueError", "one shape and dtype"),
    ("ops.IdentityN()(m43)", "TypeError", "a tuple or list of Tensors"),
    ("ops.scalar_to_tensor('a')", "TypeError", "a number"),
    ("ops.scalar_cast(1, ms.int8)", "ValueError", "int64, float64 or bool"),
    ("ops.is_nonzero(m43)", "ValueError", "one element"),
    ("ops.eps(i32(1, 2))", "TypeError", "floating-point"),
    ("ops.InvertPermutation()((0, 2))", "ValueError", "a permutation"),
    ("ops.DataFormatVecPermute()(m43)", "ValueError", "[4] or [4, 2]"),
    ("ops.Padding(5)(m43)", "ValueError", "must have one element"),
    ("ops.NthElement()(m43, 5)", "ValueError", "'n'"),
    ("ops.grid_sample(pictures, m43)", "ValueError", "must have 4 dimensions"),
    ("ops.grid_sample(pictures, grid, 'x')", "ValueError", "'mode'"),
    ("ops.affine_grid(theta, (1, 2, 3))", "ValueError", "[N, 2, 3]"),
    ("ops.ResizeBilinearV2(True, True)(pictures, (2, 2))", "ValueError", "cannot both"),
    ("ops.ResizeBilinearV2()(pictures, (2,))", "ValueError", "2 positive"),
    ("ops.RGBToHSV()(pictures)", "ValueError", "3 floating-point numbers"),
    ("ops.SegmentSum()(m43, i32(1, 0, 1, 3))", "ValueError", "ascending"),
    ("ops.SparseToDense()(i32([0, 1]), f32(1, 2), (3, 4))", "ValueError", "[2, 2]"),
    ("ops.ctc_greedy_decoder(m43, i32(1, 2))", "ValueError", "[steps, N, classes]"),
    ("ops.fractional_max_pool2d(pictures, 2)", "ValueError", "one of 'output_size'"),
    ("ops.fractional_max_pool2d(pictures, 2, (5, 5))", "ValueError", "do not fit"),
    ("ops.fractional_max_pool2d(pictures, 2, None, (1.5, 0.5))", "ValueError", "in (0, 1)"),
    (
        "ops.fractional_max_pool2d(pictures, 2, (2, 2), _random_samples=m43)",
        "ValueError",
        "[1, 2, 2]",
    ),
    ("ops.MaxPoolWithArgmaxV2(2, argmax_type=ms.int8)(pictures)", "ValueError", "int32 or int64"),
    ("ops.dense(m43, m43.T)", "ValueError", "[O, 3]"),
    ("ops.swiglu(m43)", "ValueError", "an even number"),
    ("ops.col2im(m43, (2, 2), 2, 1, 0, 1)", "ValueError", "4 dimensions"),
    ("ops.masked_scatter(m43, m43, m43)", "TypeError", "of bools"),
    ("ops.masked_scatter(m43, m43 > 4, f32(1, 2))", "ValueError", "at least 8 elements"),
    ("ops.sum_to_size(m43, (2, 3))", "ValueError", "must broadcast"),
    ("ops.space_to_batch_nd(m43, [2], [[0]])", "ValueError", "pairs of ints"),
]
