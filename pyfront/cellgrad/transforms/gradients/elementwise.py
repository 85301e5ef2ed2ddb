"""Gradients of elementwise functions and of softmax: of the operand, or of the result where that is
what MindSpore hands on."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.tensor import Tensor
from cellgrad.transforms.differentiate import push_forward
from cellgrad.transforms.gradients.rows import by_formula, by_name, of, pulled, row

# Constants of selu, as `ops.selu` has them.
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946

# --- of the operand -------------------------------------------------------------------------------

ReluGrad = row("ReluGrad()(dout, x)", of(ops.relu))
ReLU6Grad = row("ReLU6Grad()(dout, x)", of(ops.relu6))
AbsGrad = row("AbsGrad()(x, dout)", of(ops.abs))
ACosGrad = row("ACosGrad()(x, dout)", of(ops.acos), of_complex=True)
AsinGrad = row("AsinGrad()(x, dout)", of(ops.asin), of_complex=True)
AtanGrad = row("AtanGrad()(x, dout)", of(ops.atan), of_complex=True)
SoftplusGrad = row("SoftplusGrad()(dout, x)", of(ops.Softplus))
SoftplusGradExt = row("SoftplusGradExt()(dout, x, beta=1, threshold=20)", of(ops.softplus))
SoftShrinkGrad = row("SoftShrinkGrad(lambd=0.5)(dout, x)", of(ops.SoftShrink))
HShrinkGrad = row("HShrinkGrad(lambd=0.5)(dout, x)", of(ops.HShrink))
HSigmoidGrad = row("HSigmoidGrad()(dout, x)", of(ops.hardsigmoid))
HSwishGrad = row("HSwishGrad()(dout, x)", of(ops.hardswish))
HardtanhGrad = row("HardtanhGrad()(dout, x, min_val=-1, max_val=1)", of(ops.hardtanh))
GeLUGrad = row("GeLUGrad()(dout, x, out)", of(ops.GeLU))
GeluGradExt = row("GeluGradExt()(dout, x, approximate='none')", of(ops.gelu))
FastGeLUGrad = row("FastGeLUGrad()(dout, x)", of(ops.fast_gelu))
SiLUGrad = row("SiLUGrad()(dout, x)", of(ops.silu))
MishGradExt = row("MishGradExt()(dout, x)", of(ops.mish))
PReLUGrad = row("PReLUGrad()(dout, x, weight)", of(ops.prelu, by=2))
GluGrad = row("GluGrad(axis)(dout, x)", of(ops.glu))
MvlgammaGrad = row("MvlgammaGrad(p)(dout, x)", of(ops.Mvlgamma))


def _logit(x: Tensor, eps: float) -> Tensor:
    return ops.logit(x, eps if eps >= 0 else None)


LogitGrad = row("LogitGrad(eps=-1.0)(dout, x)", of(_logit))

# --- of the result --------------------------------------------------------------------------------


def _result(form: str, slope: Any) -> Any:
    """A row of a function whose slope is that of its result; of complex numbers, the conjugate of it."""

    def compute(out: Tensor, dout: Tensor) -> Any:
        return dout * slope(ops.conj(out) if out.dtype.kind == "c" else out)

    return row(form, by_formula(compute), of_complex=True)


SigmoidGrad = _result("SigmoidGrad()(out, dout)", lambda y: y * (1 - y))
TanhGrad = _result("TanhGrad()(out, dout)", lambda y: 1 - y * y)
SqrtGrad = _result("SqrtGrad()(out, dout)", lambda y: 0.5 / y)
RsqrtGrad = _result("RsqrtGrad()(out, dout)", lambda y: -0.5 * (y * y * y))
ReciprocalGrad = _result("ReciprocalGrad()(out, dout)", lambda y: -y * y)
InvGrad = _result("InvGrad()(out, dout)", lambda y: -y * y)
AcoshGrad = _result("AcoshGrad()(out, dout)", lambda y: 1 / ops.sinh(y))
AsinhGrad = _result("AsinhGrad()(out, dout)", lambda y: 1 / ops.cosh(y))
EluGrad = row(
    "EluGrad()(dout, out)", by_formula(lambda dy, y: dy * ops.select(y > 0, y * 0 + 1, y + 1))
)


def _selu(dout: Tensor, out: Tensor) -> Tensor:
    below = out + _SELU_ALPHA * _SELU_SCALE
    return dout * ops.select(out > 0, ops.full_like(out, _SELU_SCALE), below)


SeluGrad = row("SeluGrad()(dout, out)", by_formula(_selu))


def _softmax(y: Tensor, dy: Tensor, axis: int = -1) -> Tensor:
    return y * (dy - ops.reduce_sum(y * dy, axis, True))


def _log_softmax(y: Tensor, dy: Tensor, axis: int) -> Tensor:
    return dy - ops.exp(y) * ops.reduce_sum(dy, axis, True)


SoftmaxGrad = row("SoftmaxGrad()(out, dout)", by_formula(_softmax))
SoftmaxBackward = row(
    "SoftmaxBackward()(dout, out, dim=-1)", by_formula(lambda dy, y, dim: _softmax(y, dy, dim))
)
LogSoftmaxGrad = row("LogSoftmaxGrad(axis=-1)(out, dout)", by_formula(_log_softmax))

# --- of two operands ------------------------------------------------------------------------------


def _of_extremum(forward: Any) -> Any:
    def compute(name: str, x: Any, y: Any, dout: Any, grad_x: bool, grad_y: bool) -> Any:
        both = pulled(name, forward, dout, x, y, by=2)
        if grad_x and grad_y:
            return both
        return both[0] if grad_x else both[1]

    return by_name(compute)


def _along(forward: Any) -> Any:
    """The gradient of such a gradient: zeros by the operands, by the cotangent what is chosen of two."""

    def compute(x: Tensor, y: Tensor, dx: Tensor, dy: Tensor, grad_x: bool, grad_y: bool) -> Any:
        chosen = push_forward(forward, (x, y), (dx, dy), False)[1]
        return ops.zeros_like(x), ops.zeros_like(y), chosen

    return by_formula(compute)


_BY = "grad_x=True, grad_y=True"
MaximumGrad = row(f"MaximumGrad({_BY})(x, y, dout)", _of_extremum(ops.maximum))
MinimumGrad = row(f"MinimumGrad({_BY})(x, y, dout)", _of_extremum(ops.minimum))
MaximumGradGrad = row(f"MaximumGradGrad({_BY})(x, y, dx, dy)", _along(ops.maximum))
MinimumGradGrad = row(f"MinimumGradGrad({_BY})(x, y, dx, dy)", _along(ops.minimum))


def _igamma_by_order(a: Tensor, x: Tensor) -> Tensor:
    out: Tensor = push_forward(ops.igamma, (a, x), (ops.ones_like(a), ops.zeros_like(x)), False)[1]
    return out


IgammaGradA = row("IgammaGradA()(a, x)", by_formula(_igamma_by_order))


def _dropout(dout: Tensor, mask: Tensor, keep_prob: float) -> Tensor:
    return dout * ops.cast(mask, dout.dtype) / keep_prob


DropoutGrad = row("DropoutGrad(keep_prob=0.5)(dout, mask)", by_formula(_dropout))
