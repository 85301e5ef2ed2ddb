"""Examples of forms, from those in the docstring of their operation.

A block of an example that names the form is the form's own. Otherwise the operation's first block
is written with the form: ``ops.elu(x, 2.0)`` becomes ``x.elu(2.0)`` or ``ops.Elu(2.0)(x)``.
"""

from __future__ import annotations

import ast
import re

from forms import Form
from table import Parameter, Row


def blocks(doc: str) -> list[str]:
    """The examples of a docstring: texts from a prompt to the next empty line."""
    found = [part for part in doc.split("\n\n") if part.lstrip().startswith(">>> ")]
    return [part.strip("\n") for part in found]


def _names(form: Form) -> re.Pattern[str]:
    if form.face == "Tensor":
        return re.compile(rf"(?<!ops)(?<!mint)(?<!nn)(?<!functional)\.{form.name}\(")
    return re.compile(rf"\b{re.escape(form.shown)}\(")


def own_blocks(row: Row, forms: list[Form]) -> list[str]:
    """The blocks of a row's docstring that are about the operation itself."""
    return [b for b in blocks(row.doc) if not any(_names(f).search(b) for f in forms)]


def example(form: Form, forms: list[Form]) -> str | None:
    """The example of a form, or None where none can be made."""
    for block in blocks(form.row.doc):
        if _names(form).search(block):
            return block
    own = own_blocks(form.row, forms)
    if not own:
        return None
    if form.is_alias:
        return re.sub(rf"\bops\.{form.row.name}\b", form.shown, own[0])
    return _rewritten(own[0], form)


def _rewritten(block: str, form: Form) -> str | None:
    """The block with calls of the operation as calls of the form."""
    lines = block.split("\n")
    done = False
    out: list[str] = []
    i = 0
    while i < len(lines):
        if not lines[i].startswith(">>> "):
            out.append(lines[i])
            i += 1
            continue
        statement = [lines[i][4:]]
        while i + 1 < len(lines) and lines[i + 1].startswith("... "):
            i += 1
            statement.append(lines[i][4:])
        i += 1
        text = "\n".join(statement)
        new = _statement(text, form)
        if new is None:
            return None
        done = done or new != text
        first, *rest = new.split("\n")
        out += [f">>> {first}", *(f"... {line}" for line in rest)]
    return "\n".join(out) if done else None


def _statement(text: str, form: Form) -> str | None:
    """A statement with its calls of the operation rewritten; None where one cannot be."""
    wanted = f"ops.{form.row.name}"
    while True:
        try:
            nodes = list(ast.walk(ast.parse(text)))
        except SyntaxError:
            return None
        calls = [n for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == wanted]
        if not calls:
            return text
        # The call that begins last has no other among its arguments.
        node = max(calls, key=lambda c: (c.lineno, c.col_offset))
        new = _call(node, text, form)
        if new is None:
            return None
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = _offset(text, node.lineno, node.col_offset)
        end = _offset(text, node.end_lineno, node.end_col_offset)
        text = text[:start] + new + text[end:]


def _offset(text: str, line: int, column: int) -> int:
    return sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column


def _call(node: ast.Call, text: str, form: Form) -> str | None:
    """One call of the operation as a call of the form."""
    if form.by_row is None or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    parameters = form.row.parameters
    places = [p for p in parameters if p.kind == "positional"]
    if len(node.args) > len(places) or any(p.kind in ("*", "**") for p in parameters):
        return None
    given = {
        p.name: ast.get_source_segment(text, a) for p, a in zip(places, node.args, strict=False)
    }
    given |= {str(k.arg): ast.get_source_segment(text, k.value) for k in node.keywords}
    values: dict[str, str] = {}
    for name, value in given.items():
        if name not in form.by_row or value is None:
            return None
        values[form.by_row[name]] = value
    takes = list(form.takes)
    if form.face == "Tensor":
        owner = values.pop("self", None)
        if owner is None or not re.match(r"[\w.]+(\(.*\))?$", owner, re.DOTALL):
            return None
        if re.match(r"[\d.]", owner):
            return None
        head, takes = f"{owner}.{form.name}", takes[1:]
    elif form.makes is not None:
        made = _arguments(form.makes, values)
        if made is None:
            return None
        head = f"{form.shown}({made})"
    else:
        head = form.shown
    args = _arguments(tuple(takes), values)
    return None if args is None or values else f"{head}({args})"


def _arguments(parameters: tuple[Parameter, ...], values: dict[str, str]) -> str | None:
    """The argument list; takes what it gives out of `values`."""
    out, skipped = [], False
    for p in parameters:
        if p.kind in ("*", "**"):
            return None
        if p.name not in values:
            if p.default is None:
                return None
            skipped = True
        elif skipped or p.kind == "keyword":
            out.append(f"{p.name}={values.pop(p.name)}")
        else:
            out.append(values.pop(p.name))
    return ", ".join(out)
