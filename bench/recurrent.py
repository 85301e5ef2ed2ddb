"""Times an LSTM, and its gradient, beside PyTorch and JAX where there are some.

    python bench/recurrent.py [--torch /path/to/python] [--jax /path/to/python] [--write]

prints the table of docs/figures.md; --write puts it into the page. One layer, batch 32, 128 features in and out,
float32, the sum of the squares of all outputs and its gradient by input and weights. One thread each; processor
time of the process, the best of many calls. PyTorch is eager (its kernel for a whole layer), JAX is
`lax.scan` under `jit` with the input's product outside of it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/figures.md"
BEGIN, END = "<!-- recurrent: begin -->", "<!-- recurrent: end -->"
STEPS, BATCH, WIDTH = (16, 64, 256), 32, 128


def milliseconds(function):
    """The least processor time of a call."""
    function()
    rounds = []
    for _ in range(12):
        start = time.process_time()
        function()
        rounds.append(time.process_time() - start)
    return min(rounds) * 1e3


def sequence(steps):
    import numpy as np

    return np.random.default_rng(0).standard_normal((steps, BATCH, WIDTH)).astype("float32")


def times_of_cellgrad(steps):
    import cellgrad as ms
    from cellgrad import nn, ops

    net, x = nn.LSTM(WIDTH, WIDTH), ms.Tensor(sequence(steps))

    def loss(x):
        return ops.sum(ops.square(net(x)[0]))

    value, gradient = ms.jit(loss), ms.value_and_grad(loss, 0, net.trainable_params())
    return milliseconds(lambda: value(x)), milliseconds(lambda: gradient(x))


def times_of_torch(steps):
    import torch

    torch.set_num_threads(1)
    net, x = torch.nn.LSTM(WIDTH, WIDTH), torch.tensor(sequence(steps), requires_grad=True)

    def value():
        with torch.no_grad():
            return (net(x)[0] ** 2).sum()

    def gradient():
        net.zero_grad()
        x.grad = None
        (net(x)[0] ** 2).sum().backward()

    return milliseconds(value), milliseconds(gradient)


def times_of_jax(steps):
    import jax
    import jax.numpy as jnp
    import numpy as np

    random, size = np.random.default_rng(0), 4 * WIDTH
    shapes = ((WIDTH, size), (WIDTH, size), (size,), (size,))
    w = [jnp.asarray(random.uniform(-0.09, 0.09, s).astype("float32")) for s in shapes]
    x = jnp.asarray(sequence(steps))

    def loss(w, x):
        def step(state, of_input):
            h, c = state
            i, f, g, o = jnp.split(of_input + h @ w[1], 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((BATCH, WIDTH))
        return (jax.lax.scan(step, (zeros, zeros), x @ w[0] + w[2] + w[3])[1] ** 2).sum()

    value, gradient = jax.jit(loss), jax.jit(jax.value_and_grad(loss, (0, 1)))
    return (
        milliseconds(lambda: jax.block_until_ready(value(w, x))),
        milliseconds(lambda: jax.block_until_ready(gradient(w, x))),
    )


def measured(python, library):
    """The times of a library, in a process of its own on one core."""
    command = ["taskset", "-c", "0", python, __file__, "--only", library]
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    env = {**os.environ, "OMP_NUM_THREADS": "1", "XLA_FLAGS": flags}
    out = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def table(columns):
    lines = [
        "| steps | | " + " | ".join(columns) + " |",
        "| --- | --- |" + " ---: |" * len(columns),
    ]
    for i, steps in enumerate(STEPS):
        for k, what in enumerate(("value", "value and gradient")):
            cells = [f"{times[i][k]:.3g} ms" for times in columns.values()]
            lines.append(f"| {'' if k else steps} | {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--torch", help="a Python with PyTorch")
    parser.add_argument("--jax", help="a Python with JAX")
    parser.add_argument("--write", action="store_true", help="renew docs/figures.md")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        times = globals()[f"times_of_{options.only}"]
        print(json.dumps([times(n) for n in STEPS]))
        return
    columns = {}
    if options.torch:
        columns["PyTorch"] = measured(options.torch, "torch")
    if options.jax:
        columns["JAX"] = measured(options.jax, "jax")
    columns["cellgrad"] = measured(sys.executable, "cellgrad")
    text = table(columns)
    print(text)
    if options.write:
        page = PAGE.read_text()
        head, tail = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(f"{page[:head]}\n{text}{page[tail:]}")


if __name__ == "__main__":
    main()
