"""Patterns of `match` statements: each gives a truth, and the names it binds.

A pattern that compares with a computed tensor gives a Bool tensor, and the statement a branch.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cellgrad.capture import branches, calls
from cellgrad.capture.merge import truth
from cellgrad.core.errors import error
from cellgrad.core.frame import Frame, Run
from cellgrad.core.tensor import Tensor

if TYPE_CHECKING:
    from cellgrad.capture.expressions import ExpressionCompiler

# Whether a value matches, in a frame; what is captured is added to the dictionary.
Matcher = Callable[[Frame, Any, dict[str, Any]], Any]
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def matcher(node: ast.pattern, compiler: ExpressionCompiler) -> Matcher:
    """Compiles a pattern."""
    made: Matcher = globals()["_" + type(node).__name__](node, compiler)
    return made


def names(node: ast.AST) -> set[str]:
    """The names that patterns of a statement bind."""
    found = set()
    for n in ast.walk(node):
        name = n.rest if isinstance(n, ast.MatchMapping) else getattr(n, "name", None)
        if isinstance(n, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and name:
            found.add(name)
    return found


def _equal(a: Any, b: Any) -> Any:
    calls.used(a, b)
    if isinstance(a, Tensor) and not isinstance(b, Tensor | int | float):
        return False
    return truth(a == b)


def _MatchValue(node: ast.MatchValue, compiler: ExpressionCompiler) -> Matcher:
    value = compiler.expression(node.value)
    return lambda frame, subject, bound: _equal(subject, value(frame))


def _MatchSingleton(node: ast.MatchSingleton, compiler: ExpressionCompiler) -> Matcher:
    return lambda frame, subject, bound: subject is node.value


def _MatchAs(node: ast.MatchAs, compiler: ExpressionCompiler) -> Matcher:
    inner = matcher(node.pattern, compiler) if node.pattern else None

    def run(frame: Frame, subject: Any, bound: dict[str, Any]) -> Any:
        found = True if inner is None else inner(frame, subject, bound)
        if found is not False and node.name:
            bound[node.name] = subject
        return found

    return run


def _MatchOr(node: ast.MatchOr, compiler: ExpressionCompiler) -> Matcher:
    parts = [matcher(p, compiler) for p in node.patterns]
    binding = bool(names(node))

    def run(frame: Frame, subject: Any, bound: dict[str, Any]) -> Any:
        flags: list[Any] = []
        for part in parts:
            found = part(frame, subject, bound)
            if isinstance(found, Tensor) and binding:
                raise error(
                    TypeError,
                    "Patterns that are joined by '|' compare with a computed tensor and bind names: "
                    "which of them matches is known only when the code runs.",
                    "write one case for each",
                )
            flags.append(found)
            if found is True:
                break
        return branches.any_flag(flags)

    return run


def _all(
    frame: Frame, pairs: list[tuple[Matcher, Any]], bound: dict[str, Any], found: Any = True
) -> Any:
    """Whether each part matches its pattern."""
    for part, value in pairs:
        one = part(frame, value, bound)
        if one is False:
            return False
        found = one if found is True else branches.both(found, one)
    return found


def _MatchSequence(node: ast.MatchSequence, compiler: ExpressionCompiler) -> Matcher:
    stars = [i for i, p in enumerate(node.patterns) if isinstance(p, ast.MatchStar)]
    parts = [
        _star(p) if isinstance(p, ast.MatchStar) else matcher(p, compiler) for p in node.patterns
    ]
    count = len(parts)

    def run(frame: Frame, subject: Any, bound: dict[str, Any]) -> Any:
        if not isinstance(subject, collections.abc.Sequence) or isinstance(subject, str | bytes):
            return False
        items = list(subject)
        if stars:
            at, after = stars[0], count - stars[0] - 1
            if len(items) < count - 1:
                return False
            items[at : len(items) - after] = [items[at : len(items) - after]]
        elif len(items) != count:
            return False
        return _all(frame, list(zip(parts, items, strict=True)), bound)

    return run


def _star(node: ast.MatchStar) -> Matcher:
    def run(frame: Frame, items: Any, bound: dict[str, Any]) -> Any:
        if node.name:
            bound[node.name] = items
        return True

    return run


def _MatchMapping(node: ast.MatchMapping, compiler: ExpressionCompiler) -> Matcher:
    keys = [compiler.expression(k) for k in node.keys]
    parts = [matcher(p, compiler) for p in node.patterns]

    def run(frame: Frame, subject: Any, bound: dict[str, Any]) -> Any:
        if not isinstance(subject, collections.abc.Mapping):
            return False
        calls.read_all(subject)
        wanted = [k(frame) for k in keys]
        if any(k not in subject for k in wanted):
            return False
        pairs = list(zip(parts, [subject[k] for k in wanted], strict=True))
        found = _all(frame, pairs, bound)
        if found is not False and node.rest:
            bound[node.rest] = {k: v for k, v in subject.items() if k not in wanted}
        return found

    return run


def _MatchClass(node: ast.MatchClass, compiler: ExpressionCompiler) -> Matcher:
    kind = compiler.expression(node.cls)
    positional = [matcher(p, compiler) for p in node.patterns]
    keywords = [
        (n, matcher(p, compiler)) for n, p in zip(node.kwd_attrs, node.kwd_patterns, strict=True)
    ]

    def run(frame: Frame, subject: Any, bound: dict[str, Any]) -> Any:
        cls = kind(frame)
        if not calls.call(builtins.isinstance, (subject, cls), {}):
            return False
        if positional and cls in _WHOLE:
            if len(positional) > 1:
                raise error(TypeError, f"{cls.__name__}() accepts 1 positional sub-pattern")
            found = positional[0](frame, subject, bound)
            if found is False:
                return False
            listed = []
        else:
            found = True
            attributes = getattr(cls, "__match_args__", ())
            if len(positional) > len(attributes):
                raise error(
                    TypeError,
                    f"{cls.__name__}() accepts {len(attributes)} positional sub-patterns "
                    f"({len(positional)} given)",
                )
            listed = list(zip(attributes, positional, strict=False))
        pairs = []
        for name, part in (*listed, *keywords):
            try:
                pairs.append((part, calls.load_attribute(subject, name)))
            except AttributeError:
                return False
        return _all(frame, pairs, bound, found)

    return run


def statement(node: ast.Match, compiler: ExpressionCompiler, block: Callable[..., Run]) -> Run:
    """Compiles a `match` statement; `block` compiles statements."""
    subject = compiler.expression(node.subject)
    cases = []
    for case in node.cases:
        stores = {n: compiler.store_name(n, case.pattern) for n in names(case.pattern)}
        guard = compiler.condition(case.guard) if case.guard else None
        cases.append((matcher(case.pattern, compiler), stores, guard, block(case.body)))

    def run_from(frame: Frame, value: Any, k: int) -> Any:
        for i in range(k, len(cases)):
            match, stores, guard, body = cases[i]
            bound: dict[str, Any] = {}
            frame.node = node.cases[i].pattern
            found = match(frame, value, bound)
            if found is False:
                continue
            for name, item in bound.items():
                stores[name](frame, item)
            if guard is not None:
                held = guard(frame)
                found = held if found is True else branches.both(found, held)
            if found is False:
                continue
            if found is True:
                return body(frame)
            frame.node = node.cases[i].pattern
            return branches.branch(frame, found, body, partial(run_from, value=value, k=i + 1))
        return None

    return lambda frame: run_from(frame, subject(frame), 0)
