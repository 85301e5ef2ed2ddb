"""Matrix products of sixty shapes beside PyTorch, on one thread and on two.

    python bench/products.py --torch /path/to/python [--only WORDS] [--rounds 9] [--write]

Prints the table of docs/figures.md, or renews it. Each side is a process, pinned to as many processors as it has
threads. They are timed in turn, round after round, and whoever waits is stopped; a ratio is the median of the
ratios of all rounds. Before, both multiply the same numbers and must agree. On a shared machine, `chrt -f 10`
before the command keeps others out while something is timed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).resolve().parents[1] / "docs/figures.md"
BEGIN, END = "<!-- products: begin -->", "<!-- products: end -->"
SLICE, BLOCK = 0.012, 0.001  # seconds of calls a round, and of those that are timed together
WORST = 0.85  # of PyTorch's speed


@dataclass(frozen=True)
class Product:
    """C[m, n] = A[m, k] B[k, n], `batch` times where that is not 0."""

    m: int
    n: int
    k: int
    flags: str = ""  # a, b: A, B are stored transposed; A, B: are columns of a matrix twice as wide
    batch: int = 0

    @property
    def name(self) -> str:
        words = [f"{self.batch} of " * bool(self.batch) + f"{self.m} x {self.n} x {self.k}"]
        names = {"a": "Aᵀ", "b": "Bᵀ", "A": "A of wider rows", "B": "B of wider rows"}
        return ", ".join(words + [names[flag] for flag in self.flags])

    @property
    def transposed(self) -> tuple[bool, bool]:
        return "a" in self.flags, "b" in self.flags

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of A and B as they are stored, without what is beside them."""
        leading = (self.batch,) if self.batch else ()
        a, b = (self.m, self.k), (self.k, self.n)
        ta, tb = self.transposed
        return [leading + (a[::-1] if ta else a), leading + (b[::-1] if tb else b)]

    @property
    def stored(self) -> list[tuple[int, ...]]:
        factors = [1 + ("A" in self.flags), 1 + ("B" in self.flags)]
        return [(*s[:-1], s[-1] * f) for s, f in zip(self.shapes, factors, strict=True)]

    @property
    def operations(self) -> int:
        return 2 * self.m * self.n * self.k * max(1, self.batch)

    def operands(self) -> list[np.ndarray]:
        random = np.random.default_rng(0)
        return [random.standard_normal(shape, np.float32) for shape in self.stored]


P = Product
PRODUCTS = {
    "square": [P(n, n, n) for n in (48, 64, 100, 128, 200, 256, 384, 512, 768, 1000, 1024)],
    "transposed": [
        *(P(1024, 1024, 1024, flags) for flags in ("a", "b", "ab")),
        *(P(256, 256, 256, flags) for flags in ("a", "b")),
        *(P(500, 500, 500, flags) for flags in ("a", "b")),
    ],
    "layers": [
        *(
            P(128, 512, 784, "b"),
            P(128, 512, 512, "b"),
            P(128, 10, 512, "b"),
            P(512, 784, 128, "a"),
        ),
        *(P(512, 512, 128, "a"), P(10, 512, 128, "a"), P(128, 512, 512), P(128, 512, 10)),
        *(P(1024, 256, 256, "b"), P(1024, 1024, 256, "b"), P(256, 1024, 1024, "a")),
    ],
    "few rows": [
        *(P(1, 1024, 1024), P(1, 1024, 1024, "b"), P(2, 1024, 1024), P(4, 1024, 1024)),
        *(P(8, 1024, 1024), P(16, 1024, 1024), P(16, 1024, 1024, "b")),
    ],
    "few columns": [
        *(P(1024, 1, 1024), P(1024, 1, 1024, "a"), P(1024, 4, 1024), P(1024, 8, 1024)),
        *(P(1024, 16, 1024), P(1024, 16, 1024, "b")),
    ],
    "short sums": [P(1024, 1024, k) for k in (4, 16, 32)],
    "long sums": [P(16, 16, 65536), P(64, 64, 16384), P(32, 32, 4096, "a")],
    "ragged": [P(33, 1025, 65), P(127, 129, 131), P(257, 255, 253), P(1023, 1023, 1023)],
    "batched": [
        *(P(16, 16, 16, "", 256), P(64, 64, 64, "", 32), P(64, 64, 64, "b", 32)),
        *(P(128, 128, 64, "b", 64), P(128, 64, 128, "", 64)),
    ],
    "parts": [P(512, 512, 512, "A"), P(512, 512, 512, "B"), P(300, 300, 300, "AB")],
}
ALL = [product for group in PRODUCTS.values() for product in group]


def with_torch(threads: int) -> tuple[list[Callable[[], Any]], Callable[[Any], np.ndarray]]:
    import torch

    torch.set_num_threads(threads)

    def call(product: Product) -> Callable[[], Any]:
        operands = [torch.from_numpy(x) for x in product.operands()]
        a, b = (
            (x[..., : shape[-1]].transpose(-1, -2) if swap else x[..., : shape[-1]])
            for x, shape, swap in zip(operands, product.shapes, product.transposed, strict=True)
        )
        return lambda: torch.matmul(a, b)

    return [call(product) for product in ALL], lambda result: result.numpy()


def with_cellgrad(threads: int) -> tuple[list[Callable[[], Any]], Callable[[Any], np.ndarray]]:
    from cellgrad import _native

    _native.set_num_threads(threads)
    graph = _native.Graph("products")
    for i, product in enumerate(ALL):
        given = [
            ("float32", shape, name, "input", None, None)
            for shape, name in zip(product.stored, "ab", strict=True)
        ]
        entry = graph.function(f"p{i}", given, public=True)
        operands = []
        for x, stored, shape in zip(entry.args, product.stored, product.shapes, strict=True):
            if stored != shape:
                ones, zeros = [1] * len(shape), [0] * len(shape)
                part = {"starts": zeros, "limits": list(shape), "strides": ones}
                x = entry.create("cell.slice", [x], part, None, None)
            operands.append(x)
        ta, tb = product.transposed
        flags = {"transpose_a": ta, "transpose_b": tb}
        entry.ret([entry.create("cell.matmul", operands, flags, None, None)])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "products.so")
        _native.compile_graph(graph, path, "products", {"opt_level": 2})
        model = _native.Model(path)

    def call(i: int, product: Product) -> Callable[[], Any]:
        entry = model.entry(f"p{i}")
        buffers = [_native.TensorBuffer.from_object(x) for x in product.operands()]
        return lambda: entry(buffers)

    calls = [call(i, product) for i, product in enumerate(ALL)]
    return calls, lambda results: np.asarray(results[0])


def seconds(call: Callable[[], Any]) -> float:
    """The median time of a call among blocks of calls."""
    start = time.perf_counter()
    call()
    count = max(1, int(BLOCK / (time.perf_counter() - start)))
    blocks: list[float] = []
    while sum(blocks) * count < SLICE:
        start = time.perf_counter()
        for _ in range(count):
            call()
        blocks.append((time.perf_counter() - start) / count)
    return statistics.median(blocks)


def serve(side: str, threads: int) -> None:
    """Answers each number of a product with the time of a call, and a negative one with what it gives."""
    calls, numbers = {"torch": with_torch, "cellgrad": with_cellgrad}[side](threads)
    print("ready", flush=True)
    for line in sys.stdin:
        number = int(line)
        if number >= 0:
            print(seconds(calls[number]), flush=True)
            continue
        result = numbers(calls[-1 - number]()).astype(np.float64)
        print(json.dumps([result.sum(), np.abs(result).sum()]), flush=True)


class Side:
    """A process that multiplies; stopped while it is not asked."""

    def __init__(self, python: str, side: str, threads: int) -> None:
        processors = sorted(os.sched_getaffinity(0))[-threads:]
        # Both are on the same processors.
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "CELLGRAD_CACHE": "0"}
        self.process = subprocess.Popen(
            [python, __file__, "--serve", side, "--threads", str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=lambda: os.sched_setaffinity(0, processors),
        )
        self.answer()
        self.process.send_signal(signal.SIGSTOP)

    def answer(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} ended")
        return line

    def ask(self, number: int) -> Any:
        assert self.process.stdin
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        answer = json.loads(self.answer())
        self.process.send_signal(signal.SIGSTOP)
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def measured(
    python: str, threads: int, chosen: list[int], rounds: int
) -> dict[int, tuple[float, float, float]]:
    """Seconds of both, and the ratio of theirs to ours: 1 is as fast, more is faster."""
    sides = [Side(sys.executable, "cellgrad", threads), Side(python, "torch", threads)]
    found = {}
    for number in chosen:
        (ours, size), (theirs, _) = (side.ask(-1 - number) for side in sides)
        if not abs(ours - theirs) <= 1e-5 * size:
            raise SystemExit(f"{ALL[number].name}: the sum of the result is {ours}, not {theirs}")
        for side in sides:
            side.ask(number)  # warm
        pairs = []
        for r in range(rounds):
            order = (0, 1) if r % 2 == 0 else (1, 0)
            pair = {i: sides[i].ask(number) for i in order}
            pairs.append((pair[0], pair[1]))
        ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
        found[number] = ours, theirs, statistics.median(b / a for a, b in pairs)
    for side in sides:
        side.end()
    return found


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


def time_of(value: float) -> str:
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"


def table(found: list[dict[int, tuple[float, float, float]]], rounds: int) -> str:
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    lines = [
        f"{day}, {processor()}, medians of {rounds} rounds, on a machine that was shared with other work.",
        "",
        "| product | 1 thread | speed | 2 threads | speed | second thread |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    one, two = found
    for group, products in PRODUCTS.items():
        for product in products:
            number = ALL.index(product)
            if number not in one:
                continue
            a, b = one[number], two[number]
            lines.append(
                f"| {group}: {product.name} | {time_of(a[0])} | {a[2]:.2f} | {time_of(b[0])} | {b[2]:.2f} |"
                f" {a[0] / b[0]:.2f} |"
            )
    means, below = [], []
    for column in found:
        speeds = [entry[2] for entry in column.values()]
        means.append(f"{math.exp(statistics.fmean(map(math.log, speeds))):.2f}")
        below.append(str(sum(speed < WORST for speed in speeds)))
    lines.append(f"| geometric mean | | {means[0]} | | {means[1]} | |")
    lines.append(f"| below {WORST} | | {below[0]} | | {below[1]} | |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--torch", help="a Python that has torch")
    parser.add_argument("--only", default="", help="products whose group or name contains it")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="renew docs/figures.md")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.threads)
        return
    chosen = [
        ALL.index(product)
        for group, products in PRODUCTS.items()
        for product in products
        if options.only in f"{group}: {product.name}"
    ]
    found = [measured(options.torch, threads, chosen, options.rounds) for threads in (1, 2)]
    text = table(found, options.rounds)
    print(text)
    if options.write:
        head, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
