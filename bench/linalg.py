"""Times factorizations, solves and their gradients beside numpy, and JAX where there is one.

    python bench/linalg.py [--jax /path/to/python/with/jax] [--write]

prints the table of docs/figures.md; --write puts it into the page. float32, one thread each; the
time is the best of many rounds, as a machine that does something else only ever makes them longer.
numpy has no derivatives: its column is for values.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/figures.md"
BEGIN, END = "<!-- linalg: begin -->", "<!-- linalg: end -->"
SIZES = [(1, 64), (1, 256), (1000, 4)]
NAMES = ["cholesky", "solve", "inverse", "slogdet", "qr"]
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


def microseconds(function):
    """The time of a call in the best of many short rounds."""
    function()
    start = time.perf_counter()
    function()
    calls = max(1, int(0.003 / max(time.perf_counter() - start, 1e-7)))
    rounds = []
    for _ in range(100):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        rounds.append((time.perf_counter() - start) / calls)
    return min(rounds) * 1e6


def matrices(batch, n):
    """A regular and a positive definite matrix, weights for a scalar, a right-hand side."""
    import numpy as np

    rng = np.random.default_rng(0)
    a = rng.standard_normal((batch, n, n)) / n**0.5 + 2 * np.eye(n)
    s = a @ a.swapaxes(-1, -2)
    w, b = rng.standard_normal((batch, n, n)), rng.standard_normal((batch, n, 1))
    arrays = [x.astype("float32") for x in (a, s, w, b)]
    return [x[0] for x in arrays] if batch == 1 else arrays


def times_of_cellgrad(batch, n):
    import cellgrad as ms
    from cellgrad import ops

    values = {
        "cholesky": lambda a, s, w, b: ops.cholesky(s),
        "solve": lambda a, s, w, b: ops.matrix_solve(a, b),
        "inverse": lambda a, s, w, b: ops.inverse(a),
        "slogdet": lambda a, s, w, b: ops.slogdet(a)[1],
        "qr": lambda a, s, w, b: ops.qr(a)[0],
    }
    args = [ms.Tensor(x) for x in matrices(batch, n)]

    def gradient(name):
        def scalar(a, s, w, b):
            out = values[name](a, s, w, b)
            return (out * w).sum() if out.shape == w.shape else out.sum()

        return ms.grad(scalar, 1 if name == "cholesky" else 0)

    for name in NAMES:
        value, derivative = ms.jit(values[name]), gradient(name)
        yield microseconds(lambda f=value: f(*args)), microseconds(lambda f=derivative: f(*args))


def times_of_jax(batch, n):
    import jax
    import jax.numpy as jnp

    values = {
        "cholesky": lambda a, s, w, b: jnp.linalg.cholesky(s),
        "solve": lambda a, s, w, b: jnp.linalg.solve(a, b),
        "inverse": lambda a, s, w, b: jnp.linalg.inv(a),
        "slogdet": lambda a, s, w, b: jnp.linalg.slogdet(a)[1],
        "qr": lambda a, s, w, b: jnp.linalg.qr(a)[0],
    }
    args = [jnp.asarray(x) for x in matrices(batch, n)]

    def gradient(name):
        def scalar(a, s, w, b):
            out = values[name](a, s, w, b)
            return (out * w).sum() if out.shape == w.shape else out.sum()

        return jax.grad(scalar, 1 if name == "cholesky" else 0)

    for name in NAMES:
        value, derivative = jax.jit(values[name]), jax.jit(gradient(name))
        yield (
            microseconds(lambda f=value: f(*args).block_until_ready()),
            microseconds(lambda f=derivative: f(*args).block_until_ready()),
        )


def times_of_numpy(batch, n):
    import numpy as np

    a, s, _, b = matrices(batch, n)
    yield microseconds(lambda: np.linalg.cholesky(s)), None
    yield microseconds(lambda: np.linalg.solve(a, b)), None
    yield microseconds(lambda: np.linalg.inv(a)), None
    yield microseconds(lambda: np.linalg.slogdet(a)), None
    yield microseconds(lambda: np.linalg.qr(a)), None


def measured(python, library):
    """The times of a library, in a process of its own on one core."""
    command = [python, __file__, "--only", library]
    out = subprocess.run(
        command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=True
    )
    return json.loads(out.stdout)


def text_of(value):
    if value is None:
        return "-"
    return f"{value:.3g} µs" if value < 1000 else f"{value / 1000:.3g} ms"


def table(columns):
    lines = [
        "| matrices | | " + " | ".join(columns) + " |",
        "| --- | --- |" + " ---: |" * len(columns),
    ]
    for i, (batch, n) in enumerate(SIZES):
        shape = f"{n} x {n}" if batch == 1 else f"{batch} of {n} x {n}"
        for j, name in enumerate(NAMES):
            for k, what in enumerate((name, f"... gradient of {name}")):
                cells = [text_of(times[i][j][k]) for times in columns.values()]
                first = shape if j == k == 0 else ""
                lines.append(f"| {first} | {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jax", help="a Python that has JAX")
    parser.add_argument("--write", action="store_true", help="renew the table in docs/figures.md")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        times = globals()[f"times_of_{options.only}"]
        print(json.dumps([list(times(batch, n)) for batch, n in SIZES]))
        return
    columns = {"numpy": measured(sys.executable, "numpy")}
    if options.jax:
        columns["JAX"] = measured(options.jax, "jax")
    columns["cellgrad"] = measured(sys.executable, "cellgrad")
    text = table(columns)
    print(text, end="")
    if options.write:
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        PAGE.write_text(before + BEGIN + "\n" + text + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
