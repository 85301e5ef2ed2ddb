"""Layers that MindSpore keeps for older programs: products, norms, triangles and matrices of diagonals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Axis, Dims, InitLike, ShapeLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_callable,
    check_dtype,
    check_int,
    check_ndim,
    check_number,
    check_one_of,
    check_sequence,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.initializer import initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import axis_of, check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = [
    "ClipByNorm",
    "DiGamma",
    "EmbeddingLookup",
    "L1Regularizer",
    "LBeta",
    "LGamma",
    "MatDet",
    "MatInverse",
    "MatMul",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "Moments",
    "MultiFieldEmbeddingLookup",
    "Norm",
    "Range",
    "ReduceLogSumExp",
    "SparseTensorDenseMatmul",
    "SparseToDense",
    "TimeDistributed",
    "Tril",
    "Triu",
    "Unfold",
]


class MatMul(Cell):
    """Products of matrices, turned before where asked for; see `ops.matmul`.

    >>> print(nn.MatMul(transpose_x2=True)(ops.ones((2, 3)), ops.ones((4, 3))).shape)
    (2, 4)
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False):
        super().__init__()
        self.transpose_x1 = check_bool(transpose_x1, "MatMul", "transpose_x1")
        self.transpose_x2 = check_bool(transpose_x2, "MatMul", "transpose_x2")

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        a = ops.swapaxes(x1, -1, -2) if self.transpose_x1 and x1.ndim > 1 else x1
        b = ops.swapaxes(x2, -1, -2) if self.transpose_x2 and x2.ndim > 1 else x2
        return ops.matmul(a, b)


class Norm(Cell):
    """Roots of sums of squares along dimensions, of all by default.

    >>> print(nn.Norm(axis=0)(Tensor([3.0, 4.0])))
    5.0
    """

    def __init__(self, axis: Axis = (), keep_dims: bool = False):
        super().__init__()
        self.axis, self.keep_dims = axis, check_bool(keep_dims, "Norm", "keep_dims")

    def construct(self, x: Tensor) -> Tensor:
        sizes = ops.abs(x) if x.dtype.kind == "c" else x
        return ops.sqrt(ops.square(sizes).sum(self.axis, keepdims=self.keep_dims))

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ReduceLogSumExp(Cell):
    """The logarithm of the sum of exponentials along dimensions; see `ops.logsumexp`.

    >>> print(nn.ReduceLogSumExp(0)(Tensor([0.0, 0.0])))
    0.6931472
    """

    def __init__(self, axis: Axis, keep_dims: bool = False):
        super().__init__()
        self.axis: Any = tuple(axis) if isinstance(axis, list) else axis
        self.keep_dims = check_bool(keep_dims, "ReduceLogSumExp", "keep_dims")

    def construct(self, x: Tensor) -> Tensor:
        return ops.logsumexp(x, self.axis, self.keep_dims)


class Moments(Cell):
    """Mean and variance along dimensions, of all by default.

    >>> print(*nn.Moments()(Tensor([1.0, 3.0])))
    2.0 1.0
    """

    def __init__(self, axis: Axis = None, keep_dims: bool | None = None):
        super().__init__()
        self.axis = () if axis is None else axis
        self.keep_dims = check_bool(bool(keep_dims), "Moments", "keep_dims")

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mean = x.mean(self.axis, keep_dims=True)
        apart = ops.abs(x - mean) if x.dtype.kind == "c" else x - mean
        variance = ops.square(apart).mean(self.axis, keep_dims=self.keep_dims)
        return x.mean(self.axis, keep_dims=self.keep_dims), variance


class Range(Cell):
    """The numbers of `ops.range` as int32, or float32 if one of them is a float.

    >>> print(nn.Range(1, 8, 3)())
    [1 4 7]
    """

    def __init__(self, start: float, limit: float | None = None, delta: float = 1):
        super().__init__()
        if delta == 0:
            raise error(ValueError, "For 'Range', the 'delta' can not be zero.")
        data = np.arange(start, limit, delta)
        whole = data.dtype.kind != "f"
        self.result = Tensor(data, mstype.int32 if whole else mstype.float32)

    def construct(self) -> Tensor:
        return self.result


class Tril(Cell):
    """The lower triangle; see `ops.tril`.

    >>> print(nn.Tril()(ops.ones((2, 2))))
    [[1. 0.]
     [1. 1.]]
    """

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle; see `ops.triu`.

    >>> print(nn.Triu()(ops.ones((2, 2))))
    [[1. 1.]
     [0. 1.]]
    """

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return ops.triu(x, k)


class MatrixDiag(Cell):
    """Matrices with the last dimension on their diagonal; see `ops.diag_embed`.

    >>> print(nn.MatrixDiag()(Tensor([1.0, 2.0])))
    [[1. 0.]
     [0. 2.]]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.diag_embed(input_x)


class MatrixDiagPart(Cell):
    """The diagonals of matrices; see `ops.diagonal`.

    >>> print(nn.MatrixDiagPart()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [1. 4.]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.diagonal(input_x, 0, -2, -1)


class MatrixSetDiag(Cell):
    """Matrices with their diagonals replaced; see `ops.matrix_set_diag`.

    >>> print(nn.MatrixSetDiag()(ops.zeros((2, 2)), Tensor([1.0, 2.0])))
    [[1. 0.]
     [0. 2.]]
    """

    def construct(self, input_x: Tensor, diagonal: Tensor) -> Tensor:
        return ops.matrix_set_diag(input_x, diagonal)


class MatInverse(Cell):
    """Inverses of matrices; see `ops.inverse`.

    >>> print(nn.MatInverse()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """

    def construct(self, a: Tensor) -> Tensor:
        return ops.inverse(a)


class MatDet(Cell):
    """Determinants of matrices; see `ops.det`.

    >>> print(nn.MatDet()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    8.0
    """

    def construct(self, a: Tensor) -> Tensor:
        return ops.det(a)


class L1Regularizer(Cell):
    """`scale` times the sum of absolute values.

    Raises:
        TypeError: `scale` is not a number.
        ValueError: `scale` is not above 0, infinite or NaN.

    >>> print(nn.L1Regularizer(0.5)(Tensor([1.0, -3.0])))
    2.0
    """

    def __init__(self, scale: float):
        super().__init__()
        check_number(scale, "L1Regularizer", "scale")
        if scale <= 0 or math.isinf(scale) or math.isnan(scale):
            raise error(
                ValueError,
                f"For 'L1Regularizer', the 'scale' must be a finite number greater than 0, but got "
                f"{scale}.",
            )
        self.scale = float(scale)

    def construct(self, weights: Tensor) -> Tensor:
        size = ops.abs(weights).sum()
        # The scale is a float32 in MindSpore, which makes sums of 16 bits float32.
        return ops.cast(size, mstype.promote(size.dtype, mstype.float32)) * self.scale


class ClipByNorm(Cell):
    """A tensor scaled down to a norm of at most `clip_norm`, over `axis` or all dimensions.

    Raises:
        TypeError: `axis` is not an int or a tuple of them.

    >>> print(nn.ClipByNorm()(Tensor([3.0, 4.0]), Tensor([1.0])))
    [0.6 0.8]
    """

    def __init__(self, axis: Axis = None):
        super().__init__()
        if axis is not None and not isinstance(axis, int | tuple | list):
            raise error(
                TypeError,
                f"For 'ClipByNorm', 'axis' must be None, an int or a tuple of ints, but got {axis!r}.",
            )
        self.axis: Any = () if axis is None else axis

    def construct(self, x: Tensor, clip_norm: Tensor) -> Tensor:
        squares = ops.square(x).sum(self.axis, keepdims=True)
        some = squares > 0
        norm = ops.where(some, ops.sqrt(ops.where(some, squares, 1.0)), squares)
        return x * clip_norm / ops.maximum(norm, clip_norm)


class TimeDistributed(Cell):
    """A layer applied to each part along the dimension of time; the results are stacked along it.

    Args:
        layer: a Cell or an operation.
        time_axis: the dimension of time.
        reshape_with_axis: a dimension that is joined with time, so that the layer is called once;
            None calls it for each part.

    Raises:
        TypeError: `layer` cannot be called, or a dimension that is not an int.

    >>> print(nn.TimeDistributed(nn.ReLU(), 1)(ops.ones((2, 3, 4))).shape)
    (2, 3, 4)
    """

    def __init__(
        self,
        layer: Callable[[Tensor], Tensor],
        time_axis: int,
        reshape_with_axis: int | None = None,
    ):
        super().__init__()
        self.layer = check_callable(layer, "TimeDistributed", "layer")
        self.time_axis = check_int(time_axis, "TimeDistributed", "time_axis")
        if reshape_with_axis is not None:
            check_int(reshape_with_axis, "TimeDistributed", "reshape_with_axis")
        self.reshape_with_axis = reshape_with_axis

    def construct(self, inputs: Tensor) -> Tensor:
        t = axis_of(self.time_axis, inputs.ndim, "TimeDistributed")
        if self.reshape_with_axis is None:
            return ops.stack([self.layer(part) for part in ops.unbind(inputs, t)], t)
        r = axis_of(self.reshape_with_axis, inputs.ndim, "TimeDistributed")
        if r == t:
            raise error(
                ValueError,
                "For 'TimeDistributed', 'reshape_with_axis' must differ from 'time_axis'.",
            )
        beside = r - 1 if r > t else r  # where the joined dimension is without that of time
        moved = ops.movedim(inputs, t, beside)
        joined = moved.reshape(*moved.shape[:beside], -1, *moved.shape[beside + 2 :])
        out = self.layer(joined)
        shape = (*out.shape[:beside], inputs.shape[t], -1, *out.shape[beside + 1 :])
        return ops.movedim(out.reshape(shape), beside, t)


class SparseToDense(Cell):
    """A dense tensor of the elements of a COOTensor.

    Raises:
        TypeError: something else than a COOTensor.

    >>> at = Tensor([[0, 1], [1, 0]])
    >>> print(nn.SparseToDense()(ms.COOTensor(at, Tensor([1.0, 2.0]), (2, 2))))
    [[0. 1.]
     [2. 0.]]
    """

    def construct(self, sparse_tensor: ops.sparse.COOTensor) -> Tensor:
        if not isinstance(sparse_tensor, ops.sparse.COOTensor):
            raise argument_error(
                TypeError, "SparseToDense", "sparse_tensor", "a COOTensor", sparse_tensor
            )
        x = sparse_tensor
        return ops.SparseToDense()(x.indices, x.values, x.shape)


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse and a dense matrix; see `ops.SparseTensorDenseMatmul`.

    >>> at = Tensor([[0, 1], [1, 0]])
    >>> print(nn.SparseTensorDenseMatmul()(at, Tensor([1.0, 2.0]), (2, 2), Tensor([[1.0], [3.0]])))
    [[3.]
     [2.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False):
        super().__init__()
        self.product = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(
        self, indices: Tensor, values: Tensor, sparse_shape: ShapeLike, dense: Tensor
    ) -> Tensor:
        return self.product(indices, values, sparse_shape, dense)


# --- tables -----------------------------------------------------------------------------------


class EmbeddingLookup(Cell):
    """Rows of a table that indices pick; see `nn.Embedding`. Settings of distributed training and
    `sparse` are accepted, and of no effect: gradients are dense.

    Args:
        vocab_size, embedding_size: the shape of the table.
        param_init: an initializer of the table, its name, or a Tensor.
        max_norm: rows are scaled down to this norm, if it is given.

    Raises:
        TypeError: arguments of a wrong type.
        ValueError: sizes below 1.

    >>> print(nn.EmbeddingLookup(4, 2)(Tensor([[1, 3]])).shape)
    (1, 2, 2)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: InitLike = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: ArrayLike | None = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__()
        name = self.cls_name
        self.vocab_size = check_int(vocab_size, name, "vocab_size", at_least=1)
        self.embedding_size = check_int(embedding_size, name, "embedding_size", at_least=1)
        self.max_norm = (
            None if max_norm is None else float(check_number(max_norm, name, "max_norm"))
        )
        table = initializer(param_init, (vocab_size, embedding_size), mstype.or_default(dtype))
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, indices: Tensor) -> Tensor:
        rows = ops.gather(self.embedding_table, indices, 0)
        if self.max_norm is None:
            return rows
        return ops.clip_by_norm(rows, self.max_norm) if rows.ndim == 1 else self._limited(rows)

    def _limited(self, rows: Tensor) -> Tensor:
        squares = ops.square(rows).sum(-1, keepdims=True)
        limit: Any = self.max_norm
        over = squares > limit**2
        return ops.where(over, rows * limit / ops.sqrt(ops.where(over, squares, 1.0)), rows)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Rows of a table times values; in each field their sum, their sum over that of the values' magnitudes
    ('MEAN'), or the largest elements of those whose value is not 0 ('MAX'). A field without any is 0.

    Inputs:
        input_indices, input_values, field_ids: shape [N, K]; fields count from 0.

    Outputs:
        shape [N, field_size, embedding_size].

    Raises:
        TypeError: indices or fields of another dtype than int32 and int64.
        ValueError: another operator than 'SUM', 'MEAN' and 'MAX', a `field_size` below 1, or inputs without two
            dimensions.

    >>> layer = nn.MultiFieldEmbeddingLookup(4, 2, 2, "ones")
    >>> ids, values = Tensor([[1, 3, 0]]), Tensor([[1.0, 2.0, 5.0]])
    >>> print(layer(ids, values, Tensor([[0, 1, 0]])))
    [[[6. 6.]
      [2. 2.]]]
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        field_size: int,
        param_init: InitLike = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        feature_num_list: ArrayLike | None = None,
        max_norm: float | None = None,
        sparse: bool = True,
        operator: str = "SUM",
        dtype: Type | None = None,
    ):
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            feature_num_list,
            max_norm,
            sparse,
            dtype,
        )
        self.field_size = check_int(field_size, self.cls_name, "field_size", at_least=1)
        check_one_of(operator, self.cls_name, "operator", ("SUM", "MEAN", "MAX"))
        self.operator = operator

    def construct(  # type: ignore[override]
        self, input_indices: Tensor, input_values: Tensor, field_ids: Tensor
    ) -> Tensor:
        op = self.cls_name
        for given, name in ((input_values, "input_values"), (field_ids, "field_ids")):
            check_ndim(check_tensor(given, op, name), op, name, 2)
        check_ndim(check_tensor(input_indices, op, "input_indices"), op, "input_indices", 2)
        for given, name in ((input_indices, "input_indices"), (field_ids, "field_ids")):
            if given.dtype not in (mstype.int32, mstype.int64):
                raise error(
                    TypeError,
                    f"For '{op}', '{name}' must be of int32 or int64, but got {given.dtype}.",
                )
        rows = super().construct(input_indices) * input_values.expand_dims(-1)
        fields = ops.arange(self.field_size).astype(field_ids.dtype).reshape(1, -1, 1)
        here = (field_ids.expand_dims(1) == fields).expand_dims(-1)
        spread = rows.expand_dims(1)
        values = input_values.expand_dims(1).expand_dims(-1)
        if self.operator == "MAX":
            counts = ops.logical_and(here, values != 0)
            highest = ops.where(counts, spread, float("-inf")).max(axis=2)
            return ops.where(counts.any(2), highest, 0.0)
        summed = ops.where(here, spread, 0.0).sum(2)
        if self.operator == "SUM":
            return summed
        return ops.DivNoNan()(summed, ops.where(here, ops.abs(values), 0.0).sum(2))


class LGamma(Cell):
    """The logarithm of the size of the gamma function; see `ops.lgamma`.

    Raises:
        TypeError: no Tensor of floating-point numbers.

    >>> print(nn.LGamma()(Tensor([5.0])))
    [3.1780539]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.lgamma(check_dtype(check_tensor(x, "LGamma", "x"), "LGamma", "x", "f"))


class DiGamma(Cell):
    """The derivative of `LGamma`; see `ops.digamma`.

    Raises:
        TypeError: no Tensor of floating-point numbers.

    >>> print(nn.DiGamma()(Tensor([2.0])))
    [0.42278434]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.digamma(check_dtype(check_tensor(x, "DiGamma", "x"), "DiGamma", "x", "f"))


class LBeta(Cell):
    """The logarithm of the beta function of two Tensors: ``LGamma(x) + LGamma(y) - LGamma(x + y)``.

    Raises:
        TypeError: no Tensors of floating-point numbers.
        ValueError: shapes that do not broadcast.

    >>> print(nn.LBeta()(Tensor([2.0]), Tensor([3.0])))
    [-2.4849067]
    """

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        for value, name in ((x, "x"), (y, "y")):
            check_dtype(check_tensor(value, "LBeta", name), "LBeta", name, "f")
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


class Unfold(Cell):
    """Windows of images [N, C, H, W] as channels [N, KH * KW * C, OH, OW]; see `ops.ExtractImagePatches`, whose
    lists have the 1 of the channels at the end here. For windows as columns there is `ops.unfold`.

    Args:
        ksizes: the window, [1, KH, KW, 1].
        strides: the distance of two windows, [1, SH, SW, 1].
        rates: the distance of two elements of a window, [1, RH, RW, 1].
        padding: "valid", or "same" for zeros around.

    Raises:
        TypeError: no lists.
        ValueError: lists of another form.

    >>> x = ops.arange(9.0).reshape(1, 1, 3, 3)
    >>> print(nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])(x)[0, :, 0, 0])
    [0. 1. 3. 4.]
    """

    def __init__(self, ksizes: Dims, strides: Dims, rates: Dims, padding: str = "valid"):
        super().__init__()
        turned = []
        for name, value in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
            given = check_sequence(value, "Unfold", name, "ints")
            if len(given) != 4 or given[0] != 1 or given[3] != 1:
                raise argument_error(ValueError, "Unfold", name, "[1, H, W, 1]", value)
            turned.append([1, 1, *given[1:3]])
        window, distance, rate = turned
        self.patches = ops.ExtractImagePatches(window, distance, rate, padding)

    def construct(self, input_x: Tensor) -> Tensor:
        return self.patches(input_x)
