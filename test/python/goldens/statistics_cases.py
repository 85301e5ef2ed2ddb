"""Expressions of reductions, norms and normalisation layers; see `record_statistics.py`."""

SETUP = """
x = Tensor(np.array([[1., 2, 3], [4, 0, -6]], np.float32))
xi = Tensor(np.array([[1, 2, 3], [4, 0, 6]], np.int32))
xb = Tensor(np.array([[True, False], [True, True]]))
t = Tensor(np.array([[2., 2, 1, 3, 3], [0, -1, -1, 0, -2]], np.float32))
u = Tensor(np.array([[1., 5, 5, 2]], np.float32))
n = Tensor(np.array([[1., np.nan, 3], [4, 5, np.nan]], np.float32))
x2 = Tensor(np.array([[0.5, -1.25, 2., 0.75], [1.5, 0.25, -0.5, 3.], [-2., 1., 0.25, 0.5]], np.float32))
x3 = Tensor((np.arange(40).reshape(2, 4, 5) * 7 % 11 - 4.5).astype(np.float32))
x4 = Tensor((np.arange(72).reshape(2, 4, 3, 3) * 5 % 13 - 6.25).astype(np.float32))
x5 = Tensor((np.arange(96).reshape(2, 4, 2, 2, 3) * 5 % 13 - 6.25).astype(np.float32))
one, zero = Tensor(np.ones(4, np.float32)), Tensor(np.zeros(4, np.float32))
w, b = Tensor(np.float32([1, 2, -1, 0.5])), Tensor(np.float32([0.5, 0, 1, -1]))

def trained(cell, value, steps=2):
    cell.set_train()
    for _ in range(steps):
        y = cell(value)
    return y, [p.asnumpy().tolist() for p in cell.get_parameters()]

def inferred(cell, value):
    cell.set_train()
    cell(value)
    cell.set_train(False)
    return cell(value)

def names(cell):
    return [(p.name, p.shape, p.requires_grad) for p in cell.get_parameters()]

def gradients(cell, value):
    cell.set_train()
    weight = Tensor(np.arange(value.size).reshape(value.shape).astype(np.float32) % 5)
    grad = ms.grad(lambda v: (cell(v) * weight).sum(), 0, cell.trainable_params())
    return grad(value)
"""

STATISTICS = [
    "ops.prod(x)", "ops.prod(x, 1)", "ops.prod(xi)", "ops.prod(xi, 0, True)", "ops.prod(xb)",
    "ops.prod(x, (0, 1))", "ops.prod(x, dtype=ms.float64)", "x.prod()", "ops.ReduceProd(True)(x, 1)",
    "ops.prod(x, 2)", "ops.prod(3)",
    "ops.std(x)", "ops.std(x, 1, 1, True)", "ops.var(x, (0, 1))", "ops.std_mean(x, 1)",
    "ops.var_mean(x, 0)", "ops.ReduceStd(axis=1)(x)",
    "ops.norm(x)", "ops.norm(x, 1)", "ops.norm(x, 2, 1)", "ops.norm(x, 'fro')",
    "ops.norm(x, float('inf'), 1)", "ops.norm(x, float('-inf'), 1)", "ops.norm(x, float('inf'))",
    "ops.norm(x, 0, 1)", "ops.norm(x, 1, (0, 1))", "ops.norm(x, -1, (0, 1))", "ops.norm(x, 3, 1)",
    "ops.norm(x, 2.5, 0, True)", "ops.norm(xi)", "ops.norm(x, dtype=ms.float64)", "ops.norm(x, 'x')",
    "ops.norm(x, 3)", "ops.norm(x, 0)", "ops.norm(x, dim=0)", "ops.norm(x, -2, 1)", "x.norm()",
    "ops.vector_norm(x)", "ops.vector_norm(x, 1, axis=1)", "ops.matrix_norm(x)",
    "ops.matrix_norm(x, 1)", "ops.dist(x, x + 1)", "ops.dist(x, x + 1, 1)",
    "ops.nansum(n)", "ops.nansum(n, 1, True)", "ops.nanmean(n)", "ops.nanmean(n, 0)",
    "ops.nansum(n, dtype=ms.float64)", "ops.count_nonzero(x)", "ops.count_nonzero(x, 1, True)",
    "ops.count_nonzero(xi, 0)", "ops.aminmax(x)", "ops.aminmax(x, axis=1, keepdims=True)",
    "ops.logit(Tensor([.2, .5]))", "ops.logit(Tensor([-.2, .5]), 1e-3)",
    "ops.ldexp(x, Tensor(np.array([1, 2, 3], np.int32)))", "ops.mvlgamma(Tensor([3., 4.]), 2)",
    "ops.polygamma(Tensor(1), Tensor([.5, 2.]))", "ops.polygamma(Tensor(0), Tensor([0., -1.]))",
    "ops.polygamma(Tensor(1), Tensor([0., -1.]))", "ops.lgamma(Tensor([-1., 0., -2.5]))",
    "ops.digamma(Tensor([-1., 0., -2.5]))", "ops.erfinv(Tensor([1., -1, .5]))",
    "ops.SquaredDifference()(x, x + 2)", "Tensor([3., .5]).lgamma()", "Tensor([3., .5]).digamma()",
    "Tensor([.25, .5]).erfinv()",
]  # fmt: skip

ORDER = [
    "ops.cummax(t, 1)", "ops.cummin(t, 1)", "ops.cummax(n, 1)", "ops.cummin(n, 1)", "ops.cummax(xi, 1)",
    "ops.cummax(x, 2)", "ops.cumsum(x, 1, ms.float16)", "ops.cumsum(xb, 1)",
    "ops.cumsum(Tensor(np.array([100, 100], np.int8)), 0)", "ops.cumsum(x, 2)", "x.cumsum(1)",
    "x.cumsum()", "ops.cumsum(x, -1)", "ops.cumsum(x, (1,))", "ops.cumprod(x, 1)", "ops.cumprod(xi, 0)",
    "ops.cumprod(x, 1, ms.float64)", "ops.cumprod(x, 5)", "ops.logcumsumexp(x, 1)",
    "ops.logcumsumexp(xi, 1)", "ops.median(n)", "ops.median(Tensor([1., 2, 3, 4]))", "ops.median(xi)",
    "ops.median(Tensor([3., 1, 1, 1]))", "ops.median(x, (0, 1))", "ops.median(Tensor([[2., 2., 1.]]))",
    "ops.median(x, 0)", "ops.median(x, -1, True)", "ops.max(u, 1)", "ops.max(x, 1, True)", "ops.min(x, 1)",
    "ops.argmax(x, 1)", "ops.argmax(x)", "ops.argmin(t, 1)", "ops.argmin(t)", "ops.argmin(xi, 1)",
    "ops.argmin(x, 1, True)", "ops.argmin(x, 3)", "ms.grad(lambda v: ops.max(v, 1)[0].sum())(u)",
    "ms.grad(lambda v: ops.max(v)[0].sum())(u)", "ms.grad(lambda v: ops.amax(v, 1).sum())(u)",
    "ms.grad(lambda v: ops.min(v, 1)[0].sum())(-u)", "ms.grad(lambda v: v.max())(u)",
    "ms.grad(lambda v: ops.median(v, 1)[0].sum())(u)", "ops.Argmax(1)(u)",
    "ops.Argmin(output_type=ms.int64)(x)", "ops.ArgMaxWithValue(1, True)(x)", "ops.ArgMinWithValue(1)(x)",
    "ops.Cummax(1)(t)", "ops.Cummin(1)(t)", "ops.CumSum()(x, 1)", "ops.CumSum(True)(x, 0)",
    "ops.CumSum(True, True)(x, 1)", "ops.CumProd(False, True)(x, 0)", "ops.CumProd(True, True)(x, 1)",
    "ops.CumProd(True)(x, 1)", "x.median()", "x.argmin()", "x.cumprod(1)", "x.logcumsumexp(1)",
    "x.cummax(1)", "x.cummin(1)", "ops.randperm(0)", "ops.randperm(1)",
]  # fmt: skip

NORMALIZATION = [
    "ops.batch_norm(x2, zero, one, w, b)", "ops.batch_norm(x4, b, one, w, b, False, 0.1, 0.5)",
    "ops.group_norm(x4, 2)", "ops.group_norm(x4, 4, w, b, 0.1)", "ops.group_norm(x4, 3)",
    "ops.LayerNorm()(x2, w, b)", "ops.LayerNorm(-1, -1, 0.1)(x2, w, b)",
    "nn.LayerNorm((4,))(x2)", "nn.LayerNorm([3, 3], 2, 2)(x4)", "nn.LayerNorm(4)",
    "nn.GroupNorm(2, 4)(x4)", "nn.GroupNorm(2, 4)(x3)", "nn.GroupNorm(3, 4)", "nn.GroupNorm(2, 4)",
    "nn.LayerNorm((4,))", "nn.BatchNorm2d(4)", "nn.InstanceNorm2d(4)", "nn.BatchNorm3d(4)",
    "trained(nn.BatchNorm1d(4), x2)", "trained(nn.BatchNorm1d(4), x3)",
    "trained(nn.BatchNorm2d(4, momentum=0.5, gamma_init=w, beta_init=b), x4)",
    "trained(nn.BatchNorm3d(4), x5)", "inferred(nn.BatchNorm2d(4, momentum=0.), x4)",
    "nn.BatchNorm2d(4)(x4)", "nn.BatchNorm2d(4, use_batch_statistics=True)(x4)",
    "nn.BatchNorm2d(4)(x3)", "nn.BatchNorm1d(0)", "nn.BatchNorm2d(4, momentum=2)",
    "nn.BatchNorm2d(3)(x4)", "names(nn.BatchNorm2d(4, affine=False))", "names(nn.BatchNorm3d(4))",
    "names(nn.InstanceNorm1d(4))", "names(nn.LayerNorm((4,)))", "names(nn.GroupNorm(2, 4, affine=False))",
    "names(nn.SequentialCell(nn.BatchNorm2d(4), nn.LayerNorm((3,))))",
    "gradients(nn.BatchNorm1d(4), x2)", "gradients(nn.BatchNorm2d(4, gamma_init=w), x4)",
    "gradients(nn.LayerNorm((4,)), x2)", "gradients(nn.GroupNorm(2, 4), x4)",
    "nn.Dropout()", "nn.Dropout(p=0.3)", "nn.Dropout(p=1.0)", "nn.Dropout(p=0)", "nn.Dropout(0.9)",
    "nn.Dropout(p=0.5)(x)", "nn.Dropout2d(p=1.2)", "nn.Dropout2d()", "ops.dropout(x, 0.5, False)",
]  # fmt: skip

ALL = {"statistics": STATISTICS, "order": ORDER, "normalization": NORMALIZATION}
# MindSpore's kernels are good to about five digits.
TOLERANCE = {"statistics": (2e-5, 1e-6), "order": (2e-5, 1e-6), "normalization": (2e-4, 5e-5)}
