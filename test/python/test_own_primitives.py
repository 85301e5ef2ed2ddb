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


class Filled(Net):
    def construct(self, x):
        return self.scale(x, 9.0)


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
    class Unheard(ops.PrimitiveWithCheck):
        @ops.prim_attr_register
        def __init__(self):
            pass

        def check_shape(self, x):
            pass

    with pytest.raises(
        RuntimeError, match=r"Unsupported op \[Unheard\] on CPU(?s:.*)define __call__"
    ):
        Net(Unheard())(Tensor([1.0]))


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


TWO, THREE = Tensor(2.0), Tensor(3.0)


def by_default(a, b=TWO, *, c=THREE):
    return ops.sin(a) * b * c


def of_shapes(*given):
    raise AssertionError("shapes are those of the function")


X = np.array([0.5, -1.0, 2.0], np.float32)
W = np.array([3.0, 4.0, 5.0], np.float32)


class Morphed(nn.Cell):
    def __init__(self, morph):
        super().__init__()
        self.weight = ms.Parameter(Tensor(W), name="weight")
        self.morph = morph

    def construct(self, x):
        return self.morph(x * self.weight, c=Tensor(7.0)) * x


def test_morph_is_its_function_in_compiled_code():
    net = Morphed(ops.Morph(by_default, of_shapes, of_shapes))
    out, (dx, (dw,)) = ms.jit(ms.value_and_grad(net, 0, net.trainable_params()))(Tensor(X))
    np.testing.assert_allclose(out.asnumpy(), 14 * np.sin(X * W) * X, rtol=2e-6)
    slope = 14 * np.cos(X * W) * X
    np.testing.assert_allclose(dx.asnumpy(), slope * W + 14 * np.sin(X * W), rtol=4e-6)
    np.testing.assert_allclose(dw.asnumpy(), slope * X, rtol=4e-6)


def test_morph_has_the_derivative_it_is_given():
    def rule(a, b, out, dout):
        return dout * b * 100, dout * out

    def product(a, b):
        return a * b

    morph = ops.Morph(product, of_shapes, of_shapes, rule)
    da, db = ms.jit(ms.grad(lambda a, b: morph(b=b, a=a), (0, 1)))(Tensor(X), Tensor(W))
    np.testing.assert_allclose(da.asnumpy(), 100 * W)
    np.testing.assert_allclose(db.asnumpy(), X * W)


def test_morph_is_refused_elsewhere():
    morph = ops.Morph(by_default, of_shapes, of_shapes)
    with pytest.raises(RuntimeError, match="Morph is only supported in GRAPH_MODE"):
        morph(Tensor(X))
    with pytest.raises(ValueError, match=r"no default, but got 'b="):
        ops.Morph(by_default, of_shapes, of_shapes, of_shapes)
    with pytest.raises(TypeError, match="'fn' must be a function, but got int"):
        ops.Morph(1, of_shapes, of_shapes)


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("periods, axis", [(1, 0), (-2, 1), (7, 1), (0, 0)])
def test_one_without_a_computation_is_that_of_its_name(periods, axis):
    class Shift(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self, periods=1, axis=-1):
            self.init_prim_io_names(inputs=["x", "fill_value"], outputs=["output"])

        def infer_shape(self, x, fill_value):
            return x

    x = np.arange(12.0, dtype=np.float32).reshape(3, 4) - 20
    wanted = np.full_like(x, 9.0)
    for i in range(x.shape[axis]):
        if 0 <= i - periods < x.shape[axis]:
            wanted[(slice(None),) * axis + (i,)] = x.take(i - periods, axis)
    net = Filled(Shift(periods, axis))
    np.testing.assert_array_equal(net(Tensor(x)).asnumpy(), wanted)
    counts = ms.grad(lambda v: net(v).sum())(Tensor(x)).asnumpy()
    assert counts.sum() == (12 if periods == 0 else (wanted != 9.0).sum())
