"""Builtins that take computed tensors: numbers of them, choices among them, their types and text.

Each is Python's own where no such tensor is among the arguments.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.capture import branches, calls
from cellgrad.capture.merge import truth
from cellgrad.capture.ranges import TensorRange
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import as_tensor, cast_to, reshape_to
from cellgrad.core.scope import as_number, used
from cellgrad.core.tensor import Tensor
from cellgrad.core.text import Text, holds_text
from cellgrad.core.tracer import Tracer, says_how


def class_of(value: Any) -> type:
    """The class that a value has for the code that is compiled."""
    if type(value) is not Tracer:
        return builtins.type(value)
    scope = state.current.scope
    return Parameter if scope is not None and id(value) in scope.trace.origins else Tensor


def _isinstance(value: Any, kinds: Any) -> bool:
    if type(value) is Tracer:
        return issubclass(class_of(value), kinds)
    if type(value) is Text:
        return issubclass(str, kinds)
    return isinstance(value, kinds)


def _type(value: Any, *rest: Any, **kwargs: Any) -> Any:
    if rest:
        return builtins.type(value, *rest, **kwargs)
    return str if type(value) is Text else class_of(value)


def _number(kind: type, dtype: Any) -> Callable[..., Any]:
    def convert(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or kwargs or type(args[0]) is not Tracer:
            used(*args)
            return kind(*args, **kwargs)
        (x,) = args
        if kind is bool:
            return _made_of(x, as_number(truth(x)))
        if x.size != 1:
            raise error(
                ValueError,
                f"{kind.__name__}() takes a tensor of one element, but got one of shape "
                f"{list(x.shape)}.",
            )
        return _number_of(x, dtype)

    return convert


def _number_of(x: Tensor, dtype: Any) -> Any:
    """The only element. As in Python, what is computed from the number has no derivative by the tensor."""
    out = as_number(ops.stop_gradient(cast_to(reshape_to(x, ()), dtype)))
    return _made_of(x, out) if dtype in (mstype.int64, mstype.bool_) else out


def _made_of(x: Tensor, out: Any) -> Any:
    """A number that says how where `x` does."""
    if type(x) is Tracer and type(out) is Tracer and out is not x and says_how(x):
        out._source = x
    return out


# The dtypes that elements are numbers in, where theirs has not all digits that a number of Python's has.
_WIDE = {"i": mstype.int64, "u": mstype.int64, "f": mstype.float32}


def _item(x: Tensor) -> Any:
    if type(x) is not Tracer or x.dtype.kind == "c":
        return x.item()
    if x.size != 1:
        raise error(ValueError, x._ambiguous())
    kept = x.dtype in (mstype.bool_, mstype.float64, mstype.uint64)
    return _number_of(x, x.dtype if kept else _WIDE[x.dtype.kind])


def _extremum(pick: Callable[..., Any], better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        items = args[0] if len(args) == 1 else args
        if isinstance(items, TensorRange) or not hasattr(items, "__iter__"):
            return pick(*args, **kwargs)
        items = list(items)
        if not any(type(v) is Tracer for v in items) or kwargs.get("key") is not None:
            return calls.call_plain(pick, (items,) if items else args, kwargs)
        best = items[0]
        for v in items[1:]:
            wins = better(v, best)
            if not isinstance(wins, Tensor):
                best = v if wins else best
                continue
            a, b = (as_tensor(t, pick.__name__) for t in (v, best))
            if a.size != 1 or b.size != 1:
                truth(wins)  # says what is wrong
            kind = _common(v, best)
            best = ops.where(
                reshape_to(wins, ()),
                cast_to(reshape_to(a, ()), kind),
                cast_to(reshape_to(b, ()), kind),
            )
        return best

    return run


def _common(a: Any, b: Any) -> Any:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return mstype.promote(a.dtype, b.dtype)
    tensor, number = (a, b) if isinstance(a, Tensor) else (b, a)
    return mstype.promote_number(tensor.dtype, number)


def _any(items: Any) -> Any:
    found = [truth(v) if isinstance(v, Tensor) else v for v in _listed(items)]
    if any(isinstance(v, Tensor) for v in found):
        return branches.any_flag([v if isinstance(v, Tensor) else bool(v) for v in found])
    return builtins.any(found)


def _all(items: Any) -> Any:
    found = [truth(v) if isinstance(v, Tensor) else v for v in _listed(items)]
    if not any(isinstance(v, Tensor) for v in found):
        return builtins.all(found)
    out: Any = True
    for v in found:
        if isinstance(v, Tensor):
            out = v if out is True else branches.both(out, v)
        elif not v:
            return False
    return out


def _listed(items: Any) -> list[Any]:
    used(items)
    return list(items)


def _str(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and holds_text(args[0]):
        return Text.of(args[0])
    used(*args)
    return str(*args, **kwargs)


def _repr(value: Any) -> Any:
    if holds_text(value):
        return Text.of(value, inside=True)
    used(value)
    return repr(value)


calls.replaced |= {
    builtins.isinstance: _isinstance,
    builtins.type: _type,
    builtins.bool: _number(bool, mstype.bool_),
    builtins.int: _number(int, mstype.int64),
    builtins.float: _number(float, mstype.float32),
    builtins.max: _extremum(max, lambda a, b: a > b),
    builtins.min: _extremum(min, lambda a, b: a < b),
    builtins.any: _any,
    builtins.all: _all,
    builtins.str: _str,
    builtins.repr: _repr,
    Tensor.item: _item,
}
