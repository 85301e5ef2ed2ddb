"""What dialect ops do with complex operands, in terms of ops on their parts.

The dialect is real, so derivatives of any order, loops and maps of complex numbers are those of their
parts. `apply` is called for each op with a complex operand or result; ops that are not listed have no
meaning here, and are refused.

Methods: quotients by R. L. Smith's algorithm (1962), inverse functions by W. Kahan's formulas ("Branch cuts
for complex elementary functions", 1987), so that no square overflows and the sides of branch cuts
are told apart by the signs of zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import pairs, scope, state
from cellgrad.core.dtype import Type
from cellgrad.core.record import emit, no_complex, splat
from cellgrad.core.storage import Signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.ops import complex_functions as functions
from cellgrad.ops.complex_functions import Parts

Rule = Callable[[str, list[Any], dict[str, Any] | None, Signature | None], Tensor]


def parts_of(x: Tensor) -> Parts:
    """The real and the imaginary parts of a tensor; the latter are None of a real one."""
    if x.dtype.kind != "c":
        return x, None
    current = state.current.scope
    assert current is not None
    return pairs.split(current, x)


def both_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """As `parts_of`, with zeros as the imaginary parts of a real tensor."""
    real, imag = parts_of(x)
    return real, splat(0, real.dtype, real.shape) if imag is None else imag


def complex_tensor(real: Tensor, imag: Tensor) -> Tensor:
    """The complex numbers with these parts, of one dtype and shape."""
    current = state.current.scope
    assert current is not None
    return pairs.joined(current, real, imag, mstype.complex_of(real.dtype))


def apply(
    op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
) -> Tracer:
    """An op with complex operands, or a complex result.

    Raises:
        TypeError: the op has no meaning for complex numbers.
    """
    rule = _RULES.get(op)
    if rule is None:
        known = [x.dtype for x in operands if isinstance(x, Tensor) and x.dtype.kind == "c"]
        raise no_complex(state.current.composite or op, known[0] if known else result.dtype)  # type: ignore[union-attr]
    out = rule(op, operands, attrs, result)
    assert isinstance(out, Tracer)
    return out


# --- ops that act on each part ----------------------------------------------------------------


def _part_of(result: Signature | None) -> tuple[Type | None, tuple[int, ...] | None]:
    if result is None:
        return None, None
    return mstype.real_of(result.dtype), result.shape


def _each(shared: tuple[int, ...] = ()) -> Rule:
    """A linear op: on the real parts, and on the imaginary ones. Operands at `shared` are for both."""

    def rule(
        op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
    ) -> Tensor:
        listed = [(x, x) if i in shared else both_parts(x) for i, x in enumerate(operands)]
        found = [emit(op, list(part), attrs, *_part_of(result)) for part in zip(*listed)]
        return complex_tensor(*found)

    return rule


def _indexed(
    op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
) -> Tensor:
    """A gather or scatter of dimensions before that of pairs: of the pairs themselves where these lie in memory, which
    reads and writes nothing else of a tensor that a loop carries.
    """
    current = state.current.scope
    assert current is not None
    x, index, *values = operands
    pair = pairs.held(current, x) if x.dtype.kind == "c" else None
    if pair is None or any(v.dtype != x.dtype for v in values):
        return _each(shared=(1,))(op, operands, attrs, result)
    given = [Tracer(current.value(v), current) for v in values]
    shape = None if result is None else (*result.shape, 2)
    part = None if result is None else mstype.real_of(result.dtype)
    return pairs.of_pairs(current, emit(op, [pair, index, *given], attrs, part, shape), x.dtype)


def _added(
    op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
) -> Tensor:
    (a, b), (c, d) = (parts_of(x) for x in operands)
    if b is None:
        b = d if op == "cell.add" else emit("cell.neg", [d])
    elif d is not None:
        b = emit(op, [b, d])
    assert b is not None
    return complex_tensor(emit(op, [a, c]), b)


def _cast(
    op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
) -> Tensor:
    assert result is not None
    real, imag = both_parts(operands[0])
    if result.dtype.kind == "c":
        part = mstype.real_of(result.dtype)
        return complex_tensor(*functions.cast_parts(real, imag, part))
    if result.dtype.kind != "b":  # nothing else drops imaginary parts but `cast`, which says so
        raise no_complex(state.current.composite or op, operands[0].dtype)
    return emit(
        "cell.logical_or", [emit("cell.not_equal", [v, functions.like(0, v)]) for v in (real, imag)]
    )


def _select(
    op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
) -> Tensor:
    condition, x, y = operands
    found = [
        emit(op, [condition, *part]) for part in zip(both_parts(x), both_parts(y), strict=True)
    ]
    return complex_tensor(*found)


def _cumprod(
    op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
) -> Tensor:
    """Running products, by products of elements 1, 2, 4, ... apart: no quotient, so that derivatives are
    exact where elements are zero.
    """
    assert attrs is not None
    x, dim = operands[0], attrs["dim"]
    n = x.shape[dim]

    def ones(count: int) -> Tensor:
        return splat(1, x.dtype, (*x.shape[:dim], count, *x.shape[dim + 1 :]))

    def shifted(y: Tensor, by: int) -> Tensor:
        limits = [n - by if i == dim else d for i, d in enumerate(y.shape)]
        region = {"starts": [0] * y.ndim, "limits": limits, "strides": [1] * y.ndim}
        return emit("cell.concat", [ones(by), emit("cell.slice", [y], region)], {"dim": dim})

    turned = {"dims": [dim]}
    x = emit("cell.reverse", [x], turned) if attrs.get("reverse") else x
    x = shifted(x, 1) if attrs.get("exclusive") and n else x
    apart = 1
    while apart < n:
        x = emit("cell.mul", [x, shifted(x, apart)])
        apart *= 2
    return emit("cell.reverse", [x], turned) if attrs.get("reverse") else x


# --- predicates, products ---------------------------------------------------------------------


def _joined_by(join: str) -> Rule:
    """A test of numbers: of both parts."""

    def rule(
        op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
    ) -> Tensor:
        listed = [both_parts(x) for x in operands]
        return emit(join, [emit(op, list(part)) for part in zip(*listed)])

    return rule


def _matmul(
    op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
) -> Tensor:
    (a, b), (c, d) = (parts_of(x) for x in operands)

    def product(x: Tensor, y: Tensor) -> Tensor:
        return emit(op, [x, y], attrs, *_part_of(result))

    return complex_tensor(*functions.bilinear(product, (a, b), (c, d)))


def _function(of: Callable[..., Any]) -> Rule:
    """A function of parts, which gives parts, or one real tensor."""

    def rule(
        op: str, operands: list[Any], attrs: dict[str, Any] | None, result: Signature | None
    ) -> Tensor:
        found = of(*(parts_of(x) for x in operands))
        return complex_tensor(*found) if isinstance(found, tuple) else found

    return rule


_RULES: dict[str, Rule] = {
    "cell.add": _added,
    "cell.sub": _added,
    "cell.cast": _cast,
    "cell.cumprod": _cumprod,
    "cell.select": _select,
    "cell.matmul": _matmul,
    "cell.equal": _joined_by("cell.logical_and"),
    "cell.not_equal": _joined_by("cell.logical_or"),
    "cell.is_nan": _joined_by("cell.logical_or"),
    "cell.is_inf": _joined_by("cell.logical_or"),
    "cell.is_finite": _joined_by("cell.logical_and"),
    "cell.gather": _indexed,
    "cell.scatter": _indexed,
    "cell.segment_cumsum": _each(shared=(1,)),
}
for _op in (
    *("broadcast", "concat", "cumsum", "neg", "overlap_add", "pad", "reduce_sum", "reshape"),
    *("reverse", "slice", "stop_gradient", "transpose", "triangle", "windows"),
):
    _RULES[f"cell.{_op}"] = _each()
for _op, _of in functions.ELEMENTWISE.items():
    _RULES[f"cell.{_op}"] = _function(_of)

scope.complex_op = apply
