"""Train a convolutional network on handwritten digits in Python, then the same from C.

The data are the 1,797 real 8x8 scans that come with scikit-learn. The training step (convolutions,
cross entropy, their gradients, a dynamic loss scale and the momentum update) is one compiled
function. It is exported as well, and the C program next to this file trains with it: the same
losses, scales and Parameters, bit for bit.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_digits
from tqdm import tqdm

import cellgrad as ms
from cellgrad import Tensor, nn, ops, train
from cellgrad import dataset as ds

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
BATCH, HELD_OUT = 64, 360


class Net(nn.Cell):
    """Three convolutions and a dense layer: 8x8 pixels to 10 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3, has_bias=True),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(32, 64, 3, has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.out = nn.Dense(256, 10)

    def construct(self, images: Tensor) -> Tensor:
        return self.out(ops.flatten(self.features(images)))


def load() -> tuple[np.ndarray, np.ndarray]:
    """Images in [0, 1] and classes, in random order."""
    pixels, classes = (np.asarray(array) for array in load_digits(return_X_y=True))
    order = np.random.default_rng(0).permutation(len(classes))
    images = (pixels[order] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    return images, classes[order].astype(np.int32)


def make(steps: int) -> tuple[Net, nn.TrainOneStepWithLossScaleCell]:
    """The network and its training step."""
    ms.set_seed(0)
    net = Net()
    rate = nn.CosineDecayLR(1e-4, 0.05, steps)
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9, weight_decay=5e-4)
    network = nn.WithLossCell(net, nn.CrossEntropyLoss(label_smoothing=0.05))
    scale = nn.DynamicLossScaleUpdateCell(1024.0, 2, 1000)
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale)
    step.set_train()
    return net, step


def state_names(net: Net) -> list[str]:
    """The state of a step in the order of train.c."""
    weights = [p.name for p in net.trainable_params()]
    scale = ["scale_sense", "current_iterator_step", "last_overflow_iterator_step"]
    return [*weights, *(f"moments.{n}" for n in weights), "momentum", "global_step", *scale]


def as_bytes(tensors: Sequence[Tensor]) -> bytes:
    return b"".join(t.asnumpy().tobytes() for t in tensors)


def train_in_c(out: Path) -> bytes:
    """Compiles train.c against the generated header, runs it, and returns what it wrote."""
    command = [os.environ.get("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    command += ["-I", str(out), str(HERE / "train.c"), str(out / "digits_cnn.so")]
    subprocess.run([*command, f"-Wl,-rpath,{out}", "-o", str(out / "train")], check=True)
    sys.stdout.flush()
    subprocess.run([out / "train", out / "start.bin", out / "trace.bin"], check=True)
    return (out / "trace.bin").read_bytes()


def plot(losses: list[float], accuracies: list[float], path: Path) -> None:
    figure, (loss, accuracy) = plt.subplots(1, 2, figsize=(9, 3.5))
    loss.semilogy(losses, linewidth=0.8)
    loss.set(xlabel="step", ylabel="cross entropy", title="Training")
    accuracy.plot(range(1, len(accuracies) + 1), [100 * a for a in accuracies], "o-", markersize=3)
    accuracy.set(xlabel="epoch", ylabel="%", title="Accuracy on digits held out")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--c-epochs", type=int, default=2, help="epochs that C trains as well")
    parser.add_argument("--accuracy", type=float, default=0.985, help="what must be reached")
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "build" / "digits_cnn")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)

    images, labels = load()
    rows = ds.NumpySlicesDataset({"x": images[HELD_OUT:], "y": labels[HELD_OUT:]})
    data = rows.batch(BATCH, drop_remainder=True)
    net, step = make(options.epochs * data.get_dataset_size())
    parameters = step.parameters_dict()
    state = [parameters[n] for n in state_names(net)]

    early = [batch for epoch in range(options.c_epochs) for batch in data.epoch_rows(epoch)]
    flat = [a for batch in early for a in batch]
    (out / "start.bin").write_bytes(np.int32(len(early)).tobytes() + as_bytes([*state, *flat]))
    held_out = Tensor(images[:HELD_OUT])
    losses: list[float] = []
    scales: list[float] = []
    accuracies: list[float] = []
    after = b""  # the state when C ends
    metric = train.Accuracy()
    start = time.perf_counter()
    for epoch in tqdm(range(options.epochs), desc="training", unit="epoch", disable=None):
        for batch in data.epoch_rows(epoch):
            loss, _, scale = step(*batch)
            losses.append(loss.item())
            scales.append(scale.item())
        if epoch + 1 == options.c_epochs:
            after = as_bytes(state)
        accuracies.append(metric(net(held_out), labels[:HELD_OUT]))
    seconds = time.perf_counter() - start
    print(
        f"trained {len(losses)} steps in {seconds:.1f} s, compilation included: "
        f"loss {losses[0]:.3f} -> {losses[-1]:.4f}"
    )
    print(f"held-out accuracy {100 * accuracies[-1]:.2f} %")
    plot(losses, accuracies, out / "digits_cnn.png")

    ms.export(
        net,
        held_out,
        file_name=str(out / "digits_cnn"),
        value_and_grad=False,
        step=(step, *early[0]),
    )
    trace = np.stack([losses, scales], 1, dtype=np.float32)[: len(early)]
    same = train_in_c(out) == trace.tobytes() + after
    print(
        f"C and Python: losses, scales and the state after {len(early)} steps "
        + ("are the same, bit for bit" if same else "DIFFER")
    )
    if accuracies[-1] < options.accuracy:
        print(f"error: the accuracy is below {options.accuracy:.1%}", file=sys.stderr)
    return 0 if same and accuracies[-1] >= options.accuracy else 1


if __name__ == "__main__":
    sys.exit(main())
