"""The numbers next to others."""

from __future__ import annotations

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_same_dtype
from cellgrad.core.record import check_tensor, emit, operation, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public
from cellgrad.ops.selection import select


@public(
    "ops.NextAfter",
    "Tensor.nextafter",
)
@operation
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The number next to `input` in the direction of `other`, of those that the dtype has; `other` where
    the two are equal.

    By the sums of Rump, Zimmermann, Boldo and Melquiond (2009), "Computing predecessor and successor in
    rounding to nearest". The derivative by `input` is 1, that by `other` 0.

    Args:
        input: float32 or float64.
        other: of the same dtype, and a shape that broadcasts with it.

    Raises:
        TypeError: no Tensors, another dtype, or two.
        ValueError: shapes that do not broadcast.

    >>> x = Tensor([1.0, 2.0])
    >>> print(ops.nextafter(x, x + 1) > x, ops.nextafter(x, x) == x)
    [ True  True] [ True  True]
    """
    op = "nextafter"
    x, y = check_tensor(input, op, "input"), check_tensor(other, op, "other")
    check_same_dtype(x, y, op, ("input", "other"))
    if x.dtype not in (mstype.float32, mstype.float64):
        raise argument_error(TypeError, op, "input", "of float32 or float64", x)
    info = np.finfo(x.dtype.name)
    least, unit = float(info.smallest_subnormal), float(info.eps) / 2
    flat = emit("cell.stop_gradient", [x])
    way = select(gen.greater(y, flat), *(splat(v, x.dtype, ()) for v in (1, -1)))
    size, wide = gen.abs(flat), unit * (1 + 2 * unit)
    out = flat + way * (size * wide)
    # The step is no whole number of the least ones for small numbers, which are made larger.
    scaled = (flat / unit + way * (size / unit * wide)) * unit
    out = select(gen.less(size, least / unit / unit / 2), scaled, out)
    out = select(gen.less(size, least / unit), flat + way * least, out)
    out = select(gen.isinf(flat), gen.sign(flat) * float(info.max), out)
    out = select(gen.isnan(y), y, select(gen.equal(flat, y), y, out))
    out = emit("cell.stop_gradient", [out])
    return select(gen.isfinite(x), x + (out - flat), out)
