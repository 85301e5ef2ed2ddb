"""Python modules of forms, and the stubs that type checkers and editors read in their place."""

from __future__ import annotations

import ast
import re
import textwrap

from forms import Form
from kinds import PACKAGE, Kinds
from table import Parameter, Row, signature

from examples import example, own_blocks

HEADER = '''"""{doc}

Made from the rows of the operations (``tools/forms``); do not edit.
"""

from __future__ import annotations

'''

_ALIASES = re.findall(
    r"^([A-Z]\w*): TypeAlias", (PACKAGE / "core/aliases.py").read_text(), re.MULTILINE
)
# Names that annotations may use, and where they are from; others are left out.
KNOWN = {
    "Any": "from typing import Any",
    "Callable": "from collections.abc import Callable",
    "Sequence": "from collections.abc import Sequence",
    "Tensor": "from cellgrad.core.tensor import Tensor",
    "Type": "from cellgrad.core.dtype import Type",
    "COOTensor": "from cellgrad.ops.sparse import COOTensor",
    "CSRTensor": "from cellgrad.ops.sparse import CSRTensor",
    "Literal": "from typing import Literal",
    "Parameter": "from cellgrad.core.parameter import Parameter",
    "np": "import numpy as np",
    **{name: f"from cellgrad.core.aliases import {name}" for name in _ALIASES},
}
_BUILTINS = {"int", "float", "bool", "str", "tuple", "list", "dict", "None", "object", "bytes"}


class Module:
    """One module being written; collects the imports that its definitions need."""

    def __init__(self, doc: str, stub: bool, rows: list[Row], kinds: Kinds):
        self.doc = doc
        self.owners = {row.name: row.module for row in rows}
        self.kinds = kinds
        self.stub = stub
        self.imports: set[str] = set()
        self.parts: list[str] = []
        self.names: list[str] = []
        self.methods: list[str] = []

    # --- pieces -------------------------------------------------------------------------------

    def _annotation(self, text: str | None) -> str | None:
        if text is None:
            return None
        names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
        if not names <= KNOWN.keys() | _BUILTINS:
            return self._annotation("Any")
        self.imports |= {KNOWN[name] for name in names & KNOWN.keys()}
        return text

    def _signature(self, parameters: tuple[Parameter, ...]) -> str:
        typed = tuple(
            Parameter(p.name, p.kind, self._annotation(p.annotation), p.default) for p in parameters
        )
        for p in parameters:
            self._default(p.default)
        return signature(typed)

    def _default(self, text: str | None) -> None:
        names = set() if text is None else set(re.findall(r"\bmstype\b", text))
        self.imports |= {"from cellgrad.core import dtype as mstype" for _ in names}

    def _docstring(self, form: Form, forms: list[Form], indent: str) -> str:
        summary = form.row.summary
        same = (
            form.expression.replace("self._replace(", "(")
            if form.name[-1] == "_"
            else form.expression
        )
        kind = "The class form of" if form.is_class else "Same as"
        shown = example(form, forms)
        text = f"{summary}\n\n{kind} ``{same}``; see `ops.{form.row.name}`.\n"
        if shown:
            text += f"\n{shown}\n"
        quoted = '"""' + text + '"""'
        return textwrap.indent(quoted, indent).rstrip()

    def _define(self, head: str, doc: str, body: str, indent: str) -> str:
        lines = [f"{indent}{head}:"]
        if doc:
            lines.append(doc)
        lines.append(f"{indent}    ..." if self.stub else f"{indent}    {body}")
        return "\n".join(lines)

    # --- forms --------------------------------------------------------------------------------

    def add(self, form: Form, forms: list[Form], base: str) -> None:
        """One form: an alias, a function, a class derived from `base`, or a method."""
        if form.is_alias:
            text = self._text(form)
            self.parts.append(f"{form.name} = {text}")
            self._uses(text)
        elif form.is_class:
            self.parts.append(self._class(form, forms, base))
        else:
            head, body = self._function(form)
            where = self.methods if form.face == "Tensor" else self.parts
            indent = "    " if form.face == "Tensor" else ""
            doc = self._docstring(form, forms, indent + "    ")
            where.append(self._define(head, doc, body, indent))
        self.names.append(form.name)

    def _returns(self, form: Form) -> str:
        names = {p.name: p.annotation or "Any" for p in (*form.takes, *(form.makes or ()))}
        return self._annotation(self.kinds.result(form.expression, names)) or "Any"

    def _function(self, form: Form) -> tuple[str, str]:
        head = f"def {form.name}({self._signature(form.takes)}) -> {self._returns(form)}"
        text = self._text(form)
        self._uses(text)
        return head, f"return {text}"

    def _text(self, form: Form) -> str:
        """The expression as the module writes it: that of `ops` cannot import `ops`."""
        if form.face != "ops":
            return form.expression
        tree = ast.parse(form.expression, mode="eval").body
        return ast.unparse(_Owners(self.owners, self.imports).visit(tree))

    def _uses(self, expression: str) -> None:
        tree = ast.parse(expression, mode="eval")
        for name in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}:
            if name in USED:
                self.imports.add(USED[name])

    def _class(self, form: Form, forms: list[Form], base: str) -> str:
        made = form.makes or ()
        lines = [f"class {form.name}({base}):", self._docstring(form, forms, "    ")]
        me = Parameter("self", "positional")
        if not form.is_bare:
            sets = "".join(f"\n        self.{p.name} = {p.name}" for p in made)
            body = f"super().__init__(){sets}"
            head = f"def __init__({self._signature((me, *made))}) -> None"
            lines += ["", self._define(head, "", body, "    ")]
            if self.stub and made:
                lines += ["", *(f"    {p.name}: {self._annotation(p.annotation)}" for p in made)]
        call = "__call__" if base.endswith("Primitive") else "construct"
        expression = _of_self(self._text(form), {p.name for p in made})
        self._uses(expression)
        head = f"def {call}({self._signature((me, *form.takes))}) -> {self._returns(form)}"
        lines += ["", self._define(head, "", f"return {expression}", "    ")]
        return "\n".join(lines)

    # --- the whole ----------------------------------------------------------------------------

    def text(self) -> str:
        """The module's source."""
        head = HEADER.format(doc=self.doc)
        imports = sorted(self.imports, key=lambda line: (line.startswith("from cellgrad"), line))
        body = "\n\n\n".join(self.parts)
        if self.methods:
            body += (
                '\n\nclass FormMethods:\n    """Methods that are forms of operations."""\n\n'
                "    __slots__ = ()\n\n" + "\n\n".join(self.methods)
            )
        listed = "__all__ = [\n" + "".join(f'    "{n}",\n' for n in sorted(self.names)) + "]\n"
        return head + "\n".join(imports) + "\n\n" + listed + "\n\n" + body.strip("\n") + "\n"


# What expressions may name beside their parameters.
USED = {
    "ops": "from cellgrad import ops",
    "h": "from cellgrad.mint import _helpers as h",
    "hn": "from cellgrad.numpy import _helpers as hn",
    "F": "from cellgrad.mint.nn import functional as F",
    "nn": "from cellgrad import nn",
    "mstype": "from cellgrad.core import dtype as mstype",
    "math": "import math",
    "dims_of": "from cellgrad.ops._static import dims_of",
}


class _Owners(ast.NodeTransformer):
    """Writes ``ops.elu`` as ``_activations.elu``, and imports the module."""

    def __init__(self, owners: dict[str, str], imports: set[str]):
        self.owners = owners
        self.imports = imports

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not (isinstance(node.value, ast.Name) and node.value.id == "ops"):
            self.generic_visit(node)
            return node
        package, _, module = self.owners[node.attr].rpartition(".")
        name = f"_{module.strip('_')}" + ("_classes" if package != "cellgrad.ops" else "")
        # Another name, as parameters may have the module's own.
        self.imports.add(f"from {package} import {module} as {name}")
        return ast.Attribute(ast.Name(name), node.attr)


class _Attributes(ast.NodeTransformer):
    def __init__(self, names: set[str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Attribute(ast.Name("self"), node.id) if node.id in self.names else node


def _of_self(expression: str, names: set[str]) -> str:
    """The expression with what a class form was made with as attributes of it."""
    tree = ast.parse(expression, mode="eval").body
    return ast.unparse(_Attributes(names).visit(tree))


def functions(rows: list[Row], stub: bool) -> list[str]:
    """Imports of the operations, by module."""
    by_module: dict[str, list[str]] = {}
    for row in rows:
        by_module.setdefault(row.module, []).append(row.name)
    return [
        f"from {module} import {', '.join(f'{n} as {n}' for n in sorted(names))}"
        for module, names in sorted(by_module.items())
    ]


__all__ = ["Module", "functions", "own_blocks"]
