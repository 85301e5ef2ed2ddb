"""What train.c does, with the generated module: numpy and ctypes alone."""

import sys

import numpy as np

sys.path.insert(0, sys.argv[4])
import digits

assert not any(name.partition(".")[0] == "cellgrad" for name in sys.modules)
model = digits.Digits(None if sys.argv[1] == "-" else sys.argv[1])
losses = []
data = np.fromfile(sys.argv[2], np.float32).reshape(-1, 64, 74)
for step in np.split(data.reshape(len(data), -1), len(data)):
    images, labels = np.split(step[0], [64 * 64])
    losses.append(model.train_step(images.reshape(64, 64), labels.reshape(64, 10)))
with open(sys.argv[3], "wb") as results:
    for loss in losses:
        results.write(loss.tobytes())
    for name in ("hidden.weight", "hidden.bias", "out.weight", "out.bias"):
        results.write(model.parameters[name].tobytes())
