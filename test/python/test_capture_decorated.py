"""Compiled code gives what the same Python gives operation by operation: decorators, protocols, removal."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn

CASES: list[Callable[[Any], Any]] = []


def case(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    CASES.append(f)
    return f


def times(n: int) -> Callable[[Any], Any]:
    def decorate(f: Any) -> Any:
        @functools.wraps(f)
        def scaled(*args: Any, **kwargs: Any) -> Any:
            return f(*args, **kwargs) * n

        return scaled

    return decorate


@times(5)
@times(2)
def decorated(x: Any, s: float = 1.0) -> Any:
    return x + s


@contextlib.contextmanager
def doubled(x: Any) -> Iterator[Any]:
    yield x * 2


class Net(nn.Cell):
    @times(3)
    def construct(self, x: Any) -> Any:
        return self.helper(x) + self.four

    @times(2)
    def helper(self, x: Any) -> Any:
        return x * 10

    @functools.cached_property
    def four(self) -> int:
        return 4


NET = Net()


@case
def a_decorator_defined_inside(x: Any) -> Any:
    def twice(f: Any) -> Any:
        @functools.wraps(f)
        def g(*args: Any, **kwargs: Any) -> Any:
            return f(*args, **kwargs) * 2

        return g

    @twice
    def shifted(x: Any, *, s: float = 1.0) -> Any:
        return x + s

    return shifted(x, s=3.0), shifted.__name__


@case
def decorators_around(x: Any) -> Any:
    return decorated(x, s=2.0), times(3)(lambda v: v + 1)(x), times(2)(decorated)(x)


@case
def decorated_methods(x: Any) -> Any:
    return NET(x), NET.helper(x)


@case
def attributes_of_inner_functions(x: Any) -> Any:
    def f(v: Any) -> Any:
        return v * f.factor  # type: ignore[attr-defined]

    f.factor = 3  # type: ignore[attr-defined]
    return f(x)


@case
def context_managers(x: Any) -> Any:
    with doubled(x) as y, contextlib.suppress(KeyError):
        return y + 1


@case
def removal_of_elements(x: Any) -> Any:
    rows = [x, x * 2, x * 3]
    del rows[1]
    named = {"a": 1, "b": x}
    del named["a"], rows[0]
    many = [x * i for i in range(5)]
    del many[1:3]
    return rows, named, many


@case
def leaving_loops_through_finally(x: Any) -> Any:
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            x = x + i
        finally:
            x = x * 2
    return x


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return (str(value.dtype), value.asnumpy().tolist())
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(v) for v in value)
    return value


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_compiled_is_as_python(function: Any) -> None:
    x = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
    before = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    try:
        wanted = plain(function(x))
    finally:
        ms.set_context(mode=before)
    assert plain(ms.jit(function)(x)) == wanted


def test_del_of_an_attribute_is_refused() -> None:
    def f(x: Tensor) -> Tensor:
        del NET.other
        return x

    with pytest.raises(NotImplementedError, match="'del' of an attribute"):
        ms.jit(f)(Tensor([1.0]))


def test_del_of_an_element_in_a_branch_is_a_change_in_place() -> None:
    def f(x: Tensor) -> Tensor:
        rows = [x, x]
        if x.sum() > 0:
            del rows[0]
        return rows[0]

    with pytest.raises(TypeError, match="what is changed in place, a list, is a list of 1 in one"):
        ms.jit(f)(Tensor([1.0]))
