"""Python in `construct`: static control flow, containers, comprehensions, helpers, recursion."""

import functools

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


def helper(x, *terms, scale=1.0, **named):
    for t in terms:
        x = x + t
    for key in sorted(named):
        x = x * named[key]
    return x * scale


class Net(nn.Cell):
    def __init__(self, depth, modes):
        super().__init__()
        self.depth = depth
        self.modes = modes
        self.layers = nn.CellList([nn.Dense(3, 3, "ones", "zeros") for _ in range(depth)])

    def construct(self, x, flag=True):
        outs = []
        for i, layer in enumerate(self.layers):
            if i % 2 == 0 and flag:
                x = layer(x) / 3
            elif self.modes[i] == "skip":
                continue
            else:
                x = ops.tanh(layer(x))
            outs.append(x)
        while len(outs) > 2:
            outs.pop()
        total = sum([o.sum() for o in outs])
        pair = {"first": outs[0], "rest": tuple(outs[1:])}
        return total, pair, [v.shape for v in outs]


def power(x, n):
    if n == 0:
        return ops.ones_like(x)
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


x = Tensor(np.arange(6).reshape(2, 3) / 6, ms.float32)
net = Net(4, ["a", "skip", "b", "c"])
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    total, pair, shapes = net(x)
    print(total, pair["first"], len(pair["rest"]), shapes)
    print(net(x, False)[0])
ms.set_context(mode=ms.PYNATIVE_MODE)
print(power(x, 5))
print(ms.grad(lambda v: power(v, 5).sum())(x))
print(helper(x, x, 1.0, scale=2.0, b=3.0, a=Tensor(2.0)))
cube = functools.partial(power, n=3)
print(ms.jit(cube)(x))
print(ms.grad(lambda v: helper(v, v, a=v).sum())(x))


@ms.jit
def chosen(x, y):
    a, *rest = (x, y, x + y)
    (p, q), r = rest, a
    return [p * q + r for r in (r, -r)], f"static {len(rest)}"


print(chosen(x, x * 2))
