"""Types of what forms take and give, where their rows do not say them.

A parameter has the type of what it is handed on as: to the operation, to a helper of ``mint`` or
``numpy``, or to a function that is a form itself. Otherwise its default says it, or its name.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

from table import Parameter, Row, parameters_of

PACKAGE = Path(__file__).resolve().parents[2] / "pyfront/cellgrad"

# The modules whose functions expressions call, by the names that they have there.
HELPERS = {
    "h": "mint/_helpers.py",
    "hn": "numpy/_helpers.py",
    "F": "mint/nn/functional.py",
}
# What names of parameters stand for that nothing else tells.
BY_NAME = {
    "data_format": "str",
    "dim": "Axis",
    "generator": "object",
    "device": "str | None",
    "dtype": "Type | None",
    "inplace": "bool",
    "keepdim": "bool",
    "num": "int | None",
    "output_shape": "Sequence[int]",
    "output_size": "OptionalDims",
    "x": "Tensor",
    "y": "TensorLike",
}
Function = tuple[tuple[Parameter, ...], str | None]


@functools.cache
def helpers(alias: str) -> dict[str, Function]:
    """The parameters and results of the functions of such a module."""
    tree = ast.parse((PACKAGE / HELPERS[alias]).read_text())
    return {
        f.name: (parameters_of(f.args), None if f.returns is None else ast.unparse(f.returns))
        for f in tree.body
        if isinstance(f, ast.FunctionDef)
    }


class Kinds:
    """The functions that expressions of forms call."""

    def __init__(self, rows: list[Row]):
        self._functions: dict[tuple[str, str], Function] = {
            ("ops", row.name): (row.parameters, row.returns) for row in rows if not row.is_class
        }

    def note(self, name: str, parameters: tuple[Parameter, ...], result: str) -> None:
        """Keeps a form of ``mint.nn.functional``, which others call."""
        self._functions["F", name] = parameters, result

    def function(self, called: ast.expr) -> Function | None:
        """The function that ``ops.elu`` or ``h.to`` stands for."""
        if not isinstance(called, ast.Attribute):
            return None
        owner = ast.unparse(called.value)
        found = self._functions.get((owner, called.attr))
        return found or (helpers(owner).get(called.attr) if owner in HELPERS else None)

    # --- parameters ---------------------------------------------------------------------------

    def parameters(
        self, parameters: tuple[Parameter, ...], expression: str
    ) -> tuple[Parameter, ...]:
        """The parameters of a form, all with a type."""
        handed: dict[str, str] = {}
        for name, annotation in self._handed(ast.parse(expression, mode="eval")):
            if annotation not in (None, "Any"):
                handed.setdefault(name, annotation)
        out = []
        for p in parameters:
            if p.name == "self":
                out.append(p)
                continue
            text = p.annotation if p.annotation != "Any" else None
            text = text or handed.get(p.name) or _of_default(p.default) or BY_NAME.get(p.name)
            if text and p.default == "None" and not {"None", "object", "Axis"} & set(text.split()):
                text += "" if text == "OptionalDims" else " | None"
            out.append(Parameter(p.name, p.kind, text or "TensorLike", p.default))
        return tuple(out)

    def _handed(self, tree: ast.expr | ast.Expression) -> Iterator[tuple[str, str | None]]:
        """Names in a call, with the types of the places they are handed on to."""
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            found = self.function(call.func)
            if found is None and isinstance(call.func, ast.IfExp):
                found = self.function(call.func.body)
            if found is None:
                continue
            places = [p for p in found[0] if p.kind == "positional"]
            starred = [p for p in found[0] if p.kind == "*"]
            for i, value in enumerate(call.args):
                given = value.value if isinstance(value, ast.Starred) else value
                for p in places[i : i + 1] or starred:
                    yield from ((name, p.annotation) for name in _arms(given))
            by_name = {p.name: p.annotation for p in found[0]}
            for k in call.keywords:
                yield from ((name, by_name.get(k.arg or "")) for name in _arms(k.value))

    # --- results ------------------------------------------------------------------------------

    def result(self, expression: str, names: dict[str, str]) -> str:
        """The type of an expression over parameters of the types given."""
        return self._of(ast.parse(expression, mode="eval").body, names)

    def _of(self, tree: ast.expr, names: dict[str, str]) -> str:
        if isinstance(tree, ast.Name):
            return "Tensor" if tree.id == "self" else names.get(tree.id, "Any")
        if isinstance(tree, ast.IfExp):
            return _joined(self._of(tree.body, names), self._of(tree.orelse, names))
        if isinstance(tree, ast.Tuple):
            return f"tuple[{', '.join(self._of(v, names) for v in tree.elts)}]"
        if isinstance(tree, ast.Call):
            return self._of_call(tree, names)
        return "Any"

    def _of_call(self, call: ast.Call, names: dict[str, str]) -> str:
        if isinstance(call.func, ast.IfExp):
            arms = [
                ast.Call(arm, call.args, call.keywords)
                for arm in (call.func.body, call.func.orelse)
            ]
            return _joined(*(self._of_call(arm, names) for arm in arms))
        found = self.function(call.func)
        if found is not None:
            return found[1] or "Any"
        if isinstance(call.func, ast.Name):
            return "bool" if call.func.id == "bool" else "Any"
        # Methods in expressions give tensors.
        assert isinstance(call.func, ast.Attribute)
        return "Tensor" if self._of(call.func.value, names) == "Tensor" else "Any"


def _arms(tree: ast.expr) -> Iterator[str]:
    """The names that an expression hands on as they are, in any of its cases."""
    if isinstance(tree, ast.Name):
        yield tree.id
    elif isinstance(tree, ast.IfExp):
        yield from _arms(tree.body)
        yield from _arms(tree.orelse)
    elif isinstance(tree, ast.BoolOp):
        for value in tree.values:
            yield from _arms(value)


def _joined(one: str, other: str) -> str:
    return one if one == other else "Any" if "Any" in (one, other) else f"{one} | {other}"


def _of_default(text: str | None) -> str | None:
    """The type that a default tells: that of a bool, str or number."""
    if text is None:
        return None
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return type(value).__name__ if isinstance(value, bool | str | int | float) else None
