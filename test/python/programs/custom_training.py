"""Custom layers, losses and training Cells, in graph mode."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)


class RMSNorm(nn.Cell):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = Parameter(ops.ones(size, ms.float32), name="weight")
        self.eps = eps

    def construct(self, x):
        return x * ops.rsqrt(ops.mean(x * x, -1, True) + self.eps) * self.weight


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = RMSNorm(4)
        self.up = nn.Dense(4, 8)
        self.gate = nn.Dense(4, 8, has_bias=False)
        self.down = nn.Dense(8, 2)

    def construct(self, x, scale=1.0):
        x = self.norm(x)
        return self.down(ops.silu(self.gate(x)) * self.up(x)) * scale


class MAELoss(nn.LossBase):
    def construct(self, base, target):
        return self.get_loss(ops.abs(base - target))


class TrainStep(nn.Cell):
    def __init__(self, network, loss, optimizer, limit):
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss = loss
        self.optimizer = optimizer
        self.weights = ParameterTuple(network.trainable_params())
        self.limit = limit
        self.step = Parameter(Tensor(0, ms.int32), name="step", requires_grad=False)

    def construct(self, x, y):
        def forward(x, y):
            return self.loss(self.network(x), y)

        loss, grads = ops.value_and_grad(forward, None, self.weights)(x, y)
        grads = ops.clip_by_global_norm(grads, self.limit)
        self.optimizer(grads)
        self.step += 1
        return loss


rng = np.random.RandomState(8)
x = Tensor(rng.randn(16, 4), ms.float32)
y = Tensor(rng.randn(16, 2), ms.float32)
net = Mlp()
step = TrainStep(net, MAELoss(), nn.Adam(net.trainable_params(), 1e-2), 1.0)
for _ in range(6):
    print(step(x, y))
print(step.step.asnumpy(), net.norm.weight.asnumpy())
print(net(x[:2]), net(x[:2], 2.0))
with_loss = nn.WithLossCell(net, nn.MSELoss())
train_one = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.1))
print(train_one(x, y), train_one(x, y))
