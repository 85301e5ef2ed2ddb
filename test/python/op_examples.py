"""An example of every differentiable op of the dialect: a function of tensors, and its arguments.

Elementwise ops come from their records. A new op of another kind needs a line in `OTHERS`; a test
says so. Arguments are away from corners, poles and ties.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.core.record import emit, emit_several, operation

RECORDS: list[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parents[2] / "build" / "dialect" / "records.json").read_text()
)
Example = tuple[Callable[..., Any], list[np.ndarray]]

# Inside the domains of log, sqrt and atanh; no remainder is near a jump.
POINTS = [np.array([0.3, 0.55, 0.8]), np.array([0.7, 0.45, 0.6])]
SHIFT = {"acosh": 1.5}
OF_RANKS = (
    *("all_gather", "all_reduce", "all_to_all", "broadcast_from"),
    *("receive", "reduce_scatter", "send"),
)
# What differentiation puts in itself, and what has no derivative of its own to check.
STRUCTURAL = {
    **dict.fromkeys(OF_RANKS, "needs several ranks: test/rules, test/fuzz/collectives.py"),
    "barrier": "orders what is computed again",
    "custom": "has the derivative that the user gives",
    "guard": "stands on a cotangent: test/rules/guard.mlir",
    "recompute": "is the function it computes again",
    "stash_add": "belongs to loops under differentiation",
    "stash_empty": "belongs to loops under differentiation",
    "stash_free": "belongs to loops under differentiation",
    "stash_load": "belongs to loops under differentiation",
    "stash_read": "belongs to loops under differentiation",
    "stash_store": "belongs to loops under differentiation",
    "stash_write": "belongs to loops under differentiation",
}

# Factorizations are of float32 and float64; their functions in ops convert.
WIDE = {"cholesky", "eigh", "lu", "qr", "solve", "svd", "triangular_solve"}

_random = np.random.default_rng(7)


def draw(*shape: int) -> np.ndarray:
    return _random.uniform(-1, 1, shape)


def call(op: str, **attrs: Any) -> Callable[..., Any]:
    """The op as a function."""

    @operation
    def apply(*xs: Tensor) -> Tensor:
        return emit(f"cell.{op}", list(xs), attrs)

    return apply


def result(op: str, index: int, **attrs: Any) -> Callable[..., Any]:
    """One of the results of an op."""

    @operation
    def apply(*xs: Tensor) -> Tensor:
        return emit_several(f"cell.{op}", list(xs), attrs)[index]

    return apply


def shaped(op: str, shape: tuple[int, ...], **attrs: Any) -> Callable[..., Any]:
    """An op whose result type is given: of `shape`, and the dtype of the operand."""

    @operation
    def apply(*xs: Tensor) -> Tensor:
        return emit(f"cell.{op}", list(xs), attrs, xs[0].dtype, shape)

    return apply


def select(x: Tensor, y: Tensor) -> Tensor:
    return ops.select(Tensor(np.array([True, False, True])), x, y)


def definite(x: Tensor) -> Tensor:
    """A symmetric positive definite matrix of any square one."""
    return ops.matmul(x, ops.swapaxes(x, -1, -2)) + _identity(x)


def _identity(x: Tensor) -> Tensor:
    return Tensor(np.eye(x.shape[-1]), ms.float64).astype(x.dtype)


def _spread(x: Tensor) -> Tensor:
    """What moves eigenvalues and singular values apart."""
    size = (x.shape[-2], x.shape[-1])
    return Tensor(np.eye(*size) * (np.arange(size[1]) * 4 + 3), ms.float64).astype(x.dtype)


def packed_factors(x: Tensor) -> Tensor:
    """Of a matrix whose pivots stay on the diagonal."""
    return result("lu", 0)(x + 3 * _identity(x))


INDICES = np.array([[2, 0], [1, 2]], np.int32)
SWAPS = np.array([2, 2, 2], np.int32)


def indexed(op: str, **attrs: Any) -> Callable[..., Any]:
    """An op of a tensor and INDICES, and perhaps updates."""

    @operation
    def apply(x: Tensor, *updates: Tensor) -> Tensor:
        return emit(f"cell.{op}", [x, Tensor(INDICES), *updates], attrs)

    return apply


@operation
def swapped(x: Tensor) -> Tensor:
    return emit("cell.swap_rows", [x, Tensor(SWAPS)], {})


# No two elements are so close that a difference takes one past the other.
APART = np.array([[0.1, 0.9, -0.5, 0.4, 1.6], [-0.7, -1.2, 0.2, 0.6, -0.1]])
STARTS = np.array([[True, False, True, True, False], [False, False, True, False, True]])


def segments(reverse: bool) -> Callable[..., Any]:
    """Running sums in segments of two rows."""

    @operation
    def apply(x: Tensor) -> Tensor:
        attrs = {"dim": 1, "reverse": reverse}
        return emit("cell.segment_cumsum", [x, Tensor(STARTS)], attrs)

    return apply


OTHERS: dict[str, list[Example]] = {
    "broadcast": [(shaped("broadcast", (2, 3, 4), dims=[1]), [draw(2, 4)])],
    "cast": [(lambda x: ops.cast(ops.cast(x, ms.float64) * 3, x.dtype), [draw(3)])],
    "cholesky": [(lambda x: call("cholesky")(definite(x)), [draw(2, 3, 3)])],
    "concat": [(call("concat", dim=1), [draw(2, 3), draw(2, 2)])],
    "conv": [
        (call("conv", strides=[2], dilations=[1], groups=1), [draw(2, 2, 6), draw(3, 2, 3)]),
        (
            call("conv", strides=[1, 2], dilations=[2, 1], groups=2),
            [draw(1, 4, 5, 4), draw(2, 2, 2, 3)],
        ),
    ],
    "cummax": [(result("cummax", 0, dim=1), [APART])],
    "cummin": [(result("cummin", 0, dim=0), [APART])],
    "cumprod": [
        (call("cumprod", dim=1, reverse=r, exclusive=e), [draw(2, 4)])
        for r in (False, True)
        for e in (False, True)
    ],
    "cumsum": [
        (call("cumsum", dim=1, reverse=r, exclusive=e), [draw(2, 4)])
        for r in (False, True)
        for e in (False, True)
    ],
    "eigh": [(lambda x, i=i: result("eigh", i)(x + _spread(x)), [draw(3, 3)]) for i in range(2)],
    "gather": [
        (indexed("gather", dim=0, batch_dims=0), [draw(3, 4)]),
        (indexed("gather", dim=2, batch_dims=1), [draw(2, 2, 3)]),
    ],
    "lu": [(packed_factors, [draw(3, 3)])],
    "matmul": [
        (call("matmul", transpose_a=a, transpose_b=b), [x, y])
        for a, x in ((False, draw(2, 3, 4)), (True, draw(2, 4, 3)))
        for b, y in ((False, draw(2, 4, 2)), (True, draw(2, 2, 4)))
    ],
    "overlap_add": [(shaped("overlap_add", (2, 6), strides=[2], dilations=[1]), [draw(2, 2, 3)])],
    "pad": [(call("pad", low=[1, 0], high=[0, 2], interior=[2, 1]), [draw(2, 3)])],
    "polygamma": [(call("polygamma", order=n), [POINTS[0] + 1]) for n in (1, 2)],
    "qr": [
        (lambda x: result("qr", 0)(x + 3 * _identity(x)), [draw(3, 3)]),
        (lambda x: result("qr", 1)(x + 3 * _identity(x)), [draw(3, 3)]),
    ],
    "recurrence": [
        (call("recurrence", dim=1, reverse=r), [draw(2, 4), draw(2, 4)]) for r in (False, True)
    ],
    "reduce_max": [(call("reduce_max", dims=[0]), [draw(3, 4)])],
    "reduce_min": [(call("reduce_min", dims=[1]), [draw(3, 4)])],
    "reduce_sum": [(call("reduce_sum", dims=[0, 2]), [draw(2, 3, 2)])],
    "reshape": [(shaped("reshape", (3, 2)), [draw(2, 3)])],
    "reverse": [(call("reverse", dims=[0, 1]), [draw(2, 3)])],
    "scatter": [
        (indexed("scatter", dim=0, batch_dims=0, combine=c), [draw(3, 2), draw(2, 2, 2)])
        for c in ("add", "set")
    ],
    "segment_cumsum": [(segments(reverse=r), [draw(2, 5)]) for r in (False, True)],
    "slice": [(call("slice", starts=[1, 0], limits=[5, 3], strides=[2, 1]), [draw(6, 4)])],
    "solve": [
        (lambda a, b: call("solve", transpose=False)(definite(a), b), [draw(3, 3), draw(3, 2)])
    ],
    "svd": [
        (lambda x, i=i: result("svd", i)(x + _spread(x)), [draw(*shape)])
        for shape in ((3, 2), (2, 3))
        for i in range(3)
    ],
    "swap_rows": [(swapped, [draw(3, 2)])],
    "transpose": [(call("transpose", perm=[2, 0, 1]), [draw(2, 3, 4)])],
    "triangle": [(call("triangle", lower=True, diagonal=-1), [draw(3, 4)])],
    "triangular_solve": [
        (
            lambda a, b: ops.cholesky_solve(b, call("cholesky")(definite(a))),
            [draw(3, 3), draw(3, 2)],
        )
    ],
    "windows": [(call("windows", sizes=[3], strides=[2], dilations=[1]), [draw(2, 7)])],
}
ELEMENTWISE: dict[str, Example] = {"select": (select, [POINTS[0], POINTS[1]])}


def differentiable() -> list[str]:
    """The mnemonics of all ops whose derivative is checked."""
    names = [
        r["op"].removeprefix("cell.") for r in RECORDS if r["derivative"] not in ("zero", "none")
    ]
    return [n for n in names if n not in STRUCTURAL]


def examples(op: str) -> list[Example]:
    """The examples of an op; none for one that somebody forgot."""
    record = next(r for r in RECORDS if r["op"] == f"cell.{op}")
    if op in ELEMENTWISE:
        return [ELEMENTWISE[op]]
    if not record["elementwise"]:
        return OTHERS.get(op, [])
    points = POINTS[: len(record["operands"])]
    return [(call(op), [p + SHIFT.get(op, 0) for p in points])]
