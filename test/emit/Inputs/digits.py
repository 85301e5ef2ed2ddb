"""Trains the digits with the step made for a machine, and with the one for x86-64-v2 here.

    digits.py FOLDER TARGET COMMAND [--close]

COMMAND calls models of TARGET (tools/targets). Losses and Parameters have the same bits; with --close, for machines
that multiply and add in one instruction, they agree to 1e-5.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import cellgrad as ms
from cellgrad import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools" / "targets"))
from machines import Here, Launched

STEPS, BATCH = 6, 32
folder, target, command = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
draw = np.random.default_rng(17)
digits = load_digits()
images = (digits.images.reshape(-1, 64) / 16).astype("f4")
labels = digits.target.astype("i4")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        weight = [draw.normal(0, 0.1, shape).astype("f4") for shape in ((48, 64), (10, 48))]
        self.inner = nn.Dense(64, 48, ms.Tensor(weight[0]))
        self.outer = nn.Dense(48, 10, ms.Tensor(weight[1]))

    def construct(self, x):
        return self.outer(ms.ops.tanh(self.inner(x)))


net = Net()
loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 0.01))
examples = ms.Tensor(images[:BATCH]), ms.Tensor(labels[:BATCH])
first = {p.name: p.asnumpy().copy() for p in step.get_parameters()}


def train(machine, target, name):
    """Losses, and the Parameters in the end."""
    files = ms.export(
        net,
        examples[0],
        file_name=str(folder / name),
        value_and_grad=False,
        step=(step, *examples),
        target=target,
    )
    signature = machine.signature(files[0], name)
    (entry,) = [e for e in signature["entries"] if e["name"] == "train_step"]
    state, losses = {}, []
    for arg in entry["args"]:
        if arg["role"] != "input":
            state[arg["name"]] = np.array(first[arg["name"]], arg["dtype"])
    order = np.random.default_rng(5)
    for _ in range(STEPS):
        batch = order.choice(len(images), BATCH, replace=False)
        inputs = iter((images[batch], labels[batch]))
        args = [state[a["name"]] if a["role"] != "input" else next(inputs) for a in entry["args"]]
        own = [np.zeros(r["shape"], r["dtype"]) for r in entry["results"] if "donated_arg" not in r]
        status = machine.call(files[0], name, entry["symbol"], [*args, *own])
        assert status == 0, status
        losses.append(float(own[0]))
    return np.array(losses), state


losses, state = train(Launched(command), target, "there")
wanted, kept = train(Here(), "x86-64-v2", "here")
assert wanted[-1] < 0.95 * wanted[0], wanted
if "--close" in sys.argv:
    np.testing.assert_allclose(losses, wanted, rtol=1e-5)
    for name, value in kept.items():
        np.testing.assert_allclose(state[name], value, rtol=1e-3, atol=1e-5, err_msg=name)
else:
    assert losses.tobytes() == wanted.tobytes(), (losses, wanted)
    for name, value in kept.items():
        assert state[name].tobytes() == value.tobytes(), name
print(f"{STEPS} steps, {len(kept)} arrays: loss {losses[0]:.4f} to {losses[-1]:.4f}")
