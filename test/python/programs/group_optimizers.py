"""Optimizers of `experimental.optim` beside Adam and SGD: two groups, eight steps."""

import numpy as np
from mindspore import Parameter, Tensor
from mindspore.experimental import optim


def show(name, **settings):
    rng = np.random.default_rng(0)
    shapes = [(2, 3), (2,)]

    def draw():
        return [Tensor(rng.normal(size=s).astype(np.float32)) for s in shapes]

    a, b = (Parameter(x, name=n) for x, n in zip(draw(), "ab"))
    groups = [{"params": [a]}, {"params": [b], "lr": 0.05}]
    optimizer = getattr(optim, name)(groups, **settings)
    for _ in range(8):
        optimizer(tuple(draw()))
    print(name, np.round(np.append(a.asnumpy(), b.asnumpy()), 4).tolist())


show("Adadelta", lr=1.0, weight_decay=0.1)
show("Adagrad", lr=0.1, lr_decay=0.2, weight_decay=0.1, initial_accumulator_value=0.5)
show("Adamax", lr=0.1, weight_decay=0.1, maximize=True)
show("NAdam", lr=0.1, weight_decay=0.1)
show("NAdam", lr=0.1, momentum_decay=0.5)
show("RAdam", lr=0.1, weight_decay=0.1)
show("RAdam", lr=0.1, betas=(0.8, 0.99))
show("RMSprop", lr=0.1, weight_decay=0.1)
show("RMSprop", lr=0.1, centered=True, momentum=0.5, maximize=True)
show("ASGD", lr=0.1, weight_decay=0.1, lambd=0.1)
show("ASGD", lr=0.1, t0=3.0)
show("Rprop", lr=0.1)
show("Rprop", lr=0.1, etas=(0.3, 1.5), step_sizes=(0.05, 0.3))

for make in (
    lambda p: optim.RAdam(p, betas=(1.0, 0.9)),
    lambda p: optim.Rprop(p, etas=(1.5, 2.0)),
    lambda p: optim.Adagrad(p, lr_decay=-1.0),
):
    try:
        make([Parameter(Tensor([1.0]), name="w")])
        print("no error")
    except ValueError:
        print("ValueError")
