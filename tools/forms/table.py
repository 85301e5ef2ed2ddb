"""The table of operations: functions that bear ``@public(...)``, read from the sources as text."""

from __future__ import annotations

import ast
import dataclasses
import pathlib


class RowError(Exception):
    """A row that cannot be read; the message names its file and line."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a signature; `default` and `annotation` are source text or None."""

    name: str
    kind: str  # "positional", "keyword", "*" or "**"
    annotation: str | None = None
    default: str | None = None

    def __str__(self) -> str:
        star = self.kind if self.kind in ("*", "**") else ""
        text = f"{star}{self.name}" + (f": {self.annotation}" if self.annotation else "")
        if self.default is None:
            return text
        return f"{text} = {self.default}" if self.annotation else f"{text}={self.default}"


@dataclasses.dataclass(frozen=True)
class Row:
    """A public function or class of ``ops``, and the forms it has elsewhere."""

    module: str  # "cellgrad.ops.activations"
    name: str
    is_class: bool
    parameters: tuple[Parameter, ...]
    returns: str | None
    doc: str
    forms: tuple[str, ...]
    place: str  # "pyfront/cellgrad/ops/activations.py:12", for messages

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring."""
        return self.doc.split("\n\n")[0].split("\n>>> ")[0].strip()


def parameters_of(args: ast.arguments) -> tuple[Parameter, ...]:
    """The parameters of a definition, in order."""

    def text(node: ast.expr | None) -> str | None:
        return None if node is None else ast.unparse(node)

    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    found = [
        Parameter(a.arg, "positional", text(a.annotation), text(d))
        for a, d in zip(positional, defaults, strict=True)
    ]
    if args.vararg:
        found.append(Parameter(args.vararg.arg, "*", text(args.vararg.annotation)))
    for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(Parameter(a.arg, "keyword", text(a.annotation), text(d)))
    if args.kwarg:
        found.append(Parameter(args.kwarg.arg, "**", text(args.kwarg.annotation)))
    return tuple(found)


def signature(parameters: tuple[Parameter, ...]) -> str:
    """The text between the parentheses of a definition."""
    out: list[str] = []
    starred = any(p.kind == "*" for p in parameters)
    for p in parameters:
        if p.kind == "keyword" and not starred:
            out.append("*")
            starred = True
        out.append(str(p))
    return ", ".join(out)


def _forms(definition: ast.FunctionDef | ast.ClassDef, place: str) -> tuple[str, ...] | None:
    for decorator in definition.decorator_list:
        if (
            isinstance(decorator, ast.Call)
            and isinstance(decorator.func, ast.Name)
            and decorator.func.id == "public"
        ):
            forms = [a.value if isinstance(a, ast.Constant) else None for a in decorator.args]
            if decorator.keywords or any(not isinstance(form, str) for form in forms):
                raise RowError(f"{place}: 'public' takes forms as literal strings")
            return tuple(str(form) for form in forms)
    return None


def read(path: pathlib.Path, module: str, shown: str) -> list[Row]:
    """The rows of one file, in order.

    Raises:
        RowError: a decorator ``public`` with anything but literal strings, or on an unsuitable function.
    """
    rows = []
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        place = f"{shown}:{node.lineno}"
        forms = _forms(node, place)
        if forms is None:
            continue
        doc = ast.get_docstring(node) or ""
        if isinstance(node, ast.ClassDef):
            if forms:
                raise RowError(f"{place}: a class has no other forms; give them to its function")
            rows.append(Row(module, node.name, True, (), None, doc, (), place))
            continue
        returns = None if node.returns is None else ast.unparse(node.returns)
        parameters = parameters_of(node.args)
        rows.append(Row(module, node.name, False, parameters, returns, doc, forms, place))
    return rows


def with_more(rows: list[Row], path: pathlib.Path) -> list[Row]:
    """The rows with the forms that a module adds: a dictionary ROWS of forms by operation.

    Raises:
        RowError: the module names an operation that there is not.
    """
    (text,) = (
        node.value
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "ROWS"
    )
    more: dict[str, tuple[str, ...]] = {} if text is None else ast.literal_eval(text)
    unknown = sorted(more.keys() - {row.name for row in rows})
    if unknown:
        raise RowError(f"{path.name}: no operations of these names: {', '.join(unknown)}")
    return [dataclasses.replace(row, forms=(*row.forms, *more.get(row.name, ()))) for row in rows]
