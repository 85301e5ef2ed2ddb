"""Whole derivative matrices: ``jacfwd``, ``jacrev``, ``hessian``; and ``hvp``, which forms none.

A Jacobian is a batch of products with the rows or columns of the identity: one ``cell.vmap`` over
one ``cell.vjp`` or ``cell.jvp``, compiled as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, cast, overload

from cellgrad.capture import calls, given
from cellgrad.compile import program as _jit
from cellgrad.compile.tables import PerObject
from cellgrad.core import state
from cellgrad.core.aliases import Function
from cellgrad.core.arguments import check_bool, check_callable
from cellgrad.core.errors import error
from cellgrad.core.foreign import hinting
from cellgrad.core.record import fresh, splat
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, numbers, tensors, with_tensors, zero_of
from cellgrad.ops.creation import eye
from cellgrad.transforms.cotangents import has_gradient
from cellgrad.transforms.differentiate import (
    First,
    positions_of,
    pull_back,
    push_forward,
    require_numbers,
)
from cellgrad.transforms.grad import _check_positions, grad
from cellgrad.transforms.on_tape import Recorded, compiled_or_not, push_on_tape
from cellgrad.transforms.products import jvp
from cellgrad.transforms.request import Request
from cellgrad.transforms.vmap import batch

__all__ = ["hessian", "hvp", "jacfwd", "jacrev"]


if TYPE_CHECKING:
    from cellgrad.core.aliases import Derivative

P = ParamSpec("P")
T = TypeVar("T")


def _basis(like: Tensor) -> Tensor:
    """One tensor like `like` for each of its elements, with a one there: shape (n, *shape). It is made of
    numbers that count, not a constant of n² elements in the code.
    """
    return eye(like.size, dtype=like.dtype).reshape((like.size, *like.shape))


def _output(fn: Any, args: tuple[Any, ...], has_aux: bool, name: str) -> tuple[Any, Any]:
    """The part of the output to differentiate, and the rest."""
    return _parted(fn, calls.call_as_around(fn, args, {}), has_aux, name)


def _parted(fn: Any, out: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    aux = None
    if has_aux:
        if not isinstance(out, tuple | list) or len(out) < 2:
            raise error(
                ValueError,
                f"For '{name}', has_aux is True, so the function must return more than one output.",
            )
        out, aux = out[0], out[1] if len(out) == 2 else tuple(out[1:])
    if not any(has_gradient(t) for t in tensors(out)):
        raise error(
            TypeError,
            f"For '{name}', the function must return a Tensor of numbers.",
        )
    for path, value in numbers(out):
        raise error(
            TypeError,
            f"For '{name}', '{_jit.function_name(fn)}' returns the number {value!r} at {path}: "
            "Python values are constants of the compiled code and have no Jacobian.",
            "return Tensors, or return it after the first output with has_aux=True",
        )
    return out, aux


def _refuse_complex(leaves: Iterable[Tensor], name: str, what: str) -> None:
    """Refuses complex numbers where one row or column would be half of the derivative."""
    for t in leaves:
        if t.dtype.kind == "c":
            raise error(
                TypeError,
                f"For '{name}', {what} must be real, but one is of {t.dtype.title}: it has two rows or "
                "columns for each element.",
                "take real and imaginary parts as inputs, ops.complex(re, im), or ops.view_as_real of "
                "the output",
            )


def _without_hooks(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of the arguments: a hook is called with a gradient, which rows of a Jacobian are not."""
    copies: tuple[Any, ...] = map_tensors(fresh, args)
    scope = state.current.scope
    if scope is not None:
        given.note_lost(scope.trace, copies, "a function whose Jacobian is taken")
    return copies


def _reverse(fn: Any, args: tuple[Any, ...], request: Request, has_aux: bool) -> Any:
    args = _without_hooks(args)
    positions_of(request, args, "jacrev", strict=True)  # refuses positions that are not there
    pull: Callable[[Any], Any]
    if state.current.scope is None:  # one call, and one way back through its record for each row
        found: list[tuple[Any, Any]] = []

        def first(*given: Any) -> Any:
            found.append(_parted(fn, fn(*given), has_aux, "jacrev"))
            return found[0][0]

        run = Recorded(first, args, {}, request)
        out, aux = found[0]
        pull = lambda sens: run.gradients(sens, again=True)
    else:
        out, aux = _output(fn, args, has_aux, "jacrev")
        picked = First(fn) if has_aux else fn
        pull = lambda sens: pull_back(picked, args, {}, request, sens)
    outputs = list(tensors(out))
    _refuse_complex(outputs, "jacrev", "outputs")

    def row(k: int) -> Any:
        def one(*cotangent: Any) -> Any:
            sens = [splat(0, t.dtype, t.shape) for t in outputs]
            sens[k] = cotangent[0]
            return pull(tuple(sens))

        flat = batch(one, (_basis(outputs[k]),), 0, 0, repeats=False)
        shape = outputs[k].shape
        return map_tensors(lambda g: g.reshape(shape + g.shape[1:]), flat)

    jacobian = _filled(out, [row(k) for k in range(len(outputs))])
    return (jacobian, aux) if has_aux else jacobian


def _forward(fn: Any, args: tuple[Any, ...], request: Request, has_aux: bool) -> Any:
    args = _without_hooks(args)
    out, aux = _output(fn, args, has_aux, "jacfwd")
    picked = First(fn) if has_aux else fn
    push = push_on_tape if state.current.scope is None else push_forward

    def columns(p: int, k: int, leaf: Tensor) -> list[Tensor]:
        """The derivative of each output by `leaf`, the Tensor `k` of input `p`."""
        before = sum(1 for a in args[:p] for _ in tensors(a)) + k

        def one(direction: Any) -> Any:
            tangents = [splat(0, t.dtype, t.shape) for t in tensors(args)]
            tangents[before] = direction
            return push(picked, args, tuple(tangents), False)[1]

        flat = batch(one, (_basis(leaf),), 0, -1, repeats=False)
        return [g.reshape(g.shape[:-1] + leaf.shape) for g in tensors(flat)]

    def by_input(p: int) -> list[Any]:
        """The derivative of each output, of the structure of input `p`."""
        by_leaf = [columns(p, k, t) for k, t in enumerate(tensors(args[p]))]
        return [_filled(args[p], entries) for entries in zip(*by_leaf, strict=True)]

    positions = positions_of(request, args, "jacfwd", strict=True)
    _refuse_complex([t for p in positions for t in tensors(args[p])], "jacfwd", "inputs")
    require_numbers(_jit.function_name(fn), [t for p in positions for t in tensors(args[p])])
    listed = [by_input(p) for p in positions]
    jacobian = _filled(out, listed[0] if request.one_position else zip(*listed, strict=True))
    return (jacobian, aux) if has_aux else jacobian


def _filled(tree: Any, entries: Iterable[Any]) -> Any:
    """The structure of `tree` with `entries` for its Tensors, and zero for its numbers."""
    order = iter(entries)
    return map_tensors(lambda t: next(order), tree, zero_of)


def _jacobian(fn: Any, positions: Any, has_aux: Any, run: Any, name: str) -> Callable[..., Any]:
    check_callable(fn, name, "fn", "a Cell or a function")
    _check_positions(positions, name)
    check_bool(has_aux, name, "has_aux")
    request = Request(positions, None, False, False, False, name)

    return _JacobianFunction(fn, request, has_aux, run)


class _JacobianFunction:
    """The Jacobian of a function; see `jacrev` and `jacfwd`."""

    def __init__(self, fn: Any, request: Request, has_aux: bool, run: Any):
        self._fn = fn
        self._how = request, has_aux
        self._run = run
        self.__name__ = f"{request.name}_{_jit.function_name(fn)}"

    def __call__(self, *args: Any) -> Any:
        (request, has_aux), run = self._how, self._run
        if state.current.scope is not None:
            return run(self._fn, args, request, has_aux)
        return compiled_or_not(
            lambda: _jit.program_for(
                self._fn,
                (request.name, request.key(), has_aux),
                lambda reach: lambda *a: run(reach(), a, request, has_aux),
                self.__name__,
            ),
            self._fn,
            args,
            {},
            lambda: run(self._fn, with_tensors(args), request, has_aux),
        )

    def __repr__(self) -> str:
        return f"<{self._how[0].name} of {self._fn!r}>"


@overload
def jacrev(
    fn: Function[P, Tensor], grad_position: int = 0, has_aux: Literal[False] = False
) -> Derivative[P, Tensor]: ...
@overload
def jacrev(
    fn: Function[P, object], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Derivative[P, Any]: ...
@hinting
def jacrev(fn: Any, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Any:
    """A function that gives the Jacobian of `fn` in reverse mode: best for few outputs.

    Args:
        fn: a Cell or function.
        grad_position: the position of an input, or a tuple of them.
        has_aux: whether outputs after the first are not differentiated but returned.

    Returns:
        A function of `fn`'s inputs: a Tensor of shape (*output, *input), a tuple of them for a
        tuple of positions, the structure of the input for an input that is a tuple, list or dict,
        the structure of the output for several outputs; with `has_aux` ``(jacobian, aux)``.

    Raises:
        TypeError: complex outputs; for `jacfwd` and `hessian`, complex inputs.
        TypeError, ValueError, IndexError: as `grad`.

    >>> print(ms.jacrev(lambda x: x * x)(Tensor([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """
    return _jacobian(fn, grad_position, has_aux, _reverse, "jacrev")


@overload
def jacfwd(
    fn: Function[P, Tensor], grad_position: int = 0, has_aux: Literal[False] = False
) -> Derivative[P, Tensor]: ...
@overload
def jacfwd(
    fn: Function[P, object], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Derivative[P, Any]: ...
@hinting
def jacfwd(fn: Any, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Any:
    """A function that gives the Jacobian of `fn` in forward mode: best for few inputs; see
    `jacrev`.

    >>> print(ms.jacfwd(lambda x: x * x)(Tensor([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """
    return _jacobian(fn, grad_position, has_aux, _forward, "jacfwd")


@hinting
def hessian(fn: Function[P, Tensor], grad_position: int = 0) -> Derivative[P, Tensor]:
    """A function that gives the Hessian of a scalar `fn`: shape (*input, *input).

    Forward over reverse mode: the Jacobian of the gradient.

    Raises:
        TypeError, ValueError, IndexError: as `grad`.

    >>> print(ms.hessian(lambda x: (x * x * x).sum())(Tensor([1.0, 2.0])))
    [[ 6.  0.]
     [ 0. 12.]]
    """
    return jacfwd(grad(fn, grad_position), grad_position)


@hinting
def hvp(fn: Function[..., Tensor], inputs: T, v: T) -> tuple[T, T]:
    """The gradient of a scalar `fn` and the product of its Hessian with `v`, without the Hessian.

    One pass of forward over reverse mode: its cost is that of a few gradients, at any size.

    Args:
        fn: a Cell or function of one or several Tensors.
        inputs: a Tensor, or a tuple or list of them.
        v: directions of the same structure, shapes and dtypes.

    Returns:
        ``(gradient, H v)``, each a Tensor, or a tuple for a tuple of inputs.

    Raises:
        TypeError, ValueError: as `jvp`.

    >>> gradient, product = ms.hvp(lambda x: (x**3).sum(), Tensor([1.0, 2.0]), Tensor([1.0, 0.0]))
    >>> print(gradient, product)
    [ 3. 12.] [6. 0.]
    """
    several = isinstance(inputs, tuple | list)
    positions: Any = tuple(range(len(cast(Any, inputs)))) if several else 0
    gradient = _kept(fn, ("hvp", positions), lambda: grad(fn, positions))
    out: tuple[T, T] = jvp(gradient, inputs, v)
    return out


_gradients = PerObject()


def _kept(fn: Any, flavor: Any, make: Callable[[], Any]) -> Any:
    """What `make` gives, the same object while `fn` lives: compiled code hangs on it."""
    try:
        table = _gradients.of(fn)
    except TypeError:
        return make()
    if flavor not in table:
        table[flavor] = make()
    return table[flavor]
