"""Docstrings and other plain text as Markdown."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def described(doc: str | None) -> str:
    """A docstring as Markdown; its headings are no headings of the page, its examples are code."""
    if not doc:
        return ""
    text = inspect.cleandoc(doc).replace("``", "`")
    out, block = [], []
    for part in text.split("\n\n"):
        if part.lstrip().startswith(">>> "):
            block.append(inspect.cleandoc(part))
            continue
        out.append(section(part))
    if block:
        out.append("```pycon\n" + "\n\n".join(block) + "\n```")
    return "\n\n".join(part for part in out if part)


def section(part: str) -> str:
    """A paragraph, or a section such as "Args:" with its items as a list."""
    head, _, rest = part.partition("\n")
    if not re.fullmatch(r"[A-Z]\w+:", head):
        first, mark, code = part.partition("\n>>> ")
        return escaped(first) + (f"\n\n```pycon\n>>> {code}\n```" if mark else "")
    if head == "Examples:":
        return f"```pycon\n{inspect.cleandoc(rest)}\n```" if rest else ""
    items: list[str] = []
    for line in rest.splitlines():
        deep = len(line) - len(line.lstrip())
        if items and deep > 4:
            items[-1] += " " + line.strip()
        elif line.strip():
            items.append(line.strip())
    return f"**{head[:-1]}**\n\n" + "\n".join(f"- {escaped(item)}" for item in items)


def escaped(text: str) -> str:
    """Text in which only backquotes are markup."""
    parts = re.split(r"(`[^`\n]*`)", text)
    plain = [
        re.sub(r"([\\*_<>\[\]{}$|#~^])", r"\\\1", p) if not p.startswith("`") else p for p in parts
    ]
    return "".join(plain)
