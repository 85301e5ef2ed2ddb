"""Segments of rows, elements by coordinates as dense tensors, and decoded sequences."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, ShapeLike
from cellgrad.core.arguments import check_bool
from cellgrad.core.errors import either, error
from cellgrad.core.record import broadcast_to_shape, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_ints
from cellgrad.ops.contractions import matmul
from cellgrad.ops.gathering import gather, needs_elements
from cellgrad.ops.joining import concat
from cellgrad.ops.scattering import scatter_nd
from cellgrad.ops.selection import cast, select
from cellgrad.ops.shapes import swapaxes

# --- segments ---------------------------------------------------------------------------------


@operation
def _segments(x: Tensor, ids: Tensor, count: int, kind: str) -> Tensor:
    wide = known(np.arange(count), mstype.int32).reshape(-1, *(1,) * x.ndim)
    here = gen.equal(cast(ids, mstype.int32).reshape(1, -1, *(1,) * (x.ndim - 1)), wide)
    here = broadcast_to_shape(here, (count, *x.shape))
    spread = broadcast_to_shape(x.reshape(1, *x.shape), here.shape)
    if kind == "prod":
        return select(here, spread, 1).prod(1)
    if kind in ("max", "min"):
        some = here.any(1)
        end = float("-inf") if kind == "max" else float("inf")
        low = select(here, cast(spread, mstype.float64), end)
        found = (reductions.amax if kind == "max" else reductions.amin)(low, 1)
        return cast(select(some, found, 0.0), x.dtype)
    summed = select(here, spread, 0).sum(1)
    if kind == "sum":
        return summed
    number = gen.maximum(cast(here, mstype.int32).sum(1), 1)
    return cast(summed / cast(number, x.dtype), x.dtype)


class _Segment(Primitive):
    kind: ClassVar[str]

    def __call__(self, input_x: Tensor, segment_ids: Tensor) -> Tensor:
        x = check_tensor(input_x, self.name, "input_x")
        ids = check_tensor(segment_ids, self.name, "segment_ids")
        numbers = needs_elements(
            ids, self.name, "use ops.unsorted_segment_sum and the like, with a known length"
        )
        if (
            ids.ndim != 1
            or not x.ndim
            or ids.shape[0] != x.shape[0]
            or (np.diff(numbers) < 0).any()
        ):
            raise error(
                ValueError,
                f"For '{self.name}', 'segment_ids' must be one ascending number for each row, but "
                f"got shapes {list(x.shape)} and {list(ids.shape)}.",
            )
        out: Tensor = _segments(x, ids, int(numbers.max(initial=-1)) + 1, self.kind)
        return out


@public()
class SegmentSum(_Segment):
    """The sums of rows of one number; the numbers ascend, and are known while compiling.

    >>> print(ops.SegmentSum()(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 2])))
    [3. 0. 3.]
    """

    kind = "sum"


@public()
class SegmentMean(_Segment):
    """The means of rows of one number, 0 where there is none; see `SegmentSum`.

    >>> print(ops.SegmentMean()(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 2])))
    [1.5 0.  3. ]
    """

    kind = "mean"


@public()
class SegmentProd(_Segment):
    """The products of rows of one number, 1 where there is none; see `SegmentSum`.

    >>> print(ops.SegmentProd()(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 2])))
    [2. 1. 3.]
    """

    kind = "prod"


@public()
class SegmentMax(_Segment):
    """The largest elements of rows of one number, 0 where there is none; see `SegmentSum`.

    >>> print(ops.SegmentMax()(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 2])))
    [2. 0. 3.]
    """

    kind = "max"


@public()
class SegmentMin(_Segment):
    """The smallest elements of rows of one number, 0 where there is none; see `SegmentSum`.

    >>> print(ops.SegmentMin()(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 2])))
    [1. 0. 3.]
    """

    kind = "min"


@public()
def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
    """The means of the rows that `indices` name, by the numbers in `segment_ids`; see
    `ops.SegmentMean`.

    >>> x, rows = Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1])
    >>> print(ops.sparse_segment_mean(x, rows, Tensor([0, 0, 1])))
    [[2.5]
     [2. ]]
    """
    return SegmentMean()(
        gather(check_tensor(x, "sparse_segment_mean", "x"), indices, 0), segment_ids
    )


# --- coordinates ------------------------------------------------------------------------------


def dense_of(op: str, indices: Any, values: Any, shape: Any) -> Tensor:
    """A dense tensor of values at coordinates, which are added where they are equal.

    Raises:
        TypeError: coordinates that are no integers.
        ValueError: shapes that do not fit.
    """
    at, new = check_tensor(indices, op, "indices"), check_tensor(values, op, "values")
    sizes = known_ints(shape, op, "sparse_shape")
    if at.ndim != 2 or at.shape != (new.shape[0] if new.ndim else -1, len(sizes)):
        raise error(
            ValueError,
            f"For '{op}', 'indices' must have the shape [{new.size}, {len(sizes)}], a row of "
            f"coordinates for each value, but got {list(at.shape)}.",
        )
    if new.dtype is mstype.bool_:
        return scatter_nd(at, new.astype(mstype.int32), sizes) != 0  # type: ignore[return-value]
    return scatter_nd(at, new, sizes)


@public()
class SparseToDense(Primitive):
    """A dense tensor of values at coordinates, and zeros elsewhere.

    Raises:
        ValueError: coordinates of another shape than [number of values, number of dimensions].

    >>> at = Tensor([[0, 1], [1, 0]])
    >>> print(ops.SparseToDense()(at, Tensor([1.0, 2.0]), (2, 2)))
    [[0. 1.]
     [2. 0.]]
    """

    def __call__(self, indices: Tensor, values: Tensor, sparse_shape: ShapeLike) -> Tensor:
        return dense_of(self.name, indices, values, sparse_shape)


@public()
class SparseTensorDenseMatmul(Primitive):
    """The product of a matrix given by values at coordinates and a dense one; `adjoint_st` and
    `adjoint_dt` turn the first or the second before.

    Raises:
        ValueError: shapes that do not fit.

    >>> at = Tensor([[0, 1], [1, 0]])
    >>> product = ops.SparseTensorDenseMatmul()
    >>> print(product(at, Tensor([1.0, 2.0]), (2, 2), Tensor([[1.0], [3.0]])))
    [[3.]
     [2.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False):
        super().__init__()
        self.adjoint_st = check_bool(adjoint_st, self.name, "adjoint_st")
        self.adjoint_dt = check_bool(adjoint_dt, self.name, "adjoint_dt")

    def __call__(
        self, indices: Tensor, values: Tensor, sparse_shape: ShapeLike, dense: Tensor
    ) -> Tensor:
        matrix = dense_of(self.name, indices, values, sparse_shape)
        if matrix.ndim != 2:
            raise error(
                ValueError,
                f"For '{self.name}', 'sparse_shape' must be two ints, but got {sparse_shape}.",
            )
        right = check_tensor(dense, self.name, "dense")
        left = swapaxes(matrix, 0, 1) if self.adjoint_st else matrix
        return matmul(left, swapaxes(right, 0, 1) if self.adjoint_dt else right)


@public()
class UnravelIndex(Primitive):
    """The coordinates, in dimensions of given sizes, of positions in a row: a row for each dimension.

    >>> print(ops.UnravelIndex()(Tensor([5, 7]), Tensor([3, 4])))
    [[1 1]
     [1 3]]
    """

    def __call__(self, indices: Tensor, dims: Axis) -> Tensor:
        at = check_tensor(indices, self.name, "indices")
        sizes = known_ints(dims, self.name, "dims")
        out: Tensor = _unravelled(at, sizes)
        return out


@operation
def _unravelled(at: Tensor, sizes: tuple[int, ...]) -> Tensor:
    parts, rest = [], at.reshape(1, *at.shape)
    for n in reversed(sizes):
        over = gen.floor_div(rest, n)
        parts.append(rest - over * n)
        rest = over
    return concat(parts[::-1], 0)


# --- sequences --------------------------------------------------------------------------------


@public(
    "ops.CTCGreedyDecoder(merge_repeated)(inputs, sequence_length) = "
    "ops.ctc_greedy_decoder(inputs, sequence_length, merge_repeated)"
)
def ctc_greedy_decoder(
    inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = True
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The likeliest class of each step, without blanks (the last class), and with `merge_repeated`
    without repetitions. The numbers must be known while compiling, as lengths depend on them.

    Args:
        inputs: logits, shape [steps, N, classes].
        sequence_length: the number of steps of each sequence.
        merge_repeated: whether equal classes that follow each other count once.

    Returns:
        coordinates (sequence, place) and classes of what was decoded, the shape [2] of the dense
        tensor, all int64, and minus the sum of the logits of each sequence, [N, 1].

    Raises:
        ValueError: other shapes, or a sequence longer than `inputs`.

    >>> x = Tensor([[[0.6, 0.4, 0.2]], [[0.0, 0.6, 0.1]]])
    >>> print(ops.ctc_greedy_decoder(x, Tensor([2], ms.int32))[1])
    [0 1]
    """
    op = "ctc_greedy_decoder"
    x, lengths = (
        check_tensor(inputs, op, "inputs"),
        check_tensor(sequence_length, op, "sequence_length"),
    )
    check_bool(merge_repeated, op, "merge_repeated")
    hint = "decode outside of compiled code"
    logits, steps = needs_elements(x, op, hint), needs_elements(lengths, op, hint)
    if x.ndim != 3 or steps.shape != x.shape[1:2]:
        raise error(
            ValueError,
            f"For '{op}', 'inputs' must have the shape [steps, N, classes] and 'sequence_length' N "
            f"numbers of steps, but got {list(x.shape)} and {list(lengths.shape)}.",
        )
    if (steps > x.shape[0]).any():
        raise error(
            either(ValueError, RuntimeError),
            f"For '{op}', 'sequence_length' should be less than or equal to the {x.shape[0]} steps of "
            f"'inputs', but got {steps.tolist()}.",
        )
    best = logits.argmax(-1)
    places, classes = [], []
    scores = np.zeros((x.shape[1], 1), logits.dtype)
    for n, count in enumerate(steps.tolist()):
        path = best[:count, n]
        scores[n, 0] = -logits[:count, n].max(-1).sum()
        kept = path != x.shape[2] - 1
        if merge_repeated:
            kept[1:] &= path[1:] != path[:-1]
        chosen = path[kept]
        places += [(n, i) for i in range(len(chosen))]
        classes += chosen.tolist()
    longest = max((i + 1 for _, i in places), default=0)
    return (
        Tensor(np.array(places, np.int64).reshape(-1, 2)),
        Tensor(np.array(classes, np.int64)),
        Tensor(np.array([x.shape[1], longest], np.int64)),
        Tensor(scores),
    )
