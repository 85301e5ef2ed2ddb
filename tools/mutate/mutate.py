"""Plants mistakes in the derivative records and sees whether a test notices.

    python tools/mutate/mutate.py [--ops exp,mul] [--sample 40] [--write]

Every rule in dialect/*.td is changed in every way of expressions.py: a sign flipped, a term or a
factor dropped, the branches of a choice exchanged, one function instead of another. cell-tblgen
turns each changed record into code; all of them are compiled into one cell-run in a scratch folder,
which picks one when it starts. Then each op's own test, test/rules/<op>.mlir, runs on each of its
mutants: only its lines that execute numbers, not the comparison of the adjoint's text, which would
notice anything. --write puts the score into docs/derivatives.md.

Nothing of it is in the product: the scratch build alone knows of mutants.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expressions import changes, parse
from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PAGE = ROOT / "docs" / "derivatives.md"
BEGIN, END = "<!-- mutants: begin -->", "<!-- mutants: end -->"
LLVM = Path("/usr/lib/llvm-22")
CLASS = {"vjp": "VJP", "linear": "Linear", "multilinear": "Multilinear"}
CHOICE = """static int mutant() {
  static const int chosen = [] {
    const char *text = getenv("CELL_MUTANT");
    return text ? atoi(text) : -1;
  }();
  return chosen;
}
"""
EVEN = "the function is even"
ROUNDING = "the correction of rounding, below 12 digits, which `test_slopes.py` notices"
SLOPE = "mul(exp_square(result), 0.886226925452758)"
CORRECTION = (
    "select(is_finite(result), mul(mul(mul(abs(result), 2), sub(erfc(abs(result)), "
    f"sub(1, abs(x)))), {SLOPE}), 0)"
)
# Changes that change nothing, and why.
EQUIVALENT = {
    ("pow", "sign of 1 in select(equal(rhs, 0), 1, sub(rhs, 1)) (cotangent of lhs)"): (
        "the exponent in the branch not taken, which gives no NaN either way"
    ),
    ("asinh", "sign of 1 in hypot(x, 1) (cotangent of x)"): EVEN,
    ("atan", "sign of 1 in hypot(x, 1) (cotangent of x)"): EVEN,
    ("sigmoid", "sign of 0.5 in mul(x, 0.5) (cotangent of x)"): EVEN,
    (
        "erfinv",
        f"without the factor add(stop_gradient({CORRECTION}), 1) (cotangent of x)",
    ): ROUNDING,
    ("erfinv", f"without the factor {SLOPE} (cotangent of x), occurrence 2"): ROUNDING,
    ("erfinv", "without the factor mul(abs(result), 2) (cotangent of x)"): ROUNDING,
    ("erfinv", "without the factor 2 (cotangent of x)"): ROUNDING,
    ("erfinv", "sign of 2 in mul(abs(result), 2) (cotangent of x)"): ROUNDING,
    ("erfinv", "without the factor 0.886226925452758 (cotangent of x), occurrence 2"): ROUNDING,
    ("erfinv", f"sign of 0.886226925452758 in {SLOPE} (cotangent of x), occurrence 2"): ROUNDING,
    ("erfinv", f"1 instead of 0 in {CORRECTION} (cotangent of x)"): "infinite where it counts",
}


@dataclass
class Mutant:
    number: int
    op: str
    what: str
    vjp: list[str]
    jvp: str


def records() -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = json.loads((BUILD / "dialect" / "records.json").read_text())
    return [r | {"op": r["op"].removeprefix("cell.")} for r in table if r["derivative"] in CLASS]


def mutants_of(record: dict[str, Any]) -> list[tuple[str, list[str], str]]:
    """(what, vjp, jvp) of every change of a record."""
    found = []
    for i, rule in enumerate(record["vjp"]):
        if rule:
            for what, tree in changes(parse(rule)):
                vjp = [str(tree) if i == j else r for j, r in enumerate(record["vjp"])]
                found.append((f"{what} (cotangent of {record['operands'][i]['name']})", vjp, ""))
    if record["jvp"]:
        for what, tree in changes(parse(record["jvp"])):
            found.append((f"{what} (tangent)", record["vjp"], str(tree)))
    unique = []
    times: Counter[str] = Counter()
    for what, vjp, jvp in found:
        times[what] += 1
        again = f", occurrence {times[what]}" if times[what] > 1 else ""
        unique.append((what + again, vjp, jvp or record["jvp"]))
    return unique


def rewritten(text: str, op: str, kind: str, vjp: list[str], jvp: str) -> str:
    """The TableGen source with another derivative in the record of `op`."""
    start = re.search(rf'^def Cell_\w+[^{{}}]*<"{op}"', text, re.M)
    if start is None:
        return text
    end = text.index("\n}\n", start.end()) + 1
    rules = ", ".join(f'"{rule}"' for rule in vjp)
    literal = f"{CLASS[kind]}<[{rules}]" + (f', "{jvp}">' if jvp and kind == "vjp" else ">")
    block, count = re.subn(
        r"let derivative = .*?;\n",
        lambda _: f"let derivative = {literal};\n",
        text[start.start() : end],
        count=1,
        flags=re.S,
    )
    assert count == 1, f"cell.{op}: no derivative in its record"
    return text[: start.start()] + block + text[end:]


def bodies(generated: str) -> dict[str, tuple[str, str]]:
    """'AddOp::buildVJP' or the like: (its head, its body)."""
    functions = re.findall(
        r"^(LogicalResult (\w+::build[VJ]+P)\(.*?\)) \{\n(.*?)^\}\n", generated, re.M | re.S
    )
    return {name: (head, body) for head, name, body in functions}


class ScratchBuild:
    """cell-run with all mutants in it."""

    def __init__(self, folder: Path, table: list[dict[str, Any]]) -> None:
        self.folder, self.table = folder, table
        (folder / "td" / "dialect").mkdir(parents=True)
        (folder / "include" / "dialect").mkdir(parents=True)
        (folder / "bin").mkdir()
        self.sources = {p.name: p.read_text() for p in (ROOT / "dialect").glob("*.td")}
        self.classes: dict[str, str] = {}

    def generate(self, chosen: dict[str, Mutant]) -> str:
        """The code of the records, some of them changed."""
        kinds = {r["op"]: r["derivative"] for r in self.table}
        for name, text in self.sources.items():
            for op, m in chosen.items():
                text = rewritten(text, op, kinds[op], m.vjp, m.jvp)
            (self.folder / "td" / "dialect" / name).write_text(text)
        top = self.folder / "td" / "dialect" / "CellOps.td"
        out = self.folder / "out.inc"
        include = ["-I", self.folder / "td", "-I", ROOT, "-I", LLVM / "include"]
        command = [BUILD / "bin" / "cell-tblgen", "-gen-cell-derivatives", *include, top, "-o", out]
        # Not from the root: TableGen finds includes in the current folder first.
        subprocess.run(command, check=True, cwd=self.folder)
        return out.read_text()

    def build(self, mutants: list[Mutant]) -> None:
        """One function for each rule, with all its mutants in it."""
        by_op = defaultdict(list)
        for m in mutants:
            by_op[m.op].append(m)
        text = self.generate({})
        plain, variants = bodies(text), defaultdict(list)
        for round in range(max(map(len, by_op.values()))):
            chosen = {op: ms[round] for op, ms in by_op.items() if round < len(ms)}
            mutated = bodies(self.generate(chosen))
            owner = {self.class_of(op): m.number for op, m in chosen.items()}
            for name, (_, body) in mutated.items():
                if body != plain[name][1]:
                    variants[name].append((owner[name.split("::")[0]], body))
        for name, (head, body) in plain.items():
            if name in variants:
                cases = "".join(f"  case {n}: {{\n{b}  }}\n" for n, b in variants[name])
                switch = f"  switch (mutant()) {{\n{cases}  default: {{\n{body}  }}\n  }}\n"
                text = text.replace(f"{head} {{\n{body}}}\n", f"{head} {{\n{switch}}}\n")
        (self.folder / "include/dialect/Derivatives.inc").write_text(CHOICE + text)
        self.compile()

    def class_of(self, op: str) -> str:
        if not self.classes:
            for text in self.sources.values():
                for name, mnemonic in re.findall(
                    r'^def Cell_(\w+Op)\b[^{};]*?<"(\w+)"', text, re.M
                ):
                    self.classes[mnemonic] = name
        return self.classes[op]

    def compile(self) -> None:
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        command = next(c["command"] for c in commands if c["file"].endswith("dialect/Rules.cpp"))
        rules = self.folder / "Rules.o"
        command = re.sub(r" -o \S+", f" -o {rules}", command)
        command = command.replace(" -I", f" -include cstdlib -I{self.folder}/include -I", 1)
        subprocess.run(command, shell=True, check=True, cwd=BUILD)
        link([str(rules)], self.folder)


def link(objects: list[str], folder: Path) -> None:
    """cell-run with these objects in place of those of the library."""
    shown = ["ninja", "-C", BUILD, "-t", "commands", "bin/cell-run"]
    command = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    command = command.strip().splitlines()[-1].removeprefix(": && ").removesuffix(" && :")
    # Before the library, so that the linker does not look for these there.
    own = " ".join(objects)
    command = command.replace(" -o bin/cell-run", f" {own} -o {folder}/bin/cell-run")
    subprocess.run(command, shell=True, check=True, cwd=BUILD)


def replaced(page: str, begin: str, end: str, lines: list[str]) -> str:
    """The page with these lines between two marks."""
    head, rest = page.split(begin)
    return "\n".join([head + begin, *lines, end + rest.split(end)[1]])


def run_lines(op: str, path: Path | None = None) -> list[str]:
    """The lines of an op's test that execute numbers."""
    path = path or ROOT / "test" / "rules" / f"{op}.mlir"
    lines = [
        line.removeprefix("// RUN:").strip()
        for line in path.read_text().splitlines()
        if "// RUN:" in line
    ]
    joined = "\n".join(lines).replace("\\\n", "")
    return [
        line.replace("%s", str(path)) for line in joined.splitlines() if line.startswith("cell-run")
    ]


def verdict(op: str, number: int, folder: Path) -> str:
    """Who notices mutant `number`: 'numbers', 'verifier', or nobody ('')."""
    path = os.pathsep.join([str(folder / "bin"), str(LLVM / "bin"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "CELL_MUTANT": str(number)}
    for line in run_lines(op):
        evaluated = line.split(" | ")[0]
        shell = ["bash", "-c", f"set -o pipefail; {line}"]
        if subprocess.run(shell, env=environment, capture_output=True).returncode != 0:
            run = subprocess.run(shlex.split(evaluated), env=environment, capture_output=True)
            return "verifier" if run.returncode != 0 else "numbers"
    return ""


def report(mutants: list[Mutant], verdicts: dict[int, str]) -> list[str]:
    wanted = [m for m in mutants if (m.op, m.what) not in EQUIVALENT]
    caught = [m for m in wanted if verdicts[m.number]]
    refused = sum(verdicts[m.number] == "verifier" for m in wanted)
    ops = len({m.op for m in mutants})
    lines = [
        f"{len(mutants)} mutants of the rules of {ops} ops: **{len(caught)} of {len(wanted)} are noticed** by the",
        f"numbers of the op's own test ({refused} of them by the verifier, as no valid program was left);",
        f"{len(mutants) - len(wanted)} change nothing, or nothing above rounding.",
    ]
    missed = [m for m in wanted if not verdicts[m.number]]
    if missed:
        lines += ["", "Not noticed:", ""]
        lines += [f"- `{m.op}`: {m.what}" for m in missed]
    if len(mutants) > len(wanted):
        lines += ["", "Changing nothing above rounding:", ""]
        lines += [f"- `{op}`: {what}: {why}" for (op, what), why in EQUIVALENT.items()]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", help="only these, by mnemonic")
    parser.add_argument("--sample", type=int, help="only so many mutants, drawn with seed 0")
    parser.add_argument("--write", action="store_true", help="renew docs/derivatives.md")
    options = parser.parse_args()
    table = records()
    if options.ops:
        table = [r for r in table if r["op"] in options.ops.split(",")]
    changed = [(r["op"], *change) for r in table for change in mutants_of(r)]
    mutants = [Mutant(i, *change) for i, change in enumerate(changed)]
    if options.sample:
        mutants = sorted(
            random.Random(0).sample(mutants, min(options.sample, len(mutants))),
            key=lambda m: m.number,
        )
    folder = Path(tempfile.mkdtemp(prefix="cell-mutants-"))
    try:
        scratch = ScratchBuild(folder, table)
        scratch.build(mutants)
        wrong = [r["op"] for r in table if verdict(r["op"], -1, folder)]
        if wrong:
            sys.exit(f"tests that fail without a mistake: {', '.join(wrong)}")
        verdicts = {m.number: verdict(m.op, m.number, folder) for m in tqdm(mutants, disable=None)}
    finally:
        shutil.rmtree(folder)
    unnoticed = {(m.op, m.what) for m in mutants if not verdicts[m.number]}
    if not options.sample:
        ops = {m.op for m in mutants}
        wrong = [
            f"{op}: {what}" for op, what in EQUIVALENT if op in ops and (op, what) not in unnoticed
        ]
        if wrong:
            sys.exit("said to change nothing, but noticed, or no mutants: " + "; ".join(wrong))
    lines = report(mutants, verdicts)
    print("\n".join(lines))
    if options.write:
        PAGE.write_text(replaced(PAGE.read_text(), BEGIN, END, lines))
    missed = [m for m in mutants if not verdicts[m.number] and (m.op, m.what) not in EQUIVALENT]
    return min(len(missed), 1)


if __name__ == "__main__":
    sys.exit(main())
