"""Checks random programs: compiled against interpreted, and derivatives against each other.

Forward: the compiled results equal the interpreter's, which shares nothing with the lowering, at
optimisation level 2 and, with temporaries poisoned where they are not needed, at another one. How far they may differ is measured, not guessed: the
interpreter also runs with arguments and with results of ops that are perturbed by a few units in the
last place (of constants as well: nobody knows the sine of a rounded exp(60)), and an element may move
by a multiple of what it moved then. Where the perturbation makes elements finite or not finite,
those of the result that are finite in all runs are compared.

One more thing is open: adjoints of strided convolutions are convolutions of a cotangent with zeros
between its elements, and compiled code does not multiply those. Where the interpreter has 0 times NaN
and compiled code a number, that number is compared with what the interpreter has without them.

Derivatives: with J the Jacobian of a program and H the Hessian of <c, f>,
<J t, c> = <t, J'c> (forward against reverse mode) and <H t, u> = <H u, t>, <H t, u> taken once as
jvp of vjp and once as vjp of vjp. No finite differences, so the tolerance is that of a sum. The
compiled J t, J'c and both H t of small programs also equal the interpreter's, as above, at one level.

A program that fails is written to build/fuzz, and made smaller by cell-reduce as long as it fails in
the same way:

    python test/fuzz/differential.py --first=1000 --count=500 [--check=forward]
    python test/fuzz/differential.py --replay=build/fuzz/forward-1234.mlir --check=forward --seed=1234
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import guarded
import numpy as np
from generator import BUILD, Generator, Program, count, records

from cellgrad import _native

SMALL = 2000  # elements of the arguments, of what is differentiated by the interpreter
SECONDS = 20  # that a smaller program may take
LEVELS = (0, 1, 3)  # besides 2; 3 is slow: forward only
ULPS = {"float32": 1e-6, "float64": 1e-13}
ROUNDING = {"float32": 2.0**-21, "float64": 2.0**-50}  # of an op: 4 units in the last place
NAMES = {"g": "vjp", "j": "jvp", "h": "jvp of vjp", "k": "vjp of vjp"}
# A rule of a call that is a VJP: forward mode is refused.
BACKWARD = re.compile(r"cell\.custom .* vjp @")
FLOOR = {"float32": 1e-5, "float64": 1e-11}


class Mismatch(AssertionError):
    """A program whose results differ; the text of its graph is in the message."""


def buffers(arrays: list[np.ndarray]) -> list[Any]:
    return [_native.TensorBuffer.from_object(np.array(a, order="C")) for a in arrays]


def arrays(results: list[Any]) -> list[np.ndarray]:
    return [np.asarray(r) for r in results]


def compiled(graph: Any, folder: Path, level: int, poison: bool) -> guarded.Model:
    """With `poison`, memory that is shared where it is needed gives NaN, and kernels are formed of
    ops of any size.
    """
    path = folder / "fuzz.so"
    options = {"opt_level": level, "poison": poison}
    if poison:
        options["kernel_bytes"] = 1 << (level % 3 * 4)
    _native.compile_graph(graph, str(path), "fuzz", options)
    return guarded.Model(path)


def entry(
    program: Program, name: str, extra: list[tuple[int, ...]], donated: dict[int, int] | None = None
) -> tuple[Any, list[Any]]:
    """A new public function of the program's arguments and `extra` ones; `donated` says which
    arguments hold which results after a call."""
    shapes, to = [*program.arguments, *extra], donated or {}
    args = [(program.dtype, s, f"a{i}", "input", to.get(i), None) for i, s in enumerate(shapes)]
    f = program.graph.function(name, args, public=True)
    return f, list(f.args)


def forward_program(seed: int, table: Any) -> Program:
    return Generator(seed, "float32" if seed % 4 else "float64", table).program()


def smooth_program(seed: int, table: Any) -> Program:
    smooth = [r for r in table if r["derivative"] != "none"]
    return Generator(seed, "float64", smooth, empty=False).program()


def check_forward(program: Program, seed: int, donated: dict[int, int] | None = None) -> None:
    """Compiled against interpreted results of one program, at two levels."""
    dtype = program.dtype
    f, args = entry(program, "main", [], donated)
    f.ret(f.call("f", args))
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=s).astype(dtype) for s in program.arguments]
    noise = [1 + ULPS[dtype] * rng.uniform(-1, 1, size=s) for s in program.arguments]
    moved = [(x * n).astype(dtype) for x, n in zip(inputs, noise, strict=True)]

    reference = Reference(program, "main", inputs, moved)
    for level in (2, LEVELS[seed % len(LEVELS)]):
        with tempfile.TemporaryDirectory() as folder:
            model = compiled(program.graph, Path(folder), level, poison=level != 2)
            main = model.entry("main")
            given = arrays(main(buffers(inputs)))
            if main.spec["parallel"]:
                shared = arrays(main(buffers(inputs), guarded.Shuffled(3, seed)))
                if [a.tobytes() for a in shared] != [a.tobytes() for a in given]:
                    raise Mismatch(f"seed {seed}, level {level}: other bits by 3 workers")
        compare(program, f"seed {seed}, level {level}", given, reference)


class Reference:
    """What a function gives on `inputs` by the interpreter, and how far that is rounding."""

    def __init__(self, program: Program, name: str, inputs: Any, moved: Any) -> None:
        self.program, self.name, self.inputs, self.moved = program, name, inputs, moved
        self.results, self.nearby = self.run(0), self.run(1)

    def run(self, side: int, skip_padding: bool = False) -> list[np.ndarray]:
        """The results, with arguments and roundings that are perturbed to a side that is not 0."""
        given = buffers(self.moved if side else self.inputs)
        rounding = side * ROUNDING[self.program.dtype]
        return arrays(
            _native.interpret(self.program.graph, self.name, given, rounding, skip_padding)
        )

    def excess(self, given: list[np.ndarray], i: int) -> float:
        """By how much result `i` differs beyond what the perturbation explains."""
        floor, g, e = FLOOR[self.program.dtype], given[i], self.results[i]
        with np.errstate(all="ignore"):
            worst = excess(g, e, floor, self.nearby[i])
            if worst <= 0:
                return worst
            # One side may be that of the exact value: acosh(tanh(9)) is 0 on the other.
            sides = [e, self.nearby[i], self.run(-1)[i]]
            worst = excess(g, e, floor, *sides[1:])
            skipped = np.isnan(e) & np.isfinite(g)
            if worst <= 0 or not skipped.any():
                return worst
            without = [self.run(side, skip_padding=True)[i] for side in (0, 1, -1)]
            e, *nearby = (np.where(skipped, b, a) for a, b in zip(sides, without, strict=True))
            return excess(g, e, floor, *nearby)


def compare(program: Program, what: str, given: list[np.ndarray], reference: Reference) -> None:
    """Raises where results differ by more than the perturbation explains."""
    for i, (g, e) in enumerate(zip(given, reference.results, strict=True)):
        if g.shape != e.shape or g.dtype != e.dtype:
            raise Mismatch(f"{what}: result {i} is {g.dtype}{g.shape}, not {e.dtype}{e.shape}")
        worst = reference.excess(given, i)
        if worst > 0:
            raise Mismatch(
                f"{what}: result {i} is off by {worst:.3g} beyond its condition\n"
                f"{program.graph.text()}"
            )


def excess(given: np.ndarray, expected: np.ndarray, floor: float, *nearby: np.ndarray) -> float:
    """By how much an element exceeds what its conditioning explains; at most 0 where none does."""
    if expected.size == 0:
        return 0.0
    if expected.dtype == bool:
        return float(np.sum((given != expected) & np.all([expected == n for n in nearby], axis=0)))
    same = [np.isfinite(expected) == np.isfinite(n) for n in nearby]
    comparable = np.all(same, axis=0)
    special = comparable & ~np.isfinite(expected)
    finite = comparable & np.isfinite(expected)
    if comparable.all():
        if not np.array_equal(given[special], expected[special], equal_nan=True):
            return float("inf")
        if not np.isfinite(given[finite]).all():
            return float("inf")
    # Else the root of what should be 0, for one: its sign is rounding, everywhere in the array.
    finite &= np.isfinite(given)
    g, e, *near = (a[finite].astype(np.float64) for a in (given, expected, *nearby))
    if e.size == 0:
        return 0.0
    scale = np.abs(e).max()
    moved = np.max([np.abs(n - e) for n in near], axis=0)
    # Neighbours share their conditioning: one element may be insensitive by chance.
    allowed = 100 * moved + 20 * moved.max() + floor * (np.abs(e) + scale)
    return float((np.abs(g - e) - allowed).max())


def check_derivatives(program: Program, seed: int) -> None:
    """Forward against reverse mode, first and second order, of one program in double."""
    of = [i for i, (dtype, _) in enumerate(program.results) if dtype != "bool"]
    if not of:
        return
    wrt = list(range(len(program.arguments)))
    n, m = len(wrt), len(program.results)
    cts = [program.results[i][1] for i in of]

    forward = not BACKWARD.search(program.graph.text())
    g, args = entry(program, "g", cts)
    g.ret(g.vjp("f", args[:n], args[n:], of=of, wrt=wrt)[m:])
    if forward:
        j, args = entry(program, "j", program.arguments)
        j.ret(j.jvp("f", args[:n], args[n:], of=of, wrt=wrt)[m:])
        h, args = entry(program, "h", [*cts, *program.arguments])
        h.ret(h.jvp("g", args[: n + len(of)], args[n + len(of) :], of=wrt, wrt=wrt)[n:])
    k, args = entry(program, "k", [*cts, *program.arguments])
    k.ret(k.vjp("g", args[: n + len(of)], args[n + len(of) :], of=wrt, wrt=wrt)[n:])

    rng = np.random.default_rng(seed)
    draw = lambda shapes: [rng.normal(size=s) for s in shapes]
    x, c, t, u = (draw(s) for s in (program.arguments, cts, program.arguments, program.arguments))
    noise = [1 + ULPS["float64"] * rng.uniform(-1, 1, size=s) for s in program.arguments]
    moved = [p * q for p, q in zip(x, noise, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        level = (2, 0, 1)[seed % 3]
        model = compiled(program.graph, Path(folder), level, poison=seed % 2 == 0)
        run = lambda name, a: arrays(model.entry(name)(buffers(a)))

        def agree(what: str, *sides: tuple[str, Any, Any]) -> None:
            """The inner products (function(x, *extra), with) of two sides are the same."""
            with np.errstate(all="ignore"):
                a, b = (terms(run(name, x + extra), by) for name, extra, by in sides)
                size = np.abs(a).sum() + np.abs(b).sum()
                difference = abs(a.sum() - b.sum())
                if not np.isfinite(size) or difference <= 1e-8 * size:
                    return
                # Terms may have cancelled before: what is left of acos(cos(x)) is rounding.
                allowed = 0.0
                for name, extra, by in sides:
                    reference = refer(name, extra)
                    sums = [terms(reference.run(side), by).sum() for side in (0, 1, -1)]
                    allowed += 100 * (max(sums) - min(sums))
            if difference > 1e-8 * size + allowed:
                raise Mismatch(
                    f"seed {seed}: {what} differ by {difference / size:.3g} of their terms\n"
                    f"{program.graph.text()}"
                )

        refer = lambda name, extra: Reference(program, name, x + extra, moved + extra)
        runs = {"g": c, "k": c + u} | ({"j": t, "h": c + t} if forward else {})
        for name, more in runs.items() if sum(map(count, program.arguments)) <= SMALL else ():
            what = f"seed {seed}, level {level}, {NAMES[name]}"
            compare(program, what, run(name, x + more), refer(name, more))
        if forward:
            agree("<Jt, c> and <t, J'c>", ("j", t, c), ("g", c, t))
            agree("<Ht, u> by jvp and vjp", ("h", c + t, u), ("k", c + u, t))
        agree("<Ht, u> and <Hu, t>", ("k", c + t, u), ("k", c + u, t))


def terms(values: Any, by: Any) -> np.ndarray:
    """The products whose sum is an inner product of lists of arrays."""
    return np.concatenate([(p * q).ravel() for p, q in zip(values, by, strict=True)])


CHECKS: dict[str, tuple[Callable[[int, Any], Program], Callable[[Program, int], None]]] = {
    "forward": (forward_program, check_forward),
    "derivatives": (smooth_program, check_derivatives),
}
FINDINGS = (Mismatch, guarded.Stray, _native.CompileError, _native.GraphError)


def run(kind: str, seed: int, table: Any, folder: Path = BUILD / "fuzz") -> None:
    """Draws and checks one program; one that fails is written to `folder`, whole and reduced."""
    draw, check = CHECKS[kind]
    program = draw(seed, table)
    text = program.graph.text()
    try:
        check(program, seed)
    except FINDINGS as finding:
        note = reduced(kind, seed, text, type(finding).__name__, folder)
        raise type(finding)(f"{finding}\n{note}") from None


def reduced(kind: str, seed: int, text: str, finding: str, folder: Path) -> str:
    """Writes the program and a smaller one; returns where they are and how to run them."""
    command = f"{sys.executable} {Path(__file__).resolve()} --check={kind} --seed={seed}"
    return reduced_by(command, f"{kind}-{seed}", text, finding, folder)


def reduced_by(command: str, name: str, text: str, finding: str, folder: Path) -> str:
    """The same of a program that `command` checks, which takes --expect and --replay."""
    folder.mkdir(parents=True, exist_ok=True)
    whole, small = folder / f"{name}-whole.mlir", folder / f"{name}.mlir"
    whole.write_text(text)
    test = f"{command} --expect={finding} --replay"
    tool = [BUILD / "bin" / "cell-reduce", whole, f"--test={test}", "-o", small]
    made = subprocess.run(tool, capture_output=True, text=True)
    if made.returncode != 0:
        return f"{whole} did not reduce: {made.stderr.strip()}"
    return (
        f"reduced ({made.stderr.strip()}); again: {command} --replay={small}\n{small.read_text()}"
    )


def replay(kind: str, seed: int, text: str) -> str:
    """What is wrong with the program `text`: the name of a finding, or nothing."""
    # A reduced loop may have no end.
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    try:
        CHECKS[kind][1](Program.parse(text), seed)
    except FINDINGS as finding:
        print(finding)
        return type(finding).__name__
    return ""


def peak_gigabytes() -> float:
    """The most memory this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> int:
    """Runs seeds; prints every finding and returns their number."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--replay", type=Path, help="a program to check again: 0 if it fails still")
    parser.add_argument("--check", choices=CHECKS, help="by this alone (default: both)")
    parser.add_argument("--seed", type=int, default=0, help="... on these arguments")
    parser.add_argument(
        "--expect", default="", help="... and what is to be found, such as Mismatch"
    )
    options = parser.parse_args()
    if options.replay:
        found = replay(options.check or "forward", options.seed, options.replay.read_text())
        return 0 if found and options.expect in ("", found) else 1
    kinds = [options.check] if options.check else list(CHECKS)
    table, findings = records(), 0
    for seed in range(options.first, options.first + options.count):
        for kind in kinds:
            try:
                run(kind, seed, table)
            except FINDINGS as finding:
                findings += 1
                print(f"{kind} {finding}\n", flush=True)
    print(f"{len(kinds) * options.count - findings} passed, {findings} failed")
    print(f"at most {peak_gigabytes():.2f} GiB of memory")
    return min(findings, 1)


if __name__ == "__main__":
    raise SystemExit(main())
