"""What a beginner gets wrong, and the class of the error."""

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


class NoSuper(nn.Cell):
    def __init__(self):
        self.w = Parameter(Tensor([1.0]), name="w")


class NoConstruct(nn.Cell):
    pass


class Uses(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        return self.fc(x) * self.missing


net = nn.Dense(3, 2)
CASES = {
    "ragged list": lambda: Tensor([[1, 2], [3]]),
    "tensor of text": lambda: Tensor("abc"),
    "dtype as text": lambda: Tensor(1.0, dtype="float32"),
    "shapes": lambda: x + Tensor([1.0, 2.0]),
    "reshape": lambda: x.reshape(4, 2),
    "axis": lambda: x.sum(2),
    "truth of many": lambda: bool(x),
    "index": lambda: x[5],
    "concat shapes": lambda: ops.concat((x, x[:, :2])),
    "no super": NoSuper,
    "no construct": lambda: NoConstruct()(x),
    "no attribute": lambda: Uses()(x),
    "dense of text": lambda: nn.Dense("3", 2),
    "dense of zero": lambda: nn.Dense(0, 2),
    "initializer": lambda: nn.Dense(3, 2, weight_init="nope"),
    "activation": lambda: nn.Dense(3, 2, activation="nope"),
    "list in sequence": lambda: nn.SequentialCell(3),
    "key of a dict": lambda: nn.CellDict({"a": nn.ReLU()})["b"],
    "parameter name": lambda: Parameter(x, name=3),
    "same names": lambda: ParameterTuple((Parameter(x, name="a"), Parameter(x, name="a"))),
    "parameter by number": lambda: setattr(net, "weight", 3),
    "no position": lambda: ms.grad(lambda v: v, None),
    "no function": lambda: ms.grad(lambda v: v * v, -1)(x),
    "loss": lambda: nn.MSELoss("nope"),
    "optimizer": lambda: nn.SGD([], 0.1),
    "learning rate": lambda: nn.SGD(net.trainable_params(), -0.1),
    "context": lambda: ms.set_context(nothing=3),
    "mode": lambda: ms.set_context(mode=7),
    "seed": lambda: ms.set_seed(-1),
    "division of text": lambda: x / "a",
}
for name, case in CASES.items():
    try:
        print(f"{name}: {case()}")
    except Exception as e:
        print(f"{name}: {type(e).__name__}")
