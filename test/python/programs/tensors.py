"""The tensor tutorial: creation, attributes, indexing, operations, numpy."""

import mindspore
import numpy as np
from mindspore import Tensor, ops
from mindspore.common.initializer import Normal, One, initializer

x_data = Tensor([1, 0, 1, 0])
print(x_data, x_data.shape, x_data.dtype)
np_array = np.array([1, 0, 1, 0])
print(repr(Tensor(np_array)))
tensor1 = mindspore.Tensor(shape=(2, 2), dtype=mindspore.float32, init=One()).init_data()
print("tensor1:\n", tensor1.asnumpy())
mindspore.set_seed(5)
print(initializer(Normal(), (2, 2), mindspore.float32).init_data().asnumpy())
print(f"Ones Tensor: \n {ops.ones_like(x_data)} \n")
print(f"Zeros Tensor: \n {ops.zeros_like(x_data)} \n")

x = Tensor(np.array([[1, 2], [3, 4]]), mindspore.int32)
print("x_shape:", x.shape)
print("x_dtype:", x.dtype)
print("x_itemsize:", x.itemsize)
print("x_nbytes:", x.nbytes)
print("x_ndim:", x.ndim)
print("x_size:", x.size)
print("x_strides:", x.strides)

tensor = Tensor(np.array([[0, 1], [2, 3]]).astype(np.float32))
print(f"First row: {tensor[0]}")
print(f"value of bottom right corner: {tensor[1, 1]}")
print(f"Last column: {tensor[:, -1]}")
print(f"First column: {tensor[..., 0]}")

x = Tensor(np.array([1, 2, 3]), mindspore.float32)
y = Tensor(np.array([4, 5, 6]), mindspore.float32)
print("add:", x + y)
print("sub:", x - y)
print("mul:", x * y)
print("div:", y / x)
print("mod:", y % x)
print("floordiv:", y // x)
print("pow:", x**2, "neg:", -x, "abs:", abs(-x))

data1 = Tensor(np.array([[0, 1], [2, 3]]).astype(np.float32))
data2 = Tensor(np.array([[4, 5], [6, 7]]).astype(np.float32))
output = ops.concat((data1, data2), axis=0)
print(output)
print("shape:\n", output.shape)
output = ops.stack([data1, data2])
print(output)
print("shape:\n", output.shape)
t = Tensor([1.0, 1.0, 1.0, 1.0, 1.0])
n = t.asnumpy()
print(f"n: {n}", type(n))
print(t.mean(), t.sum().item(), t.max(), t.reshape(5, 1).shape, t.astype(mindspore.int32))
print((x > 1.5), (x == y).any(), (x <= y).all())
print(Tensor(True), Tensor(3), Tensor(2.5), Tensor([]))
print([x, y], (x,), {"k": y})
