"""Checks random programs on other machines, or on several processors: compiled there against interpreted here.

    python test/fuzz/machines.py --target=aarch64 --launch="qemu-aarch64 -L /usr/aarch64-linux-gnu build/call" --count=200
    python test/fuzz/machines.py --target=x86-64-v2,x86-64-v3,x86-64-v4 \\
        --launch="x86-64-v2=qemu-x86_64 -cpu Nehalem build/call" \\
        --launch="x86-64-v3=qemu-x86_64 -cpu Haswell build/call" --launch=x86-64-v4=build/call

Each program is compiled once and run by every command, which starts tools/targets/call.c there. A name before
a command is the level that a model of several must choose there. What results may differ by is measured, as in
differential.py.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import differential
import lowering
import numpy as np
from generator import Program, records

from cellgrad import _native

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "targets"))
from machines import Launched

KINDS = ("forward", "layers", "loops")


def draw(kind: str, seed: int, table: Any) -> Program:
    if kind == "forward":
        return differential.forward_program(seed, table)
    return Program.parse(lowering.draw(kind, seed)[0].graph.text())


def check(kind: str, seed: int, target: str, machines: list[tuple[str, Any]], table: Any) -> None:
    """Raises differential.Mismatch, with the text of the program, where a machine gives other numbers."""
    program = draw(kind, seed, table)
    f, args = differential.entry(program, "main", [])
    f.ret(f.call("f", args))
    rng, dtype = np.random.default_rng(seed), program.dtype
    inputs = [rng.normal(size=s).astype(dtype) for s in program.arguments]
    moved = [
        (x * (1 + differential.ULPS[dtype] * rng.uniform(-1, 1, size=x.shape))).astype(dtype)
        for x in inputs
    ]
    reference = differential.Reference(program, "main", inputs, moved)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "fuzz.so"
        options = {"opt_level": 2, "target": target}
        _native.compile_graph(program.graph, str(library), "fuzz", options)
        for level, machine in machines:
            what = f"{kind} {seed} for {target} by {level or machine.command[0]}"
            signature = machine.signature(library, "fuzz")
            if level and signature["target"]["cpu"] != level:
                raise differential.Mismatch(f"{what}: chose {signature['target']}")
            results = [np.empty(e.shape, e.dtype) for e in reference.results]
            given = [np.array(x, order="C") for x in inputs]
            status = machine.call(library, "fuzz", "cg_fuzz_main", given + results)
            if status != 0:
                raise differential.Mismatch(f"{what}: status {status}\n{program.graph.text()}")
            differential.compare(program, what, results, reference)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--target", required=True)
    parser.add_argument("--launch", action="append", required=True)
    parser.add_argument("--kind", choices=KINDS, help="all in turn where it is left out")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    given = parser.parse_args()
    machines = []
    for text in given.launch:
        level, _, command = text.partition("=") if text.startswith("x86-64-v") else ("", "", text)
        if not command:
            parser.error(f"--launch={text} has no command")
        machines.append((level, Launched(command)))
    table, done, began, findings = records(), Counter[str](), time.time(), 0
    for seed in range(given.first, given.first + given.count):
        kind = given.kind or KINDS[seed % len(KINDS)]
        try:
            check(kind, seed, given.target, machines, table)
        except lowering.FINDINGS as finding:
            findings += 1
            print(f"{kind} {seed}: {type(finding).__name__}: {finding}", flush=True)
        done[kind] += 1
    print(
        f"{dict(done)} on {len(machines)} machines, {findings} findings, {time.time() - began:.0f} s"
    )
    return findings > 0


if __name__ == "__main__":
    sys.exit(main())
