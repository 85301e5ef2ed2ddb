"""Functions that cannot be compiled as a whole: errors, or run operation by operation where that is asked
for. The numbers are those of plain Python.
"""

import warnings

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.core import context, notices
from cellgrad.experimental import optim

X = Tensor([1.0, 2.0, 4.0])
FOUR = 4


@pytest.fixture
def lax():
    ms.set_context(jit_syntax_level=ms.LAX)
    yield
    ms.set_context(jit_syntax_level=ms.STRICT)


@pytest.fixture(autouse=True)
def fresh_warnings():
    notices.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def from_numpy(x):
    return Tensor(np.sort(x.asnumpy())[::-1].copy()) + x


def other_shape(x):
    return x[:2] if x.sum() > 0 else x


def text(x):
    if x.sum() > 0:
        return "positive"
    return x


def countdown(n):
    return n if n <= 0 else countdown(n - 2)


def grows(x):
    items = [x]
    while items[-1].sum() < 100:
        items.append(items[-1] * 2)
    return items[-1], len(items)


def changes_an_array(x):
    seen = np.zeros(2)
    if x.sum() > 0:
        seen[1] = 5
    return Tensor(seen)


def sometimes(x):
    if x.sum() > 0:
        return x * 2


class Tripling:
    factor = 3


def evaluates(x):
    scale = 2  # noqa: F841
    return eval("x * scale") + x


def deletes_an_attribute(x):
    kept = Tripling()
    kept.factor = 5
    out = x * kept.factor
    del kept.factor
    return out + kept.factor


def plain(value):
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


@pytest.mark.parametrize(
    "function, given, want",
    [
        (from_numpy, X, [5, 4, 5]),
        (other_shape, X, [1, 2]),
        (other_shape, -X, [-1, -2, -4]),
        (text, X, "positive"),
        (countdown, Tensor(5), -1),
        (grows, X, [[16, 32, 64], 5]),
        (changes_an_array, X, [0, 5]),
        (sometimes, X, [2, 4, 8]),
        (evaluates, X, [3, 6, 12]),
        (deletes_an_attribute, X, [8, 13, 23]),
        (sometimes, -X, None),
        (lambda x: int(x.sum()) is FOUR + 3, X, True),
        (lambda x: f"{x.max():.1f}", X, "4.0"),
        (lambda x: np.array([1, 2, 3])[int(x[1])], X, 3),
    ],
)
def test_what_cannot_be_compiled_runs_op_by_op_where_asked_for(lax, function, given, want):
    for compiled in (ms.jit(function), ms.jit(function, fullgraph=False)):
        assert plain(compiled(given)) == want
        assert plain(compiled(given)) == want
    refused = (TypeError, RecursionError, NotImplementedError)
    with pytest.raises(refused):
        ms.jit(function, fullgraph=True)(given)
    ms.set_context(jit_syntax_level=ms.STRICT)
    with pytest.raises(refused):
        ms.jit(function)(given)
    assert plain(ms.jit(function, capture_mode="bytecode")(given)) == want


def test_a_warning_names_the_line_once(lax):
    f = ms.jit(from_numpy)
    with pytest.warns(UserWarning, match=r"'from_numpy' runs operation by operation") as given:
        f(X)
        f(Tensor([3.0]))
    words = [str(w.message) for w in given]
    assert len({w.partition("shape=")[0] for w in words}) == 1
    assert "x.asnumpy()" in words[0] and "fullgraph=True" in words[0]


def test_effects_happen_once_a_call(lax):
    kept = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = nn.Dense(3, 1, "ones", has_bias=False)
            self.count = Parameter(Tensor(0), name="count")

        def construct(self, x):
            self.count += 1
            kept.append(float(x.sum().asnumpy()))
            return self.inner(x.reshape(1, 3))

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    for k in range(3):
        assert net(X * (k + 1)).asnumpy().tolist() == [[7.0 * (k + 1)]]
    assert kept == [7.0, 14.0, 21.0] and int(net.count) == 3
    assert "_jit_program" in net.inner.__dict__  # what can be compiled is


def test_it_compiles_again_when_what_it_read_changes(lax):
    settings = {"look": True}
    looked = []

    @ms.jit
    def f(x):
        if settings["look"]:
            looked.append(x.asnumpy().sum())
        return x * 2

    f(X), f(X)
    assert looked == [7.0, 7.0]
    settings["look"] = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(X).asnumpy().tolist() == [2, 4, 8]
    settings["look"] = True
    f(X)
    assert looked == [7.0, 7.0, 7.0]


def test_gradients_of_code_that_reads_elements(lax, mode):
    for _ in range(2):  # what numpy computes is a constant
        assert plain(ms.grad(from_numpy)(X)) == [1, 1, 1]
    assert plain(ItsGradient(from_numpy)(X)[0]) == [1, 1, 1]
    if mode == ms.GRAPH_MODE:
        ms.set_context(jit_syntax_level=ms.STRICT)
        with pytest.raises(TypeError, match="needs the elements of a tensor"):
            ms.grad(from_numpy)(X)


class Kept(nn.Cell):
    """With a hook that writes a Parameter, as MindSpore's documentation keeps gradients."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")
        self.kept = Parameter(Tensor(0.0), name="kept", requires_grad=False)
        self.keep = ops.InsertGradientOf(self.keeps)

    def keeps(self, gradient):
        self.kept = self.kept + gradient.sum()
        return gradient

    def construct(self, x):
        return (self.keep(x * self.w) * x).sum()


class SevenFold(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return Tensor(dout.asnumpy() * 7)


def test_hooks_and_rules_of_gradients_that_only_python_can_run(lax, mode):
    net = Kept()  # MindSpore 2.10 gives these numbers in both modes
    for n in (1, 2):
        assert plain(ms.grad(net)(X)) == [4, 8, 16] and net.kept == 7 * n
    assert plain(ItsGradient(net)(X)[0]) == [8, 16, 32] and net.kept == 28
    assert plain(ms.grad(SevenFold())(X)) == [7, 7, 7]
    assert plain(ItsGradient(nn.SequentialCell(nn.ReLU(), SevenFold()))(X)[0]) == [7, 7, 7]
    if mode == ms.GRAPH_MODE:
        ms.set_context(jit_syntax_level=ms.STRICT)
        with pytest.raises(TypeError, match="writes Parameter 'net"):
            ms.grad(net)(X)


class Chosen(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([3.0]), name="w")

    def construct(self, x):
        return (x[x > 1] ** 2 * self.w).sum() + ops.unique(x)[0].sum()


class ItsGradient(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.grad = ops.GradOperation(get_all=True)

    def construct(self, x):
        return self.grad(self.net)(x * 2)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_shapes_that_depend_on_elements(lax, mode):
    ms.set_context(mode=mode)
    net = Chosen()
    assert plain(net(X)) == 67
    assert plain(ms.grad(net)(X)) == [1, 13, 25]
    assert plain(ItsGradient(net)(X)[0]) == [13, 25, 49]
    value, (slope,) = ms.value_and_grad(net, None, net.trainable_params())(X)
    assert plain(value) == 67 and plain(slope) == [20]
    assert plain(ms.grad(ms.grad(ms.jit(lambda x: (x[x > 1] ** 3).sum())))(X)) == [0, 12, 24]
    assert plain(ms.jvp(net, X, ops.ones_like(X))[1]) == 39
    if mode == ms.GRAPH_MODE:
        ms.set_context(jit_syntax_level=ms.STRICT)
        for call in (net, ms.grad(net)):
            with pytest.raises(TypeError, match="not known while compiling"):
                call(X)


def test_a_cell_may_have_a_level_of_its_own(lax):
    class Net(nn.Cell):
        def construct(self, x):
            return from_numpy(x)

    ms.set_context(mode=ms.GRAPH_MODE)
    strict, plain_one = Net(), Net()
    strict.set_jit_config(ms.JitConfig(jit_syntax_level="STRICT"))
    plain_one.set_jit_config(ms.JitConfig(jit_level="O1"))
    with pytest.raises(TypeError, match="needs the elements"):
        strict(X)
    assert plain(plain_one(X)) == [5, 4, 5]
    strict.set_jit_config(ms.JitConfig(jit_syntax_level="LAX"))
    ms.set_context(jit_syntax_level=ms.STRICT)
    assert plain(strict(X)) == [5, 4, 5]
    with pytest.raises(TypeError, match="needs the elements"):
        plain_one(X)


def test_errors_of_the_program_stay_errors(lax):
    @ms.jit
    def f(x):
        raise ValueError(f"no {x.shape}")

    with pytest.raises(ValueError, match=r"no \(3,\)"):
        f(X)


def test_numbers_of_tensors_are_numbers_as_results():
    def f(x):
        n, r = int(x.sum()), float(x[0])
        n += 2
        return n, r, bool(x[0]), not bool(x[0]), n > 3, -n, n * 2, x * n, [n]

    out = ms.jit(f)(X)
    assert out[:7] == (9, 1.0, True, False, True, -9, 18) and out[8] == [9]
    assert [type(v) for v in out[:7]] == [int, float, bool, bool, bool, int, int]
    assert out[7].asnumpy().tolist() == [9, 18, 36]


def test_a_computed_number_is_not_compared_by_identity():
    with pytest.raises(TypeError, match=r"'is' compares 4 with a number that is known only"):
        ms.jit(lambda x: int(x) is not FOUR)(Tensor(3))
    assert ms.jit(lambda x: x is not None)(X) is True


def test_the_operations_of_a_step_that_moves_a_schedule(lax):
    from cellgrad.experimental import optim

    sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    schedule = optim.lr_scheduler.StepLR(sgd, 2, gamma=0.5)

    @ms.jit
    def step(x):
        schedule.step()
        return ops.sum(x) * schedule.get_last_lr()[0]

    assert [float(step(X)) for _ in range(4)] == [7, 3.5, 3.5, 1.75]


def chosen(x):
    return x[x > 1] * x.sum()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_at_strict_what_mindspore_compiles_runs_for_its_scripts_alone(mode):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    context.strict_as_there(True)
    try:
        assert plain(ms.jit(chosen)(X)) == [14.0, 28.0]
        assert plain(ms.jit(chosen)(X + 1)) == [20.0, 30.0, 50.0]
        assert plain(ms.grad(lambda x: chosen(x).sum())(X)) == [6.0, 13.0, 13.0]
        weight = Parameter(Tensor([1.0]), name="weight")
        schedule = optim.lr_scheduler.ExponentialLR(optim.SGD([weight], lr=1.0), gamma=0.5)
        stepped = ms.jit(lambda: (schedule.step(), schedule.get_last_lr()[0])[1])
        assert [float(stepped()) for _ in range(3)] == [0.5, 0.25, 0.125]
        with pytest.raises(TypeError, match="asnumpy"):  # what is no matter of shapes
            ms.jit(from_numpy)(X)
        with pytest.raises(TypeError, match="is not known while compiling"):
            ms.jit(chosen, fullgraph=True)(X)
    finally:
        context.strict_as_there(False)
        ms.set_context(mode=before)
    with pytest.raises(TypeError, match="is not known while compiling"):
        ms.jit(chosen)(X)


def test_syntax_that_is_not_compiled_is_differentiated_as_ordinary_python():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    try:
        found = [ms.grad(f)(X).asnumpy().tolist() for f in (evaluates, deletes_an_attribute)]
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)
    assert found == [[3, 3, 3], [5, 5, 5]]


class Outer(nn.Cell):
    """A Cell that makes another one at each call, which makes one like it."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x) + 1


class Inner(nn.Cell):
    def construct(self, x):
        return Outer()(x)


def test_a_recursion_without_end_is_compiled_once(lax):
    """Each of the Cells was compiled down to the end of the recursion: minutes."""
    with pytest.warns(UserWarning) as given, pytest.raises(RecursionError):
        Outer()(Tensor(1.0))
    assert len(given) == 1 and "'Outer' runs operation by operation" in str(given[0].message)
