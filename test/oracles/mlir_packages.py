"""Modules of cell ops, built by packages that carry MLIR's Python bindings.

    python test/oracles/mlir_packages.py --record jaxlib.mlir iree.compiler torch_mlir

writes what each package builds to test/python/goldens/interop/, as bytecode of the version that
`cellgrad.interop.mlir` asks for (.mlirbc) and of the package's own (.native.mlirbc). The tests build
the same modules with the packages that are installed beside them.
"""

import argparse
import importlib
import io
from pathlib import Path

from cellgrad.interop import mlir

FOLDER = Path(__file__).resolve().parents[1] / "python/goldens/interop"


def build(ir):
    """``f(x, w) = sum(tanh(x @ w), 1) + [1, 2]`` as a module of the package's own."""
    cell = mlir.dialect(ir)
    with ir.Context() as context, ir.Location.file("model.py", 3, 7):
        context.allow_unregistered_dialects = True
        types = [ir.Type.parse(f"tensor<{shape}xf32>") for shape in ("2x3", "3x4", "2")]
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kind = ir.TypeAttr.get(ir.FunctionType.get(types[:2], types[2:]))
            attributes = {"sym_name": ir.StringAttr.get("f"), "function_type": kind}
            function = ir.Operation.create("func.func", attributes=attributes, regions=1)
        block = ir.Block.create_at_start(function.regions[0], types[:2])
        with ir.InsertionPoint(block):
            x, w = block.arguments
            y = cell.reduce_sum(cell.tanh(cell.matmul(x, w)), dims=[1])
            by = cell.constant(ir.Attribute.parse("dense<[1.0, 2.0]> : tensor<2xf32>"))
            out = cell.AddOp(y, by, loc=ir.Location.file("model.py", 9, 1))
            ir.Operation.create("func.return", operands=[out.result])
    return module


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", nargs="+", required=True, metavar="PACKAGE")
    for package in parser.parse_args().record:
        module = build(importlib.import_module(package + ".ir"))
        for suffix, options in ((".mlirbc", {"desired_version": 1}), (".native.mlirbc", {})):
            file = io.BytesIO()
            module.operation.write_bytecode(file, **options)
            (FOLDER / (package + suffix)).write_bytes(file.getvalue())


if __name__ == "__main__":
    main()
