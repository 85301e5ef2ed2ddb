"""Pooling layers."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.aliases import Dims, OptionalDims, PaddingLike, TensorOrTensors
from cellgrad.core.arguments import argument_error
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.ops import pooling
from cellgrad.ops._sliding import check_rank, pad_mode_of, padding_of, pairs, per_dim
from cellgrad.ops._static import is_int
from cellgrad.ops.classes.pools import adaptive_max_pool3d
from cellgrad.ops.classes.window import check_format, max_by_mode, mean_by_mode

__all__ = [
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]


class _Pool(Cell):
    """Arguments common to the layers; `dims` dimensions slide."""

    dims: int

    def __init__(
        self, kernel_size: Dims, stride: Dims, pad_mode: str, padding: PaddingLike, ceil_mode: bool
    ):
        super().__init__()
        name = self.cls_name
        self.kernel_size, self.stride = kernel_size, stride  # as given, for programs that read them
        self.window = per_dim(kernel_size, self.dims, name, "kernel_size")
        self.steps = per_dim(stride, self.dims, name, "stride")
        self.pad_mode = pad_mode_of(pad_mode, name)
        self.padding = padding
        pairs(padding, self.dims, name, "padding")
        pooling.check_bool(ceil_mode, name, "ceil_mode")
        self.ceil_mode = ceil_mode

    def _batched(self, x: Tensor) -> Tensor:
        """The input with a batch of one where it has none."""
        x = check_rank(x, (self.dims + 1, self.dims + 2), self.cls_name, "x")
        return x if x.ndim == self.dims + 2 else ops.reshape(x, (1, *x.shape))

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


def _unbatched(y: Any, x: Tensor) -> Any:
    """The output without the batch that the input did not have."""
    if isinstance(y, tuple):
        return tuple(_unbatched(part, x) for part in y)
    return y if y.ndim == x.ndim else ops.reshape(y, y.shape[1:])


class _MaxPool(_Pool):
    def __init__(
        self,
        kernel_size: Dims,
        stride: Dims,
        pad_mode: str,
        padding: PaddingLike,
        dilation: Dims,
        return_indices: bool,
        ceil_mode: bool,
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode)
        name = self.cls_name
        self.dilation = per_dim(dilation, self.dims, name, "dilation")
        pooling.check_bool(return_indices, name, "return_indices")
        self.return_indices = return_indices
        plain = padding == 0 and not return_indices and not ceil_mode
        if self.pad_mode != "pad" and not (plain and set(self.dilation) == {1}):
            raise error(
                ValueError,
                f"For '{name}', 'padding', 'dilation', 'return_indices' and 'ceil_mode' can not be "
                f"set when 'pad_mode' is not 'pad', but got pad_mode={pad_mode!r}.",
                "write pad_mode='pad'",
            )

    def construct(self, x: Tensor) -> TensorOrTensors:
        whole = self._batched(x)
        if self.pad_mode != "pad":
            y = max_by_mode(self.cls_name, whole, self.window, self.steps, self.pad_mode)
            return _unbatched(y, x)
        y = pooling.max_pool(
            self.cls_name,
            self.dims,
            whole,
            self.window,
            self.steps,
            self.padding,
            self.dilation,
            self.return_indices,
            self.ceil_mode,
        )
        return _unbatched(y, x)


class MaxPool1d(_MaxPool):
    """The largest element of each window of sequences [N, C, L] or [C, L].

    Args:
        kernel_size: elements of a window.
        stride: distance of two windows.
        pad_mode: 'valid' (only whole windows), 'same' (ceil(L / stride) windows) or 'pad'.
        padding: elements around that are smaller than all others, in mode 'pad'.
        dilation: distance of two elements of a window, in mode 'pad'.
        return_indices: whether to return positions as well, in mode 'pad'.
        ceil_mode: whether windows may end after the input, in mode 'pad'.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> print(nn.MaxPool1d(kernel_size=2)(Tensor([[[1.0, 2.0, 3.0]]])))
    [[[2. 3.]]]
    """

    dims = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ):
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class MaxPool2d(_MaxPool):
    """The largest element of each window of images [N, C, H, W] or [C, H, W]; see `MaxPool1d`.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> nn.MaxPool2d(2, 2)(ops.ones((1, 3, 16, 16))).shape
    (1, 3, 8, 8)
    """

    dims = 2

    def __init__(
        self,
        kernel_size: Dims = 1,
        stride: Dims = 1,
        pad_mode: str = "valid",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ):
        check_format(data_format, "NCHW", "MaxPool2d")
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class MaxPool3d(_MaxPool):
    """The largest element of each window of volumes [N, C, D, H, W] or [C, D, H, W]; see
    `MaxPool1d`.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> print(nn.MaxPool3d(kernel_size=2)(ops.ones((1, 2, 3, 3, 3))).shape)
    (1, 2, 2, 2, 2)
    """

    dims = 3

    def __init__(
        self,
        kernel_size: Dims = 1,
        stride: Dims = 1,
        pad_mode: str = "valid",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ):
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class _AvgPool(_Pool):
    def __init__(
        self,
        kernel_size: Dims,
        stride: Dims,
        pad_mode: str,
        padding: PaddingLike,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode)
        pooling.check_bool(count_include_pad, self.cls_name, "count_include_pad")
        self.count_include_pad = count_include_pad
        if divisor_override is not None and (not is_int(divisor_override) or divisor_override < 1):
            wanted = "an int above 0 or None"
            raise argument_error(
                ValueError, self.cls_name, "divisor_override", wanted, divisor_override
            )
        self.divisor_override = divisor_override

    def construct(self, x: Tensor) -> Tensor:
        whole = self._batched(x)
        name, dims = self.cls_name, self.dims
        plain = not self.ceil_mode and self.count_include_pad and self.divisor_override is None
        if dims < 3 and self.pad_mode == "same" and self.padding == 0 and plain:
            y = mean_by_mode(name, whole, self.window, self.steps, "same")
            return _unbatched(y, x)
        pads = padding_of(
            self.pad_mode,
            pairs(self.padding, dims, name, "padding"),
            whole.shape[2:],
            self.window,
            self.steps,
            (1,) * dims,
            name,
        )
        y = pooling.avg_pool(
            name,
            dims,
            whole,
            self.window,
            self.steps,
            tuple(p for pair in pads for p in pair),
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override or 0,
        )
        return _unbatched(y, x)


class AvgPool1d(_AvgPool):
    """The mean of each window of sequences [N, C, L] or [C, L].

    Args:
        kernel_size: elements of a window.
        stride: distance of two windows.
        pad_mode: 'valid' (only whole windows), 'same' (ceil(L / stride) windows; padding does not
            count) or 'pad'.
        padding: zeros around, in mode 'pad'.
        ceil_mode: whether windows may end after the input.
        count_include_pad: whether the padding of mode 'pad' counts as elements.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> print(nn.AvgPool1d(kernel_size=2)(Tensor([[[1.0, 2.0, 3.0]]])))
    [[[1.5 2.5]]]
    """

    dims = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: PaddingLike = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, None)


class AvgPool2d(_AvgPool):
    """The mean of each window of images [N, C, H, W] or [C, H, W]; see `AvgPool1d`. Sums are divided
    by `divisor_override` instead, if given.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> nn.AvgPool2d(2, 2)(ops.ones((1, 3, 16, 16))).shape
    (1, 3, 8, 8)
    """

    dims = 2

    def __init__(
        self,
        kernel_size: Dims = 1,
        stride: Dims = 1,
        pad_mode: str = "valid",
        padding: PaddingLike = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ):
        check_format(data_format, "NCHW", "AvgPool2d")
        super().__init__(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )


class AvgPool3d(_AvgPool):
    """The mean of each window of volumes [N, C, D, H, W] or [C, D, H, W]; see `AvgPool2d`. Here the
    padding of mode 'same' counts as elements, too, unless `count_include_pad` is False.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> print(nn.AvgPool3d(kernel_size=2)(ops.ones((1, 2, 3, 3, 3))).shape)
    (1, 2, 2, 2, 2)
    """

    dims = 3

    def __init__(
        self,
        kernel_size: Dims = 1,
        stride: Dims = 1,
        pad_mode: str = "valid",
        padding: PaddingLike = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ):
        super().__init__(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )


# --- adaptive ---------------------------------------------------------------------------------


class AdaptiveMaxPool3d(Cell):
    """The maxima of (D', H', W') parts of volumes; see `ops.adaptive_max_pool3d`.

    >>> print(nn.AdaptiveMaxPool3d(2)(ops.ones((1, 2, 4, 4, 4))).shape)
    (1, 2, 2, 2, 2)
    """

    def __init__(self, output_size: OptionalDims, return_indices: bool = False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def construct(self, input: Tensor) -> TensorOrTensors:
        return adaptive_max_pool3d(input, self.output_size, self.return_indices)
