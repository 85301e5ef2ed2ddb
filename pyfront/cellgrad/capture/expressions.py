"""Expressions: each syntax node becomes a Python closure that evaluates it in a frame.

The tree is compiled once per function. Python values stay concrete and tensors are tracers; a
closure notes its node in the frame just before it does something that can build an op or fail,
which is where positions come from.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cellgrad.capture import branches, calls, merge, names
from cellgrad.capture.operators import BINARY, COMPARE, UNARY
from cellgrad.capture.parts import Place, place_of, put_back
from cellgrad.core.errors import NotEvaluated, Position, either, error
from cellgrad.core.frame import Frame, Run
from cellgrad.core.scope import as_number, created
from cellgrad.core.text import Text, holds_text, join, percent, plain
from cellgrad.core.tracer import Tracer

if TYPE_CHECKING:
    from cellgrad.capture.names import Names

_CONVERSIONS = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


class ExpressionCompiler:
    """Compiles expressions of one function."""

    def __init__(self, filename: str, function: str, scope: Names):
        self.filename = filename
        self.function = function
        self.scope = scope

    def unsupported(self, node: ast.AST, what: str, hint: str = "") -> Exception:
        """The error for syntax that cannot be compiled, at its place."""
        line = getattr(node, "lineno", 0)
        where = Position(
            self.filename, line, getattr(node, "col_offset", -1) + 1, self.function, ""
        )
        return error(NotEvaluated, f"{what} is not supported in compiled code.", hint, where)

    def expression(self, node: ast.expr) -> Run:
        method = getattr(self, "x_" + type(node).__name__, None)
        if method is None:
            raise self.unsupported(node, f"'{type(node).__name__}'")
        run: Run = method(node)
        return run

    def indexed(self, node: ast.expr) -> Run:
        """An expression of which an element is read, and nothing else."""
        if isinstance(node, ast.Name):
            return self.load_name(node)
        if isinstance(node, ast.Attribute):
            return self.load_attribute(node)
        return self.load_element(node) if isinstance(node, ast.Subscript) else self.expression(node)

    def truth(self, node: ast.expr) -> Run:
        """The truth value of an expression; a tensor being compiled refuses to have one."""
        value = self.expression(node)

        def run(frame: Frame) -> bool:
            v = value(frame)
            if v is True or v is False:
                return v
            frame.node = node
            calls.used(v)
            return bool(v)

        return run

    def condition(self, node: ast.expr) -> Run:
        """The truth of an expression: a bool, or a Bool tensor without dimensions."""
        value = self.expression(node)

        def run(frame: Frame) -> Any:
            v = value(frame)
            if v is True or v is False:
                return v
            frame.node = node
            return merge.truth(v)

        return run

    # --- names and literals -------------------------------------------------------------------

    def x_Constant(self, node: ast.Constant) -> Run:
        value = node.value
        return lambda frame: value

    def x_Name(self, node: ast.Name) -> Run:
        load = self.load_name(node)
        if self.scope.depth(self.scope.mangled(node.id)) is not None:
            return load
        return lambda frame: calls.read_all(load(frame))

    def load_name(self, node: ast.Name) -> Run:
        name = self.scope.mangled(node.id)
        depth = self.scope.depth(name)
        if depth is None:

            def run_global(frame: Frame) -> Any:
                frame.node = node
                return frame.lookup_global(name)

            return run_global

        def run(frame: Frame) -> Any:
            f = frame
            for _ in range(depth):
                f = f.parent  # type: ignore[assignment]
            value = f.locals.get(name, merge.MISSING)
            if value is merge.MISSING:
                frame.node = node
                raise calls.unbound(name)
            if type(value) is merge.Unbound:
                frame.node = node
                raise value.fail(name)
            return calls.settled(value)

        if depth == 0:

            def run_local(frame: Frame) -> Any:
                value = frame.locals.get(name)
                if value is None or type(value) is merge.Unbound:
                    return run(frame)
                return calls.settled(value)

            return run_local
        return run

    def x_JoinedStr(self, node: ast.JoinedStr) -> Run:
        parts = [self.expression(v) for v in node.values]

        def run(frame: Frame) -> Any:
            listed = [p(frame) for p in parts]
            return join("", listed) if holds_text(listed) else "".join(listed)

        return run

    def x_FormattedValue(self, node: ast.FormattedValue) -> Run:
        value = self.expression(node.value)
        spec = self.expression(node.format_spec) if node.format_spec else None
        convert = _CONVERSIONS.get(node.conversion)

        def run(frame: Frame) -> Any:
            v = value(frame)
            frame.node = node.value
            if holds_text(v):
                text = plain(v, spec(frame) if spec else "")
                return Text.of(v, inside=True) if convert is repr else text
            calls.used(v)
            if convert is not None:
                v = convert(v)  # type: ignore[operator]
            return format(v, spec(frame) if spec else "")

        return run

    # --- containers ---------------------------------------------------------------------------

    def _elements(self, nodes: list[ast.expr]) -> Callable[[Frame], list[Any]]:
        if not any(isinstance(n, ast.Starred) for n in nodes):
            runs = [self.expression(n) for n in nodes]
            return lambda frame: [r(frame) for r in runs]
        parts = [
            (
                isinstance(n, ast.Starred),
                self.expression(n.value if isinstance(n, ast.Starred) else n),
            )
            for n in nodes
        ]

        def run(frame: Frame) -> list[Any]:
            out: list[Any] = []
            for star, part in parts:
                value = part(frame)
                if star:
                    calls.used(value)
                    out.extend(value)
                else:
                    out.append(value)
            return out

        return run

    def x_Tuple(self, node: ast.Tuple) -> Run:
        elements = self._elements(node.elts)
        return lambda frame: tuple(elements(frame))

    def x_List(self, node: ast.List) -> Run:
        return self._elements(node.elts)

    def x_Set(self, node: ast.Set) -> Run:
        elements = self._elements(node.elts)
        return lambda frame: set(elements(frame))

    def x_Dict(self, node: ast.Dict) -> Run:
        parts = [
            (self.expression(k) if k else None, self.expression(v))
            for k, v in zip(node.keys, node.values, strict=True)
        ]

        def run(frame: Frame) -> dict[Any, Any]:
            out: dict[Any, Any] = {}
            for key, value in parts:
                if key is None:
                    out.update(value(frame))
                    continue
                name = key(frame)
                frame.node = node
                out[name] = value(frame)
            return out

        return run

    def x_Slice(self, node: ast.Slice) -> Run:
        parts = [self.expression(p) if p else None for p in (node.lower, node.upper, node.step)]
        return lambda frame: slice(*[p(frame) if p else None for p in parts])

    # --- operators ----------------------------------------------------------------------------

    def x_BinOp(self, node: ast.BinOp) -> Run:
        left, right = self.expression(node.left), self.expression(node.right)
        function = BINARY[type(node.op)]

        def run(frame: Frame) -> Any:
            a = left(frame)
            b = right(frame)
            frame.node = node
            if type(a) is str and function is operator.mod and holds_text(b):
                return percent(a, b)
            calls.used(a, b)
            return as_number(function(a, b), a, b)

        return run

    def x_UnaryOp(self, node: ast.UnaryOp) -> Run:
        if isinstance(node.op, ast.Not):
            condition = self.condition(node.operand)

            def negate(frame: Frame) -> Any:
                value = condition(frame)
                frame.node = node
                return as_number(branches.negated(value), value)

            return negate
        operand = self.expression(node.operand)
        function = UNARY[type(node.op)]

        def run(frame: Frame) -> Any:
            v = operand(frame)
            frame.node = node
            calls.used(v)
            return as_number(function(v), v)

        return run

    def x_BoolOp(self, node: ast.BoolOp) -> Run:
        stop = isinstance(node.op, ast.Or)
        parts = [(n, self.expression(n)) for n in node.values]

        def run_from(frame: Frame, k: int) -> Any:
            n, part = parts[k]
            v = part(frame)
            if k + 1 == len(parts):
                return v
            frame.node = n
            condition: Any = merge.truth(v)
            if condition is stop:
                return v
            if condition is (not stop):
                return run_from(frame, k + 1)
            ways: list[Run] = [lambda f: v, lambda f: run_from(f, k + 1)]
            then, other = ways if stop else reversed(ways)
            return branches.branch_value(frame, condition, then, other)

        return lambda frame: run_from(frame, 0)

    def x_Compare(self, node: ast.Compare) -> Run:
        first = self.expression(node.left)
        rest = [
            (COMPARE[type(op)], self.expression(c))
            for op, c in zip(node.ops, node.comparators, strict=True)
        ]
        if len(rest) == 1:
            function, right = rest[0]

            def run_one(frame: Frame) -> Any:
                a = first(frame)
                b = right(frame)
                frame.node = node
                calls.used(a, b)
                return as_number(function(a, b), a, b)

            return run_one

        def run(frame: Frame) -> Any:
            a = first(frame)
            out: Any = True
            for k, (function, right) in enumerate(rest):
                b = right(frame)
                frame.node = node
                calls.used(a, b)
                truth = function(a, b)
                if k + 1 < len(rest) or isinstance(truth, Tracer):
                    truth = merge.truth(truth)
                out = truth if out is True else branches.both(out, truth)
                if truth is False:
                    return out
                a = b
            return out

        return run

    def x_IfExp(self, node: ast.IfExp) -> Run:
        test, body, other = (
            self.condition(node.test),
            self.expression(node.body),
            self.expression(node.orelse),
        )

        def run(frame: Frame) -> Any:
            value = test(frame)
            if value is True:
                return body(frame)
            if value is False:
                return other(frame)
            frame.node = node
            return branches.branch_value(frame, value, body, other)

        return run

    def x_NamedExpr(self, node: ast.NamedExpr) -> Run:
        value = self.expression(node.value)
        store = self.store_name(node.target.id, node.target)

        def run(frame: Frame) -> Any:
            v = value(frame)
            store(frame, v)
            return v

        return run

    def store_name(self, name: str, node: Any) -> Callable[[Frame, Any], None]:
        """An assignment to a name, by the statement or target `node`."""
        name = self.scope.mangled(name)
        depth = self.scope.assignment_depth(name)
        if depth is None:

            def refuse(frame: Frame, value: Any) -> None:
                frame.node = node
                raise calls.global_changed(frame, name, "is assigned")

            return refuse
        if depth == 0:

            def to_local(frame: Frame, value: Any) -> None:
                frame.locals[name] = value

            return to_local

        def to_outer(frame: Frame, value: Any) -> None:
            f = frame
            for _ in range(depth):
                f = f.parent  # type: ignore[assignment]
            f.locals[name] = value

        return to_outer

    # --- access and calls ---------------------------------------------------------------------

    def x_Attribute(self, node: ast.Attribute) -> Run:
        load = self.load_attribute(node)
        return lambda frame: calls.read_all(load(frame))

    def load_attribute(self, node: ast.Attribute) -> Run:
        value = self.indexed(node.value)  # a list or dictionary says which methods read it
        name = self.scope.mangled(node.attr)

        def run(frame: Frame) -> Any:
            v = value(frame)
            frame.node = node
            return calls.load_attribute(v, name)

        return run

    def x_Subscript(self, node: ast.Subscript) -> Run:
        load = self.load_element(node)
        return lambda frame: calls.read_all(load(frame))

    def load_element(self, node: ast.Subscript) -> Run:
        value, index = self.indexed(node.value), self.expression(node.slice)

        def run(frame: Frame) -> Any:
            v = value(frame)
            i = index(frame)
            frame.node = node
            return calls.load_element(v, i)

        return run

    def x_Call(self, node: ast.Call) -> Run:
        function = self.expression(node.func)
        changed = self._changed_part(node.func)
        args = self._elements(node.args)
        keywords = [(k.arg, self.expression(k.value)) for k in node.keywords]

        def run(frame: Frame) -> Any:
            f, place = changed(frame) if changed else (function(frame), None)
            a = args(frame)
            kwargs: dict[str, Any] = {}
            for key, value in keywords:
                if key is None:
                    kwargs.update(value(frame))
                else:
                    kwargs[key] = value(frame)
            frame.node = node
            if f is super and not a:
                return calls.bare_super(frame)
            out = calls.call(f, tuple(a), kwargs)
            if place is not None:
                put_back(place)
            return out

        return run

    def _changed_part(self, node: ast.expr) -> Callable[[Frame], tuple[Any, Place]] | None:
        """For a method that changes a part of a tensor, as in ``x[i].add_(v)``: the method and the part."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Subscript):
            return None
        name = node.attr
        if not name.endswith("_") or name.endswith("__"):
            return None
        part = place_of(node.value, self.indexed, self.expression)

        def run(frame: Frame) -> tuple[Any, Place]:
            place = part(frame)
            frame.node = node
            return calls.load_attribute(place[0], name), place

        return run

    # --- comprehensions -----------------------------------------------------------------------

    def _comprehension(
        self,
        node: Any,
        make: Callable[[ExpressionCompiler], Callable[[Frame, Any], None]],
        empty: Any,
    ) -> Run:
        outermost = self.expression(node.generators[0].iter)
        inner = type(self)(
            self.filename, self.function, names.of_comprehension(node.generators, self.scope)
        )
        add = make(inner)
        levels = []
        for g in node.generators:
            if g.is_async:
                raise self.unsupported(node, "An asynchronous comprehension")
            levels.append(
                (inner.expression(g.iter), inner.target(g.target), [inner.truth(c) for c in g.ifs])
            )

        def run(frame: Frame) -> Any:
            out = empty()
            child = Frame(frame.code, {}, frame.globals, frame.closure, frame)
            first = outermost(frame)
            frame.node = child.node = node

            def level(k: int) -> None:
                if k == len(levels):
                    add(child, out)
                    return
                iterate, target, conditions = levels[k]
                items = first if k == 0 else iterate(child)
                calls.used(items)
                for item in items:
                    target(child, item)
                    if all(c(child) for c in conditions):
                        level(k + 1)

            calls.enter(child, level, frame)
            return out

        return run

    def x_ListComp(self, node: ast.ListComp) -> Run:
        def make(inner: ExpressionCompiler) -> Callable[[Frame, Any], None]:
            value = inner.expression(node.elt)
            return lambda frame, out: out.append(value(frame))

        return self._comprehension(node, make, list)

    def x_SetComp(self, node: ast.SetComp) -> Run:
        def make(inner: ExpressionCompiler) -> Callable[[Frame, Any], None]:
            value = inner.expression(node.elt)
            return lambda frame, out: out.add(value(frame))

        return self._comprehension(node, make, set)

    def x_GeneratorExp(self, node: ast.GeneratorExp) -> Run:
        def make(inner: ExpressionCompiler) -> Callable[[Frame, Any], None]:
            value = inner.expression(node.elt)
            return lambda frame, out: out.append(value(frame))

        items = self._comprehension(node, make, list)
        return lambda frame: created(iter(items(frame)))

    def x_DictComp(self, node: ast.DictComp) -> Run:
        def make(inner: ExpressionCompiler) -> Callable[[Frame, Any], None]:
            key, value = inner.expression(node.key), inner.expression(node.value)

            def add(frame: Frame, out: Any) -> None:
                k = key(frame)
                out[k] = value(frame)

            return add

        return self._comprehension(node, make, dict)

    # --- assignment targets -------------------------------------------------------------------

    def target(self, node: ast.expr) -> Callable[[Frame, Any], None]:
        """An assignment to a target: a name, attribute, element, or a pattern of them."""
        if isinstance(node, ast.Name):
            return self.store_name(node.id, node)
        if isinstance(node, ast.Attribute):
            owner = self.expression(node.value)
            name = self.scope.mangled(node.attr)

            def to_attribute(frame: Frame, value: Any) -> None:
                o = owner(frame)
                frame.node = node
                calls.store_attribute(o, name, value)

            return to_attribute
        if isinstance(node, ast.Subscript):
            container = place_of(node.value, self.indexed, self.expression)
            index = self.expression(node.slice)

            def to_element(frame: Frame, value: Any) -> None:
                place = container(frame)
                i = index(frame)
                frame.node = node
                calls.store_element(place[0], i, value)
                put_back(place)

            return to_element
        if isinstance(node, ast.Tuple | ast.List):
            return self._pattern(node)
        raise self.unsupported(node, "This assignment")

    def _pattern(self, node: ast.Tuple | ast.List) -> Callable[[Frame, Any], None]:
        stars = [i for i, e in enumerate(node.elts) if isinstance(e, ast.Starred)]
        targets = [self.target(e.value if isinstance(e, ast.Starred) else e) for e in node.elts]
        count = len(targets)

        def run(frame: Frame, value: Any) -> None:
            frame.node = node
            calls.used(value)
            items = list(value)
            if stars:
                at, after = stars[0], count - stars[0] - 1
                if len(items) < count - 1:
                    raise error(
                        either(ValueError, IndexError),
                        f"not enough values to unpack (expected at least {count - 1}, got "
                        f"{len(items)})",
                    )
                items[at : len(items) - after] = [items[at : len(items) - after]]
            elif len(items) != count:
                few = len(items) < count
                words = f"not enough values to unpack (expected {count}, got {len(items)})"
                raise error(
                    either(ValueError, IndexError),
                    words if few else f"too many values to unpack (expected {count})",
                )
            for store, item in zip(targets, items, strict=True):
                store(frame, item)

        return run
