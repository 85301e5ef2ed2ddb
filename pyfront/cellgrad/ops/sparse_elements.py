"""Functions of the elements of sparse tensors; see `sparse`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import (
    argument_error,
    check_instance,
    check_int,
    check_same_dtype,
    check_sequence,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import either, error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.gathering import gather, needs_elements
from cellgrad.ops.joining import concat
from cellgrad.ops.segments import unsorted_segment_max, unsorted_segment_sum
from cellgrad.ops.selection import cast, div, stop_gradient
from cellgrad.ops.sparse import UNKNOWN, COOTensor, CSRTensor, as_csr

# --- functions of elements ------------------------------------------------------------------------

_ELEMENTWISE = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log
    log1p neg relu relu6 round sigmoid sin sinh softsign sqrt square tan tanh
"""


_EXAMPLES: dict[type, str] = {
    COOTensor: """>>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (1, 2))
>>> ops.{}(x).shape
(1, 2)
""",
    CSRTensor: """>>> x = ms.CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([1.0]), (1, 2))
>>> ops.{}(x).shape
(1, 2)
""",
}


def _of_elements(name: str, kind: type, function: Callable[..., Tensor]) -> Callable[[Any], Any]:
    def applied(x: Any) -> Any:
        check_instance(x, name, "x", kind)
        return x._with(function(x.values))

    applied.__name__ = applied.__qualname__ = name
    applied.__annotations__ = {"x": kind.__name__, "return": kind.__name__}
    applied.__doc__ = (
        f"`ops.{function.__name__}` of the elements that a {kind.__name__} stores.\n\n"
        f"Raises:\n    TypeError: `x` is no {kind.__name__}.\n\n{_EXAMPLES[kind].format(name)}"
    )
    return applied


def elementwise(namespace: dict[str, Any]) -> dict[str, Callable[[Any], Any]]:
    """``coo_abs``, ``csr_abs`` and the like, of the functions in a namespace."""
    return {
        f"{short}_{name}": _of_elements(f"{short}_{name}", kind, namespace[name])
        for short, kind in (("coo", COOTensor), ("csr", CSRTensor))
        for name in _ELEMENTWISE.split()
    }


# --- others ---------------------------------------------------------------------------------------


@public()
def coo_concat(sp_input: Sequence[COOTensor], concat_dim: int = 0) -> COOTensor:
    """Sparse tensors one behind the other along a dimension; elements in the order of places.

    Raises:
        TypeError: no COOTensors, elements of two dtypes, or places that are not known while compiling.
        ValueError: less than two, a dimension out of range, or shapes that do not fit.

    >>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (1, 2))
    >>> print(ops.coo_concat((x, x), 1).to_dense())
    [[0. 1. 0. 1.]]
    """
    parts = check_sequence(sp_input, "coo_concat", "sp_input", "COOTensors", COOTensor)
    if len(parts) < 2:
        raise argument_error(ValueError, "coo_concat", "sp_input", "at least two", len(parts))
    first = parts[0]
    d = check_int(concat_dim, "coo_concat", "concat_dim")
    if not -first.ndim <= d < first.ndim:
        allowed = f"in [{-first.ndim}, {first.ndim})"
        kind = either(IndexError, ValueError)
        raise argument_error(kind, "coo_concat", "concat_dim", allowed, d)
    d %= first.ndim
    places, total = [], 0
    for x in parts:
        if x.shape[:d] != first.shape[:d] or x.shape[d + 1 :] != first.shape[d + 1 :]:
            kind = either(ValueError, RuntimeError)
            raise error(kind, f"For 'coo_concat', {x.shape} and {first.shape} do not fit.")
        check_same_dtype(first.values, x.values, "coo_concat", ("the first", "another"))
        shift = np.eye(x.ndim, dtype=np.int64)[d] * total
        places.append(cast(x.indices, mstype.int64) + known(shift, mstype.int64))
        total += x.shape[d]
    shape = (*first.shape[:d], total, *first.shape[d + 1 :])
    at = cast(concat(tuple(places), 0), first.indices.dtype)
    joined = COOTensor(at, concat(tuple(x.values for x in parts), 0), shape)
    rows = needs_elements(joined.indices, "coo_concat", UNKNOWN)
    order = known(np.lexsort(rows.T[::-1]), mstype.int32)
    return COOTensor(gather(at, order, 0), gather(joined.values, order, 0), shape)


@public()
def csr_mul(x: CSRTensor, y: Tensor) -> Tensor:
    """The elements of a sparse tensor times those of a dense one that broadcasts to it, [n].

    Raises:
        TypeError: no CSRTensor and Tensor.
        ValueError: shapes that do not broadcast.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
    >>> print(ops.csr_mul(x, Tensor([[1.0], [10.0]])))
    [ 2. 30.]
    """
    given = as_csr(x, "csr_mul", "x")
    return given.values * given._at(y, "mul")


@public()
def csr_div(x: CSRTensor, y: Tensor) -> Tensor:
    """The elements of a sparse tensor over those of a dense one that broadcasts to it, [n].

    Raises:
        TypeError: no CSRTensor and Tensor.
        ValueError: shapes that do not broadcast.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
    >>> print(ops.csr_div(x, Tensor([[1.0], [2.0]])))
    [2.  1.5]
    """
    given = as_csr(x, "csr_div", "x")
    return div(given.values, given._at(y, "div"))


@public()
def csr_softmax(logits: CSRTensor, dtype: Type) -> CSRTensor:
    """The softmax of each row, of the elements that are stored.

    Raises:
        TypeError: no CSRTensor, or elements of another dtype than `dtype`.
        ValueError: other than two dimensions.

    >>> x = ms.CSRTensor(Tensor([0, 2, 3]), Tensor([0, 1, 0]), Tensor([1.0, 1.0, 3.0]), (2, 2))
    >>> print(ops.csr_softmax(x, ms.float32).values)
    [0.5 0.5 1. ]
    """
    x = as_csr(logits, "csr_softmax", "logits")
    if x.dtype is not dtype or dtype.kind != "f":
        raise argument_error(
            TypeError, "csr_softmax", "dtype", f"that of the elements, {x.dtype}", dtype
        )
    if x.ndim != 2:
        raise argument_error(ValueError, "csr_softmax", "shape", "of two dimensions", x.shape)
    own, count = cast(x._rows(), mstype.int32), x.shape[0]
    highest = unsorted_segment_max(stop_gradient(x.values), own, count)
    apart = gen.exp(x.values - gather(highest, own, 0))
    total = unsorted_segment_sum(apart, own, count)
    return x._with(div(apart, gather(total, own, 0)))


@public()
def csr_to_dense(csr_tensor: CSRTensor) -> Tensor:
    """A sparse tensor with all elements.

    Raises:
        TypeError: no CSRTensor.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([1.0, 2.0]), (2, 2))
    >>> print(ops.csr_to_dense(x))
    [[0. 1.]
     [2. 0.]]
    """
    return as_csr(csr_tensor, "csr_to_dense").to_dense()
