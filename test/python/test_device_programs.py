"""Programs as kernels, run by the emulated driver: numbers against numpy, and against the same program on the CPU."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from device import BUILD, Device, Kernels, as_kernels, on_buffers, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

CPU = "cell-cpu-kernel-pipeline{target=x86-64-v3},cell-convert-to-llvm-pipeline{target=x86-64-v3}"


@pytest.fixture(scope="module")
def device():
    return Device()


def on_cpu(folder, text, arrays):
    """Runs @main of a module on buffers through the emitters of the CPU."""
    # The loader takes a file of one name for one library.
    source = folder / f"{len(list(folder.iterdir()))}.mlir"
    library = source.with_suffix(".so")
    source.write_text(text)
    command = [BUILD / "bin" / "cellc", source, "-o", library, "--name=m", "--target=x86-64-v3"]
    subprocess.run([*command, f"--pipeline={CPU}"], check=True)
    entry = ctypes.CDLL(str(library)).cg_m_main
    assert entry((ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays]), None) == 0


class Both:
    """Runs programs both ways: `bits` are those of the kernel and of the CPU's code."""

    def __init__(self, device, folder):
        self.device, self.folder = device, folder

    def __call__(self, text, inputs, results, buffers=False):
        text = text if buffers else on_buffers(text)
        kernels = Kernels(as_kernels(text))
        self.grid, self.block, self.scratch = kernels.launches["main"]
        given, cpu = ([np.full(s, 1, t) for s, t in results] for _ in range(2))
        self.device(kernels, "main", [*[x.copy() for x in inputs], *given])
        on_cpu(self.folder, text, [*[x.copy() for x in inputs], *cpu])
        return given, cpu


@pytest.fixture
def both(device, tmp_path):
    return Both(device, tmp_path)


def same_bits(given, cpu):
    for a, b in zip(given, cpu, strict=True):
        np.testing.assert_array_equal(a, b)


def normal(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def test_a_map_with_broadcast_has_the_bits_of_the_cpu(both):
    """More elements than threads, a rest, every special value; the functions are the project's own."""
    text = """
func.func @main(%x: tensor<37x29xf32>, %r: tensor<29xf32>, %c: tensor<37xf32>) -> (tensor<37x29xf32>, tensor<37x29xf32>) {
  %e = tensor.empty() : tensor<37x29xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
                                          affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %c : tensor<37x29xf32>, tensor<29xf32>, tensor<37xf32>) outs(%e, %e : tensor<37x29xf32>, tensor<37x29xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32, %p: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %d : f32
    %3 = math.tanh %2 : f32
    %4 = math.sin %a : f32
    %5 = arith.maximumf %4, %3 : f32
    linalg.yield %2, %5 : f32, f32
  } -> (tensor<37x29xf32>, tensor<37x29xf32>)
  return %0#0, %0#1 : tensor<37x29xf32>, tensor<37x29xf32>
}"""
    x, r, c = normal(0, 37, 29) * 3, normal(1, 29), normal(2, 37)
    x[0, :9] = [0, -0.0, 1e-40, np.inf, -np.inf, np.nan, 1e30, 88.7, -1e-38]
    given, cpu = both(text, [x, r, c], [((37, 29), np.float32)] * 2)
    assert (both.grid, both.block, both.scratch) == (1, 256, 0)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(given[0], x * r + c[:, None])
    same_bits(given, cpu)


FUNCTIONS = [
    "math.exp",
    "math.exp2",
    "math.expm1",
    "math.log",
    "math.log2",
    "math.log10",
    "math.log1p",
    "math.sin",
    "math.cos",
    "math.tan",
    "math.sinh",
    "math.cosh",
    "math.tanh",
    "math.asinh",
    "math.acosh",
    "math.atanh",
    "math.asin",
    "math.acos",
    "math.atan",
    "math.erf",
    "math.erfc",
    "math.cbrt",
    "math.rsqrt",
    "math.round",
    "math.floor",
    "math.ceil",
    "math.trunc",
    "math.roundeven",
    "math.sqrt",
    "math.absf",
    "special.lgamma",
    "special.digamma",
    "special.erfinv",
    "special.sech_squared",
    "special.sigmoid_slope",
    "special.gaussian",
    "special.exp_square",
]


@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "bf16"])
def test_functions_have_the_bits_of_the_cpu(both, kind):
    """Numbers of every exponent, as integers of their bits; which NaN a NaN is, targets may choose."""
    size = 1024
    bits = {"f32": 32, "f64": 64, "f16": 16, "bf16": 16}[kind]
    tensor = f"tensor<{size}xi{bits}>"
    ops = [f"%r{i} = {op} %x : {kind}" for i, op in enumerate(FUNCTIONS)]
    ops += [
        f"%r{len(ops)} = math.powf %x, %y : {kind}",
        f"%r{len(ops) + 1} = math.atan2 %x, %y : {kind}",
    ]
    names = range(len(ops))
    same = ", ".join("affine_map<(i) -> (i)>" for _ in range(len(ops) + 2))
    many = ", ".join(tensor for _ in names)
    text = f"""
func.func @main(%a: {tensor}, %b: {tensor}) -> ({many}) {{
  %e = tensor.empty() : {tensor}
  %0:{len(ops)} = linalg.generic {{indexing_maps = [{same}], iterator_types = ["parallel"]}}
      ins(%a, %b : {tensor}, {tensor}) outs({", ".join("%e" for _ in names)} : {many}) {{
  ^bb0(%m: i{bits}, %n: i{bits}, {", ".join(f"%o{i}: i{bits}" for i in names)}):
    %x = arith.bitcast %m : i{bits} to {kind}
    %y = arith.bitcast %n : i{bits} to {kind}
    {"; ".join(ops).replace("; ", chr(10) + "    ")}
    {chr(10).join(f"    %s{i} = arith.bitcast %r{i} : {kind} to i{bits}" for i in names)}
    linalg.yield {", ".join(f"%s{i}" for i in names)} : {", ".join(f"i{bits}" for _ in names)}
  }} -> ({many})
  return {", ".join(f"%0#{i}" for i in names)} : {many}
}}"""
    dtype = np.dtype(f"int{bits}")
    random = np.random.default_rng(15)
    a, b = (random.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), size, dtype) for _ in range(2))
    # Half of them where functions have most of their values.
    if kind != "bf16":
        a[::2] = (random.standard_normal(size // 2) * 4).astype(f"f{bits // 8}").view(dtype)
    given, cpu = both(text, [a, b], [((size,), dtype)] * len(ops))
    infinity = {"f32": 0xFF << 23, "f64": 0x7FF << 52, "f16": 0x1F << 10, "bf16": 0xFF << 7}[kind]
    for op, g, c in zip([*FUNCTIONS, "powf", "atan2"], given, cpu, strict=True):
        nan = [(x & np.iinfo(dtype).max) > infinity for x in (g, c)]
        assert not nan[0].all(), op
        np.testing.assert_array_equal(np.where(nan[0], 0, g), np.where(nan[1], 0, c), op)
        np.testing.assert_array_equal(*nan, op)
    magnitude = a & np.iinfo(dtype).max
    number = magnitude <= infinity
    np.testing.assert_array_equal(given[FUNCTIONS.index("math.absf")][number], magnitude[number])
    if kind == "f64":
        with np.errstate(all="ignore"):
            exponentials = np.exp(a.view(np.float64))
        result = given[FUNCTIONS.index("math.exp")].view(np.float64)
        np.testing.assert_allclose(result, exponentials, rtol=1e-15)


def reduction(kind, op, low, *dims):
    """A reduction over the dimensions that `dims` marks, of f32."""
    names = "ijk"[: len(dims)]
    shape, kept = (
        "x".join(str(size) for size, reduced in dims if not (only and reduced)) + "x"
        for only in (0, 1)
    )
    kept = kept.lstrip("x")
    out = ", ".join(n for n, (_, reduced) in zip(names, dims, strict=True) if not reduced)
    kinds = ", ".join('"reduction"' if reduced else '"parallel"' for _, reduced in dims)
    loops = ", ".join(names)
    return f"""
func.func @main(%x: tensor<{shape}{kind}>) -> tensor<{kept}{kind}> {{
  %z = arith.constant {low} : {kind}
  %e = tensor.empty() : tensor<{kept}{kind}>
  %f = linalg.fill ins(%z : {kind}) outs(%e : tensor<{kept}{kind}>) -> tensor<{kept}{kind}>
  %0 = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ({out})>], iterator_types = [{kinds}]}}
      ins(%x : tensor<{shape}{kind}>) outs(%f : tensor<{kept}{kind}>) {{
  ^bb0(%a: {kind}, %o: {kind}):
    %1 = {op} %o, %a : {kind}
    linalg.yield %1 : {kind}
  }} -> tensor<{kept}{kind}>
  return %0 : tensor<{kept}{kind}>
}}"""


SHAPES = {
    "all, by the block": ((5003, 1),),
    "all, by one warp": ((20, 1),),
    "two dimensions": ((13, 1), (211, 1)),
    "rows, by warps": ((30, 0), (601, 1)),
    "few rows, by the block": ((3, 0), (9000, 1)),
    "columns, by threads": ((123, 1), (301, 0)),
    "the middle": ((5, 0), (77, 1), (19, 0)),
    "the ends": ((9, 1), (4, 0), (130, 1)),
    "short rows": ((300, 0), (5, 1)),
}


@pytest.mark.parametrize("dims", SHAPES.values(), ids=SHAPES)
def test_reductions(both, dims):
    shape = [size for size, _ in dims]
    axes = tuple(i for i, (_, reduced) in enumerate(dims) if reduced)
    x = normal(3, *shape)
    kept = np.zeros(shape).max(axes).shape

    given, cpu = both(
        reduction("f32", "arith.maximumf", "0xFF800000", *dims), [x], [(kept, np.float32)]
    )
    np.testing.assert_array_equal(given[0], x.max(axes))
    same_bits(given, cpu)

    given, cpu = both(reduction("f32", "arith.addf", "0.0", *dims), [x], [(kept, np.float32)])
    # Every sum is a tree: few additions follow one another (docs/math-accuracy.md).
    bound = np.abs(x).astype(np.float64).sum(axes) * 64 * 2.0**-24
    assert (np.abs(given[0] - x.astype(np.float64).sum(axes)) <= bound).all()
    assert (np.abs(given[0] - cpu[0].astype(np.float64)) <= 2 * bound).all()

    n = np.random.default_rng(4).integers(-1000, 1000, shape)
    for kind, dtype in ("i64", np.int64), ("i8", np.int8):
        given, cpu = both(
            reduction(kind, "arith.addi", "0", *dims), [n.astype(dtype)], [(kept, dtype)]
        )
        np.testing.assert_array_equal(given[0], n.sum(axes).astype(dtype))
        same_bits(given, cpu)


def test_half_precision_is_rounded_after_every_op(both):
    text = """
func.func @main(%x: tensor<700xf16>) -> (tensor<700xf16>, tensor<f16>) {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<700xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<700xf16>) outs(%e : tensor<700xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.mulf %a, %a : f16
    %2 = arith.addf %1, %a : f16
    %3 = arith.divf %2, %a : f16
    linalg.yield %3 : f16
  } -> tensor<700xf16>
  %s = tensor.empty() : tensor<f16>
  %f = linalg.fill ins(%z : f16) outs(%s : tensor<f16>) -> tensor<f16>
  %4 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<700xf16>) outs(%f : tensor<f16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.addf %o, %a : f16
    linalg.yield %1 : f16
  } -> tensor<f16>
  return %0, %4 : tensor<700xf16>, tensor<f16>
}"""
    x = normal(5, 700, dtype=np.float16)
    given, cpu = both(text, [x], [((700,), np.float16), ((), np.float16)])
    np.testing.assert_array_equal(given[0], (x * x + x) / x)
    same_bits(given[:1], cpu[:1])
    # Accumulated in f32: one rounding at the end.
    assert given[1] == np.float16(x.astype(np.float64).sum())


def test_a_product_of_a_transposed_operand(both):
    text = """
func.func @main(%a: tensor<23x17xf32>, %b: tensor<31x17xf32>) -> tensor<23x31xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<23x31xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<23x31xf32>) -> tensor<23x31xf32>
  %t = tensor.empty() : tensor<17x31xf32>
  %bt = linalg.transpose ins(%b : tensor<31x17xf32>) outs(%t : tensor<17x31xf32>) permutation = [1, 0]
  %0 = linalg.matmul ins(%a, %bt : tensor<23x17xf32>, tensor<17x31xf32>) outs(%f : tensor<23x31xf32>) -> tensor<23x31xf32>
  return %0 : tensor<23x31xf32>
}"""
    a, b = normal(6, 23, 17), normal(7, 31, 17)
    given, cpu = both(text, [a, b], [((23, 31), np.float32)])
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    for result in given[0], cpu[0]:
        assert np.abs(result - exact).max() < 1e-5


def test_the_first_largest(both):
    """Two results of one reduction, which are combined together: one thread goes through them all."""
    text = """
func.func @main(%x: tensor<7x90xf32>) -> (tensor<7xf32>, tensor<7xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<7xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %g = tensor.empty() : tensor<7xi32>
  %h = linalg.fill ins(%zero : i32) outs(%g : tensor<7xi32>) -> tensor<7xi32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x90xf32>) outs(%f, %h : tensor<7xf32>, tensor<7xi32>) {
  ^bb0(%a: f32, %o: f32, %p: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %1 = arith.cmpf ogt, %a, %o : f32
    %2 = arith.select %1, %a, %o : f32
    %3 = arith.select %1, %n, %p : i32
    linalg.yield %2, %3 : f32, i32
  } -> (tensor<7xf32>, tensor<7xi32>)
  return %0#0, %0#1 : tensor<7xf32>, tensor<7xi32>
}"""
    x = np.round(normal(8, 7, 90))  # some are equal
    given, cpu = both(text, [x], [((7,), np.float32), ((7,), np.int32)])
    np.testing.assert_array_equal(given[1], x.argmax(1))
    same_bits(given, cpu)


def test_a_loop_whose_end_depends_on_a_reduction(both):
    """Newton's method: all threads agree when it ends, and the bits are those of numpy's loop."""
    text = """
func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
  %eps = arith.constant 9.99999974E-6 : f32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %r = scf.while (%v = %a) : (tensor<1000xf32>) -> tensor<1000xf32> {
    %s = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
    %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%v, %a : tensor<1000xf32>, tensor<1000xf32>) outs(%f : tensor<f32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %1 = arith.mulf %x, %x : f32
      %2 = arith.subf %1, %y : f32
      %3 = math.absf %2 : f32
      %4 = arith.maximumf %o, %3 : f32
      linalg.yield %4 : f32
    } -> tensor<f32>
    %n = tensor.extract %m[] : tensor<f32>
    %go = arith.cmpf ogt, %n, %eps : f32
    scf.condition(%go) %v : tensor<1000xf32>
  } do {
  ^bb0(%v: tensor<1000xf32>):
    %e = tensor.empty() : tensor<1000xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%v, %a : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %1 = arith.divf %y, %x : f32
      %2 = arith.addf %x, %1 : f32
      %3 = arith.mulf %2, %half : f32
      linalg.yield %3 : f32
    } -> tensor<1000xf32>
    scf.yield %n : tensor<1000xf32>
  }
  return %r : tensor<1000xf32>
}"""
    a = np.random.default_rng(9).random(1000, np.float32) * 9 + 1
    given, cpu = both(text, [a], [((1000,), np.float32)])
    v, trips = a.copy(), 0
    while np.abs(v * v - a).max() > np.float32(9.99999974e-6):
        v, trips = (v + a / v) * np.float32(0.5), trips + 1
    assert trips > 3
    np.testing.assert_array_equal(given[0], v)
    same_bits(given, cpu)


def test_a_factorization(both):
    """A loop over rows, with scalars that every thread reads and one thread writes."""
    text = """
func.func @main(%a: tensor<2x20x20xf64>) -> tensor<2x20x20xf64> {
  %0 = cell.cholesky %a : tensor<2x20x20xf64>
  return %0 : tensor<2x20x20xf64>
}"""
    m = normal(10, 2, 20, 20, dtype=np.float64)
    a = m @ m.transpose(0, 2, 1) + 20 * np.eye(20)
    given, cpu = both(text, [a], [((2, 20, 20), np.float64)])
    for result in given[0], cpu[0]:
        np.testing.assert_allclose(result, np.linalg.cholesky(a), rtol=1e-13, atol=1e-13)


def test_scalars_in_order(both):
    """A running sum: each step reads what the one before has stored."""
    text = """
func.func @main(%a: tensor<3x41xf32>) -> tensor<3x41xf32> {
  %0 = cell.cumsum %a along 1 : tensor<3x41xf32>
  return %0 : tensor<3x41xf32>
}"""
    a = normal(11, 3, 41)
    given, cpu = both(text, [a], [((3, 41), np.float32)])
    np.testing.assert_allclose(given[0], a.astype(np.float64).cumsum(1), rtol=1e-5, atol=1e-5)
    same_bits(given, cpu)


def test_scalars_in_place(both):
    """Every thread reads what one thread then overwrites, and decides by what one thread has written."""
    signature = (
        'cell.signature = {args = [{dtype = "float32", name = "x", role = "input", shape = array<i64: 512>}], '
        'results = [{dtype = "float32", name = "y", shape = array<i64: 512>}]}'
    )
    text = f"""
func.func @main(%x: memref<512xf32>, %y: memref<512xf32> {{llvm.noalias}}) attributes {{{signature}}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  %zero = arith.constant 0.0 : f32
  memref.copy %x, %y : memref<512xf32> to memref<512xf32>
  scf.for %i = %c1 to %c300 step %c1 {{
    %h = arith.subi %i, %c1 : index
    %a = memref.load %y[%h] : memref<512xf32>
    %b = memref.load %y[%i] : memref<512xf32>
    %s = arith.addf %a, %b : f32
    %less = arith.cmpf olt, %a, %b : f32
    memref.store %s, %y[%i] : memref<512xf32>
    memref.store %b, %y[%h] : memref<512xf32>
    scf.if %less {{
      memref.store %a, %y[%h] : memref<512xf32>
    }}
    %c = memref.load %y[%i] : memref<512xf32>
    %go = arith.cmpf ogt, %c, %zero : f32
    scf.if %go {{
      %d = memref.load %y[%c0] : memref<512xf32>
      %e = arith.addf %d, %c : f32
      memref.store %e, %y[%c0] : memref<512xf32>
    }}
  }}
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}} outs(%y : memref<512xf32>) {{
  ^bb0(%o: f32):
    %0 = arith.addf %o, %o : f32
    linalg.yield %0 : f32
  }}
  return
}}"""
    x = normal(13, 512)
    given, cpu = both(text, [x], [((512,), np.float32)], buffers=True)
    assert both.block == 256
    y = x.copy()
    for i in range(1, 300):
        a, b = y[i - 1], y[i]
        y[i], y[i - 1] = a + b, min(a, b)
        if y[i] > 0:
            y[0] += y[i]
    np.testing.assert_array_equal(given[0], 2 * y)
    same_bits(given, cpu)


def blocks(columns):
    """Softmax, and what it is of twice the numbers, a row a block; temporaries of a row each."""
    row = f"memref<{columns}xf32, strided<[1], offset: ?>>"
    own, one = f"memref<{columns}xf32>", "memref<f32>"
    both_maps = "affine_map<(j) -> (j)>, affine_map<(j) -> ()>"
    signature = (
        f'cell.signature = {{args = [{{dtype = "float32", name = "x", role = "input", shape = array<i64: 30, {columns}>}}], '
        f'results = [{{dtype = "float32", name = "y", shape = array<i64: 30, {columns}>}}]}}'
    )
    return f"""
func.func @main(%x: memref<30x{columns}xf32>, %y: memref<30x{columns}xf32> {{llvm.noalias}}) attributes {{{signature}}} {{
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (30) {{
    %xi = memref.subview %x[%i, 0] [1, {columns}] [1, 1] : memref<30x{columns}xf32> to {row}
    %yi = memref.subview %y[%i, 0] [1, {columns}] [1, 1] : memref<30x{columns}xf32> to {row}
    %m = memref.alloc() : {one}
    %e = memref.alloc() : {own}
    %s = memref.alloc() : {one}
    linalg.fill ins(%low : f32) outs(%m : {one})
    linalg.generic {{indexing_maps = [{both_maps}], iterator_types = ["reduction"]}} ins(%xi : {row}) outs(%m : {one}) {{
    ^bb0(%a: f32, %o: f32):
      %0 = arith.maximumf %o, %a : f32
      linalg.yield %0 : f32
    }}
    linalg.generic {{indexing_maps = [{both_maps}, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}}
        ins(%xi, %m : {row}, {one}) outs(%e : {own}) {{
    ^bb0(%a: f32, %c: f32, %o: f32):
      %0 = arith.subf %a, %c : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    }}
    linalg.fill ins(%zero : f32) outs(%s : {one})
    linalg.generic {{indexing_maps = [{both_maps}], iterator_types = ["reduction"]}} ins(%e : {own}) outs(%s : {one}) {{
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
    }}
    linalg.generic {{indexing_maps = [{both_maps}, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}}
        ins(%e, %s : {own}, {one}) outs(%yi : {row}) {{
    ^bb0(%a: f32, %c: f32, %o: f32):
      %0 = arith.divf %a, %c : f32
      linalg.yield %0 : f32
    }}
  }}
  return
}}"""


@pytest.mark.parametrize(("columns", "scratch"), [(100, 0), (1100, 0), (13000, 52224)])
def test_a_row_a_block(both, columns, scratch):
    """Rows that do not fit in shared memory lie in the slices of their blocks."""
    x = normal(12, 30, columns) * 4
    given, cpu = both(blocks(columns), [x], [((30, columns), np.float32)], buffers=True)
    assert (both.grid, both.scratch) == (30, scratch)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    for result in given[0], cpu[0]:
        np.testing.assert_allclose(result, e / e.sum(1, keepdims=True), rtol=4e-6)


def test_blocks_of_three_loops(both):
    """Sizes with a common divisor: not every wrong count is a permutation."""
    signature = (
        'cell.signature = {args = [{dtype = "float32", name = "x", role = "input", shape = array<i64: 3, 4, 6>}], '
        'results = [{dtype = "float32", name = "y", shape = array<i64: 6, 4, 3>}]}'
    )
    text = f"""
func.func @main(%x: memref<3x4x6xf32>, %y: memref<6x4x3xf32> {{llvm.noalias}}) attributes {{{signature}}} {{
  scf.forall (%i, %j, %k) in (3, 4, 6) {{
    %a = memref.load %x[%i, %j, %k] : memref<3x4x6xf32>
    memref.store %a, %y[%k, %j, %i] : memref<6x4x3xf32>
  }}
  return
}}"""
    x = normal(13, 3, 4, 6)
    given, _ = both(text, [x], [((6, 4, 3), np.float32)], buffers=True)
    assert both.grid == 72
    np.testing.assert_array_equal(given[0], x.transpose())


@pytest.mark.parametrize("rows", [64, 61])
def test_items_of_the_former_of_kernels(both, rows):
    """Loops over items, with a fill before, a rest of rows and a sum of partial sums after them, are one block's."""
    square, column = f"tensor<{rows}x50xf32>", f"tensor<{rows}xf32>"
    text = f"""
func.func @main(%x: {square}) -> ({square}, tensor<50xf32>) {{
  %m = cell.reduce_max %x over [1] : {square} -> {column}
  %b = cell.broadcast %m along [1] : {column} -> {square}
  %d = cell.sub %x, %b : {square}
  %e = cell.exp %d : {square}
  %s = cell.reduce_sum %e over [1] : {square} -> {column}
  %c = cell.broadcast %s along [1] : {column} -> {square}
  %r = cell.div %e, %c : {square}
  %t = cell.reduce_sum %r over [0] : {square} -> tensor<50xf32>
  return %r, %t : {square}, tensor<50xf32>
}}"""
    formed = run(
        BUILD / "bin" / "cell-opt",
        "--pass-pipeline=builtin.module(func.func(cell-form-kernels{fewest-bytes=256 fewest-nanoseconds=0}))",
        text=on_buffers(text),
    )
    assert formed.count("scf.forall") == 1
    x = normal(14, rows, 50) * 4
    given, cpu = both(formed, [x], [((rows, 50), np.float32), ((50,), np.float32)], buffers=True)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    softmax = e / e.sum(1, keepdims=True)
    for result in given, cpu:
        np.testing.assert_allclose(result[0], softmax, rtol=4e-6)
        np.testing.assert_allclose(result[1], softmax.sum(0), rtol=4e-6)


def test_every_order_of_warps_gives_the_same_bits(tmp_path):
    """The emulator takes warps in another order: the environment says so before it starts."""
    script = """
import sys, numpy as np
from device import Device, Kernels, as_kernels
x = np.random.default_rng(0).standard_normal((30, 1100)).astype(np.float32)
y = np.zeros_like(x)
Device()(Kernels(as_kernels(open(sys.argv[1]).read())), "main", [x, y])
sys.stdout.write(y.tobytes().hex())
"""
    source = tmp_path / "m.mlir"
    source.write_text(blocks(1100))
    outputs = set()
    for schedule in ("0", "1", "2"):
        environment = {
            **os.environ,
            "CELL_EMU_SCHEDULE": schedule,
            "PYTHONPATH": str(Path(__file__).parent),
        }
        done = subprocess.run(
            [sys.executable, "-c", script, source], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize("first", (0, 40, 60))
def test_random_programs(first):
    import kernels

    outcomes = [kernels.check(seed) for seed in range(first, first + 20)]
    assert [o for o in outcomes if o != kernels.PASSED and not o.startswith(kernels.REFUSED)] == []
    assert outcomes.count(kernels.PASSED) > 12
