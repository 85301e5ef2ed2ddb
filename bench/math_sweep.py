#!/usr/bin/env python3
"""Accuracy and speed of the functions of cell-expand-math.

    python3 bench/math_sweep.py [--build build] [--functions exp,sin] [--quick] [--markdown FILE]

Compiles one loop per function and type (cell-opt, then the LLVM tools), compares it with mpmath at
random and structured arguments and at special values, f32 also by stride over all bit patterns, and
times 65,536 elements against numpy in alternation. Needs numpy and mpmath.
"""

import argparse
import ctypes
import os
import subprocess
import tempfile
import time

import mpmath as mp
import numpy as np

LLVM = os.environ.get("LLVM_PREFIX", "/usr/lib/llvm-22") + "/bin/"
UNARY = {  # name: (mpmath, numpy, timing range)
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
BINARY = {
    "powf": (mp.power, np.power, ((0.01, 30), (-10, 10))),
    "atan2": (mp.atan2, np.arctan2, ((-10, 10), (-10, 10))),
}
SIZE = 65536


def module(functions, dtype, lanes):
    """One function a math op: void f(in..., out, n), n a multiple of `lanes`."""
    text = []
    for name in functions:
        arity = 2 if name in BINARY else 1
        ins = [f"%in{i}: memref<?x{dtype}>" for i in range(arity)]
        vec = f"vector<{lanes}x{dtype}>"
        loads = "\n".join(
            f"    %v{i} = vector.load %in{i}[%i] : memref<?x{dtype}>, {vec}" for i in range(arity))
        operands = ", ".join(f"%v{i}" for i in range(arity))
        text.append(f"""
func.func @v_{name}({", ".join(ins)}, %out: memref<?x{dtype}>, %n: index) attributes {{llvm.emit_c_interface}} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {lanes} : index
  scf.for %i = %c0 to %n step %step {{
{loads}
    %r = math.{name} {operands} : {vec}
    vector.store %r, %out[%i] : memref<?x{dtype}>, {vec}
  }}
  return
}}""")
    return "\n".join(text)


LOWER = ("--convert-scf-to-cf --convert-vector-to-llvm=reassociate-fp-reductions=0 --convert-math-to-llvm "
         "--convert-arith-to-llvm --finalize-memref-to-llvm --convert-index-to-llvm "
         "--convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts").split()


def build(functions, dtype, lanes, build_dir, keep=None):
    work = keep or tempfile.mkdtemp()
    base = os.path.join(work, f"m_{dtype}")
    with open(base + ".mlir", "w") as f:
        f.write(module(functions, dtype, lanes))
    opt = os.path.join(build_dir, "bin/cell-opt")
    def run(args):
        subprocess.run(args, check=True)
    run([opt, base + ".mlir", "--cell-expand-math", "--canonicalize", "--cse", "-o", base + ".x.mlir"])
    run([LLVM + "mlir-opt", base + ".x.mlir", *LOWER, "-o", base + ".llvm.mlir"])
    run([LLVM + "mlir-translate", "--mlir-to-llvmir", base + ".llvm.mlir", "-o", base + ".ll"])
    run([LLVM + "clang", "-O3", "-march=native", "-mprefer-vector-width=512", "-fPIC", "-shared", "-Wno-override-module",
         "-nostdlib", "-Wl,-z,defs", base + ".ll", "-o", base + ".so"])
    return ctypes.CDLL(base + ".so")


class MemRef(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64),
                ("size", ctypes.c_int64), ("stride", ctypes.c_int64)]


def memref(a):
    return MemRef(a.ctypes.data, a.ctypes.data, 0, a.size, 1)


class Function:
    def __init__(self, lib, name, dtype, lanes):
        self.f = getattr(lib, "_mlir_ciface_v_" + name)
        self.lanes, self.dtype = lanes, dtype

    def __call__(self, *xs):
        n = xs[0].size
        pad = -n % self.lanes
        xs = [np.ascontiguousarray(np.pad(np.asarray(x, self.dtype), (0, pad))) for x in xs]
        out = np.empty_like(xs[0])
        self.run(xs, out)
        return out[:n]

    def run(self, xs, out):
        self.bind(xs, out)()

    def bind(self, xs, out):
        refs = [memref(x) for x in (*xs, out)]
        args = [ctypes.byref(r) for r in refs] + [ctypes.c_int64(out.size)]
        return lambda: self.f(*args)


def ulp_of(exact, dtype):
    """The spacing of `dtype` at the mpmath number."""
    info = np.finfo(dtype)
    if exact == 0:
        return mp.mpf(float(info.smallest_subnormal))
    e = mp.frexp(exact)[1] - 1  # exact in [2^e, 2^(e+1))
    return mp.ldexp(1, max(e, info.minexp) - info.nmant)


def errors(results, args, oracle, dtype):
    """ulp errors; results that are special or overflow are compared as values."""
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


def arguments(name, dtype, rng, count):
    """Random bit patterns and values where the function does something."""
    info = np.finfo(dtype)
    uint = np.uint32 if dtype == np.float32 else np.uint64
    raw = rng.integers(0, np.iinfo(uint).max, count, dtype=uint).view(dtype)
    lo, hi = UNARY[name][2]
    parts = [raw, rng.uniform(lo, hi, count).astype(dtype),
             (np.exp(rng.uniform(np.log(float(info.tiny)) , np.log(float(info.max)), count))
              * rng.choice([-1, 1], count)).astype(dtype),
             (np.exp(rng.uniform(-20, 6, count)) * rng.choice([-1, 1], count)).astype(dtype),
             (1 + rng.normal(0, 1, count) * np.exp(rng.uniform(-30, 0, count))).astype(dtype),
             rng.normal(0, 1, count).astype(dtype)]
    if name in ("sin", "cos", "tan"):
        k = rng.integers(1, 2**15, count)
        near = np.array([float(mp.mpf(int(v)) * mp.pi / 2) for v in k]).astype(dtype)
        parts += [near, np.nextafter(near, dtype(np.inf))]
    if name in ("exp", "expm1", "sinh", "cosh", "exp2"):
        edge = float(np.log(float(info.max))) if name != "exp2" else float(info.maxexp)
        parts += [rng.uniform(edge - 2, edge + 2, count).astype(dtype),
                  rng.uniform(-1.2 * edge, -edge + 4, count).astype(dtype)]
    x = np.concatenate(parts)
    return x[np.isfinite(x)]


def pair_arguments(name, dtype, rng, count):
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
            xs += [base, -base, rng.integers(-30, 30, count).astype(dtype),
                   (1 + rng.normal(0, 1e-3, count)).astype(dtype)]
            ys += [(target / np.log(base.astype(np.float64))).astype(dtype),
                   rng.integers(-20, 20, count).astype(dtype), rng.integers(0, 12, count).astype(dtype),
                   rng.uniform(-1e5, 1e5, count).astype(dtype)]
    x, y = np.concatenate(xs), np.concatenate(ys)
    ok = np.isfinite(x) & np.isfinite(y)
    if name == "powf":  # keep mpmath from astronomically large powers
        with np.errstate(all="ignore"):
            size = np.abs(y.astype(np.float64)) * np.abs(np.log2(np.abs(x.astype(np.float64))))
        ok &= (size < 3000) & (x != 0)
        ok &= (x > 0) | (np.abs(y) < 1e6)
    return x[ok], y[ok]


def reference_f64(name, x):
    """float64 oracle of numpy for the f32 prefilter, None where there is none."""
    fn = UNARY[name][1]
    with np.errstate(all="ignore"):
        return None if fn is None else fn(x.astype(np.float64))


def stride_sweep(fn, name, stride, chunk=1 << 22):
    """Worst f32 argument of each chunk of all bit patterns against numpy's float64."""
    worst = []
    for start in range(0, 1 << 32, chunk * stride):
        x = np.arange(start, min(start + chunk * stride, 1 << 32), stride, dtype=np.uint64).astype(
            np.uint32).view(np.float32)
        x = x[np.isfinite(x)]
        if not x.size:
            continue
        want = reference_f64(name, x)
        if want is None:
            return np.concatenate(worst) if worst else x[:0]
        got = fn(x)
        with np.errstate(all="ignore"):
            unit = np.spacing(np.abs(want.astype(np.float32))).astype(np.float64)
            err = np.abs(got.astype(np.float64) - want) / unit
            bad = np.isnan(got) != np.isnan(want)
        err[~np.isfinite(err)] = 0
        err[bad] = np.inf
        worst.append(x[np.argsort(err)[-4:]])
    return np.concatenate(worst)


def time_pair(ours, theirs, rounds=60):
    best = [np.inf, np.inf]
    for _ in range(rounds):
        for i, f in enumerate((ours, theirs)):
            if f is None:
                continue
            t = time.perf_counter_ns()
            f()
            best[i] = min(best[i], time.perf_counter_ns() - t)
    return [b / SIZE for b in best]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--functions", default="")
    ap.add_argument("--types", default="f32,f64")
    ap.add_argument("--count", type=int, default=20000, help="arguments of each kind checked with mpmath")
    ap.add_argument("--stride", type=int, default=61, help="f32 sweep over all bit patterns; 0: none")
    ap.add_argument("--keep", help="directory for the intermediate files")
    ap.add_argument("--markdown", help="write the table here")
    ap.add_argument("--no-time", action="store_true")
    o = ap.parse_args()
    names = o.functions.split(",") if o.functions else list(UNARY) + list(BINARY)
    rows = []
    for tname in o.types.split(","):
        dtype = np.float32 if tname == "f32" else np.float64
        lanes = 16 if tname == "f32" else 8
        mp.mp.prec = 120 if tname == "f32" else 200
        lib = build(names, tname, lanes, o.build, o.keep)
        for name in names:
            rng = np.random.default_rng(1)
            fn = Function(lib, name, dtype, lanes)
            if name in UNARY:
                oracle, npf, rngs = UNARY[name]
                xs = [arguments(name, dtype, rng, o.count)]
                if dtype == np.float32 and o.stride:
                    xs[0] = np.concatenate([xs[0], stride_sweep(fn, name, o.stride)])
                if name in ("sin", "cos", "tan") and dtype == np.float64:
                    mp.mp.prec = 1300
                ranges = [rngs]
            else:
                oracle, npf, ranges = BINARY[name]
                xs = list(pair_arguments(name, dtype, rng, o.count))
            err = errors(fn(*xs), xs, oracle, dtype)
            mp.mp.prec = 120 if tname == "f32" else 200
            at = int(np.argmax(err))
            row = [name, tname, err[at], ", ".join(float(x[at]).hex() for x in xs), len(err), np.nan, np.nan]
            if not o.no_time:
                args = [np.ascontiguousarray(rng.uniform(*r, SIZE).astype(dtype)) for r in ranges]
                out, out2 = np.empty_like(args[0]), np.empty_like(args[0])
                with np.errstate(all="ignore"):
                    row[5], row[6] = time_pair(fn.bind(args, out), npf and (lambda: npf(*args, out=out2)
                                               if isinstance(npf, np.ufunc) else npf(*args)))
            rows.append(row)
            print(f"{name:6} {tname} max {row[2]:7.3f} ulp at {row[3]:44} ({row[4]} points) "
                  f"{row[5]:6.3f} ns, numpy {row[6]:6.3f}", flush=True)
    if o.markdown:
        with open(o.markdown, "w") as f:
            f.write("| function | type | max ulp | at | ns/element | numpy ns/element |\n|---|---|---|---|---|---|\n")
            for name, tname, e, at, _, ours, theirs in rows:
                other = "" if not np.isfinite(theirs) else f"{theirs:.2f}"
                f.write(f"| {name} | {tname} | {e:.2f} | {at} | {ours:.2f} | {other} |\n")


if __name__ == "__main__":
    main()
