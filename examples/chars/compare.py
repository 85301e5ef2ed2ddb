"""Train the network of `main.py` in PyTorch: from the same start, on the same batches.

    python -m venv /tmp/torch && /tmp/torch/bin/pip install torch==2.13.0 numpy
    /tmp/torch/bin/python examples/chars/compare.py build/chars

The folder is what `main.py` wrote. Needs nothing of this package.
"""

import json
import math
import sys
import time
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import torch
from torch import nn

CONTEXT, BATCH, WIDTH, HEADS, LAYERS = 64, 16, 64, 4, 2
RATE, WARM_UP, CLIP = 3e-3, 100, 1.0


class Writer(nn.Module):
    def __init__(self, letters: int):
        super().__init__()
        self.token = nn.Embedding(letters, WIDTH)
        self.place = nn.Parameter(torch.zeros(CONTEXT, WIDTH))
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, letters)
        self.mask = torch.triu(torch.ones(CONTEXT, CONTEXT, dtype=torch.bool), 1)

    def forward(self, text):
        return self.head(self.norm(self.layers(self.token(text) + self.place, mask=self.mask)))


def rate(step: int, steps: int) -> float:
    if step < WARM_UP:
        return RATE * step / WARM_UP
    return 0.1 * RATE + 0.45 * RATE * (1 + math.cos(math.pi * min(step, steps) / steps))


def batch(text: np.ndarray, starts: np.ndarray) -> list[torch.Tensor]:
    index = starts[:, None] + np.arange(CONTEXT)
    return [torch.tensor(text[index]), torch.tensor(text[index + 1], dtype=torch.int64)]


def main() -> None:
    torch.set_num_threads(1)
    folder = Path(sys.argv[1])
    ours = json.loads((folder / "losses.json").read_text())
    steps = len(ours["losses"])
    text = "\n\n".join(topics[k] for k in sorted(topics))
    letters = "".join(sorted(set(text)))
    known = np.array([letters.index(c) for c in text], np.int32)
    known, test = np.split(known, [int(0.9 * len(known))])

    net = Writer(len(letters))
    start, state = np.load(folder / "start.npz"), {}
    for name in start:
        there = name.removeprefix("net.").replace("dense", "linear")
        for here, torchs in (("embedding_table", "weight"), ("gamma", "weight"), ("beta", "bias")):
            there = there.replace(here, torchs)
        state[there] = torch.tensor(start[name])
    net.load_state_dict(state)
    optimizer = torch.optim.Adam(net.parameters(), RATE)
    random = np.random.default_rng(0)
    losses, seconds = [], 0.0
    for i in range(steps):
        pieces, following = batch(known, random.integers(0, len(known) - CONTEXT, BATCH))
        began = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = rate(i, steps)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(pieces).flatten(0, 1), following.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        optimizer.step()
        seconds += time.perf_counter() - began
        losses.append(loss.item())
    starts = np.arange(0, len(test) - CONTEXT - 1, CONTEXT)
    starts = starts[: len(starts) // BATCH * BATCH].reshape(-1, BATCH)
    found = []
    with torch.no_grad():
        for s in starts:
            pieces, following = batch(test, s)
            logits = net(pieces).flatten(0, 1)
            found.append(nn.functional.cross_entropy(logits, following.flatten()).item())
    print(f"PyTorch: {steps} steps in {seconds:.1f} s, {np.mean(found):.4f} held out")
    print(f"cellgrad: {list(ours['held out'].values())[-1]:.4f} held out")
    apart = np.abs(np.array(losses) - ours["losses"])
    for n in (1, 10, 100, steps):
        print(f"losses of the first {n} steps differ by at most {apart[:n].max():.2e}")


if __name__ == "__main__":
    main()
