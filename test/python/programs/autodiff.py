"""The autodiff tutorial: grad, value_and_grad, stop_gradient, auxiliary results, weights."""

import mindspore
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

x = ops.ones(5, mindspore.float32)
y = ops.zeros(3, mindspore.float32)
rng = np.random.RandomState(3)
w = Parameter(Tensor(rng.randn(5, 3), mindspore.float32), name="w")
b = Parameter(Tensor(rng.randn(3), mindspore.float32), name="b")


def function(x, y, w, b):
    z = ops.matmul(x, w) + b
    return ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))


print(function(x, y, w, b))
grad_fn = mindspore.grad(function, (2, 3))
print(grad_fn(x, y, w, b))


def function_with_logits(x, y, w, b):
    z = ops.matmul(x, w) + b
    loss = ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))
    return loss, z


print(mindspore.grad(function_with_logits, (2, 3))(x, y, w, b))


def function_stop_gradient(x, y, w, b):
    loss, z = function_with_logits(x, y, w, b)
    return loss, ops.stop_gradient(z)


print(mindspore.grad(function_stop_gradient, (2, 3))(x, y, w, b))
print(mindspore.grad(function_with_logits, (2, 3), has_aux=True)(x, y, w, b))


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = w
        self.b = b

    def construct(self, x):
        return ops.matmul(x, self.w) + self.b


model = Network()
loss_fn = nn.BCEWithLogitsLoss()


def forward_fn(x, y):
    return loss_fn(model(x), y)


loss, grads = mindspore.value_and_grad(forward_fn, None, weights=model.trainable_params())(x, y)
print(loss, grads)


class GradNet(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.params = ParameterTuple(net.trainable_params())
        self.grad_op = ops.GradOperation(get_all=True, get_by_list=True)

    def construct(self, x):
        return self.grad_op(self.net, self.params)(x)


print(GradNet(model)(x))
dx, (dw, db) = mindspore.grad(lambda v: model(v).sum(), (0,), model.trainable_params())(x)
print(dx, dw, db)
