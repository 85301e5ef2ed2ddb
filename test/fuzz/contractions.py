"""Random contractions: sums of products of views, in every way that a program can say them.

Operands have dimensions of the product in any order, are parts of larger tensors in several
dimensions, with steps, are transposed and reversed; they are broadcast against each other or
multiplied by `cell.matmul`; functions stand before, between and after product and sum. Sizes are
those at the edges of tiles, blocks and packing (GemmPlan.cpp, TilePlan.cpp, NestPlan.cpp).
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np
from generator import Program
from twin import EXACT, SMOOTH, STEPS, Numbers, Twin, Value

from cellgrad import _native

TARGETS = ("native", "x86-64-v3", "x86-64-v2")
DTYPES = ("float32", "float32", "float32", "float64", "float16", "bfloat16", "int32", "int64")
# Rows of register tiles, vectors and blocks, and their neighbours.
ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17, 27, 28, 29)
COLUMNS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65)
DEPTHS = (1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33, 64, 65, 100)
BATCH = (1, 2, 3, 5)
LARGE_ROWS = (55, 111, 112, 113, 126, 140, 257, 270)
LARGE_COLUMNS = (127, 128, 129, 255, 256, 257, 272, 300, 1024, 1040)
LARGE_DEPTHS = (128, 129, 255, 256, 257, 300, 511, 512, 513, 1030)
# Of sums that are added in blocks of blocks.
LONG_DEPTHS = (2047, 4096, 4099, 10_000, 33_333, 65_536, 100_001)
MAX_TERMS = {
    "small": 120_000,
    "conv": 3_000_000,
    "borders": 3_000_000,
    "large": 60_000_000,
    "epilogues": 20_000_000,
    "shared": 20_000_000,
    "packed": 20_000_000,
}
MAX_PRODUCT = 1_500_000  # elements of a product that is written down, not only summed
MAX_STORED = 4_000_000
INTERPRETED = 400_000  # terms that the interpreter takes a moment for


@dataclass
class Dim:
    number: int
    size: int
    summed: bool


@dataclass
class Contractions:
    """Draws one program from a seed; `values` has what numpy makes of the results."""

    seed: int
    kind: str = "small"
    dtype: str = "float32"
    terms: int = 0
    given: dict[int, Numbers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        large = self.kind in ("large", "epilogues", "shared", "packed")
        self.dtype = self.rng.choice(DTYPES[:4] if large else DTYPES)
        # Casts stand inside for what numpy has no type for.
        self.outside = "float32" if self.dtype in ("float16", "bfloat16") else self.dtype
        self.whole = self.dtype.startswith("int") or self.rng.random() < 0.7
        self.arguments: list[Value] = []
        self.results: list[Value] = []

    # --- the program --------------------------------------------------------------------------

    def program(self) -> Program:
        graph = _native.Graph("fuzz")
        f = graph.function("f", [], public=False)
        self.twin = Twin(f)
        self.results = self.body()
        f.ret([r.native for r in self.results])
        types = [(r.native.dtype, r.shape) for r in self.results]
        return Program(graph, self.outside, [a.shape for a in self.arguments], types)

    def argument(self, shape: tuple[int, ...]) -> Value:
        name = f"x{len(self.arguments)}"
        native = self.twin.f.add_argument(self.outside, list(shape), name, "input")
        value = self.twin.argument(native, self.given)
        self.arguments.append(value)
        return value if self.dtype == self.outside else self.twin.cast(value, self.dtype)

    def inputs(self) -> list[np.ndarray]:
        """Small integers that are not zero, whose sums are exact, or any numbers."""
        rng = np.random.default_rng(self.seed)
        drawn = []
        for argument in self.arguments:
            if self.whole:
                # Few values, so that sums stay exact in the type.
                most = 1 if self.dtype in ("float16", "bfloat16") else 3
                x = rng.integers(1, most + 1, argument.shape) * rng.choice([-1, 1], argument.shape)
            else:
                x = rng.normal(size=argument.shape)
            x = np.asarray(x).astype(self.outside)
            exact = np.asarray(x).astype(np.float64)
            self.given[id(argument)] = Numbers(exact, np.zeros(argument.shape))
            drawn.append(x)
        return drawn

    def wanted(self) -> list[Numbers]:
        known: dict[int, Numbers] = {}
        with np.errstate(all="ignore"):
            return [r.numbers(known) for r in self.results]

    def body(self) -> list[Value]:
        t, rng = self.twin, self.rng
        value = self.term(self.draw_dims())
        results = [value]
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            value = self.epilogue(value)
        if rng.random() < 0.25:
            value = self.chained(value)
        if value is not results[0]:
            # Read by more than one, or by what comes after alone.
            results = [value, *(results if rng.random() < 0.3 else [])]
        if self.dtype != self.outside:
            results = [t.cast(r, self.outside) for r in results]
        return results

    # --- one sum of products ------------------------------------------------------------------

    def draw_dims(self) -> list[Dim]:
        rng = self.rng
        large = self.kind == "large"
        counts = rng.choice(
            [(1, 1, 1, 0)] * 6
            + [(1, 1, 1, 1)] * 3
            + [(1, 1, 2, 0), (2, 1, 1, 0), (1, 2, 1, 0), (1, 1, 3, 0), (1, 1, 2, 1), (2, 2, 1, 0)]
            + [(1, 1, 1, 2), (0, 1, 1, 0), (1, 0, 1, 0), (0, 0, 1, 1), (1, 1, 0, 0), (0, 0, 2, 0)]
        )
        if large:
            counts = rng.choice(
                [(1, 1, 1, 0)] * 5
                + [(1, 1, 1, 1), (2, 1, 1, 0)]
                + [(1, 1, 2, 0)] * 2
                + [(1, 1, 3, 0)]
            )
            if rng.random() < 0.15:
                return self.long_sum()
        pools = (ROWS, COLUMNS, DEPTHS, BATCH)
        big = (LARGE_ROWS, LARGE_COLUMNS, LARGE_DEPTHS, BATCH)
        while True:
            dims, roles = [], []
            for role, (n, pool, wide) in enumerate(zip(counts, pools, big, strict=True)):
                for i in range(n):
                    source = wide if large and i == 0 and rng.random() < 0.8 else pool
                    dims.append(Dim(len(dims), rng.choice(source), role == 2))
                    roles.append(role)
            terms = math.prod(d.size for d in dims)
            if terms <= MAX_TERMS[self.kind] and (not large or terms >= 400_000):
                break
        self.roles = roles
        self.terms += terms
        return dims

    def long_sum(self) -> list[Dim]:
        """Few sums of many terms, in one dimension or two."""
        rng = self.rng
        dims = [Dim(0, rng.choice(LONG_DEPTHS), True)]
        if rng.random() < 0.3:
            dims.append(Dim(1, rng.choice((2, 3, 17)), True))
        self.roles = [2] * len(dims)
        if rng.random() < 0.7:
            dims.append(Dim(len(dims), rng.choice((1, 2, 3, 7, 16, 17)), False))
            self.roles.append(rng.choice((0, 1, 3)))
        self.terms += math.prod(d.size for d in dims)
        return dims

    def term(self, dims: list[Dim]) -> Value:
        """A sum of products over `dims`."""
        rng, t = self.rng, self.twin
        rows, columns, summed, batch = (
            [d for d, r in zip(dims, self.roles, strict=True) if r == role] for role in range(4)
        )
        sets = [[*rows, *summed, *batch], [*columns, *summed, *batch]]
        if rng.random() < 0.12:  # one factor more, of some of the dimensions
            sets.append([d for d in dims if rng.random() < 0.5])
        rng.shuffle(sets)
        single = len(rows) == len(columns) == len(summed) == 1
        if len(sets) == 2 and single and rng.random() < 0.45:
            return self.matmul(rows[0], columns[0], summed[0], batch)
        order = list(dims)
        rng.shuffle(order)
        total = math.prod(d.size for d in dims)
        between = total <= MAX_PRODUCT and self.rng.random() < 0.4
        parts = [self.operand(s) for s in sets]
        sizes = tuple(d.size for d in order)
        drawn, wide = [], []
        for value, own in parts:
            if rng.random() < 0.12:
                value = self.function(value)
            drawn.append((value, [d.number for d in own]))
            wide.append(self.aligned(value, own, order, sizes))
        naive = wide
        outside = []
        if between and len(naive) > 1 and rng.random() < 0.35:
            outside = [naive.pop()]  # a factor outside of the function: abs(a) * b
        product = naive[0]
        for other in naive[1:]:
            product = t.binary("mul", *rng.sample([product, other], 2))
        if between:
            product = self.function(product)
            if rng.random() < 0.2:
                product = self.function(product)
            for other in outside:
                product = t.binary("mul", *rng.sample([product, other], 2))
        over = [i for i, d in enumerate(order) if d.summed]
        kept = [d.number for d in order if not d.summed]
        made = t.reduce_sum(product, over) if over else product
        if not between and over:
            made = t.contraction(made, drawn, kept)
        return made

    def aligned(self, x: Value, own: list[Dim], order: list[Dim], sizes: tuple[int, ...]) -> Value:
        """`x` with dimensions in the order of the product, broadcast along those it lacks."""
        t = self.twin
        places = [own.index(d) for d in order if d in own]
        if places != sorted(places):
            x = t.transpose(x, places)
        lacks = [i for i, d in enumerate(order) if d not in own]
        return t.broadcast(x, lacks, sizes) if lacks else x

    def matmul(self, row: Dim, column: Dim, depth: Dim, batch: list[Dim]) -> Value:
        rng, t = self.rng, self.twin
        a, b = rng.random() < 0.35, rng.random() < 0.35
        orders = [
            [*batch, *((depth, row) if a else (row, depth))],
            [*batch, *((column, depth) if b else (depth, column))],
        ]
        values = []
        for order in orders:
            value, own = self.operand(order)
            values.append(self.aligned(value, own, order, ()))
        if row.size == column.size and rng.random() < 0.2:  # x xᵀ
            values[1], b = values[0], not a
        flags = {"transpose_a": a, "transpose_b": b}
        made = t.make("cell.matmul", values, lambda _: NotImplemented, flags)
        numbers = [d.number for d in batch]
        i, j, k = row.number, column.number, depth.number
        lefts, rights = [k, i] if a else [i, k], [j, k] if b else [k, j]
        parts = [(values[0], numbers + lefts), (values[1], numbers + rights)]
        return t.contraction(made, parts, [*numbers, i, j])

    # --- operands -----------------------------------------------------------------------------

    def operand(self, dims: list[Dim]) -> tuple[Value, list[Dim]]:
        """A view of a new argument, with `dims` in the order given back."""
        rng, t = self.rng, self.twin
        own: list[Dim | None] = list(dims)
        rng.shuffle(own)
        plain = rng.random() < 0.3
        for _ in range(0 if plain else rng.choice([0, 0, 0, 1, 1, 2])):
            own.insert(rng.randint(0, len(own)), None)  # a dimension of which one place is read
        starts, strides, stored = [], [], []
        for d in own:
            step = 1 if plain or rng.random() < 0.6 else rng.choice([2, 3])
            start = 0 if plain or rng.random() < 0.6 else rng.randint(1, 3)
            size = d.size if d else 1
            rest = 0 if plain or rng.random() < 0.6 else rng.randint(1, 3)
            if d is None:
                step, start, rest = 1, rng.randint(0, 3), rng.randint(0, 3)
                if self.kind == "large":
                    rest = 15 - start
            starts.append(start)
            strides.append(step)
            stored.append(start + (size - 1) * step + 1 + rest)
        if stored and rng.random() < (0.4 if self.kind == "large" else 0.25):
            # Rows whose distance is a multiple of 1024 bytes.
            wide = (stored[-1] + 255) // 256 * 256
            if math.prod(stored[:-1]) * wide <= MAX_STORED // 4:
                stored[-1] = wide
        if math.prod(stored) > MAX_STORED:
            stored = [d.size if d else 1 for d in own]
            starts, strides = [0] * len(own), [1] * len(own)
        x = self.argument(tuple(stored))
        # Slices, reversals and transposes in any order.
        mirrored = [i for i, d in enumerate(own) if d and not plain and rng.random() < 0.12]
        sizes = [d.size if d else 1 for d in own]
        whole = sizes == stored
        steps = ["slice", "reverse", "transpose"]
        rng.shuffle(steps)
        places = list(range(len(own)))  # of the dimensions stored
        for step in steps:
            if step == "slice" and not whole:
                s, p, n = ([a[i] for i in places] for a in (starts, strides, sizes))
                for at, i in enumerate(places):
                    if i in mirrored and "reverse" in steps[: steps.index("slice")]:
                        s[at] = stored[i] - 1 - (starts[i] + (sizes[i] - 1) * strides[i])
                limits = [a + (b - 1) * c + 1 for a, b, c in zip(s, n, p, strict=True)]
                x = t.slice(x, s, limits, p)
                if None in own:
                    x = t.reshape(x, tuple(sizes[i] for i in places if own[i]))
                    places = [i for i in places if own[i]]
            elif step == "reverse" and mirrored:
                x = t.reverse(x, [at for at, i in enumerate(places) if i in mirrored])
            elif step == "transpose" and not plain and len(places) > 1 and rng.random() < 0.5:
                perm = list(range(len(places)))
                rng.shuffle(perm)
                x = t.transpose(x, perm)
                places = [places[i] for i in perm]
        left = [d for i in places if (d := own[i]) is not None]
        if len(left) != len(places):  # a dimension of size 1 that nothing was cut from
            x = t.reshape(x, tuple(d.size for d in left))
        return x, left

    # --- around it ----------------------------------------------------------------------------

    def function(self, x: Value) -> Value:
        names = [*EXACT, "square"] if self.dtype.startswith("int") else [*EXACT, *STEPS, *SMOOTH]
        if not self.whole:  # a step that rounding decides is no finding
            names = [n for n in names if n not in STEPS]
        if self.whole and self.rng.random() < 0.7:
            names = [n for n in names if n not in SMOOTH]
        name = self.rng.choice(names)
        if name in ("exp", "square"):
            x = self.twin.unary("tanh", x) if not self.dtype.startswith("int") else x
        return self.twin.unary(name, x)

    def epilogue(self, x: Value) -> Value:
        rng, t = self.rng, self.twin
        kind = rng.choice(["initial", "initial", "function", "bias", "transpose", "slice", "self"])
        if kind == "initial" and rng.random() < 0.4:  # that may be donated
            return t.binary(
                rng.choice(["add", "add", "sub"]), *rng.sample([x, self.argument(x.shape)], 2)
            )
        if kind == "initial":
            initial, own = self.operand([Dim(i, n, False) for i, n in enumerate(x.shape)])
            order = [d.number for d in own]
            if order != sorted(order):
                initial = t.transpose(initial, [order.index(i) for i in range(len(order))])
            return t.binary(rng.choice(["add", "add", "sub"]), *rng.sample([x, initial], 2))
        if kind == "function":
            return self.function(x)
        if kind == "bias" and x.shape:
            dim = rng.randrange(len(x.shape))
            bias = self.argument((x.shape[dim],))
            others = [d for d in range(len(x.shape)) if d != dim]
            wide = t.broadcast(bias, others, x.shape) if others else bias
            return t.binary(rng.choice(["add", "mul", "maximum"]), x, wide)
        if kind == "transpose" and len(x.shape) > 1:
            perm = list(range(len(x.shape)))
            rng.shuffle(perm)
            return t.transpose(x, perm)
        if kind == "slice" and x.shape:
            strides = [rng.choice([1, 1, 2]) for _ in x.shape]
            starts = [rng.randint(0, min(2, n - 1)) for n in x.shape]
            return t.slice(x, starts, list(x.shape), strides)
        if kind == "self":
            return t.binary("add", x, x)
        return x

    def chained(self, x: Value) -> Value:
        """The result is an operand of another product."""
        rng, t = self.rng, self.twin
        shape = x.shape
        if len(shape) < 2:
            return x
        depth = Dim(0, shape[-1], True)
        column = Dim(1, rng.choice(COLUMNS), False)
        self.terms += math.prod(shape) * column.size
        if self.terms > MAX_TERMS[self.kind]:
            return x
        value, own = self.operand([depth, column])
        batch = [Dim(i + 2, n, False) for i, n in enumerate(shape[:-2])]
        flat = x if not batch else t.reshape(x, (math.prod(shape[:-1]), shape[-1]))
        flags = {"transpose_a": False, "transpose_b": own[0] is column}
        made = t.make("cell.matmul", [flat, value], lambda _: NotImplemented, flags)
        parts = [(flat, [2, 0]), (value, [d.number for d in own])]
        return t.contraction(made, parts, [2, 1])


class Epilogues(Contractions):
    """Products with elementwise ops after them that may run tile by tile (FormEpilogues.cpp), and with
    what forbids that: reads of the result at other places, before and after, several readers, operands
    that the op writes over."""

    def body(self) -> list[Value]:
        rng = self.rng
        value = self.product()
        made = [value]
        for _ in range(rng.choice([1, 1, 2, 2, 3, 4])):
            value = self.step(value)
            made.append(value)
        last = value
        kind = rng.choice(["none", "none", "rows", "columns", "chained", "other"])
        shape = value.shape
        if kind in ("rows", "columns") and len(shape) > 1:
            value = self.twin.reduce_sum(value, [len(shape) - (1 if kind == "rows" else 2)])
        elif kind == "chained":
            value = self.chained(value)
        elif kind == "other" and made[0].shape == shape:
            value = self.twin.binary("sub", value, made[0])
        results = [value]
        if rng.random() < 0.4:
            distinct = {id(v): v for v in (*made, last)}
            results += [v for v in distinct.values() if v is not value][-2:]
        return results

    def product(self) -> Value:
        rng = self.rng
        pools = [(*ROWS[1:], 55, 112, 140), (*COLUMNS[1:], 127, 129, 272), DEPTHS[1:]]
        if rng.random() < 0.4:
            pools[2] = (255, 257, 300, 513, 1030, 4099, 5000)
        while True:
            sizes = [rng.choice(pool) for pool in pools]
            if rng.random() < 0.2:
                sizes[1] = sizes[0]
            sizes += [rng.choice([*BATCH, sizes[0]])] if rng.random() < 0.3 else []
            if math.prod(sizes) <= 3_000_000:
                break
        dims = [Dim(i, n, i == 2) for i, n in enumerate(sizes)]
        self.roles = [0, 1, 2, 3][: len(dims)]
        self.terms += math.prod(sizes)
        if rng.random() < 0.5:
            return self.term(dims)
        return self.matmul(dims[0], dims[1], dims[2], dims[3:])

    def step(self, x: Value) -> Value:
        """One elementwise op on `x`, and on what it is read with."""
        rng, t = self.rng, self.twin
        shape = x.shape
        rank = len(shape)
        kinds = ["bias", "bias", "residual", "residual", "function", "scale", "self", "slice"]
        kind = rng.choice([*kinds, "transposed", "reused", "reversed", "product", "reshape"])
        name = rng.choice(["add", "sub", "mul", "maximum"])
        if kind == "bias":  # along some dimensions
            lacks = sorted(rng.sample(range(rank), rng.randint(1, rank))) if rank else []
            bias = self.argument(tuple(n for i, n in enumerate(shape) if i not in lacks))
            wide = t.broadcast(bias, lacks, shape) if lacks else bias
            return t.binary(name, *rng.sample([x, wide], 2))
        if kind == "residual":  # that may be donated
            return t.binary(rng.choice(["add", "sub"]), *rng.sample([x, self.argument(shape)], 2))
        if kind == "function":
            return self.function(x)
        if kind == "scale":
            return t.binary("mul", x, t.broadcast(self.argument(()), list(range(rank)), shape))
        if kind == "self":
            return t.binary("add", x, self.function(x))
        if kind == "reused":  # an argument that has been read, maybe by the product
            fitting = [a for a in self.arguments if a.shape == shape]
            if fitting:
                return t.binary("add", x, rng.choice(fitting))
        if kind == "transposed" and rank > 1 and shape[-1] == shape[-2]:
            swapped = [*range(rank - 2), rank - 1, rank - 2]
            return t.binary("add", x, t.transpose(x, swapped))
        if kind == "transposed" and rank == 3 and shape[0] == shape[1]:
            return t.binary("add", x, t.transpose(x, [1, 0, 2]))
        if kind == "reversed" and rank:
            return t.binary("add", x, t.reverse(x, [rng.randrange(rank)]))
        if kind == "product" and rank == 2 and self.terms < 2_000_000:
            # Of two results that are read together, one is there first.
            depth = rng.choice(DEPTHS)
            self.terms += math.prod(shape) * depth
            dims = [Dim(0, shape[0], False), Dim(1, shape[1], False), Dim(2, depth, True)]
            return t.binary("add", x, self.matmul(dims[0], dims[1], dims[2], []))
        if kind == "reshape" and rank == 3:  # to and from other dimensions, elementwise
            flat = t.reshape(x, (shape[0] * shape[1], shape[2]))
            flat = t.binary("add", flat, self.argument(flat.shape))
            return t.reshape(flat, shape)
        if kind == "slice" and rank:
            return self.epilogue(x)
        return self.function(x)


class Shared(Epilogues):
    """Products that threads share by columns, rows, blocks of the sum or products of a batch (shareGemm of
    GemmPlan.cpp), some with epilogues: parts of different sizes, ragged edges in the last."""

    def product(self) -> Value:
        rng = self.rng
        edges = lambda sizes: [n + d for n in sizes for d in (-1, 0, 1, 5)]
        kind = rng.choice(["columns", "columns", "rows", "rows", "sum", "batch"])
        few, columns = (2, 3, 5, 8, 15, 16, 17, 29, 33), edges((64, 128, 256, 257, 300, 528))
        while True:
            batch: list[int] = []
            if kind == "columns":
                sizes = [rng.choice(few), rng.choice([*columns, 1030, 2100]), rng.choice(DEPTHS)]
                if rng.random() < 0.3:  # several blocks of the sum
                    sizes[2] = rng.choice((257, 300, 513))
            elif kind == "rows":
                sizes = [
                    rng.choice(columns),
                    rng.choice((*few, 48, 65)),
                    rng.choice((17, 129, 300)),
                ]
            elif kind == "sum":
                sizes = [
                    rng.choice(few),
                    rng.choice((*few, 48, 65)),
                    rng.choice((4353, 5000, 9001)),
                ]
            else:
                sizes = [rng.choice(few), rng.choice(few), rng.choice(DEPTHS)]
                batch = [rng.choice((1, 2, 3, 5)) for _ in range(rng.choice((1, 2, 2, 3)))]
                if rng.random() < 0.3:  # few products, each of them shared
                    sizes, batch = [rng.choice(few), rng.choice(columns), rng.choice(DEPTHS)], [2]
            if math.prod((*sizes, *batch)) <= 4_000_000:
                break
        dims = [Dim(i, n, i == 2) for i, n in enumerate([*sizes, *batch])]
        self.roles = [0, 1, 2, *(3 for _ in batch)]
        self.terms += math.prod(d.size for d in dims)
        if rng.random() < 0.4:
            return self.term(dims)
        return self.matmul(dims[0], dims[1], dims[2], dims[3:])
