"""Exchange with packages that carry MLIR's own Python bindings, by bytecode and text.

circt is installed with the test tools, as the smallest of those packages; others are tested where
they are installed, and by modules that they wrote (`test/oracles/mlir_packages.py --record`). The
oracle of numbers is numpy.
"""

import importlib
import importlib.util
import inspect
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.interop import mlir

sys.path.insert(0, str(Path(__file__).parents[1] / "oracles"))
import mlir_packages

GOLDENS = Path(__file__).parent / "goldens/interop"
KNOWN = ("circt", "jaxlib.mlir", "iree.compiler", "torch_mlir")


def installed(package):
    top = package.partition(".")[0]
    return importlib.util.find_spec(top) and importlib.util.find_spec(package)


PACKAGES = [p for p in KNOWN if p == "circt" or installed(p)]


@pytest.fixture(params=PACKAGES)
def ir(request):
    return importlib.import_module(request.param + ".ir")


def arrays():
    rng = np.random.default_rng(0)
    return [rng.normal(size=s).astype(np.float32) for s in ((2, 3), (3, 4))]


def check(function):
    x, w = arrays()
    expected = np.tanh(x.astype(np.float64) @ w).sum(1) + np.array([1, 2])
    np.testing.assert_allclose(function(Tensor(x), Tensor(w)).asnumpy(), expected, rtol=1e-6)


# --- modules that come from elsewhere ---------------------------------------------------------


def test_a_module_built_there_runs_here(ir):
    module = mlir_packages.build(ir)
    check(mlir.from_mlir(module))
    check(mlir.from_mlir(str(module)))
    check(mlir.from_mlir(module).f)


@pytest.mark.parametrize("path", sorted(GOLDENS.glob("*.mlirbc")), ids=lambda p: p.stem)
def test_a_module_that_was_written_there_runs_here(path):
    check(mlir.from_mlir(path.read_bytes()))


def test_result_types_are_inferred_by_this_dialect(ir):
    cell = mlir.dialect(ir)
    assert mlir.dialect(ir) is cell
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        x = ir.Type.parse("tensor<2x3xf32>")
        outer = ir.Operation.create("t.f", regions=1)
        block = ir.Block.create_at_start(outer.regions[0], [x])
        with ir.InsertionPoint(block):
            (v,) = block.arguments
            for value, kind in (
                (cell.greater(v, v), "tensor<2x3xi1>"),
                (cell.transpose(v, perm=[1, 0]), "tensor<3x2xf32>"),
                (cell.matmul(v, v, transpose_b=True), "tensor<2x2xf32>"),
                (cell.concat([v, v], dim=0), "tensor<4x3xf32>"),
                (cell.reduce_sum(v, dims=[0, 1]), "tensor<f32>"),
                (cell.add(v, v, results=[x]), "tensor<2x3xf32>"),
            ):
                assert str(value.type) == kind
            op = cell.TransposeOp(v, [1, 0])
            assert str(op.perm) == "array<i64: 1, 0>" and op.x == v and op.result.owner == op
            segments = cell.VJPOp([x], callee="f", args=[v], cotangents=[v, v], of=[0], wrt=[0])
            assert "operandSegmentSizes = array<i32: 1, 2>" in str(segments)
            with pytest.raises(ValueError, match=r"sums over 3 columns .* and 2 rows") as caught:
                cell.matmul(v, v)
            assert __file__ in str(caught.value)
            other = ir.Operation.create("t.g", results=[ir.Type.parse("tensor<?xf32>")])
            with pytest.raises(TypeError, match=r"known shape, but is of type tensor<\?xf32>"):
                cell.matmul(other.results[0], v)


# --- programs that go there -------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        total = ops.zeros((2,))
        while (total * total).sum() < 100:
            total = total + ops.tanh(self.fc(x)).sum(0)
        return total.sum()


def names_of(op):
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation.name
                yield from names_of(inner.operation)


def test_a_program_goes_there_and_back(ir):
    net, x = Net(), Tensor(arrays()[0])
    gradient = ms.value_and_grad(net, 0, net.trainable_params())
    module = mlir.to_mlir(gradient, x, ir=ir)
    assert {"cell.vjp", "cell.matmul", "scf.while", "func.func"} <= set(names_of(module.operation))
    text = module.operation.get_asm(enable_debug_info=True)
    line = (
        Path(__file__)
        .read_text()
        .splitlines()
        .index("            total = total + ops.tanh(self.fc(x)).sum(0)")
    )
    assert re.search(rf'"[^"]*{Path(__file__).name}":{line + 1}', text)
    value, dx, dw, db = mlir.from_mlir(module, net.parameters_dict())(x)
    expected, (dx_, (dw_, db_)) = gradient(x)
    for got, want in ((value, expected), (dx, dx_), (dw, dw_), (db, db_)):
        np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())
    with pytest.raises(ValueError, match=r"'fc\.weight' of the module has no value"):
        mlir.from_mlir(module)


def test_it_goes_into_a_context_of_the_caller(ir):
    context = ir.Context()
    module = mlir.to_mlir(ops.tanh, Tensor([1.0]), ir=ir, context=context)
    assert module.context == context and "cell.tanh" in str(module)


def test_ops_that_are_read_are_of_the_generated_classes():
    """Where bindings give views of unregistered ops, which those of circt do not yet."""
    for package in PACKAGES[1:]:
        ir = importlib.import_module(package + ".ir")
        cell = mlir.dialect(ir)
        module = mlir.to_mlir(lambda x: ops.transpose(x, (1, 0)), Tensor(arrays()[0]), ir=ir)
        found = [op for f in module.body.operations for op in f.regions[0].blocks[0].operations]
        (transpose,) = [op for op in found if isinstance(op, cell.TransposeOp)]
        assert str(transpose.perm) == "array<i64: 1, 0>"


# --- errors -----------------------------------------------------------------------------------

OTHER = "func.func @f(%x: tensor<f32>) { %y = shape.shape_of %x : tensor<f32> return }"
TWO = "func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n"
ILL = """
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = "cell.add"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %x : tensor<2x3xf32>
}"""


def newer():
    """Bytecode that says that it is of a version to come (its fifth byte, doubled and one more)."""
    data = bytearray(mlir.bytecode(ops.tanh, Tensor([1.0])))
    assert data[:5] == b"ML\xefR\x03"
    data[4] = 99 * 2 + 1 & 0xFF
    return bytes(data)


@pytest.mark.parametrize(
    "attempt, kind, words",
    [
        (lambda: mlir.from_mlir(3), TypeError, "must be an ir.Module, bytes or text, but got int"),
        (lambda: mlir.from_mlir("func.func @"), ValueError, "cannot be read"),
        (lambda: mlir.from_mlir(OTHER), ValueError, "shape.*of the dialects cell, func, scf"),
        (lambda: mlir.from_mlir(ILL), ValueError, "cell.add.*2x2xf32"),
        (lambda: mlir.from_mlir(newer()), ValueError, "version 99 is newer.*desired_version=1"),
        (lambda: mlir.from_mlir(TWO + TWO.replace("@f", "@g"))(1.0), TypeError, "functions: f, g"),
        (lambda: mlir.from_mlir(TWO).h, AttributeError, "no public function 'h', but f"),
        (lambda: mlir.from_mlir(TWO)(Tensor([1.0])), ValueError, "takes.*float32\\[\\]"),
        (lambda: mlir.bytecode(3), TypeError, "Expected a Cell or a function, but got int"),
        (lambda: mlir.bytecode(ops.tanh, Tensor(1.0), version=99), ValueError, "version 99 cannot"),
        (lambda: mlir.to_mlir(ops.tanh, ir=np), TypeError, r"'ir' must be.*cellgrad\[mlir\]"),
        (lambda: mlir.dialect("jaxlib"), TypeError, "but got 'jaxlib'"),
    ],
)
def test_errors(attempt, kind, words):
    with pytest.raises(kind) as caught:
        attempt()
    assert re.search(words, str(caught.value), re.DOTALL)


def test_a_package_without_builders():
    names = ("Context", "Module", "Operation", "OpView", "Location")
    ir = types.ModuleType("nothing.ir")
    ir.__dict__.update(dict.fromkeys(names))
    with pytest.raises(ImportError, match=r"'nothing' has no 'dialects\._ods_common'"):
        mlir.dialect(ir)


# --- modules as functions -----------------------------------------------------------------------

SCALED = """
func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = cell.mul %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @scaled(%x: tensor<2xf32> {cell.name = "x", cell.role = "input"},
                  %w: tensor<2xf32> {cell.name = "w", cell.role = "parameter"})
    -> tensor<2xf32> {
  %y = func.call @square(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %z = cell.mul %y, %w : tensor<2xf32>
  return %z : tensor<2xf32>
}"""
COUNT = """
func.func @count(%x: tensor<f32> {cell.name = "x", cell.role = "input"},
                 %n: tensor<f32> {cell.name = "n", cell.role = "state", cell.donate = 1 : i64})
    -> (tensor<f32> {cell.name = "y"}, tensor<f32> {cell.name = "n"}) {
  %y = cell.add %x, %n : tensor<f32>
  return %y, %y : tensor<f32>, tensor<f32>
}"""


@pytest.mark.parametrize("pick", [lambda m: m, lambda m: m.scaled], ids=["module", "entry"])
def test_a_module_is_a_function_to_every_transform(pick, tmp_path):
    """Of x² w: against the same function written in Python."""
    w = Parameter(Tensor([1.0, 10.0]), name="w")
    f = pick(mlir.from_mlir(SCALED, {"w": w}))
    x, v = Tensor([2.0, 3.0]), Tensor([1.0, -1.0])
    batch = Tensor([[1.0, 2.0], [3.0, 4.0]])

    def same(x):
        return x * x * w

    transforms = [
        lambda f: f(x),
        lambda f: ms.jit(f)(x),
        lambda f: ms.jit(lambda x: f(x) + f(x * 2))(x),
        lambda f: ms.grad(f)(x),
        lambda f: ms.value_and_grad(f, 0, [w])(x),
        lambda f: ms.grad(ms.grad(f))(x),
        lambda f: ms.vmap(f)(batch),
        lambda f: ms.vmap(ms.grad(f))(batch),
        lambda f: ms.jacrev(f)(x),
        lambda f: ms.jacfwd(f)(x),
        lambda f: ms.hessian(lambda x: f(x).sum())(x),
        lambda f: ms.hvp(lambda x: f(x).sum(), x, v),
        lambda f: ms.jvp(f, x, v),
        lambda f: ms.vjp(f, x)[1](v),
        lambda f: ms.recompute(f, x),
    ]
    for transform in transforms:
        assert repr(transform(f)) == repr(transform(same))
    w.set_data(Tensor([2.0, 5.0]))
    assert repr(ms.grad(f)(x)) == repr(ms.grad(same)(x))
    ms.export(f, x, file_name=str(tmp_path / "m"))
    loaded = ms.load(str(tmp_path / "m"))
    assert repr(loaded.forward(x)) == repr(same(x))
    gradient = loaded.value_and_grad(x)[1]
    np.testing.assert_array_equal(gradient.asnumpy(), [4, 9])
    assert str(inspect.signature(f)) == "(x)"
    again = mlir.from_mlir(mlir.bytecode(ms.grad(f), x), {"w": w})
    assert repr(again(x)) == repr(ms.grad(f)(x))


def test_a_module_with_state_updates_a_parameter():
    n = Parameter(Tensor(1.0), name="n", requires_grad=False)
    f = mlir.from_mlir(COUNT, {"n": n})
    g = ms.jit(lambda x: f(x) + f(x))
    assert g(Tensor(2.0)).asnumpy() == 8 and n.asnumpy() == 5
    with pytest.raises(TypeError, match="give a Parameter"):
        ms.jit(mlir.from_mlir(COUNT, {"n": Tensor(1.0)}))(Tensor(2.0))


def test_what_modules_cannot_do_is_said(tmp_path):
    f = mlir.from_mlir(SCALED, {"w": Tensor([1.0, 1.0])})
    with pytest.raises(ValueError, match=r"takes 'x' as float32\[2\], but got Float32\[3\]"):
        ms.grad(f)(Tensor([1.0, 2.0, 3.0]))
    ms.export(f, Tensor([1.0, 2.0]), file_name=str(tmp_path / "m"), value_and_grad=False)
    with pytest.raises(TypeError, match=r"forward\(\) is machine code"):
        ms.grad(ms.load(str(tmp_path / "m")).forward)(Tensor([1.0, 2.0]))
