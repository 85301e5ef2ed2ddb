"""What type checkers see of calls of Cells, and of what transforms make of functions: mypy reads this file (`make lint`)."""

from collections.abc import Callable
from typing import Any, assert_type

import cellgrad as ms
from cellgrad import Tensor, nn, ops


class Scaled(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(2, 1)

    def construct(self, x: Tensor, scale: float = 1.0) -> Tensor:
        y = self.fc(x) * scale
        assert_type(y, Tensor)
        return y


class Pair(nn.Cell):
    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, -x


class Own(nn.Cell):
    pass


def decay(weights: dict[str, Tensor], by: float = 0.5) -> Tensor:
    return weights["w"] * by


def loss(x: Tensor, y: Tensor) -> Tensor:
    return ops.square(x - y).sum()


net, x = Scaled(), Tensor([[1.0, 2.0]])

# A Cell takes and gives what its construct does.
assert_type(net(x, scale=2.0), Tensor)
assert_type(Pair()(x)[0], Tensor)
assert_type(Own()(x), Any)
net("x")  # type: ignore[arg-type]
net(x, factor=2.0)  # type: ignore[call-arg]
net()  # type: ignore[call-arg]

# What transforms make takes what the function does.
assert_type(ms.grad(loss)(x, x), Tensor)
assert_type(ms.grad(ms.grad(loss))(x, y=x), Tensor)
assert_type(ms.grad(loss, 1)(x, x), Tensor)
assert_type(ms.grad(loss, (0, 1))(x, x), tuple[Tensor, Tensor])
assert_type(ms.grad(net, None, net.trainable_params())(x, 1.0), tuple[Tensor, ...])
assert_type(ms.grad(net, 0, net.trainable_params())(x), tuple[Tensor, tuple[Tensor, ...]])
assert_type(ms.grad(decay)({"w": x}), dict[str, Tensor])
ms.grad(loss)(x)  # type: ignore[call-arg]
ms.grad(loss, sens_param=True)(x, x, x)
value, gradients = ms.value_and_grad(loss, (0, 1))(x, x)
assert_type(value, Tensor)
assert_type(gradients, tuple[Tensor, Tensor])
assert_type(ms.value_and_grad(loss, None, net.trainable_params())(x, x)[1], tuple[Tensor, ...])
out, pull_back = ms.vjp(loss, x, x)
assert_type(out, Tensor)
assert_type(ms.jvp(loss, (x, x), (x, x)), tuple[Tensor, Tensor])
assert_type(ms.hessian(loss)(x, x), Tensor)
assert_type(ms.jacfwd(loss)(x, x), Tensor)
assert_type(ops.WhileLoop()(lambda v: v < 9, lambda v: v * 2, x), Tensor)
ms.value_and_grad(loss)(x, 1.0)  # type: ignore[arg-type]
assert_type(ms.value_and_grad(Pair())(x)[0], tuple[Tensor, Tensor])
ms.grad(net, None, net.trainable_params())(x, 1.0)
ms.grad(net)("x")  # type: ignore[arg-type]
assert_type(ms.vmap(loss, (0, None))(x, x), Tensor)
assert_type(ms.vmap(net)(x), Tensor)
assert_type(ms.jit(loss)(x, x), Tensor)
ms.hessian(loss)(x)  # type: ignore[call-arg]
ms.jacrev(loss)(x, y=x)


def trained(step: Callable[[Tensor], Tensor]) -> Tensor:
    return step(x)


assert_type(trained(net), Tensor)
assert_type(x + 1, Tensor)
assert_type(x == 1, Tensor)
assert_type(x[0, ..., None], Tensor)
assert_type(x.sum(axis=0).max(), Tensor)
assert_type(x.max(0), tuple[Tensor, Tensor])
assert_type(x.type(), str)
assert_type(nn.SequentialCell(net, net)(x), Tensor)
assert_type(nn.LSTM(2, 3)(x)[0], Tensor)
assert_type(ms.mutable((1, 2)), tuple[int, int])
assert_type(2 - x @ x.T, Tensor)
assert_type(net.summary(x).parameters, int)
assert_type(ms.show(net, x).html, str)
