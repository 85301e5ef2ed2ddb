"""Pooling with positions, and pooling of fractional regions (Graham 2014)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims, OptionalDims, PaddingLike, TensorOrTensors
from cellgrad.core.arguments import check_bool, check_number, check_one_of, check_shape
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation, widened
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import pooling
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import elements_along
from cellgrad.ops._public import public
from cellgrad.ops._sliding import check_rank, padding_of, per_dim
from cellgrad.ops._static import known, known_ints
from cellgrad.ops.adaptive_pooling import adaptive_max
from cellgrad.ops.classes.window import check_format
from cellgrad.ops.extrema import argmax
from cellgrad.ops.random import rand
from cellgrad.ops.selection import cast


@operation
def _numbered(at: Tensor, images: int, size: int) -> Tensor:
    """Positions within a channel as those within an image of all channels."""
    channels = at.shape[1]
    first = known(np.arange(channels) * size, mstype.int32).reshape(1, channels, 1, 1)
    return cast(at, mstype.int32) + first


@public()
class MaxPoolWithArgmax(Primitive):
    """Maxima of windows of images [N, C, H, W], and their positions in [C, H, W]: int32.

    Raises:
        TypeError, ValueError: arguments of another kind, or windows that do not fit.

    >>> value, at = ops.MaxPoolWithArgmax(2, 2)(ops.arange(4.0).reshape(1, 1, 2, 2))
    >>> print(value, at)
    [[[[3.]]]] [[[[3]]]]
    """

    def __init__(
        self,
        kernel_size: Dims = 1,
        strides: Dims = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
    ):
        super().__init__()
        check_format(data_format, "NCHW", self.name)
        self.kernel_size = per_dim(kernel_size, 2, self.name, "kernel_size")
        self.strides = per_dim(strides, 2, self.name, "strides")
        self.pad_mode = check_one_of(
            str(pad_mode).lower(), self.name, "pad_mode", ("valid", "same")
        )

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = check_rank(x, (4,), self.name, "x")
        ones, none = (1, 1), [(0, 0), (0, 0)]
        pads = padding_of(
            self.pad_mode, none, x.shape[2:], self.kernel_size, self.strides, ones, self.name
        )
        value, at = pooling.sliding_max(
            self.name, x, self.kernel_size, self.strides, ones, pads, True
        )
        return value, _numbered(at, x.shape[0], x.shape[2] * x.shape[3])


class _WithArgmax(Primitive):
    count = 2

    def __init__(
        self,
        kernel_size: Dims,
        strides: Dims | None,
        pads: PaddingLike,
        dilation: Dims,
        ceil_mode: bool,
        kind: Type,
    ):
        super().__init__()
        if kind not in (mstype.int32, mstype.int64):
            raise error(
                ValueError,
                f"For '{self.name}', the 'argmax_type' must be int32 or int64, but got {kind}.",
            )
        self._settings = (kernel_size, strides, pads, dilation)
        self.ceil_mode = check_bool(ceil_mode, self.name, "ceil_mode")
        self.argmax_type = kind

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        value, at = pooling.max_pool(
            self.name, self.count, x, *self._settings, True, self.ceil_mode
        )
        return value, cast(at, self.argmax_type)


@public()
class MaxPoolWithArgmaxV2(_WithArgmax):
    """Maxima of windows of images [N, C, H, W], and their positions in [H, W]; see `ops.max_pool2d`.

    >>> value, at = ops.MaxPoolWithArgmaxV2(2, 2)(ops.arange(4.0).reshape(1, 1, 2, 2))
    >>> print(value, at)
    [[[[3.]]]] [[[[3]]]]
    """

    def __init__(
        self,
        kernel_size: Dims,
        strides: Dims | None = None,
        pads: PaddingLike = 0,
        dilation: Dims = (1, 1),
        ceil_mode: bool = False,
        argmax_type: Type = mstype.int64,
    ):
        super().__init__(kernel_size, strides, pads, dilation, ceil_mode, argmax_type)


@public()
class MaxPool3DWithArgmax(_WithArgmax):
    """Maxima of windows of volumes, and their positions in [D, H, W]; see `ops.max_pool3d`.

    >>> value, at = ops.MaxPool3DWithArgmax(2, 2, 0)(ops.arange(8.0).reshape(1, 1, 2, 2, 2))
    >>> print(value, at)
    [[[[[7.]]]]] [[[[[7]]]]]
    """

    count = 3

    def __init__(
        self,
        ksize: Dims,
        strides: Dims,
        pads: PaddingLike,
        dilation: Dims = (1, 1, 1),
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        argmax_type: Type = mstype.int64,
    ):
        check_format(data_format, "NCDHW", "MaxPool3DWithArgmax")
        super().__init__(ksize, strides, pads, dilation, ceil_mode, argmax_type)


@public(
    "ops.AdaptiveMaxPool3D()(x, output_size) = ops.adaptive_max_pool3d(x, output_size, True)",
)
def adaptive_max_pool3d(
    input: Tensor, output_size: OptionalDims, return_indices: bool = False
) -> TensorOrTensors:
    """The maxima of parts of volumes [N, C, D, H, W] or [C, D, H, W]; with `return_indices`, a tuple
    with their positions: int32.

    Raises:
        TypeError: no Tensor of numbers, or sizes that are no ints.
        ValueError: shapes or sizes that do not fit each other.

    >>> print(ops.adaptive_max_pool3d(ops.arange(8.0).reshape(1, 2, 2, 2), 1))
    [[[[7.]]]]

    >>> print(*ops.AdaptiveMaxPool3D()(ops.arange(8.0).reshape(1, 2, 2, 2), 1))
    [[[[7.]]]] [[[[7]]]]
    """
    op = "adaptive_max_pool3d"
    check_bool(return_indices, op, "return_indices")
    if isinstance(output_size, Tensor):
        output_size = known_ints(output_size, op, "output_size")
    out = adaptive_max(op, 3, input, output_size, return_indices)
    return (out[0], cast(out[1], mstype.int32)) if return_indices else out


# --- fractional regions -----------------------------------------------------------------------


def _fractional(
    op: str, count: int, input: Any, kernel: Any, size: Any, ratio: Any, indices: Any, samples: Any
) -> Any:
    given = check_rank(input, (count + 1, count + 2), op, "input", "iuf")
    x = given if given.ndim == count + 2 else given.reshape(1, *given.shape)
    sizes = per_dim(kernel, count, op, "kernel_size")
    if (size is None) == (ratio is None):
        raise error(
            ValueError, f"For '{op}', one of 'output_size' and 'output_ratio' must be given."
        )
    if size is not None:
        wanted = per_dim(size, count, op, "output_size")
    else:
        shares = (ratio,) * count if isinstance(ratio, float) else tuple(ratio)
        if len(shares) != count or not all(
            0 < check_number(r, op, "output_ratio") < 1 for r in shares
        ):
            raise error(
                ValueError,
                f"For '{op}', 'output_ratio' must be {count} numbers in (0, 1), but got {ratio}.",
            )
        wanted = tuple(int(n * r) for n, r in zip(x.shape[2:], shares, strict=True))
    if any(o < 1 or o + k - 1 > n for o, k, n in zip(wanted, sizes, x.shape[2:], strict=True)):
        raise error(
            ValueError,
            f"For '{op}', windows of {sizes} and a result of {wanted} do not fit an input of shape "
            f"{list(given.shape)}.",
        )
    check_bool(indices, op, "return_indices")
    if samples is None:
        samples = rand(*x.shape[:2], count)
    u = check_tensor(samples, op, "_random_samples")
    check_shape(u, op, "_random_samples", (*x.shape[:2], count))
    value, at = _regions(x, widened(u), sizes, wanted)
    if given.ndim == count + 1:
        value, at = (v.reshape(v.shape[1:]) for v in (value, at))
    return (value, at) if indices else value


@operation
def _regions(
    x: Tensor, samples: Tensor, kernel: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[Tensor, Tensor]:
    count = len(kernel)
    spatial = x.shape[2:]
    position: Any = None
    for d, (n, k, o) in enumerate(zip(spatial, kernel, sizes, strict=True)):
        # The samples of images are for the last dimension first, those of volumes for the first.
        u = samples[..., 1 - d if count == 2 else d].reshape(*x.shape[:2], 1)
        step = (n - k) / (o - 1) if o > 1 else 0.0
        i = known(np.arange(o, dtype=np.float32), mstype.float32).astype(u.dtype)
        start = gen.floor((i + u) * step) - gen.floor(u * step)
        last = known(np.arange(o) == o - 1, mstype.bool_)
        start = _last(last, float(n - k), start)
        within = known(np.arange(k), mstype.int32)
        at = cast(start, mstype.int32).reshape(*start.shape, 1) + within
        shape = [1] * (2 * count)
        shape[d], shape[count + d] = o, k
        at = at.reshape(*x.shape[:2], *shape)
        position = at if position is None else position * n + at
    flat = position.reshape(*x.shape[:2], -1)
    values = elements_along(x.reshape(*x.shape[:2], -1), flat, 2)
    windows = values.reshape(*x.shape[:2], *sizes, math.prod(kernel))
    places = flat.reshape(*x.shape[:2], *sizes, math.prod(kernel))
    best = argmax(windows, -1, True)
    value, at = (elements_along(v, best, v.ndim - 1) for v in (windows, places))
    shape = [*x.shape[:2], *sizes]
    return value.reshape(shape), cast(at, mstype.int64).reshape(shape)


def _last(where: Tensor, value: float, otherwise: Tensor) -> Tensor:
    from_end = cast(where, otherwise.dtype)
    return otherwise * (1 - from_end) + from_end * value


@public(
    "nn.FractionalMaxPool2d(kernel_size, output_size, output_ratio, return_indices, "
    "_random_samples)(input)",
    "ops.FractionalMaxPoolWithFixedKsize(ksize: Any, output_shape: Any, data_format='NCHW')"
    "(input_x, random_samples) = "
    "ops.fractional_max_pool2d(input_x, ksize, output_shape, None, True, random_samples)",
)
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Dims,
    output_size: OptionalDims = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> TensorOrTensors:
    """Maxima of windows at pseudo-random places, so that the size of the result need not divide that of
    the images [N, C, H, W] or [C, H, W].

    Args:
        input: floating point.
        kernel_size: an int or two.
        output_size: the height and width of the result, or
        output_ratio: their ratios to those of the input, in (0, 1).
        return_indices: whether positions in [H, W] are returned, too: int64.
        _random_samples: numbers in [0, 1), shape [N, C, 2]; they are drawn by default.

    Raises:
        TypeError, ValueError: arguments of another kind, or that do not fit.

    >>> x = ops.arange(16.0).reshape(1, 1, 4, 4)
    >>> print(ops.fractional_max_pool2d(x, 2, (1, 1), _random_samples=ops.zeros((1, 1, 2))))
    [[[[15.]]]]

    >>> x, samples = ops.arange(16.0).reshape(1, 1, 4, 4), ops.zeros((1, 1, 2))
    >>> print(nn.FractionalMaxPool2d(2, (1, 1), _random_samples=samples)(x))
    [[[[15.]]]]

    >>> x, samples = ops.arange(16.0).reshape(1, 1, 4, 4), ops.zeros((1, 1, 2))
    >>> print(ops.FractionalMaxPoolWithFixedKsize((2, 2), (1, 1))(x, samples)[0])
    [[[[15.]]]]
    """
    return _fractional(
        "fractional_max_pool2d",
        2,
        input,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        _random_samples,
    )


@public(
    "nn.FractionalMaxPool3d(kernel_size, output_size, output_ratio, return_indices, "
    "_random_samples)(input)",
    "ops.FractionalMaxPool3DWithFixedKsize(ksize: Any, output_shape: Any, data_format='NCDHW')"
    "(x, random_samples) = "
    "ops.fractional_max_pool3d(x, ksize, output_shape, None, True, random_samples)",
)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Dims,
    output_size: OptionalDims = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> TensorOrTensors:
    """`fractional_max_pool2d` of volumes [N, C, D, H, W] or [C, D, H, W].

    >>> x, samples = ops.arange(8.0).reshape(1, 1, 2, 2, 2), ops.zeros((1, 1, 3))
    >>> print(ops.fractional_max_pool3d(x, 2, (1, 1, 1), _random_samples=samples))
    [[[[[7.]]]]]

    >>> x, samples = ops.arange(8.0).reshape(1, 1, 2, 2, 2), ops.zeros((1, 1, 3))
    >>> print(nn.FractionalMaxPool3d(2, (1, 1, 1), _random_samples=samples)(x))
    [[[[[7.]]]]]

    >>> x, samples = ops.arange(8.0).reshape(1, 1, 2, 2, 2), ops.zeros((1, 1, 3))
    >>> print(ops.FractionalMaxPool3DWithFixedKsize((2, 2, 2), (1, 1, 1))(x, samples)[0])
    [[[[[7.]]]]]
    """
    return _fractional(
        "fractional_max_pool3d",
        3,
        input,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        _random_samples,
    )
