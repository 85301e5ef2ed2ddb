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
        "tutorial/10-where-next.md",
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
        "add-a-function.md",
        "add-an-op.md",
        "decisions/README.md",
        "<CONTRIBUTING.md>",
        "<CHANGELOG.md>",
    ],
}


def pages() -> list[str]:
    """All pages of the site but the first, in order; those of decisions follow their list."""
    found = []
    for names in SECTIONS.values():
        for name in names:
            found.append(name.strip("<>"))
            if name == "decisions/README.md":
                found += sorted(f"decisions/{p.name}" for p in ROOT.glob("docs/decisions/0*.md"))
    return found


def mistakes(docs: Path = ROOT / "docs") -> list[str]:
    """What is wrong with the list, in words that say what to do."""
    named = [n for names in SECTIONS.values() for n in names if not n.startswith("<")]
    found = [
        f"{n} stands in two places of tools/site/navigation.py"
        for n in {*named}
        if named.count(n) > 1
    ]
    there = {str(p.relative_to(docs)) for p in docs.glob("**/*.md")}
    there -= {f"decisions/{p.name}" for p in docs.glob("decisions/0*.md")}
    for name in sorted(there - {*named}):
        found.append(
            f"docs/{name} is in no section of tools/site/navigation.py: add it where readers look for it"
        )
    for name in sorted({*named} - there):
        found.append(f"tools/site/navigation.py names docs/{name}, which does not exist")
    return found
