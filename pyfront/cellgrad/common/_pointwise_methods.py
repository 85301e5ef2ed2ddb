"""Methods of Tensor for special functions, rounding, bits and choices, in terms of
``cellgrad.ops``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cellgrad.common.tensor import Tensor


class _LazyOps:
    """``cellgrad.ops``, imported on first use: it is built on Tensor."""

    def __getattr__(self, name: str) -> Any:
        global ops
        from cellgrad import ops as loaded

        ops = loaded
        return getattr(loaded, name)


ops: Any = _LazyOps()


class PointwiseMethods:
    """Operators and methods."""

    __slots__ = ()

    # --- operators ----------------------------------------------------------------------------

    def __mod__(self, other: Any) -> Tensor:
        return ops.floor_mod(self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return ops.floor_mod(other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        return ops.floor_div(self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return ops.floor_div(other, self)

    def __and__(self, other: Any) -> Tensor:
        return ops.bitwise_and(self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Tensor:
        return ops.bitwise_or(self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Tensor:
        return ops.bitwise_xor(self, other)

    __rxor__ = __xor__

    # --- exponentials and logarithms ------------------------------------------------------------

    def erf(self) -> Tensor:
        """See `ops.erf`."""
        return ops.erf(self)

    def erfc(self) -> Tensor:
        """See `ops.erfc`."""
        return ops.erfc(self)

    def expm1(self) -> Tensor:
        """See `ops.expm1`."""
        return ops.expm1(self)

    def log1p(self) -> Tensor:
        """See `ops.log1p`."""
        return ops.log1p(self)

    def log2(self) -> Tensor:
        """See `ops.log2`."""
        return ops.log2(self)

    def log10(self) -> Tensor:
        """See `ops.log10`."""
        return ops.log10(self)

    def logaddexp(self, other: Any) -> Tensor:
        """See `ops.logaddexp`."""
        return ops.logaddexp(self, other)

    def logaddexp2(self, other: Any) -> Tensor:
        """See `ops.logaddexp2`."""
        return ops.logaddexp2(self, other)

    def xlogy(self, other: Any) -> Tensor:
        """See `ops.xlogy`."""
        return ops.xlogy(self, other)

    def xdivy(self, y: Any) -> Tensor:
        """See `ops.xdivy`."""
        return ops.xdivy(self, y)

    def float_power(self, other: Any) -> Tensor:
        """See `ops.float_power`."""
        return ops.float_power(self, other)

    # --- inverse circular and hyperbolic functions ----------------------------------------------

    def asin(self) -> Tensor:
        """See `ops.asin`."""
        return ops.asin(self)

    arcsin = asin

    def acos(self) -> Tensor:
        """See `ops.acos`."""
        return ops.acos(self)

    arccos = acos

    def atan(self) -> Tensor:
        """See `ops.atan`."""
        return ops.atan(self)

    arctan = atan

    def asinh(self) -> Tensor:
        """See `ops.asinh`."""
        return ops.asinh(self)

    arcsinh = asinh

    def acosh(self) -> Tensor:
        """See `ops.acosh`."""
        return ops.acosh(self)

    arccosh = acosh

    def atan2(self, other: Any) -> Tensor:
        """See `ops.atan2`."""
        return ops.atan2(self, other)

    arctan2 = atan2

    def hypot(self, other: Any) -> Tensor:
        """See `ops.hypot`."""
        return ops.hypot(self, other)

    def sinc(self) -> Tensor:
        """See `ops.sinc`."""
        return ops.sinc(self)

    def deg2rad(self) -> Tensor:
        """See `ops.deg2rad`."""
        return ops.deg2rad(self)

    def rad2deg(self) -> Tensor:
        """See `ops.rad2deg`."""
        return ops.rad2deg(self)

    # --- rounding and remainders ----------------------------------------------------------------

    def floor(self) -> Tensor:
        """See `ops.floor`."""
        return ops.floor(self)

    def ceil(self) -> Tensor:
        """See `ops.ceil`."""
        return ops.ceil(self)

    def trunc(self) -> Tensor:
        """See `ops.trunc`."""
        return ops.trunc(self)

    def frac(self) -> Tensor:
        """See `ops.frac`."""
        return ops.frac(self)

    def round(self, decimals: int = 0) -> Tensor:
        """See `ops.round`."""
        return ops.round(self, decimals=decimals)

    def remainder(self, other: Any) -> Tensor:
        """See `ops.remainder`."""
        return ops.remainder(self, other)

    def fmod(self, other: Any) -> Tensor:
        """See `ops.fmod`."""
        return ops.fmod(self, other)

    def floor_divide(self, other: Any) -> Tensor:
        """See `ops.floor_divide`."""
        return ops.floor_divide(self, other)

    # --- bits and truth -------------------------------------------------------------------------

    def bitwise_and(self, other: Any) -> Tensor:
        """See `ops.bitwise_and`."""
        return ops.bitwise_and(self, other)

    def bitwise_or(self, other: Any) -> Tensor:
        """See `ops.bitwise_or`."""
        return ops.bitwise_or(self, other)

    def bitwise_xor(self, other: Any) -> Tensor:
        """See `ops.bitwise_xor`."""
        return ops.bitwise_xor(self, other)

    def logical_xor(self, other: Any) -> Tensor:
        """See `ops.logical_xor`."""
        return ops.logical_xor(self, other)

    def bitwise_not(self) -> Tensor:
        """See `ops.bitwise_not`."""
        return ops.bitwise_not(self)

    def invert(self) -> Tensor:
        """See `ops.bitwise_not`."""
        return ops.bitwise_not(self)

    def isnan(self) -> Tensor:
        """See `ops.isnan`."""
        return ops.isnan(self)

    def isinf(self) -> Tensor:
        """See `ops.isinf`."""
        return ops.isinf(self)

    def isneginf(self) -> Tensor:
        """See `ops.isneginf`."""
        return ops.isneginf(self)

    def isposinf(self) -> Tensor:
        """See `ops.isposinf`."""
        return ops.isposinf(self)

    def signbit(self) -> Tensor:
        """See `ops.signbit`."""
        return ops.signbit(self)

    def isclose(
        self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
    ) -> Tensor:
        """See `ops.isclose`."""
        return ops.isclose(self, other, rtol, atol, equal_nan)

    # --- signs, choices and sums of products ----------------------------------------------------

    def sgn(self) -> Tensor:
        """See `ops.sgn`."""
        return ops.sgn(self)

    def positive(self) -> Tensor:
        """See `ops.positive`."""
        return ops.positive(self)

    def inv(self) -> Tensor:
        """See `ops.inv`."""
        return ops.inv(self)

    def copysign(self, other: Any) -> Tensor:
        """See `ops.copysign`."""
        return ops.copysign(self, other)

    def fmax(self, other: Any) -> Tensor:
        """See `ops.fmax`."""
        return ops.fmax(self, other)

    def fmin(self, other: Any) -> Tensor:
        """See `ops.fmin`."""
        return ops.fmin(self, other)

    def heaviside(self, values: Any) -> Tensor:
        """See `ops.heaviside`."""
        return ops.heaviside(self, values)

    def nan_to_num(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """See `ops.nan_to_num`."""
        return ops.nan_to_num(self, nan, posinf, neginf)

    def lerp(self, end: Any, weight: Any) -> Tensor:
        """See `ops.lerp`."""
        return ops.lerp(self, end, weight)

    def addcmul(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """See `ops.addcmul`."""
        return ops.addcmul(self, tensor1, tensor2, value)

    def addcdiv(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """See `ops.addcdiv`."""
        return ops.addcdiv(self, tensor1, tensor2, value)

    def hardshrink(self, lambd: float = 0.5) -> Tensor:
        """See `ops.hardshrink`."""
        return ops.hardshrink(self, lambd)

    def soft_shrink(self, lambd: float = 0.5) -> Tensor:
        """See `ops.softshrink`."""
        return ops.softshrink(self, lambd)
