"""`ms.host_call` and `ops.PyFunc`: functions of Python that compiled code calls, against numpy."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from device import DRIVER

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.core.storage import to_numpy
from cellgrad.transforms import host

X = np.array([3.0, 1.0, 2.0], np.float32)


def test_calls_happen_where_and_as_often_as_the_code_runs():
    seen = []

    def probe(x, y):
        seen.append((x.copy(), y.copy()))
        return np.sort(x) + y.sum(), np.array(len(seen), np.int32)

    @ms.jit
    def f(x, n):
        y, count = ops.arange(4), Tensor(0, ms.int32)
        for _ in range(n):
            x, count = ms.host_call(probe, x, y, out=(x, Tensor(0, ms.int32)))
            x = x * 2
        return x, count

    for n in (3, 2):
        seen.clear()
        out, count = f(Tensor(X), Tensor(n))
        want = X
        for _ in range(n):
            want = (np.sort(want) + 6) * 2
        np.testing.assert_array_equal(out.asnumpy(), want)
        assert int(count) == len(seen) == n
        assert seen[0][1].dtype == np.int64


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_rule_of_its_own_is_the_derivative_at_every_order(mode):
    ms.set_context(mode=mode)

    def cube(x):
        return ms.host_call(lambda v: v**3, x, out=x, vjp=lambda x, out, dout: dout * slope(x))

    def slope(x):
        return ms.host_call(lambda v: 3 * v**2, x, out=x, vjp=lambda x, out, dout: dout * 6 * x)

    x = Tensor(X)
    np.testing.assert_allclose(ms.grad(cube)(x).asnumpy(), 3 * X**2, rtol=1e-6)
    twice = ms.grad(ms.grad(cube))
    np.testing.assert_allclose(twice(x).asnumpy(), 6 * X, rtol=1e-6)


def test_vmap_calls_it_for_each_element():
    shapes = []

    def both(x, y):
        shapes.append((x.shape, y.shape))
        return np.outer(x, y)

    def f(x, y):
        return ms.host_call(both, x, y, out=ops.zeros((3, 2), ms.float32))

    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    y = np.array([1.0, 2.0], np.float32)
    out = ms.jit(ops.vmap(f, in_axes=(0, None)))(Tensor(x), Tensor(y))
    np.testing.assert_array_equal(out.asnumpy(), x[:, :, None] * y)
    assert shapes == [((3,), (2,))] * 4


def test_vmaps_of_some_arguments_nest():
    one = lambda x, y: ms.host_call(np.subtract, x, y, out=x, vjp=lambda x, y, out, dout: (y, x))
    x = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    y = np.array([[1, 2, 3], [10, 20, 30]], np.float32)
    mixed = ops.vmap(ops.vmap(one, (0, None)), (0, 0))
    np.testing.assert_array_equal(ms.jit(mixed)(Tensor(x), Tensor(y)).asnumpy(), x - y[:, None])
    gradients = ops.vmap(ops.vmap(ms.grad(one, (0, 1)), (0, None)), (0, 0))(Tensor(x), Tensor(y))
    np.testing.assert_array_equal(gradients[0].asnumpy(), np.broadcast_to(y[:, None], x.shape))
    np.testing.assert_array_equal(gradients[1].asnumpy(), x)
    unequal = host._Called(np.subtract, (Tensor(X)._sig,) * 2, (Tensor(X)._sig,))
    with pytest.raises(ValueError, match="argument 1 of 'subtract' is mapped in fewer"):
        unequal.batch({0: x.reshape(-1), 1: y.reshape(-1)}, 8)


def test_dtypes_and_empty_arrays_pass_as_they_are():
    kinds = (ms.bool_, ms.int8, ms.int64, ms.float16, ms.float64)

    @ms.jit
    def f(*values):
        return ms.host_call(lambda *v: v[::-1], *values, out=tuple(values[::-1]))

    given = [Tensor(np.array([1, 0, 1]), k) for k in kinds]
    for got, want in zip(f(*given), given[::-1]):
        assert got.dtype is want.dtype and got.asnumpy().tolist() == want.asnumpy().tolist()
    parts = ms.jit(lambda x: ms.host_call(lambda a, b, c: b - c, x[:0], x, x * 3, out=x))
    np.testing.assert_array_equal(parts(Tensor(X)).asnumpy(), X * -2)
    count = ms.jit(lambda x: ms.host_call(lambda v: np.float32(v.size), x, out=Tensor(0.0)))
    assert float(count(ops.zeros((0, 3), ms.float32))) == 0.0


def test_an_exception_ends_the_call_and_changes_no_parameter():
    class Step(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(1.0), name="w")

        def construct(self, x):
            ops.assign(self.w, self.w + 1)
            y = ms.host_call(checked, x, out=x)
            ops.assign(self.w, self.w + y)
            return y

    def checked(x):
        if x < 0:
            raise KeyError("below 0")
        return x

    ms.set_context(mode=ms.GRAPH_MODE)
    step = Step()
    assert float(step(Tensor(1.0))) == 1.0
    with pytest.raises(KeyError, match="below 0"):
        step(Tensor(-1.0))
    assert float(step.w.value()) == 3.0


def test_threads_and_calls_within_calls_are_kept_apart():
    inner = ms.jit(lambda x: ms.host_call(np.negative, x, out=x) + 1)

    @ms.jit
    def outer(x, y):
        z = ms.host_call(lambda a, b: inner(Tensor(a)).asnumpy() * b, x, y, out=x)
        return ms.host_call(np.negative, z, out=z)

    found = {}

    def run(k):
        for _ in range(20):
            found[k] = outer(Tensor(X * k), Tensor(X)).asnumpy()

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(4):
        np.testing.assert_array_equal(found[k], -(1 - X * k) * X)


def test_messages_of_two_threads_in_any_order_are_of_their_calls():
    kind = (Tensor(X)._sig,)
    tag = host._number(np.negative, kind, kind) * 64
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        for pool, value in ((one, X), (other, X * 5)):
            pool.submit(host._exchange, tag, Tensor(value)._buf, 3).result()
        got = [pool.submit(host._exchange, tag, None, 3).result() for pool in (one, other)]
    np.testing.assert_array_equal([to_numpy(g, ms.float32) for g in got], [-X, X * -5])


def grown(v):
    return v + 1, v * 2


def call(x):
    return ms.host_call(grown, x, out=(x, x))


def test_results_that_nothing_needs_do_not_mix_up_calls_of_one_function():
    @ms.jit
    def f(x, n):
        total = call(x)[1]
        for i in range(n):
            _, twice = call(x)
            if i > 1:
                total = total + call(twice)[1] - call(x)[0]
            x = x + twice
        return total, call(x)[1]

    total, last = f(Tensor(X), Tensor(4))
    x, want = X, X * 2
    for i in range(4):
        if i > 1:
            want = want + x * 4 - (x + 1)
        x = x * 3
    np.testing.assert_array_equal(total.asnumpy(), want)
    np.testing.assert_array_equal(last.asnumpy(), x * 2)


def test_calls_in_branches_and_loops_of_nested_vmaps():
    def f(x, n):
        for _ in range(n):
            x = call(x)[1]
            if x.sum() > 10:
                x = call(-x)[0]
        return x

    def want(x, n):
        for _ in range(n):
            x = x * 2
            if x.sum() > 10:
                x = 1 - x
        return x

    x = np.arange(24, dtype=np.float32).reshape(2, 4, 3) / 4
    trips = np.array([1, 3], np.int32)
    mapped = ops.vmap(ops.vmap(f, (0, None)), (0, 0))
    np.testing.assert_array_equal(
        ms.jit(mapped)(Tensor(x), Tensor(trips)).asnumpy(),
        [[want(row, n) for row in rows] for rows, n in zip(x, trips)],
    )


def test_the_gradient_of_a_loop_of_calls():
    def both(x, y):
        rule = lambda x, y, out, dout: (dout[0] * y + dout[1], dout[0] * x + dout[1])
        return ms.host_call(lambda v, w: (v * w, v + w), x, y, out=(x, x), vjp=rule)

    def f(x, y, n):
        for _ in range(n):
            x, y = both(x, y)
        return (x * 2 + y).sum()

    def slope(x, y, dx, dy):  # forward, in float64
        for _ in range(3):
            x, y, dx, dy = x * y, x + y, dx * y + x * dy, dx + dy
        return 2 * dx + dy

    x, y = np.array([0.5, 0.25, 0.75]), np.array([0.1, 0.2, -0.3])
    got = ms.grad(f, (0, 1))(*[Tensor(v.astype(np.float32)) for v in (x, y)], Tensor(3))
    np.testing.assert_allclose(got[0].asnumpy(), slope(x, y, 1, 0), rtol=1e-5)
    np.testing.assert_allclose(got[1].asnumpy(), slope(x, y, 0, 1), rtol=1e-5)


def test_a_function_may_call_the_program_that_calls_it():
    def down(v):
        return (v * f(Tensor(v - 1)).asnumpy() if v[0] > 0 else np.ones_like(v)), v + 5

    f = ms.jit(lambda x: [r := ms.host_call(down, x, out=(x, x)), r[0] + r[1]][1])
    want = lambda v: (v * want(v - 1) if v[0] > 0 else np.ones_like(v)) + v + 5
    np.testing.assert_array_equal(f(Tensor(X)).asnumpy(), want(X))


def test_functions_that_are_equal_are_two():
    class Times:
        def __init__(self, factor):
            self.factor = factor

        def __eq__(self, other):
            return True

        def __call__(self, v):
            return v * self.factor

    two, three = Times(2), Times(3)  # no hash, either
    f = ms.jit(lambda x: ms.host_call(two, x, out=x) + 10 * ms.host_call(three, x, out=x))
    np.testing.assert_array_equal(f(Tensor(X)).asnumpy(), X * 32)


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def times(self, v):
        return v * self.factor


def test_calls_of_one_program_are_told_apart():
    """By the object of a method, the arguments' shapes, and the dtype of what is given."""
    two, three, total = Scale(2), Scale(3), lambda v: np.array(v.sum())

    @ms.jit
    def f(x):
        y = ms.host_call(two.times, x, out=x) + 10 * ms.host_call(three.times, x, out=x)
        parts = [ms.host_call(total, part, out=Tensor(0.0)) for part in (x, x[:2])]
        wide = ms.host_call(total, x, out=Tensor(0.0, ms.float64))
        return y, parts, wide

    y, parts, wide = f(Tensor(X))
    np.testing.assert_array_equal(y.asnumpy(), X * 32)
    assert [float(p) for p in parts] == [6.0, 4.0] and wide.dtype is ms.float64


@pytest.mark.parametrize("compiled", [False, True])
def test_all_digits_of_many_arguments_pass_and_stay_the_callers(compiled):
    def last(*arrays):
        for a in arrays[:-1]:
            a += 1
        return arrays[-1] if arrays[-1].dtype == np.int64 else arrays[-2] * 2

    given = [Tensor([float(i)], ms.float64) for i in range(38)] + [Tensor([1 / 3], ms.float64)]
    large = Tensor([2**53 + 1], ms.int64)
    run = ms.jit if compiled else lambda f: f
    f = run(lambda *v: ms.host_call(last, *v, out=v[-1]))
    assert int(f(*given, large)[0]) == 2**53 + 1
    g = run(lambda *v: ms.host_call(last, *v, large.astype(ms.int32), out=v[-1]))
    assert g(*given).asnumpy().tolist() == [(1 / 3 + 1) * 2]
    assert given[-1].asnumpy().tolist() == [1 / 3]


def test_a_call_that_failed_leaves_nothing_to_the_next():
    def add(v, w):
        if v[0] < 0:
            raise KeyError("below 0")
        return v[:0], v + w, v - w

    f = ms.jit(lambda x, y: ms.host_call(add, x, y, out=(x[:0], x, x)))
    for factor in (1, 2):
        with pytest.raises(KeyError, match="below 0"):
            f(Tensor(-X), Tensor(X * 7))
        none, total, left = f(Tensor(X * factor), Tensor(X))
        assert none.shape == (0,)
        np.testing.assert_array_equal(total.asnumpy(), X * (factor + 1))
        np.testing.assert_array_equal(left.asnumpy(), X * (factor - 1))


def test_pyfunc_is_mindspores():
    op = ops.PyFunc(lambda x, y: x + y, [ms.float32] * 2, [(3,)] * 2, [ms.float32], [(3,)])
    for call in (op, ms.jit(lambda a: op(a))):
        (out,) = call((Tensor(X), Tensor(X)))
        np.testing.assert_array_equal(out.asnumpy(), 2 * X)
    kinds = []
    plain = ops.PyFunc(lambda v: kinds.append(type(v)) or v, [ms.float32], [()], [ms.float32], [()])
    assert float(plain((Tensor(1.5),))[0]) == 1.5 and kinds == [float]
    with pytest.raises(ValueError, match="in_types length"):
        ops.PyFunc(np.sin, [ms.float32], [], [ms.float32], [()])


def test_refusals(tmp_path):
    @ms.jit
    def f(x):
        return ms.host_call(lambda v: v[:2], x, out=x)

    with pytest.raises(ValueError, match=r"result 0 of 'lambda' must be of shape \(3,\)"):
        f(Tensor(X))
    with pytest.raises(TypeError, match="Int64, as 'out' says"):
        ms.host_call(lambda v: v, Tensor([1.5]), out=Tensor([1]))
    with pytest.raises(ValueError, match="2 arrays, and 'out' says 1"):
        ms.host_call(lambda v: (v, v), Tensor(X), out=Tensor(X))
    with pytest.raises(TypeError, match="without 'vjp', so that it has no derivative"):
        ms.grad(lambda x: ms.host_call(np.sin, x, out=x))(Tensor(X))
    with pytest.raises(ValueError, match="result 0 of 'lambda' has integers that Int8 cannot hold"):
        ms.host_call(lambda v: np.array(300), Tensor(X), out=Tensor(0, ms.int8))
    with pytest.raises(TypeError, match="Complex128"):
        ms.host_call(np.sin, Tensor(X), out=Tensor([1j]))
    with pytest.raises(TypeError, match="an exported model has not"):
        ms.export(
            lambda x: ms.host_call(np.sin, x, out=x), Tensor(X), file_name=str(tmp_path / "m")
        )


def test_open_batches_and_gpus_refuse_it():
    f = ms.jit(lambda x: ms.host_call(np.sin, x * 2, out=x), dynamic_batch=True)
    line = r"test_host_calls.py:\d+: 'cell.send' op is not known to treat samples one by one"
    with pytest.raises(ms.CompileError, match=line + ".* export for a fixed batch"):
        f(Tensor(np.ones((4, 3), np.float32)))
    program = """
import numpy as np
import cellgrad as ms
ms.set_device("GPU")
x = ms.Tensor([1.0, 2.0])
f = lambda x: ms.host_call(np.sin, x * 2, out=x)
print(f(x))
try:
    ms.jit(f)(x)
except ms.CompileError as error:
    print(error)
"""
    env = {**os.environ, "CELLGRAD_CUDA_DRIVER": str(DRIVER)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    first, said = done.stdout.split("\n", 1)
    assert first == "[ 0.9092974 -0.7568025]", done.stderr
    assert "\n<string>:6:" in said
    assert "'cell.send' op is of a call of a function of Python ('host_call'), which" in said
    assert "a program on a GPU cannot make: compute on the CPU" in said
