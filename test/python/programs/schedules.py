"""Learning rates as lists, schedules and Parameters; groups; gradient accumulation; gradient clipping."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

ms.set_seed(5)
rng = np.random.RandomState(1)
x = Tensor(rng.randn(12, 4), ms.float32)
y = Tensor(rng.randn(12, 1), ms.float32)


class WarmUpCosine(LearningRateSchedule):
    def __init__(self, warm_up, total, top):
        super().__init__()
        self.warm = nn.WarmUpLR(top, warm_up)
        self.cosine = nn.CosineDecayLR(0.0, top, total - warm_up)
        self.warm_up = warm_up

    def construct(self, step):
        if step < self.warm_up:
            return self.warm(step)
        return self.cosine(step - self.warm_up)


def make():
    net = nn.SequentialCell(nn.Dense(4, 5), nn.Tanh(), nn.Dense(5, 1))
    for i, p in enumerate(net.trainable_params()):
        p.set_data(Tensor(np.linspace(-0.5, 0.5, p.size).reshape(p.shape) + 0.1 * i, ms.float32))
    return net


def run(net, optimizer, steps=6):
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    step.set_train()
    print([float(f"{step(x, y).asnumpy():.4g}") for _ in range(steps)])


for rate in (
    0.05,
    Tensor(0.05),
    [0.05, 0.04, 0.03, 0.02, 0.01, 0.005],
    nn.piecewise_constant_lr([2, 4, 6], [0.1, 0.05, 0.01]),
    nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1),
    nn.warmup_lr(0.1, 6, 2, 2),
    nn.ExponentialDecayLR(0.1, 0.9, 2, is_stair=True),
    nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5),
    WarmUpCosine(2, 6, 0.1),
):
    net = make()
    run(net, nn.Momentum(net.trainable_params(), rate, 0.9))
net = make()
decayed = [p for p in net.trainable_params() if "weight" in p.name]
rest = [p for p in net.trainable_params() if "weight" not in p.name]
groups = [
    {"params": decayed, "weight_decay": 0.01, "grad_centralization": True},
    {"params": rest, "lr": nn.CosineDecayLR(0.001, 0.1, 4)},
    {"order_params": net.trainable_params()},
]
optimizer = nn.Adam(groups, learning_rate=0.05, weight_decay=0.0)
print(optimizer.is_group, optimizer.is_group_lr, [p.name for p in optimizer.parameters])
run(net, optimizer)
print([p.name for p in optimizer.get_parameters()])
net = make()
optimizer = nn.RMSProp(net.trainable_params(), 0.01, centered=True, momentum=0.1)
run(net, optimizer)
ops.assign(optimizer.learning_rate, Tensor(0.0, ms.float32))
run(net, optimizer, 2)
print(optimizer.global_step, optimizer.get_lr())
print(nn.WarmUpLR(0.1, 4)(Tensor(2, ms.int32)), nn.CosineDecayLR(0.01, 0.1, 4)(Tensor(2, ms.int32)))


class Accumulator:
    def __init__(self, optimizer, accumulate_step):
        self.optimizer = optimizer
        self.inner_grads = optimizer.parameters.clone(prefix="accumulate_", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros_", init="zeros")
        self.counter = Parameter(Tensor(1, ms.int32), "counter_")
        self.accumulate_step = accumulate_step
        self.map = ops.HyperMap()

    def __call__(self, grads):
        self.map(ops.partial(ops.assign_add), self.inner_grads, grads)
        if self.counter % self.accumulate_step == 0:
            self.optimizer(self.inner_grads)
            self.map(ops.partial(ops.assign), self.inner_grads, self.zeros)
        ops.assign_add(self.counter, Tensor(1, ms.int32))
        return True


net = make()
loss_fn = nn.MSELoss()
accumulator = Accumulator(nn.SGD(net.trainable_params(), 0.1), 3)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b) / 3, None, net.trainable_params())
for _ in range(2):
    for i in range(0, 12, 4):
        loss, grads = grad_fn(x[i : i + 4], y[i : i + 4])
        accumulator(grads)
    print(loss, net[0].bias.asnumpy())

weights = ParameterTuple(net.trainable_params())
grads = ms.grad(lambda a, b: 10 * loss_fn(net(a), b), None, weights)(x, y)
for clipped in (
    ops.clip_by_global_norm(grads, 0.5),
    ops.clip_by_value(grads, -0.1, 0.1),
    ops.clip_by_value(grads, Tensor(-0.1), Tensor(0.1)),
    ops.clip_by_norm(grads, 1.0),
):
    print(type(clipped).__name__, [g.asnumpy().ravel()[:2].round(5).tolist() for g in clipped])
