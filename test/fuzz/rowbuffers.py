"""Random ops on buffers: what kernels are formed of must compute what the ops compute, bit for bit.

A function has products of rows, sums of products, elementwise ops, reductions, fills and copies of arguments and
temporaries, in loops and outside, of whole buffers and of views that overlap, in any order that makes sense. All
numbers are small integers in double precision, so that sums are the same in any order. The function as it is and what
`cell-accumulate-products`, `cell-form-epilogues` and `cell-form-kernels` make of it are lowered by MLIR's own passes
alone. Memory that nobody has written is NaN, and items run from the last to the first, too.

    python test/fuzz/rowbuffers.py --first=1000 --count=400
"""

from __future__ import annotations

import argparse
import ctypes
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from bufferops import MAPS, Function
from generator import BUILD

LLVM = Path("/usr/lib/llvm-22/bin")
TOOL = BUILD / "bin" / "cell-opt"
# A matrix that is transposed once for all tiles.
TURNED = re.compile(
    r"\(d1, d0\)>, affine_map<\(d0, d1\) -> \(d0, d1\)>\], iterator_types = \S+ \S+ ins\("
)
EXACT = 2**45  # larger numbers may come from sums that are not exact
# In place of malloc: what nobody has written is NaN.
MEMORY = """
#include <stdlib.h>
#include <string.h>
void *_mlir_memref_to_llvm_alloc(size_t n) { void *p = malloc(n + 8); memset(p, 0xff, n + 8); return p; }
typedef struct { double *allocated, *at; long offset, sizes[2], strides[2]; } matrix;
typedef struct { long rank; matrix *m; } unranked;
void memrefCopy(long bytes, unranked *from, unranked *to) {
  matrix *a = from->m, *b = to->m;
  for (long i = 0; i < a->sizes[0]; ++i)
    for (long j = 0; j < a->sizes[1]; ++j)
      b->at[b->offset + i * b->strides[0] + j * b->strides[1]] = a->at[a->offset + i * a->strides[0] + j * a->strides[1]];
}
"""
LOWERING = (
    "builtin.module(func.func(convert-linalg-to-loops,scf-forall-to-for),expand-strided-metadata,lower-affine,"
    "convert-scf-to-cf,canonicalize,finalize-memref-to-llvm{use-generic-functions=true},"
    "convert-arith-to-llvm,convert-index-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},convert-cf-to-llvm,reconcile-unrealized-casts)"
)


def options(seed: int) -> str:
    rng = random.Random(seed + 1)
    given = {
        "fewest-bytes": rng.choice([1, 64, 1000]),
        "fewest-nanoseconds": 0,
        "product-nanoseconds": rng.choice([200, 2000, 20000, 20000]),
        "products-anywhere": rng.choice(["true", "false"]),
        "print-plan": "true",
    }
    return " ".join(f"{k}={v}" for k, v in given.items())


def passes(seed: int) -> str:
    rng = random.Random(seed + 2)
    parts = ["cell-accumulate-products"] if rng.random() < 0.8 else []
    parts += ["cell-form-epilogues{fewest-bytes=1}"] if rng.random() < 0.6 else []
    return ",".join([*parts, f"cell-form-kernels{{{options(seed)}}}"])


def backwards(text: str) -> str:
    """The items of all kernels from the last to the first."""
    return re.sub(
        r"scf\.forall \((%\w+)\) in \((\d+)\) \{",
        lambda m: (
            f"scf.forall ({m[1]}r) in ({m[2]}) {{\n{m[1]} = affine.apply "
            f"affine_map<(d0) -> ({int(m[2]) - 1} - d0)>({m[1]}r)"
        ),
        text,
    )


def run(tool: list[str | Path], text: str) -> tuple[str, str]:
    made = subprocess.run(tool, input=text, capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(f"{tool} ends with {made.returncode}\n{made.stderr[-3000:]}")
    return made.stdout, made.stderr


def compiled(texts: list[str], folder: Path) -> ctypes.CDLL:
    module = "\n".join([*(f"#{k} = affine_map<{v}>" for k, v in MAPS.items()), *texts])
    dialect, _ = run(
        [LLVM / "mlir-opt", "--allow-unregistered-dialect", f"--pass-pipeline={LOWERING}"], module
    )
    code, _ = run([LLVM / "mlir-translate", "--mlir-to-llvmir"], dialect)
    ll, c, so = folder / "f.ll", folder / "m.c", folder / "f.so"
    ll.write_text(code)
    c.write_text(MEMORY)
    run([LLVM / "clang", "-w", "-O0", "-fPIC", "-shared", ll, c, "-o", so], "")
    return ctypes.CDLL(str(so))


def formed(function: Function) -> tuple[str, str]:
    """What the passes make of a function, and what they say."""
    module = "\n".join([*(f"#{k} = affine_map<{v}>" for k, v in MAPS.items()), function.text()])
    pipeline = f"builtin.module(func.func({passes(function.seed)}))"
    given = [TOOL, "-", "--mlir-print-local-scope", f"--pass-pipeline={pipeline}"]
    made, said = run(given, module)
    body = made[made.index("func.func") : made.rindex("}")].rstrip()
    return body, said


def called(library: ctypes.CDLL, name: str, function: Function, choice: bool) -> list[np.ndarray]:
    rng = np.random.default_rng(function.seed)
    given = [rng.integers(-2, 3, b.shape).astype("f8") for b in function.arguments]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in given]
    getattr(library, name)(*pointers, ctypes.c_bool(choice))
    return given


def wrong(library: ctypes.CDLL, function: Function, said: Counter[str]) -> list[str]:
    """What the function computes otherwise when it is formed into kernels."""
    found = []
    for choice in (False, True):
        expected = called(library, function.name, function, choice)
        if max(np.abs(x).max() for x in expected) > EXACT:
            said["too large"] += 1
            return []
        for way in ("made", "back"):
            given = called(library, f"{function.name}_{way}", function, choice)
            other = [
                i
                for i, pair in enumerate(zip(given, expected, strict=True))
                if not np.array_equal(*pair)
            ]
            if other:
                what = f"seed {function.seed}, {way}, %p = {choice}: arguments {other} differ"
                found.append(f"{what}; {passes(function.seed)}")
    return found


def check(seeds: range) -> tuple[list[str], Counter[str]]:
    """What the functions of these seeds compute that is something else, and what was formed."""
    functions, texts, said, bad = [], [], Counter[str](), list[str]()
    for seed in seeds:
        f = Function(seed)
        try:
            body, remarks = formed(f)
        except RuntimeError as error:
            bad.append(f"seed {seed}: {error}\n{f.text()}")
            continue
        functions.append(f)
        texts += [
            f.text(),
            body.replace(f"@{f.name}(", f"@{f.name}_made("),
            backwards(body).replace(f"@{f.name}(", f"@{f.name}_back("),
        ]
        said["kernels"] += remarks.count("items of")
        said["with products"] += remarks.count("with products")
        said["that a loop adds up"] += remarks.count("some added up")
        said["products"] += f.text().count("arith.mulf")
        said["deferred"] += len(re.findall(r" [1-9]\d* deferred", remarks))
        said["turned ahead"] += len(TURNED.findall(body))
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(texts, Path(folder))
        for f in functions:
            bad += wrong(library, f, said)
    return bad, said


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument(
        "--print",
        action="store_true",
        help="the function of the first seed, and what is made of it",
    )
    given = parser.parse_args()
    if given.print:
        f = Function(given.first)
        print(f.text(), formed(f)[0], sep="\n")
        return 0
    bad, said = 0, Counter[str]()
    end = given.first + given.count
    for first in range(given.first, end, 25):
        findings, made = check(range(first, min(first + 25, end)))
        bad, said = bad + len(findings), said + made
        print(*findings, sep="\n", end="\n" if findings else "", flush=True)
    for form, n in said.items():
        print(f"| {form} | {n} |")
    print(f"{given.count} functions, {bad} wrong")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
