"""Saving and loading."""

import os
import tempfile

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, nn

mindspore.set_seed(2)


def network():
    return nn.SequentialCell(nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 2))


folder = tempfile.mkdtemp()
path = os.path.join(folder, "model.ckpt")
model, other = network(), network()
x = Tensor(np.linspace(-1, 1, 8).reshape(2, 4), mindspore.float32)
print((model(x) == other(x)).all())
mindspore.save_checkpoint(model, path, append_dict={"epoch": 4})
param_dict = mindspore.load_checkpoint(path)
print({k: (v.shape, v.dtype) for k, v in param_dict.items()})
param_not_load, ckpt_not_load = mindspore.load_param_into_net(other, param_dict)
print(param_not_load, ckpt_not_load)
print((model(x) == other(x)).all(), model(x))
small = nn.SequentialCell(nn.Dense(4, 5))
print(mindspore.load_param_into_net(small, param_dict))
print(mindspore.load_param_into_net(nn.Dense(4, 5), {"0.weight": Parameter(x[:1])}, True))
for wrong in (
    lambda: mindspore.load_checkpoint(os.path.join(folder, "none.ckpt")),
    lambda: mindspore.load_param_into_net(nn.SequentialCell(nn.Dense(3, 5)), param_dict),
    lambda: mindspore.load_param_into_net(model, {"0.weight": 3}),
    lambda: mindspore.save_checkpoint(3, path),
):
    try:
        wrong()
    except Exception as e:
        print(type(e).__name__)
mindspore.save_checkpoint(model, os.path.join(folder, "m"), format="safetensors")
loaded = mindspore.load_checkpoint(os.path.join(folder, "m.safetensors"), format="safetensors")
print(sorted(loaded), loaded["0.bias"].asnumpy())
