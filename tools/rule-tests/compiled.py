"""Compares what the compiler makes of the rule tests with what cell-run makes of them.

    python tools/rule-tests/compiled.py --build=build test/rules test/interp/casts.mlir

compiles every file, as it stands and, where that is float64 alone, again in float32, and calls its
entries with arguments that are half special values: both zeros, infinities, NaN, numbers that
overflow or are subnormal. NaN, infinities, signs of zeros and zeros themselves must agree exactly.
Those of several ranks are left to test/fuzz/collectives.py. With --target and --launch, models are made for another
machine, and the command calls them there: tools/targets/machines.py. With --sanitize, in a process with AddressSanitizer's
runtime (tools/sanitize), every access is checked.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "targets"))
from machines import Here, Launched

ELEMENT = {"float64": "f64", "float32": "f32", "float16": "f16", "bool": "i1"}
ELEMENT |= {f"int{n}": f"i{n}" for n in (8, 16, 32, 64)}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, 0.5, 3.0]
SPECIAL += [1e-40, 1e30, -1e30, 700.0, 127.5, -128.5, 2147483648.0, -32769.0]
# The bits of infinities and NaN as the tests spell them.
TO_F32 = {
    "f64": "f32",
    "0x7FF8000000000000": "0x7FC00000",
    "0x7FF0000000000000": "0x7F800000",
    "0xFFF0000000000000": "0xFF800000",
}
# Elementary functions differ by some units in the last place, and rules subtract.
TOLERANCE = {"float64": 1e-11, "float32": 4e-5, "float16": 2e-3}
# Sums of products: huge terms cancel in one order and not in another, and compiled code skips the
# products of filters with the zeros between elements, which are NaN where a filter is infinite.
# One element that is not finite makes all eigenvalues and singular values NaN.
ORDINARY = {"conv", "eigh", "matmul", "svd"}


def sample(spec, draw, specials):
    shape = spec["shape"]
    if spec["dtype"] == "bool":
        return draw.integers(0, 2, shape).astype(bool)
    if spec["dtype"].startswith("int"):
        info = np.iinfo(spec["dtype"])
        anything = draw.integers(info.min, info.max, shape, endpoint=True)
        return np.where(draw.random(shape) < 0.5, anything, draw.integers(-5, 6, shape)).astype(
            spec["dtype"]
        )
    special = draw.choice(SPECIAL, shape)
    with np.errstate(over="ignore"):
        chosen = (draw.random(shape) < 0.5) & specials
        return np.where(chosen, special, draw.uniform(-3, 3, shape)).astype(spec["dtype"])


def attribute(array, spec):
    """`array` as an attribute, by its bytes; MLIR packs bools."""
    if array.dtype == bool:
        text = str(array.tolist()).lower()
    else:
        text = '"0x' + array.tobytes().hex().upper() + '"'
    shape = "".join(f"{n}x" for n in spec["shape"])
    return f"dense<{text}> : tensor<{shape}{ELEMENT[spec['dtype']]}>"


def run(command):
    """What a tool prints. Its own accesses are not what is checked."""
    own = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=own).stdout


def interpret(build, source, entry, args):
    command = [f"{build}/bin/cell-run", source, f"--entry={entry['name']}"]
    command.append("--passes=cell-differentiate")
    command += [f"--arg={attribute(a, spec)}" for a, spec in zip(args, entry["args"])]
    texts = re.findall(r"^result \d+: tensor<.*?> (.*)$", run(command), re.M)
    return [
        np.array(json.loads(t.replace("nan", "NaN").replace("inf", "Infinity")), spec["dtype"])
        for t, spec in zip(texts, entry["results"])
    ]


def differ(got, want, sums):
    """The elements where a compiled result is not what it should be; those of `sums` of products of
    numbers below 3 may cancel."""
    if got.dtype.kind != "f":
        return got != want
    with np.errstate(all="ignore"):
        lost = 32 * np.finfo(got.dtype).eps if sums else 0
        close = np.abs(got - want) <= TOLERANCE[got.dtype.name] * np.abs(want) + lost
        subnormal = np.abs(want) < np.finfo(got.dtype).tiny
    exact = (got == want) & (np.signbit(got) == np.signbit(want))
    nans = np.isnan(got) & np.isnan(want)
    nonzero = (want != 0) & (got != 0) & np.isfinite(want)
    return ~(exact | nans | (nonzero & (close | subnormal)))


def compare(build, text, name, folder, draw, flags, machine):
    """Lines on the results of program `text` that differ, and how many elements were compared."""
    ending = "wasm" if "--target=wasm32" in flags else "so"
    source, library = folder / f"{name}.mlir", folder / f"{name}.{ending}"
    source.write_text(text)
    run([f"{build}/bin/cellc", source, "-o", library, "--name=m", *flags])
    lines, compared = [], 0
    for entry in machine.signature(library, "m")["entries"]:
        specials = name.removesuffix("_f32") not in ORDINARY
        args = [np.ascontiguousarray(sample(spec, draw, specials)) for spec in entry["args"]]
        results = [np.empty(spec["shape"], spec["dtype"]) for spec in entry["results"]]
        status = machine.call(library, "m", f"cg_m_{entry['name']}", args + results)
        if status:
            lines.append(f"{name} @{entry['name']}: status {status}")
            continue
        for i, want in enumerate(interpret(build, source, entry, args)):
            compared += want.size
            for at in np.argwhere(differ(results[i], want, not specials))[:3]:
                at = tuple(at)
                lines.append(
                    f"{name} @{entry['name']}, result {i} at {list(map(int, at))}: "
                    f"compiled {results[i][at]}, interpreted {want[at]}, "
                    f"arguments {[a.tolist() for a in args]}"
                )
    return lines, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", type=Path, nargs="+", help="files, or folders of .mlir files")
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sanitize", action="store_true", help="check every access to memory")
    parser.add_argument("--target", default="native", help="what to compile for")
    parser.add_argument("--launch", help="command that calls models of that target")
    options = parser.parse_args()
    machine = Launched(options.launch) if options.launch else Here()
    flags = [f"--target={options.target}"] + ["--sanitize=address"] * options.sanitize
    lines, compared = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path in [f for t in options.tests for f in sorted(t.glob("*.mlir")) or [t]]:
            if "--ranks=" in path.read_text():
                continue
            programs = {path.stem: path.read_text()}
            if "f32" not in programs[path.stem]:
                single = re.sub("|".join(TO_F32), lambda m: TO_F32[m[0]], programs[path.stem])
                programs[f"{path.stem}_f32"] = single
            for name, text in programs.items():
                # Numbers of its own: another file changes nothing here.
                draw = np.random.default_rng([options.seed, *name.encode()])
                found, count = compare(
                    options.build, text, name, Path(folder), draw, flags, machine
                )
                lines, compared = lines + found, compared + count
    print(f"{compared} elements compared, {len(lines)} differ")
    sys.exit("\n".join(lines) or 0)


if __name__ == "__main__":
    main()
