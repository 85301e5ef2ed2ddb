"""The accuracy of every unary function and its derivative, over all numbers of a type.

    python test/sweep/accuracy.py [--types f16,bf16,f32] [--stride 61] [--functions exp,tanh] [--write]

f16 and bf16: every bit pattern. f32: every --stride-th bit pattern (1: all of them), and of each
binade its ends and their neighbours. The compiled function, and its compiled vjp with cotangent 1,
are compared with float64 formulas (references.py); the worst arguments of each are computed again
with mpmath, and that is the error in the table. --write renews docs/sweep.md.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
from references import DOUBLE, EXACT, UNARY, Formula
from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "sweep.md"
CHUNK = 1 << 16
WORST = 4  # arguments of a chunk that mpmath looks at in the end
# Bits of the significand with the leading one, smallest normal exponent, largest number.
FORMATS = {
    "f16": (11, -14, 65504.0),
    "bf16": (8, -126, float.fromhex("0x1.fep127")),
    "f32": (24, -126, float(np.finfo(np.float32).max)),
}


def unary_functions() -> dict[str, str]:
    """The elementwise ops of one float that give a float, and the kind of their derivative."""
    table = json.loads((ROOT / "build" / "dialect" / "ops.json").read_text())
    return {
        r["op"].removeprefix("cell."): r["derivative"]
        for r in table
        if len(r["operands"]) == 1
        and r["operands"][0] in ("float", "numeric")
        and r["result"] in ("float", "numeric")
    }


class Compiled:
    """Functions `value_<op>` and `slope_<op>` on CHUNK numbers given as bit patterns."""

    def __init__(self, ops: list[str], dtype: str, folder: Path, target: str = "native") -> None:
        source, path = folder / f"sweep_{dtype}.mlir", folder / f"sweep_{dtype}.so"
        source.write_text("\n".join(self.text(op, f"tensor<{CHUNK}x{dtype}>") for op in ops))
        cellc = ROOT / "build" / "bin" / "cellc"
        command = [cellc, source, "-o", path, "--name=m", f"--target={target}"]
        subprocess.run(command, check=True)
        self.library = ctypes.CDLL(str(path))
        self.bits: Any = np.uint32 if dtype == "f32" else np.uint16
        self.out = np.empty(CHUNK, self.bits)

    @staticmethod
    def text(op: str, type: str) -> str:
        return f"""
func.func private @{op}(%x: {type}) -> {type} {{
  %0 = cell.{op} %x : {type}
  return %0 : {type}
}}
func.func @value_{op}(%x: {type}) -> {type} {{
  %0 = cell.{op} %x : {type}
  return %0 : {type}
}}
func.func @slope_{op}(%x: {type}) -> {type} {{
  %one = cell.constant dense<1.0> : {type}
  %0:2 = cell.vjp @{op}(%x) cotangents(%one) of [0] wrt [0] : ({type}, {type}) -> ({type}, {type})
  return %0#1 : {type}
}}"""

    def __call__(self, entry: str, x: np.ndarray) -> np.ndarray:
        """Bit patterns of the results for those of the arguments, at most CHUNK."""
        full = x if len(x) == CHUNK else np.pad(x, (0, CHUNK - len(x)))
        full = np.ascontiguousarray(full, self.bits)
        pointers = (ctypes.c_void_p * 2)(full.ctypes.data, self.out.ctypes.data)
        status = getattr(self.library, f"cg_m_{entry}")(pointers, None)
        assert status == 0, f"{entry}: status {status}"
        return self.out[: len(x)].copy()


def widen(bits: np.ndarray, dtype: str) -> np.ndarray:
    """The numbers of bit patterns, as float64."""
    if dtype == "f16":
        return bits.view(np.float16).astype(np.float64)
    if dtype == "bf16":
        bits = bits.astype(np.uint32) << 16
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return bits.view(np.float32).astype(np.float64)


def chunks(dtype: str, stride: int) -> Iterator[np.ndarray]:
    """All bit patterns that are looked at."""
    if dtype != "f32":
        yield np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
        return
    ends = np.arange(0, 1 << 32, 1 << 23, dtype=np.int64)
    yield ((ends[:, None] + np.arange(-4, 5)) % (1 << 32)).astype(np.uint32).ravel()
    for start in range(0, 1 << 32, CHUNK * stride):
        stop = min(start + CHUNK * stride, 1 << 32)
        yield np.arange(start, stop, stride, dtype=np.int64).astype(np.uint32)


def ulp(exact: np.ndarray, dtype: str) -> np.ndarray:
    """The spacing of a type at float64 numbers."""
    digits, smallest, _ = FORMATS[dtype]
    exponent = np.frexp(exact)[1] - 1
    return np.ldexp(1.0, np.maximum(exponent, smallest) - digits + 1)


@dataclass
class Finding:
    """What a sweep found of one function."""

    ulps: float = 0.0
    at: float = 0.0
    mixed: float = 0.0  # the error in ulp of the value or of 1, whichever is larger
    lost: int = 0  # infinite or NaN where the exact value is not, or the other way round
    lost_at: float = 0.0
    count: int = 0


class Sweep:
    """Compares a compiled function with its formula, chunk by chunk."""

    def __init__(self, formula: Formula | None, dtype: str, slope: bool) -> None:
        self.formula, self.dtype, self.slope = formula, dtype, slope
        self.found = Finding()
        self.worst: list[tuple[float, float, float]] = []  # ulps, argument, result

    def add(self, x: np.ndarray, got: np.ndarray) -> None:
        if self.slope:  # at infinity and NaN, the tables of test/rules say what holds
            keep = np.isfinite(x)
            x, got = x[keep], got[keep]
        with np.errstate(all="ignore"):
            exact = 0 * x if self.formula is None else self.formula(DOUBLE, x)
            if self.slope:  # outside of the domain
                keep = ~np.isnan(exact)
                x, got, exact = x[keep], got[keep], exact[keep]
            self.found.count += len(x)
            unit = ulp(exact, self.dtype)
            _, _, largest = FORMATS[self.dtype]
            overflow = np.abs(exact) >= largest + ulp(np.float64(largest), self.dtype) / 2
            exact = np.where(overflow, np.copysign(np.inf, exact), exact)
            finite = np.isfinite(exact) & np.isfinite(got)
            same = (got == exact) | (np.isnan(got) & np.isnan(exact))
            lost = ~finite & ~same
            error = np.where(finite, np.abs(got - exact), 0)
            ulps = np.where(finite, error / unit, 0)
            mixed = np.where(finite, error / np.maximum(unit, ulp(np.float64(1), self.dtype)), 0)
        self.found.mixed = max(self.found.mixed, float(mixed.max(initial=0)))
        if lost.any():
            self.found.lost += int(lost.sum())
            self.found.lost_at = float(x[np.argmax(lost)])
        for i in np.argsort(ulps)[-WORST:]:
            self.worst.append((float(ulps[i]), float(x[i]), float(got[i])))
        self.worst = sorted(self.worst)[-4 * WORST :]

    def finish(self) -> Finding:
        """The largest error of those that mpmath confirms."""
        for ulps, x, got in reversed(self.worst):
            if ulps > self.found.ulps:
                error = self.confirmed(x, got) if ulps else 0.0
                if error > self.found.ulps:
                    self.found.ulps, self.found.at = error, x
        return self.found

    def confirmed(self, x: float, got: float) -> float:
        with mp.workprec(400):
            exact = mp.mpf(0) if self.formula is None else self.formula(EXACT, mp.mpf(x))
            digits, smallest, _ = FORMATS[self.dtype]
            exponent = mp.frexp(exact)[1] - 1 if exact else smallest
            unit = mp.ldexp(1, int(max(exponent, smallest)) - digits + 1)
            return float(abs(mp.mpf(got) - exact) / unit)


def measure(ops: list[str], dtype: str, stride: int, target: str = "native") -> dict[str, Any]:
    """op: (finding of the function, finding of its derivative or None)."""
    kinds, rows = unary_functions(), {}
    total = sum(1 for _ in chunks(dtype, stride)) if dtype == "f32" else 1
    with tempfile.TemporaryDirectory() as folder:
        compiled = Compiled(ops, dtype, Path(folder), target)
        progress = tqdm(total=total * len(ops), disable=None, desc=dtype, unit="chunk")
        for op in ops:
            function, derivative = UNARY[op]
            sweeps = {"value": Sweep(function, dtype, False)}
            if kinds[op] != "zero":
                sweeps["slope"] = Sweep(derivative, dtype, True)
            for bits in chunks(dtype, stride):
                x = widen(bits, dtype)
                for kind, sweep in sweeps.items():
                    sweep.add(x, widen(compiled(f"{kind}_{op}", bits), dtype))
                progress.update()
            value, *slope = (s.finish() for s in sweeps.values())
            rows[op] = (value, slope[0] if slope else None)
        progress.close()
    return rows


def cells(found: Finding | None) -> str:
    if found is None:
        return "0 everywhere | | | "
    at = f"`{found.at:.9g}`" if found.ulps else ""
    lost = f"{found.lost}, as `{found.lost_at:.9g}`" if found.lost else "0"
    return f"{number(found.ulps)} | {at} | {number(found.mixed)} | {lost}"


def number(ulps: float) -> str:
    return f"{ulps:.3f}" if ulps < 1000 else f"{ulps:.3g}"


def table(rows: dict[str, Any]) -> Iterator[str]:
    yield (
        "| function | max ulp | at | max ulp at 1 | not finite | derivative: max ulp | at "
        "| max ulp at 1 | not finite |"
    )
    yield "| --- | ---: | --- | ---: | ---: | ---: | --- | ---: | ---: |"
    for op, (value, slope) in sorted(rows.items()):
        yield f"| {op} | {cells(value)} | {cells(slope)} |"


def renew(page: str, dtype: str, lines: list[str]) -> str:
    """The page with these rows between the marks of `dtype`; those of other functions stay."""
    begin, end = f"<!-- {dtype}: begin -->", f"<!-- {dtype}: end -->"
    head, rest = page.split(begin)
    old, tail = rest.split(end)
    name = lambda line: line.split("|")[1].strip()
    rows = {name(line): line for line in [*old.splitlines(), *lines] if line.startswith("| ")}
    first = [
        line for line in lines if not line.startswith("| ") or name(line) in ("function", "---")
    ]
    table = [*first, *(rows[n] for n in sorted(rows) if n in UNARY)]
    return "\n".join([f"{head}{begin}", "", *table, "", end + tail])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--types", default="f16,bf16,f32")
    parser.add_argument("--functions", default=",".join(unary_functions()))
    parser.add_argument("--stride", type=int, default=61, help="step over the float32 numbers")
    parser.add_argument("--write", action="store_true", help="renew the tables of docs/sweep.md")
    options = parser.parse_args()
    for dtype in options.types.split(","):
        rows = measure(options.functions.split(","), dtype, options.stride)
        count = max(value.count for value, _ in rows.values())
        how = f"stride {options.stride}" if dtype == "f32" else "all"
        lines = [f"{count:,} arguments each ({how}).", "", *table(rows)]
        print("\n".join(lines), flush=True)
        if options.write:
            PAGE.write_text(renew(PAGE.read_text(), dtype, lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
