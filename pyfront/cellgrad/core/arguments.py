"""Checks of arguments: one function for each mistake, so that it is told the same way everywhere.

A check gives the argument back, or raises "For 'op', 'argument' must be ..., but got ...". It is called
with the argument, the name of the operation or class, and the argument's name. Tensors as arguments are
in `record`, which makes them of arrays. A guard that relates several arguments to each other, with
a reason of its own, stays where it is.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from cellgrad.core.dtype import Type
from cellgrad.core.errors import E, error, nearest
from cellgrad.core.tensor import Tensor

T = TypeVar("T")

_PLAIN = (bool, int, float, str)  # of exactly these types, so that a `Number` is not printed
_LONGEST = 40
_KINDS = {
    "b": "bools",
    "f": "floating-point numbers",
    "i": "integers",
    "iu": "integers",
    "biu": "integers or bools",
    "iuf": "numbers",
    "iufc": "numbers",
    "biuf": "real numbers or bools",
}


def argument_error(
    kind: type[E],
    op: str,
    argument: str,
    expected: str,
    given: Any,
    hint: str = "",
) -> E:
    """The error of an argument that is not what is `expected`.

    A TypeError names the type of what is given, any other error what it is.
    """
    got = _type_text(given) if issubclass(kind, TypeError) else _value_text(given)
    return error(kind, f"For '{op}', '{argument}' must be {expected}, but got {got}.", hint)


def _value_text(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value._sig!r}"
    return value.title if isinstance(value, Type) else repr(value)


def _is_plain(value: Any, depth: int = 3) -> bool:
    if type(value) in (tuple, list):
        return depth > 0 and all(_is_plain(v, depth - 1) for v in value)
    return value is None or type(value) in _PLAIN


def _type_text(value: Any) -> str:
    """The type of a value, and the value if that is short."""
    if value is None:
        return "None"
    name: str = value.__class__.__name__
    if isinstance(value, Tensor) and name == "Tracer":
        return "Tensor"
    text = repr(value) if _is_plain(value) else ""
    return f"{name} {text}" if 0 < len(text) <= _LONGEST else name


def _listed(words: Iterable[str]) -> str:
    """``a, b or c``."""
    *most, end = words
    return f"{', '.join(most)} or {end}" if most else end


def _named(kinds: Iterable[Any]) -> str:
    """``a str``, ``an Optimizer or None``."""
    text = _listed("None" if k is types.NoneType else k.__name__ for k in kinds)
    return text if text == "None" else f"{'an' if text[0] in 'AEIOUaeio' else 'a'} {text}"


# --- types ------------------------------------------------------------------------------------


@overload
def check_instance(
    value: Any, op: str, argument: str, kind: type[T], *, expected: str = ..., hint: str = ...
) -> T: ...
@overload
def check_instance(
    value: Any, op: str, argument: str, kind: Any, *, expected: str = ..., hint: str = ...
) -> Any: ...
def check_instance(
    value: Any, op: str, argument: str, kind: Any, *, expected: str = "", hint: str = ""
) -> Any:
    """An object of a class, or of one in a union: ``check_instance(net, "Model", "net", Cell)``.

    Raises:
        TypeError: an object of another class.
    """
    if isinstance(value, kind):
        return value
    kinds = getattr(kind, "__args__", (kind,))
    if not hint and kinds[0] is float and type(value) is int:
        hint = f"write {value}.0"
    elif not hint and kinds[0] is Tensor and value is not None and _is_plain(value):
        hint = f"write ms.Tensor({value!r})"
    raise argument_error(TypeError, op, argument, expected or _named(kinds), value, hint)


def check_bool(value: Any, op: str, argument: str) -> bool:
    """True or False, also what ``bool(x)`` is of an input of a program: it is compiled for its value then.

    Raises:
        TypeError: anything else.
    """
    if isinstance(value, bool):
        return value
    if _stands_for(value, "b"):
        return bool(value._fixed(f"'{argument}' of {op}"))
    raise argument_error(TypeError, op, argument, "a bool", value)


def _stands_for(value: Any, kind: str) -> bool:
    """Whether it is an int or bool that Python made of a tensor, in code that is being compiled."""
    if not isinstance(value, Tensor) or not value._is_traced or value.dtype.kind != kind:
        return False
    traced: Any = value
    return bool(traced._is_number())


def check_callable(value: T, op: str, argument: str, expected: str = "callable") -> T:
    """A function or another object that can be called.

    Raises:
        TypeError: anything else.
    """
    if callable(value):
        return value
    called = "pass the function itself, not the result of calling it"
    raise argument_error(
        TypeError, op, argument, expected, value, called if isinstance(value, Tensor) else ""
    )


def check_sequence(
    value: Any, op: str, argument: str, of: str, kind: Any = object, *, empty: bool = False
) -> Sequence[Any]:
    """A tuple or list, with elements of a class where one is given; `of` says what they are.

    Raises:
        TypeError: something else, or another element.
        ValueError: no elements, without `empty`.
    """
    if not isinstance(value, tuple | list):
        hint = f"put it into a tuple: ({argument},)" if isinstance(value, Tensor) else ""
        raise argument_error(TypeError, op, argument, f"a tuple or list of {of}", value, hint)
    if not value and not empty:
        raise error(ValueError, f"For '{op}', '{argument}' must not be empty.")
    if kind is not object:
        for i, element in enumerate(value):
            if not isinstance(element, kind):
                raise error(
                    TypeError,
                    f"For '{op}', '{argument}' must be a tuple or list of {of}, but "
                    f"{argument}[{i}] is {_type_text(element)}.",
                )
    return value


# --- numbers ----------------------------------------------------------------------------------


def _check_range(
    value: Any, op: str, argument: str, least: Any, above: Any, most: Any, below: Any, kind: type[E]
) -> None:
    """Refuses a number outside of bounds, and NaN."""
    if (
        (least is None or value >= least)
        and (above is None or value > above)
        and (most is None or value <= most)
        and (below is None or value < below)
    ):
        return
    low, high = (above if least is None else least), (below if most is None else most)
    if low is None:
        expected = f"at most {most}" if below is None else f"less than {below}"
    elif high is None and (above == 0 or (least == 1 and isinstance(value, int))):
        expected = "positive"
    elif high is None:
        expected = f"at least {least}" if above is None else f"greater than {above}"
    else:
        expected = f"in {'(' if least is None else '['}{low}, {high}{')' if most is None else ']'}"
    raise argument_error(kind, op, argument, expected, value)


def check_int(
    value: Any,
    op: str,
    argument: str,
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    below: int | None = None,
    outside: type[Exception] = ValueError,
) -> int:
    """An int of Python's or numpy's, and no bool, within bounds; also what ``int(x)`` is of an input of a program.

    Raises:
        TypeError: something else.
        ValueError: an int outside of the bounds, or the error given as `outside`.
    """
    if type(value) is not int:
        if isinstance(value, np.integer):
            value = int(value)
        elif _stands_for(value, "i"):
            value = int(value._fixed(f"'{argument}' of {op}"))
        elif isinstance(value, bool) or not isinstance(value, int):
            raise argument_error(TypeError, op, argument, "an int", value)
    if at_least is not None or at_most is not None or below is not None:
        _check_range(value, op, argument, at_least, None, at_most, below, outside)
    return value  # type: ignore[no-any-return]


def check_number(
    value: Any,
    op: str,
    argument: str,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
) -> float:
    """An int or float of Python's or numpy's, and no bool, within bounds.

    Raises:
        TypeError: something else.
        ValueError: a number outside of the bounds, or NaN where there are bounds.
    """
    if type(value) is not float and type(value) is not int:
        if isinstance(value, np.integer | np.floating):
            value = value.item()
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise argument_error(TypeError, op, argument, "a number", value)
    if at_least is not None or above is not None or at_most is not None or below is not None:
        _check_range(value, op, argument, at_least, above, at_most, below, ValueError)
    return value


def check_ints(
    value: Any, op: str, argument: str, count: int, *, at_least: int | None = None
) -> tuple[int, ...]:
    """`count` ints, from a tuple or list of as many or from one int for all of them.

    Raises:
        TypeError: something else.
        ValueError: another number of them, or an int below `at_least`.
    """
    given = value if isinstance(value, tuple | list) else (value,)
    if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in given):
        raise argument_error(TypeError, op, argument, _ints_text(count), value)
    if len(given) not in (1, count):
        raise argument_error(ValueError, op, argument, _ints_text(count), value)
    if at_least is not None and any(v < at_least for v in given):
        raise argument_error(ValueError, op, argument, f"at least {at_least}", value)
    return tuple(int(v) for v in given) * (1 if len(given) == count else count)


def _ints_text(count: int) -> str:
    return "an int" if count == 1 else f"an int or a tuple of {count} ints"


# --- choices ----------------------------------------------------------------------------------


def check_one_of(
    value: T, op: str, argument: str, choices: Collection[Any], kind: type[Exception] = ValueError
) -> T:
    """One of a few values, mostly names.

    Raises:
        ValueError: another value, or the error given as `kind`.
    """
    for choice in choices:
        if value is choice or (not isinstance(value, Tensor | np.ndarray) and value == choice):
            return value
    known = [c.name if isinstance(c, Type) else repr(c) for c in choices]
    close = nearest(value, map(str, choices)) if isinstance(value, str) and len(known) > 3 else ""
    raise error(
        kind,
        f"For '{op}', '{argument}' must be {'one of ' * (len(known) > 3)}{_listed(known)}, "
        f"but got {_value_text(value)}.",
        close if close.startswith("nearest") else "",
    )


# --- tensors ----------------------------------------------------------------------------------


def check_dtype(x: Tensor, op: str, argument: str, kinds: str) -> Tensor:
    """A tensor of bools (kinds has "b"), integers ("i", "u") or floating-point numbers ("f").

    Raises:
        TypeError: a tensor of another dtype.
    """
    if x.dtype.kind in kinds:
        return x
    to = {"b": "ms.bool_", "f": "ms.float32"}.get(kinds, "ms.int32")
    hint = f"convert it first: {argument}.astype({to})"
    if x.dtype.kind == "c":  # its imaginary parts would be lost
        hint = f"compute with its parts, ops.real({argument}) and ops.imag({argument})"
    raise error(
        TypeError,
        f"For '{op}', '{argument}' must be of {_KINDS[kinds]}, but got {x.dtype.title}.",
        hint,
    )


def check_ndim(
    x: Tensor,
    op: str,
    argument: str,
    *wanted: int,
    at_least: int = 0,
    at_most: int | None = None,
) -> Tensor:
    """A tensor of so many dimensions, or within bounds.

    Raises:
        ValueError: a tensor of another number of dimensions.
    """
    ndim = x.ndim
    if ndim in wanted if wanted else at_least <= ndim and (at_most is None or ndim <= at_most):
        return x
    if wanted:
        count, last = _listed(str(n) if n else "no" for n in wanted), wanted[-1]
    else:
        last = at_least if at_most is None else at_most
        count = f"at {'least' if at_most is None else 'most'} {'one' if last == 1 else last}"
    raise error(
        ValueError,
        f"For '{op}', '{argument}' must have {count} dimension{'s' * (last != 1)}, but got shape "
        f"{list(x.shape)}.",
    )


def check_shape(x: Tensor, op: str, argument: str, shape: Sequence[int], why: str = "") -> Tensor:
    """A tensor of a shape; `why` says where it comes from.

    Raises:
        ValueError: a tensor of another shape.
    """
    if x.shape == tuple(shape):
        return x
    raise error(
        ValueError,
        f"For '{op}', '{argument}' must have shape {list(shape)}{why and ', ' + why}, but got "
        f"{list(x.shape)}.",
    )


def check_same_shape(
    x: Tensor, y: Tensor, op: str, arguments: tuple[str, str], hint: str = ""
) -> None:
    """Refuses two tensors of different shapes, with a ValueError."""
    if x.shape != y.shape:
        raise error(
            ValueError,
            f"For '{op}', '{arguments[0]}' and '{arguments[1]}' must have one shape, but got "
            f"{list(x.shape)} and {list(y.shape)}.",
            hint,
        )


def check_same_dtype(x: Tensor, y: Tensor, op: str, arguments: tuple[str, str]) -> None:
    """Refuses two tensors of different dtypes, with a TypeError."""
    if x.dtype is not y.dtype:
        raise error(
            TypeError,
            f"For '{op}', '{arguments[0]}' and '{arguments[1]}' must have the same dtype, but got "
            f"{x.dtype.title} and {y.dtype.title}.",
            f"convert one of them: {arguments[1]}.astype(ms.{x.dtype.name})",
        )


def check_same_length(
    first: Sequence[Any], second: Sequence[Any], op: str, arguments: tuple[str, str]
) -> None:
    """Refuses two sequences of different lengths, with a ValueError."""
    if len(first) != len(second):
        raise error(
            ValueError,
            f"For '{op}', '{arguments[0]}' and '{arguments[1]}' must have as many elements, but got "
            f"{len(first)} and {len(second)}.",
        )
