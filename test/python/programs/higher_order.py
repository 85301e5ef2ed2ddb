"""Derivatives of derivatives, forward mode, vector-Jacobian products, batching."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops
from mindspore import dtype as mstype


def f(x):
    return ops.sin(x) * x**2


x = Tensor([0.5, 1.0, -2.0], mstype.float32)
g = ms.grad(lambda v: f(v).sum())
h = ms.grad(lambda v: g(v).sum())
t = ms.grad(lambda v: h(v).sum())
print(f(x), g(x), h(x), t(x))

out, tangent = ms.jvp(f, x, Tensor([1.0, 2.0, 3.0]))
print(out, tangent)
out, vjp_fn = ms.vjp(f, x)
print(out, vjp_fn(Tensor([1.0, 2.0, 3.0])))

a = Tensor(np.arange(6).reshape(3, 2).astype(np.float32))
v = Tensor([1.0, -1.0])


def weighted(r):
    return (r * v).sum()


def squares(z):
    return z * z


def pairs(z):
    return ops.stack([z[0] * z[1], z[0]])


print(ms.vmap(weighted)(a))
print(ms.jacfwd(squares)(v))
print(ms.jacrev(pairs)(v))


class Second(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.grad = ops.GradOperation(sens_param=True)
        self.first = ops.GradOperation()

    def construct(self, x, s):
        return self.grad(self.first(f))(x, s)


print(Second()(Tensor(2.0), Tensor(1.0)))
