"""Checks random programs on a CUDA device against the same programs on the CPU, and against what is right.

The programs of the other files here: of every op (differential.py) and their first and second derivatives,
contractions and convolutions (lowering.py), loops, layers, and rows with updates of donated arguments
(rows.py). Each is compiled for the CPU and for the device of the driver that CELLGRAD_CUDA_DRIVER names: the
emulated one, or that of a GPU. Every other one is cut into as many kernels and blocks as it can be.

What the device gives is compared with the interpreter or with numpy, as what the CPU gives is in those files.
Where nothing is added up it has the CPU's bits: the order of sums is another one, that of the rest is not.

    python test/fuzz/on_device.py --first=1000 --count=500 [--kind=forward]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import differential
import lowering
import numpy as np
import rows
from differential import ULPS, Mismatch, Reference, buffers, entry
from generator import BUILD, Program, count, records
from on_kernels import outcomes

from cellgrad import _native

os.environ.setdefault("CELLGRAD_CUDA_DRIVER", str(BUILD / "test" / "emulator" / "libcuda.so.1"))

TWINS = ("small", "conv", "epilogues")
TEXTS = ("loops", "layers")
KINDS = ("forward", "derivatives", "rows", *TWINS, *TEXTS)
LARGEST = 1_000_000  # terms of a contraction: the emulator takes a second for them
SMALL = 1500  # elements of the arguments, of what is differentiated twice
SAME, SUMS = "the CPU's bits", "sums"
FINE = {SAME, SUMS, "left out"}
# What the entries of a program are on tensors, before any target.
TENSORS = "cell-to-linalg-pipeline,inline,symbol-dce,linalg-generalize-named-ops"
ADDS = re.compile(r'"reduction"|linalg\.reduce|^ *(%\S+ = )?cell\.', re.M)

# An entry, its arguments, and what raises where results are wrong.
Call = tuple[str, list[np.ndarray], Callable[[list[np.ndarray]], None]]


def exact(text: str) -> set[str]:
    """The entries of a program that add nothing up, and have no op whose loop may."""
    command = [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline=builtin.module({TENSORS})"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    entries = re.split(r"^ *func\.func @(\w+)", done.stdout, flags=re.M)[1:]
    return {name for name, body in zip(entries[::2], entries[1::2]) if not ADDS.search(body)}


def judged(program: Program, name: str, seed: int, extra: Sequence[tuple[int, ...]] = ()) -> Call:
    """A call whose results the interpreter knows, and how far rounding may move them."""
    rng, dtype = np.random.default_rng(seed), program.dtype
    shapes = [*program.arguments, *extra]
    inputs = [rng.normal(size=s).astype(dtype) for s in shapes]
    noise = [1 + ULPS[dtype] * rng.uniform(-1, 1, size=s) for s in shapes]
    moved = [(x * e).astype(dtype) for x, e in zip(inputs, noise, strict=True)]
    reference = cache(lambda: Reference(program, name, inputs, moved))
    what = f"seed {seed}, {name}"
    return (
        name,
        inputs,
        lambda given: differential.compare(program, what, given, reference()),
    )


def forward(program: Program, seed: int, donated: dict[int, int] | None = None) -> list[Call]:
    f, args = entry(program, "main", [], donated)
    f.ret(f.call("f", args))
    return [judged(program, "main", seed)]


def derivatives(program: Program, seed: int) -> list[Call]:
    """The gradient of <c, f>, and of a small program that of <u, gradient>."""
    of = [i for i, (dtype, _) in enumerate(program.results) if dtype != "bool"]
    if not of:
        return []
    n, m, cts = len(program.arguments), len(program.results), [program.results[i][1] for i in of]
    wrt = list(range(n))
    g, args = entry(program, "g", cts)
    g.ret(g.vjp("f", args[:n], args[n:], of=of, wrt=wrt)[m:])
    calls = [judged(program, "g", seed, cts)]
    if sum(map(count, program.arguments)) <= SMALL:
        extra = [*cts, *program.arguments]
        k, args = entry(program, "k", extra)
        k.ret(k.vjp("g", args[: n + len(of)], args[n + len(of) :], of=wrt, wrt=wrt)[n:])
        calls.append(judged(program, "k", seed, extra))
    return calls


@cache
def table() -> Any:
    return records()


def draw(kind: str, seed: int) -> tuple[Program, list[Call]] | None:
    """A program with its entries; None where it is too large."""
    if kind == "forward":
        program = differential.forward_program(seed, table())
        return program, forward(program, seed)
    if kind == "derivatives":
        program = differential.smooth_program(seed, table())
        return program, derivatives(program, seed)
    if kind == "rows":
        program = rows.draw(seed)
        calls = rows.calls(program, seed)
        return program, [judged(program, c.name, seed, c.extra) for c in calls]
    program, drawn = lowering.draw(kind, seed)
    if drawn is None:
        calls = forward(program, seed, lowering.donated(program, seed))
        return program, calls + (derivatives(program, seed) if program.dtype == "float64" else [])
    if drawn.terms > LARGEST:
        return None
    _, (name, _, compared) = lowering.prepare(program, seed, drawn)
    return program, [(name, drawn.inputs(), lambda given: compared(buffers(given)))]


@cache
def chip() -> str:
    return _native.open_device(0)[1]


def called(
    program: Program, calls: list[Call], seed: int, **options: Any
) -> list[list[np.ndarray]]:
    """The results of all calls of a program that is compiled with `options`."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "fuzz.so")
        if seed % 2:
            options["kernel_bytes"] = 1
        _native.compile_graph(program.graph, path, "fuzz", options)
        model = _native.Model(path, 0) if "chips" in options else _native.Model(path)
        return [[r.view() for r in model.entry(name)(buffers(i))] for name, i, _ in calls]


def check(kind: str, seed: int) -> str:
    """How a program was judged beside what is right: by the CPU's bits, or not as it adds up."""
    drawn = draw(kind, seed)
    if drawn is None or not drawn[1]:
        return "left out"
    program, calls = drawn
    text = program.graph.text()
    on_device = called(program, calls, seed, chips=[chip()])
    for (_, _, judge), given in zip(calls, on_device, strict=True):
        judge(given)
    names = exact(text)
    if not names:
        return SUMS
    on_cpu = called(program, calls, seed, target="x86-64-v3")
    for (name, _, _), *both in zip(calls, on_device, on_cpu, strict=True):
        for i, (a, b) in enumerate(zip(*both, strict=True)):
            if name in names and not same_bits(a, b):
                what = f"seed {seed}, {name}: result {i} has not the bits of the CPU"
                raise Mismatch(f"{what}\n{text}")
    return SAME


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Which of several NaNs an op gives, targets may choose."""
    if a.dtype.kind == "f":
        a, b = (np.where(np.isnan(x), np.asarray(np.nan, x.dtype), x) for x in (a, b))
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", choices=KINDS, help="only these programs (default: all)")
    options = parser.parse_args()
    findings = 0
    for kind in [options.kind] if options.kind else KINDS:
        start = time.monotonic()
        seeds = range(options.first, options.first + options.count)
        counts = outcomes(partial(check, kind), seeds, FINE.__contains__, kind)
        findings += counts["findings"]
        seconds = time.monotonic() - start
        print(f"{kind}: {options.count} programs, {dict(counts)}, {seconds:.0f} s", flush=True)
    return min(findings, 1)


if __name__ == "__main__":
    sys.exit(main())
