"""``vmap``: a function of one element, applied to a batch.

The function is captured once, on the types of one element, and one ``cell.vmap`` op refers to it;
the compiler rewrites it to ops on the whole batch. It nests with the gradient family in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from cellgrad import _native
from cellgrad.capture import calls
from cellgrad.compile import program as _jit
from cellgrad.core import generator, inputs, state
from cellgrad.core.aliases import Function, MappedAxes
from cellgrad.core.arguments import check_callable
from cellgrad.core.errors import either, error
from cellgrad.core.exact import Static
from cellgrad.core.foreign import hinting
from cellgrad.core.nodes import fields_of, is_record
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import as_tensor, broadcast_to_shape, is_number
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import map_tensors, tensors, with_tensors
from cellgrad.ops.indexing import getitem
from cellgrad.ops.joining import stack
from cellgrad.ops.next_keys import states_of_elements
from cellgrad.transforms.differentiate import Differentiated
from cellgrad.transforms.on_tape import compiled_or_not
from cellgrad.transforms.tape import Tape

__all__ = ["vmap"]

P = ParamSpec("P")
R = TypeVar("R")


class _Mapped(Differentiated):
    """A function captured on one element of a batch."""

    keeps_hooks = False
    has_own = staticmethod(generator.is_state)  # each element has a generator of its own

    def __init__(
        self,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        axes: list[int | None],
    ):
        self.axes = axes
        # Parameters, or parts of them in a `vmap` around, of which each element gets its part: with the
        # tracer of that and its first value.
        self.mapped: list[tuple[Tensor, int, Tracer, Any]] = []
        self.stored: list[tuple[Tensor, int]] = []  # those that are written to
        super().__init__(function, args, kwargs)

    def signature_of(self, index: int, tensor: Tensor) -> Signature:
        axis = self.axes[index]
        if axis is None:
            return tensor._sig
        shape = tensor.shape
        return signature(tensor.dtype, shape[:axis] + shape[axis + 1 :])

    def name_input(self, index: int, tracer: Tracer, known: Tensor) -> None:
        axis = self.axes[index]
        if axis is None and isinstance(known, Parameter):
            super().name_input(index, tracer, known)
        else:  # to the function, a tensor of its own
            self.mapped.append((known, -1 if axis is None else axis, tracer, tracer._value))
            self.scope.mapped.add(id(tracer))

    def batched(self, size: int) -> tuple[list[Any], list[int]]:
        """The operands of the call on a batch, and along which dimension each has its elements."""
        operands = self.operands()
        dims = [-1 if axis is None else axis for axis in self.axes]
        dims += [-1] * len(self.scope.captures)
        for drawn in filter(generator.is_state, self.scope.written.values()):
            at = self.argument_of(drawn)
            if at is not None:
                operands[at] = self.outer.value(states_of_elements(drawn, size))
                dims[at] = 0
        return operands, dims

    def parts(self) -> list[Any]:
        out = []
        for known, axis, tracer, before in self.mapped:
            if tracer._value is before:
                continue
            if axis < 0 or any(p is known for p, _ in self.stored):
                raise _writes(self.name, known)  # given once for all elements, or twice
            self.stored.append((known, axis))
            out.append(tracer._value)
        return out

    def primal(self, values: list[Any]) -> Any:
        for (known, _), value in zip(self.stored, values[len(self.results) :], strict=True):
            if isinstance(known, Parameter):
                self.outer.write(known, value)
            else:
                self.outer.assign(known, value)
        return super().primal(values)


def _values(tree: Any) -> list[Any]:
    """The tensors and numbers of a nested value, in order."""
    found: list[Any] = []

    def keep(value: Any) -> Any:
        if isinstance(value, Tensor) or is_number(value):
            found.append(value)
        return value

    map_tensors(keep, tree, keep)
    return found


def spread(
    axes: Any, tree: Any, what: str, among: Callable[[Any], Iterable[Any]] = tensors
) -> list[Any]:
    """The axis of every tensor of `tree`, or whatever is `among` it: an axis for a whole subtree, or a tuple
    that mirrors it.
    """
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes for _ in among(tree)]
    if isinstance(axes, _Named):
        parts = tree if isinstance(tree, dict) else fields_of(tree) if is_record(tree) else {}
        given = dict(axes)
        if not given.keys() <= parts.keys() or any(
            k not in given for k, v in parts.items() if any(True for _ in among(v))
        ):
            raise error(
                ValueError,
                f"For 'vmap', '{what}' names {_listed(given)}, but there "
                f"{'are ' + _listed(parts) if parts else 'is a ' + _kind(tree)} to match.",
                "give one axis for all of them, or one each (None for a value that is not mapped)",
            )
        return [axis for k, v in parts.items() for axis in spread(given.get(k), v, what, among)]
    if not isinstance(axes, tuple | list):
        raise _wrong_axes(axes, what)
    if (isinstance(tree, Tensor) or is_number(tree)) and len(axes) == 1 and what == "out_axes":
        return spread(
            axes[0], tree, what, among
        )  # of a function of one output, as MindSpore takes it
    items = tree
    if isinstance(tree, dict) or is_record(tree):
        parts = tree if isinstance(tree, dict) else fields_of(tree)
        items = [v for v in parts.values() if type(v) is not Static]
    if not isinstance(items, tuple | list) or len(items) != len(axes):
        count = len(items) if isinstance(items, tuple | list) else 1
        raise error(
            either(ValueError, RuntimeError, TypeError),
            f"The parameters number of the function is {len(axes)}, but the number of provided arguments is "
            f"{count}."
            if what == "in_axes"
            else f"The size of vmap's '{what}' should be equal to the number of results of 'fn': {count}, but "
            f"got size: {len(axes)}.",
            "give one axis for all of them, or one each (None for a value that is not mapped)",
        )
    return [axis for a, t in zip(axes, items, strict=True) for axis in spread(a, t, what, among)]


def _listed(names: Any) -> str:
    return ", ".join(repr(n) for n in names) or "nothing"


def _kind(value: Any) -> str:
    return "Tensor" if isinstance(value, Tensor) else type(value).__name__


def _normalize(axis: int, rank: int, what: str) -> int:
    if not -rank <= axis < rank:
        raise error(
            either(ValueError, RuntimeError),
            f"For 'vmap': The axis: {axis} in '{what}' is out of bounds for array of dimension "
            f"[{-rank},{rank}).",
        )
    return axis % rank


def batch(
    function: Any,
    args: tuple[Any, ...],
    in_axes: Any,
    out_axes: Any,
    kwargs: dict[str, Any] | None = None,
    repeats: bool = True,
) -> Any:
    """A call on a batch in the current scope. Inputs given by name are mapped along dimension 0. Numbers that
    are returned become tensors, one for each element, unless `repeats` is False.
    """
    among = _values if repeats else tensors
    kwargs = kwargs or {}
    names = sorted(kwargs)  # the order in which they are captured
    by_name = [t for n in names for t in tensors(kwargs[n])]
    given = [*tensors(args), *by_name]
    for n in names:
        for t in tensors(kwargs[n]):
            if t.ndim == 0:
                raise error(
                    ValueError,
                    f"For 'vmap', the input '{n}' is given by name, so that it is mapped along dimension "
                    "0, but it has no dimensions.",
                    "give it by position, with None in 'in_axes', or by functools.partial",
                )
    axes = [
        None if axis is None else _normalize(axis, t.ndim, "in_axes")
        for axis, t in zip(
            [*spread(in_axes, args, "in_axes"), *[0 for _ in by_name]], given, strict=True
        )
    ]
    lengths = [t.shape[axis] for axis, t in zip(axes, given, strict=True) if axis is not None]
    sizes = set(lengths)
    if getattr(function, "_is_ensemble", False):
        if not len(function) or sizes - {len(function)}:
            raise error(
                either(ValueError, RuntimeError),
                f"For 'vmap', there are {len(function)} Cells, and the mapped dimensions have the sizes "
                f"{sorted(sizes)}.",
                "give each Cell of the CellList one element",
            )
        return _joined(_by_element(list(function), args, kwargs, axes), out_axes, among)
    if not sizes:
        raise error(
            either(ValueError, RuntimeError),
            "For 'vmap', no input is mapped: The 'in_axes' of 'vmap' cannot be a single None while 'fn' is "
            "not a 'CellList'."
            if in_axes is None
            else "For 'vmap', no input is mapped: Failed to get 'axis_size' within the scope of vmap.",
            "give at least one Tensor an axis",
        )
    if len(sizes) > 1:
        raise error(
            either(ValueError, RuntimeError),
            "For 'vmap': The 'axis_size' of each argument in the scope of 'vmap' should be equal, but got "
            f"{' and '.join(map(str, dict.fromkeys(lengths)))}.",
            "all mapped inputs must hold the same number of elements",
        )
    if state.current.scope is None:
        with _Elements(function) as elements:
            outs = _by_element([function] * sizes.pop(), args, kwargs, axes)
            elements.check(outs, out_axes)
            return _joined(outs, out_axes, among)
    d = _Mapped(function, args, kwargs, axes)
    if d.written:
        raise _writes(d.name, d.written[0])
    size = sizes.pop()
    if not d.results:
        if d.stored or not _values(d.out):
            raise _no_tensor(d.name)
        return _repeated(d.out, out_axes, size)
    outs = spread(out_axes, d.out, "out_axes")
    out_dims = [
        -1 if axis is None else _normalize(axis, t.ndim + 1, "out_axes")
        for axis, t in zip(outs, d.results, strict=True)
    ] + [axis for _, axis in d.stored]
    operands, in_dims = d.batched(size)
    try:
        values = d.outer.fn.vmap(
            d.scope.fn.name, operands, in_dims=in_dims, out_dims=out_dims, loc=state.location()
        )
    except _native.GraphError as e:
        raise _depends(d.name, e) from None
    out = d.primal(values)
    return _repeated(out, out_axes, size) if repeats else out


def _repeated(out: Any, axes: Any, size: int) -> Any:
    """What a function returned, with a tensor of equal elements for each number that has an axis."""
    left = iter(spread(axes, out, "out_axes", _values))

    def one(value: Any) -> Any:
        if not is_number(value):
            return value
        axis = next(left)
        if axis is None:
            return value
        _normalize(axis, 1, "out_axes")
        return broadcast_to_shape(as_tensor(value, "vmap"), (size,))

    return map_tensors(lambda t: (t, next(left))[0], out, one)


def _writes(name: str, written: Tensor) -> Exception:
    what = (
        f"Parameter '{written.name}'" if isinstance(written, Parameter) else "a part of a Parameter"
    )
    return error(
        TypeError,
        f"For 'vmap', '{name}' writes {what}, which has one value and not one per element.",
        "return the new value instead",
    )


def _depends(name: str, why: object) -> Exception:
    return error(
        either(ValueError, RuntimeError),
        f"For 'vmap', 'out_axes' is None for an output of '{name}', but {why}. It is invalid that source is "
        "not None and dst is None.",
        "give the output a dimension for the batch",
    )


def _no_tensor(name: str) -> Exception:
    return error(TypeError, f"For 'vmap', '{name}' must return a Tensor or a number.")


class _Elements(Tape):
    """Sees to it that a function of one element, called for each as ordinary Python, writes no Parameter."""

    def __init__(self, function: Any):
        super().__init__()
        self.name = _jit.function_name(function)

    def writing(self, tensor: Tensor) -> None:
        if isinstance(tensor, Parameter) and not generator.is_state(tensor):
            raise _writes(self.name, tensor)

    def check(self, outs: list[Any], out_axes: Any) -> None:
        """Sees to it that the outputs of all elements have the types of the first one, and its value where
        there is one for the whole batch.
        """
        first: list[Any] = []
        kept: list[Tensor] = []
        inputs.collect(outs[0], first, kept)
        if not _values(outs[0]):
            raise _no_tensor(self.name)
        axes = spread(out_axes, outs[0], "out_axes")
        for i, out in enumerate(outs[1:], 1):
            key: list[Any] = []
            found: list[Tensor] = []
            inputs.collect(out, key, found)
            if key != first:
                raise error(
                    ValueError,
                    f"For 'vmap', '{self.name}' returns {out!r} for element {i} of the batch, and {outs[0]!r} for "
                    "element 0: these differ in shape, dtype, structure or a Python value.",
                    "return Tensors of one shape for every element",
                )
            for axis, t, one in zip(axes, found, kept, strict=True):
                if axis is None and t._buf.view().tobytes() != one._buf.view().tobytes():
                    raise _depends(
                        self.name, f"element {i} of the batch has another one than element 0"
                    )


def _by_element(
    functions: list[Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    axes: list[int | None],
) -> list[Any]:
    """The outputs of functions, each called with its element of the batch."""
    outs: list[Any] = []
    for i, function in enumerate(functions):
        left = iter(axes)

        def element(t: Tensor, i: int = i, left: Any = left) -> Tensor:
            axis = next(left)
            whole: list[slice | int] = [slice(None)] * axis if axis else []
            return t if axis is None else getitem(t, (*whole, i))

        own = map_tensors(element, args)
        named = {k: map_tensors(element, kwargs[k]) for k in sorted(kwargs)}
        outs.append(calls.call_as_around(function, own, named))
    return outs


def _joined(outs: list[Any], out_axes: Any, among: Callable[[Any], Iterable[Any]]) -> Any:
    """One output of those of all elements."""
    listed = [list(among(out)) for out in outs]
    joined = iter(
        [
            parts[0]
            if axis is None
            else stack(
                [as_tensor(p, "vmap") for p in parts],
                _normalize(axis, 1 if is_number(parts[0]) else parts[0].ndim + 1, "out_axes"),
            )
            for parts, axis in zip(
                zip(*listed, strict=True),
                spread(out_axes, outs[0], "out_axes", among),
                strict=True,
            )
        ]
    )
    return map_tensors(
        lambda t: next(joined),
        outs[0],
        lambda v: next(joined) if among is _values and is_number(v) else v,
    )


@hinting
def vmap(fn: Function[P, R], in_axes: MappedAxes = 0, out_axes: MappedAxes = 0) -> Callable[P, R]:
    """A function that applies `fn` to every element of a batch.

    Args:
        fn: a Cell or function of one element; or an `nn.CellList`, each Cell of which gets its element
            (an ensemble of models). Its Cells may write Parameters, and all inputs may be the same.
        in_axes: the dimension of the inputs that holds the batch: one int for all, or a tuple with
            one entry an input (None for an input that is the same for all elements). The entry of a
            nested input is one for all of it, or nested like it: a tuple of entries in their order,
            for a dict or dataclass also a dict of entries by name.
        out_axes: the dimension of the outputs in which the batch comes out; nested like the output.
            None for an output that depends on no mapped input: it comes out once.

    Returns:
        A function of batched inputs; those given by name are mapped along dimension 0. It nests with
        `grad`, `jvp` and `vmap` in any order.

    A Parameter that is a mapped input may be written to: each element writes its part.

    Raises:
        TypeError: axes of a wrong type; `fn` writes another Parameter or returns no Tensor.
        ValueError: an axis out of range; batches of different sizes; no mapped input; names in
            `in_axes` that are not those of the input; None in `out_axes` for an output that depends on
            a mapped input.

    >>> ms.vmap(ms.grad(lambda x: x * x * x))(ms.Tensor([1.0, 2.0]))
    Tensor(shape=[2], dtype=Float32, value= [ 3.00000000e+00,  1.20000000e+01])
    """
    check_callable(fn, "vmap", "fn", "a Cell or a function")
    return _VmapFunction(fn, _frozen(in_axes, "in_axes"), _frozen(out_axes, "out_axes"))


class _Named(tuple[Any, ...]):
    """The axes of parts by their names, as pairs."""


class _VmapFunction:
    """A function of a batch; see `vmap`."""

    def __init__(self, fn: Any, in_axes: Any, out_axes: Any):
        self._fn = fn
        self._axes = in_axes, out_axes
        self.__name__ = f"vmap_{_jit.function_name(fn)}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        axes = self._axes
        if state.current.scope is not None:
            return batch(self._fn, args, *axes, kwargs)

        def find() -> _jit.Program:
            return _jit.program_for(
                self._fn,
                ("vmap", *axes),
                lambda reach: lambda *a, **k: batch(reach(), a, *axes, k),
                self.__name__,
            )

        if any(0 in t.shape for t in tensors(with_tensors((args, kwargs)))):
            return find()(args, kwargs)  # there may be no element to call it with
        return compiled_or_not(
            find,
            self._fn,
            args,
            kwargs,
            lambda: batch(self._fn, with_tensors(args), *axes, with_tensors(kwargs)),
        )

    def __repr__(self) -> str:
        return f"<vmap of {self._fn!r}>"


def _frozen(axes: Any, what: str) -> Any:
    """`axes` with tuples for lists, dicts and dataclasses."""
    if isinstance(axes, tuple | list):
        return tuple(_frozen(a, what) for a in axes)
    if isinstance(axes, dict) or is_record(axes):
        parts = axes if isinstance(axes, dict) else fields_of(axes)
        return _Named((k, _frozen(a, what)) for k, a in parts.items() if type(a) is not Static)
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return axes
    raise _wrong_axes(axes, what)


def _wrong_axes(axes: Any, what: str) -> Exception:
    given = f"{axes:g}" if isinstance(axes, float) else f"{type(axes).__name__}: {axes!r}"
    return error(
        either(TypeError, RuntimeError),
        f"The axis in vmap's '{what}' should be a None or a scalar of type Int64Imm, but got a {given}.",
        "give an int, None, or a tuple or dict of them",
    )
