"""Tensors scaled by norms, and norms with a floor."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis
from cellgrad.core.arguments import check_bool, check_int, check_ndim, check_number
from cellgrad.core.errors import error
from cellgrad.core.record import axes_of, axis_of, check_float, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.selection import select
from cellgrad.ops.statistics import _power_norm


@public()
class L2Normalize(Primitive):
    """``x / sqrt(max(sum(x**2), epsilon))`` along dimensions.

    Raises:
        TypeError: `axis` or `epsilon` of another kind.
        ValueError: an axis out of range.

    >>> print(ops.L2Normalize(axis=-1)(Tensor([[3.0, 4.0]])))
    [[0.6 0.8]]
    """

    def __init__(self, axis: Axis = 0, epsilon: float = 1e-4):
        super().__init__()
        axis = tuple(axis) if isinstance(axis, list) else axis
        self.axis: Any = axis
        self.epsilon = float(check_number(epsilon, self.name, "epsilon"))

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = _unit(check_float(x, self.name, "x"), self.axis, self.epsilon)
        return out


@operation
def _unit(x: Tensor, axis: Any, epsilon: float) -> Tensor:
    axes = axes_of(axis, x.ndim, "L2Normalize")
    return x * gen.rsqrt(gen.maximum(gen.square(x).sum(axes, keepdims=True), epsilon))


@public()
class LpNorm(Primitive):
    """Norms along dimensions: the `p`-th root of the sum of `p`-th powers, at least `epsilon`.

    Raises:
        TypeError: arguments of another kind.
        ValueError: an axis out of range.

    >>> print(ops.LpNorm(axis=0, p=1)(Tensor([3.0, -4.0])))
    7.0
    """

    def __init__(self, axis: Axis, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12):
        super().__init__()
        self.axis: Any = tuple(axis) if isinstance(axis, list) else axis
        self.p = check_int(p, self.name, "p", at_least=0)
        self.keep_dims = check_bool(keep_dims, self.name, "keep_dims")
        self.epsilon = float(check_number(epsilon, self.name, "epsilon"))

    def __call__(self, input: Tensor) -> Tensor:
        x = check_float(input, self.name, "input")
        out: Tensor = _floored(x, self.axis, self.p, self.keep_dims, self.epsilon)
        return out


@operation
def _floored(x: Tensor, axis: Any, p: int, keep: bool, epsilon: float) -> Tensor:
    return gen.maximum(_power_norm(x, float(p), axes_of(axis, x.ndim, "LpNorm"), keep), epsilon)


@public()
class EuclideanNorm(Primitive):
    """Roots of sums of squares along dimensions, which are known while compiling.

    Raises:
        ValueError: an axis out of range.

    >>> print(ops.EuclideanNorm()(Tensor([[3.0, 4.0]]), Tensor([1])))
    [5.]
    """

    def __init__(self, keep_dims: bool = False):
        super().__init__()
        self.keep_dims = check_bool(keep_dims, self.name, "keep_dims")

    def __call__(self, x: Tensor, axes: Axis) -> Tensor:
        if isinstance(axes, Tensor):
            axes = tuple(elements(axes, "'axes' of EuclideanNorm").reshape(-1).tolist())
        out: Tensor = _floored(check_float(x, self.name, "x"), axes, 2, self.keep_dims, 0.0)
        return out


@public("ops.Renorm(p, dim, maxnorm)(x) = ops.renorm(x, p, dim, maxnorm)", "Tensor.renorm")
@operation
def renorm(input: Tensor, p: float, axis: int, maxnorm: float) -> Tensor:
    """Each part along `axis` scaled so that its `p`-norm is at most `maxnorm`.

    Raises:
        TypeError: arguments of another kind.
        ValueError: `axis` out of range, or `p` or `maxnorm` not positive.

    >>> print(ops.renorm(Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0))
    [[0.6 0.8]
     [0.3 0.4]]
    """
    x = check_tensor(input, "renorm", "input")
    size = gen.abs(x) if x.dtype.kind == "c" else check_float(x, "renorm", "input")
    order = float(check_number(p, "renorm", "p"))
    most = float(check_number(maxnorm, "renorm", "maxnorm"))
    if order <= 0 or most < 0:
        raise error(
            ValueError, f"For 'renorm', 'p' and 'maxnorm' must be positive, but got {p}, {maxnorm}."
        )
    d = axis_of(axis, x.ndim, "renorm")
    norms = _power_norm(size, order, tuple(k for k in range(x.ndim) if k != d), True)
    over = gen.greater(norms, most)
    return x * select(over, most / select(over, norms, 1.0), 1.0)


@public("ops.Pdist(p)(x)")
@operation
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """`p`-norms of the differences of all pairs of rows, in the order (0, 1), (0, 2), ....

    Raises:
        TypeError: `p` is not a number.
        ValueError: `p` below 0, or a tensor of less than two dimensions.

    >>> print(ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])))
    [5.        1.        4.2426405]
    """
    x = check_ndim(
        check_float(check_tensor(input, "pdist", "input"), "pdist", "input"),
        "pdist",
        "input",
        at_least=2,
    )
    order = float(check_number(p, "pdist", "p", at_least=0))
    n = x.shape[-2]
    listed = np.array(list(itertools.combinations(range(n), 2)), np.int32).reshape(-1, 2)
    first, second = (gathered(x, known(listed[:, i], mstype.int32), x.ndim - 2) for i in range(2))
    return _power_norm(first - second, order, (x.ndim - 1,), False)
