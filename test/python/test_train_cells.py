"""Training steps as Cells: trajectories against float64 numpy, loss scales and skipped steps, state
in place, clipping, and mistakes.
"""

import numpy as np
import pytest
from messages import said
from on_gpu import assert_same_sums

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.compile import eager as _eager
from cellgrad.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((16, 3))
Y = X @ [[1.0], [-2.0], [0.5]] + 0.3
START = RANDOM.standard_normal((1, 3))


def linear(loss_scale=1.0, momentum=0.9):
    net = nn.Dense(3, 1, weight_init=Tensor(START, ms.float32), bias_init="zeros")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, momentum, loss_scale=loss_scale)
    return nn.WithLossCell(net, nn.MSELoss()), optimizer


def reference(steps, skipped=()):
    """The losses, and the weight and bias after them, of gradient descent with momentum."""
    w, b = START.copy(), np.zeros(1)
    v = [np.zeros_like(w), np.zeros_like(b)]
    losses = []
    for i in range(steps):
        error = X @ w.T + b - Y
        losses.append((error**2).mean())
        if i in skipped:
            continue
        gradients = [2 * (error * X).mean(0, keepdims=True), 2 * error.mean(0)]
        v = [0.9 * m + g for m, g in zip(v, gradients)]
        w, b = w - 0.1 * v[0], b - 0.1 * v[1]
    return losses, w, b


BATCH = Tensor(X, ms.float32), Tensor(Y, ms.float32)


def check(optimizer, losses, steps, skipped=()):
    wanted, w, b = reference(steps, skipped)
    np.testing.assert_allclose([float(x) for x in losses], wanted, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(optimizer.parameters[0].asnumpy(), w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(optimizer.parameters[1].asnumpy(), b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("sens", [None, 8.0])
def test_one_step(sens, mode):
    network, optimizer = linear(sens or 1.0)
    step = nn.TrainOneStepCell(network, optimizer, sens)
    ms.set_context(mode=mode)
    try:
        check(optimizer, [step(*BATCH) for _ in range(10)], 10)
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


def test_gradients_by_name():
    network, optimizer = linear()
    loss, gradients = nn.TrainOneStepCell(network, optimizer, return_grad=True)(*BATCH)
    error = X @ START.T - Y
    assert list(gradients) == ["weight", "bias"]
    np.testing.assert_allclose(float(loss), (error**2).mean(), rtol=1e-6)
    np.testing.assert_allclose(gradients["bias"].asnumpy(), 2 * error.mean(0), rtol=1e-5)


class SeedTrainOneStepCell(nn.Cell):
    """The training Cell that MindSpore's guide writes out."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = self.optimizer.parameters
        self.reducer_flag = False
        self.grad_reducer = ops.identity
        self.parallel_mode = _get_parallel_mode()
        self.reducer_flag = self.parallel_mode in (
            ms.ParallelMode.DATA_PARALLEL,
            ms.ParallelMode.HYBRID_PARALLEL,
        )
        if self.reducer_flag:
            self.mean = _get_gradients_mean()
            self.degree = _get_device_num()
            self.grad_reducer = nn.DistributedGradReducer(self.weights, self.mean, self.degree)

    def construct(self, *inputs):
        loss, grads = ms.value_and_grad(self.network, grad_position=None, weights=self.weights)(
            *inputs
        )
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        return loss


def test_the_guides_training_cell():
    network, optimizer = linear()
    step = SeedTrainOneStepCell(network, optimizer)
    check(optimizer, [step(*BATCH) for _ in range(10)], 10)


_grad_scale = ops.MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * ops.cast(ops.Reciprocal()(scale), ops.dtype(grad))


class MyTrainOneStepCell(nn.TrainOneStepWithLossScaleCell):
    """The training Cell with clipping that MindSpore's guide writes out."""

    def __init__(self, network, optimizer, scale_sense=1, grad_clip=False):
        if isinstance(scale_sense, (int, float)):
            scale_sense = nn.FixedLossScaleUpdateCell(scale_sense)
        super().__init__(network, optimizer, scale_sense)
        self.grad_clip = grad_clip

    def construct(self, x, img_shape, gt_bboxe, gt_label, gt_num):
        weights = self.weights
        loss = self.network(x, img_shape, gt_bboxe, gt_label, gt_num)
        scaling_sens = self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        scaling_sens_filled = ops.ones_like(loss) * ops.cast(scaling_sens, ops.dtype(loss))
        grads = self.grad(self.network, weights)(
            x, img_shape, gt_bboxe, gt_label, gt_num, scaling_sens_filled
        )
        grads = self.hyper_map(ops.partial(_grad_scale, scaling_sens), grads)
        if self.grad_clip:
            grads = ops.clip_by_global_norm(grads)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        if not overflow:
            self.optimizer(grads)
        return loss, cond, scaling_sens.value()


class FiveInputs(nn.Cell):
    """Passes the first and the third of five inputs on."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, x, img_shape, gt_bboxe, gt_label, gt_num):
        return self.network(x, gt_bboxe)


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_the_guides_cell_with_a_branch_on_overflow(mode, clip):
    network, optimizer = linear()
    update = nn.DynamicLossScaleUpdateCell(4.0, 4, 100)
    step = MyTrainOneStepCell(FiveInputs(network), optimizer, update, clip)
    one = Tensor(1.0)
    ms.set_context(mode=mode)
    losses = []
    try:
        for i in range(6):
            if i in (2, 4):
                before = step.scale_sense.asnumpy().copy()
                step.set_sense_scale(Tensor(3e38, ms.float32))
            loss, overflow, _ = step(BATCH[0], one, BATCH[1], one, one)
            assert bool(overflow) == (i in (2, 4))
            if i in (2, 4):
                step.set_sense_scale(Tensor(before))
            losses.append(loss.asnumpy().copy())
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)
    assert optimizer.global_step.asnumpy() == [4]
    if clip:
        assert losses[0] > losses[1] > losses[2] == losses[3] > losses[4] == losses[5]
    else:
        check(optimizer, losses, 6, skipped=(2, 4))


def guides_step():
    network, optimizer = linear()
    update = nn.DynamicLossScaleUpdateCell(4.0, 4, 100)
    return MyTrainOneStepCell(FiveInputs(network), optimizer, update, True), optimizer


@pytest.mark.parametrize("jit", [False, True])
def test_the_guides_cell_is_one_compiled_function(jit):
    """Also inside a function of one's own: loss, gradients, clipping, the scale, the branch and the
    update are one program, and the state stays where it is.
    """
    step, optimizer = guides_step()
    one = Tensor(1.0)
    run = ms.jit(lambda x, y: step(x, one, y, one, one)) if jit else step
    inputs = BATCH if jit else (BATCH[0], one, BATCH[1], one, one)
    run(*inputs)
    state = list(step.get_parameters())
    buffers, others = [p._buf for p in state], set(_eager.programs)
    for i in range(4):
        if i == 2:
            step.set_sense_scale(Tensor(3e38, ms.float32))
        before = [p.asnumpy().copy() for p in optimizer.parameters]
        overflow = run(*inputs)[1]
        assert bool(overflow) == (i == 2)
        kept = [(p.asnumpy() == b).all() for p, b in zip(optimizer.parameters, before)]
        assert all(kept) if i == 2 else not any(kept)
    moved = [p.name for p, b in zip(state, buffers) if p._buf is not b]
    assert moved in ([], ["scale_sense"])  # which was set from Python
    assert set(_eager.programs) == others  # nothing ran by itself
    program = run.program if jit else step._jit_program
    assert len(program.cache) == 1
    assert float(step.scale_sense) == np.float32(3e38) / 4


def test_the_guides_cell_is_exported_as_it_is(tmp_path):
    step, _ = guides_step()
    one = Tensor(1.0)
    inputs = (BATCH[0], one, BATCH[1], one, one)
    ms.export(
        step.network,
        *inputs,
        file_name=str(tmp_path / "guide"),
        value_and_grad=False,
        step=step,
    )
    header = (tmp_path / "guide.h").read_text()
    assert '"overflow": bool[], where it is 1 the entry returns CG_SKIPPED' in header
    model = ms.load(str(tmp_path / "guide"))
    for _ in range(3):
        for a, b in zip(model.train_step(*inputs), step(*inputs)):
            assert_same_sums(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)
    for p in step.get_parameters():
        if p.name in model.parameters:
            assert_same_sums(model.parameters[p.name].asnumpy(), p.asnumpy(), rtol=1e-5, atol=1e-6)


class Accumulator:
    """Gradient accumulation as MindSpore's guide writes it out."""

    def __init__(self, optimizer, accumulate_step):
        self.optimizer = optimizer
        self.inner_grads = optimizer.parameters.clone(prefix="accumulate_", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros_", init="zeros")
        self.counter = Parameter(Tensor(1, ms.int32), "counter_")
        self.accumulate_step = accumulate_step
        self.map = ops.HyperMap()

    def __call__(self, grads):
        self.map(ops.partial(ops.assign_add), self.inner_grads, grads)
        if self.counter % self.accumulate_step == 0:
            self.optimizer(self.inner_grads)
            self.map(ops.partial(ops.assign), self.inner_grads, self.zeros)
        ops.assign_add(self.counter, Tensor(1, ms.int32))
        return True


def test_gradients_accumulate_over_parts_of_a_batch():
    network, optimizer = linear()
    accumulator = Accumulator(optimizer, 4)
    gradient = ms.value_and_grad(
        lambda x, y: network(x, y) / accumulator.accumulate_step, None, optimizer.parameters
    )

    @ms.jit
    def train_step(x, y):
        loss, grads = gradient(x, y)
        accumulator(grads)
        return loss

    losses = []
    for _ in range(5):
        parts = [train_step(*(t[i : i + 4] for t in BATCH)) for i in range(0, 16, 4)]
        losses.append(sum(float(p) for p in parts))
    check(optimizer, losses, 5)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_dynamic_scale_doubles_after_its_window(mode):
    network, optimizer = linear()
    step = nn.TrainOneStepWithLossScaleCell(
        network, optimizer, nn.DynamicLossScaleUpdateCell(256.0, 2, 2)
    )
    ms.set_context(mode=mode)
    try:
        out = [[t.asnumpy().copy() for t in step(*BATCH)] for _ in range(5)]
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)
    check(optimizer, [loss for loss, _, _ in out], 5)
    assert [bool(overflow) for _, overflow, _ in out] == [False] * 5
    assert [float(scale) for _, _, scale in out] == [256, 512, 512, 1024, 1024]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_step_that_overflows_changes_the_scale_alone(mode):
    network, optimizer = linear()
    step = nn.TrainOneStepWithLossScaleCell(
        network, optimizer, nn.DynamicLossScaleUpdateCell(4.0, 4, 100)
    )
    ms.set_context(mode=mode)
    losses, scales = [], []
    try:
        for i in range(6):
            if i in (2, 4):
                before = step.scale_sense.asnumpy().copy()
                step.set_sense_scale(Tensor(3e38, ms.float32))
            loss, overflow, _ = step(*BATCH)
            assert bool(overflow) == (i in (2, 4))
            if i in (2, 4):
                assert float(step.scale_sense) == np.float32(3e38) / 4
                step.set_sense_scale(Tensor(before))
            losses.append(loss.asnumpy().copy())
            scales.append(float(step.scale_sense))
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)
    check(optimizer, losses, 6, skipped=(2, 4))
    assert optimizer.global_step.asnumpy() == [4]


def test_the_scale_does_not_fall_below_one():
    update = nn.DynamicLossScaleUpdateCell(2.0, 4, 10)
    scale = Parameter(Tensor(2.0), name="scale")

    @ms.jit
    def overflow_step():
        return update(scale, Tensor(True))

    assert bool(overflow_step())
    assert float(scale) == 1.0 and update.get_loss_scale() == 2.0
    assert int(update.last_overflow_iter) == 1 and int(update.cur_iter) == 2


@pytest.mark.parametrize(
    "scale", [nn.FixedLossScaleUpdateCell(128), Tensor([128.0]), Tensor(128.0)]
)
def test_a_fixed_scale(scale):
    network, optimizer = linear()
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale)
    out = [step(*BATCH) for _ in range(5)]
    check(optimizer, [loss for loss, _, _ in out], 5)
    assert out[0][2].asnumpy().ravel().tolist() == [128.0]


def test_state_is_updated_in_place():
    network, optimizer = linear()
    step = nn.TrainOneStepWithLossScaleCell(
        network, optimizer, nn.DynamicLossScaleUpdateCell(256.0, 2, 2)
    )
    step(*BATCH)
    state = list(step.get_parameters())
    buffers = [p._buf for p in state]
    for _ in range(3):
        step(*BATCH)
    assert all(p._buf is b for p, b in zip(state, buffers))
    assert [p.name for p in state] == [
        *("weight", "bias", "scale_sense", "global_step", "learning_rate", "momentum"),
        *("moments.weight", "moments.bias"),
        *("current_iterator_step", "last_overflow_iterator_step"),
    ]


class Counting(nn.Cell):
    """A network with state of its own."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network
        self.calls = Parameter(Tensor(0, ms.int32), name="calls", requires_grad=False)

    def construct(self, x, y):
        ops.assign(self.calls, self.calls + 1)
        return self.network(x, y)


@pytest.mark.parametrize("scaled", [False, True])
def test_the_state_of_a_network_is_updated_once_a_step(scaled):
    network, optimizer = linear()
    counting = Counting(network)
    if scaled:
        step = nn.TrainOneStepWithLossScaleCell(counting, optimizer, Tensor(8.0))
    else:
        step = nn.TrainOneStepCell(counting, optimizer)
    for _ in range(3):
        step(*BATCH)
    assert int(counting.calls) == 3


def test_wrappers():
    network, optimizer = linear()
    net = network.backbone_network
    loss, out, label = nn.WithEvalCell(net, nn.MSELoss(), True)(
        BATCH[0], BATCH[1].astype(ms.float16)
    )
    assert out.dtype is ms.float32 and label.dtype is ms.float32
    np.testing.assert_allclose(float(loss), float(network(*BATCH)), rtol=1e-3)
    wanted = ms.grad(network, None, net.trainable_params())(*BATCH)
    for gradients in (
        nn.WithGradCell(net, nn.MSELoss())(*BATCH),
        nn.WithGradCell(network)(*BATCH),
        [g / 2 for g in nn.WithGradCell(network, sens=Tensor(2.0))(*BATCH)],
        nn.ForwardValueAndGrad(network, net.trainable_params(), get_by_list=True)(*BATCH)[1],
        nn.ForwardValueAndGrad(
            network, net.trainable_params(), get_by_list=True, get_all=True, sens_param=True
        )(*BATCH, Tensor(1.0))[1][1],
    ):
        for g, w in zip(gradients, wanted):
            np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-6)
    value, gradient = nn.ForwardValueAndGrad(network)(*BATCH)
    assert float(value) == float(network(*BATCH)) and gradient.shape == (16, 3)
    reducer = nn.DistributedGradReducer(optimizer.parameters, True, 1)
    assert all(a is b for a, b in zip(reducer.construct(wanted), wanted))
    parameter = Parameter(Tensor([1.0, 2.0]), name="p")
    assert nn.ParameterUpdate(parameter)(Tensor([3.0, 4.0])).asnumpy().tolist() == [3.0, 4.0]
    assert parameter.asnumpy().tolist() == [3.0, 4.0]


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, float("inf")])
def test_clipping_by_a_norm(order):
    arrays = [RANDOM.standard_normal(s).astype(np.float32) for s in ((2, 3), (4,))]
    norm = np.linalg.norm(np.concatenate([a.ravel() for a in arrays]), order)
    for limit in (0.5, 100.0):
        clipped = ops.clip_by_norm([Tensor(a) for a in arrays], limit, order)
        assert isinstance(clipped, tuple)
        for c, a in zip(clipped, arrays):
            np.testing.assert_allclose(c.asnumpy(), a * min(limit / (norm + 1e-6), 1), rtol=1e-5)
    assert isinstance(ops.clip_by_value([Tensor(a) for a in arrays], 0, 1), tuple)
    alone = ops.clip_by_norm(Tensor(arrays[1]), 0.1, order)
    np.testing.assert_allclose(np.linalg.norm(alone.asnumpy(), order), 0.1, rtol=1e-4)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (TypeError, "'network' must be a Cell", lambda n, o: nn.TrainOneStepCell(abs, o)),
        (TypeError, "'optimizer' must be a Cell", lambda n, o: nn.TrainOneStepCell(n, None)),
        (ValueError, "'sens' can not be 0", lambda n, o: nn.TrainOneStepCell(n, o, 0)),
        (TypeError, "FixedLossScale", lambda n, o: nn.TrainOneStepWithLossScaleCell(n, o, 1.0)),
        (
            ValueError,
            "must be (1,) or ()",
            lambda n, o: nn.TrainOneStepWithLossScaleCell(n, o, Tensor([1.0, 2.0])),
        ),
        (
            TypeError,
            "'sens' must be a Tensor",
            lambda n, o: nn.TrainOneStepWithLossScaleCell(n, o, Tensor(1.0)).set_sense_scale(2.0),
        ),
        (ValueError, "'scale_window'", lambda n, o: nn.DynamicLossScaleUpdateCell(2.0, 2, 0)),
        (
            TypeError,
            "must be Parameters array",
            lambda n, o: nn.ForwardValueAndGrad(n, None, False, True),
        ),
        (TypeError, "must be a Cell or a function", lambda n, o: nn.ForwardValueAndGrad(3)),
        (TypeError, "must be a Parameter", lambda n, o: nn.ParameterUpdate(BATCH[0])),
        (TypeError, "'max_norm' must be a number", lambda n, o: ops.clip_by_norm(BATCH[0], "1")),
        (ValueError, "'norm_type' must be positive", lambda n, o: ops.clip_by_norm(BATCH[0], 1, 0)),
        (TypeError, "'x' must be a Tensor", lambda n, o: ops.clip_by_norm(3, 1)),
        (
            RuntimeError,
            "non-finite",
            lambda n, o: ops.clip_by_norm(Tensor([np.inf]), 1, error_if_nonfinite=True),
        ),
        (
            RuntimeError,
            "non-finite",
            lambda n, o: ms.jit(lambda x: ops.clip_by_norm(x, 1, 2.0, True))(Tensor([np.inf])),
        ),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call(*linear())
    assert words in said(caught.value)
