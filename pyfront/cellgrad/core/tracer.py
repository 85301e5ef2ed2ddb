"""Tracer: a tensor that compiled code will compute; it has a type but no elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.dynamic import dynamic
from cellgrad.core.errors import NotCompilable, Position, error
from cellgrad.core.foreign import function_called
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor

if TYPE_CHECKING:
    from cellgrad.core.scope import Scope


# Integers that say how an operation computes (axes, shapes) are no more than this.
_FEW = 256


class NeedsElements(BaseException):
    """The elements of an input are needed while compiling. No error, so that operations do not catch it."""

    def __init__(self, place: int):
        super().__init__()
        self.place = place  # among the tensors of the call


def says_how(x: Tensor) -> bool:
    """Whether a tensor may be an axis, a shape, a setting or the like."""
    return x.size <= (1 if x.dtype.kind == "b" else _FEW) and x.dtype.kind in "iub"


def elements(x: Tensor, what: str) -> np.ndarray[Any, Any]:
    """Elements that are a shape, an axis or the like: code may be compiled for those of an input."""
    return x._fixed(what) if isinstance(x, Tracer) else x._concrete(what)


class Tracer(Tensor):
    """An SSA value of a scope. Operators append ops; what needs elements is refused."""

    __slots__ = ("_known", "_parts", "_scope", "_source", "_used", "_value")

    _is_traced = True

    _value: Any
    _parts: Any  # of complex numbers, where they are known: see `core.pairs`
    _known: Tensor | None  # the same with elements, of integers that the code has as a constant
    _source: Tracer | None  # the integer or bool that a number such as ``int(x)`` is made of
    _used: bool  # whether something of the program has it as an operand
    _scope: Scope

    @property
    def _buf(self) -> NoReturn:
        self._concrete("this")

    def __init__(self, value: Any, scope: Scope, like: Signature | None = None):
        """A native value, of the dtype of `like` where the value does not say it: of pairs."""
        self._value = value
        self._scope = scope
        self._used = False
        self._parts = self._known = self._source = None
        shape: tuple[int, ...] = value.shape
        if like is not None and like.dtype.kind == "c":
            self._sig = signature(like.dtype, shape[:-1])
        else:
            self._sig = signature(mstype.BY_NATIVE[value.dtype], shape)

    def _concrete(self, what: str) -> NoReturn:
        if self._scope.trace.asks:
            self._ask()
        if self._scope.trace.closed:
            raise leaked(self)
        if what == "bool()":
            raise error(
                NotCompilable,
                f"A condition depends on the elements of a tensor ({self._type_text()}), which "
                f"are not known while compiling.",
                "write the choice as data: ops.where(cond, a, b) or ops.select(cond, a, b); "
                "a condition on x.shape, x.dtype or Python values is fine",
            )
        raise error(
            NotCompilable,
            f"{what} needs the elements of a tensor ({self._type_text()}), which are not known "
            f"while compiling.",
            function_called(state.current.frame)
            or "keep the computation in ops, or return the "
            "tensor and convert it outside the compiled function",
        )

    def _fixed(self, what: str) -> np.ndarray[Any, Any]:
        """The elements of an input of the program: it is compiled for them, as for a number in their place."""
        if self._source is not None:
            found = self._source._fixed(what).reshape(self.shape)
            return found.astype(np.bool_ if self.dtype.kind == "b" else np.int64)
        trace, root = self._scope.trace, self.root()
        if says_how(self) and not trace.closed:
            if type(root) is Tensor and root._sig == self._sig:
                return root._concrete(what)
            if isinstance(root, int) and trace.fixes and trace.plain[root] == self._sig:
                raise NeedsElements(root)
        self._concrete(what)

    def root(self) -> int | Tensor | None:
        """Which input of the program this is, by its place, or the tensor with elements that it stands for."""
        for own, root in zip(self._scope.inputs, self._scope.roots, strict=False):
            if own is self:
                found: int | Tensor | None = root
                return found
        return self._known

    def _ask(self) -> None:
        """Asks for the elements, if it is an input that may be an axis or the like."""
        if says_how(self) and not self._scope.trace.closed:
            for place, given in enumerate(self._scope.inputs):
                if given is self:
                    raise NeedsElements(place)

    def _type_text(self) -> str:
        return f"shape={list(self.shape)}, dtype={self.dtype.title}"

    def _is_number(self) -> bool:
        """Whether it stands for a number of Python's, such as ``int(x)``."""
        return id(self) in self._scope.trace.numbers

    def __bool__(self) -> bool:
        if self._is_number():
            return bool(self._fixed("bool()"))
        self._concrete("bool()")

    def __float__(self) -> float:
        self._concrete("float()")

    def __complex__(self) -> complex:
        self._concrete("complex()")

    def __int__(self) -> int:
        self._concrete("int()")

    def __index__(self) -> int:
        self._concrete("an index")

    def __str__(self) -> str:
        state = "of compiled code, no elements" if self._scope.trace.closed else "being compiled"
        return f"Tensor({self._type_text()}, {state})"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        self._concrete("a formatted string")

    def assign_value(self, value: Tensor) -> Tensor:
        raise error(
            TypeError, "assign_value() changes a tensor in place, which compiled code does not do."
        )


def leaked(tracer: Tracer) -> Exception:
    """The error for a tracer used after, or outside of, the function that made it."""
    return dynamic(
        error(
            RuntimeError,
            f"A tensor computed inside '{tracer._scope.name}' ({tracer._type_text()}) is used outside "
            f"of it: it was kept in a list, "
            "global or attribute while the function was being compiled, and holds no elements.",
            "return it from the function instead",
        )
    )


def lost_error(place: Position | None) -> Exception:
    """The error for reading a tensor that has a view whose elements were assigned."""
    line = f" (line {place.line})" if place is not None else ""
    return error(
        TypeError,
        f"A tensor is read after elements of a view of it, such as x.T, x.view(...) or a row of a loop, or of what "
        f"is the same tensor in one way of a branch or loop, were assigned{line}: compiled code does not write "
        "these through.",
        "assign by an index of the tensor itself, x[i] = value, or make the other one a copy: "
        "y = x.reshape(...).copy()",
    )


def differentiates(tensor: Tensor) -> bool:
    """Whether a derivative by a tensor may be taken where the code is now."""
    scope, tape = state.current.scope, state.current.tape
    if scope is not None:
        return bool(scope.trace.active) and isinstance(tensor, Tracer)
    return tape is not None and tape.tracks(tensor)
