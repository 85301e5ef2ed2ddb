"""Methods of Tensor for arithmetic, elementary functions, comparisons and logic, in terms of
``cellgrad.ops``.
"""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


def _is_one(factor: Any) -> bool:
    return isinstance(factor, int) and factor == 1


class ArithmeticMethods:
    """Methods."""

    __slots__ = ()

    def abs(self) -> Tensor:
        """See `ops.abs`.

        >>> print(Tensor([-1.5, 2.0]).abs())
        [1.5 2. ]
        """
        return ops.abs(self)

    absolute = abs

    def neg(self) -> Tensor:
        """See `ops.neg`.

        >>> print(Tensor([-1.5, 2.0]).neg())
        [ 1.5 -2. ]
        """
        return ops.neg(self)

    def negative(self) -> Tensor:
        """See `ops.neg`.

        >>> print(Tensor([-1.5, 2.0]).negative())
        [ 1.5 -2. ]
        """
        return ops.neg(self)

    def exp(self) -> Tensor:
        """See `ops.exp`.

        >>> print(Tensor([0.0, 1.0]).exp())
        [1.        2.7182817]
        """
        return ops.exp(self)

    def log(self) -> Tensor:
        """See `ops.log`.

        >>> print(Tensor([1.0, 2.0]).log())
        [0.        0.6931472]
        """
        return ops.log(self)

    def sqrt(self) -> Tensor:
        """See `ops.sqrt`.

        >>> print(Tensor([0.25, 4.0]).sqrt())
        [0.5 2. ]
        """
        return ops.sqrt(self)

    def rsqrt(self) -> Tensor:
        """See `ops.rsqrt`.

        >>> print(Tensor([0.25, 4.0]).rsqrt())
        [2.  0.5]
        """
        return ops.rsqrt(self)

    def square(self) -> Tensor:
        """See `ops.square`.

        >>> print(Tensor([-1.5, 2.0]).square())
        [2.25 4.  ]
        """
        return ops.square(self)

    def reciprocal(self) -> Tensor:
        """See `ops.reciprocal`.

        >>> print(Tensor([0.5, 4.0]).reciprocal())
        [2.   0.25]
        """
        return ops.reciprocal(self)

    def sign(self) -> Tensor:
        """See `ops.sign`.

        >>> print(Tensor([-1.5, 2.0]).sign())
        [-1.  1.]
        """
        return ops.sign(self)

    def sin(self) -> Tensor:
        """See `ops.sin`.

        >>> print(Tensor([0.0, 1.0]).sin())
        [0.         0.84147096]
        """
        return ops.sin(self)

    def cos(self) -> Tensor:
        """See `ops.cos`.

        >>> print(Tensor([0.0, 1.0]).cos())
        [1.        0.5403023]
        """
        return ops.cos(self)

    def tan(self) -> Tensor:
        """See `ops.tan`.

        >>> print(Tensor([0.0, 1.0]).tan())
        [0.        1.5574077]
        """
        return ops.tan(self)

    def sinh(self) -> Tensor:
        """See `ops.sinh`.

        >>> print(Tensor([0.0, 1.0]).sinh())
        [0.        1.1752012]
        """
        return ops.sinh(self)

    def cosh(self) -> Tensor:
        """See `ops.cosh`.

        >>> print(Tensor([0.0, 1.0]).cosh())
        [1.        1.5430807]
        """
        return ops.cosh(self)

    def tanh(self) -> Tensor:
        """See `ops.tanh`.

        >>> print(Tensor([0.0, 1.0]).tanh())
        [0.        0.7615942]
        """
        return ops.tanh(self)

    def atanh(self) -> Tensor:
        """See `ops.atanh`.

        >>> print(Tensor([0.0, 0.5]).atanh())
        [0.         0.54930615]
        """
        return ops.atanh(self)

    arctanh = atanh

    def sigmoid(self) -> Tensor:
        """See `ops.sigmoid`.

        >>> print(Tensor([0.0, 1.0]).sigmoid())
        [0.5       0.7310586]
        """
        return ops.sigmoid(self)

    def isfinite(self) -> Tensor:
        """See `ops.isfinite`.

        >>> print(Tensor([1.0, float('inf')]).isfinite())
        [ True False]
        """
        return ops.isfinite(self)

    def softmax(self, axis: int = -1, dtype: Type | None = None) -> Tensor:
        """See `ops.softmax`.

        >>> print(Tensor([0.0, 0.0]).softmax(0))
        [0.5 0.5]
        """
        return ops.softmax(self, axis, dtype=dtype)

    def add(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """The tensor plus `alpha` times `other`; see `ops.add`.

        >>> print(Tensor([1.0, 2.0]).add(Tensor([3.0, 4.0]), alpha=2))
        [ 7. 10.]
        """
        return ops.add(self, other if _is_one(alpha) else ops.mul(alpha, other))

    def sub(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """The tensor minus `alpha` times `other`; see `ops.sub`.

        >>> print(Tensor([1.0, 2.0]).sub(Tensor([3.0, 4.0]), alpha=2))
        [-5. -6.]
        """
        return ops.sub(self, other if _is_one(alpha) else ops.mul(alpha, other))

    subtract = sub

    def mul(self, other: Any) -> Tensor:
        """See `ops.mul`.

        >>> print(Tensor([1.0, 2.0]).mul(Tensor([3.0, 4.0])))
        [3. 8.]
        """
        return ops.mul(self, other)

    def multiply(self, value: Any) -> Tensor:
        """See `ops.mul`.

        >>> print(Tensor([1.0, 2.0]).multiply(3.0))
        [3. 6.]
        """
        return ops.mul(self, value)

    def div(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """See `ops.div`.

        >>> print(Tensor([7.0, -7.0]).div(2.0, rounding_mode="trunc"))
        [ 3. -3.]
        """
        return ops.div(self, other, rounding_mode=rounding_mode)

    divide = div

    def true_divide(self, other: Any) -> Tensor:
        """See `ops.true_divide`.

        >>> print(Tensor([7.0, -7.0]).true_divide(2.0))
        [ 3.5 -3.5]
        """
        return ops.div(self, other)

    def pow(self, exponent: Any) -> Tensor:
        """See `ops.pow`.

        >>> print(Tensor([2.0, 3.0]).pow(2))
        [4. 9.]
        """
        return ops.pow(self, exponent)

    def maximum(self, other: Any) -> Tensor:
        """See `ops.maximum`.

        >>> print(Tensor([1.0, 2.0]).maximum(Tensor([2.0, 2.0])))
        [2. 2.]
        """
        return ops.maximum(self, other)

    def minimum(self, other: Any) -> Tensor:
        """See `ops.minimum`.

        >>> print(Tensor([1.0, 2.0]).minimum(Tensor([2.0, 2.0])))
        [1. 2.]
        """
        return ops.minimum(self, other)

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """See `ops.clip`.

        >>> print(Tensor([-1.0, 0.5, 3.0]).clip(0.0, 1.0))
        [0.  0.5 1. ]
        """
        return ops.clip(self, min, max)

    clamp = clip

    def equal(self, other: Any) -> Tensor:
        """See `ops.equal`.

        >>> print(Tensor([1, 2, 3]).equal(Tensor([2, 2, 2])))
        [False  True False]
        """
        return ops.equal(self, other)

    eq = equal

    def not_equal(self, other: Any) -> Tensor:
        """See `ops.not_equal`.

        >>> print(Tensor([1, 2, 3]).not_equal(Tensor([2, 2, 2])))
        [ True False  True]
        """
        return ops.not_equal(self, other)

    ne = not_equal

    def less(self, other: Any) -> Tensor:
        """See `ops.less`.

        >>> print(Tensor([1, 2, 3]).less(Tensor([2, 2, 2])))
        [ True False False]
        """
        return ops.less(self, other)

    lt = less

    def less_equal(self, other: Any) -> Tensor:
        """See `ops.less_equal`.

        >>> print(Tensor([1, 2, 3]).less_equal(Tensor([2, 2, 2])))
        [ True  True False]
        """
        return ops.less_equal(self, other)

    le = less_equal

    def greater(self, other: Any) -> Tensor:
        """See `ops.greater`.

        >>> print(Tensor([1, 2, 3]).greater(Tensor([2, 2, 2])))
        [False False  True]
        """
        return ops.greater(self, other)

    gt = greater

    def greater_equal(self, other: Any) -> Tensor:
        """See `ops.greater_equal`.

        >>> print(Tensor([1, 2, 3]).greater_equal(Tensor([2, 2, 2])))
        [False  True  True]
        """
        return ops.greater_equal(self, other)

    ge = greater_equal

    def logical_and(self, other: Any) -> Tensor:
        """See `ops.logical_and`.

        >>> print(Tensor([True, False]).logical_and(Tensor([True, True])))
        [ True False]
        """
        return ops.logical_and(self, other)

    def logical_or(self, other: Any) -> Tensor:
        """See `ops.logical_or`.

        >>> print(Tensor([True, False]).logical_or(Tensor([False, False])))
        [ True False]
        """
        return ops.logical_or(self, other)

    def logical_not(self) -> Tensor:
        """See `ops.logical_not`.

        >>> print(Tensor([True, False]).logical_not())
        [False  True]
        """
        return ops.logical_not(self)

    def where(self, condition: Any, y: Any = None, *, other: Any = None) -> Tensor:
        """The tensor's elements where `condition` holds, those of `y` (or `other`) elsewhere.

        >>> print(Tensor([1, 2]).where(Tensor([True, False]), Tensor([3, 4])))
        [1 4]
        """
        return ops.where(condition, self, y if other is None else other)

    def select(self, condition: Any, y: Any) -> Tensor:
        """``select(condition, y)``: the tensor's elements where `condition` holds, `y`'s elsewhere;
        ``select(dim, index)``: the part at `index` along dimension `dim`.

        >>> print(Tensor([1, 2]).select(Tensor([True, False]), Tensor([3, 4])))
        [1 4]
        """
        if not isinstance(condition, int):
            return ops.select(condition, self, y)
        where = condition % max(self.ndim, 1)  # type: ignore[attr-defined]
        return ops.getitem(self, (slice(None),) * where + (y,))
