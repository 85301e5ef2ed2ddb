"""What a derivative is where calculus does not say, or where numbers end.

    python test/oracles/conventions.py [--check | --record]

writes docs/conventions.md from the table below; a test evaluates each row in both modes. --record
asks the frameworks named by CELLGRAD_JAX_PYTHON and so on for their answers, and keeps them in
conventions.json for the page.

A row: the expression with the framework as `m`; the arguments; the expected value, gradients (one
list an argument, of the sum of the value) and second derivatives (of the sum of the gradients), by
mathematics or by the choice that the last column gives. None: the same as the expectation says is
not defined and not tested.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE, RECORD = ROOT / "docs" / "conventions.md", Path(__file__).with_suffix(".json")
INF, NAN = math.inf, math.nan


class Row(NamedTuple):
    text: str
    args: list[Any]
    value: list[float]
    grads: list[list[float]]
    second: list[list[float]] | None
    why: str
    jax: str = ""
    torch: str = ""


def at(
    text: str, x: float, value: float, grad: float, second: float | None, why: str, **other: str
) -> Row:
    """A row of one number."""
    return Row(text, [x], [value], [[grad]], None if second is None else [[second]], why, **other)


def pair(
    text: str, x: float, y: float, value: float, grads: tuple[float, float], why: str, **other: str
) -> Row:
    """A row of two numbers, first derivatives only."""
    return Row(text, [x, y], [value], [[g] for g in grads], None, why, **other)


ROOT_TEXT = {"jax": "jnp.sqrt", "torch": "torch.sqrt"}
ROWS: dict[str, list[Row]] = {
    "Corners and jumps": [
        at("m.relu(x)", 0.0, 0, 0, 0, "the slope on the left", jax="jax.nn.relu(x)"),
        at(
            "m.relu(x)",
            NAN,
            NAN,
            0,
            0,
            "NaN is not above 0: the value shows it, the slope is 0",
            jax="jax.nn.relu(x)",
        ),
        at("m.abs(x)", 0.0, 0, 0, 0, "the middle of [-1, 1]"),
        at("m.abs(x)", -0.0, 0, 0, 0, "as at +0"),
        at("m.abs(x)", NAN, NAN, NAN, None, "NaN shows"),
        at("m.relu(x)", -0.0, 0, 0, 0, "as at +0", jax="jax.nn.relu(x)"),
        at("m.sign(x)", 0.0, 0, 0, 0, "0 wherever it exists"),
        at("m.sign(x)", NAN, NAN, 0, 0, "NaN shows in the value"),
        at("m.floor(x)", 2.0, 2, 0, 0, "0 wherever it exists"),
        at("m.round(x)", 2.5, 2, 0, 0, "ties to even; 0 wherever the slope exists"),
        at(
            "ops.relu6(x)",
            6.0,
            6,
            1,
            0,
            "a limit of the range is inside",
            jax="jax.nn.relu6(x)",
            torch="torch.nn.functional.relu6(x)",
        ),
        at(
            "ops.leaky_relu(x, 0.1)",
            0.0,
            0,
            0.55,
            0,
            "the middle of both slopes",
            jax="jax.nn.leaky_relu(x, 0.1)",
            torch="torch.nn.functional.leaky_relu(x, 0.1)",
        ),
        at(
            "ops.elu(x)",
            0.0,
            0,
            1,
            0,
            "the side on the right",
            jax="jax.nn.elu(x)",
            torch="torch.nn.functional.elu(x)",
        ),
        at(
            "ops.hardswish(x)",
            3.0,
            3,
            1.5,
            1 / 3,
            "the side on the left",
            jax="jax.nn.hard_swish(x)",
            torch="torch.nn.functional.hardswish(x)",
        ),
        at(
            "ops.clip(x, -1.0, 1.0)",
            1.0,
            1,
            1,
            0,
            "a limit is inside",
            jax="jnp.clip(x, -1.0, 1.0)",
            torch="torch.clip(x, -1.0, 1.0)",
        ),
        at(
            "ops.clip(x, -1.0, 1.0)",
            -1.0,
            -1,
            1,
            0,
            "a limit is inside",
            jax="jnp.clip(x, -1.0, 1.0)",
            torch="torch.clip(x, -1.0, 1.0)",
        ),
        at("ops.clip(x, -1.0, 1.0)", NAN, NAN, 1, 0, "NaN is not beyond a limit"),
        pair("m.maximum(x, y)", 1.0, 1.0, 1, (0.5, 0.5), "one half to each at a tie"),
        pair("m.minimum(x, y)", 1.0, 1.0, 1, (0.5, 0.5), "one half to each at a tie"),
        pair("m.maximum(x, y)", 0.0, -0.0, 0, (0.5, 0.5), "zeros tie"),
        pair("m.maximum(x, y)", NAN, 1.0, NAN, (1, 1), "all to both where one is NaN"),
        Row(
            "m.amax(x, 0)",
            [[1.0, 3.0, 3.0]],
            [3],
            [[0, 0.5, 0.5]],
            [[0, 0, 0]],
            "equal parts to all that attain it",
        ),
        Row(
            "ops.max_pool2d(x.reshape(1, 1, 2, 2), 2).sum()",
            [[1.0, 3.0, 3.0, 3.0]],
            [3],
            [[0, 1, 0, 0]],
            [[0, 0, 0, 0]],
            "the first that attains it in a window",
            torch="torch.nn.functional.max_pool2d(x.reshape(1, 1, 2, 2), 2).sum()",
        ),
        Row(
            "m.amin(x, 0)",
            [[1.0, 1.0, 3.0]],
            [1],
            [[0.5, 0.5, 0]],
            [[0, 0, 0]],
            "equal parts to all that attain it",
        ),
        Row("m.amax(x, 0)", [[1.0, NAN]], [NAN], [[NAN, NAN]], None, "NaN shows, in every element"),
        Row(
            "(ops.sort(x)[0] * ms.Tensor([1.0, 2.0, 4.0], ms.float64)).sum()",
            [[2.0, 1.0, 1.0]],
            [11],
            [[4, 1, 2]],
            [[0, 0, 0]],
            "equal elements stay in order, each with its own cotangent",
            jax="(jnp.sort(x) * jnp.array([1.0, 2.0, 4.0])).sum()",
            torch="(torch.sort(x)[0] * torch.tensor([1.0, 2.0, 4.0], dtype=x.dtype)).sum()",
        ),
        Row(
            "(ops.topk(x, 2)[0] * ms.Tensor([1.0, 2.0], ms.float64)).sum()",
            [[1.0, 1.0, 1.0]],
            [3],
            [[1, 2, 0]],
            [[0, 0, 0]],
            "of equal elements the first",
            jax="(jax.lax.top_k(x, 2)[0] * jnp.array([1.0, 2.0])).sum()",
            torch="(torch.topk(x, 2)[0] * torch.tensor([1.0, 2.0], dtype=x.dtype)).sum()",
        ),
        pair("m.remainder(x, y)", 4.0, 2.0, 0, (1, -2), "the slope of the piece on the right"),
    ],
    "Poles and roots": [
        at("m.sqrt(x)", 0.0, 0, INF, -INF, "the limit from the right"),
        at("m.sqrt(x)", -0.0, 0, -INF, None, "1 / (2 sqrt(x)), and the root of -0 is -0"),
        at("m.sqrt(x)", -1.0, NAN, NAN, NAN, "outside of the domain"),
        at("m.rsqrt(x)", 0.0, INF, -INF, INF, "the limit from the right", jax="jax.lax.rsqrt(x)"),
        at("m.log(x)", 0.0, -INF, INF, -INF, "the limit from the right"),
        at("m.log(x)", -2.0, NAN, -0.5, -0.25, "1/x, also outside of the domain"),
        at("m.asin(x)", 1.0, math.pi / 2, INF, INF, "the limit from the left", jax="jnp.arcsin(x)"),
        at("m.acos(x)", -1.0, math.pi, -INF, INF, "the limit from the right", jax="jnp.arccos(x)"),
        at("m.acosh(x)", 1.0, 0, INF, -INF, "the limit from the right", jax="jnp.arccosh(x)"),
        at("m.atanh(x)", -1.0, -INF, INF, -INF, "the limit from the right", jax="jnp.arctanh(x)"),
        at(
            "m.erfinv(x)",
            1.0,
            INF,
            INF,
            INF,
            "the limit from the left",
            jax="jax.scipy.special.erfinv(x)",
        ),
        at("1 / x", 0.0, INF, -INF, INF, "the limit from the right, for +0"),
        at("1 / x", -0.0, -INF, -INF, -INF, "the limit from the left, for -0"),
        pair("x / y", 1.0, 0.0, INF, (INF, -INF), "by IEEE arithmetic"),
        pair("x / y", 0.0, 0.0, NAN, (INF, NAN), "by IEEE arithmetic: the slope in x is 1/y"),
        at("m.asin(x)", 1.0, math.pi / 2, INF, None, "the limit"),
        at("m.acos(x)", -1.0, math.pi, -INF, None, "the limit"),
        at("m.acosh(x)", 1.0, 0, INF, None, "the limit from the right"),
        at("m.atanh(x)", 1.0, INF, INF, None, "the limit from the left"),
        at(
            "m.lgamma(x)",
            0.0,
            INF,
            -INF,
            INF,
            "the limit from the right",
            jax="jax.lax.lgamma(x)",
        ),
        at("m.lgamma(x)", -1.0, INF, NAN, INF, "a pole with two sides", jax="jax.lax.lgamma(x)"),
        at("m.erfinv(x)", 1.0, INF, INF, None, "the limit from the left", jax="jax.lax.erf_inv(x)"),
        pair("m.atan2(x, y)", 0.0, 0.0, 0, (NAN, NAN), "no limit exists"),
        pair("m.hypot(x, y)", 0.0, 0.0, 0, (NAN, NAN), "no slope at the origin, as for the norm"),
        Row(
            "ops.sqrt(ops.square(x).sum())",
            [[0.0, 0.0]],
            [0],
            [[NAN, NAN]],
            None,
            "0 · ∞: a root of a sum is a root",
            jax="jnp.sqrt(jnp.square(x).sum())",
            torch="torch.sqrt(torch.square(x).sum())",
        ),
        Row(
            "ops.std(x, 0)",
            [[2.0, 2.0]],
            [0],
            [[0, 0]],
            [[0, 0]],
            "no slope where all are equal, as for ops.norm",
            jax="jnp.std(x, 0)",
            torch="torch.std(x, 0, correction=0)",
        ),
        Row(
            "ops.norm(x)",
            [[0.0, 0.0]],
            [0],
            [[0, 0]],
            [[0, 0]],
            "the middle of the unit disc: the norm is told from a root",
            jax="jnp.linalg.norm(x)",
            torch="torch.linalg.norm(x)",
        ),
        Row(
            "m.prod(x, 0)",
            [[0.0, 2.0, 3.0]],
            [0],
            [[6, 0, 0]],
            [[5, 3, 2]],
            "products of the others: nothing is divided",
        ),
    ],
    "Powers": [
        pair(
            "m.pow(x, y)",
            0.0,
            2.0,
            0,
            (0, 0),
            "0 in the exponent, for base 0",
            jax="jnp.power(x, y)",
        ),
        pair("m.pow(x, y)", 0.0, 1.0, 0, (1, 0), "0^0 is 1", jax="jnp.power(x, y)"),
        pair("m.pow(x, y)", 0.0, 0.0, 1, (0, 0), "x^0 is 1 everywhere", jax="jnp.power(x, y)"),
        pair(
            "m.pow(x, y)", 0.0, 0.5, 0, (INF, 0), "the limit from the right", jax="jnp.power(x, y)"
        ),
        pair(
            "m.pow(x, y)",
            -2.0,
            3.0,
            -8,
            (12, NAN),
            "no logarithm of a negative base",
            jax="jnp.power(x, y)",
        ),
        pair(
            "m.pow(x, y)",
            NAN,
            0.0,
            1,
            (0, NAN),
            "x^0 is 1 everywhere, NaN too",
            jax="jnp.power(x, y)",
        ),
        at("x ** 2", 0.0, 0, 0, 2, "a product"),
        at("x ** 3", 0.0, 0, 0, 0, "a product"),
        at("x ** 0.5", 0.0, 0, INF, None, "as the root"),
        pair(
            "m.xlogy(x, y)",
            0.0,
            0.0,
            0,
            (0, 0),
            "0 where x is 0",
            jax="jax.scipy.special.xlogy(x, y)",
        ),
    ],
    "Branches that are not taken": [
        at("m.where(x > 0, m.sqrt(x), 0.0 * x)", 0.0, 0, 0, 0, "no NaN comes from the root"),
        at("m.where(x > 0, m.sqrt(x), 0.0 * x)", -1.0, 0, 0, 0, "no NaN comes from the root"),
        at("m.where(x > 0, x * m.log(x), 0.0 * x)", 0.0, 0, 0, 0, "nor from the logarithm"),
        at(
            "m.where(x == 0, 1.0 + 0.0 * x, m.sin(x) / x)",
            0.0,
            1,
            0,
            0,
            "nor from 0/0 (the second derivative of sin(x)/x is -1/3: the branch taken is constant)",
        ),
        at(
            "m.where(x > 0, m.sin(m.sqrt(x)), x)",
            -1.0,
            -1,
            1,
            0,
            "nor through a function of the root",
        ),
        at(
            "m.where(x > 0, x * m.sqrt(x), x)",
            0.0,
            0,
            1,
            0,
            "nor from a finite product, whose tangent is 0 * ∞",
        ),
        Row(
            "m.where(m.isfinite(y), m.square(x - y), 0.0 * x)",
            [2.0, NAN],
            [0],
            [[0], [0]],
            [[0], [0]],
            "nor from missing data that is left out",
        ),
        Row(
            "m.where(m.isfinite(y), m.exp(x * y) * y, x)",
            [2.0, INF],
            [2],
            [[1], [0]],
            [[0], [0]],
            "nor from infinite data",
        ),
        at("m.where(x > 0, x * m.log(x), x)", -INF, -INF, 1, 0, "nor at an infinity"),
        at("m.where(x > 0, x * m.log(x), x)", NAN, NAN, 1, 0, "nor at NaN, which is not above 0"),
    ],
    "Infinities and the smallest numbers": [
        at("m.tanh(x)", INF, 1, 0, None, "the limit"),
        at("m.sigmoid(x)", -INF, 0, 0, 0, "the limit", jax="jax.nn.sigmoid(x)"),
        at(
            "m.sigmoid(x)",
            -740.0,
            math.exp(-740.0),
            math.exp(-740.0),
            None,
            "subnormal numbers are kept",
            jax="jax.nn.sigmoid(x)",
        ),
        at("m.exp(x)", -INF, 0, 0, 0, "the limit"),
        at(
            "ops.gelu(x)",
            -INF,
            0,
            0,
            0,
            "the limit",
            jax="jax.nn.gelu(x, approximate=False)",
            torch="torch.nn.functional.gelu(x)",
        ),
        at("m.atan(x)", INF, math.pi / 2, 0, None, "the limit"),
        at(
            "m.tanh(x)",
            25.0,
            1,
            1 / math.cosh(25.0) ** 2,
            -2 / math.cosh(25.0) ** 2,
            "small, not 0: the slope is not made of the value, which is 1",
        ),
        at(
            "m.lgamma(x)",
            -INF,
            INF,
            NAN,
            NAN,
            "the value of C; poles of both signs, and no limit of the slope",
            jax="jax.lax.lgamma(x)",
        ),
        at(
            "m.exp(x)",
            -744.0,
            math.exp(-744.0),
            math.exp(-744.0),
            math.exp(-744.0),
            "subnormal numbers are kept",
        ),
        at("m.exp(x)", 710.0, INF, INF, INF, "overflow shows"),
        at(
            "ops.softplus(x)",
            800.0,
            800,
            1,
            0,
            "no overflow",
            jax="jax.nn.softplus(x)",
            torch="torch.nn.functional.softplus(x)",
        ),
        at(
            "ops.logsigmoid(x)",
            -800.0,
            -800,
            1,
            0,
            "no overflow",
            jax="jax.nn.log_sigmoid(x)",
            torch="torch.nn.functional.logsigmoid(x)",
        ),
        pair(
            "m.logaddexp(x, y)",
            -INF,
            -INF,
            -INF,
            (1, 0),
            "all to the first of two terms that are 0",
        ),
        Row(
            "(ops.softmax(x, -1) * ms.Tensor([1.0, 0.0], ms.float64)).sum()",
            [[1000.0, 0.0]],
            [1],
            [[0, 0]],
            [[0, 0]],
            "shifted by the maximum: no overflow",
            jax="jax.nn.softmax(x)[0]",
            torch="torch.softmax(x, -1)[0]",
        ),
        pair("x * y", INF, 0.0, NAN, (0, INF), "by IEEE arithmetic"),
    ],
}


def text_for(row: Row, framework: str) -> str:
    """The row as a lambda of a framework."""
    head = "lambda " + ", ".join("xyz"[: len(row.args)]) + ": "
    own = {"jax": row.jax, "torch": row.torch}.get(framework, "")
    module = {"jax": "jnp.", "torch": "torch."}.get(framework, "ops.")
    text = own or row.text
    return head + text.replace("m.", module) if "ops." not in text or module == "ops." else ""


def all_rows() -> list[Row]:
    return [row for rows in ROWS.values() for row in rows]


def number(x: float) -> str:
    if math.isnan(x):
        return "NaN"
    return "∞" if x == INF else "-∞" if x == -INF else f"{x:.4g}"


def short(lists: list[list[float]]) -> str:
    return "; ".join(", ".join(number(v) for v in part) for part in lists)


def same(a: list[list[float]], b: list[list[float]]) -> bool:
    """Equal to four digits; zeros of either sign are equal."""
    positive = lambda lists: [[v + 0.0 for v in part] for part in lists]
    return short(positive(a)) == short(positive(b))


def page() -> str:
    recorded = json.loads(RECORD.read_text())
    others = {"jax": "JAX", "torch": "PyTorch", "mindspore": "MindSpore"}
    versions = ", ".join(recorded["versions"])
    lines = [
        "# Conventions",
        "",
        "Values and derivatives of functions at corners, poles and jumps, and at the largest and smallest numbers, beside",
        "those of other frameworks. The page is written by `test/oracles/conventions.py` (`make docs`). A test evaluates",
        "every row in float32 and float64, in reverse and in forward mode, and second derivatives as reverse over reverse",
        "and forward over reverse.",
        "",
        "- *slope*: the derivative by each argument.",
        "- *second*: the derivative of the sum of the slopes. Where it is empty, it does not exist, or is infinite or NaN",
        "  depending on the order of the steps; no test checks it there.",
        "- The column of a framework: `=` is the same slope, `==` the same second derivative as well, a number what differs,",
        "  a dash what it refuses. They compute in float64, MindSpore in float32 where it must",
        f"  ({versions}).",
    ]
    for group, rows in ROWS.items():
        lines += ["", f"## {group}", ""]
        lines.append(
            "| function | at | value | slope | second | "
            + " | ".join(others.values())
            + " | because |"
        )
        lines.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for row in rows:
            cells = [
                f"`{row.text.replace('m.', '').replace('ops.', '')}`".replace("|", "\\|"),
                short([a if isinstance(a, list) else [a] for a in row.args]),
                short([row.value]),
                short(row.grads),
                short(row.second) if row.second is not None else "",
            ]
            for name in others:
                cells.append(theirs(recorded["answers"][name].get(key(row)), row))
            lines.append("| " + " | ".join([*cells, row.why]) + " |")
    return "\n".join(lines) + "\n"


def key(row: Row) -> str:
    return f"{row.text} at {row.args}"


def theirs(answer: dict[str, Any] | None, row: Row) -> str:
    if answer is None or "error" in answer:
        return "–"
    grads = [[float(v) for v in g] for g in answer["grads"]]
    if not same(grads, row.grads):
        return short(grads)
    if row.second is None:
        return "="
    if answer["second"] is None:
        return "=, second –"
    second = [[float(v) for v in g] for g in answer["second"]]
    return "==" if same(second, row.second) else f"=, second {short(second)}"


def record() -> None:
    from compare import ask, interpreters, question

    answers, versions = {}, []
    for name, python in interpreters().items():
        rows = [r for r in all_rows() if text_for(r, name)]
        questions = [question(text_for(r, name), r.args, False) for r in rows]
        got = ask(python, name, questions)
        # MindSpore has functions of float32 alone.
        again = [i for i, a in enumerate(got) if "error" in a]
        narrow = [questions[i] | {"dtype": "float32"} for i in again]
        for i, answer in zip(again, ask(python, name, narrow), strict=True):
            got[i] = answer
        answers[name] = {key(r): a for r, a in zip(rows, got, strict=True)}
        versions.append(version(name, python))
    RECORD.write_text(json.dumps({"versions": versions, "answers": answers}, indent=1) + "\n")


def version(name: str, python: str) -> str:
    import subprocess

    code = f"import {name}; print({name}.__version__)"
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    title = {"jax": "JAX", "torch": "PyTorch", "mindspore": "MindSpore"}[name]
    return f"{title} {run.stdout.split()[-1].split('+')[0]}"


def main() -> int:
    if "--record" in sys.argv:
        record()
    if "--check" in sys.argv:
        return int(PAGE.read_text() != page())
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
