"""L-BFGS: a quasi-Newton method, driven from Python; values and gradients are compiled."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from cellgrad.core.arguments import check_int, check_one_of, check_sequence
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor
from cellgrad.nn.optim.optimizer import float_of

__all__ = ["LBFGS"]

Vector = np.ndarray[Any, Any]
Closure = Callable[[], tuple[Any, Any]]


class LBFGS:
    """Limited-memory BFGS. Calling it runs up to `max_iter` iterations.

    The directions are computed in float64 in Python, so it is meant for problems whose loss is
    expensive beside that, such as networks that solve differential equations.

    Args:
        params: Parameters.
        learning_rate: the length of the first trial step, relative to the direction.
        max_iter: iterations a call.
        max_eval: evaluations a call, by default ``max_iter * 5 // 4``.
        tolerance_grad: ends where no element of the gradient is greater.
        tolerance_change: ends where no Parameter, and the loss, changes more.
        history_size: how many steps the curvature is remembered of.
        line_search_fn: None for steps of fixed length, or "strong_wolfe".

    Inputs:
        closure: a function without arguments that gives the loss and its gradients by the
            Parameters, such as ``lambda: value_and_grad(x, y)``.

    Outputs:
        the last loss, a float. ``state`` counts iterations and evaluations.

    Raises:
        TypeError, ValueError: arguments that are not; gradients that do not fit.

    Method: J. Nocedal and S. Wright, Numerical Optimization, algorithms 7.4, 3.5 and 3.6.

    >>> w = Parameter(Tensor([0.0, 0.0]), name="w")
    >>> loss = ms.value_and_grad(lambda: ops.sum((w - 3.0) ** 2), None, [w])
    >>> nn.LBFGS([w], line_search_fn="strong_wolfe")(loss) < 1e-6
    True
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ):
        self.parameters = ParameterTuple(params)
        check_sequence(self.parameters, "LBFGS", "params", "Parameters")
        self.learning_rate = float_of(learning_rate, "LBFGS", "learning_rate")
        self.max_iter = check_int(max_iter, "LBFGS", "max_iter", at_least=1)
        self.max_eval = check_int(
            max_eval or max(self.max_iter * 5 // 4, 1), "LBFGS", "max_eval", at_least=1
        )
        self.tolerance_grad = float_of(tolerance_grad, "LBFGS", "tolerance_grad")
        self.tolerance_change = float_of(tolerance_change, "LBFGS", "tolerance_change")
        check_one_of(line_search_fn, "LBFGS", "line_search_fn", (None, "strong_wolfe"))
        self.line_search_fn = line_search_fn
        self._pairs: deque[tuple[Vector, Vector, float]] = deque(
            maxlen=check_int(history_size, "LBFGS", "history_size", at_least=1)
        )
        self._last: tuple[Vector, Vector, float] | None = None  # direction, gradient, step
        self.state = {"iterations": 0, "evaluations": 0}

    # --- Parameters as one vector -------------------------------------------------------------

    def _read(self) -> Vector:
        return np.concatenate([p.asnumpy().astype(np.float64).ravel() for p in self.parameters])

    def _write(self, x: Vector) -> None:
        start = 0
        for p in self.parameters:
            p.set_data(Tensor(x[start : start + p.size].reshape(p.shape), p.dtype))
            start += p.size

    def _evaluate(self, closure: Closure) -> tuple[float, Vector]:
        self.state["evaluations"] += 1
        out = closure()
        if not isinstance(out, tuple) or len(out) != 2:
            raise error(
                TypeError,
                f"For 'LBFGS', the closure must give the loss and its gradients, but got "
                f"{type(out).__name__}.",
                "ms.value_and_grad(loss, None, optimizer.parameters) gives both",
            )
        loss, gradients = out
        listed = (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
        shapes = [g.shape for g in listed]
        if shapes != [p.shape for p in self.parameters]:
            raise error(
                ValueError,
                f"For 'LBFGS', expected gradients of shapes "
                f"{[list(p.shape) for p in self.parameters]}, but got {[list(s) for s in shapes]}.",
                "differentiate by optimizer.parameters",
            )
        flat = [g.asnumpy().astype(np.float64).ravel() for g in listed]
        return float(loss), np.concatenate(flat)

    # --- iterations ---------------------------------------------------------------------------

    def __call__(self, closure: Closure) -> float:
        loss, gradient = self._evaluate(closure)
        evaluations = 1
        for _ in range(self.max_iter):
            if not math.isfinite(loss) or np.abs(gradient).max() <= self.tolerance_grad:
                break
            self._remember(gradient)
            direction = quasi_newton_direction(self._pairs, gradient)
            first = self.state["iterations"] == 0
            step = self.learning_rate * (min(1.0, 1 / np.abs(gradient).sum()) if first else 1.0)
            slope = float(gradient @ direction)
            self.state["iterations"] += 1
            if slope > -self.tolerance_change:
                break
            x, old = self._read(), loss
            before = gradient

            def along(t: float, x: Vector = x, direction: Vector = direction) -> Any:
                self._write(x + t * direction)
                return self._evaluate(closure)

            if self.line_search_fn is None:
                loss, gradient = along(step)
                evaluations += 1
            else:
                step, loss, gradient, used = _strong_wolfe(along, step, loss, gradient, direction)
                evaluations += used
                self._write(x + step * direction)
            self._last = (direction, before, step)
            if evaluations >= self.max_eval:
                break
            moved = np.abs(step * direction).max()
            if moved <= self.tolerance_change or abs(loss - old) < self.tolerance_change:
                break
        return loss

    def _remember(self, gradient: Vector) -> None:
        """Adds the curvature along the last step."""
        if self._last is None:
            return
        direction, before, step = self._last
        s, y = step * direction, gradient - before
        if s @ y > 1e-10:
            self._pairs.append((s, y, 1 / float(s @ y)))


def quasi_newton_direction(
    pairs: Sequence[tuple[Vector, Vector, float]], gradient: Vector
) -> Vector:
    """Minus the inverse Hessian's approximation times the gradient (two-loop recursion).

    Args:
        pairs: of the steps so far: the step, what the gradient changed by, 1 over their product.
    """
    q = -gradient
    parts = []
    for s, y, rho in reversed(pairs):
        a = rho * float(s @ q)
        q = q - a * y
        parts.append(a)
    if pairs:
        s, y, rho = pairs[-1]
        q = q / (rho * float(y @ y))
    for (s, y, rho), a in zip(pairs, reversed(parts)):
        q = q + (a - rho * float(y @ q)) * s
    return q


def _strong_wolfe(
    along: Callable[[float], tuple[float, Vector]],
    step: float,
    loss: float,
    gradient: Vector,
    direction: Vector,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    limit: int = 25,
) -> tuple[float, float, Vector, int]:
    """A step where the loss is lower and its slope flatter; with loss, gradient and evaluations."""
    slope = float(gradient @ direction)
    low = (0.0, loss, gradient, slope)
    high: tuple[float, float, Vector, float] | None = None
    for used in range(1, limit + 1):
        value, g = along(step)
        now = (step, value, g, float(g @ direction))
        if not math.isfinite(value):
            high, step = now, (low[0] + step) / 2
            continue
        if value > loss + decrease * step * slope or value >= low[1]:
            high = now
        elif abs(now[3]) <= -curvature * slope:
            return step, value, g, used
        elif now[3] * ((high[0] if high else step + 1) - low[0]) >= 0:
            low, high = now, low
        else:
            low = now
        step = _between(low, high) if high is not None else 2.5 * step
        if high is not None and abs(high[0] - low[0]) * np.abs(direction).max() < 1e-12:
            break
    return low[0], low[1], low[2], used


def _between(a: tuple[float, float, Vector, float], b: tuple[float, float, Vector, float]) -> float:
    """The minimum of a cubic through two points, kept away from both."""
    left, right = sorted((a[0], b[0]))
    middle, margin = (left + right) / 2, 0.1 * (right - left)
    if not math.isfinite(b[1]) or not math.isfinite(a[1]):
        return middle
    d1 = a[3] + b[3] - 3 * (a[1] - b[1]) / (a[0] - b[0])
    square = d1 * d1 - a[3] * b[3]
    if square < 0:
        return middle
    d2 = math.copysign(math.sqrt(square), b[0] - a[0])
    bottom = b[3] - a[3] + 2 * d2
    if bottom == 0:
        return middle
    found = b[0] - (b[0] - a[0]) * (b[3] + d2 - d1) / bottom
    return min(max(found, left + margin), right - margin)
