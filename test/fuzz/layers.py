"""Random programs of layers: elementwise functions of large tensors between loops and branches, and their derivatives.

Reverse mode reads what each layer has computed after many others: some of it is kept, some is computed
again (Rematerialize.cpp). Half of the programs are canonicalised before: of branches that only choose,
branches in branches and loops that carry what nobody reads, derivatives meet other forms (NormalForm.cpp).
"""

from __future__ import annotations

from dataclasses import dataclass

import regions
from generator import Program
from loops import Loops, Value

ROWS, COLUMNS = 32, 33  # enough elements not to be kept anyway
CHEAP = ("tanh", "sigmoid", "sin", "cos", "erf", "relu", "softplus", "square", "neg", "abs", "atan")


@dataclass
class Layers(Loops):
    """Draws one program from a seed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.shapes = [(ROWS, COLUMNS), (COLUMNS,), ()]

    def program(self) -> Program:
        rng = self.rng
        arguments = [self.shapes[0], *(rng.choice(self.shapes[1:]) for _ in range(2))]
        self.values = [Value(f"%x{i}", shape) for i, shape in enumerate(arguments)]
        x = self.values[0]
        for _ in range(rng.randint(3, 6)):
            for _ in range(rng.randint(1, 4)):
                x = self.elementwise(x)
            works = [self.short_loop, self.open_loop, self.choice, self.nested]
            x = rng.choice(works)(x)
        results = [self.mixed(x), *([x] if rng.random() < 0.3 else [])]
        if rng.random() < 0.3:
            results.append(self.some(()))
        program = self.made(arguments, results)
        return Program.after("canonicalize,cse", program.graph.text()) if self.seed % 2 else program

    def earlier(self) -> Value:
        """A large value, of this layer or of any before it."""
        large = [v for v in self.values if v.shape == self.shapes[0]]
        return self.rng.choice(large[-4:] if self.rng.random() < 0.6 else large)

    def elementwise(self, x: Value) -> Value:
        rng, how = self.rng, self.rng.random()
        if how < 0.5:
            return self.same(rng.choice(CHEAP), x)
        if how < 0.75:
            y = self.same(rng.choice(["add", "mul", "sub", "maximum"]), x, self.earlier())
            return self.same("tanh", y) if rng.random() < 0.7 else y
        if how < 0.9:  # a bias
            row = self.some(self.shapes[1])
            wide = (
                f"broadcast {row.name} along [0] : {self.type(row.shape)} -> {self.type(x.shape)}"
            )
            return self.same("add", x, self.op(wide, x.shape, visible=False))
        truth = self.fresh()
        self.say(f"{truth} = cell.less {x.name}, {self.earlier().name} : {self.type(x.shape)}")
        given = f"{truth}, {x.name}, {self.earlier().name}"
        return self.op(f"select {given} : {self.type(x.shape)}", x.shape)

    def mixed(self, x: Value) -> Value:
        return self.same("add", self.same("mul", x, self.earlier()), self.earlier())

    def short_loop(self, x: Value) -> Value:
        self.counted([x, *([self.some(())] if self.rng.random() < 0.3 else [])])
        return self.result(x)

    def open_loop(self, x: Value) -> Value:
        """Some of what it carries may be read by nobody afterwards."""
        self.loop([x, self.some(self.rng.choice(self.shapes[1:]))])
        return self.result(x)

    def result(self, x: Value) -> Value:
        """The first result of the region that has just ended."""
        return next(v for v in reversed(self.values) if v.shape == x.shape)

    def choice(self, x: Value) -> Value:
        """A branch that computes nothing."""
        bit, name, types = self.extracted(self.truth()), self.fresh(), [self.type(x.shape)]
        self.say(regions.branch(name, bit, types))
        self.say(regions.give([x.name], types))
        self.say("} else {")
        self.say(regions.give([self.earlier().name], types))
        self.say("}")
        self.values.append(Value(name, x.shape))
        return self.same("tanh", self.values[-1])

    def nested(self, x: Value) -> Value:
        """A branch in a branch, which gives the same otherwise."""
        first, second = self.extracted(self.truth()), self.extracted(self.truth())
        name, inner, computed = self.fresh(), self.fresh(), self.fresh()
        types, other = (
            [self.type(x.shape)],
            regions.give([self.earlier().name], [self.type(x.shape)]),
        )
        self.say(regions.branch(name, first, types))
        self.say(regions.branch(inner, second, types))
        self.say(f"{computed} = cell.{self.rng.choice(CHEAP)} {x.name} : {types[0]}")
        self.say(regions.give([computed], types))
        for line in ("} else {", other, "}", regions.give([inner], types), "} else {", other, "}"):
            self.say(line)
        self.values.append(Value(name, x.shape))
        return self.values[-1]

    def body(self, wanted: list[Value]) -> list[Value]:
        """A few functions: the interpreter takes part."""
        rng, before = self.rng, list(self.values)
        self.depth += 1
        handed = []
        for value in wanted:
            how = rng.random()
            if how < 0.2:
                handed.append(value)
            elif how < 0.8 or value.shape != self.shapes[0]:
                handed.append(self.same(rng.choice(("tanh", "sin", "atan")), value))
            else:
                handed.append(self.same("tanh", self.same("add", value, self.earlier())))
        self.values = before
        self.depth -= 1
        return handed
