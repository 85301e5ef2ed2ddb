"""Records trajectories of Parameters under MindSpore 2.10's optimizers, in graph mode.

    python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
    /tmp/mindspore/bin/python test/python/goldens/record_optimizers.py

Where there is no MindSpore but PyTorch 2.13, the cases of TORCH are recorded.
"""

import importlib.util
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import optimizer_cases as cases

RECORD = Path(__file__).with_name("optimizers.json")


def decay_class():
    """The Cell of DECAY from a file, since graph mode reads sources."""
    path = Path(tempfile.mkdtemp()) / "decay.py"
    path.write_text("from mindspore import nn\n" + cases.DECAY)
    spec = importlib.util.spec_from_file_location("decay", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["decay"] = module
    spec.loader.exec_module(module)
    return module.Decay


def with_mindspore():
    import mindspore as ms
    from mindspore import Parameter, Tensor, nn

    ms.set_context(mode=ms.GRAPH_MODE)
    names = {"nn": nn, "ms": ms, "np": np, "Tensor": Tensor, "Decay": decay_class()}

    def make(expression):
        parameters = {n: Parameter(Tensor(v), name=n) for n, v in cases.start().items()}
        optimizer = eval(expression, {**names, **parameters})

        def step(number):
            values = [p.asnumpy() for p in optimizer.parameters]
            optimizer(tuple(Tensor(g) for g in cases.gradients(number, values)))

        return step, lambda: [p.asnumpy() for p in parameters.values()]

    lists = {e: eval(e, names) for e in cases.LISTS}
    return cases.CASES, make, lists


def with_torch():
    import torch

    def make(expression):
        parameters = {n: torch.nn.Parameter(torch.tensor(v)) for n, v in cases.start().items()}
        optimizer = eval(expression, {"optim": torch.optim, **parameters})
        ordered = [p for group in optimizer.param_groups for p in group["params"]]

        def step(number):
            values = [p.detach().numpy() for p in ordered]
            for p, g in zip(ordered, cases.gradients(number, values)):
                p.grad = torch.tensor(g)
            optimizer.step()

        return step, lambda: [p.detach().numpy() for p in parameters.values()]

    return cases.TORCH, make, {}


def main() -> None:
    try:
        expressions, make, recorded = with_mindspore()
    except ImportError:
        expressions, make, recorded = with_torch()
    for expression in expressions:
        step, read = make(expression)
        kept = []
        for number in range(cases.STEPS):
            step(number)
            if number + 1 in cases.KEPT:
                flat = np.concatenate([v.ravel() for v in read()])
                kept.append([float(f"{x:.8g}") for x in flat])
        recorded[expression] = kept
    recorded = json.loads(RECORD.read_text()) | recorded if RECORD.exists() else recorded
    order = [*cases.CASES, *cases.LISTS, *cases.TORCH]
    lines = ",\n".join(
        f" {json.dumps(k)}: {json.dumps(recorded[k])}" for k in order if k in recorded
    )
    RECORD.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
