"""What the evaluator does with ordinary Python inside compiled code."""

import functools
import io
import re

import numpy as np
import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.compile import program as _jit
from cellgrad.core.scope import Trace

X = Tensor([1.0, 2.0, 3.0])
FACTOR = 2.0


def close(tensor, wanted):
    np.testing.assert_allclose(tensor.asnumpy(), np.asarray(wanted), rtol=1e-6)


def helper(a, *args, k=3, **kw):
    return a * k + sum(args) + kw.get("z", 0)


class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")
        self.__hidden = 3.0

    def construct(self, x):
        return x * self.w * self.__hidden


class Derived(Base):
    def construct(self, x):
        return super().construct(x) + 1


def test_super_and_private_names():
    close(Derived()(X), [7, 13, 19])


def test_receiver_of_any_name():
    class Net(nn.Cell):
        def construct(this, x):
            return x * this.scale()

        def scale(me):
            return 4

    close(Net()(X), [4, 8, 12])


def test_loops_unroll_with_break_continue_else():
    @ms.jit
    def f(x):
        for i in range(10):
            if i == 1:
                continue
            if i == 4:
                break
            x = x + i
        else:
            x = x * 100
        n = 0
        while n < 3:
            n += 1
            x = x * 2
        else:
            x = x + 1
        return x

    close(f(X), [49, 57, 65])


def test_calls_with_every_kind_of_argument():
    @ms.jit
    def f(x):
        parts = {"z": x}
        return helper(x, 1, 2, k=2, **parts), functools.partial(helper, k=5)(x), helper(*[x, x])

    a, b, c = f(X)
    close(a, [6, 9, 12])
    close(b, [5, 10, 15])
    close(c, [4, 8, 12])


def test_closures_lambdas_and_nonlocal():
    @ms.jit
    def f(x):
        count = 1

        def inner(q, s=FACTOR):
            nonlocal count
            count = count + 1
            return q * s + count

        g = lambda q: inner(q) + count
        return g(x), count

    y, count = f(X)
    close(y, [6, 8, 10])
    assert count == 2


def test_lambdas_that_share_a_line():
    f, g = (lambda x: x + 1), (lambda x: x + 2)
    close(ms.jit(f)(X), [2, 3, 4])
    close(ms.jit(g)(X), [3, 4, 5])
    close(ms.grad(lambda x: x * 3)(X), [3, 3, 3])


def test_comprehensions_keep_their_own_scope():
    @ms.jit
    def f(x):
        i = 10
        rows = [[x * i + j for j in range(2)] for i in range(3) if i != 1]
        table = {k: v * 1 for k, v in zip("ab", [x, x + i], strict=True)}
        total = sum(v for row in rows for v in row)
        return total, table, {n + 0 for n in (1, 1, 2)}

    total, table, numbers = f(X)
    close(total, [6, 10, 14])
    close(table["b"], [11, 12, 13])
    assert numbers == {1, 2}


def test_unpacking_chained_comparison_and_conditional_expression():
    @ms.jit
    def f(x):
        a, *b, (c, d) = 1, 2, 3, (4, 5)
        k = a if 0 < len(b) <= 2 and not c > d else 7
        x += k
        (y := x * 2)
        assert b == [2, 3], "unpacked"
        return y

    close(f(X), [4, 6, 8])


def test_try_with_and_raise():
    class Manager:
        def __enter__(self):
            return 5

        def __exit__(self, *exc):
            return False

    @ms.jit
    def f(x):
        try:
            raise KeyError("k")
        except (KeyError, ValueError) as e:
            x = x + len(e.args)
        else:
            x = x * 100
        finally:
            x = x + 1
        with Manager() as n:
            x = x + n
        return x

    close(f(X), [8, 9, 10])


def test_early_return_and_recursion_on_static_values():
    @ms.jit
    def power(x, n):
        if n == 0:
            return ops.ones_like(x)
        return x * power(x, n - 1)

    close(power(X, 5), [1, 32, 243])

    def deep(x, n):
        return x if n == 0 else deep(x + 1, n - 1)

    close(ms.jit(deep)(X, 300), [301, 302, 303])


def test_structures_in_and_out():
    @ms.jit
    def f(pair, table, flag=None, *, name):
        x, [y, n] = pair
        return {"sum": x + y * n, "flag": flag, "name": name}, [table["k"], ()]

    out, rest = f((X, [X, 3]), {"k": X}, name="n")
    close(out["sum"], [4, 8, 12])
    assert out["flag"] is None and out["name"] == "n"
    close(rest[0], X.asnumpy())
    assert rest[1] == ()


def test_user_objects_and_their_methods():
    class Scale:
        def __init__(self, k):
            self.k = k

        def __call__(self, x):
            return x * self.k

        @property
        def double(self):
            return self.k * 2

        @staticmethod
        def half(x):
            return x / 2

        @classmethod
        def make(cls, k):
            return cls(k)

    @ms.jit
    def f(x):
        return Scale.half(Scale.make(4)(x)) + Scale(1).double

    close(f(X), [4, 6, 8])


def test_generators_and_libraries_are_called_with_tracers():
    def twice(x):
        yield x
        yield x * 2

    @ms.jit
    def f(x):
        return functools.reduce(lambda a, b: a + b, twice(x))

    close(f(X), [3, 6, 9])


def test_functions_without_source_still_compile():
    names = {}
    exec("def f(x):\n    return x * 3", names)
    close(ms.jit(names["f"])(X), [3, 6, 9])


def test_library_operations_accept_numbers_and_arrays():
    close(ms.jit(lambda x: 1 - 2 * x + np.float32(1) * x)(X), [0, -1, -2])
    close(ms.jit(lambda x: x + np.ones(3, np.float32))(X), [2, 3, 4])


def test_prints_appear_in_order_at_every_call(capfd):
    @ms.jit
    def f(x):
        print("first", x, 3)
        print()
        y = x.sum()
        print("pair", (y, 1), "{}")
        ops.Print()("last", y)
        return y

    for _ in range(2):
        f(X)
    once = (
        "first [1. 2. 3.] 3\n\n"
        "pair (Tensor(shape=[], dtype=Float32, value= 6.0), 1) {\u200b}\nlast 6.0\n"
    )
    assert capfd.readouterr().out == once * 2


def test_prints_end_their_line_once(capfd):
    @ms.jit
    def f(x):
        print("a", x, sep="-", end="!\n")
        print("b", end="")
        print("c", end=None)
        return x

    f(Tensor(1.0))
    assert capfd.readouterr().out == "a-1.0!\nb\nc\n"


def test_prints_inside_a_gradient(capfd):
    def f(x):
        print("x", x)
        return x * x

    close(ms.grad(f)(Tensor(3.0)), 6)
    assert capfd.readouterr().out == "x 3.0\n"


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(Tensor(0.0), name="n", requires_grad=False)
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x):
        self.n += 1
        ops.assign(self.n, self.n * 2)
        return x * self.w * self.n


def test_parameters_written_in_compiled_code_are_updated_in_place():
    net = Counter()
    close(net(X), [4, 8, 12])
    close(net(X), [12, 24, 36])
    close(net.n, 6)
    net.n.set_data(Tensor(0.0))
    close(net(X), [4, 8, 12])


def test_parameters_written_under_a_gradient():
    net = Counter()
    value, (gradient,) = ms.value_and_grad(lambda x: net(x).sum(), None, [net.w])(X)
    close(value, 24)
    close(gradient, 12)
    close(net.n, 2)


def test_a_parameter_shared_by_two_cells_has_one_value():
    shared = Parameter(Tensor(1.0), name="shared")

    class Writer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.p = shared

        def construct(self, x):
            self.p = self.p + x.sum()
            return x

    class Reader(nn.Cell):
        def __init__(self):
            super().__init__()
            self.q = shared

        def construct(self, x):
            return x * self.q

    writer, reader = Writer(), Reader()
    writer(X)
    close(reader(X), [7, 14, 21])

    @ms.jit
    def both(x):
        writer(x)
        return reader(x)

    close(both(X), [13, 26, 39])


def test_a_parameter_passed_as_input_is_an_input():
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    close(ms.grad(lambda a: a * a)(w), [2, 4])
    close(ms.grad(lambda a: a * w)(w), [1, 2])


def test_pynative_mode_runs_operations_one_by_one():
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2 if x.sum() > 0 else -x

    ms.set_context(mode=ms.PYNATIVE_MODE)
    try:
        close(Net()(X), [2, 4, 6])
        close(Net()(-X), [1, 2, 3])
        close(ms.grad(lambda x: x * x)(X), [2, 4, 6])
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


def graph_of(function, *inputs, locations=False):
    """The text of the captured graph, before differentiation."""
    trace = Trace("t")
    _jit.capture(trace, "f", function, inputs, {})
    trace.graph.verify()
    return trace.graph.text(locations)


def check(text, checks):
    """FileCheck, as a library."""
    options = Options(match_filename="checks")
    parser = Parser(options, io.StringIO(checks), *pattern_for_opts(options))
    assert Matcher(options, FInput("graph", text), parser).run() == 0


@pytest.mark.parametrize("order", range(1, 4))
def test_locations_name_line_column_and_cell(order):
    class Inner(nn.Cell):
        def construct(self, x):
            return ops.tanh(x)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def construct(self, x):
            return self.inner(x).mean()

    f = Net()
    for _ in range(order):
        f = ms.grad(f)
    text = graph_of(f, X, locations=True)
    name = re.search(r"cell.tanh .* loc\((#loc\d+)\)", text).group(1)
    place = re.search(rf'^{name} = loc\("inner"\((#loc\d+)\)\)$', text, re.M).group(1)
    line = Inner.construct.__code__.co_firstlineno + 1
    assert f'{place} = loc("{__file__}":{line}:20)' in text.splitlines()


def test_a_captured_tensor_is_an_argument_of_the_differentiated_function():
    def outer(v):
        return ms.grad(lambda u: u * v)(v)

    check(
        graph_of(outer, X),
        """
        CHECK: func.func private @f_body(%[[V:.*]]: tensor<3xf32>
        CHECK: %[[ONE:.*]] = cell.constant dense<1.000000e+00>
        CHECK: cell.vjp @lambda(%[[V]], %[[V]]) cotangents(%[[ONE]]) of [0] wrt [0]
        CHECK: func.func private @lambda(%[[A:.*]]: tensor<3xf32> {{.*}}, %[[B:.*]]: tensor<3xf32>
        CHECK: cell.mul %[[A]], %[[B]]
        """,
    )


def test_a_written_parameter_is_donated():
    check(
        graph_of(Counter(), X),
        """
        CHECK: func.func @f(
        CHECK-SAME: cell.donate = 1 : i64, cell.name = "n", cell.role = "state"
        CHECK-SAME: cell.name = "w", cell.role = "parameter"
        CHECK-SAME: cell.name = "out0"
        CHECK-SAME: cell.name = "n"
        """,
    )


def test_broadcasting_is_explicit():
    check(
        graph_of(
            lambda a, b: a + b, Tensor(np.ones((4, 1, 3), np.float32)), Tensor(np.ones((2, 1)))
        ),
        """
        CHECK: cell.cast %arg0 : tensor<4x1x3xf32> to tensor<4x1x3xf64>
        CHECK: cell.reshape {{.*}} : tensor<4x1x3xf64> -> tensor<4x3xf64>
        CHECK: cell.broadcast {{.*}} along [1] : tensor<4x3xf64> -> tensor<4x2x3xf64>
        CHECK: cell.reshape %arg1 : tensor<2x1xf64> -> tensor<2xf64>
        CHECK: cell.broadcast {{.*}} along [0, 2] : tensor<2xf64> -> tensor<4x2x3xf64>
        CHECK: cell.add
        """,
    )


class WithFallback:
    def __init__(self, factor):
        self.factor = factor

    @property
    def doubled(self):
        return self.factor * 2

    @property
    def fallen(self):
        return self.missing

    def __getattr__(self, name):
        return self.factor * (3 if name == "missing" else 5)


def test_properties_and_fallbacks_of_attributes_are_evaluated():
    def f(x):
        made = WithFallback(x)
        return made.factor, made.doubled, made.fallen, made.other

    x = Tensor([1.0])
    assert [v.item() for v in ms.jit(f)(x)] == [v.item() for v in f(x)] == [1, 2, 3, 5]
