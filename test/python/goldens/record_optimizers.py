"""Records trajectories of Parameters under MindSpore 2.10's optimizers, in graph mode.

    python -m venv /tmp/mindspore && /tmp/mindspore/bin/pip install mindspore==2.10.0 'numpy<2'
    /tmp/mindspore/bin/python test/python/goldens/record_optimizers.py

What MindSpore fails on is left out and named.
"""

import importlib.util
import json
import sys
import tempfile
from pathlib import Path

import mindspore as ms
import numpy as np
import optimizer_cases as cases
from mindspore import Parameter, Tensor, nn


def decay_class():
    """The Cell of DECAY from a file, since graph mode reads sources."""
    path = Path(tempfile.mkdtemp()) / "decay.py"
    path.write_text("from mindspore import nn\n" + cases.DECAY)
    spec = importlib.util.spec_from_file_location("decay", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["decay"] = module
    spec.loader.exec_module(module)
    return module.Decay


def trajectory(expression, names):
    parameters = {n: Parameter(Tensor(v), name=n) for n, v in cases.start().items()}
    optimizer = eval(expression, {**names, **parameters})
    kept = []
    for step in range(cases.STEPS):
        values = [p.asnumpy() for p in optimizer.parameters]
        optimizer(tuple(Tensor(g) for g in cases.gradients(step, values)))
        if step + 1 in cases.KEPT:
            flat = [p.asnumpy().ravel() for p in parameters.values()]
            kept.append([float(f"{x:.8g}") for x in np.concatenate(flat)])
    return kept


def main() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    names = {"nn": nn, "ms": ms, "np": np, "Tensor": Tensor, "Decay": decay_class()}
    recorded = {}
    for expression in cases.CASES:
        try:
            recorded[expression] = trajectory(expression, names)
        except Exception as e:
            print(f"{expression}: {type(e).__name__}: {str(e).splitlines()[0][:200]}")
    recorded.update({e: eval(e, names) for e in cases.LISTS})
    lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in recorded.items())
    Path(__file__).with_name("optimizers.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
