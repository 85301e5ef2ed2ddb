"""Expressions whose results under MindSpore 2.10 are recorded in `recorded.json`.

They see `ms`, `nn`, `ops`, `np`, `Tensor`, `Parameter`, `ParameterTuple` and the names of SETUP.
"""

import pointwise_cases

SETUP = """
x = Tensor([[1., 2., 3.], [4., 5., 6.]])
v = Tensor([1., 2., 3.])
i = Tensor([1, 2, 3])
b = Tensor([True, False, True])
h = Tensor([1., 2.], ms.float16)
w = Parameter(Tensor([1., 2., 3.]), name='w')
u = Parameter(Tensor([1., 1., 1.]), name='u')
frozen = Parameter(Tensor([1., 2., 3.]), name='frozen', requires_grad=False)
def P(name=None):
    return Parameter(Tensor([1.]), name=name) if name else Parameter(Tensor([1.]))
class A(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = P()
        self.z = P('zz')
        self.d = nn.Dense(2, 2)
        self.q = P('q')
    def construct(self, x):
        return x
class B(nn.Cell):
    def __init__(self, auto=True):
        super().__init__(auto_prefix=auto)
        self.a = A()
        self.b = A()
        self.l = nn.CellList([nn.Dense(1, 1), nn.ReLU()])
        self.seq = nn.SequentialCell(nn.Dense(1, 1, has_bias=False))
        self.own = P()
    def construct(self, x):
        return x
class Pair(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ps = ParameterTuple([P('a'), P('b')])
    def construct(self, x):
        return x
class Clash(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = P('same')
        self.q = P('same')
    def construct(self, x):
        return x
def square(a):
    return a * a
def product(a, c):
    return a * c
def two(a, c):
    return a * c, a
def weighted(a, c):
    return a * c * w
def weighted_one(a):
    return a * w
def optional(a, c=None):
    return a if c is None else a * c
def nested(a):
    return (a, [a * 2]), 3
def aux(a):
    return a, (a, a * 2)
def loss(a):
    return (a * w).sum(), a
def unused(a, c):
    return a * 2
"""

TENSOR = [
    "Tensor(1.5)",
    "Tensor([1, 2, 3])",
    "Tensor(True)",
    "Tensor([True, False])",
    "Tensor([])",
    "Tensor(np.float64(1.5))",
    "Tensor(2**40)",
    "Tensor([1, 2.5])",
    "Tensor([True, 2])",
    "Tensor((1, 2), ms.float32)",
    "Tensor('a')",
    "Tensor(None)",
    "Tensor([[1, 2], [3]])",
    "Tensor(x, ms.int32)",
    "Tensor(np.arange(6).reshape(2, 3)[:, ::2])",
    "Tensor(1.5, dtype='float32')",
    "Tensor(300, ms.int8)",
    "Tensor(-1, ms.uint8)",
    "ms.tensor(1.5)",
    "Tensor([x, x])",
    "Tensor([Tensor(1.), Tensor(2.)])",
    "Tensor(np.array([1.5, -2.25, np.nan, np.inf, 1e-30], np.float32))",
    "Tensor(np.zeros((0, 3), np.float32))",
    "Tensor(np.zeros((2, 0, 3)))",
    "Tensor(np.arange(50).astype('float16'))",
    "Tensor(np.arange(50))",
    "Tensor(np.arange(50) % 2 == 0)",
    "Tensor(np.arange(1001))",
    "Tensor(np.arange(2000).astype('float32'))",
    "Tensor(np.arange(120).astype('float32').reshape(4, 30))",
    "Tensor(np.arange(343).reshape(7, 7, 7))",
    "Tensor(np.array([1e-200, 1e300, 1.0]))",
    "Tensor(np.array([[1, -2000], [3, 4]], np.int32))",
    "Tensor(1 / 3)",
    "Tensor(1e10)",
    "Tensor(float('nan'))",
    "Tensor(-0.0)",
    "Tensor(1 / 3, ms.float16)",
    "Tensor(1.5, ms.bfloat16)",
    "Tensor([1.5, 2.5], ms.bfloat16)",
    "str(x)",
    "str(Tensor(20.))",
    "str(Tensor(1 / 3))",
    "str(Tensor(np.arange(2000)))",
    "str(b)",
    "(Tensor(1.0), 2, [i], {'a': v})",
    "x.shape",
    "str(x.dtype)",
    "x.size",
    "x.ndim",
    "x.itemsize",
    "x.nbytes",
    "x.strides",
    "x.T",
    "x.item()",
    "Tensor(3.5).item()",
    "float(Tensor(3.5))",
    "int(Tensor(3.5))",
    "bool(Tensor(0.0))",
    "bool(x)",
    "float(x)",
    "x.tolist()",
    "x.asnumpy()",
    "len(x)",
    "list(x)",
    "x.foo",
    "x[0]",
    "x[0, 1]",
    "x[:, 1]",
    "x[..., 0]",
    "x[None].shape",
    "x[-1]",
    "x[::2]",
    "x[1:5]",
    "x[5]",
    "x[0][0]",
    "x[True]",
    "x['a']",
    "x[1.0]",
    "x[0, 0, 0]",
    "x[:, ::-1]",
    "x[1:0].shape",
    "x + 1",
    "i + 1",
    "i + 1.5",
    "i / 2",
    "2 - x",
    "2 ** x",
    "x ** 2",
    "i ** 2",
    "b + b",
    "b * 2",
    "b + 1.5",
    "b & b",
    "~b",
    "-b",
    "-i",
    "abs(x)",
    "x @ x.T",
    "i @ i",
    "x > 2",
    "i == 1",
    "x == None",
    "x != 'a'",
    "b | b",
    "x + i",
    "x + Tensor([1, 2])",
    "x + [1, 2, 3]",
    "x + 'a'",
    "x + None",
    "h + v[:2]",
    "h * 2",
    "h + i[:2]",
    "x in [x]",
    "x.astype(ms.float16)",
    "x.astype('int32')",
    "x.float()",
    "x.half()",
    "x.int()",
    "x.long()",
    "x.bool()",
    "x.mean()",
    "x.sum()",
    "x.sum(0)",
    "x.sum(axis=1, keepdims=True)",
    "i.sum()",
    "i.mean()",
    "b.sum()",
    "x.max()",
    "x.max(axis=0)",
    "x.min()",
    "x.argmax()",
    "x.all()",
    "b.any()",
    "x.var()",
    "x.std()",
    "x.squeeze()",
    "x.reshape(3, 2)",
    "x.reshape((3, -1))",
    "x.view(3, 2)",
    "x.transpose()",
    "x.transpose(1, 0)",
    "x.flatten()",
    "x.expand_dims(0).shape",
    "x.broadcast_to((2, 2, 3)).shape",
    "x.swapaxes(0, 1)",
    "x.permute(1, 0)",
    "x.ravel()",
    "x.clip(2, 3)",
    "x.where(x > 2, 0.)",
    "x.new_zeros((2,))",
    "x.abs()",
    "x.pow(2)",
    "x.matmul(x.T)",
    "x.neg()",
    "x.isfinite()",
    "x.copy()",
]

OPS = [
    "ops.relu(i)",
    "ops.abs(i)",
    "ops.square(i)",
    "ops.reciprocal(i)",
    "ops.sign(i)",
    "ops.pow(x, 2)",
    "ops.pow(i, 2)",
    "ops.add(1, 2)",
    "ops.add(x, 'a')",
    "ops.maximum(x, 2)",
    "ops.maximum(x, i)",
    "ops.sin('a')",
    "ops.sin(1.0)",
    "ops.mean(x)",
    "ops.mean(x, 0)",
    "ops.mean(x, [0, 1], True)",
    "ops.mean(x, 2)",
    "ops.ReduceMean()(x, 0)",
    "ops.ReduceMean(keep_dims=True)(x)",
    "ops.reduce_sum(x)",
    "ops.ReduceSum()(x, (0, 1))",
    "ops.sum(x)",
    "ops.sum(x, dim=0, keepdim=True)",
    "ops.max(x)",
    "ops.max(x, axis=0)",
    "ops.amax(x, 0)",
    "ops.ReduceMax()(x)",
    "ops.cast(x, ms.int32)",
    "ops.Cast()(x, ms.int32)",
    "str(ops.dtype(x))",
    "ops.shape(x)",
    "ops.rank(x)",
    "ops.size(x)",
    "ops.select(x > 2, x, 0.0)",
    "ops.select(x > 2, x, 0)",
    "ops.select(x > 2, x, x.astype(ms.int32))",
    "ops.where(x > 2, x, 0)",
    "ops.where(x > 2, 1.0, 0)",
    "ops.where(True, x, 0)",
    "ops.concat((x, x))",
    "ops.Concat(1)((x, x))",
    "ops.concat([x, i])",
    "ops.cat((x, x), 1).shape",
    "ops.squeeze(x[None])",
    "ops.expand_dims(x, 0).shape",
    "ops.ExpandDims()(x, 1).shape",
    "ops.reshape(x, (3, 2))",
    "ops.ones_like(x)",
    "ops.zeros_like(i)",
    "ops.ones((2,))",
    "ops.zeros(2, ms.int32)",
    "ops.full((2,), 3)",
    "ops.fill(ms.float32, (2,), 3)",
    "ops.clip_by_global_norm([x])",
    "ops.clip_by_global_norm((x, v), 1.0)",
    "ops.clip_by_value(x, 2, 3)",
    "ops.clip(x, 2, 3)",
    "ops.logical_and(b, b)",
    "ops.logical_and(x, b)",
    "ops.logical_not(x)",
    "ops.equal(x, 2)",
    "ops.Equal()(x, 2)",
    "ops.isfinite(x)",
    "ops.IsFinite()(x)",
    "ops.stop_gradient(x)",
    "ops.BatchMatMul(transpose_b=True)(x[None], x[None])",
    "ops.MatMul(False, True)(x, x)",
    "ops.MatMul()(x[None], x[None])",
    "ops.MatMul()(x, x)",
    "ops.stack((v, v))",
    "ops.flatten(x[None]).shape",
    "ops.bmm(x[None], x.T[None]).shape",
]

CELLS = [
    "[p.name for p in B().get_parameters()]",
    "[n for n, _ in B().parameters_and_names()]",
    "[n for n, _ in B().cells_and_names()]",
    "list(B().parameters_dict())",
    "B()",
    "[p.name for p in B(False).get_parameters()]",
    "[p.name for p in Pair().get_parameters()]",
    "[p.name for p in Clash().get_parameters()]",
    "Clash().check_names()",
    "[p.name for p in ParameterTuple([P('a'), P('b')]).clone('acc')]",
    "ParameterTuple([P('a'), P('a')])",
    "ParameterTuple([P('a'), 3])",
    "B().nope",
    "nn.SequentialCell([nn.Dense(1, 1), nn.ReLU()])",
    "nn.SequentialCell(3)",
    "nn.CellList([3])",
    "nn.Cell()(1)",
    "setattr(A(), 'z', 3)",
    "P('w')",
    "str(P('w'))",
    "P('w') + 1",
    "P('w').value()",
    "P('w').set_data(Tensor([1, 2], ms.int32))",
    "P('w').set_data(3.0)",
    "Parameter(Tensor([1.]), name=3)",
    "Parameter(Tensor([1.]), requires_grad=1)",
    "Parameter(np.ones(2), name='x')",
    "nn.Dense(0, 1)",
    "nn.Dense(1., 1)",
    "nn.Dense(2, 1, weight_init=Tensor(np.ones((2, 1))))",
    "nn.Dense(2, 1, activation='foo')",
    "nn.Dense(2, 1, activation=3)",
    "nn.Dense(3, 4, activation='relu')",
    "nn.Dense(2, 2, has_bias=False)",
    "nn.Dense(2, 1, weight_init='ones', bias_init='zeros')(Tensor([1., 2.]))",
    "nn.Dense(2, 1, weight_init='ones', bias_init='zeros')(Tensor([[[1., 2.]]])).shape",
    "nn.Dense(2, 1)(Tensor([[1., 2., 3.]]))",
    "nn.Dense(2, 1)()",
    "nn.Dense(2, 1)(Tensor([[1., 2.]]), 3)",
    "nn.MSELoss('foo')",
    "nn.MSELoss()(Tensor([1.]), 3)",
    "nn.MSELoss()(Tensor([1., 2.]), v)",
    "nn.MSELoss('none')(Tensor([1., 2.]), Tensor([[1.], [2.]]))",
    "nn.MSELoss()",
    "[n for n, _ in nn.SequentialCell(nn.Dense(3, 4), nn.ReLU()).parameters_and_names()]",
    "nn.Dense(2, 2).set_train().training",
]

GRADIENTS = [
    "ms.grad(product)(v, v)",
    "ms.grad(product, 1)(v, v)",
    "ms.grad(product, (0, 1))(v, v)",
    "ms.grad(product, (1, 0))(v, v * 2)",
    "ms.grad(product, (1,))(v, v)",
    "ms.grad(two)(v, v)",
    "ms.grad(two, (0, 1))(v, v)",
    "ms.grad(two, 0, None, True)(v, v)",
    "ms.grad(weighted, 0, [w])(v, v)",
    "ms.grad(weighted, (0, 1), [w])(v, v)",
    "ms.grad(weighted, None, [w])(v, v)",
    "ms.grad(weighted, None, w)(v, v)",
    "ms.grad(weighted, 0, w)(v, v)",
    "ms.grad(weighted, None, [w, u])(v, v)",
    "ms.grad(weighted_one, None, frozen)(v)",
    "ms.grad(unused, (0, 1))(v, h)",
    "ms.value_and_grad(product)(v, v)",
    "ms.value_and_grad(weighted, (0, 1), [w])(v, v)",
    "ms.value_and_grad(loss, None, [w], True)(v)",
    "ms.value_and_grad(nested)(v)",
    "ms.value_and_grad(aux, has_aux=True)(v)",
    "ms.grad(optional)(v)",
    "ms.grad(optional)(v, v)",
    "ms.grad(product)(v, 2.0)",
    "ms.grad(product, 1)(v)",
    "ms.grad(square, 1)(v)",
    "ms.grad(product, (0, 0))(v, v)",
    "ms.grad(product, -1)(v, v)",
    "ms.grad(product, 'a')(v, v)",
    "ms.grad(product, 1.0)(v, v)",
    "ms.grad(product, 0, None, 1)(v, v)",
    "ms.grad(product, None, None)",
    "ms.grad(product, (0, 1), None, False, True)(v, v)",
    "ms.grad(product, 0, None, False, True)(v, v)",
    "ms.grad(weighted, 0, [w], False, True)(v, v)",
    "ms.get_grad(ms.grad(weighted, 0, [w], False, True)(v, v), w)",
    "ms.get_grad(ms.grad(weighted, 0, [w], False, True)(v, v), 0)",
    "ops.GradOperation()(product)(v, v)",
    "ops.GradOperation(get_all=True)(square)(v)",
    "ops.GradOperation(get_all=True)(product)(v, v)",
    "ops.GradOperation(get_all=True, sens_param=True)(two)(v, v, (v, v))",
    "ops.GradOperation(sens_param=True)(product)(v, v)",
    "ops.GradOperation(sens_param=True)(product)(v, v, v[:2])",
    "ops.GradOperation(sens_param=True)(product)(v, v, i)",
    "ops.GradOperation(get_all=1)",
    "ops.GradOperation(get_by_list=True)(weighted_one, ParameterTuple([w]))(v)",
    "ops.GradOperation(get_by_list=True)(weighted_one, w)(v)",
    "ops.GradOperation(get_all=True, get_by_list=True)(weighted_one, ParameterTuple([w]))(v)",
    "ops.GradOperation()(weighted_one, ParameterTuple([w]))(v)",
    "ms.jvp(product, (v, v), (v, v))",
    "ms.jvp(square, v, v)",
    "ms.vjp(square, v)[0]",
    "ms.vjp(square, v)[1](v)",
    "ms.vjp(two, v, v)[1](v, v)",
    "ms.vjp(weighted_one, v, weights=ParameterTuple([w]))[1](v)",
    "ms.grad(square)(h)",
    "ms.grad(product, (0, 1))(v[:2], h)",
]

ALL = {
    "tensor": TENSOR,
    "ops": OPS,
    "cells": CELLS,
    "gradients": GRADIENTS,
    "pointwise": pointwise_cases.VALUES,
    "pointwise_gradients": pointwise_cases.GRADIENTS,
}
GRAPH = ("gradients", "cells", "pointwise_gradients")  # recorded in graph mode
# What MindSpore's own kernels are good to, where it is less than float32.
TOLERANCE = {"pointwise": (3e-5, 5e-6), "pointwise_gradients": (3e-5, 5e-6)}
TOLERANCE["resized by cubics"] = (2e-3, 5e-4)  # a table of 1024 places
