"""Convolutions, plain and transposed, and the windows they slide."""

from __future__ import annotations

from typing import Any

from cellgrad.core.aliases import Dims, OptionalDims, PaddingLike
from cellgrad.core.arguments import argument_error, check_int, check_same_dtype
from cellgrad.core.errors import either, error
from cellgrad.core.record import (
    broadcast_to_shape,
    check_tensor,
    emit,
    in_precision,
    operation,
    reshape_to,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public
from cellgrad.ops._sliding import (
    Ints,
    Pads,
    check_fit,
    check_rank,
    pad_mode_of,
    padding_of,
    pairs,
    per_dim,
)
from cellgrad.ops._static import known_ints
from cellgrad.ops.joining import pad_to, piece


@public(
    "mint.nn.functional.conv1d(input, weight, bias, stride, padding, dilation, groups) = "
    "h.convolved(1, ops.conv1d, input, weight, bias, stride, padding, dilation, groups)",
)
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    pad_mode: str = "valid",
    padding: PaddingLike = 0,
    dilation: Dims = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) of sequences: input [N, C, L], weight [O, C / groups, K].

    Args:
        input: a floating-point Tensor of shape [N, C, L].
        weight: of shape [O, C / groups, K] and the same dtype.
        bias: of shape [O], or None.
        stride: distance of two windows.
        pad_mode: 'valid' (only whole windows), 'same' (ceil(L / stride) windows) or 'pad'.
        padding: zeros before and after, in mode 'pad'.
        dilation: distance of two elements of a window.
        groups: groups of channels with filters of their own.

    Returns:
        A Tensor of shape [N, O, L'].

    Raises:
        TypeError: no Tensors of one floating-point dtype, or arguments that are no ints.
        ValueError: shapes or arguments that do not fit each other.

    >>> print(ops.conv1d(Tensor([[[1.0, 2.0, 3.0]]]), Tensor([[[1.0, 10.0]]])))
    [[[21. 32.]]]

    >>> print(mint.nn.functional.conv1d(Tensor([[[1.0, 2.0, 3.0]]]), Tensor([[[1.0, 10.0]]])))
    [[[21. 32.]]]
    """
    geometry = _geometry("conv1d", 1, stride, pad_mode, padding, dilation)
    return _checked_conv("conv1d", input, weight, bias, groups, *geometry)


@public(
    "mint.conv2d(input, weight, bias, stride, padding, dilation, groups) = "
    "h.convolved(2, ops.conv2d, input, weight, bias, stride, padding, dilation, groups)",
    "mint.nn.functional.conv2d(input, weight, bias, stride, padding, dilation, groups) = "
    "h.convolved(2, ops.conv2d, input, weight, bias, stride, padding, dilation, groups)",
)
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    pad_mode: str = "valid",
    padding: PaddingLike = 0,
    dilation: Dims = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) of images: input [N, C, H, W], weight [O, C / groups, KH, KW].

    `stride`, `padding` and `dilation` are ints or tuples (height, width); a `padding` of four is
    (top, bottom, left, right). Else as `conv1d`.

    Raises:
        TypeError: no Tensors of one floating-point dtype, or arguments that are no ints.
        ValueError: shapes or arguments that do not fit each other.

    >>> ops.conv2d(ops.ones((1, 3, 8, 8)), ops.ones((4, 3, 3, 3))).shape
    (1, 4, 6, 6)

    >>> print(mint.conv2d(ops.ones((1, 2, 3, 3)), ops.ones((4, 2, 2, 2))).shape)
    (1, 4, 2, 2)

    >>> print(mint.nn.functional.conv2d(ops.ones((1, 2, 3, 3)), ops.ones((4, 2, 2, 2))).shape)
    (1, 4, 2, 2)
    """
    geometry = _geometry("conv2d", 2, stride, pad_mode, padding, dilation)
    return _checked_conv("conv2d", input, weight, bias, groups, *geometry)


@public(
    "mint.nn.functional.conv3d(input, weight, bias, stride, padding, dilation, groups) = "
    "h.convolved(3, ops.conv3d, input, weight, bias, stride, padding, dilation, groups)",
)
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    pad_mode: str = "valid",
    padding: PaddingLike = 0,
    dilation: Dims = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of volumes: input [N, C, D, H, W], weight [O, C / groups, KD, KH, KW].

    `stride`, `padding` and `dilation` are ints or tuples (depth, height, width). Else as `conv1d`.

    Raises:
        TypeError: no Tensors of one floating-point dtype, or arguments that are no ints.
        ValueError: shapes or arguments that do not fit each other.

    >>> print(ops.conv3d(ops.ones((1, 2, 3, 3, 3)), ops.ones((4, 2, 2, 2, 2))).shape)
    (1, 4, 2, 2, 2)

    >>> print(mint.nn.functional.conv3d(ops.ones((1, 2, 3, 3, 3)), ops.ones((4, 2, 2, 2, 2))).shape)
    (1, 4, 2, 2, 2)
    """
    geometry = _geometry("conv3d", 3, stride, pad_mode, padding, dilation)
    return _checked_conv("conv3d", input, weight, bias, groups, *geometry)


@public(
    "mint.nn.functional.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, "
    "dilation) = h.unbatched(2, ops.conv_transpose2d, input, weight, bias, stride, padding, "
    "output_padding, groups, dilation)",
)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: PaddingLike = 0,
    output_padding: Dims = 0,
    groups: int = 1,
    dilation: Dims = 1,
) -> Tensor:
    """The adjoint of a convolution of images: input [N, C, H, W], weight [C, O / groups, KH, KW].

    The result is [N, O, H', W'] with
    ``H' = (H - 1) * stride - 2 * padding + dilation * (KH - 1) + output_padding + 1``.

    Raises:
        TypeError: no Tensors of one floating-point dtype, or arguments that are no ints.
        ValueError: shapes or arguments that do not fit each other.

    >>> x, weight = Tensor([[[[1.0, 2.0]]]]), Tensor([[[[1.0, 10.0]]]])
    >>> print(ops.conv_transpose2d(x, weight))
    [[[[ 1. 12. 20.]]]]

    >>> x, weight = ops.ones((3, 4, 4)), ops.ones((3, 2, 2, 2))
    >>> print(mint.nn.functional.conv_transpose2d(x, weight).shape)
    (2, 5, 5)
    """
    op = "conv_transpose2d"
    strides, dilations = per_dim(stride, 2, op, "stride"), per_dim(dilation, 2, op, "dilation")
    pads = pairs(padding, 2, op, "padding")
    extra = per_dim(output_padding, 2, op, "output_padding", 0)
    for e, s, d in zip(extra, strides, dilations, strict=True):
        if e >= max(s, d):
            wanted = "less than the stride or the dilation"
            raise argument_error(ValueError, op, "output_padding", wanted, output_padding)
    return checked_transpose(op, input, weight, bias, groups, strides, pads, extra, dilations)


def _geometry(
    op: str, count: int, stride: Any, pad_mode: Any, padding: Any, dilation: Any
) -> tuple[Ints, str, Pads, Ints]:
    return (
        per_dim(stride, count, op, "stride"),
        pad_mode_of(pad_mode, op),
        pairs(padding, count, op, "padding"),
        per_dim(dilation, count, op, "dilation"),
    )


def _check_groups(groups: Any, op: str, **channels: int) -> int:
    groups = check_int(groups, op, "groups")
    for name, count in channels.items():
        if groups < 1 or count % groups:
            raise error(
                ValueError,
                f"For '{op}', 'groups' must be at least 1 and divide the {name} channels, but got "
                f"groups={groups} and {count} channels.",
            )
    return groups


def _check_operands(op: str, count: int, input: Any, weight: Any) -> tuple[Tensor, Tensor]:
    x, w = (
        check_rank(input, (count + 2,), op, "input"),
        check_rank(weight, (count + 2,), op, "weight"),
    )
    check_same_dtype(x, w, op, ("input", "weight"))
    return x, w


def _check_bias(op: str, bias: Any, channels: int, x: Tensor) -> Tensor | None:
    if bias is None:
        return None
    b = check_tensor(bias, op, "bias")
    if b.shape != (channels,) or b.dtype is not x.dtype:
        raise error(
            ValueError,
            f"For '{op}', the 'bias' must be a Tensor of shape [{channels}] and {x.dtype}, but got "
            f"shape {list(b.shape)} and {b.dtype}.",
        )
    return b


def _checked_conv(
    op: str,
    input: Any,
    weight: Any,
    bias: Any,
    groups: Any,
    strides: Ints,
    mode: str,
    given: Pads,
    dilations: Ints,
) -> Tensor:
    count = len(strides)
    input, weight, bias = in_precision("convolution", (input, weight, bias))
    x, w = _check_operands(op, count, input, weight)
    channels, filters, kernel = x.shape[1], w.shape[0], w.shape[2:]
    groups = _check_groups(groups, op, input=channels, output=filters)
    if w.shape[1] * groups != channels:
        raise error(
            either(ValueError, RuntimeError),
            f"For '{op}', the weight of shape {list(w.shape)} in {groups} groups takes "
            f"{w.shape[1] * groups} channels, but the input of shape {list(x.shape)} has "
            f"{channels}.",
        )
    pads = padding_of(mode, given, x.shape[2:], kernel, strides, dilations, op)
    check_fit(x.shape[2:], pads, kernel, dilations, x, op)
    b = _check_bias(op, bias, filters, x)
    out: Tensor = _convolution(x, w, b, strides, pads, dilations, groups)
    return out


def checked_transpose(
    op: str,
    input: Any,
    weight: Any,
    bias: Any,
    groups: Any,
    strides: Ints,
    pads: Pads,
    extra: Ints,
    dilations: Ints,
) -> Tensor:
    """The adjoint of a convolution with strides, padding and dilations; `extra` elements of the
    result lie behind the last window of that convolution.

    Raises:
        TypeError: no Tensors of one floating-point dtype, or arguments that are no ints.
        ValueError: shapes or arguments that do not fit each other.
    """
    input, weight, bias = in_precision("convolution", (input, weight, bias))
    x, w = _check_operands(op, len(strides), input, weight)
    groups = _check_groups(groups, op, input=x.shape[1])
    if w.shape[0] != x.shape[1]:
        raise error(
            ValueError,
            f"For '{op}', the weight of shape {list(w.shape)} takes {w.shape[0]} channels, but the "
            f"input of shape {list(x.shape)} has {x.shape[1]}.",
        )
    b = _check_bias(op, bias, w.shape[1] * groups, x)
    for n, k, s, d, (low, high), e in zip(
        x.shape[2:], w.shape[2:], strides, dilations, pads, extra, strict=True
    ):
        if (n - 1) * s + d * (k - 1) + 1 - low - high + e < 1:
            raise error(
                ValueError,
                f"For '{op}', the padding {(low, high)} leaves nothing of the result of the input "
                f"of shape {list(x.shape)}.",
            )
    out: Tensor = _transposed(x, w, b, strides, pads, extra, dilations, groups)
    return out


@operation
def _convolution(
    x: Tensor,
    w: Tensor,
    bias: Tensor | None,
    strides: Ints,
    pads: Pads,
    dilations: Ints,
    groups: int,
) -> Tensor:
    x = pad_to(x, [0, 0, *(p[0] for p in pads)], [0, 0, *(p[1] for p in pads)])
    attrs = {"strides": list(strides), "dilations": list(dilations), "groups": groups}
    return _add_bias(emit("cell.conv", [x, w], attrs), bias)


def _add_bias(y: Tensor, bias: Tensor | None) -> Tensor:
    if bias is None:
        return y
    shaped = reshape_to(bias, (bias.shape[0], *(1,) * (y.ndim - 2)))
    return emit("cell.add", [y, broadcast_to_shape(shaped, y.shape)])


@operation
def _transposed(
    x: Tensor,
    w: Tensor,
    bias: Tensor | None,
    strides: Ints,
    pads: Pads,
    extra: Ints,
    dilations: Ints,
    groups: int,
) -> Tensor:
    """The windows of x among zeros, under the reversed filters with channels exchanged."""
    count, kernel = len(strides), w.shape[2:]
    inputs, outputs = w.shape[0] // groups, w.shape[1]
    if groups > 1:
        w = reshape_to(w, (groups, inputs, outputs, *kernel))
    first = 1 if groups > 1 else 0
    perm = [*range(first), first + 1, first, *range(first + 2, first + 2 + count)]
    w = emit("cell.transpose", [w], {"perm": perm})
    w = reshape_to(w, (groups * outputs, inputs, *kernel))
    w = emit("cell.reverse", [w], {"dims": list(range(2, 2 + count))})
    reach = [d * (k - 1) for d, k in zip(dilations, kernel, strict=True)]
    low = [r - p[0] for r, p in zip(reach, pads, strict=True)]
    high = [r - p[1] + e for r, p, e in zip(reach, pads, extra, strict=True)]
    x = pad_to(
        x,
        [0, 0, *(max(n, 0) for n in low)],
        [0, 0, *(max(n, 0) for n in high)],
        [0, 0, *(s - 1 for s in strides)],
    )
    for i in range(count):
        x = piece(x, i + 2, max(-low[i], 0), x.shape[i + 2] - max(-high[i], 0))
    attrs = {"strides": [1] * count, "dilations": list(dilations), "groups": groups}
    return _add_bias(emit("cell.conv", [x, w], attrs), bias)


# --- windows ----------------------------------------------------------------------------------


@public(
    "Tensor.unfold",
    "mint.nn.Unfold(kernel_size, dilation, padding, stride)(input)",
    "mint.nn.functional.unfold",
)
def unfold(
    input: Tensor, kernel_size: Dims, dilation: Dims = 1, padding: PaddingLike = 0, stride: Dims = 1
) -> Tensor:
    """The windows of images as columns: [N, C, H, W] to [N, C * KH * KW, L], or both without N.

    Raises:
        TypeError: no Tensor of floating-point numbers, or arguments that are no ints.
        ValueError: an input that is neither 3D nor 4D, or windows that do not fit.

    >>> x = ops.arange(9.0).reshape(1, 1, 3, 3)
    >>> print(ops.unfold(x, kernel_size=2))
    [[[0. 1. 3. 4.]
      [1. 2. 4. 5.]
      [3. 4. 6. 7.]
      [4. 5. 7. 8.]]]
    """
    x = check_rank(input, (3, 4), "unfold", "input")
    if x.ndim == 3:
        return unfold(x[None], kernel_size, dilation, padding, stride)[0]
    kernel, strides, pads, dilations = _window_arguments(
        "unfold", kernel_size, dilation, padding, stride
    )
    check_fit(x.shape[2:], pads, kernel, dilations, x, "unfold")
    out: Tensor = _unfolded(x, kernel, strides, pads, dilations)
    return out


@public(
    "Tensor.fold",
    "mint.nn.Fold(output_size, kernel_size, dilation, padding, stride)(input)",
    "mint.nn.functional.fold",
)
def fold(
    input: Tensor,
    output_size: OptionalDims,
    kernel_size: Dims,
    dilation: Dims = 1,
    padding: PaddingLike = 0,
    stride: Dims = 1,
) -> Tensor:
    """Adds columns up where `unfold` took them from: [N, C * KH * KW, L] to [N, C, H, W], or both without N.

    `output_size` may be a Tensor of ints that are known.

    Raises:
        TypeError: no Tensor of floating-point numbers, or arguments that are no ints.
        ValueError: an input that is neither 2D nor 3D, or columns that do not fit the output.

    >>> print(ops.fold(ops.ones((1, 4, 4)), (3, 3), kernel_size=2))
    [[[[1. 2. 1.]
       [2. 4. 2.]
       [1. 2. 1.]]]]
    """
    x = check_rank(input, (2, 3), "fold", "input")
    if x.ndim == 2:
        return fold(x[None], output_size, kernel_size, dilation, padding, stride)[0]
    if isinstance(output_size, Tensor):
        output_size = known_ints(output_size, "fold", "output_size")
    sizes = per_dim(output_size, 2, "fold", "output_size")
    kernel, strides, pads, dilations = _window_arguments(
        "fold", kernel_size, dilation, padding, stride
    )
    check_fit(sizes, pads, kernel, dilations, x, "fold")
    padded = [n + low + high for n, (low, high) in zip(sizes, pads, strict=True)]
    counts = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(padded, kernel, strides, dilations, strict=True)
    ]
    window = kernel[0] * kernel[1]
    if x.shape[1] % window or x.shape[2] != counts[0] * counts[1]:
        raise error(
            ValueError,
            f"For 'fold', an output of {sizes} has {counts[0] * counts[1]} windows of {window} "
            f"elements a channel, but the input has shape {list(x.shape)}.",
        )
    out: Tensor = _folded(x, kernel, strides, pads, dilations, padded, counts)
    return out


def _window_arguments(
    op: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[Ints, Ints, Pads, Ints]:
    return (
        per_dim(kernel_size, 2, op, "kernel_size"),
        per_dim(stride, 2, op, "stride"),
        pairs(padding, 2, op, "padding"),
        per_dim(dilation, 2, op, "dilation"),
    )


@operation
def _unfolded(x: Tensor, kernel: Ints, strides: Ints, pads: Pads, dilations: Ints) -> Tensor:
    x = pad_to(x, [0, 0, *(p[0] for p in pads)], [0, 0, *(p[1] for p in pads)])
    attrs = {"sizes": list(kernel), "strides": list(strides), "dilations": list(dilations)}
    w = emit("cell.windows", [x], attrs)
    n, c, oh, ow, kh, kw = w.shape
    w = emit("cell.transpose", [w], {"perm": [0, 1, 4, 5, 2, 3]})
    return reshape_to(w, (n, c * kh * kw, oh * ow))


@operation
def _folded(
    x: Tensor,
    kernel: Ints,
    strides: Ints,
    pads: Pads,
    dilations: Ints,
    padded: list[int],
    counts: list[int],
) -> Tensor:
    n, c = x.shape[0], x.shape[1] // (kernel[0] * kernel[1])
    w = reshape_to(x, (n, c, *kernel, *counts))
    w = emit("cell.transpose", [w], {"perm": [0, 1, 4, 5, 2, 3]})
    attrs = {"strides": list(strides), "dilations": list(dilations)}
    y = emit("cell.overlap_add", [w], attrs, x.dtype, (n, c, *padded))
    for i, (low, high) in enumerate(pads):
        y = piece(y, i + 2, low, y.shape[i + 2] - high)
    return y
