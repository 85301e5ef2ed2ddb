"""Checks that upstream's passes may run before differentiation.

Random programs of every op and random loops, simplified by passes that anyone may put into a pipeline
(canonicalisation makes choices of branches, hoisting moves ops out of loops), are differentiated
afterwards. The interpreter must give what it gives without those passes.

    python test/fuzz/upstream.py --first=1000 --count=500
"""

from __future__ import annotations

import argparse
import random
from typing import Any

import differential
import numpy as np
from differential import FINDINGS, ULPS, Reference, arrays, buffers
from generator import records
from loops import Loops
from repeated import derivative, expanded

from cellgrad import _native

PASSES = (
    *("canonicalize", "cse", "inline", "sccp", "loop-invariant-code-motion", "control-flow-sink"),
    *("scf-for-loop-canonicalization", "symbol-dce", "topological-sort"),
)


def check(seed: int, table: Any) -> str:
    """Raises Mismatch where simplifying first gives another derivative; returns the passes."""
    if seed % 2 == 0:
        program = Loops(seed, "float64").program()
    else:
        program = differential.smooth_program(seed, table)
    if all(dtype == "bool" for dtype, _ in program.results):
        return ""
    order = 1 + seed % 3 // 2
    derivative(program, order)
    rng = random.Random(seed)
    first = ",".join(rng.choice(PASSES) for _ in range(rng.randint(1, 4)))
    plain = expanded(program, order, "cell-differentiate")
    other = expanded(program, order, f"{first},cell-differentiate")
    draw = np.random.default_rng(seed)
    inputs = [draw.normal(size=s).astype(plain.dtype) for s in plain.arguments]
    noise = [1 + ULPS[plain.dtype] * draw.uniform(-1, 1, size=s) for s in plain.arguments]
    moved = [(x * n).astype(plain.dtype) for x, n in zip(inputs, noise, strict=True)]
    given = [a.copy() for a in arrays(_native.interpret(other.graph, "f", buffers(inputs)))]
    reference = Reference(plain, "f", inputs, moved)
    for g, e in zip(given, reference.results, strict=True):
        # A zero times NaN is guarded where a choice follows, which may be one that nobody reads.
        g[np.isnan(e)] = np.nan
        e[np.isnan(g)] = np.nan
    differential.compare(plain, f"seed {seed} after {first}", given, reference)
    return first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    table, findings = records(), 0
    for seed in range(options.first, options.first + options.count):
        try:
            check(seed, table)
        except FINDINGS as finding:
            findings += 1
            print(f"{finding}\n", flush=True)
    print(f"{options.count} programs, {findings} findings")
    return min(findings, 1)


if __name__ == "__main__":
    raise SystemExit(main())
