"""Predict the progress of diabetes from ten measurements, with `Model` and callbacks.

The data are the 442 patients that come with scikit-learn. A small network with weight decay is
trained until the error of held-out patients stops falling, and compared with ridge regression.
"""

import argparse
import sys
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV

import cellgrad as ms
from cellgrad import Tensor, nn, train

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HELD_OUT = 110


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Measurements and progress, of mean 0 and deviation 1: to train on, then held out."""
    measured, progress = (np.asarray(array) for array in load_diabetes(return_X_y=True))
    order = np.random.default_rng(0).permutation(len(progress))
    x = (measured[order] / measured.std(0)).astype(np.float32)
    y = ((progress[order] - progress.mean()) / progress.std()).astype(np.float32)[:, None]
    return x[HELD_OUT:], y[HELD_OUT:], x[:HELD_OUT], y[:HELD_OUT]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Dense(10, 32, activation="tanh")
        self.out = nn.Dense(32, 1)

    def construct(self, x: Tensor) -> Tensor:
        return self.out(self.hidden(x))


def plot(
    history: dict[str, list[float]], found: np.ndarray, wanted: np.ndarray, path: Path
) -> None:
    figure, (loss, parity) = plt.subplots(1, 2, figsize=(9, 3.6))
    loss.plot(history["eval_loss"], label="held out")
    loss.plot(history["net_output"], linewidth=0.6, label="last batch")
    loss.set(xlabel="epoch", ylabel="mean square error", title="Training")
    loss.legend()
    parity.plot(wanted, found, ".")
    parity.axline((0, 0), slope=1, color="k", linewidth=0.5)
    parity.set(xlabel="progress", ylabel="predicted", title="Patients held out")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("build/diabetes"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    x, y, x_test, y_test = load()
    data = ms.dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(32)
    test = ms.dataset.NumpySlicesDataset((x_test, y_test), ["x", "y"], shuffle=False).batch(
        HELD_OUT
    )

    ms.set_seed(0)
    net = Net()
    optimizer = nn.AdamWeightDecay(net.trainable_params(), 1e-3, weight_decay=0.1)
    model = train.Model(net, nn.MSELoss(), optimizer, {"mse", "mae"})
    history = train.History()
    stop = train.EarlyStopping("eval_loss", patience=20, restore_best_weights=True)
    model.fit(options.epochs, data, test, callbacks=[history, stop])

    results = model.eval(test)
    print(f"stopped after {len(history.epoch['epoch'])} epochs")
    print(f"held out: mean square error {results['mse']:.4f}, absolute {results['mae']:.4f}")
    ridge = RidgeCV(np.logspace(-3, 3, 25)).fit(x, y)
    linear = float(np.mean((ridge.predict(x_test).reshape(-1, 1) - y_test) ** 2))
    print(f"ridge regression: mean square error {linear:.4f}")
    found = model.predict(Tensor(x_test)).asnumpy()
    plot(history.history, found, y_test, options.out / "diabetes.png")
    if results["mse"] > 1.1 * linear:
        print("error: ridge regression is better", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
