"""Checks files whose first dimensions are `?`: compiled for any batch against interpreted for each size.

A program is drawn for a batch of 23, which no other dimension is a multiple of. Its text with `?` in the
place of 23 is compiled once. With numbers there, it is what the interpreter runs, which knows neither of
open batches nor of tiles. Where samples have several rows, which `?` cannot say, the text has the number that
stands in for the batch. What depends on the batch otherwise does not parse for another size, and is left
out; so is what the compiler refuses, if it does so with a message for the program's author.

One of the sizes is named and has a program of its own, which must give the bits of the file with the number in the
place of `?`. Half of the programs have the gradients by all arguments. Calls are made in guarded memory, whose arena has exactly
the bytes that the model says. A program that fails is written to build/fuzz.

    python test/fuzz/dynamic_files.py --first=0 --count=200
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import guarded
import numpy as np
from differential import ULPS, Mismatch, Reference, compare
from generator import BUILD, Generator, Program, count, records

from cellgrad import _native

BATCH = 23  # of programs as they are drawn
STAND_IN = 65521  # of programs with several rows for a sample
SIZES = [1, 2, 3, 4, 5, 7, 8]  # of other dimensions
PER_SAMPLE = 48  # elements of an argument
MAX_BATCH = 200
TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)>")
SLICE = re.compile(r"( to \[)([\d, ]*)(\] by .* : )(tensor<[\dx]*\w+>)( -> )")
CONSTANT = re.compile(r"( *)(%\w+) = cell\.constant dense<(.*)> : (tensor<.*>)")


class Unfit(Exception):
    """A program that is no other one for another batch size only by its types."""


class OpenProgram(Generator):
    """Draws programs of samples and of values that all samples share."""

    def __init__(self, seed: int, dtype: str, table: list[dict[str, Any]]) -> None:
        super().__init__(seed, dtype, table)
        self.sizes = SIZES
        self.slopes = self.rng.random() < 0.5

    def shape(self) -> tuple[int, ...]:
        while True:
            shape = tuple(
                self.rng.choice(SIZES) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3]))
            )
            if count(shape) <= PER_SAMPLE:
                return shape if self.rng.random() < 0.3 else (BATCH, *shape)

    def step(self) -> None:
        """Draws again what has rows that are no rows of samples any more."""
        before = len(self.values), len(self.computed)
        super().step()
        if any(self.is_lost(v) for v in self.values[before[0] :]):
            del self.values[before[0] :], self.computed[before[1] :]

    def is_lost(self, value: Any) -> bool:
        return value.shape.count(BATCH) > 1

    def program(self) -> Program:
        shapes = [
            (BATCH, *self.shape()[1:]),
            *(self.shape() for _ in range(self.rng.randint(0, 2))),
        ]
        args = [(self.dtype, s, f"x{i}", "input", None, None) for i, s in enumerate(shapes)]
        self.f = self.graph.function("f", args, public=False)
        self.values, self.computed = list(self.f.args), []
        for _ in range(self.rng.randint(1, 7)):
            self.step()
        results = [self.in_front(v) for v in self.computed[-3:]]
        results = [v for v in results if v is not None] or self.values[:1]
        self.f.ret(results)
        types = [(v.dtype, v.shape) for v in results]
        if self.slopes:
            shapes, types = self.differentiate(shapes, types)
        else:
            f = self.graph.function("main", args, public=True)
            f.ret(f.call("f", list(f.args)))
        return Program(self.graph, self.dtype, shapes, types)

    def in_front(self, x: Any) -> Any:
        """`x` with the batch as its first dimension, where it has one at all."""
        places = [d for d, size in enumerate(x.shape) if size % BATCH == 0]
        if places and x.shape[places[0]] > BATCH:
            return None
        if places and places[0]:
            perm = [places[0], *(d for d in range(len(x.shape)) if d != places[0])]
            return self.f.create("cell.transpose", [x], {"perm": perm}, None, None)
        return x

    def differentiate(self, shapes: Any, types: Any) -> Any:
        """`main` gives the values and, with cotangents as arguments, the gradients by all arguments."""
        of = [i for i, (dtype, _) in enumerate(types) if dtype == self.dtype]
        given = [*shapes, *(types[i][1] for i in of)]
        args = [(self.dtype, s, f"x{i}", "input", None, None) for i, s in enumerate(given)]
        f, n = self.graph.function("main", args, public=True), len(shapes)
        a = list(f.args)
        f.ret(f.vjp("f", a[:n], a[n:], of=of, wrt=list(range(n))) if of else f.call("f", a))
        return given, [*types, *((self.dtype, s) for s in (shapes if of else ()))]


def resized(text: str, size: int | str) -> str:
    """The program for another batch size; with `?` in the place of each size that is the batch."""

    def extent(number: str) -> str:
        rows, rest = divmod(int(number), BATCH)
        if rest or not rows:
            return number
        return size if isinstance(size, str) else str(rows * size)

    def dims(found: re.Match[str]) -> str:
        return f"tensor<{''.join(extent(n) + 'x' for n in found[1].split('x') if n)}{found[2]}>"

    def limits(found: re.Match[str]) -> str:
        whole = [n for n in TENSOR.match(found[4])[1].split("x") if n]
        ends = [end for end in found[2].split(", ") if end]
        for i, (end, n) in enumerate(zip(ends, whole, strict=True)):
            if end == n and extent(n) != n:
                ends[i] = extent(n).replace("?", "-1")
        return found[1] + ", ".join(ends) + "".join(found.groups()[2:])

    return TENSOR.sub(dims, SLICE.sub(limits, text))


def extents(text: str) -> set[int]:
    return {int(n) for found in TENSOR.finditer(text) for n in found[1].split("x") if n}


def opened(text: str, named: int) -> str:
    """The program for any batch size, and with one of its own for one."""

    def of_batch(text: str, also: str) -> str:
        batch = f"{{max = {MAX_BATCH} : i64, {also}}}"
        return re.sub(r"^module @\w+ ", rf"\g<0>attributes {{cell.batch = {batch}}} ", text)

    if any(n > BATCH and n % BATCH == 0 for n in extents(text)):
        return of_batch(resized(text, STAND_IN), f"size = {STAND_IN} : i64")

    def broadcast(found: re.Match[str]) -> str:
        """A constant is of no type with `?`."""
        indent, name, number, type = found.groups()
        if "?" not in type:
            return found[0]
        dims = ", ".join(map(str, range(type.count("x"))))
        scalar = re.sub(r"<.*x", "<", type)
        return (
            f"{indent}{name}_one = cell.constant dense<{number}> : {scalar}\n"
            f"{indent}{name} = cell.broadcast {name}_one along [{dims}] : {scalar} -> {type}"
        )

    made = CONSTANT.sub(broadcast, resized(text, "?"))
    return of_batch(made, f"often = array<i64: {named}>")


def closed(text: str, size: int) -> str:
    """An open program for one batch size."""
    ends = re.sub(r" to \[[-\d, ]*\] by ", lambda m: m[0].replace("-1", str(size)), text)
    return re.sub(r"attributes {cell.batch = {.*}} ", "", ends.replace("?", str(size)))


def fixed(text: str, program: Program, size: int) -> Program:
    """The program for one batch size."""
    of = lambda shape: tuple(n // BATCH * size if n % BATCH == 0 else n for n in shape)
    try:
        graph = _native.Graph.parse(resized(text, size))
    except _native.GraphError as error:
        raise Unfit(str(error)) from None
    results = [(dtype, of(shape)) for dtype, shape in program.results]
    return Program(graph, program.dtype, [of(s) for s in program.arguments], results)


def same_bits(text: str, entry: Any, shapes: Any, size: int, dtype: str, folder: Path) -> None:
    """Compares with the file for one size. Raises Mismatch."""
    _native.compile_text(closed(text, size), str(folder / "closed.so"), "closed", {})
    rng = np.random.default_rng(size)
    inputs = [rng.normal(size=s).astype(dtype) for s in shapes]
    wanted = guarded.Model(folder / "closed.so").entry("main")(inputs)
    for k, (a, b) in enumerate(zip(entry(inputs), wanted, strict=True)):
        if not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            raise Mismatch(
                f"batch {size}, result {k}: {a} is not {b}, that of a model for the size"
            )


def check(seed: int, table: list[dict[str, Any]], folder: Path = BUILD / "fuzz") -> str:
    """What came of a program: "checked", "refused" or "unfit". Raises Mismatch."""
    dtype = "float32" if seed % 3 else "float64"
    drawn = OpenProgram(seed, dtype, table)
    program = drawn.program()
    text = program.graph.text()
    if any(re.search(r'^\[|^"', c[3]) and extents(c[4]) & {BATCH} for c in CONSTANT.finditer(text)):
        return "unfit"  # elements for one size
    rng = np.random.default_rng(seed)
    large = [
        32,
        64,
        128,
        int(rng.integers(12, MAX_BATCH + 1)),
        int(rng.integers(12, MAX_BATCH + 1)),
    ]
    sizes = (1, 2, int(rng.integers(3, 12)), int(rng.choice(large)))
    try:
        programs = [fixed(text, program, size) for size in sizes]
    except Unfit:
        return "unfit"
    try:
        with tempfile.TemporaryDirectory() as made:
            path = Path(made) / "fuzz.so"
            given = opened(text, sizes[-1])
            _native.compile_text(given, str(path), "fuzz", {})
            entry = guarded.Model(path).entry("main")
            if "?" in given:
                same_bits(given, entry, programs[-1].arguments, sizes[-1], dtype, Path(made))
            for one in programs:
                inputs = [rng.normal(size=s).astype(dtype) for s in one.arguments]
                noise = [1 + ULPS[dtype] * rng.uniform(-1, 1, size=x.shape) for x in inputs]
                moved = [(x * n).astype(dtype) for x, n in zip(inputs, noise, strict=True)]
                reference = Reference(one, "main", inputs, moved)
                compare(one, f"seed {seed}, batch {len(inputs[0])}", entry(inputs), reference)
    except (Mismatch, RuntimeError, _native.CompileError) as error:
        if isinstance(error, _native.CompileError) and error.failure is None:
            return "refused"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"dynamic-{seed}.mlir"
        file.write_text(opened(text, sizes[-1]))
        raise Mismatch(f"seed {seed}, {file}: {error}") from None
    return "checked"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    table, came = records(), Counter[str]()
    for seed in range(given.first, given.first + given.count):
        try:
            came[check(seed, table)] += 1
        except Mismatch as error:
            came["failed"] += 1
            print(error, flush=True)
    print(", ".join(f"{n} {what}" for what, n in came.items()))
    return min(came["failed"], 1)


if __name__ == "__main__":
    raise SystemExit(main())
