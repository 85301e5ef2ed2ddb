"""Random programs of a few names for a few tensors, compiled against Python.

Names are bound to tensors of other names, to new ones and to views, and elements are assigned, in branches and loops on
tensors: which names are one tensor is known at run time only. What is compiled gives what Python gives, operation by
operation, or says that a tensor is read after the same one was written under another name; how often it says so is counted.

    python test/fuzz/names.py --first=1000 --count=500
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import tempfile
from pathlib import Path
from typing import Any

import cellgrad as ms
from cellgrad import Tensor

NAMES = ("a", "b", "c")
SAID = ("one way of a branch or loop", "has changed since the part was read")


class Program:
    """The text of a function of three tensors and a number of trips."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines = ["def f(a, b, c, n):", "    a, b, c = a * 1, b * 1, c * 1"]
        self.block(1, self.rng.randint(3, 6))
        kept = self.rng.sample(NAMES, self.rng.randint(1, 3))
        self.lines.append(
            f"    return {' + '.join(f'{i + 1} * {name}' for i, name in enumerate(kept))}"
        )
        self.text = "\n".join(self.lines) + "\n"

    def block(self, depth: int, count: int) -> None:
        for _ in range(count):
            self.statement(depth)

    def condition(self) -> str:
        a, b = self.rng.choices(NAMES, k=2)
        some = (f"n > {self.rng.randrange(3)}", f"{a}[0] > {b}[1]", f"{a}.sum() > {b}.sum() + 1")
        return self.rng.choice(some)

    def statement(self, depth: int) -> None:
        rng, pad = self.rng, "    " * depth
        a, b = rng.choices(NAMES, k=2)
        i, j = rng.randrange(3), rng.randrange(3)
        kind = rng.randrange(14 if depth < 3 else 10)
        if kind < 2:
            text = f"{a} = {b}"
        elif kind < 4:
            text = f"{a} = {b} * {rng.choice(('0.5', '2', '1'))} + {rng.choice(NAMES)}[{i}]"
        elif kind < 7:
            text = f"{a}[{i}] = {b}[{j}] + {rng.randint(1, 4)}"
        elif kind == 7:
            text = f"{a}[{i}:] += {b}[{j}] * 0.5"
        elif kind == 8:
            text = f"{a} = {b} if {self.condition()} else {rng.choice(NAMES)} * 0.5"
        elif kind == 9:
            text = f"{a}.add_({b} * 0.25)"
        elif kind < 12:
            self.lines.append(f"{pad}if {self.condition()}:")
            self.block(depth + 1, rng.randint(1, 2))
            if rng.random() < 0.5:
                self.lines.append(f"{pad}else:")
                self.block(depth + 1, rng.randint(1, 2))
            return
        else:
            self.lines.append(f"{pad}for k{depth} in range(n):")
            self.block(depth + 1, rng.randint(1, 3))
            if rng.random() < 0.3:
                self.lines += [f"{pad}    if {self.condition()}:", f"{pad}        break"]
            return
        self.lines.append(pad + text)


def loaded(text: str, folder: str, seed: int) -> Any:
    path = Path(folder) / f"names_{seed}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def check(seeds: range) -> tuple[int, list[str]]:
    """How many programs were compiled, and those that give other numbers. All are exact."""
    compiled, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            text = Program(seed).text
            f = loaded(text, folder, seed)
            fast = ms.jit(f)
            for n in (0, 2, 3):
                rng = random.Random(seed)
                given = [
                    Tensor([float(rng.randint(-4, 4)) for _ in range(3)], ms.float64) for _ in NAMES
                ]
                wanted = f(*given, Tensor(n)).asnumpy().tolist()
                try:
                    got = fast(*given, Tensor(n)).asnumpy().tolist()
                except TypeError as e:
                    if not any(said in str(e) for said in SAID):
                        raise
                    break
                if got != wanted:
                    wrong.append(f"seed {seed}, n = {n}: {got}, in Python {wanted}\n{text}")
            else:
                compiled += 1
    return compiled, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    count, found = check(range(options.first, options.first + options.count))
    print(*found, f"{options.count} programs, {count} compiled, {len(found)} differences", sep="\n")
