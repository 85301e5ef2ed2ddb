"""The functions of the `math` and `special` dialects: compiled here, defined by mpmath and numpy.

Shared by test_math_accuracy.py and bench/math_sweep.py.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))
DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
    "i64": np.int64,
}

# name: (mpmath, numpy, range that is timed)
UNARY: dict[str, tuple[Callable[..., Any], Callable[..., Any] | None, tuple[float, float]]] = {
    "exp": (mp.exp, np.exp, (-87, 87)),
    "exp2": (lambda x: mp.power(2, x), np.exp2, (-120, 120)),
    "expm1": (mp.expm1, np.expm1, (-10, 10)),
    "log": (mp.log, np.log, (1e-30, 1e30)),
    "log2": (lambda x: mp.log(x) / mp.log(2), np.log2, (1e-30, 1e30)),
    "log10": (mp.log10, np.log10, (1e-30, 1e30)),
    "log1p": (mp.log1p, np.log1p, (-0.99, 100)),
    "sin": (mp.sin, np.sin, (-100, 100)),
    "cos": (mp.cos, np.cos, (-100, 100)),
    "tan": (mp.tan, np.tan, (-100, 100)),
    "sinh": (mp.sinh, np.sinh, (-20, 20)),
    "cosh": (mp.cosh, np.cosh, (-20, 20)),
    "tanh": (mp.tanh, np.tanh, (-9, 9)),
    "asinh": (mp.asinh, np.arcsinh, (-100, 100)),
    "acosh": (mp.acosh, np.arccosh, (1, 100)),
    "atanh": (mp.atanh, np.arctanh, (-0.999, 0.999)),
    "asin": (mp.asin, np.arcsin, (-1, 1)),
    "acos": (mp.acos, np.arccos, (-1, 1)),
    "atan": (mp.atan, np.arctan, (-100, 100)),
    "erf": (mp.erf, None, (-4, 4)),
    "erfc": (mp.erfc, None, (-4, 10)),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), np.cbrt, (-100, 100)),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), lambda x: 1 / np.sqrt(x), (1e-3, 1e3)),
}
BINARY: dict[
    str, tuple[Callable[..., Any], Callable[..., Any], tuple[tuple[float, float], ...]]
] = {
    "powf": (mp.power, np.power, ((0.01, 30), (-10, 10))),
    "atan2": (mp.atan2, np.arctan2, ((-10, 10), (-10, 10))),
    "hypot": (mp.hypot, np.hypot, ((-10, 10), (-10, 10))),
}


# The special functions, at positive arguments; their ops.
SPECIAL: dict[str, tuple[Callable[..., Any], Callable[..., Any] | None, tuple[float, float]]] = {
    "lgamma": (mp.loggamma, None, (0.1, 20)),
    "digamma": (mp.digamma, None, (0.1, 20)),
    "trigamma": (lambda x: mp.polygamma(1, x), None, (0.1, 20)),
    "tetragamma": (lambda x: mp.polygamma(2, x), None, (0.1, 20)),
    "erfinv": (mp.erfinv, None, (0, 1)),
    "gaussian": (lambda x: mp.exp(-x * x), None, (0, 5)),
    "exp_square": (lambda x: mp.exp(x * x), None, (0, 5)),
    "sech_squared": (lambda x: mp.sech(x) ** 2, None, (0, 10)),
    "sigmoid_slope": (lambda x: (mp.sech(x / 2) / 2) ** 2, None, (0, 20)),
}
SPELLING = {
    "trigamma": "special.polygamma %x0 {order = 1 : i64}",
    "tetragamma": "special.polygamma %x0 {order = 2 : i64}",
    "hypot": "special.hypot %x0, %x1",
} | {name: f"special.{name} %x0" for name in SPECIAL if name not in ("trigamma", "tetragamma")}


def elementwise(entry: str, op: str, inputs: Sequence[str], result: str, size: int) -> str:
    """A function that applies the lines `op` (of %x0, %x1, ...; result %r) to each element."""

    def tensor(element: str) -> str:
        return f"tensor<{size}x{element}>"

    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(inputs) + 1))
    arguments = ", ".join(f"%in{i}: {tensor(t)}" for i, t in enumerate(inputs))
    operands = ", ".join(f"%in{i}" for i in range(len(inputs)))
    types = ", ".join(tensor(t) for t in inputs)
    scalars = ", ".join(f"%x{i}: {t}" for i, t in enumerate(inputs))
    return f"""
func.func @{entry}({arguments}) -> {tensor(result)} {{
  %empty = tensor.empty() : {tensor(result)}
  %0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({operands} : {types}) outs(%empty : {tensor(result)}) {{
  ^bb0({scalars}, %out: {result}):
    {op}
    linalg.yield %r : {result}
  }} -> {tensor(result)}
  return %0 : {tensor(result)}
}}"""


def compile_text(text: str, path: Path, target: str = "native") -> ctypes.CDLL:
    """MLIR text as a model `m` in the shared object `path`, made by cellc for a CPU."""
    source = path.with_suffix(".mlir")
    source.write_text(text)
    cellc = BUILD / "bin" / "cellc"
    subprocess.run([cellc, source, "-o", path, "--name=m", f"--target={target}"], check=True)
    return ctypes.CDLL(str(path))


def build(
    names: Iterable[str], dtype: str, size: int, folder: Path, target: str = "native"
) -> ctypes.CDLL:
    """One entry for each function, on `size` elements."""
    text = []
    for name in names:
        inputs = [dtype] * (2 if name in BINARY else 1)
        operands = ", ".join(f"%x{i}" for i in range(len(inputs)))
        op = f"%r = {SPELLING.get(name, f'math.{name} {operands}')} : {dtype}"
        text.append(elementwise(name, op, inputs, dtype, size))
    return compile_text("\n".join(text), folder / f"math_{dtype}_{target}.so", target)


class Function:
    """A compiled function on numpy arrays of its types, of any length; its result is a `dtype`."""

    def __init__(self, library: ctypes.CDLL, name: str, dtype: str, size: int) -> None:
        self.entry = getattr(library, f"cg_m_{name}")
        self.dtype, self.size = np.dtype(DTYPES[dtype]), size

    def bind(self, arrays: Sequence[np.ndarray]) -> Callable[[], int]:
        """A call on arrays (the last one is the result) of exactly the compiled size."""
        pointers = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
        entry = self.entry
        return lambda: entry(pointers, None)

    def __call__(self, *xs: np.ndarray) -> np.ndarray:
        count = len(xs[0])
        inputs = [np.pad(x, (0, -count % self.size)) for x in xs]
        out = np.empty(len(inputs[0]), self.dtype)
        for i in range(0, len(out), self.size):
            status = self.bind([a[i : i + self.size] for a in (*inputs, out)])()
            assert status == 0, f"status {status}"
        return out[:count]


def ulp_of(exact: Any, dtype: type) -> Any:
    """The spacing of `dtype` at the mpmath number."""
    info = np.finfo(dtype)
    if exact == 0:
        return mp.mpf(float(info.smallest_subnormal))
    e = mp.frexp(exact)[1] - 1  # exact in [2^e, 2^(e+1))
    return mp.ldexp(1, max(e, info.minexp) - info.nmant)


def errors(name: str, results: np.ndarray, args: Sequence[np.ndarray]) -> np.ndarray:
    """Errors in ulp against mpmath; infinite where an overflow or a NaN is wrong."""
    oracle = (UNARY | SPECIAL | BINARY)[name][0]
    dtype = results.dtype.type
    # Enough to reduce an argument of 2^1024 by pi.
    reduces = name in ("sin", "cos", "tan") and dtype == np.float64
    with mp.workprec(1300 if reduces else 200):
        return _errors(oracle, results, args, dtype)


def _errors(
    oracle: Callable[..., Any], results: np.ndarray, args: Sequence[np.ndarray], dtype: type
) -> np.ndarray:
    out = np.zeros(len(results))
    big = mp.mpf(float(np.finfo(dtype).max))
    for i, got in enumerate(results):
        try:
            exact = oracle(*[mp.mpf(float(a[i])) for a in args])
        except (ZeroDivisionError, ValueError, OverflowError):
            continue
        if isinstance(exact, mp.mpc) or not mp.isfinite(exact):
            if isinstance(exact, mp.mpc) and not np.isnan(got):
                out[i] = np.inf
            continue
        ulp = ulp_of(exact, dtype)
        if abs(exact) > big + ulp / 2:
            out[i] = 0 if np.isinf(got) and (got > 0) == (exact > 0) else np.inf
        elif not np.isfinite(got):
            out[i] = np.inf
        else:
            out[i] = float(abs(mp.mpf(float(got)) - exact) / ulp)
    return out


def arguments(name: str, dtype: type, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random bit patterns and values where the function does something."""
    info = np.finfo(dtype)
    uint = np.uint32 if dtype == np.float32 else np.uint64
    raw = rng.integers(0, np.iinfo(uint).max, count, dtype=uint).view(dtype)
    lo, hi = (UNARY | SPECIAL)[name][2]
    parts = [
        raw,
        rng.uniform(lo, hi, count).astype(dtype),
        (
            np.exp(rng.uniform(np.log(float(info.tiny)), np.log(float(info.max)), count))
            * rng.choice([-1, 1], count)
        ).astype(dtype),
        (np.exp(rng.uniform(-20, 6, count)) * rng.choice([-1, 1], count)).astype(dtype),
        (1 + rng.normal(0, 1, count) * np.exp(rng.uniform(-30, 0, count))).astype(dtype),
        rng.normal(0, 1, count).astype(dtype),
    ]
    if name in ("sin", "cos", "tan"):
        k = rng.integers(1, 2**15, count)
        near = np.array([float(mp.mpf(int(v)) * mp.pi / 2) for v in k]).astype(dtype)
        # The f64 and the f32 closest to a multiple of pi/2 (Muller, Handbook, ch. 11).
        closest = [6381956970095103 * 2.0**797, 16367173 * 2.0**72]
        with np.errstate(over="ignore"):
            parts += [near, np.nextafter(near, dtype(np.inf)), np.array(closest).astype(dtype)]
    if name in ("exp", "expm1", "sinh", "cosh", "exp2"):
        edge = float(np.log(float(info.max))) if name != "exp2" else float(info.maxexp)
        parts += [
            rng.uniform(edge - 2, edge + 2, count).astype(dtype),
            rng.uniform(-1.2 * edge, -edge + 4, count).astype(dtype),
        ]
    if name == "erfinv":  # near 1
        parts = [np.where(np.isfinite(p), p, 0.5) % 1 for p in parts]
        parts.append((1 - np.exp(rng.uniform(-38, 0, count))).astype(dtype))
    if name in SPECIAL:
        parts = [np.abs(p) for p in parts]
    x = np.concatenate(parts)
    return x[np.isfinite(x) & ((x != 0) | (name not in SPECIAL))]


def pair_arguments(
    name: str, dtype: type, rng: np.random.Generator, count: int
) -> tuple[np.ndarray, np.ndarray]:
    info = np.finfo(dtype)
    uint = np.uint32 if dtype == np.float32 else np.uint64

    def raw():
        return rng.integers(0, np.iinfo(uint).max, count, dtype=uint).view(dtype)

    (a, b), (c, d) = BINARY[name][2]
    xs = [raw(), rng.uniform(a, b, count).astype(dtype)]
    ys = [raw(), rng.uniform(c, d, count).astype(dtype)]
    if name == "powf":
        base = np.exp(rng.normal(0, 4, count)).astype(dtype)
        # Powers that reach over the whole exponent range.
        target = rng.uniform(-1, 1, count) * float(np.log(float(info.max))) * 1.05
        with np.errstate(all="ignore"):
            xs += [
                base,
                -base,
                rng.integers(-30, 30, count).astype(dtype),
                (1 + rng.normal(0, 1e-3, count)).astype(dtype),
            ]
            ys += [
                (target / np.log(base.astype(np.float64))).astype(dtype),
                rng.integers(-20, 20, count).astype(dtype),
                rng.integers(0, 12, count).astype(dtype),
                rng.uniform(-1e5, 1e5, count).astype(dtype),
            ]
    x, y = np.concatenate(xs), np.concatenate(ys)
    ok = np.isfinite(x) & np.isfinite(y)
    if name == "powf":  # keep mpmath from astronomically large powers
        with np.errstate(all="ignore"):
            size = np.abs(y.astype(np.float64)) * np.abs(np.log2(np.abs(x.astype(np.float64))))
        ok &= (size < 3000) & (x != 0)
        ok &= (x > 0) | (np.abs(y) < 1e6)
    return x[ok], y[ok]
