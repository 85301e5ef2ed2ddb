"""Methods of Tensor that take windows and add them up, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class WindowMethods:
    """Windows of images."""

    __slots__ = ()

    def unfold(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> Tensor:
        """The windows of images as columns; see `ops.unfold`.

        >>> x = ops.arange(9.0).reshape(1, 1, 3, 3)
        >>> print(x.unfold(kernel_size=2))
        [[[0. 1. 3. 4.]
          [1. 2. 4. 5.]
          [3. 4. 6. 7.]
          [4. 5. 7. 8.]]]
        """
        return ops.unfold(self, kernel_size, dilation, padding, stride)  # type: ignore[arg-type]

    def fold(
        self,
        output_size: Any,
        kernel_size: Any,
        dilation: Any = 1,
        padding: Any = 0,
        stride: Any = 1,
    ) -> Tensor:
        """Adds columns up where `unfold` took them from; see `ops.fold`.

        >>> print(ops.ones((1, 4, 4)).fold((3, 3), kernel_size=2))
        [[[[1. 2. 1.]
           [2. 4. 2.]
           [1. 2. 1.]]]]
        """
        return ops.fold(self, output_size, kernel_size, dilation, padding, stride)  # type: ignore[arg-type]
