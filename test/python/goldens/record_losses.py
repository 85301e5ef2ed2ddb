"""Records values and gradients (in the first input) of losses under MindSpore 2.10.

    python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
    /tmp/mindspore/bin/python test/python/goldens/record_losses.py

Where there is no MindSpore but PyTorch 2.13, the cases of TORCH are recorded.
"""

import json
import types
from pathlib import Path

import loss_cases
import numpy as np

RECORD = Path(__file__).with_name("losses.json")


def with_mindspore():
    import mindspore as ms
    from mindspore import Tensor, nn, ops

    ms.set_context(mode=ms.PYNATIVE_MODE)

    def value_and_grad(loss, *inputs):
        def function(*args):
            return loss(*args)

        return [t.asnumpy().tolist() for t in ms.value_and_grad(function, 0)(*inputs)]

    names = {"ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor}
    return loss_cases.CASES, names, value_and_grad


def with_torch():
    import torch

    torch.nn.MultilabelMarginLoss = torch.nn.MultiLabelMarginLoss

    def value_and_grad(loss, x, *rest):
        x = x.clone().requires_grad_()
        value = loss(x, *rest)
        (gradient,) = torch.autograd.grad(value.sum(), x)
        return [value.tolist(), gradient.tolist()]

    ms = types.SimpleNamespace(int32=torch.int32, int64=torch.int64)
    names = {"ms": ms, "np": np, "nn": torch.nn}
    names["Tensor"] = lambda value, dtype=None: torch.tensor(value, dtype=dtype)
    return loss_cases.TORCH, names, value_and_grad


def main() -> None:
    try:
        cases, names, value_and_grad = with_mindspore()
    except ImportError:
        cases, names, value_and_grad = with_torch()
    exec(loss_cases.SETUP, names)
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for case in cases:
        function, inputs = case.split(" | ")
        loss, args = eval(function, names), eval(f"({inputs})", names)
        recorded[case] = value_and_grad(loss, *args)
    kept = {k: recorded[k] for k in loss_cases.CASES + loss_cases.TORCH if k in recorded}
    lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in kept.items())
    RECORD.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
