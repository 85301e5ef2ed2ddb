"""Each instruction of the PTX emulator beside the device: the same kernels on the same rows, bits compared.

    python tools/device/conformance.py --emulator build/test/emulator/libcuda.so.1 [--driver libcuda.so.1] [--out FILE]

Each side runs in processes of its own: both are libraries of one name, and after a fault a process has no device any more.
Exits with 1 if an instruction that is exact differs.
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import device_pages
import numpy as np
import ptx_rows
import ptx_runs
from cuda_driver import Driver, DriverError
from ptx_instructions import all_instructions
from ptx_rows import FORMATS, Instruction, width

ROOT = Path(__file__).resolve().parents[2]
ROWS = 1024


@dataclass
class Side:
    """What one driver gave: results or the words of an error, by the case's number."""

    device: str = ""
    results: dict[int, list[np.ndarray] | str] = field(default_factory=dict)


@dataclass
class Case:
    family: str
    name: str
    types: list[str]  # of the results
    approximate: bool
    instruction: Instruction | None = None
    text: str = ""
    run: ptx_runs.Run | None = None


def all_cases() -> list[Case]:
    cases = [
        Case(family, i.name, [i.types[0]], i.approximate, instruction=i)
        for family, instructions in all_instructions()
        for i in instructions
    ]
    for text, run in ptx_runs.all_runs(ROOT / "test" / "emulator"):
        shown = [run.types[n] for n in run.shown]
        cases.append(
            Case("kernels of test/emulator", run.name, shown, run.approximate, None, text, run)
        )
    return cases


def execute(path: str, first: int, out: Path) -> None:
    """Runs the cases from `first` on, as far as the device lives, and stores the results."""
    driver = Driver(path)
    chip = "sm_90" if driver.attribute(75) >= 9 else driver.chip()
    side = Side(device_pages.device_name(driver))
    for n, case in list(enumerate(all_cases()))[first:]:
        try:
            if case.instruction:
                inputs = ptx_rows.rows_of(case.instruction, ROWS)
                side.results[n] = [ptx_rows.run(driver, case.instruction, inputs, chip)]
            else:
                assert case.run
                side.results[n] = ptx_runs.execute(driver, case.text, case.run)
        except DriverError as error:
            side.results[n] = str(error)
            try:
                driver.synchronize()
            except DriverError:
                break  # the context is lost
    out.write_bytes(pickle.dumps((side.device, side.results)))


def results_of(path: str, count: int) -> Side:
    """All cases; a new process goes on behind a case that ended one."""
    side = Side()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results"
        while len(side.results) < count:
            first = len(side.results)
            command = [sys.executable, __file__, "--execute", path, str(first), str(out)]
            out.unlink(missing_ok=True)
            done = subprocess.run(command, capture_output=True, text=True)
            if not out.exists():
                raise SystemExit(f"{path} ended its process:\n{done.stdout}{done.stderr}")
            side.device, part = pickle.loads(out.read_bytes())
            side.results.update(part)
    return side


def is_nan(bits: np.ndarray, type_name: str) -> np.ndarray:
    fraction, exponent = FORMATS[type_name]
    magnitude = bits & bits.dtype.type((1 << (fraction + exponent)) - 1)
    return magnitude > bits.dtype.type(((1 << exponent) - 1) << fraction)


def differing(emulator: np.ndarray, device: np.ndarray, type_name: str) -> np.ndarray:
    """Places of other bits. Which NaN an f64 is, the emulator does not promise."""
    differs = emulator != device
    if type_name == "f64":
        differs &= ~(is_nan(emulator, "f64") & is_nan(device, "f64"))
    return differs


def steps_apart(a: np.ndarray, b: np.ndarray, type_name: str) -> int:
    """The most numbers of the format between the two, of rows where both are numbers."""
    if type_name not in FORMATS:
        return 0
    top = 1 << (width(type_name) - 1)
    both = ~(is_nan(a, type_name) | is_nan(b, type_name))
    places = [[int(x) if int(x) < top else top - int(x) for x in column[both]] for column in (a, b)]
    return max((abs(x - y) for x, y in zip(*places, strict=True)), default=0)


def example(case: Case, part: int, row: int, sides: Sequence[np.ndarray]) -> str:
    """The first row that differs: operands, emulator, device."""
    words = [f"{int(side[row]):x}" for side in sides]
    given = ""
    if case.instruction:
        inputs = ptx_rows.rows_of(case.instruction, ROWS)
        given = f"({', '.join(f'{int(c[row]):x}' for c in inputs)}) "
    return f"{given}{words[0]} / {words[1]}" + (f", buffer {part}" if part else "")


def compare(emulator: Side, device: Side) -> tuple[list[str], bool]:
    """The tables, and whether all that is exact agrees."""
    families: dict[str, list[int]] = {}
    rows: list[list[object]] = []
    good = True
    for n, case in enumerate(all_cases()):
        counts = families.setdefault(case.family, [0, 0, 0, 0, 0])
        counts[0] += 1
        given, other = emulator.results[n], device.results[n]
        if isinstance(given, str) or isinstance(other, str):
            counts[4] += 1
            good = False
            words = " ".join(str(x)[:200] for x in (given, other) if isinstance(x, str))
            rows.append([case.name, "error", "", words])
            continue
        different = 0
        for part, (a, b, t) in enumerate(zip(given, other, case.types, strict=True)):
            counts[1] += len(a)
            places = np.flatnonzero(differing(a, b, t))
            different += len(places)
            if len(places):
                apart = steps_apart(a, b, t)
                what = f"{len(places)} of {len(a)}" + (" ≈" if case.approximate else "")
                rows.append([case.name, what, apart or "", example(case, part, places[0], (a, b))])
        counts[2] += not different
        counts[3] += bool(different)
        good &= not different or case.approximate
    head = ("family", "cases", "rows", "same bits", "other bits", "errors")
    total = [sum(column) for column in zip(*families.values(), strict=True)]
    summary = device_pages.table(head, [[f, *c] for f, c in families.items()] + [["all", *total]])
    columns = (
        "case",
        "rows that differ",
        "most steps apart",
        "first: (operands) emulator / device, in hexadecimal",
    )
    return [summary, device_pages.table(columns, rows) if rows else "Nothing differs."], good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--emulator", default=str(ROOT / "build/test/emulator/libcuda.so.1"))
    parser.add_argument("--driver", default=os.environ.get("CELLGRAD_CUDA_DRIVER", "libcuda.so.1"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--execute", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.execute:
        path, first, out = options.execute
        execute(path, int(first), Path(out))
        return 0
    count = len(all_cases())
    sides = [results_of(path, count) for path in (options.emulator, options.driver)]
    parts, good = compare(*sides)
    note = "≈: the emulator computes these more exactly than a device; other bits are no error."
    device_pages.write(
        options.out, "Instructions: emulator beside device", sides[1].device, [*parts, note]
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
