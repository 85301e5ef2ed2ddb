"""The digits example, trained and run from C on the device, and the same C program on the CPU, against numpy in double."""

import importlib.util
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from device import BUILD, DRIVER, ROOT

import cellgrad as ms

CC = [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
SOURCE = Path(__file__).parent / "native" / "train_digits.c"


def load_example():
    spec = importlib.util.spec_from_file_location("digits", ROOT / "examples/digits/main.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(folder, device, steps):
    """Losses, weights and logits of the C program with what cellc makes for a device."""
    made = folder / device
    made.mkdir()
    command = [BUILD / "bin" / "cellc", folder / "digits.mlir", f"--device={device}"]
    subprocess.run([*command, "--name=digits", "--emit=so,h", "-o", made / "digits.so"], check=True)
    flags = ["-DDEVICE"] if device == "cuda" else []
    linked = [made / "digits.so", f"-Wl,-rpath,{made}", "-ldl"]
    subprocess.run([*CC, *flags, "-I", made, SOURCE, *linked, "-o", made / "train"], check=True)
    environment = {**os.environ, "CELLGRAD_CUDA_DRIVER": str(DRIVER)}
    arguments = [str(steps), folder / "data.bin", made / "results.bin"]
    done = subprocess.run(
        [made / "train", *arguments], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    results = np.fromfile(made / "results.bin", np.float32)
    losses, weights, logits = np.split(results, [steps, len(results) - 3600])
    return losses, weights, logits.reshape(360, 10)


def train(weights, batches, images, rate, momentum):
    """The same in numpy."""
    w1, b1, w2, b2 = (w.astype(np.float64) for w in weights)
    speeds, losses = [np.zeros_like(w) for w in (w1, b1, w2, b2)], []
    for x, y in batches:
        h = np.tanh(x @ w1.T + b1)
        z = h @ w2.T + b2
        z -= z.max(1, keepdims=True)
        p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
        losses.append(-np.log((p * y).sum(1)).mean())
        dz = (p - y) / len(x)
        dh = dz @ w2 * (1 - h * h)
        for w, v, g in zip(
            (w1, b1, w2, b2), speeds, (dh.T @ x, dh.sum(0), dz.T @ h, dz.sum(0)), strict=True
        ):
            v[...] = momentum * v + g
            w -= rate * v
    return (
        losses,
        np.concatenate([w.ravel() for w in (w1, b1, w2, b2)]),
        (np.tanh(images @ w1.T + b1) @ w2.T + b2),
    )


@pytest.mark.parametrize(
    "epochs, least", [(5, 0.93), pytest.param(40, 0.95, marks=pytest.mark.sweep)]
)
def test_digits_from_c(tmp_path, monkeypatch, epochs, least):
    example = load_example()
    ms.set_seed(0)
    net = example.Net()
    images, labels, held_out, truth = example.load()
    _, step = example.make(net)
    first = ms.Tensor(images[: example.BATCH]), ms.Tensor(labels[: example.BATCH])
    monkeypatch.chdir(tmp_path)
    ms.export(
        net, ms.Tensor(held_out), file_name="digits", value_and_grad=False, step=(step, *first),
        file_format="MLIR",
    )  # fmt: skip
    random, batches = np.random.default_rng(1), []
    for _ in range(epochs):
        order = random.permutation(len(images))
        for start in range(0, len(order) - example.BATCH + 1, example.BATCH):
            part = order[start : start + example.BATCH]
            batches.append((images[part], labels[part]))
    weights = [p.asnumpy() for p in net.trainable_params()]
    data = [*weights, *(a for batch in batches for a in batch), held_out]
    (tmp_path / "data.bin").write_bytes(b"".join(a.tobytes() for a in data))

    device, cpu = (run(tmp_path, name, len(batches)) for name in ("cuda", "cpu"))
    wanted = train(weights, batches, held_out, example.RATE, example.MOMENTUM)
    for found in (device, cpu):
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)
    right = [(logits.argmax(1) == truth.argmax(1)).mean() for _, _, logits in (device, cpu, wanted)]
    assert right[0] == right[1] == right[2] > least
