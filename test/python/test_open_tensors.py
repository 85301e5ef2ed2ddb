"""Tensors of open shape, and compiling a Cell without a call."""

import copy

import pytest

import cellgrad as ms
from cellgrad import Tensor, nn


def test_shapes_with_open_lengths():
    x = Tensor(shape=(None, 3), dtype=ms.float32)
    assert (x.shape, x.ndim, x.dtype) == ((-1, 3), 2, ms.float32)
    assert Tensor(dtype=ms.int32).shape == (-2,)
    assert repr(x) == "Tensor(shape=[-1, 3], dtype=Float32, value=\n)"
    net = nn.ReLU()
    net.set_inputs(copy.deepcopy(x))
    assert net(Tensor([[-1.0, 2.0, 3.0]])).asnumpy().tolist() == [[0, 2, 3]]


@pytest.mark.parametrize(
    "use", [lambda x: x + 1, lambda x: ms.jit(lambda y: y * 2)(x), lambda x: x.asnumpy(), Tensor]
)
def test_open_tensors_have_no_elements(use):
    with pytest.raises(ValueError, match="has no elements"):
        use(Tensor(shape=(None, 3), dtype=ms.float32))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_cell_is_compiled_without_a_call(mode, capfd):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = ms.Parameter(Tensor(0.0), name="calls")

        def construct(self, x, y=1.0):
            ms.ops.assign_add(self.calls, Tensor(1.0))
            print("called")
            return x * y

    ms.set_context(mode=mode)
    net = Net()
    net.compile(Tensor([1.0, 2.0]), y=Tensor([3.0, 4.0]))
    assert net.calls.asnumpy() == 0 and capfd.readouterr().out == ""
    compiled = len(net._jit_program.cache)
    out = net.compile_and_run(Tensor([1.0, 2.0]), y=Tensor([3.0, 4.0]))
    assert out.asnumpy().tolist() == [3, 8] and net.calls.asnumpy() == 1
    assert len(net._jit_program.cache) == compiled == 1
    net.compile(Tensor([1.0, 2.0]), y=Tensor([3.0, 4.0]))  # a Parameter has changed, not the code
    assert len(net._jit_program.cache) == 1
    with pytest.raises(ValueError, match="broadcast"):
        net.compile(Tensor([1.0, 2.0]), y=Tensor([3.0, 4.0, 5.0]))


def test_a_parameter_as_argument_and_attribute():
    w = ms.Parameter(Tensor([1.0]), name="w")

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = w

        def construct(self, given):
            ms.ops.assign(self.w, given + 1)
            return given * self.w

    net = Net()
    net.compile(w)
    assert w.asnumpy() == 1
