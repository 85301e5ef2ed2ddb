"""Elementwise ops that run on parts of a product's result give the bits that they give apart from it."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import guarded

from cellgrad import _native

ROOT = Path(__file__).resolve().parents[2]

# (batch, m, n, k): ragged tiles, several blocks of columns and of the reduction, items of threads.
SHAPES = [
    (1, 13, 21, 7),
    (1, 29, 1040, 33),
    (1, 140, 72, 1000),
    (1, 300, 272, 300),
    (3, 57, 80, 65),
    (40, 64, 48, 64),
    (1, 30, 40, 4500),
]


def product(batch: int, m: int, n: int, k: int, dtype: str) -> tuple[str, str, str, str]:
    """The types of A, B and C, and the product."""
    lead = f"{batch}x" if batch > 1 else ""
    a, b, c = (f"tensor<{lead}{x}x{y}x{dtype}>" for x, y in ((m, k), (k, n), (m, n)))
    return a, b, c, f"  %p = cell.matmul %a, %b : ({a}, {b}) -> {c}\n"


def chain(batch: int, m: int, n: int, k: int, dtype: str) -> str:
    """relu(p + bias) * scale - residual, in the residual's memory, and what relu has cut, as a mask."""
    a, b, c, line = product(batch, m, n, k, dtype)
    along = "[0, 1]" if batch > 1 else "[0]"
    rows = f"tensor<{f'{batch}x' if batch > 1 else ''}{m}x{dtype}>"
    mask = c.replace(dtype, "i1")
    return f"""func.func @f(%a: {a}, %b: {b}, %v: tensor<{n}x{dtype}>, %s: {rows}, %r: {c} {{cell.donate = 0 : i64}})
    -> ({c}, {mask}) {{
{line}  %bias = cell.broadcast %v along {along} : tensor<{n}x{dtype}> -> {c}
  %0 = cell.add %p, %bias : {c}
  %zero = cell.constant dense<0.0> : {c}
  %1 = cell.maximum %0, %zero : {c}
  %scale = cell.broadcast %s along [{2 if batch > 1 else 1}] : {rows} -> {c}
  %2 = cell.mul %1, %scale : {c}
  %3 = cell.sub %2, %r : {c}
  %4 = cell.greater %1, %zero : {c}
  return %3, %4 : {c}, {mask}
}}
"""


def compiled(text: str, path: Path, **options: object) -> guarded.Model:
    _native.compile_text(text, str(path), "m", options)
    return guarded.Model(path)


def formed(text: str, kernel_bytes: int) -> list[str]:
    pipeline = f"builtin.module(cell-to-llvm-pipeline{{kernel-bytes={kernel_bytes}}})"
    tool = [str(ROOT / "build" / "bin" / "cell-opt"), "-", "-o", "/dev/null"]
    made = subprocess.run(
        [*tool, f"--pass-pipeline={pipeline}", "--dump-pass-pipeline"],
        input="module {}",
        capture_output=True,
        text=True,
        check=True,
    )
    passes = made.stderr[made.stderr.index("builtin.module(") :].strip()
    passes = re.sub(r"(cell-emit-gemm\{[^}]*)print-plan=false", r"\1print-plan=true", passes)
    said = subprocess.run(
        [*tool, f"--pass-pipeline={passes}"], input=text, capture_output=True, text=True, check=True
    )
    return re.findall(r"epilogue of \d+ ops", said.stderr)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: "x".join(map(str, s)))
def test_same_bits_as_apart(shape, dtype, tmp_path):
    batch, m, n, k = shape
    number = {"f32": np.float32, "f64": np.float64}[dtype]
    rng = np.random.default_rng(m)
    lead = (batch,) if batch > 1 else ()
    shapes = [(*lead, m, k), (*lead, k, n), (n,), (*lead, m), (*lead, m, n)]
    a, b, v, s, r = (rng.normal(size=x).astype(number) for x in shapes)
    types = product(*shape, dtype)
    alone = f"func.func @f(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n{types[3]}  return %p : {types[2]}\n}}\n"
    buffers = lambda *arrays: [_native.TensorBuffer.from_object(x.copy()) for x in arrays]
    # numpy rounds every op as the element type does.
    (apart,) = compiled(alone, tmp_path / "apart.so").entry("f")(buffers(a, b))
    relu = np.maximum(np.asarray(apart) + v, number(0))
    wanted = relu * s[..., None] - r
    text = chain(*shape, dtype)
    for kernel_bytes in (1, 65536):
        expected = k <= 4096 and (kernel_bytes == 1 or np.asarray(apart).nbytes >= 16384)
        assert bool(formed(text, kernel_bytes)) == expected
        path = tmp_path / f"f{kernel_bytes}.so"
        call = compiled(text, path, kernel_bytes=kernel_bytes).entry("f")
        for pool in (None, guarded.Shuffled(1, 0), guarded.Shuffled(3, 1)):
            given = buffers(a, b, v, s, r)
            made, mask = call(given, pool) if pool else call(given)
            np.testing.assert_array_equal(np.asarray(made), wanted)
            np.testing.assert_array_equal(np.asarray(mask), relu > 0)
