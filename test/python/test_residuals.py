"""What the adjoint of an op with a rule by hand reads of the forward pass is what its record says.

Rules that are expressions say it themselves. Here adjoint code is made of one op alone, and the
operands and results that it uses are looked up.
"""

import os
import re
import subprocess
from pathlib import Path

import op_examples
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))
MATRIX, VECTOR, PIVOTS = "tensor<3x3xf64>", "tensor<3xf64>", "tensor<3xi32>"

# op: its operands (name, type), results (name, type), and text.
CASES = {
    "barrier": ([("x", MATRIX)], [("result", MATRIX)], "cell.barrier %x after () : (M) -> M"),
    "cast": (
        [("x", "tensor<3xf32>")],
        [("result", "tensor<3xf64>")],
        "cell.cast %x : tensor<3xf32> to tensor<3xf64>",
    ),
    "cholesky": ([("x", MATRIX)], [("result", MATRIX)], "cell.cholesky %x : M"),
    "concat": (
        [("x", MATRIX), ("y", MATRIX)],
        [("result", "tensor<6x3xf64>")],
        "cell.concat %x, %y dim 0 : (M, M) -> tensor<6x3xf64>",
    ),
    "conv": (
        [("x", "tensor<2x3x7xf64>"), ("w", "tensor<4x3x2xf64>")],
        [("result", "tensor<2x4x6xf64>")],
        "cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<2x3x7xf64>, "
        "tensor<4x3x2xf64>) -> tensor<2x4x6xf64>",
    ),
    "cummax": ([("x", MATRIX)], [("values", MATRIX), ("positions", "tensor<3x3xi32>")], ""),
    "cummin": ([("x", MATRIX)], [("values", MATRIX), ("positions", "tensor<3x3xi32>")], ""),
    "eigh": (
        [("x", MATRIX)],
        [("w", VECTOR), ("v", MATRIX)],
        f"cell.eigh %x : M -> {VECTOR}, M",
    ),
    "gather": (
        [("x", MATRIX), ("indices", "tensor<2xi32>")],
        [("result", "tensor<2x3xf64>")],
        "cell.gather %x at %indices dim 0 : M, tensor<2xi32> -> tensor<2x3xf64>",
    ),
    "lu": (
        [("x", MATRIX)],
        [("packed", MATRIX), ("pivots", PIVOTS)],
        f"cell.lu %x : M -> M, {PIVOTS}",
    ),
    "qr": ([("x", MATRIX)], [("q", MATRIX), ("r", MATRIX)], "cell.qr %x : M -> M, M"),
    "scatter": (
        [("x", MATRIX), ("indices", "tensor<2xi32>"), ("updates", "tensor<2x3xf64>")],
        [("result", MATRIX)],
        'cell.scatter "set" %updates into %x at %indices dim 0 : tensor<2x3xf64>, M, tensor<2xi32>',
    ),
    "solve": (
        [("a", MATRIX), ("b", MATRIX)],
        [("result", MATRIX)],
        "cell.solve %a, %b : M, M",
    ),
    "svd": (
        [("x", MATRIX)],
        [("u", MATRIX), ("s", VECTOR), ("v", MATRIX)],
        f"cell.svd %x : M -> M, {VECTOR}, M",
    ),
    "triangular_solve": (
        [("a", MATRIX), ("b", MATRIX)],
        [("result", MATRIX)],
        "cell.triangular_solve %a, %b {lower = true} : M, M",
    ),
}


def declared(op):
    """The residuals that docs/ops.md shows."""
    row = re.search(rf"^\| `cell\.{op}` .*$", (ROOT / "docs/ops.md").read_text(), re.M)
    cells = row[0].replace(r"\|", "").split(" | ")
    return set() if cells[3] == "-" else set(cells[3].split(", "))


def differentiated(op):
    """Adjoint code of the op alone, in the generic form."""
    operands, results, text = CASES[op]
    text = (text or f"cell.{op} %x along 0 : M").replace("M", MATRIX)
    given = ", ".join(f"%{n}: {t}" for n, t in operands)
    out = ", ".join(t for _, t in results)
    floats = [(i, t) for i, (_, t) in enumerate(results) if "xi" not in t]
    wrt = [(i, t) for i, (_, t) in enumerate(operands) if "xi" not in t]
    cotangents = ", ".join(f"%c{i}: {t}" for i, t in floats)
    types = ", ".join([*(t for _, t in operands), *(t for _, t in floats)])
    gradients = ", ".join(t for _, t in wrt)
    values = ", ".join(f"%0#{len(results) + k}" for k in range(len(wrt)))
    module = f"""
func.func private @f({given}) -> ({out}) {{
  %0{f":{len(results)}" if len(results) > 1 else ""} = {text}
  return {", ".join(f"%0#{k}" for k in range(len(results)))} : {out}
}}
func.func @vjp({given}, {cotangents}) -> ({gradients}) {{
  %0:{len(results) + len(wrt)} = cell.vjp @f({", ".join(f"%{n}" for n, _ in operands)})
      cotangents({", ".join(f"%c{i}" for i, _ in floats)}) of {[i for i, _ in floats]}
      wrt {[i for i, _ in wrt]} : ({types}) -> ({out}, {gradients})
  return {values} : {gradients}
}}
"""
    command = [BUILD / "bin/cell-opt", "--cell-differentiate", "--symbol-dce"]
    return subprocess.run(
        [*command, "--mlir-print-op-generic", "-"],
        input=module,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize("op", CASES)
def test_adjoint_code_reads_what_the_record_says(op):
    operands, results, _ = CASES[op]
    code = differentiated(op)
    args = re.findall(r"(%\w+): ", re.search(r"\^bb0\((.*)\):", code)[1])[: len(operands)]
    primal, read = {}, set()
    for made, name, used in re.findall(
        r"^ +(?:(%\w+)(?::\d+)? = )?\"([\w.]+)\"\((.*?)\)", code, re.M
    ):
        uses = set(used.split(", "))
        if name == f"cell.{op}" and uses == set(args):
            primal = {f"{made}#{k}": n for k, (n, _) in enumerate(results)} | {made: results[0][0]}
            continue
        read |= {n for arg, (n, _) in zip(args, operands, strict=True) if arg in uses}
        if name != "func.return":
            read |= {n for value, n in primal.items() if value in uses}
    assert read == declared(op)


def test_every_rule_by_hand_is_here():
    by_hand = {
        r["op"].removeprefix("cell.") for r in op_examples.RECORDS if r["derivative"] == "custom"
    }
    # Their adjoints are in test/rules, as they run on several ranks.
    assert by_hand - set(op_examples.OF_RANKS) == set(CASES)
