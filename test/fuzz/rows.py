"""Random programs about kernels: ops that share rows, and what must not run row by row with them.

Row reductions and what reads them, reductions over rows beside them, also of half precision, integers,
maxima; rows that are shifted, turned, mirrored, gathered, scattered and put into others; positions along
the rows; products of rows with weights, and of all rows, which loops add up; updates in place, loops,
branches, checks between. Gradients, updates of donated arguments by
gradients, and second derivatives of them. Numbers of rows are prime, powers of two, and next to those of
tiles and items (FormKernels.cpp).

Compiled results are compared with the interpreter's as in differential.py; the compile option
`kernel_bytes` forms kernels of ops of any size, of tiles of a few rows. Each call is repeated by pools
that cut regions anywhere (guarded.py) and by threads: bits are the same.

    python test/fuzz/rows.py --first=1000 --count=500
    python test/fuzz/rows.py --first=1000000 --count=500   # of stacked matrices: planes.py
    python test/fuzz/rows.py --first=2000000 --count=500   # of attention: heads.py
    python test/fuzz/rows.py --forms --count=100   # counts what kernels are formed
    python test/fuzz/rows.py --replay=build/fuzz/rows-1234.mlir --seed=1234
"""

from __future__ import annotations

import argparse
import random
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import guarded
import numpy as np
from contractions import TARGETS
from differential import (
    FINDINGS,
    ULPS,
    Mismatch,
    Reference,
    arrays,
    buffers,
    compare,
    entry,
    reduced_by,
)
from generator import BUILD, Program, count
from heads import Heads
from planes import Planes
from rowproducts import RowProducts
from rowwise import MOST, Rows

from cellgrad import _native

KERNEL_BYTES = (1, 64, 1000)
PLANES = 1_000_000  # from this seed on, programs are of stacked matrices (planes.py)
HEADS = 2_000_000  # ... of attention (heads.py)
SMALL = 1500  # elements of the arguments, of second derivatives
WORKERS, THREADS = (3, 8), (2, 3, 8)


# --- what is called -------------------------------------------------------------------------------


def draw(seed: int) -> Program:
    dtype = "float64" if seed % 3 == 0 else "float32"
    if seed >= HEADS:
        return Heads(seed, dtype).program()
    if seed >= PLANES:
        return Planes(seed, dtype).program()
    if seed % 4 == 2:
        return RowProducts(seed, dtype).program()
    return Rows(seed, dtype, large=seed % 20 == 19).program()


def donated(program: Program, rng: random.Random) -> dict[int, int]:
    """Arguments whose memory results are written to, in most programs that can."""
    given = dict[int, int]()
    for k, (dtype, shape) in enumerate(program.results):
        fitting = [i for i, s in enumerate(program.arguments) if s == shape and i not in given]
        if fitting and dtype == program.dtype and rng.random() < 0.7:
            given[rng.choice(fitting)] = k
    return given


@dataclass
class Call:
    """An entry of a program, and the shapes of its arguments beyond those of the program."""

    name: str
    extra: list[tuple[int, ...]]
    donates: set[int]


def add_step(program: Program, of: list[int]) -> Call:
    """An update of donated arguments and of their averages by gradients."""
    shapes, dtype = program.arguments, program.dtype
    n, cts = len(shapes), [program.results[i][1] for i in of]
    extra = [*cts, *shapes]
    first = n + len(cts)
    places = {**{i: i for i in range(n)}, **{first + i: n + i for i in range(n)}}
    f, args = entry(program, "step", extra, places)
    grads = f.vjp("f", args[:n], args[n:first], of=of, wrt=list(range(n)))[len(program.results) :]
    letter = "f" if dtype == "float32" else "d"
    op = lambda name, *given: f.create(f"cell.{name}", list(given), None, None, None)
    number = lambda x, s: f.constant(struct.pack(f"<{letter}", x), dtype, s)
    new, averages = [], []
    for x, m, g in zip(args[:n], args[first:], grads, strict=True):
        average = op("add", op("mul", m, number(0.875, m.shape)), op("tanh", g))
        averages.append(average)
        new.append(op("sub", x, op("mul", average, number(0.125, m.shape))))
    f.ret([*new, *averages])
    return Call("step", extra, set(places))


def add_second(program: Program, of: list[int]) -> Call:
    """The gradient of the gradient times a direction."""
    shapes = program.arguments
    n, m, cts = len(shapes), len(program.results), [program.results[i][1] for i in of]
    wrt = list(range(n))
    g, args = entry(program, "g", cts)
    g.ret(g.vjp("f", args[:n], args[n:], of=of, wrt=wrt)[m:])
    k, args = entry(program, "k", [*cts, *shapes])
    k.ret(k.vjp("g", args[: n + len(of)], args[n + len(of) :], of=wrt, wrt=wrt)[n:])
    return Call("k", [*cts, *shapes], set())


def calls(program: Program, seed: int) -> list[Call]:
    """Adds entries to the program's graph: itself, and a derivative where that is of moderate size."""
    places = donated(program, random.Random(seed))
    f, args = entry(program, "main", [], places)
    f.ret(f.call("f", args))
    made = [Call("main", [], set(places))]
    of = [i for i, (dtype, _) in enumerate(program.results) if dtype == program.dtype]
    size = sum(map(count, program.arguments))
    effects = "cell.print" in program.graph.text() or "cell.check" in program.graph.text()
    if of and not effects and size <= 10 * MOST:
        if seed % 3 == 1:
            made.append(add_step(program, of))
        elif seed % 3 == 0 and seed % 2 and size <= SMALL:
            made.append(add_second(program, of))
    return made


def options(seed: int) -> dict[str, Any]:
    """How the program of a seed is compiled."""
    rng = random.Random(seed + 1)
    given: dict[str, Any] = {
        "opt_level": rng.choice([2, 2, 2, 1, 0]),
        "target": rng.choice(TARGETS),
    }
    if seed % 20 == 19 or rng.random() < 0.05:
        return given
    given |= {"kernel_bytes": rng.choice(KERNEL_BYTES), "poison": rng.random() < 0.5}
    return given


def prepared(program: Program, seed: int) -> Callable[[Path], int]:
    """What runs the compiled program, and raises Mismatch; it returns how many regions ran. Adds the
    entries to the program's graph."""
    made = []
    for call in calls(program, seed):
        rng = np.random.default_rng(seed)
        shapes = [*program.arguments, *call.extra]
        inputs = [rng.normal(size=s).astype(program.dtype) for s in shapes]
        noise = [1 + ULPS[program.dtype] * rng.uniform(-1, 1, size=s) for s in shapes]
        moved = [(x * e).astype(program.dtype) for x, e in zip(inputs, noise, strict=True)]
        made.append((call, inputs, Reference(program, call.name, inputs, moved)))
    text = program.graph.text()

    def run(path: Path) -> int:
        regions = 0
        model, threaded = guarded.Model(path), _native.Model(str(path))
        for call, inputs, reference in made:
            what = f"seed {seed}, {call.name}, {options(seed)}"
            function, quiet = model.entry(call.name), guarded.PRINT(lambda *_: None)

            def called(
                pool: guarded.Shuffled | None = None,
                function: Any = function,
                inputs: list[np.ndarray] = inputs,
                quiet: Any = quiet,
                what: str = what,
            ) -> list[np.ndarray]:
                status, _, results = function.run(inputs, pool, print=quiet)
                if status:
                    raise Mismatch(f"{what}: ends with status {status}\n{text}")
                return results

            given = called()
            compare(program, what, given, reference)
            if not function.spec["parallel"]:
                continue
            for workers in WORKERS:
                pool = guarded.Shuffled(workers, seed)
                same(f"{what}, {workers} workers", called(pool), given, text)
                regions += pool.regions
            if "cell.print" in text:
                continue
            for threads in THREADS:
                _native.set_num_threads(threads)
                results = arrays(threaded.entry(call.name)(buffers(inputs)))
                same(f"{what}, {threads} threads", results, given, text)
        return regions

    return run


def check_program(program: Program, seed: int) -> int:
    """Raises Mismatch, or what the compiler raises; returns how many regions ran."""
    run = prepared(program, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.so"
        _native.compile_graph(program.graph, str(path), "fuzz", options(seed))
        return run(path)


def same(what: str, given: list[np.ndarray], expected: list[np.ndarray], text: str) -> None:
    for i, (g, e) in enumerate(zip(given, expected, strict=True)):
        if g.tobytes() != e.tobytes():
            off = np.flatnonzero(
                np.frombuffer(g.tobytes(), "u1") != np.frombuffer(e.tobytes(), "u1")
            )
            raise Mismatch(
                f"{what}: result {i} has other bits, {len(off)} bytes, first {off[0]}\n{text}"
            )


def check(seed: int) -> int:
    """Checks the program of a seed; one that fails is written to build/fuzz, and reduced."""
    program = draw(seed)
    text = program.graph.text()
    try:
        return check_program(program, seed)
    except FINDINGS as finding:
        command = f"{sys.executable} {Path(__file__).resolve()} --seed={seed}"
        name = type(finding).__name__
        note = reduced_by(command, f"rows-{seed}", text, name, BUILD / "fuzz")
        raise type(finding)(f"rows {finding}\n{note}") from None


# --- what is drawn --------------------------------------------------------------------------------

# Of each kernel: what its remark says.
REMARK = re.compile(
    r"(\d+) items of (\d+) tiles of (\d+) rows, rest (\d+): (\d+) ops, (\d+) reduce, (\d+) fill, "
    r"(\d+) temporaries, (\d+) deferred[^\n]*microseconds(, with products)?(, some added up)?[^\n,]*(, within a tile)?"
)
FORMS = (
    *("items", "tiles of an item", "rows of a tile", "rest", "ops"),
    *("reductions over rows", "fills", "temporaries", "deferred"),
)


@cache
def planning(kernel_bytes: int) -> str:
    """The passes up to memory, of which the one that forms kernels says what they are."""
    pipeline = f"builtin.module(cell-to-llvm-pipeline{{kernel-bytes={kernel_bytes}}})"
    tool = [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline={pipeline}", "--dump-pass-pipeline"]
    made = subprocess.run(tool, input="module {}", capture_output=True, text=True, check=True)
    passes = made.stderr[made.stderr.index("builtin.module(") :].strip()
    planned, n = re.subn(r"(cell-form-kernels\{.*print-plan=)false", r"\1true", passes)
    assert n == 1, passes
    return planned[: planned.index("cell-share-math")].rstrip().rstrip(",") + ")"


def forms(seed: int) -> Counter[str]:
    """How many kernels of each kind the program of a seed has."""
    program = draw(seed)
    calls(program, seed)
    tool = [BUILD / "bin" / "cell-opt", "-"]
    tool.append(f"--pass-pipeline={planning(options(seed).get('kernel_bytes', 65536))}")
    said = subprocess.run(tool, input=program.graph.text(), capture_output=True, text=True)
    if said.returncode:
        raise RuntimeError(said.stderr)
    found = Counter({"memory of workers": said.stdout.count("cell.slot_bytes")})
    for remark in REMARK.findall(said.stderr):
        *cut, products, sums, within = remark
        numbers = dict(zip(FORMS, map(int, cut), strict=True))
        found["kernels"] += 1
        found["with products"] += bool(products)
        found["with products that a loop adds up"] += bool(sums)
        found["within a tile"] += bool(within)
        for form, number in numbers.items():
            least = 1 if form in ("items", "tiles of an item", "rows of a tile", "ops") else 0
            found[form] += number > least
        found["of one op"] += numbers["ops"] == 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--forms", action="store_true", help="count kernels, run nothing")
    parser.add_argument("--replay", type=Path, help="a program to check again: 0 if it fails still")
    parser.add_argument("--seed", type=int, default=0, help="... on these arguments")
    parser.add_argument("--expect", default="", help="... and what is to be found")
    given = parser.parse_args()
    if given.replay:
        try:
            check_program(Program.parse(given.replay.read_text()), given.seed)
        except FINDINGS as finding:
            print(finding)
            return 0 if given.expect in ("", type(finding).__name__) else 1
        return 1
    found, findings, regions = Counter[str](), 0, 0
    for seed in range(given.first, given.first + given.count):
        try:
            if given.forms:
                found += forms(seed)
            else:
                regions += check(seed)
        except FINDINGS as finding:
            findings += 1
            print(f"{finding}\n", flush=True)
    for form, n in found.items():
        print(f"| {form} | {n} |")
    print(f"{given.count} programs, {findings} findings, {regions} regions")
    return min(findings, 1)


if __name__ == "__main__":
    sys.exit(main())
