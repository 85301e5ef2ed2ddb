"""Checks random programs that are about the lowering: products, nested loops, layers, donations.

What `differential.py` checks are programs of every op; these have few ops, and everything that fusion,
plans of products, tiles, masks, buffers and live ranges decide by. Contractions and convolutions are
compared with their twin in numpy (twin.py), bit for bit where they are made of small integers, on
vectors of 128, 256 and 512 bits; small ones with the interpreter as well. Loops are compared with the
interpreter, and their first and second derivatives with each other, as in differential.py; programs that
donate arguments as in donations.py. Memory ends where nobody may touch it (guarded.py).

    python test/fuzz/lowering.py --kind=small --first=1000 --count=500
    python test/fuzz/lowering.py --kind=large --plans   # counts what was planned for them
    python test/fuzz/differential.py --replay=build/fuzz/forward-1234.mlir --check=forward --seed=1234
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import differential
import donations
import guarded
import numpy as np
import rows
from contractions import INTERPRETED, TARGETS, Contractions, Epilogues, Shared
from convolutions import Borders, Convolutions, Equal
from differential import FINDINGS, Mismatch, arrays, buffers, entry
from generator import BUILD, Program
from layers import Layers
from loops import Loops
from packed import Packed
from recurrent import Recurrent
from twin import worst

from cellgrad import _native

DRAWN = {
    "small": Contractions,
    "large": Contractions,
    "epilogues": Epilogues,
    "shared": Shared,
    "packed": Packed,
    "conv": Convolutions,
    "borders": Borders,
    "equal": Equal,
}
TEXTS = {"loops": Loops, "layers": Layers, "recurrent": Recurrent}
KINDS = (*DRAWN, *TEXTS, "donations")
PLANNED = ("x86-64-v4", "x86-64-v3", "x86-64-v2")  # rows of passes/lower/target
# Gradients of contractions, whose operands are reversed and dilated parts.
DERIVED = 4


def draw(kind: str, seed: int) -> tuple[Program, Contractions | None]:
    if kind in TEXTS:
        return TEXTS[kind](seed, "float64" if seed % 3 else "float32").program(), None
    drawn = DRAWN[kind](seed, kind)
    return drawn.program(), drawn


def options(seed: int, target: str, level: int) -> dict[str, Any]:
    """Of half of the programs, kernels are formed of ops of any size."""
    chosen: dict[str, Any] = {"opt_level": level, "target": target}
    return chosen | ({"kernel_bytes": 1} if seed % 2 == 0 else {})


def compiled(program: Program, seed: int, target: str, level: int, folder: str) -> guarded.Model:
    path = Path(folder) / "fuzz.so"
    _native.compile_graph(program.graph, str(path), "fuzz", options(seed, target, level))
    return guarded.Model(path)


def check(kind: str, seed: int) -> None:
    """Raises Mismatch, or what the compiler raises, where the program of a seed is wrong."""
    program, drawn = draw(kind, seed)
    if drawn is None:
        again = Program.parse(program.graph.text())
        differential.check_forward(again, seed, donated(again, seed))
        if program.dtype == "float64":
            differential.check_derivatives(program, seed)
        return
    small = drawn.terms <= INTERPRETED // 20
    derived = None
    if seed % DERIVED == 0 and small and drawn.dtype == "float64":
        derived = Program.parse(program.graph.text())
    prepared(program, seed, drawn)()
    if small:
        said = arrays(_native.interpret(program.graph, "main", buffers(drawn.inputs())))
        compare(f"{kind} {seed} interpreted", program, said, drawn.wanted())
    if derived:
        differential.check_derivatives(derived, seed)


def donated(program: Program, seed: int) -> dict[int, int]:
    """Arguments whose memory results are written to, in half of the programs that can."""
    rng, given = random.Random(seed), dict[int, int]()
    if rng.random() < 0.5:
        return given
    for k, (dtype, shape) in enumerate(program.results):
        fitting = [i for i, s in enumerate(program.arguments) if s == shape and i not in given]
        if fitting and dtype == program.dtype:
            given[rng.choice(fitting)] = k
    return given


Call = tuple[str, Callable[[], list], Callable[[list], None]]


def prepare(program: Program, seed: int, drawn: Contractions) -> tuple[str, Call]:
    """For which target to compile a program, and how to call it: an entry, what makes arguments,
    and what compares results with numbers that are known by then."""
    f, args = entry(program, "main", [], donated(program, seed))
    f.ret(f.call("f", args))
    inputs, wanted = drawn.inputs(), drawn.wanted()
    target = TARGETS[seed % len(TARGETS)]
    what = f"seed {seed} on {target}"
    compared = lambda given: compare(what, program, arrays(given), wanted)
    return target, ("main", lambda: buffers(inputs), compared)


def prepared(program: Program, seed: int, drawn: Contractions) -> Callable[[], None]:
    """What compiles and runs a program, and compares it with numbers that are known by then. Workers
    that share it in any way give the same bits."""
    target, (name, inputs, compared) = prepare(program, seed, drawn)
    level = 2 if seed % 5 else seed % 3

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            model = compiled(program, seed, target, level, folder)
            called(model.entry(name), inputs, compared, seed)

    return run


def called(
    function: guarded.Entry,
    inputs: Callable[[], list],
    compared: Callable[[list], None],
    seed: int,
) -> None:
    """Calls a compiled function, alone and by three workers that give the same bits."""
    given = function(inputs())
    compared(given)
    if function.spec["parallel"]:
        shared = function(inputs(), guarded.Shuffled(3, seed))
        rows.same(f"seed {seed}, 3 workers", shared, given, "")


def compare(what: str, program: Program, given: list[np.ndarray], wanted: list) -> None:
    for i, (g, w) in enumerate(zip(given, wanted, strict=True)):
        off = worst(g, w)
        if off > 0:
            raise Mismatch(
                f"{what}: result {i} is off by {off:.3g} beyond its bound\n{program.graph.text()}"
            )


def run(kind: str, seed: int) -> None:
    """Checks one program; one that fails is written to build/fuzz, and reduced if it is small."""
    if kind == "donations":
        donations.check(seed)
        return
    try:
        check(kind, seed)
    except FINDINGS as finding:
        program, drawn = draw(kind, seed)
        text, name = program.graph.text(), type(finding).__name__
        note = f"{kind} {seed} is in {BUILD / 'fuzz'}"
        if program.dtype.startswith("float") and (drawn is None or drawn.terms <= INTERPRETED):
            note = differential.reduced("forward", seed, text, name, BUILD / "fuzz")
        raise type(finding)(f"{kind} {seed}: {finding}\n{note}") from None


@cache
def planning(target: str) -> str:
    """The passes for `target`, of which those that plan say what they do."""
    pipeline = f"builtin.module(cell-to-llvm-pipeline{{target={target}}})"
    tool = [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline={pipeline}", "--dump-pass-pipeline"]
    made = subprocess.run(tool, input="module {}", capture_output=True, text=True, check=True)
    passes = made.stderr[made.stderr.index("builtin.module(") :].strip()
    return re.sub(
        r"(cell-emit-(?:gemm|loops)\{)[^}]*\}", rf"\1target={target} print-plan}}", passes
    )


def plans(kind: str, seed: int) -> list[str]:
    """How products and nests of a program are computed: the remarks of the passes."""
    program, _ = draw(kind, seed)
    f, args = entry(program, "main", [])
    f.ret(f.call("f", args))
    tool = [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline={planning(PLANNED[seed % 3])}"]
    tool += ["-o", "/dev/null"]
    said = subprocess.run(tool, input=program.graph.text(), capture_output=True, text=True)
    if said.returncode:
        raise RuntimeError(said.stderr)
    return re.findall(r"remark: (.*)", said.stderr)


def forms(remarks: list[str]) -> list[str]:
    """What is counted of plans: the kind of code, how operands are packed, what is ragged."""
    found = []
    for remark in remarks:
        product = re.match(
            r"(\d+)x(\d+)x(\d+): tile (\d+)x(\d+), rows (\d+), columns (\d+), depth (\d+)", remark
        )
        if product:
            m, n, k, rows, columns, row, column, depth = map(int, product.groups())
            found.append("matrix product")
            found += [f"matrix product, {p}" for p in re.findall(r", (pack[^,]*)", remark)]
            found += [f"matrix product, {w}" for w in re.findall(r"\d+ (items of [a-z ]*)", remark)]
            found += ["matrix product, epilogue"] if ", epilogue of " in remark else []
            found += [
                f"matrix product, {name} ragged"
                for name, a, b in [("rows", m, rows), ("columns", n, columns), ("depth", k, depth)]
                if a % b
            ]
            found += [
                f"matrix product, blocks of {name}"
                for name, a, b in [("rows", m, row), ("columns", n, column), ("depth", k, depth)]
                if a > b
            ]
        elif remark.startswith("tile "):
            found.append("tiles")
            found += [f"tiles, {p}" for p in re.findall(r", (exchanged|pack B|buffer C)", remark)]
            found += ["tiles, borders"] if re.search(r", \d+ borders", remark) else []
            found += (
                ["tiles, blocks of depth"]
                if int(re.search(r", (\d+) blocks", remark)[1]) > 1
                else []
            )
        else:
            found.append(re.sub(r", \d+ vectors of \d+", "", remark))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--kind", choices=KINDS, help="only these programs (default: all)")
    parser.add_argument("--plans", action="store_true", help="count what was planned, run nothing")
    options = parser.parse_args()
    failed = 0
    kinds = [options.kind] if options.kind else [*DRAWN] if options.plans else KINDS
    for kind in kinds:
        start, findings, counts = time.process_time(), 0, Counter[str]()
        for seed in range(options.first, options.first + options.count):
            try:
                if options.plans:
                    counts.update(set(forms(plans(kind, seed))))
                else:
                    run(kind, seed)
            except FINDINGS as finding:
                findings += 1
                print(f"{finding}\n", flush=True)
        for form, n in sorted(counts.items()):
            print(f"| {kind} | {form} | {n} |")
        print(
            f"{kind}: {options.count} programs, {findings} findings, {time.process_time() - start:.0f} s"
        )
        failed += findings
    return min(failed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
