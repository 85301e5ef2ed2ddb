"""The order of the site's pages. Every page of docs/ stands here once; a test says which does not."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# By heading of the sidebar: paths of pages below docs/; those that build.py and reference.py write are in angle brackets.
SECTIONS: dict[str, list[str]] = {
    "First steps": [
        "start.md",
        "install.md",
        "gallery.md",
    ],
    "Tutorial": [
        "tutorial/01-first-gradient.md",
        "tutorial/02-cells.md",
        "tutorial/03-training.md",
        "tutorial/04-higher-derivatives.md",
        "tutorial/05-equations.md",
        "tutorial/06-loops.md",
        "tutorial/07-ship.md",
        "tutorial/08-ir.md",
        "tutorial/09-threads-gpu.md",
        "tutorial/10-ranks.md",
        "tutorial/where-next.md",
    ],
    "You come from": [
        "from-mindspore.md",
        "from-jax.md",
        "from-pytorch.md",
    ],
    "Guides": [
        "python.md",
        "sharp-bits.md",
        "see.md",
        "debugging.md",
        "limits.md",
        "derivatives.md",
        "training.md",
        "distributed.md",
        "random.md",
        "artifact.md",
        "gpu.md",
        "performance.md",
        "profiling.md",
        "interop.md",
    ],
    "Reference": [
        "<reference/index.md>",
        "functions.md",
        "ops.md",
        "op-syntax.md",
        "<reference/dialect.md>",
        "<reference/c.md>",
        "<reference/errors.md>",
        "variables.md",
        "differences.md",
        "api-names.md",
        "conventions.md",
    ],
    "Figures and tests": [
        "figures.md",
        "math-accuracy.md",
        "sweep.md",
        "op-status.md",
        "lowering-nets.md",
        "safety.md",
        "emulator.md",
    ],
    "Work on it": [
        "architecture.md",
        "tools.md",
        "add-a-function.md",
        "add-an-op.md",
        "decisions/README.md",
        "<CONTRIBUTING.md>",
        "<CHANGELOG.md>",
    ],
}


def there(name: str, docs: Path = ROOT / "docs") -> bool:
    return name.startswith("<") or (docs / name).exists()


def sections() -> dict[str, list[str]]:
    """The sections without pages that this checkout has not got: branches add pages in any order."""
    return {title: [n for n in names if there(n)] for title, names in SECTIONS.items()}


def mistakes(docs: Path = ROOT / "docs") -> list[str]:
    """What is wrong with the list, in words that say what to do."""
    named = [n for names in SECTIONS.values() for n in names]
    found = [
        f"{n} stands in two places of tools/site/navigation.py"
        for n in sorted({*named})
        if named.count(n) > 1
    ]
    pages = {str(p.relative_to(docs)) for p in docs.glob("**/*.md")}
    pages -= {f"decisions/{p.name}" for p in docs.glob("decisions/0*.md")}
    for name in sorted(pages - {*named}):
        found.append(
            f"docs/{name} is in no section of tools/site/navigation.py: add it where readers look for it"
        )
    return found
