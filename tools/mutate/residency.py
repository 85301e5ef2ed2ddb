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
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from chosen import CHOSEN
from scratch import BUILD, ROOT, Mutant, executed, link, lit_lines, objects, passes

FILE = {"pyfront/native": ["TensorBuffer"]}
OBJECT = "pyfront/CMakeFiles/_native.dir/native/TensorBuffer.cpp.o"
SEQUENCES = ["test/python/residency.py", "0"]
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
sys.path[:0] = ["test/python", "test/fuzz"]
if sys.argv[0] == "pytest":
    import pytest
    sys.exit(pytest.main(sys.argv[1:]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(
    native: Path, script: list[str], mutant: int, seen: Path | None = None, seconds: float = SECONDS
) -> bool:
    """Whether a script goes through in time."""
    env = {**os.environ, "CELL_MUTANT": str(mutant), "CELLGRAD_CACHE": "0"}
    if seen:
        env["CELL_MUTANTS_SEEN"] = str(seen)
    command = [sys.executable, "-c", START, native, *script]
    try:
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def judge(
    files: dict[str, list[str]],
    scripts: list[list[str]],
    only: str,
    instead: str = "",
    folders: Sequence[str] = (),
    every: int = 1,
) -> None:
    """Plants the mistakes of `files` whose words have `only` in them, of those that nobody chose each `every`-th,
    and runs the tests of the passes in `folders` of test/, then `scripts`, until one notices."""
    with tempfile.TemporaryDirectory(prefix="cell-mutants-") as made:
        folder = Path(made)
        planted = objects(folder, files, CHOSEN, jobs=1)
        name = next((BUILD / "python" / "cellgrad").glob("_native*.so")).name
        native = folder / name
        tools = {f"bin/{t}": folder / "bin" / t for t in ("cell-opt", "cell-run") if folders}
        link(folder, {f"python/cellgrad/{name}": native, **tools}, instead=instead)
        tests = [(lines, executed(lines, folder)) for lines in lit_lines(folders).values()]
        reach, limits = [], []
        for script in scripts:
            seen, started = folder / f"seen-{len(reach)}", time.monotonic()
            assert run(native, script, -1, seen, 3600), f"{script} fails without a mistake"
            # A slow script would say that every mistake is noticed.
            limits.append(max(SECONDS, 3 * (time.monotonic() - started)))
            text = seen.read_bytes()
            reach.append({n for n in range(1 << 16) if any(text[n :: 1 << 16])})
        named = [m for m in planted if only in m.what]
        chosen = [m for i, m in enumerate(named) if m.is_chosen() or i % every == 0]
        noticed, missed = Counter[str](), 0
        for mutant in chosen:
            n = mutant.number
            own = [lines for lines, seen in tests if seen[n]]
            where = [
                (s, t) for s, t, found in zip(scripts, limits, reach, strict=True) if n in found
            ]
            if any(not passes(lines, folder, CELL_MUTANT=str(n)) for lines in own):
                noticed["the tests of the passes"] += 1
            elif by := next((s for s, t in where if not run(native, s, n, seconds=t)), None):
                noticed[by[0]] += 1
            else:
                missed += 1
                report(mutant, bool(own or where))
    by = ", ".join(f"{n} noticed by {name}" for name, n in noticed.items())
    print(f"{len(chosen)} mistakes: {by}, {missed} by nothing")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60, help="random sequences for each mutant")
    parser.add_argument("--only", default="", help="mistakes with these words")
    options = parser.parse_args()
    tests = ["pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
    judge(FILE, [[*SEQUENCES, str(options.count)], tests], options.only, OBJECT)


def report(mutant: Mutant, executed: bool) -> None:
    how = "not noticed" if executed else "not executed"
    print(f"{mutant.file}.cpp:{mutant.line}: {how}: {mutant.what}", flush=True)


if __name__ == "__main__":
    main()
