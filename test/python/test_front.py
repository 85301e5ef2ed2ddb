"""What compiled code may say beside computing: exceptions, text, attributes of Cells, generators, match;
and where functions come from.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.testing import check_grads

X = Tensor([1.0, 2.0, 3.0])

# --- exceptions -----------------------------------------------------------------------------------


def root(x):
    assert x > -100, f"got {x}"
    if x < 0:
        raise ValueError("negative", 3)
    return ops.sqrt(x)


@pytest.mark.parametrize("transform", (ms.jit, ms.grad, lambda f: ms.grad(ms.grad(f))))
def test_a_raise_on_a_tensor_is_a_check(transform):
    f = transform(root)
    f(Tensor(4.0))
    for _ in range(2):
        with pytest.raises(ValueError, match="negative") as caught:
            f(Tensor(-4.0))
        assert caught.value.args == ("negative", 3)
        assert "test_front.py" in "".join(caught.value.__notes__)
    with pytest.raises(AssertionError, match="got -400" if transform is ms.jit else "got <Float32"):
        f(Tensor(-400.0))
    assert np.isfinite(f(Tensor(4.0)).asnumpy())


class Refused(Exception):
    def __init__(self, text, code=3):
        super().__init__(text)
        self.text, self.code = text, code


def with_several(x, y):
    if x.sum() > y.sum():
        raise Refused(f"x {x}, y {y}")
    return x


def before_a_write(x, y):
    if x.sum() > 1:
        raise ValueError(f"{x} is too large")
    x[0] = 5
    return x


def in_an_unrolled_loop(x, y):
    for i in range(3):
        if x.sum() > i:
            raise ValueError(f"{i}: {x}")
    return x


def itself(x, y):
    if x.sum() > 1:
        raise ValueError(x)
    return x


def after_a_write(x, y):
    x[0] = 3
    if x.sum() > 1:
        raise ValueError(f"{x} is too large")
    return x


def after_a_write_in_the_branch(x, y):
    if x.sum() > 1:
        x[0] = 3
        raise ValueError(f"{x} is too large")
    return x


def in_a_loop(x, y):
    while x.sum() < 100:
        if x.sum() > 10:
            raise ValueError(f"{x} is too large")
        x = x * 2
    return x


def of_changing_variables(x, y):
    for _ in range(2):
        if x.sum() > 3:
            raise ValueError(f"{x} is too large")
        x, y = y, x
    return x


def message(f):
    with pytest.raises((ValueError, Refused)) as caught:
        f(Tensor([1.0, 2.0]), Tensor([3.0, -1.0]))
    kept = {k: v for k, v in vars(caught.value).items() if k != "__notes__"}
    return [str(v) for v in (*caught.value.args, *kept.values())]


@pytest.mark.parametrize("f", [with_several, before_a_write, in_an_unrolled_loop, itself])
def test_messages_have_the_elements_of_inputs(f):
    compiled = ms.jit(f)
    for _ in range(2):
        wanted = message(f)
        assert message(compiled) == wanted


@pytest.mark.parametrize(
    "f", [after_a_write, after_a_write_in_the_branch, in_a_loop, of_changing_variables]
)
def test_messages_have_no_elements_of_what_may_have_changed(f):
    compiled = ms.jit(f)
    x = Tensor([4.0, 2.0]) if f is of_changing_variables else Tensor([1.0, 2.0])
    with pytest.raises(ValueError, match=r"<Float32\[2\]> is too large"):
        compiled(x, Tensor([3.0, -1.0]))


def test_derivatives_of_code_that_may_raise():
    check_grads(root, (Tensor(4.0),), order=2)


def test_raises_in_loops_and_called_functions():
    class Stop(Exception):
        pass

    def refuse(x):
        raise Stop(f"at {x.shape}")

    @ms.jit
    def f(x):
        while x < 10:
            x = x + 3
            if x == 7:
                refuse(x)
        if x > 100:
            print("never")
            return x
        else:
            if x < 0:
                raise KeyError
            elif x == 12:
                raise Stop
        return x

    assert int(f(Tensor(2))) == 11
    with pytest.raises(Stop, match=r"at \(\)"):
        f(Tensor(1))
    with pytest.raises(Stop):
        f(Tensor(3))


def test_a_failed_check_changes_no_state():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = Parameter(Tensor(0.0), name="n")
            self.seen = 0

        def construct(self, x):
            self.n += 1.0
            self.seen += 1
            assert x > 0
            return x

    net = Net()
    with pytest.raises(AssertionError):
        net(Tensor(-1.0))
    assert (float(net.n), net.seen) == (0, 0)
    net(Tensor(1.0))
    assert (float(net.n), net.seen) == (1, 1)


def test_a_raise_on_a_tensor_under_vmap_counts_for_the_batch():
    f = ms.vmap(root)
    assert f(Tensor([4.0, 9.0])).asnumpy().tolist() == [2, 3]
    with pytest.raises(ValueError, match="negative"):
        f(Tensor([4.0, -9.0]))


def test_a_raise_on_a_tensor_that_may_be_caught_is_refused():
    @ms.jit
    def f(x):
        try:
            if x > 0:
                raise ValueError
        except ValueError:
            x = -x
        return x

    with pytest.raises(TypeError, match="'try' with 'except'"):
        f(Tensor(1.0))


# --- text -----------------------------------------------------------------------------------------


def test_text_of_tensors(capfd):
    @ms.jit
    def f(x):
        print(f"x is {x * 2}!", "%s and %d" % (x, 3), "{} {a}".format(1, a=x), {"k": x})  # noqa: UP031, UP032
        return f"{x}", "a" + str(x), ", ".join([str(x), "b"]), f"{x.shape}", repr([x])

    x = Tensor([1, 2])
    assert f(x) == (
        "[1 2]",
        "a[1 2]",
        "[1 2], b",
        "(2,)",
        "[Tensor(shape=[2], dtype=Int64, value= [1 2])]",
    )
    out, _ = capfd.readouterr()
    assert out.startswith("x is [2 4]! [1 2] and 3 1 [1 2] {'k': Tensor(shape=[2]")


@pytest.mark.parametrize(
    "use",
    (lambda x: f"{x:.2f}", lambda x: str(x) == "1", lambda x: str(x).upper(), lambda x: "%d" % x),  # noqa: UP031
)
def test_text_of_tensors_is_not_known(use):
    with pytest.raises(TypeError, match=r"formatted with|knows it only when it runs"):
        ms.jit(use)(Tensor(1.0))


# --- attributes of Cells --------------------------------------------------------------------------


class Remembers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.calls, self.last, self.parts = 0, None, []
        self.w = Parameter(Tensor(3.0), name="w")

    def construct(self, x):
        self.calls += 1
        self.last = x * self.w
        self.parts = [x, {"n": self.calls}]
        return self.last * self.last


def test_attributes_of_cells_are_assigned_at_each_call(mode):
    net = Remembers()
    for k, x in enumerate((2.0, 5.0, 5.0)):
        assert float(net(Tensor(x))) == 9 * x * x
        assert (net.calls, float(net.last)) == (k + 1, 3 * x)
        assert (float(net.parts[0]), net.parts[1]) == (x, {"n": k + 1})
    net.calls = 10
    net(Tensor(1.0))
    assert net.calls == 11


def test_attributes_of_cells_under_grad(mode):
    net = Remembers()
    by_x, by_w = ms.grad(net, 0, net.trainable_params())(Tensor(2.0))
    assert (float(by_x), float(by_w[0])) == (36, 24)
    assert (net.calls, float(net.last)) == (1, 6)
    assert float(ms.grad(ms.grad(net))(Tensor(4.0))) == 18
    assert float(net.last) == 12


def test_writing_an_attribute_only_compiles_once():
    class Last(nn.Cell):
        def construct(self, x):
            self.last = x
            return x * 2

    net = Last()
    for k in range(4):
        net(Tensor(float(k)))
        assert float(net.last) == k
    assert len(net._jit_program.variants) == 1
    assert len(next(iter(net._jit_program.variants.values()))) <= 2


def test_what_a_cell_consists_of_does_not_change():
    class Net(nn.Cell):
        def construct(self, x):
            self.inner = nn.ReLU()
            return x

    with pytest.raises(TypeError, match="what a Cell consists of cannot change"):
        Net()(X)


# --- generators and match ------------------------------------------------------------------------


def multiples(x, n):
    got = yield x
    for i in range(n):
        if i == 2:
            continue
        yield x * i if got is None else x * got
    return x * 100


def test_generators():
    def f(x):
        def twice(y):
            z = yield from multiples(y, 4)
            yield z

        g = multiples(x, 3)
        first = next(g)
        second = g.send(x)
        return first * second + sum(twice(x)) + sum(v for v in multiples(x, 2))

    for v in (2.0, -1.0):
        assert float(ms.jit(f)(Tensor(v))) == float(f(Tensor(v)))
    check_grads(f, (Tensor(1.5),), order=2)


def test_a_generator_does_not_yield_as_a_tensor_says():
    def some(x):
        if x > 0:
            yield x

    with pytest.raises(TypeError, match="'yield' depends on a tensor"):
        ms.jit(lambda x: sum(some(x)))(Tensor(1.0))


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def shape_of(v):
    match v:
        case Point(x=0):
            return 1
        case Point(a, 2 | 3 as b) if b == 3:
            return a * b
        case Point():
            return 3
        case [a, [b, *_], *rest] if rest:
            return a * b * len(rest)
        case {"k": a, **rest}:
            return a * len(rest)
        case None:
            return 5
        case "text" | b"bytes":
            return 6
        case int(n) | float(n):
            return n
        case Tensor():
            return v * 2
    return 7


def test_match():
    @ms.jit
    def f(x):
        return (
            shape_of(Point(0, 1)), shape_of(Point(x, 3)), shape_of(Point(x, 2)), shape_of((x, [x, 1], 3)),
            shape_of((x, [x])), shape_of({"k": x, "l": 1, "m": 2}), shape_of(None), shape_of("text"),
            shape_of(4.5), shape_of(x), shape_of(set()),
        )  # fmt: skip

    wanted = [1, 6, 3, 4, 7, 4, 5, 6, 4.5, 4, 7]
    assert [float(v) for v in f(Tensor(2.0))[1:]] == wanted[1:]


def test_match_on_a_tensor():
    def f(x):
        match x:
            case 1:
                y = x * 2
            case y if y > 5:
                y = y * 3
            case _:
                y = -x
        return y

    for v in (1.0, 7.0, 3.0):
        assert float(ms.jit(f)(Tensor(v))) == float(f(Tensor(v)))
        check_grads(f, (Tensor(v + 0.25),), order=2)


# --- computed indices and builtins ---------------------------------------------------------------


def test_elements_at_computed_indices():
    def f(x, i):
        items = [x, x * x, x * x * x]
        functions = (ops.sin, nn.Tanh(), lambda v: v * 5)
        items[i] = items[i] * 2
        return items[i] + functions[i](x) + ((x, 1.0), (x * 2, 2.0))[i - 1][0]

    for i in (0, 1, 2, -2):
        if i != 0:
            check_grads(lambda x, i=i: f(x, Tensor(i % 3 or 1)), (Tensor(0.5),), order=2)
    g = ms.jit(lambda x, i: [x, x * 2][i])
    assert float(g(Tensor(3.0), Tensor(-1))) == 6
    with pytest.raises(IndexError, match="out of bounds for a tuple or list"):
        g(Tensor(3.0), Tensor(2))
    with pytest.raises(TypeError, match="an integer of one element"):
        g(Tensor(3.0), Tensor(0.5))
    with pytest.raises(TypeError, match="key of a dictionary"):
        ms.jit(lambda x, i: {0: x}[i])(X, Tensor(0))


def test_builtins_of_computed_tensors():
    @ms.jit
    def f(x, n):
        assert isinstance(x, Tensor) and not isinstance(x, Parameter)
        assert type(x) is Tensor
        for _ in range(int(n)):
            x = x + 1
        return max(x, 3.0), min(x, n, 1.0), any([x > 100, False]), all((x > 0, True)), float(n) * x

    assert [float(v) for v in f(Tensor(1.0), Tensor(4))] == [5, 1, 0, 1, 20]
    assert float(ms.grad(lambda x: float(x) * x)(Tensor(3.0))) == 3  # as MindSpore's
    with pytest.raises(ValueError, match="one element"):
        ms.jit(lambda x: int(x))(X)


def test_a_parameter_that_is_an_argument_is_one():
    w = Parameter(Tensor(1.0), name="weights")

    @ms.jit
    def f(p, x):
        assert isinstance(p, Parameter)
        ops.assign(p, p + x)
        return p * 1, p.name, p.requires_grad

    out = f(w, Tensor(2.0))
    assert (float(out[0]), out[1], out[2], float(w)) == (3, "weights", True, 3)


# --- decorators and options ----------------------------------------------------------------------


def test_constexpr():
    @ms.constexpr
    def half(n):
        return n // 2

    @ms.constexpr(get_instance=False, name="doubled")
    def other(n):
        return n * 2

    f = ms.jit(lambda x: x[: half(x.shape[0])] * other()(2))
    assert f(Tensor([1.0, 2.0, 3.0, 4.0])).asnumpy().tolist() == [4, 8]
    with pytest.raises(TypeError, match="'half', a constexpr, must be known while compiling"):
        ms.jit(lambda x: half(x))(Tensor(4))
    with pytest.raises(TypeError, match="'fn' must be a function"):
        ms.constexpr(3)


@pytest.mark.parametrize(
    "options, kind",
    [
        ({"capture_mode": "other"}, ValueError),
        ({"jit_level": "O7"}, ValueError),
        ({"dynamic": 2}, ValueError),
        ({"fullgraph": 1}, TypeError),
        ({"exec_order": "up"}, ValueError),
    ],
)
def test_options_of_jit(options, kind):
    with pytest.raises(kind, match=next(iter(options))):
        ms.jit(**options)
    f = ms.jit(
        capture_mode="bytecode", jit_level="O1", dynamic=1, fullgraph=True, backend="ms_backend"
    )
    assert f(lambda x: x + 1)(X).asnumpy().tolist() == [2, 3, 4]


@pytest.mark.parametrize(
    "bad", ["text", np.ones(2), (1, "a"), [[None]]], ids=["text", "array", "tuple", "list"]
)
def test_mutable(bad):
    with pytest.raises(TypeError, match="For 'mutable', the 'input_data'"):
        ms.mutable(bad)
    loop = [1]
    loop.append(loop)
    with pytest.raises(TypeError, match="no self-reference"):
        ms.mutable(loop)


def test_constant_arguments():
    f = ms.jit(lambda x, s: x.reshape(tuple(s.tolist())))
    x = ops.arange(6)
    for shape in ([2, 3], [3, 2], [2, 3]):
        assert f(x, Tensor(shape, const_arg=True)).shape == tuple(shape)
    with pytest.raises(TypeError, match="For 'Tensor', the type of 'const_arg' should be 'bool'"):
        Tensor(1, const_arg=3)
    with pytest.raises(
        TypeError, match="For 'set_const_arg', the type of 'const_arg' should be 'bool'"
    ):
        Tensor(1).set_const_arg(3)
    with pytest.raises(TypeError, match="set_const_arg"):
        Parameter(Tensor(1.0), name="w").set_const_arg()


def test_set_dtype_in_compiled_code_is_refused():
    with pytest.raises(TypeError, match=r"set_dtype\(\) changes a tensor itself"):
        ms.jit(lambda x: x.set_dtype(ms.float16))(X)


@pytest.mark.parametrize(
    "bad, kind", [([1, 2], TypeError), ((), ValueError), ((1, "a"), TypeError)]
)
def test_tuple_to_array(bad, kind):
    with pytest.raises(kind, match="tuple_to_array"):
        ops.tuple_to_array(bad)
    from_range = ops.tuple_to_array(range(1, 10, 3))
    assert (from_range.dtype, from_range.asnumpy().tolist()) == (ms.int32, [1, 4, 7])


# --- where functions come from -------------------------------------------------------------------

PROGRAM = """
import json
import cellgrad as ms
from cellgrad import Tensor

@ms.jit
def f(x):
    if x > 1:
        return x * 2
    return -x

g = ms.grad(lambda x: x * x if x > 0 else -x)
print(json.dumps([float(v) for v in (f(Tensor(2.0)), f(Tensor(1.0)), g(Tensor(3.0)), g(Tensor(-3.0)))]))
"""


@pytest.mark.parametrize("way", ("-c", "stdin", "pipe"))
def test_programs_without_a_file(way, tmp_path):
    path = tmp_path / "text"
    path.write_text(PROGRAM)
    command = [sys.executable, *(("-c", PROGRAM) if way == "-c" else ("-",))]
    with open(path if way == "stdin" else os.devnull) as given:
        options = {"input": PROGRAM} if way == "pipe" else {"stdin": given}
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if way == "pipe":
        assert "its source is not to be had" in done.stderr
        assert "Save it in a file" in done.stderr
    else:
        assert json.loads(done.stdout) == [4, -1, 6, -1]


def numbers_of(x):
    return float(x), int(x), x.item()


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.int8, ms.int32])
def test_computed_numbers_beside_tensors(dtype, mode):
    """They have the dtype of a number of Python's, as in MindSpore: that of the tensor, unless it is of integers
    and they are not."""

    def products(x, y):
        return [n * y for n in numbers_of(x)], [y - n for n in numbers_of(x)], y > x.item()

    x = Tensor(3.5, ms.float32)
    y = Tensor([1, 2], dtype)
    *found, larger = ms.jit(products)(x, y)
    of_floats = dtype if dtype in (ms.float16, ms.float32) else ms.float32
    for three, wanted in zip(found, ([[3.5, 7], [3, 6]], [[-2.5, -1.5], [-2, -1]]), strict=True):
        assert [v.dtype for v in three] == [of_floats, dtype, of_floats]
        assert [v.asnumpy().tolist() for v in three] == [wanted[0], wanted[1], wanted[0]]
    assert larger.asnumpy().tolist() == [False, False]


def test_the_only_element_in_compiled_code(mode):
    """As in MindSpore: a number, which has no derivative, and decides branches."""

    def halved(x):
        n = x.sum().item()
        return n + 1, (x / 2 if n > 2 else x)

    compiled = ms.jit(halved)
    for values, number, wanted in (([1.0, 2.0], 4.0, [0.5, 1.0]), ([1.0, 0.5], 2.5, [1.0, 0.5])):
        n, out = compiled(Tensor(values))
        assert type(n) is float and n == number
        assert out.asnumpy().tolist() == wanted
    assert ms.jit(lambda x: x.item())(Tensor([7], ms.int8)) == 7
    assert ms.jit(lambda x: x.item())(Tensor(3.1, ms.float64)) == 3.1
    assert ms.grad(lambda x: (x.item() * x).sum())(Tensor([3.5])).asnumpy().tolist() == [3.5]
    with pytest.raises(ValueError, match="only one element, but got 2"):
        ms.jit(lambda x: x.item())(Tensor([1.0, 2.0]))
