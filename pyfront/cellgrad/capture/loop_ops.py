"""Loops as operations: `WhileLoop`, `ForiLoop`, `Scan`.

In compiled code each is one loop, however many trips it makes; elsewhere they are loops of Python.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar, cast

from cellgrad.capture.loops import like
from cellgrad.capture.maps import _call
from cellgrad.capture.merge import Conflict, Merged, as_leaf, merge, whole
from cellgrad.capture.repeat import form_of, next_form, repeat, repeat_while
from cellgrad.capture.rows import Rows
from cellgrad.core import state
from cellgrad.core.arguments import argument_error, check_bool, check_instance
from cellgrad.core.errors import error
from cellgrad.core.exact import Static, static_key
from cellgrad.core.nodes import fields_of, is_record
from cellgrad.core.record import as_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import leaves, map_tensors
from cellgrad.ops.joining import stack

T = TypeVar("T")
X = TypeVar("X")

__all__ = ["ForiLoop", "Scan", "WhileLoop"]


def _check_function(value: Any, name: str, owner: str) -> None:
    if not callable(value) or isinstance(value, Tensor):
        raise argument_error(TypeError, owner, name, "a function", value)


class WhileLoop:
    """``while cond_func(value): value = loop_func(value)``, from `init_val` on.

    Inputs:
        cond_func: gives the truth of a value: a bool, or a Tensor of one element.
        loop_func: gives the next value, of the same structure and shapes.
        init_val: a Tensor or number, or a tuple, list, dict or dataclass of those.

    Outputs:
        the last value. Numbers in it are Tensors in compiled code, where the loop stays a loop;
        gradients pass through it in both modes.

    Raises:
        TypeError: `cond_func` or `loop_func` is not a function.
        ValueError: `loop_func` changes a shape, or the structure.

    >>> print(ops.WhileLoop()(lambda x: x < 100, lambda x: x * 2, ms.Tensor(3.0)))
    192.0
    """

    def __call__(
        self, cond_func: Callable[[T], object], loop_func: Callable[[T], T], init_val: T
    ) -> T:
        _check_function(cond_func, "cond_func", "WhileLoop")
        _check_function(loop_func, "loop_func", "WhileLoop")
        if state.current.scope is not None:
            return repeat_while(
                lambda value: _call(cond_func, (value,)),
                lambda value: _call(loop_func, (value,)),
                init_val,
                "WhileLoop",
                "loop_func",
            )
        value = init_val
        while cond_func(value):
            value = _next(value, loop_func(value), "WhileLoop")
        return value


class ForiLoop:
    """``for i in range(lower, upper): value = loop_func(i, value)``, from `init_val` on.

    Inputs:
        lower, upper: ints, or integer Tensors of one element.
        loop_func: gives the next value, of the same structure and shapes.
        init_val: a Tensor or number, or a tuple, list, dict or dataclass of those.
        unroll: has no effect: in compiled code the loop stays a loop, and the index is an Int64
            Tensor.

    Outputs:
        the last value; see `WhileLoop`.

    Raises:
        TypeError: arguments of other types.
        ValueError: `loop_func` changes a shape, or the structure.

    >>> print(ops.ForiLoop()(0, 4, lambda i, total: total + i, ms.Tensor(0)))
    6
    """

    def __call__(
        self,
        lower: int | Tensor,
        upper: int | Tensor,
        loop_func: Callable[[Any, T], T],
        init_val: T,
        unroll: bool = True,
    ) -> T:
        for name, bound in (("lower", lower), ("upper", upper)):
            if isinstance(bound, bool) or not isinstance(bound, int | Tensor):
                raise argument_error(TypeError, "ForiLoop", name, "an int or a Tensor", bound)
        _check_function(loop_func, "loop_func", "ForiLoop")
        check_bool(unroll, "ForiLoop", "unroll")
        if state.current.scope is not None:
            return repeat(
                lower,
                upper,
                lambda i, value: _call(loop_func, (i, value)),
                init_val,
                "ForiLoop",
                "loop_func",
            )
        value = init_val
        for i in range(int(lower), int(upper)):
            value = _next(value, loop_func(i, value), "ForiLoop")
        return value


class Scan:
    """``carry, y = loop_func(carry, x)`` for each x of `xs`, from `init` on, with all y kept.

    Inputs:
        loop_func: gives the next carry, of the same structure and shapes, and a result.
        init: a Tensor or number, or a tuple, list, dict or dataclass of those.
        xs: a tuple or list of such values, of one structure and one shape each; None for `length`
            trips without. A Tensor stands for its slices along dimension 0, a dict or dataclass for
            those of all its Tensors, and the results are then stacked as well, so that the size of the
            program does not depend on their number.
        length: the number of trips where `xs` is None.
        unroll: has no effect: in compiled code the loop stays a loop.

    Outputs:
        (the last carry, the list of results).

    Raises:
        TypeError: arguments of other types.
        ValueError: `loop_func` does not give two values, or changes a shape or the structure of the
            carry; elements of `xs` that differ in theirs.

    >>> total, sums = ops.Scan()(lambda c, x: (c + x, c + x), ms.Tensor(0), ms.Tensor([1, 2, 3]))
    >>> print(total, sums)
    6 [1 3 6]
    """

    def __call__(
        self,
        loop_func: Callable[[T, X], tuple[T, object]],
        init: T,
        xs: Any,
        length: int | None = None,
        unroll: bool = True,
    ) -> tuple[T, Any]:
        _check_function(loop_func, "loop_func", "Scan")
        check_bool(unroll, "Scan", "unroll")
        along = isinstance(xs, Tensor | dict) or is_record(xs)
        if not along:
            check_instance(xs, "Scan", "xs", list | tuple | Tensor | dict | None)
        if xs is None and (isinstance(length, bool) or not isinstance(length, int) or length < 0):
            raise argument_error(
                TypeError, "Scan", "length", "an int of at least 0 where 'xs' is None", length
            )
        count = length if xs is None else _length(xs) if along else len(xs)
        assert count is not None
        if count == 0 and not along:
            return init, []
        if state.current.scope is not None:
            return _captured_scan(loop_func, init, xs, count, along)
        if isinstance(xs, tuple | list):
            _forms(xs)
        carry, results = init, []
        form = None
        for i in range(count):
            x = _row(xs, i) if along else None if xs is None else xs[i]
            new, y = _pair(loop_func(carry, cast(Any, x)))
            carry = _next(carry, new, "Scan")
            form = whole(y) if form is None else form
            _check_result(form, y)
            results.append(y)
        if not along:
            return carry, results
        if not results:
            raise error(
                ValueError,
                "For 'Scan', there is nothing along dimension 0 of 'xs', so that the shape of the "
                "results is not known.",
            )
        return carry, _stacked(results)


def _next(before: Any, after: Any, owner: str) -> Any:
    """What a trip outside of compiled code returns, which must be what it may be inside."""
    next_form(before, after, owner, "loop_func")
    return after


def _pair(value: Any) -> tuple[Any, Any]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise error(
            ValueError,
            "For 'Scan', the 'loop_func' must return a tuple (carry, result), but it returned "
            f"{f'a tuple of {len(value)}' if isinstance(value, tuple) else type(value).__name__}.",
        )
    return value


def _length(xs: Any) -> int:
    """How many slices the Tensors of a value have along dimension 0."""
    lengths = []
    for path, value in leaves(xs):
        if isinstance(value, Tensor) and value.ndim:
            lengths.append(len(value))
        elif type(value) is not Static:
            raise error(
                ValueError,
                f"For 'Scan', a Tensor 'xs{path}' must have a dimension to go along."
                if isinstance(value, Tensor)
                else f"For 'Scan', 'xs{path}' must be a Tensor, but got {type(value).__name__}: a "
                f"{type(xs).__name__} stands for the slices of its Tensors along dimension 0.",
            )
    if not lengths or len(set(lengths)) > 1:
        raise error(
            ValueError,
            f"For 'Scan', the Tensors of 'xs' must have one length along dimension 0, but have "
            f"{sorted(set(lengths))}."
            if lengths
            else "For 'Scan', 'xs' holds no Tensor, so that the number of trips is not known.",
            "" if lengths else "give None for 'xs', and the number of trips as 'length'",
        )
    return lengths[0]


def _row(xs: Any, i: int) -> Any:
    return map_tensors(operator.itemgetter(i), xs)


def _stacked(values: Any) -> Any:
    """One nested value from several, with their leaves stacked along a new dimension 0."""
    form = whole(values[0])
    columns = [form.take(v) for v in values]
    stacks = [stack([as_tensor(v, "Scan") for v in column]) for column in zip(*columns)]
    return form.build(iter(stacks))


class _Slices:
    """The elements of `xs`, to be read at an index that is a tensor."""

    def __init__(self, xs: Any, along: bool):
        self.read: Callable[[Tensor], Any]
        if xs is None:
            self.read = lambda i: None
        elif along:
            form = whole(xs)
            flat = [(Rows.of(t), t.shape[1:]) for t in form.take(xs)]
            self.read = lambda i: form.build(Rows.read(rows, i, shape) for rows, shape in flat)
        else:
            forms = _forms(xs)
            first = forms[0]
            columns = zip(*[f.take(x) for f, x in zip(forms, xs, strict=True)])
            signatures = first.signatures
            stacks = [
                Rows.of(stack([as_leaf(v, sig) for v in column]))
                for sig, column in zip(signatures, columns)
            ]
            self.read = lambda i: first.build(
                Rows.read(rows, i, sig.shape) for rows, sig in zip(stacks, signatures, strict=True)
            )


def _forms(xs: Any) -> list[Merged]:
    """The forms of the elements of a list, which must be one."""
    forms = [whole(x) for x in xs]
    for x, form in zip(xs, forms, strict=True):
        if form.signatures != forms[0].signatures or not _alike(x, xs[0]):
            raise error(
                ValueError,
                "For 'Scan', the elements of 'xs' must have one structure, and the same "
                "shapes and dtypes: in compiled code they are slices of one tensor.",
                "write a Python loop for elements that differ",
            )
    return forms


def _alike(a: Any, b: Any) -> bool:
    """Whether two values differ in nothing but the elements of their tensors and numbers."""

    def outline(value: Any) -> Any:
        if isinstance(value, Tensor | bool | int | float):
            return ...
        if isinstance(value, tuple | list):
            return type(value), [outline(v) for v in value]
        if isinstance(value, dict):
            return {k: outline(v) for k, v in value.items()}
        if is_record(value):
            return type(value), outline(fields_of(value))
        return static_key(value)

    return bool(outline(a) == outline(b))


def _settled(init: Any, trip: Callable[[Any], Any]) -> tuple[Any, Merged]:
    """`init` in the dtypes that the carry has after a trip, and the form of the results."""
    for _ in range(3):
        form = form_of(functools.partial(trip, init), "Scan")
        carry = like(form)[0]
        try:
            merged = merge(init, carry)
        except Conflict:
            break  # the loop says what is wrong
        settled = [as_leaf(v, s) for v, s in zip(merged.take(init), merged.signatures, strict=True)]
        before, init = init, merged.build(iter(settled))
        if whole(before).signatures == whole(init).signatures:
            break
    return init, whole(like(form)[1])


def _check_result(form: Merged, y: Any) -> None:
    """Refuses a result that has not the form of the first one."""
    try:
        if merge(like(form), y).signatures == form.signatures:
            return
        what = "of another dtype"
    except Conflict as e:
        what = str(e)
    raise error(
        ValueError,
        "For 'Scan', the results of 'loop_func' must have the structure, shapes and dtypes of the "
        f"first one, but one is {what}.",
    )


def _parts(form: Merged, y: Any) -> list[Tensor]:
    """The leaves of a result of the form that the first one has."""
    _check_result(form, y)
    return [as_leaf(v, s) for v, s in zip(form.take(y), form.signatures, strict=True)]


def _captured_scan(loop_func: Any, init: Any, xs: Any, count: int, along: bool) -> Any:
    slices = _Slices(xs, along)

    def trip(carry: Any, i: Tensor) -> tuple[Any, Any]:
        return _pair(_call(loop_func, (carry, slices.read(i))))

    zeroth = as_tensor(0, "Scan")
    init, form = _settled(init, lambda value: trip(value, zeroth))
    buffers = [Rows.empty(count, s) for s in form.signatures]

    def body(i: Tensor, value: Any) -> Any:
        carry, kept = value
        carry, y = trip(carry, i)
        return carry, [Rows.write(b, i, v) for b, v in zip(kept, _parts(form, y), strict=True)]

    carry, kept = repeat(0, count, body, (init, buffers), "Scan", "loop_func")
    stacked = form.build(
        Rows.slices(r, s.shape) for r, s in zip(kept, form.signatures, strict=True)
    )
    if along:
        return carry, stacked
    return carry, [map_tensors(operator.itemgetter(k), stacked) for k in range(count)]
