"""Records the public names of an installed MindSpore, for docs/api-names.md.

    MINDSPORE_PYTHON tools/docs/record_api_names.py

Run with a Python that has MindSpore 2.10. For each name: what it is, its signature, whether it has a docstring
of its own (internal names have none), and the platforms which that names.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pathlib
import re
import types
from typing import Any

OUT = pathlib.Path(__file__).parent / "api_names.json"
MODULES = (
    "mindspore",
    "mindspore.ops",
    "mindspore.nn",
    "mindspore.mint",
    "mindspore.mint.nn",
    "mindspore.mint.nn.functional",
    "mindspore.mint.special",
    "mindspore.mint.linalg",
    "mindspore.mint.optim",
    "mindspore.mint.distributed",
    "mindspore.numpy",
    "mindspore.train",
    "mindspore.amp",
    "mindspore.common",
)


def _doc(thing: Any) -> str:
    """A docstring of its own; an object has that of its class otherwise."""
    doc = inspect.getdoc(thing) or ""
    inherited = not callable(thing) or doc.startswith("Primitive is the base class")
    own = inspect.isclass(thing) or not isinstance(type(thing).__doc__, str)
    same = not own and inspect.cleandoc(type(thing).__doc__) == doc
    return "" if inherited or (same and not isinstance(thing, types.FunctionType)) else doc


def _platforms(doc: str, depth: int = 3) -> list[str]:
    """The platforms a docstring names, or that of the function to which it refers."""
    found = re.search(r"Supported Platforms:?\s+([^\n]+)", doc)
    if found is not None:
        return re.findall(r"Ascend|GPU|CPU|[Dd]eprecated", found[1])
    other = re.search(r"[Rr]efer to\s+:\w+:`mindspore\.([\w.]+)`", doc)
    if other is None or depth == 0:
        return []
    thing: Any = importlib.import_module("mindspore")
    for part in other[1].split("."):
        thing = getattr(thing, part, None)
    return _platforms(_doc(thing), depth - 1)


def _signature(thing: Any) -> str:
    """The parameters with their defaults, "" where Python knows none.

    A class that is only called is described by what it is made with.
    """
    # Methods written in C++ begin their docstring with it.
    first = re.match(r"\w+(\(.*\)) -> ", (inspect.getdoc(thing) or "").split("\n")[0])
    if first is not None:
        return first[1]
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    # Defaults that are objects have their address in their text.
    return re.sub(
        r" at 0x[0-9a-f]+", "", str(found.replace(parameters=bare, return_annotation=found.empty))
    )


def _kind(thing: Any) -> str:
    if inspect.isclass(thing):
        return "class"
    return "function" if callable(thing) else "value"


def described(holder: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """What is recorded of each name that its holder has."""
    out = {}
    for name in sorted(set(names)):
        thing = getattr(holder, name, None)
        if name.startswith("_") or thing is None or isinstance(thing, types.ModuleType):
            continue
        doc = _doc(thing)
        out[name] = {
            "kind": _kind(thing),
            "signature": _signature(thing) if callable(thing) else "",
            "documented": bool(doc),
            "platforms": _platforms(doc),
        }
    return out


def main() -> None:
    import mindspore

    names = {}
    for module in MODULES:
        holder = importlib.import_module(module)
        names[module.replace("mindspore.", "")] = described(holder, list(holder.__all__))
    names["Tensor"] = described(mindspore.Tensor, dir(mindspore.Tensor))
    lines = []
    for module, found in names.items():
        rows = ",\n".join(f"    {json.dumps(n)}: {json.dumps(d)}" for n, d in found.items())
        lines.append(f"  {json.dumps(module)}: {{\n{rows}\n  }}")
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
