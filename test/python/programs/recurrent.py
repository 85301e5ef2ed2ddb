"""A recurrent Cell written by hand, unrolled over time, trained with clipped gradients."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Uniform, initializer

ms.set_seed(6)


class LSTMCell(nn.Cell):
    def __init__(self, inputs, hidden):
        super().__init__()
        k = 1 / np.sqrt(hidden)
        self.wx = Parameter(initializer(Uniform(k), (4 * hidden, inputs), ms.float32), name="wx")
        self.wh = Parameter(initializer(Uniform(k), (4 * hidden, hidden), ms.float32), name="wh")
        self.b = Parameter(initializer("zeros", (4 * hidden,), ms.float32), name="b")

    def construct(self, x, state):
        h, c = state
        gates = ops.matmul(x, self.wx.T) + ops.matmul(h, self.wh.T) + self.b
        i, f, g, o = ops.split(gates, gates.shape[1] // 4, 1)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        return ops.sigmoid(o) * ops.tanh(c), c


class Sequence(nn.Cell):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = hidden
        self.cell = LSTMCell(inputs, hidden)
        self.out = nn.Dense(hidden, 1)

    def construct(self, x):
        zeros = ops.zeros((x.shape[0], self.hidden), x.dtype)
        state = (zeros, zeros)
        for t in range(x.shape[1]):
            state = self.cell(x[:, t], state)
        return self.out(state[0])


rng = np.random.RandomState(2)
x = Tensor(rng.randn(8, 5, 3), ms.float32)
y = Tensor(rng.randn(8, 1), ms.float32)
net = Sequence(3, 4)
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.05)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)


def step(x, y):
    loss, grads = grad_fn(x, y)
    grads = ops.clip_by_global_norm(grads, 0.5)
    optimizer(grads)
    return loss


for _ in range(5):
    print(step(x, y))
print(net(x[:2]), net.cell.b.asnumpy()[:4])
