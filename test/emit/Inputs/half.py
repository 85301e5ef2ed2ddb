"""Calls f of target.mlir in the model given: a machine's own conversions or the runtime's."""

import sys

import numpy as np

from cellgrad._native import Model, TensorBuffer

x = np.linspace(-9, 9, 40).astype(np.float16)
y = np.linspace(-3, 3, 40).astype(np.float32)
bits = (y.view(np.uint32) >> 16).astype(np.uint16)
y = (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)

twice, square, tanh = Model(sys.argv[1]).entry("f")(
    [TensorBuffer.from_object(x), TensorBuffer.from_object(bits, dtype="bfloat16")]
)
np.testing.assert_array_equal(twice.view(), x + x)
np.testing.assert_allclose(tanh.view(), np.tanh(x.astype(np.float64)), rtol=1e-6)
# One rounding: within half a unit of the eighth bit.
squared = (square.view().astype(np.uint32) << 16).view(np.float32)
assert np.all(np.abs(squared - y * y) <= np.spacing(np.float32(y * y)) * 2**15)
