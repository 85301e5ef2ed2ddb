# Using grad: a forward graph in, a backward graph out
import mindspore as ms
from mindspore import nn
class GradNetWrtX(nn.Cell):
    def __init__(self, net):
        super(GradNetWrtX, self).__init__()
        self.net = net

    def construct(self, x, y):
        gradient_function = ms.grad(self.net)
        return gradient_function(x, y)
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y
print(GradNetWrtX(Net())(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
