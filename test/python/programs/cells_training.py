"""Networks with several losses, custom optimizers, WithLossCell variants, BatchNorm and Dropout while training."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops, train
from mindspore import dataset as ds

ms.set_seed(9)
rng = np.random.RandomState(6)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", has_bias=True)
        self.bn = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.drop = nn.Dropout(p=0.0)
        self.fc = nn.Dense(4 * 3 * 3, 3)

    def construct(self, x):
        x = self.pool(ops.relu(self.bn(self.conv(x))))
        return self.fc(self.drop(self.flatten(x)))


images = rng.randn(20, 1, 8, 8).astype(np.float32)
labels = rng.randint(0, 3, 20).astype(np.int32)
second = rng.randn(20, 3).astype(np.float32)


class TwoLosses(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net
        self.ce = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.mse = nn.MSELoss()

    def construct(self, x, label, other):
        out = self.net(x)
        return self.ce(out, label) + 0.1 * self.mse(out, other)


class TwoEval(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, x, label, other):
        return self.net(x), label


net = Net()
data = ds.NumpySlicesDataset((images, labels, second), ["x", "a", "b"], shuffle=False).batch(5)
optimizer = nn.Adam(net.trainable_params(), 0.01, weight_decay=1e-3)
model = train.Model(
    TwoLosses(net),
    optimizer=optimizer,
    metrics={"acc": train.Accuracy()},
    eval_network=TwoEval(net),
)
losses = []
model.train(
    3,
    data,
    [
        train.LambdaCallback(
            on_train_step_end=lambda c: losses.append(
                float(c.original_args().net_outputs.asnumpy())
            )
        )
    ],
    dataset_sink_mode=False,
)
print(np.round(losses, 4))
print(model.eval(data, dataset_sink_mode=False))
print(net.bn.moving_mean.asnumpy().round(5), net.bn.moving_variance.asnumpy().round(5))
print([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])


class MySGD(nn.Optimizer):
    def __init__(self, params, learning_rate, momentum=0.9):
        super().__init__(learning_rate, params)
        self.momentum = Parameter(Tensor(momentum, ms.float32), name="momentum")
        self.moments = self.parameters.clone(prefix="moments", init="zeros")

    def construct(self, gradients):
        lr = self.get_lr()
        params = self.parameters
        for i in range(len(params)):
            ops.assign(self.moments[i], self.moments[i] * self.momentum + gradients[i])
            update = params[i] - self.moments[i] * lr
            ops.assign(params[i], update)
        return params


net = Net()
loss_net = nn.WithLossCell(net, nn.CrossEntropyLoss())
step = nn.TrainOneStepCell(loss_net, MySGD(net.trainable_params(), 0.05))
step.set_train()
print([round(float(step(Tensor(images), Tensor(labels)).asnumpy()), 4) for _ in range(4)])
frozen = Net()
frozen.conv.weight.requires_grad = False
for p in frozen.bn.get_parameters():
    p.requires_grad = False
print([p.name for p in frozen.trainable_params()])
before = frozen.conv.weight.asnumpy().copy()
step = nn.TrainOneStepCell(
    nn.WithLossCell(frozen, nn.CrossEntropyLoss()), nn.SGD(frozen.trainable_params(), 0.1)
).set_train()
print(
    [round(float(step(Tensor(images), Tensor(labels)).asnumpy()), 4) for _ in range(3)],
    (before == frozen.conv.weight.asnumpy()).all(),
)
weighted = nn.CrossEntropyLoss(
    weight=Tensor([0.2, 0.3, 0.5], ms.float32), ignore_index=1, label_smoothing=0.1
)
print(weighted(Tensor(second), Tensor(labels)))
grads = ms.grad(lambda w: weighted(w, Tensor(labels)))(Tensor(second))
print(grads[:3].asnumpy().round(5))
for wrong in (
    lambda: nn.Momentum(net.trainable_params(), 0.1),
    lambda: nn.Adam(net.trainable_params(), learning_rate=-1.0),
    lambda: nn.SGD([], 0.1),
    lambda: train.Model(net, nn.MSELoss()).train(0, data),
    lambda: train.Model(net).eval(data),
    lambda: nn.Adam(net.get_parameters(), "0.1"),
    lambda: nn.TrainOneStepWithLossScaleCell(loss_net, nn.SGD(net.trainable_params(), 0.1), 3.0),
    lambda: nn.ExponentialDecayLR(0.1, 0.9, -1),
):
    try:
        wrong()
        print("fine")
    except Exception as e:
        print(type(e).__name__)
