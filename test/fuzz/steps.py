"""Random loops over buffers: which of them `cell-parallelize-loops` may make items of.

A loop has loads and stores, copies and fills of slices at offsets that are constant, grow or shrink with the
step, or go with an inner loop; of arguments, of buffers made before the loop or in it, in several shapes.
What each step touches is worked out here, element by element. A loop that the pass takes for independent
while a step touches what another one writes is a wrong number in the making, whatever the order of the steps
happens to be on some day. The pass need not see all that are independent: how many it sees is counted.

    python test/fuzz/steps.py --first=1000 --count=2000
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from generator import BUILD

Step = tuple[int, int]
"""The variables of the outer and of the inner loop."""


@dataclass
class Index:
    """outer * i + inner * j + constant"""

    outer: int = 0
    inner: int = 0
    constant: int = 0

    def at(self, step: Step) -> int:
        return self.outer * step[0] + self.inner * step[1] + self.constant

    @property
    def fixed(self) -> bool:
        return self.outer == self.inner == 0


@dataclass
class View:
    """A buffer, or a part of one: its text, and the elements of the root in it."""

    name: str
    root: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int | None  # None: known when it runs
    source: View | None = None
    offsets: list[Index] = field(default_factory=list)
    sizes: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()

    @property
    def type(self) -> str:
        size = "x".join(map(str, self.shape))
        dense = tuple(int(np.prod(self.shape[d + 1 :])) for d in range(len(self.shape)))
        if self.offset == 0 and self.strides == dense:
            return f"memref<{size}xf32>"
        offset = (
            "" if self.offset == 0 else f", offset: {'?' if self.offset is None else self.offset}"
        )
        return f"memref<{size}xf32, strided<[{', '.join(map(str, self.strides))}]{offset}>>"

    def elements(self, step: Step) -> np.ndarray:
        """The positions in the root; raises IndexError where they are outside."""
        if self.source is None:
            return np.arange(int(np.prod(self.shape))).reshape(self.shape)
        whole = self.source.elements(step)
        if not self.sizes:
            return whole.reshape(self.shape)
        cuts = []
        for d, index in enumerate(self.offsets):
            first = index.at(step)
            last = first + (self.sizes[d] - 1) * self.steps[d]
            if first < 0 or last >= whole.shape[d]:
                raise IndexError
            cuts.append(slice(first, last + 1, self.steps[d]))
        return whole[tuple(cuts)]


@dataclass
class Access:
    step: Step
    in_inner: bool
    root: str
    elements: frozenset[int]
    writes: bool


class Loop:
    """One function with a loop, perhaps another loop in it, and what its steps touch."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.accesses: list[Access] = []
        self.views: dict[str, list[View]] = {}
        self.indices: list[Index] = []
        self.count = 0
        self.indent = 2
        self.in_inner = False
        self.name = f"loop_{seed}"
        self.write()

    # --- text ---------------------------------------------------------------------------------

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def say(self, line: str) -> None:
        self.lines.append(" " * self.indent + line)

    def root(self, name: str) -> None:
        shape = self.rng.choice([(12, 8), (24, 4), (6, 4, 4), (40,), (96,)])
        dense = tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))
        self.views[name] = [View(name, name, shape, dense, 0)]

    def value(self, index: Index) -> str:
        """Text that makes the index from the loops' variables."""
        if index.fixed:
            name = self.fresh()
            self.say(f"{name} = arith.constant {index.constant} : index")
            return name
        if index == Index(1):
            return "%i"
        name = self.fresh()
        if index.outer == -1 and index.inner == 0 and self.rng.random() < 0.7:
            start = self.fresh()
            self.say(f"{start} = arith.constant {index.constant} : index")
            self.say(f"{name} = arith.subi {start}, %i : index")
            return name
        used = [(index.outer, "%i"), (index.inner, "%j")]
        terms = [f"d{n} * {factor}" for n, (factor, _) in enumerate(u for u in used if u[0])]
        names = [variable for factor, variable in used if factor]
        dims = ", ".join(f"d{n}" for n in range(len(names)))
        text = " + ".join(terms) + f" + {index.constant}"
        self.say(f"{name} = affine.apply affine_map<({dims}) -> ({text})>({', '.join(names)})")
        return name

    def index(self, extent: int, size: int) -> Index:
        rng = self.rng
        # The same index of another view, or of another dimension, is not the same place.
        again = [index for index in self.indices if not index.inner or self.in_inner]
        if again and self.indent > 2 and rng.random() < 0.4:
            return rng.choice(again)
        kind = rng.random()
        outer = inner = 0
        if self.indent > 2 and kind < 0.55 and extent >= self.trips:
            outer = rng.choice([1, 1, 1, -1, size, 2])
        if self.in_inner and rng.random() < 0.4:
            inner = rng.choice([1, 1, size, -1])
        low = min(outer * i for i in self.outer) + min(inner * j for j in range(self.inner))
        # A step down and a step up from one place are easily taken for each other.
        last = max(self.outer)
        index = Index(outer, inner, rng.choice([-low, -low, -low, -low + 1, max(last, -low)]))
        if outer:
            self.indices.append(index)
        return index

    def slice_of(self, view: View) -> View:
        rng = self.rng
        sizes, steps, offsets = [], [], []
        for extent in view.shape:
            size = rng.choice([1, 1, 2, 3, extent])
            step = rng.choice([1, 1, 1, 2])
            sizes.append(min(size, extent))
            steps.append(step if (sizes[-1] - 1) * step < extent else 1)
            offsets.append(self.index(extent, (sizes[-1] - 1) * steps[-1] + 1))
        strides = tuple(a * b for a, b in zip(view.strides, steps, strict=True))
        offset = view.offset
        for index, stride in zip(offsets, view.strides, strict=True):
            offset = None if offset is None or not index.fixed else offset + index.constant * stride
        part = View(
            "", view.root, tuple(sizes), strides, offset, view, offsets, tuple(sizes), tuple(steps)
        )
        for step in self.steps:  # before any text is written
            part.elements(step)
        part.name = self.fresh()
        texts = [str(o.constant) if o.fixed else self.value(o) for o in offsets]
        self.say(
            f"{part.name} = memref.subview {view.name}[{', '.join(texts)}] [{', '.join(map(str, sizes))}]"
            f" [{', '.join(map(str, steps))}] : {view.type} to {part.type}"
        )
        return part

    def flat(self, view: View) -> View:
        part = View(self.fresh(), view.root, (int(np.prod(view.shape)),), (1,), 0, view)
        groups = ", ".join(map(str, range(len(view.shape))))
        self.say(
            f"{part.name} = memref.collapse_shape {view.name} [[{groups}]] : {view.type} into {part.type}"
        )
        return part

    def view(self) -> View:
        """A buffer or a view, or a new slice of one."""
        rng = self.rng
        made = self.views[rng.choice(list(self.views))]
        view = made[0] if rng.random() < 0.5 else rng.choice(made)
        if view.source is None and len(view.shape) > 1 and rng.random() < 0.3:
            view = self.flat(view)
        if rng.random() < 0.15:
            return view
        for _ in range(4):
            try:
                view = self.slice_of(view)
            except IndexError:
                continue
            made.append(view)
            break
        return view

    # --- what is touched ----------------------------------------------------------------------

    @property
    def steps(self) -> list[Step]:
        return [(i, j) for i in self.outer for j in (range(self.inner) if self.in_inner else (0,))]

    def touch(self, view: View, writes: bool, at: list[Index] | None = None) -> None:
        for step in self.steps:
            elements = view.elements(step)
            if at is not None:
                position = tuple(index.at(step) for index in at)
                if min(position) < 0:
                    raise IndexError
                elements = elements[position]
            found = frozenset(np.ravel(elements).tolist())
            self.accesses.append(Access(step, self.in_inner, view.root, found, writes))

    # --- statements ---------------------------------------------------------------------------

    def element(self) -> None:
        view = self.view()
        at = [self.index(extent, 1) for extent in view.shape]
        before = len(self.accesses)
        writes = self.rng.random() < 0.5
        try:
            self.touch(view, writes, at)
        except IndexError:
            del self.accesses[before:]
            return
        texts = ", ".join(self.value(index) for index in at)
        if writes:
            self.say(f"memref.store %c, {view.name}[{texts}] : {view.type}")
        else:
            self.say(f"{self.fresh()} = memref.load {view.name}[{texts}] : {view.type}")

    def fill(self) -> None:
        view = self.view()
        self.touch(view, writes=True)
        self.say(f"linalg.fill ins(%c : f32) outs({view.name} : {view.type})")

    def transfer(self) -> None:
        source, target = self.view(), self.view()
        if source.shape != target.shape:
            temporary = self.fresh()
            size = "x".join(map(str, source.shape))
            self.say(f"{temporary} = memref.alloc() : memref<{size}xf32>")
            self.touch(source, writes=False)
            self.say(
                f"memref.copy {source.name}, {temporary} : {source.type} to memref<{size}xf32>"
            )
            return
        self.touch(source, writes=False)
        self.touch(target, writes=True)
        if self.rng.random() < 0.5:
            self.say(f"memref.copy {source.name}, {target.name} : {source.type} to {target.type}")
            return
        dims = ", ".join(f"d{d}" for d in range(len(source.shape)))
        kinds = ", ".join(['"parallel"'] * len(source.shape))
        each = f"affine_map<({dims}) -> ({dims})>"
        self.say(f"linalg.generic {{indexing_maps = [{each}, {each}], iterator_types = [{kinds}]}}")
        self.say(f"    ins({source.name} : {source.type}) outs({target.name} : {target.type}) {{")
        self.say("^bb0(%x: f32, %y: f32):")
        self.say("  linalg.yield %x : f32")
        self.say("}")

    def statements(self, most: int) -> None:
        for _ in range(self.rng.randint(1, most)):
            self.rng.choice([self.element, self.fill, self.transfer, self.transfer])()

    def write(self) -> None:
        rng = self.rng
        start, step = rng.choice([0, 0, 0, 1, 2]), rng.choice([1, 1, 1, 2, 3])
        self.trips = rng.choice([2, 3, 4, 5])
        stop = start + self.trips * step - rng.randrange(step)
        self.outer = range(start, stop, step)
        self.inner = rng.choice([2, 3])
        for name in ("%a", "%b")[: rng.choice([1, 1, 2])]:
            self.root(name)
        arguments = ", ".join(f"{name}: {views[0].type}" for name, views in self.views.items())
        self.lines = [f"func.func @{self.name}({arguments}) {{"]
        self.say("%c = arith.constant 1.0 : f32")
        for name, value in (("from", start), ("to", stop), ("by", step), ("zero", 0), ("one", 1)):
            self.say(f"%{name} = arith.constant {value} : index")
        self.say(f"%last = arith.constant {self.inner} : index")
        if rng.random() < 0.4:
            self.root("%o")
            self.say(f"%o = memref.alloc() : {self.views['%o'][0].type}")
        self.shared = set(self.views)
        if rng.random() < 0.3:
            self.view(), self.view()
        self.say("scf.for %i = %from to %to step %by {")
        self.indent = 4
        if rng.random() < 0.4:
            self.root("%n")
            self.say(f"%n = memref.alloc() : {self.views['%n'][0].type}")
        self.statements(2)
        if rng.random() < 0.4:
            self.in_inner = True
            self.say("scf.for %j = %zero to %last step %one {")
            self.indent = 6
            before = {name: list(views) for name, views in self.views.items()}
            self.statements(3)
            self.views = before
            self.indent = 4
            self.say("}")
            self.in_inner = False
        self.indent = 2
        self.say("}")
        self.lines += ["  return", "}"]

    # --- what is right ------------------------------------------------------------------------

    def apart(self, inner: bool) -> bool:
        """Whether no step touches what another one writes; of the inner loop, for each outer step."""
        touched: dict[tuple[int, str, int], tuple[set[int], bool]] = defaultdict(
            lambda: (set(), False)
        )
        for access in self.accesses:
            if (inner and not access.in_inner) or (not inner and access.root not in self.shared):
                continue
            around, mine = access.step if inner else (0, access.step[0])
            for element in access.elements:
                key = (around, access.root, element)
                steps, writes = touched[key]
                steps.add(mine)
                touched[key] = (steps, writes or access.writes)
        return all(len(steps) < 2 or not writes for steps, writes in touched.values())


def items(loops: list[Loop]) -> dict[str, str]:
    """By name of the function: what the pass made of it."""
    text = "\n".join(line for loop in loops for line in loop.lines)
    passes = "builtin.module(func.func(cell-parallelize-loops{fewest-nanoseconds=0}))"
    done = subprocess.run(
        [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline={passes}"],
        input=text, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[:2000])
    parts = re.split(r"^  func\.func @(\w+)", done.stdout, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@dataclass
class Counts:
    loops: int = 0
    apart: int = 0
    taken: int = 0
    inner: int = 0


def check(seeds: range) -> tuple[Counts, list[str]]:
    """How many loops there are, and the text of those that were taken wrongly."""
    counts, wrong = Counts(), []
    loops = [Loop(seed) for seed in seeds]
    made = items(loops)
    for loop in loops:
        lines = made[loop.name].splitlines()
        outer = any(line.startswith("    scf.forall") for line in lines)
        inner = any(line.startswith("      scf.forall") for line in lines)
        apart = loop.apart(inner=False)
        counts.loops += 1
        counts.apart += apart
        counts.taken += outer
        counts.inner += inner
        if (outer and not apart) or (inner and not loop.apart(inner=True)):
            wrong.append("\n".join(loop.lines))
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    args = parser.parse_args()
    counts, wrong = check(range(args.first, args.first + args.count))
    print(
        f"{counts.loops} loops, {counts.apart} independent, {counts.taken} made items,"
        f" {counts.inner} inner ones, {len(wrong)} wrong"
    )
    print("\n\n".join(wrong[:5]))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    raise SystemExit(main())
