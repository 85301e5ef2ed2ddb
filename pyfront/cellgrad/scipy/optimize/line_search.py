"""Steps along a line that meet the strong Wolfe conditions; values and gradients are compiled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cellgrad.core.arguments import check_callable, check_int, check_number, check_same_shape
from cellgrad.core.record import check_float
from cellgrad.core.tensor import Tensor
from cellgrad.transforms.grad import value_and_grad

__all__ = ["line_search"]

Vector = np.ndarray[Any, Any]
ZOOM_STEPS = 10  # as scipy has it


class LineSearchResults(NamedTuple):
    """What `line_search` found."""

    failed: bool  # whether no step was found
    nit: int  # trial steps
    nfev: int  # evaluations of the function
    ngev: int  # evaluations of its gradient
    k: int  # `nit` and 1
    a_k: float  # the step
    f_k: float  # the function there
    g_k: Tensor  # its gradient there
    status: int  # 0: found, 1: no step between two that enclose one, 3: `maxiter` was reached


class Point(NamedTuple):
    """A step along the line, with the function, its slope along the line, and its gradient there."""

    step: float
    value: float
    slope: float
    gradient: Vector


class Objective:
    """A function and its gradient at arrays, and how often they were evaluated."""

    def __init__(self, func: Callable[..., Any], jac: Callable[..., Any] | None, dtype: Any):
        self.dtype = dtype
        self.evaluations = 0
        if jac is None:
            self._both: Callable[[Tensor], Any] = value_and_grad(func)
        else:
            self._both = lambda x: (func(x), jac(x))

    def __call__(self, x: Vector) -> tuple[float, Vector]:
        self.evaluations += 1
        value, gradient = self._both(Tensor(x, self.dtype))
        return float(value), np.asarray(gradient.asnumpy(), np.float64)

    def along(self, x: Vector, direction: Vector) -> Callable[[float], Point]:
        """The function at ``x + step * direction``."""

        def at(step: float) -> Point:
            value, gradient = self(x + step * direction)
            return Point(step, value, float(np.vdot(gradient, direction)), gradient)

        return at


def wolfe(
    at: Callable[[float], Point],
    start: Point,
    first: float,
    c1: float,
    c2: float,
    maxiter: int,
) -> tuple[Point, int, int]:
    """A step that lowers the function enough (`c1`) and flattens its slope enough (`c2`).

    Args:
        at: the function along the line.
        start: its value at step 0.
        first: the first trial step, doubled from there on.

    Returns:
        the step, the number of trials, and a status as in `LineSearchResults`.

    Method: J. Nocedal and S. Wright, Numerical Optimization, algorithms 3.5 and 3.6.
    """
    before, step = start, first
    for trial in range(1, maxiter + 1):
        now = at(step)
        too_high = not now.value <= start.value + c1 * step * start.slope
        if too_high or (now.value >= before.value and trial > 1):
            found = _zoom(at, start, before, now, c1, c2)
        elif abs(now.slope) <= -c2 * start.slope:
            found = now
        elif now.slope >= 0:
            found = _zoom(at, start, now, before, c1, c2)
        else:
            before, step = now, 2 * step
            continue
        return found or start, trial, 0 if found else 1
    return start, maxiter, 3


def _zoom(
    at: Callable[[float], Point], start: Point, low: Point, high: Point, c1: float, c2: float
) -> Point | None:
    """A step between two that enclose one, or None."""
    other: Point | None = None  # that was `low` or `high` before
    for _ in range(ZOOM_STEPS):
        width = high.step - low.step
        left, right = sorted((low.step, high.step))

        def inside(step: float, margin: float, left: float = left, right: float = right) -> bool:
            return left + margin <= step <= right - margin

        step = math.nan if other is None else _cubic_minimum(low, high, other)
        if not inside(step, 0.2 * width):
            step = _quadratic_minimum(low, high)
            if not inside(step, 0.1 * width):
                step = low.step + width / 2
        now = at(step)
        too_high = not now.value <= start.value + c1 * step * start.slope
        if too_high or now.value >= low.value:
            other, high = high, now
            continue
        if abs(now.slope) <= -c2 * start.slope:
            return now
        if now.slope * width >= 0:
            other, high = high, low
        else:
            other = low
        low = now
    return None


def _cubic_minimum(a: Point, b: Point, c: Point) -> float:
    """The minimum of the cubic through three points with the slope of the first, or NaN."""
    with np.errstate(all="ignore"):
        to_b, to_c = np.float64(b.step - a.step), np.float64(c.step - a.step)
        rest_b = b.value - a.value - a.slope * to_b
        rest_c = c.value - a.value - a.slope * to_c
        scale = (to_b * to_c) ** 2 * (to_b - to_c)
        cubic = (to_c**2 * rest_b - to_b**2 * rest_c) / scale
        square = (to_b**3 * rest_c - to_c**3 * rest_b) / scale
        return float(a.step + (np.sqrt(square**2 - 3 * cubic * a.slope) - square) / (3 * cubic))


def _quadratic_minimum(a: Point, b: Point) -> float:
    """The minimum of the parabola through two points with the slope of the first, or NaN."""
    with np.errstate(all="ignore"):
        to_b = np.float64(b.step - a.step)
        square = (b.value - a.value - a.slope * to_b) / to_b**2
        return float(a.step - a.slope / (2 * square))


def line_search(
    f: Callable[..., Any],
    xk: Tensor,
    pk: Tensor,
    jac: Callable[..., Any] | None = None,
    gfk: Any = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """A step along a direction that meets the strong Wolfe conditions. It is not differentiated.

    Args:
        f: a function of a Tensor that gives a number.
        xk: where the line begins, floats.
        pk: its direction, of the same shape.
        jac: the gradient of `f`; None: the derivative.
        gfk: the gradient at `xk`, if known.
        old_fval: the function at `xk`, if known; counts together with `gfk`.
        old_old_fval: the function before `xk`; the first trial step is chosen by it, else it is 1.
        c1: by how much the function has to fall, relative to its slope.
        c2: how flat its slope has to become.
        maxiter: trial steps at most.

    Returns:
        a named tuple: ``failed``, ``nit``, ``nfev``, ``ngev``, ``k``, ``a_k`` (the step), ``f_k``, ``g_k`` and
        ``status``.

    Raises:
        TypeError: `f` is not callable, `xk` or `pk` are no Tensors of floats.
        ValueError: their shapes differ.

    >>> from cellgrad.scipy.optimize import line_search
    >>> found = line_search(lambda x: ops.sum(x * x), Tensor([1.0, 1.0]), Tensor([-1.0, -1.0]))
    >>> print(found.a_k, found.f_k)
    1.0 0.0
    """
    check_callable(f, "line_search", "f", "a function")
    x, p = check_float(xk, "line_search", "xk"), check_float(pk, "line_search", "pk")
    check_same_shape(x, p, "line_search", ("xk", "pk"))
    check_int(maxiter, "line_search", "maxiter", at_least=1)
    check_number(c1, "line_search", "c1")
    check_number(c2, "line_search", "c2")
    objective = Objective(f, jac, x.dtype)
    direction = p.asnumpy().astype(np.float64)
    at = objective.along(x.asnumpy().astype(np.float64), direction)
    if old_fval is None or gfk is None:
        start = at(0.0)
    else:
        gradient = np.asarray(gfk.asnumpy(), np.float64)
        start = Point(0.0, float(old_fval), float(np.vdot(gradient, direction)), gradient)
    first = 1.0 if old_old_fval is None else first_step(start, float(old_old_fval))
    found, trials, status = wolfe(at, start, first, c1, c2, maxiter)
    return LineSearchResults(
        failed=status != 0,
        nit=trials,
        nfev=objective.evaluations,
        ngev=objective.evaluations,
        k=trials + 1,
        a_k=found.step,
        f_k=found.value,
        g_k=Tensor(found.gradient, x.dtype),
        status=status,
    )


def first_step(start: Point, value_before: float) -> float:
    """The first trial step by how much the function fell in the step before: 1 at most."""
    if start.slope == 0:
        return 1.0
    step = 1.01 * 2 * (start.value - value_before) / start.slope
    return min(step, 1.0) if math.isfinite(step) else 1.0
