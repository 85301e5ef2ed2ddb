"""Plants mistakes in what keeps tensors on host and devices, and sees whether a test notices.

    python tools/mutate/residency.py [--count 60] [--only "chosen"]

A scratch copy of pyfront/native/TensorBuffer.cpp has every mistake of source.py and chosen.py in it, each behind
its number, and is linked into a native module in a scratch folder. For every mutant test/python/residency.py runs
its random sequences, then the tests of TESTS do. Printed are those that nothing notices.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from chosen import CHOSEN
from scratch import BUILD, ROOT, Mutant, link, objects

FILE = {"pyfront/native": ["TensorBuffer"]}
OBJECT = "pyfront/CMakeFiles/_native.dir/native/TensorBuffer.cpp.o"
TESTS = [
    f"test/python/test_{name}.py"
    for name in ("native_buffer", "tensor", "dlpack", "gpu", "device_choice")
]
SECONDS = 300
# Runs a script with the scratch module in place of the package's.
START = """
import importlib.util, runpy, sys
spec = importlib.util.spec_from_file_location("cellgrad._native", sys.argv[1])
module = sys.modules["cellgrad._native"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.argv = sys.argv[2:]
sys.path.insert(0, "test/python")
if sys.argv[0] == "pytest":
    import pytest
    sys.exit(pytest.main(sys.argv[1:]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(native: Path, script: list[str], mutant: int, seen: Path | None = None) -> bool:
    """Whether a script goes through."""
    env = {**os.environ, "CELL_MUTANT": str(mutant), "CELLGRAD_CACHE": "0"}
    if seen:
        env["CELL_MUTANTS_SEEN"] = str(seen)
    command = [sys.executable, "-c", START, native, *script]
    try:
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60, help="random sequences for each mutant")
    parser.add_argument("--only", default="", help="mistakes with these words")
    options = parser.parse_args()
    sequences = ["test/python/residency.py", "0", str(options.count)]
    tests = ["pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
    with tempfile.TemporaryDirectory(prefix="cell-mutants-") as made:
        folder = Path(made)
        planted = objects(folder, FILE, CHOSEN, jobs=1)
        name = next((BUILD / "python" / "cellgrad").glob("_native*.so")).name
        native = folder / name
        link(folder, {f"python/cellgrad/{name}": native}, instead=OBJECT)
        reach = {}
        for script in (sequences, tests):
            seen = folder / f"seen-{len(reach)}"
            assert run(native, script, -1, seen), f"{script} fails without a mistake"
            text = seen.read_bytes()
            reach[script[0]] = {n for n in range(1 << 16) if any(text[n :: 1 << 16])}
        chosen = [m for m in planted if options.only in m.what]
        first, second, missed = 0, 0, []
        for mutant in chosen:
            where = [s for s in (sequences, tests) if mutant.number in reach[s[0]]]
            noticed = next((s for s in where if not run(native, s, mutant.number)), None)
            first, second = first + (noticed is sequences), second + (noticed is tests)
            if noticed is None:
                missed.append((mutant, bool(where)))
                report(mutant, bool(where))
    print(
        f"{len(chosen)} mistakes: {first} noticed by sequences, {second} by tests, {len(missed)} by nothing"
    )


def report(mutant: Mutant, executed: bool) -> None:
    how = "not noticed" if executed else "not executed"
    print(f"{mutant.file}.cpp:{mutant.line}: {how}: {mutant.what}", flush=True)


if __name__ == "__main__":
    main()
