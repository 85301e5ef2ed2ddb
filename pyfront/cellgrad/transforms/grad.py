"""Gradients: ``grad``, ``value_and_grad``, ``ops.GradOperation``, ``get_grad``.

All are the same step: the function is captured as a private function of the graph, and one ``cell.vjp``
or ``cell.jvp`` op refers to it. Tensors of the surrounding code that it uses are arguments of that
function, so that outer gradients flow through them; therefore gradients nest to any order, inside
and outside of Cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    TypeVar,
    overload,
)

from cellgrad import _native
from cellgrad.compile import program as _jit
from cellgrad.core import html, state
from cellgrad.core.aliases import Function, Weights
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_callable,
    check_int,
    check_sequence,
)
from cellgrad.core.context import compiled as _compiled
from cellgrad.core.errors import either, error
from cellgrad.core.foreign import hinting
from cellgrad.core.guards import ABSENT
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.transforms.differentiate import pull_back
from cellgrad.transforms.numbers import by_numbers, by_numbers_on_tape, numbers_asked
from cellgrad.transforms.on_tape import (
    compiled_or_not,
    differentiate_on_tape,
)
from cellgrad.transforms.request import Request, constant_positions, frozen_positions

if TYPE_CHECKING:
    from cellgrad.core.aliases import Derivative

__all__ = ["GradOperation", "get_grad", "grad", "value_and_grad"]

_call_known = _native.call_known
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class _GradFunction:
    """The gradient of a function; call it like the function."""

    def __init__(self, function: Any, request: Request, sens: bool = False):
        self.function = function
        self.request = request
        self.sens = sens
        self.__name__ = f"{request.name}_{_jit.function_name(function)}"
        self._programs: dict[Any, _jit.Program] = {}  # by what is frozen or constant
        self._usual: _jit.Program | None = None  # where nothing is

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        program = self._usual
        if (
            program is not None
            and state.current.usual
            and _compiled[0]
            and not (kwargs or program.dynamic)
        ):
            out = _call_known(program.known, args)
            if out is not ABSENT:
                return out
        return self._called(args, kwargs)

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that none before was like. (Its lambdas would cost `__call__` a cell for each argument.)"""
        if state.current.scope is not None:
            return self._traced(self.function, args, kwargs)
        if state.current.fixed:
            raise error(
                RuntimeError,
                f"In no_grad context, you can not calculate gradient: '{self.__name__}' is called in a "
                "block of _no_grad.",
                "call it outside of the block, and use ops.stop_gradient of the results",
            )
        tape = state.current.tape
        if tape is not None:
            tape.keep(self.function)
        frozen = frozen_positions(args), constant_positions((*args, *kwargs.values()))
        return compiled_or_not(
            lambda: self._program(frozen),
            self.function,
            args,
            kwargs,
            lambda: self._taped(args, kwargs, frozen),
        )

    def _program(self, frozen: Any) -> _jit.Program:
        program = self._programs.get(frozen)
        if program is None:
            program = self._find_program(self.request.at(*frozen))
            self._programs[frozen] = program
            if frozen == (None, ()):
                self._usual = program
        return program

    def _taped(self, args: tuple[Any, ...], kwargs: dict[str, Any], frozen: Any) -> Any:
        """The gradient of a function that runs as ordinary Python."""
        request = self.request.at(*frozen)
        inputs, named, cotangent = _with_cotangent(args, kwargs, request, self.sens)
        by_number = request.frozen is None and numbers_asked(inputs, request)
        run = by_numbers_on_tape if by_number else differentiate_on_tape
        return run(self.function, inputs, named, request, cotangent)

    def _find_program(self, request: Request) -> _jit.Program:
        sens = self.sens

        def make(reach: Callable[[], Any]) -> Callable[..., Any]:
            return lambda *a, **k: _apply(reach(), a, k, request, sens)

        return _jit.program_for(self.function, (request.key(), sens), make, self.__name__)

    def _traced(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        constant = constant_positions((*args, *kwargs.values()))
        return _apply(function, args, kwargs, self.request.at(None, constant), self.sens)

    def __repr__(self) -> str:
        return f"<{self.request.name} of {self.function!r}>"

    def _repr_html_(self) -> str:
        positions = self.request.positions
        by = [] if positions is None else [f"by position {positions}"]
        by += [f"by {w.name}: {w.dtype.title}{list(w.shape)}" for w in self.request.weights or ()]
        head = f"{self.request.name} of {_jit.function_name(self.function)}"
        return html.value(head, "\n".join(by))

    def __getstate__(self) -> dict[str, Any]:
        # Compiled code is found again where it is used.
        return {**self.__dict__, "_programs": {}, "_usual": None}


def _apply(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], request: Request, sens: bool
) -> Any:
    args, kwargs, cotangent = _with_cotangent(args, kwargs, request, sens)
    if request.frozen is None and numbers_asked(args, request):
        return by_numbers(function, args, kwargs, request, cotangent)
    return pull_back(function, args, kwargs, request, cotangent)


def _with_cotangent(
    args: tuple[Any, ...], kwargs: dict[str, Any], request: Request, sens: bool
) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
    """The inputs, and the cotangent among them."""
    cotangent = None
    if sens and "sens" in kwargs:
        kwargs = dict(kwargs)
        cotangent = kwargs.pop("sens")
    elif sens:
        if not args:
            raise error(
                TypeError,
                f"For '{request.name}', the last argument must be the cotangent (sens_param=True).",
                "give it after the inputs, or as sens=...",
            )
        *rest, cotangent = args
        args = tuple(rest)
    return args, kwargs, cotangent


# --- argument checks --------------------------------------------------------------------------


def _check_positions(positions: Any, name: str) -> None:
    if isinstance(positions, bool) or not isinstance(positions, int | tuple):
        hint = "use a tuple: grad_position=(0, 1)" if isinstance(positions, list) else ""
        raise argument_error(
            TypeError, name, "grad_position", "an int or a tuple of ints", positions, hint
        )
    listed = (positions,) if isinstance(positions, int) else positions
    if not listed:
        raise error(
            either(ValueError, RuntimeError),
            f"For '{name}', the grad_position should not be empty when grad by position.",
            "give None for gradients by weights only",
        )
    for p in check_sequence(listed, name, "grad_position", "ints"):
        check_int(p, name, "grad_position", at_least=0)
    if len(set(listed)) != len(listed):
        raise error(
            ValueError,
            f"For '{name}', there are duplicate positions in `grad_position` {positions}.",
        )


def _check_weights(weights: Any, name: str) -> Any:
    if weights is None or isinstance(weights, Parameter):
        return weights
    if isinstance(weights, tuple | list):
        for i, w in enumerate(weights):
            if not isinstance(w, Parameter):
                raise error(
                    TypeError,
                    f"For '{name}', 'weights' must hold Parameters, but weights[{i}] is "
                    f"{type(w).__name__}.",
                    "pass net.trainable_params()",
                )
        return tuple(weights)
    raise error(
        either(TypeError, ValueError),
        f"For '{name}', 'weights' must be a Parameter, ParameterTuple or list of Parameters, but "
        f"got {type(weights).__name__}.",
        "pass net.trainable_params()",
    )


def _make(
    fn: Any, positions: Any, weights: Any, has_aux: Any, ids: Any, sens: Any, value: bool, name: str
) -> Callable[..., Any]:
    check_callable(fn, name, "fn", "a Cell or a function")
    if positions is None and weights is None:
        raise error(ValueError, "`grad_position` and `weight` can not be None at the same time.")
    if positions is not None:
        _check_positions(positions, name)
    weights = _check_weights(weights, name)
    check_bool(has_aux, name, "has_aux")
    check_bool(ids, name, "return_ids")
    check_bool(sens, name, "sens_param")
    return _GradFunction(fn, Request(positions, weights, has_aux, value, ids, name), sens)


# --- the public family ------------------------------------------------------------------------


@overload
def grad(
    fn: Function[Concatenate[Tensor, P], object],
    grad_position: Literal[0] = 0,
    weights: None = None,
    has_aux: Literal[False] = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[Tensor, P], Tensor]: ...
@overload
def grad(
    fn: Function[Concatenate[T, P], object],
    grad_position: Literal[0] = 0,
    weights: None = None,
    has_aux: Literal[False] = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[T, P], T]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    fn: Function[Concatenate[T, Tensor, P], object],
    grad_position: Literal[1],
    weights: None = None,
    has_aux: Literal[False] = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[T, Tensor, P], Tensor]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    fn: Function[Concatenate[Tensor, Tensor, P], object],
    grad_position: tuple[Literal[0], Literal[1]],
    weights: None = None,
    has_aux: Literal[False] = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[Tensor, Tensor, P], tuple[Tensor, Tensor]]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    fn: Function[P, object],
    grad_position: None,
    weights: Parameter,
    has_aux: Literal[False] = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[P, Tensor]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    fn: Function[P, object],
    grad_position: None,
    weights: Sequence[Parameter],
    has_aux: Literal[False] = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[P, tuple[Tensor, ...]]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    fn: Function[Concatenate[Tensor, P], object],
    grad_position: Literal[0],
    weights: Sequence[Parameter],
    has_aux: Literal[False] = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[Tensor, P], tuple[Tensor, tuple[Tensor, ...]]]: ...
@overload
def grad(
    fn: Function[P, object],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: Literal[False] = False,
) -> Derivative[P, Any]: ...
@overload
def grad(
    fn: Function[..., object],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Derivative[..., Any]: ...
@hinting
def grad(
    fn: Any,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Any:
    """A function that gives the gradient of `fn`.

    The gradient is that of the sum of all elements of all outputs or, with `has_aux`, of the first
    output.

    Args:
        fn: a Cell or function.
        grad_position: the position of an input, or a tuple of them, to differentiate by; None for
            weights only. Inputs given by name have the positions after the others, in the order of
            the call.
        weights: a Parameter, or a tuple or list of them, to differentiate by; an empty one, as
            `trainable_params` of a Cell without Parameters gives, has an empty tuple of gradients.
        has_aux: whether outputs after the first are not differentiated but returned beside the
            gradient.
        return_ids: whether each gradient comes in a tuple after its position or its Parameter's
            name.
        sens_param: whether the function made takes the cotangent of the output, after the inputs
            or as ``sens=``, in place of ones: a tuple that mirrors the output for several, that
            of the first output with `has_aux`.

    Returns:
        A function of `fn`'s inputs. It returns, by `grad_position` and `weights`: a Tensor for one
        position (also in a 1-tuple), a tuple for several; a tuple for a tuple or list of weights, a
        Tensor for a bare Parameter; and ``(inputs' part, weights' part)`` for both. With `has_aux`:
        ``(gradient, (aux, ...))``. Unused inputs and weights have zero gradients; so have, in
        `PYNATIVE_MODE` and outside of compiled code, Parameters whose `requires_grad` is False. Each
        gradient has the dtype of its input. Positions of values without Tensors are left out.

    Raises:
        ValueError: neither position nor weights; a duplicate, negative or empty position; `has_aux`
            with one output; a cotangent of another shape than the output.
        TypeError: arguments of wrong types; a nested input that holds a float.
        IndexError: a position beyond the inputs.

    >>> ms.grad(lambda x: x * x)(ms.Tensor(3.0))
    Tensor(shape=[], dtype=Float32, value= 6)
    """
    return _make(fn, grad_position, weights, has_aux, return_ids, sens_param, False, "grad")


@overload
def value_and_grad(
    fn: Function[Concatenate[Tensor, P], R],
    grad_position: Literal[0] = 0,
    weights: None = None,
    has_aux: bool = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[Tensor, P], tuple[R, Tensor]]: ...
@overload
def value_and_grad(
    fn: Function[Concatenate[T, P], R],
    grad_position: Literal[0] = 0,
    weights: None = None,
    has_aux: bool = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[T, P], tuple[R, T]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    fn: Function[Concatenate[T, Tensor, P], R],
    grad_position: Literal[1],
    weights: None = None,
    has_aux: bool = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[T, Tensor, P], tuple[R, Tensor]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    fn: Function[Concatenate[Tensor, Tensor, P], R],
    grad_position: tuple[Literal[0], Literal[1]],
    weights: None = None,
    has_aux: bool = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[Tensor, Tensor, P], tuple[R, tuple[Tensor, Tensor]]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    fn: Function[P, R],
    grad_position: None,
    weights: Parameter,
    has_aux: bool = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[P, tuple[R, Tensor]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    fn: Function[P, R],
    grad_position: None,
    weights: Sequence[Parameter],
    has_aux: bool = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[P, tuple[R, tuple[Tensor, ...]]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    fn: Function[Concatenate[Tensor, P], R],
    grad_position: Literal[0],
    weights: Sequence[Parameter],
    has_aux: bool = False,
    return_ids: Literal[False] = False,
    sens_param: Literal[False] = False,
) -> Derivative[Concatenate[Tensor, P], tuple[R, tuple[Tensor, tuple[Tensor, ...]]]]: ...
@overload
def value_and_grad(
    fn: Function[P, R],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: Literal[False] = False,
) -> Derivative[P, tuple[R, Any]]: ...
@overload
def value_and_grad(
    fn: Function[..., R],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Derivative[..., tuple[R, Any]]: ...
@hinting
def value_and_grad(
    fn: Any,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Any:
    """A function that gives the value of `fn` and its gradient, ``(value, gradient)``; see `grad`.

    With `has_aux` the value is the tuple of all outputs.

    >>> value, gradient = ms.value_and_grad(lambda x: (x * x).sum())(Tensor([1.0, 2.0]))
    >>> print(value, gradient)
    5.0 [2. 4.]
    """
    return _make(
        fn, grad_position, weights, has_aux, return_ids, sens_param, True, "value_and_grad"
    )


class GradOperation:
    """Makes gradient functions: ``GradOperation(...)(fn)(*inputs)``.

    Args:
        get_all: whether to differentiate by all inputs (a tuple, also for one), also those given by
            name, instead of the first.
        get_by_list: whether to differentiate by the weights given with the function (a tuple for a
            tuple or list). Without them, by the trainable Parameters that it reads, in the order of
            their first use.
        sens_param: whether the gradient function takes the cotangent of the output as its last
            argument, or as ``sens=``; a tuple that mirrors the output, for several.

    Raises:
        TypeError: a flag that is not a bool.

    >>> square = lambda x, y: x * x * y
    >>> print(ops.GradOperation(get_all=True)(square)(Tensor(3.0), Tensor(2.0)))
    (Tensor(shape=[], dtype=Float32, value= 12), Tensor(shape=[], dtype=Float32, value= 9))
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False):
        check_bool(get_all, "GradOperation", "get_all")
        check_bool(get_by_list, "GradOperation", "get_by_list")
        check_bool(sens_param, "GradOperation", "sens_param")
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn: Function[..., object], weights: Weights = None) -> Callable[..., Any]:
        check_callable(fn, "GradOperation", "fn", "a Cell or a function")
        listed: Any = _check_weights(weights, "GradOperation") if self.get_by_list else None
        if self.get_by_list and weights is None:
            listed = "read"
        positions: Any = "all" if self.get_all else None if self.get_by_list else 0
        return _GradFunction(
            fn, Request(positions, listed, False, False, False, "GradOperation"), self.sens_param
        )

    def __repr__(self) -> str:
        return (
            f"GradOperation(get_all={self.get_all}, get_by_list={self.get_by_list}, "
            f"sens_param={self.sens_param})"
        )


def get_grad(gradients: object, identifier: int | Parameter) -> Tensor:
    """Picks a gradient by position or Parameter from what a function made with ``return_ids=True``
    returned.

    Raises:
        TypeError: `identifier` is neither int nor Parameter, or `gradients` has no ids.
        RuntimeError: there is no such gradient.

    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> gradient = ms.grad(net, 0, net.weight, return_ids=True)(Tensor([[1.0, 2.0]]))
    >>> print(ms.get_grad(gradient, net.weight))
    [[1. 2.]]
    """
    if isinstance(identifier, bool) or not isinstance(identifier, int | Parameter):
        raise argument_error(
            TypeError, "get_grad", "identifier", "an int or a Parameter", identifier
        )
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    found: Tensor | None = _search(gradients, wanted)
    if found is None:
        raise error(
            RuntimeError,
            f"For 'get_grad', there is no gradient for {wanted!r}.",
            "was return_ids=True given to grad?",
        )
    return found


def _search(gradients: Any, wanted: int | str) -> Any:
    if not isinstance(gradients, tuple):
        return None
    if len(gradients) == 2 and isinstance(gradients[0], int | str):
        return (
            gradients[1] if gradients[0] == wanted and type(gradients[0]) is type(wanted) else None
        )
    for g in gradients:
        found = _search(g, wanted)
        if found is not None:
            return found
    return None
