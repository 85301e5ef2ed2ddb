"""The classes of dtypes and what else MindSpore's own tests import before they begin."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad._c_expression import (
    _random_normal,
    _random_uniform,
    _truncated_normal,
    typing,
)
from cellgrad.common import initializer as init
from cellgrad.core import notices
from cellgrad.ops.operations import Load
from cellgrad.ops.operations._registry import get_vm_impl_fn, vm_impl_registry


def test_classes_of_dtypes():
    """What MindSpore 2.10 gives."""
    assert typing.Int(64) is ms.int64 and typing.Float(16) is ms.float16 and typing.Int() is ms.int_
    assert typing.Number() is ms.number and typing.Tuple((ms.int64, ms.int64)) is ms.tuple_
    for dtype, kind in (
        *((ms.int8, typing.Int), (ms.uint8, typing.UInt), (ms.float64, typing.Float)),
        *((ms.bfloat16, typing.BFloat), (ms.complex64, typing.Complex), (ms.bool_, typing.Bool)),
        *((ms.string, typing.String), (ms.list_, typing.List), (ms.type_none, typing.TypeNone)),
    ):
        assert isinstance(dtype, kind) and isinstance(dtype, typing.Type)
        assert isinstance(dtype, typing.Number) == bool(dtype.kind)
        assert not isinstance(dtype, typing.Tuple) and not isinstance(dtype, typing.TensorType)
    assert not isinstance(ms.bfloat16, typing.Float) and not isinstance(3, typing.Int)
    with pytest.raises(TypeError, match="no Int of 7 bits"):
        typing.Int(7)


def test_numbers_of_dtypes():
    """MindSpore 2.10 has these."""
    for dtype, number in ((ms.bool_, 30), (ms.int64, 35), (ms.float32, 43), (ms.bfloat16, 45)):
        assert typing.type_to_type_id(dtype) == number
        assert typing.type_id_to_type(number) is typing.type_id_to_type(dtype) is dtype
    assert typing.str_to_type("Float32") is ms.float32
    with pytest.raises(ValueError, match="no dtype of number 999"):
        typing.type_id_to_type(999)
    with pytest.raises(TypeError, match="no dtype"):
        typing.type_to_type_id(3)
    with pytest.raises(TypeError, match="no dtype 'Float33'"):
        typing.str_to_type("Float33")


def test_types_are_results_of_compiled_code():
    kinds = (typing.Number(), typing.Int(64), typing.Tuple((ms.int64, ms.int64)))
    assert ms.jit(lambda: kinds)() == (ms.number, ms.int64, ms.tuple_)


def test_functions_for_a_simulator_are_noted():
    @vm_impl_registry.register(ops.Sub)
    def make(primitive):
        return lambda x, y: (primitive.name, x - y)

    assert get_vm_impl_fn(ops.Sub())(5, 3) == ("Sub", 2)
    assert get_vm_impl_fn("Add") is None
    assert float(ops.Sub()(Tensor(5.0), Tensor(3.0))) == 2


def test_the_value_of_a_parameter(mode):
    w = Parameter(Tensor([2.0]), name="w")

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = w

        def construct(self, x):
            return Load()(self.w) * x

    assert Net()(Tensor([3.0])).asnumpy().tolist() == [6]
    assert ms.grad(Net(), None, w)(Tensor([3.0])).asnumpy().tolist() == [3]


def test_summaries_write_nothing_and_say_so(mode):
    def f(x):
        ops.ScalarSummary()("loss", x.sum())
        ops.HistogramSummary()("x", x)
        return x * x

    notices.forget()
    with pytest.warns(UserWarning, match="(Scalar|Histogram)Summary' writes nothing") as given:
        assert ms.grad(f)(Tensor([3.0])).asnumpy().tolist() == [6]
    assert len(given) == 2
    for name, value, kind in (
        *((1, Tensor(1.0), TypeError), ("", Tensor(1.0), ValueError)),
        *(("a", 1.0, TypeError), ("a", ops.zeros((2, 2)), ValueError)),
    ):
        with pytest.raises(kind, match="ScalarSummary"):
            ops.ScalarSummary()(name, value)
    with pytest.raises(ValueError, match="a Tensor with 4 dimensions"):
        ops.ImageSummary()("a", Tensor([1.0]))
    with pytest.raises(ValueError, match="with 1 dimensions or more"):
        ops.TensorSummary()("a", Tensor(1.0))


def test_initial_values_of_a_seed():
    """MindSpore 2.10 gives these."""
    data = np.zeros(3, np.float32)
    for fill, arguments, wanted in (
        (_random_normal, (0.5, 2.0), [-2.55291486, -0.32966515, 2.33638978]),
        (_random_uniform, (-1.0, 2.0), [0.44308317, 1.52856779, -0.08884446]),
        (_truncated_normal, (-2.0, 2.0, 0.5, 1.5), [0.233575, 1.35934365, -0.33530769]),
    ):
        fill(7, data, *arguments)
        np.testing.assert_allclose(data, wanted, rtol=1e-6)


def test_initializers_of_a_program():
    class Own(init.Initializer):
        def _initialize(self, arr):
            init._assignment(arr, sum(init._calculate_fan_in_and_fan_out(arr.shape)))

    found = init.initializer(Own(), [2, 3], ms.float32).init_data()
    assert found.asnumpy().tolist() == [[5, 5, 5], [5, 5, 5]]
    assert init._assignment(np.zeros(()), 2).item() == 2


def test_the_scope_of_what_is_computed_again():
    net = nn.Dense(2, 1)
    assert net.get_scope() is None
    net.recompute(mp_comm_recompute=True)
    assert net.get_scope() == "recompute_"  # as MindSpore 2.10 says
