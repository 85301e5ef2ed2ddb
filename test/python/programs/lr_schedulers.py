"""Schedulers of `experimental.optim`, and training with them."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.experimental import optim
from mindspore.experimental.optim import lr_scheduler as ls

ms.set_seed(1)
net = nn.Dense(3, 2)


def show(make, steps=9, **given):
    groups = [{"params": [net.weight], "lr": 0.1}, {"params": [net.bias]}]
    optimizer = optim.SGD(groups, lr=0.05)
    scheduler = make(optimizer)
    out = [[float(v) for v in scheduler.get_last_lr()]]
    for i in range(steps):
        scheduler.step(**{k: f(i) for k, f in given.items()})
        out.append([float(v) for v in scheduler.get_last_lr()])
    print(type(scheduler).__name__, np.round(out, 7).tolist())


show(lambda o: ls.StepLR(o, 3, 0.5))
show(lambda o: ls.MultiStepLR(o, [2, 4, 4], 0.5))
show(lambda o: ls.ConstantLR(o, 0.5, 4))
show(lambda o: ls.LinearLR(o, 0.2, 0.9, 5))
show(lambda o: ls.ExponentialLR(o, 0.9))
show(lambda o: ls.PolynomialLR(o, 6, 2.0))
show(lambda o: ls.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1.0 / (1 + e)]))
show(lambda o: ls.MultiplicativeLR(o, lambda e: 0.95))
show(lambda o: ls.CosineAnnealingLR(o, 4, 0.01))
show(lambda o: ls.CosineAnnealingWarmRestarts(o, 2, 2, 0.01))
optimizer = optim.SGD(net.trainable_params(), lr=0.1)  # fractions of epochs, as after each batch
scheduler = ls.CosineAnnealingWarmRestarts(optimizer, 2, 1, 0.01)
rates = []
for place in (0.25, 1.5, 2, None, 3.75, None, 6.5):
    scheduler.step(place)
    rates.append(float(scheduler.get_last_lr()[0]))
print(scheduler.last_epoch == 6, np.round(rates, 6).tolist())
show(lambda o: ls.CyclicLR(o, 0.01, 0.1, 2, 3))
show(lambda o: ls.CyclicLR(o, [0.01, 0.02], [0.1, 0.2], 2, mode="triangular2"))
show(lambda o: ls.CyclicLR(o, 0.01, 0.1, 2, mode="exp_range", gamma=0.9))
show(lambda o: ls.SequentialLR(o, [ls.ConstantLR(o, 0.1, 2), ls.ExponentialLR(o, 0.9)], [3]))
show(
    lambda o: ls.ReduceLROnPlateau(o, "min", 0.5, 1, cooldown=1),
    metrics=lambda i: [3, 2, 2, 2, 2, 2, 2, 1, 1][i],
)
show(
    lambda o: ls.ReduceLROnPlateau(o, "max", 0.5, 0, 0.1, "abs", min_lr=[0.04, 0.01]),
    metrics=lambda i: float(i // 3),
)
show(lambda o: ls.StepLR(o, 2, 0.5), epoch=lambda i: 2 * i)
show(lambda o: ls.LinearLR(o, 0.2, 0.9, 5), epoch=lambda i: 9 - i)


class Halved(ls.LRScheduler):
    def __init__(self, optimizer, total, last_epoch=-1):
        self.total = total
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return [lr * 0.5 for lr in self._last_lr]
        if self.last_epoch != self.total:
            return [lr * 1.0 for lr in self._last_lr]
        return [lr / 0.5 for lr in self._last_lr]


show(lambda o: Halved(o, 3))
x, y = Tensor(np.linspace(-1, 1, 12).reshape(4, 3), ms.float32), Tensor(np.ones((4, 2)), ms.float32)
net.weight.set_data(Tensor(np.linspace(-0.5, 0.5, 6).reshape(2, 3), ms.float32))
net.bias.set_data(Tensor([0.1, -0.1], ms.float32))
optimizer = optim.Adam(net.trainable_params(), lr=0.1)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(6):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    scheduler.step()
    print(epoch, loss, scheduler.get_last_lr())
for wrong in (
    lambda: ls.StepLR(net, 3),
    lambda: ls.StepLR(optimizer, 0.5),
    lambda: ls.LinearLR(optimizer, 2.0),
    lambda: ls.ConstantLR(optimizer, -1.0),
    lambda: ls.PolynomialLR(optimizer, 5, -1.0),
    lambda: ls.LambdaLR(optimizer, [abs, abs]),
    lambda: ls.ReduceLROnPlateau(optimizer, "best"),
    lambda: ls.CosineAnnealingWarmRestarts(optimizer, 0),
    lambda: ls.SequentialLR(optimizer, [scheduler], [1]),
    lambda: ls.CyclicLR(optimizer, 0.1, 0.2, mode="square"),
    lambda: (
        ls.ExponentialLR(optimizer, 0.9, 3) if False else ls.StepLR(optimizer, 3, last_epoch=-5)
    ),
):
    try:
        wrong()
        print("fine")
    except Exception as e:
        print(type(e).__name__)
