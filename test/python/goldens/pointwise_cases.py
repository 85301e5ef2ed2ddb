"""Expressions of pointwise functions and activations; see `cases.py`.

MindSpore's own kernels are good to about five digits, so these are compared to that. What it cannot
do on a CPU (rounding of integers, `xlogy` at 0, remainders by infinity) or gets wrong (the gradient of
`selu` below 0, which is negative there) is not here.
"""

P = "Tensor([-2.5, -0.5, 0., 1.5, 2.5])"
UNIT = "Tensor([-0.75, 0., 0.25, 1.])"
POSITIVE = "Tensor([0.5, 1., 2., 10.])"
I = "Tensor([7, -7, 3])"

_ON_ALL = [
    "exp2", "expm1", "erf", "erfc", "atan", "asinh", "floor", "ceil", "round", "trunc", "isnan", "isinf",
    "leaky_relu", "relu6", "elu", "selu", "celu", "gelu", "silu", "mish", "softplus", "softsign", "hardswish",
    "hardsigmoid", "hardtanh", "logsigmoid", "hardshrink", "softshrink", "tanhshrink", "softmin", "log_softmax",
    "fast_gelu", "sinc", "deg2rad", "rad2deg", "frac", "signbit", "sgn", "positive", "inv", "nan_to_num",
]  # fmt: skip
_SMOOTH_ON_P = [
    "exp2", "expm1", "erf", "erfc", "atan", "asinh", "gelu", "silu", "mish", "softplus", "logsigmoid", "tanhshrink",
    "log_softmax", "sinc", "deg2rad", "relu6", "leaky_relu", "elu", "celu", "softsign", "hardswish",
    "hardsigmoid", "hardtanh", "hardshrink", "softshrink", "floor", "round", "nan_to_num",
]  # fmt: skip
_METHODS = [
    "erf()", "erfc()", "expm1()", "floor()", "ceil()", "round()", "trunc()", "frac()", "sinc()", "deg2rad()",
    "isnan()", "isinf()", "signbit()", "asinh()", "atan()", "arctan()", "sgn()", "positive()", "nan_to_num()",
    "remainder(2)", "fmod(2)", "hardshrink(0.5)", "logsumexp(0)", "logaddexp(Tensor([1.]))", "heaviside(Tensor(0.5))",
    "lerp(Tensor([1.]), 0.5)", "addcmul(Tensor([1.]), Tensor([2.]))", "atan2(Tensor([1.]))", "hypot(Tensor([1.]))",
    "clip(-1, 1)", "copysign(-1.)", "fmax(Tensor([0.]))",
]  # fmt: skip

VALUES = [
    *(f"ops.{name}({P})" for name in _ON_ALL),
    *(f"ops.{name}({UNIT})" for name in ("asin", "acos", "atanh", "arcsin", "arccos")),
    *(f"ops.{name}({POSITIVE})" for name in ("log1p", "log2", "log10")),
    *(f"{P}.{method}" for method in _METHODS),
    f"ops.acosh({POSITIVE} + 1)", f"ops.atan2({P}, Tensor([1., -1., 2., 0., -3.]))", f"ops.gelu({P}, 'tanh')",
    f"ops.gelu({P}, 'other')", f"ops.leaky_relu({P}, 0.1)", f"ops.leaky_relu({P}, 2.0)", f"ops.celu({P}, 2.0)",
    f"ops.celu({P}, 0.0)", f"ops.softplus({P}, 2.0)", f"ops.softplus({P} * 20, 1, 20)", f"ops.hardtanh({P}, -2.0, 1.5)",
    f"ops.logsumexp({P}, 0)", f"ops.logsumexp({P}, (0,), True)", "ops.logsumexp(x, (0, 1))", "ops.log_softmax(x, 0)",
    "ops.glu(Tensor([[1., 2., 3., 4.]]))", "ops.glu(Tensor([1., 2., 3.]))", "ops.glu(x[:, :2], 1)",
    "ops.prelu(Tensor([[1., -2.]]), Tensor([0.1, 0.2]))", f"ops.prelu({P}, Tensor([0.25]))",
    f"ops.lerp({P}, {P} * 2, 0.5)", f"ops.logaddexp({P}, Tensor([1.]))", f"ops.logaddexp2({P}, Tensor([1.]))",
    f"ops.addcmul({P}, {P}, {P}, 2)", f"ops.addcdiv({P}, {P}, {P} + 3, 2)", f"ops.heaviside({P}, Tensor(0.5))",
    "ops.nan_to_num(Tensor(np.array([np.nan, np.inf, -np.inf, 1.], np.float32)))",
    "ops.nan_to_num(Tensor(np.array([np.nan, np.inf, -np.inf, 1.], np.float32)), 1., 2., 3.)",
    f"ops.hypot({P}, Tensor([3.]))", f"ops.xlogy({POSITIVE}, {POSITIVE})", f"ops.xlogy(2., {POSITIVE})",
    f"ops.clamp({P}, -1, 1)", f"ops.clamp({P}, 2, 1)", f"ops.clamp({P}, max=0.)", f"ops.clamp({P}, None, None)",
    "ops.clamp(Tensor([1, 2, 3]), 1.5)", f"ops.threshold({P}, 0.1, 20)", f"ops.copysign({P}, -1.)",
    f"ops.float_power({P}, 2)", f"ops.isclose({P}, {P} + 1e-6)", f"ops.fmax({P}, Tensor(np.float32(np.nan)))",
    f"ops.floor_div({I}, 2)", f"ops.floor_div({I}, -2)", f"ops.floor_mod({I}, 3)", f"ops.floor_mod({P}, 1.5)",
    f"ops.floor_mod({P}, 0.)", f"ops.remainder({P}, 1.5)", f"ops.fmod({P}, 1.5)", f"ops.fmod({I}, -3)",
    f"ops.truncate_div({I}, 2)", "ops.floor_mod(Tensor(1.0), Tensor(0.1))", f"{I} % 2", f"{P} % 2", f"{I} // 2",
    f"7 // {I}", f"{P} // 2", "5 % Tensor([3.])", "Tensor([1.5]) // Tensor([0.])", f"{I} & 3", f"{I} | 3", f"{I} ^ 3",
    "b ^ b", "Tensor([7]) & Tensor([True])", "ops.bitwise_and(b, b)", "ops.bitwise_and(v, v)", "ops.Invert()(i)",
    "ops.logical_xor(b, b)", "ops.logical_xor(v, b)", "ops.isnan(i)", "ops.isinf(x)", f"ops.round({P}, decimals='a')",
    f"ops.Softplus()({P})", f"ops.Elu(alpha=1.0)({P})", f"ops.GeLU()({P})", f"ops.FastGeLU()({P})", f"ops.ReLU6()({P})",
    "ops.Mod()(Tensor([-7., 7.]), Tensor([2., -2.]))", "ops.MulNoNan()(Tensor(np.float32([np.inf, 1.])), Tensor([0., 2.]))",
    "ops.DivNoNan()(Tensor(np.float32([np.inf, 1.])), Tensor([0., 2.]))", f"ops.LogSoftmax()({P})", f"ops.HShrink(0.6)({P})",
    f"nn.GELU()({P})", f"nn.GELU(False)({P})", f"nn.ELU()({P})", f"nn.CELU(2.0)({P})", f"nn.LeakyReLU()({P})",
    f"nn.SiLU()({P})", f"nn.Mish()({P})", f"nn.ReLU6()({P})", f"nn.SeLU()({P})", f"nn.HSwish()({P})", f"nn.HSigmoid()({P})",
    f"nn.LogSigmoid()({P})", f"nn.LogSoftmax()({P})", f"nn.Softmin()({P})", f"nn.Softsign()({P})", f"nn.Tanhshrink()({P})",
    f"nn.HShrink()({P})", f"nn.SoftShrink()({P})", f"nn.Hardtanh()({P})", f"nn.Threshold(0.1, 5.)({P})",
    "nn.GLU()(Tensor([[1., 2.]]))", f"nn.PReLU()({P})", "nn.PReLU(2)(Tensor([[1., -2.]]))", "nn.PReLU(2, 0.1).w",
    "nn.PReLU(0)", "nn.PReLU('a')", "nn.get_activation('gelu')", "nn.get_activation('leakyrelu')", "nn.GELU('tanh')",
]  # fmt: skip

GRADIENTS = [
    *(f"ms.grad(ops.{name})({P})" for name in _SMOOTH_ON_P),
    *(f"ms.grad(ops.{name})(Tensor([-0.75, 0., 0.25]))" for name in ("asin", "acos", "atanh")),
    *(f"ms.grad(ops.{name})({POSITIVE})" for name in ("log1p", "log2", "log10")),
    f"ms.grad(ops.acosh)({POSITIVE} + 1)", "ms.grad(ops.relu6)(Tensor([0., 6., 3.]))",
    "ms.grad(ops.hardtanh)(Tensor([-1., 1., 0.]))", "ms.grad(ops.hardswish)(Tensor([-3., 3., 0.]))",
    "ms.grad(ops.hardsigmoid)(Tensor([-3., 3., 0.]))", "ms.grad(ops.elu)(Tensor([0., -1., 100., -200.]))",
    "ms.grad(ops.hardshrink)(Tensor([0.5, -.5, 1.]))", "ms.grad(ops.softshrink)(Tensor([0.5, -.5, 1.]))",
    "ms.grad(ops.clip)(Tensor([-1., 1., 0.]), -1., 1.)", "ms.grad(ops.clip_by_value)(Tensor([-1., 1., 0.]), -1., 1.)",
    "ms.grad(ops.prelu, (0, 1))(Tensor([0., 1., -1.]), Tensor([0.25]))", "ms.grad(ops.floor_mod)(Tensor([0., 1., -1.]), 2.)",
    "ms.grad(ops.floor_mod, (0, 1))(Tensor([3.]), Tensor([2.]))", "ms.grad(ops.atan2, (0, 1))(Tensor([1., -2.]), Tensor([3., 0.5]))",
    "ms.grad(ops.atan2)(Tensor([0.]), Tensor([0.]))", "ms.grad(ops.hypot, (0, 1))(Tensor([3., 0.]), Tensor([4., 2.]))",
    "ms.grad(ops.hypot)(Tensor([0.]), Tensor([0.]))", "ms.grad(ops.xlogy, (0, 1))(Tensor([2.]), Tensor([3.]))",
    "ms.grad(ops.logaddexp, (0, 1))(Tensor([0., 3.]), Tensor([0., 1.]))", "ms.grad(ops.lerp, (0, 1))(Tensor([1.]), Tensor([2.]), 0.25)",
    "ms.grad(ops.addcdiv, (0, 1, 2))(Tensor([1.]), Tensor([2.]), Tensor([4.]))", "ms.grad(ops.threshold)(Tensor([0., 1.]), 0., 5.)",
    "ms.grad(ops.nan_to_num)(Tensor(np.float32([np.nan, 1.])))", "ms.grad(ops.logsumexp)(v, 0)", "ms.grad(ops.glu)(Tensor([1., 2., 3., 4.]))",
]  # fmt: skip
