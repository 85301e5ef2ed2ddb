"""Random recurrent programs and their gradients, compiled as a whole against operation by operation.

    python test/fuzz/accumulated.py --first=1000 --count=200

Steps use the same weights, so gradients of weights are sums of products, one a step, and gates are slices side by
side, whose gradients are put together. Those are what `cell-accumulate-products`, `cell-sum-behind-loops`,
`cell-straighten-products` and sums of padded parts are about:
run operation by operation, every product and every sum is a program of its own. Half of the programs are made of
small integers: there all bits are the same. Steps are unrolled, or a loop; donated buffers and results that are
needed twice stand between a product and its sum.
"""

import argparse
import sys

import numpy as np

import cellgrad as ms
from cellgrad import Tensor, ops

SMOOTH = (ops.tanh, ops.sigmoid, ops.sin)
EXACT = (ops.relu, ops.neg, ops.abs)


class Program:
    """Some steps over a state of `width`, with up to three weights and as many gates as `gates`."""

    def __init__(self, seed):
        draw = np.random.default_rng(seed)
        self.exact = bool(draw.random() < 0.5)
        self.dtype = ms.float64 if draw.random() < 0.7 else ms.float32
        self.steps = int(draw.integers(1, 4 if self.exact else 7))
        self.width, self.batch = (
            int(draw.choice([1, 3, 8, 16, 33])),
            int(draw.choice([1, 4, 16, 19])),
        )
        self.gates = [int(g) for g in draw.choice([1, 2, 3, 4], int(draw.integers(1, 4)))]
        self.loop = bool(draw.random() < 0.4)
        self.keeps = not self.loop and bool(draw.random() < 0.4)  # products are results, too
        self.order = draw.integers(0, 4, 64).tolist()
        # Stored by output, as layers have them, or by input.
        self.turned = [self.order[60 + i] == 0 for i in range(len(self.gates))]
        shapes = [
            (g * self.width, self.width)[:: 1 if turned else -1]
            for g, turned in zip(self.gates, self.turned, strict=True)
        ]
        numbers = [(self.steps, self.batch, self.width), (self.batch, self.width), *shapes]
        if self.exact:
            made = [draw.integers(-1, 2, s) for s in numbers]
        else:
            made = [draw.uniform(-1, 1, s) / max(1, self.width) ** 0.5 for s in numbers]
        self.inputs = [x.astype(np.float64) for x in made]
        self.functions = [(EXACT if self.exact else SMOOTH)[k % 3] for k in self.order]

    def step(self, h, x, weights):
        """The next state."""
        total, kept = x, []
        for i, (w, gates) in enumerate(zip(weights, self.gates, strict=True)):
            w = ops.transpose(w, (1, 0)) if self.turned[i] else w
            product = ops.matmul(h, w) if self.order[i] % 2 else ops.matmul(h + x, w)
            kept.append(product)
            starts = [g * self.width for g in range(gates)]
            if self.order[i + 40] == 0:  # slices that overlap, and leave something out
                starts = [
                    (s + self.order[i + 44 + g]) % (self.width * (gates - 1) + 1)
                    for g, s in enumerate(starts)
                ]
            parts = [product[:, s : s + self.width] for s in starts]
            if self.order[i + 8] == 0:  # the last gate is not used: a gap in the sum
                parts = parts[:-1] or parts
            parts = [self.functions[i + g](p) for g, p in enumerate(parts)]
            if self.order[i + 16] == 1:  # one more use of a part
                parts.append(parts[0])
            joined = parts[0]
            for p in parts[1:]:
                joined = joined * p if not self.exact and self.order[i + 24] else joined + p
            total = total + joined if self.order[i + 32] else joined - total
        return total, kept

    def loss(self, x, h, *weights):
        last = []
        if self.loop:
            h = ops.ForiLoop()(0, self.steps, lambda i, h: self.step(h, x[i], weights)[0], h)
        else:
            for i in range(self.steps):
                h, last = self.step(h, x[i], weights)
        total = (h * h).sum() if not self.exact else h.sum()
        return (total, *last) if self.keeps else total

    def numbers(self):
        """The value and the gradients by all inputs, and whatever else it gives."""
        given = [Tensor(x, self.dtype) for x in self.inputs]
        both = ms.value_and_grad(self.loss, tuple(range(len(given))), has_aux=self.keeps)
        value, slopes = both(*given)
        values = value if isinstance(value, tuple) else (value,)
        return [y.asnumpy() for y in (*values, *slopes)]


def differs(seed):
    """What is wrong with a program, or nothing."""
    program = Program(seed)
    compiled = program.numbers()
    with ms.debug.eager():
        want = program.numbers()
    close = 0.0 if program.exact else {ms.float64: 1e-11, ms.float32: 2e-4}[program.dtype]
    for k, (a, b) in enumerate(zip(compiled, want, strict=True)):
        if a.shape != b.shape or not np.allclose(
            a, b, close, close * max(1.0, np.abs(b).max(initial=0))
        ):
            return f"seed {seed}: result {k} is {a}, not {b}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    found = [differs(s) for s in range(options.first, options.first + options.count)]
    print("\n".join(filter(None, found)))
    print(f"{options.count} programs, {sum(map(bool, found))} differ")
    return any(found)


if __name__ == "__main__":
    sys.exit(main())
