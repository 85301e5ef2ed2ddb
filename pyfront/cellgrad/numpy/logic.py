"""Tests, choices by them, and sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, DTypeLike, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_bool
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn

__all__ = [
    "argwhere",
    "array_equal",
    "array_equiv",
    "choose",
    "in1d",
    "intersect1d",
    "isclose",
    "isin",
    "isscalar",
    "piecewise",
    "promote_types",
    "result_type",
    "select",
    "setdiff1d",
    "unique",
    "where",
]


def isscalar(element: ArrayLike) -> bool:
    """Whether an object is a number, bool or str, and no Tensor.

    >>> numpy.isscalar(3.1)
    True
    """
    return isinstance(element, bool | int | float | str)


def isclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether elements differ by no more than ``atol + rtol * abs(b)``.

    >>> print(numpy.isclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.1])))
    [ True False]
    """
    first, second = hn.like(a, b, "isclose"), hn.like(b, a, "isclose")
    if not hn.is_float(first):
        first, second = hn.floating(first), hn.floating(second)
    return ops.isclose(first, second, rtol, atol, equal_nan)


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Tensor:
    """Whether two arrays have one shape and the same elements.

    Raises:
        TypeError: `equal_nan` is no bool.

    >>> print(numpy.array_equal([1, 2], [1, 2]))
    True
    """
    a, b = hn.array(a1, "array_equal", "a1"), hn.array(a2, "array_equal", "a2")
    check_bool(equal_nan, "array_equal", "equal_nan")
    if a.shape != b.shape:
        return Tensor(False)
    same = ops.equal(a, b)
    if equal_nan:
        both = ops.logical_and(ops.isnan(hn.floating(a)), ops.isnan(hn.floating(b)))
        same = ops.logical_or(same, both)
    return same.all()


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """Whether two arrays broadcast, and have the same elements then.

    >>> print(numpy.array_equiv([1, 2], [[1, 2], [1, 2]]))
    True
    """
    a, b = hn.array(a1, "array_equiv", "a1"), hn.array(a2, "array_equiv", "a2")
    try:
        hn.broadcast_shape("array_equiv", a.shape, b.shape)
    except ValueError:
        return Tensor(False)
    return ops.equal(a, b).all()


# --- dtypes -------------------------------------------------------------------------------------


def promote_types(type1: DTypeLike, type2: DTypeLike) -> Type:
    """The dtype that elements of two dtypes have together.

    Raises:
        TypeError: no dtypes.

    >>> numpy.promote_types(ms.float32, ms.float64)
    cellgrad.float64
    """
    return _together(hn.dtype_of(type1), hn.dtype_of(type2))


def _together(a: Type, b: Type) -> Type:
    """The dtype of both; unlike operations, of an unsigned dtype and another one as well."""
    kinds = {a.kind, b.kind}
    if "u" in kinds and kinds <= {"u", "i"}:
        found = np.promote_types(mstype.to_numpy(a), mstype.to_numpy(b))
        return cast(Type, mstype.from_numpy(found))
    if kinds == {"u", "f"}:
        return a if a.kind == "f" else b
    return mstype.promote(a, b)


def result_type(*arrays_and_dtypes: Any) -> Type:
    """The dtype that arrays, numbers and dtypes have together.

    Raises:
        TypeError: anything else.

    >>> numpy.result_type("int16", ms.float32, 1)
    cellgrad.float32
    """
    found: list[Type] = []
    for value in arrays_and_dtypes:
        if isinstance(value, Tensor | bool | int | float):
            found.append(hn.array(value).dtype)
        else:
            found.append(hn.dtype_of(value, "result_type"))
    kind = found[0]
    for other in found[1:]:
        kind = _together(kind, other)
    return kind


# --- choices ------------------------------------------------------------------------------------


def where(condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None) -> Tensor:
    """The elements of `x` where the condition is true, of `y` elsewhere, in a dtype of both.

    Raises:
        TypeError: `x` or `y` is missing.
        ValueError: shapes that do not broadcast.

    >>> print(numpy.where(Tensor([True, False]), Tensor([1, 2]), Tensor([3, 4])))
    [1 4]
    """
    test = ops.cast(hn.array(condition, "where", "condition"), mstype.bool_)
    first, second = cast(ArrayLike, x), cast(ArrayLike, y)
    hn.array(first, "where", "x"), hn.array(second, "where", "y")
    a, b = hn.like(first, second, "where"), hn.like(second, first, "where")
    shape = hn.broadcast_shape("where", test.shape, a.shape, b.shape)
    return ops.where(*(ops.broadcast_to(v, shape) for v in (test, a, b)))


def select(condlist: ArrayLike, choicelist: ArrayLike, default: ArrayLike = 0) -> Tensor:
    """The elements of the first choice whose condition is true, `default` where none is.

    Raises:
        ValueError: not as many choices as conditions, or none.

    >>> print(numpy.select([[True, False], [True, True]], [[1, 2], [3, 4]]))
    [1 4]
    """
    tests, choices = (
        hn.array(condlist, "select", "condlist"),
        hn.array(choicelist, "select", "choicelist"),
    )
    if tests.ndim == 0 or choices.ndim == 0 or tests.shape[0] != choices.shape[0]:
        raise error(ValueError, "For 'select', there must be a choice for each condition.")
    shape = hn.broadcast_shape("select", tests.shape[1:], choices.shape[1:])
    out = ops.broadcast_to(ops.cast(hn.array(default, "select", "default"), choices.dtype), shape)
    for i in range(tests.shape[0])[::-1]:
        out = where(tests[i], choices[i], out)
    return out


def choose(a: ArrayLike, choices: ArrayLike, mode: str = "clip") -> Tensor:
    """The elements of the choices whose numbers are in `a`; a number out of range is the nearest one,
    or with the mode "wrap" counted around.

    Raises:
        ValueError: numbers that are no integers, or another mode.
        NotImplementedError: the mode "raise".

    >>> print(numpy.choose(Tensor([1, 0]), [[1, 2], [3, 4]]))
    [3 2]
    """
    index = hn.array(a, "choose", "a")
    if index.dtype.kind not in "iu":
        raise argument_error(ValueError, "choose", "a", "integers", a)
    if isinstance(choices, tuple | list):
        parts = [hn.array(c, "choose", "choices") for c in choices]
    else:
        parts = list(ops.unbind(check_tensor(choices, "choose", "choices")))
    shape = hn.broadcast_shape("choose", index.shape, *(p.shape for p in parts))
    parts = [ops.broadcast_to(p, shape) for p in hn.of_one_dtype(parts)]
    number = within(ops.broadcast_to(index, shape), len(parts), mode, "choose")
    return ops.squeeze(ops.gather_d(ops.stack(parts), 0, ops.expand_dims(number, 0)), 0)


def within(index: Tensor, count: int, mode: str, op: str) -> Tensor:
    """Numbers in [0, count): "clip" takes the nearest one, "wrap" counts around."""
    if mode == "raise":
        raise hn.unsupported(op, "the mode 'raise'", "write mode='clip' or mode='wrap'")
    if mode not in ("clip", "wrap"):
        raise argument_error(ValueError, op, "mode", "'clip' or 'wrap'", mode)
    return ops.clamp(index, 0, count - 1) if mode == "clip" else ops.floor_mod(index, count)


def piecewise(
    x: ArrayLike,
    condlist: ArrayLike,
    funclist: Sequence[Any],
    *args: object,
    **kw: object,
) -> Tensor:
    """The values of functions, or numbers, where their conditions are true; one more than there are
    conditions is for where none is true.

    Raises:
        ValueError: not as many functions as conditions, or one more.

    >>> print(numpy.piecewise(Tensor([-1.0, 2.0]), [Tensor([True, False])], [0.0, 1.0]))
    [0. 1.]
    """
    given = hn.array(x, "piecewise")
    listed = condlist if isinstance(condlist, tuple | list) else [condlist]
    tests = [hn.array(c, "piecewise", "condlist") for c in listed]
    values = [f(given, *args, **kw) if isinstance(f, Callable) else f for f in funclist]  # type: ignore[arg-type]
    if len(values) - len(tests) not in (0, 1):
        raise error(
            ValueError, "For 'piecewise', there must be a function for each condition, or one more."
        )
    default = values.pop() if len(values) > len(tests) else 0
    choices = hn.of_one_dtype([hn.array(v, "piecewise", "funclist") for v in values])
    shape = hn.broadcast_shape("piecewise", *(c.shape for c in choices))
    return select(
        hn.stacked(tests, 0, "piecewise"),
        ops.stack([ops.broadcast_to(c, shape) for c in choices]),
        default,
    )


# --- sets ---------------------------------------------------------------------------------------


def in1d(ar1: ArrayLike, ar2: ArrayLike, invert: bool = False) -> Tensor:
    """Whether each element of the first array, flattened, is in the second one, or is not.

    >>> print(numpy.in1d([0, 1, 2], [2, 0]))
    [ True False  True]
    """
    a, b = hn.array(ar1, "in1d", "ar1"), hn.array(ar2, "in1d", "ar2")
    found = ops.equal(a.reshape((-1, 1)), b.reshape((1, -1))).any(1)
    return ops.logical_not(found) if invert else found


def isin(element: ArrayLike, test_elements: ArrayLike, invert: bool = False) -> Tensor:
    """Whether each element is in the other array, or is not.

    >>> print(numpy.isin([[0, 1], [2, 3]], [2, 0]))
    [[ True False]
     [ True False]]
    """
    x = hn.array(element, "isin", "element")
    return in1d(x, test_elements, invert).reshape(x.shape)


def unique(x: Tensor, return_inverse: bool = False) -> TensorOrTensors:
    """The different elements in the order in which they come, and where each element is among them.

    Works outside of compiled code, as the shape depends on the elements.

    Raises:
        TypeError: no Tensor.

    >>> print(numpy.unique(Tensor([3, 1, 3])))
    [3 1]
    """
    found = ops.unique(hn.only(x, "unique").reshape(-1))
    return tuple(found) if return_inverse else found[0]


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Tensor:
    """The elements of the first array that are not in the second one, in order.

    Works outside of compiled code, as the shape depends on the elements.

    Raises:
        TypeError: `assume_unique` is no bool.

    >>> print(numpy.setdiff1d([1, 2, 3], [2]))
    [1 3]
    """
    check_bool(assume_unique, "setdiff1d", "assume_unique")
    a, b = hn.array(ar1, "setdiff1d", "ar1").reshape(-1), hn.array(ar2, "setdiff1d", "ar2")
    if not assume_unique:
        a = ops.sort(ops.unique(a)[0])[0]
    return ops.masked_select(a, in1d(a, b, True))


def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> TensorOrTensors:
    """The elements that are in both arrays, in order, and the first places of each.

    Works outside of compiled code, as the shape depends on the elements.

    Raises:
        TypeError: `assume_unique` or `return_indices` is no bool.

    >>> print(numpy.intersect1d([1, 3, 4, 3], [3, 1, 2]))
    [1 3]
    """
    check_bool(assume_unique, "intersect1d", "assume_unique")
    check_bool(return_indices, "intersect1d", "return_indices")
    a, b = (
        hn.like(ar1, ar2, "intersect1d").reshape(-1),
        hn.like(ar2, ar1, "intersect1d").reshape(-1),
    )
    first = a if assume_unique else ops.unique(a)[0]
    common = ops.sort(ops.masked_select(first, in1d(first, b)))[0]
    if not return_indices:
        return common
    return common, *(_first_places(common, x) for x in (a, b))


def _first_places(values: Tensor, x: Tensor) -> Tensor:
    same = ops.equal(values.reshape((-1, 1)), x.reshape((1, -1)))
    return ops.cast(ops.argmax(ops.cast(same, mstype.int32), 1), mstype.int32)


def argwhere(a: ArrayLike) -> Tensor:
    """The places of the elements that are not 0, a row each: int64.

    Works outside of compiled code, as the shape depends on the elements.

    Raises:
        RuntimeError: a number.

    >>> print(numpy.argwhere(Tensor([[1, 0], [2, 3]])))
    [[0 0]
     [1 0]
     [1 1]]
    """
    return ops.cast(
        ops.argwhere(hn.real(a, "argwhere", "a")),
        mstype.int64,
    )
