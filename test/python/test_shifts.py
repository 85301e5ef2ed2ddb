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
