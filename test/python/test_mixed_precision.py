"""`Cell.to_float`, `amp.auto_mixed_precision`, `custom_mixed_precision`, `build_train_network` and
loss scale managers: which dtype is computed where, and that training still works.
"""

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, amp, nn, ops

X = Tensor(np.random.default_rng(0).standard_normal((8, 4)), ms.float32)


class Probe(nn.Cell):
    """Passes its input on and notes its dtype."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def construct(self, x):
        self.seen.append(x.dtype)
        return x


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        ms.set_seed(1)
        self.first = nn.Dense(4, 6)
        self.after_first = Probe()
        self.relu = ops.ReLU()
        self.tanh = nn.Tanh()
        self.after_tanh = Probe()
        self.blocks = nn.SequentialCell(nn.Dense(6, 3), Probe())

    def construct(self, x):
        x = self.after_first(self.first(x))
        x = self.after_tanh(self.tanh(self.relu(x)))
        return self.blocks(x)


def dtypes(net):
    """What flows after the first layer, after the activation, and after the last layer."""
    cells = [c for _, c in net.cells_and_names() if isinstance(c, Probe)]
    return [c.seen[-1] for c in cells]


F16, BF16, F32 = ms.float16, ms.bfloat16, ms.float32


@pytest.mark.parametrize("low", [F16, BF16])
@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_levels(level, low):
    plain = Net()(X).asnumpy()
    names = [p.name for p in Net().trainable_params()]
    net = amp.auto_mixed_precision(Net(), level, low)
    out, gradients = ms.value_and_grad(net, None, net.trainable_params())(X)
    wanted = {"O0": [F32] * 3, "O1": [F32] * 3, "O2": [low] * 3, "O3": [low] * 3}
    assert dtypes(net) == wanted[level]
    assert out.dtype is F32
    assert {g.dtype for g in gradients} == {F32}
    assert [p.name for p in net.trainable_params()] == names
    difference = np.abs(out.asnumpy() - plain).max()
    assert (difference == 0) == (level == "O0")
    assert difference < (0.01 if low is F16 else 0.08)


def test_lists_of_ones_own():
    net = amp.custom_mixed_precision(Net(), white_list=[nn.Tanh])
    assert net(X).dtype is F32 and dtypes(net) == [F32, F32, F32]
    assert isinstance(net.tanh, nn.Cell) and net.tanh._backbone.to_float_type is F16
    net = amp.custom_mixed_precision(Net(), black_list=[nn.SequentialCell], dtype=BF16)
    assert net(X).dtype is F32 and dtypes(net) == [BF16, BF16, F32]
    net = amp.custom_mixed_precision(Net(), white_list=[ops.ReLU])
    assert "ReLU" in repr(net.relu.primitive) and net.relu(X).dtype is F32
    listed = amp.get_white_list()
    assert all(c in listed for c in (nn.Dense, ops.MatMul, ops.Conv2D, ops.Conv2DTranspose))
    amp.get_white_list().clear()
    assert amp.get_white_list()


def test_to_float_converts_inputs_and_weights_but_not_state():
    class Mean(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = ms.Parameter(Tensor([1.0, 1.0]))
            self.mean = ms.Parameter(Tensor(0.0), requires_grad=False)

        def construct(self, x):
            ops.assign(self.mean, ops.mean(x))
            return x * self.weight

    cell = Mean().to_float(F16)
    x = Tensor([1.0, 1 + 2.0**-12])
    for _ in range(2):
        out = cell(x)
    assert out.dtype is F16 and out.asnumpy().tolist() == [1.0, 1.0]
    assert cell.mean.dtype is F32 and float(cell.mean) == 1.0
    assert cell.weight.dtype is F32
    assert ms.grad(cell)(x).dtype is F32
    assert cell.to_float(F32)(x).dtype is F32


@pytest.mark.parametrize("level, dtype", [("O0", F16), ("O2", F16), ("O3", BF16)])
def test_a_network_learns_in_mixed_precision(level, dtype):
    net = amp.auto_mixed_precision(Net(), level, dtype)
    y = Tensor([0, 1, 2, 0, 1, 2, 0, 1], ms.int32)
    step = amp.build_train_network(
        net, nn.Adam(net.trainable_params(), 0.02), nn.CrossEntropyLoss(), "O0",
        loss_scale_manager=ms.DynamicLossScaleManager(2**16, 2, 20),
    )  # fmt: skip
    losses = [float(step(X, y)[0]) for _ in range(80)]
    assert losses[-1] < 0.3 * losses[0]
    assert float(step.scale_sense) > 2**16


def test_build_train_network():
    y = Tensor([0, 1, 2, 0, 1, 2, 0, 1], ms.int32)

    def build(level="O0", **kwargs):
        net = Net()
        optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=kwargs.pop("loss_scale", 1.0))
        return amp.build_train_network(net, optimizer, nn.CrossEntropyLoss(), level, **kwargs)

    plain = build()
    assert type(plain) is nn.TrainOneStepCell and plain.training
    assert isinstance(build("O2"), nn.TrainOneStepWithLossScaleCell)
    fixed = build(loss_scale_manager=ms.FixedLossScaleManager(64.0, False), loss_scale=64.0)
    assert type(fixed) is nn.TrainOneStepCell
    np.testing.assert_allclose(
        [float(plain(X, y)) for _ in range(4)], [float(fixed(X, y)) for _ in range(4)], rtol=1e-5
    )
    dropping = build(loss_scale_manager=ms.FixedLossScaleManager(64.0))
    assert float(dropping(X, y)[2]) == 64.0


def test_scale_managers_count():
    manager = ms.DynamicLossScaleManager(16, 2, 3)
    scales = []
    for overflow in (False, False, False, True, False, False, False, True, True):
        manager.update_loss_scale(overflow)
        scales.append(manager.get_loss_scale())
    assert scales == [16, 16, 32, 16, 16, 16, 32, 16, 8]
    assert manager.get_drop_overflow_update()
    assert manager.get_update_cell().get_loss_scale() == 8
    fixed = ms.FixedLossScaleManager(2.0, drop_overflow_update=False)
    fixed.update_loss_scale(True)
    assert fixed.get_loss_scale() == 2.0 and fixed.get_update_cell() is None


def optimizer():
    return nn.SGD(Net().trainable_params())


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "'dst_type' must be", lambda: Net().to_float(ms.int32)),
        (TypeError, "must be a Cell", lambda: amp.auto_mixed_precision(abs, "O2")),
        (ValueError, "not supported", lambda: amp.auto_mixed_precision(Net(), "O4")),
        (
            ValueError,
            "must be float16 or bfloat16",
            lambda: amp.auto_mixed_precision(Net(), "O2", F32),
        ),
        (ValueError, "got neither", lambda: amp.custom_mixed_precision(Net())),
        (
            ValueError,
            "got both",
            lambda: amp.custom_mixed_precision(Net(), white_list=[], black_list=[]),
        ),
        (TypeError, "classes of Cells", lambda: amp.custom_mixed_precision(Net(), white_list=[1])),
        (TypeError, "must be an Optimizer", lambda: amp.build_train_network(Net(), Net())),
        (
            ValueError,
            "Unsupported arg 'fast'",
            lambda: amp.build_train_network(Net(), optimizer(), fast=True),
        ),
        (
            TypeError,
            "must be a LossScaleManager",
            lambda: amp.build_train_network(Net(), optimizer(), loss_scale_manager=3),
        ),
        (ValueError, "at least 1", lambda: ms.FixedLossScaleManager(0.5)),
        (ValueError, "'scale_factor' must be at least 2", lambda: ms.DynamicLossScaleManager(2, 1)),
        (TypeError, "must be an int", lambda: ms.DynamicLossScaleManager(2, 2.0)),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_flags_choose_the_type_as_mindspore_does(mode):
    """dtypes are MindSpore 2.10's, of `add_flags_recursive`."""

    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, 2, "ones")
            self.p = Parameter(Tensor([1.0, 2.0]), name="p")

        def construct(self, x):
            return self.dense(x) * self.p, self.p + 0

    ms.set_context(mode=mode)
    for flag, want in (("fp16", ms.float16), ("fp32", ms.float32)):
        for given in (ms.float16, ms.float32):
            net = Scaled().add_flags_recursive(**{flag: True})
            assert {t.dtype for t in net(ops.ones((1, 2), given))} == {want}
    net = Scaled().add_flags_recursive(fp16=True).add_flags_recursive(fp16=False)
    assert {t.dtype for t in net(ops.ones((1, 2), ms.float32))} == {ms.float32}
    half = ops.functional.mixed_precision_cast(ms.float16, [Tensor([1.0]), Tensor([1])])
    assert [t.dtype for t in half] == [ms.float16, ms.int64]


class Assigning(nn.Cell):
    """Writes Parameters in the ways that there are."""

    def __init__(self, way):
        super().__init__()
        self.b = Parameter(Tensor(np.full(3, 1.0001, np.float32)), name="b")
        self.state = Parameter(Tensor(np.ones(3, np.float32)), name="state", requires_grad=False)
        self.way = way

    def construct(self, w):
        if self.way == "assign":
            ops.assign(self.b, w)
            ops.assign(self.state, w)
        elif self.way == "attribute":
            self.b = w
        elif self.way == "assign_add":
            ops.assign_add(self.b, w)
        elif self.way == "augmented":
            self.b += w
        elif self.way == "element":
            self.b[1] = w[0]
        else:
            self.b.copy_(w)
        return self.b * 2


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    "way, after",  # as in MindSpore's PyNative mode, whose `copy_` alone does not write here
    [
        ("assign", [2.5, 2.5, 2.5]),
        ("attribute", [2.5, 2.5, 2.5]),
        ("assign_add", [3.5001, 3.5001, 3.5001]),
        ("augmented", [3.5, 3.5, 3.5]),
        ("element", [1.0001, 2.5, 1.0001]),
        ("copy_", [2.5, 2.5, 2.5]),
    ],
)
def test_parameters_are_written_in_a_lower_precision(mode, way, after):
    ms.set_context(mode=mode)
    net = Assigning(way).to_float(ms.float16)
    out = net(Tensor(np.full(3, 2.5, np.float32)))
    assert out.dtype == ms.float16 and net.b.dtype == ms.float32
    np.testing.assert_allclose(net.b.asnumpy(), after, rtol=1e-7)
    np.testing.assert_allclose(out.asnumpy(), 2 * np.array(after), rtol=1e-3)
    np.testing.assert_allclose(net.state.asnumpy(), 2.5 if way == "assign" else 1)
    net.b.set_data(Tensor(np.ones(3, np.float32)))
    out[0] = 7.0
    assert net.b.asnumpy().tolist() == [1, 1, 1]
