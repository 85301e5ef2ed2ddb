"""Writes artifacts of this version to test/golden/VERSION, with what they compute: `python test/golden/make.py VERSION`.

Later versions load them (test/python/test_golden.py). Run it once for a release; what is there is never written anew.
The code is for every x86-64.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import cellgrad as ms
from cellgrad import nn, ops

HERE = Path(__file__).resolve().parent


class Net(nn.Cell):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Dense(3, 4, activation="tanh")
        self.out = nn.Dense(4, 2)

    def construct(self, x):
        return self.out(self.hidden(x))


def main(version: str) -> None:
    folder = HERE / version
    folder.mkdir()
    ms.set_seed(7)
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    random = np.random.default_rng(3)
    x = random.standard_normal((5, 3)).astype(np.float32)
    y = random.standard_normal((5, 2)).astype(np.float32)
    given = ms.Tensor(x), ms.Tensor(y)
    options = {"target": "x86-64"}
    ms.export(net, given[0], file_name=str(folder / "net"), step=(step, *given), **options)
    rows = ms.Tensor(shape=[None, 3], dtype=ms.float32)
    ms.export(
        lambda x: ops.tanh(x) * x, rows, file_name=str(folder / "rows"), weights="embed", **options
    )
    ms.save_checkpoint(net, str(folder / "net.ckpt"))
    model, rows = ms.load(str(folder / "net")), ms.load(str(folder / "rows"))
    recorded = {"x": x, "y": y, "rows": rows.forward(x).asnumpy()}
    recorded["forward"] = model.forward(x).asnumpy()
    recorded["gradients"] = [t.asnumpy() for t in model.value_and_grad(x)]
    recorded["losses"] = [model.train_step(x, y).asnumpy() for _ in range(3)]
    recorded["trained"] = {name: t.asnumpy() for name, t in model.parameters.items()}

    def plain(value):
        if isinstance(value, dict):
            return {name: plain(part) for name, part in value.items()}
        if isinstance(value, list):
            return [plain(part) for part in value]
        return [value.dtype.name, list(value.shape), value.tobytes().hex()]

    for header in folder.glob("*.h"):
        header.unlink()
    (folder / "recorded.json").write_text(json.dumps(plain(recorded), indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
