"""Frames of evaluated functions, and the compiled form of a function's syntax tree."""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Callable, Generator, Iterator
from typing import Any

from cellgrad.core import state
from cellgrad.core.errors import either, error, position_text
from cellgrad.core.guards import ABSENT, value_of

Run = Callable[["Frame"], Any]

RETURN, BREAK, CONTINUE = "return", "break", "continue"


def NOTHING(frame: Frame) -> None:
    """A block without statements."""


class Parameters:
    """The parameter list of a function."""

    __slots__ = ("keyword_only", "name", "positional", "positional_only", "rest", "rest_keywords")

    def __init__(self, name: str, args: ast.arguments):
        self.name = name
        self.positional_only = [a.arg for a in args.posonlyargs]
        self.positional = self.positional_only + [a.arg for a in args.args]
        self.keyword_only = [a.arg for a in args.kwonlyargs]
        self.rest = args.vararg.arg if args.vararg else None
        self.rest_keywords = args.kwarg.arg if args.kwarg else None

    def all_names(self) -> list[str]:
        extra = [n for n in (self.rest, self.rest_keywords) if n]
        return self.positional + self.keyword_only + extra

    def bind(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        defaults: tuple[Any, ...],
        kwdefaults: dict[str, Any],
    ) -> dict[str, Any]:
        """The locals of a call, or a TypeError in Python's words."""
        names = self.positional
        count = len(names)
        bound = dict(zip(names, args, strict=False))
        if len(args) > count:
            if self.rest is None:
                raise error(
                    TypeError,
                    f"{self.name}() takes {count} positional argument{'s' * (count != 1)} but "
                    f"{len(args)} were given",
                )
            bound[self.rest] = tuple(args[count:])
        elif self.rest is not None:
            bound[self.rest] = ()
        extra: dict[str, Any] = {}
        for key, value in kwargs.items():
            if (key in names and key not in self.positional_only) or key in self.keyword_only:
                if key in bound:
                    raise error(
                        TypeError, f"{self.name}() got multiple values for argument '{key}'"
                    )
                bound[key] = value
            elif self.rest_keywords is not None:
                extra[key] = value
            else:
                raise error(TypeError, f"{self.name}() got an unexpected keyword argument '{key}'")
        if self.rest_keywords is not None:
            bound[self.rest_keywords] = extra
        first_default = count - len(defaults)
        missing = []
        for i, name in enumerate(names):
            if name not in bound:
                if i >= first_default:
                    bound[name] = defaults[i - first_default]
                else:
                    missing.append(name)
        for name in self.keyword_only:
            if name not in bound:
                if name in kwdefaults:
                    bound[name] = kwdefaults[name]
                else:
                    missing.append(name)
        if missing:
            listed = ", ".join(f"'{n}'" for n in missing)
            raise error(
                TypeError,
                f"{self.name}() missing {len(missing)} required "
                f"argument{'s' * (len(missing) != 1)}: {listed}",
            )
        return bound


class Code:
    """The compiled form of one function: a closure over its syntax tree that runs in a `Frame`."""

    __slots__ = ("body", "filename", "generates", "line", "locations", "name", "parameters")

    def __init__(self, filename: str, name: str, line: int, parameters: Parameters):
        self.filename = filename
        self.name = name
        self.line = line
        self.parameters = parameters
        self.body: Run | None = None
        self.generates = False  # whether the body is that of a generator function
        self.locations: dict[Any, Any] = {}


class Frame:
    """One call of an evaluated function, or a comprehension's scope inside it.

    `locals` is a plain dict, so that a branch can run on a snapshot of it. `node` is the expression
    being evaluated.
    """

    __slots__ = ("closure", "code", "globals", "locals", "node", "parent", "result")

    def __init__(
        self,
        code: Code,
        local_values: dict[str, Any],
        global_values: dict[str, Any],
        closure: dict[str, Any],
        parent: Frame | None,
    ):
        self.code = code
        self.locals = local_values
        self.globals = global_values
        self.closure = closure
        self.parent = parent
        self.node: Any = None
        self.result: Any = None

    def lookup_global(self, name: str) -> Any:
        """A name no enclosing evaluated function binds: closure cell, global or builtin."""
        if name in self.closure:
            value = self.closure_value(name)
            if value is ABSENT:
                raise error(NameError, f"free variable '{name}' is used before it has a value")
            return value
        value = self.global_value(name)
        if value is ABSENT:
            value = getattr(builtins, name, ABSENT)
        if value is ABSENT:
            raise error(NameError, f"The name '{name}' is not defined.")
        return value

    def closure_value(self, name: str) -> Any:
        """The value of a closure cell, guarded; ABSENT before it has one."""
        cell = self.closure[name]
        value = value_of(cell, None)
        if state.current.scope is not None:
            state.current.scope.trace.guard(cell, None, value)
        return value

    def global_value(self, name: str) -> Any:
        """The value of a global, guarded; ABSENT where there is none."""
        value = self.globals.get(name, ABSENT)
        if state.current.scope is not None:
            state.current.scope.trace.guard(self.globals, name, value)
        return value


def run_code(code: Code, frame: Frame) -> Any:
    """Runs a function body in a fresh frame; exceptions that leave it carry the user's position."""
    if code.generates:
        return Evaluated(code, frame)
    current = state.current
    before = current.frame
    current.frame = frame
    try:
        assert code.body is not None
        signal = code.body(frame)
        if signal is not None and signal is not RETURN:
            signal.require_return(frame)
        return frame.result
    except Exception as e:
        widened = _as_there(e)
        locate(widened)
        if widened is e:
            raise
        raise widened.with_traceback(e.__traceback__) from e.__cause__
    finally:
        current.frame = before


class Evaluated(Iterator[Any]):
    """A generator whose function is evaluated: its frame is the current one while it runs."""

    def __init__(self, code: Code, frame: Frame):
        assert code.body is not None
        self._frame = frame
        self._steps: Generator[Any, Any, Any] = self._all(code.body(frame))

    def _all(self, steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        yield from steps
        return self._frame.result

    def _run(self, step: Callable[[], Any]) -> Any:
        current = state.current
        before = current.frame
        current.frame = self._frame
        try:
            return step()
        except StopIteration:
            raise
        except Exception as e:
            locate(e)
            raise
        finally:
            current.frame = before

    def __next__(self) -> Any:
        return self._run(lambda: next(self._steps))

    def send(self, value: Any) -> Any:
        return self._run(lambda: self._steps.send(value))

    def throw(self, exception: BaseException) -> Any:
        return self._run(lambda: self._steps.throw(exception))

    def close(self) -> None:
        self._run(self._steps.close)


def _as_there(e: Exception) -> Exception:
    """An error of Python's own; also of the class that MindSpore's graph mode raises for it."""
    if getattr(e, "__cellgrad_located__", False) or hasattr(e, "__cellgrad_raised__"):
        return e
    kind = type(e)
    if kind in (KeyError, ZeroDivisionError) or (
        kind is TypeError and str(e).endswith("is not callable")
    ):
        return either(kind, ValueError)(*e.args)
    return e


def locate(exception: BaseException) -> None:
    """Adds the position being evaluated to an exception raised by foreign code."""
    if getattr(exception, "__cellgrad_located__", False):
        return
    where = state.position()
    if where is None:
        return
    exception.add_note(position_text(where).lstrip("\n"))
    with contextlib.suppress(AttributeError):
        exception.__cellgrad_located__ = True  # type: ignore[attr-defined]


class Closure:
    """A function defined inside evaluated code; its body always runs in the evaluator.

    What it is made of is in slots: its dictionary is the user's, which ``functools.wraps`` copies.
    """

    __slots__ = ("__dict__", "__weakref__", "code", "defaults", "frame", "kwdefaults")

    def __init__(
        self,
        code: Code,
        frame: Frame,
        defaults: tuple[Any, ...],
        kwdefaults: dict[str, Any],
        doc: str | None,
    ):
        self.code = code
        self.frame = frame
        self.defaults = defaults
        self.kwdefaults = kwdefaults
        self.__name__ = code.name
        self.__qualname__ = f"{frame.code.name}.<locals>.{code.name}"
        self.__doc__ = doc
        self.__module__ = frame.globals.get("__name__", "")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self.code.parameters.bind(args, kwargs, self.defaults, self.kwdefaults)
        return run_code(
            self.code, Frame(self.code, bound, self.frame.globals, self.frame.closure, self.frame)
        )

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        import types

        return types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<function {self.__qualname__}>"
