"""What programs import from ``mindspore.scipy.ops_wrapper``."""

from __future__ import annotations

from collections.abc import Sequence

from cellgrad import ops
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor

__all__ = ["matrix_set_diag"]


def matrix_set_diag(
    input_x: Tensor, diagonal: Tensor, k: int | Sequence[int] = 0, alignment: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with given diagonals replaced: `ops.matrix_set_diag`, which takes its diagonals as a Tensor.

    Raises:
        ValueError: `k` is neither an int nor a tuple or list of ints.

    >>> from cellgrad.scipy.ops_wrapper import matrix_set_diag
    >>> print(matrix_set_diag(ops.zeros((2, 2)), Tensor([5.0]), k=1))
    [[0. 5.]
     [0. 0.]]
    """
    if not isinstance(k, int | tuple | list):
        raise error(
            ValueError,
            f"For 'matrix_set_diag', 'k' must be an int or a tuple or list of ints, but got {k!r}.",
        )
    at = Tensor([k, k] if isinstance(k, int) else list(k)).int()
    out: Tensor = ops.matrix_set_diag(input_x, diagonal, at, alignment)
    return out
