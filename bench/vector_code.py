"""Counts the loops of compiled code that compute with vectors, and those that compute with scalars, on two machines.

    python bench/vector_code.py [NAME ...] [--target=aarch64] [--beside=x86-64-v3] [--list] [--write]

Looked at is the assembly of innermost loops with floating-point arithmetic: the value and gradient of every
elementwise op (1003 float32 numbers), and whole programs. A loop is scalar if none of its arithmetic is on vectors.
Those that are on both machines are tails and recurrences; --list names functions that have more of them on the
first, and loops that compute with both. --write renews the table in docs/figures.md.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import cellgrad as ms
from cellgrad import nn, ops

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/figures.md"
BEGIN, END = "<!-- vector code: begin -->", "<!-- vector code: end -->"

LABEL = re.compile(r"^(\.L\w+):")
FUNCTION = re.compile(r"^(\w[\w.$]*):")
TARGET = re.compile(r"(\.LBB\w+)$")
SCALAR = {
    "aarch64": re.compile(
        r"\tf(n?m?(add|sub)|n?mul|div|sqrt|abd|(min|max)(nm)?|rint\w)\t[shd]\d+, [shd]\d"
    ),
    "x86": re.compile(r"\tv?(add|sub|mul|div|sqrt|min|max|round|fn?m(add|sub)\d+)s[sd]\t"),
}
VECTOR = {
    "aarch64": re.compile(
        r"\tf(ml[as]|add|sub|mul|div|sqrt|abd|(min|max)(nm)?|rint\w)\tv\d+\.\d[shd]"
    ),
    "x86": re.compile(r"\tv?(add|sub|mul|div|sqrt|min|max|round|fn?m(add|sub)\d+)p[sd]\t"),
}


def loops(text):
    """The lines of each innermost loop of assembly, with the name of its function."""
    function, lines, labels, found = "", [], {}, []
    for line in text.splitlines():
        if match := FUNCTION.match(line):
            yield from innermost(function, lines, found)
            function, lines, labels, found = match[1], [], {}, []
        elif match := LABEL.match(line):
            labels[match[1]] = len(lines)
        elif line.startswith("\t") and not line.startswith("\t."):
            lines.append(line.split("//")[0].split("#")[0].rstrip())
            target = TARGET.search(lines[-1])
            if target and target[1] in labels:
                found.append((labels[target[1]], len(lines)))
    yield from innermost(function, lines, found)


def innermost(function, lines, found):
    for first, end in found:
        if not any(first <= a and b <= end and (a, b) != (first, end) for a, b in found):
            yield function, lines[first:end]


def kind(body, machine):
    """What a loop computes with: "vector", "scalar", "both" or, without arithmetic, None."""
    vector = any(VECTOR[machine].match(line) for line in body)
    scalar = any(SCALAR[machine].match(line) for line in body)
    return "both" if vector and scalar else "vector" if vector else "scalar" if scalar else None


def counted(source, target, folder):
    """How many loops of each kind each function of a program has."""
    out = folder / "m.so"
    command = [ROOT / "build/bin/cellc", source, "-o", out, "--name=m", "--emit=s"]
    subprocess.run([*command, f"--target={target}"], check=True)
    machine = "x86" if target.startswith("x86") else "aarch64"
    found = Counter()
    for function, body in loops((folder / "m.s").read_text()):
        found[function, kind(body, machine)] += 1
    return found


# --- programs -----------------------------------------------------------------------------------


def elementwise():
    """The value and gradient of each elementwise op of floats that has a derivative, as functions of a module each."""
    kind = "tensor<1003xf32>"
    for record in json.loads((ROOT / "build/dialect/records.json").read_text()):
        if not record["elementwise"] or record["derivative"] in ("zero", "none"):
            continue
        names = [f"%{i}" for i in range(len(record["operands"]))]
        if record["op"] in ("cell.select", "cell.polygamma", "cell.cast"):
            continue
        args = ", ".join(f"{name}: {kind}" for name in names)
        kinds = ", ".join([kind] * len(names))
        places = ", ".join(str(i) for i in range(len(names)))
        all_of = ", ".join([kind] * (len(names) + 1))
        gradients = ", ".join(f"%r#{i + 1}" for i in range(len(names)))
        yield (
            record["op"].removeprefix("cell."),
            f"""
func.func private @f({args}) -> {kind} {{
  %r = {record["op"]} {", ".join(names)} : {kind}
  return %r : {kind}
}}
func.func @value({args}) -> {kind} {{
  %r = call @f({", ".join(names)}) : ({kinds}) -> {kind}
  return %r : {kind}
}}
func.func @gradient({args}, %ct: {kind}) -> ({kinds}) {{
  %r:{len(names) + 1} = cell.vjp @f({", ".join(names)}) cotangents(%ct) of [0] wrt [{places}] : ({kinds}, {kind}) -> ({all_of})
  return {gradients} : {kinds}
}}
""",
        )


def tensor(*shape, dtype=ms.float32):
    return ms.Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32), dtype)


def classifier(net, *shape, optimizer=nn.Adam):
    """A training step, as export takes it."""
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, optimizer(net.trainable_params(), 1e-3))
    x, label = tensor(*shape), ms.Tensor(np.arange(shape[0]) % 10, ms.int32)
    return net, [x], {"step": (step, x, label), "value_and_grad": False}


def convolutions():
    return nn.SequentialCell(
        *(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2, 2)),
        *(nn.Conv2d(16, 32, 3, group=4), nn.GELU(), nn.AvgPool2d(2, 2), nn.Flatten()),
        nn.Dense(32 * 8 * 8, 10),
    )


def recurrent():
    net = nn.LSTM(24, 40)
    return lambda x: ops.square(net(x)[0]).mean()


def normalised():
    norm = nn.LayerNorm((100,))
    return lambda x: (ops.softmax(norm(x), -1) * ops.gelu(x)).sum()


def mixture(x, means, spreads):
    distance = ops.square((x[:, None, :] - means) * ops.exp(spreads)).sum(-1)
    return ops.logsumexp(spreads.sum(-1) - 0.5 * distance, -1).sum()


def process(x, scale):
    distance = ops.square(x[:, None, :] - x).sum(-1)
    covariance = ops.exp(-0.5 * distance * scale) + ops.eye(48, 48, x.dtype)
    factor = ops.cholesky(covariance)
    return ops.log(ops.diagonal(factor)).sum() + ops.square(ops.cholesky_solve(x, factor)).sum()


def spectrum(x):
    return ops.square(ops.abs(ms.ops.rfft(x))).sum()


def oscillator(x):
    for _ in range(4):
        x = x + 0.01 * ops.sin(x) * ops.tanh(x)
    return x.sum()


PROGRAMS = {
    "perceptron, Adam": lambda: classifier(
        nn.SequentialCell(nn.Dense(60, 70, activation="relu"), nn.Dense(70, 10)), 32, 60
    ),
    "convolutions, batch norm, pooling, Momentum": lambda: classifier(
        convolutions(), 8, 3, 32, 32, optimizer=lambda p, rate: nn.Momentum(p, rate, 0.9)
    ),
    "transformer block": lambda: (
        nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0),
        [tensor(20, 4, 32)],
        {},
    ),
    "LSTM": lambda: (recurrent(), [tensor(12, 8, 24)], {}),
    "layer norm, softmax, GELU": lambda: (normalised(), [tensor(50, 100)], {}),
    "mixture of Gaussians, float64": lambda: (
        mixture,
        [tensor(*s, dtype=ms.float64) for s in ((100, 5), (6, 5), (6, 5))],
        {},
    ),
    "Gaussian process": lambda: (process, [tensor(48, 3), tensor(1)], {}),
    "Fourier transform": lambda: (spectrum, [tensor(64, 60)], {}),
    "cumulative sums and products": lambda: (
        lambda x: (ops.cumsum(x, 1) * ops.cumprod(x, 0)).sum(),
        [tensor(50, 60)],
        {},
    ),
    "oscillator, bfloat16": lambda: (oscillator, [tensor(1000, dtype=ms.bfloat16)], {}),
    "oscillator, float16": lambda: (oscillator, [tensor(1000, dtype=ms.float16)], {}),
}


def sources(folder):
    """Name, kind and file of each program."""
    for name, text in elementwise():
        path = folder / f"{name}.mlir"
        path.write_text(text)
        yield name, "elementwise", path
    for number, (name, make) in enumerate(PROGRAMS.items()):
        net, inputs, options = make()
        stem = folder / f"program{number}"
        ms.export(net, *inputs, file_name=str(stem), file_format="MLIR", **options)
        yield name, "program", stem.with_suffix(".mlir")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--target", default="aarch64")
    parser.add_argument("--beside", default="x86-64-v3")
    parser.add_argument("--list", action="store_true", help="the functions that differ")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, group, path in sources(Path(folder)):
            if given.names and name not in given.names:
                continue
            here, there = (
                counted(path, target, Path(folder)) for target in (given.target, given.beside)
            )
            row = "elementwise ops, value and gradient" if group == "elementwise" else name
            rows.setdefault(row, [Counter(), Counter()])
            for total, found in zip(rows[row], (here, there), strict=True):
                for (_, kind_), count in found.items():
                    total[kind_] += count
            for function, kind_ in here if given.list else ():
                more = here[function, kind_] - there[function, kind_]
                if kind_ in ("scalar", "both") and more > 0:
                    print(f"{name}: @{function} has {more} more that are {kind_}", file=sys.stderr)
    table = [
        f"| program | {given.target}: vectors | both | scalars | {given.beside}: vectors | both | scalars |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row, totals in rows.items():
        cells = [str(total[k]) for total in totals for k in ("vector", "both", "scalar")]
        table.append(f"| {row} | {' | '.join(cells)} |")
    print("\n".join(table))
    if given.write:
        before, rest = PAGE.read_text().split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(table) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
