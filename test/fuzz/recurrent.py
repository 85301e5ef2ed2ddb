"""Random recurrent programs: loops that multiply by weights, read stacked rows and add up products and rows.

What the steps of a loop repeat for a weight is done once, behind it or before (SumBehindLoops.cpp,
StraightenProducts.cpp), and a loop that only adds to a sum goes on from the rest of it (ChainSums.cpp).
So sums begin with zeros, an argument or another number; trips add products, rows and parts to them, or do
something else as well: scale them, put instead of adding, swap them, read them, add in a branch or in a
loop within. Weights are stored by input or by output, shared, changed by trips and between loops; batches
are of few rows. Loops go up, down, by other steps and as long as a condition holds; some programs are mapped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regions
from generator import Program, count
from loops import BOUNDED, Loops, Value

from cellgrad import _native

ROWS = (1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 7, 15, 16, 17)
WIDTHS = (3, 4, 5, 8, 8, 12, 16, 17)
TRIPS = (2, 3, 4, 4, 5, 6)
MOST = 1800  # elements of the arguments: the interpreter differentiates twice
MAPPED = 3


@dataclass
class Recurrent(Loops):
    """Draws one program from a seed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        rng = self.rng
        self.mapped = rng.choice([2, MAPPED]) if rng.random() < 0.15 else 0
        while True:
            self.rows, self.width = rng.choice(ROWS), rng.choice(WIDTHS)
            self.steps, self.gates = rng.choice(TRIPS), rng.choice([1, 1, 2, 3, 4])
            c, wide = self.width, self.width * self.gates
            self.state, self.stack = (self.rows, c), (self.steps, self.rows, c)
            self.weights = [(c, wide), (wide, c)]
            most = 2 * (count(self.stack) + 2 * count(self.state) + 2 * c * wide)
            if most * max(1, self.mapped) <= 2 * MOST:
                break
        self.shapes = [self.state, (c,), (), self.stack, *self.weights]
        self.projected = (self.steps, self.rows, wide)
        self.sums = set[str]()  # what begins as a sum, and what is one in a loop

    def program(self) -> Program:
        rng = self.rng
        arguments = [self.stack, self.state, rng.choice(self.weights)]
        if rng.random() < 0.6:
            arguments.append(rng.choice([*self.weights, (self.width,), self.stack]))
        if rng.random() < 0.5:  # what inputs give the gates
            arguments.append(self.projected)
        self.values = [Value(f"%x{i}", shape) for i, shape in enumerate(arguments)]
        rests = [
            self.same(rng.choice(BOUNDED), self.argument(rng.choice(self.weights)))
            for _ in range(rng.randint(0, 2))
        ]
        results = []
        for _ in range(rng.choice([1, 1, 2])):
            like = self.carried()
            before = len(self.values)
            kinds = [self.counted] * 6 + [self.loop]
            rng.choice(kinds)(like)
            made = self.values[before:][: len(like)]
            earlier = self.values[:before]
            results += [self.completed(v, earlier) for v in made if rng.random() < 0.85]
            results += [v for v in made if rng.random() < 0.1]
            if rng.random() < 0.4:
                self.weight_changed()
        results += rng.sample(rests, rng.randint(0, len(rests)))
        return self.mapping(arguments, results or [self.gathered(self.state)])

    def mapping(self, arguments: list[tuple[int, ...]], results: list[Value]) -> Program:
        """The program as it is, or a vmap of it over some arguments."""
        program = self.made(arguments, results)
        if not self.mapped:
            return program
        inner = program.graph.text().replace("@f(", "@one(").rstrip().removesuffix("}")
        dims = [self.rng.choice([0, 0, -1]) for _ in arguments]
        dims[self.rng.randrange(len(dims))] = 0
        given = [(self.mapped, *a) if d == 0 else a for a, d in zip(arguments, dims, strict=True)]
        out = [(self.mapped, *r.shape) for r in results]
        names = ", ".join(f"%x{i}" for i in range(len(given)))
        heads = ", ".join(f"%x{i}: {self.type(s)}" for i, s in enumerate(given))
        types, made = (", ".join(map(self.type, shapes)) for shapes in (given, out))
        ys = ", ".join(f"%y#{i}" for i in range(len(out))) if len(out) > 1 else "%y"
        bound = f"%y:{len(out)}" if len(out) > 1 else "%y"
        call = f"cell.vmap @one({names}) in {dims} out {[0] * len(out)} : ({types}) -> ({made})"
        outer = (
            f"func.func private @f({heads}) -> ({made}) {{\n"
            f"  {bound} = {call}\n  return {ys} : {made}\n}}\n"
        )
        graph = _native.Graph.parse(inner + outer + "}")
        return Program(graph, self.dtype, given, [(self.dtype, s) for s in out])

    def argument(self, shape: tuple[int, ...]) -> Value:
        """A value of a shape from before the loop, or a number."""
        fitting = [v for v in self.values if v.shape == shape]
        return self.rng.choice(fitting) if fitting else self.constant(0.25, shape)

    def completed(self, value: Value, earlier: list[Value]) -> Value:
        """What a loop gives, rather with the rest of a sum: from before the loop, or from after it."""
        rng = self.rng
        if rng.random() < 0.2:
            return value
        others = [v for v in earlier if v.shape == value.shape]
        if not others or rng.random() < 0.2:
            other = self.argument(value.shape)
            others = [self.same(rng.choice(BOUNDED), other, visible=False)]
        rest = rng.choice(others)
        return self.same("add", *rng.sample([value, rest], 2))

    def weight_changed(self) -> None:
        """Another weight for the loops that follow, perhaps in the place of one."""
        weight = self.weight()
        scale = self.constant(self.rng.choice([0.5, -0.75, 1.0]), weight.shape)
        changed = self.same("mul", weight, scale, visible=False)
        self.same("add", changed, self.argument(weight.shape))

    # --- what a loop carries ------------------------------------------------------------------

    def carried(self, first: Value | None = None) -> list[Value]:
        """A state, sums of products or of rows, perhaps a weight."""
        rng = self.rng
        chosen = [first or self.argument(self.state)]
        for _ in range(rng.choice([0, 1, 1, 2])):
            shape = rng.choice([*self.weights, *self.weights, self.stack, self.state])
            chosen.append(self.beginning(shape))
            if rng.random() < 0.3:  # so that they can change places
                chosen.append(self.beginning(shape))
        if rng.random() < 0.35:
            chosen.append(self.argument(rng.choice(self.weights)))
        return rng.sample(chosen, len(chosen))

    def beginning(self, shape: tuple[int, ...]) -> Value:
        """What a sum begins with."""
        how = self.rng.random()
        if how < 0.65:
            value = self.constant(0.0, shape)
        else:
            value = self.argument(shape) if how < 0.9 else self.constant(0.5, shape)
        self.sums.add(value.name)
        return value

    def counted(self, like: list[Value]) -> None:
        """Trips up or down, by one or by other steps, over the stacked rows."""
        rng = self.rng
        first, step = rng.choice([(0, 1)] * 5 + [(1, 1), (0, 2)])
        bounds = [self.index(n) for n in (first, first + step * self.steps, step)]
        name, trip = self.fresh(), self.fresh()
        inner = [Value(self.fresh(), v.shape) for v in like]
        self.say(regions.counted(name, trip, bounds, self.entering(inner, like)))
        self.depth += 1
        number, at = self.fresh(), self.fresh()
        self.say(f"{number} = arith.index_cast {trip} : index to i64")
        self.say(f"{at} = tensor.from_elements {number} : tensor<i64>")
        if rng.random() < 0.4:  # from the last one
            last, turned = self.whole(first + step * (self.steps - 1)), self.fresh()
            self.say(f"{turned} = cell.sub {last}, {at} : tensor<i64>")
            at = turned
        self.depth -= 1
        outside = list(self.values)
        self.sums |= {i.name for i, v in zip(inner, like, strict=True) if v.name in self.sums}
        read = [v for v in inner if v.name not in self.sums or rng.random() < 0.15]
        self.values = [*outside, *read]
        self.counters.append(at)
        handed = self.body(inner)
        self.counters.pop()
        self.values = outside
        self.say("  " + regions.give([v.name for v in handed], self.types(like)))
        self.say("}")
        self.results(name, like)

    # --- a trip -------------------------------------------------------------------------------

    def body(self, wanted: list[Value]) -> list[Value]:
        rng, before = self.rng, list(self.values)
        self.depth += 1
        least = 1 if self.depth == 1 else 0
        for _ in range(rng.randint(least, 2)):
            self.stacked_row()
        for _ in range(rng.choice([least, least, least + 1])):
            self.layer()
        handed = []
        for value in wanted:
            how = rng.random()
            if value.name in self.sums and how < 0.9:
                handed.append(self.summed(value))
            elif value.shape == self.state and how < 0.9:
                handed.append(self.next_state(value))
            elif value.shape in self.weights and how < 0.6:  # a weight that trips change
                handed.append(self.added_product(value))
            elif how < 0.9:
                handed.append(value)
            else:
                handed.append(self.same(rng.choice(BOUNDED), value))
        pairs = [
            (i, j)
            for i, v in enumerate(handed)
            for j, w in enumerate(handed)
            if i < j and v.shape == w.shape
        ]
        if pairs and rng.random() < 0.3:  # carried on in the place of each other
            i, j = rng.choice(pairs)
            handed[i], handed[j] = handed[j], handed[i]
        self.values = before
        self.depth -= 1
        return handed

    def trip(self, size: int) -> str:
        """A number of a trip around; what is beyond the end counts from the first again."""
        return self.wrapped(self.rng.choice(self.counters), size)

    def stacked_row(self) -> None:
        """A stacked row of this trip, or of another one."""
        stack = self.argument(self.stack)
        if not self.counters:
            return
        rng, at = self.rng, self.rng.choice(self.counters)
        if rng.random() < 0.3:
            one, moved = self.whole(rng.choice([-1, 1, 2])), self.fresh()
            self.say(f"{moved} = cell.add {at}, {one} : tensor<i64>")
            at = self.wrapped(moved, self.steps)
        self.values.append(self.row_at(stack, at))

    def row_at(self, stack: Value, at: str) -> Value:
        shape = stack.shape[1:]
        types = f"{self.type(stack.shape)}, tensor<i64> -> {self.type(shape)}"
        return self.op(f"gather {stack.name} at {at} dim 0 : {types}", shape, visible=False)

    def weight(self) -> Value:
        """Rather a weight that trips change."""
        weights = [v for v in self.values if v.shape in self.weights]
        if not weights:
            return self.constant(0.25, self.weights[0])
        return weights[-1] if self.rng.random() < 0.4 else self.rng.choice(weights)

    def weighted(self, x: Value, weight: Value) -> Value:
        """Rows times a weight by input or by output, of all gates."""
        turned = weight.shape == self.weights[1]
        if weight.shape == self.weights[0] == self.weights[1]:
            turned = self.rng.random() < 0.5
        return self.matrix_product(x, weight, (False, turned))

    def layer(self) -> None:
        """Gates of one product, or of two by the same weight: columns of it, perhaps not all."""
        rng, weight = self.rng, self.weight()
        z = self.weighted(self.some(self.state), weight)
        if rng.random() < 0.3:
            again = weight if rng.random() < 0.6 else self.weight()
            z = self.same("add", z, self.weighted(self.some(self.state), again), visible=False)
        projected = [v for v in self.values if v.shape == self.projected]
        if projected and self.counters and rng.random() < 0.8:
            row = self.row_at(projected[0], self.rng.choice(self.counters))
            z = self.same("add", z, row, visible=False)
        if rng.random() < 0.3:
            z = self.same(rng.choice(BOUNDED), z)
        gates = [g for g in range(self.gates) if g == 0 or rng.random() < 0.8]
        most = self.width * (self.gates - 1)
        starts = [rng.randint(0, most) if rng.random() < 0.2 else g * self.width for g in gates]
        parts = [self.slice(z, 1, s, s + self.width) for s in starts] if self.gates > 1 else [z]
        y = self.same(rng.choice(BOUNDED), parts[0])
        for part in parts[1:]:
            gate = self.same(rng.choice(BOUNDED), part, visible=False)
            y = self.same(rng.choice(["mul", "add"]), y, gate, visible=False)
        self.values.append(y)

    def next_state(self, value: Value) -> Value:
        rng = self.rng
        y = self.some(self.state)
        if rng.random() < 0.15 and self.depth < 2 and self.regions < 3:
            self.values.append(value)
            self.region_of(value)
            y = self.values[-1]
        if rng.random() < 0.3:
            y = self.same("add", *rng.sample([y, value], 2), visible=False)
        return self.same(rng.choice(BOUNDED), y) if rng.random() < 0.8 else y

    # --- sums ---------------------------------------------------------------------------------

    def summed(self, total: Value) -> Value:
        """What a trip makes of a sum."""
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            total = self.term(total)
        return total

    def term(self, total: Value) -> Value:
        rng = self.rng
        ways: dict[Callable[[Value], Value], int] = {
            self.added: 30,
            self.scaled: 1,
            self.handed_on: 1,
            self.seen_also: 2,
        }
        if self.depth < 2 and self.regions < 3:
            ways |= {self.by_region: 4, self.apart: 4}
        return rng.choices(list(ways), weights=list(ways.values()))[0](total)

    def added(self, total: Value) -> Value:
        """The sum with a product of rows, a row at its place, or anything."""
        rng = self.rng
        if total.shape == self.stack and self.counters:
            kind = "add" if rng.random() < 0.8 else "set"
            row = self.some(self.state)
            types = f"{self.type(row.shape)}, {self.type(total.shape)}, tensor<i64>"
            at = self.trip(self.steps)
            what = f'scatter "{kind}" {row.name} into {total.name} at {at} dim 0 : {types}'
            return self.op(what, total.shape, visible=False)
        if total.shape in self.weights:
            return self.added_product(total)
        part = self.some(total.shape)
        if rng.random() < 0.5:
            part = self.same(rng.choice(BOUNDED), part, visible=False)
        return self.same("add", *rng.sample([total, part], 2), visible=False)

    def added_product(self, total: Value) -> Value:
        """A product down the rows of a state and of gates; seldom of columns, scaled, or read by others."""
        rng = self.rng
        if rng.random() < 0.15:
            part = self.argument(total.shape)
            return self.same("add", *rng.sample([total, part], 2), visible=False)
        x, z = self.some(self.state), self.weighted(self.some(self.state), self.weight())
        if rng.random() < 0.4:
            z = self.same(rng.choice(BOUNDED), z, visible=False)
        if total.shape == self.weights[1] and (self.gates > 1 or rng.random() < 0.5):
            x, z = z, x
        if rng.random() < 0.1:  # stored by column
            perm = f"perm [1, 0] : {self.type(z.shape)} -> {self.type(z.shape[::-1])}"
            z = self.op(f"transpose {z.name} {perm}", z.shape[::-1], visible=False)
            product = self.matrix_product(x, z, (True, True))
        else:
            product = self.matrix_product(x, z, (True, False))
        if rng.random() < 0.1:
            scale = self.constant(0.5, product.shape)
            product = self.same("mul", product, scale, visible=False)
        elif rng.random() < 0.15:  # others read it, too
            self.values.append(product)
        return self.same("add", *rng.sample([total, product], 2), visible=False)

    def scaled(self, total: Value) -> Value:
        return self.same("mul", total, self.constant(0.75, total.shape), visible=False)

    def handed_on(self, total: Value) -> Value:
        return total

    def seen_also(self, total: Value) -> Value:
        """What comes later in the trip reads the sum."""
        self.values.append(total)
        return total

    def by_region(self, total: Value) -> Value:
        """A branch or a loop within goes on with the sum."""
        self.sums.add(total.name)
        self.region_of(total)
        return self.values.pop()

    def region_of(self, value: Value) -> None:
        self.regions += 1
        if self.rng.random() < 0.5:
            self.counted([value])
        else:
            self.branch([value])

    def apart(self, total: Value) -> Value:
        """A branch or a loop that has the sum from outside, and something made of what it gives."""
        rng, other = self.rng, self.argument(total.shape)
        self.regions += 1
        if rng.random() < 0.5:
            bit, name, types = self.extracted(self.truth()), self.fresh(), [self.type(total.shape)]
            self.say(regions.branch(name, bit, types))
            for adds, end in zip(rng.sample([True, False], 2), ("} else {", "}"), strict=True):
                self.depth += 1
                given = self.same("add", total, other, visible=False) if adds else other
                self.say(regions.give([given.name], types))
                self.depth -= 1
                self.say(end)
        else:
            bounds = [self.index(n) for n in (0, rng.choice([1, 2]), 1)]
            name, inner = self.fresh(), Value(self.fresh(), total.shape)
            self.say(regions.counted(name, self.fresh(), bounds, self.entering([inner], [other])))
            self.depth += 1
            given = self.same("add", total, other, visible=False)
            self.depth -= 1
            self.say("  " + regions.give([given.name], [self.type(total.shape)]))
            self.say("}")
        result = Value(name, total.shape)
        return self.same("sin", result) if rng.random() < 0.7 else result
