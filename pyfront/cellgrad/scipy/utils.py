"""``mindspore.scipy.utils``, for scripts that import it."""

from __future__ import annotations

from cellgrad import ops
from cellgrad.core.arguments import check_ndim
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor


def _nd_transpose(a: Tensor) -> Tensor:
    """The last two dimensions exchanged.

    Raises:
        TypeError: `a` is no Tensor.
        ValueError: it has fewer than two dimensions.

    >>> from cellgrad.scipy.utils import _nd_transpose
    >>> print(_nd_transpose(ops.ones((1, 2, 3))).shape)
    (1, 3, 2)
    """
    x = check_ndim(check_tensor(a, "_nd_transpose", "a"), "_nd_transpose", "a", at_least=2)
    out: Tensor = ops.swapaxes(x, -1, -2)
    return out
