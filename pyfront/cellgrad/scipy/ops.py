"""MindSpore's primitives of ``mindspore.scipy``."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_bool, check_ndim
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known, known_int
from cellgrad.ops.eigenvalues import eig
from cellgrad.ops.gathering import needs_elements
from cellgrad.ops.kinds import is_complex
from cellgrad.ops.selection import cast

__all__ = ["Eig", "LinearSumAssignment"]


class Eig(Primitive):
    """Eigenvalues of square matrices, and eigenvectors as columns; see `ops.eig`.

    Args:
        compute_v: kept for scripts: MindSpore returns both in any case.

    Raises:
        TypeError: no Tensor of floating-point or complex numbers.
        ValueError: matrices that are not square.

    >>> from cellgrad.scipy.ops import Eig
    >>> print(Eig()(Tensor([[2.0, 0.0], [0.0, 2.0]]))[0])
    [2.+0.j 2.+0.j]
    """

    def __init__(self, compute_v: bool = True):
        super().__init__()
        self.compute_v = check_bool(compute_v, self.name, "compute_v")

    def __call__(self, a: Tensor) -> Any:
        return eig(a)


class LinearSumAssignment(Primitive):
    """Which column each row gets, so that the sum of the costs is the least, or the greatest: Kuhn's method with
    potentials.

    Inputs:
        cost_matrix: numbers, shape [M, N]; elements must be known.
        dimension_limit: an int or a Tensor of one: columns from there on are left out.
        maximize: whether the sum is the greatest.

    Outputs:
        rows and their columns, int64, as many as the smaller length; -1 where columns were left out.

    Raises:
        TypeError: `cost_matrix` is no Tensor, or its elements are not known while compiling.
        ValueError: other than two dimensions, or a limit below 0.

    >>> from cellgrad.scipy.ops import LinearSumAssignment
    >>> print(*LinearSumAssignment()(Tensor([[2.0, 3.0], [3.0, 9.0]]), 2, False))
    [0 1] [1 0]
    """

    def __call__(
        self, cost_matrix: Tensor, dimension_limit: Any, maximize: bool
    ) -> tuple[Tensor, Tensor]:
        x = check_ndim(
            check_tensor(cost_matrix, self.name, "cost_matrix"), self.name, "cost_matrix", 2
        )
        limit = known_int(dimension_limit, self.name, "dimension_limit", at_least=0)
        given = cast(x, mstype.float64) if not is_complex(x) else x
        hint = "call it outside of compiled code"
        costs = needs_elements(given, self.name, hint)[:, :limit]
        costs = -costs if check_bool(maximize, self.name, "maximize") else costs
        tall = costs.shape[0] > costs.shape[1]
        first, second = _assigned(costs.T if tall else costs)
        rows, columns = (second, first) if tall else (first, second)
        order = np.argsort(rows)
        out = np.full((2, min(x.shape)), -1, np.int64)
        out[:, : rows.size] = rows[order], columns[order]
        return known(out[0], mstype.int64), known(out[1], mstype.int64)


def _assigned(costs: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A column for each row, of at least as many columns: one shortest path in reduced costs a row."""
    n, m = costs.shape
    of_row, of_column = np.zeros(n + 1), np.zeros(m + 1)
    owner = np.zeros(m + 1, int)  # the row of each column, counted from 1; column 0 begins a path
    for row in range(1, n + 1):
        owner[0], at = row, 0
        least, before = np.full(m + 1, np.inf), np.zeros(m + 1, int)
        seen = np.zeros(m + 1, bool)
        while owner[at]:
            seen[at] = True
            reduced = costs[owner[at] - 1] - of_row[owner[at]] - of_column[1:]
            better = ~seen[1:] & (reduced < least[1:])
            least[1:][better], before[1:][better] = reduced[better], at
            free = np.where(seen, np.inf, least)
            free[0] = np.inf
            nearest = int(free.argmin())
            step = free[nearest]
            of_row[owner[seen]] += step
            of_column[seen] -= step
            least[~seen] -= step
            at = nearest
        while at:
            owner[at] = owner[before[at]]
            at = before[at]
    columns = np.flatnonzero(owner[1:])
    return owner[1:][columns] - 1, columns
