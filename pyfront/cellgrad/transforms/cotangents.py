"""Which tensors have gradients, and the cotangents and tangents that users give."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import variables
from cellgrad.core.errors import either, error
from cellgrad.core.record import cast_to, splat
from cellgrad.core.scope import Scope
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import Mismatch, matching, numbers, pairs, tensors

# Whether integers have no derivative, as in JAX; by default they have one in their own dtype.
STRICT = variables.flag("STRICT_GRAD")


def has_gradient(tensor: Tensor) -> bool:
    """Whether there is a gradient by a tensor, or of it: not for bools."""
    return tensor.dtype.kind in ("fc" if STRICT else "fiuc")


def cotangents_of(
    outer: Scope, results: list[Tensor], part: Any, sens: Any, name: str, function: str
) -> list[Any]:
    """Ones for every result, or the given cotangents, checked against the results.

    Args:
        outer: the code around the function.
        results: those that have gradients.
        part: all outputs, in their structure.
        sens: a Tensor or number for each output, in that structure, or None.
        name: of the transformation, for errors.
        function: the name of the function.

    Raises:
        TypeError: another number of cotangents, something else than a Tensor or number, or a dtype
            of another kind than the output's.
        ValueError: another shape than the output's.
    """
    if sens is None:
        return [outer.number(1, t._sig) for t in results]
    outputs = list(tensors(part))
    given = matching(sens, part)
    if len(given) != len(outputs):
        raise error(
            TypeError,
            f"For '{name}', the cotangent (sens) has {len(given)} tensors but '{function}' returns "
            f"{len(outputs)}.",
            "give one cotangent per output, in a tuple that mirrors it",
        )
    out = []
    for t, value in zip(outputs, given, strict=True):
        if not has_gradient(t):
            continue
        if isinstance(value, np.ndarray):
            value = Tensor(value)
        elif isinstance(value, int | float | complex) and not isinstance(value, bool):
            whole = t.dtype.kind in "iu" and isinstance(value, int)
            value = splat(
                value, t.dtype if whole or t.dtype.kind in "fc" else mstype.default_float(), t.shape
            )
        elif not isinstance(value, Tensor):
            raise error(
                TypeError,
                f"For '{name}', the cotangent (sens) must be a Tensor or a number, but got "
                f"{value!r}.",
            )
        if value.dtype.kind == "b" or not mstype.alike(value.dtype, t.dtype):
            kind = {"f": "a floating-point", "c": "a complex"}.get(t.dtype.kind, "an integer")
            raise error(
                TypeError,
                f"For '{name}', the cotangent (sens) of an output of {t.dtype.title} must have {kind} "
                f"dtype, but got {value.dtype.title}.",
                f"write ms.Tensor(..., {t.dtype!r})",
            )
        if value.shape != t.shape:
            raise error(
                ValueError,
                f"For '{name}', the cotangent (sens) must have the shape of the output, "
                f"{list(t.shape)}, but got "
                f"{list(value.shape)}.",
            )
        out.append(outer.value(cast_to(value, t.dtype)))
    return out


def tangents_of(
    args: tuple[Any, ...], inputs: list[Tensor], directions: tuple[Any, ...]
) -> list[Tensor]:
    """The tangent of each of `inputs`, the tensors of `args`, checked against it."""
    given = _directions(args, directions)
    if len(given) != len(inputs):
        raise error(
            either(TypeError, ValueError),
            f"For 'jvp', there are {len(inputs)} input tensors but {len(given)} tangents.",
        )
    for i, (x, t) in enumerate(zip(inputs, given, strict=True)):
        if not isinstance(t, Tensor):
            raise error(
                TypeError,
                f"For 'jvp', tangent {i} must be a Tensor like its input, {x._sig!r}, but got "
                f"{t!r}.",
            )
        if x.shape != t.shape or x.dtype is not t.dtype:
            raise error(
                ValueError if x.shape != t.shape else TypeError,
                f"For 'jvp', tangent {i} must have the shape and dtype of its input, {x._sig!r}, "
                f"but got {t._sig!r}.",
            )
    return given


def _directions(args: tuple[Any, ...], given: tuple[Any, ...]) -> list[Any]:
    """The tangents of the tensors of `args`; a number has none but zero."""
    try:
        for path, t, x in pairs(given, args):
            moves = isinstance(t, Tensor | np.ndarray) or (t is not None and t != 0)
            if moves and not isinstance(x, Tensor | np.ndarray):
                raise error(
                    TypeError,
                    f"For 'jvp', the input at {path} is the number {x!r} ({type(x).__name__}), and "
                    "has a tangent: Python values are constants of the compiled code.",
                    f"pass ms.Tensor({x!r}) to differentiate along it, or 0 as its tangent",
                )
    except Mismatch:
        for path, value in numbers(given):
            raise error(
                TypeError,
                f"For 'jvp', the tangents must have the structure of the inputs, but hold the "
                f"number {value!r} at {path}.",
                "give a Tensor for each Tensor, and nothing or 0 for a number",
            ) from None
    found = matching(given, args)
    return [Tensor(t) if isinstance(t, np.ndarray) else t for t in found]
