"""The batching rule of every op: on a batch it gives what it gives for each element.

All examples are one function, so that a few compilations serve them all.
"""

import numpy as np
import op_examples
import pytest

import cellgrad as ms
from cellgrad import Tensor

CASES = [
    (op, example) for op in op_examples.differentiable() for example in op_examples.examples(op)
]
# The second element of a batch: another one, inside the same domains.
FIRST = [[Tensor(a) for a in args] for _, (_, args) in CASES]
SECOND = [[Tensor(0.97 * a) for a in args] for _, (_, args) in CASES]
BOTH = [
    [Tensor(np.stack([a.asnumpy(), b.asnumpy()])) for a, b in zip(*pair, strict=True)]
    for pair in zip(FIRST, SECOND, strict=True)
]


@ms.jit
def everything(args):
    return [f(*xs) for (_, (f, _)), xs in zip(CASES, args, strict=True)]


def place(i, n, mapped):
    """Whether argument `i` of `n` differs within the batch."""
    return {"all": True, "first": i == 0, "last": i == n - 1}[mapped]


@pytest.mark.parametrize("mapped", ["all", "first", "last"])
def test_every_batching_rule(mapped):
    def choose(yes, no):
        return [
            [
                (y if place(i, len(xs), mapped) else n)
                for i, (y, n) in enumerate(zip(xs, ys, strict=True))
            ]
            for xs, ys in zip(yes, no, strict=True)
        ]

    axes = choose([[0] * len(xs) for xs in FIRST], [[None] * len(xs) for xs in FIRST])
    given = ms.vmap(everything, in_axes=(axes,))(choose(BOTH, FIRST))
    for k, args in enumerate([FIRST, choose(SECOND, FIRST)]):
        wanted = everything(args)
        for (op, _), got, want in zip(CASES, given, wanted, strict=True):
            np.testing.assert_allclose(
                got.asnumpy()[k], want.asnumpy(), rtol=1e-12, atol=1e-13, err_msg=op
            )
