"""`ops.assign` to Parameters of other dtypes: which MindSpore 2.10 takes (golden), and what optimizers still may."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.usefixtures("mode")

KINDS = ("float16", "float32", "float64", "int8", "int32", "int64", "bool_", "uint8")
TAKEN = {  # golden: by a Parameter of a dtype, which of KINDS
    "float16": "x..xxxxx",
    "float32": "xx.xxxxx",
    "float64": "xxxxxxxx",
    "int8": "...x..x.",
    "int32": "...xx.xx",
    "int64": "...xxxxx",
    "bool_": "......x.",
    "uint8": "......xx",
}


class Assigns(nn.Cell):
    def __init__(self, function, value):
        super().__init__()
        self.function = function
        self.p = Parameter(value, name="p")

    def construct(self, x):
        return self.function(self.p, x)


@pytest.mark.parametrize("kind", TAKEN)
def test_values_of_wider_dtypes_are_refused(kind):
    new, old = Tensor([1, 0, 1]), Tensor([0, 0, 1]).astype(getattr(ms, kind))
    for other, wanted in zip(KINDS, TAKEN[kind], strict=True):
        net = Assigns(ops.assign, old)
        try:
            net(new.astype(getattr(ms, other)))
            found = "x"
        except TypeError:
            found = "."
        assert found == wanted, other
        assert net.p.asnumpy().tolist() == (new if wanted == "x" else old).asnumpy().tolist()
        assert net.p.dtype is getattr(ms, kind)


def test_the_error_says_what_to_do():
    half, x = Tensor(np.float16([1, 2])), Tensor([0.5, 0.25])
    wanted = (
        r"'variable' is of Float16 and the value of Float32. Data type conversion is not supported for a "
        r"'Parameter'(?s:.*)hint: cast the value: ops.cast\(value, ms.float16\)"
    )
    for name, function in {
        "assign": ops.assign,
        "assign_add": ops.assign_add,
        "assign_sub": ops.assign_sub,
    }.items():
        for call in (function, getattr(ops, "".join(w.title() for w in name.split("_")))()):
            with pytest.raises(TypeError, match=f"For '{name}', {wanted}"):
                Assigns(call, half)(x)
    with pytest.raises(TypeError, match="'variable' is of Int64 and the value of Float32"):
        ops.assign(Tensor([1, 2]), x)
    net = Assigns(ops.assign_add, half)
    net(ops.cast(x, ms.float16))
    np.testing.assert_array_equal(net.p.asnumpy(), np.float16([1.5, 2.25]))


def test_set_data_and_optimizers_round():
    p = Parameter(Tensor(np.float16([1, 2])), name="p")
    p.set_data(Tensor([0.1, 0.2]))  # as in MindSpore
    np.testing.assert_array_equal(p.asnumpy(), np.float16([0.1, 0.2]))
    nn.Momentum([p], 0.5, 0.9)((Tensor([1.0, 1.0]),))
    np.testing.assert_array_equal(
        p.asnumpy(), np.float16(np.float32(np.float16([0.1, 0.2])) - np.float32(0.5))
    )
