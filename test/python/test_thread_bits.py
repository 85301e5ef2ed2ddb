"""Programs of the examples give the same bits on 1, 2, 3 and 8 threads, in regions of any size."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The entries of these are called from C alone, and from JavaScript.
ELSEWHERE = {"filter", "browser"}
EXAMPLES = sorted({p.parent.name for p in (ROOT / "examples").glob("*/main.py")} - ELSEWHERE)

# Runs an example until its entries have been called often enough. Each call of an entry with regions is
# made on each number of threads, with copies of its arguments. Small kernels share small programs, too.
PROGRAM = """
import json, os, runpy, sys
import cellgrad as ms
from cellgrad import _native
from cellgrad.compile import instrument

example, calls = sys.argv[1], int(sys.argv[2])
Model, options = _native.Model, instrument.options
instrument.options = lambda: {**options(), "kernel_bytes": 64}
told = {"calls": 0, "entries": 0, "regions": 0, "different": []}

def end():
    print("\\n" + json.dumps(told), flush=True)
    os._exit(0)

def bits(results):
    return [bytes(memoryview(r.view().reshape(-1)).cast("B")) if r.view().size else b"" for r in results]

class Entry:
    def __init__(self, entry, parallel):
        self.entry, self.parallel, self.left = entry, parallel, 2
        told["entries"] += 1
        told["regions"] += parallel

    def __getattr__(self, name):
        return getattr(self.entry, name)

    def __call__(self, buffers):
        if self.parallel and self.left:
            self.left -= 1
            given = {}
            for threads in (1, 2, 3, 8):
                ms.set_num_threads(threads)
                copies = [b.copy() for b in buffers]
                given[threads] = bits(self.entry(copies)) + bits(copies)
            told["different"] += [(self.entry.name, n) for n in given if given[n] != given[1]]
            ms.set_num_threads(0)
        told["calls"] += 1
        if told["calls"] == calls:
            end()
        return self.entry(buffers)

class Shared:
    def __init__(self, *given):
        self.model = Model(*given)

    def __getattr__(self, name):
        return getattr(self.model, name)

    def entry(self, name):
        spec = next(e for e in self.model.signature["entries"] if e["name"] == name)
        return Entry(self.model.entry(name), spec["parallel"])

_native.Model = Shared
sys.argv = [example]
runpy.run_path(example, run_name="__main__")
end()
"""


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_have_the_same_bits(example, tmp_path):
    environment = os.environ | {"CELLGRAD_CACHE": "0"}
    script = ROOT / "examples" / example / "main.py"
    command = [sys.executable, "-c", PROGRAM, str(script), "12"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["different"] == []
    assert told["regions"] > 0, told
