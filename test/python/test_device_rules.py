"""Every file of test/rules as a model with CUDA kernels, on the emulated device, against the interpreter and the CPU.

All entries of a file, with arguments that are half special values (tools/rule-tests/compiled.py), called with
pointers of the host and of the device. A file without sums and products has the bits of the CPU's code. How each
file was compared is recorded for docs/op-status.md: tools/docs/device_rules.py runs them all.
"""

import json
import re
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from device import BUILD, run
from device_models import CUT, Model

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "rule-tests"))

from compiled import ORDINARY, differ, interpret, sample

ROOT = Path(__file__).resolve().parents[2]

RULES = sorted((ROOT / "test" / "rules").glob("*.mlir"))
# GPUs have no collectives: files of several ranks, and ops that are refused there.
FILES = {path.stem: path for path in RULES if "--ranks=" not in path.read_text()}
OF_RANKS = re.findall(
    r"^def \w+ : Cell_\w*Op<\"(\w+)\"", (ROOT / "dialect" / "CollectiveOps.td").read_text(), re.M
)
PROGRAMS = ROOT / "test" / "python" / "programs"
FILES |= {path.stem: path for path in sorted(PROGRAMS.glob("no_derivative*.mlir"))}
RECORD = ROOT / "tools" / "docs" / "device_rules.json"
# Every eighth of them by name in every run of the tests, the rest in the sweep.
EVERY = 8


def is_chosen(name):
    return zlib.crc32(name.encode()) % EVERY == 0


def chosen(names):
    return [n if is_chosen(n) else pytest.param(n, marks=pytest.mark.sweep) for n in names]


def sums(path):
    """Whether a program adds up anything, so that the order of its additions is open."""
    pipeline = "--pass-pipeline=builtin.module(cell-to-linalg-pipeline,linalg-generalize-named-ops)"
    text = run(BUILD / "bin" / "cell-opt", path, pipeline)
    return bool(re.search(r'"reduction"|linalg\.reduce|^ *(%\S+ = )?cell\.', text, re.M))


def same_bits(a, b):
    """NaNs are one: which of two a sum takes is the machine's."""
    return a.dtype == b.dtype and (
        a.tobytes() == b.tobytes()
        or (a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True) and signs(a) == signs(b))
    )


def signs(a):
    return np.where(np.isnan(a), False, np.signbit(a)).tolist()


def check(name, folder, *flags):
    """Raises where numbers are wrong; says whether they were compared by "bits" or by "tolerance"."""
    source = folder / f"{name}.mlir"
    source.write_text(FILES[name].read_text())
    draw = np.random.default_rng(1)
    exact = not sums(source)
    with Model(source, "cuda", *flags) as cuda, Model(source, "cpu") as cpu:
        assert cuda.entries
        for entry in cuda.entries.values():
            given = [
                np.ascontiguousarray(sample(s, draw, name not in ORDINARY)) for s in entry["args"]
            ]
            status, _, found = cuda.run(entry, given)
            assert status == 0, cuda.message()
            status, _, there = cuda.run_on_device(entry, given)
            assert status == 0, cuda.message()
            status, _, known = cpu.run(entry, given)
            assert status == 0
            for i, (a, b, c, wanted) in enumerate(
                zip(found, there, known, interpret(BUILD, source, entry, given), strict=True)
            ):
                what = f"@{entry['name']}, result {i} of {given}: {a}, not"
                assert same_bits(a, b), f"{what} {b}, as with pointers of the device"
                assert not exact or same_bits(a, c), f"{what} {c}, as on the CPU"
                assert not differ(a, wanted, name in ORDINARY).any(), f"{what} {wanted}"
        kinds = {np.dtype(s["dtype"]).kind for e in cuda.entries.values() for s in e["results"]}
    # Integers were compared exactly.
    return "bits" if exact or "f" not in kinds else "tolerance"


@pytest.mark.parametrize("name", chosen(FILES))
def test_rules(name, tmp_path):
    assert check(name, tmp_path) == json.loads(RECORD.read_text())[name]


def test_all_files_are_recorded():
    assert set(json.loads(RECORD.read_text())) == set(FILES), "run tools/docs/device_rules.py"


def test_every_op_is_in_a_file():
    records = json.loads((BUILD / "dialect" / "records.json").read_text())
    text = "".join(path.read_text() for path in FILES.values())
    missing = [r["op"] for r in records if not re.search(rf"{r['op']}\b", text)]
    assert sorted(missing) == sorted(f"cell.{op}" for op in OF_RANKS)


@pytest.mark.sweep
@pytest.mark.parametrize("name", FILES)
def test_rules_in_small_kernels(name, tmp_path):
    check(name, tmp_path, CUT)


def test_some_rules_are_chosen():
    assert 6 <= sum(map(is_chosen, FILES)) <= 20


def test_most_rules_have_the_bits_of_the_cpu():
    assert sum(not sums(path) for path in FILES.values() if is_chosen(path.stem)) >= 6
