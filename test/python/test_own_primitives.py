"""Primitives that a program defines with `prim_attr_register`: what they keep is as in MindSpore 2.10 (golden)."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.transforms.own_rules import bprop_getters


class Scale(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, factor, axis=3):
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x):
        return x

    def __call__(self, x):
        return ops.sin(x) * self.factor


class Line(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, factor):
        pass

    def __call__(self, x, y):
        return x * self.factor + y


@bprop_getters.register(Line)
def line_rule(self):
    """No derivative of it, so that nothing else can pass."""

    def bprop(x, y, out, dout):
        return dout * self.factor * 7, out * dout

    return bprop


class Net(nn.Cell):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def construct(self, x):
        return self.scale(x)


class Pair(Net):
    def construct(self, x, y):
        return self.scale(x, y) * 2


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


@pytest.mark.usefixtures("mode")
def test_a_rule_that_is_registered():
    """By hand: 7 factor, and the output."""
    x, y = Tensor([0.5, 2.0]), Tensor([1.0, 3.0])
    for factor in (3, 5):
        net = Pair(Line(factor))
        assert net(x, y).asnumpy().tolist() == [factor + 2.0, factor * 4.0 + 6.0]
        by_x, by_y = ms.grad(net, (0, 1))(x, y)
        assert by_x.asnumpy().tolist() == [14.0 * factor] * 2
        assert by_y.asnumpy().tolist() == [factor + 2.0, factor * 4.0 + 6.0]


@pytest.mark.parametrize("what", [ops.ReLU, "Line", Line(1), Net])
def test_rules_of_other_classes_are_refused(what):
    with pytest.raises(TypeError, match="must be a class of Primitives of the program's own"):
        bprop_getters.register(what)
