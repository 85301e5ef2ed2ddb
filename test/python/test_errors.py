"""Bad input: the class of the exception, its words, the user's line, and what to do.

Each case is a snippet whose last line makes the mistake; the message must name that file and line.
"""

import heapq
import re
import textwrap

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, ParameterTuple, Tensor, nn, ops
from cellgrad.transforms import cotangents

NAMES = {
    "heapq": heapq,
    "ms": ms,
    "np": np,
    "nn": nn,
    "ops": ops,
    "Tensor": Tensor,
    "Parameter": Parameter,
    "ParameterTuple": ParameterTuple,
}
SETUP = """
x = Tensor([[1., 2., 3.], [4., 5., 6.]])
v = Tensor([1., 2., 3.])
kept = []
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)
        self.n = 0
        self.p = Parameter(Tensor([1., 1.]), name='p')
    def construct(self, x):
        return self.fc(x).sum()
net = Net()
"""

# name: (snippet, exception, words of the message in order). `#!` marks the line to be named;
# without it, it is the last.
CASES = {
    # Tensors
    "ragged list": ("Tensor([[1, 2], [3]])", TypeError, "unsupported element|same length"),
    "string": ("Tensor('abc')", TypeError, "'input_data'.*str"),
    "numpy strings": ("Tensor(np.array(['a']))", TypeError, "dtype <U1|array.astype"),
    "complex": ("ops.relu(Tensor(1j))", TypeError, "must be real, but one is of Complex128"),
    "dtype by string": ("Tensor(1.0, dtype='float32')", TypeError, "'dtype' should be one of"),
    "large int": ("Tensor(2**70)", TypeError, "does not fit uint64"),
    "truth of many": ("bool(x)", ValueError, "only one element, but got 6"),
    "item of many": ("x.item()", ValueError, "only one element, but got 6"),
    "length of none": ("len(Tensor(1.0))", TypeError, "0-D"),
    "index out of range": (
        "x[5]",
        IndexError,
        r"index 5 is out of bounds for dimension with size 2 \(dimension 0\)",
    ),
    "too many indices": ("x[0, 0, 0]", IndexError, "too many indices.*3 given"),
    "float index": ("x[1.0]", IndexError, "1.0 with type float"),
    "tensor index": ("x[Tensor([0.5])]", IndexError, "integers or bools as index|with type Tensor"),
    "tensor out of range": ("x[Tensor([0, 2])]", IndexError, "index 2 is out of bounds"),
    "zero step": ("x[::0]", ValueError, "step cannot be zero"),
    "astype": ("x.astype('complex32')", TypeError, "dtype must be one of"),
    # Operations
    "shapes do not broadcast": (
        "x + Tensor([1., 2.])",
        ValueError,
        r"-1 is 3 in \[2, 3\] and 2 in \[2\]",
    ),
    "operand of another kind": ("x + 'a'", TypeError, "must be a Tensor or a number, but got str"),
    "not a tensor": ("ops.sin(1.0)", TypeError, "must be a Tensor, but got float|ms.Tensor"),
    "minus of bools": ("ops.neg(x > 1)", TypeError, "must not be Bool|logical_not"),
    "bools subtracted": ("(x > 1) - (x > 2)", TypeError, "cannot both be Bool"),
    "bitwise on floats": ("x & x", TypeError, "of integers or bools.*Float32"),
    "matrix product": ("ops.matmul(x, x)", ValueError, r"3 in the first shape \[2, 3\] and 2"),
    "MatMul rank": ("ops.MatMul()(v, v)", ValueError, "equal to 2|ops.matmul"),
    "MatMul flag": ("ops.MatMul(transpose_a=1)", TypeError, "'transpose_a' should be bool"),
    "axis": ("ops.mean(x, 2)", ValueError, r"must be in \[-2,2\), but got 2"),
    "axis twice": ("x.sum((0, 0))", ValueError, "names a dimension twice"),
    "axis type": ("x.sum(1.0)", TypeError, "axis must be an int.*float"),
    "reshape size": (
        "x.reshape(4, 2)",
        ValueError,
        r"\(4, 2\) is invalid for an input of shape \[2, 3\]",
    ),
    "reshape twice unknown": ("x.reshape(-1, -1)", ValueError, "one dimension at most may be -1"),
    "transpose": ("ops.transpose(x, (0, 0))", ValueError, "name each dimension once"),
    "broadcast_to": (
        "x.broadcast_to((3, 3))",
        ValueError,
        r"\[2, 3\] cannot be broadcast to \(3, 3\)",
    ),
    "concat shapes": (
        "ops.concat((x, x[:, :2]))",
        ValueError,
        r"tensors\[0\] has \[2, 3\] and tensors\[1\] has \[2, 2\]",
    ),
    "concat of nothing": ("ops.concat(())", ValueError, "'tensors' must not be empty"),
    "concat of a tensor": ("ops.concat(x)", TypeError, "tuple or list of Tensors"),
    "maximum of nothing": ("Tensor(np.zeros((0, 2))).max()", ValueError, "no elements to compare"),
    "condition not a tensor": ("ops.where(True, x, 0)", TypeError, "'condition' must be a Tensor"),
    "cast target": ("ops.cast(x, 3)", TypeError, "dtype must be one of"),
    "clip without limits": ("ops.clip(x)", ValueError, "at least one of"),
    "norm of a tensor": ("ops.clip_by_global_norm(x)", TypeError, r"tuple or list.*Tensor|\(x,\)"),
    "norm limit": ("ops.clip_by_global_norm([x], 0)", ValueError, "must be positive, but got 0"),
    "assign to a number": ("ops.assign(1, x)", TypeError, "must be a Tensor"),
    "uint16": (
        "Tensor([1, 2], ms.uint16) + Tensor([1])",
        TypeError,
        "implicit conversion between UInt16",
    ),
    # Gradients
    "neither position nor weights": (
        "ms.grad(net, None)",
        ValueError,
        "^`grad_position` and `weight` can not be None at the same time.",
    ),
    "negative position": ("ms.grad(net, -1)", ValueError, "must be at least 0, but got -1"),
    "duplicate position": ("ms.grad(net, (0, 0))", ValueError, "duplicate positions"),
    "position of a list": (
        "ms.grad(net, [0, 1])",
        TypeError,
        r"an int or a tuple of ints.*list|grad_position=\(0, 1\)",
    ),
    "no position": ("ms.grad(net, ())", ValueError, "should not be empty"),
    "position beyond": ("ms.grad(net, 1)(x)", IndexError, "Position index 1.*1 arguments"),
    "strict: position of a number": (
        "ms.grad(lambda a, b: a * b, 1)(v, 2.0)",
        TypeError,
        r"grad_position 1 is 2.0.*|ms.Tensor\(2.0\)",
    ),
    "strict: integers": (
        "ms.grad(lambda a: a * a)(Tensor([1, 2]))",
        TypeError,
        "floating-point|Int64",
    ),
    "strict: integers by position": (
        "ms.grad(lambda a, b: a * b)(Tensor([1, 2]), Tensor([1., 2.]))",
        TypeError,
        "dtype Int64|ms.float32",
    ),
    "no function": ("ms.grad(x)", TypeError, "must be a Cell or a function, but got Tensor|itself"),
    "weights of names": (
        "ms.grad(net, 0, 'p')",
        TypeError,
        "Parameter, ParameterTuple or list.*str",
    ),
    "weights of tensors": (
        "ms.grad(net, 0, [x])",
        TypeError,
        r"weights\[0\] is Tensor|trainable_params",
    ),
    "has_aux flag": (
        "ms.grad(net, 0, None, 1)",
        TypeError,
        "'has_aux' must be a bool, but got int",
    ),
    "one output with aux": ("ms.grad(net, has_aux=True)(x)", ValueError, "more than one output"),
    "strict: no tensor returned": (
        "def f(a):\n    a * 2\nms.grad(f)(v)",
        TypeError,
        "'f' must return a Tensor.*None|return statement",
    ),
    "strict: bool returned": (
        "ms.grad(lambda a: a > 1)(v)",
        TypeError,
        "only Tensors of dtype Bool",
    ),
    "sens of another shape": (
        "ops.GradOperation(sens_param=True)(net)(x, v)",
        ValueError,
        r"output, \[\], but got \[3\]",
    ),
    "sens missing": (
        "ops.GradOperation(sens_param=True)(lambda a: a)()",
        TypeError,
        "last argument must be",
    ),
    "sens flag": ("ms.grad(net, sens_param=1)", TypeError, "'sens_param' must be a bool"),
    "sens of grad missing": (
        "ms.value_and_grad(lambda a: a, sens_param=True)()",
        TypeError,
        "last argument must be the cotangent.*sens=",
    ),
    "sens of integers": (
        "ops.GradOperation(sens_param=True)(lambda a: a)(v, Tensor([1, 2, 3]))",
        TypeError,
        "floating-point dtype, but got Int64",
    ),
    "sens count": (
        "ops.GradOperation(sens_param=True)(lambda a: (a, a))(v, v)",
        TypeError,
        "has 1 tensors but 'lambda' returns 2",
    ),
    "get_all flag": ("ops.GradOperation(get_all=1)", TypeError, "'get_all' must be a bool"),
    "tangent shape": (
        "ms.jvp(lambda a: a, v, x)",
        ValueError,
        r"Float32\[3\], but got Float32\[2, 3\]",
    ),
    "tangent count": (
        "ms.jvp(lambda a: a, (v,), (v, v))",
        TypeError,
        "1 input tensors but 2 tangents",
    ),
    "get_grad": ("ms.get_grad((v,), 0)", RuntimeError, "no gradient for 0|return_ids"),
    "gradient inside itself": (
        "def f(a):\n    return ms.grad(f)(a)  #!\nf(v)",
        RecursionError,
        "'f' is taken inside itself.*|Python value",
    ),
    "endless recursion": (
        "@ms.jit\ndef f(a):\n    return g(a)\ndef g(a):\n    return g(a + 1)  #!\nf(v)",
        RecursionError,
        "without end",
    ),
    # Compiled code
    "condition on a tensor": (
        "@ms.jit\ndef f(a):\n    if a > 0:  #!\n        return a\n    return -a\nf(v)",
        ValueError,
        r"A condition is a tensor of shape \[3\]|\.all\(\)",
    ),
    "while on a tensor": (
        "@ms.jit\ndef f(a):\n    while a.sum() < 9:  #!\n        a = (a, a)\n    return a\nf(v)",
        TypeError,
        "'a' changes from trip to trip",
    ),
    "and on tensors": (
        "@ms.jit\ndef f(a):\n    return (a > 1) and (a < 2)  #!\nf(v)",
        ValueError,
        "more than one element is ambiguous",
    ),
    "assert on elements": (
        "@ms.jit\ndef f(a):\n    assert a > 1  #!\n    return a\nf(v)",
        ValueError,
        "more than one element is ambiguous",
    ),
    "range of a tensor": (
        "@ms.jit\ndef f(a):\n    for i in range(a[0]):  #!\n        pass\n    return a\nf(v)",
        TypeError,
        "bounds of a range must be integers",
    ),
    "step of a range": (
        "@ms.jit\ndef f(a, n):\n    for i in range(0, 9, n):  #!\n        pass\n    return a\nf(v, ms.Tensor(2))",
        TypeError,
        "step of a range over tensors must be a Python int",
    ),
    "float of a tensor": (
        "@ms.jit\ndef f(a):\n    return float(a)  #!\nf(v)",
        ValueError,
        r"float\(\) takes a tensor of one element",
    ),
    "asnumpy": (
        "@ms.jit\ndef f(a):\n    return a.asnumpy()  #!\nf(v)",
        TypeError,
        r"asnumpy\(\) needs",
    ),
    "numpy function": (
        "@ms.jit\ndef f(a):\n    return np.sin(a)  #!\nf(v)",
        TypeError,
        "numpy.asarray",
    ),
    "f-string": (
        "@ms.jit\ndef f(a):\n    return f'{a:.2f}'  #!\nf(v)",
        TypeError,
        "is formatted with",
    ),
    "element assignment": (
        "@ms.jit\ndef f(a):\n    v[0] = a[1]  #!\n    return a\nf(v)",
        TypeError,
        r"from around the compiled code|x\.copy\(\)",
    ),
    "attribute assignment": (
        "class M(nn.Cell):\n    def construct(self, a):\n        self.n = nn.ReLU()  #!\n        return a\nM()(v)",
        TypeError,
        "Attribute 'n' of a M is assigned in compiled code",
    ),
    "global assignment": (
        "@ms.jit\ndef f(a):\n    global leaked\n    leaked = a * 2  #!\n    return a\nf(v)",
        TypeError,
        "The global variable 'leaked' is assigned in compiled code",
    ),
    "number counted in a global": (
        "count = 1\n@ms.jit\ndef f(a):\n    global count\n    count = count + 1  #!\n    return a * count\nf(v)",
        TypeError,
        "The global variable 'count' is assigned",
    ),
    "assignment to a nonlocal": (
        "def outer():\n    count = 0\n    @ms.jit\n    def f(a):\n        nonlocal count\n"
        "        count += 1  #!\n        return a\n    f(v)\nouter()",
        TypeError,
        "The nonlocal variable 'count' is assigned",
    ),
    "global of a module": (
        "import types\nmodule = types.ModuleType('settings')\n@ms.jit\ndef f(a):\n"
        "    module.rate = 1  #!\n    return a\nf(v)",
        TypeError,
        "The global variable 'rate' of module 'settings' is assigned",
    ),
    "deleted global": (
        "count = 1\n@ms.jit\ndef f(a):\n    global count\n    del count  #!\n    return a\nf(v)",
        TypeError,
        "The global variable 'count' is deleted",
    ),
    "deleted twice": (
        "@ms.jit\ndef f(a):\n    b = a\n    del b\n    del b  #!\n    return a\nf(v)",
        UnboundLocalError,
        "'b'",
    ),
    "list of a range over a tensor": (
        "@ms.jit\ndef f(a, n):\n    return [a for i in range(n)]  #!\nf(v, ms.Tensor(2))",
        TypeError,
        "use a for statement",
    ),
    "class definition": (
        "@ms.jit\ndef f(a):\n    class K: pass  #!\n    return a\nf(v)",
        NotImplementedError,
        "class defined",
    ),
    "coroutine defined inside": (
        "@ms.jit\ndef f(a):\n    async def g():  #!\n        pass\n    return a\nf(v)",
        NotImplementedError,
        "AsyncFunctionDef",
    ),
    "yield in an expression": (
        "@ms.jit\ndef f(a):\n    def g():\n        print((yield a))  #!\n    return a\nf(v)",
        NotImplementedError,
        "A 'yield' in this place",
    ),
    "unbound variable": (
        "@ms.jit\ndef f(a, flag):\n    if flag:\n        b = a\n    return b  #!\nf(v, False)",
        UnboundLocalError,
        "'b'",
    ),
    "unknown name": (
        "@ms.jit\ndef f(a):\n    return a + nowhere  #!\nf(v)",
        NameError,
        "'nowhere' is not defined",
    ),
    "missing argument": (
        "@ms.jit\ndef f(a, b):\n    return a\nf(v)",
        TypeError,
        r"f\(\) missing 1 required argument: 'b'",
    ),
    "unexpected keyword": (
        "@ms.jit\ndef f(a):\n    return a\nf(v, c=1)",
        TypeError,
        "unexpected keyword argument 'c'",
    ),
    "too many arguments": (
        "@ms.jit\ndef f(a):\n    return a\nf(v, v)",
        TypeError,
        "takes 1 positional argument but 2",
    ),
    "leaked tensor": (
        "@ms.jit\ndef f(a):\n    heapq.heappush(kept, a * 2)\n    return a\nf(v)\nkept[0] + 1",
        RuntimeError,
        "computed inside 'f'|return it",
    ),
    "leaked into another": (
        "@ms.jit\ndef f(a):\n    heapq.heappush(kept, a * 2)\n    return a\nf(v)\n"
        "@ms.jit\ndef g(a):\n    return a + kept[-1]  #!\ng(v)",
        RuntimeError,
        "computed inside 'f'",
    ),
    "parameter of another shape": (
        "class M(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.p = Parameter(Tensor([1.]))\n"
        "    def construct(self, a):\n        self.p = a  #!\n        return a\nM()(v)",
        ValueError,
        r"Parameter 'p' has shape \[1\], but a value of shape \[3\]",
    ),
    "parameter read while compiling": (
        "class M(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.p = Parameter(Tensor(1.))\n"
        "    def construct(self, a):\n        return a * float(self.p)  #!\nM()(v)",
        TypeError,
        r"float\(\) of Parameter 'p' in compiled code would freeze",
    ),
    "jit of a tensor": ("ms.jit(x)", TypeError, "'function' must be a function, but got Tensor"),
    # Cells
    "no super": (
        "class M(nn.Cell):\n    def __init__(self):\n        self.p = Parameter(x)  #!\nM()",
        AttributeError,
        r"please call Cell.__init__\(\) firstly|super\(\)",
    ),
    "a call without super": (
        "class M(nn.Cell):\n    def __init__(self):\n        self.a = 1\n"
        "    def construct(self):\n        return self.a\nM()()  #!",
        AttributeError,
        r"super\(\).__init__\(\)",
    ),
    "no construct": ("nn.Cell()(x)", AttributeError, "'construct' is not defined"),
    "missing parameter in construct": (
        "class M(nn.Cell):\n    def construct(self, a):\n        return a * self.weight  #!\nM()(v)",
        AttributeError,
        "'M' object has no attribute 'weight'",
    ),
    "parameter replaced by a number": ("net.p = 3", TypeError, "Parameter 'p' already exists"),
    "cell replaced by a number": ("net.fc = 3", TypeError, "Sub cell 'fc' already exists"),
    "wrong width": (
        "class M(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Dense(3, 1)\n"
        "    def construct(self, a):\n        return self.fc(a)  #!\nM()(Tensor([[1., 2.]]))",
        ValueError,
        r"in_channels = 3, but got shape \[1, 2\]|cell 'fc'",
    ),
    "Dense sizes": ("nn.Dense(0, 1)", ValueError, "'in_channels' must be int and must > 0"),
    "Dense weight": (
        "nn.Dense(3, 2, weight_init=x.T)",
        ValueError,
        r"expected \(2, 3\).*got \(3, 2\)",
    ),
    "Dense activation": ("nn.Dense(3, 2, activation='nope')", KeyError, "must be in"),
    "initializer": ("nn.Dense(3, 2, weight_init='nope')", ValueError, "'nope' is unknown"),
    "reduction": ("nn.MSELoss('nope')", ValueError, r"must be 'mean', 'sum' or 'none'"),
    "loss of a number": ("nn.MSELoss()(x, 3)", TypeError, "'labels' must be a Tensor"),
    "sequence of numbers": ("nn.SequentialCell(3)", TypeError, r"args\[0\]"),
    "list of numbers": ("nn.CellList([3])", TypeError, "subclass of Cell, but got int"),
    "calling a list": (
        "nn.CellList([nn.ReLU()])(x)",
        NotImplementedError,
        "cannot be called|SequentialCell",
    ),
    "index of a sequence": ("nn.SequentialCell(nn.ReLU())[3]", IndexError, r"\[-1, 1\), but got 3"),
    "clash of names": (
        "a = Parameter(x, name='same')\nb = Parameter(x, name='same')\nParameterTuple([a, b])",
        ValueError,
        "its name 'same' already exists",
    ),
    "tuple of tensors": (
        "ParameterTuple([x])",
        TypeError,
        "'Parameter' collection, but got a Tensor",
    ),
    "name of a number": ("Parameter(x, name=3)", ValueError, "'string' or 'None'"),
    "requires_grad": ("Parameter(x, requires_grad=1)", TypeError, "must be a bool"),
    "layerwise": ("Parameter(x, layerwise_parallel=None)", TypeError, "must be a bool"),
    "training mode": ("net.set_train(1)", TypeError, "'mode' must be a bool"),
    # Context and helpers
    "device": (
        "ms.set_context(device_target='TPU')",
        ValueError,
        r"must be 'CPU', 'GPU' or 'Ascend', but got 'TPU'",
    ),
    "mode": ("ms.set_context(mode=5)", ValueError, "GRAPH_MODE.*but got 5"),
    "setting": ("ms.set_context(nope=1)", ValueError, "nope is not recognized"),
    "device number": ("ms.set_context(device_id=-1)", ValueError, "must be at least 0"),
    "trips": (
        "ms.set_context(max_trips=-1)",
        ValueError,
        "'max_trips' must be at least 0, but got -1",
    ),
    "stashes": (
        "ms.set_context(max_stash_bytes=1.5)",
        TypeError,
        "'max_stash_bytes' must be an int",
    ),
    "threads": (
        "ms.set_num_threads(-1)",
        ValueError,
        "'set_num_threads', 'num_threads' must be from 1 to 1024, or 0 .* but got -1",
    ),
    "too many threads": ("ms.set_num_threads(1025)", ValueError, "from 1 to 1024.* got 1025"),
    "half a thread": ("ms.set_num_threads(1.5)", TypeError, "'num_threads' must be an int"),
    "a true number": ("ms.set_num_threads(True)", TypeError, "must be an int, but got bool"),
    "runtime threads": (
        "ms.set_context(runtime_num_threads=-2)",
        ValueError,
        "'context.set_context', 'runtime_num_threads' must be from 1 to 1024.* got -2",
    ),
    "unknown setting read": ("ms.get_context('nope')", ValueError, "nope is not recognized"),
    "seed": ("ms.set_seed('a')", TypeError, "must be an int"),
    "negative seed": ("ms.set_seed(-1)", ValueError, "must be at least 0"),
    "scale": ("ms.amp.StaticLossScaler(0.5)", ValueError, "must be at least 1.0, but got 0.5"),
    "scale type": ("ms.amp.StaticLossScaler('a')", TypeError, "must be a number"),
    "scaled number": (
        "ms.amp.StaticLossScaler(2.).scale(3.0)",
        TypeError,
        "must be a Tensor or hold Tensors",
    ),
    "finite number": ("ms.amp.all_finite(3)", TypeError, "must hold Tensors"),
    # Export
    "export format": (
        "ms.export(net, x, file_name='m', file_format='ONNX')",
        ValueError,
        "'SO'.*but got 'ONNX'",
    ),
    "export of a tensor": (
        "ms.export(x, file_name='m')",
        TypeError,
        "must be a Cell or a function",
    ),
    "export without a name": ("ms.export(net, x, file_name='')", TypeError, "path without suffix"),
    "load of nothing": ("ms.load('/nowhere/m.so')", FileNotFoundError, "no file '/nowhere/m.so'"),
}


@pytest.mark.parametrize("name", CASES)
def test_mistake(name, tmp_path, monkeypatch):
    snippet, kind, words = CASES[name]
    monkeypatch.setattr(cotangents, "STRICT", name.startswith("strict: "))
    source = textwrap.dedent(SETUP) + snippet + "\n"
    path = tmp_path / "user_script.py"
    path.write_text(source)
    lines = source.splitlines()
    marked = [i for i, line in enumerate(lines, 1) if line.endswith("#!")]
    expected = marked[0] if marked else len(lines)
    with pytest.raises(kind) as caught:
        exec(compile(source, str(path), "exec"), dict(NAMES))
    given = type(caught.value)  # or a class of this one and another
    assert given is kind or kind is KeyError or kind in given.__mro__[1:4]
    text = str(caught.value) + "\n".join(getattr(caught.value, "__notes__", []))
    for part in words.split("|"):
        assert re.search(part, text, re.S), text
    assert f"{path}:{expected}" in text, text
    assert lines[expected - 1].strip() in text


def test_read_only_and_strided_arrays_are_copied():
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    a.setflags(write=False)
    for view in (a, a[:, ::2], a.T, a[::-1], a.astype(">f4")):
        t = Tensor(view)
        np.testing.assert_array_equal(t.asnumpy(), view)
        np.testing.assert_array_equal((t * 2).asnumpy(), view * np.float32(2))
        t.asnumpy()[...] = 0  # writes to the tensor, not to the array
    assert a[0, 1] == 1


def test_positions_carry_the_path_of_the_cell():
    class Inner(nn.Cell):
        def construct(self, x):
            return x @ x

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.block = nn.SequentialCell(nn.ReLU(), Inner())

        def construct(self, x):
            return self.block(x)

    with pytest.raises(ValueError, match=r"in construct \(cell 'block.1'\)"):
        Net()(Tensor(np.ones((2, 3), np.float32)))


def test_an_exception_of_the_users_own_keeps_its_class_and_gets_a_note():
    class Mine(Exception):
        pass

    @ms.jit
    def f(x):
        raise Mine("why")

    with pytest.raises(Mine, match="why") as caught:
        f(Tensor(1.0))
    assert __file__ in caught.value.__notes__[0]


def test_the_traceback_shows_the_users_frames_only():
    with pytest.raises(TypeError) as caught:
        ms.jit(lambda x: x.asnumpy())(Tensor(1.0))
    frames = [entry.path for entry in caught.traceback]
    assert all("pyfront/cellgrad/capture" not in str(p) for p in frames)


def test_a_failed_compile_leaves_nothing_behind():
    @ms.jit
    def f(x, good):
        return x if good else x.asnumpy()

    x = Tensor(1.0)
    with pytest.raises(TypeError):
        f(x, False)
    assert float(f(x, True)) == 1
    assert float(x + 1) == 2
