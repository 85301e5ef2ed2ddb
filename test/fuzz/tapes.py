"""Random functions whose gradients are taken from a tape, and compiled.

A function is a list of steps on a few values: operations, changes in place, writes to elements and to views, branches,
compiled functions, writes to a Parameter, inner gradients, `vjp`, `jvp`, Jacobians, `vmap`. With `peek` it reads elements of a value, so that it cannot be compiled and a
tape records it; without, the same gradient is compiled. Under `ms.debug.eager` all of these run as
Python as well, each gradient with a tape of its own. All are of first and second order.

    python test/fuzz/tapes.py --first=1000 --count=500
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import Parameter, Tensor, ops

SHAPE = (2, 3)
ONE: dict[str, Callable[[Any], Any]] = {
    "tanh": ops.tanh,
    "sin": ops.sin,
    "square": lambda a: a * a,
    "rows": lambda a: a.sum(axis=1, keepdims=True) + a * 0,
    "turned": lambda a: a.T.reshape(SHAPE),
    "sorted": lambda a: ops.sort(a, 1)[0],
    "part": lambda a: ops.concat((a[:, 1:], a[:, :1]), 1),
    "stopped": lambda a: a + ops.stop_gradient(a),
    "compiled": ms.jit(lambda a: ops.exp(-a * a) * 2),
    "inner": lambda a: ms.grad(lambda b: (b * b * b).sum() / 3)(a),
    "around": lambda a: ms.grad(lambda b: (b * b * a).sum())(
        a
    ),  # reads its own input from around it
    "twice": lambda a: ms.grad(lambda b, c: (b * b * c).sum())(a, a),
    "same": lambda a: a,
    "pulled": lambda a: ms.vjp(lambda b: ops.tanh(b) * b * a, a)[1](a)[0],
    "pushed": lambda a: ms.jvp(lambda b: ops.tanh(b) * b * a, a, a * a)[1],
    "mapped": lambda a: ms.vmap(lambda r: ops.sin(r) * r.sum())(a),
    "jacrev": lambda a: a @ ms.jacrev(lambda r: ops.sin(r) * r.sum())(a[0]),
    "jacfwd": lambda a: a @ ms.jacfwd(lambda r: ops.sin(r) * r.sum())(a[1]),
}
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "sub": lambda a, b: a - 0.5 * b,
    "where": lambda a, b: ops.where(a > b, a, b * 0.5),
    "matmul": lambda a, b: a @ b.T @ a,
}
CHANGES = (
    "add_",
    "element",
    "row",
    "assign",
    "mul_",
    "reads",
    "writes",
    "view",
    "element of a view",
)


class Program:
    """A function of two tensors and a Parameter."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.seed = seed
        self.weight = Parameter(Tensor(np.full(SHAPE, 0.5, np.float64)), name="w")
        self.steps: list[tuple[str, int, int]] = []
        kinds = [*ONE] * 2 + [*TWO] * 4 + [*CHANGES] * 2 + ["if"] * 2
        for i in range(rng.randint(3, 9)):
            self.steps.append((rng.choice(kinds), rng.randrange(3 + i), rng.randrange(3 + i)))
        self.reads = ms.jit(lambda a: ops.tanh(a) * self.weight)
        self.writes = ms.jit(self.move)
        self.peeks = sorted(rng.sample(range(len(self.steps)), 2))

    def __call__(self, x: Any, y: Any, peek: bool = False) -> Any:
        # What is changed in place is not an input: a function that changes its arguments is another matter.
        values = [x * 1.0, y * 1.0, self.weight]
        for i, (kind, a, b) in enumerate(self.steps):
            first, second = values[a], values[b]
            if kind in ONE:
                values.append(ONE[kind](first))
            elif kind in TWO:
                values.append(TWO[kind](first, second))
            elif kind == "if":
                values.append(first * second if first.sum() > second.sum() else first - second)
            else:
                values.append(self.changed(kind, first, second))
            if peek and i in self.peeks:
                values[-1].asnumpy()
        out = values[-1]
        for v in values:
            out = out + v * 0.25
        return (out * out).mean()

    def move(self, a: Any) -> Any:
        before = self.weight * a
        ops.assign(self.weight, self.weight * 0.5 + 0.1)
        return before + self.weight

    def changed(self, kind: str, first: Any, second: Any) -> Any:
        if kind == "assign":
            ops.assign(self.weight, ops.tanh(first) * 0.5)
            return self.weight * second
        if kind in ("reads", "writes"):
            return (self.reads if kind == "reads" else self.writes)(first) * second
        target = first * 1.0
        if kind == "add_":
            target.add_(second)
        elif kind == "mul_":
            target.mul_(second)
        elif kind == "element":
            target[1, 0] = second[0, 2]
        elif kind == "view":
            target[1].mul_(second[0])
        elif kind == "element of a view":
            part = target[:, 1:]
            part[1, 0] = second[0, 0] * 3
        else:
            target[0] = second[1] * 2
        return target

    def gradients(self, peek: bool) -> list[np.ndarray]:
        """By both arguments and the Parameter, and a second derivative by the first argument."""
        rng = np.random.default_rng(self.seed)
        x, y = (Tensor(rng.uniform(-1, 1, SHAPE)) for _ in range(2))
        self.weight.set_data(Tensor(np.full(SHAPE, 0.5, np.float64)))
        f = (lambda x, y: self(x, y, True)) if peek else (lambda x, y: self(x, y))
        by_inputs, by_weight = ms.grad(f, (0, 1), [self.weight])(x, y)
        after = self.weight.asnumpy().copy()
        self.weight.set_data(Tensor(np.full(SHAPE, 0.5, np.float64)))
        second = ms.grad(lambda x, y: (ms.grad(f)(x, y) * y).sum())(x, y)
        return [t.asnumpy() for t in (*by_inputs, *by_weight, second)] + [after]


def eagerly(program: Program) -> list[np.ndarray]:
    """The gradients without anything compiled as a whole."""
    with ms.debug.eager():
        return program.gradients(False)


def differences(
    program: Program, found: list[np.ndarray], compiled: list[np.ndarray], how: str
) -> list[str]:
    """Which gradients are not those that were compiled."""
    names = ("dx", "dy", "dw", "second", "w after")
    return [
        f"seed {program.seed}, {name}: {a} {how}, {b} compiled; {program.steps}"
        for name, a, b in zip(names, found, compiled, strict=True)
        if not np.allclose(a, b, 1e-10, 1e-10, equal_nan=True)
    ]


def check(seeds: range) -> tuple[int, list[str]]:
    """How many programs were compared, and those that differ. A tape may give up; then nothing is compared."""
    wrong = []
    compared = 0
    before = ms.get_context("mode")
    try:
        ms.set_context(mode=ms.PYNATIVE_MODE)
        for seed in seeds:
            program = Program(seed)
            compiled = program.gradients(False)
            wrong += differences(program, eagerly(program), compiled, "as Python")
            try:
                taped = program.gradients(True)
            except TypeError as e:
                if not any(w in str(e) for w in ("not known while compiling", "would freeze")):
                    raise
                continue
            compared += 1
            wrong += differences(program, taped, compiled, "on the tape")
    finally:
        ms.set_context(mode=before)
    return compared, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    count, found = check(range(given.first, given.first + given.count))
    said = f"{given.count} programs, {count} compared, {len(found)} differences"
    print(*found, said, sep="\n")
