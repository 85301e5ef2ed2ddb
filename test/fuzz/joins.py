"""Random ops on buffers: what `cell-join-ops` computes side by side, and in what order.

A function has fills, copies, maps, small products and loads of arguments and temporaries, of all of them or of a
part. Which elements each touches is worked out here. Two ops that touch the same element, of which one writes
it, must keep their order, and must not be in two items of one kernel. The pass need not see all that is
independent: how many ops it joins is counted.

    python test/fuzz/joins.py --first=1000 --count=2000
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
from dataclasses import dataclass

from generator import BUILD

SIZE, PART = 24, 6
MAPS = "#v = affine_map<(i) -> (i)>\n" + "\n".join(
    f"#{name} = affine_map<(i, j, k) -> ({dims})>"
    for name, dims in (("a", "i, k"), ("b", "k, j"), ("c", "i, j"))
)
DENSE = f"memref<{PART}xf32>"


@dataclass
class Access:
    root: str
    elements: range
    writes: bool


@dataclass
class Place:
    """Where an op is: how many lines are before it, in which kernel, in which item of that."""

    line: int
    kernel: int | None
    item: int


class Function:
    """Ops in a row, and what each of them touches."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.name = f"ops_{seed}"
        self.accesses: list[list[Access]] = []
        self.values = 0
        roots = ["%a", "%b", "%c", "%d"][: self.rng.choice([2, 3, 4])]
        matrices = [f"%m{i}" for i in range(self.rng.choice([0, 3]))]
        arguments = [f"{r}: memref<{SIZE}xf32>" for r in roots]
        arguments += [f"{m}: memref<4x4xf32>" for m in matrices]
        self.lines = [f"func.func @{self.name}({', '.join(arguments)}) {{"]
        self.say("%zero = arith.constant 0.0 : f32")
        self.say("%at = arith.constant 3 : index")
        self.roots, self.matrices = roots, matrices
        for _ in range(self.rng.choice([3, 6, 10])):
            kinds = [self.fill, self.copy, self.map, self.map, self.map, self.load, self.make]
            self.rng.choice(kinds + 2 * [self.product] if matrices else kinds)()
        self.lines += ["  return", "}"]

    def say(self, line: str) -> None:
        self.lines.append("  " + line)

    def fresh(self) -> str:
        self.values += 1
        return f"%v{self.values}"

    def tag(self, *accesses: Access) -> str:
        self.accesses.append(list(accesses))
        return f"tag = {len(self.accesses) - 1}"

    def make(self) -> None:
        """A temporary."""
        name = self.fresh()
        self.say(f"{name} = memref.alloc() : memref<{SIZE}xf32>")
        self.roots.append(name)

    def part(self, writes: bool) -> tuple[str, str, Access]:
        """Some elements of a buffer: its name, its type, and what it touches."""
        root, first = self.rng.choice(self.roots), self.rng.choice([0, 0, 3, 6, 12])
        name = self.fresh()
        kind = f"memref<{PART}xf32, strided<[1], offset: {first}>>"
        self.say(
            f"{name} = memref.subview {root}[{first}] [{PART}] [1] : memref<{SIZE}xf32> to {kind}"
        )
        return name, kind, Access(root, range(first, first + PART), writes)

    def fill(self) -> None:
        name, kind, access = self.part(True)
        self.say(f"linalg.fill {{{self.tag(access)}}} ins(%zero : f32) outs({name} : {kind})")

    def copy(self) -> None:
        source, kind, read = self.part(False)
        target, to, write = self.part(True)
        self.say(f"memref.copy {source}, {target} {{{self.tag(read, write)}}} : {kind} to {to}")

    def map(self) -> None:
        source, kind, read = self.part(False)
        target, to, write = self.part(True)
        self.say(
            f'linalg.generic {{indexing_maps = [#v, #v], iterator_types = ["parallel"]}} ins({source} : {kind}) '
            f"outs({target} : {to}) attrs = {{{self.tag(read, write)}}} {{"
        )
        self.say("^bb0(%x: f32, %y: f32):")
        self.say("  %s = arith.addf %x, %y : f32")
        self.say("  linalg.yield %s : f32\n  }")

    def product(self) -> None:
        a, b, c = (self.rng.choice(self.matrices) for _ in range(3))
        if c in (a, b):
            return
        touched = [Access(m, range(16), m == c) for m in (a, b, c)]
        self.say(
            "linalg.generic {indexing_maps = [#a, #b, #c], "
            'iterator_types = ["parallel", "parallel", "reduction"]} '
            f"ins({a}, {b} : memref<4x4xf32>, memref<4x4xf32>) outs({c} : memref<4x4xf32>) "
            f"attrs = {{{self.tag(*touched)}}} {{"
        )
        self.say("^bb0(%x: f32, %y: f32, %z: f32):")
        self.say("  %p = arith.mulf %x, %y : f32\n  %s = arith.addf %z, %p : f32")
        self.say("  linalg.yield %s : f32\n  }")

    def load(self) -> None:
        root = self.rng.choice(self.roots)
        tag = self.tag(Access(root, range(3, 4), False))
        self.say(f"{self.fresh()} = memref.load {root}[%at] {{{tag}}} : memref<{SIZE}xf32>")

    def depend(self, i: int, j: int) -> bool:
        """True when op `j` must come after op `i`, which is before it."""
        return any(
            (a.writes or b.writes) and a.root == b.root and set(a.elements) & set(b.elements)
            for a in self.accesses[i]
            for b in self.accesses[j]
        )

    def faults(self, places: dict[int, Place]) -> list[str]:
        """What is wrong with where the ops are now."""
        count = len(self.accesses)
        if sorted(places) != list(range(count)):
            return [f"ops {sorted(places)} are left of {count}"]
        found = []
        for j in range(count):
            for i in range(j):
                if not self.depend(i, j):
                    continue
                first, second = places[i], places[j]
                together = first.kernel is not None and first.kernel == second.kernel
                if first.line > second.line:
                    found.append(f"op {j} is before op {i}")
                elif together and first.item != second.item:
                    found.append(f"ops {i} and {j} are in two items")
        return found


def placed(text: str) -> dict[int, Place]:
    """Where each op of a function is, by its tag."""
    places, kernel, item, kernels = {}, None, 0, 0
    for number, line in enumerate(text.splitlines()):
        if line.startswith("    scf.forall"):
            kernel, item = kernels, -1
            kernels += 1
        elif line.startswith("    }"):
            kernel = None if "nanoseconds" in line else kernel
        elif "scf.if" in line:
            item += 1
        if tag := re.search(r"\btag = (\d+)", line):
            assert int(tag[1]) not in places, "an op is there twice"
            places[int(tag[1])] = Place(number, kernel, item)
    return places


def check(seeds: range) -> tuple[int, int, list[str]]:
    """How many ops there are, how many were joined, and the text of functions with what is wrong."""
    functions = [Function(seed) for seed in seeds]
    source = "\n".join([MAPS, *(line for f in functions for line in f.lines)])
    passes = "builtin.module(func.func(cell-join-ops{fewest-nanoseconds=0}))"
    done = subprocess.run(
        [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline={passes}"],
        input=source, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[:2000])
    parts = re.split(r"^  func\.func @(\w+)", done.stdout, flags=re.M)[1:]
    made = dict(zip(parts[::2], parts[1::2], strict=True))
    ops = joined = 0
    wrong = []
    for function in functions:
        places = placed(made[function.name])
        ops += len(function.accesses)
        joined += sum(place.kernel is not None for place in places.values())
        for fault in function.faults(places):
            wrong.append("\n".join([fault, *function.lines]))
    return ops, joined, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    args = parser.parse_args()
    ops, joined, wrong = check(range(args.first, args.first + args.count))
    print(f"{ops} ops, {joined} joined, {len(wrong)} wrong")
    print("\n\n".join(wrong[:3]))
    return len(wrong) > 0


if __name__ == "__main__":
    raise SystemExit(main())
