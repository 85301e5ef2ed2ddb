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
rows = Tensor(np.array([2, 0, 2], np.int32))
"""

_V, _M, _S = "[1.0, -2.0]", "[0.25, 0.5]", "[1.5, 0.75]"
_R = "[[1.0, -2.0], [0.5, 0.25], [3.0, -1.0]]"
_Q = "[[1.5, 0.75], [2.0, 1.0], [0.5, 0.25]]"

OPTIMIZERS = [
    f"run(ops.ApplyGradientDescent(), {_V}, 0.5, g2)",
    f"run(ops.ApplyMomentum(), {_V}, {_M}, 0.1, g2, 0.9)",
    f"run(ops.SGD(), {_V}, g2, Tensor(0.1), {_M}, Tensor(0.9), [1.0, 1.0])",
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
    "ops.inplace_add(gr, f32([1, 2], [3, 4]), (0, 2))", "ops.inplace_sub(gr, f32([1, 2]), 1)",
    "ops.inplace_update(gr, f32([1, 2], [3, 4]), (2, 0))", "ops.InplaceAdd((0,))(gr, f32([1, 2]))",
    "ops.InplaceSub(indices=(0, 1))(gr, f32([1, 2], [3, 4]))",
    "ops.InplaceUpdateV2()(gr, (1,), f32([1, 2]))",
    "ops.matrix_band_part(m43, 1, 1)", "ops.matrix_band_part(m43, -1, 0)",
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
    "ops.matrix_diag(f32(1, 2, 3), i32(0), i32(3), i32(5), Tensor(7.0))", "ops.matrix_set_diag(m43, f32(7, 8, 9))",
    "ops.matrix_set_diag(m43, f32([0, 7, 8], [1, 2, 3]), i32(-1, 0))",
    "ops.MatrixDiagV3()(f32(1, 2), i32(1), i32(-1), i32(-1), Tensor(0.0))",
    "ops.MatrixDiagPartV3()(m43, i32(0), Tensor(0.0))",
    "ops.MatrixSetDiagV3()(m43, f32(7, 8, 9), i32(0))",
    "ops.FillDiagonal(5.0)(m43)", "ops.FillDiagonal(5.0, wrap=True)(ops.ones((7, 3)))",
    "m43.fill_diagonal(2.0)", "ops.FillDiagonal(3.0)(ops.zeros((2, 2, 2)))",
    "ops.batch_to_space_nd(ops.arange(16.0).reshape(4, 1, 2, 2), [2, 2], [[0, 1], [1, 0]])",
    "ops.space_to_batch_nd(ops.arange(24.0).reshape(1, 1, 4, 6), [2, 3], [[0, 0], [0, 0]])",
    "ops.space_to_batch_nd(ops.arange(6.0).reshape(1, 1, 2, 3), [2, 2], [[1, 1], [0, 1]])",
    "ops.SpaceToBatchND([2, 2], [[0, 0], [0, 0]])(ops.arange(16.0).reshape(1, 1, 4, 4))",
    "ops.BatchToSpaceND([2, 2], [[0, 0], [0, 0]])(ops.arange(16.0).reshape(4, 1, 2, 2))",
    "ops.bartlett_window(i32(5))", "ops.bartlett_window(i32(5), False)", "ops.blackman_window(i32(6))",
    "ops.blackman_window(i32(6), False)", "ops.hamming_window(6)", "ops.hamming_window(6, False, 0.5, 0.4)",
    "ops.hann_window(6)", "ops.hann_window(6, False)", "ops.kaiser_window(6)",
    "ops.kaiser_window(6, False, 3.0)", "ops.BartlettWindow()(Tensor(5, ms.int32))",
    "ops.BlackmanWindow()(Tensor(5, ms.int32))", "ops.HammingWindow()(Tensor([5], ms.int32))",
    "ops.hann_window(6, dtype=ms.float64)", "ops.hann_window(1)", "ops.hann_window(0)",
    "ops.hann_window(-1)", "ops.hann_window(2.5)", "ops.hann_window(3, dtype=ms.int32)",
]
ALL["arrays"] = ARRAYS

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
]

# Expressions, the errors they raise, and a part of what these say.
ERRORS = [
    ("ops.inplace_add(m43, f32([1, 2, 3]), (7,))", "ValueError", "must be in [0, 4)"),
    ("ops.inplace_add(m43, f32([1, 2]), (0,))", "ValueError", "one row for each index"),
    ("ops.inplace_add(m43, f32([1, 2, 3]), 'a')", "TypeError", "a tuple of ints"),
    ("ops.matrix_band_part(m43, 5, 0)", "ValueError", "'lower' must be in (-4, 4]"),
    ("ops.matrix_diag_part(m43, (2, 1), 0)", "ValueError", "k[0] must be at most k[1]"),
    ("ops.matrix_diag_part(m43, 'a', 0)", "TypeError", "an int or two"),
    ("ops.matrix_diag(f32(1, 2), 0, 1, 1)", "ValueError", "have the shape [1]"),
    ("ops.matrix_diag_part(m43, 3, 0)", "ValueError", "must be in (-4, 3)"),
    ("ops.fill_diagonal(ops.ones((2, 3, 2)), 1.0)", "ValueError", "dimensions must be equal"),
    ("ops.batch_to_space_nd(ops.ones((3, 2)), [2], [[0, 0]])", "ValueError", "do not fit"),
    ("ops.space_to_batch_nd(m43, [2], [[0, 0]])", "ValueError", "must be multiples"),
    ("ops.space_to_batch_nd(m43, [2], [[0]])", "ValueError", "pairs of ints"),
]
