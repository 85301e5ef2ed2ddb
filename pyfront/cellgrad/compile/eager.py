"""Operations outside of compiled code: each is a program of its own.

Python numbers in the arguments are constants of a program at first. Where an operation is called with
another number, they are arguments of the next one, which serves all numbers (see `capture.number`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cellgrad.compile import program as _jit
from cellgrad.compile import recompile as _recompile
from cellgrad.compile import resident as _resident
from cellgrad.compile.compiled import Compiled
from cellgrad.core import inputs as _inputs
from cellgrad.core import record
from cellgrad.core.context import prefix as _prefix
from cellgrad.core.number import NeedsValue, Number, Numbers
from cellgrad.core.tensor import Tensor

_FORMS = 8  # programs for one signature, by what operations ask of the numbers
_MOST_SIGNATURES = 4096

programs: dict[Any, _Operation] = {}


class _Free:
    """Stands for an int or a float in a signature."""


_FREE = {int: _Free(), float: _Free()}


class _Bound:
    """A program for any numbers, with those of one call: what `Program` needs of a `Compiled`."""

    __slots__ = ("build", "captures", "entry", "used", "widened", "written")

    def __init__(self, compiled: Compiled, values: tuple[Any, ...]):
        made = {
            id(what): Tensor._wrap(Tensor(compute(values), dtype)._buf, what._sig)
            for what, compute, dtype in compiled.numbers.tensors.values()
        }
        self.captures = [(made.get(id(t), t), sig) for t, sig in compiled.captures]
        self.entry = compiled.entry
        self.build = compiled.build
        self.written = compiled.written
        self.widened = compiled.widened
        compiled.used = True

    def run(self, buffers: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """As `Compiled.run`; an operation changes no containers of its arguments."""
        return self.build(self.entry(buffers))


class _Operation(_jit.Program):
    """The programs of one operation."""

    __slots__ = ("fixed", "seen")
    asks = True

    def __init__(self, function: Callable[..., Any]):
        super().__init__(function, function.__name__.lstrip("_"), (programs, function))
        self.seen: set[Any] = set()  # signatures that were compiled for some numbers
        self.fixed: set[Any] = set()  # arguments whose value is needed while compiling

    def _compile(self, signature: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        free = [k for k, v in given.items() if type(v) in _FREE and k not in self.fixed]
        if not free:
            return super()._compile(signature, args, kwargs)
        key: list[Any] = []
        for k, v in given.items():
            key.append(k)
            _inputs.collect(_FREE[type(v)] if k in free else v, key, [])
        pattern = (*_prefix, *key)
        if pattern not in self.seen:
            if len(self.seen) >= _MOST_SIGNATURES:
                self.seen.clear()
            self.seen.add(pattern)
            return super()._compile(signature, args, kwargs)
        values = tuple([given[k] for k in free])
        for form in range(_FORMS):
            own = (*_prefix, form, *key)
            compiled = self.cache.get(own)
            if compiled is None:
                return self._for_any(own, signature, args, kwargs, free, values)
            if compiled.numbers.holds(values):
                return _Bound(compiled, values)
        self.fixed.update(free)
        return super()._compile(signature, args, kwargs)

    def _for_any(
        self,
        own: Any,
        signature: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        free: list[Any],
        values: tuple[Any, ...],
    ) -> Any:
        """A program that takes the arguments `free`, and has others as constants."""
        with _jit.compiling:
            if own in self.cache:  # since another thread has compiled it
                return self._compile(signature, args, kwargs)
            numbers = Numbers(values)
            new: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
            for i, k in enumerate(free):
                new[k] = Number(numbers, operator.itemgetter(i), frozenset({i}))
            new_args = tuple([new[i] for i in range(len(args))])
            try:
                compiled = self._capture_and_compile(new_args, {k: new[k] for k in kwargs})
            except NeedsValue as e:
                needed = {free[i] for i in e.places}
                self.fixed |= needed
                try:
                    return self._compile(signature, args, kwargs)
                except Exception:
                    self.fixed -= needed  # it was needed for the words of the error
                    raise
            except Exception:
                # With the numbers themselves it works, or says in its own words why not.
                found = super()._compile(signature, args, kwargs)
                self.fixed.update(free)
                return found
            compiled.numbers = numbers
            _recompile.note(self.name, own, self.cache, False, False)
            self.cache[own] = compiled
            self.variants[own] = [compiled]
            _resident.add(self, own, compiled)
            return _Bound(compiled, values)


def run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs an operation outside of a capture."""
    program = programs.get(function)
    if program is None:
        program = programs[function] = _Operation(function)
    return program(args, kwargs)


record.run_eagerly = run
_jit.at_exit(programs.clear)
