"""More mistakes, in the form of `test_errors.py`: what people bring from other libraries, what has no
end, what depends on data."""

import pytest
import test_errors

import cellgrad as ms

CASES = {
    "endless loop": (
        "@ms.jit\ndef f(a):\n    while True:\n        a = a + 1  #!\n    return a\nf(v)",
        RuntimeError,
        "'f' has more than 100000 operations: a loop over Python values is unrolled|MAX_OPS",
    ),
    "boolean mask": (
        "@ms.jit\ndef f(a):\n    return a[a > 1]  #!\nf(v)",
        TypeError,
        "number of elements that a mask of shape .3. selects is not known|ops.where",
    ),
    "iterator returned": (
        "@ms.jit\ndef f(a):\n    return reversed([a, a])\nf(v)",
        TypeError,
        r"'f' returns a list_reverseiterator|tuple\(...\) collects",
    ),
    "generator function": (
        "@ms.jit\ndef f(a):\n    yield a\nf(v)",
        TypeError,
        "'f' returns a generator, which compiled code cannot",
    ),
    "set returned": (
        "@ms.jit\ndef f(a):\n    return {a}\nf(v)",
        TypeError,
        "'f' returns a set|tuple, list or dict",
    ),
    "match statement": (
        "@ms.jit\ndef f(a):\n    match a:\n        case 1:  #!\n            pass\n    return a\nf(v)",
        ValueError,
        "more than one element is ambiguous",
    ),
    "method of another library": (
        "@ms.jit\ndef f(a):\n    a.backward()  #!\n    return a\nf(v)",
        AttributeError,
        r"'Tensor' object has no attribute 'backward'|hint: gradients are functions: ms.grad",
    ),
    "attribute of another library": (
        "@ms.jit\ndef f(a):\n    return a.detach()  #!\nf(v)",
        AttributeError,
        "no attribute 'detach'|ops.stop_gradient",
    ),
    "backward hook": (
        "nn.ReLU().register_backward_hook(3)",
        TypeError,
        "'hook' must be a function, but got int",
    ),
    "mode of another library": (
        "nn.ReLU().eval()",
        AttributeError,
        r"The 'ReLU' object has no attribute 'eval'|hint: net.set_train\(False\)",
    ),
    "optimizer of another library": (
        "nn.SGD(nn.Dense(2, 3).trainable_params()).step()",
        AttributeError,
        r"no attribute 'step'|hint: an optimizer is called with the gradients",
    ),
    "layer of another library": (
        "nn.Sequential(net)",
        AttributeError,
        r"'cellgrad.nn' has no attribute 'Sequential'|hint: nn.SequentialCell",
    ),
    "forward of another library": (
        "class Net(nn.Cell):\n    def forward(self, x):\n        return x\nNet()(v)  #!",
        AttributeError,
        "the method 'construct' is not defined|hint: rename 'forward'",
    ),
    "misspelled method": (
        "@ms.jit\ndef f(a):\n    return a.reshap(3)  #!\nf(v)",
        AttributeError,
        "no attribute 'reshap'|nearest: reshape",
    ),
    "misspelled function": (
        "@ms.jit\ndef f(a):\n    return ops.sofmax(a)  #!\nf(v)",
        AttributeError,
        "no attribute 'sofmax'|nearest: softmax",
    ),
    "device": ("x.to('cuda')", TypeError, "For 'to', the dtype must be one of"),
    "unpacking": (
        "@ms.jit\ndef f(a):\n    p, q = a, a, a  #!\n    return p\nf(v)",
        ValueError,
        r"too many values to unpack \(expected 2\)",
    ),
    "assertion of one's own": (
        "@ms.jit\ndef f(a):\n    assert a.ndim == 2, 'need a matrix'  #!\n    return a\nf(v)",
        AssertionError,
        "need a matrix",
    ),
    "python's math": (
        "import math\n@ms.jit\ndef f(a):\n    return math.sin(a[0])  #!\nf(v)",
        TypeError,
        r"float\(\) needs the elements|keep the computation in ops",
    ),
    "shape from elements": (
        "@ms.jit\ndef f(a):\n    return a.reshape(int(a.sum()), -1)  #!\nf(v)",
        TypeError,
        "'shape' of reshape needs the elements of a tensor",
    ),
    "sizes from elements": (
        "@ms.jit\ndef f(a):\n    return ops.zeros(a.astype(ms.int32)[0])  #!\nf(v)",
        TypeError,
        "'shape' of zeros needs the elements of a tensor",
    ),
    "deleted variable": (
        "@ms.jit\ndef f(a):\n    b = a\n    del b\n    return b  #!\nf(v)",
        UnboundLocalError,
        "'b'",
    ),
    "attribute of a tensor": (
        "@ms.jit\ndef f(a):\n    a.requires_grad = True  #!\n    return a\nf(v)",
        TypeError,
        "'requires_grad' of a tensor cannot be assigned",
    ),
    "key of a dictionary": ("nn.CellDict({'a.b': nn.ReLU()})", KeyError, "contain '.'"),
    "container in a dictionary": (
        "nn.CellDict({'a': nn.CellList()})",
        TypeError,
        "can not be CellDict, CellList",
    ),
    "hook": ("net.register_forward_hook(3)", TypeError, "'hook' must be a function, but got int"),
    "buffer": ("net.register_buffer('fc', x)", KeyError, "'fc' already exists"),
    "buffer replaced": (
        "net.register_buffer('b', x)\nnet.b = v",
        TypeError,
        "Buffer 'b' already exists|assign_value",
    ),
    "state that does not fit": (
        "net.load_state_dict({'p': x}, False)",
        RuntimeError,
        r"size mismatch for p: the shape here is \(2,\), that of the state \(2, 3\)",
    ),
    "checkpoint format": (
        "ms.load_checkpoint('m.safetensors')",
        ValueError,
        'name must end with the format|format="safetensors"',
    ),
    "matrix for an initializer": (
        "from cellgrad.common.initializer import *\ninitializer('identity', (3,))",
        ValueError,
        "rank must be 2, but got 1",
    ),
    "empty shape": (
        "from cellgrad.common.initializer import *\ninitializer('ones', (2, 0))",
        ValueError,
        r"must be positive integers, but got \(2, 0\)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_mistake(name, tmp_path, monkeypatch):
    monkeypatch.setitem(test_errors.CASES, name, CASES[name])
    test_errors.test_mistake(name, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "call, name, method",
    [
        (
            lambda: ms.train.LossScaleManager().get_loss_scale(),
            "LossScaleManager",
            "get_loss_scale",
        ),
        (lambda: type("Own", (ms.train.Metric,), {})().clear(), "Own", "clear"),
        (lambda: ms.dataset.Dataset(["x"]).known_size(), "Dataset", "known_size"),
    ],
)
def test_a_method_that_a_class_must_define(call, name, method):
    with pytest.raises(
        NotImplementedError, match=f"For '{name}', '{method}' is not defined(.|\n)*hint: "
    ):
        call()


def test_a_name_that_is_not_defined_in_a_branch_without_a_truth():
    """It is told before the condition, which MindSpore 2.10 does as well."""

    def branch(x):
        if x > 0:
            missing_one  # noqa: B018, F821
        return x

    def loop(x):
        while x > 0:
            if x > 1:
                missing_two + x  # noqa: F821
            x = x - 1
        return x

    def inner(x):
        if x > 0:
            x = sum([item + 1 for item in x])
        return x

    for f, name in ((branch, "missing_one"), (loop, "missing_two")):
        with pytest.raises(NameError, match=rf"The name '{name}' is not defined(.|\n)*{name}"):
            ms.jit(f)(ms.Tensor([1.0, 2.0]))
    with pytest.raises(ValueError, match="more than one element is ambiguous"):
        ms.jit(inner)(ms.Tensor([1.0, 2.0]))


def test_the_key_of_a_dictionary_comes_first_and_has_a_place():
    order = []

    def said(value):
        order.append(value)
        return value

    def f(x):
        return {said("a"): said(1), said("b"): said(2)}["a"] * x

    assert float(ms.jit(f)(ms.Tensor(3.0))) == 3 and order == ["a", 1, "b", 2]

    def g(x):
        names = [1]
        return {names: x}

    with pytest.raises(TypeError, match=r"unhashable type: 'list'") as caught:
        ms.jit(g)(ms.Tensor(1.0))
    assert "return {names: x}" in "".join(caught.value.__notes__)


def test_ints_in_a_matrix_and_beyond_64_bits_have_mindspores_errors_too():
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match=r"'shape' must be a vector of ints, but has shape \[1, 2\]"):
            ms.ops.random_poisson(ms.Tensor([[1, 2]]), ms.Tensor([0.5]))
    for kind in (TypeError, RuntimeError):
        with pytest.raises(kind, match="does not fit int64"):
            ms.Tensor(2**64, ms.int64)
