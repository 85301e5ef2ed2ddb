"""The random programs of rows.py: ops that share rows, and what must not run row by row with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from generator import Program, count
from loops import BOUNDED, Loops, Value

# At most 128 items: more rows are several tiles an item, and the last item may have fewer.
ROWS = (1, 2, 3, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 131, 255, 256, 257, 263, 521)
COLUMNS = (1, 1, 2, 3, 4, 7, 8, 15, 16, 17, 33)
MOST = 3000  # elements: the interpreter takes part
LARGE = ((1031, 31), (2048, 17), (257, 130), (640, 64), (5003, 7), (40_000, 1))
SMOOTH = ("tanh", "sin", "cos", "sigmoid", "atan", "erf", "square", "exp", "abs", "neg")
NARROW = ("f16", "bf16", "i32", "i64")


@dataclass
class Rows(Loops):
    """Draws one program from a seed."""

    large: bool = False
    loops: float = 0.2  # how often there is a region
    last: Value | None = None  # in the place of an argument

    def __post_init__(self) -> None:
        super().__post_init__()
        rng = self.rng
        while True:
            n, c = rng.choice(ROWS), rng.choice(COLUMNS)
            if rng.random() < 0.15:  # what is one number a row is one a column as well
                n = c = min(n, 33)
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
        self.first = self.shapes[:1]  # of the arguments
        self.effects = self.seed % 16 == 5
        self.checks = 0

    def program(self) -> Program:
        rng = self.rng
        arguments = [*self.first, *(rng.choice(self.shapes) for _ in range(rng.randint(0, 3)))]
        self.values = [Value(f"%x{i}", shape) for i, shape in enumerate(arguments)]
        steps = rng.randint(2, 4 if self.large else 7)
        at = rng.randrange(steps) if rng.random() < self.loops and not self.large else -1
        for i in range(steps):
            self.step()
            if i == at:
                self.region()
        results = [self.result() for _ in range(rng.randint(1, 4))]
        if self.last:
            results.insert(0, self.last)
        return self.made(arguments, results)

    def result(self) -> Value:
        if self.rng.random() < 0.5:
            return self.gathered(self.rng.choice(self.shapes))
        return self.some()

    def step(self) -> None:
        if self.depth and self.regions < 3 and self.rng.random() < 0.15:
            self.region()
            return
        steps = self.steps()
        if self.effects:
            steps[self.effect] = 6
        self.rng.choices(list(steps), weights=list(steps.values()))[0]()

    def steps(self) -> dict[Callable[[], None], int]:
        """What may come next, and how often it does."""
        return {
            self.chain: 16,
            self.row_sum: 6,
            self.softmax: 6,
            self.layer_norm: 4,
            self.log_sum: 3,
            self.over_rows: 10,
            self.total: 4,
            self.wide: 8,
            self.shifted: 8,
            self.neighbours: 5,
            self.overwritten: 5,
            self.turn: 4,
            self.gather: 4,
            self.scatter: 4,
            self.positioned: 4,
            self.noise: 1,
            self.update: 3,
            self.column: 1,
            self.contraction: 2,
            self.beside: 3,
            self.images: 4,
        }

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
            scaled = self.same(
                "mul", iota, self.constant(1.0 / x.shape[dim], x.shape), visible=False
            )
            self.same(rng.choice(["add", "mul", "maximum"]), x, scaled)
        elif how < 0.75:
            self.bounded_of(
                self.op(f"cumsum {x.name} along {dim} : {self.type(x.shape)}", x.shape, False)
            )
        else:
            last = len(x.shape) - 1
            left = x.shape[:-1]
            name = rng.choice(["argmax", "argmin"])
            types = f"{self.type(x.shape)} -> {self.type(left, 'i32')}"
            at = self.op(f"{name} {x.name} over [{last}] : {types}", left, visible=False)
            self.seen(self.cast(at, "i32", self.element))

    def contraction(self) -> None:
        if self.n <= 131:  # it has a number for each two rows
            super().contraction()

    def bounded_of(self, x: Value) -> None:
        self.same(self.rng.choice(BOUNDED), x)

    def images(self) -> None:
        """Each row is an image of one dimension: its convolution, and what follows that, row by row."""
        rng, n, c = self.rng, self.n, self.c
        taps = rng.choice([t for t in (1, 2, 3, 5) if t <= c])
        filters = rng.choice([1, 2, 3])
        image = self.reshape(self.some(self.shapes[0]), (n, 1, c))
        if rng.random() < 0.5:
            image = self.bounded(image)
        row = self.bounded(self.some((c,)))
        parts = [
            self.slice(row, 0, i % (c - taps + 1), i % (c - taps + 1) + taps)
            for i in range(filters)
        ]
        parts = [self.reshape(p, (1, 1, taps)) for p in parts]
        weights = parts[0]
        if filters > 1:
            names, shape = ", ".join(p.name for p in parts), (filters, 1, taps)
            types = ", ".join(self.type(p.shape) for p in parts)
            weights = self.op(
                f"concat {names} dim 0 : ({types}) -> {self.type(shape)}", shape, False
            )
        before = rng.randint(0, taps - 1)
        wide = (n, 1, c + taps - 1)
        padding = f"low [0, 0, {before}] high [0, 0, {taps - 1 - before}] interior [0, 0, 0]"
        types = f"{self.type(image.shape)} -> {self.type(wide)}"
        padded = self.op(f"pad {image.name} {padding} : {types}", wide, False)
        made = (n, filters, c)
        types = f"({self.type(wide)}, {self.type(weights.shape)}) -> {self.type(made)}"
        what = f"conv {padded.name}, {weights.name} strides [1] dilations [1] groups 1"
        y = self.op(f"{what} : {types}", made, False)
        for _ in range(rng.randint(0, 2)):
            y = self.bounded(y)
        if rng.random() < 0.3:
            self.values.append(y)
        if filters > 1 and rng.random() < 0.7:
            self.seen(self.reduce(rng.choice(["sum", "max"]), y, [1]))
        else:
            self.seen(self.reshape(self.slice(y, 1, 0, 1), (n, c)))

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
        centred = self.same(
            "sub", x, self.spread_over(self.mean(x, dims), dims, x.shape), visible=False
        )
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
            dims = (
                [0] if self.rng.random() < 0.8 else sorted(self.rng.sample(range(len(x.shape)), 1))
            )
            if self.rng.random() < 0.3:
                x = self.bounded(x)
            kind = self.rng.choice(["sum", "sum", "sum", "max", "min"])
            narrow = self.rng.random() < 0.2
            element = self.rng.choice(NARROW) if narrow else self.element
            y = (
                self.same("mul", x, self.constant(9.0, x.shape), visible=False)
                if element[0] == "i"
                else x
            )
            y = self.reduce(kind, self.cast(y, self.element, element), dims, element)
            y = self.cast(y, element, self.element)
            if kind == "sum" and self.rng.random() < 0.5:
                y = self.same(
                    "mul", y, self.constant(1.0 / x.shape[dims[0]], y.shape), visible=False
                )
            self.seen(y)
            if self.rng.random() < 0.3 and y.shape in self.shapes:
                self.same("add", self.other(y), y)

    def total(self) -> None:
        x = self.rows()
        y = self.reduce(self.rng.choice(["sum", "sum", "max", "min"]), x, list(range(len(x.shape))))
        self.seen(self.bounded(y))
        if self.rng.random() < 0.4:  # read by rows again
            self.same(
                "mul", x, self.spread_over(self.values[-1], list(range(len(x.shape))), x.shape)
            )

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

    def neighbours(self) -> None:
        """Two parts of one value, row by row, and what is made of them in the place of one."""
        rng, x = self.rng, self.rows()
        n = x.shape[0]
        if n < 3:
            return
        less = rng.choice([1, 1, 2])
        starts = rng.sample(range(less + 1), 2)
        first, second = (self.slice(x, 0, start, start + n - less) for start in starts)
        if rng.random() < 0.3:
            second = self.op(
                f"reverse {second.name} over [0] : {self.type(second.shape)}", second.shape, False
            )
        y = self.same(rng.choice(["add", "sub", "mul"]), first, second)
        if rng.random() < 0.6:
            y = self.normalized(y)
        if rng.random() < 0.7:
            self.put(x, 0, rng.choice(starts), y)

    def normalized(self, x: Value) -> Value:
        """Costs enough to be computed once, and row by row."""
        dims = list(range(1, len(x.shape)))
        e = self.same("exp", self.bounded(x), visible=False)
        return self.same("div", e, self.spread_over(self.reduce("sum", e, dims), dims, x.shape))

    def overwritten(self) -> None:
        """Rows of an argument from other places, then the argument changed by them."""
        rng = self.rng
        x = rng.choice([v for v in self.values if v.name.startswith("%x") and len(v.shape) > 1])
        how = rng.random()
        if how < 0.4:
            at = self.positions(x.shape[0], rng.random() < 0.5)
            types = f"{self.type(x.shape)}, tensor<{x.shape[0]}xi32> -> {self.type(x.shape)}"
            y = self.op(f"gather {x.name} at {at} dim 0 : {types}", x.shape, False)
        elif how < 0.7:
            y = self.op(f"reverse {x.name} over [0] : {self.type(x.shape)}", x.shape, False)
        else:
            y = self.same("sin", x)
        y = self.normalized(y)
        if rng.random() < 0.5:
            self.over_rows()
        changed = self.same(rng.choice(["add", "sub", "mul"]), x, y)
        if not self.depth:
            self.last = changed

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
        self.say(
            f"{bit} = cell.not_equal {y.name}, {self.constant(12345.5).name} : {self.type(())}"
        )
        self.say(f'cell.check {bit} "check {self.checks}" : tensor<i1>')
        self.checks += 1
