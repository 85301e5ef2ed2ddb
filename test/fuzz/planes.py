"""Random programs of stacked matrices: kernels of which one row is a matrix, whose rows ops share again.

Softmax and layer norm along the last dimension or the last two, sums along each dimension, products of each
matrix with others, and what reads them: attention is such a program. rows.py checks them, where a matrix
is soon larger than a tile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loops import Loops, Value
from rowwise import MOST, Rows

STACKED = (2, 3, 4, 5, 8, 9, 17)
HEIGHTS = (2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 64, 67)
WIDTHS = (1, 2, 3, 4, 7, 8, 16, 17, 33, 64)


@dataclass
class Planes(Rows):
    """Draws one program from a seed."""

    def __post_init__(self) -> None:
        Loops.__post_init__(self)
        rng = self.rng
        while True:
            g, n, c = rng.choice(STACKED), rng.choice(HEIGHTS), rng.choice(WIDTHS)
            if g * n * max(n, c) <= 2 * MOST:
                break
        self.n, self.c = n, c
        self.shapes = [(g, n, c), (n, c), (g, n), (g, c), (c,), (n,), (g,), ()]
        if rng.random() < 0.5:
            self.shapes.append((g, n, n))
        self.first = self.shapes[:1]
        self.effects, self.checks = False, 0

    def steps(self) -> dict[Callable[[], None], int]:
        return {
            self.chain: 12,
            self.row_sum: 8,
            self.softmax: 10,
            self.layer_norm: 6,
            self.log_sum: 3,
            self.over_rows: 6,
            self.along: 10,
            self.product: 8,
            self.positioned: 2,
            self.beside: 3,
        }

    def along(self) -> None:
        """A sum or an extremum along any dimension, and what reads it there."""
        x = self.rows()
        dims = sorted(self.rng.sample(range(len(x.shape)), self.rng.choice([1, 1, 2])))
        y = self.seen(self.reduce(self.rng.choice(["sum", "max", "min"]), x, dims))
        y = self.bounded(y)
        self.same(self.rng.choice(["add", "mul"]), x, self.spread_over(y, dims, x.shape))

    def product(self) -> None:
        """Each matrix times another one of its stack: scores of all pairs of rows, or new rows by them."""
        x = self.bounded(self.some(self.shapes[0]))
        g, n, c = x.shape
        scores = [v for v in self.values if v.shape == (g, n, n)]
        if not scores or self.rng.random() < 0.4:
            turned = self.transposed(self.bounded(self.other(x)))
            self.matmul(x, turned, (g, n, n))
            return
        left = scores[-1]
        if self.rng.random() < 0.4:
            left = self.transposed(left)
        self.matmul(self.bounded(left), x, (g, n, c))

    def transposed(self, x: Value) -> Value:
        shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
        types = f"{self.type(x.shape)} -> {self.type(shape)}"
        return self.op(f"transpose {x.name} perm [0, 2, 1] : {types}", shape, visible=False)

    def matmul(self, x: Value, y: Value, shape: tuple[int, ...]) -> Value:
        types = f"({self.type(x.shape)}, {self.type(y.shape)}) -> {self.type(shape)}"
        made = self.op(f"matmul {x.name}, {y.name} : {types}", shape, visible=False)
        scale = self.constant(1.0 / x.shape[-1], shape)
        return self.same("mul", made, scale)
