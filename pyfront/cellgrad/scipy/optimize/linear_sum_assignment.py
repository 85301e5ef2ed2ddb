"""Assignments of rows to columns."""

from __future__ import annotations

import sys
from typing import Any

from cellgrad.core.tensor import Tensor
from cellgrad.scipy.ops import LinearSumAssignment

__all__ = ["linear_sum_assignment"]


def linear_sum_assignment(
    cost_matrix: Tensor, maximize: bool, dimension_limit: Any = sys.maxsize
) -> tuple[Tensor, Tensor]:
    """Which column each row gets, so that the sum of the costs is the least, or the greatest.

    Args:
        cost_matrix: numbers, shape [M, N]; elements must be known.
        maximize: whether the sum is the greatest.
        dimension_limit: an int or a Tensor of one: columns from there on are left out.

    Returns:
        rows and their columns, int64, as many as the smaller length; -1 where columns were left out.

    Raises:
        TypeError: `cost_matrix` is no Tensor, or its elements are not known while compiling.
        ValueError: other than two dimensions, or a limit below 0.

    >>> from cellgrad.scipy import optimize
    >>> print(*optimize.linear_sum_assignment(Tensor([[2.0, 3.0], [3.0, 9.0]]), False))
    [0 1] [1 0]
    """
    return LinearSumAssignment()(cost_matrix, dimension_limit, maximize)
