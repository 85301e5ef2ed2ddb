"""Suppression of boxes that overlap better ones: one loop over the boxes."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.capture.repeat import repeat
from cellgrad.capture.rows import Rows
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_number
from cellgrad.core.record import cast_to, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered, order_of
from cellgrad.ops.boxes import checked_boxes

__all__ = ["NMSWithMask"]


@operation
def _suppressed(x: Tensor, threshold: float) -> tuple[Tensor, Tensor, Tensor]:
    n = x.shape[0]
    ordered = gathered(x, order_of(x[:, 4], 0, True), 0)
    x0, y0, x1, y1 = (ordered[:, i] for i in range(4))
    area = (x1 - x0) * (y1 - y0)
    number = ops.arange(n).astype(mstype.int32)

    def trip(i: Tensor, keep: Tensor) -> Tensor:
        """A box that is kept removes those after it that overlap."""
        box = Rows.read(ordered, i, (5,))
        width = ops.maximum(ops.minimum(x1, box[2]) - ops.maximum(x0, box[0]), 0)
        height = ops.maximum(ops.minimum(y1, box[3]) - ops.maximum(y0, box[1]), 0)
        shared = width * height
        whole = area + (box[2] - box[0]) * (box[3] - box[1]) - shared
        close = ops.logical_and(shared / whole > threshold, number > cast_to(i, mstype.int32))
        here = Rows.read(keep.reshape(n, 1), i, ())
        return ops.logical_and(keep, ops.logical_not(ops.logical_and(close, here)))

    keep: Any = ops.ones(n, mstype.int32) > 0
    if n:
        keep = repeat(0, n, trip, keep, "NMSWithMask", "the step")
    return ordered, number, keep


class NMSWithMask(Primitive):
    """Non-maximum suppression: boxes (x0, y0, x1, y1, score) in the order of their scores, their
    numbers there, and which of them are kept: those that no kept one before overlaps by more than
    `iou_threshold`. It takes one step for each box.

    Inputs:
        bboxes: shape [N, 5].

    Outputs:
        the boxes, [N, 5]; int32 [N]; bool [N].

    Raises:
        TypeError: `iou_threshold` is no number, `bboxes` no Tensor.
        ValueError: another shape.

    >>> boxes = Tensor([[0.0, 0.0, 9.0, 9.0, 0.8], [0.0, 0.0, 9.0, 8.0, 0.9]])
    >>> print(ops.NMSWithMask(0.5)(boxes)[2])
    [ True False]
    """

    def __init__(self, iou_threshold: float = 0.5):
        super().__init__()
        self.iou_threshold = float(check_number(iou_threshold, self.name, "iou_threshold"))

    def __call__(self, bboxes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = checked_boxes(bboxes, self.name, "bboxes", 5)
        out: tuple[Tensor, Tensor, Tensor] = _suppressed(x, self.iou_threshold)
        return out
