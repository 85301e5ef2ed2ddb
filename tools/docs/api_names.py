"""Writes docs/api-names.md: which of MindSpore's public names exist here.

    python tools/docs/api_names.py [--check | --missing]

api_names.json has the names as MindSpore 2.10 lists them (record_api_names.py). A name exists if it can be
imported here under the same path; it is refused if asking for it says why there is none
(cellgrad/core/absent.py). ``--missing`` prints the others with their signatures.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import generated

import cellgrad
from cellgrad.core.absent import REASONS, reason

HERE = Path(__file__).resolve()
PAGE = HERE.parents[2] / "docs" / "api-names.md"
HEAD = """# Names of MindSpore

Which of the public names of MindSpore 2.10 exist here. The page is written by `tools/docs/api_names.py` (`make
docs`) from a recorded list of MindSpore's names and from the package, and a test compares the two.

- **names**: what `__all__` of the module lists, modules left out; of `Tensor`, all public attributes.
- **exist**: can be imported from the same path here. Each function has an example that a test runs.
- **refused**: asking for it is an error that gives the reason.
- **internal**: missing, and without a docstring of its own in MindSpore: names of its compiler.
- **missing**: none of these.
- **covered**: the share of the names that exist or are refused, internal ones left out.

"""


class Found(NamedTuple):
    """The names of one module, by what became of them."""

    module: str
    exist: list[str]
    refused: list[str]
    internal: list[str]
    missing: list[str]

    @property
    def covered(self) -> float:
        known = len(self.exist) + len(self.refused)
        return known / (known + len(self.missing))


def recorded() -> dict[str, dict[str, dict[str, Any]]]:
    """MindSpore's names by module."""
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(
        (HERE.parent / "api_names.json").read_text()
    )
    return found


def holder(module: str) -> Any:
    """What has the names of a module here, or None."""
    if module == "Tensor":
        return cellgrad.Tensor
    try:
        return importlib.import_module(
            "cellgrad" if module == "mindspore" else f"cellgrad.{module}"
        )
    except ModuleNotFoundError:
        return None


def exists(place: Any, name: str) -> bool:
    """Whether the name can be had: a module is no stand-in for a function of its name."""
    try:
        return not inspect.ismodule(getattr(place, name))
    except AttributeError:
        return False


def sorted_out(module: str, names: dict[str, dict[str, Any]]) -> Found:
    """What became of the names of one module."""
    place = holder(module)
    found = Found(module, [], [], [], [])
    for name, facts in names.items():
        if exists(place, name):
            found.exist.append(name)
        elif reason(f"{module}.{name}"):
            found.refused.append(name)
        elif not facts["documented"] and facts["kind"] != "value":
            found.internal.append(name)
        else:
            found.missing.append(name)
    return found


def everything() -> list[Found]:
    return [sorted_out(module, names) for module, names in recorded().items()]


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page() -> str:
    found = everything()
    out = [HEAD, "| module | names | exist | refused | internal | missing | covered |\n"]
    out.append("| --- | --- | --- | --- | --- | --- | --- |\n")
    for f in found:
        parts = (f.exist, f.refused, f.internal, f.missing)
        counts = [sum(map(len, parts)), *map(len, parts)]
        numbers = " | ".join(map(str, counts))
        out.append(f"| `{f.module}` | {numbers} | {100 * f.covered:.1f} % |\n")
    out.append("\n## Missing\n\n")
    out += [f"- `{f.module}`: {_listed(f.missing)}\n" for f in found if f.missing]
    out.append("\n## Refused\n\n")
    for why in REASONS:
        given = [
            f"{f.module}.{n}" for f in found for n in f.refused if reason(f"{f.module}.{n}") == why
        ]
        if given:
            out.append(f"- {why} {_listed(given)}\n")
    return "".join(out)


def lists_of_missing() -> str:
    """The missing names with their signatures and platforms, one a line."""
    names = recorded()
    return "".join(
        f"{f.module}.{name}{names[f.module][name]['signature']}"
        f"  # {' '.join(names[f.module][name]['platforms'])}\n"
        for f in everything()
        for name in f.missing
    )


def main() -> int:
    if "--missing" in sys.argv:
        sys.stdout.write(lists_of_missing())
        return 0
    return generated.main(PAGE, page)


if __name__ == "__main__":
    sys.exit(main())
