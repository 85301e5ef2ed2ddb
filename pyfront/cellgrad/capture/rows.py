"""What a loop reads and writes one slice a trip of."""

from __future__ import annotations

import math

from cellgrad.capture.merge import zero
from cellgrad.core.record import emit, reshape_to
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor


class Rows:
    """Tensors with one row for each trip, flat: a row is written in place."""

    @staticmethod
    def of(x: Tensor) -> Tensor:
        """The slices of `x` along dimension 0 as rows."""
        return reshape_to(x, (x.shape[0], math.prod(x.shape[1:])))

    @staticmethod
    def empty(count: int, sig: Signature) -> Tensor:
        """Zeros for `count` slices of a signature."""
        return zero(signature(sig.dtype, (count, math.prod(sig.shape))))

    @staticmethod
    def read(rows: Tensor, i: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Slice i, which is within bounds, in its shape."""
        row = emit(
            "cell.gather", [rows, i], {"dim": 0, "batch_dims": 0}, rows.dtype, rows.shape[1:]
        )
        return reshape_to(row, shape)

    @staticmethod
    def write(rows: Tensor, i: Tensor, value: Tensor) -> Tensor:
        """The rows with `value` as slice i, which is within bounds."""
        row = reshape_to(value, rows.shape[1:])
        attrs = {"dim": 0, "batch_dims": 0, "combine": "set"}
        return emit("cell.scatter", [rows, i, row], attrs, rows.dtype, rows.shape)

    @staticmethod
    def slices(rows: Tensor, shape: tuple[int, ...]) -> Tensor:
        """All slices, along dimension 0."""
        return reshape_to(rows, (rows.shape[0], *shape))
