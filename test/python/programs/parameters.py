"""Cells and their Parameters: names, order, what is trained, initial values, printing."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn
from mindspore.common.initializer import HeUniform, Uniform, initializer

ms.set_seed(9)


class Block(nn.Cell):
    def __init__(self, width, trainable=True):
        super().__init__()
        self.fc = nn.Dense(width, width, weight_init=HeUniform(), bias_init="zeros")
        self.scale = Parameter(Tensor(np.ones(width), ms.float32), requires_grad=trainable)
        self.act = nn.Tanh()

    def construct(self, x):
        return self.act(self.fc(x)) * self.scale


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([Block(2), Block(2, trainable=False)])
        self.head = nn.SequentialCell(
            [nn.Dense(2, 3, has_bias=False, activation="relu"), nn.ReLU()]
        )
        self.extra = Parameter(initializer(Uniform(0.5), (2,), ms.float32), name="my_extra")
        self.table = nn.CellDict({"left": nn.Dense(1, 1), "right": nn.Sigmoid()})

    def construct(self, x):
        for block in self.blocks:
            x = block(x) + self.extra
        return self.head(x)


net = Net()
print(net)
for name, param in net.parameters_and_names():
    print(name, param.name, param.shape, param.dtype, param.requires_grad)
print([p.name for p in net.trainable_params()])
print([p.name for p in net.untrainable_params()])
print([name for name, _ in net.cells_and_names()])
print(list(net.name_cells()))
print(net.extra, net.extra.asnumpy())
print(net.blocks[0].fc.weight.asnumpy())
print(net(Tensor([[0.5, -0.5]])))
for param in net.get_parameters():
    param.set_data(ms.ops.ones_like(param) * 0.5)
print(net(Tensor([[0.5, -0.5]])))
net.blocks.append(Block(2))
net.update_parameters_name("big.")
print([p.name for p in net.get_parameters()])
print(ParameterTuple(net.trainable_params()).clone("copy", "zeros")[0])
net.set_train()
print(net.training, net.head[0].training)
net.apply(lambda cell: print(type(cell).__name__))
