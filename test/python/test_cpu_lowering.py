"""linalg modules compiled by cellc and run, against NumPy in double precision."""

import ctypes
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))
TARGETS = ["native", "x86-64-v3", "x86-64-v2"]
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i1": np.bool_}
GUARD = 64


class Compiled:
    """Functions of one module; every call checks that nothing beside the results is written."""

    def __init__(self, folder, text, target="native"):
        source, library = folder / "m.mlir", folder / "m.so"
        source.write_text(text)
        command = [BUILD / "bin" / "cellc", source, "-o", library, "--name=m", f"--target={target}"]
        subprocess.run(command, check=True)
        self.library = ctypes.CDLL(str(library))

    def __call__(self, name, inputs, results, shift=0):
        """`results` are (shape, dtype) pairs of those that are not donated; `shift` misaligns them
        by that many elements."""
        buffers = []
        for shape, dtype in results:
            size = int(np.prod(shape)) * np.dtype(dtype).itemsize
            start = GUARD + shift * np.dtype(dtype).itemsize
            raw = np.full(size + 2 * GUARD + start, 0xA5, np.uint8)
            buffers.append((raw, start, size, raw[start : start + size].view(dtype).reshape(shape)))
        pointers = [a.ctypes.data for a in inputs] + [b[3].ctypes.data for b in buffers]
        entry = getattr(self.library, f"cg_m_{name}")
        assert entry((ctypes.c_void_p * len(pointers))(*pointers), None) == 0
        for raw, start, size, _ in buffers:
            assert (raw[:start] == 0xA5).all() and (raw[start + size :] == 0xA5).all()
        return [b[3] for b in buffers]


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{n}x" for n in shape) + dtype + ">"


def product(name, m, n, k, layout, dtype):
    """A matrix product; `layout` says which of lhs, rhs and result are stored transposed."""
    lhs, rhs, out = [
        (b, a) if letter == "t" else (a, b)
        for letter, (a, b) in zip(layout, [(m, k), (k, n), (m, n)])
    ]
    maps = [
        ("k, m" if layout[0] == "t" else "m, k"),
        ("n, k" if layout[1] == "t" else "k, n"),
        ("n, m" if layout[2] == "t" else "m, n"),
    ]
    maps = ", ".join(f"affine_map<(m, n, k) -> ({x})>" for x in maps)
    mul, add, zero = (
        ("arith.muli", "arith.addi", "0")
        if dtype[0] == "i"
        else ("arith.mulf", "arith.addf", "0.0")
    )
    text = f"""
func.func @{name}(%a: {tensor(lhs, dtype)}, %b: {tensor(rhs, dtype)}) -> {tensor(out, dtype)} {{
  %z = arith.constant {zero} : {dtype}
  %e = tensor.empty() : {tensor(out, dtype)}
  %f = linalg.fill ins(%z : {dtype}) outs(%e : {tensor(out, dtype)}) -> {tensor(out, dtype)}
  %r = linalg.generic {{indexing_maps = [{maps}],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : {tensor(lhs, dtype)}, {tensor(rhs, dtype)}) outs(%f : {tensor(out, dtype)}) {{
  ^bb0(%x: {dtype}, %y: {dtype}, %o: {dtype}):
    %0 = {mul} %x, %y : {dtype}
    %1 = {add} %o, %0 : {dtype}
    linalg.yield %1 : {dtype}
  }} -> {tensor(out, dtype)}
  return %r : {tensor(out, dtype)}
}}"""
    return text, lhs, rhs, out


SHAPES = [(1, 1, 1), (3, 5, 7), (17, 33, 70), (50, 10, 64), (64, 64, 64), (100, 100, 300)]
SHAPES += [(130, 70, 600), (1, 64, 32), (64, 1, 32), (5, 5, 1), (0, 4, 3), (4, 3, 0)]
LAYOUTS = ["nnn", "tnn", "ntn", "ttn", "nnt"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f32", "f64", "i32"])
def test_products(tmp_path, target, dtype):
    rng = np.random.default_rng(0)
    shapes = SHAPES if dtype == "f32" and target == "native" else SHAPES[1:5]
    cases = [(s, layout) for s in shapes for layout in LAYOUTS]
    texts = [product(f"f{i}", *s, layout, dtype) for i, (s, layout) in enumerate(cases)]
    compiled = Compiled(tmp_path, "\n".join(t[0] for t in texts), target)
    for i, ((shape, layout), (_, lhs, rhs, out)) in enumerate(zip(cases, texts)):
        if dtype == "i32":
            a, b = (rng.integers(-(2**31), 2**31, s, dtype=np.int32) for s in (lhs, rhs))
        else:
            a, b = (rng.standard_normal(s).astype(DTYPES[dtype]) for s in (lhs, rhs))
        exact = np.int32 if dtype == "i32" else np.float64
        expected = (a.T if layout[0] == "t" else a).astype(exact) @ (
            b.T if layout[1] == "t" else b
        ).astype(exact)
        expected = expected.T if layout[2] == "t" else expected
        tolerance = {"f32": 1e-4, "f64": 1e-12, "i32": 0}[dtype]
        for shift in (0, 1):
            (got,) = compiled(f"f{i}", [a, b], [(out, DTYPES[dtype])], shift)
            error = np.abs(got.astype(exact) - expected).max(initial=0)
            assert error <= tolerance, (shape, layout, error)


def reduction(name, shape, dims, op, initial, dtype="f32"):
    out = [n for d, n in enumerate(shape) if d not in dims]
    return f"""
func.func @{name}(%x: {tensor(shape, dtype)}) -> {tensor(out, dtype)} {{
  %z = arith.constant {initial} : {dtype}
  %e = tensor.empty() : {tensor(out, dtype)}
  %f = linalg.fill ins(%z : {dtype}) outs(%e : {tensor(out, dtype)}) -> {tensor(out, dtype)}
  %r = linalg.reduce {{ {op} }} ins(%x : {tensor(shape, dtype)})
      outs(%f : {tensor(out, dtype)}) dimensions = {list(dims)}
  return %r : {tensor(out, dtype)}
}}"""


REDUCTIONS = [((5, 7), (0,)), ((5, 7), (1,)), ((5, 7), (0, 1)), ((64, 300), (0,))]
REDUCTIONS += [((64, 300), (1,)), ((3, 40, 50), (1,)), ((3, 40, 50), (0, 2)), ((1,), (0,))]
REDUCTIONS += [((0, 5), (0,)), ((5, 0), (1,)), ((9, 9000), (1,)), ((9000, 3), (0,))]


@pytest.mark.parametrize("target", TARGETS)
def test_reductions(tmp_path, target):
    rng = np.random.default_rng(1)
    text = ""
    for i, (shape, dims) in enumerate(REDUCTIONS):
        text += reduction(f"sum{i}", shape, dims, "arith.addf", "0.0")
        text += reduction(f"max{i}", shape, dims, "arith.maximumf", "0xFF800000")
    compiled = Compiled(tmp_path, text, target)
    for i, (shape, dims) in enumerate(REDUCTIONS):
        x = rng.standard_normal(shape).astype(np.float32)
        out = [(tuple(n for d, n in enumerate(shape) if d not in dims), np.float32)]
        (got,) = compiled(f"sum{i}", [x], out)
        np.testing.assert_allclose(got, x.sum(dims, np.float64), rtol=1e-5, atol=1e-4)
        (got,) = compiled(f"max{i}", [x], out)
        assert np.array_equal(got, x.max(dims, initial=-np.inf))
        if x.size > 3:  # a NaN anywhere is the maximum
            x.reshape(-1)[-2] = np.nan
            (got,) = compiled(f"max{i}", [x], out)
            assert np.array_equal(got, x.max(dims, initial=-np.inf), equal_nan=True)


def test_long_sums_are_accurate(tmp_path):
    size = 1 << 22
    compiled = Compiled(tmp_path, reduction("f", (size,), (0,), "arith.addf", "0.0"))
    x = np.full(size, 0.1, np.float32)
    (got,) = compiled("f", [x], [((), np.float32)])
    assert abs(float(got) / x.sum(dtype=np.float64) - 1) < 1e-6


def test_a_value_does_not_depend_on_its_position(tmp_path):
    text, sizes = "", [1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 100]
    for n in sizes:
        t = tensor([n], "f32")
        text += f"""
func.func @f{n}(%x: {t}) -> {t} {{
  %e = tensor.empty() : {t}
  %0 = linalg.tanh ins(%x : {t}) outs(%e : {t}) -> {t}
  %1 = linalg.mul ins(%0, %x : {t}, {t}) outs(%e : {t}) -> {t}
  %2 = linalg.add ins(%1, %x : {t}, {t}) outs(%e : {t}) -> {t}
  return %2 : {t}
}}"""
    compiled = Compiled(tmp_path, text)
    for n in sizes:
        (got,) = compiled(f"f{n}", [np.full(n, 0.7, np.float32)], [((n,), np.float32)])
        (first,) = compiled("f1", [np.full(1, 0.7, np.float32)], [((1,), np.float32)])
        assert (got == first[0]).all()


@pytest.mark.parametrize("target", TARGETS)
def test_transposes_and_slices(tmp_path, target):
    text = """
func.func @transpose(%x: tensor<37x50xf32>, %y: tensor<50x37xf32>) -> tensor<50x37xf32> {
  %e = tensor.empty() : tensor<50x37xf32>
  %t = linalg.transpose ins(%x : tensor<37x50xf32>) outs(%e : tensor<50x37xf32>) permutation = [1, 0]
  %r = linalg.sub ins(%t, %y : tensor<50x37xf32>, tensor<50x37xf32>)
      outs(%e : tensor<50x37xf32>) -> tensor<50x37xf32>
  return %r : tensor<50x37xf32>
}
func.func @booleans(%x: tensor<37x50xi1>) -> tensor<50x37xi1> {
  %e = tensor.empty() : tensor<50x37xi1>
  %t = linalg.transpose ins(%x : tensor<37x50xi1>) outs(%e : tensor<50x37xi1>) permutation = [1, 0]
  return %t : tensor<50x37xi1>
}
func.func @strided(%x: tensor<40x50xf32>) -> tensor<10x17xf32> {
  %s = tensor.extract_slice %x[3, 1] [10, 17] [2, 2] : tensor<40x50xf32> to tensor<10x17xf32>
  %e = tensor.empty() : tensor<10x17xf32>
  %r = linalg.negf ins(%s : tensor<10x17xf32>) outs(%e : tensor<10x17xf32>) -> tensor<10x17xf32>
  return %r : tensor<10x17xf32>
}
func.func @insert(%x: tensor<40x50xf32>, %y: tensor<10x17xf32>) -> tensor<40x50xf32> {
  %r = tensor.insert_slice %y into %x[3, 1] [10, 17] [2, 2] : tensor<10x17xf32> into tensor<40x50xf32>
  return %r : tensor<40x50xf32>
}
func.func @pad(%x: tensor<5x6xf32>) -> tensor<8x9xf32> {
  %c = arith.constant 2.0 : f32
  %r = tensor.pad %x low[1, 2] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<5x6xf32> to tensor<8x9xf32>
  return %r : tensor<8x9xf32>
}"""
    compiled = Compiled(tmp_path, text, target)
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((37, 50)), rng.standard_normal((50, 37))
    x, y = x.astype(np.float32), y.astype(np.float32)
    assert (compiled("transpose", [x, y], [((50, 37), np.float32)])[0] == x.T - y).all()
    assert (compiled("booleans", [x > 0], [((50, 37), np.bool_)])[0] == (x > 0).T).all()
    x, y = rng.standard_normal((40, 50)), rng.standard_normal((10, 17))
    x, y = x.astype(np.float32), y.astype(np.float32)
    assert (compiled("strided", [x], [((10, 17), np.float32)])[0] == -x[3:23:2, 1:35:2]).all()
    expected = x.copy()
    expected[3:23:2, 1:35:2] = y
    assert (compiled("insert", [x, y], [((40, 50), np.float32)])[0] == expected).all()
    x = rng.standard_normal((5, 6)).astype(np.float32)
    expected = np.pad(x, ((1, 2), (2, 1)), constant_values=2)
    assert (compiled("pad", [x], [((8, 9), np.float32)])[0] == expected).all()


DONATED = """
#id = affine_map<(d0) -> (d0)>
#reverse = affine_map<(d0) -> (39 - d0)>
func.func @sgd(%p: tensor<40xf32> {cell.donate = 0 : i64}, %g: tensor<40xf32>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %r = linalg.sub ins(%p, %g : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}
func.func @swap(%p: tensor<40xf32> {cell.donate = 1 : i64}, %q: tensor<40xf32> {cell.donate = 0 : i64})
    -> (tensor<40xf32>, tensor<40xf32>) {
  return %p, %q : tensor<40xf32>, tensor<40xf32>
}
func.func @rotate(%p: tensor<40xf32> {cell.donate = 1 : i64}, %q: tensor<40xf32> {cell.donate = 2 : i64},
                  %r: tensor<40xf32> {cell.donate = 0 : i64})
    -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  return %p, %q, %r, %p : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}
func.func @coupled(%p: tensor<40xf32> {cell.donate = 0 : i64}, %q: tensor<40xf32> {cell.donate = 1 : i64})
    -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %e = tensor.empty() : tensor<40xf32>
  %n = linalg.generic {indexing_maps = [#reverse, #id, #id], iterator_types = ["parallel"]}
      ins(%q, %p : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<40xf32>
  %m = linalg.generic {indexing_maps = [#reverse, #id, #id], iterator_types = ["parallel"]}
      ins(%p, %q : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<40xf32>
  return %n, %m, %n : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}
func.func @square(%p: tensor<8x8xf32> {cell.donate = 0 : i64}) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.matmul ins(%p, %p : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @slices(%p: tensor<40xf32> {cell.donate = 1 : i64}, %q: tensor<40xf32> {cell.donate = 0 : i64})
    -> (tensor<40xf32>, tensor<40xf32>) {
  %s = tensor.extract_slice %q[0] [20] [1] : tensor<40xf32> to tensor<20xf32>
  %a = tensor.insert_slice %s into %p[20] [20] [1] : tensor<20xf32> into tensor<40xf32>
  %t = tensor.extract_slice %p[0] [20] [1] : tensor<40xf32> to tensor<20xf32>
  %b = tensor.insert_slice %t into %q[20] [20] [1] : tensor<20xf32> into tensor<40xf32>
  return %a, %b : tensor<40xf32>, tensor<40xf32>
}
func.func @same(%x: tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<i1>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = arith.constant dense<true> : tensor<i1>
  return %x, %x, %c, %t : tensor<3x1xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<i1>
}
"""


def test_donation(tmp_path):
    compiled = Compiled(tmp_path, DONATED)
    rng = np.random.default_rng(3)

    def fresh(count, shape=(40,)):
        values = [rng.standard_normal(shape).astype(np.float32) for _ in range(count)]
        return values, [v.copy() for v in values]

    one = ((40,), np.float32)
    (p, g), buffers = fresh(2)
    compiled("sgd", buffers, [])
    assert (buffers[0] == p - g).all() and (buffers[1] == g).all()
    (p, q), buffers = fresh(2)
    compiled("swap", buffers, [])
    assert (buffers[0] == q).all() and (buffers[1] == p).all()
    (p, q, r), buffers = fresh(3)
    (again,) = compiled("rotate", buffers, [one])
    assert (buffers[2] == p).all() and (buffers[0] == q).all() and (buffers[1] == r).all()
    assert (again == p).all()
    (p, q), buffers = fresh(2)
    (again,) = compiled("coupled", buffers, [one])
    assert (buffers[0] == q[::-1] - p).all() and (buffers[1] == p[::-1] * q).all()
    assert (again == buffers[0]).all()
    (p,), buffers = fresh(1, (8, 8))
    compiled("square", buffers, [])
    np.testing.assert_allclose(buffers[0], p @ p, rtol=1e-5, atol=1e-5)
    (p, q), buffers = fresh(2)
    compiled("slices", buffers, [])
    assert (buffers[1] == np.r_[p[:20], q[:20]]).all()
    assert (buffers[0] == np.r_[q[:20], p[:20]]).all()


def test_arguments_and_constants_as_results(tmp_path):
    compiled = Compiled(tmp_path, DONATED)
    x = np.arange(3, dtype=np.float32).reshape(3, 1)
    results = [((3, 1), np.float32)] * 2 + [((2,), np.float32), ((), np.bool_)]
    a, b, c, t = compiled("same", [x], results)
    assert (a == x).all() and (b == x).all() and (c == [1, 2]).all() and t


CONTROL_FLOW = """
#id = affine_map<(d0) -> (d0)>
#reverse = affine_map<(d0) -> (39 - d0)>
func.func @loop(%p: tensor<40xf32> {cell.donate = 0 : i64}, %g: tensor<40xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %p) -> tensor<40xf32> {
    %e = tensor.empty() : tensor<40xf32>
    %n = linalg.generic {indexing_maps = [#reverse, #id, #id], iterator_types = ["parallel"]}
        ins(%x, %g : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.subf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<40xf32>
    scf.yield %n : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}
func.func @cond(%c: tensor<i1>, %p: tensor<40xf32>, %q: tensor<40xf32>) -> tensor<40xf32> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<40xf32> {
    %e = tensor.empty() : tensor<40xf32>
    %n = linalg.sub ins(%p, %q : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
    scf.yield %n : tensor<40xf32>
  } else {
    scf.yield %q : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}
func.func @while(%p: tensor<40xf32>, %lim: tensor<f32>) -> tensor<40xf32> {
  %l = tensor.extract %lim[] : tensor<f32>
  %c0 = arith.constant 0 : index
  %r = scf.while (%x = %p) : (tensor<40xf32>) -> tensor<40xf32> {
    %v = tensor.extract %x[%c0] : tensor<40xf32>
    %c = arith.cmpf olt, %v, %l : f32
    scf.condition(%c) %x : tensor<40xf32>
  } do {
  ^bb0(%x: tensor<40xf32>):
    %e = tensor.empty() : tensor<40xf32>
    %n = linalg.add ins(%x, %x : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
    scf.yield %n : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}
"""


def test_control_flow(tmp_path):
    compiled = Compiled(tmp_path, CONTROL_FLOW)
    rng = np.random.default_rng(4)
    p, q = (rng.standard_normal(40).astype(np.float32) for _ in range(2))
    one = ((40,), np.float32)
    expected, carried = p, p.copy()
    for _ in range(5):
        expected = expected[::-1] - q
    compiled("loop", [carried, q], [])
    assert (carried == expected).all()
    for condition in (True, False):
        (got,) = compiled("cond", [np.array(condition), p, q], [one])
        assert (got == (p - q if condition else q)).all()
    p[0] = 1
    for limit, times in ((100, 7), (0, 0)):
        (got,) = compiled("while", [p, np.array(limit, np.float32)], [one])
        assert (got == p * 2**times).all()
