"""What a compiled call returns: the structure of results that the function returned when it was captured."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from cellgrad import _native
from cellgrad.capture import given as _given
from cellgrad.capture.changes import was_there
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.frame import Closure, Evaluated
from cellgrad.core.nodes import fields_of, is_record, with_fields
from cellgrad.core.number import NeedsValue, Number
from cellgrad.core.parameter import Parameter
from cellgrad.core.scope import Scope, Trace
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.text import Text
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import find_inside, holds_tensors

__all__ = ["builder"]

_wrap = Tensor._wrap

# What a view of a dictionary and an iterator of the code's own are as results, as in MindSpore.
_VIEWS: dict[Any, Any] = {
    **dict.fromkeys((type({}.keys()), type({}.values()), range, zip, enumerate, map), tuple),
    **dict.fromkeys((type({}.items()), filter, type(iter([]))), list),
}


def builder(out: Any, scope: Scope, leaves: list[Any]) -> Callable[[list[Any]], Any]:
    """How to make the returned value from result buffers; appends native values to `leaves`."""
    if isinstance(out, Parameter) and not (scope.trace.bake or id(out) in scope.written):
        return lambda buffers: out  # itself, as in Python
    if isinstance(out, Tensor):
        value = scope.value(out)
        sig = out._sig
        try:
            i = leaves.index(value)
        except ValueError:
            i = len(leaves)
            leaves.append(value)
            if id(out) in scope.trace.numbers and not scope.trace.bake:
                return lambda buffers: _wrap(buffers[i], sig).item()
            if _has_batch(sig, scope.trace):
                return _native.Made.of_batch(i, sig, _of_batch)
            return _native.Made.tensor(i, sig)
        if _has_batch(sig, scope.trace):
            return lambda buffers: _wrap(buffers[i].copy(), _of_batch(sig, buffers[i]))
        # Changes in place to one of two results leave the other.
        return lambda buffers: _wrap(buffers[i].copy(), sig)
    if isinstance(out, Text):
        texts = [builder(v, scope, leaves) for v in out.parts]
        return lambda buffers: "".join([str(t(buffers)) for t in texts])
    own = type(out) in (list, dict) or id(out) in scope.trace.given
    if own and not scope.trace.bake and was_there(scope.trace, out):
        at = _given.at(scope.trace, out)
        if at is None:
            return lambda buffers: out  # from around the code: itself, as in Python
        if _given.as_given(scope.trace, out):
            return lambda buffers: buffers[at]
    if type(out) in _VIEWS and (not isinstance(out, Iterator) or id(out) in scope.trace.created):
        out = _VIEWS[type(out)](out)
    if isinstance(out, tuple | list):
        parts: list[Any] = [builder(v, scope, leaves) for v in out]
        if not hasattr(out, "_fields") and all(isinstance(p, _native.Made) for p in parts):
            return _native.Made.sequence(parts, isinstance(out, list))
        if isinstance(out, list):
            return lambda buffers: [p(buffers) for p in parts]
        if hasattr(out, "_fields"):
            kind = type(out)
            return lambda buffers: kind(*[p(buffers) for p in parts])
        return lambda buffers: tuple([p(buffers) for p in parts])
    if isinstance(out, dict) and not any(_holds_tracer(k, scope.trace) for k in out):
        items = {k: builder(v, scope, leaves) for k, v in out.items()}
        return lambda buffers: {k: p(buffers) for k, p in items.items()}
    if is_record(out) and holds_tensors(out):
        fields, record = builder(fields_of(out), scope, leaves), type(out)
        return lambda buffers: with_fields(record, fields(buffers))
    if isinstance(out, Iterator | Coroutine) or _holds_tracer(out, scope.trace):
        title = "generator" if isinstance(out, Evaluated) else type(out).__name__
        raise error(
            NotCompilable,
            f"'{scope.trace.graph_name}' returns a {title}, which compiled code cannot "
            "return: it holds tensors that exist only while the function is compiled.",
            "return a Tensor, or a dataclass, tuple, list or dict of them: tuple(...) collects "
            "what an iterator or a set gives",
        )
    if type(out) is Number:
        raise NeedsValue(out.places)
    return lambda buffers: out


def _has_batch(sig: Signature, trace: Trace) -> bool:
    """Whether a result has any number of samples."""
    return trace.stand_in > 0 and sig.shape[:1] == (trace.stand_in,)


def _of_batch(sig: Signature, buffer: Any) -> Signature:
    """The signature with as many samples as a result has."""
    return signature(sig.dtype, (buffer.shape[0], *sig.shape[1:]))


def _holds_tracer(value: Any, trace: Trace) -> bool:
    """Whether a value that is no container of results keeps a tensor of this trace. Functions that
    were defined in compiled code say so when they are called.
    """
    return find_inside(
        value, lambda v: isinstance(v, Tracer) and v._scope.trace is trace, (Closure,)
    )
