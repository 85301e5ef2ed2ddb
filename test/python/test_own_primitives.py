"""Primitives that a program defines with `prim_attr_register`: what they keep is as in MindSpore 2.10 (golden)."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.ops import auto_generate
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


ROWS = np.array([[3, -7, 5, 2, -9, 4, 8, -1], [0, 6, -2, 1, 1, 9, -5, 7]])


def rolled(x, window, least, center, closed, method):
    """Along the last dimension, window by window."""
    functions = {"std": lambda v: v.std(ddof=1), "var": lambda v: v.var(ddof=1)}
    out = np.full(x.shape, np.nan if x.dtype.kind == "f" else 0, np.float64)
    for row, values in enumerate(x):
        for i in range(len(values)):
            end = i + 1 + ((window - 1) // 2 if center else 0)
            start = end - window - (closed in ("left", "both"))
            end -= closed in ("left", "neither")
            part = values[max(start, 0) : max(end, 0)].astype(np.float64)
            if len(part) >= least:
                out[row, i] = functions.get(method, getattr(np, method, None))(part)
    return out.astype(x.dtype)


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("method", ["max", "min", "mean", "sum", "std", "var"])
@pytest.mark.parametrize(
    "how", [(3, 3, False, "right"), (4, 2, True, "both"), (5, 2, True, "neither")]
)
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_rolling_is_computed_window_by_window(method, how, dtype):
    class Rolling(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self, window, min_periods, center, axis, closed, method):
            pass

    window, least, center, closed = how
    x = ROWS.astype(dtype)
    wanted = rolled(x, *how, method)
    for axis, given in ((-1, x), (0, x.T.copy())):
        net = Net(Rolling(window, least, center, axis, closed, method))
        out = net(Tensor(given)).asnumpy()
        np.testing.assert_allclose(out if axis else out.T, wanted, rtol=1e-12)
        if dtype is np.float64:
            slope = ms.grad(lambda v, f=net: ops.nansum(f(v) * 2))(Tensor(given)).asnumpy()
            moved = given.copy()
            moved[1, 1] += 1e-6
            rise = np.nansum(rolled(moved if axis else moved.T, *how, method) - wanted) * 2e6
            assert slope[1, 1] == pytest.approx(rise, rel=1e-5, abs=1e-5)


def test_rolling_refuses_what_has_no_meaning():
    rolling = ops.operations.Rolling
    with pytest.raises(ValueError, match="'window'"):
        rolling(0, 1, False, 0, "right", "max")
    with pytest.raises(ValueError, match="'method'"):
        rolling(3, 1, False, 0, "right", "median")
    with pytest.raises(RuntimeError, match="needs two elements"):
        rolling(3, 1, False, 0, "right", "std")(Tensor([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)])
@pytest.mark.parametrize("mode", ["full", "economic"])
def test_qr_by_its_name(shape, mode):
    class QR(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self, mode="full"):
            pass

    x = np.random.default_rng(1).standard_normal(shape)
    q, r = Net(QR(mode))(Tensor(x))
    wanted = np.linalg.qr(x, "complete" if mode == "full" else "reduced")
    for a, b in zip((q, r), wanted, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b, atol=1e-12)


@pytest.mark.usefixtures("mode")
def test_vectors_that_are_padded_and_dealt_out():
    """As the examples of MindSpore's documentation have it."""
    pad, deal = ops.operations.PadAndShift(), ops.operations.MapUniform()
    x = Tensor(np.array([9, 13, -1, -1], np.int32))
    shifted = ms.jit(lambda x, ends: pad(x, ends, 1))
    assert shifted(x, Tensor([0, 3, 5])).asnumpy().tolist() == [-1, -1, -1, 9, 13]
    assert shifted(x, Tensor([1, 2, 4])).asnumpy().tolist() == [-1, -1, 9, 13]
    given = Tensor([1.0, 2.0, 3.0])
    slope = ms.grad(lambda v: (pad(v, Tensor([0, 1, 3]), 1) * Tensor([5.0, 6.0, 7.0])).sum())(given)
    assert slope.asnumpy().tolist() == [6, 7, 0]
    with pytest.raises(ValueError, match="ends in order, at most 4 apart at 1"):
        pad(x, Tensor([0, 3, 9]), 1)
    assert deal(Tensor([0, 1, 2, 3, 6, 7]), 4, 2).asnumpy().tolist() == [0, 4, 1, 5, 3, 7]


def test_where_shapes_begin_in_what_they_are_joined_to(mode):
    begin = ops.operations.ConcatOffsetV1()
    shapes = [Tensor([1, n, 3], ms.int32) for n in (2, 5, 4)]

    class Begin(nn.Cell):
        def construct(self, axis, *parts):
            return begin(axis, parts)

    for axis in (1, -2):  # golden
        out = Begin()(Tensor(axis, ms.int32), *shapes)
        assert [v.asnumpy().tolist() for v in out] == [[0, 0, 0], [0, 2, 0], [0, 7, 0]]
        assert {v.dtype for v in out} == {ms.int32}
    with pytest.raises(IndexError, match="range"):
        Begin()(Tensor(3, ms.int32), *shapes)
    with pytest.raises(ValueError, match="two Tensors at least"):
        Begin()(Tensor(0, ms.int32), shapes[0])


def test_rows_of_a_cache(mode):
    """Rows whose index is negative, `max_num` or above are not written."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.update = ops.operations.UpdateCache()
            self.x = ms.Parameter(Tensor(np.arange(10.0).reshape(5, 2), ms.float32))

        def construct(self, indices, updates, max_num=9999):
            return self.update(self.x, indices, updates, max_num)

    net, new = Net(), Tensor([[7.0, 7.0], [8.0, 8.0], [9.0, 9.0]], ms.float32)
    out = net(Tensor([[-1, 3, 4]], ms.int32), new)
    assert out.asnumpy().tolist() == [0] and out.dtype is ms.float32  # golden
    rows = [[0, 1], [2, 3], [4, 5], [8, 8], [9, 9]]
    assert net.x.asnumpy().tolist() == rows  # golden
    net(Tensor([4, 3, 0], ms.int32), new, 3)
    assert net.x.asnumpy().tolist() == [[9, 9], *rows[1:]]
    with pytest.raises(IndexError, match="range"):
        net(Tensor([0, 1, 5], ms.int32), new)
    with pytest.raises(ValueError, match="of the elements of shape"):
        net(Tensor([0, 1], ms.int32), new)
    with pytest.raises(TypeError, match="same dtype"):
        net(Tensor([0, 1, 2], ms.int32), new.astype(ms.float64))


def test_least_squares_and_their_gradients(mode):
    draw = np.random.default_rng(0)
    a, b, dx = (draw.standard_normal(s) for s in ((2, 4, 2), (2, 4, 3), (2, 2, 3)))
    solve, slope = auto_generate.lstsq_v2_op, auto_generate.lstsq_v2_grad_op
    solution, _, rank, _ = solve(Tensor(a), Tensor(b))
    inverse = np.linalg.pinv(a)
    np.testing.assert_allclose(solution.asnumpy(), inverse @ b, rtol=1e-10)
    assert rank.asnumpy().tolist() == [2, 2]
    da, db = slope(Tensor(dx), Tensor(a), Tensor(b))
    turned = np.swapaxes(inverse, -1, -2)
    np.testing.assert_allclose(db.asnumpy(), turned @ dx, rtol=1e-9)
    rest, normal = b - a @ inverse @ b, inverse @ turned
    wanted = rest @ np.swapaxes(dx, -1, -2) @ normal - turned @ dx @ np.swapaxes(
        inverse @ b, -1, -2
    )
    np.testing.assert_allclose(da.asnumpy(), wanted, rtol=1e-8, atol=1e-10)
    single = slope(Tensor(dx[..., 0]), Tensor(a), Tensor(b[..., 0]))
    column = slope(Tensor(dx[..., :1]), Tensor(a), Tensor(b[..., :1]))
    np.testing.assert_allclose(single[0].asnumpy(), column[0].asnumpy(), rtol=1e-12)
    np.testing.assert_allclose(single[1].asnumpy(), column[1].asnumpy()[..., 0], rtol=1e-12)


def test_slices_that_are_copied_by_their_name():
    copy = auto_generate.TensorCopySlices()
    out = copy(ops.zeros((3, 2)), ops.ones((2, 2)), (1, 0), (3, 2), (1, 1))
    assert out.asnumpy().tolist() == [[0, 0], [1, 1], [1, 1]]


def test_settings_that_change_nothing(mode):
    """Scripts for MindSpore's graph compiler call them; each gives the Primitive."""
    sine = ops.Sin().recompute().set_stage(0).set_prim_instance_name("first").set_device("CPU")
    assert sine.attrs == {"recompute": True, "stage": 0} and sine.instance_name == "first"
    assert sine.del_prim_attr("stage").del_prim_attr("none").attrs == {"recompute": True}
    x = Tensor([0.5, 2.0])
    np.testing.assert_allclose(ms.grad(sine)(x).asnumpy(), np.cos([0.5, 2.0]), rtol=1e-6)
    with pytest.raises(TypeError, match="'mode' must be a bool"):
        sine.recompute(1)
