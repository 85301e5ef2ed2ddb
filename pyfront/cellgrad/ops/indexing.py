"""Elements by index: ``x[...]``, and assignment to them."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cellgrad import _native
from cellgrad.core import effects, partial, record, state, views
from cellgrad.core.aliases import Dims, Index, ShapeLike
from cellgrad.core.arguments import check_dtype, check_int, check_ndim
from cellgrad.core.errors import CompileError, UnknownShape, either, error
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import (
    as_tensor,
    axis_of,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    is_number,
    operation,
    reshape_to,
)
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer, leaked
from cellgrad.ops import _index
from cellgrad.ops._index import Mask, Plan
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_ints
from cellgrad.ops.joining import stack


@public()
def getitem(x: Tensor, index: Index) -> Tensor:
    """``x[index]`` by numpy's rules: ints, slices, None, Ellipsis, lists, arrays and tensors of
    integers or bools, and tuples of them.

    Raises:
        IndexError: an index out of range, of another kind, or too many of them. Elements that are not
            known while compiling are checked when the code runs.
        TypeError: a mask that is not known while compiling.

    >>> print(ops.getitem(Tensor([[1, 2], [3, 4]]), (slice(None), 1)))
    [2 4]
    """
    if state.current.scope is None and not isinstance(x, Tracer):
        return _read(x, index) if state.current.tape is None else _recorded(x, index)
    parts, arrays = _index.parts_of(index)
    if not arrays:
        plan = _index.plan_of(tuple(parts), 0, x.shape)
        if isinstance(x, Tracer) and x._known is not None:  # `ops.dyn_shape(x)` or the like
            part = np.array(x._known._concrete("an index")[known_index(index, x.shape)])
            return known(part, x.dtype)
        out: Tensor = _take_region(x, plan)
        return out
    parts, arrays, mask = _index.without_masks(parts, arrays, x.shape)
    if mask is not None:
        raise error(
            UnknownShape,
            f"The number of elements that a mask of shape {list(mask.truth.shape)} selects is not "
            f"known while compiling.",
            "keep all elements with ops.where(mask, x, 0) or x.masked_fill(~mask, 0); assigning to "
            "them, x[mask] = value, is fine",
        )
    plan = _index.plan_of(tuple(parts), len(arrays), x.shape)
    out = _take(x, plan, *_settled(x, plan, arrays))
    return out


def selected(x: Tensor, dim: int, index: int | Tensor) -> Tensor:
    """The part at an index of a dimension, which goes: `Tensor.select(dim, index)` and `mint.select`.

    Raises:
        IndexError: a tensor as an index that is out of range.
        TypeError: `dim` is not an int, or `index` neither an int nor a Tensor of integers.
        ValueError: `dim` or an int as an index that is out of range, or an index with dimensions.
    """
    d = axis_of(
        check_int(dim, "select", "dim"), check_ndim(x, "select", "input", at_least=1).ndim, "select"
    )
    if isinstance(index, Tensor):
        check_ndim(check_dtype(index, "select", "index", "iu"), "select", "index", 0)
    else:
        check_int(index, "select", "index", at_least=-x.shape[d], below=x.shape[d])
    return getitem(x, (builtins.slice(None),) * d + (index,))


def _read(x: Tensor, index: Any) -> Tensor:
    """`getitem` outside of compiled code: a copy in memory, and nothing is compiled."""
    if type(index) is int and x.ndim:
        at = _index.checked_index(index, x.shape[0], 0)
        out = _copied(x, x._buf.view()[at : at + 1], x._sig.held[1:])
        views.link(out, x, operator.itemgetter(at))
        return out
    plain, arrays = _known_index(index, x.shape)
    if x.dtype.kind == "c":
        array = np.asarray(x._concrete("an index")[plain])
        out = Tensor(array, x.dtype)
    else:
        array = x._buf.view()[plain]
        out = _copied(x, np.asarray(array), array.shape, copy=not arrays)
    views.link(out, x, lambda at: np.asarray(at[plain]), follows=not arrays)
    return out


def _recorded(x: Tensor, index: Any) -> Tensor:
    """`getitem` outside of compiled code by a program, which has a derivative."""
    plain, arrays = _known_index(index, x.shape)
    parts: list[Any] = []
    for part in plain if isinstance(plain, tuple) else (plain,):
        if isinstance(part, np.ndarray) and part.dtype == bool:
            parts.extend(part.nonzero())
        else:
            parts.append(part)
    out: Tensor = record.run_eagerly(getitem, (x, tuple(parts)), {})
    views.link(out, x, lambda at: np.asarray(at[plain]), follows=not arrays)
    return out


def with_elements(x: Tensor, index: Any, value: Any) -> Tensor:
    """A copy of a tensor with other elements, made by a program, which has a derivative."""
    out: Tensor = record.run_eagerly(_with_elements, (x, index, value), {})
    return out


def _with_elements(x: Tensor, index: Any, value: Any) -> Tensor:
    out = x.copy()
    out[index] = value
    return out


def _copied(
    x: Tensor, array: np.ndarray[Any, Any], shape: tuple[int, ...], copy: bool = True
) -> Tensor:
    """A tensor of the dtype of `x` with the elements of an array over its memory."""
    sig = signature(x.dtype, shape[:-1] if x.dtype.kind == "c" else shape)
    buffer = _native.TensorBuffer.from_object(
        array.reshape(shape), copy=copy or None, dtype=x.dtype.native
    )
    return Tensor._wrap(buffer, sig)


def rows(x: Tensor) -> Iterator[Tensor]:
    """``x[i]`` for each i along dimension 0, outside of compiled code."""
    scope = state.current.scope
    if scope is not None and scope.trace.stand_in and x.shape[0] % scope.trace.stand_in == 0:
        raise error(
            CompileError,
            "The samples of a batch of any size cannot be counted in Python.",
            "compute with the whole tensor, or by ms.vmap",
        )
    buffer: Any = None
    view: Any = None
    for i in range(x.shape[0]):
        current = state.current
        if current.scope is not None or current.tape is not None or isinstance(x, Tracer):
            row = getitem(x, i)
            partial.note(row, x, (i,))
            yield row
            continue
        if buffer is not x._buf:  # another one since elements were assigned
            buffer = x._buf
            view = buffer.view()
        row = _copied(x, view[i : i + 1], x._sig.held[1:])
        views.link(row, x, operator.itemgetter(i))
        yield row


def known_index(index: Any, shape: tuple[int, ...]) -> Any:
    """An index of known numbers as numpy has it."""
    return _known_index(index, shape)[0]


def _known_index(index: Any, shape: tuple[int, ...]) -> tuple[Any, list[Any]]:
    """An index of known numbers as numpy has it, checked against a shape; and its arrays."""
    parts, arrays = _index.parts_of(index)
    plain = tuple(
        builtins.slice(*i[1:])
        if isinstance(i, tuple) and i[0] == "slice"
        else arrays[i[1]]
        if isinstance(i, tuple) and i[0] == "array"
        else True
        if isinstance(i, tuple)
        else i
        for i in parts
    )
    parts, arrays, _ = _index.without_masks(parts, arrays, shape)
    plan = _index.plan_of(tuple(parts), len(arrays), shape)
    for a, d in zip(arrays, plan.dims, strict=True):
        _index.check_bounds(a, shape[d], f"dimension {d}")
    _shapes(tuple(arrays))
    return plain, arrays


def _settled(
    x: Tensor, plan: Plan, arrays: list[Any]
) -> tuple[tuple[Tensor, ...], tuple[bool, ...]]:
    """The arrays as tensors, and whether their range needs no check."""
    pairs = [
        _index.settled(a, x.shape[d], f"dimension {d}")
        for a, d in zip(arrays, plan.dims, strict=True)
    ]
    return tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)


@operation
def _take_region(x: Tensor, plan: Plan) -> Tensor:
    return _index.take_region(x, plan.region)


@operation
def _take(x: Tensor, plan: Plan, arrays: tuple[Tensor, ...], safe: tuple[bool, ...]) -> Tensor:
    x = _index.take_region(x, plan.region)
    if not arrays:
        return x
    layout = _Layout(plan, arrays)
    at = layout.positions(arrays, safe)
    out = _index.gathered(layout.turned(x), at, layout.dim)
    return layout.result(out)


class _Layout:
    """How a region and the arrays that index it are laid out for one gather or scatter along one
    dimension.
    """

    def __init__(self, plan: Plan, arrays: tuple[Tensor, ...]):
        shape, places = plan.region.shape, plan.places
        self.shape = shape
        self.sizes = [shape[d] for d in places]
        self.count = int(np.prod(self.sizes, dtype=np.int64))
        adjacent = list(places) == list(range(places[0], places[0] + len(places)))
        self.dim = places[0] if adjacent else 0
        rest = [d for d in range(len(shape)) if d not in places]
        self.perm = [*rest[: self.dim], *places, *rest[self.dim :]]
        self.before = tuple(shape[d] for d in rest[: self.dim])
        self.after = tuple(shape[d] for d in rest[self.dim :])
        self.wide: tuple[int, ...] = np.broadcast_shapes(*_shapes(arrays))
        # Where numpy puts the arrays' dimensions first, those before them move behind.
        k, n = len(self.wide), len(self.before)
        moved = [*range(n, n + k), *range(n), *range(n + k, n + k + len(self.after))]
        self.order = moved if plan.first else sorted(moved)

    @property
    def result_shape(self) -> tuple[int, ...]:
        own = (*self.before, *self.wide, *self.after)
        return tuple(own[d] for d in self.order)

    def positions(self, arrays: tuple[Tensor, ...], safe: tuple[bool, ...]) -> Tensor:
        listed = [
            a if ok else _index.wrapped(a, n, "an indexed dimension")
            for a, ok, n in zip(arrays, safe, self.sizes, strict=True)
        ]
        return _index.linear(listed, self.sizes, self.wide)

    def turned(self, x: Tensor) -> Tensor:
        """A region with the indexed dimensions joined, in one place."""
        return reshape_to(_transposed(x, self.perm), (*self.before, self.count, *self.after))

    def turned_back(self, x: Tensor) -> Tensor:
        split = tuple(self.shape[d] for d in self.perm)
        return _transposed(reshape_to(x, split), list(np.argsort(self.perm)))

    def result(self, gathered: Tensor) -> Tensor:
        return _transposed(gathered, self.order)

    def updates(self, value: Tensor) -> Tensor:
        return _transposed(value, list(np.argsort(self.order)))


def _shapes(arrays: tuple[Tensor, ...]) -> list[tuple[int, ...]]:
    shapes = [a.shape for a in arrays]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise error(
            either(IndexError, ValueError),
            f"shape mismatch: indexing arrays could not be broadcast together with shapes "
            f"{' '.join(str(s) for s in shapes)}.",
        ) from None
    return shapes


def _transposed(x: Tensor, perm: list[int]) -> Tensor:
    perm = [int(d) for d in perm]
    return x if perm == sorted(perm) else emit("cell.transpose", [x], {"perm": perm})


# --- assignment -------------------------------------------------------------------------------


def setitem(
    x: Tensor, index: Any, value: Any, function: Callable[[Any, Any], Any] | None = None
) -> Tensor:
    """`x` with the elements ``x[index]`` replaced by `value`, or by ``function(x[index], value)``,
    converted and broadcast. Of elements that are named twice, the last one stays.

    Raises:
        IndexError: as `getitem`.
        TypeError: a value that is not a number, Tensor, tuple, list or array.
        ValueError: a value that cannot be broadcast to the shape of the elements.
    """
    parts, arrays = _index.parts_of(index)
    parts, arrays, mask = _index.without_masks(parts, arrays, x.shape)
    if mask is None:
        plan = _index.plan_of(tuple(parts), len(arrays), x.shape)
        settled = _settled(x, plan, arrays)
        if function is not None:
            value = function(_take(x, plan, *settled), value)
        out: Tensor = _store(x, plan, _value(value, x), *settled, "set")
        return out
    value = _value(value, x)
    own = _beside(parts, arrays, mask, value)
    if own is None:
        out = _choose(x, mask, value, function)
        return out
    before = sum(not isinstance(i, int) for i in own[: mask.before])
    part = _choose(getitem(x, own), mask._replace(before=before), value, function)
    return setitem(x, own, part)


def _beside(
    parts: list[Any], arrays: list[Any], mask: Mask, value: Tensor
) -> tuple[Any, ...] | None:
    """What is beside a mask in an index, with whole dimensions in its place, or None for the whole tensor.

    Raises:
        TypeError: arrays, new dimensions, or numbers apart from the mask, which move dimensions of the value.
    """
    parts = [i for i in parts if i is not Ellipsis]
    joined = [isinstance(i, int) or _index._is_array(i) for i in parts]
    first = joined.index(True)
    apart = not all(joined[first : first + sum(joined)])
    moved = apart and value.size != 1
    if moved or None in parts or _index._TRUE in parts or any(a is not mask.truth for a in arrays):
        raise error(
            TypeError,
            "A mask that is not known while compiling can be assigned to alone or beside slices and numbers "
            "that are next to it only.",
            "combine the masks with ops.logical_and, or assign in two steps",
        )
    whole = builtins.slice(None)
    own = tuple(
        i if isinstance(i, int) else whole if _index._is_array(i) else builtins.slice(*i[1:])
        for i in parts
    )
    return None if all(i == whole for i in own) else own


def add_elements(x: Tensor, index: Any, value: Any) -> Tensor:
    """`x` with `value` added to the elements ``x[index]``, as often as they are named; see `setitem`."""
    parts, arrays = _index.parts_of(index)
    parts, arrays, mask = _index.without_masks(parts, arrays, x.shape)
    if mask is not None:
        return setitem(x, index, value, operator.add)
    plan = _index.plan_of(tuple(parts), len(arrays), x.shape)
    out: Tensor = _store(x, plan, _value(value, x), *_settled(x, plan, arrays), "add")
    return out


def _value(value: Any, x: Tensor) -> Tensor:
    if value is None or (
        not isinstance(value, Tensor | np.ndarray | list | tuple) and not is_number(value)
    ):
        raise error(
            TypeError,
            f"Only numbers, Tensors, tuples, lists and arrays can be assigned to elements, but got "
            f"{value!r} with type {type(value).__name__}.",
        )
    if isinstance(value, list | tuple) and _index._holds_tensors(value):
        value = stack([_value(v, x) for v in value])
    return as_tensor(value, "setitem", x.dtype if is_number(value) else None)


def _unfit(shape: tuple[int, ...], wanted: tuple[int, ...], hint: str = "") -> Exception:
    """The error for a value that has another shape than the elements it is assigned to."""
    return error(
        ValueError,
        f"A value of shape {list(shape)} cannot be broadcast to the shape {list(wanted)} of the elements "
        "it is assigned to.",
        hint,
    )


def _fitted(value: Tensor, shape: tuple[int, ...], hint: str = "") -> Tensor:
    """A value broadcast to `shape`; leading dimensions of length 1 that are too many are dropped."""
    own = value.shape
    while len(own) > len(shape) and own[0] == 1:
        own = own[1:]
    fits = len(own) <= len(shape) and all(
        n in (1, m) for n, m in zip(own[::-1], shape[::-1], strict=False)
    )
    if not fits:
        raise _unfit(value.shape, shape, hint)
    return broadcast_to_shape(reshape_to(value, own), shape)


@operation
def _store(
    x: Tensor,
    plan: Plan,
    value: Tensor,
    arrays: tuple[Tensor, ...],
    safe: tuple[bool, ...],
    combine: str,
) -> Tensor:
    value = cast_to(value, x.dtype)
    if not arrays:
        new = _fitted(value, plan.region.shape)
        if combine == "add":
            new = emit("cell.add", [_index.take_region(x, plan.region), new])
        return _index.put_region(x, plan.region, new)
    layout = _Layout(plan, arrays)
    new = layout.updates(_fitted(value, layout.result_shape))
    region = _index.take_region(x, plan.region)
    at = layout.positions(arrays, safe)
    if not new.size:
        return x
    new = _index.scattered(layout.turned(region), at, new, layout.dim, 0, combine)
    return _index.put_region(x, plan.region, layout.turned_back(new))


@operation
def _choose(
    x: Tensor, mask: Mask, value: Tensor, function: Callable[[Any, Any], Any] | None
) -> Tensor:
    """`value` where a mask holds, whose dimensions are one in the value's shape."""
    d, width = mask.before, mask.truth.ndim
    before, after = x.shape[:d], x.shape[d + width :]
    value = _fitted(
        value,
        (*before, 1, *after),
        "the mask is not known while compiling, so that each element must get the same value: use "
        "ops.where(mask, values, x) with values of the shape of x",
    )
    value = reshape_to(value, (*before, *(1,) * width, *after))
    truth = reshape_to(mask.truth, (*mask.truth.shape, *(1,) * len(after)))
    if function is not None:
        value = function(x, value)
    new = broadcast_to_shape(cast_to(value, x.dtype), x.shape)
    return emit("cell.select", [broadcast_to_shape(truth, x.shape), new, x])


def assign_elements(
    x: Tensor, index: Any, value: Any, function: Callable[[Any, Any], Any] | None = None
) -> None:
    """``x[index] = value`` in compiled code, or ``x[index] = function(x[index], value)``: from here
    on, the tensor has another value.
    """
    scope = state.current.scope
    assert scope is not None
    x = scope.parameter_of(x)
    if isinstance(x, Parameter):
        effects.assign(x, setitem(x, index, value, function))
        return  # `Scope.write` counts it
    if scope.owner_of(x) is None:
        if not isinstance(x, Tracer):
            raise error(
                TypeError,
                "Elements of a tensor from around the compiled code are assigned in it, which would "
                "happen only once, while compiling.",
                "assign to a copy, x = x.copy(), and return it; or make the tensor a Parameter of a "
                "Cell, whose elements can be assigned",
            )
        if not x._scope.encloses(scope):
            raise leaked(x)
        raise error(
            TypeError,
            f"Elements of a tensor of '{x._scope.name}' are assigned inside '{scope.name}', "
            f"which is transformed as a function of its own.",
            "assign to a copy, x = x.copy(), and return it",
        )
    scope.assign(x, scope.value(setitem(x, index, value, function)))
    around = partial.written(scope, x, index)
    if around is not None:
        root, place = around
        if place is ...:  # other elements keep the derivatives that they have there
            assign_elements(root, index, value, function)
        else:
            assign_elements(root, place, x)


def assign_known(array: np.ndarray[Any, Any], index: Any, value: Any) -> None:
    """``array[index] = value`` with the rules and errors of `setitem`."""
    plain, _ = _known_index(index, array.shape)
    if isinstance(value, list | tuple):
        value = Tensor(value)
    if isinstance(value, Tensor):
        value = value._concrete("assignment to elements")
    elif not is_number(value) and not isinstance(value, np.ndarray):
        _value(value, Tensor(0))
    with np.errstate(invalid="ignore", over="ignore"):
        try:
            new = np.asarray(value)
            if new.dtype.kind != "c" or array.dtype.kind == "c":
                new = new.astype(array.dtype)
        except ValueError as e:
            raise error(ValueError, str(e)) from None
        if new.dtype.kind == "c" != array.dtype.kind:
            raise error(
                TypeError,
                "Complex numbers cannot be elements of a real tensor: imaginary parts would be lost.",
                "make it complex first: x = x.astype(ms.complex64)",
            )
        try:
            array[plain] = new
        except ValueError:
            raise _unfit(new.shape, np.shape(array[plain])) from None


# --- slices by numbers ------------------------------------------------------------------------


@public("ops.Slice(input, begin, size)")
def slice(input_x: Tensor, begin: Dims, size: ShapeLike) -> Tensor:
    """``size[i]`` elements from ``begin[i]`` on of each dimension; a size of -1 takes all.

    Raises:
        TypeError: `begin` or `size` is not a sequence of ints known while compiling.
        ValueError: other than one number for each dimension, or one out of range.

    >>> print(ops.slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, 2)))
    [[2 3]
     [5 6]]
    """
    x = check_tensor(input_x, "slice", "input_x")
    starts, sizes = known_ints(begin, "slice", "begin"), known_ints(size, "slice", "size")
    if len(starts) != x.ndim or len(sizes) != x.ndim:
        raise error(
            ValueError,
            f"For 'slice', 'begin' and 'size' must have {x.ndim} elements, one for each dimension, "
            f"but got {len(starts)} and {len(sizes)}.",
        )
    ends = [n if k == -1 else lo + k for lo, k, n in zip(starts, sizes, x.shape, strict=True)]
    for d, (lo, hi, n) in enumerate(zip(starts, ends, x.shape, strict=True)):
        if not 0 <= lo <= hi <= n:
            raise error(
                ValueError,
                f"For 'slice', dimension {d} has {n} elements, but 'begin' is {lo} and 'size' "
                f"{sizes[d]}.",
            )
    return getitem(x, tuple(builtins.slice(lo, hi) for lo, hi in zip(starts, ends, strict=True)))


@public()
def strided_slice(
    input_x: Tensor,
    begin: Dims,
    end: Dims,
    strides: Dims,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """``x[begin:end:strides]`` in each dimension. A bit set in a mask leaves out that begin or end,
    or makes the entry ``...``, ``None`` or the index ``begin``.

    Raises:
        TypeError: `begin`, `end` or `strides` is not a sequence of ints known while compiling.
        ValueError: sequences of different lengths, or a stride of 0.

    >>> print(ops.strided_slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)))
    [[1 3]
     [4 6]]
    """
    x = check_tensor(input_x, "strided_slice", "input_x")
    parts = [
        known_ints(v, "strided_slice", n)
        for v, n in ((begin, "begin"), (end, "end"), (strides, "strides"))
    ]
    if len({len(p) for p in parts}) != 1:
        raise error(
            ValueError,
            f"For 'strided_slice', 'begin', 'end' and 'strides' must have the same length, but got "
            f"{[len(p) for p in parts]}.",
        )
    index: list[Any] = []
    for i, (lo, hi, step) in enumerate(zip(*parts, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(lo)
        else:
            first, last = None if begin_mask & bit else lo, None if end_mask & bit else hi
            index.append(builtins.slice(first, last, step))
    return getitem(x, tuple(index))
