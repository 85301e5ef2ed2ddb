"""Optimizers: trajectories against real MindSpore (`goldens/record_optimizers.py` says how they were
recorded) and float64 numpy, compiled in place, and what is refused.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import optimizer_cases as cases  # noqa: E402
import record_lbfgs  # noqa: E402

RECORDED = json.loads((GOLDENS / "optimizers.json").read_text())


def make(expression):
    parameters = {n: Parameter(Tensor(v), name=n) for n, v in cases.start().items()}
    names = {"nn": nn, "ms": ms, "np": np, "Tensor": Tensor, "optim": ms.mint.optim}
    exec(cases.DECAY, names)
    return parameters, eval(expression, {**names, **parameters})


def step(optimizer, number):
    values = [p.asnumpy() for p in optimizer.parameters]
    optimizer(tuple(Tensor(g) for g in cases.gradients(number, values)))


@pytest.mark.parametrize("expression", cases.CASES + cases.TORCH)
def test_trajectory_is_the_recorded_one(expression):
    parameters, optimizer = make(expression)
    kept = []
    for number in range(cases.STEPS):
        step(optimizer, number)
        if number + 1 in cases.KEPT:
            kept.append(np.concatenate([p.asnumpy().ravel() for p in parameters.values()]))
    steps = optimizer.global_step if expression in cases.CASES else optimizer.state_step
    assert steps.asnumpy().ravel().tolist() == [cases.STEPS]
    np.testing.assert_allclose(kept, RECORDED[expression], rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("expression", cases.LISTS)
def test_lists_of_learning_rates_are_those_of_mindspore(expression):
    assert eval(expression, {"nn": nn}) == pytest.approx(RECORDED[expression], rel=1e-12)


# --- where MindSpore's CPU kernels are missing or wrong: numpy, in float64 --------------------


def lamb(w, g, state, t, lr=0.05, decay=0.1):
    m, v = state.setdefault("m", 0 * w), state.setdefault("v", 0 * w)
    state["m"], state["v"] = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    r = state["m"] / (1 - 0.9**t) / (np.sqrt(state["v"] / (1 - 0.999**t)) + 1e-6) + decay * w
    return w - lr * np.linalg.norm(w) / np.linalg.norm(r) * r


def nesterov(w, g, state, t, lr=0.05):
    state["m"] = 0.9 * state.get("m", 0) + g
    return w - lr * (g + 0.9 * state["m"])


def frozen_adagrad(w, g, state, t):
    return w - 0.1 * g / np.sqrt(0.5)


def ftrl(w, g, state, t, lr=0.1, l1=0.5, l2=0.01):
    n, z = state.get("n", 0.2), state.get("z", 0.0)
    state["n"] = n + g * g
    state["z"] = z + g - (np.sqrt(state["n"]) - np.sqrt(n)) / lr * w
    slope = np.sqrt(state["n"]) / lr + 2 * l2
    return np.where(abs(state["z"]) > l1, (np.sign(state["z"]) * l1 - state["z"]) / slope, 0)


def radam(w, g, state, t, lr=0.05, beta=0.9999):
    m, v = state.setdefault("m", 0 * w), state.setdefault("v", 0 * w)
    state["m"], state["v"] = 0.9 * m + 0.1 * g, beta * v + (1 - beta) * g * g
    whole, first = 2 / (1 - beta) - 1, state["m"] / (1 - 0.9**t)
    length = whole - 2 * t * beta**t / (1 - beta**t)
    if length <= 5:
        return w - lr * first
    share = (length - 4) * (length - 2) * whole / ((whole - 4) * (whole - 2) * length)
    return w - lr * first * np.sqrt(share * (1 - beta**t) / state["v"])


@pytest.mark.parametrize(
    "expression, rule",
    [
        ("ms.experimental.optim.RAdam([w, b], 0.05, (0.9, 0.9999))", radam),
        ("nn.Lamb([w, b], 0.05, weight_decay=0.1)", lamb),
        ("nn.Momentum([w, b], 0.05, 0.9, use_nesterov=True)", nesterov),
        ("nn.Adagrad([w, b], 0.5, 0.1, False)", frozen_adagrad),
        ("nn.FTRL([w, b], 0.2, 0.1, l1=0.5, l2=0.01)", ftrl),
    ],
)
def test_trajectory_is_that_of_the_formula(expression, rule):
    _, optimizer = make(expression)
    wanted = [p.asnumpy().astype(np.float64) for p in optimizer.parameters]
    states = [{} for _ in wanted]
    for number in range(cases.STEPS):
        gradients = [g.astype(np.float64) for g in cases.gradients(number, wanted)]
        optimizer(tuple(Tensor(g, ms.float32) for g in gradients))
        pairs = enumerate(zip(wanted, gradients))
        wanted = [rule(w, g, states[i], number + 1) for i, (w, g) in pairs]
    for p, w in zip(optimizer.parameters, wanted):
        np.testing.assert_allclose(p.asnumpy(), w, rtol=2e-4, atol=2e-5)


# --- state ------------------------------------------------------------------------------------


def net_and_step(make_optimizer, dtype=ms.float32):
    ms.set_seed(0)
    net = nn.SequentialCell(
        nn.Dense(5, 4, activation="tanh", dtype=dtype), nn.Dense(4, 1, dtype=dtype)
    )
    optimizer = make_optimizer(net.trainable_params())
    loss = ms.value_and_grad(lambda x, y: nn.MSELoss()(net(x), y), None, optimizer.parameters)

    @ms.jit
    def train_step(x, y):
        value, gradients = loss(x, y)
        optimizer(gradients)
        return value

    random = np.random.default_rng(0)
    x = random.standard_normal((16, 5))
    return optimizer, train_step, Tensor(x, dtype), Tensor(np.sin(x.sum(1, keepdims=True)), dtype)


@pytest.mark.parametrize("kind", [nn.Adam, nn.AdamWeightDecay, nn.RMSProp, nn.AdaMax, nn.Lamb])
def test_a_compiled_step_updates_parameters_and_slots_in_place(kind):
    optimizer, train_step, x, y = net_and_step(lambda p: kind(p, 0.01))
    first = train_step(x, y).item()
    state = list(optimizer.get_parameters())
    buffers, before = [p._buf for p in state], [p.asnumpy().copy() for p in state]
    for _ in range(30):
        last = train_step(x, y).item()
    assert last < 0.8 * first
    for p, buffer, old in zip(state, buffers, before):
        assert p._buf is buffer
        assert (p.asnumpy() != old).any() == (p.name != "learning_rate"), p.name
    assert optimizer.global_step.asnumpy() == [31]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64])
def test_parameters_keep_their_dtype(dtype):
    optimizer, train_step, x, y = net_and_step(lambda p: nn.Adam(p, 0.01), dtype)
    first = float(train_step(x, y).astype(ms.float32))
    for _ in range(20):
        last = float(train_step(x, y).astype(ms.float32))
    assert last < first
    assert {p.dtype for p in (*optimizer.parameters, *optimizer.moment1)} == {dtype}


def test_slots_have_the_names_of_mindspore():
    _, optimizer = make("nn.Adam([w, b, gamma], 0.1, use_amsgrad=True)")
    names = [p.name for p in optimizer.get_parameters()]
    assert names == [
        "global_step",
        "learning_rate",
        *("w", "b", "gamma"),
        "beta1_power",
        "beta2_power",
        *(f"{s}.{n}" for s in ("moment1", "moment2", "vhat") for n in ("w", "b", "gamma")),
    ]


def test_a_learning_rate_that_is_set_counts_without_compiling_again():
    _, optimizer = make("nn.SGD([w, b], 0.5)")
    before = optimizer.parameters[1].asnumpy().copy()
    gradients = (Tensor(np.zeros((2, 3), np.float32)), Tensor(np.ones(2, np.float32)))
    optimizer(gradients)
    compiled = list(optimizer._jit_program.cache.values())
    ops.assign(optimizer.learning_rate, Tensor(0.25))
    optimizer(gradients)
    assert list(optimizer._jit_program.cache.values()) == compiled
    np.testing.assert_allclose(optimizer.parameters[1].asnumpy(), before - 0.75, rtol=1e-6)


def test_learning_rates_of_parameters():
    parameters, optimizer = make(
        "nn.SGD([{'params': [w], 'lr': 0.5}, {'params': [b], 'lr': nn.WarmUpLR(0.1, 4)}, "
        "{'params': [gamma], 'lr': [0.1, 0.2]}])"
    )
    w, b, gamma = parameters.values()
    assert optimizer.get_lr_parameter(w).asnumpy() == 0.5
    assert isinstance(optimizer.get_lr_parameter([w, b])[1], nn.WarmUpLR)
    np.testing.assert_allclose(optimizer.get_lr_parameter(gamma).asnumpy(), [0.1, 0.2])
    with pytest.raises(ValueError, match="not in optimizer"):
        optimizer.get_lr_parameter(Parameter(Tensor(1.0)))
    with pytest.raises(TypeError, match="must be a Parameter or a list of them"):
        optimizer.get_lr_parameter("w")


def test_a_scheduler_sets_what_a_compiled_step_reads():
    parameters, optimizer = make("optim.SGD([b], 1.0)")
    scheduler = ms.experimental.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    step = ms.jit(lambda g: optimizer((g,)))
    before, ones = parameters["b"].asnumpy().copy(), Tensor(np.ones(2, np.float32))
    for _ in range(3):
        step(ones)
        scheduler.step()
    assert len(step.program.cache) == 1
    np.testing.assert_allclose(parameters["b"].asnumpy(), before - 1.75, rtol=1e-6)
    with pytest.raises(RuntimeError, match="stepped in compiled code"):
        ms.jit(lambda x: x * scheduler.step())(ones)


def test_the_last_of_listed_learning_rates_stays():
    parameters, optimizer = make("nn.SGD([b], [1.0, 0.5])")
    before = parameters["b"].asnumpy().copy()
    for _ in range(4):
        optimizer((Tensor(np.ones(2, np.float32)),))
    np.testing.assert_allclose(parameters["b"].asnumpy(), before - 2.5, rtol=1e-6)


def test_gradients_are_centralised_where_a_group_asks():
    shapes = ((2, 16), (2, 3), (4, 32, 3), (16,))
    values = [np.random.default_rng(i).random(s, np.float32) for i, s in enumerate(shapes)]
    parameters = [Parameter(Tensor(v), name=f"p{i}") for i, v in enumerate(values)]
    optimizer = nn.SGD([{"params": parameters, "grad_centralization": True}], 1.0)
    gradients = [v * v for v in values]
    optimizer(tuple(Tensor(g) for g in gradients))
    for p, v, g in zip(parameters, values, gradients):
        if v.ndim > 1 and v.shape[1] % 16 == 0:  # MindSpore's condition
            g = g - g.mean(tuple(range(1, g.ndim)), keepdims=True)
        np.testing.assert_allclose(p.asnumpy(), v - g, rtol=1e-5, atol=1e-6)


def test_an_optimizer_of_ones_own():
    class Sign(nn.Optimizer):
        def construct(self, gradients):
            gradients = self.decay_weight(self.scale_grad(gradients))
            lr = self.get_lr()
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            update = ops.MultitypeFuncGraph("update")

            @update.register("Tensor", "Tensor", "Tensor")
            def update_one(rate, w, g):
                return ops.assign(w, w - rate * ops.sign(g))

            return self.hyper_map(ops.partial(update, lr), self.parameters, gradients)

    w = Parameter(Tensor([1.0, 2.0]), name="w")
    Sign(0.5, [w])((Tensor([3.0, -3.0]),))
    assert w.asnumpy().tolist() == [0.5, 2.5]


def rosenbrock(dtype):
    """The sum of Rosenbrock's function over neighbours, its gradient, and where to start."""
    start = Tensor(np.array([-1.2, 1.0] * 4), dtype)
    x, y = Parameter(start[:5], name="x"), Parameter(start[5:], name="y")

    def valley():
        z = ops.concat((x, y))
        return ops.sum(100.0 * (z[1:] - z[:-1] ** 2) ** 2 + (1.0 - z[:-1]) ** 2)

    return ms.value_and_grad(valley, None, [x, y]), [x, y]


def test_lbfgs_needs_about_the_evaluations_that_scipy_needs():
    value_and_grad, parameters = rosenbrock(ms.float64)
    optimizer = nn.LBFGS(
        parameters, max_iter=500, max_eval=1000, history_size=10, line_search_fn="strong_wolfe"
    )
    loss = optimizer(value_and_grad)
    reference = scipy.optimize.minimize(
        scipy.optimize.rosen,
        [-1.2, 1.0] * 4,
        jac=scipy.optimize.rosen_der,
        method="L-BFGS-B",
        options={"maxcor": 10, "ftol": 1e-12},
    )
    found = np.concatenate([p.asnumpy() for p in parameters])
    np.testing.assert_allclose(found, reference.x, atol=1e-4)
    assert loss == pytest.approx(scipy.optimize.rosen(found), abs=1e-12)
    assert optimizer.state["evaluations"] < 1.5 * reference.nfev


@pytest.mark.parametrize("number", range(len(record_lbfgs.CASES)))
def test_lbfgs_takes_the_recorded_steps(number):
    """Those of PyTorch 2.13 in float64 (`goldens/record_lbfgs.py`), also where they end early."""
    a, b, *start = (Tensor(v) for v in record_lbfgs.problem())
    parameters = [Parameter(v, name=n) for v, n in zip(start, "xy")]

    def loss():
        z = ops.concat(tuple(parameters))
        return ops.sum((ops.mv(a, z) - b) ** 2) + 0.1 * ops.sum(z**4)

    case = dict(record_lbfgs.CASES[number])
    optimizer = nn.LBFGS(parameters, case.pop("lr", 1.0), **case)
    closure, kept = ms.value_and_grad(loss, None, parameters), []
    for step in range(1, 21):
        optimizer(closure)
        if step in record_lbfgs.KEPT:
            kept.append(np.concatenate([p.asnumpy() for p in parameters]))
    wanted = json.loads((GOLDENS / "lbfgs.json").read_text())[number]
    np.testing.assert_allclose(kept, wanted, rtol=1e-9, atol=1e-12)


def test_lbfgs_solves_a_quadratic():
    random = np.random.default_rng(0)
    a = random.standard_normal((6, 6))
    matrix, b = Tensor(a @ a.T + np.eye(6)), Tensor(random.standard_normal(6))
    x = Parameter(Tensor(np.zeros(6)), name="x")
    bowl = ms.value_and_grad(lambda: 0.5 * ops.sum(x * ops.mv(matrix, x)) - ops.sum(b * x), None, x)
    nn.LBFGS([x], max_iter=60, line_search_fn="strong_wolfe", tolerance_change=1e-15)(bowl)
    np.testing.assert_allclose(
        x.asnumpy(), np.linalg.solve(matrix.asnumpy(), b.asnumpy()), atol=1e-6
    )
    fixed = Parameter(Tensor(np.ones(3)), name="y")
    descent = ms.value_and_grad(lambda: ops.sum(fixed**4), None, [fixed])
    assert nn.LBFGS([fixed], 0.5, max_iter=100)(descent) < 1e-6


# --- mistakes ---------------------------------------------------------------------------------

GOOD = "[w, b, gamma]"


@pytest.mark.parametrize(
    "kind, words, expression",
    [
        (ValueError, "can not be None", "nn.Adam(None)"),
        (TypeError, "must be Iterable", "nn.Adam(w)"),
        (ValueError, "must not be empty", "nn.Adam([])"),
        (TypeError, "must be Parameter", "nn.Adam([w, 3])"),
        (ValueError, "'learning rate' must be at least", f"nn.Adam({GOOD}, -0.1)"),
        (TypeError, "LearningRateSchedule, but got Dense", f"nn.Adam({GOOD}, nn.Dense(1, 1))"),
        (ValueError, "should be 0 or 1", f"nn.Adam({GOOD}, Tensor([[0.1]]))"),
        (ValueError, "'beta1' must be in", f"nn.Adam({GOOD}, 0.1, 1.0)"),
        (TypeError, "'beta2' must be a number", f"nn.Adam({GOOD}, 0.1, beta2='x')"),
        (ValueError, "'eps' must be positive", f"nn.Adam({GOOD}, 0.1, eps=0)"),
        (KeyError, "invalid keys", f"nn.Adam({GOOD}, 0.1, lazy=True)"),
        (ValueError, "both be True", f"nn.Adam({GOOD}, use_lazy=True, use_offload=True)"),
        (ValueError, "no parameter named", f"nn.Adam({GOOD}, use_amsgrad=True, use_lazy=True)"),
        (TypeError, "'use_offload' must be a bool", f"nn.Adam({GOOD}, use_offload=1)"),
        (TypeError, "'use_nesterov' must be a bool", f"nn.Adam({GOOD}, 0.1, use_nesterov=1)"),
        (ValueError, "'weight_decay' must be at least", f"nn.Adam({GOOD}, weight_decay=-1.0)"),
        (ValueError, "'loss_scale' must be positive", f"nn.Adam({GOOD}, loss_scale=0.0)"),
        (TypeError, "'momentum' must be a number", f"nn.Momentum({GOOD}, 0.1, '0.9')"),
        (ValueError, "'momentum' must be > 0.0", f"nn.SGD({GOOD}, 0.1, nesterov=True)"),
        (TypeError, "got a Cell", f"nn.SGD({GOOD}, 0.1, weight_decay=Decay())"),
        (ValueError, "must have 2 elements", f"nn.Rprop({GOOD}, 0.1, (0.5,))"),
        (TypeError, "must be a tuple", f"nn.Rprop({GOOD}, 0.1, 0.5)"),
        (ValueError, "'step_sizes' must rise", f"nn.Rprop({GOOD}, 0.1, (0.5, 0.6))"),
        (KeyError, "must be one of", "nn.SGD([{'params': [w], 'rate': 1}])"),
        (KeyError, "needs the key 'params'", "nn.SGD([{'lr': 1.0}])"),
        (TypeError, "elements of a group", "nn.SGD([{'params': [1]}])"),
        (
            TypeError,
            "'grad_centralization' must be a bool",
            "nn.SGD([{'params': [w], 'grad_centralization': 1}])",
        ),
        (RuntimeError, "already exists", "nn.SGD([{'params': [w, b]}, {'params': [w]}])"),
        (ValueError, "only include", "nn.SGD([{'params': [w]}, {'order_params': [w], 'lr': 1}])"),
        (
            ValueError,
            "must name the Parameters",
            "nn.SGD([{'params': [w]}, {'order_params': [b]}])",
        ),
        (ValueError, "needs groups", "nn.SGD([{'order_params': [b]}])"),
        (TypeError, "must be a tuple of Tensors", "nn.SGD([w, b])(3)"),
        (ValueError, "expected 2 gradients", "nn.SGD([w, b])((w,))"),
        (TypeError, "gradient of 'b' must be a Tensor", "nn.SGD([w, b])((w, 3.0))"),
        (ValueError, "gradient of 'w' must have its shape", "nn.SGD([w, b])((b, b))"),
        (TypeError, "must be Iterable", "optim.Adam(w)"),
        (ValueError, "must not be empty", "optim.Adam([])"),
        (TypeError, "dict with 'params'", "optim.Adam([{'lr': 1}])"),
        (TypeError, "one of the params is int", "optim.Adam([1])"),
        (ValueError, "a group can set", "optim.Adam([{'params': [w], 'speed': 1}])"),
        (ValueError, "more than one parameter group", "optim.Adam([{'params': w}, {'params': w}])"),
        (ValueError, "must have no dimensions", "optim.Adam([w], Tensor([0.1]))"),
        (ValueError, "'betas' must be two", "optim.Adam([w], betas=(0.9, 1.0))"),
        (ValueError, "'nesterov' needs", "optim.SGD([w], 0.1, nesterov=True)"),
        (ValueError, "expected gradients of shapes", "optim.SGD([w, b], 0.1)((b, w))"),
        (ValueError, "'params' must not be empty", "nn.LBFGS([])"),
        (ValueError, "'line_search_fn' must be", "nn.LBFGS([w], line_search_fn='armijo')"),
        (TypeError, "the loss and its gradients", "nn.LBFGS([w])(lambda: 3)"),
        (ValueError, "expected gradients of shapes", "nn.LBFGS([w])(lambda: (1.0, (b,)))"),
        (TypeError, "write 1.0", "nn.ExponentialDecayLR(1, 0.9, 4)"),
        (ValueError, "must be positive", "nn.ExponentialDecayLR(0.1, 0.9, 0)"),
        (TypeError, "'decay_steps' must be an int", "nn.InverseDecayLR(0.1, 0.9, 4.0)"),
        (TypeError, "'is_stair' must be a bool", "nn.NaturalExpDecayLR(0.1, 0.9, 4, 1)"),
        (ValueError, "must be greater than the 'min_lr'", "nn.CosineDecayLR(0.1, 0.1, 4)"),
        (ValueError, "must be greater than the 'min_lr'", "nn.cosine_decay_lr(0.1, 0.1, 4, 1, 1)"),
        (ValueError, "must be at least 0", "nn.WarmUpLR(-0.1, 4)"),
        (ValueError, "milestones must rise", "nn.piecewise_constant_lr([3, 2], [0.1, 0.1])"),
        (
            ValueError,
            "must have as many elements, but got 1 and 2",
            "nn.piecewise_constant_lr([3], [0.1, 0.1])",
        ),
        (TypeError, "must be a tuple or list", "nn.piecewise_constant_lr(3, [0.1])"),
    ],
)
def test_mistakes_are_named(kind, words, expression):
    with pytest.raises(kind) as caught:
        make(expression)
    assert words in said(caught.value)


@pytest.mark.parametrize("clip", [False, True])
def test_lars_scales_layer_by_layer(clip, mode):
    """Momentum of scaled gradients, by numpy: MindSpore has no kernel of LARS for the CPU."""
    rng = np.random.default_rng(5)
    values = {n: rng.normal(size=(2, 3)) for n in ("w", "fc.bias")}
    params = [Parameter(Tensor(v), name=n) for n, v in values.items()]
    momentum = nn.Momentum(params, 0.5, 0.9, weight_decay=0.1, loss_scale=4.0)
    lars = nn.LARS(momentum, 1e-3, 0.2, clip)
    speed = dict.fromkeys(values, 0.0)
    for _ in range(3):
        given = {n: rng.normal(size=(2, 3)) for n in values}
        lars(tuple(Tensor(g * 4) for g in given.values()))
        for n, g in given.items():
            w = values[n]
            if n == "w":
                size = np.linalg.norm(w)
                ratio = 0.2 * size / (np.linalg.norm(g) + 0.1 * size + 1e-3)
                g = (min(ratio / 0.5, 1.0) if clip else ratio) * (g + 0.1 * w)
            speed[n] = 0.9 * speed[n] + g
            values[n] = w - 0.5 * speed[n]
    for p, w in zip(params, values.values()):
        np.testing.assert_allclose(p.asnumpy(), w, 1e-6)
    assert lars.global_step.asnumpy() == [3]


def test_lars_takes_an_optimizer():
    with pytest.raises(TypeError, match="'optimizer' must be an Optimizer"):
        nn.LARS([Parameter(Tensor([1.0]), name="w")])


def test_groups_tell_their_order_and_decays() -> None:
    a, b = (Parameter(Tensor([1.0, 2.0]), name=n) for n in "ab")
    groups = [{"params": [a], "weight_decay": 0.5}, {"params": [b], "lr": 0.25}]
    assert not nn.SGD(groups, 0.1).is_group_params_ordered
    sgd = nn.SGD([*groups, {"order_params": [b, a]}], 0.1)
    assert sgd.is_group_params_ordered and not nn.SGD([a], 0.1).is_group_params_ordered
    assert [d.asnumpy() for d in sgd.weight_decay] == [0.0, 0.5]
    sgd((Tensor([1.0, 1.0]), Tensor([1.0, 1.0])))
    assert np.allclose(a.asnumpy(), np.array([1.0, 2.0]) * 0.95 - 0.1)


def test_rates_of_groups_for_other_numbers_of_steps_are_refused() -> None:
    a, b = (Parameter(Tensor([1.0]), name=n) for n in "ab")
    with pytest.raises(ValueError, match="must have one length, but got 2 and 3"):
        nn.SGD([{"params": [a], "lr": (0.1, 0.2)}, {"params": [b]}], (0.1, 0.2, 0.3))


@pytest.mark.parametrize("kind", [nn.Adagrad, nn.Adadelta, nn.FTRL, nn.ProximalAdagrad])
def test_gradients_by_the_name_that_mindspore_has(kind):
    both = []
    for by_name in (False, True):
        w = Parameter(Tensor([1.0, -2.0]), name="w")
        optimizer, gradients = kind([w]), (Tensor([0.5, 0.25]),)
        step = ms.jit(lambda g, o=optimizer, n=by_name: o(grads=g) if n else o(g))
        step(gradients)
        both.append(w.asnumpy().tolist())
    assert both[0] == both[1] != [1.0, -2.0]
