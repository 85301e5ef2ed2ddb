"""bench/vector_code.py: which loops of assembly compute with vectors; and those of NEON do."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("vector_code", ROOT / "bench/vector_code.py")
vector_code = importlib.util.module_from_spec(spec)
spec.loader.exec_module(vector_code)

NEON = """
f:
.LBB0_1:
\tmov\tx2, xzr
.LBB0_2:
\tldr\tq0, [x0, x2]
\tfadd\tv0.4s, v0.4s, v1.4s
\tfmul\ts2, s0, s1
\tfmla\tv0.4s, v0.4s, v1.4s
\tb.ne\t.LBB0_2
\tadd\tx3, x3, #1
\tb.ne\t.LBB0_1
g:
.LBB1_1:
\tfmadd\td0, d0, d1, d2
\tcbnz\tx3, .LBB1_1
.LBB1_2:
\tldr\tx0, [x1]
\tcbnz\tx3, .LBB1_2
.LBB1_3:
\tbl\tfmodf
\tb.le\t.LBB1_3
.LBB1_4:
\tbl\tcell_kernel
\tb.le\t.LBB1_4
"""
AVX = """
f:
.LBB0_1:
\tvfmadd231ps\t(%rdi,%rax), %ymm0, %ymm1
\tjne\t.LBB0_1
.LBB0_2:
\tvmulsd\t(%rdi,%rax), %xmm0, %xmm1
\tjne\t.LBB0_2
"""


@pytest.mark.parametrize(
    ("text", "machine", "wanted"),
    [
        (
            NEON,
            "aarch64",
            [("f", "vector"), ("g", "scalar"), ("g", None), ("g", "call"), ("g", None)],
        ),
        (AVX, "x86", [("f", "vector"), ("f", "scalar")]),
    ],
)
def test_innermost_loops_are_told_apart(text, machine, wanted):
    found = [(name, vector_code.kind(body, machine)) for name, body in vector_code.loops(text)]
    assert found == wanted


@pytest.mark.parametrize("op", ["erf", "floor_mod"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_elementwise_loops_are_vectors_on_aarch64(tmp_path, op, dtype):
    operands = [False] * (2 if op == "floor_mod" else 1)
    source = tmp_path / "m.mlir"
    source.write_text(vector_code.module(op, f"tensor<1003x{dtype}>", operands))
    counts = vector_code.counted(source, "aarch64", tmp_path)
    kinds = {kind for _, kind in counts if kind}
    assert kinds == {"vector"} and sum(counts.values()) >= 2
