"""Steps of optimizers on Parameters of half precision are computed in float32, and rounded once: an epsilon of
1e-8, which float16 does not have, keeps gradients of 0 from dividing by 0. Numbers of float16 are MindSpore 2.10's,
where it has the kernel; where it has not, those of float32.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.experimental import optim

GRADIENT = [0.0, 0.5, 2.0]
HALVES = (ms.float16, ms.bfloat16)


def states(count, dtype, rows=False):
    values = [[1.0, 2.0, 3.0]] + [[0.0, 0.0, 0.0]] * count
    return [
        Parameter(Tensor([v] if rows else v, dtype), name=f"p{i}") for i, v in enumerate(values)
    ]


STEPS = {
    "Adam": (2, lambda s, g: ops.Adam()(*s, 0.9, 0.999, 1e-3, 0.9, 0.999, 1e-8, g)),
    "AdamWeightDecay": (2, lambda s, g: ops.AdamWeightDecay()(*s, 1e-3, 0.9, 0.999, 1e-8, 0.01, g)),
    "AdaMax": (2, lambda s, g: ops.ApplyAdaMax()(*s, 0.9, 1e-3, 0.9, 0.999, 1e-8, g)),
    "Adadelta": (2, lambda s, g: ops.ApplyAdadelta()(*s, 1e-3, 0.9, 1e-8, g)),
    "AdagradV2": (1, lambda s, g: ops.ApplyAdagradV2(epsilon=1e-8)(*s, 1e-3, g)),
    "RMSProp": (2, lambda s, g: ops.ApplyRMSProp()(*s, 1e-3, g, 0.9, 0.0, 1e-10)),
    "CenteredRMSProp": (
        3,
        lambda s, g: ops.ApplyCenteredRMSProp()(*s, g, 1e-3, 0.9, 0.0, 1e-10),
    ),
}
# Of MindSpore 2.10, in float16.
KNOWN = {
    "Adam": [[1.0, 1.9990234, 2.998047], [0.0, 0.04998779, 0.19995117], [0.0, 0.00025, 0.004002]],
    "AdaMax": [[1.0, 1.9990234, 2.998047], [0.0, 0.04998779, 0.19995117], [0.0, 0.5, 2.0]],
    "RMSProp": [
        [1.0, 1.9970703, 2.9960938],
        [0.0, 0.02499390, 0.3999023],
        [0.0, 0.003162, 0.003162],
    ],
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_steps(name, dtype, mode):
    count, step = STEPS[name]
    exact, half = states(count, ms.float32), states(count, dtype)
    step(exact, Tensor(GRADIENT))

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.states = ms.ParameterTuple(half)

        def construct(self, g):
            return step(self.states, g)

    out = Net()(Tensor(GRADIENT, dtype))
    first = out[0] if isinstance(out, tuple) else out
    assert first.dtype is dtype
    for p, q in zip(half, exact, strict=True):
        assert p.dtype is dtype
        wanted = q.value().astype(dtype).astype(ms.float32).asnumpy()
        np.testing.assert_array_equal(p.value().astype(ms.float32).asnumpy(), wanted)
    if dtype is ms.float16 and name in KNOWN:
        for p, wanted in zip(half, KNOWN[name], strict=True):
            np.testing.assert_allclose(p.asnumpy(), np.float16(wanted), rtol=1e-3)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_steps_of_rows(dtype, mode):
    at = Tensor([0])
    for step in (
        lambda s, g: ops.SparseApplyRMSProp(0.9, 0.0, 1e-10)(*s, 1e-3, g, at),
        lambda s, g: ops.SparseApplyAdadelta(1e-8)(*s, 1e-3, 0.9, g, at),
    ):
        exact, half = states(2, ms.float32, rows=True), states(2, dtype, rows=True)
        step(exact, Tensor([GRADIENT]))
        out = step(half, Tensor([GRADIENT], dtype))
        for o, p, q in zip(out, half, exact, strict=True):
            wanted = q.value().astype(dtype).astype(ms.float32).asnumpy()
            assert o.dtype is p.dtype is dtype
            np.testing.assert_array_equal(p.value().astype(ms.float32).asnumpy(), wanted)
    zero = Tensor([0.0, 0.0, 0.0], dtype)
    moved = ops.AdamNoUpdateParam()(
        zero, zero.copy(), 0.9, 0.999, 1e-3, 0.9, 0.999, 1e-8, Tensor(GRADIENT, dtype)
    )
    assert moved.dtype is dtype and np.isfinite(moved.astype(ms.float32).asnumpy()).all()


OPTIMIZERS = {
    "Adam": lambda p: nn.Adam(p, use_amsgrad=True),
    "AdaMax": nn.AdaMax,
    "AdaFactor": lambda p: nn.AdaFactor(p, learning_rate=None),
    "experimental.Adam": lambda p: optim.Adam(p, amsgrad=True),
    "experimental.AdamW": optim.AdamW,
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_optimizers(name, dtype, mode):
    found = {}
    for kind in (ms.float32, dtype):
        values = [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], [1.0, 2.0, 3.0]
        made = [Parameter(Tensor(v, kind), name=f"p{i}") for i, v in enumerate(values)]
        optimizer = OPTIMIZERS[name](made)
        for _ in range(3):
            optimizer((Tensor([GRADIENT, [0.0, 0.0, 0.0]], kind), Tensor(GRADIENT, kind)))
        found[kind] = [p.value().astype(ms.float32).asnumpy() for p in made]
    for half, exact in zip(found[dtype], found[ms.float32], strict=True):
        np.testing.assert_allclose(half, exact, atol=0.05)
