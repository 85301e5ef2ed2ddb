"""Random numbers from explicit keys, without state.

A key is an int32 tensor of two words, made by `key` or `split`. The same key gives the same numbers,
in compiled code and out of it, on every machine; so a key is used once, and new ones are split off
it:

>>> key, sub = ms.random.split(ms.random.key(0))
>>> print(ms.random.normal(sub, (3,)).shape)
(3,)

All functions can be compiled, differentiated (with respect to parameters of distributions) and
mapped with `vmap`: a batch of keys gives independent numbers.

`ops.rand`, `ops.dropout` and others draw their keys from a generator with state; see
`cellgrad.common.generator`. Bits are those of Threefry-2x32 with 20 rounds (Salmon et al., SC 2011),
and equal those of JAX with `jax_threefry_partitionable`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike, TensorLike
from cellgrad.core.arguments import argument_error, check_int, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    as_tensor,
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    emit,
    is_number,
    operation,
    reshape_to,
    shape_of,
)
from cellgrad.core.scope import constant
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import extrema
from cellgrad.ops._index import gathered, order_of

__all__ = [
    "bernoulli",
    "bits",
    "categorical",
    "fold_in",
    "gumbel",
    "key",
    "laplace",
    "normal",
    "permutation",
    "randint",
    "split",
    "uniform",
]


def _words(number: int) -> list[int]:
    """The two 32-bit words of a number, high one first, as int32."""
    both = np.array([number >> 32 & 0xFFFFFFFF, number & 0xFFFFFFFF], np.uint32)
    return [int(w) for w in both.view(np.int32)]


def key(seed: int) -> Tensor:
    """The key of a seed.

    Args:
        seed: an int, of which 64 bits count.

    Returns:
        Tensor of shape (2,), int32.

    Raises:
        TypeError: `seed` is not an int.

    >>> print(ms.random.key(7))
    [0 7]
    """
    words = _words(check_int(seed, "key", "seed"))
    return constant(np.array(words, np.int32), signature(mstype.int32, (2,)))


def _check_key(value: Any, op: str) -> Tensor:
    if not isinstance(value, Tensor) or value.dtype is not mstype.int32 or value.shape[-1:] != (2,):
        given = repr(value._sig) if isinstance(value, Tensor) else type(value).__name__
        raise error(
            TypeError,
            f"For '{op}', the 'key' must be a Tensor of int32 whose last dimension is 2, but got "
            f"{given}.",
            "make one with random.key(seed) or random.split(key)",
        )
    return value


def _floating(dtype: Any, op: str) -> Type:
    target = mstype.or_default(dtype)
    if not isinstance(target, Type) or target.kind != "f":
        raise argument_error(ValueError, op, "dtype", "a float type", target)
    return target


# --- bodies, also run by ops.random -------------------------------------------------------------


def _bits(k: Tensor, shape: tuple[int, ...], dtype: Type = mstype.int32) -> Tensor:
    return emit("cell.random_bits", [k], None, dtype, k.shape[:-1] + shape)


def _mantissa(k: Tensor, shape: tuple[int, ...], digits: int) -> Tensor:
    """Random integers of `digits` binary digits: int32, or int64 where they do not fit."""
    drawn = _bits(k, shape, mstype.int64 if digits > 30 else mstype.int32)
    return ew._binary("cell.bitwise_and", drawn, as_tensor(2**digits - 1, "", drawn.dtype), False)


# Digits that are exact in the type.
_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def _computed_in(dtype: Type) -> Type:
    return dtype if dtype.itemsize > 2 else mstype.float32


def unit_uniform(k: Tensor, shape: tuple[int, ...], dtype: Type) -> Tensor:
    """Multiples of the type's epsilon in [0, 1), all with the same probability."""
    digits = _DIGITS[dtype.name]
    whole = cast_to(_mantissa(k, shape, digits), _computed_in(dtype))
    return cast_to(ew.binary("cell.mul", whole, 2.0**-digits), dtype)


def _symmetric(k: Tensor, shape: tuple[int, ...], dtype: Type) -> Tensor:
    """Odd multiples of half an epsilon in (-1, 1), all with the same probability."""
    digits = _DIGITS[dtype.name]
    drawn = _mantissa(k, shape, digits)
    odd = ew.binary("cell.sub", ew.binary("cell.mul", drawn, 2), 2**digits - 1)
    return ew.binary("cell.mul", cast_to(odd, dtype), 2.0**-digits)


def unit_normal(k: Tensor, shape: tuple[int, ...], dtype: Type) -> Tensor:
    """Standard normal numbers: the inverse of the distribution function at uniform ones."""
    own = _computed_in(dtype)
    inverse = emit("cell.erfinv", [_symmetric(k, shape, own)])
    return cast_to(ew.binary("cell.mul", inverse, math.sqrt(2)), dtype)


def unit_laplace(k: Tensor, shape: tuple[int, ...], dtype: Type) -> Tensor:
    """Laplace numbers of mean 0 and scale 1."""
    own = _computed_in(dtype)
    u = _symmetric(k, shape, own)
    size = emit("cell.log1p", [emit("cell.neg", [emit("cell.abs", [u])])])
    return cast_to(emit("cell.neg", [emit("cell.mul", [emit("cell.sign", [u]), size])]), dtype)


def unit_gumbel(k: Tensor, shape: tuple[int, ...], dtype: Type) -> Tensor:
    """Gumbel numbers, -log(-log(u)) of u in (0, 1)."""
    own = _computed_in(dtype)
    s = _symmetric(k, shape, own)  # 2 u - 1
    lower = ew.binary("cell.mul", ew.binary("cell.add", s, 1), 0.5)
    upper = ew.binary("cell.mul", ew.binary("cell.sub", s, 1), 0.5)  # u - 1, exact near u = 1
    logs = [emit("cell.log", [lower]), emit("cell.log1p", [upper])]
    log = emit("cell.select", [ew.compare("cell.less", s, 0), *logs])
    out = emit("cell.neg", [emit("cell.log", [emit("cell.neg", [log])])])
    return cast_to(out, dtype)


def keep_mask(k: Tensor, shape: tuple[int, ...], probability: float) -> Tensor:
    """True with a probability that is a number, to 2^-24."""
    drawn = _mantissa(k, shape, 24)
    return ew.compare("cell.less", drawn, round(probability * 2**24))


def whole_numbers(
    k: Tensor, shape: tuple[int, ...], low: Any, high: Any, dtype: Type, op: str
) -> Tensor:
    """Integers in [low, high), by a product with a uniform float64."""
    u = unit_uniform(k, shape, mstype.float64)
    low, high = (cast_to(as_tensor(v, op, mstype.int64), mstype.float64) for v in (low, high))
    scaled = emit("cell.floor", [ew.binary("cell.mul", u, ew.binary("cell.sub", high, low))])
    return cast_to(ew.binary("cell.add", scaled, low), dtype)


# --- functions of keys --------------------------------------------------------------------------


@operation
def split(key: Tensor, num: int = 2) -> Tensor:
    """New keys, independent of one another and of what the old one gives.

    Args:
        key: a key, or a tensor of keys (..., 2).
        num: how many to make of each.

    Returns:
        Tensor of shape (..., num, 2), int32; a tuple assignment takes it apart.

    Raises:
        TypeError: `key` is not a key.
        ValueError: `num` is not positive.

    >>> key = ms.random.key(0)
    >>> print(ms.random.split(key, 3).shape)
    (3, 2)
    """
    k = _check_key(key, "split")
    if isinstance(num, bool) or not isinstance(num, int) or num < 1:
        raise argument_error(ValueError, "split", "num", "a positive int", num)
    both = _bits(k, (num,), mstype.int64)
    high = ew.binary("cell.floor_div", both, 2**32)
    parts = [reshape_to(cast_to(w, mstype.int32), (*both.shape, 1)) for w in (high, both)]
    return emit("cell.concat", parts, {"dim": both.ndim})


@operation
def fold_in(key: Tensor, data: int | Tensor) -> Tensor:
    """A new key from a key and a number, such as the number of a step.

    Args:
        key: a key, shape (2,).
        data: an int or a Tensor of one integer.

    Returns:
        Tensor of shape (2,), int32.

    Raises:
        TypeError: `key` is not a key, or `data` not an integer.

    >>> key = ms.random.key(0)
    >>> keys = [ms.random.fold_in(key, step) for step in range(2)]
    >>> print((keys[0] == keys[1]).all())
    False
    """
    k = _check_key(key, "fold_in")
    number = as_tensor(data, "fold_in", mstype.int64)
    if number.dtype.kind != "i" or number.size != 1:
        raise error(TypeError, "For 'fold_in', 'data' must be an int or a Tensor of one integer.")
    low = cast_to(reshape_to(number, (1,)), mstype.int64)
    high = ew.binary("cell.floor_div", low, 2**32)
    words = emit("cell.concat", [high, low], {"dim": 0})
    # Other keys than those that split would make of this one.
    apart = constant(np.array([0x5851F42D, 0x14057B7E], np.int32), signature(mstype.int32, (2,)))
    mixed = emit(
        "cell.bitwise_xor", [emit("cell.bitwise_xor", [k, cast_to(words, mstype.int32)]), apart]
    )
    both = _bits(mixed, (1,), mstype.int64)
    return cast_to(
        emit("cell.concat", [ew.binary("cell.floor_div", both, 2**32), both], {"dim": 0}),
        mstype.int32,
    )


@operation
def bits(key: Tensor, shape: ShapeLike = (), dtype: Type | None = None) -> Tensor:
    """Random bits.

    Args:
        key: a key, or a tensor of keys (..., 2).
        shape: the shape for each key.
        dtype: int32 (default) or int64.

    Raises:
        TypeError: `key` is not a key.
        ValueError: another dtype.

    >>> key = ms.random.key(0)
    >>> print(ms.random.bits(key, (3,)).shape)
    (3,)
    """
    k = _check_key(key, "bits")
    target = mstype.int32 if dtype is None else dtype
    check_one_of(target, "bits", "dtype", (mstype.int32, mstype.int64))
    return _bits(k, shape_of(shape, "bits"), target)


@operation
def uniform(
    key: Tensor,
    shape: ShapeLike = (),
    dtype: Type | None = None,
    minval: TensorLike = 0.0,
    maxval: TensorLike = 1.0,
) -> Tensor:
    """Uniform numbers in [minval, maxval).

    Args:
        key: a key, or a tensor of keys (..., 2).
        shape: the shape for each key.
        dtype: a float type, float32 by default.
        minval, maxval: numbers or Tensors that broadcast to the shape. Derivatives with respect to
            them are those of ``minval + u (maxval - minval)``.

    Raises:
        TypeError: `key` is not a key.
        ValueError: `dtype` is not a float type.

    >>> key = ms.random.key(0)
    >>> x = ms.random.uniform(key, (100,), minval=4.0, maxval=5.0)
    >>> print(x.min() >= 4, x.max() < 5)
    True True
    """
    k = _check_key(key, "uniform")
    target = _floating(dtype, "uniform")
    u = unit_uniform(k, shape_of(shape, "uniform"), target)
    if is_number(minval) and is_number(maxval) and (minval, maxval) == (0, 1):
        return u
    low, high = (as_tensor(v, "uniform", target) for v in (minval, maxval))
    width = ew.binary("cell.sub", high, low)
    return cast_to(ew.binary("cell.add", ew.binary("cell.mul", u, width), low), target)


@operation
def normal(key: Tensor, shape: ShapeLike = (), dtype: Type | None = None) -> Tensor:
    """Standard normal numbers: mean 0, variance 1.

    Scale and shift them to get others, with derivatives with respect to mean and deviation. In
    float32 they stay below 5.6 in size, in float64 below 8.3.

    Args:
        key: a key, or a tensor of keys (..., 2).
        shape: the shape for each key.
        dtype: a float type, float32 by default.

    Raises:
        TypeError: `key` is not a key.
        ValueError: `dtype` is not a float type.

    >>> key = ms.random.key(0)
    >>> print(ms.random.normal(key, (2, 3)).shape)
    (2, 3)
    """
    k = _check_key(key, "normal")
    return unit_normal(k, shape_of(shape, "normal"), _floating(dtype, "normal"))


@operation
def laplace(key: Tensor, shape: ShapeLike = (), dtype: Type | None = None) -> Tensor:
    """Numbers of the Laplace distribution with mean 0 and scale 1; see `normal`.

    >>> key = ms.random.key(0)
    >>> print(ms.random.laplace(key, (2, 3)).shape)
    (2, 3)
    """
    k = _check_key(key, "laplace")
    return unit_laplace(k, shape_of(shape, "laplace"), _floating(dtype, "laplace"))


@operation
def gumbel(key: Tensor, shape: ShapeLike = (), dtype: Type | None = None) -> Tensor:
    """Numbers of the Gumbel distribution with location 0 and scale 1; see `normal`.

    >>> key = ms.random.key(0)
    >>> print(ms.random.gumbel(key, (2, 3)).shape)
    (2, 3)
    """
    k = _check_key(key, "gumbel")
    return unit_gumbel(k, shape_of(shape, "gumbel"), _floating(dtype, "gumbel"))


@operation
def bernoulli(key: Tensor, p: TensorLike = 0.5, shape: ShapeLike | None = None) -> Tensor:
    """True with probability `p`, bool.

    Args:
        key: a key, shape (2,).
        p: a number or a Tensor of probabilities; outside [0, 1] as the nearer end.
        shape: the shape of the result; that of `p` by default.

    Raises:
        TypeError: `key` is not a key.
        ValueError: the shape of `p` does not broadcast to `shape`.

    >>> key = ms.random.key(0)
    >>> print(ms.random.bernoulli(key, 1.0, (3,)))
    [ True  True  True]
    """
    k = _check_key(key, "bernoulli")
    chance = as_tensor(p, "bernoulli", mstype.float32)
    shape = chance.shape if shape is None else shape_of(shape, "bernoulli")
    if broadcast_shapes(chance.shape, shape, "bernoulli") != shape:
        raise error(
            ValueError,
            f"For 'bernoulli', 'p' of shape {list(chance.shape)} does not broadcast to "
            f"{list(shape)}.",
        )
    return ew.compare("cell.less", unit_uniform(k, shape, mstype.float32), chance)


@operation
def randint(
    key: Tensor, shape: ShapeLike, minval: TensorLike, maxval: TensorLike, dtype: Type | None = None
) -> Tensor:
    """Integers in [minval, maxval).

    Args:
        key: a key, or a tensor of keys (..., 2).
        shape: the shape for each key.
        minval, maxval: ints or Tensors that broadcast to the shape; ranges up to 2^53.
        dtype: an integer type, int32 by default.

    Raises:
        TypeError: `key` is not a key.
        ValueError: `dtype` is not an integer type, or the range is empty.

    >>> key = ms.random.key(0)
    >>> print(ms.random.randint(key, (3,), 5, 6))
    [5 5 5]
    """
    k = _check_key(key, "randint")
    target = mstype.int32 if dtype is None else dtype
    if not isinstance(target, Type) or target.kind != "i":
        raise argument_error(ValueError, "randint", "dtype", "an int type", target)
    if isinstance(minval, int) and isinstance(maxval, int) and minval >= maxval:
        raise error(
            ValueError,
            f"For 'randint', 'minval' must be less than 'maxval', but got {minval} and {maxval}.",
        )
    return whole_numbers(k, shape_of(shape, "randint"), minval, maxval, target, "randint")


@operation
def categorical(key: Tensor, logits: Tensor, shape: ShapeLike = ()) -> Tensor:
    """Indices drawn with probabilities proportional to ``exp(logits)`` along the last dimension, by
    the largest of logits plus Gumbel noise.

    Args:
        key: a key, shape (2,).
        logits: shape (..., n), floating point; -inf excludes an index.
        shape: how many to draw for each row.

    Returns:
        Tensor of shape `shape` + (...), int64.

    Raises:
        TypeError: `key` is not a key.

    >>> key = ms.random.key(0)
    >>> print(ms.random.categorical(key, Tensor([-100.0, 0.0, -100.0]), (4,)))
    [1 1 1 1]
    """
    k = _check_key(key, "categorical")
    rows = as_tensor(logits, "categorical")
    rows = rows if rows.dtype.kind == "f" else cast_to(rows, mstype.default_float())
    own = _computed_in(rows.dtype)
    drawn = shape_of(shape, "categorical")
    whole = drawn + rows.shape
    noise = unit_gumbel(k, whole, own)
    total = emit("cell.add", [broadcast_to_shape(cast_to(rows, own), whole), noise])
    out: Tensor = extrema.argmax(total, -1)
    return out


def positions(k: Tensor, n: int, dtype: Type) -> Tensor:
    """The numbers from 0 to before n in random order: the order of random integers."""
    return cast_to(order_of(_bits(k, (n,), mstype.int64), 0, False), dtype)


@operation
def permutation(key: Tensor, x: int | Tensor) -> Tensor:
    """The ints from 0 to before `x`, or the elements of a Tensor along its first dimension, in
    random order.

    Args:
        key: a key, shape (2,).
        x: a positive int (the result is int32), or a Tensor.

    Raises:
        TypeError: `key` is not a key, or `x` neither int nor Tensor.
        ValueError: `x` is not positive, or a scalar.

    >>> key = ms.random.key(0)
    >>> print(ops.sort(ms.random.permutation(key, 4))[0])
    [0 1 2 3]
    """
    k = _check_key(key, "permutation")
    if isinstance(x, Tensor) and x.ndim:
        order = positions(k, x.shape[0], mstype.int32)
        return gathered(x, order, 0)
    if isinstance(x, bool) or not isinstance(x, int | np.integer | Tensor):
        raise argument_error(TypeError, "permutation", "x", "an int or a Tensor", x)
    if isinstance(x, Tensor) or x < 1:
        raise error(
            ValueError, f"For 'permutation', 'x' must be positive or have a dimension, not {x}."
        )
    return positions(k, int(x), mstype.int32)
