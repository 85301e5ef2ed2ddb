"""Primitives that a program defines with `prim_attr_register`: what they keep is as in MindSpore 2.10 (golden)."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops


class Scale(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, factor, axis=3):
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x):
        return x

    def __call__(self, x):
        return ops.sin(x) * self.factor


class Net(nn.Cell):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def construct(self, x):
        return self.scale(x)


def test_what_it_keeps():
    scale = Scale(2)
    names = {"input_names": ["x"], "output_names": ["y"]}
    assert scale.attrs == {"factor": 2, "axis": 3, **names}  # golden
    assert (scale.name, scale.factor, scale.axis) == ("Scale", 2, 3)  # golden
    assert Scale(factor=1, axis=0).attrs == {"factor": 1, "axis": 0, **names}
    for arguments, text in {
        (): "missing a required argument: 'factor'",  # golden
        (1, 2, 3): "too many positional arguments",  # golden
    }.items():
        with pytest.raises(TypeError, match=text):
            Scale(*arguments)


@pytest.mark.usefixtures("mode")
def test_it_is_compiled_and_differentiated():
    x = np.array([0.5, 2.0], np.float32)
    net = Net(Scale(3))
    np.testing.assert_allclose(net(Tensor(x)).asnumpy(), np.sin(x) * 3, rtol=1e-6)
    np.testing.assert_allclose(ms.grad(net)(Tensor(x)).asnumpy(), np.cos(x) * 3, rtol=1e-6)
    net.scale = Scale(5)
    np.testing.assert_allclose(net(Tensor(x)).asnumpy(), np.sin(x) * 5, rtol=1e-6)


@pytest.mark.usefixtures("mode")
def test_one_without_a_computation_is_refused():
    class Shape(ops.PrimitiveWithCheck):
        @ops.prim_attr_register
        def __init__(self):
            pass

        def check_shape(self, x):
            pass

    with pytest.raises(
        RuntimeError, match=r"Unsupported op \[Shape\] on CPU(?s:.*)define __call__"
    ):
        Net(Shape())(Tensor([1.0]))
