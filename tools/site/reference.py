"""Writes the reference pages of the site: names of the package, the dialect, the C API, errors.

    python tools/site/reference.py OUT

It runs with the Python of the package (.venv) after a build, and writes Markdown to OUT.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from error_index import errors_page
from markup import ROOT, described, escaped

sys.path.insert(0, str(ROOT / "tools/forms"))

import pages
from write_forms import forms_of, rows_of

# Modules with public names, and what their pages say first. `ops` comes from the table of operations.
MODULES = {
    "cellgrad": "Tensors, transforms, compilation, export.",
    "cellgrad.nn": "Cells: layers, losses, optimizers, training steps.",
    "cellgrad.nn.probability.distribution": "Probability distributions.",
    "cellgrad.nn.probability.bijector": "Functions with inverses, which transform distributions.",
    "cellgrad.train": "Model, callbacks, metrics, checkpoints.",
    "cellgrad.amp": "Mixed precision and loss scales.",
    "cellgrad.communication": "Ranks: processes that train together.",
    "cellgrad.dataset": "Data sets.",
    "cellgrad.dataset.transforms": "Transforms of rows.",
    "cellgrad.dataset.text": "Strings: tokens, vocabularies, numbers.",
    "cellgrad.dataset.vision": "Transforms of images.",
    "cellgrad.random": "Random numbers from keys.",
    "cellgrad.testing": "Checks for programs of your own.",
    "cellgrad.numpy": "Functions with numpy's names and arguments.",
    "cellgrad.numpy.fft": "Fourier transforms with numpy's names and arguments.",
    "cellgrad.mint": "Functions with PyTorch's names and arguments.",
    "cellgrad.mint.distributed": "What ranks give each other, written into tensors.",
    "cellgrad.mint.linalg": "Linear algebra with PyTorch's names.",
    "cellgrad.mint.special": "Special functions with PyTorch's names.",
    "cellgrad.mint.nn": "Layers with PyTorch's names.",
    "cellgrad.mint.nn.functional": "Functions of layers with PyTorch's names.",
    "cellgrad.mint.optim": "Optimizers with PyTorch's names.",
    "cellgrad.experimental.optim": "Optimizers whose rates schedulers set.",
    "cellgrad.experimental.optim.lr_scheduler": "Schedulers of learning rates, stepped from Python.",
    "cellgrad.log": "A logger for scripts, with MindSpore's levels.",
    "cellgrad.debug": "Values and conditions in compiled code.",
    "cellgrad.profiler": "Profiles, with MindSpore's names.",
    "cellgrad.dtype": "Types of elements.",
    "cellgrad.context": "Settings, with MindSpore's names.",
    "cellgrad.common": "What MindSpore keeps in `common`; the same objects as in `cellgrad`.",
    "cellgrad.dataset.config": "Settings of data sets.",
    "cellgrad.train.callback": "The callbacks of `cellgrad.train`.",
    "cellgrad.train.metrics": "The metrics of `cellgrad.train`.",
}


class Plain:
    """An annotation, which is a string in the package, without its quotes."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature(thing: object) -> str:
    """The text of a signature, or nothing where Python has none."""
    try:
        found = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""

    def plain(annotation: object) -> object:
        return Plain(annotation) if isinstance(annotation, str) else annotation

    parameters = [p.replace(annotation=plain(p.annotation)) for p in found.parameters.values()]
    found = found.replace(parameters=parameters, return_annotation=plain(found.return_annotation))
    # Addresses of default objects differ from run to run.
    return re.sub(r" at 0x[0-9a-f]+", "", str(found))


def lines_of(call: str) -> str:
    """A call with one parameter on each line, if it is longer than a line of the page."""
    start = call.find("(")
    if len(call) <= 84 or start < 0:
        return call
    depth, quote, out = 0, "", call[: start + 1] + "\n    "
    for at, c in enumerate(call[start + 1 :], start + 1):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == ")" and depth == 0:
            return f"{out},\n{call[at:]}"
        else:
            depth += (c in "([{") - (c in ")]}")
            if depth == 0 and c == " " and out.endswith(","):
                out += "\n   "
        out += c
    return call


def public_names(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n in vars(module) if not n.startswith("_")]
    found = sorted({*names}, key=lambda n: (n.lower(), n))
    return [n for n in found if not inspect.ismodule(getattr(module, n, None))]


@functools.cache
def all_public() -> set[str]:
    return {n for module in MODULES for n in public_names(importlib.import_module(module))}


def methods(cls: type) -> Iterator[tuple[str, object]]:
    """Methods of a class and of bases that have no entry of their own."""
    found: dict[str, object] = {}
    for base in cls.__mro__:
        if base is object or (base is not cls and base.__name__ in all_public()):
            break
        found = {**vars(base), **found}
    for name, thing in sorted(found.items()):
        if not name.startswith("_") and (
            callable(thing) or isinstance(thing, property | classmethod | staticmethod)
        ):
            yield name, thing


def entry(where: str, name: str, thing: object) -> str:
    """One name: how it is called, and its docstring."""
    out = [f"## {name}\n\n```python\n{lines_of(f'{where}.{name}{signature(thing)}')}\n```\n"]
    own = thing.__doc__ if callable(thing) or isinstance(thing, type) else None
    if own and own != type(thing).__doc__:
        out.append(described(own) + "\n")
    elif not callable(thing):
        out[0] = f"## {name}\n\n`{where}.{name}`: {type(thing).__name__}\n"
    if inspect.isclass(thing) and not issubclass(thing, BaseException):
        rows = []
        for method, what in methods(thing):
            body = what.__func__ if isinstance(what, classmethod | staticmethod) else what
            doc = inspect.getdoc(body.fget if isinstance(body, property) else body)
            first = escaped(" ".join((doc or "").split("\n\n")[0].replace("``", "`").split()))
            call = "" if isinstance(body, property) else signature(body)
            rows.append(f"- `{method}{' '.join(call.split())}`" + (f": {first}" if first else ""))
        if rows:
            out.append("**Methods and attributes**\n\n" + "\n".join(rows) + "\n")
    return "\n".join(out)


def module_page(name: str, summary: str) -> str:
    module = importlib.import_module(name)
    shown = "ms" if name == "cellgrad" else name.removeprefix("cellgrad.")
    out = [f"# {name}\n\n{summary}\n"]
    out += [entry(shown, n, getattr(module, n)) for n in public_names(module) if hasattr(module, n)]
    return "\n".join(out)


def other_operations(table: Iterable[str]) -> str:
    """The names of `ops` that are not in the table of operations: loops, transforms, MindSpore's helpers."""
    ops = importlib.import_module("cellgrad.ops")
    names = sorted({*ops.__all__} - {*table}, key=str.lower)
    out = ["# Loops, transforms and other names of ops\n"]
    return "\n".join(out + [entry("ops", name, getattr(ops, name)) for name in names])


def operations(out: Path) -> list[str]:
    """A page for each group of the table of operations; returns their names."""
    rows = rows_of(ROOT / "pyfront/cellgrad", ROOT / "build/python/cellgrad/ops/_generated.py")
    forms, names = forms_of(rows), []
    for name, group in pages.groups(rows).items():
        file = "ops-" + name.replace(" ", "-")
        (out / f"{file}.md").write_text(pages.page(name, group, forms))
        names.append(file)
    table = {row.name for row in rows}
    table |= {f.shown.removeprefix("ops.") for row in forms.values() for f in row}
    (out / "ops-others.md").write_text(other_operations(table))
    return [*names, "ops-others"]


def dialect_page() -> str:
    """Every op as mlir-tblgen describes it, with a line from the tests as its text."""
    version = re.search(r"^llvm=(\d+)", (ROOT / ".dep-versions").read_text(), re.M)
    assert version
    llvm = Path(f"/usr/lib/llvm-{version[1]}")
    command = [
        llvm / "bin/mlir-tblgen",
        "-gen-dialect-doc",
        "-dialect=cell",
        "-I",
        ROOT,
        "-I",
        llvm / "include",
    ]
    text = subprocess.run(
        [*command, ROOT / "dialect/CellOps.td"], check=True, capture_output=True, text=True
    ).stdout
    text = text.split("[TOC]", 1)[1]
    lines: dict[str, str] = {}
    for test in sorted(ROOT.glob("test/rules/*.mlir")) + sorted(ROOT.glob("test/dialect/*.mlir")):
        for line in test.read_text().splitlines():
            op = re.match(r"\s+(?:%[\w:, %]+ = )?(cell\.\w+)\b.*:.*", line)
            if op and "{{" not in line and len(line) < 200:
                lines.setdefault(op[1], line.strip())

    def heading(match: re.Match[str]) -> str:
        example = lines.get(match[1])
        text = f"### {match[1]}\n\n{escaped(match[2])}\n"
        return text + (f"\n```mlir\n{example}\n```\n" if example else "")

    text = re.sub(r"### `(cell\.\w+)` \([^)]*\)\n\n_(.*)_\n", heading, text)
    text = re.sub(r"^Interfaces: .*\n|^Effects: .*\n", "", text, flags=re.M)
    text = re.sub(r"^####? (Operands|Results|Attributes):$", r"**\1**", text, flags=re.M)
    text = text.replace("statically shaped tensor of ", "tensor of ").replace(
        " values of at most 2^47 bytes", ""
    )
    text = re.sub(r"^```$\n(?=\noperation)", "```text\n", text, flags=re.M)
    # Outside of code, what stands in angle brackets is no HTML.
    parts = re.split(r"(^```.*?^```$|`[^`\n]*`)", text, flags=re.M | re.S)
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    text = "".join(parts)
    return (
        "# Ops of the dialect, with their text\n\nEvery op with its syntax, operands, results and attributes, from the "
        "records in `dialect/*.td`; the line of code is from its test. [The table of ops](../ops.md) has the "
        "rules of their derivatives.\n" + text
    )


def c_page() -> str:
    """The declarations of the C header that every model has, each with the comment above it."""
    out = [
        "# The C API\n\nWhat every header that `ms.export` and `cellc` write contains, besides the entries of the "
        "model. [The compiled model](../artifact.md) says how it is used.\n"
    ]
    for comment, code in declarations((ROOT / "runtime/cellgrad_abi.h").read_text()):
        kinds = (r"^} (\w+);", r"^#define (\w+)", r"^typedef .*\(\*(\w+)\)", r"\b(\w+)[;(]")
        found = (re.search(kind, code, re.M) for kind in kinds)
        title = next((match[1] for match in found if match), "Declarations")
        out.append(f"## {title}\n\n{escaped(comment)}\n\n```c\n{code}\n```\n")
    return "\n".join(out)


def declarations(header: str) -> Iterator[tuple[str, str]]:
    """Each comment at the beginning of a line with the declarations below it, up to an empty line."""
    body = header.split("#include <stdint.h>")[1]
    for part in re.split(r"^(?=/\*)|\n\n", body, flags=re.M):
        comment, code = "", part
        if part.startswith("/*"):
            comment, _, code = part[2:].partition("*/")
        code = code.strip("\n")
        if code and not re.match(r"#(?:if|endif|else)", code):
            yield " ".join(comment.split()), code


def write(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    listed = ["# Reference\n\nEvery public name, from its docstring and signature.\n"]
    tree = []
    listed.append("## Modules\n")
    for name, summary in MODULES.items():
        (out / f"{name}.md").write_text(module_page(name, summary))
        listed.append(f"- [{name}]({name}.md): {summary}")
        tree.append(name)
    listed.append("\n## Operations: cellgrad.ops\n")
    for name in operations(out):
        listed.append(f"- [{name.removeprefix('ops-').replace('-', ' ')}]({name}.md)")
        tree.append(name)
    listed.append("\n```{toctree}\n:hidden:\n\n" + "\n".join(tree) + "\n```\n")
    (out / "index.md").write_text("\n".join(listed))
    (out / "dialect.md").write_text(dialect_page())
    (out / "c.md").write_text(c_page())
    (out / "errors.md").write_text(errors_page())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
