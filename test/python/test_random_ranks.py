"""Random training programs on 1 to 4 ranks: with state in parts, in order, and both, against one process."""

import numpy as np
import pytest
from rank_groups import values

import cellgrad as ms
from cellgrad import nn

OPTIMIZERS = [
    lambda p: nn.SGD(p, 0.05, momentum=0.9, nesterov=True),
    lambda p: nn.Momentum(p, [0.1, 0.05], 0.9, weight_decay=0.01),
    lambda p: nn.Adam(p, 0.01, use_nesterov=True),
    lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
    lambda p: nn.RMSProp(p, 0.01, momentum=0.9),
    lambda p: nn.Adagrad(p, 0.1, 0.05, weight_decay=0.01),
]
ACTIVATIONS = ["relu", "tanh", "sigmoid", None]


def program(seed):
    """What a program is made of."""
    draw = np.random.default_rng(seed)
    count = int(draw.integers(2, 5))
    return {
        "widths": draw.integers(1, 20, int(draw.integers(2, 5))).tolist(),
        "activations": draw.integers(len(ACTIVATIONS), size=4).tolist(),
        "optimizer": int(draw.integers(len(OPTIMIZERS))),
        "count": count,
        "tile": int(draw.integers(1, 5)),
        "tiles": int(2 ** draw.integers(3)),
        "mean": bool(draw.integers(2)),
        "scaled": bool(draw.integers(2)),
        "seed": seed,
    }


def trained(made, rank, count, parts, ordered):
    """The Parameters after some steps on the rows of a rank."""
    more = {"reduction": "ordered", "batch_tile": made["tile"]} if ordered else {}
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(
        parallel_mode="data_parallel",
        gradients_mean=made["mean"],
        enable_parallel_optimizer=parts,
        **more,
    )
    ms.set_seed(made["seed"])
    sizes = made["widths"]
    layers = [
        nn.Dense(n, m, activation=ACTIVATIONS[a])
        for n, m, a in zip(sizes, sizes[1:], made["activations"], strict=False)
    ]
    net = nn.WithLossCell(nn.SequentialCell(*layers), nn.MSELoss())
    optimizer = OPTIMIZERS[made["optimizer"]](net.trainable_params())
    if made["scaled"]:
        manager = nn.DynamicLossScaleUpdateCell(2.0**6, 2, 2)
        step = nn.TrainOneStepWithLossScaleCell(net, optimizer, manager)
    else:
        step = nn.TrainOneStepCell(net, optimizer)
    step.set_train()
    whole = made["tile"] * made["tiles"] * made["count"]
    rows = slice(whole // count * rank, whole // count * (rank + 1))
    draw = np.random.default_rng(made["seed"] + 1)
    for _ in range(3):
        x = draw.uniform(-1, 1, (whole, sizes[0])).astype(np.float32)
        y = draw.uniform(-1, 1, (whole, sizes[-1])).astype(np.float32)
        step(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
    ms.reset_auto_parallel_context()
    return [p.asnumpy() for p in net.trainable_params()]


def check(seed):
    made = program(seed)
    count = made["count"]
    in_order = trained(made, 0, 1, False, True)

    def body(rank):
        ways = [(False, False), (True, False), (False, True), (True, True)]
        return [trained(made, rank, count, *way) for way in ways]

    found = values(count, body, timeout=300)
    for plain, parts, ordered, both in found:
        for a, b, c, d, first, alone in zip(
            plain, parts, ordered, both, found[0][0], in_order, strict=True
        ):
            assert np.isfinite(a).all(), made
            np.testing.assert_array_equal(a, first, err_msg=str(made))
            np.testing.assert_array_equal(a, b, err_msg=str(made))
            np.testing.assert_array_equal(c, alone, err_msg=str(made))
            np.testing.assert_array_equal(d, alone, err_msg=str(made))
            if made["mean"]:  # sums of ranks are other sums than those of tiles
                np.testing.assert_allclose(a, c, rtol=5e-2, atol=5e-3, err_msg=str(made))


@pytest.mark.parametrize("seed", [5300])
def test_random_training(seed):
    check(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(5301, 5341))
def test_more_random_training(seed):
    check(seed)
