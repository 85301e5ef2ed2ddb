"""Small compositions: a dense layer, soft samples, columns of images, scattered elements, gated units."""

from __future__ import annotations

import math

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims, OptionalDims, PaddingLike, ShapeLike
from cellgrad.core.arguments import check_bool, check_number, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import (
    axis_of,
    broadcast_shapes,
    broadcast_to_shape,
    check_float,
    check_tensor,
    operation,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import check, gathered, is_known
from cellgrad.ops._public import public
from cellgrad.ops._sliding import per_dim
from cellgrad.ops._static import known, known_ints
from cellgrad.ops.activations import silu
from cellgrad.ops.classes.shape import MirrorPad
from cellgrad.ops.contractions import matmul
from cellgrad.ops.convolutions import fold, unfold
from cellgrad.ops.extrema import argmax
from cellgrad.ops.joining import split
from cellgrad.ops.random import rand
from cellgrad.ops.selection import cast, select, stop_gradient
from cellgrad.ops.shapes import swapaxes


@public("ops.Dense")
@operation
def dense(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``.

    Raises:
        TypeError: arguments that are not Tensors.
        ValueError: shapes that do not fit.

    >>> x, w = Tensor([[1.0, 2.0]]), Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(ops.dense(x, w, Tensor([1.0, 1.0])))
    [[ 6. 12.]]
    """
    x, w = check_tensor(input, "dense", "input"), check_tensor(weight, "dense", "weight")
    if w.ndim not in (1, 2) or not x.ndim or x.shape[-1] != w.shape[-1]:
        raise error(
            ValueError,
            f"For 'dense', 'weight' must have the shape [O, {x.shape[-1] if x.ndim else 'I'}], but "
            f"got {list(w.shape)}.",
        )
    out: Tensor = matmul(x, swapaxes(w, 0, 1) if w.ndim == 2 else w)
    return out if bias is None else out + check_tensor(bias, "dense", "bias")


@public()
def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Tensor:
    """Samples of classes that can be differentiated: softmax of logits with Gumbel noise (Jang et al.
    2017). With `hard`, one-hot vectors, with the derivative of the soft ones.

    Args:
        logits: floating point.
        tau: the temperature, above 0.
        hard: whether results are one-hot.
        dim: the dimension of classes.

    Raises:
        TypeError: arguments of another kind.
        ValueError: `tau` not above 0, or `dim` out of range.

    >>> print(ops.gumbel_softmax(ops.ones((2, 3)), hard=True).sum(-1))
    [1. 1.]
    """
    x = check_float(check_tensor(logits, "gumbel_softmax", "logits"), "gumbel_softmax", "logits")
    if check_number(tau, "gumbel_softmax", "tau") <= 0:
        raise error(ValueError, f"For 'gumbel_softmax', 'tau' must be above 0, but got {tau}.")
    check_bool(hard, "gumbel_softmax", "hard")
    d = axis_of(dim, x.ndim, "gumbel_softmax")
    out: Tensor = _soft_samples(x, rand(*x.shape), float(tau), hard, d)
    return out


@operation
def _soft_samples(x: Tensor, uniform: Tensor, tau: float, hard: bool, dim: int) -> Tensor:
    noise = -gen.log(-gen.log(gen.maximum(cast(uniform, x.dtype), 1e-20)))
    soft = reductions.softmax((x + noise) / tau, dim)
    if not hard:
        return soft
    along = known(np.arange(x.shape[dim]), mstype.int64).reshape(
        *(-1 if k == dim else 1 for k in range(x.ndim))
    )
    one = cast(gen.equal(argmax(soft, dim, True), along), x.dtype)
    return one - stop_gradient(soft) + soft


@public()
@operation
def swiglu(input: Tensor, dim: int = -1) -> Tensor:
    """``silu(a) * b`` of the two halves of a dimension (Shazeer 2020).

    Raises:
        TypeError: no Tensor.
        ValueError: `dim` out of range, or of an odd number of elements.

    >>> print(ops.swiglu(Tensor([0.0, 1.0, 2.0, 3.0])))
    [0.        2.1931758]
    """
    x = check_float(check_tensor(input, "swiglu", "input"), "swiglu", "input")
    d = axis_of(dim, x.ndim, "swiglu")
    if x.shape[d] % 2:
        raise error(
            ValueError,
            f"For 'swiglu', dimension {d} must have an even number of elements, but got "
            f"{x.shape[d]}.",
        )
    a, b = split(x, x.shape[d] // 2, d)
    return silu(a) * b


# --- columns of images ------------------------------------------------------------------------


@public(
    "ops.Col2Im(kernel_size: Any, dilation=1, padding=0, stride=1)(x, output_size) = "
    "ops.col2im(x, output_size, kernel_size, dilation, padding, stride)",
    "Tensor.col2im(output_size, kernel_size, dilation, padding_value, stride)",
)
def col2im(
    input_x: Tensor,
    output_size: OptionalDims,
    kernel_size: Dims,
    dilation: Dims,
    padding_value: PaddingLike,
    stride: Dims,
) -> Tensor:
    """Columns [N, C, KH * KW, L] added up as images [N, C, H, W]; see `ops.fold`.

    Raises:
        TypeError: arguments of another kind.
        ValueError: shapes that do not fit.

    >>> x = ops.ones((1, 1, 4, 1))
    >>> print(ops.col2im(x, Tensor([2, 2]), [2, 2], [1, 1], [0, 0], [1, 1]))
    [[[[1. 1.]
       [1. 1.]]]]

    >>> print(ops.Col2Im(2)(ops.ones((1, 1, 4, 1)), Tensor([2, 2])).shape)
    (1, 1, 2, 2)
    """
    x = check_tensor(input_x, "col2im", "input_x")
    if x.ndim != 4:
        raise error(
            ValueError,
            f"For 'col2im', the input must have 4 dimensions, but got shape {list(x.shape)}.",
        )
    flat = x.reshape(x.shape[0], -1, x.shape[3])
    sizes = known_ints(output_size, "col2im", "output_size")
    out: Tensor = fold(flat, sizes, kernel_size, dilation, padding_value, stride)
    return out


@public()
class Im2Col(Primitive):
    """Windows of images [N, C, H, W] as columns [N, C, KH * KW, L]; see `ops.unfold`.

    >>> print(ops.Im2Col(2)(ops.ones((1, 1, 3, 3))).shape)
    (1, 1, 4, 4)
    """

    def __init__(self, ksizes: Dims, strides: Dims = 1, dilations: Dims = 1, pads: PaddingLike = 0):
        super().__init__()
        self.ksizes = per_dim(ksizes, 2, self.name, "ksizes")
        self._settings = (dilations, pads, strides)

    def __call__(self, x: Tensor) -> Tensor:
        flat = unfold(check_tensor(x, self.name, "x"), self.ksizes, *self._settings)
        return flat.reshape(x.shape[0], x.shape[1], math.prod(self.ksizes), -1)


@public()
def mirror_pad(input_x: Tensor, paddings: PaddingLike, mode: str) -> Tensor:
    """Elements mirrored at the ends of each dimension, without ("REFLECT") or with ("SYMMETRIC") the
    one at the edge; see `ops.MirrorPad`.

    >>> print(ops.mirror_pad(Tensor([[1, 2, 3]]), Tensor([[0, 0], [1, 1]]), "REFLECT"))
    [[2 1 2 3 2]]
    """
    check_one_of(mode, "mirror_pad", "mode", ("REFLECT", "SYMMETRIC"))
    return MirrorPad(mode)(input_x, paddings)


# --- elements ---------------------------------------------------------------------------------


@public(
    "ops.MaskedScatter()(input, mask, source)",
    "Tensor.masked_scatter(mask, source)",
    "Tensor.masked_scatter_(mask, source)",
)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The input with the elements where a mask holds replaced, in order, by those of `source`.

    Raises:
        TypeError: a mask that is not of bools, or a source of another dtype.
        ValueError: a mask that does not broadcast, or a source with fewer elements than hold in the
            mask.

    >>> x, mask = Tensor([1.0, 2.0, 3.0]), Tensor([True, False, True])
    >>> print(ops.masked_scatter(x, mask, Tensor([9.0, 8.0])))
    [9. 2. 8.]
    """
    op = "masked_scatter"
    x, m, new = (
        check_tensor(v, op, name)
        for v, name in ((input, "input"), (mask, "mask"), (source, "source"))
    )
    if m.dtype is not mstype.bool_ or new.dtype is not x.dtype:
        raise error(
            TypeError,
            f"For '{op}', 'mask' must be of bools and 'source' of the dtype of 'input', "
            f"{x.dtype.title}, but got {m.dtype.title} and {new.dtype.title}.",
        )
    shape = broadcast_shapes(x.shape, m.shape, op)
    known_mask = is_known(m)
    needed = 0
    if known_mask:
        needed = int(np.broadcast_to(m._concrete("'mask' of masked_scatter"), shape).sum())
    if shape != x.shape or new.size < needed:
        raise error(
            ValueError,
            f"For '{op}', 'mask' must broadcast to the shape of 'input', {list(x.shape)}, and "
            f"'source' have at least {needed} elements, but got shapes {list(m.shape)} and "
            f"{list(new.shape)}.",
        )
    checked = not known_mask and new.size < x.size
    out: Tensor = _placed(x, m, new, checked) if new.size or checked else x
    return out


@operation
def _placed(x: Tensor, mask: Tensor, source: Tensor, checked: bool) -> Tensor:
    where = broadcast_to_shape(mask, x.shape)
    count = cast(where, mstype.int32).reshape(-1).cumsum(0)
    if checked:
        text = f"For 'masked_scatter', the mask holds for more than the {source.size} elements of 'source'."
        check(
            gen.less_equal(count[-1], source.size),
            text,
            ValueError,
            "give it as many as hold in the mask",
        )
        if not source.size:
            return x
    at = gen.maximum(count - 1, 0)
    taken = gathered(source.reshape(-1), gen.minimum(at, source.size - 1), 0)
    return select(where, taken.reshape(where.shape), x)


@public("Tensor.sum_to_size(*size) = ops.sum_to_size(self, *size)")
def sum_to_size(input: Tensor, *size: ShapeLike) -> Tensor:
    """Sums along dimensions, so that the result has a shape that broadcasts to the input's.

    Raises:
        ValueError: a shape that does not broadcast to the input's.

    >>> print(ops.sum_to_size(ops.ones((2, 3)), (1, 3)))
    [[2. 2. 2.]]

    >>> print(ops.ones((2, 3)).sum_to_size(1, 3))
    [[2. 2. 2.]]
    """
    x = check_tensor(input, "sum_to_size", "input")
    listed = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    sizes = known_ints(tuple(listed), "sum_to_size", "size")
    lead = x.ndim - len(sizes)
    if lead < 0 or any(s not in (1, n) for s, n in zip(sizes, x.shape[lead:], strict=True)):
        raise error(
            ValueError,
            f"For 'sum_to_size', the shape {list(sizes)} must broadcast to that of the tensor, "
            f"{list(x.shape)}.",
        )
    dims = tuple(range(lead)) + tuple(
        lead + i for i, s in enumerate(sizes) if s != x.shape[lead + i]
    )
    out = x.sum(dims) if dims else x
    return out.reshape(sizes)
