"""Random programs that donate arguments to results which are views of, or computed from, other arguments.

Arguments exchange their places, are cut, turned, mirrored and put together again, into their own memory or
that of others; the same one is read before and after, by results as well, and carried by loops and branches.
Half of the programs may fail as those of failing.py do, and are called in all the ways in which they do: a
call that fails leaves donated bytes as they were, every other one gives the interpreter's bits. Sums are of
small integers, so that their order is open.

    python test/fuzz/donations.py --first=0 --count=300
    python test/fuzz/donations.py --replay=build/fuzz/donations-12.mlir --seed=12
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import regions
from differential import FINDINGS, reduced_by
from failing import Call, Step, Writer, compiled
from generator import BUILD

Pool = dict[str, list[str]]
TARGETS = ("native", "x86-64-v3", "x86-64-v2")
GROUPS = (("4x6x", "6x4x", "24x"), ("6x6x", "6x"))
LEAST, MOST = -4, 4  # what is summed


def sizes(shape: str) -> list[int]:
    return [int(n) for n in shape.split("x") if n]


def options(seed: int) -> dict[str, Any]:
    return {
        "opt_level": 2 if seed % 3 else 0,
        "poison": seed % 2 == 0,
        "target": TARGETS[seed % len(TARGETS)],
    }


class Donations(Writer):
    """Draws one program from a seed."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.fails = self.rng.random() < 0.5
        # Few shapes, so that most values can meet.
        self.shapes = self.rng.choice([*GROUPS, *GROUPS, GROUPS[0] + GROUPS[1]])
        if self.rng.random() < 0.2:
            self.shapes = ("", *self.shapes)

    def program(self) -> str:
        rng = self.rng
        kinds = rng.sample(self.shapes, min(len(self.shapes), rng.choice([1, 1, 2, 3])))
        self.given = [(f"%w{i}", rng.choice(kinds)) for i in range(rng.randint(1, 5))]
        pool = {s: [f"%x{i}"] for i, s in enumerate(self.shapes)}
        for name, shape in self.given:
            pool[shape] += [name] * 2
        for _ in range(rng.randint(0, 10)):
            self.step(pool, depth=0)
        exchange = rng.random() < 0.4
        results = [
            (
                self.exchanged(pool, name, shape) if exchange else self.updated(pool, name, shape),
                shape,
            )
            for name, shape in self.given
        ]
        if len(results) > 1 and rng.random() < 0.2:
            # Two arguments get the same.
            (a, s), (b, t) = (results[i] for i in rng.sample(range(len(results)), 2))
            if s == t:
                results[results.index((b, t))] = (a, s)
        others = [s for s in self.shapes if rng.random() < 0.35]
        results += [(self.value(pool, s), s) for s in others]
        # Which result an argument is donated to is any.
        places = list(range(len(results)))
        rng.shuffle(places)
        results = [results[places.index(i)] for i in range(len(results))]
        args = ["%fail: tensor<i32>", "%n: tensor<i32>"]
        args += [f"%x{i}: tensor<{s}f32>" for i, s in enumerate(self.shapes)]
        args += [
            f"{name}: tensor<{shape}f32> {{cell.donate = {places[i]} : i64}}"
            for i, (name, shape) in enumerate(self.given)
        ]
        types = ", ".join(f"tensor<{s}f32>" for _, s in results)
        self.emit(f"return {', '.join(v for v, _ in results)} : {types}")
        return "\n".join([f"func.func @f({', '.join(args)}) -> ({types}) {{", *self.lines, "}", ""])

    def updated(self, pool: Pool, name: str, shape: str) -> str:
        """What is left in a donated argument."""
        rng = self.rng
        others = [n for n, s in self.given if s == shape]
        ways = [
            lambda: rng.choice(others),
            lambda: self.view(pool, rng.choice(others), shape),
            lambda: self.view(pool, name, shape),
            lambda: self.same(rng.choice(["add", "sub"]), name, rng.choice(others), shape),
            lambda: self.same("sub", self.view(pool, rng.choice(others), shape), name, shape),
            lambda: self.value(pool, shape),
            lambda: pool[shape][-1],
            lambda: self.conditional(pool, name, shape),
            lambda: self.conditional(pool, name, shape),
        ]
        value = rng.choice(ways)()
        if rng.random() < 0.3:
            value = self.view(pool, value, shape)
        pool[shape].append(value)
        return value

    def exchanged(self, pool: Pool, name: str, shape: str) -> str:
        """What another donated argument has been, or something of it, perhaps only in some calls."""
        rng = self.rng
        other = rng.choice([n for n, s in self.given if s == shape and n != name] or [name])
        ways = [
            lambda: other,
            lambda: other,
            lambda: self.conditional(pool, name, shape, other),
            lambda: self.conditional(pool, name, shape, other),
            lambda: self.view(pool, other, shape),
            lambda: self.same(rng.choice(["add", "sub"]), name, other, shape),
        ]
        return rng.choice(ways)()

    def conditional(self, pool: Pool, name: str, shape: str, other: str = "") -> str:
        """A branch that changes `name`, or leaves it, and gives something of it as well."""
        rng, bound = (
            self.rng,
            self.let(f"cell.constant dense<{self.rng.choice([1, 2, 4])}> : tensor<i32>"),
        )
        take = self.let(
            f"tensor.extract {self.let(f'cell.less %n, {bound} : tensor<i32>')}[] : tensor<i1>"
        )
        others = [s for n, s in self.given if n != name and rng.random() < 0.4]
        others += [s for s in self.shapes if rng.random() < 0.2]
        types = [f"tensor<{s}f32>" for s in [shape, *others]]
        self.names += 1
        result = f"%v{self.names}"
        self.emit(regions.branch(result, take, types))
        for way in range(2):
            inner = {s: list(v) for s, v in pool.items()}
            for _ in range(rng.randint(0, 2)):
                self.step(inner, depth=2)
            source = other or self.value(inner, shape)
            mine = rng.choice([name, source, self.view(inner, source, shape)])
            given = [mine, *(self.value(inner, s) for s in others)]
            self.emit(regions.give(given, types))
            self.emit("} else {" if way == 0 else "}")
        for i, other in enumerate(others):
            pool[other].append(f"{result}#{i + 1}")
        if others and rng.random() < 0.5:  # read afterwards
            i = rng.randrange(len(others))
            pool[others[i]].append(self.view(pool, f"{result}#{i + 1}", others[i]))
        return f"{result}#0"

    # --- steps --------------------------------------------------------------------------------

    def steps(self, depth: int) -> dict[Step, int]:
        steps: dict[Step, int] = {
            self.compute: 5,
            self.viewed: 8,
            self.scatter: 2,
            self.product: 2,
            self.total: 2,
            self.chosen: 1,
        }
        if depth < 2:
            steps |= {self.counted: 2, self.branch: 2}
        if self.fails:
            steps |= {self.check: 3, self.print: 1}
            if depth < 2:
                steps[self.open] = 2
        return steps

    def value(self, pool: Pool, shape: str) -> str:
        donated = [n for n, s in self.given if s == shape]
        if donated and self.rng.random() < 0.35:
            return self.rng.choice(donated)
        return super().value(pool, shape)

    def same(self, op: str, a: str, b: str, shape: str) -> str:
        return self.let(f"cell.{op} {a}, {b} : tensor<{shape}f32>")

    def viewed(self, pool: Pool, depth: int, trip: str | None) -> None:
        shape = self.rng.choice(self.shapes)
        pool[shape].append(self.view(pool, self.value(pool, shape), shape))

    def view(self, pool: Pool, x: str, shape: str) -> str:
        """Elements of `x`, a tensor of `shape`, and perhaps of others, in another order."""
        rng, dims = self.rng, sizes(shape)
        if not dims:
            return x
        ways = [self.mirrored, self.rolled, self.put, self.gathered]
        if len(dims) == 2:
            ways += [self.turned, self.turned]
            ways.append(self.spread)
        if shape in ("24x", "4x6x", "6x4x"):
            ways.append(self.reshaped)
        return rng.choice(ways)(pool, x, shape)

    def mirrored(self, pool: Pool, x: str, shape: str) -> str:
        dims = range(len(sizes(shape)))
        over = self.rng.sample(dims, self.rng.randint(1, len(dims)))
        return self.let(f"cell.reverse {x} over {sorted(over)} : tensor<{shape}f32>")

    def slice(self, x: str, shape: str, dim: int, start: int, limit: int) -> tuple[str, str]:
        """A part of `x`, and its shape."""
        dims = sizes(shape)
        starts = [start if d == dim else 0 for d in range(len(dims))]
        limits = [limit if d == dim else n for d, n in enumerate(dims)]
        part = "".join(f"{b - a}x" for a, b in zip(starts, limits, strict=True))
        says = f"cell.slice {x} from {starts} to {limits} by {[1] * len(dims)}"
        return self.let(f"{says} : tensor<{shape}f32> -> tensor<{part}f32>"), part

    def concat(self, parts: list[tuple[str, str]], dim: int, shape: str) -> str:
        names = ", ".join(p for p, _ in parts)
        types = ", ".join(f"tensor<{s}f32>" for _, s in parts)
        return self.let(f"cell.concat {names} dim {dim} : ({types}) -> tensor<{shape}f32>")

    def rolled(self, pool: Pool, x: str, shape: str) -> str:
        dim = self.rng.randrange(len(sizes(shape)))
        size = sizes(shape)[dim]
        at = self.rng.randint(1, size - 1)
        second = x if self.rng.random() < 0.6 else self.value(pool, shape)
        parts = [self.slice(x, shape, dim, at, size), self.slice(second, shape, dim, 0, at)]
        return self.concat(parts, dim, shape)

    def put(self, pool: Pool, x: str, shape: str) -> str:
        """`x` with a part of another tensor, or of itself, in its place or another one."""
        rng = self.rng
        dim = rng.randrange(len(sizes(shape)))
        size = sizes(shape)[dim]
        start = rng.randint(0, size - 1)
        limit = rng.randint(start + 1, size)
        other = x if rng.random() < 0.4 else self.value(pool, shape)
        source = start if rng.random() < 0.5 else rng.randint(0, size - (limit - start))
        part = self.slice(other, shape, dim, source, source + limit - start)
        if rng.random() < 0.3:
            part = (self.same("add", part[0], part[0], part[1]), part[1])
        parts = [self.slice(x, shape, dim, 0, start)] if start else []
        parts.append(part)
        parts += [self.slice(x, shape, dim, limit, size)] if limit < size else []
        return self.concat(parts, dim, shape)

    def gathered(self, pool: Pool, x: str, shape: str) -> str:
        """Rows or columns in another order, or some of them more than once."""
        rng = self.rng
        dim = rng.randrange(len(sizes(shape)))
        size = sizes(shape)[dim]
        rows = list(range(size))
        rng.shuffle(rows)
        if rng.random() < 0.3:
            rows = [rng.randrange(size) for _ in rows]
        at = self.let(f"cell.constant dense<{rows}> : tensor<{size}xi32>")
        types = f"tensor<{shape}f32>, tensor<{size}xi32> -> tensor<{shape}f32>"
        return self.let(f"cell.gather {x} at {at} dim {dim} : {types}")

    def turned(self, pool: Pool, x: str, shape: str) -> str:
        """The transpose, of another tensor where it would have another shape."""
        a, b = sizes(shape)
        other = f"{b}x{a}x"
        source = x if a == b else self.value(pool, other)
        return self.let(
            f"cell.transpose {source} perm [1, 0] : tensor<{other}f32> -> tensor<{shape}f32>"
        )

    def reshaped(self, pool: Pool, x: str, shape: str) -> str:
        other = self.rng.choice([s for s in ("24x", "4x6x", "6x4x") if s != shape])
        source = self.value(pool, other)
        return self.let(f"cell.reshape {source} : tensor<{other}f32> -> tensor<{shape}f32>")

    def spread(self, pool: Pool, x: str, shape: str) -> str:
        """A row or column, of `x` as well, for all of them."""
        dims = sizes(shape)
        dim = self.rng.choice([d for d in range(2) if dims[1 - d] == 6])
        at = self.rng.randrange(dims[dim])
        part, kind = self.slice(x, shape, dim, at, at + 1)
        row = self.let(f"cell.reshape {part} : tensor<{kind}f32> -> tensor<6xf32>")
        wide = self.let(f"cell.broadcast {row} along [{dim}] : tensor<6xf32> -> tensor<{shape}f32>")
        return self.same(self.rng.choice(["add", "sub", "maximum"]), wide, x, shape)

    def scatter(self, pool: Pool, depth: int, trip: str | None) -> None:
        """Rows or columns of one tensor in, or added to, those of another."""
        rng = self.rng
        shape = rng.choice([s for s in self.shapes if s])
        dim = rng.randrange(len(sizes(shape)))
        size = sizes(shape)[dim]
        n = rng.choice([1, 1, 2, 3])
        start = rng.randint(0, size - n)
        new, part = self.slice(self.value(pool, shape), shape, dim, start, start + n)
        kind = rng.choice(["set", "add"])
        # What is set twice is open.
        at = rng.sample(range(size), n) if kind == "set" else [rng.randrange(size)] * n
        index, places = self.let(f"cell.constant dense<{at}> : tensor<{n}xi32>"), f"tensor<{n}xi32>"
        if n == 1 and rng.random() < 0.7:  # one place, which may be known or not
            index = (
                "%n"
                if rng.random() < 0.3
                else self.let(f"cell.constant dense<{at[0]}> : tensor<i32>")
            )
            row = "".join(f"{m}x" for d, m in enumerate(sizes(shape)) if d != dim)
            new = self.let(f"cell.reshape {new} : tensor<{part}f32> -> tensor<{row}f32>")
            part, places = row, "tensor<i32>"
        into = self.value(pool, shape)
        types = f"tensor<{part}f32>, tensor<{shape}f32>, {places}"
        if kind == "add":
            into = self.small(into, shape)
            new = self.small(new, part)
        says = f'cell.scatter "{kind}" {new} into {into} at {index} dim {dim} : {types}'
        pool[shape].append(self.let(says))
        if self.fails and rng.random() < 0.5:
            self.check(pool, depth, trip)

    def small(self, x: str, shape: str) -> str:
        """`x` between bounds, so that sums are exact."""
        most, least = (
            self.let(f"cell.constant dense<{n}.0> : tensor<{shape}f32>") for n in (MOST, LEAST)
        )
        return self.same("maximum", self.same("minimum", x, most, shape), least, shape)

    def product(self, pool: Pool, depth: int, trip: str | None) -> None:
        rng = self.rng
        a, b = rng.random() < 0.4, rng.random() < 0.4
        columns = [s for s in self.shapes if len(sizes(s)) == 2]
        left = rng.choice(columns)
        m, k = reversed(sizes(left)) if a else sizes(left)
        fitting = [s for s in columns if sizes(s)[1 if b else 0] == k]
        if not fitting:
            return
        right = rng.choice(fitting)
        n = sizes(right)[0 if b else 1]
        made = f"{m}x{n}x"
        x, y = (self.small(self.value(pool, s), s) for s in (left, right))
        flags = f"{{transpose_a = {str(a).lower()}, transpose_b = {str(b).lower()}}}"
        types = f"(tensor<{left}f32>, tensor<{right}f32>) -> tensor<{made}f32>"
        value = self.let(f"cell.matmul {x}, {y} {flags} : {types}")
        if made in pool:
            pool[made].append(value)
            if rng.random() < 0.4:
                pool[made].append(self.same("add", self.value(pool, made), value, made))

    def total(self, pool: Pool, depth: int, trip: str | None) -> None:
        shape = self.rng.choice([s for s in self.shapes if s])
        dims = list(range(len(sizes(shape))))
        if len(dims) == 2 and self.rng.random() < 0.7:
            dims = [self.rng.randrange(2)]
        made = "".join(f"{n}x" for d, n in enumerate(sizes(shape)) if d not in dims)
        x = self.small(self.value(pool, shape), shape)
        types = f"tensor<{shape}f32> -> tensor<{made}f32>"
        value, given = self.let(f"cell.reduce_sum {x} over {dims} : {types}"), f"tensor<{made}f32>"
        wide = self.let(f"cell.broadcast {value} along {dims} : {given} -> tensor<{shape}f32>")
        pool[shape].append(self.same("sub", self.value(pool, shape), wide, shape))
        if made in pool:
            pool[made].append(value)

    def chosen(self, pool: Pool, depth: int, trip: str | None) -> None:
        shape = self.rng.choice(self.shapes)
        a, b, c, d = (self.value(pool, shape) for _ in range(4))
        below = self.let(f"cell.less {a}, {b} : tensor<{shape}f32>")
        pool[shape].append(self.let(f"cell.select {below}, {c}, {d} : tensor<{shape}f32>"))


def check_text(text: str, seed: int) -> Counter[int]:
    with tempfile.TemporaryDirectory() as folder:
        return Call(text, compiled(text, folder, options(seed)), seed).all_ways()


def check(seed: int) -> Counter[int]:
    """Checks program `seed`, which is made smaller if it is wrong; how often it ended with each status."""
    text = Donations(seed).program()
    try:
        return check_text(text, seed)
    except FINDINGS as finding:
        command = f"{sys.executable} {Path(__file__).resolve()} --seed={seed}"
        name = type(finding).__name__
        note = reduced_by(command, f"donations-{seed}", text, name, BUILD / "fuzz")
        raise type(finding)(f"donations {seed}: {finding}\n{note}") from None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--replay", type=Path, help="a program to check again: 0 if it fails still")
    parser.add_argument("--seed", type=int, default=0, help="... on these arguments")
    parser.add_argument("--expect", default="", help="... and what is to be found")
    given = parser.parse_args()
    if given.replay:
        try:
            check_text(given.replay.read_text(), given.seed)
        except FINDINGS as finding:
            print(finding)
            return 0 if given.expect in ("", type(finding).__name__) else 1
        return 1
    total, failed = Counter[int](), 0
    for seed in range(given.first, given.first + given.count):
        try:
            total += check(seed)
        except FINDINGS as finding:
            failed += 1
            print(f"{finding}\n", flush=True)
    print(f"{given.count} programs, {failed} findings; calls by status: {dict(total)}")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
