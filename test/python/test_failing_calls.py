"""What a call of compiled code leaves behind when it fails or is stopped: Parameters and the state of the
optimizer as they were. See test/fuzz/failing.py for random programs and test/capi/failing.c for memory
that runs out.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from on_gpu import ON_GPU

import cellgrad as ms
from cellgrad import _native, nn, ops

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import failing

X = ms.Tensor(np.ones((5, 3), np.float32))


@pytest.fixture
def limits():
    yield ms.set_context
    ms.set_context(max_trips=0, max_stash_bytes=0)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_programs_that_fail(first):
    ended = {}
    for seed in range(first, first + 10):
        for status, times in failing.check(seed).items():
            ended[status] = ended.get(status, 0) + times
    every = {failing.OK, failing.CANCELLED, failing.TRIPS, failing.STASH, failing.CHECK}
    assert set(ended) == every


def test_a_changed_argument_is_found(tmp_path):
    """The comparison of bytes sees a program that changes its argument and says that it has failed."""
    text = """func.func @f(%fail: tensor<i32>, %n: tensor<i32>, %w: tensor<f32> {cell.donate = 0 : i64}) -> tensor<f32> {
  %c = cell.constant dense<1.0> : tensor<f32>
  %v = cell.add %w, %c : tensor<f32>
  return %v : tensor<f32>
}
"""
    call = failing.Call(text, failing.compiled(text, tmp_path, {"opt_level": 2}), 0)
    run = call.entry.run
    call.entry.run = lambda *args, **context: (failing.CHECK, *run(*args, **context)[1:])
    with pytest.raises(AssertionError, match=r"arguments \[2\] are changed"):
        call.run(-1, 3)


class Counting(nn.Cell):
    """Counts in a Parameter in a loop that reads rows."""

    def __init__(self):
        super().__init__()
        self.n = ms.Parameter(ms.Tensor(0.0), name="n")

    def construct(self, x, count):
        s = ops.zeros((3,), ms.float32)
        for k in range(count):
            self.n += 1
            s = s + ops.gather(x, k, 0)
        return s


def test_a_check_in_a_loop_that_counts():
    net = Counting()
    assert net(X, ms.Tensor(3)).asnumpy().tolist() == [3, 3, 3]
    assert net.n.item() == 3
    with pytest.raises(IndexError, match="must be in the range"):
        net(X, ms.Tensor(9))
    assert net.n.item() == 3


class Settling(nn.Cell):
    """A while loop of unknown length on what a layer gives, kept trip by trip for the gradient."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 3)

    def construct(self, x):
        h = self.dense(x)
        while ops.sum(ops.abs(h)) > 3.0:
            h = ops.tanh(h) * 0.9
        return h


def training():
    """A step of Adam, inputs, and labels of which one is out of range."""
    rng = np.random.default_rng(0)
    ms.set_seed(0)
    net = Settling()
    optimizer = nn.Adam(net.trainable_params(), 0.05)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    x = ms.Tensor(rng.normal(size=(6, 4)).astype(np.float32) * 5)
    y = ms.Tensor(np.int32([0, 1, 2, 0, 1, 2]))
    bad = ms.Tensor(np.int32([0, 1, 2, 0, 7, 2]))
    return step, x, y, bad


def state(step):
    return {name: p.asnumpy().tobytes() for name, p in step.parameters_dict().items()}


def test_thirty_steps_with_a_failure_before_each(limits):
    """A label out of range, a limit of trips and one of memory; then the step is made as if nothing had been."""
    step, x, y, bad = training()
    other, *_ = training()
    names = [name for name in state(step) if name != "learning_rate"]
    for _ in range(30):
        before = state(step)
        with pytest.raises(IndexError, match="class indices must be in the range"):
            step(x, bad)
        limits(max_trips=1)
        with pytest.raises(RuntimeError, match="more than 1 trips"):
            step(x, y)
        limits(max_trips=0, max_stash_bytes=64)
        with pytest.raises(MemoryError, match=r"576 bytes .* the 64 that set_context"):
            step(x, y)
        limits(max_stash_bytes=0)
        assert state(step) == before
        assert step(x, y).item() == other(x, y).item()
        assert [n for n in names if state(step)[n] == before[n]] == []
    assert state(step) == state(other)


class Endless(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = ms.Parameter(ms.Tensor(np.zeros(3, np.float32)), name="n")

    def construct(self, x):
        while ops.sum(x) > -1.0:
            self.n += 1
            x = ops.abs(x)
        return x


def test_a_limit_of_trips(limits):
    net = Endless()
    limits(max_trips=1000)
    with pytest.raises(RuntimeError, match="Endless: its loops made more than 1000 trips"):
        net(X[0])
    assert net.n.asnumpy().tolist() == [0, 0, 0]
    assert ms.get_context("max_trips") == 1000


@pytest.fixture
def ctrl_c():
    """Python's own handler of SIGINT, which a process that was started to ignore it lacks."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_loop(ctrl_c, limits):
    net = Endless()
    limits(max_trips=2_000_000_000)  # ends, if Ctrl-C does not end it
    start = []

    def interrupt():
        start.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    for _ in range(2):  # the first call compiles
        timer = threading.Timer(0.5, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            net(X[0])
        timer.join()
        assert time.perf_counter() - start[-1] < 1
    assert net.n.asnumpy().tolist() == [0, 0, 0]
    assert signal.getsignal(signal.SIGINT) is ctrl_c


def compiled(limits):
    """A loop without an end, compiled already."""
    net = Endless()
    limits(max_trips=1)
    with pytest.raises(RuntimeError):
        net(X[0])
    return net


class Enough(Exception):
    pass


@pytest.fixture
def handle():
    """Sets a handler of a signal for the test."""
    before = {}

    def set_handler(number, handler):
        before.setdefault(number, signal.getsignal(number))
        signal.signal(number, handler)

    yield set_handler
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGALRM])
def test_handlers_of_the_program_run_in_the_call(handle, limits, number):
    """The call goes on, unless they raise. They may call compiled code."""
    net, other = compiled(limits), Settling()
    limits(max_trips=2_000_000_000)
    x = ms.Tensor(np.ones((2, 4), np.float32))
    limits(max_trips=0)
    expected = other(x).asnumpy()
    seen = []

    def handler(given, frame):
        seen.append((given, net.n.asnumpy().tolist(), other(x).asnumpy()))
        if len(seen) == 3:
            raise Enough("now")

    handle(number, handler)
    stop = threading.Event()

    def remind():
        while len(seen) < 3 and not stop.wait(0.1):
            os.kill(os.getpid(), number)

    thread = threading.Thread(target=remind)
    thread.start()
    try:
        with pytest.raises(Enough, match="now"):
            net(X[0])
    finally:
        stop.set()
        thread.join()
    assert [s[:2] for s in seen] == [(number, [0, 0, 0])] * 3
    assert all(np.array_equal(s[2], expected) for s in seen)
    assert net.n.asnumpy().tolist() == [0, 0, 0]
    assert signal.getsignal(number) is handler


def test_a_signal_at_the_beginning_of_a_call(handle, limits):
    """Short calls leave the process's handlers as they are. What comes before a longer one has replaced them is found."""
    net = compiled(limits)
    limits(max_trips=2_000_000_000)

    def stop(*_):
        raise Enough("in time")

    handle(signal.SIGALRM, stop)
    for microseconds in range(1, 122, 3):
        start = time.perf_counter()
        try:
            with pytest.raises(Enough, match="in time"):
                signal.setitimer(signal.ITIMER_REAL, microseconds * 1e-6)
                net(X[0])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        assert time.perf_counter() - start < 1
    assert net.n.asnumpy().tolist() == [0, 0, 0]


def test_a_handler_that_sets_another(handle, limits):
    """The one that it sets is the one that is there afterwards, and runs in the call, too."""
    net, seen = compiled(limits), []
    limits(max_trips=0)

    def second(*_):
        raise Enough("the second")

    def first(*_):
        seen.append(1)
        signal.signal(signal.SIGINT, second)

    handle(signal.SIGINT, first)
    timers = [threading.Timer(t, os.kill, (os.getpid(), signal.SIGINT)) for t in (0.1, 0.4)]
    for timer in timers:
        timer.start()
    with pytest.raises(Enough, match="the second"):
        net(X[0])
    for timer in timers:
        timer.join()
    assert seen == [1]
    assert signal.getsignal(signal.SIGINT) is second


class Counted(nn.Cell):
    """Loops of known length that take hours: their sum reads and changes Parameters."""

    def __init__(self, carries):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="w")
        self.carries = carries

    def construct(self, x):
        def trip(k, h):
            if self.carries:
                self.w = self.w * 0.5 + x
            return ops.sin(h) + self.w

        h = ops.ForiLoop()(0, 2_000_000_000, trip, x)
        self.w = self.w + h
        return h


@pytest.mark.parametrize("carries", [False, True])
def test_loops_of_known_length_end(ctrl_c, carries):
    net = Counted(carries)
    start = []

    def interrupt(how):
        def act():
            start.append(time.perf_counter())
            how()

        timer = threading.Timer(0.5, act)
        timer.start()
        return timer

    for how, error in (
        (lambda: os.kill(os.getpid(), signal.SIGINT), KeyboardInterrupt),
        (lambda: os.kill(os.getpid(), signal.SIGINT), KeyboardInterrupt),
        (ms.cancel_calls, RuntimeError),
    ):
        timer = interrupt(how)
        with pytest.raises(error):
            net(X[0])
        timer.join()
        assert time.perf_counter() - start[-1] < 1
    assert net.w.asnumpy().tolist() == [1, 1, 1]


def test_another_thread_cancels():
    net = Endless()
    timer = threading.Timer(0.5, ms.cancel_calls)
    timer.start()
    with pytest.raises(RuntimeError, match="Endless: the call was cancelled"):
        net(X[0])
    timer.join()
    assert net.n.asnumpy().tolist() == [0, 0, 0]

    raised = []

    def work():
        try:
            net(X[0])
        except RuntimeError as e:
            raised.append(str(e))

    thread = threading.Thread(target=work)
    thread.start()
    while not raised:
        time.sleep(0.05)
        ms.cancel_calls()
    thread.join()
    assert raised == ["Endless: the call was cancelled"]


def test_an_exception_in_a_print(monkeypatch):
    """Output that cannot be written ends the call there, and nothing is stored."""

    class Talking(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = ms.Parameter(ms.Tensor(0.0), name="n")

        def construct(self, x):
            while ops.sum(x) > -1.0:
                self.n += 1
                print("trip", self.n)
            return x

    class Broken:
        def __init__(self):
            self.lines = 0

        def write(self, text):
            self.lines += text.endswith("\n")
            if self.lines == 5:
                raise BrokenPipeError("nobody reads")

        def flush(self):
            pass

    net, out = Talking(), Broken()
    monkeypatch.setattr(sys, "stdout", out)
    with pytest.raises(BrokenPipeError, match="nobody reads"):
        net(X[0])
    assert out.lines == 5
    assert net.n.item() == 0


FAR = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %far = arith.constant 4611686018427387904 : index
  %s = cell.stash_empty : !cell.stash<tensor<4xf32>>
  %k = cell.stash_write %x into %s at %far : !cell.stash<tensor<4xf32>>
  %y = cell.stash_read %k at %far : !cell.stash<tensor<4xf32>>
  return %y : tensor<4xf32>
}"""


def test_a_position_that_no_memory_has(tmp_path):
    path = str(tmp_path / "far.so")
    _native.compile_text(FAR, path, "far")
    with pytest.raises(MemoryError, match="could not be allocated"):
        _native.Model(path).entry("f")([np.ones(4, np.float32)])


OUT_OF_MEMORY = """
import resource
import numpy as np
import cellgrad as ms
from cellgrad import ops

def loop(x):
    while ops.sum(x) > -1.0:
        x = ops.tanh(x) + 0.5
    return ops.sum(x)

def outer(x):
    return ops.expand_dims(x, 0) * ops.expand_dims(x, 1)

def inner(x):
    return ops.sum(ops.cumsum(outer(x), 0), 0)

def says(f, x):
    try:
        f(x)
    except MemoryError as e:
        print(e)

limit = 1536 << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
says(ms.grad(loop), ms.Tensor(np.ones(1024, np.float32)))
large = ms.Tensor(np.ones(1 << 16, np.float32))
says(ms.jit(outer), large)
says(ms.jit(inner), large)
"""


def test_memory_that_runs_out_is_said_in_words(tmp_path):
    script = tmp_path / "memory.py"
    script.write_text(OUT_OF_MEMORY)
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    kept, result, scratch = run.stdout.strip().split("\n")
    assert "bytes that a loop of unknown length keeps for its gradient could not" in kept
    size = 4 << 32
    assert (
        f"{size} bytes could not be allocated for the result 'out0', float32[65536, 65536]"
        in result
    )
    where = "" if ON_GPU else " for intermediate results"
    assert f"bytes could not be allocated{where}" in scratch
