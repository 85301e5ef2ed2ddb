#!/usr/bin/env python3
"""Accuracy and speed of the elementary functions, for docs/math-accuracy.md.

    python bench/math_sweep.py [--functions exp,sin] [--count 20000] [--stride 61] [--write]

Compares the compiled functions with mpmath at random and critical arguments, f32 also with numpy's
float64 by stride over all bit patterns, and times 65,536 elements in alternation with numpy.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "python"))
import elementary
from elementary import BINARY, SPECIAL, UNARY, Function

SIZE = 65536
DOCUMENT = elementary.ROOT / "docs" / "math-accuracy.md"
MARK = "<!-- table of bench/math_sweep.py -->\n"


def stride_sweep(function, name, stride, chunk=1 << 20):
    """The worst arguments over every stride-th f32, judged by numpy's float64."""
    reference = (UNARY | SPECIAL)[name][1]
    if reference is None:
        return np.empty(0, np.float32)
    worst = []
    for start in range(0, 1 << 32, chunk * stride):
        patterns = np.arange(start, min(start + chunk * stride, 1 << 32), stride, dtype=np.uint64)
        x = patterns.astype(np.uint32).view(np.float32)
        x = x[np.isfinite(x)]
        if not x.size:
            continue
        got = function(x)
        with np.errstate(all="ignore"):
            want = reference(x.astype(np.float64))
            ulp = np.spacing(np.abs(want.astype(np.float32))).astype(np.float64)
            error = np.abs(got.astype(np.float64) - want) / ulp
        error[~np.isfinite(error)] = 0
        error[np.isnan(got) != np.isnan(want)] = np.inf
        worst.append(x[np.argsort(error)[-4:]])
    return np.concatenate(worst)


def time_pair(ours, theirs, rounds=80):
    """The best time of each, run in turns, in ns an element."""
    best = [np.inf, np.inf]
    for _ in range(rounds):
        for i, run in enumerate((ours, theirs)):
            if run is None:
                continue
            start = time.perf_counter_ns()
            run()
            best[i] = min(best[i], time.perf_counter_ns() - start)
    return [b / SIZE for b in best]


def measure(function, name, dtype, options):
    """A row of the table."""
    rng = np.random.default_rng(1)
    kind = elementary.DTYPES[dtype]
    if name not in BINARY:
        _, numpy_function, timed = (UNARY | SPECIAL)[name]
        ranges = [timed]
        x = elementary.arguments(name, kind, rng, options.count)
        if dtype == "f32" and options.stride:
            x = np.concatenate([x, stride_sweep(function, name, options.stride)])
        args = [x]
    else:
        _, numpy_function, ranges = BINARY[name]
        args = list(elementary.pair_arguments(name, kind, rng, options.count))
    error = elementary.errors(name, function(*args), args)
    worst = int(np.argmax(error))
    inputs = [rng.uniform(*r, SIZE).astype(kind) for r in ranges]
    out, other = np.empty_like(inputs[0]), np.empty_like(inputs[0])

    def theirs():
        if isinstance(numpy_function, np.ufunc):
            numpy_function(*inputs, out=other)
        else:
            numpy_function(*inputs)

    ours = function.bind([*inputs, out])
    times = time_pair(ours, theirs if numpy_function else None)
    at = ", ".join(float(a[worst]).hex() for a in args)
    return name, dtype, error[worst], at, len(error), *times


def markdown(rows):
    yield "| function | type | max ulp | at | arguments | ns/element | numpy, ns/element |"
    yield "|---|---|---|---|---|---|---|"
    for name, dtype, error, at, count, ours, theirs in rows:
        other = f"{theirs:.2f}" if np.isfinite(theirs) else "–"
        yield f"| {name} | {dtype} | {error:.2f} | `{at}` | {count} | {ours:.2f} | {other} |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--functions", default=",".join([*UNARY, *BINARY, *SPECIAL]))
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--count", type=int, default=20000, help="arguments of each kind")
    parser.add_argument("--stride", type=int, default=61, help="step over the f32; 0: no sweep")
    parser.add_argument("--write", action="store_true", help="replace the table of the document")
    options = parser.parse_args()
    names = options.functions.split(",")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for dtype in options.types.split(","):
            library = elementary.build(names, dtype, SIZE, Path(folder))
            for name in names:
                row = measure(Function(library, name, dtype, SIZE), name, dtype, options)
                rows.append(row)
                print("{:6} {} {:8.3f} ulp at {:46} ({}) {:6.3f} ns, numpy {:6.3f}".format(*row))
                sys.stdout.flush()
    if options.write:
        before, after = (part for i, part in enumerate(DOCUMENT.read_text().split(MARK)) if i != 1)
        DOCUMENT.write_text(MARK.join([before, "\n" + "\n".join(markdown(rows)) + "\n", after]))


if __name__ == "__main__":
    main()
