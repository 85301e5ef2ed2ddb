"""Generator functions: their bodies are evaluated up to each `yield`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from cellgrad.capture import calls
from cellgrad.capture.branches import Exit
from cellgrad.capture.ranges import TensorRange
from cellgrad.core.errors import error
from cellgrad.core.frame import BREAK, RETURN, Frame

if TYPE_CHECKING:
    from cellgrad.capture.statements import StatementCompiler

# Statements that yield; what is returned is how they end, as that of others.
Steps = Callable[[Frame], Generator[Any, Any, Any]]
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def yields(node: ast.AST) -> bool:
    """Whether a statement has a `yield` of the function it stands in."""
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return True
    return not isinstance(node, _INNER) and any(yields(n) for n in ast.iter_child_nodes(node))


def _known(frame: Frame, value: Any, node: ast.AST, what: str) -> Any:
    """A Python value that decides where a generator goes on."""
    if value is True or value is False:
        return value
    frame.node = node
    raise error(
        TypeError,
        f"{what} a 'yield' depends on a tensor: how often the generator yields would be known only "
        "when the code runs.",
        "yield the same number of values in any case, chosen with ops.where",
    )


class GeneratorCompiler:
    """Compiles the statements of one generator function, given the compiler of other statements."""

    def __init__(self, plain: StatementCompiler):
        self.plain = plain

    def block(self, statements: list[ast.stmt]) -> Steps:
        parts = [
            (True, self.statement(s)) if yields(s) else (False, self.plain.statement(s))
            for s in statements
        ]

        def run(frame: Frame) -> Any:
            for yielding, part in parts:
                signal = (yield from part(frame)) if yielding else part(frame)
                if type(signal) is Exit:
                    _known(frame, signal, frame.node, "A 'return', 'break' or 'continue' before")
                if signal is not None:
                    return signal
            return None

        return run

    def statement(self, node: ast.stmt) -> Steps:
        made: Steps | None = None
        method = getattr(self, "s_" + type(node).__name__, None)
        if method is not None:
            made = method(node)
        if made is None:
            raise self.plain.unsupported(
                node, "A 'yield' in this place", "assign what it gives to a variable first"
            )
        return made

    def _value(self, node: ast.expr | None) -> Steps | None:
        """What a `yield` gives: the value that is sent, or what the inner generator returns."""
        if isinstance(node, ast.Yield):
            value = self.plain.expression(node.value) if node.value else lambda frame: None

            def one(frame: Frame) -> Any:
                return (yield value(frame))

            return one
        if isinstance(node, ast.YieldFrom):
            items = self.plain.expression(node.value)

            def several(frame: Frame) -> Any:
                inner = items(frame)
                frame.node = node
                calls.used(inner)
                return (yield from inner)

            return several
        return None

    def s_Expr(self, node: ast.Expr) -> Steps | None:
        value = self._value(node.value)
        if value is None:
            return None

        def run(frame: Frame) -> Any:
            yield from value(frame)

        return run

    def s_Assign(self, node: ast.Assign) -> Steps | None:
        value = self._value(node.value)
        if value is None:
            return None
        targets = [self.plain.target(t) for t in node.targets]

        def run(frame: Frame) -> Any:
            v = yield from value(frame)
            for store in targets:
                store(frame, v)

        return run

    def s_Return(self, node: ast.Return) -> Steps | None:
        value = self._value(node.value)
        if value is None:
            return None

        def run(frame: Frame) -> Any:
            frame.result = yield from value(frame)
            return RETURN

        return run

    def s_If(self, node: ast.If) -> Steps:
        test = self.plain.condition(node.test)
        body, other = self.block(node.body), self.block(node.orelse)

        def run(frame: Frame) -> Any:
            found = _known(frame, test(frame), node, "The condition of")
            return (yield from (body if found else other)(frame))

        return run

    def s_While(self, node: ast.While) -> Steps:
        test = self.plain.condition(node.test)
        body, other = self.block(node.body), self.block(node.orelse)

        def run(frame: Frame) -> Any:
            while _known(frame, test(frame), node, "The condition of a loop with"):
                signal = yield from body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
            return (yield from other(frame))

        return run

    def s_For(self, node: ast.For) -> Steps:
        items, store = self.plain.expression(node.iter), self.plain.target(node.target)
        body, other = self.block(node.body), self.block(node.orelse)

        def run(frame: Frame) -> Any:
            iterable = items(frame)
            frame.node = node.iter
            if type(iterable) is TensorRange:
                _known(frame, iterable, node, "The length of a loop with")
            calls.used(iterable)
            for item in iterable:
                store(frame, item)
                signal = yield from body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
            return (yield from other(frame))

        return run

    def s_With(self, node: ast.With) -> Steps:
        managers = [
            (
                self.plain.expression(i.context_expr),
                self.plain.target(i.optional_vars) if i.optional_vars else None,
            )
            for i in node.items
        ]
        body = self.block(node.body)

        def level(frame: Frame, k: int) -> Any:
            if k == len(managers):
                return (yield from body(frame))
            make, store = managers[k]
            with make(frame) as value:
                if store is not None:
                    store(frame, value)
                return (yield from level(frame, k + 1))

        return lambda frame: level(frame, 0)

    def s_Try(self, node: ast.Try) -> Steps | None:
        if node.handlers or node.orelse:
            return None
        body, final = self.block(node.body), self.plain.block(node.finalbody)

        def run(frame: Frame) -> Any:
            try:
                signal = yield from body(frame)
            finally:
                last = final(frame)
            return signal if last is None else last

        return run
