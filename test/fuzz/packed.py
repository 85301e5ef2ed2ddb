"""Random products whose operands are packed: panels of A and of B, in either order (GemmPacking.cpp).

What is packed lies so that a step along the sum, or to the next row, is far, a multiple of a page, or an
element in several (planGemm of GemmPlan.cpp). Sizes are those next to whole vectors, panels and blocks.
"""

from __future__ import annotations

import math

from contractions import DEPTHS, MAX_STORED, ROWS, TARGETS, Dim, Epilogues, Value

BITS = {"native": 512, "x86-64-v3": 256, "x86-64-v2": 128}
MANY_ROWS = (23, 24, 25, 47, 48, 55, 56, 57, 63, 64, 111, 112, 113, 128, 257)
LONG_DEPTHS = (127, 128, 129, 130, 200, 255, 256, 257, 259, 300, 513)
MOST = 2_000_000  # terms of a product
MANY = 10_000_000  # of one that is shared, where A is packed by threads


class Packed(Epilogues):
    """Few rows and so many columns that it pays to copy A, many rows so that it pays to copy B."""

    def product(self) -> Value:
        rng = self.rng
        lanes = BITS[TARGETS[self.seed % len(TARGETS)]] // (64 if self.dtype == "float64" else 32)
        edges = (-lanes - 1, -1, 0, 0, 1, 2, lanes - 1, lanes, lanes + 1)
        most = MANY if rng.random() < 0.15 else MOST
        while True:
            rows = rng.choice(MANY_ROWS if rng.random() < 0.5 else ROWS[1:])
            panels = rng.choice((1, 8, 16, 24, 32))  # of one vector
            columns = max(2, panels * lanes + rng.choice(edges))
            sizes = [rows, columns, rng.choice(LONG_DEPTHS if rng.random() < 0.4 else DEPTHS[1:])]
            if rng.random() < 0.15:
                sizes.append(2)
            if math.prod(sizes) <= most:
                break
        dims = [Dim(i, n, i == 2) for i, n in enumerate(sizes)]
        self.roles = [0, 1, 2, 3][: len(dims)]
        self.terms += math.prod(sizes)
        if rng.random() < 0.25:
            return self.term(dims)
        return self.matmul(dims[0], dims[1], dims[2], dims[3:])

    def operand(self, dims: list[Dim]) -> tuple[Value, list[Dim]]:
        """A part of an argument whose rows are far apart, or whose elements are."""
        rng, t = self.rng, self.twin
        form = rng.choice(["any", "apart", "apart", "scattered"])
        if form == "any" or len(dims) < 2:
            return super().operand(dims)
        own = list(dims)
        if rng.random() < 0.5:
            own[-2:] = own[-1], own[-2]
        sizes = [d.size for d in own]
        step = rng.choice([2, 3]) if form == "scattered" else 1
        start = rng.choice([0, 0, 1, 3])
        stored = start + (sizes[-1] - 1) * step + 1
        bytes_of = 8 if self.dtype == "float64" else 4
        if form == "apart" or rng.random() < 0.3:
            unit = rng.choice([1024, 1024, 4096]) // bytes_of
            stored = -(-stored // unit) * unit
        if math.prod(sizes[:-1]) * stored > MAX_STORED:
            return super().operand(dims)
        x = self.argument((*sizes[:-1], stored))
        limits = [*sizes[:-1], start + (sizes[-1] - 1) * step + 1]
        starts, steps = [*(0 for _ in sizes[1:]), start], [*(1 for _ in sizes[1:]), step]
        return t.slice(x, starts, limits, steps), own
