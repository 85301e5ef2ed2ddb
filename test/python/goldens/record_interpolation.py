"""Records what PyTorch 2.13's `interpolate` gives for the cases, into `interpolation.json`.

    python -m venv /tmp/torch && /tmp/torch/bin/pip install torch==2.13.0
    /tmp/torch/bin/python test/python/goldens/record_interpolation.py

MindSpore's has the same modes and arguments; its CPU kernels miss some of them, and "bicubic" without
`align_corners` has other weights there, which are ours.
"""

import json
from pathlib import Path

SHAPES = {3: (2, 2, 5), 4: (1, 2, 4, 5), 5: (1, 1, 3, 4, 2)}
CASES = [
    *((rank, mode, {"size": size}) for rank, sizes in {
        3: ([8], [3], [5]), 4: ([8, 10], [3, 7]), 5: ([5, 4, 4],)
    }.items() for size in sizes for mode in ("nearest", "nearest-exact", "area")),
    *((rank, mode, {"scale_factor": scale, "align_corners": align})
      for rank, mode in ((3, "linear"), (4, "bilinear"), (4, "bicubic"), (5, "trilinear"))
      for scale in (2.0, 0.7) for align in (False, True) if align or mode != "bicubic"),
    (4, "bilinear", {"size": [7, 3], "align_corners": False}),
    (4, "bilinear", {"scale_factor": 1.3, "recompute_scale_factor": True}),
    (4, "nearest", {"scale_factor": [1.5, 3.0]}),
]  # fmt: skip


def data(rank):
    """The input: the sines of 0, 1, 2, ..."""
    import numpy as np

    shape = SHAPES[rank]
    return np.sin(np.arange(np.prod(shape))).reshape(shape)


def main() -> None:
    import torch

    lines = []
    for rank, mode, options in CASES:
        x = torch.tensor(data(rank), requires_grad=True)
        y = torch.nn.functional.interpolate(x, mode=mode, **options)
        (gradient,) = torch.autograd.grad((y**2).sum(), x)
        found = [list(y.shape), y.flatten().tolist(), gradient.flatten().tolist()]
        lines.append(json.dumps(found))
    Path(__file__).with_name("interpolation.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
