"""Plants mistakes in what derivative rules written in C++ build, and sees whether a test notices.

    python tools/mutate/written.py [--ops lu,conv] [--write]

The rules of factorizations, windows, indices, calls, branches and loops are C++ beside the verifier,
which mutate.py cannot change, and so is what makes a JVP of the record of a linear op. Here a
scratch copy of the differentiation pass changes what such a rule has built, one op at a time: a sign
turned, an op replaced by one of its operands (which drops the other term or factor), a flag turned
(transpose, lower, ...), a cotangent or tangent dropped. Each op's own test runs on each of its
mutants: its lines that execute numbers alone. --write puts the score into docs/derivatives.md.
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

from mutate import BUILD, LLVM, PAGE, ROOT, link, records, replaced, run_lines
from tqdm import tqdm

BEGIN, END = "<!-- written mutants: begin -->", "<!-- written mutants: end -->"
PASS = ROOT / "passes" / "autodiff"
# Calls in the pass, and what stands around them in the scratch copy.
SITES = {
    "Reverse.cpp": [
        ("differentiable.buildVJP(builder, incoming, wanted, outgoing)", "vjp", "outgoing"),
        ("buildIfAdjoint(builder, choice, primal, activity, after, cotangents)", "vjp", "{}"),
        ("buildLoopAdjoint(builder, loop, primal, activity, after, cotangents)", "vjp", "{}"),
    ],
    "Forward.cpp": [
        ("differentiable.buildJVP(builder, incoming, outgoing)", "jvp", "outgoing"),
        ("buildIfTangent(builder, choice, primal, activity, tangents)", "jvp", "{}"),
        ("buildLoopTangent(builder, *loop, primal, activity, tangents)", "jvp", "{}"),
    ],
}
# Ops without a derivative record, and their tests in test/autodiff.
UNRECORDED = {
    "cell.custom": "rules",
    "cell.recompute": "rules",
    "cell.stash_add": "stashes",
    "cell.stash_read": "stashes",
    "cell.stash_write": "stashes",
    "scf.for": "control-flow",
    "scf.if": "control-flow",
    "scf.while": "control-flow",
}
# The two ends of a message have one test, as one program needs both.
MESSAGES = {"cell.receive": "message", "cell.send": "message"}
# What has a test in test/autodiff beside its own.
MORE = {"cell.all_reduce": "product-of-ranks", "cell.reduce_scatter": "parts-of-ranks"}
SECONDS = 3  # of CPU time, that a test may take: a loop may have lost its end
EVEN = "the argument of a cosine, which is even"
CLEARED = (
    "the cotangent of a position that was written is not cleared: a loop writes each position once, "
    "and nothing reads what was there"
)
ORDERED = "the order in which ranks are combined, of which the interpreter has one"
MASK = "the mask of an extremum negative, in what is divided and in the count"
FLAT = "a tensor of one dimension made one of one dimension"
# Changes that change nothing, and why.
EQUIVALENT = {
    **{
        f"{at} flag 1": ORDERED
        for at in (
            *(f"vjp cell.all_reduce {n}" for n in ("0/1", "0/6", "3/6", "0/13")),
            *(f"jvp cell.all_reduce {n}" for n in ("0/1", "3/6", "4/6", "12/13")),
            "vjp cell.reduce_scatter 4/7",
        )
    },
    **{
        f"{at} sign 0": MASK
        for at in (
            "vjp cell.all_reduce 2/6",
            "jvp cell.all_reduce 1/6",
            "vjp cell.reduce_scatter 3/7",
            "jvp cell.reduce_scatter 2/7",
        )
    },
    **{
        f"{at} only-operand 0": FLAT
        for at in (
            *(f"vjp cell.all_reduce {n}/13" for n in (1, 11)),
            *(f"jvp cell.all_reduce {n}/13" for n in (0, 10)),
            *(f"vjp cell.reduce_scatter {n}/11" for n in (1, 9)),
            *(f"jvp cell.reduce_scatter {n}/11" for n in (0, 8)),
        )
    },
    "vjp cell.cholesky 9/17 only-operand 0": "P not transposed: the rule takes P + Pᵀ",
    "jvp cell.cholesky 10/17 only-operand 0": "L⁻¹ dA L⁻ᵀ not transposed: it is symmetric",
    "vjp cell.qr 7/12 flag 1": "cM transposed: G - tril₋(G - Gᵀ) is symmetric",
    "vjp cell.recompute 0/2 only-operand 0": (
        "the argument without its barrier, which gives the same numbers; the text of the adjoint, "
        "in the same test, has the barrier"
    ),
    "vjp scf.for 7/15 sign 0": EVEN,
    "vjp scf.for 8/21 sign 0": EVEN,
    "vjp scf.for 11/21 only-operand 1": CLEARED,
    "vjp scf.while 13/28 only-operand 1": CLEARED,
}


def written() -> list[str]:
    """The ops whose rules are C++."""
    table = json.loads((BUILD / "dialect" / "records.json").read_text())
    return [r["op"] for r in table if r["derivative"] == "custom"] + list(UNRECORDED)


def linear() -> list[str]:
    """The ops whose JVP is C++ and whose VJP is a record."""
    kinds = ("linear", "multilinear")
    return [f"cell.{r['op']}" for r in records() if r["derivative"] in kinds]


def lines_of(op: str) -> list[str]:
    name = op.split(".")[1]
    path = lambda test: ROOT / "test" / "autodiff" / f"{test}.mlir"
    test = (UNRECORDED | MESSAGES).get(op)
    lines = run_lines(name, path(test) if test else None)
    return lines + (run_lines(name, path(MORE[op])) if op in MORE else [])


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
            mode, owner = name.split()[:2]
            if owner == op and (mode == "jvp" or op in written()):
                found[name] = text
    return found


def report(found: dict[str, str], caught: set[str]) -> list[str]:
    by_op = defaultdict(list)
    for name in found:
        by_op[name.split()[1]].append(name)
    wanted = [n for n in found if n not in EQUIVALENT]
    lines = [
        f"{len(found)} mutants of the rules of {len(by_op)} ops: "
        f"**{len(caught)} of {len(wanted)} are noticed** by the numbers of the",
        f"op's own test; {len(found) - len(wanted)} change nothing.",
        "",
        "| op | mutants | noticed | change nothing |",
        "| --- | ---: | ---: | ---: |",
    ]
    for op, names in sorted(by_op.items()):
        counts = (len(names), sum(n in caught for n in names), sum(n in EQUIVALENT for n in names))
        lines.append(f"| `{op}` | {' | '.join(map(str, counts))} |")
    missed = [n for n in wanted if n not in caught]
    if missed:
        lines += ["", "Not noticed:", ""]
        lines += [f"- `{n}` ({found[n]})" for n in missed]
    if len(found) > len(wanted):
        lines += ["", "Changing nothing:", ""]
        lines += [f"- `{n}` ({found[n]}): {why}" for n, why in EQUIVALENT.items() if n in found]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", help="only these, by name")
    parser.add_argument("--write", action="store_true", help="renew docs/derivatives.md")
    options = parser.parse_args()
    ops = written() + linear()
    if options.ops:
        ops = [o for o in ops if o.split(".")[1] in options.ops.split(",")]
    folder = Path(tempfile.mkdtemp(prefix="cell-mistakes-"))
    try:
        build(folder)
        found = {}
        for op in ops:
            found |= mistakes(op, folder)
        broken = [
            op for op in ops if any(run(line, "none", folder).returncode for line in lines_of(op))
        ]
        if broken:
            sys.exit(f"tests that fail without a mistake: {', '.join(broken)}")
        caught = {
            name
            for name in tqdm(found, disable=None)
            if any(run(line, name, folder).returncode for line in lines_of(name.split()[1]))
        }
    finally:
        shutil.rmtree(folder)
    silent = [
        f"{mode} {op}"
        for op in ops
        for mode in (("vjp", "jvp") if op in written() else ("jvp",))
        if not any(n.startswith(f"{mode} {op} ") for n in found)
    ]
    if silent:
        sys.exit(f"rules that no test executes: {', '.join(silent)}")
    wrong = [n for n in EQUIVALENT if n.split()[1] in ops and (n not in found or n in caught)]
    if wrong:
        sys.exit(f"mistakes said to change nothing that are noticed, or none: {', '.join(wrong)}")
    lines = report(found, caught)
    print("\n".join(lines))
    if options.write:
        PAGE.write_text(replaced(PAGE.read_text(), BEGIN, END, lines))
    return min(len([n for n in found if n not in caught and n not in EQUIVALENT]), 1)


if __name__ == "__main__":
    sys.exit(main())
