"""Statements: closures that return None, or a signal that unwinds blocks."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from cellgrad.capture import calls, merge, names, patterns, source
from cellgrad.capture.branches import Exit, after_exit, branch
from cellgrad.capture.expressions import ExpressionCompiler
from cellgrad.capture.generators import GeneratorCompiler, yields
from cellgrad.capture.loops import (
    Snapshot,
    effective_while,
    rows_for,
    tensor_for,
    tensor_while,
)
from cellgrad.capture.operators import BINARY
from cellgrad.capture.parts import place_of, put_back
from cellgrad.capture.raises import raise_unless, raised_by
from cellgrad.capture.ranges import TensorRange
from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.frame import (
    BREAK,
    CONTINUE,
    NOTHING,
    RETURN,
    Closure,
    Code,
    Frame,
    Parameters,
    Run,
)
from cellgrad.core.tensor import Tensor

_MOST_CODES = 100_000  # a process may make code without end
_LOOP_OF_ROWS = 32  # rows of a tensor that a `for` goes over in a loop, where it can
# By identity: code objects of equal functions in different files are equal. The code object is kept
# so that its identity stays its own.
_codes: dict[int, tuple[types.CodeType, Code | None]] = {}


def code_of(function: types.FunctionType) -> Code | None:
    """The compiled form of a user's function, or None for one that is called as it is."""
    key = function.__code__
    known = _codes.get(id(key))
    if known is not None:
        return known[1]
    code = None
    if source.is_user_code(key):
        node = source.find(function)
        if node is not None:
            owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
            mangle = owner if owner.isidentifier() else ""
            code = compile_function(node, key.co_filename, key.co_name, None, mangle)
    if len(_codes) >= _MOST_CODES:
        _codes.clear()
    _codes[id(key)] = (key, code)
    return code


def compile_function(
    node: ast.FunctionDef | ast.Lambda,
    filename: str,
    name: str,
    outer: names.Names | None,
    mangle: str,
) -> Code:
    """Compiles a definition to closures."""
    parameters = Parameters(name, node.args)
    scope = names.of_function(node, parameters.all_names(), outer, mangle)
    code = Code(filename, name, node.lineno, parameters)
    compiler = StatementCompiler(filename, name, scope)
    if isinstance(node, ast.Lambda):
        value = compiler.expression(node.body)

        def run_lambda(frame: Frame) -> None:
            frame.result = value(frame)

        code.body = run_lambda
    elif any(yields(s) for s in node.body):
        code.generates, code.body = True, GeneratorCompiler(compiler).block(node.body)
    else:
        code.body = compiler.block(node.body)
    return code


def _forget(frame: Frame, name: str) -> None:
    """Ends the life of the variable of an ``except`` clause."""
    frame.locals.pop(name, None)


def _assigns_names(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but to give variables of the function values."""
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        stored = [t for target in targets for t in getattr(target, "elts", [target])]
        return all(isinstance(t, ast.Name) for t in stored)
    if isinstance(statement, ast.If | ast.For):
        return all(_assigns_names(s) for s in (*statement.body, *statement.orelse))
    return isinstance(statement, ast.Pass)


class StatementCompiler(ExpressionCompiler):
    """Compiles statements of one function."""

    def block(self, statements: list[ast.stmt]) -> Run:
        runs = [self.statement(s) for s in statements if not isinstance(s, ast.Pass)]
        if not runs:
            return NOTHING

        def run_from(frame: Frame, first: int = 0) -> Any:
            for k in range(first, len(runs)):
                signal = runs[k](frame)
                if signal is not None:
                    if type(signal) is Exit and k + 1 < len(runs):
                        return after_exit(frame, signal, partial(run_from, first=k + 1))
                    return signal
            return None

        return run_from

    def statement(self, node: ast.stmt) -> Run:
        method = getattr(self, "s_" + type(node).__name__, None)
        if method is None:
            raise self.unsupported(node, f"The statement '{type(node).__name__}'")
        run: Run = method(node)
        return run

    # --- simple statements --------------------------------------------------------------------

    def s_Expr(self, node: ast.Expr) -> Run:
        if isinstance(node.value, ast.Constant):
            return lambda frame: None
        value = self.expression(node.value)

        def run(frame: Frame) -> None:
            value(frame)

        return run

    def s_Pass(self, node: ast.Pass) -> Run:
        return lambda frame: None

    def s_Assign(self, node: ast.Assign) -> Run:
        value = self.expression(node.value)
        targets = [self.target(t) for t in node.targets]
        if len(targets) == 1:
            store = targets[0]

            def run_one(frame: Frame) -> None:
                store(frame, value(frame))

            return run_one

        def run(frame: Frame) -> None:
            v = value(frame)
            for t in targets:
                t(frame, v)

        return run

    def s_AnnAssign(self, node: ast.AnnAssign) -> Run:
        if node.value is None:
            return lambda frame: None
        value, store = self.expression(node.value), self.target(node.target)

        def run(frame: Frame) -> None:
            store(frame, value(frame))

        return run

    def s_AugAssign(self, node: ast.AugAssign) -> Run:
        function = BINARY[type(node.op)]
        value = self.expression(node.value)
        if isinstance(node.target, ast.Subscript):
            container = place_of(node.target.value, self.indexed, self.expression)
            index = self.expression(node.target.slice)

            def run_element(frame: Frame) -> None:
                place, i = container(frame), index(frame)
                v = value(frame)
                frame.node = node
                calls.augment_element(function, place[0], i, v)
                put_back(place)

            return run_element
        if isinstance(node.target, ast.Attribute):
            owner, name = self.expression(node.target.value), self.scope.mangled(node.target.attr)

            def run_attribute(frame: Frame) -> None:
                o = owner(frame)
                frame.node = node.target
                before = calls.load_attribute(o, name)
                v = value(frame)
                frame.node = node
                calls.store_attribute(o, name, calls.augmented(function, before, v))

            return run_attribute
        load = self.expression(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        store = self.target(node.target)

        def run(frame: Frame) -> None:
            before = load(frame)
            v = value(frame)
            frame.node = node
            store(frame, calls.augmented(function, before, v))

        return run

    def s_Delete(self, node: ast.Delete) -> Run:
        removals = [self._removal(t) for t in node.targets]

        def run(frame: Frame) -> None:
            for remove in removals:
                remove(frame)

        return run

    def _removal(self, target: ast.expr) -> Callable[[Frame], Any]:
        if isinstance(target, ast.Tuple | ast.List):
            parts = [self._removal(t) for t in target.elts]
            return lambda frame: [remove(frame) for remove in parts]
        if isinstance(target, ast.Name):
            return self._removal_of_name(target)
        if not isinstance(target, ast.Subscript):
            raise self.unsupported(target, "'del' of an attribute")
        value, index = self.expression(target.value), self.expression(target.slice)

        def remove(frame: Frame) -> None:
            container, i = value(frame), index(frame)
            frame.node = target
            calls.delete_element(container, i)

        return remove

    def _removal_of_name(self, target: ast.Name) -> Callable[[Frame], Any]:
        name = self.scope.mangled(target.id)
        depth = self.scope.assignment_depth(name)

        def remove(frame: Frame) -> None:
            if depth is None:
                frame.node = target
                raise calls.global_changed(frame, name, "is deleted")
            owner: Any = frame
            for _ in range(depth):
                owner = owner.parent
            if owner.locals.pop(name, merge.MISSING) is merge.MISSING:
                frame.node = target
                raise calls.unbound(name)

        return remove

    def s_Return(self, node: ast.Return) -> Run:
        if node.value is None:
            return lambda frame: RETURN
        value = self.expression(node.value)

        def run(frame: Frame) -> str:
            frame.result = value(frame)
            return RETURN

        return run

    def s_Break(self, node: ast.Break) -> Run:
        return lambda frame: BREAK

    def s_Continue(self, node: ast.Continue) -> Run:
        return lambda frame: CONTINUE

    def s_Global(self, node: ast.Global) -> Run:
        return lambda frame: None

    s_Nonlocal = s_Global

    def s_Assert(self, node: ast.Assert) -> Run:
        test = self.condition(node.test)
        message = self.expression(node.msg) if node.msg else None

        def run(frame: Frame) -> None:
            ok = test(frame)
            if ok is True:
                return
            given = [message(frame)] if message else []
            frame.node = node
            if ok is False:
                text = str(given[0]) if given else "assertion failed"
                exception = error(AssertionError, text or "assertion failed")
            else:
                exception = AssertionError(*given)
            raised_by(exception, frame)
            raise_unless(ok, exception)

        return run

    def s_Raise(self, node: ast.Raise) -> Run:
        what = self.expression(node.exc) if node.exc else None
        cause = self.expression(node.cause) if node.cause else None

        def run(frame: Frame) -> None:
            frame.node = node
            if what is None:
                active = sys.exc_info()[1]
                raise active if active else error(RuntimeError, "No active exception to reraise")
            exception = what(frame)
            frame.node = node
            if isinstance(exception, type) and issubclass(exception, BaseException):
                exception = exception()
            raised_by(exception, frame)
            if cause is not None:
                raise exception from cause(frame)
            raise exception

        return run

    def s_Import(self, node: ast.Import) -> Run:
        module = compile(ast.Module([node], []), self.filename, "exec")
        return self._import(node, module)

    def s_ImportFrom(self, node: ast.ImportFrom) -> Run:
        module = compile(ast.Module([node], []), self.filename, "exec")
        return self._import(node, module)

    def _import(self, node: ast.Import | ast.ImportFrom, module: types.CodeType) -> Run:
        stores = [self.store_name(a.asname or a.name.split(".")[0], node) for a in node.names]
        listed = [a.asname or a.name.split(".")[0] for a in node.names]

        def run(frame: Frame) -> None:
            frame.node = node
            space: dict[str, Any] = {}
            exec(module, dict(frame.globals), space)
            for name, store in zip(listed, stores, strict=True):
                store(frame, space[name])

        return run

    # --- control flow: on Python values at once, on tensors in the compiled code ---------------

    def _condition_of(self, node: ast.If | ast.While) -> Run:
        """The condition of a branch or loop. Where it has no truth value, a name in the branch that is not
        defined is the error, as in MindSpore.
        """
        test = self.condition(node.test)
        found = [
            n
            for statement in (*node.body, *node.orelse)
            for n in names.read_by(statement)
            if self.scope.depth(self.scope.mangled(n.id)) is None
        ]

        def run(frame: Frame) -> Any:
            try:
                return test(frame)
            except ValueError as e:
                if str(e).startswith(merge.NO_TRUTH):
                    for n in found:
                        frame.node = n
                        frame.lookup_global(self.scope.mangled(n.id))
                raise

        return run if found else test

    def s_If(self, node: ast.If) -> Run:
        test, body, other = (
            self._condition_of(node),
            self.block(node.body),
            self.block(node.orelse),
        )

        def run(frame: Frame) -> Any:
            value = test(frame)
            if value is True:
                return body(frame)
            if value is False:
                return other(frame)
            frame.node = node
            return branch(frame, value, body, other)

        return run

    def s_While(self, node: ast.While) -> Run:
        test, body, other = (
            self._condition_of(node),
            self.block(node.body),
            self.block(node.orelse),
        )

        def run(frame: Frame) -> Any:
            while True:
                before = Snapshot(frame)
                value = test(frame)
                if value is False:
                    return other(frame)
                if value is not True:
                    frame.node = node
                    if before.changed():
                        return effective_while(frame, value, test, body, other)
                    return tensor_while(frame, test, body, other)
                signal = body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
                if type(signal) is Exit and (left := signal.without(CONTINUE)):
                    frame.node = node
                    return left.unless(frame, lambda f: tensor_while(f, test, body, other))

        return run

    def s_For(self, node: ast.For) -> Run:
        items, store = self.expression(node.iter), self.target(node.target)
        body, other = self.block(node.body), self.block(node.orelse)
        plain = all(_assigns_names(s) for s in node.body)

        def trips(frame: Frame, iterator: Iterator[Any]) -> Any:
            for item in iterator:
                store(frame, item)
                signal = body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
                if type(signal) is Exit and (left := signal.without(CONTINUE)):
                    frame.node = node
                    return left.unless(frame, lambda f: trips(f, iterator))
            return other(frame)

        def run(frame: Frame) -> Any:
            iterable = items(frame)
            frame.node = node.iter
            if type(iterable) is TensorRange:
                frame.node = node
                return tensor_for(frame, iterable, store, body, other)
            if plain and isinstance(iterable, Tensor) and iterable.ndim:
                frame.node = node
                many = iterable.shape[0] >= _LOOP_OF_ROWS
                if many and rows_for(frame, iterable, store, body):
                    return trips(frame, iter([iterable[-1]]))
                frame.node = node.iter
            calls.used(iterable)
            return trips(frame, iter(iterable))

        return run

    def s_Match(self, node: ast.Match) -> Run:
        return patterns.statement(node, self, self.block)

    def s_With(self, node: ast.With) -> Run:
        managers = [
            (
                self.expression(i.context_expr),
                self.target(i.optional_vars) if i.optional_vars else None,
            )
            for i in node.items
        ]
        body = self.block(node.body)

        def level(frame: Frame, k: int) -> Any:
            if k == len(managers):
                return body(frame)
            make, store = managers[k]
            manager = make(frame)
            calls.used(manager)
            with manager as value:
                if store is not None:
                    store(frame, value)
                return level(frame, k + 1)

        return lambda frame: level(frame, 0)

    def s_Try(self, node: ast.Try) -> Run:
        body, other, final = (
            self.block(node.body),
            self.block(node.orelse),
            self.block(node.finalbody),
        )
        handlers = []
        for h in node.handlers:
            kind = self.expression(h.type) if h.type else None
            name = self.scope.mangled(h.name) if h.name else ""
            store = self.store_name(name, h) if name else None
            handlers.append((kind, store, partial(_forget, name=name), self.block(h.body)))

        def guarded(frame: Frame) -> Any:
            scope = state.current.scope
            if scope is None or not handlers:
                return body(frame)
            scope.trace.handlers += 1
            try:
                return body(frame)
            finally:
                scope.trace.handlers -= 1

        def attempt(frame: Frame) -> Any:
            try:
                signal = guarded(frame)
            except Exception as e:
                for kind, store, forget, handler in handlers:
                    if kind is None or isinstance(e, kind(frame)):
                        if store is None:
                            return handler(frame)
                        store(frame, e)
                        try:
                            return handler(frame)
                        finally:
                            forget(frame)
                raise
            return signal if signal is not None else other(frame)

        def run(frame: Frame) -> Any:
            try:
                signal = attempt(frame)
            except BaseException:
                last = final(frame)
                if last is None:  # else it leaves the block, and the exception is forgotten
                    raise
                return last
            last = final(frame)
            return last if last is not None else signal

        return run

    # --- definitions --------------------------------------------------------------------------

    def _closure(self, node: ast.FunctionDef | ast.Lambda, name: str) -> Callable[[Frame], Closure]:
        for n in ast.walk(node):
            if isinstance(n, ast.Await | ast.AsyncFor | ast.AsyncWith):
                raise self.unsupported(n, "A coroutine defined here")
        code = compile_function(node, self.filename, name, self.scope, self.scope.mangle)
        defaults = [self.expression(d) for d in node.args.defaults]
        keyword = [
            (a.arg, self.expression(d))
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d
        ]
        doc = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
        return lambda frame: Closure(
            code, frame, tuple(d(frame) for d in defaults), {k: d(frame) for k, d in keyword}, doc
        )

    def x_Lambda(self, node: ast.Lambda) -> Run:
        return self._closure(node, "<lambda>")

    def s_FunctionDef(self, node: ast.FunctionDef) -> Run:
        make = self._closure(node, node.name)
        decorators = [(d, self.expression(d)) for d in reversed(node.decorator_list)]
        store = self.store_name(node.name, node)

        def run(frame: Frame) -> None:
            value: Any = make(frame)
            for place, decorator in decorators:
                d = decorator(frame)
                frame.node = place
                value = calls.call(d, (value,), {})
            store(frame, value)

        return run

    def s_ClassDef(self, node: ast.ClassDef) -> Run:
        raise self.unsupported(
            node, "A class defined inside a function", "define it at module level"
        )


calls.code_of = code_of
