"""Values that differ between two ways through a program, as values that compiled code selects.

A number becomes a tensor where it has to be computed at run time: bool a Bool, int an Int64 and
float a scalar of the default dtype, or the dtype of the tensor it meets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.exact import same
from cellgrad.core.nodes import fields_of, is_record, with_fields
from cellgrad.core.record import cast_to, reshape_to, splat
from cellgrad.core.scope import used
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import holds_tensors

_NUMBERS = (bool, int, float)
_LEAVES = (Tensor, bool, int, float)


class Missing:
    """A name that has no value yet."""

    def __repr__(self) -> str:
        return "unbound"


MISSING = Missing()


class Unbound:
    """A name that only one way through a branch, or no trip of a loop, gives a value. `where` ends a sentence about
    the name in MindSpore's words, which programs look for.
    """

    __slots__ = ("where", "why")

    def __init__(self, why: str, where: str):
        self.why = why
        self.where = where

    def fail(self, name: str) -> Exception:
        return error(
            UnboundLocalError,
            f"Variable '{name}' may have no value here: {self.why}. The local variable '{name}' {self.where}.",
            f"give '{name}' a value of the same shape and dtype before it",
        )


class Conflict(Exception):
    """Two values that no compiled code can select between; the text says why."""


class Merged:
    """The common form of two nested values.

    `take` gives the leaves of such a value that are computed at run time, `signatures` the tensors
    they become, and `build` the value again from an iterator of those.
    """

    __slots__ = ("build", "signatures", "take")

    def __init__(
        self,
        build: Callable[[Any], Any],
        take: Callable[[Any], list[Any]],
        signatures: list[Signature],
    ):
        self.build = build
        self.take = take
        self.signatures = signatures


def _constant(value: Any) -> Merged:
    return Merged(lambda leaves: value, lambda v: [], [])


def _leaf(sig: Signature) -> Merged:
    return Merged(next, lambda v: [v], [sig])


def _nested(value: Any, parts: dict[Any, Merged]) -> Merged:
    """The form of a tuple, list or dict from those of its items."""

    def build(leaves: Any) -> Any:
        items = {k: p.build(leaves) for k, p in parts.items()}
        if isinstance(value, dict):
            return items
        if is_record(value):
            return with_fields(type(value), items)
        kind = type(value)
        return kind(*items.values()) if hasattr(kind, "_fields") else kind(items.values())

    def take(v: Any) -> list[Any]:
        own = fields_of(v) if is_record(v) else v
        return [leaf for k, p in parts.items() for leaf in p.take(own[k])]

    return Merged(build, take, [s for p in parts.values() for s in p.signatures])


def _keys(value: Any) -> Any:
    return value if isinstance(value, dict) else range(len(value))


def number_signature(value: bool | int | float) -> Signature:
    """The tensor that a number becomes."""
    kind = (
        mstype.bool_
        if isinstance(value, bool)
        else mstype.int64
        if isinstance(value, int)
        else mstype.default_float()
    )
    return signature(kind, ())


def merge(a: Any, b: Any) -> Merged:
    """The common form of two values. What is the same in both stays a Python value.

    Raises:
        Conflict: there is none.
    """
    if a is b:
        return _constant(a)
    numbers = not isinstance(a, Tensor) and not isinstance(b, Tensor)
    if isinstance(a, _LEAVES) and isinstance(b, _LEAVES):
        if numbers and type(a) is type(b) and repr(a) == repr(b):
            return _constant(a)
        return _leaf(_join(a, b))
    if (isinstance(a, tuple | list) and type(a) is type(b) and len(a) == len(b)) or (
        isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys()
    ):
        return _nested(a, {k: merge(a[k], b[k]) for k in _keys(a)})
    if is_record(a) and type(a) is type(b):
        own, other = fields_of(a), fields_of(b)
        if own.keys() == other.keys():
            return _nested(a, {k: merge(own[k], other[k]) for k in own})
    if numbers and same(a, b):
        return _constant(a)
    raise Conflict(f"{describe(a)} in one case and {describe(b)} in the other")


def whole(value: Any) -> Merged:
    """The form of a value of which all tensors and numbers are computed at run time."""
    if isinstance(value, Tensor):
        return _leaf(value._sig)
    if isinstance(value, _NUMBERS):
        return _leaf(number_signature(value))
    if isinstance(value, tuple | list | dict):
        return _nested(value, {k: whole(value[k]) for k in _keys(value)})
    if is_record(value) and holds_tensors(value):
        return _nested(value, {k: whole(v) for k, v in fields_of(value).items()})
    return _constant(value)


def _join(a: Any, b: Any) -> Signature:
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        kinds = number_signature(a).dtype, number_signature(b).dtype
        return signature(mstype.promote(*kinds), ())
    if not isinstance(b, Tensor):
        a, b = b, a
    if not isinstance(a, Tensor):
        if b.shape != ():
            raise Conflict(
                f"a number in one case and a tensor of shape {list(b.shape)} in the other"
            )
        return signature(mstype.promote_number(b.dtype, a), ())
    if a.shape != b.shape:
        raise Conflict(f"of shape {list(a.shape)} in one case and {list(b.shape)} in the other")
    return signature(mstype.promote(a.dtype, b.dtype), a.shape)


def describe(value: Any) -> str:
    """A value in the words of an error message."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {list(value.shape)} and dtype {value.dtype.title}"
    if value is MISSING or isinstance(value, Unbound):
        return "without a value"
    if value is None:
        return "None"
    if isinstance(value, tuple | list | dict):
        return f"a {type(value).__name__} of {len(value)}"
    text = repr(value)
    return text if len(text) < 40 else f"a {type(value).__name__}"


def as_leaf(value: Any, sig: Signature) -> Tensor:
    """A tensor or number with the signature it is merged to, in the current scope."""
    if isinstance(value, Tensor):
        return cast_to(value, sig.dtype)
    return splat(value, sig.dtype, sig.shape)


def zero(sig: Signature) -> Tensor:
    """What stands for a value that is not there."""
    return splat(0, sig.dtype, sig.shape)


NO_TRUTH = "The truth value of an array with more than one element"  # begins the error of `truth`


def truth(value: Any) -> Tensor | bool:
    """A condition: a Python bool, or a Bool tensor of one element without dimensions. A tensor from
    around the compiled code is an input like others.

    Raises:
        ValueError: a tensor of several elements.
    """
    if not isinstance(value, Tracer):
        scope = state.current.scope
        if not isinstance(value, Tensor) or scope is None or scope.made_here(value):
            used(value)
            return bool(value)
        value = scope.copied(value)
    if value.size != 1:
        raise error(
            ValueError,
            f"{NO_TRUTH} is ambiguous. A condition is a tensor of shape {list(value.shape)}.",
            "reduce it to one, with .all() or .any(), or choose by element with ops.where",
        )
    return reshape_to(cast_to(value, mstype.bool_), ())
