"""What one more use of each elementary function costs to compile.

    python bench/math_compile.py [--write]

compiles chains of one and of 21 of a function with cellc: the CPU time of the longer less that of the
shorter, divided by 20. Vectors are tensors of 1024 elements. --write renews the table in
docs/math-accuracy.md, which has the ten that take longest.
"""

import argparse
import resource
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "math-accuracy.md"
MARK = "<!-- table of bench/math_compile.py -->"
UNARY = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "gaussian",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "rsqrt",
    "sech_squared",
    "sigmoid",
    "sigmoid_slope",
    "sin",
    "sinh",
    "softplus",
    "tan",
    "tanh",
]
BINARY = ["atan2", "floor_mod", "hypot", "pow"]
KINDS = {
    "f32 vectors": "tensor<1024xf32>",
    "f32 scalars": "tensor<f32>",
    "f64 vectors": "tensor<1024xf64>",
    "f64 scalars": "tensor<f64>",
}
USES = 20


def chain(op: str, kind: str, uses: int) -> str:
    lines, value = [f"func.func @f(%x: {kind}, %y: {kind}) -> {kind} {{"], "%x"
    for i in range(uses):
        operands = f"{value}, %y" if op in BINARY else value
        lines.append(f"  %{i} = cell.{op} {operands} : {kind}")
        value = f"%{i}"
    return "\n".join([*lines, f"  return {value} : {kind}", "}"])


def cpu_seconds(cellc: Path, text: str, folder: str) -> float:
    """User and system time of the compiler, the best of three runs."""
    runs = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([cellc, "-", "-o", f"{folder}/f.so"], input=text, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"renew the table of {PAGE.name}")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    options = parser.parse_args()
    cellc = options.build / "bin" / "cellc"
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        for op in UNARY + BINARY:
            costs[op] = [
                50
                * (
                    cpu_seconds(cellc, chain(op, kind, 1 + USES), folder)
                    - cpu_seconds(cellc, chain(op, kind, 1), folder)
                )
                for kind in KINDS.values()
            ]
    lines = [f"| ms a use | {' | '.join(KINDS)} |", "| --- |" + " ---: |" * len(KINDS)]
    for op in sorted(costs, key=lambda op: -max(costs[op]))[:10]:
        lines.append(f"| {op} | {' | '.join(f'{max(ms, 0):.1f}' for ms in costs[op])} |")
    print("\n".join(lines))
    if options.write:
        before, _, after = PAGE.read_text().split(MARK)
        PAGE.write_text(before + "\n".join([MARK, "", *lines, MARK]) + after)


if __name__ == "__main__":
    main()
