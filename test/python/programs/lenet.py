"""LeNet on random images: convolution, pooling, batch normalization, training and prediction."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(21)


class LeNet5(nn.Cell):
    def __init__(self, num_class=10, num_channel=1):
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.norm = nn.BatchNorm2d(6)
        self.conv2 = nn.Conv2d(6, 8, 3, pad_mode="same", has_bias=True)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(8 * 3 * 3, 20)
        self.fc2 = nn.Dense(20, num_class)

    def construct(self, x):
        x = self.pool(self.relu(self.norm(self.conv1(x))))
        x = self.pool(self.relu(self.conv2(x)))
        return self.fc2(self.relu(self.fc1(self.flatten(x))))


rng = np.random.RandomState(0)
images = Tensor(rng.rand(8, 1, 16, 16), ms.float32)
labels = Tensor(rng.randint(0, 10, 8), ms.int32)
net = LeNet5()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
for _ in range(3):
    loss, grads = grad_fn(images, labels)
    optimizer(grads)
    print(loss)
net.set_train(False)
print(net(images[:2]))
print(net.norm.moving_mean.asnumpy(), [p.name for p in net.get_parameters()])
