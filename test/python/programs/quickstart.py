"""The quickstart: data, a network, a loss, an optimizer, a training loop and a test loop."""

import mindspore
import numpy as np
from mindspore import nn
from mindspore.dataset import GeneratorDataset

mindspore.set_seed(1)


class Digits:
    def __init__(self, count):
        rng = np.random.RandomState(0)
        self.labels = rng.randint(0, 4, count).astype(np.int32)
        means = rng.randn(4, 8).astype(np.float32)
        self.images = means[self.labels] + 0.3 * rng.randn(count, 8).astype(np.float32)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 4)
        )

    def construct(self, x):
        return self.dense_relu_sequential(x)


model = Network()
print(model)
train = GeneratorDataset(Digits(96), ["image", "label"], shuffle=False).batch(16)
print(train.get_dataset_size(), train.get_col_names())

loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(model.trainable_params(), 1e-1)


def forward_fn(data, label):
    logits = model(data)
    loss = loss_fn(logits, label)
    return loss, logits


grad_fn = mindspore.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


def train_step(data, label):
    (loss, _), grads = grad_fn(data, label)
    optimizer(grads)
    return loss


for epoch in range(3):
    model.set_train()
    for batch, (data, label) in enumerate(train.create_tuple_iterator()):
        loss = train_step(data, label)
        if batch % 3 == 0:
            print(f"epoch {epoch} loss: {loss.asnumpy():.5f} [{batch}]")

model.set_train(False)
correct = total = 0
for data, label in train.create_tuple_iterator():
    pred = model(data)
    total += len(data)
    correct += (pred.argmax(1) == label).asnumpy().sum()
print("accuracy", correct / total)
