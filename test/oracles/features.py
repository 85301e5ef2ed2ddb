"""Programs of features, written by hand: each runs in both modes.

They are in `features/`, one file a group. The text of a program is the body of a function; names are
those of `session.HEADER`. Lines of dashes separate programs, and `# name` is the first line of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).with_suffix("")


def programs() -> Iterator[dict[str, str]]:
    for path in sorted(FOLDER.glob("*.txt")):
        group = path.stem.replace("_", " ")
        for program in path.read_text().strip().split("\n---\n"):
            name, body = program.split("\n", 1)
            for mode in ("graph", "eager"):
                yield {"id": f"{group}: {name[2:]} | {mode}", "mode": mode, "text": body}
