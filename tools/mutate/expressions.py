"""Derivative rules as trees, and what can be wrong about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

TOKEN = re.compile(r"\s*(\{[^}]*\}|-?[0-9][0-9.e+-]*|[\w:]+|[(),=])")


@dataclass(frozen=True)
class Tree:
    """A number, a name, C++ in braces, or a call; `key` is the attribute it is passed as."""

    text: str
    args: tuple[Tree, ...] | None = None
    key: str = ""

    def __str__(self) -> str:
        inner = "" if self.args is None else f"({', '.join(map(str, self.args))})"
        return f"{self.key}={self.text}{inner}" if self.key else self.text + inner

    def values(self) -> list[Tree]:
        return [a for a in self.args or () if not a.key]


@dataclass
class Parser:
    tokens: list[str] = field(default_factory=list)

    def tree(self, key: str = "") -> Tree:
        text = self.tokens.pop(0)
        if not self.tokens or self.tokens[0] != "(":
            return Tree(text, None, key)
        self.tokens.pop(0)
        args = []
        while self.tokens[0] != ")":
            named = len(self.tokens) > 1 and self.tokens[1] == "="
            name = self.tokens[0] if named else ""
            del self.tokens[: 2 if named else 0]
            args.append(self.tree(name))
            if self.tokens[0] == ",":
                self.tokens.pop(0)
        self.tokens.pop(0)
        return Tree(text, tuple(args), key)


def parse(text: str) -> Tree:
    tokens = TOKEN.findall(text)
    return Parser(tokens).tree()


SWAPS = {
    "add": ["sub"],
    "sub": ["add"],
    "div": ["mul"],
    "sin": ["cos"],
    "cos": ["sin"],
    "sinh": ["cosh"],
    "cosh": ["sinh"],
    "less": ["greater"],
    "greater": ["less"],
    "greater_equal": ["less"],
    "logical_and": ["logical_or"],
}


def changes(tree: Tree, within: Tree | None = None) -> Iterator[tuple[str, Tree]]:
    """Every tree with one mistake, and what it is; `within` is the call that `tree` is part of."""
    values = tree.values()
    if within is None:
        if tree.text == "neg":
            yield "sign", values[0]
        else:
            yield "sign", Tree("neg", (tree,))
    elif tree.text == "neg":
        yield "inner sign", values[0]
    if tree.args is None:
        if re.match(r"-?[0-9]", tree.text) and not tree.key:
            value = float(tree.text)
            if value:
                yield f"sign of {tree.text} in {within}", replace(tree, text=negated(tree.text))
            else:
                yield f"1 instead of 0 in {within}", replace(tree, text="1")
        return
    if tree.text in ("add", "sub", "mul"):
        for kept, dropped in ((values[0], values[1]), (values[1], values[0])):
            what = "factor" if tree.text == "mul" else "term"
            if not re.match(r"-?[0-9]", kept.text):
                yield f"without the {what} {dropped}", replace(kept, key=tree.key)
    if tree.text == "div" and not re.match(r"-?[0-9]", values[0].text):
        yield f"without the divisor {values[1]}", replace(values[0], key=tree.key)
    if tree.text == "square":
        yield "without the square", replace(values[0], key=tree.key)
    if tree.text in ("select", "when"):
        condition, a, b = values
        yield f"branches of {tree.text}", replace(tree, args=(condition, b, a))
    for other in SWAPS.get(tree.text, []):
        yield f"{other} instead of {tree.text}", replace(tree, text=other)
    for i, arg in enumerate(tree.args):
        if arg.key and arg.key != "like":
            if arg.text in ("true", "false"):
                flipped = "false" if arg.text == "true" else "true"
                args = (*tree.args[:i], replace(arg, text=flipped), *tree.args[i + 1 :])
                yield f"{arg.key} is {flipped}", replace(tree, args=args)
            continue
        for what, changed in changes(arg, tree):
            yield what, replace(tree, args=(*tree.args[:i], changed, *tree.args[i + 1 :]))


def negated(number: str) -> str:
    return number[1:] if number.startswith("-") else "-" + number
