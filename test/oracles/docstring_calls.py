"""What `docstring_variants.py` computes of a function of tensors; both frameworks run it."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

FLOATS = (ms.float16, ms.bfloat16, ms.float32, ms.float64)
SPECIAL = np.array([np.inf, -0.0, np.nan, 0.5, -np.inf, 0.0, 1.0, -1.0])
ZEROS = np.array([0.0, -0.0, 1.0, -1.0])


def is_float(value):
    return isinstance(value, Tensor) and value.dtype in FLOATS


def flat(value):
    if isinstance(value, (tuple, list)):
        return [part for v in value for part in flat(v)]
    return [value]


def array(value):
    return value.astype(ms.float32).asnumpy() if value.dtype == ms.bfloat16 else value.asnumpy()


def like(value, numbers):
    return Tensor(np.asarray(numbers, np.float64), value.dtype)


def changed(value, how):
    """An argument with another dtype, other elements or another shape."""
    if not is_float(value):
        return value[:0] if how == "empty" and value.ndim else value
    numbers = array(value)
    if how == "empty":
        return value[:0] if value.ndim else value
    if how == "scalar":
        return like(value, numbers.ravel()[0])
    if how == "negative":
        return like(value, -numbers)
    if how in ("zeros", "special"):
        new = np.resize({"zeros": ZEROS, "special": SPECIAL}[how], max(numbers.size, 1))
        kept = np.arange(new.size) % 3 == 2 if how == "special" and numbers.size > 4 else False
        return like(value, np.where(kept, numbers.ravel(), new).reshape(numbers.shape))
    return value if how == "same" else value.astype(getattr(ms, how))


def probe(value, shift):
    wave = np.cos(shift + np.arange(value.size)).reshape(value.shape)
    return Tensor(wave.astype(np.float32), ms.float32).astype(value.dtype)


def weighted(parts, shift):
    """One number of all floats among results."""
    total = None
    for k, part in enumerate(flat(parts)):
        if is_float(part):
            term = (part * probe(part, shift + k)).sum()
            total = term if total is None else total + term.astype(total.dtype)
    return total


def positions(arguments):
    return tuple(i for i, a in enumerate(arguments) if is_float(a))


def slope(function, arguments):
    def loss(*args):
        return weighted(function(*args), 1.0)

    return ms.grad(loss, positions(arguments))


def prepared(arguments, how):
    return [changed(a, how) for a in arguments]


def values(function, arguments, how):
    return function(*prepared(arguments, how))


def gradients(function, arguments, how):
    given = prepared(arguments, how)
    return slope(function, given)(*given)


def values_and_gradients(function, arguments, how):
    given = prepared(arguments, how)
    result = function(*given)
    try:
        return result, slope(function, given)(*given)
    except Exception:
        return (result,)


def seconds(function, arguments, how):
    given = prepared(arguments, how)
    first = slope(function, given)

    def total(*args):
        return weighted(first(*args), 2.0)

    return ms.grad(total, positions(given))(*given)


def stacked(given):
    return [ops.stack([a, a * 0.5 if is_float(a) else a]) for a in given]


def mapped(function, arguments, how):
    return ms.vmap(function)(*stacked(prepared(arguments, how)))


def mapped_gradients(function, arguments, how):
    given = prepared(arguments, how)
    return ms.vmap(slope(function, given))(*stacked(given))
