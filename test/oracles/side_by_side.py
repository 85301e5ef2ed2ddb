"""Runs thousands of small programs here and in MindSpore 2.10 side by side, and prints a table.

    python side_by_side.py [--record] [--only GROUP ...] [--list]

The programs come from `styles.py`, `features.py`, `kinks.py` and `corners.py`. MindSpore is installed into
build-oracle/mindspore, unless CELLGRAD_MINDSPORE_PYTHON names an interpreter that has it. `--record`
keeps MindSpore's answers to the programs that `make test` runs, where ours are equal, in `recorded/`.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import corners
import features
import kinks
import styles
from answers import silent, verdict
from intended import reason

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDED = HERE / "recorded"
OURS, THEIRS = "cellgrad", "mindspore"
Program = dict[str, str]

GROUPS: dict[str, Callable[[], Iterable[Program]]] = {
    "styles": styles.programs,
    "features": features.programs,
    "kinks": kinks.programs,
    **{group: lambda group=group: corners.programs(group) for group in corners.GROUPS},  # type: ignore[misc]
}
# One of so many programs of a group is part of `make test`.
IN_TESTS = {
    "styles": 5,
    "features": 1,
    "kinks": 2,
    "arguments": 3,
    "mixed": 12,
    "binary": 60,
    "reductions": 20,
}


def tested(group: str) -> list[Program]:
    """The programs of a group that `make test` runs; a style is another one in each row."""
    every = IN_TESTS[group]
    return [p for i, p in enumerate(GROUPS[group]()) if (i + i // 16) % every == 0]


def mindspore_python() -> str:
    """An interpreter with MindSpore; made where there is none."""
    named = os.environ.get("CELLGRAD_MINDSPORE_PYTHON")
    if named:
        return named
    folder = ROOT / "build-oracle" / "mindspore"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"installing MindSpore 2.10 into {folder.relative_to(ROOT)} (1 GB) ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        wanted = ["mindspore==2.10.0", "numpy<2", "setuptools<80"]
        subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True)
        (folder / "complete").touch()
    return str(python)


def ask(
    framework: str, python: str, programs: list[Program], session: str = "session.py"
) -> list[dict[str, Any]]:
    """The answers that a session gives; a program that ends its process has the error "Crash"."""
    plain = {k: v for k, v in os.environ.items() if framework == OURS or k != "PYTHONPATH"}
    quiet = {"GLOG_v": "4", "OMP_NUM_THREADS": "1", "CELLGRAD_CACHE": "0"}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "programs.json", Path(folder) / "answers.jsonl"
        source.write_text(json.dumps(programs))
        target.touch()
        lines: list[str] = []
        while len(lines) < len(programs):
            command = [python, HERE / session, framework, source, target, str(len(lines))]
            _finish(command, {**plain, **quiet}, folder)
            lines = target.read_text().splitlines()
            if len(lines) < len(programs):
                lost = {"id": programs[len(lines)]["id"], "error": ["Crash"], "says": ""}
                with target.open("a") as out:
                    print(json.dumps(lost), file=out)
                lines.append(json.dumps(lost))
        return [json.loads(line) for line in lines]


def _finish(command: list[Any], environment: dict[str, str], folder: str) -> None:
    """Runs a session to its end, and ends the processes that it leaves."""
    pipe = subprocess.DEVNULL
    session = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=pipe, stderr=pipe, start_new_session=True
    )
    try:
        session.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(session.pid, signal.SIGKILL)


def compact(answer: dict[str, Any]) -> Any:
    return answer["is"] if "is" in answer else {"error": answer["error"][0]}


def compare(group: str, python: str) -> tuple[collections.Counter[str], list[str], dict[str, Any]]:
    """Counts of outcomes, the differences that have no reason, and the answers that are equal."""
    programs = list(GROUPS[group]())
    with ThreadPoolExecutor(2) as pool:
        pair = ((OURS, sys.executable), (THEIRS, python))
        ours, theirs = pool.map(lambda side: ask(*side, programs), pair)
    counts: collections.Counter[str] = collections.Counter(tried=len(programs))
    different: list[str] = []
    equal: dict[str, Any] = {}
    for program, mine, other in zip(programs, ours, theirs, strict=True):
        if silent(other):
            counts["silent"] += 1
            continue
        how = verdict(mine, other)
        if not how:
            counts["equal"] += 1
            equal[program["id"]] = compact(other)
        elif why := reason(program["id"], how):
            counts["purpose"] += 1
            counts[f"because {why}"] += 1
        else:
            counts["different"] += 1
            different.append(f"{program['id']}\n    {how}")
    return counts, different, equal


def record(group: str, equal: dict[str, Any]) -> None:
    """One line a program, in the order of the programs."""
    kept = [(p["id"], equal[p["id"]]) for p in tested(group) if p["id"] in equal]
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in kept]
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / f"{group}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", action="store_true", help="keep the answers for make test")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), default=list(GROUPS))
    parser.add_argument("--list", action="store_true", help="list every difference without reason")
    options = parser.parse_args()
    python = mindspore_python()
    columns = ("tried", "equal", "silent", "purpose", "different")
    total: collections.Counter[str] = collections.Counter()
    print("| programs | tried | equal | MindSpore has no answer | on purpose | different |")
    print("| --- |" + " --- |" * len(columns), flush=True)
    found: list[str] = []
    for group in options.only:
        counts, different, equal = compare(group, python)
        print(f"| {group} | " + " | ".join(str(counts[c]) for c in columns) + " |", flush=True)
        total.update(counts)
        found += different
        if options.record and group in IN_TESTS:
            record(group, equal)
    print("| all | " + " | ".join(str(total[c]) for c in columns) + " |\n")
    print("Different on purpose:")
    for key, n in total.most_common():
        if key.startswith("because "):
            print(f"  {n:5}  {key.removeprefix('because ')}")
    if found:
        shown = found if options.list else found[:20]
        print(f"\n{len(found)} differences:", *shown, sep="\n")
        if len(shown) < len(found):
            print("... (--list shows all)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
