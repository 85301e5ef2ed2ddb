"""Records trajectories of `torch.optim.LBFGS` (PyTorch 2.13, float64; MindSpore has no L-BFGS).

    python test/python/goldens/record_lbfgs.py   # where there is PyTorch

A case is the keywords of the optimizer; what is recorded are the Parameters after steps of KEPT.
"""

import json
from pathlib import Path

import numpy as np

RECORD = Path(__file__).with_name("lbfgs.json")
KEPT = (1, 2, 3, 5, 10, 20)
CASES = [
    {"lr": 0.1, "max_iter": 1},
    {"lr": 0.5, "max_iter": 3, "history_size": 3},
    {"max_iter": 2, "line_search_fn": "strong_wolfe"},
    {"max_iter": 6, "history_size": 2, "line_search_fn": "strong_wolfe", "tolerance_grad": 1e-3},
]


def problem():
    """A matrix and a vector, and where two Parameters start: least squares with a quartic term."""
    random = np.random.default_rng(0)
    return [random.standard_normal(s) for s in ((6, 4), 6, 3, 1)]


def trajectory(case):
    import torch

    a, b, *start = (torch.tensor(v) for v in problem())
    parameters = [torch.nn.Parameter(v) for v in start]
    optimizer = torch.optim.LBFGS(parameters, **case)

    def closure():
        optimizer.zero_grad()
        z = torch.cat(parameters)
        loss = ((a @ z - b) ** 2).sum() + 0.1 * (z**4).sum()
        loss.backward()
        return loss

    kept = []
    for step in range(1, 21):
        optimizer.step(closure)
        if step in KEPT:
            kept.append(torch.cat(parameters).detach().tolist())
    return kept


if __name__ == "__main__":
    lines = ",\n".join(f" {json.dumps(trajectory(case))}" for case in CASES)
    RECORD.write_text("[\n" + lines + "\n]\n")
