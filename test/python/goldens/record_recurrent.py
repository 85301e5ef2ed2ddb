"""Records what MindSpore 2.10's recurrent layers give for the cases, into `recurrent.json`, and
PyTorch 2.13's gradients, into `recurrent_gradients.json`.

    python -m venv /tmp/ms && /tmp/ms/bin/pip install mindspore==2.10.0
    /tmp/ms/bin/python test/python/goldens/record_recurrent.py
    python -m venv /tmp/torch && /tmp/torch/bin/pip install torch==2.13.0
    /tmp/torch/bin/python test/python/goldens/record_recurrent.py gradients

The first records names and shapes of the Parameters, outputs and last states in float32, and the
initial values after `set_seed(3)`; the second, in float64, the gradients of the sum of the squares of
all that a layer gives, by its input and its Parameters in their order there.
"""

import json
import sys
from pathlib import Path

import numpy as np

TIME, BATCH, INPUT, HIDDEN = 5, 3, 2, 4
LENGTHS = np.array([5, 2, 4], np.int32)
# Layer, arguments, whether first states and lengths are given.
CASES = [
    *((kind, *rest) for kind in ("RNN", "LSTM", "GRU") for rest in (
        ({}, False, False),
        ({"num_layers": 2, "bidirectional": True, "batch_first": True}, True, True),
        ({"num_layers": 2, "has_bias": False}, True, False),
        ({"bidirectional": True}, False, True),
    )),
    ("RNN", {"nonlinearity": "relu"}, True, True),
]  # fmt: skip
SEEDED = ("LSTM", (2, 2, 2))


def weights(number, shape):
    """The elements of the Parameter with this number."""
    count = int(np.prod(shape))
    return (0.6 * np.sin(1.3 * np.arange(count) + number)).reshape(shape)


def inputs(options):
    """The input, and two first states."""
    x = np.cos(0.7 * np.arange(TIME * BATCH * INPUT)).reshape(TIME, BATCH, INPUT)
    if options.get("batch_first"):
        x = np.ascontiguousarray(x.transpose(1, 0, 2))
    count = options.get("num_layers", 1) * (1 + options.get("bidirectional", False))
    along = np.arange(count * BATCH * HIDDEN).reshape(count, BATCH, HIDDEN)
    return x, 0.3 * np.cos(along), 0.4 * np.sin(along)


def arrays_of(result):
    """Outputs and last states of a layer as one list."""
    output, state = result
    return [output, *(state if isinstance(state, tuple) else (state,))]


def main() -> None:
    import mindspore as ms
    from mindspore import Tensor, nn

    lines = []
    for kind, options, has_state, has_lengths in CASES:
        net = getattr(nn, kind)(INPUT, HIDDEN, **options)
        parameters = list(net.get_parameters())
        for k, p in enumerate(parameters):
            p.set_data(Tensor(weights(k, p.shape).astype(np.float32)))
        x, h, c = (Tensor(a.astype(np.float32)) for a in inputs(options))
        state = None if not has_state else (h, c) if kind == "LSTM" else h
        found = arrays_of(net(x, state, Tensor(LENGTHS) if has_lengths else None))
        results = [[list(a.shape), a.asnumpy().astype(float).ravel().tolist()] for a in found]
        lines.append(json.dumps([[[p.name, list(p.shape)] for p in parameters], results]))
    ms.set_seed(3)
    kind, sizes = SEEDED
    seeded = [
        p.asnumpy().astype(float).ravel().tolist()
        for p in getattr(nn, kind)(*sizes).get_parameters()
    ]
    lines.append(json.dumps(seeded))
    Path(__file__).with_name("recurrent.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


def gradients() -> None:
    import torch

    lines = []
    for kind, options, has_state, has_lengths in CASES:
        if has_lengths:
            continue  # they are packed sequences there
        options = {("bias" if k == "has_bias" else k): v for k, v in options.items()}
        net = getattr(torch.nn, kind)(INPUT, HIDDEN, dtype=torch.float64, **options)
        named = dict(net.named_parameters())
        names = sorted(named, key=lambda n: ("bias" in n, "hh" in n, n))
        for k, name in enumerate(names):
            named[name].data = torch.tensor(weights(k, named[name].shape))
        x, h, c = (torch.tensor(a) for a in inputs(options))
        x.requires_grad = True
        state = None if not has_state else (h, c) if kind == "LSTM" else h
        total = sum((a**2).sum() for a in arrays_of(net(x, state)))
        found = torch.autograd.grad(total, [x, *(named[n] for n in names)])
        lines.append(json.dumps([g.flatten().tolist() for g in found]))
    Path(__file__).with_name("recurrent_gradients.json").write_text(
        "[\n" + ",\n".join(lines) + "\n]\n"
    )


if __name__ == "__main__":
    gradients() if sys.argv[1:] == ["gradients"] else main()
