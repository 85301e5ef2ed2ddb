"""Checks of derivatives, for your functions as for ours: ``check_grads``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.transforms.products import jvp, vjp

__all__ = ["TOLERANCES", "check_grads"]

TOLERANCES = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 2e-4, "float64": 2e-8}
"""Largest difference from the reference, relative to the size of its terms, by dtype."""

_STEP = 1e-3  # of a difference of sixth order in float64: rounding is near 1e-13


def check_grads(
    f: Callable[..., object],
    args: object,
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    *,
    tolerance: float | None = None,
    seed: int = 0,
) -> None:
    """Checks the derivatives of `f` at `args` against differences of `f` itself.

    Every derivative up to `order` is taken in every sequence of modes. Each is compared with a
    central difference of sixth order of the function one order below, along a random direction,
    taken on float64 copies of the arguments (in their own dtype where `f` does not compute in
    float64); forward and reverse mode are compared with the same difference.

    Args:
        f: a Cell or function of Tensors that returns a Tensor.
        args: its arguments, a Tensor or a tuple of them; the floating-point ones are varied. `f`
            should be smooth around them.
        order: the highest derivative.
        modes: "fwd" for jvp, "rev" for vjp, or both.
        tolerance: instead of the one of `TOLERANCES` for the dtype of the output.
        seed: of the directions.

    Raises:
        AssertionError: a derivative is off; the message names the modes that led to it.
        ValueError: `order` below 1, or an unknown mode.
        TypeError: an argument is no Tensor, or `f` returns something else than one Tensor of
            floating-point numbers.

    >>> from cellgrad.testing import check_grads
    >>> check_grads(lambda x: ops.sin(x) * x, ms.Tensor([0.5, 2.0]), order=3)
    """
    if order < 1 or not modes or any(m not in ("fwd", "rev") for m in modes):
        raise error(
            ValueError,
            f"For 'check_grads', order must be at least 1 and modes some of 'fwd' and 'rev', but "
            f"got order={order}, modes={tuple(modes)!r}.",
        )
    inputs = tuple(args) if isinstance(args, tuple | list) else (args,)
    rng = np.random.default_rng(seed)

    def judge(path: tuple[str, ...], given: float, expected: float, size: float, kind: str) -> None:
        limit = TOLERANCES[kind] if tolerance is None else tolerance
        if not abs(given - expected) <= limit * size:
            raise AssertionError(
                f"the derivative {' of '.join(reversed(path))} is {given:.9g} along a random "
                f"direction, but by finite differences it is {expected:.9g}: they differ by "
                f"{abs(given - expected) / size:.2g} of the size of the terms, more than {limit:.2g}"
            )

    _check(f, inputs, order, tuple(modes), (), judge, rng)


def _largest_errors(f: Callable[..., Any], args: tuple[Any, ...], order: int) -> list[float]:
    """For each order, how far the derivatives that `check_grads` compares are off, relative to the
    size of their terms.
    """
    errors = [0.0] * order

    def judge(path: tuple[str, ...], given: float, expected: float, size: float, kind: str) -> None:
        k = len(path) - 1
        errors[k] = max(errors[k], abs(given - expected) / size)

    _check(f, args, order, ("fwd", "rev"), (), judge, np.random.default_rng(0))
    return errors


def _check(
    f: Any,
    args: tuple[Any, ...],
    order: int,
    modes: tuple[str, ...],
    path: tuple[str, ...],
    judge: Callable[[tuple[str, ...], float, float, float, str], None],
    rng: np.random.Generator,
) -> None:
    directions = tuple(_random_like(a, rng) for a in args)
    reference, terms = _difference(f, args, directions)
    cotangent = _random_like(f(*args), rng)
    expected = float((_array(cotangent) * reference).sum())
    size = float((np.abs(_array(cotangent)) * terms).sum())

    def compare(mode: str, given: float) -> None:
        judge((*path, mode), given, expected, size, str(cotangent.dtype).lower())

    def forward(*xs: Any) -> Any:
        # the reference calls this on wider arguments
        tangents = tuple(t.astype(x.dtype) for t, x in zip(directions, xs, strict=True))
        return jvp(f, xs, tangents)[1]

    def reverse(*xs: Any) -> Any:
        return vjp(f, *xs)[1](cotangent)

    if "fwd" in modes:
        compare("fwd", float((_array(cotangent) * _array(forward(*args))).sum()))
    if "rev" in modes:
        products = zip(reverse(*args), directions, strict=True)
        compare("rev", sum(float((_array(g) * _array(t)).sum()) for g, t in products))
    if order == 1:
        return
    if "fwd" in modes:
        _check(forward, args, order - 1, modes, (*path, "fwd"), judge, rng)
    if "rev" in modes:

        def pulled(*xs: Any) -> Any:
            parts = [(g * t).sum() for g, t in zip(reverse(*xs), directions, strict=True)]
            total = parts[0]
            for p in parts[1:]:
                total = total + p
            return total

        _check(pulled, args, order - 1, modes, (*path, "rev"), judge, rng)


def _array(tensor: Tensor) -> np.ndarray[Any, Any]:
    return np.asarray(tensor.asnumpy(), np.float64)


def _random_like(tensor: Any, rng: np.random.Generator) -> Tensor:
    if not isinstance(tensor, Tensor):
        raise error(
            TypeError,
            f"For 'check_grads', arguments and output must be Tensors, but got "
            f"{type(tensor).__name__}.",
        )
    if tensor.dtype.kind != "f":
        return Tensor(np.zeros(tensor.shape), tensor.dtype)
    return Tensor(rng.normal(size=tensor.shape), tensor.dtype)


def _difference(
    f: Any, args: tuple[Tensor, ...], directions: tuple[Tensor, ...]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The derivative of `f` along `directions`, by differences; and the size of its terms."""
    wide = tuple(_widened(a) for a in args)
    output = f(*wide)
    if not isinstance(output, Tensor) or output.dtype.kind != "f":
        raise error(
            TypeError,
            "For 'check_grads', the function must return a Tensor of floating-point numbers, but "
            f"it returns {repr(output._sig) if isinstance(output, Tensor) else type(output).__name__}.",
            "choose one of its results, or return ops.concat of them",
        )
    inside = output.dtype is mstype.float64
    step = _STEP if inside else 2e-2
    at = wide if inside else args

    def moved(by: float) -> np.ndarray[Any, Any]:
        shifted = [
            Tensor(_array(x) + by * step * _array(t), x.dtype) if x.dtype.kind == "f" else x
            for x, t in zip(at, directions, strict=True)
        ]
        return _array(f(*shifted))

    weights = (45, -9, 1)
    slope = sum(w * (moved(k) - moved(-k)) for k, w in enumerate(weights, 1)) / (60 * step)
    return slope, np.abs(slope) + np.abs(_array(f(*at))) + 1e-3


def _widened(tensor: Tensor) -> Tensor:
    if tensor.dtype.kind != "f":
        return tensor
    return Tensor(np.asarray(tensor.asnumpy(), np.float64), mstype.float64)
