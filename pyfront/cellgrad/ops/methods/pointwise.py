"""Methods of Tensor for special functions, rounding, bits and choices, in terms of
``cellgrad.ops``.
"""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


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
        """See `ops.erf`.

        >>> print(Tensor([0.0, 1.0]).erf())
        [0.         0.84270084]
        """
        return ops.erf(self)

    def erfc(self) -> Tensor:
        """See `ops.erfc`.

        >>> print(Tensor([0.0, 1.0]).erfc())
        [1.        0.1572992]
        """
        return ops.erfc(self)

    def expm1(self) -> Tensor:
        """See `ops.expm1`.

        >>> print(Tensor([0.0, 1.0]).expm1())
        [0.        1.7182819]
        """
        return ops.expm1(self)

    def log1p(self) -> Tensor:
        """See `ops.log1p`.

        >>> print(Tensor([0.0, 1.0]).log1p())
        [0.        0.6931472]
        """
        return ops.log1p(self)

    def log2(self) -> Tensor:
        """See `ops.log2`.

        >>> print(Tensor([1.0, 8.0]).log2())
        [0. 3.]
        """
        return ops.log2(self)

    def log10(self) -> Tensor:
        """See `ops.log10`.

        >>> print(Tensor([1.0, 100.0]).log10())
        [0. 2.]
        """
        return ops.log10(self)

    def logaddexp(self, other: Any) -> Tensor:
        """See `ops.logaddexp`.

        >>> print(Tensor([100.0]).logaddexp(Tensor([100.0])))
        [100.693146]
        """
        return ops.logaddexp(self, other)

    def logaddexp2(self, other: Any) -> Tensor:
        """See `ops.logaddexp2`.

        >>> print(Tensor([2.0]).logaddexp2(Tensor([2.0])))
        [3.]
        """
        return ops.logaddexp2(self, other)

    def xlogy(self, other: Any) -> Tensor:
        """See `ops.xlogy`.

        >>> print(Tensor([0.0, 2.0]).xlogy(Tensor([2.0, 1.0])))
        [0. 0.]
        """
        return ops.xlogy(self, other)

    def xdivy(self, y: Any) -> Tensor:
        """See `ops.xdivy`.

        >>> print(Tensor([0.0, 3.0]).xdivy(Tensor([0.0, 2.0])))
        [0.  1.5]
        """
        return ops.xdivy(self, y)

    def float_power(self, other: Any) -> Tensor:
        """See `ops.float_power`.

        >>> print(Tensor([2, 3]).float_power(2))
        [4. 9.]
        """
        return ops.float_power(self, other)

    # --- inverse circular and hyperbolic functions ----------------------------------------------

    def asin(self) -> Tensor:
        """See `ops.asin`.

        >>> print(Tensor([0.0, 0.5]).asin())
        [0.        0.5235988]
        """
        return ops.asin(self)

    arcsin = asin

    def acos(self) -> Tensor:
        """See `ops.acos`.

        >>> print(Tensor([1.0, 0.5]).acos())
        [0.        1.0471976]
        """
        return ops.acos(self)

    arccos = acos

    def atan(self) -> Tensor:
        """See `ops.atan`.

        >>> print(Tensor([0.0, 1.0]).atan())
        [0.        0.7853981]
        """
        return ops.atan(self)

    arctan = atan

    def asinh(self) -> Tensor:
        """See `ops.asinh`.

        >>> print(Tensor([0.0, 1.0]).asinh())
        [0.        0.8813736]
        """
        return ops.asinh(self)

    arcsinh = asinh

    def acosh(self) -> Tensor:
        """See `ops.acosh`.

        >>> print(Tensor([1.0, 2.0]).acosh())
        [0.       1.316958]
        """
        return ops.acosh(self)

    arccosh = acosh

    def atan2(self, other: Any) -> Tensor:
        """See `ops.atan2`.

        >>> print(Tensor([1.0, -1.0]).atan2(Tensor([1.0, 1.0])))
        [ 0.7853981 -0.7853981]
        """
        return ops.atan2(self, other)

    arctan2 = atan2

    def hypot(self, other: Any) -> Tensor:
        """See `ops.hypot`.

        >>> print(Tensor([3.0, 5.0]).hypot(Tensor([4.0, 12.0])))
        [ 5. 13.]
        """
        return ops.hypot(self, other)

    def sinc(self) -> Tensor:
        """See `ops.sinc`.

        >>> print(Tensor([0.0, 0.5]).sinc())
        [1.         0.63661975]
        """
        return ops.sinc(self)

    def deg2rad(self) -> Tensor:
        """See `ops.deg2rad`.

        >>> print(Tensor([0.0, 180.0]).deg2rad())
        [0.        3.1415927]
        """
        return ops.deg2rad(self)

    def rad2deg(self) -> Tensor:
        """See `ops.rad2deg`.

        >>> print(Tensor([0.0, 3.1415927]).rad2deg())
        [  0. 180.]
        """
        return ops.rad2deg(self)

    # --- rounding and remainders ----------------------------------------------------------------

    def floor(self) -> Tensor:
        """See `ops.floor`.

        >>> print(Tensor([0.5, -1.5]).floor())
        [ 0. -2.]
        """
        return ops.floor(self)

    def ceil(self) -> Tensor:
        """See `ops.ceil`.

        >>> print(Tensor([0.5, -1.5]).ceil())
        [ 1. -1.]
        """
        return ops.ceil(self)

    def trunc(self) -> Tensor:
        """See `ops.trunc`.

        >>> print(Tensor([0.5, -1.5]).trunc())
        [ 0. -1.]
        """
        return ops.trunc(self)

    def frac(self) -> Tensor:
        """See `ops.frac`.

        >>> print(Tensor([1.5, -2.25]).frac())
        [ 0.5  -0.25]
        """
        return ops.frac(self)

    def round(self, decimals: int = 0) -> Tensor:
        """See `ops.round`.

        >>> print(Tensor([0.5, 1.5, -1.2]).round())
        [ 0.  2. -1.]
        """
        return ops.round(self, decimals=decimals)

    def remainder(self, other: Any) -> Tensor:
        """See `ops.remainder`.

        >>> print(Tensor([5.0, -5.0]).remainder(3.0))
        [2. 1.]
        """
        return ops.remainder(self, other)

    def fmod(self, other: Any) -> Tensor:
        """See `ops.fmod`.

        >>> print(Tensor([5.0, -5.0]).fmod(3.0))
        [ 2. -2.]
        """
        return ops.fmod(self, other)

    def floor_divide(self, other: Any) -> Tensor:
        """See `ops.floor_divide`.

        >>> print(Tensor([5.0, -5.0]).floor_divide(3.0))
        [ 1. -2.]
        """
        return ops.floor_divide(self, other)

    # --- bits and truth -------------------------------------------------------------------------

    def bitwise_and(self, other: Any) -> Tensor:
        """See `ops.bitwise_and`.

        >>> print(Tensor([5, 6]).bitwise_and(Tensor([3, 3])))
        [1 2]
        """
        return ops.bitwise_and(self, other)

    def bitwise_or(self, other: Any) -> Tensor:
        """See `ops.bitwise_or`.

        >>> print(Tensor([5, 6]).bitwise_or(Tensor([3, 3])))
        [7 7]
        """
        return ops.bitwise_or(self, other)

    def bitwise_xor(self, other: Any) -> Tensor:
        """See `ops.bitwise_xor`.

        >>> print(Tensor([5, 6]).bitwise_xor(Tensor([3, 3])))
        [6 5]
        """
        return ops.bitwise_xor(self, other)

    def bitwise_left_shift(self, other: Any) -> Tensor:
        """See `ops.bitwise_left_shift`.

        >>> print(Tensor([5, 6]).bitwise_left_shift(1))
        [10 12]
        """
        return ops.bitwise_left_shift(self, other)

    def bitwise_right_shift(self, other: Any) -> Tensor:
        """See `ops.bitwise_right_shift`.

        >>> print(Tensor([5, 6]).bitwise_right_shift(1))
        [2 3]
        """
        return ops.bitwise_right_shift(self, other)

    def logical_xor(self, other: Any) -> Tensor:
        """See `ops.logical_xor`.

        >>> print(Tensor([True, False]).logical_xor(Tensor([True, True])))
        [False  True]
        """
        return ops.logical_xor(self, other)

    def bitwise_not(self) -> Tensor:
        """See `ops.bitwise_not`.

        >>> print(Tensor([0, 5], ms.int16).bitwise_not())
        [-1 -6]
        """
        return ops.bitwise_not(self)

    def invert(self) -> Tensor:
        """See `ops.bitwise_not`.

        >>> print(Tensor([0, 5], ms.int16).invert())
        [-1 -6]
        """
        return ops.bitwise_not(self)

    def isnan(self) -> Tensor:
        """See `ops.isnan`.

        >>> print(Tensor([1.0, float('nan')]).isnan())
        [False  True]
        """
        return ops.isnan(self)

    def isinf(self) -> Tensor:
        """See `ops.isinf`.

        >>> print(Tensor([1.0, float('inf')]).isinf())
        [False  True]
        """
        return ops.isinf(self)

    def isneginf(self) -> Tensor:
        """See `ops.isneginf`.

        >>> print(Tensor([float("-inf"), float("inf"), 1.0]).isneginf())
        [ True False False]
        """
        return ops.isneginf(self)

    def isposinf(self) -> Tensor:
        """See `ops.isposinf`.

        >>> print(Tensor([float("-inf"), float("inf"), 1.0]).isposinf())
        [False  True False]
        """
        return ops.isposinf(self)

    def signbit(self) -> Tensor:
        """See `ops.signbit`.

        >>> print(Tensor([-2.5, 0.0, 3.0]).signbit())
        [ True False False]
        """
        return ops.signbit(self)

    def isclose(
        self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
    ) -> Tensor:
        """See `ops.isclose`.

        >>> print(Tensor([1.0, 2.0]).isclose(Tensor([1.000001, 2.1])))
        [ True False]
        """
        return ops.isclose(self, other, rtol, atol, equal_nan)

    # --- signs, choices and sums of products ----------------------------------------------------

    def sgn(self) -> Tensor:
        """See `ops.sgn`.

        >>> print(Tensor([-2.5, 0.0, 3.0]).sgn())
        [-1.  0.  1.]
        """
        return ops.sgn(self)

    def positive(self) -> Tensor:
        """See `ops.positive`.

        >>> print(Tensor([1.0, -2.0]).positive())
        [ 1. -2.]
        """
        return ops.positive(self)

    def inv(self) -> Tensor:
        """See `ops.inv`.

        >>> print(Tensor([0.25, 2.0]).inv())
        [4.  0.5]
        """
        return ops.inv(self)

    def copysign(self, other: Any) -> Tensor:
        """See `ops.copysign`.

        >>> print(Tensor([1.0, -2.0]).copysign(Tensor([-1.0, 3.0])))
        [-1.  2.]
        """
        return ops.copysign(self, other)

    def fmax(self, other: Any) -> Tensor:
        """See `ops.fmax`.

        >>> print(Tensor([1.0, float("nan")]).fmax(Tensor([2.0, 3.0])))
        [2. 3.]
        """
        return ops.fmax(self, other)

    def fmin(self, other: Any) -> Tensor:
        """See `ops.fmin`.

        >>> print(Tensor([1.0, float("nan")]).fmin(Tensor([2.0, 3.0])))
        [1. 3.]
        """
        return ops.fmin(self, other)

    def heaviside(self, values: Any) -> Tensor:
        """See `ops.heaviside`.

        >>> print(Tensor([-1.5, 0.0, 2.0]).heaviside(Tensor([0.5])))
        [0.  0.5 1. ]
        """
        return ops.heaviside(self, values)

    def nan_to_num(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """See `ops.nan_to_num`.

        >>> print(Tensor([float("nan"), float("inf"), 1.0]).nan_to_num(0.0, 9.0))
        [0. 9. 1.]
        """
        return ops.nan_to_num(self, nan, posinf, neginf)

    def lerp(self, end: Any, weight: Any) -> Tensor:
        """See `ops.lerp`.

        >>> print(Tensor([1.0, 2.0]).lerp(Tensor([3.0, 6.0]), 0.5))
        [2. 4.]
        """
        return ops.lerp(self, end, weight)

    def addcmul(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """See `ops.addcmul`.

        >>> print(ops.ones(2).addcmul(Tensor([4.0, 6.0]), Tensor([2.0, 3.0]), 0.5))
        [ 5. 10.]
        """
        return ops.addcmul(self, tensor1, tensor2, value)

    def addcdiv(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """See `ops.addcdiv`.

        >>> print(ops.ones(2).addcdiv(Tensor([4.0, 6.0]), Tensor([2.0, 3.0]), 0.5))
        [2. 2.]
        """
        return ops.addcdiv(self, tensor1, tensor2, value)

    def hardshrink(self, lambd: float = 0.5) -> Tensor:
        """See `ops.hardshrink`.

        >>> print(Tensor([-1.0, 0.25, 2.0]).hardshrink())
        [-1.  0.  2.]
        """
        return ops.hardshrink(self, lambd)

    def soft_shrink(self, lambd: float = 0.5) -> Tensor:
        """See `ops.softshrink`.

        >>> print(Tensor([-1.0, 0.25, 2.0]).soft_shrink())
        [-0.5  0.   1.5]
        """
        return ops.softshrink(self, lambd)
