"""Functions of Python that compiled programs call while they run.

A program hands the elements over, and takes what the function gives, by messages to its caller
(`CG_HOST`), which stay in order. The tag of one says which function it is of, and which argument or result.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cellgrad import _native
from cellgrad.capture.raises import raise_unless
from cellgrad.compile.program import at_exit, function_name
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import TensorLike, TensorOrTensors
from cellgrad.core.arguments import check_callable, check_instance
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import broadcast_to_shape, cast_to, emit, splat
from cellgrad.core.storage import Signature, to_numpy
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops.shapes import reshape
from cellgrad.transforms.custom import custom_rule

__all__ = ["PyFunc", "host_call"]

_HOST = 2**31 - 1  # CG_HOST
_MOST = 64  # arguments, and results
_EXCHANGED = (
    *(mstype.int8, mstype.int16, mstype.int32, mstype.int64),
    *(mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64),
)


def _size(sig: Signature) -> int:
    return int(np.prod(sig.shape, dtype=np.int64))


class _Called:
    """A function with the types of what it takes and gives."""

    def __init__(self, function: Any, taken: tuple[Signature, ...], given: tuple[Signature, ...]):
        self.function = function
        self.taken = taken
        self.given = given
        # The result whose message is the first: no message is without elements.
        self.asks = next((i for i, sig in enumerate(given) if _size(sig)), 0)

    def __call__(self, arrays: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        """The function's results for one element of a batch, checked."""
        name = function_name(self.function)
        out = self.function(*arrays)
        listed = list(out) if isinstance(out, tuple | list) else [out]
        if len(listed) != len(self.given):
            raise error(
                ValueError,
                f"For 'host_call', '{name}' returns {len(listed)} arrays, and 'out' says "
                f"{len(self.given)}.",
                "return one array for each Tensor of out",
            )
        return [
            self._checked(name, i, v, sig)
            for i, (v, sig) in enumerate(zip(listed, self.given, strict=True))
        ]

    def _checked(self, name: str, i: int, value: Any, sig: Signature) -> np.ndarray[Any, Any]:
        made = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
        kind = mstype.to_numpy(sig.dtype)
        if made.shape != tuple(sig.shape) or not np.can_cast(made.dtype, kind, "same_kind"):
            raise error(
                ValueError if made.shape != tuple(sig.shape) else TypeError,
                f"For 'host_call', result {i} of '{name}' must be of shape {tuple(sig.shape)} and "
                f"{sig.dtype.title}, as 'out' says, but it is of shape {made.shape} and {made.dtype}.",
                "return such an array, or correct out",
            )
        cast = made.astype(kind)
        if made.dtype.kind in "iu" and not np.array_equal(cast, made):
            raise error(
                ValueError,
                f"For 'host_call', result {i} of '{name}' has integers that {sig.dtype.title} cannot hold.",
                "give 'out' a wider dtype",
            )
        return cast

    def batch(
        self, parts: dict[int, np.ndarray[Any, Any]], count: int
    ) -> list[np.ndarray[Any, Any]]:
        """The results for `count` elements, one behind the other."""
        taken = []
        for i, sig in enumerate(self.taken):
            flat = parts.get(i, np.zeros(0, mstype.to_numpy(sig.dtype)))  # empty: not handed over
            size = _size(sig)
            if flat.size not in (size, count * size):
                raise error(
                    ValueError,
                    f"For 'host_call', argument {i} of '{function_name(self.function)}' is mapped in "
                    f"fewer 'vmap's than others: {flat.size // max(size, 1)} of {count} elements.",
                    "map all its arguments in each vmap around it",
                )
            each = count if flat.size == count * size else 1
            taken.append(flat.reshape(each, *sig.shape))
        outs = [self([t[k % len(t)] for t in taken]) for k in range(count)]
        return [np.stack(column) for column in zip(*outs, strict=True)]


_numbers: dict[Any, int] = {}
_called: list[_Called] = []


class _Underway(threading.local):
    """What the calls of this thread have handed over, and what is to be taken."""

    def __init__(self) -> None:
        self.parts: dict[int, dict[int, np.ndarray[Any, Any]]] = {}
        self.results: dict[int, dict[int, np.ndarray[Any, Any]]] = {}


_underway = _Underway()


def _exchange(tag: int, buffer: Any, count: int) -> Any:
    """One message of a program: an argument, or the wish for a result."""
    number, slot = divmod(tag, _MOST)
    called = _called[number]
    if buffer is not None:
        kind = called.taken[slot].dtype
        array = to_numpy(buffer, mstype.BY_NATIVE[buffer.dtype])
        _underway.parts.setdefault(number, {})[slot] = array.astype(mstype.to_numpy(kind))
        return None
    if slot == called.asks:
        parts = _underway.parts.pop(number, {})
        found = called.batch(parts, count // _size(called.given[slot]))
        _underway.results[number] = dict(enumerate(found))
    sig = called.given[slot]
    kind = mstype.int8 if sig.dtype is mstype.bool_ else sig.dtype
    # Taken away, so that no call can have what another one left.
    return Tensor(_underway.results[number].pop(slot).reshape(-1), kind)._buf


_native.set_host_hook(_exchange)
at_exit(lambda: _native.set_host_hook(None))


def _number(function: Any, taken: tuple[Signature, ...], given: tuple[Signature, ...]) -> int:
    # Functions that are equal may compute different things: C.__eq__ is the user's. What `_called` keeps
    # keeps these numbers from being given again.
    bound = (getattr(function, "__self__", None), getattr(function, "__func__", function))
    key = (*map(id, bound), taken, given)
    if key not in _numbers:
        _numbers[key] = len(_called)
        _called.append(_Called(function, taken, given))
    return _numbers[key]


def _exchanged(x: Tensor) -> Tensor:
    return cast_to(x, mstype.int8) if x.dtype is mstype.bool_ else x


def _first(x: Tensor) -> Tensor:
    """The first element, as a tensor without dimensions."""
    return reshape(x, (-1,))[0]


def _in_program(
    function: Any, args: tuple[Tensor, ...], given: tuple[Signature, ...]
) -> list[Tensor]:
    """The messages of a call."""
    scope = state.current.scope
    if scope is not None and scope.trace.bake:
        raise error(
            TypeError,
            f"'{function_name(function)}' is called by 'host_call': a function of this process, which an "
            "exported model has not.",
            "export the parts before and after it",
        )
    number = _number(function, tuple([x._sig for x in args]), given)
    # What a result is asked for with depends on all arguments, so that all are of the same batch.
    anchor = splat(0, mstype.float32, ())
    for i, x in enumerate(args):
        emit("cell.send", [_exchanged(x)], {"peer": _HOST, "tag": number * _MOST + i})
        if x.size:
            first = _first(x)
            anchor = anchor + cast_to(first, mstype.float32)
    out = []
    for i, sig in enumerate(given):
        if not _size(sig):
            out.append(splat(0, sig.dtype, sig.shape))
            continue
        kind = mstype.int8 if sig.dtype is mstype.bool_ else sig.dtype
        like = broadcast_to_shape(cast_to(anchor, kind), sig.shape)
        got = emit("cell.receive", [like], {"peer": _HOST, "tag": number * _MOST + i})
        out.append(cast_to(got, sig.dtype) if got.dtype is not sig.dtype else got)
    return out


def _at_once(function: Any, args: tuple[Tensor, ...], given: tuple[Signature, ...]) -> list[Tensor]:
    called = _Called(function, tuple([x._sig for x in args]), given)
    found = called([x.asnumpy().copy() for x in args])
    return [Tensor(v, sig.dtype) for v, sig in zip(found, given, strict=True)]


def host_call(
    function: Callable[..., object],
    *args: TensorLike,
    out: TensorOrTensors,
    vjp: Callable[..., object] | None = None,
) -> TensorOrTensors:
    """Calls a function of numpy arrays, also from compiled code, where it runs each time the code does.

    Args:
        function: takes an array for each of `args`, and returns an array, or a tuple of them. It should
            compute them from its arguments alone: a call whose results nothing needs may be left out.
        args: Tensors or numbers.
        out: a Tensor of the shape and dtype that `function` returns, whose elements do not count; a tuple
            for several.
        vjp: the derivative, ``vjp(*args, out, dout)`` as of `custom_rule`: of operations, and it may use
            `host_call` itself. Without, asking for a derivative is an error when the code runs.

    Returns:
        A Tensor, or a tuple of them, like `out`. Under `vmap` the function is called for each element.

    Raises:
        TypeError: `function` is not callable; `args` or `out` of complex numbers or unsigned integers; the
            program is exported; a result of another kind of numbers; a derivative without `vjp`.
        ValueError: results of other shapes or number; more than 64 arguments or results.

    >>> import numpy as np
    >>> @ms.jit
    ... def f(x):
    ...     return ms.host_call(np.sort, x, out=x) * 2
    >>> print(f(Tensor([3.0, 1.0, 2.0])))
    [2. 4. 6.]
    """
    check_callable(function, "host_call", "function")
    tensors = tuple([a if isinstance(a, Tensor) else Tensor(a) for a in args])
    several = isinstance(out, tuple | list)
    given = tuple([_like(t) for t in (out if several else (out,))])
    for t in tensors:
        _like(t)
    if not given or max(len(given), len(tensors)) > _MOST:
        raise error(
            ValueError,
            f"For 'host_call', there are {len(tensors)} arguments and {len(given)} results: at most {_MOST} of "
            "each, and one result at least.",
        )

    def call(*own: Tensor) -> Any:
        if state.current.scope is None:
            found = _at_once(function, own, given)
        else:
            found = _in_program(function, own, given)
        return tuple(found) if several else found[0]

    call.__name__ = function_name(function)
    rule = vjp if vjp is not None else functools.partial(_no_rule, call.__name__)
    return custom_rule(call, vjp=rule)(*tensors)


def _like(x: Any) -> Signature:
    check_instance(x, "host_call", "out", Tensor)
    if x.dtype is not mstype.bool_ and x.dtype not in _EXCHANGED:
        raise error(
            TypeError,
            f"For 'host_call', Tensors are of bool, signed integers or floats, but got {x.dtype.title}.",
            "cast it before and after",
        )
    return x._sig  # type: ignore[no-any-return]


def _no_rule(name: str, *args: Any) -> Any:
    refused = error(
        TypeError,
        f"'{name}' is called by 'host_call' without 'vjp', so that it has no derivative.",
        "give its vjp, or ops.stop_gradient of its arguments",
    )
    if state.current.scope is None:
        raise refused
    dout = args[-1][0] if isinstance(args[-1], tuple) else args[-1]
    some = _first(dout) if dout.size else splat(0, mstype.float32, ())
    raise_unless(gen.less(some, some), refused)
    return tuple([splat(0, x.dtype, x.shape) for x in args[:-2]])


class PyFunc(Primitive):
    """A function of numpy arrays as an operation; see `host_call`, which it is.

    Args:
        fn: takes an array for each input, or a number for one without dimensions, and returns arrays.
        in_types, in_shapes: dtypes and shapes of the inputs.
        out_types, out_shapes: those of what it returns.
        stateful: kept for scripts: calls are in order.

    Raises:
        TypeError, ValueError: types and shapes that are no lists, or of two lengths.

    >>> add = ops.PyFunc(lambda x, y: x + y, [ms.float32] * 2, [(2,)] * 2, [ms.float32], [(2,)])
    >>> print(add((Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))[0])
    [4. 6.]
    """

    def __init__(
        self,
        fn: Callable[..., object],
        in_types: Sequence[Type],
        in_shapes: Sequence[Sequence[int]],
        out_types: Sequence[Type],
        out_shapes: Sequence[Sequence[int]],
        stateful: bool = True,
    ):
        super().__init__()
        self.fn = check_callable(fn, "PyFunc", "fn")
        lists = {
            "in_types": in_types,
            "in_shapes": in_shapes,
            "out_types": out_types,
            "out_shapes": out_shapes,
        }
        for name, value in lists.items():
            check_instance(value, "PyFunc", name, (list, tuple), expected="a list")
        for side in ("in", "out"):
            types, shapes = lists[f"{side}_types"], lists[f"{side}_shapes"]
            if len(types) != len(shapes):
                raise error(
                    ValueError,
                    f"For 'PyFunc', the {side}_types length should be equal to {side}_shapes length, but got "
                    f"{len(types)} and {len(shapes)}.",
                )
        self.stateful = stateful
        self._out = tuple(
            [Tensor(np.zeros(tuple(s)), t) for t, s in zip(out_types, out_shapes, strict=True)]
        )

    def __call__(self, input_x: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return host_call(self._plain, *input_x, out=self._out)  # type: ignore[no-any-return]

    def _plain(self, *arrays: Any) -> Any:
        return self.fn(*[a.item() if a.ndim == 0 else a for a in arrays])
