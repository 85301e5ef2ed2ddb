"""What was compiled for one signature, and what that depends on."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from cellgrad import _native
from cellgrad.capture import given as _given
from cellgrad.compile.failures import Checked
from cellgrad.core import hooks as _hooks
from cellgrad.core.context import prefix as _prefix
from cellgrad.core.guards import Guard, all_unchanged
from cellgrad.core.parameter import Parameter
from cellgrad.core.storage import Signature
from cellgrad.core.tensor import Tensor

MOST_KNOWN = 16  # calls that are looked through before all others
_native.set_tensor_types(Tensor, Parameter)
_native.set_call_context(_prefix, _hooks.registered)


class Compiled:
    """A program compiled for one signature."""

    __slots__ = (
        "__weakref__",
        "build",
        "captures",
        "changes",
        "elements",
        "entry",
        "given",
        "guards",
        "modes",
        "numbers",
        "used",
        "widened",
        "written",
    )

    def __init__(
        self,
        entry: Any,
        captures: list[tuple[Tensor, Signature]],
        build: Callable[[list[Any]], Any],
        written: list[Parameter],
        guards: list[Guard],
        elements: list[tuple[Tensor, Signature, bytes]],
    ):
        self.entry = entry
        self.guards = guards
        self.elements = elements
        self.numbers: Any = None  # those that it takes as arguments, see `_eager`
        self.used = True  # since it was last looked at
        self.written = written
        self.captures = captures
        self.build = build
        self.changes = False  # whether it changes containers of its arguments
        self.given: list[_given.Path] = []  # containers of the arguments that it changes or returns
        self.widened: tuple[int, ...] = ()  # inputs in float32 that meet float64
        self.modes: list[tuple[weakref.ref[Any], bool]] = []  # Cells and their training flags

    def run(self, buffers: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call with these arguments returns, given the buffers of all that it reads."""
        results = self.entry(buffers)
        if self.given:
            results = _given.with_given(results, self.given, args, kwargs)
        return self.build(results)

    def add_to(self, known: list[Any], signature: Any, args: tuple[Any, ...]) -> None:
        """Adds a call to those that a program knows, if a look at its tensors says all about it."""
        tensors_alone = all(type(a) is Tensor or type(a) is Parameter for a in args)
        looks_further = self.elements or self.given or self.widened
        entry, explain = self.entry, None
        if type(entry) is Checked:
            entry, explain = entry.entry, entry.explain
        if looks_further or not tensors_alone or type(entry) is not _native.Entry:
            return
        known[:] = [k for k in known if k[0] != signature][1 - MOST_KNOWN :]
        _native.add_known(
            *(known, signature, self, entry, explain),
            *(self.guards, self.captures, self.written, self.build),
        )

    def modes_hold(self) -> bool:
        """Whether the Cells it was compiled from have the training flags they had."""
        return all(getattr(cell(), "training", None) is mode for cell, mode in self.modes)

    def fits(self) -> bool:
        """Whether what was read from around the function is still what it was compiled for."""
        return self.holds() and all(t._sig is sig for t, sig in self.captures)

    def holds(self) -> bool:
        """Whether the names that were looked up still have the values they had, and the tensors
        that were read their elements.
        """
        if not all_unchanged(self.guards):
            return False
        return not self.elements or not self.changed_elements()

    def changed_elements(self) -> list[Tensor]:
        """The tensors that have other elements than those that were read while compiling."""
        return [
            t
            for t, sig, data in self.elements
            if t._sig is not sig or t._buf.view().tobytes() != data
        ]
