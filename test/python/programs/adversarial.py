"""Two networks with an optimizer each, trained against each other; schedules, weight decay."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(12)
rng = np.random.RandomState(5)
generator = nn.SequentialCell(nn.Dense(2, 8), nn.LeakyReLU(), nn.Dense(8, 2))
critic = nn.SequentialCell(nn.Dense(2, 8), nn.LeakyReLU(), nn.Dense(8, 1))
bce = nn.BCEWithLogitsLoss()
schedule = nn.ExponentialDecayLR(0.02, 0.9, 4)
opt_g = nn.Adam(generator.trainable_params(), schedule, beta1=0.5)
decayed = [p for p in critic.trainable_params() if "weight" in p.name]
others = [p for p in critic.trainable_params() if "weight" not in p.name]
opt_d = nn.AdamWeightDecay(
    [{"params": decayed, "weight_decay": 0.01}, {"params": others}], learning_rate=0.01
)


def loss_g(z):
    fake = critic(generator(z))
    return bce(fake, ops.ones_like(fake))


def loss_d(real, z):
    good, bad = critic(real), critic(ops.stop_gradient(generator(z)))
    return bce(good, ops.ones_like(good)) + bce(bad, ops.zeros_like(bad))


grad_g = ms.value_and_grad(loss_g, None, opt_g.parameters)
grad_d = ms.value_and_grad(loss_d, None, opt_d.parameters)
for _ in range(5):
    real = Tensor(rng.randn(16, 2) * 0.5 + 1, ms.float32)
    z = Tensor(rng.randn(16, 2), ms.float32)
    value_d, grads = grad_d(real, z)
    opt_d(grads)
    value_g, grads = grad_g(z)
    opt_g(grads)
    print(value_d, value_g)
print(generator(z[:2]))
print([p.name for p in opt_d.parameters], opt_g.global_step.asnumpy())
