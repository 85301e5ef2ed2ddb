"""Mixed precision: loss scalers, all_finite, levels, lists, and a network with a scale manager."""

import mindspore as ms
import numpy as np
from mindspore import amp, nn, train
from mindspore.amp import DynamicLossScaler, StaticLossScaler, all_finite

ms.set_seed(3)
rng = np.random.RandomState(0)
x = ms.Tensor(rng.randn(16, 6), ms.float32)
y = ms.Tensor(rng.randint(0, 3, 16), ms.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(6, 8)
        self.norm = nn.LayerNorm((8,))
        self.fc2 = nn.Dense(8, 3)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.fc2(self.relu(self.norm(self.fc1(x))))


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)
scaler = DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=3)
print(scaler.scale_value, scaler.scale_window, scaler.scale_factor)


def forward_fn(data, label):
    logits = net(data)
    loss = loss_fn(logits, label)
    loss = scaler.scale(loss)
    return loss, logits


grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


def train_step(data, label):
    (loss, _), grads = grad_fn(data, label)
    loss = scaler.unscale(loss)
    is_finite = all_finite(grads)
    if is_finite:
        grads = scaler.unscale(grads)
        optimizer(grads)
    scaler.adjust(is_finite)
    return loss


for _i in range(5):
    print(train_step(x, y).asnumpy().round(4), scaler.scale_value)
print(scaler.adjust(ms.Tensor(False)), scaler.scale_value, scaler.counter)
static = StaticLossScaler(scale_value=2**4)
print(
    static.scale((ms.Tensor(1.0), ms.Tensor([2.0]))),
    static.unscale((ms.Tensor([32.0]),)),
    static.adjust(ms.Tensor(False)),
)
print(all_finite((ms.Tensor([1.0]), ms.Tensor([float("inf")]))), all_finite([ms.Tensor([1.0])]))

for level in ("O0", "O1", "O2", "O3"):
    low = amp.auto_mixed_precision(Net(), level)
    print(level, low(x).dtype)
print(sorted(c.__name__ for c in amp.get_black_list())[:4], nn.Dense in amp.get_white_list())
custom = amp.custom_mixed_precision(Net(), white_list=[nn.Dense])
print(custom(x).dtype)
try:
    amp.custom_mixed_precision(Net(), white_list=[nn.Dense], black_list=[nn.ReLU])
except (ValueError, TypeError) as e:
    print(type(e).__name__)
try:
    amp.auto_mixed_precision(Net(), "O5")
except (ValueError, TypeError) as e:
    print(type(e).__name__)
manager = amp.FixedLossScaleManager(512.0, drop_overflow_update=False)
print(manager.get_loss_scale(), manager.get_update_cell())
net = Net()
opt = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=512.0)
model = train.Model(net, loss_fn, opt, metrics={"loss"}, amp_level="O0", loss_scale_manager=manager)
data = ms.dataset.NumpySlicesDataset((x.asnumpy(), y.asnumpy()), ["x", "y"], shuffle=False).batch(8)
model.train(3, data, dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
