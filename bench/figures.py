"""Measures the figures of docs/figures.md: sizes, compile time, call overhead, GEMM beside numpy.

    python bench/figures.py [--write]

prints a table; --write puts it into the page. Times are the best of several runs, as a machine
that does something else only ever makes them longer.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["CELLGRAD_CACHE"] = "0"

import numpy as np
from threadpoolctl import threadpool_limits

import cellgrad as ms
from cellgrad import _native, nn, ops

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/figures.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
FIRST_RESULT = """
import time
start = time.perf_counter()
import cellgrad as ms
from cellgrad import ops
imported = time.perf_counter()
x = ms.Tensor(1.0)
ms.grad(lambda x: ops.sin(x) * ops.exp(x))(x)
print(imported - start, time.perf_counter() - imported)
"""
TRAINING = """
import time
import numpy as np
import cellgrad as ms
from cellgrad import nn
imported = time.process_time()
net = nn.SequentialCell(*[nn.Dense(32, 32, activation="tanh") for _ in range(50)])
x, y, loss = ms.Tensor(np.ones((8, 32), np.float32)), ms.Tensor(0.0), nn.MSELoss()
gradient = ms.value_and_grad(lambda x: loss(net(x), y), None, net.trainable_params())
optimizer = nn.Adam(net.trainable_params())
value, grads = gradient(x)
optimizer(grads)
print(time.process_time() - imported)
"""


def best(function: Callable[[], object], repeats: int, calls: int = 1) -> float:
    """Seconds a call takes in the best of `repeats` rounds of `calls`."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - start) / calls)
    return min(times)


def wave(x):
    return ops.sin(x) * ops.exp(x)


def first_result() -> list[tuple[str, str]]:
    runs = []
    # As users have it: the modules' bytecode is stored.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", FIRST_RESULT]
    for _ in range(5):
        out = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        runs.append([float(v) for v in out.stdout.split()])
    imported, compiled = (min(column) for column in zip(*runs, strict=True))
    return [
        ("`import cellgrad`", f"{1e3 * imported:.0f} ms"),
        ("first gradient of `sin(x) * exp(x)`: capture to result", f"{1e3 * compiled:.0f} ms"),
    ]


def start() -> list[tuple[str, str]]:
    """One training step of 50 layers in a new process: nothing stored, then all."""

    def run(folder: str) -> float:
        env = {**os.environ, "CELLGRAD_CACHE": "1", "CELLGRAD_CACHE_DIR": folder}
        command = [sys.executable, "-c", TRAINING]
        out = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        return float(out.stdout)

    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(run(folder))
            warm += [run(folder), run(folder)]
    return [
        ("first training step of 50 layers in a new process, CPU time", f"{min(cold):.2f} s"),
        ("... again, its code in the cache on disk", f"{min(warm):.2f} s"),
    ]


def capture(count: int = 1000) -> list[tuple[str, str]]:
    """Evaluating Python to IR, without compiling it."""

    def chain(x):
        for _ in range(count):
            x = x * 1.5
        return x

    x = ms.Tensor([1.0])

    def once() -> None:
        with tempfile.TemporaryDirectory() as folder:
            ms.export(chain, x, file_name=f"{folder}/m", value_and_grad=False, file_format="MLIR")

    return [("capture, an op", f"{1e6 * best(once, 5) / count:.0f} µs")]


def call_overhead() -> list[tuple[str, str]]:
    x = ms.Tensor(1.0)
    gradient = ms.grad(wave)
    gradient(x)
    many = [ms.Tensor(float(i)) for i in range(30)]
    total = ms.grad(lambda *a: sum(a[1:], a[0]))
    total(*many)
    return [
        (
            "call of a compiled scalar gradient",
            f"{1e9 * best(lambda: gradient(x), 20, 5000):.0f} ns",
        ),
        ("... with 30 arguments", f"{1e9 * best(lambda: total(*many), 20, 2000):.0f} ns"),
    ]


def gemm(n: int = 1024, rounds: int = 15) -> list[tuple[str, str]]:
    """Both in one process, one after the other, on one thread each."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((n, n), np.float32) for _ in range(2))
    out = np.empty_like(a)
    ta, tb = ms.Tensor(a), ms.Tensor(b)
    multiply = ms.jit(lambda x, y: ops.matmul(x, y))
    difference = np.abs(multiply(ta, tb).asnumpy() - a.astype(np.float64) @ b).max()
    assert difference < 1e-3, difference
    ours, theirs = [], []
    threads = ms.get_num_threads()
    ms.set_num_threads(1)
    with threadpool_limits(1):
        for _ in range(rounds):
            ours.append(best(lambda: multiply(ta, tb), 1))
            theirs.append(best(lambda: np.matmul(a, b, out=out), 1))
    ms.set_num_threads(threads)
    flops = 2 * n**3 / 1e9
    mine, numpys = flops / min(ours), flops / min(theirs)
    return [
        (f"float32 GEMM {n}³, one thread", f"{mine:.0f} GFLOP/s"),
        ("... numpy (OpenBLAS) in the same run, one thread", f"{numpys:.0f} GFLOP/s"),
        ("... ratio", f"{mine / numpys:.2f}"),
    ]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(64, 48, activation="tanh")
        self.out = nn.Dense(48, 10)

    def construct(self, x):
        return self.out(self.hidden(x))


def artifacts(folder: Path) -> list[tuple[str, str]]:
    def size(path: Path | str) -> str:
        n = os.path.getsize(path)
        return f"{n / 1e6:.1f} MB" if n >= 1e6 else f"{n / 1e3:.1f} kB"

    scalar = ms.export(wave, ms.Tensor(1.0), file_name=str(folder / "wave"))[0]
    net, x = Net(), ms.Tensor(np.zeros((64, 64), np.float32))
    start = time.perf_counter()
    dense = ms.export(net, x, file_name=str(folder / "net"))[0]
    seconds = time.perf_counter() - start
    return [
        ("compile and link a two-layer net, forward and gradient", f"{1e3 * seconds:.0f} ms"),
        ("`.so` of `sin(x) * exp(x)` and its gradient", size(scalar)),
        ("`.so` of that net and its gradient", size(dense)),
        ("extension module, the whole compiler inside", size(_native.__file__)),
        ("`cellc`", size(ROOT / "build/bin/cellc")),
    ]


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew the table of docs/figures.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            *first_result(),
            *start(),
            *capture(),
            *call_overhead(),
            *gemm(),
            *artifacts(Path(folder)),
        ]
    lines = [f"On {processor()}:", "", "| what | measured |", "| --- | ---: |"]
    lines += [f"| {what} | {figure} |" for what, figure in rows]
    table = "\n".join(lines)
    print(table)
    if options.write:
        head, rest = PAGE.read_text().split(BEGIN)
        tail = rest.split(END)[1]
        PAGE.write_text(f"{head}{BEGIN}\n{table}\n{END}{tail}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
