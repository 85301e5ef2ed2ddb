"""Two networks with an optimizer each, a jitted step, and training taken up from a checkpoint."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, load_checkpoint, load_param_into_net, nn, ops, save_checkpoint

ms.set_seed(21)
rng = np.random.RandomState(2)
real = Tensor(rng.randn(16, 2) * 0.3 + 1.0, ms.float32)
noise = [Tensor(rng.randn(16, 3), ms.float32) for _ in range(5)]

generator = nn.SequentialCell(nn.Dense(3, 8), nn.LeakyReLU(0.2), nn.Dense(8, 2))
discriminator = nn.SequentialCell(nn.Dense(2, 8), nn.LeakyReLU(0.2), nn.Dense(8, 1), nn.Sigmoid())
generator.update_parameters_name("generator.")
discriminator.update_parameters_name("discriminator.")
loss = nn.BCELoss(reduction="mean")
optimizer_g = nn.Adam(generator.trainable_params(), 0.02, beta1=0.5, beta2=0.999)
optimizer_d = nn.Adam(discriminator.trainable_params(), 0.02, beta1=0.5, beta2=0.999)
optimizer_g.update_parameters_name("optim_g.")
optimizer_d.update_parameters_name("optim_d.")
ones, zeros = ops.ones((16, 1), ms.float32), ops.zeros((16, 1), ms.float32)


def generator_forward(z):
    fake = generator(z)
    return loss(discriminator(fake), ones), fake


def discriminator_forward(x, fake):
    return (loss(discriminator(x), ones) + loss(discriminator(fake), zeros)) / 2


grad_g = ms.value_and_grad(generator_forward, None, optimizer_g.parameters, has_aux=True)
grad_d = ms.value_and_grad(discriminator_forward, None, optimizer_d.parameters)


@ms.jit
def train_step(x, z):
    (g_loss, fake), g_grads = grad_g(z)
    optimizer_g(g_grads)
    d_loss, d_grads = grad_d(x, fake)
    optimizer_d(d_grads)
    return g_loss, d_loss


for z in noise:
    g_loss, d_loss = train_step(real, z)
    print(f"{float(g_loss):.5f} {float(d_loss):.5f}")
print([p.name for p in optimizer_g.get_parameters()][:5])
save_checkpoint(generator, "g.ckpt")
save_checkpoint(optimizer_g, "og.ckpt")
state = load_checkpoint("og.ckpt")
print(sorted(state)[:4], len(state))
after = [train_step(real, z) for z in noise[:2]]
kept = [float(g) for g, _ in after]
load_param_into_net(generator, load_checkpoint("g.ckpt"))
load_param_into_net(optimizer_g, state)
(g_loss, _), _ = grad_g(noise[0])
print(abs(float(g_loss) - kept[0]) > 0)


class Trainer(nn.Cell):
    def __init__(self, net, loss_fn, optimizer):
        super().__init__()
        self.net, self.loss_fn, self.optimizer = net, loss_fn, optimizer
        self.grad = ops.value_and_grad(self.forward, None, net.trainable_params(), has_aux=False)
        self.seen = ms.Parameter(Tensor(0, ms.int32), name="seen", requires_grad=False)

    def forward(self, x, y):
        return self.loss_fn(self.net(x), y)

    def construct(self, x, y):
        loss, grads = self.grad(x, y)
        norm = ops.sqrt(sum([ops.reduce_sum(ops.square(g)) for g in grads]))
        if norm > 0.3:
            grads = tuple([g * (0.3 / norm) for g in grads])
        loss = ops.depend(loss, self.optimizer(grads))
        self.seen = self.seen + x.shape[0]
        return loss, norm


ms.set_context(mode=ms.GRAPH_MODE)
net = nn.SequentialCell(nn.Dense(2, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 1))
trainer = Trainer(
    net, nn.SmoothL1Loss(beta=0.5, reduction="mean"), nn.Momentum(net.trainable_params(), 0.1, 0.9)
)
trainer.set_train()
target = real.sum(1, keepdims=True) if False else ops.sum(real, 1, True)
for _ in range(4):
    value, norm = trainer(real, target)
    print(f"{float(value):.5f} {float(norm):.5f}")
print(trainer.seen.asnumpy(), net[1].moving_mean.asnumpy().round(5))
net.set_train(False)
print(net(real[:2]).asnumpy().round(4))
rate = nn.cosine_decay_lr(0.01, 0.1, 4, 2, 2)
print(np.round(rate, 5))
for wrong in (
    lambda: trainer(real, Tensor(np.ones((3, 1)), ms.float32)),
    lambda: trainer(real),
    lambda: nn.MSELoss(reduction="most"),
    lambda: load_checkpoint("nothing.ckpt"),
    lambda: load_param_into_net(net, 3),
    lambda: ms.value_and_grad(net, None, None),
    lambda: ops.clip_by_global_norm(3),
    lambda: nn.WithLossCell(net, nn.MSELoss())(real),
):
    try:
        wrong()
        print("fine")
    except Exception as e:
        print(type(e).__name__)
