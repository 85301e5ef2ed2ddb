"""Train a classifier of handwritten digits, export it, and run it from C.

The data are the 1,797 real 8x8 scans that come with scikit-learn. The gradient and the update of
the parameters are compiled; so are the exported forward pass and gradient, which the C program next
to this file calls and which give the same bytes as Python.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_digits
from tqdm import tqdm

import cellgrad as ms
from cellgrad import Tensor, nn, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
BATCH, RATE, MOMENTUM = 64, 0.1, 0.9
HELD_OUT = 360

# Functions of images and labels: the loss with its gradient, and a step that gives the loss.
ValueAndGrad = Callable[[Tensor, Tensor], tuple[Tensor, tuple[Tensor, ...]]]
Step = Callable[[Tensor, Tensor], Tensor]


class Net(nn.Cell):
    """Two dense layers: 64 pixels to 48 features to 10 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Dense(64, 48, activation="tanh")
        self.out = nn.Dense(48, 10)

    def construct(self, images: Tensor) -> Tensor:
        return self.out(self.hidden(images))


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Images in [0, 1] and one-hot labels: those to train on, then those held out."""
    pixels, classes = (np.asarray(array) for array in load_digits(return_X_y=True))
    order = np.random.default_rng(0).permutation(len(classes))
    images = (pixels[order] / 16).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[classes[order].astype(int)]
    return images[HELD_OUT:], labels[HELD_OUT:], images[:HELD_OUT], labels[:HELD_OUT]


def make(net: Net) -> tuple[ValueAndGrad, Step]:
    """The compiled value_and_grad of the loss, and the compiled update of the parameters."""
    weights = net.trainable_params()
    velocity = [
        ms.Parameter(np.zeros(w.shape, np.float32), name=f"velocity.{w.name}") for w in weights
    ]

    def loss(images: Tensor, labels: Tensor) -> Tensor:
        """Cross entropy of softmax(net(images)), averaged over the images."""
        logits = net(images)
        shifted = logits - ops.stop_gradient(ops.amax(logits, 1, True))
        log_likelihood = shifted - ops.log(ops.sum(ops.exp(shifted), 1, True))
        return -ops.mean(ops.sum(labels * log_likelihood, 1))

    value_and_grad = ms.value_and_grad(loss, None, weights)

    @ms.jit
    def step(images: Tensor, labels: Tensor) -> Tensor:
        """One step of gradient descent with momentum; parameters are updated in place."""
        value, gradients = value_and_grad(images, labels)
        for w, v, g in zip(weights, velocity, gradients):
            ops.assign(v, MOMENTUM * v + g)
            ops.assign(w, w - RATE * v)
        return value

    return value_and_grad, step


def train(step: Step, images: np.ndarray, labels: np.ndarray, epochs: int) -> list[float]:
    """Runs `epochs` passes over the data in random batches; returns the loss of each step."""
    random = np.random.default_rng(1)
    losses: list[float] = []
    bar = tqdm(range(epochs), desc="training", unit="epoch", disable=None)
    for _ in bar:
        order = random.permutation(len(images))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            losses.append(step(Tensor(images[batch]), Tensor(labels[batch])).item())
        bar.set_postfix(loss=f"{losses[-1]:.4f}")
    return losses


def plot(losses: list[float], path: Path) -> None:
    figure, axes = plt.subplots(figsize=(6, 3.5))
    axes.semilogy(losses, linewidth=0.8)
    axes.set(xlabel="step", ylabel="cross entropy", title="Digits: training loss")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def export(
    net: Net, value_and_grad: ValueAndGrad, images: Tensor, labels: Tensor, out: Path
) -> None:
    """Writes digits.so, digits.h, digits.safetensors, and digits.bin: what the C program reads."""
    ms.export(
        net,
        images,
        file_name=str(out / "digits"),
        value_and_grad=(value_and_grad, images, labels),
    )
    weights = [w.asnumpy() for w in net.trainable_params()]
    with open(out / "digits.bin", "wb") as file:
        for array in (images.asnumpy(), labels.asnumpy(), *weights):
            file.write(array.tobytes())


def run_c(out: Path) -> bytes:
    """Compiles infer.c against the generated header, runs it, and returns what it wrote."""
    cc = os.environ.get("CC", "cc")
    command = [cc, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-I", str(out)]
    command += [str(HERE / "infer.c"), str(out / "digits.so"), f"-Wl,-rpath,{out}"]
    subprocess.run([*command, "-o", str(out / "infer")], check=True)
    sys.stdout.flush()
    subprocess.run([out / "infer", out / "digits.bin", out / "results.bin"], check=True)
    return (out / "results.bin").read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "build" / "demo")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)

    images, labels, test_images, test_labels = load()
    print(f"digits: {len(images)} images to train on, {len(test_images)} held out")
    ms.set_seed(0)
    net = Net()
    value_and_grad, step = make(net)

    start = time.perf_counter()
    losses = train(step, images, labels, options.epochs)
    seconds = time.perf_counter() - start
    print(
        f"trained {len(losses)} steps in {seconds:.2f} s, compilation included: "
        f"loss {losses[0]:.3f} -> {losses[-1]:.4f}"
    )
    plot(losses, out / "loss.png")

    held_out = Tensor(test_images), Tensor(test_labels)
    logits = net(held_out[0]).asnumpy()
    accuracy = (logits.argmax(1) == test_labels.argmax(1)).mean()
    print(f"held-out accuracy {100 * accuracy:.2f} %")

    export(net, value_and_grad, *held_out, out)
    print(
        f"exported to {out}: "
        + ", ".join(f"{p.name} ({p.stat().st_size} bytes)" for p in sorted(out.glob("digits.*")))
    )
    value, gradients = value_and_grad(*held_out)
    expected = b"".join(t.asnumpy().tobytes() for t in (Tensor(logits), value, *gradients))
    got = run_c(out)
    same = got == expected
    print(
        f"C and Python: {len(got)} bytes of predictions, loss and gradient "
        + ("are the same, bit for bit" if same else "DIFFER")
    )
    if accuracy < 0.95:
        print("error: held-out accuracy is below 95 %", file=sys.stderr)
    return 0 if same and accuracy >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
