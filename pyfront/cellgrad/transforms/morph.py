"""`ops.Morph`: a function of compiled code as a Primitive."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from cellgrad.capture import calls
from cellgrad.core import state
from cellgrad.core.arguments import check_callable
from cellgrad.core.errors import error
from cellgrad.ops._elementwise import Primitive
from cellgrad.transforms.custom import call_with_rule

__all__ = ["Morph"]


class Morph(Primitive):
    """A Primitive of compiled code that is a function: its derivative is that of the function, or `bprop_fn`.

    Args:
        fn: what it computes.
        infer_shape, infer_dtype: of MindSpore's interface; `fn` says both here, so they are not called.
        bprop_fn: ``bprop_fn(*args, out, dout)``, as `Cell.bprop`: the gradients by the arguments, in a tuple.

    Raises:
        TypeError: one of them is not callable.
        ValueError: with `bprop_fn`, when `fn` has a parameter with a default, or one that cannot be given by
            position.
        RuntimeError: called outside of compiled code.

    >>> scale = ops.Morph(lambda x, s: x * s, lambda *shapes: shapes[0], lambda *dtypes: dtypes[0])
    >>> print(ms.jit(lambda x: scale(x, 3.0) + 1)(Tensor([1.0, 2.0])))
    [4. 7.]
    """

    def __init__(
        self,
        fn: Callable[..., object],
        infer_shape: Callable[..., object],
        infer_dtype: Callable[..., object],
        bprop_fn: Callable[..., object] | None = None,
    ):
        super().__init__()
        self._fn = check_callable(fn, self.name, "fn", "a function")
        self.infer_shape = check_callable(infer_shape, self.name, "infer_shape", "a function")
        self.infer_dtype = check_callable(infer_dtype, self.name, "infer_dtype", "a function")
        self._rule = bprop_fn
        if bprop_fn is not None:
            check_callable(bprop_fn, self.name, "bprop_fn", "a function")
            _check_by_position(fn)

    def __call__(self, *args: object, **kwargs: object) -> object:
        if state.current.scope is None:
            raise error(
                RuntimeError,
                "Morph is only supported in GRAPH_MODE.",
                "call it in a function under ms.jit or in a Cell in GRAPH_MODE, or call its function itself",
            )
        if self._rule is None:
            return calls.call(self._fn, args, kwargs)
        bound = inspect.signature(self._fn).bind(*args, **kwargs)
        return call_with_rule(self._fn, bound.args, self._rule, forward=False, of_cell=True)


def _check_by_position(fn: Callable[..., object]) -> None:
    """Refuses parameters that a rule would not get."""
    for p in inspect.signature(fn).parameters.values():
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.default is not p.empty:
            raise error(
                ValueError,
                "For 'Morph', with 'bprop_fn' each parameter of 'fn' is given by position and has no default, "
                f"but got '{p}'.",
                "take its value from around the function",
            )
