"""Trains on several ranks in Python, and exports the training step for the ranks of a C program.

    cellgrad run --ranks=2 from_c.py build        # Python's ranks; build gets the step and what it starts from
    cc ... train.c build/step.so ...              # the whole command is in train.c
    build/train build shared 2                    # two processes that share memory
    mpiexec -n 2 build/train build mpi            # two ranks of MPI

All end with the same Parameters, bit for bit.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np

import cellgrad as ms
from cellgrad import communication, nn

STEPS, ROWS = 20, 16


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(8, 32), nn.Dense(32, 1)

    def construct(self, x):
        return self.last(ms.ops.tanh(self.first(x)))


def batches(rank):
    """The rows of a rank, for all steps."""
    draw = np.random.default_rng(rank)
    x = draw.uniform(-1, 1, (STEPS, ROWS, 8)).astype(np.float32)
    return x, np.sin(x.sum(axis=2, keepdims=True))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    communication.init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    ms.set_seed(1)
    net = nn.WithLossCell(Net(), nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.05, 0.9))
    step.set_train()
    rank = communication.get_rank()
    x, y = batches(rank)
    np.concatenate([x.reshape(STEPS, -1), y.reshape(STEPS, -1)], axis=1).tofile(
        folder / f"batches-{rank}"
    )
    if rank == 0:
        first = (ms.Tensor(x[0]), ms.Tensor(y[0]))
        ms.export(
            net, *first, file_name=str(folder / "step"), value_and_grad=False, step=(step, *first)
        )
        state = b"".join(p.asnumpy().tobytes() for p in step.get_parameters())
        (folder / "start").write_bytes(state)
    for inputs, labels in zip(x, y, strict=True):
        step(ms.Tensor(inputs), ms.Tensor(labels))
    if rank == 0:
        values = b"".join(p.asnumpy().tobytes() for p in net.trainable_params())
        print("hash", hashlib.sha256(values).hexdigest()[:16])


if __name__ == "__main__":
    main()
