"""Windows of images and volumes as channels, and grey-scale dilation by a window."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from cellgrad.core.aliases import Dims
from cellgrad.core.arguments import (
    argument_error,
    check_instance,
    check_ndim,
    check_one_of,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.record import check_float, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._sliding import Ints, check_fit, padding_of
from cellgrad.ops._static import is_int
from cellgrad.ops.joining import concat
from cellgrad.ops.padding import pad
from cellgrad.ops.shapes import reshape


def _spatial(value: Any, dims: int, op: str, argument: str, leading: bool = True) -> Ints:
    """An int a spatial dimension, of a list that has a 1 for the batch and one for the channels, too."""
    given = tuple(value) if isinstance(value, tuple | list) else value
    full = isinstance(given, tuple) and len(given) == dims + 2
    kept = (given[2:] if leading else given[1:-1]) if full else given
    others = (given[:2] if leading else (given[0], given[-1])) if full else (1, 1)
    kept = (kept,) * dims if is_int(kept) else kept
    if (
        not isinstance(kept, tuple)
        or len(kept) != dims
        or others != (1, 1)
        or not all(is_int(v) and v > 0 for v in kept)
    ):
        names = ["1", "1", *"DHW"[3 - dims :]] if leading else ["1", *"DHW"[3 - dims :], "1"]
        raise argument_error(
            ValueError, op, argument, f"[{', '.join(names)}] of ints above 0", value
        )
    return tuple(int(v) for v in kept)


def _windows(
    x: Tensor, kernel: Ints, strides: Ints, rates: Ints, mode: str, outside: Any, op: str
) -> Iterator[Tensor]:
    """What each place of the kernel sees, one of the kernel's places after another."""
    sizes = x.shape[2:]
    pads = padding_of(mode, [(0, 0)] * len(kernel), sizes, kernel, strides, rates, op)
    check_fit(sizes, pads, kernel, rates, x, op)
    counts = [
        (n + low + high - r * (k - 1) - 1) // s + 1
        for n, (low, high), k, s, r in zip(sizes, pads, kernel, strides, rates, strict=True)
    ]
    if any(p != (0, 0) for p in pads):
        x = pad(x, tuple(p for pair in reversed(pads) for p in pair), value=outside)
    for place in itertools.product(*map(range, kernel)):
        starts = [p * r for p, r in zip(place, rates, strict=True)]
        parts = [
            slice(start, start + (count - 1) * s + 1, s)
            for start, count, s in zip(starts, counts, strides, strict=True)
        ]
        yield x[(slice(None), slice(None), *parts)]


@operation
def _patches(x: Tensor, kernel: Ints, strides: Ints, rates: Ints, mode: str, op: str) -> Tensor:
    found = list(_windows(x, kernel, strides, rates, mode, 0, op))
    return concat(found, 1)


@public()
class ExtractImagePatches(Primitive):
    """Windows of images [N, C, H, W] as channels [N, KH * KW * C, OH, OW]: the channels of each place of a
    window stand together.

    Args:
        ksizes: the window, [1, 1, KH, KW].
        strides: the distance of two windows, [1, 1, SH, SW].
        rates: the distance of two elements of a window, [1, 1, RH, RW].
        padding: "valid", or "same" for zeros around, so that there is a window for each stride.

    Raises:
        TypeError: `x` is no Tensor, or `padding` no str.
        ValueError: lists of another form, other than four dimensions, or a window that does not fit.

    >>> x = ops.arange(9.0).reshape(1, 1, 3, 3)
    >>> print(ops.ExtractImagePatches([1, 1, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1])(x)[0, :, 0, 0])
    [0. 1. 3. 4.]
    """

    def __init__(self, ksizes: Dims, strides: Dims, rates: Dims, padding: str = "valid"):
        super().__init__()
        self.ksizes, self.strides, self.rates = (
            _spatial(value, 2, self.name, name)
            for value, name in ((ksizes, "ksizes"), (strides, "strides"), (rates, "rates"))
        )
        self.padding = _mode(padding, self.name, "padding")

    def __call__(self, x: Tensor) -> Tensor:
        given = check_ndim(check_tensor(x, self.name, "x"), self.name, "x", 4)
        settings = (self.ksizes, self.strides, self.rates, self.padding, self.name)
        out: Tensor = _patches(given, *settings)
        return out


def _mode(value: Any, op: str, argument: str) -> str:
    check_instance(value, op, argument, str)
    return check_one_of(value.lower(), op, argument, ("valid", "same"))


@public()
class ExtractVolumePatches(Primitive):
    """Windows of volumes [N, C, D, H, W] as channels [N, KD * KH * KW * C, OD, OH, OW]; see
    `ExtractImagePatches`.

    Args:
        kernel_size: the window: an int, three of them, or [1, 1, KD, KH, KW].
        strides: the distance of two windows.
        padding: "valid", or "same" for zeros around, so that there is a window for each stride.

    Raises:
        TypeError: `input_x` is no Tensor, or `padding` no str.
        ValueError: numbers of another form, other than five dimensions, or a window that does not fit.

    >>> x = ops.arange(8.0).reshape(1, 1, 2, 2, 2)
    >>> print(ops.ExtractVolumePatches(2, 1, "valid")(x).reshape(-1))
    [0. 1. 2. 3. 4. 5. 6. 7.]
    """

    def __init__(self, kernel_size: Dims, strides: Dims, padding: str):
        super().__init__()
        self.kernel_size = _spatial(kernel_size, 3, self.name, "kernel_size")
        self.strides = _spatial(strides, 3, self.name, "strides")
        self.padding = _mode(padding, self.name, "padding")

    def __call__(self, input_x: Tensor) -> Tensor:
        given = check_ndim(check_tensor(input_x, self.name, "input_x"), self.name, "input_x", 5)
        settings = (self.kernel_size, self.strides, (1, 1, 1), self.padding, self.name)
        out: Tensor = _patches(given, *settings)
        return out


@operation
def _dilated(x: Tensor, window: Tensor, strides: Ints, rates: Ints, mode: str, op: str) -> Tensor:
    outside = -math.inf if x.dtype.kind == "f" else None
    out: Any = None
    kernel = window.shape[1:]
    seen = _windows(x, kernel, strides, rates, mode, outside, op)
    for (row, column), part in zip(itertools.product(*map(range, kernel)), seen, strict=True):
        raised = part + reshape(window[:, row, column], (-1, 1, 1))
        out = raised if out is None else gen.maximum(out, raised)
    return out


@public()
class Dilation2D(Primitive):
    """The largest sum of an element of a window and the filter's there, of images [N, C, H, W].

    Args:
        stride: the distance of two windows: an int, two of them, or [1, 1, SH, SW].
        dilation: the distance of two elements of a window.
        pad_mode: "valid", or "same": windows may end outside of the image, where nothing counts.
        data_format: "NCHW".

    Raises:
        TypeError: no Tensors of floating-point numbers.
        ValueError: numbers of another form, a filter of another shape than [C, KH, KW], or another layout.

    >>> x, window = ops.arange(4.0).reshape(1, 1, 2, 2), ops.zeros((1, 2, 2))
    >>> print(ops.Dilation2D(1, 1, "VALID")(x, window))
    [[[[3.]]]]
    """

    def __init__(
        self, stride: Dims, dilation: Dims, pad_mode: str = "SAME", data_format: str = "NCHW"
    ):
        super().__init__()
        self.stride = _spatial(stride, 2, self.name, "stride")
        self.dilation = _spatial(dilation, 2, self.name, "dilation")
        self.pad_mode = _mode(pad_mode, self.name, "pad_mode")
        self.data_format = check_one_of(data_format, self.name, "data_format", ("NCHW",))

    def __call__(self, x: Tensor, filter: Tensor) -> Tensor:
        given = check_ndim(check_float(x, self.name, "x"), self.name, "x", 4)
        window = check_ndim(check_float(filter, self.name, "filter"), self.name, "filter", 3)
        check_same_dtype(given, window, self.name, ("x", "filter"))
        wanted = (given.shape[1], *window.shape[1:])
        check_shape(window, self.name, "filter", wanted, "as many channels as 'x' has")
        settings = (self.stride, self.dilation, self.pad_mode, self.name)
        out: Tensor = _dilated(given, window, *settings)
        return out
