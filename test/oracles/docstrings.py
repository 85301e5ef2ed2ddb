"""Runs the examples of MindSpore's own docstrings here and in MindSpore, and prints a table.

    python docstrings.py [--only PATTERN] [--graph] [--list] [--keep FILE] [--variants NAME ...]

The examples are read from the installed package (`side_by_side.py` says which) and run as they are, with
this package under the name `mindspore`. What they print and all their variables are compared. MindSpore runs
each twice, with two seeds: what differs between the two is random, and compared by dtype and shape.
With `--variants` (`docstring_variants.py`), the calls in the examples are differentiated, mapped, and called
with other dtypes and values instead. `--keep` writes every program and all answers to a file.
"""

from __future__ import annotations

import argparse
import ast
import collections
import doctest
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from answers import difference, silent
from docstring_variants import RESULT, VARIANTS, variants
from programs import differences
from side_by_side import OURS, THEIRS, Program, ask, mindspore_python

SESSION = "docstring_session.py"
# What has no counterpart here and takes long: sounds, and a copy of another compiler.
LEFT_OUT = re.compile(r"dataset\.audio|_akg")
PROMPT = re.compile(r"^\s*>>> ", re.MULTILINE)


def package(python: str) -> Path:
    """Where MindSpore is installed."""
    code = (
        "import importlib.util as u; print(u.find_spec('mindspore').submodule_search_locations[0])"
    )
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return Path(run.stdout.strip().splitlines()[-1])


def texts(tree: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    """Each text with an example in a file, with the definition or call that it stands in."""
    for child in ast.iter_child_nodes(tree):
        inner = name
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{name}.{child.name}"
        elif isinstance(child, ast.Call) and child.args and isinstance(child.args[0], ast.Constant):
            inner = f"{name}({child.args[0].value})"
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            if PROMPT.search(child.value):
                yield name, child.value
        else:
            yield from texts(child, inner)


def statements(text: str) -> str:
    """The statements of an example; empty where they are no Python."""
    try:
        source = "".join(e.source for e in doctest.DocTestParser().get_examples(text))
        ast.parse(source)
    except (SyntaxError, ValueError):
        return ""
    return source


def examples(folder: Path) -> list[Program]:
    """The examples of all files, each once."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        if LEFT_OUT.match(module):
            continue
        for name, text in texts(ast.parse(path.read_text()), module):
            if source := statements(text):
                found.setdefault(source, name)
    counts: collections.Counter[str] = collections.Counter()
    listed = []
    for source, name in found.items():
        counts[name] += 1
        again = f" {counts[name]}" if counts[name] > 1 else ""
        listed.append({"id": name + again, "text": source, "seed": "1"})
    return listed


def form(described: Any) -> Any:
    """A description without numbers."""
    if isinstance(described, dict):
        return {k: [] if k in ("values", "complex") else form(v) for k, v in described.items()}
    if isinstance(described, list):
        return [form(v) for v in described]
    return described if isinstance(described, str) else None


def outcome(ours: dict[str, Any], theirs: dict[str, Any], again: dict[str, Any]) -> tuple[str, str]:
    """The column of the table, and how the two differ. `again` is MindSpore's answer with another seed."""
    if "error" in theirs or "error" in again:
        return ("no answer", "") if silent(theirs) or "error" not in ours else ("no answer", "both")
    if "error" in ours:
        return "fails", f"{ours['error'][0]}: {ours['says'].strip().splitlines()[0][:150]}"
    mine, other, third = (a["is"] for a in (ours, theirs, again))
    for name in other["values"]:
        if name not in mine["values"]:
            return "differs", f"{name} is missing"
        one, two = mine["values"][name], other["values"][name]
        if name == RESULT and isinstance(two, dict) and len(two.get("tuple", "  ")) == 1:
            one = {"tuple": one["tuple"][:1]}  # MindSpore has no gradient of it
        if difference(third["values"].get(name), two):
            one, two = form(one), form(two)
        if how := difference(one, two):
            return "differs", f"{name}: {how}"
    steady = other["prints"] == third["prints"]
    if steady and (how := differences(mine["prints"], other["prints"])):
        return "prints", how.replace("\n", " ")[:300]
    return "agrees", ""


def run(asked: list[Program], python: str, graph: bool) -> list[list[dict[str, Any]]]:
    """The answers: here, there, and there with another seed."""
    ours = [{**p, "mode": "graph"} for p in asked] if graph else asked
    other = [{**p, "seed": "2"} for p in asked]
    sides = ((OURS, sys.executable, ours), (THEIRS, python, asked), (THEIRS, python, other))
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda side: ask(*side, SESSION), sides))


def report(name: str, asked: list[Program], answers: list[list[dict[str, Any]]]) -> list[str]:
    """Prints a row of the table; the lines of what does not agree."""
    counts: collections.Counter[str] = collections.Counter()
    lines = []
    for program, *three in zip(asked, *answers, strict=True):
        column, how = outcome(*three)
        counts[column] += 1
        if column not in ("agrees", "no answer"):
            lines.append(f"{column}: {program['id']}: {how}")
    columns = (len(asked), *(counts[c] for c in COLUMNS))
    print(f"| {name} | " + " | ".join(map(str, columns)) + " |", flush=True)
    return sorted(lines)


COLUMNS = ("no answer", "agrees", "fails", "differs", "prints")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="a pattern of names: where in MindSpore")
    parser.add_argument("--graph", action="store_true", help="here in graph mode, there not")
    parser.add_argument("--list", action="store_true", help="list all that does not agree")
    parser.add_argument("--keep", help="a file for programs and answers, as JSON")
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=[])
    options = parser.parse_args()
    python = mindspore_python()
    every = [p for p in examples(package(python)) if re.search(options.only, p["id"])]
    print(
        "| examples | tried | MindSpore has no answer | agree | fail | differ | print otherwise |"
    )
    print("| --- |" + " --- |" * 6, flush=True)
    answers = (
        run(every, python, options.graph)
        if not options.variants
        else [ask(THEIRS, python, every, SESSION)]
    )
    groups = [("as they are", every, answers)] if not options.variants else []
    for name in options.variants:
        made = variants(name, every, answers[0])
        groups.append((name, made, run(made, python, options.graph)))
    lines = [line for group in groups for line in report(*group)]
    if options.keep:
        kept = [[n, p, *a] for n, asked, got in groups for p, *a in zip(asked, *got, strict=True)]
        Path(options.keep).write_text(json.dumps(kept))
    shown = lines if options.list else lines[:20]
    print("", *shown, sep="\n")
    if len(shown) < len(lines):
        print(f"... {len(lines)} in all (--list shows them)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
