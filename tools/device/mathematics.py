"""The functions that the compiler computes itself: the device's bits beside those of the CPU.

    python tools/device/mathematics.py [--rows N] [--expected FILE] [--out FILE]

Both are compiled here, from one program. FILE has checksums of the CPU's results where the package was built, so that a CPU
that gives other bits is seen; `--write` makes it. Exits with 1 if a number differs.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import device_pages
import numpy as np
import ptx_rows

import cellgrad as ms
from cellgrad import ops

UNARY = [
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "asin",
    "acos",
    "atan",
    "erf",
    "erfc",
    "erfinv",
    "lgamma",
    "digamma",
    "sqrt",
    "rsqrt",
    "sigmoid",
    "softplus",
    "silu",
    "reciprocal",
    "square",
    "round",
    "floor",
    "ceil",
    "trunc",
    "abs",
    "neg",
]
BINARY = ("pow", "atan2", "div", "maximum", "minimum", "hypot", "fmod")
NAMES = (*UNARY, *BINARY)
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.uint16}
ROWS = 1 << 18


def inputs_of(kind: str, rows: int) -> list[ms.Tensor]:
    """Bits of every exponent, half of the first ones where functions have most of their values."""
    columns = ptx_rows.columns([kind, kind], rows, f"mathematics {kind}")
    if kind == "bf16":
        wide = [(c.astype(np.uint32) << 16).view(np.float32) for c in columns]
        return [ms.Tensor(w).astype(ms.bfloat16) for w in wide]
    first, second = (c.view(TYPES[kind]) for c in columns)
    first[::2] = np.random.default_rng(7).standard_normal(rows // 2) * 4
    return [ms.Tensor(first), ms.Tensor(second)]


@ms.jit
def everything(x, y):
    return [getattr(ops, name)(x) for name in UNARY] + [getattr(ops, name)(x, y) for name in BINARY]


def results(target: str, kind: str, rows: int) -> list[np.ndarray]:
    """As f32 for bf16, which loses nothing."""
    ms.set_context(device_target=target)
    given = everything(*inputs_of(kind, rows))
    return [(r.astype(ms.float32) if kind == "bf16" else r).asnumpy() for r in given]


def checksum(numbers: np.ndarray) -> str:
    """Of the bits; which NaN a NaN is, targets may choose."""
    numbers = np.where(np.isnan(numbers), numbers.dtype.type(np.nan), numbers)
    return hashlib.sha1(numbers.tobytes()).hexdigest()[:16]


def differing(cpu: np.ndarray, device: np.ndarray) -> np.ndarray:
    bits = ptx_rows.BITS[8 * cpu.itemsize]
    return (cpu.view(bits) != device.view(bits)) & ~(np.isnan(cpu) & np.isnan(device))


def compare(rows: int, expected: dict[str, dict[str, str]]) -> tuple[list[str], bool]:
    lines, wrong = [], []
    for kind in TYPES:
        cpu, device = (results(target, kind, rows) for target in ("CPU", "GPU"))
        places = [np.flatnonzero(differing(c, d)) for c, d in zip(cpu, device, strict=True)]
        known = expected.get(f"{kind} {rows}", {})
        same = sum(known.get(n) == checksum(c) for n, c in zip(NAMES, cpu, strict=True))
        agreed = f"{same} of {len(NAMES)}" if known else "not known"
        lines.append([kind, len(NAMES), rows, sum(not len(p) for p in places), agreed])
        for name, at, c, d in zip(NAMES, places, cpu, device, strict=True):
            if len(at):
                wrong.append([f"{name} {kind}", len(at), f"{c[at[0]]!r} / {d[at[0]]!r}"])
    head = ("type", "functions", "rows", "same bits on both", "CPU as where this was built")
    parts = [device_pages.table(head, lines)]
    if wrong:
        parts.append(
            device_pages.table(("function", "rows that differ", "first: CPU / device"), wrong)
        )
    return parts, not wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--expected", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    expected = {}
    if options.expected and options.expected.exists():
        expected = json.loads(options.expected.read_text())
    if options.write:
        for kind in TYPES:
            sums = map(checksum, results("CPU", kind, options.rows))
            expected[f"{kind} {options.rows}"] = dict(zip(NAMES, sums, strict=True))
        options.expected.write_text(json.dumps(expected, indent=1))
        return 0
    parts, good = compare(options.rows, expected)
    device_pages.write(
        options.out, "Own mathematics: device beside CPU", device_pages.device_name(), parts
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
