"""Runs every test: lit (IR, tools, C), then pytest (the Python package, documentation).

Their own output is shown as it comes; the last line adds up both.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
LIT_PASSES = {"PASS", "FLAKYPASS", "XFAIL"}
LIT_NEUTRAL = {"UNSUPPORTED", "EXCLUDED", "SKIPPED"}


def run_lit(scratch: Path, jobs: int) -> tuple[int, int]:
    """Returns how many lit tests passed and how many did not."""
    report = scratch / "lit.json"
    command = [BIN / "lit", "-s", "-v", f"-j{jobs}", "-o", report, ROOT / "test"]
    status = subprocess.run(command, cwd=ROOT).returncode
    if not report.exists():
        return 0, 1
    codes = [test["code"] for test in json.loads(report.read_text())["tests"]]
    passed = sum(code in LIT_PASSES for code in codes)
    failed = sum(code not in LIT_PASSES | LIT_NEUTRAL for code in codes)
    return passed, max(failed, status)


def run_pytest(scratch: Path, jobs: int, marker: str) -> tuple[int, int]:
    """Returns how many pytest tests passed and how many did not."""
    report = scratch / "pytest.xml"
    command = [BIN / "python", "-m", "pytest", "-q", f"-n{jobs}", "--dist=loadgroup"]
    status = subprocess.run([*command, "-m", marker, f"--junitxml={report}"], cwd=ROOT).returncode
    if not report.exists():
        return 0, 1
    suites = list(xml.parse(report).getroot().iter("testsuite"))
    total, failures, errors, skipped = (
        sum(int(suite.get(key, "0")) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    )
    failed = failures + errors
    return total - failed - skipped, max(failed, int(status != 0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweep", action="store_true", help="only the long numerical sweeps")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()

    results = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if options.sweep:
            results.append(run_pytest(scratch, options.jobs, "sweep"))
        else:
            results.append(run_lit(scratch, options.jobs))
            results.append(run_pytest(scratch, options.jobs, "not sweep"))
    passed, failed = (sum(column) for column in zip(*results))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
