"""Class forms of sorting and of what combines parts by index: ``ops.TopK()(x, k)``."""

from __future__ import annotations

from cellgrad.core.tensor import Tensor
from cellgrad.ops import segments, sorting
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops.classes.pointwise import class_of

__all__ = [
    "Sort",
    "TensorScatterDiv",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "TopK",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
    "UnsortedSegmentSum",
]

TensorScatterDiv = class_of("TensorScatterDiv", segments.tensor_scatter_div)
TensorScatterMax = class_of("TensorScatterMax", segments.tensor_scatter_max)
TensorScatterMin = class_of("TensorScatterMin", segments.tensor_scatter_min)
TensorScatterMul = class_of("TensorScatterMul", segments.tensor_scatter_mul)
UnsortedSegmentMax = class_of("UnsortedSegmentMax", segments.unsorted_segment_max)
UnsortedSegmentMin = class_of("UnsortedSegmentMin", segments.unsorted_segment_min)
UnsortedSegmentProd = class_of("UnsortedSegmentProd", segments.unsorted_segment_prod)
UnsortedSegmentSum = class_of("UnsortedSegmentSum", segments.unsorted_segment_sum)


class Sort(Primitive):
    """See `ops.sort`.

    >>> values, indices = ops.Sort()(Tensor([3.0, 1.0, 2.0]))
    >>> print(values, indices)
    [1. 2. 3.] [1 2 0]
    """

    def __init__(self, axis: int = -1, descending: bool = False):
        super().__init__()
        self.axis, self.descending = axis, descending

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = sorting.sort(x, self.axis, self.descending)
        return out


class TopK(Primitive):
    """See `ops.topk`.

    >>> values, indices = ops.TopK()(Tensor([1.0, 4.0, 2.0, 3.0]), 2)
    >>> print(values, indices)
    [4. 3.] [1 3]
    """

    def __init__(self, sorted: bool = True):
        super().__init__()
        self.sorted = sorted

    def __call__(self, input_x: Tensor, k: int) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = sorting.topk(input_x, k, sorted=self.sorted)
        return out
