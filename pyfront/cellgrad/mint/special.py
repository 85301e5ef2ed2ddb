"""Special functions under MindSpore's ``mint.special``."""

from cellgrad.core.tensor import Tensor
from cellgrad.mint.nn.functional import log_softmax
from cellgrad.ops import erfc, exp2, expm1, log1p, sinc
from cellgrad.ops import round as _round

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]


def round(input: Tensor) -> Tensor:
    """See `ops.round`.

    >>> print(mint.special.round(Tensor([0.5, 1.5, -1.2])))
    [ 0.  2. -1.]
    """
    return _round(input)
