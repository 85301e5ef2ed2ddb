"""A program and its twin in numpy: every op is drawn once and said twice.

The interpreter takes seconds for a product of a million multiplications; numpy takes none, and shares
nothing with the compiler either. `Twin` appends an op to a function and remembers what numpy says it
is, in double precision, with a bound of how far rounding may move each element. Where the arguments
are small integers, and nothing but sums, products and the like of them is computed, the bound is 0:
every order of summation gives the same number, and the comparison is one of bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

EPS = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
# Half the distance of numbers next to zero.
TINY = {"float64": 0.0, "float32": 2.0**-150, "float16": 2.0**-25, "bfloat16": 2.0**-134}
ULPS = 4  # of a function that is not exact
MANTISSA = {"float64": 2.0**53, "float32": 2.0**24, "float16": 2.0**11, "bfloat16": 2.0**8}
# What numpy calls the functions of one element, and how large their slope is.
EXACT = {"abs": np.abs, "neg": np.negative, "relu": lambda v: np.maximum(v, 0)}
STEPS = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "sign": np.sign}
SMOOTH: dict[str, tuple[Any, Any]] = {
    "exp": (np.exp, np.exp),
    "tanh": (np.tanh, lambda v: np.ones_like(v)),
    "sin": (np.sin, lambda v: np.ones_like(v)),
    "square": (np.square, lambda v: 2 * np.abs(v)),
}


@dataclass
class Numbers:
    """The elements of a value, and how far each may be off."""

    exact: np.ndarray
    error: np.ndarray

    def of(self, view: Callable[[np.ndarray], np.ndarray]) -> Numbers:
        return Numbers(view(self.exact), view(self.error))


@dataclass(eq=False)
class Value:
    native: Any
    shape: tuple[int, ...]
    dtype: str
    compute: Callable[[list[Numbers]], Numbers]
    operands: list[Value]

    def numbers(self, known: dict[int, Numbers]) -> Numbers:
        if id(self) not in known:
            known[id(self)] = self.compute([o.numbers(known) for o in self.operands])
        return known[id(self)]


def letters(dims: Sequence[int]) -> str:
    return "".join(chr(ord("a") + d) for d in dims)


class Twin:
    """Appends ops to the function `f` of a graph."""

    def __init__(self, f: Any) -> None:
        self.f = f

    def argument(self, native: Any, given: dict[int, Numbers]) -> Value:
        """An argument whose numbers `given` has, by the id of the value, once they are drawn."""
        value = Value(native, tuple(native.shape), native.dtype, lambda _: NotImplemented, [])
        value.compute = lambda _: given[id(value)]
        return value

    def make(
        self,
        op: str,
        operands: list[Value],
        compute: Callable[[list[Numbers]], Numbers],
        attributes: Any = None,
        result: Any = None,
    ) -> Value:
        native = self.f.create(op, [o.native for o in operands], attributes, None, result)
        return Value(native, tuple(native.shape), native.dtype, compute, operands)

    def view(self, op: str, x: Value, attributes: Any, how: Any, result: Any = None) -> Value:
        return self.make(op, [x], lambda given: given[0].of(how), attributes, result)

    # --- views --------------------------------------------------------------------------------

    def slice(self, x: Value, starts: list[int], limits: list[int], strides: list[int]) -> Value:
        parts = tuple(slice(*p) for p in zip(starts, limits, strides, strict=True))
        attributes = {"starts": starts, "limits": limits, "strides": strides}
        return self.view("cell.slice", x, attributes, lambda v: v[parts])

    def transpose(self, x: Value, perm: list[int]) -> Value:
        return self.view("cell.transpose", x, {"perm": perm}, lambda v: v.transpose(perm))

    def reverse(self, x: Value, dims: list[int]) -> Value:
        return self.view("cell.reverse", x, {"dims": dims}, lambda v: np.flip(v, dims))

    def reshape(self, x: Value, shape: tuple[int, ...]) -> Value:
        return self.view("cell.reshape", x, None, lambda v: v.reshape(shape), (x.dtype, shape))

    def broadcast(self, x: Value, dims: list[int], shape: tuple[int, ...]) -> Value:
        """`dims` are the new dimensions of the result."""
        how = lambda v: np.broadcast_to(np.expand_dims(v, tuple(dims)), shape)
        return self.view("cell.broadcast", x, {"dims": dims}, how, (x.dtype, shape))

    def cast(self, x: Value, dtype: str) -> Value:
        def cast(given: list[Numbers]) -> Numbers:
            return rounded(given[0].exact, given[0].error, dtype)

        return self.make("cell.cast", [x], cast, None, (dtype, x.shape))

    # --- elements -----------------------------------------------------------------------------

    def unary(self, name: str, x: Value) -> Value:
        def unary(given: list[Numbers]) -> Numbers:
            v, e = given[0].exact, given[0].error
            if name in EXACT:
                return wrapped(EXACT[name](v), e, x.dtype)
            if name in STEPS:
                return Numbers(STEPS[name](v), stepped(STEPS[name], v, e))
            function, slope = SMOOTH[name]
            wide = np.maximum(np.abs(slope(v - e)), np.abs(slope(v + e)))
            y = function(v)
            return rounded(y, wide * e, x.dtype, 1 if name == "square" else ULPS)

        return self.make(f"cell.{name}", [x], unary)

    def binary(self, name: str, x: Value, y: Value) -> Value:
        def binary(given: list[Numbers]) -> Numbers:
            (a, ea), (b, eb) = ((n.exact, n.error) for n in given)
            if name == "mul":
                return rounded(a * b, np.abs(a) * eb + np.abs(b) * ea + ea * eb, x.dtype)
            if name in ("maximum", "minimum"):
                return Numbers(getattr(np, name)(a, b), np.maximum(ea, eb))
            return rounded(a + b if name == "add" else a - b, ea + eb, x.dtype)

        return self.make(f"cell.{name}", [x, y], binary)

    # --- sums ---------------------------------------------------------------------------------

    def reduce_sum(self, x: Value, dims: list[int]) -> Value:
        n = math.prod(x.shape[d] for d in dims)

        def total(given: list[Numbers]) -> Numbers:
            v, e = (a.sum(axis=tuple(dims)) for a in (given[0].exact, given[0].error))
            return summed(v, np.abs(given[0].exact).sum(axis=tuple(dims)), e, n, x.dtype)

        return self.make("cell.reduce_sum", [x], total, {"dims": dims})

    def contraction(
        self, made: Value, parts: list[tuple[Value, list[int]]], kept: list[int]
    ) -> Value:
        """`made` by other ops from `parts`, said in one: dimensions of parts, and of the result."""
        sizes = {d: n for x, dims in parts for d, n in zip(dims, x.shape, strict=True)}
        n = math.prod(size for d, size in sizes.items() if d not in kept)
        says = ",".join(letters(dims) for _, dims in parts) + "->" + letters(kept)

        def sums(given: list[Numbers]) -> Numbers:
            v = np.einsum(says, *(g.exact for g in given), optimize=True)
            size = np.einsum(says, *(np.abs(g.exact) for g in given), optimize=True)
            wide = np.einsum(says, *(np.abs(g.exact) + g.error for g in given), optimize=True)
            return summed(v, size, wide - size, n + len(given), made.dtype)

        return Value(made.native, made.shape, made.dtype, sums, [x for x, _ in parts])


def wrapped(v: np.ndarray, error: np.ndarray, dtype: str) -> Numbers:
    """Integers as they are in `dtype`; those of 64 bits are never as large."""
    if dtype == "int32":
        v = np.mod(v + 2.0**31, 2.0**32) - 2.0**31
    return Numbers(v, error)


def rounded(v: np.ndarray, error: np.ndarray, dtype: str, ulps: int = 1) -> Numbers:
    """What an op gives whose exact result is `v`."""
    if dtype not in EPS:
        return wrapped(np.trunc(v), error, dtype)
    whole = (v == np.trunc(v)) & (np.abs(v) < MANTISSA[dtype]) & (ulps == 1)
    return Numbers(v, error + np.where(whole, 0, ulps * (EPS[dtype] * np.abs(v) + TINY[dtype])))


def summed(v: np.ndarray, size: np.ndarray, error: np.ndarray, n: int, dtype: str) -> Numbers:
    """A sum of `n` terms of absolute sum `size`, in any order."""
    if dtype not in EPS:
        return wrapped(v, error, dtype)
    whole = (v == np.trunc(v)) & (size < MANTISSA[dtype]) & (size == np.trunc(size))
    steps = min(n, 8 + 4 * math.sqrt(n))
    # Halves are added up in single precision.
    inside = dtype if dtype.startswith("float") and dtype != "float16" else "float32"
    moved = steps * (EPS[inside] * size + TINY[inside]) + EPS[dtype] * np.abs(v) + TINY[dtype]
    return Numbers(v, error + np.where(whole, 0, moved))


def stepped(function: Any, v: np.ndarray, e: np.ndarray) -> np.ndarray:
    """How far a step may move what may be off by `e`."""
    return np.maximum(np.abs(function(v - e) - function(v)), np.abs(function(v + e) - function(v)))


def worst(given: np.ndarray, wanted: Numbers) -> float:
    """By how much the worst element is off beyond its bound."""
    if given.shape != wanted.exact.shape:
        return math.inf
    off = np.abs(given.astype(np.float64) - wanted.exact) - 2 * wanted.error
    return math.inf if np.isnan(off).any() else float(off.max(initial=0))
