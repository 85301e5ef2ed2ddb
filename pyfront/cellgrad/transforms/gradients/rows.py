"""What a primitive of a gradient is: a row with its settings and operands, and what it computes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any, cast

from cellgrad.core import dtype as mstype
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_tensor, complex_forms, operation, widened
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops.selection import zeros
from cellgrad.ops.shapes import reshape
from cellgrad.transforms.differentiate import pull_back
from cellgrad.transforms.request import Request


def pulled(name: str, function: Callable[..., Any], dout: Any, *inputs: Any, by: int = 1) -> Any:
    """The gradient of a function by its first inputs.

    Args:
        name: of the primitive, for errors.
        function: of `inputs`; what it gives is a Tensor.
        dout: the cotangent: of the output's shape, or one element where the output is a number.
        inputs: Tensors, and what else the function takes.
        by: how many of the inputs there is a gradient by.

    Returns:
        one Tensor, or a tuple of several.

    Raises:
        TypeError: an input or the cotangent is no Tensor.
        ValueError: the cotangent has another shape than the output.
    """
    given = check_tensor(dout, name, "dout")

    def of(*values: Tensor) -> Any:
        return function(*values, *inputs[by:])

    wrt = tuple([check_tensor(v, name, "x") for v in inputs[:by]])
    of.__name__ = name
    request = Request(tuple(range(by)), None, False, False, False, name)
    return pull_back(of, wrt, {}, request, given)


def transposed(
    name: str, function: Callable[[Tensor], Any], dout: Any, shape: tuple[int, ...]
) -> Any:
    """The gradient of a linear function, which does not depend on where it is taken.

    A cotangent of bool is moved as numbers: a derivative of bool is none.
    """
    given = check_tensor(dout, name, "dout")
    if given.dtype == mstype.bool_:
        moved = transposed(name, function, cast_to(given, mstype.int32), shape)
        return cast_to(moved, mstype.bool_)
    return pulled(name, function, given, zeros(shape, given.dtype))


def of(forward: Any, by: int = 1) -> Callable[..., Any]:
    """The gradient of an operation: what a row computes whose operands are those of the operation in
    order, the cotangent `dout` at any place, and at any place `out`, the operation's result, which is
    not read.

    Args:
        forward: a class of `ops` that is made with the settings, or a function that takes them by
            their names.
        by: how many of the operands there is a gradient by.
    """

    def compute(name: str, settings: dict[str, Any], operands: dict[str, Any]) -> Any:
        inputs = [v for k, v in operands.items() if k not in ("dout", "out")]
        dout = check_tensor(operands["dout"], name, "dout")
        if settings.get("reduction", "none") != "none" and dout.size == 1:
            dout = reshape(dout, ())  # the loss is a number; kernels take it as an array of one
        layer = forward(**settings) if isinstance(forward, type) else None
        function = layer or (lambda *v: forward(*v, **settings))
        # Halves are rounded once, as by kernels, not at each step of the derivative.
        wide = [_wide(v) for v in inputs]
        found = pulled(name, function, _wide(dout), *wide, by=by)
        if all(a is b for a, b in zip(wide, inputs, strict=True)):
            return found
        listed = found if isinstance(found, tuple) else (found,)
        back = tuple([cast_to(g, v.dtype) for g, v in zip(listed, inputs[:by], strict=True)])
        return back if isinstance(found, tuple) else back[0]

    return compute


def _wide(value: Any) -> Any:
    return widened(value) if isinstance(value, Tensor) and value.dtype.kind == "f" else value


def by_formula(formula: Callable[..., Any]) -> Callable[..., Any]:
    """What a row computes by a formula of its operands and, by their names, its settings."""

    def compute(name: str, settings: dict[str, Any], operands: dict[str, Any]) -> Any:
        return formula(*operands.values(), **settings)

    return compute


def by_name(formula: Callable[..., Any]) -> Callable[..., Any]:
    """As `by_formula`, of a formula that takes the name of the primitive first, for errors."""

    def compute(name: str, settings: dict[str, Any], operands: dict[str, Any]) -> Any:
        return formula(name, *operands.values(), **settings)

    return compute


def _signature(call: ast.Call) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [ast.unparse(a) for a in call.args]
    parameters = [inspect.Parameter(n, kind) for n in names]
    for k in call.keywords:
        assert k.arg is not None
        parameters.append(inspect.Parameter(k.arg, kind, default=ast.literal_eval(k.value)))
    return inspect.Signature(parameters)


def _bound(name: str, signature: inspect.Signature, args: Any, kwargs: Any) -> dict[str, Any]:
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError as e:
        raise error(TypeError, f"For '{name}', {e}.", f"it takes {name}{signature}") from None
    given.apply_defaults()
    return dict(given.arguments)


def row(form: str, compute: Callable[..., Any], of_complex: bool = False) -> type[Primitive]:
    """A class of primitives.

    Args:
        form: the primitive as a user writes it: ``"HShrinkGrad(lambd=0.5)(dout, x)"`` is made with a
            setting and called with two operands, in MindSpore's order.
        compute: a function of the name, the settings and the operands, these by their names.
        of_complex: whether operands may be complex.
    """
    outer = cast(ast.Call, ast.parse(form, mode="eval").body)
    inner = cast(ast.Call, outer.func)
    name = ast.unparse(inner.func)
    of_settings, of_operands = _signature(inner), _signature(outer)

    def run(settings: tuple[tuple[str, Any], ...], operands: tuple[Any, ...]) -> Any:
        named = dict(zip(of_operands.parameters, operands, strict=True))
        return compute(name, dict(settings), named)

    run.__name__ = run.__qualname__ = name
    compiled = operation(run)
    if of_complex:
        complex_forms[f"{__name__.rpartition('.')[2]}.{name}"] = True

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self)
        settings = _bound(name, of_settings, args, kwargs)
        self.settings = tuple(
            [(k, tuple(v) if isinstance(v, list) else v) for k, v in settings.items()]
        )

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return compiled(self.settings, tuple(_bound(name, of_operands, args, kwargs).values()))

    members = {"__init__": __init__, "__call__": __call__, "__module__": row.__module__}
    members["__doc__"] = f"MindSpore's primitive ``{form}``."
    return type(name, (Primitive,), members)
