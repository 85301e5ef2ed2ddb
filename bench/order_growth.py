"""How the code of the n-th derivative grows, how long it takes to compile, and whether its numbers hold.

    python bench/order_growth.py [--write | --check | --times] [--jax PYTHON]

counts the ops of the derivatives of order 1 to 8 of five functions, by reverse mode nested in reverse
mode, forward in forward, and forward over one reverse, and compares their values with mpmath.
--jax names an interpreter with JAX: the equations of its jaxprs and what XLA leaves of them, for the
same functions, stand beside. --write renews the table in docs/derivatives.md, --times that of
compile times; --check fails where a count is above the one written there or a value is off.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import mpmath as mp
from growth_functions import FUNCTIONS, SCALAR, Function

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "derivatives.md"
BEGIN, END = "<!-- order growth: begin -->", "<!-- order growth: end -->"
TIMES = ("<!-- compile times: begin -->", "<!-- compile times: end -->")
ORDERS = range(1, 9)
MODES = {
    "reverse": "vjp of vjp of ...",
    "forward": "jvp of jvp of ...",
    "mixed": "jvp of ... of vjp",
}
POINT = 0.7
PATIENCE = 5  # seconds: no higher order is compiled after one that takes longer
mp.mp.dps = 40


def derivative(order, mode, public):
    reverse = mode == "reverse" or (mode == "mixed" and order == 1)
    seed, places = ("cotangents", "of [0] wrt [0]") if reverse else ("tangents", "wrt [0] of [0]")
    op = "cell.vjp" if reverse else "cell.jvp"
    return [
        f"func.func {'' if public else 'private '}@d{order}(%x: {SCALAR}) -> {SCALAR} {{",
        f"  %one = cell.constant dense<1.0> : {SCALAR}",
        f"  %0:2 = {op} @d{order - 1}(%x) {seed}(%one) {places}"
        f" : ({SCALAR}, {SCALAR}) -> ({SCALAR}, {SCALAR})",
        f"  return %0#1 : {SCALAR}",
        "}",
    ]


def module(function: Function, mode: str, highest: int) -> str:
    """All derivatives up to `highest`, which is public."""
    lines = [f"func.func private @d0(%x: {SCALAR}) -> {SCALAR} {{", *function.body, "}"]
    for order in range(1, highest + 1):
        lines += derivative(order, mode, order == highest)
    return "\n".join(lines)


def run(tool, *args, text):
    command = [str(Path(options.build) / "bin" / tool), *args]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def count_ops(text, name):
    """Ops of function `name` that are not constants."""
    body = re.search(rf"func\.func (?:private )?@{name}\(.*?\n  }}", text, re.S).group()
    return len([op for op in re.findall(r"\bcell\.(\w+)", body) if op != "constant"])


def measure(function):
    """Rows (mode, counts from order 0 on) and the largest relative error."""
    exact = list(mp.diffs(function.reference, mp.mpf(POINT), len(ORDERS)))
    rows, worst = [], 0.0
    for mode in MODES:
        out = run("cell-opt", "--cell-differentiate", text=module(function, mode, ORDERS[-1]))
        rows.append((mode, [count_ops(out, f"d{n}") for n in (0, *ORDERS)]))
        for order in ORDERS:
            printed = run(
                "cell-run", f"--entry=d{order}", f"--arg=dense<{POINT}> : {SCALAR}", text=out
            )
            value = float(printed.split()[-1])
            scale = max(abs(exact[order]), abs(exact[0]))
            worst = max(worst, float(abs(value - exact[order]) / scale))
    return rows, worst


def jax_rows(function):
    """Rows of JAX's counts, two for each mode."""
    question = {
        "f": function.jax,
        "arrays": {n: a.tolist() for n, a in function.arrays.items()},
        "modes": list(MODES),
        "orders": len(ORDERS),
        "at": POINT,
    }
    worker = Path(__file__).with_name("jaxpr_counts.py")
    made = subprocess.run(
        [options.jax, worker],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
    )
    for mode, counts in json.loads(made.stdout).items():
        jaxpr, xla = zip(*counts)
        yield f"{mode}, jaxpr", jaxpr
        yield f"{mode}, XLA", ["–" if n is None else n for n in xla]


def table():
    lines = ["| function | mode | " + " | ".join(f"order {n}" for n in (0, *ORDERS)) + " |"]
    lines.append("| --- | --- |" + " ---: |" * (len(ORDERS) + 1))
    errors = []
    for name, build in FUNCTIONS.items():
        function = build()
        rows, worst = measure(function)
        if options.jax:
            rows += jax_rows(function)
        errors.append((name, worst))
        lines += [f"| {name} | {mode} | {' | '.join(map(str, c))} |" for mode, c in rows]
    return lines, errors


def cpu_seconds():
    """What the processes we started have used: other work on the machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_times():
    """Milliseconds of cellc, from text to shared object, for the highest derivative alone."""
    lines = ["| function | mode | " + " | ".join(f"order {n}" for n in ORDERS) + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(ORDERS))
    with tempfile.TemporaryDirectory() as folder:
        for name, build in FUNCTIONS.items():
            function = build()
            for mode in MODES:
                row, best = [], 0.0
                for order in ORDERS:
                    if best > PATIENCE:
                        row.append("–")
                        continue
                    text, runs = module(function, mode, order), []
                    while not runs or (len(runs) < 3 and runs[0] < 1):
                        start = cpu_seconds()
                        run("cellc", "-", "-o", f"{folder}/d.so", "--name=d", text=text)
                        runs.append(cpu_seconds() - start)
                    best = min(runs)
                    row.append(f"{1e3 * best:.0f}")
                lines.append(f"| {name} | {mode} | {' | '.join(row)} |")
    return lines


def counts(lines):
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    return {(c[0], c[1]): [int(n) for n in c[2:]] for c in cells if c[1] in MODES}


def replaced(page, begin, end, lines):
    start, stop = page.index(begin) + len(begin), page.index(end)
    return page[:start] + "\n" + "\n".join(lines) + "\n" + page[stop:]


def main():
    if options.times:
        times = compile_times()
        print("\n".join(times))
        PAGE.write_text(replaced(PAGE.read_text(), *TIMES, times))
        return
    lines, errors = table()
    print("\n".join(lines))
    for name, worst in errors:
        print(f"{name}: largest relative error {worst:.1e}")
    failed = [f"{name} is off by {worst:.1e}" for name, worst in errors if worst > 1e-10]
    page = PAGE.read_text()
    if options.write:
        PAGE.write_text(replaced(page, BEGIN, END, lines))
    if options.check:
        written = counts(page[page.index(BEGIN) : page.index(END)].splitlines())
        for key, now in counts(lines).items():
            if any(a > b for a, b in zip(now, written[key])):
                failed.append(f"{' '.join(key)}: {now}, above {written[key]}")
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--jax", help="an interpreter that has JAX")
    parser.add_argument("--build", default=ROOT / "build")
    options = parser.parse_args()
    main()
