"""Runs the programs of `test/python/programs` under MindSpore and here, and compares what they print.

    CELLGRAD_MINDSPORE_PYTHON=/tmp/mindspore/bin/python make peers
    CELLGRAD_MINDSPORE_PYTHON=/tmp/mindspore/bin/python python test/oracles/programs.py [--record]

With `--record` the output of MindSpore 2.10 becomes what the tests compare with.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent.parent / "python" / "programs"
NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![A-Za-z_\d])")


def differences(got: str, wanted: str, rtol: float = 2e-4, atol: float = 2e-5) -> str:
    """What differs between two texts, but for spaces and the last digits; empty if nothing."""

    def words(text: str) -> list[str]:
        return NUMBER.sub("#", re.sub(r"([\[\](),])", r" \1 ", text)).split()

    if words(got) != words(wanted):
        for a, b in zip([*words(got), "(end)"], [*words(wanted), "(end)"]):
            if a != b:
                return f"'{a}' instead of '{b}' in:\n{got}\n--- wanted:\n{wanted}"
    for a, b in zip(NUMBER.findall(got), NUMBER.findall(wanted)):
        if abs(float(a) - float(b)) > atol + rtol * abs(float(b)):
            return f"{a} instead of {b}"
    return ""


def output(command: list[str], env: dict[str, str] | None = None) -> str:
    """What a program prints; its errors if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env)
    return run.stdout if run.returncode == 0 else run.stdout + run.stderr[-2000:]


def ours(program: Path) -> str:
    """What a program prints here."""
    return output([sys.executable, "-m", "cellgrad", "run", str(program)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    python = os.environ.get("CELLGRAD_MINDSPORE_PYTHON")
    if not python:
        print("programs: CELLGRAD_MINDSPORE_PYTHON names no interpreter; nothing compared")
        return 0
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    failed = 0
    for program in sorted(PROGRAMS.glob("*.py")):
        theirs = output([python, str(program)], plain)
        if options.record:
            program.with_suffix(".out").write_text(theirs)
        problem = differences(ours(program), theirs)
        failed += bool(problem)
        print(f"{program.stem:20} {problem or 'same'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
