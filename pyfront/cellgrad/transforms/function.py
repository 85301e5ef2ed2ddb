"""Functions with a derivative of their own and code without one, in ordinary Python: MindSpore's `_Function` and
`_no_grad`. Gradient functions of code with them run it as ordinary Python, see `transforms.tape`.
"""

from __future__ import annotations

import contextlib
from typing import Any

from cellgrad.core import state
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.record import splat
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors
from cellgrad.transforms import tape_views
from cellgrad.transforms.tape import Tape, suspended

__all__ = ["_Function", "_no_grad"]


def _needs_python(name: str, instead: str) -> None:
    if state.current.scope is not None:
        text = f"'{name}' runs as ordinary Python, in PYNATIVE_MODE, and is not compiled."
        raise error(NotCompilable, text, instead)


class _no_grad(contextlib.ContextDecorator):
    """Code whose results are constants of the gradient: ``with _no_grad():``, or a decorator.

    Raises:
        TypeError: in compiled code, but at the syntax level LAX, where it runs operation by operation.
        RuntimeError: a gradient is taken in it.

    >>> def f(x):
    ...     with ms._no_grad():
    ...         scale = x * x
    ...     return x * scale
    >>> ms.set_context(mode=ms.PYNATIVE_MODE)
    >>> print(ms.grad(f)(Tensor(3.0)))
    9.0
    """

    def __init__(self) -> None:
        self._open: list[Any] = []

    def __enter__(self) -> None:
        _needs_python("_no_grad", "use ops.stop_gradient of the results")
        context = suspended()
        context.__enter__()
        self._open.append((context, state.current.fixed))
        state.put("fixed", True)

    def __exit__(self, *exc: Any) -> None:
        context, before = self._open.pop()
        context.__exit__(*exc)
        state.put("fixed", before)


class _Function:
    """A function with a derivative of its own. Subclasses define ``forward(ctx, *args)`` and ``backward(ctx,
    *gradients)``, both static; ``apply(*args)`` calls it.

    `forward` may keep what it likes in `ctx`, tensors by `save_for_backward`. `backward` gets a gradient
    for each output, None for those that are no Tensors, and gives one for each argument, None for those
    that are no Tensors. A gradient of a shape that the argument broadcasts to is summed. Arguments that `forward`
    writes to are named by `mark_dirty`, and are outputs.

    Raises:
        RuntimeError: another number of gradients, one that is no Tensor, or one for an argument that is none;
            what `mark_dirty` names is no output, is what the gradient is taken by, or is a part of another tensor
            and one of several outputs.
        TypeError: the call is in compiled code, but at the syntax level LAX.

    >>> class Doubled(ms._Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         (x,) = ctx.saved_tensors
    ...         return gradient * x * 4
    >>> ms.set_context(mode=ms.PYNATIVE_MODE)
    >>> print(ms.grad(Doubled.apply)(Tensor(3.0)))
    12.0
    """

    saved_tensors: tuple[Tensor, ...] = ()
    non_differentiable: tuple[Tensor, ...] = ()
    dirty: tuple[Tensor, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """The computation."""
        raise NotImplementedError("forward function should be customized.")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradients by the arguments, from those of the outputs."""
        raise NotImplementedError("backward function should be customized.")

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keeps tensors as ``ctx.saved_tensors``."""
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Says that outputs have no gradient."""
        self.non_differentiable = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Says that `forward` writes to arguments, which it returns, too."""
        self.dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether outputs that nothing depends on have gradients of zeros, or None."""
        self.materialize_grads = value

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        _needs_python(cls.__name__, "write it with ms.custom_rule")
        ctx, tape = cls(), state.current.tape
        ctx.needs_input_grad = tuple([tape is not None and tape.tracks(a) for a in args])
        if tape is None:
            return cls.forward(ctx, *args, **kwargs)
        with suspended():
            made = cls.forward(ctx, *args, **kwargs)
        fixed = [id(t) for t in ctx.non_differentiable]
        outputs = made if isinstance(made, tuple) else (made,)
        ctx._check_dirty(tape, outputs)
        own = [t for t in outputs if isinstance(t, Tensor) and id(t) not in fixed]
        found = {id(t): Tensor._wrap(t._buf.copy(), t._sig) for t in own}
        written = [t for t in own if any(t is d for d in ctx.dirty)]

        def result(t: Tensor) -> Tensor:
            if any(t is w for w in written):
                return t
            return found[id(t)] if id(t) in found else Tensor._wrap(t._buf.copy(), t._sig)

        def pull(douts: list[Tensor | None]) -> list[Tensor | None]:
            by_output = dict(zip(found, douts, strict=True))
            given = [ctx._gradient(t, by_output) for t in outputs]
            gradients = cls.backward(ctx, *given)
            return _checked(gradients, args)

        tape.rule(
            [a for a in args if isinstance(a, Tensor)], list(found.values()), pull, cls.__name__
        )
        for t in written:  # from here on, the argument is that output
            tape.write(t, found[id(t)])
        return map_tensors(result, made)

    def _check_dirty(self, tape: Tape, outputs: tuple[Any, ...]) -> None:
        """Refuses writes that have no derivative."""
        for t in self.dirty:
            if not any(t is o for o in outputs):
                raise error(
                    RuntimeError,
                    "The dirty tensors must all be outputs of the forward function.",
                    "return what mark_dirty names",
                )
            if tape.is_leaf(t):
                raise error(
                    RuntimeError,
                    "A leaf tensor that need grad is being used in an inplace operator: the gradient is taken "
                    "by an argument that mark_dirty names.",
                    "give the function a copy: apply(x.copy())",
                )
            if len(outputs) > 1 and tape_views.root_of(t)[1] is not None:
                raise error(
                    RuntimeError,
                    "A view is one of output for multi output operator: mark_dirty names a part of another tensor.",
                    "give the function a copy, or return one tensor",
                )

    def _gradient(self, output: Any, found: dict[int, Tensor | None]) -> Tensor | None:
        if not isinstance(output, Tensor):
            return None
        gradient = found.get(id(output))
        if gradient is None and self.materialize_grads:
            return splat(0, output.dtype, output.shape)
        return gradient


def _checked(gradients: Any, args: tuple[Any, ...]) -> list[Tensor | None]:
    """The gradients by the tensors among the arguments."""
    listed = gradients if isinstance(gradients, tuple | list) else (gradients,)
    if len(listed) != len(args):
        raise error(
            RuntimeError,
            f"Function backward return a wrong number of gradients: {len(listed)} for {len(args)} "
            "arguments.",
            "return one for each argument of forward, None for what is no Tensor",
        )
    out: list[Tensor | None] = []
    for i, (g, a) in enumerate(zip(listed, args, strict=True)):
        if not isinstance(a, Tensor):
            if g is not None:
                raise error(
                    RuntimeError,
                    f"Input is not tensor, but gradient is not none: argument {i} is "
                    f"{type(a).__name__}.",
                )
            continue
        if g is not None and not isinstance(g, Tensor):
            raise error(
                RuntimeError,
                f"Gradient should be none or tensor, but that of argument {i} is {type(g).__name__}.",
            )
        out.append(None if g is None else _summed(g, a, i))
    return out


def _summed(gradient: Tensor, like: Tensor, position: int) -> Tensor:
    """A gradient over the dimensions along which its tensor was broadcast."""
    extra = gradient.ndim - like.ndim
    kept = gradient.shape[max(extra, 0) :]
    if extra < 0 or any(n not in (1, m) for n, m in zip(like.shape, kept, strict=True)):
        raise error(
            RuntimeError,
            f"The gradient of argument {position} has shape {list(gradient.shape)}, but the argument has "
            f"{list(like.shape)}.",
        )
    over = [*range(extra), *[i + extra for i, n in enumerate(like.shape) if n != kept[i]]]
    g: Any = gradient.sum(tuple(over)).reshape(like.shape) if over else gradient
    out: Tensor = g if g.dtype is like.dtype else g.astype(like.dtype)
    return out
