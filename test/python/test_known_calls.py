"""Calls that a program knows (native/KnownCalls.cpp) see all that changes between two of them."""

import contextlib
import gc
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, _native, nn, ops
from cellgrad.core.guards import ABSENT

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import known_calls

SCALE = 2.0


def program_of(gradient):
    (program,) = gradient._programs.values()
    return program


def known(gradient, *args):
    """Calls it until a look at the tensors is enough, and says what that gives."""
    gradient(*args)
    gradient(*args)
    out = _native.call_known(program_of(gradient).known, args)
    assert out is not ABSENT
    return out


def test_known_call_gives_what_the_first_gave():
    gradient = ms.value_and_grad(lambda x, y: ops.sum(x * x * y), (0, 1))
    x, y = Tensor(np.float32([1, 2])), Tensor(np.float32([3, 4]))
    value, (by_x, by_y) = known(gradient, x, y)
    assert type(value) is Tensor
    assert (value.asnumpy(), value.shape) == (19, ())
    np.testing.assert_array_equal(by_x.asnumpy(), [6, 16])
    np.testing.assert_array_equal(by_y.asnumpy(), [1, 4])


def test_results_in_lists_and_tuples_and_alone():
    run = ms.jit(lambda x: [x + 1, (x + 2, [x + 3])])
    for _ in range(3):
        first, (second, (third,)) = run(Tensor(1.0))
        assert [first.asnumpy(), second.asnumpy(), third.asnumpy()] == [2, 3, 4]
    assert type(run(Tensor(1.0))) is list
    assert type(run(Tensor(1.0))[1]) is tuple


def test_tensors_of_other_kinds_and_other_arguments_are_looked_at():
    gradient = ms.grad(lambda x: ops.sum(x * x))
    known(gradient, Tensor(3.0))
    calls = program_of(gradient).known
    for other in (Tensor([3.0]), Tensor(3), 3.0, Tensor(3.0, const_arg=True)):
        assert _native.call_known(calls, (other,)) is ABSENT
    assert _native.call_known(calls, ()) is ABSENT
    assert gradient(Tensor([3.0])).asnumpy() == [6]
    assert gradient(Tensor(3.0)).asnumpy() == 6


def test_a_global_that_changes():
    global SCALE
    gradient = ms.grad(lambda x: x * x * SCALE)
    x = Tensor(3.0)
    assert known(gradient, x).asnumpy() == 12
    try:
        SCALE = 5.0
        assert gradient(x).asnumpy() == 30
        assert known(gradient, x).asnumpy() == 30
    finally:
        SCALE = 2.0
    assert gradient(x).asnumpy() == 12


def test_a_captured_tensor_and_a_parameter():
    w, scale = Parameter(Tensor([2.0]), name="w"), Tensor([3.0])
    gradient = ms.grad(lambda x: ops.sum(x * w * scale))
    x = Tensor([1.0])
    assert known(gradient, x).asnumpy() == [6]
    w.set_data(Tensor([5.0]))
    assert gradient(x).asnumpy() == [15]
    w.set_data(Tensor([5.0, 7.0]), slice_shape=True)
    x = Tensor([1.0, 1.0])
    np.testing.assert_array_equal(gradient(x).asnumpy(), [15, 21])
    np.testing.assert_array_equal(known(gradient, x).asnumpy(), [15, 21])
    w.set_data(Tensor([2.0]), slice_shape=True)
    for _ in range(3):
        np.testing.assert_array_equal(gradient(x).asnumpy(), [6, 6])


def test_a_cell_that_changes():
    net = nn.Dropout(p=0.5)
    net.set_train(False)
    gradient = ms.grad(lambda x: ops.sum(net(x) * x))
    x = Tensor([3.0])
    assert known(gradient, x).asnumpy() == [6]
    net.set_train(True)
    assert gradient(x).asnumpy() in ([0], [12])
    net.set_train(False)
    assert known(gradient, x).asnumpy() == [6]

    class Net(nn.Cell):
        power = 2

        def construct(self, x):
            return x**self.power

    net = Net()
    x = Tensor(3.0)
    for _ in range(3):
        assert net(x).asnumpy() == 9
    net.power = 3
    assert net(x).asnumpy() == 27


def test_a_hook_of_an_argument():
    gradient = ms.grad(lambda x: x * x)
    x = Tensor(3.0)
    assert known(gradient, x).asnumpy() == 6
    handle = x.register_hook(lambda g: g * 10)
    assert gradient(x).asnumpy() == 60
    handle.remove()
    assert gradient(x).asnumpy() == 6


def test_a_parameter_that_is_given_and_written():
    state = Parameter(Tensor(1.0), name="state")

    @ms.jit
    def step(x):
        ops.assign(state, state + x)
        return x * 10

    for i in range(3):
        assert step(Tensor(1.0)).asnumpy() == 10
        assert state.asnumpy() == 2 + i
    for _ in range(3):
        before = float(state.asnumpy())
        assert step(state).asnumpy() == 20 * before  # x is the Parameter, which is written first
        assert state.asnumpy() == 2 * before


def test_modes_and_tapes():
    gradient = ms.grad(lambda x: x * x)
    x = Tensor(3.0)
    assert known(gradient, x).asnumpy() == 6
    with ms.debug.eager():
        assert gradient(x).asnumpy() == 6
    ran = []

    def noting(x):
        ran.append(type(x))
        return x * x

    noted = ms.grad(noting)
    known(noted, x)
    ran.clear()
    with ms.debug.eager():
        noted(x)
    assert ran == [Tensor]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    try:
        assert ms.grad(ms.grad(lambda x: x * x * x))(x).asnumpy() == 18
        assert gradient(x).asnumpy() == 6
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


def test_programs_that_are_dropped(monkeypatch):
    before = ms.get_context("max_programs")
    gradient = ms.grad(lambda x: x * x)
    x = Tensor(3.0)
    known(gradient, x)
    program = program_of(gradient)
    ms.set_context(max_programs=1)
    try:
        ms.grad(lambda x: x + x)(x)
        ms.grad(lambda x: x - x)(x)
        assert not program.known
        assert gradient(x).asnumpy() == 6
    finally:
        ms.set_context(max_programs=before)


def test_many_signatures_stay_right():
    gradient = ms.grad(lambda x: ops.sum(x * x))
    for _ in range(2):
        for n in range(1, 24):
            np.testing.assert_array_equal(gradient(ops.ones(n)).asnumpy(), np.full(n, 2))
    assert len(program_of(gradient).known) <= 16


def test_what_is_known_keeps_nothing_alive():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")

        def construct(self, x):
            return x * self.w

    net = Net()
    for _ in range(3):
        net(Tensor(3.0))
    alive = weakref.ref(net)
    del net
    gc.collect()
    assert alive() is None


def test_a_guard_whose_code_changes_what_is_called():
    gradient, x = ms.grad(lambda x: x * x), Tensor(3.0)
    known(gradient, x)
    signature, compiled, entry, explain, guards, *rest = program_of(gradient).known[0]
    calls = []

    class World:
        kind = "this one"

        @property
        def name(self):
            calls.clear()
            x._buf = Tensor(5.0)._buf
            gc.collect()
            self.others = [
                Tensor(7.0) for _ in range(100)
            ]  # where the first buffer was, if it is freed
            return World.kind

    guards = [*guards, (World(), "name", World.kind)]
    _native.add_known(calls, signature, compiled, entry, explain, guards, *rest)
    assert _native.call_known(calls, (x,)).asnumpy() == 6  # of what was given
    assert gradient(x).asnumpy() == 10


def test_a_check_that_fails_in_a_known_call():
    class Negative(Exception):
        pass

    def root(x, at):
        if x[at] < 0:
            raise Negative(f"no root at {at}")
        return ops.sqrt(x[at])

    compiled, x = ms.jit(root), Tensor([4.0, -9.0])
    assert compiled(x, Tensor(0)).asnumpy() == 2
    calls = compiled.program.known
    for run in (compiled, lambda *args: _native.call_known(calls, args)):
        with pytest.raises(IndexError, match=r"test_known_calls\.py") as failed:
            run(x, Tensor(2))
        assert "hint: " in str(failed.value)
        with pytest.raises(Negative, match="no root at 1"):
            run(x, Tensor(1))
        assert run(x, Tensor(0)).asnumpy() == 2


def test_a_failed_check_keeps_no_buffers():
    """An exception in a frame of its own traceback is a cycle, which only the garbage collector ends."""
    compiled = ms.jit(lambda x, at: x[at])
    compiled(Tensor([1.0, 2.0]), Tensor(0))
    calls = compiled.program.known
    gc.disable()
    try:
        for run in (lambda *args: compiled(*args), lambda *args: _native.call_known(calls, args)):
            x = Tensor([1.0, 2.0])
            before = sys.getrefcount(x._buf)
            with contextlib.suppress(IndexError):
                run(x, Tensor(2))
            after = sys.getrefcount(x._buf)  # what assert looks at, it keeps
            assert after == before
    finally:
        gc.enable()


def test_calls_with_any_batch_size():
    weight = Parameter(Tensor([2.0]), name="weight")
    run = ms.jit(lambda x, y: (x * weight + y, ops.sum(x * y)), dynamic_batch=True)
    for _ in range(3):
        for batch in range(1, 31):  # more than a program knows
            x = np.arange(2 * batch, dtype=np.float32).reshape(batch, 2)
            y = np.full((batch, 2), batch, np.float32)
            out, total = run(Tensor(x), Tensor(y))
            assert (out.shape, total.shape) == ((batch, 2), ())
            np.testing.assert_array_equal(out.asnumpy(), x * weight.asnumpy() + y)
            assert total.asnumpy() == (x * y).sum()
        weight.set_data(weight + 1)
    calls = run.program.known
    assert len(calls) <= 16
    one, two = Tensor(np.ones((1, 2), np.float32)), Tensor(np.ones((2, 2), np.float32))
    assert _native.call_known(calls, (one, one))[1].asnumpy() == 2
    assert _native.call_known(calls, (one, two)) is ABSENT
    with pytest.raises(ValueError, match="and the batch is 1"):
        run(one, two)


def test_what_is_known_for_any_batch_size_is_known_once():
    run = ms.jit(lambda x: x * 2, dynamic_batch=True)
    x = Tensor([1.0, 2.0])
    for _ in range(3):
        run(x)
    before = len(run.program.known)
    handle = x.register_hook(lambda g: g)  # looked at in Python then
    for _ in range(3):
        assert list(run(x).asnumpy()) == [2, 4]
    handle.remove()
    assert len(run.program.known) == before


def test_native_functions_refuse_what_they_cannot_read():
    with pytest.raises(TypeError, match="a list of known calls and a tuple"):
        _native.call_known((), ())
    with pytest.raises(TypeError, match="an entry is one of a model"):
        _native.add_known([], (), 0, 1, None, [], [], [], 2)
    made = _native.Made.tensor(1, Tensor(1.0)._sig)
    with pytest.raises(IndexError):
        made([Tensor(1.0)._buf])
    with pytest.raises(TypeError, match="expected the list of results"):
        made()


def test_hooks_of_other_tensors_count_where_they_are_read():
    w, other = Parameter(Tensor(2.0), name="w"), Parameter(Tensor(2.0), name="other")
    handles = [other.register_hook(lambda g: g * 100)]
    inner = ms.grad(lambda x: ms.grad(lambda p: p * p * x)(w))
    x = Tensor(3.0)
    assert known(inner, x).asnumpy() == 4
    handles.append(w.register_hook(lambda g: g * 10))
    for _ in range(3):
        assert inner(x).asnumpy() == 40
    for handle in handles:
        handle.remove()
    assert known(inner, x).asnumpy() == 4


@pytest.mark.parametrize("seed", [0, 1])
def test_random_changes_between_calls(seed):
    assert known_calls.run(seed, steps=60) is None
