"""The programs of rows.py about products: of rows with weights, and of all rows, which loops add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regions
from loops import Value
from rowwise import MOST, Rows

ROWS = (15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 67, 96, 128, 131)
COLUMNS = (1, 2, 3, 7, 8, 15, 16, 17, 33)
FEW = (2, 3, 4, 7, 8)  # so that products are short


@dataclass
class RowProducts(Rows):
    """Draws one program from a seed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loops = 0.7
        rng = self.rng
        while True:
            n, c = rng.choice(ROWS), rng.choice(rng.choice([FEW, COLUMNS]))
            if n * c <= MOST:
                break
        self.n, self.c = n, c
        self.weights = [(c, c), (c, rng.choice(COLUMNS)), (c, c)]
        self.shapes = [(n, c), (c,), (), (n,), (c, c)]
        self.first = [(n, c), *self.weights[: rng.randint(1, 3)]]

    def steps(self) -> dict[Callable[[], None], int]:
        return super().steps() | {self.weighted: 40, self.added_up: 12}

    def weighted(self) -> None:
        """Rows times weights as they are or transposed; a layer, and perhaps one back to as many columns."""
        rng = self.rng
        x = self.some(self.shapes[0])
        w = self.some(rng.choice(self.weights))
        turned = w.shape == (self.c, self.c) and rng.random() < 0.5
        y = self.matrix_product(x, w, (False, turned))
        if rng.random() < 0.5 and y.shape == x.shape:
            y = self.same("add", y, self.other(x), visible=False)
        if rng.random() < 0.8:
            y = self.bounded(y)
        if y.shape != x.shape and rng.random() < 0.7:
            y = self.bounded(self.matrix_product(y, w, (False, True)))
        self.seen(y)

    def added_up(self, total: Value | None = None) -> Value:
        """Products of all rows with each other, added to what is there."""
        rng = self.rng
        total = total or self.some((self.c, self.c))
        for _ in range(rng.randint(1, 3)):
            x, y = self.some(self.shapes[0]), self.some(self.shapes[0])
            product = self.matrix_product(x, y, (True, False))
            if rng.random() < 0.2:
                scale = self.constant(1.0 / self.n, product.shape)
                product = self.same("mul", product, scale, visible=False)
            total = self.same("add", *rng.sample([total, product], 2), visible=False)
        return self.seen(total)

    def body(self, wanted: list[Value]) -> list[Value]:
        rng, before = self.rng, list(self.values)
        self.depth += 1
        for _ in range(rng.randint(0, 3)):
            self.step()
        for _ in range(rng.randint(0, 2)):
            self.weighted()
        handed = []
        for value in wanted:
            if value.shape == (self.c, self.c) and rng.random() < 0.8:
                handed.append(self.added_up(value))
            elif rng.random() < 0.7:
                handed.append(self.bounded(self.gathered(value.shape)))
            else:
                handed.append(self.some(value.shape))
        self.values = before
        self.depth -= 1
        return handed

    def step(self) -> None:
        if self.regions == 0 and self.rng.random() < 0.4:
            trips = [self.index(0), self.index(self.rng.randint(2, 4)), self.index(1)]
            self.steps_that_add_up(trips)
        else:
            super().step()

    def steps_that_add_up(self, bounds: list[str]) -> None:
        """A loop over layers whose products with each other are added up, and nothing else reads that."""
        rng, (n, c) = self.rng, self.shapes[0]
        self.regions += 1
        like = [self.some((n, c)), self.some((c, c))]
        name, i = self.fresh(), self.fresh()
        x, total = (Value(self.fresh(), v.shape) for v in like)
        self.say(regions.counted(name, i, bounds, self.entering([x, total], like)))
        self.depth += 1
        weights = [v for v in self.values if v.shape == (c, c)] or [self.some((c, c))]
        rows = [x]
        for _ in range(rng.randint(1, 3)):
            y = self.matrix_product(
                rng.choice(rows), rng.choice(weights), (False, rng.random() < 0.5)
            )
            rows.append(self.bounded(y))
        for _ in range(rng.randint(1, 3)):
            product = self.matrix_product(rng.choice(rows), rng.choice(rows), (True, False))
            total = self.same("add", total, product, visible=False)
        self.depth -= 1
        self.say("  " + regions.give([rows[-1].name, total.name], self.types(like)))
        self.say("}")
        self.results(name, like)

    def carried(self, first: Value | None = None) -> list[Value]:
        """The matrix and, rather than something else, a sum of products."""
        chosen = super().carried(first)
        if self.rng.random() < 0.7:
            chosen.append(self.some((self.c, self.c)))
        if all(v.shape != self.shapes[0] for v in chosen):
            chosen.append(self.some(self.shapes[0]))
        return chosen
