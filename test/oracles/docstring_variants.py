"""Other programs from an example: its calls differentiated, mapped, of other dtypes and other values.

A call in an example becomes a function of the tensors that its text names or makes. `docstring_calls.py`,
which both frameworks import, says what is computed of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

# What is computed: a function of `docstring_calls.py`, and how its arguments are changed before.
VARIANTS: dict[str, tuple[str, str]] = {
    "grad": ("gradients", "same"),
    "second": ("seconds", "same"),
    "vmap": ("mapped", "same"),
    "vmap-grad": ("mapped_gradients", "same"),
    **{dtype: ("values_and_gradients", dtype) for dtype in ("float64", "float16", "bfloat16")},
    "int32": ("values", "int32"),
    "zeros": ("values_and_gradients", "zeros"),
    "negative": ("values_and_gradients", "negative"),
    "special": ("values", "special"),
    "empty": ("values", "empty"),
    "scalar": ("values_and_gradients", "scalar"),
}
RESULT = "result"
TENSOR = ("Tensor", "tensor")


class _Hoist(ast.NodeTransformer):
    """Replaces each tensor that a call makes of constants by a variable."""

    def __init__(self) -> None:
        self.made: list[tuple[str, ast.expr]] = []

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in TENSOR:
            self.made.append((f"made_{len(self.made)}", node))
            return ast.Name(self.made[-1][0], ast.Load())
        self.generic_visit(node)
        return node


def _call(statement: ast.stmt) -> ast.Call | None:
    """The call whose result a statement names, shows or prints."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.Expr)) else None
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "print" and value.args:
        value = value.args[0]
    return value if isinstance(value, ast.Call) else None


def _prints(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "print"


def _functions(text: str, tensors: set[str]) -> Iterator[str]:
    """For each call on tensors: the statements before it, and `function` with its `arguments`."""
    before: list[str] = []
    for statement in ast.parse(text).body:
        call = _call(statement)
        plain = ast.unparse(statement)
        if call and ast.unparse(call.func).split(".")[-1] not in TENSOR:
            hoist = _Hoist()
            new = hoist.visit(call)
            loaded = {n.id for n in ast.walk(new) if isinstance(n, ast.Name)}
            made = dict(hoist.made)
            names = ", ".join([*sorted(loaded & tensors), *made])
            if names:
                lines = [f"{name} = {ast.unparse(value)}" for name, value in made.items()]
                function = f"def function({names}):\n    return {ast.unparse(new)}"
                yield "\n".join([*before, *lines, function, f"arguments = [{names}]"])
        if not _prints(statement):
            before.append(plain)


def variants(
    name: str, programs: list[dict[str, str]], answers: list[dict[str, Any]]
) -> list[dict[str, str]]:
    """Programs of a variant, from examples and MindSpore's answers to them."""
    compute, change = VARIANTS[name]
    found = []
    seen = set()
    for program, answer in zip(programs, answers, strict=True):
        if "is" not in answer:
            continue
        values = answer["is"]["values"]
        tensors = {n for n, v in values.items() if isinstance(v, dict) and "dtype" in v}
        for i, text in enumerate(_functions(program["text"], tensors)):
            end = f"import docstring_calls\n{RESULT} = docstring_calls.{compute}(function, arguments, {change!r})"
            if text not in seen:
                seen.add(text)
                wanted = {"text": f"{text}\n{end}", "seed": "1", "compare": RESULT}
                found.append({"id": f"{program['id']} ({i}) | {name}", **wanted})
    return found
