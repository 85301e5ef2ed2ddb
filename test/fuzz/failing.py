"""Random programs that update donated arguments and may fail: what a call that fails leaves behind.

A program is text: updates of donated arguments, loops of known and unknown length, stashes, branches
and prints, with checks anywhere in them. Which check fails is an argument. A call may also be
cancelled before it starts, in a print, or at any of the places where it looks, and run into a limit of
trips or of what stashes take. Every call that fails must leave all donated bytes as they were; every
other one must give the interpreter's bits. All arithmetic is exact, or rounds once an op.

    python test/fuzz/failing.py --first=0 --count=300
"""

from __future__ import annotations

import argparse
import ctypes
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import guarded
import numpy as np
import regions
from differential import Mismatch

from cellgrad import _native

OK, CANCELLED, TRIPS, STASH, CHECK = 0, 8, 9, 10, 1000
SPAN = 8  # codes of a check, one a trip
# Appends to a program, of the values in sight, the depth of regions and the number of the trip.
Step = Callable[[dict[str, list[str]], int, str | None], None]


class Writer:
    """Draws one program. `pool` has the values in sight by their shapes."""

    shapes: tuple[str, ...] = ("", "3x", "17x", "4x5x")

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.names = 0
        self.checks = 0
        self.prints = 0

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def let(self, text: str) -> str:
        self.names += 1
        self.emit(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def program(self) -> str:
        rng = self.rng
        shapes = [rng.choice(self.shapes) for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.5:
            shapes[-1] = shapes[0]
        args = ["%fail: tensor<i32>", "%n: tensor<i32>"]
        args += [f"%x{i}: tensor<{s}f32>" for i, s in enumerate(self.shapes)]
        args += [f"%w{i}: tensor<{s}f32> {{cell.donate = {i} : i64}}" for i, s in enumerate(shapes)]
        pool = {s: [f"%x{i}"] for i, s in enumerate(self.shapes)}
        for i, shape in enumerate(shapes):
            pool[shape] += [f"%w{i}"] * 2
        current = [f"%w{i}" for i in range(len(shapes))]
        for _ in range(rng.randint(3, 9)):
            self.step(pool, depth=0)
            if rng.random() < 0.6:
                i = rng.randrange(len(shapes))
                current[i] = rng.choice(pool[shapes[i]][-3:])
        results = [*current, *(rng.choice(pool[s]) for s in self.shapes[:2])]
        types = ", ".join(f"tensor<{s}f32>" for s in [*shapes, *self.shapes[:2]])
        self.emit(f"return {', '.join(results)} : {types}")
        return "\n".join([f"func.func @f({', '.join(args)}) -> ({types}) {{", *self.lines, "}", ""])

    # --- steps --------------------------------------------------------------------------------

    def step(self, pool: dict[str, list[str]], depth: int, trip: str | None = None) -> None:
        steps = self.steps(depth)
        draw = self.rng.choices(list(steps), weights=list(steps.values()))[0]
        draw(pool, depth, trip)

    def steps(self, depth: int) -> dict[Step, int]:
        """What may come next, with how often it does."""
        steps: dict[Step, int] = {self.compute: 8, self.check: 4, self.scatter: 3, self.print: 1}
        if depth < 2:
            steps |= {self.counted: 3, self.open: 4, self.branch: 3}
        return steps

    def value(self, pool: dict[str, list[str]], shape: str) -> str:
        return self.rng.choice(pool[shape][-5:])

    def compute(self, pool: dict[str, list[str]], depth: int, trip: str | None) -> None:
        shape = self.rng.choice(self.shapes)
        op = self.rng.choice(["add", "sub", "maximum", "minimum"])
        a, b = self.value(pool, shape), self.value(pool, shape)
        pool[shape].append(self.let(f"cell.{op} {a}, {b} : tensor<{shape}f32>"))

    def scatter(self, pool: dict[str, list[str]], depth: int, trip: str | None) -> None:
        """A part of a tensor is overwritten, in place if it can be."""
        at = ", ".join(str(i) for i in self.rng.sample(range(17), 3))
        at = self.let(f"cell.constant dense<[{at}]> : tensor<3xi32>")
        into, u = self.value(pool, "17x"), self.value(pool, "3x")
        types = "tensor<3xf32>, tensor<17xf32>, tensor<3xi32>"
        pool["17x"].append(self.let(f'cell.scatter "set" {u} into {into} at {at} dim 0 : {types}'))

    def print(self, pool: dict[str, list[str]], depth: int, trip: str | None) -> None:
        self.prints += 1
        shape = self.rng.choice(self.shapes)
        self.emit(f'cell.print "p {{}}" ({self.value(pool, shape)} : tensor<{shape}f32>)')

    def check(self, pool: dict[str, list[str]], depth: int, trip: str | None) -> None:
        code = self.let(f"cell.constant dense<{self.checks * SPAN}> : tensor<i32>")
        if trip:
            code = self.let(f"cell.add {code}, {trip} : tensor<i32>")
        ok = self.let(f"cell.not_equal %fail, {code} : tensor<i32>")
        if self.rng.random() < 0.5:
            # It also reads a value: the greatest element is not below the least.
            shape = self.rng.choice(self.shapes[1:])
            x, dims = self.value(pool, shape), [i for i, _ in enumerate(shape.split("x")[:-1])]
            most, least = (
                self.let(f"cell.reduce_{m} {x} over {dims} : tensor<{shape}f32> -> tensor<f32>")
                for m in ("max", "min")
            )
            below = self.let(f"cell.less {most}, {least} : tensor<f32>")
            never = self.let(f"cell.logical_not {below} : tensor<i1>")
            ok = self.let(f"cell.logical_and {ok}, {never} : tensor<i1>")
        self.emit(f'cell.check {ok} "check {self.checks}" : tensor<i1>')
        self.checks += 1

    def carried(self, pool: dict[str, list[str]]) -> list[tuple[str, str]]:
        shapes = [self.rng.choice(self.shapes) for _ in range(self.rng.randint(1, 3))]
        return [(s, self.value(pool, s)) for s in shapes]

    def types(self, own: list[tuple[str, str]]) -> list[str]:
        return [f"tensor<{shape}f32>" for shape, _ in own]

    def entering(
        self, own: list[tuple[str, str]], start: list[tuple[str, str]]
    ) -> list[tuple[str, str, str]]:
        """What a loop carries: `own`, which starts as `start`."""
        return [(n, v, t) for (_, n), (_, v), t in zip(own, start, self.types(own), strict=True)]

    def body(
        self, pool: dict[str, list[str]], depth: int, trip: str | None, own: list[tuple[str, str]]
    ) -> list[str]:
        """Steps of a nested block, and what it gives for `own`."""
        inner = {s: list(v) for s, v in pool.items()}
        for shape, name in own:
            inner[shape] += [name] * 2
        for _ in range(self.rng.randint(1, 4)):
            self.step(inner, depth + 1, trip)
        return [self.value(inner, shape) for shape, _ in own]

    def counted(self, pool: dict[str, list[str]], depth: int, trip: str | None) -> None:
        """A loop of as many trips as are known, or of %n."""
        bounds = [self.let(f"arith.constant {n} : index") for n in (0, self.rng.randint(1, 4), 1)]
        if self.rng.random() < 0.5:
            number = self.let("tensor.extract %n[] : tensor<i32>")
            bounds[1] = self.let(f"arith.index_cast {number} : i32 to index")
        start = self.carried(pool)
        self.names += 1
        loop = f"%v{self.names}"
        own = [(s, f"{loop}_{i}") for i, (s, _) in enumerate(start)]
        self.emit(regions.counted(loop, f"{loop}_t", bounds, self.entering(own, start)))
        number = self.let(f"arith.index_cast {loop}_t : index to i32")
        inner = self.let(f"tensor.from_elements {number} : tensor<i32>")
        self.emit(regions.give(self.body(pool, depth, inner, own), self.types(own)))
        self.emit("}")
        for i, (shape, _) in enumerate(own):
            pool[shape].append(f"{loop}#{i}")

    def open(self, pool: dict[str, list[str]], depth: int, trip: str | None) -> None:
        """A loop whose length is an argument, perhaps with a stash that another loop reads."""
        rng = self.rng
        start, kept = self.carried(pool), rng.random() < 0.6
        zero = self.let("cell.constant dense<0> : tensor<i32>")
        one = self.let("cell.constant dense<1> : tensor<i32>")
        c0, c1 = (self.let(f"arith.constant {n} : index") for n in (0, 1))
        stash = f"!cell.stash<tensor<{start[0][0]}f32>>"
        empty = self.let(f"cell.stash_empty : {stash}") if kept else ""
        self.names += 1
        loop = f"%v{self.names}"
        own = [(s, f"{loop}_{i}") for i, (s, _) in enumerate(start)]
        typed = [(f"{loop}_k", zero, "tensor<i32>"), (f"{loop}_j", c0, "index")]
        if kept:
            typed.append((f"{loop}_s", empty, stash))
        typed += self.entering(own, start)
        self.emit(regions.unbounded(loop, typed))
        below = self.let(f"cell.less {loop}_k, %n : tensor<i32>")
        go = self.let(f"tensor.extract {below}[] : tensor<i1>")
        self.emit(regions.condition(go, typed))
        self.emit("} do {")
        self.emit(regions.body((n, t) for n, _, t in typed))
        given = [
            self.let(f"cell.add {loop}_k, {one} : tensor<i32>"),
            self.let(f"arith.addi {loop}_j, {c1} : index"),
        ]
        if kept:
            given.append(
                self.let(f"cell.stash_write {own[0][1]} into {loop}_s at {loop}_j : {stash}")
            )
        given += self.body(pool, depth, f"{loop}_k", own)
        self.emit(regions.give(given, [t for _, _, t in typed]))
        self.emit("}")
        for i, (shape, _) in enumerate(own):
            pool[shape].append(f"{loop}#{len(typed) - len(own) + i}")
        if kept:
            self.read_back(pool, loop, start[0][0], stash, c0, c1)

    def read_back(
        self, pool: dict[str, list[str]], loop: str, shape: str, stash: str, c0: str, c1: str
    ) -> None:
        init, kind = self.value(pool, shape), f"tensor<{shape}f32>"
        self.names += 1
        back = f"%v{self.names}"
        carried = [(f"{back}_a", init, kind)]
        self.emit(regions.counted(back, f"{back}_t", [c0, f"{loop}#1", c1], carried))
        read = self.let(f"cell.stash_read {loop}#2 at {back}_t : {stash}")
        total = self.let(f"cell.sub {read}, {back}_a : {kind}")
        self.emit(regions.give([total], [kind]))
        self.emit("}")
        pool[shape].append(back)

    def branch(self, pool: dict[str, list[str]], depth: int, trip: str | None) -> None:
        bound = self.let(f"cell.constant dense<{self.rng.randint(1, 4)}> : tensor<i32>")
        below = self.let(f"cell.less {trip or '%n'}, {bound} : tensor<i32>")
        take = self.let(f"tensor.extract {below}[] : tensor<i1>")
        own = self.carried(pool)
        types = self.types(own)
        self.names += 1
        name = f"%v{self.names}"
        self.emit(regions.branch(name, take, types))
        self.emit(regions.give(self.body(pool, depth, trip, own), types))
        self.emit("} else {")
        other = [v for _, v in own]
        if self.rng.random() < 0.5:
            other = self.body(pool, depth, trip, own)
        self.emit(regions.give(other, types))
        self.emit("}")
        for i, (shape, _) in enumerate(own):
            pool[shape].append(f"{name}#{i}")


# --- calls --------------------------------------------------------------------------------------


# What a program gives for what fails and how many trips loops make: nothing where a check fails.
Expected = dict[tuple[int, int], list[np.ndarray] | None]


def compiled(text: str, folder: str, options: dict[str, Any]) -> Path:
    path = Path(folder) / "failing.so"
    _native.compile_graph(_native.Graph.parse(text), str(path), "failing", options)
    return path


class Call:
    """A program compiled to `path`, the arguments it starts from, and what it must give."""

    def __init__(self, text: str, path: Path, seed: int, expected: Expected | None = None):
        self.text = text
        self.graph = _native.Graph.parse(text)
        self.entry = guarded.Model(path).entry("f")
        rng = np.random.default_rng(seed)
        self.inputs = [
            rng.integers(0, 9, size=spec["shape"]).astype(spec["dtype"])
            for spec in self.entry.spec["args"]
        ]
        self.expected: Expected = {} if expected is None else expected

    def run(
        self, fail: int, trips: int, cancel: int = -1, looks: int | None = None, **limits: Any
    ) -> int:
        """Calls it; the status. `cancel`: the print in which it is cancelled, 0 for the start.
        `looks`: it is ended where it looks for the so-manieth time."""
        given = [np.array(a) for a in self.inputs]
        given[0][...], given[1][...] = fail, trips
        flag, prints = ctypes.c_int32(int(cancel == 0)), [0]

        def hook(record: Any, user: Any) -> None:
            prints[0] += 1
            if prints[0] == cancel:
                flag.value = 1

        if looks is not None:
            flag.value = 1
            left = iter(range(looks))
            limits["on_cancel"] = guarded.ASK(lambda user: next(left, None) is None)
        status, after, results = self.entry.run(
            given, print=guarded.PRINT(hook), cancel=ctypes.pointer(flag), **limits
        )
        what = f"fail={fail} n={trips} cancel={cancel} looks={looks} {limits}: status {status}\n{self.text}"
        if status != OK:
            pairs = zip(after, given, strict=True)
            changed = [i for i, (a, g) in enumerate(pairs) if a.tobytes() != g.tobytes()]
            if changed:
                raise Mismatch(f"arguments {changed} are changed, {what}")
            return status
        expected = self.interpreted(fail, trips)
        if expected is None:
            raise Mismatch(f"a check holds that does not, {what}")
        for i, (g, e) in enumerate(zip(results, expected, strict=True)):
            if not np.array_equal(g, e, equal_nan=True):
                raise Mismatch(f"result {i}: {g} is not {e}, {what}")
        return OK

    def interpreted(self, fail: int, trips: int) -> list[np.ndarray] | None:
        """The interpreter's results, or None where a check fails."""
        if (fail, trips) not in self.expected:
            given = [np.array(a) for a in self.inputs]
            given[0][...], given[1][...] = fail, trips
            try:
                found = _native.interpret(
                    self.graph, "f", [_native.TensorBuffer.from_object(a) for a in given]
                )
                self.expected[fail, trips] = [np.asarray(r) for r in found]
            except Exception as error:
                assert "check" in str(error), error
                self.expected[fail, trips] = None
        return self.expected[fail, trips]

    def all_ways(self) -> Counter[int]:
        """All ways in which the program may end; how often it did with each status."""
        counts = Counter[int]()

        def run(*args: int, **limits: int) -> int:
            status = self.run(*args, **limits)
            counts[min(status, CHECK)] += 1
            return status

        for trips in (0, 3):
            run(-1, trips)
        for code in range(self.text.count("cell.check") * SPAN):
            if code % SPAN < 4:
                run(code, 3)
        run(-1, 3, 0)
        for looks in range(200):
            if run(-1, 3, looks=looks) == OK:
                break
        for cancel in range(1, 2 * self.text.count("cell.print") + 1):
            run(-1, 3, cancel)
        for limit in range(1, 100):
            if run(-1, 3, max_trips=limit) == OK:
                break
        for limit in (1, 64, 128, 192, 512, 1024, 2048, 4096):
            if run(-1, 3, max_stash_bytes=limit) == OK:
                break
        return counts


def check(seed: int) -> Counter[int]:
    """Checks program `seed`; how often it ended with each status."""
    with tempfile.TemporaryDirectory() as folder:
        text = Writer(seed).program()
        return Call(text, compiled(text, folder, {"opt_level": 2}), seed).all_ways()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    total = Counter[int]()
    failed = 0
    for seed in range(options.first, options.first + options.count):
        try:
            total += check(seed)
        except Exception as error:
            failed += 1
            print(f"seed {seed}: {str(error)[:2000]}", flush=True)
    print(f"{options.count} programs, {failed} wrong; calls by status: {dict(total)}")
