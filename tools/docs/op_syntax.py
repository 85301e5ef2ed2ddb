"""Writes docs/op-syntax.md: how each op is written, with an example that a test runs.

    python tools/docs/op_syntax.py [--check]

Forms are the assembly formats of the records (build/dialect/records.json). Examples are ops of the op's own
test in test/rules, of the records' descriptions, or of other tests, as they stand there.
"""

from __future__ import annotations

import functools
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import generated

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "op-syntax.md"
HEAD = """# How ops are written

The form of each op of the dialect in `.mlir` files, and an example from the tests. The page is written by
`tools/docs/op_syntax.py` (`make docs`) from the records and the tests, and a test compares the two.
[ops.md](ops.md) says what each op computes.

In a form, a name stands for an operand, a region or an attribute, and `'text'` in quotes for itself. `[...]` may be
left out. `attr-dict` is the place of further attributes in braces, mostly none, and `type(x)` the type of `x`. Results
are named in front: `%y = cell.abs %x : tensor<2xf32>`, `%r:2 = ...` for two, which are `%r#0` and `%r#1`.
Ops that only passes write have no example.

"""
OPEN, CLOSE = "([{<", ")]}>"


def form(text: str) -> str:
    """An assembly format in the words of the page."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"custom<(\w+)>\(([^()]*(?:\([^()]*\)[^()]*)*)\)", r"\2", text)
    text = re.sub(r"`([^`]*)`", lambda m: f"'{m[1]}'" if m[1].strip() else "", text)
    text = re.sub(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)\?", r"[\1]", text)
    return re.sub(r"\s+", " ", text.replace("$", "").replace("^", "")).strip()


def statement(text: str, start: int) -> str:
    """The op whose line begins at `start`: as far as its brackets close."""
    depth, at = 0, start
    while at < len(text):
        char = text[at]
        arrow = char == ">" and text[at - 1] == "-"
        if char in OPEN:
            depth += 1
        elif char in CLOSE and not arrow:
            depth -= 1
        elif (
            char == "\n"
            and depth <= 0
            and not re.match(r"\s*(->|:|\}|cotangents|wrt|do)", text[at:])
        ):
            break
        if depth < 0:
            break
        at += 1
    lines = text[start:at].rstrip().split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] if line[:indent].isspace() else line.strip() for line in lines)


def tiers(op: str) -> list[list[Path]]:
    """Where to look for an example, first the places that belong to the op."""
    return [
        [ROOT / "test" / "rules" / f"{op.removeprefix('cell.')}.mlir"],
        sorted((ROOT / "dialect").glob("*.td")),
        sorted((ROOT / "test" / "dialect").rglob("*.mlir")),
        sorted((ROOT / "test").rglob("*.mlir")),
    ]


@functools.cache
def examples(path: Path) -> dict[str, str]:
    """The shortest example of each op in a file."""
    found: dict[str, str] = {}
    for part in re.split(r"^// -----.*$", path.read_text() if path.exists() else "", flags=re.M):
        if "expected-error" in part:
            continue
        for match in re.finditer(r"^ *(?:%[\w, :%#]+ = )?(cell\.\w+)\b[^\n]*", part, re.M):
            text, op = statement(part, match.start()), match[1]
            if any(sign in text for sign in ("[[", "{{", "//", "!")) or text.count("\n") > 12:
                continue
            if op not in found or (len(text), text) < (len(found[op]), found[op]):
                found[op] = text
    return found


def example(op: str) -> str:
    """The shortest in the first place that has one, or nothing."""
    for files in tiers(op):
        if shown := [examples(path)[op] for path in files if op in examples(path)]:
            return min(shown, key=lambda text: (len(text), text))
    return ""


def block(text: str, what: str) -> str:
    """The record or class `what` of the dialect's sources."""
    found = re.search(
        rf"^(?:def|class) {what}\b.*?(?=^(?:def|class|defvar|foreach|//===)|\Z)", text, re.M | re.S
    )
    return found[0] if found else ""


def field(text: str, what: str, name: str) -> str:
    """The text `name` of a record, or of the class that it is of."""
    record = block(text, what)
    found = re.search(rf'let {name} = (?:"([^"]*)"|\[\{{(.*?)\}}\])', record, re.S)
    if found:
        return found[1] or found[2]
    parent = re.search(rf"{what}\b[^:]*:\s*(\w+)", record)
    return field(text, parent[1], name) if parent else ""


def records() -> list[dict[str, Any]]:
    """The op, summary, format and kinds of operands of all ops, in the order of their names."""
    known = json.loads((ROOT / "build" / "dialect" / "records.json").read_text())
    text = "\n".join(path.read_text() for path in sorted((ROOT / "dialect").glob("*.td")))
    names = {record["op"] for record in known}
    # Ops that are no functions with a derivative, as cell.vjp itself.
    for what, name in re.findall(
        r'^def (Cell_\w+Op)\b[^{};]*?<(?:Cell_Dialect, )?"([a-z]\w*)"', text, re.M
    ):
        if f"cell.{name}" not in names:
            op = {
                key: field(text, what, k)
                for key, k in (("summary", "summary"), ("format", "assemblyFormat"))
            }
            known.append({"op": f"cell.{name}", **op, "operands": []})
    return sorted((r for r in known if r["format"]), key=lambda record: record["op"])


DTYPES = {"int": "i32", "bool": "i1"}


def simplest(record: dict[str, Any]) -> str:
    """An elementwise op on a tensor, where tests write it in other forms only."""
    operands = ", ".join(f"%{operand['name']}" for operand in record["operands"])
    dtype = DTYPES.get(record["operands"][0]["kind"], "f32")
    if dtype == "f32" and record["operands"][0]["kind"] == "any":
        dtype = "i1"
    return f"%y = {record['op']} {operands} : tensor<4x{dtype}>"


def page() -> str:
    out = [HEAD]
    for record in records():
        op = record["op"]
        out.append(f"## {op}\n\n{record['summary']}.\n\n")
        out.append(
            "\n".join(
                textwrap.wrap(f"Form: `{op} {form(record['format'])}`", 118, break_on_hyphens=False)
            )
            + "\n\n"
        )
        text = example(op) or (simplest(record) if record.get("elementwise") else "")
        out.append(f"```mlir\n{text}\n```\n\n" if text else "")
    return "".join(out).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(generated.main(PAGE, page))
