"""Writes docs/op-status.md: what works for each op, derived from the sources and the tests.

    python tools/docs/op_status.py [--check]

Nothing in the table is typed by hand. Columns come from the records (build/dialect/records.json), from
which op classes the interpreter, the lowering and the batching rules name, from test/rules and
test/dialect, from the examples that check_grads runs on, from the errors that derivative_errors.py has
recorded, from what device_rules.py has, and from the tables of docs/sweep.md.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

import generated

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "op-status.md"
HEAD = """# Status of the ops

What is implemented and tested for each op. The page is written by `tools/docs/op_status.py` (`make docs`)
from the sources, and a test compares the two. [ops.md](ops.md) says what each op is, and has its rules.

- **verify**: *tested*: a test in `test/dialect` shows a module that is refused; *types*: the constraints
  of the record alone.
- **infer**: *yes*: the result type follows from operands and attributes; *given*: the op states it.
- **interpret**, **vmap**, **CPU**: the reference interpreter, the batching rules, the lowering support it.
- **VJP**, **JVP**: *rule*: an expression in the record; *linear*, *multilinear*: follows from that property;
  *by hand*: C++ beside the verifier; *zero*: everywhere; *none*: refused with a message.
- **numbers**: the orders of derivatives that `test/rules` compares with mpmath, numpy or closed forms.
- **check_grads**: the orders and modes that finite differences confirm: orders 1 and 2 in float64 in `make
  test`, 1 to 3 in four dtypes in `make sweep`, with the dot-product test and the symmetry of second
  derivatives.
- **max error**: the largest deviation from these differences at orders 1, 2 and 3, over all sequences of
  modes in float64, relative to the size of the terms (`tools/docs/derivative_errors.py`). The differences
  themselves are good to about 1e-11.
- **max ulp**: of the function and its derivative in float32, from [sweep.md](sweep.md).
- **GPU**: the files of `test/rules` that have the op ran on the emulated device: *bits* where one that adds nothing up had the
  bits of the CPU's code, *tolerance* where sums or products stand in all of them (`tools/docs/device_rules.py`).

| op | verify | infer | interpret | VJP | JVP | vmap | CPU | GPU | numbers | check_grads | max error | max ulp |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
KINDS = {"vjp": "rule", "custom": "by hand"}


def sources(*patterns: str) -> str:
    """The text of all files, includes left out."""
    files = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    return "\n".join(path.read_text() for path in files)


def classes() -> dict[str, str]:
    """The C++ class of each mnemonic."""
    text = sources("dialect/*.td")
    found = re.findall(r'^def Cell_(\w+Op)\b[^{};]*?<"(\w+)"', text, re.M)
    return {mnemonic: name for name, mnemonic in found}


def swept() -> dict[str, str]:
    """op: largest errors of value and derivative in float32."""
    part = (ROOT / "docs" / "sweep.md").read_text().split("<!-- f32: begin -->")[1]
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in part.splitlines()]
    out = {}
    for row in rows:
        if len(row) == 9 and re.match(r"\d", row[1]):
            slope = row[5].split()[0] if re.match(r"\d", row[5]) else ""
            out[row[0]] = row[1] + (f", {slope}" if slope and slope != "0" else "")
    return out


def with_examples() -> tuple[set[str], set[str]]:
    """The ops that test/python/op_examples.py has, and those it leaves out on purpose."""
    tree = ast.parse((ROOT / "test/python/op_examples.py").read_text())
    keys: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.Dict):
            keys[target.id] = {k.value for k in value.keys if isinstance(k, ast.Constant)}
    return keys["OTHERS"] | keys["ELEMENTWISE"], keys["STRUCTURAL"]


class Facts:
    def __init__(self) -> None:
        self.names = classes()
        self.interpreter = sources("tools/interp/*.cpp", "tools/interp/*.h")
        self.lowering = sources("passes/lower/**/*.cpp", "passes/lower/**/*.h")
        self.batching = sources("dialect/*.cpp")
        self.refused = sources("test/dialect/invalid*.mlir", "test/dialect/*errors*.mlir")
        self.errors = swept()
        self.differences = json.loads((ROOT / "tools/docs/derivative_errors.json").read_text())
        self.examples, self.structural = with_examples()
        ran = json.loads((ROOT / "tools/docs/device_rules.json").read_text())
        files = [*ROOT.glob("test/rules/*.mlir"), *ROOT.glob("test/python/programs/*.mlir")]
        self.ran = [(path.read_text(), ran[path.stem]) for path in files if path.stem in ran]

    def row(self, r: dict[str, Any]) -> str:
        op = r["op"].removeprefix("cell.")
        name, elementwise = self.names[op], r["elementwise"]
        knows = lambda text: elementwise or re.search(rf"\b{name}\b", text) is not None
        yes = lambda fact: "yes" if fact else "–"
        kind = r["derivative"]
        vjp = KINDS.get(kind, kind)
        jvp = "rule" if kind == "vjp" else vjp
        smooth = kind not in ("zero", "none")
        checked = smooth and op not in self.structural and (elementwise or op in self.examples)
        by_hand = rf"\b{name}::buildBatched\b"
        batched = r["batch"] == "alike" or re.search(by_hand, self.batching) is not None
        cells = [
            f"`{op}`",
            "tested" if re.search(rf"cell\.{op}\b", self.refused) else "types",
            "yes" if r["infers"] else "given",
            yes(knows(self.interpreter)),
            vjp,
            jvp,
            yes(batched),
            yes(knows(self.lowering)),
            self.on_device(op),
            self.numbers(op) if smooth else "",
            "1–3, both" if checked else "",
            ", ".join(f"{e:.0e}" for e in self.differences.get(op, ())),
            self.errors.get(op, ""),
        ]
        return "| " + " | ".join(cells) + " |"

    def on_device(self, op: str) -> str:
        """How what a device gave for the op was compared."""
        how = {how for text, how in self.ran if re.search(rf"cell\.{op}\b", text)}
        return next((h for h in ("bits", "tolerance") if h in how), "–")

    def numbers(self, op: str) -> str:
        """The orders that the op's own test executes."""
        path = ROOT / "test" / "rules" / f"{op}.mlir"
        if not path.exists():
            return "–"
        text = path.read_text()
        return "1, 2" if re.search(r"entry=\w*second|[Ss]econd derivative", text) else "1"


def page() -> str:
    records = json.loads((ROOT / "build" / "dialect" / "records.json").read_text())
    facts = Facts()
    return HEAD + "".join(facts.row(r) + "\n" for r in records)


if __name__ == "__main__":
    sys.exit(generated.main(PAGE, page))
