"""Writes docs/variables.md, the environment variables, from pyfront/cellgrad/core/variables.py.

python tools/docs/variables.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import generated

from cellgrad.core.variables import DEVELOPERS, PREFIX, USERS, Variable

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "variables.md"
HEAD = """# Environment variables

All of them. The page is written by `tools/docs/variables.py` (`make docs`) from the table that the package reads,
`pyfront/cellgrad/core/variables.py`, and a test compares the two. A name that begins with `CELLGRAD_` and is not here is an
error when cellgrad is imported, as is another value of `0`, `1` or of a list; the error names the nearest. Those that are not
set, or empty, have no effect.
"""


def rows(title: str, listed: tuple[Variable, ...]) -> str:
    """A section with a table."""
    lines = [f"\n## {title}\n", "| variable | values | meaning |", "| --- | --- | --- |"]
    for v in listed:
        meaning = re.sub(r"([a-z-]+)\.md", r"[\1](\1.md)", v.meaning)
        lines.append(f"| `{PREFIX}{v.name}` | {v.values} | {meaning} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """The text of the page."""
    return HEAD + rows("For users", USERS) + rows("For developers of cellgrad", DEVELOPERS)


if __name__ == "__main__":
    sys.exit(generated.main(PAGE, page))
