"""Checks random ops on buffers as kernels whose blocks share the results of one op, against numpy.

Each op is emitted as a nest (cell-emit-nests), and, where it reduces, also cut in parts
(cell-split-reductions) that one block computes. Sizes, strides, offsets and types are chosen so that
accesses are wide for some operands and not for others, and so that threads, warps and blocks compute results.

    python test/fuzz/nests.py --first=1000 --count=500
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from on_kernels import outcomes

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from device import BUILD, Device, Kernels, run

Array = npt.NDArray[Any]

DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
    "i1": np.bool_,
}
SIZES = [1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 24, 31, 32, 33, 64, 100, 257]
MOST_STEPS = 30_000
# What checks say of what they have found right.
FINE = {"map", "reduction", "reduction in parts"}
# Of floats and of integers: the op, and what numpy calls it.
FLOAT_COMBINERS = {"addf": "add", "maximumf": "maximum", "minimumf": "minimum", "mulf": "multiply"}
INT_COMBINERS = {"addi": "add", "maxsi": "maximum", "minsi": "minimum", "xori": "bitwise_xor"}
# The old value times a factor, plus the new one: what has an order.
IN_ORDER = "in order"
IN_STEP = {"f": ("mulf", "addf", 0.5), "i": ("muli", "addi", 3)}


@dataclass
class Operand:
    """A buffer, the part of it that the op is given, and how the op walks that."""

    dtype: str
    exprs: list[dict[int, int]]  # for each dimension: loop -> factor
    constants: list[int]
    shape: list[int]  # of the part
    whole: list[int]  # of the buffer
    offsets: list[int]  # of the part in the buffer
    is_scalar: bool = False  # loaded before the op
    is_constant: bool = False  # known to the kernel

    def affine(self) -> str:
        def term(loop: int, factor: int) -> str:
            return f"d{loop}" if factor == 1 else f"d{loop} * {factor}"

        dims = [
            " + ".join([term(*item) for item in expr.items()] + ([str(c)] if c or not expr else []))
            for expr, c in zip(self.exprs, self.constants, strict=True)
        ]
        return f"({', '.join(dims)})"

    def type(self, shape: list[int]) -> str:
        return "memref<" + "".join(f"{n}x" for n in shape) + self.dtype + ">"

    def strides(self) -> list[int]:
        return [int(np.prod(self.whole[i + 1 :], dtype=int)) for i in range(len(self.whole))]

    def view(self) -> str:
        if self.is_scalar:
            return self.dtype
        if self.whole == self.shape:
            return self.type(self.shape)
        offset = sum(o * s for o, s in zip(self.offsets, self.strides(), strict=True))
        begin = f", offset: {offset}" if offset else ""
        layout = f"strided<[{', '.join(map(str, self.strides()))}]{begin}>"
        return self.type(self.shape)[:-1] + f", {layout}>"

    def part(self, array: Array) -> Array:
        return array[
            (*(slice(o, o + n) for o, n in zip(self.offsets, self.shape, strict=True)), ...)
        ]

    def places(self, loops: Array) -> tuple[Array, ...]:
        return tuple(
            np.asarray(c + sum(f * loops[d] for d, f in expr.items()), dtype=int)
            + np.zeros(loops.shape[1:], int)
            for expr, c in zip(self.exprs, self.constants, strict=True)
        )


@dataclass
class Nest:
    """A random op."""

    sizes: list[int]
    reduced: list[bool]
    inputs: list[Operand]
    outputs: list[Operand]
    compute: str  # the type of the body
    body: list[tuple[str, int, int]] = field(default_factory=list)
    combiners: list[str | None] = field(default_factory=list)
    fills: list[bool] = field(default_factory=list)
    values: list[int] = field(default_factory=list)  # of the body, that outputs take
    index: int | None = None  # a loop whose position is a value of the body


def make(seed: int) -> Nest:
    rng = random.Random(seed)
    rank = rng.choice([1, 1, 2, 2, 2, 3, 3, 4])
    sizes: list[int] = []
    for _ in range(rank):
        most = MOST_STEPS // int(np.prod(sizes, dtype=int))
        sizes.append(rng.choice([n for n in SIZES if n <= most]))
    if rng.random() < 0.25:  # long enough for blocks
        longest = max(2, MOST_STEPS // int(np.prod(sizes, dtype=int)))
        sizes[rng.randrange(rank)] = max(2, longest - rng.randrange(9))
    reduced = [rng.random() < 0.45 for _ in sizes] if rng.random() < 0.6 else [False] * rank
    compute = rng.choice(["f32", "f32", "f32", "f64", "i32"])
    kinds = ["i8", "i32", "i1"] if compute == "i32" else ["f16", "f32", compute, compute]
    nest = Nest(sizes, reduced, [], [], compute)

    def operand(dtype: str, loops: list[int], windows: bool) -> Operand:
        exprs = [{d: 1} for d in loops]
        constants = [0] * len(exprs)
        if windows and exprs and rng.random() < 0.3:
            at = rng.randrange(len(exprs))
            other = rng.randrange(rank)
            exprs[at] = {**exprs[at], other: exprs[at].get(other, 0) + rng.choice([1, 2])}
        shape = [1 + sum(f * (sizes[d] - 1) for d, f in e.items()) for e in exprs]
        whole, offsets = list(shape), [0] * len(shape)
        if shape and rng.random() < 0.35:
            for i in range(len(shape)):
                offsets[i] = rng.choice([0, 0, 1, 2, 4, 8])
                whole[i] += offsets[i] + rng.choice([0, 0, 1, 4])
            if rng.random() < 0.5:  # each row begins where accesses do
                whole[-1] += -whole[-1] % 8
        return Operand(dtype, exprs, constants, shape, whole, offsets)

    for _ in range(rng.choice([1, 1, 2, 3])):
        loops = [d for d in range(rank) if rng.random() < 0.85]
        if rng.random() < 0.35:
            rng.shuffle(loops)
        if rng.random() < 0.1:
            nest.inputs.append(Operand(rng.choice(kinds), [], [], [], [], [], is_scalar=True))
            continue
        nest.inputs.append(operand(rng.choice(kinds), loops, True))
    if rng.random() < 0.2 and nest.inputs[-1].dtype != "i1":
        nest.inputs[-1].is_constant = not nest.inputs[-1].is_scalar
    # Every loop is walked by something on its own.
    nest.inputs.append(operand(rng.choice(kinds), list(range(rank)), False))
    if rng.random() < 0.2:
        nest.index = rng.randrange(rank)

    values = len(nest.inputs) + (nest.index is not None)
    ops = ["subi", "addi", "maxsi"] if compute == "i32" else ["addf", "subf", "mulf", "maximumf"]
    for _ in range(rng.choice([1, 2, 4, 9])):
        nest.body.append((rng.choice(ops), rng.randrange(values), rng.randrange(values)))
        values += 1
    for value in range(len(nest.inputs)):  # all that is given is used
        nest.body.append((ops[1], values - 1, value))
        values += 1

    parallel = [d for d in range(rank) if not reduced[d]]
    for j in range(rng.choice([1, 1, 2])):
        nest.values.append(values - 1 if j == 0 else rng.randrange(values))
        loops = list(parallel)
        if rng.random() < 0.3:
            rng.shuffle(loops)
        store = compute if rng.random() < 0.7 else ("i8" if compute == "i32" else "f16")
        nest.outputs.append(operand(store, loops, False))
        table = INT_COMBINERS if compute == "i32" else FLOAT_COMBINERS
        # A map reads what it overwrites, too.
        combines = rng.random() < (0.9 if any(reduced) else 0.3)
        ordered = IN_ORDER if any(reduced) else None
        nest.combiners.append(rng.choice(list(table)) if combines else ordered)
        nest.fills.append(rng.random() < 0.5)
    return nest


def convert(to: str, value: str, source: str, result: str) -> str:
    order = list(DTYPES)
    if source == to:
        return ""
    wider = order.index(source) < order.index(to) if to[0] == "f" else source in ("i1", "i8")
    if to == "i8":
        wider = False
    kind = {"f": ("arith.extf", "arith.truncf"), "i": ("arith.extsi", "arith.trunci")}[to[0]]
    op = kind[0 if wider else 1]
    if source == "i1":
        op = "arith.extui"
    return f"      {result} = {op} {value} : {source} to {to}\n"


def text(nest: Nest, arrays: list[Array], name: str) -> str:
    """The function with the op, as cell-outline-device-kernels makes it."""
    operands = [*nest.inputs, *nest.outputs]
    arguments = ", ".join(
        f"%m{i}: {o.type(o.whole)}" for i, o in enumerate(operands) if not o.is_constant
    )
    lines = [f"func.func private @{name}({arguments}) attributes {{ATTRIBUTES}} {{"]
    for i, (o, array) in enumerate(zip(operands, arrays, strict=True)):
        if o.is_constant:
            kind, values = o.type(o.whole), f'dense<"0x{array.tobytes().hex()}">'
            lines.insert(0, f'memref.global "private" constant @g{i} : {kind} = {values}')
            lines.append(f"  %m{i} = memref.get_global @g{i} : {kind}")
    given = []
    for i, o in enumerate(operands):
        given.append(f"%m{i}")
        if o.is_scalar:
            given[i] = f"%v{i}"
            lines.append(f"  %v{i} = memref.load %m{i}[] : {o.type([])}")
        elif o.whole != o.shape:
            given[i] = f"%v{i}"
            ones = ", ".join("1" for _ in o.shape)
            lines.append(
                f"  %v{i} = memref.subview %m{i}[{', '.join(map(str, o.offsets))}] "
                f"[{', '.join(map(str, o.shape))}] [{ones}] : {o.type(o.whole)} to {o.view()}"
            )
    for j, (o, fill) in enumerate(zip(nest.outputs, nest.fills, strict=True)):
        if fill:
            i = len(nest.inputs) + j
            start = "2.0" if o.dtype[0] == "f" else "2"
            lines.append(f"  %c{j} = arith.constant {start} : {o.dtype}")
            lines.append(f"  linalg.fill ins(%c{j} : {o.dtype}) outs({given[i]} : {o.view()})")
    loops = ", ".join(f"d{d}" for d in range(len(nest.sizes)))
    maps = ", ".join(f"affine_map<({loops}) -> {o.affine()}>" for o in operands)
    kinds = ", ".join('"reduction"' if r else '"parallel"' for r in nest.reduced)
    n = len(nest.inputs)

    def those(first: int, last: int) -> str:
        return (
            f"{', '.join(given[first:last])} : {', '.join(o.view() for o in operands[first:last])}"
        )

    lines.append(
        f"  linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
        f"ins({those(0, n)}) outs({those(n, len(operands))}) {{"
    )
    lines.append(
        "    ^bb0(" + ", ".join(f"%a{i}: {o.dtype}" for i, o in enumerate(operands)) + "):"
    )
    body, values = "", []
    for i, o in enumerate(nest.inputs):
        body += convert(nest.compute, f"%a{i}", o.dtype, f"%w{i}")
        values.append(f"%a{i}" if o.dtype == nest.compute else f"%w{i}")
    if nest.index is not None:
        body += f"      %p = linalg.index {nest.index} : index\n"
        body += "      %q = arith.index_cast %p : index to i32\n"
        if nest.compute != "i32":
            body += f"      %r = arith.sitofp %q : i32 to {nest.compute}\n"
        values.append("%q" if nest.compute == "i32" else "%r")
    for k, (op, a, b) in enumerate(nest.body):
        body += f"      %b{k} = arith.{op} {values[a]}, {values[b]} : {nest.compute}\n"
        values.append(f"%b{k}")
    yields = []
    for j, (o, combiner) in enumerate(zip(nest.outputs, nest.combiners, strict=True)):
        taken = values[nest.values[j]]
        body += convert(o.dtype, taken, nest.compute, f"%t{j}")
        value = taken if o.dtype == nest.compute else f"%t{j}"
        if combiner == IN_ORDER:
            mul, add, factor = IN_STEP[o.dtype[0]]
            body += f"      %f{j} = arith.constant {factor} : {o.dtype}\n"
            body += f"      %g{j} = arith.{mul} %a{n + j}, %f{j} : {o.dtype}\n"
            body += f"      %s{j} = arith.{add} %g{j}, {value} : {o.dtype}\n"
            value = f"%s{j}"
        elif combiner:
            # On either side.
            a, b = (value, f"%a{n + j}") if j % 2 else (f"%a{n + j}", value)
            body += f"      %s{j} = arith.{combiner} {a}, {b} : {o.dtype}\n"
            value = f"%s{j}"
        yields.append(value)
    types = ", ".join(o.dtype for o in nest.outputs)
    lines.append(body + f"      linalg.yield {', '.join(yields)} : {types}\n  }}\n  return\n}}")
    return "\n".join(lines) + "\n"


def arrays(nest: Nest, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    made: list[Array] = []
    for o in [*nest.inputs, *nest.outputs]:
        if o.dtype == "i1":
            made.append(rng.random(o.whole) < 0.5)
        elif o.dtype[0] == "i":
            made.append(rng.integers(-100, 100, o.whole).astype(DTYPES[o.dtype]))
        else:
            # Around 1, so that products of many stay finite.
            made.append(np.asarray(1 + 0.01 * rng.normal(size=o.whole), DTYPES[o.dtype]))
    return [np.array(a) for a in made]


def cast(values: Array, dtype: str) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(DTYPES[dtype])


def inverse(order: list[int]) -> list[int]:
    return [order.index(i) for i in range(len(order))]


def step_by_step(combiner: str, value: Array, axes: tuple[int, ...], old: Array) -> Array:
    """What the op leaves where each step has the bits of numpy's, reductions in the order of loops."""
    kept = [d for d in range(value.ndim) if d not in axes]
    steps = value.transpose([*axes, *kept]).reshape(-1, *(value.shape[d] for d in kept))
    with np.errstate(all="ignore"):
        for step in steps:
            if combiner == IN_ORDER:
                old = old * old.dtype.type(IN_STEP[old.dtype.kind][2]) + step
            else:
                old = getattr(np, (INT_COMBINERS | FLOAT_COMBINERS)[combiner])(old, step)
    return old


def check_numbers(nest: Nest, given: list[Array], found: list[Array]) -> str | None:
    """What is wrong with the buffers after the op, if anything is."""
    n = len(nest.inputs)
    loops = np.indices(nest.sizes)
    kind = DTYPES[nest.compute]
    values = [
        cast(np.broadcast_to(o.part(a)[o.places(loops)], nest.sizes), nest.compute)
        for o, a in zip(nest.inputs, given, strict=False)
    ]
    if nest.index is not None:
        values.append(loops[nest.index].astype(kind))
    names = {"addf": np.add, "addi": np.add, "subf": np.subtract, "subi": np.subtract}
    names |= {"mulf": np.multiply, "maximumf": np.maximum, "maxsi": np.maximum}
    with np.errstate(all="ignore"):
        for op, a, b in nest.body:
            values.append(names[op](values[a], values[b]).astype(kind))
    for i in range(n):
        if not np.array_equal(given[i], found[i], equal_nan=True):
            return f"input {i} is written"
    for j, (o, combiner) in enumerate(zip(nest.outputs, nest.combiners, strict=True)):
        before, after = given[n + j].copy(), found[n + j]
        if nest.fills[j]:
            o.part(before)[...] = 2
        value = cast(np.broadcast_to(values[nest.values[j]], nest.sizes), o.dtype)
        axes = tuple(d for d, r in enumerate(nest.reduced) if r)
        rest = [d for d, r in enumerate(nest.reduced) if not r]
        order = [rest.index(next(iter(e))) for e in o.exprs]
        if combiner is None or combiner == IN_ORDER or not axes:
            if combiner:
                value = step_by_step(
                    combiner, value, axes, o.part(before).transpose(inverse(order))
                )
            o.part(before)[...] = value.transpose(order)
            if not np.array_equal(before, after, equal_nan=True):
                return f"output {j} has other bits: {np.sum(before != after)} elements"
            continue
        ufunc = getattr(np, (INT_COMBINERS | FLOAT_COMBINERS)[combiner])
        wide = np.float64 if o.dtype[0] == "f" else DTYPES[o.dtype]
        with np.errstate(all="ignore"):
            total = ufunc.reduce(value.astype(wide), axis=axes, dtype=wide)
            size = np.add.reduce(np.abs(value.astype(np.float64)), axis=axes)
            old = o.part(before)
            want = ufunc(total.transpose(order), old.astype(wide))
            bound = np.zeros_like(old, np.float64)
            # A product over- or underflows on its way, or not, by the order of its factors.
            far = np.zeros_like(old, np.bool_)
            if combiner == "mulf":
                powers = np.abs(np.log2(np.abs(value.astype(np.float64))))
                far = np.add.reduce(powers, axis=axes).transpose(order) > 100
            depth = int(np.prod([nest.sizes[d] for d in axes], dtype=int))
            if combiner in ("addf", "mulf"):
                # Half precision is accumulated in f32 and rounded once.
                eps = np.finfo(np.float32 if o.dtype == "f16" else DTYPES[o.dtype]).eps
                if combiner == "addf":
                    bound = (depth + 2) * eps * (size.transpose(order) + np.abs(old))
                else:
                    bound = (depth + 2) * eps * np.abs(want)
                if o.dtype == "f16":
                    bound = bound + 2.0**-11 * np.abs(want) + 2.0**-24
        expected = cast(want, o.dtype)
        if bound.any():
            with np.errstate(all="ignore"):
                off = np.abs(o.part(after).astype(np.float64) - want) > bound
            off &= ~(~np.isfinite(expected) & (o.part(after) == expected)) & ~far
        else:
            off = ~((o.part(after) == expected) | (expected != expected))
        if off.any():
            return f"output {j} ({combiner}) is wrong at {off.sum()} places"
        outside_before, outside_after = before.copy(), after.copy()
        o.part(outside_before)[...] = 0
        o.part(outside_after)[...] = 0
        if not np.array_equal(outside_before, outside_after, equal_nan=True):
            return f"output {j} is written outside of its part"
    return None


@cache
def device() -> Device:
    return Device()


def run_on_device(source: str, nest: Nest, given: list[Array]) -> str | None:
    found = [a.copy() for a in given]
    passed = [
        a for a, o in zip(found, [*nest.inputs, *nest.outputs], strict=True) if not o.is_constant
    ]
    device()(Kernels(source), "f", passed)
    return check_numbers(nest, given, found)


def check(seed: int) -> str:
    nest = make(seed)
    given = arrays(nest, seed)
    source = text(nest, given, "f")
    as_nest = source.replace("ATTRIBUTES", "cell.device_kernel, cell.grid_nest")
    if wrong := run_on_device(as_nest, nest, given):
        return f"as a nest: {wrong}"
    if not any(nest.reduced):
        return "map"
    passes = "builtin.module(func.func(cell-split-reductions{fewest-steps=1 launch-cycles=0}))"
    plain = source.replace("ATTRIBUTES", "cell.device_kernel")
    cut = run(BUILD / "bin" / "cell-opt", f"--pass-pipeline={passes}", text=plain)
    if "expand_shape" not in cut:
        return "reduction"
    if wrong := run_on_device(cut, nest, given):
        return f"in parts: {wrong}"
    return "reduction in parts"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    counts = outcomes(check, seeds, FINE.__contains__, "seed")
    for what, number in counts.most_common():
        print(f"{number} {what}")
    return min(counts["findings"], 1)


if __name__ == "__main__":
    raise SystemExit(main())
