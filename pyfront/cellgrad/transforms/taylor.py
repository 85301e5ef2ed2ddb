"""Derivatives of any order along a curve: ``jet`` and ``derivative``.

The inputs move along a polynomial of one number; forward mode is taken by that number, once for each
order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cellgrad.capture import calls
from cellgrad.compile import program as _jit
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import TensorOrTensors
from cellgrad.core.arguments import argument_error, check_callable, check_int
from cellgrad.core.errors import error
from cellgrad.core.record import broadcast_to_shape, cast_to, splat
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, tensors
from cellgrad.ops.joining import stack
from cellgrad.transforms.differentiate import push_forward

__all__ = ["derivative", "jet"]

_DTYPES = (mstype.int32, mstype.int64, mstype.float32, mstype.float64)


def _checked(value: Any, name: str, what: str) -> Tensor:
    """A Tensor of floating-point numbers; integers are converted."""
    if not isinstance(value, Tensor):
        raise argument_error(TypeError, name, what, "a Tensor, or a tuple of Tensors", value)
    if value.dtype not in _DTYPES:
        raise error(
            TypeError,
            f"For '{name}', {what} must have one of the dtypes Int32, Int64, Float32 and Float64, "
            f"but got {value.dtype.title}.",
            "convert it, for example x.astype(ms.float32)",
        )
    return value


def _floats(value: Tensor) -> Tensor:
    return value if value.dtype.kind == "f" else cast_to(value, mstype.default_float())


def _orders(
    fn: Any, primals: tuple[Tensor, ...], series: list[list[Tensor]], order: int
) -> list[Any]:
    """What `fn` gives where the inputs are, and its derivatives up to `order` by the number that they
    move with. The derivatives of input `i` by that number are ``series[i]``.
    """
    wide = any(x.dtype is mstype.float64 for x in primals)
    kind = mstype.float64 if wide else mstype.default_float()

    def moved(x: Tensor, terms: list[Tensor], t: Tensor) -> Tensor:
        at = cast_to(t, x.dtype)
        out: Tensor | None = None  # x + t (x' + t/2 (x'' + t/3 ...)), from inside
        for k, term in reversed(list(enumerate(terms, 1))):
            inner = term if out is None else term + out
            out = broadcast_to_shape(at / k, x.shape) * inner
        return x if out is None else x + out

    def value(t: Tensor) -> tuple[Any, list[Any]]:
        at = tuple([moved(x, s, t) for x, s in zip(primals, series, strict=True)])
        return calls.call(fn, at, {}), []

    def derived(before: Callable[[Tensor], tuple[Any, list[Any]]]) -> Any:
        def once_more(t: Tensor) -> tuple[Any, list[Any]]:
            out, pushed, rest = push_forward(before, (t,), (splat(1, kind, ()),), True)
            return pushed, [*rest, out]

        once_more.__name__ = value.__name__
        return once_more

    value.__name__ = _jit.function_name(fn)
    function: Any = value
    for _ in range(order):
        function = derived(function)
    last, rest = function(splat(0, kind, ()))
    return [*rest, last]


def _compiled(name: str, fn: Any, flavor: Any, run: Callable[..., Any], args: Any) -> Any:
    check_callable(fn, name, "fn", "a Cell or a function")
    if state.current.scope is not None:
        return run(fn, *args)
    program = _jit.program_for(
        fn,
        (name, flavor),
        lambda reach: lambda *a: run(reach(), *a),
        f"{name}_{_jit.function_name(fn)}",
    )
    return program(args, {})


def _listed(output: Any) -> Any:
    """Several outputs come in a list."""
    return list(output) if isinstance(output, tuple | list) and len(output) > 1 else output


def jet(
    fn: Callable[..., object], primals: Any, series: Any
) -> tuple[TensorOrTensors, TensorOrTensors]:
    """The output of `fn`, and its derivatives along a curve through `primals`, up to any order.

    Args:
        fn: a Cell or function of Tensors.
        primals: its input, or a tuple of its inputs; integers are converted to float32.
        series: the derivatives of the curve: for each input a Tensor of shape (order, *input), whose
            element `i` is the derivative of order `i` + 1; for one input also a Tensor of the
            input's shape, for order 1.

    Returns:
        ``(out, out_series)``: the output, and a Tensor of shape (order, *output) with its
        derivatives; lists of them for several outputs.

    Raises:
        TypeError: inputs that are not Tensors of one of the dtypes int32, int64, float32 and float64,
            or are not in the same structure.
        ValueError: shapes or orders that do not fit.

    >>> out, derivatives = ops.jet(ops.sin, Tensor([0.0]), Tensor([[1.0], [0.0], [0.0]]))
    >>> print(out, derivatives.reshape(-1))
    [0.] [ 1.  0. -1.]
    """
    several = isinstance(primals, tuple)
    if several != isinstance(series, tuple):
        raise error(
            TypeError,
            "For 'jet', the 'primals' and `series` must be both Tensor or tuple, but got "
            f"{type(primals).__name__} and {type(series).__name__}.",
        )
    at = primals if several else (primals,)
    given = series if several else (series,)
    if len(at) != len(given):
        raise error(
            ValueError,
            f"For 'jet', the lengths of primals and series must be the same, but got {len(at)} and "
            f"{len(given)}.",
        )
    orders = set()
    terms = []
    for x, s in zip(at, given, strict=True):
        _checked(x, "jet", "primals")
        if _checked(s, "jet", "series").dtype is not x.dtype:
            raise error(
                TypeError,
                f"For 'jet', the dtypes of primals and series must be the same, but got "
                f"{x.dtype.title} and {s.dtype.title}.",
            )
        if s.shape[1:] == x.shape and s.ndim:
            orders.add(s.shape[0])
            terms.append(s)
        elif s.shape == x.shape and not several:
            orders.add(1)
            terms.append(s.reshape((1, *s.shape)))
        else:
            raise error(
                ValueError,
                "For 'jet', in series the shape of each element must be the same as the primals, "
                f"but got series of shape {list(s.shape)} for {list(x.shape)}.",
                "give a Tensor of shape (order, *input)",
            )
    if len(orders) != 1 or 0 in orders:
        raise error(
            ValueError,
            f"For 'jet', the series of all inputs must have one length, at least 1, but got "
            f"{sorted(orders)}.",
        )
    (order,) = orders

    def run(function: Any, xs: tuple[Tensor, ...], ss: tuple[Tensor, ...]) -> tuple[Any, Any]:
        rows = [[_floats(s)[k] for k in range(order)] for s in ss]
        out, *rest = _orders(function, tuple(map(_floats, xs)), rows, order)
        entries = iter([stack(same) for same in zip(*map(tensors, rest), strict=True)])
        return _listed(out), _listed(map_tensors(lambda t: next(entries), out))

    out: tuple[Any, Any] = _compiled("jet", fn, order, run, (tuple(at), tuple(terms)))
    return out


def derivative(
    fn: Callable[..., object], primals: Tensor | Sequence[Tensor], order: int
) -> tuple[TensorOrTensors, TensorOrTensors]:
    """The output of `fn`, and its derivative of one order by a number that is added to all inputs.

    For elementwise functions of one input this is the derivative by that input.

    Args:
        fn: a Cell or function of Tensors.
        primals: its input, or a tuple of its inputs; integers are converted to float32.
        order: of the derivative, at least 1.

    Returns:
        ``(out, derivative)``; lists of them for several outputs.

    Raises:
        TypeError: inputs that are not Tensors of one of the dtypes int32, int64, float32 and
            float64; `order` is not an int.
        ValueError: `order` is below 1.

    >>> print(*ops.derivative(lambda x: x * x * x, Tensor([1.0, 2.0]), 2))
    [1. 8.] [ 6. 12.]
    """
    order = check_int(order, "derivative", "order", at_least=1)
    at = primals if isinstance(primals, tuple) else (primals,)
    for x in at:
        _checked(x, "derivative", "primals")

    def run(function: Any, xs: tuple[Tensor, ...]) -> tuple[Any, Any]:
        moving = tuple(map(_floats, xs))
        ones = [[splat(1, x.dtype, x.shape)] for x in moving]
        found = _orders(function, moving, ones, order)
        return _listed(found[0]), _listed(found[-1])

    out: tuple[Any, Any] = _compiled("derivative", fn, order, run, (tuple(at),))
    return out
