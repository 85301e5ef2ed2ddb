"""Reference pages of the operations, from their rows."""

from __future__ import annotations

import re

from forms import Form
from table import Row, signature

from examples import own_blocks

INDEX = """# Functions and their other forms

Written by `tools/forms` (`make docs`) from the rows `@public(...)` above the functions, and from the op
records; a test compares. `make reference` writes a page for each group of functions, with arguments,
errors and examples, to `build/docs/reference`.

A class form is made with settings and called with tensors: `ops.Elu(alpha)(x)`. A method is called on
the first argument. Forms of `mint` have the argument names of PyTorch.

"""


def heading(module: str) -> str:
    """ "pooling" for cellgrad.ops.pooling."""
    name = module.rpartition(".")[2].removeprefix("_")
    return "elementwise" if name == "generated" else name.replace("_", " ")


def groups(rows: list[Row]) -> dict[str, list[Row]]:
    """The rows by the heading of their module, both in alphabetical order."""
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda r: (heading(r.module), r.name.lower())):
        found.setdefault(heading(row.module), []).append(row)
    return found


def call(row: Row) -> str:
    """The operation as it is called, without annotations."""
    if row.is_class:
        return f"ops.{row.name}"
    bare = tuple(type(p)(p.name, p.kind, None, p.default) for p in row.parameters)
    return f"ops.{row.name}({signature(bare)})"


def written(form: Form) -> str:
    """A form as it is written, without annotations."""
    if form.is_alias:
        return form.shown
    parts = [form.takes] if form.makes is None else [form.makes, form.takes]
    texts = []
    for part in parts:
        bare = (type(p)(p.name, p.kind, None, p.default) for p in part if p.name != "self")
        texts.append(f"({signature(tuple(bare))})")
    return form.shown + "".join(texts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def index(rows: list[Row], forms: dict[str, list[Form]]) -> str:
    """The table of all operations."""
    out = [INDEX]
    for name, group in groups(rows).items():
        out.append(
            f"## {name[0].upper()}{name[1:]}\n\n| function | other forms | what it is |\n| --- | --- | --- |\n"
        )
        for row in group:
            others = ", ".join(f"`{f.shown}`" for f in forms[row.name])
            out.append(f"| `ops.{row.name}` | {others} | {_cell(row.summary)} |\n")
        out.append("\n")
    return "".join(out).rstrip() + "\n"


def _sections(doc: str) -> str:
    """A docstring as Markdown: its sections with their items as lists, without the examples."""
    out = []
    for part in doc.split("\n\n"):
        if part.lstrip().startswith(">>> "):
            continue
        head, _, rest = part.partition("\n")
        if not re.fullmatch(r"(Args|Returns|Raises|Inputs|Outputs):", head):
            out.append(part.split("\n>>> ")[0])
            continue
        items = re.sub(r"\n {8,}", " ", rest)
        lines = [f"- {line.strip()}" for line in items.split("\n") if line.strip()]
        out.append(f"**{head.removesuffix(':')}**\n\n" + "\n".join(lines))
    return "\n\n".join(out)


def page(name: str, rows: list[Row], forms: dict[str, list[Form]]) -> str:
    """The page of one group."""
    out = [f"# {name[0].upper()}{name[1:]}\n"]
    for row in rows:
        out.append(f"## ops.{row.name}\n\n```python\n{call(row)}\n```\n\n{_sections(row.doc)}\n")
        others = forms[row.name]
        if others:
            lines = "\n".join(f"- `{written(f)}`" for f in others)
            out.append(f"**Other forms**\n\n{lines}\n")
        blocks = own_blocks(row, forms[row.name])
        if blocks:
            text = "\n\n".join(blocks)
            out.append(f"```pycon\n{text}\n```\n")
    return "\n".join(out)
