"""Records values and gradients of `window_cases.py` from MindSpore 2.10 on the CPU, and from PyTorch
what MindSpore has no kernel for.

    /tmp/mindspore/bin/python test/python/goldens/record_windows.py mindspore
    /tmp/torch/bin/python test/python/goldens/record_windows.py torch

A value is a shape and elements, a gradient that of the sum of the result weighted with `cotangent`,
one a tensor of the expression.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
from window_cases import FUNCTIONS, SHAPES, TORCH, array, cotangent

OUT = Path(__file__).with_name("windows.json")


def entry(array: np.ndarray) -> list:
    return [list(array.shape), [round(float(x), 6) for x in array.ravel()]]


def names(expression: str) -> list[str]:
    return [n for n in SHAPES if re.search(rf"\b{n}\b", expression.replace("return_indices", ""))]


def with_mindspore(expression: str) -> list:
    import mindspore as ms
    from mindspore import Tensor, nn, ops

    used = names(expression)
    space = {"ops": ops, "nn": nn, "ms": ms}
    values = [Tensor(array(n)) for n in used]
    y = eval(expression, {**space, **dict(zip(used, values, strict=True))})
    recorded = [entry(y.asnumpy())]
    if y.dtype == ms.float32 and not expression.startswith("nn.Conv"):
        ct = Tensor(cotangent(y.shape))

        def loss(*tensors: Tensor) -> Tensor:
            return (eval(expression, {**space, **dict(zip(used, tensors, strict=True))}) * ct).sum()

        gradients = ms.grad(loss, tuple(range(len(used))))(*values)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        recorded += [entry(g.asnumpy()) for g in gradients]
    return recorded


def with_torch(expression: str) -> list:
    import torch

    used = names(expression)
    values = [torch.from_numpy(array(n)).requires_grad_() for n in used]
    space = {"F": torch.nn.functional, **dict(zip(used, values, strict=True))}
    y = eval(TORCH[expression], space)
    gradients = torch.autograd.grad(y, values, torch.from_numpy(cotangent(y.shape)))
    return [entry(y.detach().numpy()), *(entry(g.numpy()) for g in gradients)]


def main() -> None:
    recorded = json.loads(OUT.read_text()) if OUT.exists() else {}
    kinds = {"mindspore": (FUNCTIONS, with_mindspore), "torch": (TORCH, with_torch)}
    expressions, record = kinds[sys.argv[1]]
    for expression in expressions:
        try:
            recorded[expression] = record(expression)
        except Exception as e:
            print(expression, type(e).__name__, str(e)[:200])
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in recorded.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
