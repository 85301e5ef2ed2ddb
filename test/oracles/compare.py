"""Compares values, first and second derivatives of a hundred functions with other frameworks.

    CELLGRAD_JAX_PYTHON=... CELLGRAD_TORCH_PYTHON=... CELLGRAD_MINDSPORE_PYTHON=... make peers

Each variable names an interpreter that has the framework; those that are set are asked, in float64.
Prints a table of the largest relative differences (of the size of each list of numbers) and, below
it, what a framework could not answer and where ours differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from functions import CASES, INPUTS, Case

WORKER = Path(__file__).resolve().with_name("worker.py")
FRAMEWORKS = ("mindspore", "jax", "torch")
PARTS = ("value", "grads", "second")


def ask(python: str, framework: str, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers of a framework, in its interpreter."""
    run = subprocess.run(
        [python, WORKER, framework],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "GLOG_v": "3"},
    )
    if run.returncode != 0:
        raise SystemExit(f"{python} {framework}: {run.stderr.strip()[-2000:]}")
    answers: list[dict[str, Any]] = json.loads(run.stdout[run.stdout.index("[") :])
    return answers


def question(text: str, args: list[Any], weighted: bool = True) -> dict[str, Any]:
    return {"f": text or "None", "args": args, "dtype": "float64", "weighted": weighted}


def text_for(case: Case, framework: str) -> str:
    return {"jax": case.jax, "torch": case.torch}.get(framework, case.ours)


def numbers(answer: dict[str, Any], part: str) -> np.ndarray | None:
    if answer[part] is None:
        return None
    lists = [answer[part]] if part == "value" else answer[part]
    return np.array([float(v) for part in lists for v in part])


def difference(ours: np.ndarray | None, theirs: np.ndarray | None) -> float:
    """The largest difference, relative to the largest number; infinite for another shape."""
    if ours is None or theirs is None:
        return float("nan")
    if ours.shape != theirs.shape:
        return float("inf")
    if not np.array_equal(np.isfinite(ours), np.isfinite(theirs)):
        return float("inf")
    finite = np.isfinite(ours)
    scale = max(np.abs(theirs[finite]).max(initial=0.0), 1.0)
    return float((np.abs(ours - theirs)[finite] / scale).max(initial=0.0))


def interpreters() -> dict[str, str]:
    named = {f: os.environ.get(f"CELLGRAD_{f.upper()}_PYTHON", "") for f in FRAMEWORKS}
    return {f: python for f, python in named.items() if python}


def compare(cases: list[Case]) -> tuple[list[str], list[str]]:
    """Lines of the table, and findings."""
    others = interpreters()
    arguments = [[INPUTS[a].tolist() for a in case.args] for case in cases]
    answers = {
        name: ask(
            python,
            name,
            [question(text_for(c, name), a) for c, a in zip(cases, arguments, strict=True)],
        )
        for name, python in {"cellgrad": sys.executable, **others}.items()
    }
    lines = ["| function | " + " | ".join(others) + " |", "| --- |" + " --- |" * len(others)]
    findings, silent = [], []
    for i, case in enumerate(cases):
        mine = answers["cellgrad"][i]
        if "error" in mine:
            findings.append(f"{case.name}: {mine['error']}")
            continue
        row, off = [], {}
        for name in others:
            theirs = answers[name][i]
            if "error" in theirs:
                silent.append(f"{name}: {case.name}: {theirs['error']}")
                row.append("–")
                continue
            parts = [difference(numbers(mine, p), numbers(theirs, p)) for p in PARTS]
            off[name] = np.nanmax(parts)
            row.append(" ".join("–" if np.isnan(d) else f"{d:.0e}" if d else "0" for d in parts))
            if theirs["second"] is None:
                silent.append(f"{name}: second derivative of {case.name}: {theirs['because']}")
        lines.append(f"| {case.name} | " + " | ".join(row) + " |")
        wrong = [n for n, d in off.items() if d > LIMIT]
        if wrong:
            agree = [n for n in off if n not in wrong]
            findings.append(f"{case.name}: not as {', '.join(wrong)}; as {', '.join(agree) or '-'}")
    return [*lines, "", *silent], findings


LIMIT = 1e-10


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    if not interpreters():
        wanted = ", ".join(f"CELLGRAD_{f.upper()}_PYTHON" for f in FRAMEWORKS)
        print(f"No framework to compare with: set {wanted}", file=sys.stderr)
        return 2
    print(f"{len(CASES)} functions; value, gradient and second derivative:\n")
    lines, findings = compare(CASES)
    print("\n".join(lines))
    print("\n".join(["", f"{len(findings)} differences above {LIMIT:g}:", *findings]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
