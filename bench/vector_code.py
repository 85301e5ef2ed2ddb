"""Counts the loops of compiled code that compute with vectors, and those that compute with scalars, on two machines.

    python bench/vector_code.py [NAME ...] [--target=aarch64] [--beside=x86-64-v3] [--list] [--write]

Looked at is the assembly of innermost loops with floating-point arithmetic: the value and gradient of every
elementwise op (1003 numbers), and whole programs. A loop is scalar if most of its arithmetic instructions are: so are
recurrences. It calls if it calls a function of libm for each element. --list names functions with more of both than
on the other machine. --write renews the table in docs/figures.md.
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
CALL = re.compile(r"\t(?:bl|callq)\t\*?(\w+)")
OF_LIBM = re.compile(
    r"(a?(sin|cos|tan)h?|atan2|cbrt|erfc?|exp[2m]?1?|fma|fmod|hypot|log(2|10|1p)?|pow|remainder)f?$"
)
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
            lines.append(line.rstrip())
            target = TARGET.search(lines[-1])
            if target and target[1] in labels:
                found.append((labels[target[1]], len(lines)))
    yield from innermost(function, lines, found)


def innermost(function, lines, found):
    for first, end in found:
        if not any(first <= a and b <= end and (a, b) != (first, end) for a, b in found):
            yield function, lines[first:end]


def kind(body, machine):
    """How a loop computes: "vector", "scalar", "call", or None where it does not, or calls another loop."""
    called = [match[1] for line in body if (match := CALL.match(line))]
    if called:
        return "call" if all(OF_LIBM.match(name) for name in called) else None
    vector = sum(bool(VECTOR[machine].match(line)) for line in body)
    scalar = sum(bool(SCALAR[machine].match(line)) for line in body)
    return None if vector + scalar == 0 else "scalar" if scalar > vector else "vector"


def counted(source, target, folder):
    """How many loops of each kind each function of a program has."""
    out = folder / "m.s"
    command = [ROOT / "build/bin/cellc", source, "-o", out, "--name=m", "--emit=s"]
    subprocess.run([*command, f"--target={target}"], check=True)
    machine = "x86" if target.startswith("x86") else "aarch64"
    found = Counter()
    for function, body in loops(out.read_text()):
        found[function, kind(body, machine)] += 1
    return found


# --- programs -----------------------------------------------------------------------------------


def elementwise():
    """A module for each elementwise op with a derivative, and each of two dtypes: its value, and its gradient."""
    for record in json.loads((ROOT / "build/dialect/records.json").read_text()):
        if not record["elementwise"] or record["derivative"] in ("zero", "none"):
            continue
        op = record["op"].removeprefix("cell.")
        flags = [operand["kind"] == "bool" for operand in record["operands"]]
        for dtype in ("f32", "f64"):
            yield f"{op}, {dtype}", module(op, f"tensor<1003x{dtype}>", flags)


def module(op, kind, flags):
    """The value and the gradient of an op; `flags` are true for operands that are bools."""
    names = ", ".join(f"%x{i}" for i in range(len(flags)))
    kinds = ["tensor<1003xi1>" if flag else kind for flag in flags]
    args = ", ".join(f"%x{i}: {k}" for i, k in enumerate(kinds))
    wrt = [i for i, flag in enumerate(flags) if not flag]
    gradients = ", ".join([kind] * len(wrt))
    return f"""
func.func private @f({args}) -> {kind} {{
  %r = cell.{op} {names} : {kind}
  return %r : {kind}
}}
func.func @value({args}) -> {kind} {{
  %r = call @f({names}) : ({", ".join(kinds)}) -> {kind}
  return %r : {kind}
}}
func.func @gradient({args}, %ct: {kind}) -> ({gradients}) {{
  %r:{len(wrt) + 1} = cell.vjp @f({names}) cotangents(%ct) of [0] wrt {wrt} : ({", ".join([*kinds, kind])}) -> ({", ".join([kind] * (len(wrt) + 1))})
  return {", ".join(f"%r#{i + 1}" for i in range(len(wrt)))} : {gradients}
}}
"""


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


def factors(x):
    q, r = ops.qr(x)
    return (q * x).sum() + ops.square(r).sum() + ops.svd(x, compute_uv=False).sum()


def process(x, scale):
    distance = ops.square(x[:, None, :] - x).sum(-1)
    covariance = ops.exp(-0.5 * distance * scale) + ops.eye(48, 48, x.dtype)
    factor = ops.cholesky(covariance)
    return ops.log(ops.diagonal(factor)).sum() + ops.square(ops.cholesky_solve(x, factor)).sum()


def spectrum(x):
    return ops.square(ops.abs(ops.rfft(x))).sum()


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
    "QR, singular values": lambda: (factors, [tensor(40, 40)], {}),
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
        path = folder / f"{name.replace(', ', '-')}.mlir"
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
            if given.names and name.split(", ")[0] not in given.names:
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
                if kind_ in ("scalar", "call") and more > 0:
                    print(f"{name}: {more} {kind_} more in @{function}", file=sys.stderr)
    table = [
        f"| program | {given.target}: vector loops | scalar | calls | {given.beside}: vector loops | scalar | calls |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row, totals in rows.items():
        cells = [str(total[k]) for total in totals for k in ("vector", "scalar", "call")]
        table.append(f"| {row} | {' | '.join(cells)} |")
    print("\n".join(table))
    if given.write:
        before, rest = PAGE.read_text().split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(table) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
