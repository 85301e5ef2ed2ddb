"""Primitives of MindSpore's own tests: ``from cellgrad.ops.operations import _inner_ops``."""

from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive

__all__ = ["ConvertToDynamic"]


class ConvertToDynamic(Primitive):
    """The tensor itself. MindSpore takes its shape as unknown from there on; here a program is compiled
    for the shapes that it is called with.

    Args:
        is_dynamic_rank: whether the number of dimensions is unknown, too.

    Raises:
        TypeError: `x` is no Tensor.
    """

    def __init__(self, is_dynamic_rank: bool = False):
        super().__init__()
        self.is_dynamic_rank = is_dynamic_rank

    def __call__(self, x: Tensor) -> Tensor:
        return check_tensor(x, self.name, "x")
