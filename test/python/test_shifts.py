"""Shifts of bits, against Python's integers."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_all_shifts_of_each_dtype(bits):
    limit = 1 << (bits - 1)
    numbers = [0, 1, -1, 5, -6, limit - 1, -limit, limit // 3]
    by = [0, 1, 2, 5, bits - 2, bits - 1, bits, bits + 3]
    wrapped = lambda v: (v + limit) % (2 * limit) - limit
    left = [[wrapped(n << k) if k < bits else 0 for k in by] for n in numbers]
    right = [[n >> k for k in by] for n in numbers]
    dtype = getattr(ms, f"int{bits}")
    x, k = Tensor(np.array(numbers)[:, None], dtype), Tensor(np.array(by), dtype)
    for given, wanted in (
        (ops.bitwise_left_shift(x, k), left),
        (ops.LeftShift()(x, k), left),
        (x.bitwise_left_shift(k), left),
        (ms.jit(ops.bitwise_right_shift)(x, k), right),
        (ops.RightShift()(x, k), right),
        (x.bitwise_right_shift(k), right),
    ):
        assert given.dtype is dtype
        np.testing.assert_array_equal(given.asnumpy(), wanted)


def test_numbers_and_negative_shifts():
    x = Tensor([3, -8])
    assert ops.bitwise_left_shift(x, 2).asnumpy().tolist() == [12, -32]
    assert ops.bitwise_left_shift(3, Tensor([1, 2])).asnumpy().tolist() == [6, 12]
    assert ops.bitwise_right_shift(x, 1).asnumpy().tolist() == [1, -4]
    assert ops.bitwise_left_shift(x, -1).asnumpy().tolist() == [0, 0]
    assert ops.bitwise_right_shift(x, -1).asnumpy().tolist() == [0, 0]
    np.testing.assert_array_equal(
        ms.vmap(lambda v: v.bitwise_left_shift(v))(Tensor([1, 2])), [2, 8]
    )


@pytest.mark.parametrize("other", [Tensor([1.0, 2.0]), 0.5])
def test_only_integers(other):
    with pytest.raises(TypeError, match="must be integers"):
        ops.bitwise_left_shift(Tensor([1, 2]), other)
    with pytest.raises(TypeError, match="integer"):
        ops.bitwise_right_shift(Tensor([1.0, 2.0]), 1)


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_number_has_the_dtype_of_the_integers_beside_it(name, compiled):
    """As in MindSpore 2.10: the results were of int64 where the number came first, and in `lcm` always."""
    x = Tensor(np.array([1, 2, 3], name))
    calls = {
        "left": (lambda x: ops.bitwise_left_shift(3, x), [6, 12, 24]),
        "right": (lambda x: ops.bitwise_right_shift(12, x), [6, 3, 1]),
        "lcm": (lambda x: ops.lcm(x, 4), [4, 4, 12]),
        "lcm of a number": (lambda x: ops.lcm(4, x), [4, 4, 12]),
        "gcd": (lambda x: x.gcd(6), [1, 2, 3]),
        "lcm of a bool": (lambda x: ops.lcm(x, True), [1, 2, 3]),
    }
    for what, (call, wanted) in calls.items():
        out = (ms.jit(call) if compiled else call)(x).asnumpy()
        assert out.dtype == name, what
        assert out.tolist() == wanted, what


def test_divisors_of_two_bools_are_refused():
    with pytest.raises(TypeError, match="'input' must be of integers, but got Bool"):
        ops.lcm(Tensor([True]), True)
