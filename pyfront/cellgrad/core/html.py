"""What notebooks show of values: small tables of HTML without scripts or styles of a page."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table; cells are text. Numbers stand to the right."""
    out = ["<table>"]
    if caption:
        out.append(f"<caption>{html.escape(caption)}</caption>")
    out.append("<tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in head) + "</tr>")
    for row in rows:
        cells = []
        for cell in row:
            side = "right" if isinstance(cell, int | float) else "left"
            shown = f"{cell:,}" if isinstance(cell, int) else str(cell)
            cells.append(f'<td style="text-align:{side}">{html.escape(shown)}</td>')
        out.append("<tr>" + "".join(cells) + "</tr>")
    return "".join([*out, "</table>"])


def value(head: str, text: str) -> str:
    """A heading and text in which lines and spaces count."""
    font = "font-family:monospace"
    return (
        f'<div><code style="{font}">{html.escape(head)}</code>'
        f'<pre style="{font}">{html.escape(text)}</pre></div>'
    )
