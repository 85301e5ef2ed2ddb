"""Minima of functions by quasi-Newton methods, driven from Python; values and gradients are compiled."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cellgrad.core.arguments import (
    argument_error,
    check_callable,
    check_instance,
    check_int,
    check_ndim,
    check_number,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_float
from cellgrad.core.tensor import Tensor
from cellgrad.nn.optim.lbfgs import quasi_newton_direction
from cellgrad.scipy.optimize.line_search import Objective, Point, Vector, first_step, wolfe

__all__ = ["minimize"]


class OptimizeResults(NamedTuple):
    """What `minimize` found."""

    x: Tensor
    success: bool
    status: int  # 0: converged, 1: `maxiter` was reached, 3: no step in between, 5: no step at all
    fun: float
    jac: Tensor
    hess_inv: Tensor | None
    nfev: int
    njev: int
    nit: int


class Dense:
    """The inverse Hessian as a matrix (BFGS)."""

    def __init__(self, length: int):
        self.matrix: Vector = np.eye(length)

    def direction(self, gradient: Vector) -> Vector:
        return -(self.matrix @ gradient)

    def add(self, s: Vector, y: Vector) -> None:
        """The curvature along a step: `y` is what the gradient changed by."""
        rho = 1 / float(y @ s)
        rest = np.eye(len(s)) - rho * np.outer(s, y)
        self.matrix = rest @ self.matrix @ rest.T + rho * np.outer(s, s)


class Limited:
    """The inverse Hessian by the last steps (L-BFGS)."""

    def __init__(self, history_size: int):
        self.pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=history_size)

    def direction(self, gradient: Vector) -> Vector:
        return quasi_newton_direction(self.pairs, gradient)

    def add(self, s: Vector, y: Vector) -> None:
        if s @ y > 1e-10:
            self.pairs.append((s, y, 1 / float(s @ y)))


def minimize(
    func: Callable[..., Any],
    x0: Tensor,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Callable[..., Any] | None = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: Any = None,
    callback: Any = None,
    options: dict[str, Any] | None = None,
) -> OptimizeResults:
    """A minimum of a function of several numbers. It is not differentiated itself.

    Args:
        func: gives a number for a Tensor of one dimension, and `args`.
        x0: where the search begins, floats.
        args: further arguments of `func` and `jac`.
        method: "BFGS", or "LBFGS" for many numbers.
        jac: the gradient of `func`; None: the derivative.
        hess, hessp, bounds, constraints, tol, callback: only their defaults.
        options: ``maxiter``, by default 200 times the length of `x0`; ``gtol``, the norm of the gradient
            below which the search ends (1e-5); ``norm``, its order (infinite); ``line_search_maxiter``
            (10); for "LBFGS" ``history_size`` (20).

    Returns:
        a named tuple: ``x``, ``success``, ``status``, ``fun``, ``jac``, ``hess_inv``, ``nfev``, ``njev`` and
        ``nit``.

    Raises:
        TypeError: arguments of another type.
        ValueError: another method or option, or an argument that is not supported.

    Method: J. Nocedal and S. Wright, Numerical Optimization, algorithms 6.1 and 7.4.

    >>> from cellgrad.scipy.optimize import minimize
    >>> found = minimize(lambda x: ops.sum((x - 3.0) ** 2), Tensor([0.0, 1.0]), method="BFGS")
    >>> print(found.x, found.success)
    [3. 3.] True
    """
    check_callable(func, "minimize", "func", "a function")
    x = check_ndim(check_float(x0, "minimize", "x0"), "minimize", "x0", 1)
    check_instance(args, "minimize", "args", tuple)
    if method is None or method.lower() not in ("bfgs", "lbfgs"):
        raise argument_error(ValueError, "minimize", "method", "'BFGS' or 'LBFGS'", method)
    unused = {"hess": hess, "hessp": hessp, "bounds": bounds, "tol": tol, "callback": callback}
    given = [name for name, value in unused.items() if value is not None]
    if given or constraints:
        what = given[0] if given else "constraints"
        raise error(ValueError, f"For 'minimize', '{what}' is not supported.")
    curvature: Dense | Limited
    settings = dict(options or {})
    if method.lower() == "lbfgs":
        curvature = Limited(
            check_int(settings.pop("history_size", 20), "minimize", "history_size", at_least=1)
        )
    else:
        curvature = Dense(x.size)
    jac_of = None if jac is None else (lambda t: jac(t, *args))
    objective = Objective(lambda t: func(t, *args), jac_of, x.dtype)
    return _descend(objective, x, curvature, **_settings(settings, x.size))


def _settings(given: dict[str, Any], length: int) -> dict[str, Any]:
    """The options that both methods have, checked."""
    maxiter = given.pop("maxiter", None)
    settings = {
        "maxiter": 200 * length if maxiter is None else check_int(maxiter, "minimize", "maxiter"),
        "norm": given.pop("norm", np.inf),
        "gtol": check_number(given.pop("gtol", 1e-5), "minimize", "gtol"),
        "trials": check_int(
            given.pop("line_search_maxiter", 10), "minimize", "line_search_maxiter", at_least=1
        ),
    }
    if given:
        raise error(ValueError, f"For 'minimize', there is no option {next(iter(given))!r}.")
    return settings


def _descend(
    objective: Objective,
    x0: Tensor,
    curvature: Dense | Limited,
    maxiter: int,
    norm: Any,
    gtol: float,
    trials: int,
) -> OptimizeResults:
    """Steps along the directions of a quasi-Newton method until the gradient is small."""
    x = x0.asnumpy().astype(np.float64)
    value, gradient = objective(x)
    before = value + float(np.linalg.norm(gradient)) / 2
    steps, status = 0, 1
    converged = bool(np.linalg.norm(gradient, norm) < gtol)
    while not converged and steps < maxiter:
        direction = curvature.direction(gradient)
        start = Point(0.0, value, float(gradient @ direction), gradient)
        first = first_step(start, before)
        found, _, failure = wolfe(objective.along(x, direction), start, first, 1e-4, 0.9, trials)
        if failure:
            status = 2 + failure
            break
        s, y = found.step * direction, found.gradient - gradient
        x, before, value, gradient = x + s, value, found.value, found.gradient
        converged = bool(np.linalg.norm(gradient, norm) < gtol)
        if not converged:
            curvature.add(s, y)
            steps += 1
    matrix = curvature.matrix if isinstance(curvature, Dense) else None
    return OptimizeResults(
        x=Tensor(x, x0.dtype),
        success=converged,
        status=0 if converged else status,
        fun=value,
        jac=Tensor(gradient, x0.dtype),
        hess_inv=None if matrix is None else Tensor(matrix, x0.dtype),
        nfev=objective.evaluations,
        njev=objective.evaluations,
        nit=steps,
    )
