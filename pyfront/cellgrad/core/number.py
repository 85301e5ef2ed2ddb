"""Numbers that are arguments of the program, in place of constants of it.

An operation that runs outside of compiled code takes Python numbers as arguments, so that one program
serves all of them. While it is captured, such a number is a `Number`: what is computed from it with
other numbers is computed at each call, what is asked of it (is it negative?) is answered for the
number that is given and noted, and where it meets a tensor it becomes a tensor without dimensions.
Code that needs the number itself gets `NeedsValue`, and the number becomes a constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

from cellgrad.core import state
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer

Values = tuple[Any, ...]


class NeedsValue(BaseException):
    """A number is needed while compiling. No error, so that operations do not catch it."""

    def __init__(self, places: frozenset[int]):
        super().__init__()
        self.places = places  # of the numbers that it is made of


class Numbers:
    """The numbers of a program: how its tensors are made of them, and what was asked of them."""

    def __init__(self, values: Values):
        self.values = values
        # For each tensor made of a number: what stands for it among the captures, and how it is made.
        self.tensors: dict[Any, tuple[Tensor, Callable[[Values], Any], Type]] = {}
        self.asked: list[tuple[Callable[[Values], bool], bool]] = []

    def holds(self, values: Values) -> bool:
        """Whether what was asked has the same answers for other numbers."""
        return all(ask(values) is answer for ask, answer in self.asked)


class Number:
    """A number of a program, as a function of its `Numbers`. To ``isinstance`` it is an int or float,
    so that operations take it; what reads one in C gets `NeedsValue`.
    """

    __slots__ = ("compute", "kind", "numbers", "places")

    def __init__(self, numbers: Numbers, compute: Callable[[Values], Any], places: frozenset[int]):
        self.numbers = numbers
        self.compute = compute
        self.places = places
        self.kind = type(compute(numbers.values))

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.kind

    def tensor(self, dtype: Type) -> Any:
        """The number as a tensor without dimensions, an input of the program."""
        scope = state.current.scope
        assert scope is not None
        key = self.compute, dtype
        if key not in self.numbers.tensors:
            buffer = Tensor(self.compute(self.numbers.values), dtype)._buf
            what = Tensor._wrap(buffer, signature(dtype, ()))
            self.numbers.tensors[key] = what, self.compute, dtype
        what = self.numbers.tensors[key][0]
        return Tracer(scope.value(what), scope, what._sig)

    def _ask(self, function: Callable[..., Any], *others: Any) -> bool:
        parts = [self._compute_of(v) for v in (self, *others)]

        def ask(values: Values) -> bool:
            return bool(function(*[p(values) for p in parts]))

        answer = ask(self.numbers.values)
        self.numbers.asked.append((ask, answer))
        return answer

    def _with(self, function: Callable[..., Any], *operands: Any) -> Any:
        if any(isinstance(v, Tensor) for v in operands):
            return NotImplemented
        parts = [self._compute_of(v) for v in operands]
        places = [v.places for v in operands if type(v) is Number]
        return Number(
            self.numbers,
            lambda values: function(*[p(values) for p in parts]),
            frozenset().union(*places),
        )

    def _compute_of(self, value: Any) -> Callable[[Values], Any]:
        """A Python number, or a `Number`, as a function of the numbers of the program."""
        if type(value) is Number:
            return value.compute
        if type(value) not in (bool, int, float):
            raise NeedsValue(self.places)
        return lambda values: value

    def _needed(self, *args: Any) -> NoReturn:
        raise NeedsValue(self.places)

    def __bool__(self) -> bool:
        return self._ask(bool)

    def __eq__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Tensor) else self._ask(operator.eq, other)

    def __ne__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Tensor) else self._ask(operator.ne, other)

    def __lt__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Tensor) else self._ask(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Tensor) else self._ask(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Tensor) else self._ask(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Tensor) else self._ask(operator.ge, other)

    def __add__(self, other: Any) -> Any:
        return self._with(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._with(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._with(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._with(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._with(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._with(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(operator.truediv, other, self)

    def __neg__(self) -> Any:
        return self._with(operator.neg, self)

    def __abs__(self) -> Any:
        return self._with(operator.abs, self)

    def __round__(self, digits: int | None = None) -> Any:
        return self._with(lambda value: round(value, digits), self)

    __hash__ = __float__ = __int__ = __index__ = __format__ = __str__ = __repr__ = _needed
    __complex__ = __array__ = __iter__ = __len__ = __getitem__ = _needed
    __floor__ = __ceil__ = __trunc__ = _needed


def real(value: Any) -> float:
    """``float(value)``, of a `Number` as well.

    Raises:
        TypeError: text, also of a number, or something else.
    """
    if type(value) is Number:
        out: Any = value._with(float, value)
        return out  # type: ignore[no-any-return]
    if isinstance(value, str):
        raise error(TypeError, f"A number is needed, but got str {value!r}.")
    return float(value)
