"""Random valid programs over the op table of the dialect.

A program is a private function `f` of a few float arguments in a native Graph. Elementwise ops
come from the records (`build/dialect/ops.json`); shape ops, reductions and products are drawn by
the rules below, branches, loops, calls and factorizations by those of blocks.py. Shapes favour what
breaks code generators: empty, one, odd, just past a vector.
"""

from __future__ import annotations

import json
import random
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blocks import Blocks, counted_loops

from cellgrad import _native

BUILD = Path(__file__).resolve().parents[2] / "build"
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65]
ELEMENTS = {"f32": "float32", "f64": "float64", "i1": "bool", "i32": "int32"}
MAX_ELEMENTS = 20_000  # of an argument
MAX_VALUE = 3 * MAX_ELEMENTS  # of what is computed: an outer product of long vectors is huge
MAX_PRODUCT = 20_000_000  # multiplications of a matrix product


def records() -> list[dict[str, Any]]:
    """The elementwise ops with the kinds of their operands and result."""
    table: list[dict[str, Any]] = json.loads((BUILD / "dialect" / "ops.json").read_text())
    return table


@dataclass
class Program:
    """A graph with function `f`, its argument shapes and result types."""

    graph: Any
    dtype: str
    arguments: list[tuple[int, ...]]
    results: list[tuple[str, tuple[int, ...]]]

    @staticmethod
    def after(passes: str, text: str) -> Program:
        """The program that a pipeline of `cell-opt` makes of a text."""
        command = [BUILD / "bin" / "cell-opt", f"--pass-pipeline=builtin.module({passes})"]
        made = subprocess.run(command, input=text, capture_output=True, text=True)
        if made.returncode != 0:
            said = f"{passes}: cell-opt ends with {made.returncode}\n{made.stderr}"
            raise _native.CompileError(f"{said}\n{text}")
        return Program.parse(made.stdout)

    @staticmethod
    def parse(text: str) -> Program:
        """The program that `graph.text()` says, perhaps a reduced one."""
        found = re.search(r"func\.func (?:private )?@f\((.*?)\) -> (.*) \{$", text, re.M)
        if found is None:
            raise ValueError("no function f with a result in the text")
        arguments, results = (
            [(ELEMENTS[e], tuple(int(n) for n in dims.split("x") if n)) for dims, e in types]
            for types in (re.findall(r"tensor<((?:\d+x)*)(\w+)>", g) for g in found.groups())
        )
        dtype = next((d for d, _ in [*arguments, *results] if d.startswith("float")), "float64")
        shapes = [shape for _, shape in arguments]
        return Program(_native.Graph.parse(text), dtype, shapes, results)


def count(shape: tuple[int, ...]) -> int:
    n = 1
    for size in shape:
        n *= size
    return n


class Generator(Blocks):
    """Draws one program from a seed."""

    def __init__(self, seed: int, dtype: str, table: list[dict[str, Any]], empty: bool = True):
        super().__init__()
        self.rng = random.Random(seed)
        self.dtype = dtype
        self.table = table
        self.sizes = SIZES if empty else [s for s in SIZES if s]
        self.graph = _native.Graph("fuzz")

    def shape(self) -> tuple[int, ...]:
        while True:
            rank = self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
            shape = tuple(self.rng.choice(self.sizes) for _ in range(rank))
            # A dimension of size 0 may be summed away.
            if count(tuple(max(size, 1) for size in shape)) <= MAX_ELEMENTS:
                return shape

    def program(self) -> Program:
        shapes = [self.shape() for _ in range(self.rng.randint(1, 3))]
        args = [(self.dtype, s, f"x{i}", "input", None, None) for i, s in enumerate(shapes)]
        self.f = self.graph.function("f", args, public=False)
        self.values = list(self.f.args)
        self.computed: list[Any] = []
        for _ in range(self.rng.randint(2, 14)):
            self.step()
        results = self.computed[-3:] or self.values[:1]
        if self.rng.random() < 0.2:
            results = [*results, results[0]]
        if self.rng.random() < 0.2:
            results = [*results, self.values[0]]
        self.f.ret(results)
        types = [(v.dtype, v.shape) for v in results]
        if self.trips:
            self.graph = _native.Graph.parse(counted_loops(self.graph.text(), self.trips))
        return Program(self.graph, self.dtype, shapes, types)

    # --- drawing ------------------------------------------------------------------------------

    def step(self) -> None:
        recent = self.values[-6:] if self.rng.random() < 0.7 else self.values
        x = self.rng.choice(recent)
        if x.dtype == "bool" and self.rng.random() < 0.5:
            self.add("cell.cast", [x], result=(self.dtype, x.shape))
            return
        rules = {
            self.elementwise: 45,
            self.reduce: 10,
            self.broadcast: 8,
            self.transpose: 7,
            self.reshape: 5,
            self.slice: 6,
            self.pad: 5,
            self.concat: 4,
            self.matmul: 8,
            self.conv: 5,
            self.windows: 5,
            self.reverse: 2,
            self.constant: 2,
            self.iota: 2,
            self.position: 2,
            self.cumulative: 4,
            self.recurrence: 1,
            self.sort: 2,
            self.gather: 6,
            self.scatter: 4,
            self.choice: 4,
            self.branch: 4,
            self.loop: 3,
            self.counted: 3,
            self.custom: 3,
            self.recompute: 3,
            self.matrices: 8,
            self.uniform: 2,
            self.polygamma: 1,
        }
        draw = self.rng.choices(list(rules), weights=list(rules.values()))[0]
        draw(x)

    def add(self, op: str, operands: list[Any], attributes: Any = None, result: Any = None) -> None:
        value = self.f.create(op, operands, attributes, None, result)
        self.values.append(value)
        self.computed.append(value)

    def like(self, x: Any) -> Any:
        """A value of the type of `x`."""
        same = [v for v in self.values if v.shape == x.shape and v.dtype == x.dtype]
        return self.rng.choice(same)

    def elementwise(self, x: Any) -> None:
        isbool = x.dtype == "bool"
        fitting = [
            r
            for r in self.table
            if all(k == "any" or (k == "bool") == isbool for k in r["operands"])
        ]
        record = self.rng.choice(fitting)
        if "int" in record["operands"]:
            self.integers(record, x)
            return
        self.add(record["op"], [x, *(self.like(x) for _ in record["operands"][1:])])
        if record["result"] == "bool" and not isbool and self.rng.random() < 0.5:
            truth = self.values[-1]
            if self.rng.random() < 0.3:
                self.elementwise(truth)
            self.add("cell.select", [truth, x, self.like(x)])

    def integers(self, record: dict[str, Any], x: Any) -> None:
        """An op of integers on truth values: floats would overflow in the cast."""
        truth = self.f.create("cell.is_nan", [x], None, None, None)
        operands = [
            self.f.create("cell.cast", [truth], None, None, ("int32", x.shape))
            for _ in record["operands"]
        ]
        value = self.f.create(record["op"], operands, None, None, None)
        self.add("cell.cast", [value], result=(self.dtype, x.shape))

    def some_dims(self, rank: int) -> list[int]:
        return sorted(self.rng.sample(range(rank), self.rng.randint(1, rank)))

    def reduce(self, x: Any) -> None:
        if x.dtype == "bool" or not x.shape:
            return
        dims = self.some_dims(len(x.shape))
        kinds = ["sum", "sum", "max", "min"]
        if any(x.shape[d] == 0 for d in dims):
            kinds = ["sum"]
        self.add(f"cell.reduce_{self.rng.choice(kinds)}", [x], {"dims": dims})

    def broadcast(self, x: Any) -> None:
        rank = len(x.shape) + self.rng.randint(1, 2)
        if rank > 5:
            return
        dims = sorted(self.rng.sample(range(rank), rank - len(x.shape)))
        old = iter(x.shape)
        shape = tuple(
            self.rng.choice([1, 2, 3, 17]) if d in dims else next(old) for d in range(rank)
        )
        if count(shape) <= MAX_VALUE:
            self.add("cell.broadcast", [x], {"dims": dims}, (x.dtype, shape))

    def transpose(self, x: Any) -> None:
        perm = list(range(len(x.shape)))
        self.rng.shuffle(perm)
        self.add("cell.transpose", [x], {"perm": perm})

    def reshape(self, x: Any) -> None:
        shapes = [(count(x.shape),), (1, *x.shape), (*x.shape, 1), x.shape[::-1]]
        self.add("cell.reshape", [x], result=(x.dtype, self.rng.choice(shapes)))

    def slice(self, x: Any) -> None:
        starts = [self.rng.randint(0, n) for n in x.shape]
        limits = [self.rng.randint(s, n) for s, n in zip(starts, x.shape, strict=True)]
        if 0 not in self.sizes and any(s == n for s, n in zip(starts, limits, strict=True)):
            return
        strides = [self.rng.choice([1, 1, 2, 3]) for _ in x.shape]
        self.add("cell.slice", [x], {"starts": starts, "limits": limits, "strides": strides})

    def pad(self, x: Any) -> None:
        low = [self.rng.randint(0, 3) for _ in x.shape]
        high = [self.rng.randint(0, 3) for _ in x.shape]
        interior = [self.rng.choice([0, 0, 1, 2]) for _ in x.shape]
        if count(tuple(3 * n + 6 for n in x.shape)) <= MAX_VALUE:
            self.add("cell.pad", [x], {"low": low, "high": high, "interior": interior})

    def concat(self, x: Any) -> None:
        if x.shape and count(x.shape) <= MAX_ELEMENTS:
            dim = self.rng.randrange(len(x.shape))
            self.add("cell.concat", [x, self.like(x)], {"dim": dim})

    def matmul(self, x: Any) -> None:
        if x.dtype == "bool" or len(x.shape) < 2:
            return
        other = self.like(x)
        a, b = self.rng.random() < 0.5, self.rng.random() < 0.5
        rows, columns = x.shape[-2:]
        if (rows if a else columns) != (columns if b else rows):
            b = not b  # x and other are of one shape: one transposed, the other not
        inner, outer = (rows, columns) if a else (columns, rows)
        result = count(x.shape[:-2]) * outer * outer if a != b else count(x.shape)
        if result > MAX_VALUE or result * inner > MAX_PRODUCT:
            return
        self.add("cell.matmul", [x, other], {"transpose_a": a, "transpose_b": b})

    def window(self, sizes: tuple[int, ...]) -> tuple[list[int], list[int], list[int]]:
        """Sizes, strides and dilations of windows that fit."""
        dilations = [self.rng.choice([1, 1, 2, 3]) for _ in sizes]
        limits = [(n - 1) // d + 1 for n, d in zip(sizes, dilations, strict=True)]
        window = [self.rng.randint(1, min(n, 5)) for n in limits]
        return window, [self.rng.choice([1, 1, 2, 3]) for _ in sizes], dilations

    def conv(self, x: Any) -> None:
        """Filters are a part of a value of the same shape."""
        spatial = x.shape[2:]
        if x.dtype == "bool" or not spatial or 0 in spatial:
            return
        groups = self.rng.choice(
            [g for g in (1, 1, 2, 3) if not (x.shape[0] % g or x.shape[1] % g)]
        )
        window, strides, dilations = self.window(spatial)
        limits = [x.shape[0], x.shape[1] // groups, *window]
        result = x.shape[0] ** 2 * count(spatial)
        if result > MAX_VALUE or result * count(tuple(limits[1:])) > MAX_PRODUCT:
            return
        n = len(limits)
        part = {"starts": [0] * n, "limits": limits, "strides": [1] * n}
        w = self.f.create("cell.slice", [self.like(x)], part, None, None)
        self.add(
            "cell.conv", [x, w], {"strides": strides, "dilations": dilations, "groups": groups}
        )

    def windows(self, x: Any) -> None:
        rank = self.rng.randint(1, 2)
        slid = x.shape[-rank:]
        if len(x.shape) < rank or 0 in slid:
            return
        window, strides, dilations = self.window(slid)
        if count(x.shape) * count(tuple(window)) > MAX_VALUE:
            return
        move = {"strides": strides, "dilations": dilations}
        self.add("cell.windows", [x], {"sizes": window, **move})
        if x.dtype != "bool" and self.rng.random() < 0.5:
            y = self.values[-1]
            if self.rng.random() < 0.5:
                y = self.f.create("cell.mul", [y, self.like(y)], None, None, None)
            self.add("cell.overlap_add", [y], move, (x.dtype, x.shape))

    def reverse(self, x: Any) -> None:
        if x.shape:
            self.add("cell.reverse", [x], {"dims": self.some_dims(len(x.shape))})

    def constant(self, x: Any) -> None:
        if x.dtype == "bool":
            return
        number = self.rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0])
        data = struct.pack("<f" if self.dtype == "float32" else "<d", number)
        self.values.append(self.f.constant(data, self.dtype, x.shape))

    def iota(self, x: Any) -> None:
        if x.shape:
            dim = self.rng.randrange(len(x.shape))
            self.values.append(
                self.f.create("cell.iota", [], {"dim": dim}, None, (self.dtype, x.shape))
            )

    def position(self, x: Any) -> None:
        """The element at an extremum: its position is as sensitive as its rivals are close."""
        if x.dtype == "bool" or not x.shape or x.shape[-1] == 0:
            return
        last = len(x.shape) - 1
        name = self.rng.choice(["cell.argmax", "cell.argmin"])
        result = (self.rng.choice(["int32", "int64"]), x.shape[:-1])
        value = self.f.create(name, [x], {"dims": [last]}, None, result)
        self.add("cell.gather", [x, value], {"dim": last, "batch_dims": last})

    def cumulative(self, x: Any) -> None:
        if x.dtype == "bool" or not x.shape:
            return
        dim = self.rng.randrange(len(x.shape))
        op = self.rng.choice(["cumsum", "cumprod", "cummax", "cummin"])
        if op in ("cummax", "cummin"):
            self.values.append(self.f.create(f"cell.{op}", [x], {"dim": dim}, None, None)[0])
        else:
            flags = {k: self.rng.random() < 0.5 for k in ("reverse", "exclusive")}
            self.add(f"cell.{op}", [x], {"dim": dim, **flags})

    def recurrence(self, x: Any) -> None:
        if x.dtype == "bool" or not x.shape:
            return
        attrs = {"dim": self.rng.randrange(len(x.shape)), "reverse": self.rng.random() < 0.5}
        other = self.like(x)
        if self.rng.random() < 0.5:
            self.add("cell.recurrence", [x, other], attrs)
        else:
            starts = self.f.create("cell.less", [x, other], {}, None, None)
            self.add("cell.segment_cumsum", [x, starts], attrs)

    def sort(self, x: Any) -> None:
        """The sorted elements, for the same reason."""
        if x.dtype == "bool" or not x.shape or 0 in x.shape:
            return
        last = len(x.shape) - 1
        flags = {"dim": last, "descending": self.rng.random() < 0.5}
        order = self.f.create("cell.argsort", [x], flags, None, ("int32", x.shape))
        self.add("cell.gather", [x, order], {"dim": last, "batch_dims": last})

    def indices(self, x: Any) -> tuple[Any, dict[str, Any]] | None:
        """Random positions along a dimension of `x`, a few of them out of range."""
        if 0 in x.shape or not x.shape:
            return None
        dim = self.rng.randrange(len(x.shape))
        batch = self.rng.choice([0, 0, dim])
        own = [self.rng.choice([1, 2, 3, 17]) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        shape = (*x.shape[:batch], *own)
        if count(shape) * count(x.shape[batch:]) > 3 * MAX_ELEMENTS:
            return None
        kind = self.rng.choice("iq")
        numbers = [self.rng.randint(-1, x.shape[dim]) for _ in range(count(shape))]
        data = struct.pack(f"<{len(numbers)}{kind}", *numbers)
        positions = self.f.constant(data, "int32" if kind == "i" else "int64", shape)
        return positions, {"dim": dim, "batch_dims": batch}

    def gather(self, x: Any) -> None:
        if drawn := self.indices(x):
            self.add("cell.gather", [x, drawn[0]], drawn[1])

    def scatter(self, x: Any) -> None:
        """A gather, and its elements put or added at other positions."""
        drawn = self.indices(x)
        if not drawn:
            return
        self.add("cell.gather", [x, drawn[0]], drawn[1])
        combine = self.rng.choice(["add", "set"] if x.dtype != "bool" else ["set"])
        turned = {"dims": list(range(len(drawn[0].shape)))}
        positions = self.f.create("cell.reverse", [drawn[0]], turned, None, None)
        self.add("cell.scatter", [x, positions, self.values[-1]], {**drawn[1], "combine": combine})
