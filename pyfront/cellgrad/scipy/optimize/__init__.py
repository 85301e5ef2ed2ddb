"""``mindspore.scipy.optimize``: minima, steps along a line, assignments."""

from cellgrad.scipy.optimize.line_search import line_search
from cellgrad.scipy.optimize.linear_sum_assignment import linear_sum_assignment
from cellgrad.scipy.optimize.minimize import minimize

__all__ = ["line_search", "linear_sum_assignment", "minimize"]
