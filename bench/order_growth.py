"""How the code of the n-th derivative grows, and whether its numbers hold.

    python bench/order_growth.py [--write | --check]

counts the ops of the derivatives of order 1 to 6 of two functions, by reverse mode nested in
reverse mode, forward in forward, and forward over one reverse, and compares their values with
mpmath. --write renews the table in docs/derivatives.md; --check fails where a count is above the
one written there or a value is off.
"""

import argparse
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import mpmath as mp
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "derivatives.md"
BEGIN, END = "<!-- order growth: begin -->", "<!-- order growth: end -->"
ORDERS = range(1, 7)
MODES = {
    "reverse": "vjp of vjp of ...",
    "forward": "jvp of jvp of ...",
    "mixed": "jvp of ... of vjp",
}
HIDDEN, POINT = 16, 0.7
SCALAR = "tensor<f64>"
mp.mp.dps = 40


def dense(array):
    return "dense<" + str(np.asarray(array).tolist()) + ">"


def sin_exp():
    body = [
        f"%0 = cell.sin %x : {SCALAR}",
        f"%1 = cell.exp %x : {SCALAR}",
        f"%2 = cell.mul %0, %1 : {SCALAR}",
        f"return %2 : {SCALAR}",
    ]
    return body, lambda x: mp.sin(x) * mp.exp(x)


def mlp():
    """A scalar through three tanh layers of HIDDEN units and a linear one."""
    draw = np.random.default_rng(0)
    sizes = [1, HIDDEN, HIDDEN, HIDDEN, 1]
    weights = [draw.uniform(-1, 1, s) / s[0] ** 0.5 for s in pairwise(sizes)]
    body, value = [f"%h0 = cell.reshape %x : {SCALAR} -> tensor<1x1xf64>"], "%h0"
    for i, w in enumerate(weights):
        rows, columns = w.shape
        out = f"tensor<1x{columns}xf64>"
        body += [
            f"%w{i} = cell.constant {dense(w)} : tensor<{rows}x{columns}xf64>",
            f"%z{i} = cell.matmul {value}, %w{i} : "
            f"(tensor<1x{rows}xf64>, tensor<{rows}x{columns}xf64>) -> {out}",
        ]
        value = f"%z{i}"
        if i + 1 < len(weights):
            body.append(f"%t{i} = cell.tanh {value} : {out}")
            value = f"%t{i}"
    body += [f"%y = cell.reshape {value} : tensor<1x1xf64> -> {SCALAR}", f"return %y : {SCALAR}"]
    exact = [mp.matrix(w.tolist()) for w in weights]

    def reference(x):
        h = mp.matrix([[x]])
        for i, w in enumerate(exact):
            h = h * w
            if i + 1 < len(exact):
                h = h.apply(mp.tanh)
        return h[0]

    return body, reference


FUNCTIONS = {"sin(x) exp(x)": sin_exp, "MLP": mlp}


def derivative(order, mode):
    reverse = mode == "reverse" or (mode == "mixed" and order == 1)
    seed, places = ("cotangents", "of [0] wrt [0]") if reverse else ("tangents", "wrt [0] of [0]")
    op = "cell.vjp" if reverse else "cell.jvp"
    visibility = "" if order == ORDERS[-1] else "private "
    return [
        f"func.func {visibility}@d{order}(%x: {SCALAR}) -> {SCALAR} {{",
        f"  %one = cell.constant dense<1.0> : {SCALAR}",
        f"  %0:2 = {op} @d{order - 1}(%x) {seed}(%one) {places}"
        f" : ({SCALAR}, {SCALAR}) -> ({SCALAR}, {SCALAR})",
        f"  return %0#1 : {SCALAR}",
        "}",
    ]


def run(tool, *args, text):
    command = [str(Path(options.build) / "bin" / tool), *args]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def count_ops(text, name):
    """Ops of function `name` that are not constants."""
    body = re.search(rf"func\.func (?:private )?@{name}\(.*?\n  }}", text, re.S).group()
    return len([op for op in re.findall(r"\bcell\.(\w+)", body) if op != "constant"])


def measure(build):
    """Rows (mode, counts from order 0 on) and the largest relative error."""
    body, reference = build()
    head = [f"func.func private @d0(%x: {SCALAR}) -> {SCALAR} {{", *("  " + b for b in body), "}"]
    exact = list(mp.diffs(reference, mp.mpf(POINT), len(ORDERS)))
    rows, worst = [], 0.0
    for mode in MODES:
        lines = list(head)
        for order in ORDERS:
            lines += derivative(order, mode)
        text = "\n".join(lines)
        out = run("cell-opt", "--cell-differentiate", text=text)
        rows.append((mode, [count_ops(out, f"d{n}") for n in (0, *ORDERS)]))
        for order in ORDERS:
            printed = run(
                "cell-run",
                f"--entry=d{order}",
                "--passes=cell-differentiate",
                f"--arg=dense<{POINT}> : {SCALAR}",
                text=text,
            )
            value = float(printed.split()[-1])
            worst = max(worst, float(abs(value - exact[order]) / abs(exact[order])))
    return rows, worst


def table():
    lines = ["| function | mode | " + " | ".join(f"order {n}" for n in (0, *ORDERS)) + " |"]
    lines.append("| --- | --- |" + " ---: |" * (len(ORDERS) + 1))
    errors = []
    for name, build in FUNCTIONS.items():
        rows, worst = measure(build)
        errors.append((name, worst))
        lines += [f"| {name} | {mode} | {' | '.join(map(str, c))} |" for mode, c in rows]
    return lines, errors


def counts(lines):
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    return {(c[0], c[1]): [int(n) for n in c[2:]] for c in cells if c[-1].isdigit()}


def main():
    lines, errors = table()
    print("\n".join(lines))
    for name, worst in errors:
        print(f"{name}: largest relative error {worst:.1e}")
    failed = [f"{name} is off by {worst:.1e}" for name, worst in errors if worst > 1e-10]
    page = PAGE.read_text()
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    if options.write:
        PAGE.write_text(page[:start] + "\n" + "\n".join(lines) + "\n" + page[end:])
    if options.check:
        written = counts(page[start:end].splitlines())
        for key, now in counts(lines).items():
            if any(a > b for a, b in zip(now, written[key])):
                failed.append(f"{' '.join(key)}: {now}, above {written[key]}")
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", default=ROOT / "build")
    options = parser.parse_args()
    main()
