"""Run MindSpore's own tests with cellgrad in its place, and with MindSpore, and compare the two.

    git clone https://github.com/mindspore-ai/mindspore SOURCES
    python test/oracles/upstream/run.py run --tests SOURCES --as mindspore --python ORACLE LIST ms.jsonl
    python test/oracles/upstream/run.py run --tests SOURCES --as cellgrad LIST cg.jsonl
    python test/oracles/upstream/run.py report --tests SOURCES ms.jsonl cg.jsonl

SOURCES is a folder that has MindSpore's folder ``tests``; LIST a file that names test files, a line
each, relative to SOURCES. ORACLE is a Python with MindSpore and pytest. Only tests that MindSpore
passes on the same machine count. A test exercises gradients if its source names one of the gradient
family; of each test that fails here the report shows the last line of the error.

MindSpore 2.10 is built for NumPy 1.26: with NumPy 2 some of its errors are errors of NumPy, and its
tests of errors fail. Helpers of tests import yaml. Give both frameworks one folder of these, with
``--site FOLDER`` (``pip install --target FOLDER numpy==1.26.4 pyyaml``).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FAMILY = re.compile(
    r"GradOperation|value_and_grad|\bgrad\(|\.grad\b|_grad\b|grad_|Grad\b|jvp|vjp|jacfwd|jacrev|jacobian|hessian"
    r"|backward"
)


def chunks(files: list[str], size: int) -> list[list[str]]:
    """`files` in lists of `size`."""
    return [files[i : i + size] for i in range(0, len(files), size)]


def environment(options: argparse.Namespace, files: list[str]) -> dict[str, str]:
    """The environment of a process of pytest. Tests import helpers from their own folders, too."""
    tests = Path(options.tests).resolve()
    paths = [HERE, tests, tests / "tests"]
    paths += [ROOT / "build/python"] if options.framework == "cellgrad" else []
    paths += map(Path, options.site)
    paths += sorted({(tests / file).parent for file in files})
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "UPSTREAM_AS": options.framework,
        "UPSTREAM_OUT": str(Path(options.out).resolve()),
        "UPSTREAM_SECONDS": str(options.seconds),
        "UPSTREAM_OTHERS": str(int(options.others)),
        "GLOG_v": "3",
        "DEVICE_TARGET": "CPU",
        "OMP_NUM_THREADS": "1",
    }


def run(options: argparse.Namespace) -> None:
    """Run the files of a list, several to a process; a process that dies loses its own files only."""
    files = [f for f in Path(options.list).read_text().split() if f]
    command = [options.python, "-m", "pytest", "-q", "-p", "plugin"]
    command += [
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "--continue-on-collection-errors",
    ]
    command += ["--rootdir", options.tests, "-W", "ignore"]

    def one(part: list[str]) -> None:
        try:
            subprocess.run(
                command + part,
                cwd=options.tests,
                env=environment(options, part),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=options.seconds * 5 * len(part),
                check=False,
            )
        except subprocess.TimeoutExpired:
            print("out of time:", *part, flush=True)

    Path(options.out).unlink(missing_ok=True)
    with ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(one, chunks(files, options.files)))


def results(path: str) -> dict[str, dict[str, Any]]:
    """The records of a file, by test."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return {r["test"]: r for r in map(json.loads, lines)}


def of_gradients(test: str, tests: str) -> bool:
    """Whether the source of `test`, or the helpers of its file, name the gradient family."""
    path, _, name = test.partition("::")
    try:
        source = (Path(tests) / path).read_text(encoding="utf-8")
    except OSError:
        return False
    name = name.split("::")[-1].split("[")[0]
    found = re.search(
        rf"^( *)(?:async )?def {re.escape(name)}\b.*?(?=^\1\S|\Z)", source, re.M | re.S
    )
    return bool(FAMILY.search(found.group() if found else source))


def report(options: argparse.Namespace) -> None:
    """Print how many of the tests that MindSpore passes pass here, and the others."""
    theirs, ours = results(options.theirs), results(options.ours)
    broken = {t for t, r in ours.items() if r["outcome"] == "import"}
    passed = [t for t, r in theirs.items() if r["outcome"] == "passed"]
    kinds: Counter[tuple[bool, bool]] = Counter()
    for test in passed:
        record = ours.get(test)
        good = record is not None and record["outcome"] == "passed"
        gradient = of_gradients(test, options.tests)
        kinds[gradient, good] += 1
        if not good:
            why = "not imported" if test.split("::")[0] in broken else "not run"
            if record is not None:
                lines = [s for s in record["error"].splitlines() if s.startswith("E ")]
                why = (lines or record["error"].splitlines() or [record["outcome"]])[0]
            print(f"{'g' if gradient else ' '} {test}\n      {why[:200]}")
    for gradient, name in ((True, "gradients"), (False, "others")):
        good, bad = kinds[gradient, True], kinds[gradient, False]
        print(f"{name}: {good} of {good + bad} ({100 * good / max(good + bad, 1):.1f} %)")
    good = kinds[True, True] + kinds[False, True]
    print(f"all: {good} of {len(passed)} ({100 * good / max(len(passed), 1):.1f} %)")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("list")
    one.add_argument("out")
    one.add_argument("--tests", required=True, help="folder with MindSpore's folder tests")
    one.add_argument("--as", dest="framework", choices=("mindspore", "cellgrad"), required=True)
    one.add_argument("--python", default=sys.executable)
    one.add_argument(
        "--site",
        action="append",
        default=[],
        help="a folder of packages ahead of the installed ones",
    )
    one.add_argument(
        "--others",
        action="store_true",
        help="tests that are marked for other devices alone: some of them pass on a processor, too",
    )
    one.add_argument("--workers", type=int, default=2)
    one.add_argument("--files", type=int, default=8, help="files a process")
    one.add_argument("--seconds", type=int, default=60, help="limit of one test")
    one.set_defaults(call=run)
    two = commands.add_parser("report")
    two.add_argument("theirs")
    two.add_argument("ours")
    two.add_argument("--tests", required=True)
    two.set_defaults(call=report)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
