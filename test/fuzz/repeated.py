"""Checks what `cell-rematerialize` does to random derivatives.

Derivatives of orders 1 and 2 of deep programs: layers of elementwise ops between products, branches
and loops, which read each other, rows and columns. Limits are so low that all may be repeated that the
pass knows how to. It repeats the same ops on the same values: the interpreter must give the same bits
before and after. Then the repeated program is compiled, and compared as in differential.py: fusion
may read through a barrier, and buffers live differently.

    python test/fuzz/repeated.py --first=1000 --count=500
"""

from __future__ import annotations

import argparse
import re
from typing import Any

import differential
import numpy as np
from differential import FINDINGS, Mismatch, arrays, buffers, entry
from generator import Generator, Program, records

from cellgrad import _native

EXPAND = "cell-count-loops,cell-differentiate,canonicalize,cse"


UNARY = (
    *("abs", "cos", "erf", "erfc", "exp", "expm1", "gaussian", "log1p", "neg", "reciprocal"),
    *("relu", "rsqrt", "sech_squared", "sigmoid", "sigmoid_slope", "sign", "sin", "softplus"),
    *("sqrt", "square", "tanh"),
)
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum")


class Deep(Generator):
    """Draws layers: a few elementwise ops of matrices of one size, then a product or a region."""

    def program(self) -> Program:
        n = self.rng.choice([2, 3, 4, 5, 8])
        self.square = (n, n)
        shapes = [self.square, self.rng.choice([self.square, (1, n)]), (n,)]
        args = [(self.dtype, s, f"x{i}", "input", None, None) for i, s in enumerate(shapes)]
        self.f = self.graph.function("f", args, public=False)
        self.values = list(self.f.args)
        self.computed: list[Any] = []
        for _ in range(self.rng.randint(3, 7)):
            for _ in range(self.rng.randint(1, 4)):
                self.layer()
            x = self.some(self.square)
            draw = self.rng.choices([self.matmul, self.branch, self.loop], [8, 1, 1])[0]
            draw(x)
        results = self.computed[-self.rng.randint(1, 3) :]
        self.f.ret(results)
        return Program(self.graph, self.dtype, shapes, [(v.dtype, v.shape) for v in results])

    def some(self, shape: tuple[int, ...]) -> Any:
        """A floating-point value of a shape, most often one of the last."""
        fitting = [v for v in self.values if v.shape == shape and v.dtype == self.dtype]
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.7 else fitting)

    def layer(self) -> None:
        x = self.rng.choice([v for v in self.values if v.dtype == self.dtype][-5:])
        what = self.rng.random()
        if what < 0.5:
            self.add(f"cell.{self.rng.choice(UNARY)}", [x])
        elif what < 0.75:
            self.add(f"cell.{self.rng.choice(BINARY)}", [x, self.some(x.shape)])
        elif what < 0.85:
            row, dim = self.some(self.square[:1]), self.rng.choice([0, 1])
            self.add("cell.broadcast", [row], {"dims": [dim]}, (self.dtype, self.square))
            self.add("cell.add", [self.values[-1], self.some(self.square)])
        elif what < 0.95:
            truth = self.f.create("cell.greater", [x, self.some(x.shape)], None, None, None)
            self.add("cell.select", [truth, x, self.some(x.shape)])
        else:
            self.add("cell.reshape", [x], result=(x.dtype, x.shape[::-1]))


def derivative(program: Program, order: int) -> None:
    """Gives the program a function `d1` or `d2`, the gradient of <c, f>, or that of <u, gradient>."""
    of = [i for i, (dtype, _) in enumerate(program.results) if dtype != "bool"]
    cts = [program.results[i][1] for i in of]
    n = len(program.arguments)
    f, args = entry(program, "d1", cts)
    f.ret(f.vjp("f", args[:n], args[n:], of=of, wrt=list(range(n)))[len(program.results) :])
    if order == 2:
        m = n + len(of)
        f, args = entry(program, "d2", [*cts, *program.arguments])
        f.ret(f.vjp("d1", args[:m], args[m:], of=list(range(n)), wrt=list(range(n)))[n:])


def expanded(program: Program, order: int, passes: str) -> Program:
    """The derivative of an order as function `f`, after passes that `cell-opt` runs."""
    text = re.sub(r"@f\b", "@primal", program.graph.text())
    text = re.sub(rf"@d{order}\b", "@f", text)
    return Program.after(passes, text)


def check(seed: int, table: Any) -> int:
    """Raises Mismatch where repeating changes results; returns the number of barriers."""
    program = Deep(seed, "float64" if seed % 4 else "float32", table).program()
    order = 1 + seed % 2
    derivative(program, order)
    before = expanded(program, order, EXPAND)
    limits = f"distance={1 + seed % 2} depth=1 fewest-elements=1"
    after = expanded(program, order, f"{EXPAND},func.func(cell-rematerialize{{{limits}}})")
    barriers = after.graph.text().count("cell.barrier")
    if not barriers:
        return 0
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=s).astype(before.dtype) for s in before.arguments]
    sides = [arrays(_native.interpret(p.graph, "f", buffers(inputs))) for p in (before, after)]
    for i, (a, b) in enumerate(zip(*sides, strict=True)):
        if not np.array_equal(a, b, equal_nan=True):
            raise Mismatch(f"seed {seed}: result {i} is not the same\n{after.graph.text()}")
    differential.check_forward(after, seed)
    return barriers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    table, findings, programs = records(), 0, 0
    for seed in range(options.first, options.first + options.count):
        try:
            programs += check(seed, table) > 0
        except FINDINGS as finding:
            findings += 1
            print(f"{finding}\n", flush=True)
    print(f"{options.count} programs, {programs} with something repeated, {findings} findings")
    return min(findings, 1)


if __name__ == "__main__":
    raise SystemExit(main())
