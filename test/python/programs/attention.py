"""Self-attention by hand: masks, softmax, einsum, half precision, a scaled loss."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.amp import StaticLossScaler, all_finite

ms.set_seed(3)


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Dense(width, 3 * width, has_bias=False)
        self.out = nn.Dense(width, width)

    def construct(self, x, mask=None):
        b, n, w = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, w // self.heads).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / (w // self.heads) ** 0.5
        if mask is not None:
            scores = ops.where(mask, scores, Tensor(-1e4, scores.dtype))
        weights = ops.softmax(scores, -1)
        return self.out(ops.matmul(weights, v).swapaxes(1, 2).reshape(b, n, w)), weights


net = Attention(8, 2)
x = Tensor(np.random.RandomState(1).randn(2, 3, 8), ms.float32)
mask = Tensor(np.tril(np.ones((3, 3), bool)))
out, weights = net(x, mask)
print(out)
print(weights[0, 0], weights.sum(-1).mean())

scaler = StaticLossScaler(128.0)


def forward(x):
    out, _ = net(x, mask)
    return scaler.scale((out * out).mean())


value, grads = ms.value_and_grad(forward, None, net.trainable_params())(x)
grads = scaler.unscale(grads)
print(scaler.unscale((value,))[0], all_finite(grads), [g.abs().sum() for g in grads])
half = x.astype(ms.float16)
print(half.dtype, ops.softmax(half, -1).dtype, (half * 2.5).dtype, (half + x).dtype)
