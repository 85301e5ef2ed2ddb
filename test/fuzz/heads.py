"""Random programs of attention: products that each matrix of a stack has for itself, and what stands between them.

Scores of pairs of rows, softmax along them, and products of them, also turned, as gradients have them: sums over the
rows. Kernels have such products as members, and where the scores are larger than a tile, all runs on a few of their
rows. rows.py checks them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loops import Value
from planes import Planes


@dataclass
class Heads(Planes):
    """Draws one program from a seed."""

    def steps(self) -> dict[Callable[[], None], int]:
        return {
            self.attention: 12,
            self.product: 8,
            self.softmax: 6,
            self.chain: 6,
            self.layer_norm: 2,
            self.along: 5,
            self.over_rows: 2,
            self.beside: 3,
        }

    def attention(self) -> None:
        """Rows that are averaged by the scores of pairs; seldom with what their derivative needs."""
        x = self.bounded(self.some(self.shapes[0]))
        g, n, c = x.shape
        keys = self.bounded(self.other(x))
        scores = self.matmul(x, self.transposed(keys), (g, n, n))
        if self.rng.random() < 0.3:
            self.seen(scores)
        weights = self.weights(scores)
        values = self.bounded(self.other(x))
        self.matmul(weights, values, (g, n, c))
        if self.rng.random() < 0.5:
            return
        # As in a derivative: by the values, by the scores, by rows and keys.
        by = self.bounded(self.other(x))
        self.matmul(self.transposed(weights), by, (g, n, c))
        slopes = self.matmul(by, self.transposed(values), (g, n, n))
        slopes = self.bounded(self.same("mul", slopes, weights, visible=False))
        self.matmul(slopes, keys, (g, n, c))
        self.matmul(self.transposed(slopes), x, (g, n, c))

    def weights(self, scores: Value) -> Value:
        """Softmax of the scores, or their tanh alone."""
        if self.rng.random() < 0.3:
            return self.bounded(scores)
        last = [len(scores.shape) - 1]
        most = self.spread_over(self.reduce("max", scores, last), last, scores.shape)
        e = self.same("exp", self.same("sub", scores, most, visible=False), visible=False)
        total = self.spread_over(self.reduce("sum", e, last), last, scores.shape)
        return self.same("div", e, total, visible=self.rng.random() < 0.3)
