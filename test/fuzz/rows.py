"""Random programs about kernels: ops that share rows, and what must not run row by row with them.

Row reductions and what reads them, reductions over rows beside them, also of half precision, integers,
maxima; rows that are shifted, turned, mirrored, gathered, scattered and put into others; positions along
the rows; updates in place, loops, branches, checks between. Gradients, updates of donated arguments by
gradients, and second derivatives of them. Numbers of rows are prime, powers of two, and next to those of
tiles and items (FormKernels.cpp).

Compiled results are compared with the interpreter's as in differential.py; the compile option
`kernel_bytes` forms kernels of ops of any size, of tiles of a few rows. Each call is repeated by pools
that cut regions anywhere (guarded.py) and by threads: bits are the same.

    python test/fuzz/rows.py --first=1000 --count=500
    python test/fuzz/rows.py --forms --count=100   # counts what kernels are formed
    python test/fuzz/rows.py --replay=build/fuzz/rows-1234.mlir --seed=1234
"""

from __future__ import annotations

import argparse
import random
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import guarded
import numpy as np
from contractions import TARGETS
from differential import (
    FINDINGS,
    ULPS,
    Mismatch,
    Reference,
    arrays,
    buffers,
    compare,
    entry,
    reduced_by,
)
from generator import BUILD, Program, count
from loops import BOUNDED, Loops, Value

from cellgrad import _native

# At most 128 items: more rows are several tiles an item, and the last item may have fewer.
ROWS = (1, 2, 3, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 131, 255, 256, 257, 263, 521)
COLUMNS = (1, 1, 2, 3, 4, 7, 8, 15, 16, 17, 33)
MOST = 3000  # elements: the interpreter takes part
LARGE = ((1031, 31), (2048, 17), (257, 130), (640, 64), (5003, 7), (40_000, 1))
KERNEL_BYTES = (1, 64, 1000)
SMALL = 1500  # elements of the arguments, of second derivatives
WORKERS, THREADS = (3, 8), (2, 3, 8)
SMOOTH = ("tanh", "sin", "cos", "sigmoid", "atan", "erf", "square", "exp", "abs", "neg")
NARROW = ("f16", "bf16", "i32", "i64")


@dataclass
class Rows(Loops):
    """Draws one program from a seed."""

    large: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        rng = self.rng
        while True:
            n, c = rng.choice(ROWS), rng.choice(COLUMNS)
            if n * c <= MOST and (n * c > 20 or rng.random() < 0.3):
                break
        if self.large:
            n, c = rng.choice(LARGE)
        self.n, self.c = n, c
        # The first three are a matrix, its row and a scalar, as Loops has them.
        self.shapes = [(n, c), (c,), (), (n,)]
        if rng.random() < 0.3:
            self.shapes.append(rng.choice([(n, 1), (1, c), (1, n, c)]))
        if rng.random() < 0.3:
            b = rng.choice([2, 3, 5])
            shape = rng.choice([(b, n, c), (n, b, c)])
            if count(shape) <= 2 * MOST:
                self.shapes.append(shape)
        self.effects = self.seed % 16 == 5
        self.checks = 0

    def program(self) -> Program:
        rng = self.rng
        arguments = [self.shapes[0], *(rng.choice(self.shapes) for _ in range(rng.randint(0, 3)))]
        self.values = [Value(f"%x{i}", shape) for i, shape in enumerate(arguments)]
        steps = rng.randint(2, 4 if self.large else 7)
        at = rng.randrange(steps) if rng.random() < 0.2 and not self.large else -1
        for i in range(steps):
            self.step()
            if i == at:
                self.region()
        results = [self.result() for _ in range(rng.randint(1, 4))]
        return self.made(arguments, results)

    def result(self) -> Value:
        if self.rng.random() < 0.5:
            return self.gathered(self.rng.choice(self.shapes))
        return self.some()

    def step(self) -> None:
        if self.depth and self.regions < 3 and self.rng.random() < 0.15:
            self.region()
            return
        steps: dict[Callable[[], None], int] = {
            self.chain: 16,
            self.row_sum: 6,
            self.softmax: 6,
            self.layer_norm: 4,
            self.log_sum: 3,
            self.over_rows: 10,
            self.total: 4,
            self.wide: 8,
            self.shifted: 8,
            self.turn: 4,
            self.gather: 4,
            self.scatter: 4,
            self.positioned: 4,
            self.noise: 1,
            self.update: 3,
            self.column: 1,
            self.contraction: 2,
            self.beside: 3,
        }
        if self.effects:
            steps[self.effect] = 6
        self.rng.choices(list(steps), weights=list(steps.values()))[0]()

    # --- values -------------------------------------------------------------------------------

    def rows(self) -> Value:
        """A value of several dimensions, rather the matrix."""
        if self.rng.random() < 0.7:
            return self.some(self.shapes[0])
        many = [v for v in self.values if len(v.shape) >= 2]
        return self.rng.choice(many[-4:])

    def seen(self, x: Value) -> Value:
        """`x` among the values that later steps read."""
        self.values.append(x)
        return x

    def bounded(self, x: Value) -> Value:
        return self.same(self.rng.choice(BOUNDED), x, visible=False)

    def other(self, x: Value) -> Value:
        """Another value of the shape of `x`, or `x` again."""
        return self.rng.choice([v for v in self.values if v.shape == x.shape][-4:] or [x])

    def reduce(self, kind: str, x: Value, dims: list[int], element: str = "") -> Value:
        left = tuple(n for d, n in enumerate(x.shape) if d not in dims)
        types = f"{self.type(x.shape, element)} -> {self.type(left, element)}"
        return self.op(f"reduce_{kind} {x.name} over {dims} : {types}", left, visible=False)

    def spread_over(self, x: Value, dims: list[int], shape: tuple[int, ...]) -> Value:
        if not dims:
            return x
        types = f"{self.type(x.shape)} -> {self.type(shape)}"
        return self.op(f"broadcast {x.name} along {dims} : {types}", shape, visible=False)

    def cast(self, x: Value, source: str, target: str) -> Value:
        if source == target:
            return x
        types = f"{self.type(x.shape, source)} to {self.type(x.shape, target)}"
        return self.op(f"cast {x.name} : {types}", x.shape, visible=False)

    # --- elements -----------------------------------------------------------------------------

    def chain(self) -> None:
        x = self.some() if self.rng.random() < 0.3 else self.rows()
        for _ in range(self.rng.randint(1, 4)):
            how = self.rng.random()
            if how < 0.5:
                name = self.rng.choice(SMOOTH)
                x = self.same(name, self.bounded(x) if name in ("exp", "square") else x)
            elif how < 0.85:
                name = self.rng.choice(["add", "mul", "sub", "maximum", "minimum"])
                x = self.same(name, *self.rng.sample([x, self.other(x)], 2))
            else:
                y, truth = self.other(x), self.fresh()
                self.say(f"{truth} = cell.less {x.name}, {y.name} : {self.type(x.shape)}")
                given = f"{truth}, {x.name}, {self.other(x).name}"
                x = self.op(f"select {given} : {self.type(x.shape)}", x.shape)

    def beside(self) -> None:
        """Small ops of other buffers between those of rows."""
        for _ in range(self.rng.randint(1, 3)):
            self.same(self.rng.choice(BOUNDED), self.some(self.rng.choice(self.shapes)))

    def positioned(self) -> None:
        """Positions along the rows, or sums up to them."""
        rng, x = self.rng, self.rows()
        dim = rng.choice([0, 0, len(x.shape) - 1])
        how = rng.random()
        if how < 0.5:
            iota = self.op(f"iota dim {dim} : {self.type(x.shape)}", x.shape, visible=False)
            scaled = self.same("mul", iota, self.constant(1.0 / x.shape[dim], x.shape), visible=False)
            self.same(rng.choice(["add", "mul", "maximum"]), x, scaled)
        elif how < 0.75:
            self.bounded_of(self.op(f"cumsum {x.name} along {dim} : {self.type(x.shape)}", x.shape, False))
        else:
            last = len(x.shape) - 1
            left = x.shape[:-1]
            name = rng.choice(["argmax", "argmin"])
            types = f"{self.type(x.shape)} -> {self.type(left, 'i32')}"
            at = self.op(f"{name} {x.name} over [{last}] : {types}", left, visible=False)
            self.seen(self.cast(at, "i32", self.element))

    def bounded_of(self, x: Value) -> None:
        self.same(self.rng.choice(BOUNDED), x)

    def noise(self) -> None:
        """Numbers that depend on the position alone."""
        x, key, bits = self.rows(), self.fresh(), self.fresh()
        numbers = [self.rng.randint(-(2**31), 2**31 - 1) for _ in range(2)]
        self.say(f"{key} = cell.constant dense<{numbers}> : tensor<2xi32>")
        self.say(f"{bits} = cell.random_bits {key} : tensor<2xi32> -> {self.type(x.shape, 'i32')}")
        wide = self.cast(Value(bits, x.shape), "i32", self.element)
        unit = self.same("mul", wide, self.constant(2.0**-31, x.shape), visible=False)
        self.same("mul", x, unit)

    # --- reductions of rows -------------------------------------------------------------------

    def own(self, x: Value) -> list[int]:
        """The dimensions of a row of `x`: the last ones."""
        least = 1 if len(x.shape) > 1 else 0
        return list(range(self.rng.randint(least, max(least, len(x.shape) - 1)), len(x.shape)))

    def row_sum(self) -> None:
        x = self.rows()
        dims = self.own(x)
        if not dims:
            return
        y = self.seen(self.reduce(self.rng.choice(["sum", "sum", "max", "min"]), x, dims))
        if self.rng.random() < 0.6:
            y = self.bounded(y)
            z = self.spread_over(y, dims, x.shape)
            self.same(self.rng.choice(["add", "mul", "sub", "maximum"]), self.other(x), z)

    def softmax(self) -> None:
        x = self.rows()
        dims = self.own(x)
        less = self.same(
            "sub", x, self.spread_over(self.reduce("max", x, dims), dims, x.shape), visible=False
        )
        e = self.same("exp", less, visible=self.rng.random() < 0.3)
        total = self.reduce("sum", e, dims)
        if self.rng.random() < 0.3:
            self.seen(total)
        self.same("div", e, self.spread_over(total, dims, x.shape))

    def mean(self, x: Value, dims: list[int]) -> Value:
        y = self.reduce("sum", x, dims)
        part = self.constant(1.0 / max(1, count(tuple(x.shape[d] for d in dims))), y.shape)
        return self.same("mul", y, part, visible=False)

    def layer_norm(self) -> None:
        x = self.rows()
        dims = self.own(x)
        centred = self.same("sub", x, self.spread_over(self.mean(x, dims), dims, x.shape), visible=False)
        variance = self.mean(self.same("square", centred, visible=False), dims)
        if self.rng.random() < 0.3:
            self.seen(variance)
        shifted = self.same("add", variance, self.constant(0.1, variance.shape), visible=False)
        scale = self.same("rsqrt", shifted, visible=False)
        y = self.same("mul", centred, self.spread_over(scale, dims, x.shape))
        if self.rng.random() < 0.5 and x.shape == self.shapes[0]:
            y = self.same("mul", y, self.spread_over(self.some(self.shapes[1]), [0], y.shape))
            self.same("add", y, self.spread_over(self.some(self.shapes[1]), [0], y.shape))

    def log_sum(self) -> None:
        x = self.bounded(self.rows())
        dims = self.own(x)
        y = self.reduce("sum", self.same("exp", x, visible=False), dims)
        self.same("log", y)

    # --- reductions over rows -----------------------------------------------------------------

    def over_rows(self) -> None:
        """Results of all rows, perhaps several of one value."""
        x = self.rows()
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            dims = [0] if self.rng.random() < 0.8 else sorted(self.rng.sample(range(len(x.shape)), 1))
            if self.rng.random() < 0.3:
                x = self.bounded(x)
            kind = self.rng.choice(["sum", "sum", "sum", "max", "min"])
            narrow = self.rng.random() < 0.2
            element = self.rng.choice(NARROW) if narrow else self.element
            y = self.same("mul", x, self.constant(9.0, x.shape), visible=False) if element[0] == "i" else x
            y = self.reduce(kind, self.cast(y, self.element, element), dims, element)
            y = self.cast(y, element, self.element)
            if kind == "sum" and self.rng.random() < 0.5:
                y = self.same("mul", y, self.constant(1.0 / x.shape[dims[0]], y.shape), visible=False)
            self.seen(y)
            if self.rng.random() < 0.3 and y.shape in self.shapes:
                self.same("add", self.other(y), y)

    def total(self) -> None:
        x = self.rows()
        y = self.reduce(self.rng.choice(["sum", "sum", "max", "min"]), x, list(range(len(x.shape))))
        self.seen(self.bounded(y))
        if self.rng.random() < 0.4:  # read by rows again
            self.same("mul", x, self.spread_over(self.values[-1], list(range(len(x.shape))), x.shape))

    def wide(self) -> None:
        """A row for all rows, or a number for each."""
        shape = self.shapes[0]
        if self.rng.random() < 0.5:
            y = self.spread_over(self.some(shape[1:]), [0], shape)
        else:
            y = self.spread_over(self.some(shape[:1]), [1], shape)
        self.same(self.rng.choice(["add", "mul", "sub", "maximum"]), self.some(shape), y)

    # --- other rows ---------------------------------------------------------------------------

    def shifted(self) -> None:
        """Rows together with their neighbours, or those from the other end."""
        rng, x = self.rng, self.rows()
        n = x.shape[0]
        how = rng.random()
        if how < 0.35 or n == 1:
            dims = sorted(rng.sample(range(len(x.shape)), rng.randint(1, len(x.shape))))
            y = self.op(f"reverse {x.name} over {dims} : {self.type(x.shape)}", x.shape, False)
        elif how < 0.7:
            at = rng.choice([1, 1, n - 1, n // 2])
            parts = [self.slice(x, 0, at, n), self.slice(self.other(x), 0, 0, at)]
            names = ", ".join(p.name for p in parts)
            types = ", ".join(self.type(p.shape) for p in parts)
            y = self.op(f"concat {names} dim 0 : ({types}) -> {self.type(x.shape)}", x.shape, False)
        else:
            part = self.slice(x, 0, 0, n - 1) if rng.random() < 0.5 else self.slice(x, 0, 1, n)
            if rng.random() < 0.5:
                part = self.bounded(part)
            after = rng.randint(0, 1)
            rest = [0] * (len(x.shape) - 1)
            what = f"pad {part.name} low {[1 - after, *rest]} high {[after, *rest]}"
            types = f"{self.type(part.shape)} -> {self.type(x.shape)}"
            y = self.op(f"{what} interior {[0, *rest]} : {types}", x.shape, False)
        if rng.random() < 0.5:
            y = self.bounded(y)
        self.same(rng.choice(["add", "sub", "mul", "maximum"]), *rng.sample([self.other(x), y], 2))

    def turn(self) -> None:
        """Columns as rows, of the same memory or other."""
        rng, x = self.rng, self.some(self.shapes[0])
        n, c = x.shape
        if rng.random() < 0.5:
            perm = f"perm [1, 0] : {self.type(x.shape)} -> {self.type((c, n))}"
            y = self.op(f"transpose {x.name} {perm}", (c, n), False)
        else:
            y = self.reshape(x, (c, n))
        if rng.random() < 0.4:
            self.seen(self.reduce(rng.choice(["sum", "max"]), y, [rng.randrange(2)]))
        if rng.random() < 0.5:
            y = self.bounded(y)
        if rng.random() < 0.5:
            perm = f"perm [1, 0] : {self.type(y.shape)} -> {self.type(x.shape)}"
            z = self.op(f"transpose {y.name} {perm}", x.shape, False)
        else:
            z = self.reshape(y, x.shape)
        self.same(rng.choice(["add", "sub"]), z, self.other(x))

    def positions(self, size: int, often: bool) -> str:
        rows = list(range(size))
        self.rng.shuffle(rows)
        if often:
            rows = [self.rng.randrange(size) for _ in rows]
        name = self.fresh()
        self.say(f"{name} = cell.constant dense<{rows}> : tensor<{size}xi32>")
        return name

    def gather(self) -> None:
        x = self.rows()
        at = self.positions(x.shape[0], self.rng.random() < 0.4)
        types = f"{self.type(x.shape)}, tensor<{x.shape[0]}xi32> -> {self.type(x.shape)}"
        y = self.op(f"gather {x.name} at {at} dim 0 : {types}", x.shape)
        if self.rng.random() < 0.5:
            self.same(self.rng.choice(["add", "sub"]), y, self.other(x))

    def scatter(self) -> None:
        x = self.rows()
        new, kind = self.other(x), self.rng.choice(["add", "set"])
        at = self.positions(x.shape[0], kind == "add" and self.rng.random() < 0.5)
        types = f"{self.type(x.shape)}, {self.type(x.shape)}, tensor<{x.shape[0]}xi32>"
        what = f'scatter "{kind}" {new.name} into {x.name} at {at} dim 0 : {types}'
        self.bounded_of(self.op(what, x.shape, False))

    def effect(self) -> None:
        """Something that must see what is there at its place."""
        if self.depth:
            return
        x = self.some()
        if self.rng.random() < 0.5:
            self.say(f'cell.print "p {{}}" ({x.name} : {self.type(x.shape)})')
            return
        y = self.reduce("max", x, list(range(len(x.shape)))) if x.shape else x
        bit = self.fresh()
        self.say(f"{bit} = cell.not_equal {y.name}, {self.constant(12345.5).name} : {self.type(())}")
        self.say(f'cell.check {bit} "check {self.checks}" : tensor<i1>')
        self.checks += 1


# --- what is called -------------------------------------------------------------------------------


def draw(seed: int) -> Program:
    return Rows(seed, "float64" if seed % 3 == 0 else "float32", large=seed % 20 == 19).program()


def donated(program: Program, rng: random.Random) -> dict[int, int]:
    """Arguments whose memory results are written to, in most programs that can."""
    given = dict[int, int]()
    for k, (dtype, shape) in enumerate(program.results):
        fitting = [i for i, s in enumerate(program.arguments) if s == shape and i not in given]
        if fitting and dtype == program.dtype and rng.random() < 0.7:
            given[rng.choice(fitting)] = k
    return given


@dataclass
class Call:
    """An entry of a program, and the shapes of its arguments beyond those of the program."""

    name: str
    extra: list[tuple[int, ...]]
    donates: set[int]


def add_step(program: Program, of: list[int]) -> Call:
    """An update of donated arguments and of their averages by gradients."""
    shapes, dtype = program.arguments, program.dtype
    n, cts = len(shapes), [program.results[i][1] for i in of]
    extra = [*cts, *shapes]
    first = n + len(cts)
    places = {**{i: i for i in range(n)}, **{first + i: n + i for i in range(n)}}
    f, args = entry(program, "step", extra, places)
    grads = f.vjp("f", args[:n], args[n:first], of=of, wrt=list(range(n)))[len(program.results) :]
    letter = "f" if dtype == "float32" else "d"
    op = lambda name, *given: f.create(f"cell.{name}", list(given), None, None, None)
    number = lambda x, s: f.constant(struct.pack(f"<{letter}", x), dtype, s)
    new, averages = [], []
    for x, m, g in zip(args[:n], args[first:], grads, strict=True):
        average = op("add", op("mul", m, number(0.875, m.shape)), op("tanh", g))
        averages.append(average)
        new.append(op("sub", x, op("mul", average, number(0.125, m.shape))))
    f.ret([*new, *averages])
    return Call("step", extra, set(places))


def add_second(program: Program, of: list[int]) -> Call:
    """The gradient of the gradient times a direction."""
    shapes = program.arguments
    n, m, cts = len(shapes), len(program.results), [program.results[i][1] for i in of]
    wrt = list(range(n))
    g, args = entry(program, "g", cts)
    g.ret(g.vjp("f", args[:n], args[n:], of=of, wrt=wrt)[m:])
    k, args = entry(program, "k", [*cts, *shapes])
    k.ret(k.vjp("g", args[: n + len(of)], args[n + len(of) :], of=wrt, wrt=wrt)[n:])
    return Call("k", [*cts, *shapes], set())


def calls(program: Program, seed: int) -> list[Call]:
    """Adds entries to the program's graph: itself, and a derivative where that is of moderate size."""
    places = donated(program, random.Random(seed))
    f, args = entry(program, "main", [], places)
    f.ret(f.call("f", args))
    made = [Call("main", [], set(places))]
    of = [i for i, (dtype, _) in enumerate(program.results) if dtype == program.dtype]
    size = sum(map(count, program.arguments))
    effects = "cell.print" in program.graph.text() or "cell.check" in program.graph.text()
    if of and not effects and size <= 10 * MOST:
        if seed % 3 == 1:
            made.append(add_step(program, of))
        elif seed % 3 == 0 and seed % 2 and size <= SMALL:
            made.append(add_second(program, of))
    return made


def options(seed: int) -> dict[str, Any]:
    """How the program of a seed is compiled."""
    rng = random.Random(seed + 1)
    given: dict[str, Any] = {"opt_level": rng.choice([2, 2, 2, 1, 0]), "target": rng.choice(TARGETS)}
    if seed % 20 == 19 or rng.random() < 0.05:
        return given
    given |= {"kernel_bytes": rng.choice(KERNEL_BYTES), "poison": rng.random() < 0.5}
    return given


def prepared(program: Program, seed: int) -> Callable[[Path], int]:
    """What runs the compiled program, and raises Mismatch; it returns how many regions ran. Adds the
    entries to the program's graph."""
    made = []
    for call in calls(program, seed):
        rng = np.random.default_rng(seed)
        shapes = [*program.arguments, *call.extra]
        inputs = [rng.normal(size=s).astype(program.dtype) for s in shapes]
        noise = [1 + ULPS[program.dtype] * rng.uniform(-1, 1, size=s) for s in shapes]
        moved = [(x * e).astype(program.dtype) for x, e in zip(inputs, noise, strict=True)]
        made.append((call, inputs, Reference(program, call.name, inputs, moved)))
    text = program.graph.text()

    def run(path: Path) -> int:
        regions = 0
        model, threaded = guarded.Model(path), _native.Model(str(path))
        for call, inputs, reference in made:
            what = f"seed {seed}, {call.name}, {options(seed)}"
            function, quiet = model.entry(call.name), guarded.PRINT(lambda *_: None)

            def called(pool: guarded.Shuffled | None = None) -> list[np.ndarray]:
                status, _, results = function.run(inputs, pool, print=quiet)
                if status:
                    raise Mismatch(f"{what}: ends with status {status}\n{text}")
                return results

            given = called()
            compare(program, what, given, reference)
            if not function.spec["parallel"]:
                continue
            for workers in WORKERS:
                pool = guarded.Shuffled(workers, seed)
                same(f"{what}, {workers} workers", called(pool), given, text)
                regions += pool.regions
            if "cell.print" in text:
                continue
            for threads in THREADS:
                _native.set_num_threads(threads)
                results = arrays(threaded.entry(call.name)(buffers(inputs)))
                same(f"{what}, {threads} threads", results, given, text)
        return regions

    return run


def check_program(program: Program, seed: int) -> int:
    """Raises Mismatch, or what the compiler raises; returns how many regions ran."""
    run = prepared(program, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.so"
        _native.compile_graph(program.graph, str(path), "fuzz", options(seed))
        return run(path)


def same(what: str, given: list[np.ndarray], expected: list[np.ndarray], text: str) -> None:
    for i, (g, e) in enumerate(zip(given, expected, strict=True)):
        if g.tobytes() != e.tobytes():
            off = np.flatnonzero(np.frombuffer(g.tobytes(), "u1") != np.frombuffer(e.tobytes(), "u1"))
            raise Mismatch(
                f"{what}: result {i} has other bits, {len(off)} bytes, first {off[0]}\n{text}"
            )


def check(seed: int) -> int:
    """Checks the program of a seed; one that fails is written to build/fuzz, and reduced."""
    program = draw(seed)
    text = program.graph.text()
    try:
        return check_program(program, seed)
    except FINDINGS as finding:
        command = f"{sys.executable} {Path(__file__).resolve()} --seed={seed}"
        name = type(finding).__name__
        note = reduced_by(command, f"rows-{seed}", text, name, BUILD / "fuzz")
        raise type(finding)(f"rows {finding}\n{note}") from None


# --- what is drawn --------------------------------------------------------------------------------

# Of each kernel: what its remark says.
REMARK = re.compile(
    r"(\d+) items of (\d+) tiles of (\d+) rows, rest (\d+): (\d+) ops, (\d+) reduce, (\d+) fill, "
    r"(\d+) temporaries, (\d+) deferred"
)
FORMS = (
    *("items", "tiles of an item", "rows of a tile", "rest", "ops"),
    *("reductions over rows", "fills", "temporaries", "deferred"),
)


@cache
def planning(kernel_bytes: int) -> str:
    """The passes up to memory, of which the one that forms kernels says what they are."""
    pipeline = f"builtin.module(cell-to-llvm-pipeline{{kernel-bytes={kernel_bytes}}})"
    tool = [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline={pipeline}", "--dump-pass-pipeline"]
    made = subprocess.run(tool, input="module {}", capture_output=True, text=True, check=True)
    passes = made.stderr[made.stderr.index("builtin.module(") :].strip()
    planned, n = re.subn(r"(cell-form-kernels\{.*print-plan=)false", r"\1true", passes)
    assert n == 1, passes
    return planned[: planned.index("cell-share-math")].rstrip().rstrip(",") + ")"


def forms(seed: int) -> Counter[str]:
    """How many kernels of each kind the program of a seed has."""
    program = draw(seed)
    calls(program, seed)
    tool = [BUILD / "bin" / "cell-opt", "-"]
    tool.append(f"--pass-pipeline={planning(options(seed).get('kernel_bytes', 65536))}")
    said = subprocess.run(tool, input=program.graph.text(), capture_output=True, text=True)
    if said.returncode:
        raise RuntimeError(said.stderr)
    found = Counter({"memory of workers": said.stdout.count("cell.slot_bytes")})
    for remark in REMARK.findall(said.stderr):
        numbers = dict(zip(FORMS, map(int, remark), strict=True))
        found["kernels"] += 1
        for form, number in numbers.items():
            least = 1 if form in ("items", "tiles of an item", "rows of a tile", "ops") else 0
            found[form] += number > least
        found["of one op"] += numbers["ops"] == 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--forms", action="store_true", help="count kernels, run nothing")
    parser.add_argument("--replay", type=Path, help="a program to check again: 0 if it fails still")
    parser.add_argument("--seed", type=int, default=0, help="... on these arguments")
    parser.add_argument("--expect", default="", help="... and what is to be found")
    given = parser.parse_args()
    if given.replay:
        try:
            check_program(Program.parse(given.replay.read_text()), given.seed)
        except FINDINGS as finding:
            print(finding)
            return 0 if given.expect in ("", type(finding).__name__) else 1
        return 1
    found, findings, regions = Counter[str](), 0, 0
    for seed in range(given.first, given.first + given.count):
        try:
            if given.forms:
                found += forms(seed)
            else:
                regions += check(seed)
        except FINDINGS as finding:
            findings += 1
            print(f"{finding}\n", flush=True)
    for form, n in found.items():
        print(f"| {form} | {n} |")
    print(f"{given.count} programs, {findings} findings, {regions} regions")
    return min(findings, 1)


if __name__ == "__main__":
    sys.exit(main())
