"""Linear regression with Model.train, callbacks and metrics."""

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn, train
from mindspore.common.initializer import Normal

ms.set_seed(11)
rng = np.random.RandomState(1)
inputs = rng.uniform(-10, 10, (64, 1)).astype(np.float32)
labels = 2 * inputs + 3 + rng.normal(0, 1, (64, 1)).astype(np.float32)


class LinearNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(1, 1, Normal(0.02), Normal(0.02))

    def construct(self, x):
        return self.fc(x)


def data():
    return ds.NumpySlicesDataset((inputs, labels), ["x", "y"], shuffle=False).batch(16)


class Losses(train.Callback):
    def __init__(self):
        self.seen = []

    def on_train_step_end(self, run_context):
        self.seen.append(float(run_context.original_args().net_outputs.asnumpy()))


net = LinearNet()
losses = Losses()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.005, momentum=0.9)
model = train.Model(net, nn.MSELoss(), optimizer, metrics={"mae": train.MAE()})
model.train(3, data(), callbacks=[losses], dataset_sink_mode=False)
print([round(v, 3) for v in losses.seen])
print(model.eval(data(), dataset_sink_mode=False))
print(net.fc.weight.asnumpy(), net.fc.bias.asnumpy())
print(model.predict(ms.Tensor([[1.0]])))
