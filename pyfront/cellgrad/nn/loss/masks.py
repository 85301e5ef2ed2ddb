"""Losses of masks: Dice coefficients."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.aliases import Activation
from cellgrad.core.arguments import (
    argument_error,
    check_int,
    check_ndim,
    check_number,
    check_one_of,
    check_same_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.nn.layers import get_activation
from cellgrad.nn.loss.base import LossBase

__all__ = ["DiceLoss", "MultiClassDiceLoss"]


class DiceLoss(LossBase):
    """``1 - 2 sum(x y) / (sum(x x) + sum(y y) + smooth)``.

    Args:
        smooth: positive; what keeps empty masks finite.

    Inputs:
        logits, label: Tensors of one shape.

    Raises:
        ValueError: shapes that differ, or `smooth` that is not positive.

    >>> print(nn.DiceLoss()(Tensor([[0.5, 0.5]]), Tensor([[1.0, 0.0]])))
    0.33333778
    """

    def __init__(self, smooth: float = 1e-5):
        super().__init__()
        self.smooth = float(check_number(smooth, self.cls_name, "smooth", above=0))

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        check_same_shape(logits, label, self.cls_name, ("logits", "label"))
        both = ops.sum(logits * label)
        union = ops.sum(ops.square(logits)) + ops.sum(ops.square(label))
        return 1.0 - 2.0 * both / (union + self.smooth)  # type: ignore[no-any-return]


class MultiClassDiceLoss(LossBase):
    """The mean of `DiceLoss` over classes, dimension 1.

    Args:
        weights: factors of the classes, shape (C, 1), or None.
        ignore_indiex: a class that does not count.
        activation: a name or a Cell applied to the logits, or None.

    Inputs:
        logits, label: Tensors of one shape (N, C, ...).

    Raises:
        TypeError: an activation that is neither, weights that are no Tensor, an index that is no int.
        ValueError: shapes that do not fit, or an unknown activation.

    >>> x, y = Tensor([[0.0, 0.0], [0.0, 0.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> print(nn.MultiClassDiceLoss()(x, y))
    0.33333778
    """

    def __init__(
        self,
        weights: Tensor | None = None,
        ignore_indiex: int | None = None,
        activation: Activation = "softmax",
    ):
        super().__init__()
        known = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")
        if isinstance(activation, str):
            check_one_of(activation, self.cls_name, "activation", known)
        if weights is not None:
            check_ndim(check_tensor(weights, self.cls_name, "weights"), self.cls_name, "weights", 2)
        if ignore_indiex is not None:
            check_int(ignore_indiex, self.cls_name, "ignore_indiex")
        if isinstance(activation, str):
            activation = get_activation(activation)
        if activation is not None and not isinstance(activation, Cell):
            raise argument_error(TypeError, self.cls_name, "activation", "str or Cell", activation)
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        self.weights = weights
        self.ignore_indiex = ignore_indiex
        self.activation = activation

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        if logits.shape != label.shape or logits.ndim < 2:
            raise error(
                ValueError,
                f"For '{self.cls_name}', 'logits' and 'label' must have one shape (N, C, ...), but "
                f"got {list(logits.shape)} and {list(label.shape)}.",
            )
        classes = label.shape[1]
        if self.weights is not None and self.weights.shape[0] != classes:
            raise error(
                ValueError,
                f"For '{self.cls_name}', 'weights' must have {classes} rows, one a class, but got "
                f"shape {list(self.weights.shape)}.",
            )
        if self.activation is not None:
            logits = self.activation(logits)
        total: Any = 0.0
        for i in range(classes):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, i], label[:, i])
                total = total + (loss if self.weights is None else loss * self.weights[i])
        return total / classes  # type: ignore[no-any-return]
