"""Larger parts of random programs: choices, branches, loops, calls with rules, factorizations.

`Blocks` is the half of `Generator` that builds functions of their own: the ways of a branch, the
body of a loop, what a rule or a recomputation calls. They are drawn like the program itself.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

MAX_ROWS = 17  # of matrices that are factorized
MAX_FACTORED = 1_000  # elements of a batch of them
DEPTH = 2  # of functions within functions

# What the builder of graphs has no method for: a call becomes the body of a counted loop.
CALL = re.compile(
    r"(func\.func private @(for\d+)\(%arg0: (tensor<[^>]*>).*\{\n)"
    r"( *)%0 = call (@\w+)\((.*?)\) : (.*)\n"
)


def counted_loops(text: str, trips: dict[str, int]) -> str:
    """The text of a graph whose functions `for0`, ... repeat what they call."""

    def loop(found: re.Match[str]) -> str:
        head, name, carried, indent, callee, operands, type = found.groups()
        lines = [
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            f"%end = arith.constant {trips[name]} : index",
            f"%0 = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %arg0) -> ({carried}) {{",
            f"  %1 = func.call {callee}({operands.replace('%arg0', '%carried', 1)}) : {type}",
            f"  scf.yield %1 : {carried}",
            "}",
        ]
        return head + "".join(f"{indent}{line}\n" for line in lines)

    return CALL.sub(loop, text)


class Blocks:
    """Draws what consists of functions; `Generator` has the rest."""

    rng: random.Random
    dtype: str
    graph: Any
    f: Any
    values: list[Any]
    computed: list[Any]
    step: Callable[[], None]
    like: Callable[[Any], Any]

    def __init__(self) -> None:
        self.functions = 0
        self.depth = 0
        self.forward = False
        self.trips: dict[str, int] = {}

    # --- values and functions -----------------------------------------------------------------

    def floats(self, x: Any) -> bool:
        return x.dtype == self.dtype and 0 not in x.shape

    def number(self, value: float, shape: tuple[int, ...]) -> Any:
        data = struct.pack("<f" if self.dtype == "float32" else "<d", value)
        return self.f.constant(data, self.dtype, shape)

    def op(self, name: str, operands: list[Any], attributes: Any = None, result: Any = None) -> Any:
        return self.f.create(name, operands, attributes, None, result)

    def keep(self, values: Any) -> None:
        """Makes results of calls values of the program."""
        for value in values if isinstance(values, list) else [values]:
            self.values.append(value)
            self.computed.append(value)

    def begin(self, kind: str, given: list[Any]) -> tuple[str, Any]:
        """The name and the builder of a new function of values like `given`."""
        name = f"{kind}{self.functions}"
        self.functions += 1
        args = [(v.dtype, v.shape, f"x{i}", "input", None, None) for i, v in enumerate(given)]
        return name, self.graph.function(name, args, public=False)

    def block(self, given: list[Any], bounded: bool = False) -> str:
        """A drawn function of values like `given` that gives a value like the first of them."""
        name, f = self.begin("b", given)
        outside = self.f, self.values, self.computed
        self.f, self.values, self.computed = f, list(f.args), []
        self.depth += 1
        for _ in range(self.rng.randint(1, 4)):
            self.step()
        self.depth -= 1
        wanted = [v for v in self.values if (v.dtype, v.shape) == (given[0].dtype, given[0].shape)]
        result = wanted[-1]
        if bounded and self.rng.random() < 0.7:
            result = self.op(self.rng.choice(["cell.sin", "cell.tanh", "cell.atan"]), [result])
        f.ret([result])
        self.f, self.values, self.computed = outside
        return name

    def captured(self, x: Any) -> list[Any]:
        """`x` and perhaps other values of the program that a block reads."""
        others = [v for v in self.values if self.floats(v)]
        return [x, *self.rng.sample(others, min(len(others), self.rng.randint(0, 2)))]

    def scalar(self, x: Any) -> Any:
        """The sum of the elements."""
        return (
            self.op("cell.reduce_sum", [x], {"dims": list(range(len(x.shape)))}) if x.shape else x
        )

    # --- choices, branches and loops ----------------------------------------------------------

    def choice(self, x: Any) -> None:
        """A chain of selects between functions that need not be finite everywhere."""
        if not self.floats(x):
            return
        names = ["log", "sqrt", "reciprocal", "rsqrt", "exp", "sin", "acosh", "atanh", "square"]
        for _ in range(self.rng.randint(1, 3)):
            compare = self.rng.choice(["cell.greater", "cell.less", "cell.equal"])
            truth = self.op(compare, [x, self.rng.choice([self.like(x), self.number(0, x.shape)])])
            ways = [self.op(f"cell.{self.rng.choice(names)}", [x]), self.like(x)]
            if self.rng.random() < 0.5:
                ways.reverse()
            x = self.op("cell.select", [truth, *ways])
            self.keep(x)

    def branch(self, x: Any) -> None:
        if not self.floats(x) or self.depth >= DEPTH:
            return
        compare = self.rng.choice(["cell.greater", "cell.less_equal"])
        truth = self.op(compare, [self.scalar(x), self.number(self.rng.choice([0, 0.5]), ())])
        ways = [self.captured(x) for _ in range(2)]
        (one, a), (two, b) = ((self.block(w), w) for w in ways)
        self.keep(self.f.if_(truth, one, a, two, b))

    def loop(self, x: Any) -> None:
        """A while loop that ends by a count, or before by what it carries."""
        if not self.floats(x) or self.depth >= DEPTH:
            return
        zero, one = self.number(0, ()), self.number(1, ())
        limit = self.number(self.rng.randint(0, 4), ())
        carried, captures = [x, zero], [one, *self.captured(x)[1:]]
        inner = self.block([x, *captures[1:]], bounded=True)
        name, f = self.begin("w", [*carried, *captures])
        a, k, step, *rest = f.args
        value = f.call(inner, [a, *rest])
        f.ret([*value, f.create("cell.add", [k, step], None, None, None)])
        test, t = self.begin("t", [*carried, limit])
        go = t.create("cell.less", [t.args[1], t.args[2]], None, None, None)
        if self.rng.random() < 0.4:
            outer, self.f = self.f, t
            small = self.op("cell.less", [self.scalar(t.args[0]), self.number(2, ())])
            go = self.op("cell.logical_and", [go, small])
            self.f = outer
        t.ret([go])
        self.keep(self.f.while_(test, [limit], name, captures, carried)[0])

    def counted(self, x: Any) -> None:
        if not self.floats(x) or self.depth >= DEPTH:
            return
        given = self.captured(x)
        inner = self.block(given, bounded=True)
        name, f = self.begin("for", given)
        self.trips[name] = self.rng.randint(0, 4)
        f.ret(f.call(inner, list(f.args)))
        self.keep(self.f.call(name, given))

    # --- calls with rules ---------------------------------------------------------------------

    def custom(self, x: Any) -> None:
        """A rule that is the derivative that would be derived."""
        if not self.floats(x) or self.depth >= DEPTH:
            return
        # What a JVP differentiates forwards has no rule that is a VJP.
        forward, before = self.forward or self.rng.random() < 0.6, self.forward
        given = self.captured(x)
        self.forward = forward
        inner, wrt, n = self.block(given), list(range(len(given))), len(given)
        self.forward = before
        more = given if forward else [x, x]
        name, f = self.begin("r", [*given, *more])
        a, b = list(f.args)[:n], list(f.args)[n:]
        if forward:
            f.ret(f.jvp(inner, a, b, of=[0], wrt=wrt))
        else:
            f.ret(f.vjp(inner, a, b[1:], of=[0], wrt=wrt)[1:])
        call = self.f.custom(inner, given, [], name, forward=forward, rule_captures=[])
        self.keep(call)

    def recompute(self, x: Any) -> None:
        if not self.floats(x) or self.depth >= DEPTH:
            return
        given = self.captured(x)
        self.keep(self.f.recompute(self.block(given), given))

    # --- matrices and numbers -----------------------------------------------------------------

    def gram(self, x: Any) -> Any:
        """The well-conditioned matrices x x^T / columns + 1."""
        rows, columns = x.shape[-2:]
        shape = (*x.shape[:-1], rows)
        product = self.op("cell.matmul", [x, x], {"transpose_a": False, "transpose_b": True})
        scaled = self.op("cell.mul", [product, self.number(1 / columns, shape)])
        identity = np.broadcast_to(np.eye(rows, dtype=self.dtype), shape)
        return self.op("cell.add", [scaled, self.f.constant(identity.tobytes(), self.dtype, shape)])

    def matrices(self, x: Any) -> None:
        if not self.floats(x) or len(x.shape) < 2 or x.shape[-2] > MAX_ROWS:
            return
        if int(np.prod(x.shape)) > MAX_FACTORED:
            return
        a = self.gram(x)
        kind = self.rng.choice(
            ["cholesky", "solve", "triangular", "lu", "qr", "inverse", "swap", "eigh", "svd"]
        )
        flip = lambda: self.rng.random() < 0.5
        if kind == "cholesky":
            self.keep(self.op("cell.cholesky", [a]))
        elif kind == "solve":
            self.keep(self.op("cell.solve", [a, x], {"transpose": flip()}))
        elif kind == "triangular":
            how = {k: flip() for k in ("lower", "transpose", "unit_diagonal")}
            self.keep(self.op("cell.triangular_solve", [a, x], how))
        elif kind == "inverse":
            factor = self.op("cell.cholesky", [a])
            how = {"lower": True, "transpose": False, "unit_diagonal": False}
            self.keep(self.op("cell.triangular_solve", [factor, x], how))
        elif kind == "qr":
            self.keep(self.op("cell.qr", [a], {"complete": False})[int(flip())])
        elif kind in ("eigh", "svd"):
            # Values that are apart; vectors and signs of others may be anything.
            n = a.shape[-1]
            apart = np.broadcast_to(np.diag(np.arange(n) * 4.0).astype(self.dtype), a.shape)
            a = self.op("cell.add", [a, self.f.constant(apart.tobytes(), self.dtype, a.shape)])
            self.keep(self.op(f"cell.{kind}", [a])[kind == "svd"])
        else:
            if flip():  # so that rows are exchanged
                a = self.op("cell.reverse", [a], {"dims": [len(a.shape) - 2]})
            packed, pivots = self.op("cell.lu", [a])
            if kind == "lu":
                how = {"lower": flip(), "diagonal": self.rng.randint(-2, 2)}
                self.keep(self.op("cell.triangle", [packed], how))
            else:
                self.keep(self.op("cell.swap_rows", [x, pivots], {"inverse": flip()}))

    def uniform(self, x: Any) -> None:
        """The value times uniform numbers in [-1, 1]."""
        if not self.floats(x):
            return
        kind = self.rng.choice(["int32", "int64"])
        data = struct.pack("<2i", *(self.rng.randint(-(2**31), 2**31 - 1) for _ in range(2)))
        key = self.f.constant(data, "int32", (2,))
        bits = self.op("cell.random_bits", [key], None, (kind, x.shape))
        wide = self.op("cell.cast", [bits], None, (self.dtype, x.shape))
        unit = self.number(2.0**-31 if kind == "int32" else 2.0**-63, x.shape)
        self.keep(self.op("cell.mul", [x, self.op("cell.mul", [wide, unit])]))

    def polygamma(self, x: Any) -> None:
        """At positive numbers."""
        if not self.floats(x):
            return
        positive = self.op("cell.add", [self.op("cell.abs", [x]), self.number(0.5, x.shape)])
        self.keep(self.op("cell.polygamma", [positive], {"order": self.rng.randint(1, 3)}))
