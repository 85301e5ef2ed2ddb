"""Checks of arguments that programs take from ``mindspore._checkparam``, with the errors and texts of MindSpore 2.10.

Each gives the argument back. `arg_name` and `prim_name` are what errors call it, and whose it is. The package's
own checks are those of `core.arguments`.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from cellgrad.core.errors import E, error

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])

EQ, NE, LT, LE, GT, GE = range(1, 7)
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = range(7, 11)
IN, NOT_IN = 11, 12

_RELATIONS: dict[int, tuple[str, Callable[[Any, Any], bool]]] = {
    EQ: ("=", operator.eq),
    NE: ("!=", operator.ne),
    LT: ("<", operator.lt),
    LE: ("<=", operator.le),
    GT: (">", operator.gt),
    GE: (">=", operator.ge),
    IN: ("in", lambda value, several: value in several),
    NOT_IN: ("not in", lambda value, several: value not in several),
}
_RANGES: dict[int, tuple[str, bool, bool]] = {  # as text, and which ends belong to it
    INC_NEITHER: ("({}, {})", False, False),
    INC_LEFT: ("[{}, {})", True, False),
    INC_RIGHT: ("({}, {}]", False, True),
    INC_BOTH: ("[{}, {}]", True, True),
}


def _wrong(kind: type[E], prim_name: str | None, text: str) -> E:
    return error(kind, f"For '{prim_name}', {text}" if prim_name else text[0].upper() + text[1:])


def _called(arg_name: str | None) -> str:
    return f"the '{arg_name}'" if arg_name else "the input value"


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    """A bool is no int here."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return isinstance(value, kind) and (not isinstance(value, bool) or bool in kinds)


def check(
    arg_name: str,
    arg_value: T,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> T:
    """A value in a relation to another one, which has a name.

    Raises:
        ValueError: it is not, or `excp_cls`.
    """
    word, holds = _RELATIONS[rel]
    if not holds(arg_value, value):
        called = f"the '{arg_name}'" if " " not in arg_name else f"the {arg_name}"
        text = f"{called} should be {word} {value_name}: {value}, but got {arg_value}."
        raise _wrong(excp_cls, prim_name, text)
    return arg_value


def _check_related(
    kind: type, arg_value: T, value: Any, rel: int, arg_name: str | None, prim_name: str | None
) -> T:
    word, holds = _RELATIONS[rel]
    called, got = _called(arg_name), type(arg_value).__name__
    must = f"{called} must be {kind.__name__}"
    relation = f"{must} and must {word} {value}, but got '{arg_value}' with type '{got}'."
    if isinstance(arg_value, bool):
        raise _wrong(TypeError, prim_name, relation)
    if not isinstance(arg_value, kind):
        raise _wrong(TypeError, prim_name, f"{must}, but got '{got}'")
    if not math.isfinite(arg_value):  # type: ignore[arg-type]
        raise _wrong(
            ValueError, prim_name, f"{called} must be a legal value, but got '{arg_value}'."
        )
    if not holds(arg_value, value):
        raise _wrong(ValueError, prim_name, relation)
    return arg_value


def check_int(
    arg_value: int, value: Any, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """An int in a relation: ``check_int(n, 2, GE, "n", "Op")``, or ``check_int(n, (1, 2), IN)``.

    Raises:
        TypeError: no int, or a bool.
        ValueError: one without the relation.
    """
    return _check_related(int, arg_value, value, rel, arg_name, prim_name)


def check_float(
    arg_value: float,
    value: Any,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """A float in a relation; see `check_int`. An int is none.

    Raises:
        TypeError: no float.
        ValueError: one without the relation, an infinity or a NaN.
    """
    return _check_related(float, arg_value, value, rel, arg_name, prim_name)


def check_equal_int(
    arg_value: int, value: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """An int that is `value`; errors as of `check_int`."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


class _Signed:
    """A check of the sign; for sequences, of each element."""

    def __init__(self, kind: type, rel: int):
        self.kind = kind
        self.rel = rel

    def __call__(
        self, arg_value: Any, arg_name: str | None = None, prim_name: str | None = None
    ) -> Any:
        return _check_related(self.kind, arg_value, 0, self.rel, arg_name, prim_name)

    def each(
        self, sequence: Iterable[Any], arg_name: str | None = None, prim_name: str | None = None
    ) -> Any:
        for i, value in enumerate(sequence):
            self(value, f"{arg_name or 'arg_name'}[{i}]", prim_name)
        return sequence


check_positive_int = _Signed(int, GT)
check_negative_int = _Signed(int, LT)
check_non_positive_int = _Signed(int, LE)
check_non_negative_int = _Signed(int, GE)
check_positive_float = _Signed(float, GT)
check_negative_float = _Signed(float, LT)
check_non_positive_float = _Signed(float, LE)
check_non_negative_float = _Signed(float, GE)
check_positive_int_sequence = check_positive_int.each
check_non_negative_int_sequence = check_non_negative_int.each
check_positive_float_sequence = check_positive_float.each


def check_is_number(
    arg_value: Any, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """A number of this type, int or float.

    Raises:
        TypeError: another type, or a bool.
        ValueError: an infinity or a NaN.
    """
    kind = arg_type.__name__
    if not _is(arg_value, arg_type):
        called = f"'{arg_name}'" if arg_name else "input value"
        got = type(arg_value).__name__
        raise _wrong(
            TypeError, prim_name, f"the type of {called} must be '{kind}', but got '{got}'."
        )
    if not math.isfinite(arg_value):
        text = f"{_called(arg_name)} must be a legal {kind}, but got '{arg_value}'."
        raise _wrong(ValueError, prim_name, text)
    return arg_value


def check_is_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """An int; errors as of `check_is_number`."""
    return check_is_number(arg_value, int, arg_name, prim_name)  # type: ignore[no-any-return]


def check_is_float(
    arg_value: Any, arg_name: str | None = None, prim_name: str | None = None
) -> float:
    """A float; errors as of `check_is_number`."""
    return check_is_number(arg_value, float, arg_name, prim_name)  # type: ignore[no-any-return]


def check_number(arg_name: str, arg_value: T, value: Any, rel: int, prim_name: str | None) -> T:
    """A number in a relation to another one.

    Raises:
        ValueError: it is not.
    """
    word, holds = _RELATIONS[rel]
    if not holds(arg_value, value):
        text = f"the argument '{arg_name}' must {word} {value}, but got {arg_value}."
        raise _wrong(ValueError, str(prim_name), text)
    return arg_value


def check_number_range(
    arg_value: Any,
    lower_limit: Any,
    upper_limit: Any,
    rel: int,
    value_type: type | tuple[type, ...],
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """A number of a type between two, of which `rel` says whether they belong to the range (INC_BOTH).

    Raises:
        TypeError: another type, or a bool.
        ValueError: outside of the range.
    """
    got = type(arg_value).__name__
    if not _is(arg_value, value_type):
        kinds = value_type if isinstance(value_type, tuple) else (value_type,)
        names = " or ".join([k.__name__ for k in kinds])
        text = f"{_called(arg_name)} must be '{names}',  but got '{got}'."
        raise _wrong(TypeError, prim_name, text)
    words, low, high = _RANGES[rel]
    above = arg_value >= lower_limit if low else arg_value > lower_limit
    below = arg_value <= upper_limit if high else arg_value < upper_limit
    if not (above and below):
        limits = words.format(lower_limit, upper_limit)
        text = f"{_called(arg_name)} must be in range of {limits}, but got {arg_value} with type '{got}'."
        raise _wrong(ValueError, prim_name, text)
    return arg_value


def check_int_range(
    arg_value: Any,
    lower_limit: int,
    upper_limit: int,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> int:
    """An int between two; errors as of `check_number_range`."""
    limits = (lower_limit, upper_limit, rel)
    return check_number_range(arg_value, *limits, int, arg_name, prim_name)  # type: ignore[no-any-return]


def check_float_range(
    arg_value: Any,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """A float between two; errors as of `check_number_range`."""
    limits = (lower_limit, upper_limit, rel)
    return check_number_range(arg_value, *limits, float, arg_name, prim_name)  # type: ignore[no-any-return]


def check_bool(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> bool:
    """A bool.

    Raises:
        TypeError: anything else.
    """
    if not isinstance(arg_value, bool):
        text = f"{_called(arg_name)} must be a bool, but got {type(arg_value).__name__}."
        raise _wrong(TypeError, prim_name, text)
    return arg_value


def check_string(
    arg_value: Any,
    valid_values: Sequence[str],
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> str:
    """One of some texts.

    Raises:
        ValueError: anything else.
    """
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        text = (
            f"the '{arg_name or 'parameter'}' must be str and must be in '{valid_values}', but got "
            f"'{arg_value}'."
        )
        raise _wrong(ValueError, prim_name, text)
    return arg_value


def check_str_by_regular(
    target: str,
    reg: str | None = None,
    flag: re.RegexFlag = re.ASCII,
    prim_name: str | None = None,
) -> bool:
    """A text that a regular expression matches; by default letters, digits, ``_`` and ``.``, which is not the first.

    Returns:
        True.

    Raises:
        ValueError: another text.
    """
    pattern = r"^\w+[0-9a-zA-Z\_\.]*$" if reg is None else reg
    if re.match(pattern, target, flag) is None:
        text = f"the '{target}' is illegal, it must be match regular'{pattern}' by flags'{flag}.'"
        raise _wrong(ValueError, prim_name, text)
    return True


def check_isinstance(arg_name: str, arg_value: T, classes: type | tuple[type, ...]) -> T:
    """An instance; a bool is an int here.

    Raises:
        ValueError: of no such class.
    """
    if not isinstance(arg_value, classes):
        text = f"the parameter '{arg_name}' must be isinstance of {classes}, but got {arg_value}."
        raise _wrong(ValueError, None, text)
    return arg_value


def check_value_type(
    arg_name: str,
    arg_value: T,
    valid_types: type | Sequence[type],
    prim_name: str | None = None,
) -> T:
    """A value of one of some types. A bool is no int.

    Raises:
        TypeError: of another type.
    """
    kinds = tuple(valid_types) if isinstance(valid_types, list | tuple) else (valid_types,)
    if not _is(arg_value, kinds):  # type: ignore[arg-type]
        names = [k.__name__ for k in kinds]  # type: ignore[union-attr]
        wanted = f"'{names[0]}'" if len(names) == 1 else f"one of '{names}'"
        got = type(arg_value).__name__
        text = f"the type of '{arg_name}' should be {wanted}, but got type '{got}'."
        raise _wrong(TypeError, prim_name, text)
    return arg_value


def check_element_type_of_iterable(
    arg_name: str,
    arg_value: Iterable[object],
    valid_types: Sequence[type],
    prim_name: str | None = None,
) -> None:
    """A list or tuple whose elements are of some types; a bool is an int here.

    Raises:
        TypeError: no such list, or an element of another type.
    """
    check_value_type(arg_name, arg_value, [list, tuple], prim_name)
    for value in arg_value:
        if not isinstance(value, tuple(valid_types)):
            names = [k.__name__ for k in valid_types]
            wanted = names[0] if len(names) == 1 else f"one of {names}"
            got = f"'{value}' with type '{type(value).__name__}'"
            text = f"the type of '{arg_name}' should be {wanted}, but got {got}."
            raise _wrong(TypeError, prim_name, text)


def check_valid_input(arg_name: str, arg_value: T, prim_name: str | None) -> T:
    """A value that is not None.

    Raises:
        ValueError: None.
    """
    if arg_value is None:
        text = f"the argument '{arg_name}'can not be None, but got {arg_value}."
        raise _wrong(ValueError, str(prim_name), text)
    return arg_value


def _expand_tuple(n_dimensions: int) -> Callable[[int | tuple[int, ...]], tuple[int, ...]]:
    """A function that gives an int `n_dimensions` times, and a tuple of that many ints as it is.

    Raises:
        TypeError: the function is given another thing.
    """

    def expand(m: int | tuple[int, ...]) -> tuple[int, ...]:
        whole: Any = (m,) * n_dimensions if _is(m, int) else m
        called = "When expanding an int number to tuple,"
        if not isinstance(whole, tuple):
            text = f"{called} input type must be integer or tuple[int], but got {type(m)}"
            raise error(TypeError, text)
        if len(whole) != n_dimensions:
            text = f"{called} input tuple dimension must be {n_dimensions}, but got {m}"
            raise error(TypeError, text)
        for i in whole:
            if not _is(i, int):
                text = f"{called} the type of element in input tuple must be an integer, but got {type(i)}."
                raise error(TypeError, text)
        given: tuple[int, ...] = whole
        return given

    return expand


twice, triple = _expand_tuple(2), _expand_tuple(3)


def check_input_format(input_param: str) -> str:
    """The order of dimensions ``"NCHW"``.

    Raises:
        ValueError: another value.
    """
    if input_param != "NCHW":
        raise error(ValueError, f"The data format must be NCHW, but got {input_param}.")
    return input_param


def args_type_check(*type_args: type, **type_kwargs: type) -> Callable[[F], F]:
    """A decorator of functions whose arguments, by position or name, are of these types or None.

    Raises:
        TypeError: at a call, an argument of another type.
    """

    def check(func: F) -> F:
        signature = inspect.signature(func)
        types = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(func)
        def wrapper(*args: object, **kwargs: object) -> object:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                kind = types.get(name, object)
                if value is not None and not isinstance(value, kind):
                    text = f"The parameter '{name}' must be {kind}, but got {type(value)}"
                    raise error(TypeError, text)
            return func(*args, **kwargs)

        return cast("F", wrapper)

    return check
