"""Exchanges tensors with PyTorch and JAX by DLPack, in both directions and without a copy.

They are no dependency of the tests; run this with an interpreter that has one of them:

    PYTHONPATH=pyfront:build/python /tmp/torch/bin/python test/oracles/exchange.py
"""

import importlib
import sys

import numpy as np

import cellgrad as ms
from cellgrad import Tensor

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64"]


def with_torch(torch):
    for name in DTYPES:
        theirs = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
        ours = Tensor.from_dlpack(theirs)
        assert ours.dtype is getattr(ms, name) and ours.data_ptr() == theirs.data_ptr(), name
        theirs += 1
        back = torch.from_dlpack(ours)
        assert back.data_ptr() == theirs.data_ptr() and torch.equal(back, theirs), name
        np.testing.assert_array_equal(ours.asnumpy().astype(float), theirs.double().numpy())
    strided = torch.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(Tensor.from_dlpack(strided).asnumpy(), strided.numpy())
    x = torch.ones(3)
    np.testing.assert_array_equal(
        (ms.jit(lambda v: v * 2)(Tensor.from_dlpack(x))).asnumpy(), [2] * 3
    )


def with_jax(jax):
    jax.config.update("jax_enable_x64", True)
    for name in DTYPES:
        theirs = jax.numpy.arange(6).reshape(2, 3).astype(name)
        ours = Tensor.from_dlpack(theirs)
        assert ours.dtype is getattr(ms, name), name
        assert ours.data_ptr() == theirs.unsafe_buffer_pointer(), name
        np.testing.assert_array_equal(
            np.asarray(ours.asnumpy(), float), np.asarray(theirs, float), err_msg=name
        )
        x = Tensor(np.arange(64.0).reshape(8, 8), getattr(ms, name))
        back = jax.numpy.from_dlpack(x)
        assert back.dtype.name == name
        np.testing.assert_array_equal(np.asarray(back, float), np.arange(64.0).reshape(8, 8))


def main() -> int:
    tried = 0
    for name, check in (("torch", with_torch), ("jax", with_jax)):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        check(module)
        tried += 1
        print(f"{name} {module.__version__}: ok")
    if not tried:
        print("neither torch nor jax can be imported")
    return 0 if tried else 1


if __name__ == "__main__":
    sys.exit(main())
