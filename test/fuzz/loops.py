"""Random programs of nested loops and branches that update what they carry, in parts and in place.

What a loop carries is swapped, handed on as it came, replaced by what was there before the loop, cut
and put together again; counted loops stand in loops of unknown trips, branches in loops and loops in
branches. The programs are drawn as text: regions see every value around them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import regions
from generator import Program

from cellgrad import _native

DEPTH = 3  # of regions within regions
REGIONS = 5  # of a program: the second derivative makes many of each
SIZES = (1, 2, 3, 4, 5, 8, 9, 17)
TRIPS = (0, 1, 2, 2, 3, 3, 4)
BOUNDED = ("tanh", "sin", "cos", "atan", "sigmoid")


@dataclass(frozen=True)
class Value:
    name: str
    shape: tuple[int, ...]


@dataclass
class Loops:
    """Draws one program from a seed."""

    seed: int
    dtype: str = "float64"
    lines: list[str] = field(default_factory=list)
    names: int = 0
    regions: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.element = {"float64": "f64", "float32": "f32"}[self.dtype]
        rows, columns = self.rng.choice(SIZES), self.rng.choice(SIZES)
        self.shapes: list[tuple[int, ...]] = [(rows, columns), (columns,), ()]
        if self.rng.random() < 0.3:
            self.shapes.append((rows, columns, self.rng.choice(SIZES)))
        if self.rng.random() < 0.3:
            self.shapes.append((columns, columns))
        self.values: list[Value] = []
        self.read: set[Value] = set()
        self.counters: list[str] = []  # of the loops around

    # --- text ---------------------------------------------------------------------------------

    def type(self, shape: tuple[int, ...], element: str = "") -> str:
        return f"tensor<{''.join(f'{n}x' for n in shape)}{element or self.element}>"

    def fresh(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def say(self, line: str) -> None:
        self.lines.append("  " * (self.depth + 1) + line)

    def op(self, what: str, shape: tuple[int, ...], visible: bool = True) -> Value:
        value = Value(self.fresh(), shape)
        self.say(f"{value.name} = cell.{what}")
        if visible:
            self.values.append(value)
        return value

    def same(self, name: str, *operands: Value, visible: bool = True) -> Value:
        """An op of values of one shape."""
        shape = operands[0].shape
        given = ", ".join(o.name for o in operands)
        return self.op(f"{name} {given} : {self.type(shape)}", shape, visible)

    def constant(self, number: float, shape: tuple[int, ...] = ()) -> Value:
        return self.op(f"constant dense<{number:e}> : {self.type(shape)}", shape, visible=False)

    def whole(self, number: int) -> str:
        name = self.fresh()
        self.say(f"{name} = cell.constant dense<{number}> : tensor<i64>")
        return name

    def index(self, number: int) -> str:
        name = self.fresh()
        self.say(f"{name} = arith.constant {number} : index")
        return name

    # --- the program --------------------------------------------------------------------------

    def program(self) -> Program:
        rng = self.rng
        arguments = [rng.choice(self.shapes) for _ in range(rng.randint(1, 3))]
        self.values = [Value(f"%x{i}", shape) for i, shape in enumerate(arguments)]
        for _ in range(rng.randint(0, 2)):
            self.step()
        for _ in range(rng.randint(1, 2)):
            self.region()
            for _ in range(rng.randint(0, 2)):
                self.step()
        results = [self.gathered(rng.choice(self.shapes)) for _ in range(rng.randint(1, 3))]
        return self.made(arguments, results)

    def made(self, arguments: list[tuple[int, ...]], results: list[Value]) -> Program:
        """The program of the lines so far."""
        given = ", ".join(f"%x{i}: {self.type(shape)}" for i, shape in enumerate(arguments))
        names = ", ".join(r.name for r in results)
        types = ", ".join(self.type(r.shape) for r in results)
        result = types if len(results) == 1 else f"({types})"
        body = "\n".join([*self.lines, f"  return {names} : {types}"])
        text = f"func.func private @f({given}) -> {result} {{\n{body}\n}}\n"
        return Program(
            _native.Graph.parse(text),
            self.dtype,
            arguments,
            [(self.dtype, r.shape) for r in results],
        )

    def region(self, x: Value | None = None) -> None:
        """A loop, or in a loop rather a branch; of `x` among others."""
        branches = 3 if self.depth else 1
        self.regions += 1
        kinds = [self.counted, self.counted, self.loop, self.loop] + branches * [self.branch]
        self.rng.choice(kinds)(self.carried(x))

    def step(self) -> None:
        if (
            self.depth < DEPTH
            and self.regions < REGIONS
            and self.rng.random() < (0.35 if self.depth else 0.1)
        ):
            self.region()
            return
        steps: list[Callable[[], None]] = [
            self.function, self.function, self.product, self.sum, self.row, self.update,
            self.update, self.update, self.column, self.spread, self.contraction, self.counter,
            self.turned,
        ]  # fmt: skip
        self.rng.choice(steps)()

    def some(self, shape: tuple[int, ...] | None = None, rank: int = -1) -> Value:
        """A value in sight, rather a late one, or one that nothing reads; made where there is none."""
        fitting = [v for v in self.values if shape is None or v.shape == shape]
        fitting = [v for v in fitting if rank < 0 or len(v.shape) == rank]
        unread = [v for v in fitting if v not in self.read]
        if unread and self.rng.random() < 0.5:
            fitting = unread
        if not fitting:
            wanted = shape if shape is not None else self.shapes[2 - rank] if rank < 3 else ()
            return self.constant(self.rng.choice([0.0, 0.5, -1.0]), wanted)
        chosen = self.rng.choice(fitting[-3:] if self.rng.random() < 0.7 else fitting)
        self.read.add(chosen)
        return chosen

    # --- elements -----------------------------------------------------------------------------

    def function(self) -> None:
        self.same(self.rng.choice(BOUNDED), self.some())

    def product(self) -> None:
        x = self.some()
        y = self.same(self.rng.choice(["mul", "add", "sub"]), x, self.some(x.shape))
        if self.rng.random() < 0.5:
            self.same(self.rng.choice(BOUNDED), y)

    def sum(self) -> None:
        x = self.some()
        if x.shape:
            dims = sorted(self.rng.sample(range(len(x.shape)), self.rng.randint(1, len(x.shape))))
            left = tuple(n for d, n in enumerate(x.shape) if d not in dims)
            what = f"reduce_sum {x.name} over {dims} : {self.type(x.shape)} -> {self.type(left)}"
            self.same("sin", self.op(what, left, visible=False))

    def spread(self) -> None:
        x, shape = self.some(rank=1), self.shapes[0]
        if x.shape == shape[1:]:
            self.op(
                f"broadcast {x.name} along [0] : {self.type(x.shape)} -> {self.type(shape)}", shape
            )

    def turned(self) -> None:
        x = self.some()
        if x.shape:
            self.op(
                f"reverse {x.name} over [{self.rng.randrange(len(x.shape))}] : {self.type(x.shape)}",
                x.shape,
            )

    def contraction(self) -> None:
        x = self.some(rank=2)
        y = self.some(x.shape)
        z = self.same("tanh", self.matrix_product(x, y, (False, True)))
        self.same("tanh", self.matrix_product(z, x))

    def matrix_product(
        self, x: Value, y: Value, turned: tuple[bool, bool] = (False, False)
    ) -> Value:
        a, b = (v.shape[::-1] if t else v.shape for v, t in zip((x, y), turned, strict=True))
        shape = (a[0], b[1])
        names = ("transpose_a", "transpose_b")
        how = ", ".join(f"{n} = {str(t).lower()}" for n, t in zip(names, turned, strict=True))
        types = f"({self.type(x.shape)}, {self.type(y.shape)}) -> {self.type(shape)}"
        return self.op(f"matmul {x.name}, {y.name} {{{how}}} : {types}", shape, visible=False)

    # --- parts --------------------------------------------------------------------------------

    def slice(self, x: Value, dim: int, start: int, limit: int) -> Value:
        starts = [start if d == dim else 0 for d in range(len(x.shape))]
        limits = [limit if d == dim else n for d, n in enumerate(x.shape)]
        shape = tuple(b - a for a, b in zip(starts, limits, strict=True))
        what = f"slice {x.name} from {starts} to {limits} by {[1] * len(starts)}"
        return self.op(f"{what} : {self.type(x.shape)} -> {self.type(shape)}", shape, visible=False)

    def reshape(self, x: Value, shape: tuple[int, ...], visible: bool = False) -> Value:
        what = f"reshape {x.name} : {self.type(x.shape)} -> {self.type(shape)}"
        return self.op(what, shape, visible)

    def row(self) -> None:
        x = self.some()
        if x.shape:
            at = self.rng.randrange(x.shape[0])
            self.reshape(self.slice(x, 0, at, at + 1), x.shape[1:], visible=True)

    def put(self, x: Value, dim: int, start: int, part: Value) -> None:
        """`x` with `part` at `start` of `dim`, as an assignment to `x[start:limit]` is captured."""
        limit, size = start + part.shape[dim], x.shape[dim]
        pieces = [self.slice(x, dim, 0, start)] if start else []
        pieces.append(part)
        pieces += [self.slice(x, dim, limit, size)] if limit < size else []
        names = ", ".join(p.name for p in pieces)
        types = ", ".join(self.type(p.shape) for p in pieces)
        self.op(f"concat {names} dim {dim} : ({types}) -> {self.type(x.shape)}", x.shape)

    def update(self, x: Value | None = None) -> None:
        x = x or self.some()
        if not x.shape:
            return
        at = self.rng.randrange(x.shape[0])
        if self.rng.random() < 0.5:
            part = self.some(x.shape[1:])
            part = self.reshape(part, (1, *part.shape))
        else:
            source = self.some(x.shape) if self.rng.random() < 0.5 else x
            limit = self.rng.randint(at + 1, x.shape[0])
            start = self.rng.randint(0, x.shape[0] - (limit - at))
            part = self.slice(source, 0, start, start + limit - at)
            if self.rng.random() < 0.6:
                part = self.same(self.rng.choice(BOUNDED), part, visible=False)
        self.put(x, 0, at, part)

    def column(self, x: Value | None = None) -> None:
        x = x if x and len(x.shape) == 2 else self.some(rank=2)
        at = self.rng.randrange(x.shape[1])
        other = self.slice(self.some(x.shape), 1, at, at + 1)
        part = self.same("sin", other, visible=False) if self.rng.random() < 0.5 else other
        self.put(x, 1, self.rng.randrange(x.shape[1]), part)

    def counter(self, x: Value | None = None) -> None:
        """A row at the trip: read, and put or added somewhere."""
        x = x or self.some()
        if not x.shape or not self.counters:
            return
        at = self.rng.choice(self.counters)
        if self.rng.random() < 0.5:  # else what is beyond the end is the last
            at = self.wrapped(at, x.shape[0])
        types = f"{self.type(x.shape)}, tensor<i64> -> {self.type(x.shape[1:])}"
        row = self.op(f"gather {x.name} at {at} dim 0 : {types}", x.shape[1:])
        if self.rng.random() < 0.7:
            new = self.same(self.rng.choice(BOUNDED), self.some(row.shape), visible=False)
            target = x if self.rng.random() < 0.7 else self.some(x.shape)
            kind = self.rng.choice(["set", "add"])
            types = f"{self.type(row.shape)}, {self.type(x.shape)}, tensor<i64>"
            what = f'scatter "{kind}" {new.name} into {target.name} at {at} dim 0 : {types}'
            self.op(what, x.shape)

    def wrapped(self, at: str, size: int) -> str:
        n, name = self.whole(size), self.fresh()
        self.say(f"{name} = cell.floor_mod {at}, {n} : tensor<i64>")
        return name

    # --- regions ------------------------------------------------------------------------------

    def body(self, wanted: list[Value]) -> list[Value]:
        """Draws the ops of a region that hands on values of the shapes of `wanted`."""
        rng, before = self.rng, list(self.values)
        self.depth += 1
        for _ in range(rng.randint(1, 5)):
            self.step()
        handed = []
        for value in wanted:
            late = [v for v in self.values if v.shape == value.shape]
            how = rng.random()
            if how < 0.1:
                handed.append(value)
            elif how < 0.2:  # perhaps from before the loop
                handed.append(rng.choice(late))
            elif how < 0.5:
                handed.append(self.changed(value))
            elif how < 0.75:
                handed.append(self.same(rng.choice(BOUNDED), self.gathered(value.shape)))
            else:
                handed.append(self.some(value.shape))
        if len(handed) > 1 and rng.random() < 0.3:
            for i, v in enumerate(handed):
                for j, w in enumerate(handed):
                    if i < j and v.shape == w.shape:
                        handed[i], handed[j] = w, v
        self.values = before
        self.depth -= 1
        return handed

    def gathered(self, shape: tuple[int, ...]) -> Value:
        """A value that depends on several: what nothing reads is removed."""
        value = self.some(shape)
        for _ in range(self.rng.randint(1, 3)):
            value = self.same(self.rng.choice(["add", "sub", "mul"]), value, self.some(shape))
        return value

    def changed(self, x: Value) -> Value:
        """`x` after changes that may be made in place, by loops and branches as well."""
        for _ in range(self.rng.randint(1, 3)):
            ways: list[Callable[[Value], None]] = [self.update, self.counter, self.column]
            if self.depth < DEPTH and self.regions < REGIONS:
                ways += [self.region, self.region]
            before = len(self.values)
            self.rng.choice(ways)(x)
            new = [v for v in self.values[before:] if v.shape == x.shape]
            x = new[-1] if new else x
        return x

    def carried(self, first: Value | None = None) -> list[Value]:
        chosen = [first or self.some()]
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            chosen.append(self.some(chosen[0].shape) if self.rng.random() < 0.5 else self.some())
        return chosen

    def results(self, name: str, like: list[Value]) -> None:
        for i, value in enumerate(like):
            at = name if len(like) == 1 else f"{name}#{i}"
            self.values.append(Value(at, value.shape))

    def types(self, values: list[Value]) -> list[str]:
        return [self.type(v.shape) for v in values]

    def truth(self) -> str:
        """A condition that depends on values."""
        x, one = self.some(), self.fresh()
        if x.shape:
            types = f"{self.type(x.shape)} -> {self.type(())}"
            x = self.op(
                f"reduce_sum {x.name} over {list(range(len(x.shape)))} : {types}", (), False
            )
        limit = self.constant(self.rng.choice([0.0, 0.5, -0.3, 2.0]))
        self.say(f"{one} = cell.less {x.name}, {limit.name} : {self.type(())}")
        return one

    def extracted(self, truth: str) -> str:
        bit = self.fresh()
        self.say(f"{bit} = tensor.extract {truth}[] : tensor<i1>")
        return bit

    def branch(self, like: list[Value]) -> None:
        bit = self.extracted(self.truth())
        name, types = self.fresh(), self.types(like)
        self.say(regions.branch(name, bit, types))
        for way in range(2):
            handed = self.body(like)
            self.say("  " + regions.give([v.name for v in handed], types))
            self.say("} else {" if way == 0 else "}")
        self.results(name, like)

    def entering(self, inner: list[Value], like: list[Value]) -> list[tuple[str, str, str]]:
        """What a loop carries: `inner`, which starts as `like`."""
        return [(i.name, v.name, self.type(v.shape)) for i, v in zip(inner, like, strict=True)]

    def counted(self, like: list[Value]) -> None:
        trips = self.rng.choice(TRIPS)
        bounds = [self.index(0), self.index(trips), self.index(1)]
        name, i = self.fresh(), self.fresh()
        inner = [Value(self.fresh(), v.shape) for v in like]
        self.say(regions.counted(name, i, bounds, self.entering(inner, like)))
        outside = list(self.values)
        self.values = [*outside, *inner]
        handed = self.body(inner)
        self.values = outside
        self.say("  " + regions.give([v.name for v in handed], self.types(like)))
        self.say("}")
        self.results(name, like)

    def loop(self, like: list[Value]) -> None:
        """Trips up to a limit that is known or depends on values, or fewer by what is carried."""
        rng = self.rng
        start, step = rng.choice([0, 0, 0, 1, -2]), rng.choice([1, 1, 1, 2, -1])
        limit = self.whole(start + step * rng.choice(TRIPS) + rng.choice([0, 0, step // 2]))
        if rng.random() < 0.5:
            cast, both = self.fresh(), self.fresh()
            truth = self.truth()
            self.say(f"{cast} = cell.cast {truth} : tensor<i1> to tensor<i64>")
            self.say(f"{both} = cell.{'add' if step > 0 else 'sub'} {limit}, {cast} : tensor<i64>")
            limit = both
        zero = self.whole(start)
        name = self.fresh()
        tests = [Value(self.fresh(), v.shape) for v in like]
        at = self.fresh()
        carried = [*self.entering(tests, like), (at, zero, "tensor<i64>")]
        self.say(regions.unbounded(name, carried))
        outside = list(self.values)
        self.values = [*outside, *tests]
        self.depth += 1
        go = self.fresh()
        self.say(f"{go} = cell.{'less' if step > 0 else 'greater'} {at}, {limit} : tensor<i64>")
        if rng.random() < 0.4:
            more, both = self.truth(), self.fresh()
            self.say(f"{both} = cell.logical_and {go}, {more} : tensor<i1>")
            go = both
        bit = self.extracted(go)
        self.say(regions.condition(bit, carried))
        self.depth -= 1
        inner, at = [Value(self.fresh(), v.shape) for v in like], self.fresh()
        types = [*self.types(like), "tensor<i64>"]
        self.say("} do {")
        self.say(regions.body(zip([*(v.name for v in inner), at], types, strict=True)))
        self.values = [*outside, *inner]
        self.counters.append(at)
        handed = self.body(inner)
        self.counters.pop()
        self.depth += 1
        one, following = self.whole(step), self.fresh()
        self.say(f"{following} = cell.add {at}, {one} : tensor<i64>")
        self.say(regions.give([*(v.name for v in handed), following], types))
        self.depth -= 1
        self.say("}")
        self.values = outside
        for i, v in enumerate(like):
            self.values.append(Value(f"{name}#{i}", v.shape))
        if rng.random() < 0.4:  # where the counter ended
            end = self.fresh()
            self.say(f"{end} = cell.cast {name}#{len(like)} : tensor<i64> to {self.type(())}")
            self.same("mul", Value(end, ()), self.some(()))
