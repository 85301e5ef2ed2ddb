"""Reductions as methods of Tensor, with MindSpore's two sets of argument names: `axis` and `keepdims`
(or `keep_dims`) as in numpy, `dim` and `keepdim` as in PyTorch.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from cellgrad import ops as _ops
from cellgrad.core.aliases import Axis, DTypeLike, TensorLike
from cellgrad.core.arguments import argument_error, check_bool
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops.sorting import kth

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


def _one(method: str, axis: Any, dim: Any) -> Any:
    """The dimensions under either name."""
    if isinstance(axis, Tensor):
        raise argument_error(TypeError, method, "axis", "an int or a tuple of ints", axis)
    if axis not in (None, ()) and dim is not None:
        raise error(
            TypeError,
            f"For '{method}', 'axis' and 'dim' are two names of one argument, but got both.",
            f"x.{method}(axis=...)",
        )
    return axis if dim is None else dim


def _less(method: str, ddof: int | None, other: bool, correction: int | None, usual: int) -> int:
    """What the divisor is less by: `ddof`, or in the form that has other names `correction`."""
    if not other and correction is None:
        return 0 if ddof is None else ddof
    if ddof is not None:
        raise error(
            TypeError,
            f"For '{method}', 'ddof' does not go with 'dim', 'correction' and 'keepdim'.",
            f"x.{method}(axis, ddof, keepdims) or x.{method}(dim, correction=..., keepdim=...)",
        )
    return usual if correction is None else correction


class ReductionMethods:
    """Methods."""

    __slots__ = ()

    def sum(
        self,
        axis: Axis = None,
        keepdim: bool | Type | None = False,
        keepdims: bool = False,
        initial: TensorLike | None = None,
        *,
        dim: Axis = None,
        dtype: Type | None = None,
    ) -> Tensor:
        """See `ops.sum`; a dtype in the second place is `dtype`. `initial` is added.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).sum(axis=1))
        [6. 5.]
        """
        if keepdim is None or isinstance(keepdim, Type):
            dtype, keepdim = dtype or keepdim, False
        total = ops.sum(self, _one("sum", axis, dim), keepdims or keepdim, dtype=dtype)
        if initial is not None:
            total = total + initial
        return total if dtype is None else ops.cast(total, dtype)  # type: ignore[no-any-return]

    def mean(
        self,
        axis: Axis = None,
        keep_dims: bool = False,
        *,
        dim: Axis = None,
        keepdim: bool = False,
        dtype: Type | None = None,
    ) -> Tensor:
        """See `ops.mean`; with `dtype` of the elements in that dtype.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).mean(axis=1))
        [3.  2.5]
        """
        of = self if dtype is None else ops.cast(self, dtype)
        return ops.mean(of, _one("mean", axis, dim), keep_dims or keepdim)

    def prod(
        self,
        axis: Axis = None,
        keep_dims: bool = False,
        dtype: Type | None = None,
        *,
        dim: Axis = None,
        keepdim: bool = False,
    ) -> Tensor:
        """See `ops.prod`.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).prod(axis=1))
        [5. 6.]
        """
        return ops.prod(self, _one("prod", axis, dim), keep_dims or keepdim, dtype)

    def nansum(
        self,
        axis: Axis = None,
        keepdims: bool = False,
        *,
        dim: Axis = None,
        keepdim: bool = False,
        dtype: Type | None = None,
    ) -> Tensor:
        """See `ops.nansum`.

        >>> print(Tensor([1.0, float('nan'), 3.0]).nansum())
        4.0
        """
        return ops.nansum(self, _one("nansum", axis, dim), keepdims or keepdim, dtype=dtype)

    def logsumexp(
        self, axis: Axis = None, keepdims: bool = False, *, dim: Axis = None, keepdim: bool = False
    ) -> Tensor:
        """See `ops.logsumexp`.

        >>> print(Tensor([0.0, 0.0]).logsumexp(0))
        0.6931472
        """
        over = _one("logsumexp", axis, dim)
        return ops.logsumexp(self, over, keepdims or keepdim)

    def var(
        self,
        axis: Axis = None,
        ddof: int | None = None,
        keepdims: bool = False,
        *,
        dim: Axis = (),
        correction: int | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        """See `ops.var`. With `dim`, `correction` or `keepdim` the divisor is less by `correction`, 1 by default; else
        by `ddof`, 0 by default.

        Raises:
            TypeError: `ddof` beside one of these.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).var(axis=1))
        [4.   0.25]
        """
        other = dim != ()  # also None, which is given by its name
        less = _less("var", ddof, other or keepdim, correction, 1)
        over = _one("var", axis, dim if other else None)
        return ops.var(self, over, less, keepdims or keepdim)

    def std(
        self,
        axis: Axis = None,
        ddof: int | None = None,
        keepdims: bool = False,
        *,
        dim: Axis = None,
        correction: int | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        """See `ops.std`. The divisor is less by `correction`, or by `ddof`; both are 0 by default, as in MindSpore.

        Raises:
            TypeError: `ddof` beside `dim`, `correction` or `keepdim`.

        >>> print(Tensor([1.0, 3.0]).std())
        1.0
        """
        less = _less("std", ddof, dim is not None or keepdim, correction, 0)
        return ops.std(self, _one("std", axis, dim), less, keepdims or keepdim)

    def all(
        self,
        axis: Axis = None,
        keep_dims: bool = False,
        *,
        dim: Axis = None,
        keepdim: bool = False,
        out: None = None,
    ) -> Tensor:
        """See `ops.all`. `out` is what ``np.all`` of a Tensor gives, None.

        Raises:
            TypeError: `out` is not None.

        >>> print(Tensor([[True, False], [True, True]]).all(axis=1))
        [False  True]
        """
        if out is not None:
            raise argument_error(TypeError, "all", "out", "None", out)
        return ops.all(self, _one("all", axis, dim), keep_dims or keepdim)

    def any(
        self,
        axis: Axis = None,
        keep_dims: bool = False,
        *,
        dim: Axis = None,
        keepdim: bool = False,
        out: None = None,
    ) -> Tensor:
        """See `ops.any`. `out` is what ``np.any`` of a Tensor gives, None.

        Raises:
            TypeError: `out` is not None.

        >>> print(Tensor([[True, False], [False, False]]).any(axis=1))
        [ True False]
        """
        if out is not None:
            raise argument_error(TypeError, "any", "out", "None", out)
        return ops.any(self, _one("any", axis, dim), keep_dims or keepdim)

    def count_nonzero(
        self,
        axis: Axis = (),
        keep_dims: bool = False,
        dtype: DTypeLike | None = None,
        *,
        dim: Axis = None,
    ) -> Tensor:
        """See `ops.count_nonzero`.

        >>> print(Tensor([[0, 1], [2, 3]]).count_nonzero(axis=1))
        [1 2]
        """
        given = {} if dtype is None else {"dtype": dtype}
        return ops.count_nonzero(self, _one("count_nonzero", axis, dim), keep_dims, **given)

    # --- extrema ------------------------------------------------------------------------------

    @overload
    def max(self, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]: ...

    @overload
    def max(
        self,
        dim: tuple[int, ...] | None = None,
        keepdim: bool = False,
        *,
        axis: Axis = None,
        keepdims: bool = False,
        initial: TensorLike | None = None,
        where: TensorLike | None = None,
    ) -> Tensor: ...

    @overload
    def max(
        self,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        axis: int | None = None,
        keepdims: bool = False,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...

    def max(self, dim: Axis = None, keepdim: bool = False, **others: Any) -> Any:
        """``max(dim, keepdim=False)``: the largest elements along one dimension and their positions,
        as `ops.max`; ``max(axis=None, keepdims=False, *, initial=None, where=True,
        return_indices=False)``: the largest elements alone, as `ops.amax`.

        >>> Tensor([1.0, 3.0]).max(0)
        (Tensor(shape=[], dtype=Float32, value= 3), Tensor(shape=[], dtype=Int64, value= 1))
        >>> Tensor([1.0, 3.0]).max(axis=0)
        Tensor(shape=[], dtype=Float32, value= 3)
        """
        return _extremum(self, "max", dim, keepdim, **others)

    @overload
    def min(self, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]: ...

    @overload
    def min(
        self,
        dim: tuple[int, ...] | None = None,
        keepdim: bool = False,
        *,
        axis: Axis = None,
        keepdims: bool = False,
        initial: TensorLike | None = None,
        where: TensorLike | None = None,
    ) -> Tensor: ...

    @overload
    def min(
        self,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        axis: int | None = None,
        keepdims: bool = False,
        return_indices: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...

    def min(self, dim: Axis = None, keepdim: bool = False, **others: Any) -> Any:
        """``min(dim, keepdim=False)``: the smallest elements along one dimension and their positions,
        as `ops.min`; ``min(axis=None, keepdims=False, *, initial=None, where=True,
        return_indices=False)``: the smallest elements alone, as `ops.amin`.

        >>> x = Tensor([[1.0, 5.0], [3.0, 2.0]])
        >>> print(x.min(), x.min(axis=1))
        1.0 [1. 2.]
        """
        return _extremum(self, "min", dim, keepdim, **others)

    def argmax(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        dim: int | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        """See `ops.argmax`.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).argmax(axis=1))
        [1 0]
        """
        return ops.argmax(self, _one("argmax", axis, dim), keepdims or keepdim)

    def argmin(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        dim: int | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        """See `ops.argmin`.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).argmin(axis=1))
        [0 1]
        """
        return ops.argmin(self, _one("argmin", axis, dim), keepdims or keepdim)

    def cumsum(
        self, axis: int | None = None, dtype: Type | None = None, *, dim: int | None = None
    ) -> Tensor:
        """See `ops.cumsum`; of all elements in row-major order without `axis`. Bools, int8, int16
        and uint8 give int32 unless `dtype` says otherwise; sums of floats are rounded at the end.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).cumsum(axis=1))
        [[1. 6.]
         [3. 5.]]
        """
        along = _one("cumsum", axis, dim)
        if self.dtype.name == "bool":  # type: ignore[attr-defined]
            return self.astype("int32").cumsum(along, dtype)  # type: ignore[attr-defined, no-any-return]
        if dtype is None and self.dtype.name in ("int8", "int16", "uint8"):  # type: ignore[attr-defined]
            dtype = ops.selection.dtype_argument("int32", "cumsum")
        x = ops.reshape(self, (-1,)) if along is None else self
        if dtype is not None and dtype.kind in "iu" and self.dtype.kind == "f":  # type: ignore[attr-defined]
            return ops.cast(ops.cumsum(x, along or 0), dtype)  # type: ignore[no-any-return]
        return ops.cumsum(x, along or 0, dtype)

    def ptp(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """The largest elements less the smallest over `axis`; see `ops.amax`.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).ptp(axis=1))
        [4. 1.]
        """
        return ops.sub(ops.amax(self, axis, keepdims), ops.amin(self, axis, keepdims))

    def argmax_with_value(self, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        """The largest elements along `axis` and their positions (int32), in this order, while
        `ops.ArgMaxWithValue` gives the positions first.

        >>> value, index = Tensor([[1.0, 5.0], [3.0, 2.0]]).argmax_with_value(axis=1)
        >>> print(value, index)
        [5. 3.] [1 0]
        """
        index, value = ops.ArgMaxWithValue(axis, keep_dims)(self)
        return value, index

    def argmin_with_value(self, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        """The smallest elements along `axis` and their positions (int32), in this order, while
        `ops.ArgMinWithValue` gives the positions first.

        >>> value, index = Tensor([[1.0, 5.0], [3.0, 2.0]]).argmin_with_value(axis=1)
        >>> print(value, index)
        [1. 2.] [0 1]
        """
        index, value = ops.ArgMinWithValue(axis, keep_dims)(self)
        return value, index

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        """The `k`-th smallest elements along `dim` and their positions (int64).

        Raises:
            ValueError: `k` or `dim` out of range.

        >>> value, index = Tensor([3.0, 1.0, 2.0]).kthvalue(2)
        >>> print(value, index)
        2.0 2
        """
        return kth(self, k, dim, keepdim)  # type: ignore[arg-type]


_BY_AXIS = ("axis", "keepdims", "initial", "where", "return_indices")


def _extremum(x: Any, method: str, dim: Any, keepdim: Any, **others: Any) -> Any:
    """MindSpore's choice among its two signatures: an int in the first place, with no argument that
    only the other one has, asks for positions as well.
    """
    for name in others:
        if name not in _BY_AXIS:
            raise error(
                TypeError,
                f"For '{method}', there is no argument '{name}'.",
                f"x.{method}(dim, keepdim=False), or x.{method}(axis=None, keepdims=False, "
                "initial=None, where=True, return_indices=False)",
            )
    axis = _one(method, others.get("axis"), dim)
    keep = keepdim or others.get("keepdims", False)
    check_bool(others.get("return_indices", False), method, "return_indices")
    chosen = {name: others.get(name) for name in ("initial", "where")}
    if chosen["where"] is True:
        chosen["where"] = None
    if others.get("return_indices") or (isinstance(dim, (int, np.integer)) and not others):
        return getattr(ops, method)(x, axis, keep, **chosen)
    return getattr(ops, "a" + method)(x, axis, keep, **chosen)
