"""Checks random programs of every op as kernels of a GPU, against the interpreter.

Each program becomes one kernel of the form that everything has (cell-emit-programs), which the driver that
CELLGRAD_CUDA_DRIVER names runs: the emulated one, or that of a GPU.

    python test/fuzz/kernels.py --first=1000 --count=500
"""

from __future__ import annotations

import argparse
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from differential import ULPS, Mismatch, Reference, compare, entry, forward_program
from generator import Program, records
from on_kernels import outcomes

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from device import Device, Kernels, Refused, as_kernels, on_buffers

PASSED, REFUSED = "passed", "refused"


def check(seed: int) -> str:
    """What is found of one program, on one set of arguments."""
    try:
        compare_with_interpreter(forward_program(seed, table()), seed)
    except Refused as refused:
        return f"{REFUSED}: {refused}"
    except (Mismatch, RuntimeError) as finding:
        return str(finding)
    return PASSED


@cache
def table() -> Any:
    return records()


@cache
def device() -> Device:
    return Device()


def compare_with_interpreter(program: Program, seed: int) -> None:
    dtype = program.dtype
    f, args = entry(program, "main", [])
    f.ret(f.call("f", args))
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=s).astype(dtype) for s in program.arguments]
    noise = [1 + ULPS[dtype] * rng.uniform(-1, 1, size=s) for s in program.arguments]
    moved = [(x * n).astype(dtype) for x, n in zip(inputs, noise, strict=True)]
    kernels = Kernels(as_kernels(on_buffers(program.graph.text())))
    results = [np.full(shape, 1, kind) for kind, shape in program.results]
    device()(kernels, "main", [*inputs, *results])
    compare(program, f"seed {seed}", results, Reference(program, "main", inputs, moved))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    counts = outcomes(check, seeds, lambda o: o == PASSED or o.startswith(REFUSED), "seed")
    for what, number in counts.most_common():
        print(f"{number} {what}")
    return min(counts["findings"], 1)


if __name__ == "__main__":
    raise SystemExit(main())
