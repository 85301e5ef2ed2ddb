"""Plants mistakes in what derivative rules written in C++ build, and sees whether a test notices.

    python tools/mutate/written.py [--ops lu,conv] [--write]

The rules of factorizations, windows, indices, branches and loops are C++ beside the verifier, which
mutate.py cannot change. Here a scratch copy of the differentiation pass changes what such a rule has
built, one op at a time: a sign turned, an op replaced by one of its operands (which drops the other
term or factor), a flag turned (transpose, lower, ...), a cotangent or tangent dropped. Each op's own
test runs on each of its mutants: its lines that execute numbers alone. --write puts the score into
docs/derivatives.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from mutate import BUILD, LLVM, PAGE, ROOT, link, replaced, run_lines
from tqdm import tqdm

BEGIN, END = "<!-- written mutants: begin -->", "<!-- written mutants: end -->"
PASS = ROOT / "passes" / "autodiff"
# Calls in the pass, and what stands around them in the scratch copy.
SITES = {
    "Reverse.cpp": [
        ("differentiable.buildVJP(builder, incoming, wanted, outgoing)", "vjp", "outgoing"),
        ("buildIfAdjoint(builder, choice, primal, activity, cotangents)", "vjp", "{}"),
        ("buildLoopAdjoint(builder, *loop, primal, activity, cotangents)", "vjp", "{}"),
    ],
    "Forward.cpp": [
        ("differentiable.buildJVP(builder, incoming, outgoing)", "jvp", "outgoing"),
        ("buildIfTangent(builder, choice, primal, activity, tangents)", "jvp", "{}"),
        ("buildLoopTangent(builder, *loop, primal, activity, tangents)", "jvp", "{}"),
    ],
}
CONTROL_FLOW = ROOT / "test" / "autodiff" / "control-flow.mlir"
SECONDS = 20  # that a test may take: a loop may have lost its end


def written() -> list[str]:
    """The ops whose rules are C++."""
    table = json.loads((BUILD / "dialect" / "records.json").read_text())
    return [r["op"] for r in table if r["derivative"] == "custom"] + [
        "scf.if",
        "scf.for",
        "scf.while",
    ]


def lines_of(op: str) -> list[str]:
    dialect, name = op.split(".")
    return run_lines(name) if dialect == "cell" else run_lines(name, CONTROL_FLOW)


def build(folder: Path) -> None:
    """A cell-run in which CELL_MISTAKE changes what rules build."""
    (folder / "bin").mkdir()
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    objects = []
    for name, sites in SITES.items():
        text = '#include "tools/mutate/Mistakes.h"\n' + (PASS / name).read_text()
        for call, mode, results in sites:
            assert text.count(call) == 1, f"{name} does not say {call}"
            rule = f"[&] {{ return {call}; }}"
            plant = f'mistakes::plant("{mode}", op, builder, {results}, {rule})'
            text = text.replace(call, plant)
        source, made = folder / name, folder / f"{name}.o"
        source.write_text(text)
        command = next(c["command"] for c in commands if c["file"].endswith(f"autodiff/{name}"))
        command = re.sub(r" -o \S+", f" -o {made}", command).replace(str(PASS / name), str(source))
        subprocess.run(command, shell=True, check=True, cwd=BUILD)
        objects.append(str(made))
    link(objects, folder)


def run(line: str, mistake: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder / "bin"), str(LLVM / "bin"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "CELL_MISTAKE": mistake}
    shell = ["bash", "-c", f"set -o pipefail; ulimit -t {SECONDS}; {line}"]
    return subprocess.run(shell, env=environment, capture_output=True, text=True)


def mistakes(op: str, folder: Path) -> dict[str, str]:
    """The names of all mistakes in what the rule of `op` builds in its test, and the ops changed."""
    found = {}
    for line in lines_of(op):
        evaluated = line.split(" | ")[0]
        for name, text in re.findall(
            r"^mistake: (.*) \| (.*)$", run(evaluated, "list", folder).stderr, re.M
        ):
            if name.split()[1] == op:
                found[name] = text
    return found


def report(found: dict[str, str], caught: set[str]) -> list[str]:
    by_op = defaultdict(list)
    for name in found:
        by_op[name.split()[1]].append(name)
    lines = [
        f"{len(found)} mutants of the rules of {len(by_op)} ops: **{len(caught)} are noticed** by the numbers of the "
        "op's own test.",
        "",
        "| op | mutants | noticed |",
        "| --- | ---: | ---: |",
    ]
    for op, names in sorted(by_op.items()):
        lines.append(f"| `{op}` | {len(names)} | {sum(n in caught for n in names)} |")
    missed = [n for n in found if n not in caught]
    if missed:
        lines += ["", "Not noticed:", ""]
        lines += [f"- `{n}` ({found[n]})" for n in missed]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", help="only these, by name")
    parser.add_argument("--write", action="store_true", help="renew docs/derivatives.md")
    options = parser.parse_args()
    ops = [o for o in written() if not options.ops or o.split(".")[1] in options.ops.split(",")]
    folder = Path(tempfile.mkdtemp(prefix="cell-mistakes-"))
    try:
        build(folder)
        found = {}
        for op in ops:
            found |= mistakes(op, folder)
        caught = {
            name
            for name in tqdm(found, disable=None)
            if any(run(line, name, folder).returncode for line in lines_of(name.split()[1]))
        }
    finally:
        shutil.rmtree(folder)
    lines = report(found, caught)
    print("\n".join(lines))
    if options.write:
        PAGE.write_text(replaced(PAGE.read_text(), BEGIN, END, lines))
    return min(len(found) - len(caught), 1)


if __name__ == "__main__":
    sys.exit(main())
