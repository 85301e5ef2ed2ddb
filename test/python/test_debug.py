"""`ms.debug`: values, conditions and NaN of running programs, and running everything as ordinary Python."""

import linecache
import os
import subprocess
import sys
import traceback

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, debug, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")
        self.calls = Parameter(Tensor(0, ms.int32), name="calls", requires_grad=False)

    def construct(self, x):
        self.calls += 1
        debug.print("w is {}", self.w)
        debug.check(x > 0, "x is not positive")
        return (self.w * x * x).sum()


def test_print_shows_values_when_the_code_runs(capfd, mode):
    f = ms.jit(lambda x, n: (debug.print("{0} {name} {{}} {n}", x, name=x * 2, n=n), x)[1])
    f(Tensor([1.0, 2.0]), 7)
    f(Tensor([3.0, 4.0]), 7)
    braces = "{\u200b}"  # a space without width keeps them from being a place for a value
    assert capfd.readouterr().out == f"[1. 2.] [2. 4.] {braces} 7\n[3. 4.] [6. 8.] {braces} 7\n"


def test_print_in_gradients_and_loops(capfd, mode):
    def f(x):
        for i in ops.arange(2):
            debug.print("{}", x * i)
        return (x * x).sum()

    ms.grad(f)(Tensor([1.0]))
    assert capfd.readouterr().out == "[0.]\n[1.]\n"


def test_a_check_that_fails_names_its_line_and_changes_nothing(mode):
    net = Net()
    step = ms.value_and_grad(net, None, net.trainable_params())
    value, _ = step(Tensor([1.0, 1.0]))
    assert float(value) == 5
    with pytest.raises(ValueError, match="x is not positive") as caught:
        step(Tensor([1.0, -1.0]))
    said = "".join(traceback.format_exception(caught.value))
    assert 'debug.check(x > 0, "x is not positive")' in said and "in construct" in said
    if mode == ms.GRAPH_MODE:
        assert int(net.calls) == 1


def test_a_check_outside_of_compiled_code():
    debug.check(True)
    debug.check(Tensor([True, True]))
    debug.check(Tensor(np.zeros((0,), bool)))
    with pytest.raises(
        ValueError, match=r"the check failed\.\n  at .*test_debug.py:\d+:\d+, in test_a_check"
    ):
        debug.check(Tensor([True, False]))


def test_a_check_of_a_function_without_a_frame():
    ms.jit(debug.check)(Tensor(True))
    with pytest.raises(ValueError, match="the check failed"):
        ms.jit(debug.check)(Tensor([True, False]))


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (
            lambda: debug.check(Tensor([1.0])),
            TypeError,
            "'condition' must be a bool, or a Tensor of bools",
        ),
        (lambda: debug.check(1), TypeError, "'condition'"),
        (lambda: debug.check(True, 3), TypeError, "'message'"),
        (lambda: debug.print(3), TypeError, "'text'"),
        (
            lambda: ms.jit(lambda x: debug.print("{:.3f}", x))(Tensor(1.0)),
            TypeError,
            "formatted with '.3f'",
        ),
        (lambda: debug.print("{} {}", 1), IndexError, "index 1 out of range"),
    ],
)
def test_mistakes(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


# --- NaN --------------------------------------------------------------------------------------


def bad(x):
    y = x * x
    return ops.sqrt(y).sum()


def test_nans_are_found_in_a_block_only():
    x = Tensor([0.0, 1.0])
    gradient = ms.grad(bad)
    assert np.isnan(gradient(x).asnumpy()[0])
    with (
        debug.nans(),
        pytest.raises(FloatingPointError, match=r"NaN in the vjp of mul \(test_debug.py:"),
    ):
        gradient(x)
    assert np.isnan(gradient(x).asnumpy()[0])
    with debug.nans(), debug.nans():
        pass
    assert np.isnan(gradient(x).asnumpy()[0])


def test_a_decorated_function_looks_for_nans():
    @debug.nans()
    def step(x):
        return ops.log(x)

    assert float(step(Tensor(1.0))) == 0
    with pytest.raises(FloatingPointError, match="NaN in log"):
        step(Tensor(-1.0))


@pytest.mark.parametrize("way", ["forward", "backward"])
def test_the_line_of_a_nan_without_compiling(way):
    """An operation is one program wherever it is called: the place is that of this call."""
    first = bad.__code__.co_firstlineno
    with debug.eager(), debug.nans():
        ops.log(Tensor([1.0]))
        Tensor([2.0]) * Tensor([2.0])
        with pytest.raises(FloatingPointError) as caught:
            if way == "forward":
                bad(ops.log(Tensor([-1.0])))
            ms.grad(bad)(Tensor([0.0]))
    line = traceback.extract_tb(caught.tb)[0].lineno
    words = ("NaN in log", line) if way == "forward" else ("NaN in the vjp of mul", first + 1)
    assert str(caught.value).startswith("{} (test_debug.py:{})".format(*words))


# --- as ordinary Python -------------------------------------------------------------------------


def frames(seen):
    """A function that notes who calls it, as a debugger would show."""

    def note(x):
        caller = sys._getframe(1)
        seen.append((caller.f_code.co_name, type(caller.f_locals["x"]).__name__, float(x.sum())))

    return note


def test_users_frames_and_values_in_differentiated_functions():
    seen = []
    note = frames(seen)

    class Seen(nn.Cell):
        def construct(self, x):
            note(x)
            return compiled(x * 2)

    @ms.jit
    def compiled(x):
        note(x)
        return (x * x).sum()

    with debug.eager():
        value, gradient = ms.value_and_grad(Seen())(Tensor([1.0, 2.0]))
    assert seen == [("construct", "Tensor", 3.0), ("compiled", "Tensor", 6.0)]
    np.testing.assert_array_equal(gradient.asnumpy(), [8, 16])
    assert float(value) == 20


def test_numbers_are_those_of_compiled_code(mode):
    """Also where a gradient is taken inside, by a tensor that the function reads from around it as well."""
    x = Tensor(3.0)
    around = lambda: ms.grad(lambda u: u * u * x)(x)
    nested = lambda: ms.grad(lambda v: ms.grad(lambda u: u * u * v)(v))(x)
    twice = lambda: ms.grad(lambda v: ms.grad(lambda a, b: a * a * b)(v, v))(x)
    p = Parameter(Tensor(3.0), name="p")
    parameter = lambda: ms.grad(lambda u: u * u * p)(p)

    def writes(v):
        v[0] = 5.0
        return (v * v).sum()

    y = Tensor([1.0, 2.0])
    inside = lambda: ms.grad(writes)(y).asnumpy().tolist()
    for f, wanted in ((around, 18), (nested, 12), (twice, 12), (parameter, 18), (inside, [0, 4])):
        with debug.eager():
            assert f() == wanted
        assert f() == wanted
    assert y.asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    "transform, stops",
    [
        (lambda f, x: ms.vjp(f, x)[1](x[0])[0], ["Tensor 3.0"]),
        (lambda f, x: ms.jvp(f, x, x * x), ["Tensor 3.0"]),
        (lambda f, x: ops.linearize(f, x)[1](x), ["Tensor 3.0"] * 2),
        (ms.vmap, ["Tensor 1.0", "Tensor 2.0"]),
        (lambda f, x: ms.grad(ms.vmap(f))(x), ["Tensor 1.0", "Tensor 2.0"]),
        (lambda f, x: ms.vmap(ms.grad(f))(x), ["Tensor 1.0", "Tensor 2.0"]),
        (lambda f, x: ms.jacrev(f)(x), ["Tensor 3.0"]),
        (lambda f, x: ms.jacfwd(f)(x), ["Tensor 3.0"] * 3),
        (lambda f, x: ms.hessian(f)(x), ["Tensor 3.0"] * 3),
        (lambda f, x: ms.hvp(f, x, x), ["Tensor 3.0"]),
    ],
)
def test_other_transforms_run_as_python(mode, transform, stops):
    """With the user's values, and the numbers of compiled code; in PYNATIVE_MODE where it cannot be compiled."""
    seen = []
    sum_of = lambda x: (x * x * x).sum()

    def f(x):
        seen.append(f"{type(x).__name__} {x.asnumpy().sum()}")
        return sum_of(x)

    result = lambda g: transform(g, x) if transform is not ms.vmap else ms.vmap(g)(x)
    x = Tensor([1.0, 2.0])
    wanted = result(sum_of)
    with debug.eager():
        found = result(f)
    assert seen == stops
    ms.set_context(mode=ms.PYNATIVE_MODE)
    again = result(f)
    for a, b, c in zip(*map(_listed, (wanted, found, again)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
        np.testing.assert_allclose(a, c, rtol=1e-6)


def _listed(value):
    return [t.asnumpy() for t in (value if isinstance(value, tuple) else (value,))]


@pytest.mark.parametrize(
    "write",
    [lambda w, x: ops.assign(w, x * 2), lambda w, x: w.add_(x * 2), lambda w, x: w.set_data(x)],
)
def test_a_parameter_is_a_leaf_without_compiling(write):
    w = Parameter(Tensor([1.0, 2.0]), name="w")

    def f(x):
        before = w * x
        write(w, x)
        w[0] = x[1]
        return (before + w * w * x).sum()

    def found():
        w.set_data(Tensor([1.0, 2.0]))
        return [
            t.asnumpy().tolist()
            for t in (
                g
                for pair in ms.grad(f, 0, [w])(x)
                for g in (pair if isinstance(pair, tuple) else (pair,))
            )
        ]

    x = Tensor([3.0, 5.0])
    with debug.eager():
        as_python = found()
    assert as_python == found()


def test_arrays_are_tensors_without_compiling():
    square = lambda x: (x * x).sum()
    x = np.array([1.0, 2.0])
    with debug.eager():
        assert ms.grad(square)(x).asnumpy().tolist() == [2, 4]
        assert ms.jvp(square, x, x)[1] == 10
        assert ms.vmap(lambda x: x * x.sum())(np.eye(2)).asnumpy().tolist() == [[1, 0], [0, 1]]
        assert isinstance(ms.jit(square)(x), Tensor)
        assert ms.vmap(square)(np.ones((0, 3))).shape == (0,)


def test_what_a_batch_refuses_as_python():
    w = Parameter(Tensor(1.0), name="w")

    def writes(x):
        ops.assign(w, x)
        return x

    x = Tensor([1.0, 2.0])
    for f, axes, kind, words in [
        (writes, 0, TypeError, "'writes' writes Parameter 'w'"),
        (lambda x: None, 0, TypeError, "must return a Tensor"),
        (lambda x: ops.zeros(int(x)), 0, ValueError, r"for element 1(.|\n)*one shape for every"),
        (lambda x: (x, float(x)), 0, ValueError, "or a Python value"),
        (lambda x: x, None, ValueError, "'out_axes' is None .* element 1 of the batch has another"),
    ]:
        with debug.eager(), pytest.raises(kind, match=words):
            ms.vmap(f, 0, axes)(x)
    assert float(w) == 1
    for write in (w.set_data, w.add_, lambda v: w.__setitem__(..., v)):
        with debug.eager(), pytest.raises(TypeError, match="writes Parameter 'w'"):
            ms.vmap(lambda x, write=write: (write(x), x)[1])(x)


def test_a_rule_of_reverse_mode_has_no_forward_mode():
    rule = ms.custom_rule(lambda x: x * x, vjp=lambda x, out, dout: ops.clamp(dout, -1, 1))
    with debug.eager():
        assert ms.vjp(rule, Tensor(3.0))[1](Tensor(5.0))[0] == 1
        with pytest.raises(RuntimeError, match="'lambda' has a vjp rule only"):
            ms.jvp(lambda x: rule(x) + x, Tensor(3.0), Tensor(1.0))


def test_the_tape_of_code_that_only_python_runs_has_these_numbers(mode):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x, seen = Tensor(3.0), []
    peek = lambda t: seen.append(t.asnumpy().item())
    assert ms.grad(lambda u: (peek(u), u * u * x)[1])(x) == 18
    inner = lambda v: ms.grad(lambda u: (peek(u), u * u * v)[1])(v)
    assert ms.grad(lambda v: (peek(v), inner(v))[1])(x) == 12
    assert set(seen) == {3.0}


def test_requires_grad_means_what_it_means_in_the_mode():
    net = nn.Dense(2, 1, "ones")
    net.bias.requires_grad = False
    with debug.eager():
        (db,) = ms.grad(net, None, [net.bias])(Tensor([[1.0, 2.0]]))
        assert db.asnumpy() == [1]
        ms.set_context(mode=ms.PYNATIVE_MODE)
        (db,) = ms.grad(net, None, [net.bias])(Tensor([[1.0, 2.0]]))
        assert db.asnumpy() == [0]


def test_a_training_step_is_the_compiled_one():
    def trained(how):
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.1)
        ).set_train()
        x = Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
        with how():
            return [float(step(x, x.sum(1, keepdims=True))) for _ in range(4)]

    from contextlib import nullcontext

    np.testing.assert_allclose(trained(debug.eager), trained(nullcontext), rtol=1e-5)


def test_a_parameter_that_is_given_and_written_is_refused():
    p = Parameter(Tensor(2.0), name="p")

    def f(v):
        ops.assign(v, v * 2)
        return v * v

    with debug.eager(), pytest.raises(RuntimeError, match="record of what runs cannot"):
        ms.grad(f)(p)


PROGRAM = """
import cellgrad as ms
from cellgrad import Tensor, nn, ops

class Net(nn.Cell):
    def construct(self, x):
        y = x * x
        breakpoint()
        return y.sum()

print(ms.grad(Net())(Tensor([1.0, 2.0])))
print(ms.vjp(Net(), Tensor([3.0]))[1](Tensor(1.0))[0])
print(ms.jvp(Net(), Tensor([4.0]), Tensor([1.0]))[1])
print(ms.vmap(Net())(Tensor([[5.0], [6.0]])))
"""


def test_a_debugger_stops_and_steps_in_a_gradient(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    env = {**os.environ, "CELLGRAD_EAGER": "1"}
    commands = "where\np y\nnext\np self.cls_name\nup\ncontinue\n"
    commands += "p x\ncontinue\n" * 4
    run = subprocess.run(
        [sys.executable, path], input=commands, env=env, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "program.py(9)construct()" in run.stdout
    assert (
        "Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  4.00000000e+00])" in run.stdout
    )
    assert "'Net'" in run.stdout
    shown = [line.split("value= ")[-1] for line in run.stdout.splitlines() if "shape=[1]" in line]
    assert shown == [f"[ {n}.00000000e+00])" for n in (3, 4, 5, 6)]
    printed = [line.removeprefix("(Pdb) ") for line in run.stdout.splitlines()]
    assert [line for line in printed if line[0] == "[" or line == "8.0"] == [
        *("[2. 4.]", "[6.]", "8.0", "[25. 36.]")
    ]


def test_a_breakpoint_in_compiled_code_says_what_to_do():
    def f(x):
        breakpoint()
        return x

    for call in (ms.jit(f), ms.grad(f)):
        with pytest.raises(
            TypeError, match=r"A breakpoint is in compiled code(.|\n)*ms.debug.eager"
        ):
            call(Tensor(1.0))


def test_a_gradient_that_meets_a_breakpoint_runs_as_python(monkeypatch):
    stops = []
    monkeypatch.setattr(
        sys, "breakpointhook", lambda: stops.append(sys._getframe(1).f_locals["x"].asnumpy().item())
    )

    def f(x):
        breakpoint()
        return x * x

    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert ms.grad(f)(Tensor(3.0)) == 6
    assert stops == [3.0]


# --- where the source was looked for --------------------------------------------------------------


@pytest.mark.parametrize(
    "name, words",
    [
        ("<made>", "linecache has no lines under '<made>', as the function was made by exec"),
        ("/nowhere/gone.py", "there is no file /nowhere/gone.py to read"),
        ("<other>", "line 1 of <other> was read, and no function, or more than one, of its name"),
    ],
)
@pytest.mark.parametrize("wrong, kind", [("float(x)", TypeError), ("x.reshape(7)", ValueError)])
def test_a_function_without_source_says_where_it_was_looked_for(name, words, wrong, kind):
    text = f"def f(x):\n    return {wrong}\n"
    space = {}
    exec(compile(text, name, "exec"), space)
    if name == "<other>":
        linecache.cache[name] = (6, None, ["a = 1\n"], name)
    with pytest.raises(kind) as caught:
        ms.jit(space["f"])(Tensor([1.0, 2.0]))
    assert words in "".join(traceback.format_exception(caught.value))
