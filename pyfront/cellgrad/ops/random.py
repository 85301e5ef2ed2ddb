"""MindSpore's random functions: each call draws other numbers from the default generator.

`ms.set_seed` makes what follows reproducible. A `seed` argument beside it selects another stream. For
numbers from explicit keys, without state, see `cellgrad.random`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike, TensorLike
from cellgrad.core.arguments import argument_error, check_instance, check_int, check_ndim
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.number import real
from cellgrad.core.record import (
    as_tensor,
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_float,
    check_tensor,
    emit,
    is_number,
    operation,
    shape_of,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import keys as random
from cellgrad.ops._index import order_of
from cellgrad.ops._public import public
from cellgrad.ops._static import known_int
from cellgrad.ops.next_keys import fixed_key, next_key


def _float_type(dtype: Any, op: str, default: Type | None = None) -> Type:
    target = mstype.or_default(default) if dtype is None else dtype
    if not isinstance(target, Type) or target.kind != "f":
        raise argument_error(ValueError, op, "dtype", "a float type", target)
    return target


def _int_type(dtype: Any, op: str, default: Type = mstype.int64) -> Type:
    target = default if dtype is None else dtype
    if not isinstance(target, Type) or target.kind != "i":
        raise argument_error(ValueError, op, "dtype", "an int type", target)
    return target


def _size(size: Any, op: str) -> tuple[int, ...]:
    """A shape given as ints or as one tuple or list."""
    if len(size) == 1 and not isinstance(size[0], int | np.integer):
        if not isinstance(size[0], tuple | list):
            raise error(
                TypeError,
                f"For '{op}', the size must be ints, or one tuple or list of them, but got "
                f"{type(size[0]).__name__}.",
            )
        size = tuple(size[0])
    return shape_of(tuple(size), op)


# --- bodies -------------------------------------------------------------------------------------


@operation
def _rand(shape: tuple[int, ...], dtype: Type, seed: int | None, op: str) -> Tensor:
    return random.unit_uniform(next_key(seed, op), shape, dtype)


@operation
def _randn(shape: tuple[int, ...], dtype: Type, seed: int | None, op: str) -> Tensor:
    return random.unit_normal(next_key(seed, op), shape, dtype)


@operation
def _randint(
    low: int, high: int, shape: tuple[int, ...], dtype: Type, seed: int | None, op: str
) -> Tensor:
    return random.whole_numbers(next_key(seed, op), shape, low, high, dtype, op)


# --- functions ----------------------------------------------------------------------------------


@public(
    "mint.rand(*size, generator=None, dtype, device=None) = "
    "ops.rand(*size, dtype=dtype, seed=h.key(generator, 'rand', device))",
)
def rand(*size: ShapeLike, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Uniform numbers in [0, 1).

    Args:
        size: ints, or one tuple or list: the shape.
        dtype: a float type, float32 by default.
        seed: selects another stream.

    Raises:
        TypeError: a size or seed of another type.
        ValueError: `dtype` is not a float type, or `seed` is negative.

    >>> x = ops.rand(2, 3)
    >>> print(x.shape, (x >= 0).all(), (x < 1).all())
    (2, 3) True True

    >>> print(mint.rand(2, 3).shape)
    (2, 3)
    """
    out: Tensor = _rand(_size(size, "rand"), _float_type(dtype, "rand"), seed, "rand")
    return out


@public(
    "mint.randn(*size, generator=None, dtype, device=None) = "
    "ops.randn(*size, dtype=dtype, seed=h.key(generator, 'randn', device))",
)
def randn(*size: ShapeLike, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Standard normal numbers; see `rand`.

    >>> print(ops.randn(2, 3).shape)
    (2, 3)

    >>> print(mint.randn(2, 3).shape)
    (2, 3)
    """
    out: Tensor = _randn(_size(size, "randn"), _float_type(dtype, "randn"), seed, "randn")
    return out


@public(
    "mint.rand_like(input, *, dtype, device=None) = "
    "ops.rand_like(input, h.key(None, 'rand_like', device), dtype=dtype)",
)
def rand_like(input: Tensor, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """Uniform numbers in [0, 1) in the shape, and by default the dtype, of a tensor.

    >>> print(ops.rand_like(Tensor([1.0, 2.0])).shape)
    (2,)
    """
    x = check_tensor(input, "rand_like", "input")
    out: Tensor = _rand(x.shape, _float_type(dtype, "rand_like", x.dtype), seed, "rand_like")
    return out


@public(
    "mint.randn_like(input, *, dtype, device=None) = "
    "ops.randn_like(input, h.key(None, 'randn_like', device), dtype=dtype)",
)
def randn_like(input: Tensor, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """Standard normal numbers in the shape of a tensor, by default in float32, as MindSpore gives them.

    >>> print(ops.randn_like(Tensor([1.0, 2.0])).shape)
    (2,)
    """
    x = check_tensor(input, "randn_like", "input")
    out: Tensor = _randn(x.shape, _float_type(dtype, "randn_like"), seed, "randn_like")
    return out


def _range(low: Any, high: Any, op: str) -> tuple[int, int]:
    for value, name in ((low, "low"), (high, "high")):
        check_int(value, op, name)
    if low >= high:
        raise error(
            ValueError, f"For '{op}', 'low' must be less than 'high', but got {low} and {high}."
        )
    return int(low), int(high)


@public()
def randint(
    low: int, high: int, size: ShapeLike, seed: int | None = None, *, dtype: Type | None = None
) -> Tensor:
    """Integers in [low, high), int64 by default.

    Raises:
        TypeError: `low` or `high` is not an int.
        ValueError: `size` is not a tuple, the range is empty, or `dtype` is not an int type.

    >>> print(ops.randint(5, 6, (3,)))
    [5 5 5]
    """
    if not isinstance(size, tuple | list):
        raise argument_error(ValueError, "randint", "size", "a tuple", size)
    low, high = _range(low, high, "randint")
    target = _int_type(dtype, "randint")
    out: Tensor = _randint(low, high, shape_of(size, "randint"), target, seed, "randint")
    return out


@public()
def randint_like(
    input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: Type | None = None
) -> Tensor:
    """Integers in [low, high) in the shape, and by default the dtype, of a tensor.

    >>> print(ops.randint_like(Tensor([1, 2]), 5, 6))
    [5 5]
    """
    x = check_tensor(input, "randint_like", "input")
    low, high = _range(low, high, "randint_like")
    target = _int_type(dtype, "randint_like", x.dtype)
    out: Tensor = _randint(low, high, x.shape, target, seed, "randint_like")
    return out


@public()
def standard_normal(shape: ShapeLike, seed: int | None = None) -> Tensor:
    """Standard normal numbers, float32.

    Raises:
        TypeError: `shape` is not an int or a tuple of ints.
        ValueError: `seed` is negative.

    >>> print(ops.standard_normal((2, 3)).shape)
    (2, 3)
    """
    out: Tensor = _randn(
        shape_of(shape, "standard_normal"), mstype.default_float(), seed, "standard_normal"
    )
    return out


@public()
def standard_laplace(shape: ShapeLike, seed: int | None = None) -> Tensor:
    """Numbers of the Laplace distribution with mean 0 and scale 1, float32.

    >>> print(ops.standard_laplace((2, 3)).shape)
    (2, 3)
    """
    return laplace(shape, 0.0, 1.0, seed)


def _parameters(shape: Any, values: tuple[Any, Any], op: str) -> tuple[Any, ...]:
    """The parameters of a distribution in the default dtype with the shape of the result."""
    whole, kind = shape_of(shape, op), mstype.default_float()
    tensors = []
    for value in values:
        if not isinstance(value, Tensor) and not is_number(value):
            raise error(
                TypeError,
                f"For '{op}', the parameters must be Tensors or numbers, but got "
                f"{type(value).__name__}.",
            )
        tensors.append(cast_to(as_tensor(value, op, kind), kind))
        whole = broadcast_shapes(whole, tensors[-1].shape, op)
    return whole, *[broadcast_to_shape(t, whole) for t in tensors]


@public()
@operation
def normal(
    shape: ShapeLike, mean: TensorLike, stddev: TensorLike, seed: int | None = None
) -> Tensor:
    """Normal numbers, float32, differentiable with respect to `mean` and `stddev`.

    Args:
        shape: a shape; the result has that to which it broadcasts with the parameters.
        mean, stddev: Tensors or numbers.
        seed: selects another stream.

    Raises:
        TypeError: arguments of other types.
        ValueError: the shapes do not broadcast, or `seed` is negative.

    >>> print(ops.normal((2, 3), Tensor(5.0), Tensor(0.0)))
    [[5. 5. 5.]
     [5. 5. 5.]]
    """
    whole, mu, sigma = _parameters(shape, (mean, stddev), "normal")
    z = random.unit_normal(next_key(seed, "normal"), whole, mstype.default_float())
    return emit("cell.add", [emit("cell.mul", [z, sigma]), mu])


@public()
@operation
def laplace(
    shape: ShapeLike, mean: TensorLike, lambda_param: TensorLike, seed: int | None = None
) -> Tensor:
    """Numbers of the Laplace distribution, float32; see `normal`.

    >>> print(ops.laplace((2, 3), Tensor(0.0), Tensor(1.0)).shape)
    (2, 3)
    """
    whole, mu, scale = _parameters(shape, (mean, lambda_param), "laplace")
    z = random.unit_laplace(next_key(seed, "laplace"), whole, mstype.default_float())
    return emit("cell.add", [emit("cell.mul", [z, scale]), mu])


@public()
@operation
def uniform(
    shape: ShapeLike,
    minval: Tensor,
    maxval: Tensor,
    seed: int | None = None,
    dtype: Type | None = None,
) -> Tensor:
    """Uniform numbers in [minval, maxval): float32, or int32 between two integers.

    Args:
        shape: a shape; the result has that to which it broadcasts with the limits.
        minval, maxval: Tensors of the dtype, which for integers hold one number each. Floating-point
            ones get the derivatives of ``minval + u (maxval - minval)``.
        seed: selects another stream.
        dtype: the default dtype, which is float32, or int32.

    Raises:
        TypeError: a limit is not a Tensor, or has another dtype.
        ValueError: another dtype, or integer limits of several elements.

    >>> x = ops.uniform((2, 3), Tensor(4.0), Tensor(5.0))
    >>> print(x.shape, x.min() >= 4, x.max() < 5)
    (2, 3) True True
    """
    dtype = mstype.or_default(dtype)
    for value, name in ((minval, "minval"), (maxval, "maxval")):
        check_instance(value, "uniform", name, Tensor)
        if value.dtype is not dtype:
            raise error(
                TypeError,
                f"For 'uniform', the '{name}' must have the dtype of the result, {dtype}, but has "
                f"{value.dtype}.",
            )
    if dtype is mstype.int32:
        if minval.size != 1 or maxval.size != 1:
            raise error(ValueError, "For 'uniform', integer limits must be Tensors of one element.")
        k = next_key(seed, "uniform")
        return random.whole_numbers(
            k, shape_of(shape, "uniform"), _single(minval), _single(maxval), dtype, "uniform"
        )
    if dtype is not mstype.default_float():
        raise argument_error(ValueError, "uniform", "dtype", "float32 or int32", dtype)
    whole, low, high = _parameters(shape, (minval, maxval), "uniform")
    u = random.unit_uniform(next_key(seed, "uniform"), whole, mstype.default_float())
    width = emit("cell.sub", [high, low])
    return emit("cell.add", [emit("cell.mul", [u, width]), low])


def _single(x: Tensor) -> Tensor:
    return x if x.ndim == 0 else emit("cell.reshape", [x], None, x.dtype, ())


@public(
    "ops.Bernoulli(seed=-1, offset=0)(x, p: Any) = ops.bernoulli(x, p, seed)",
    "Tensor.bernoulli() = ops.bernoulli(self, self)",
    "mint.bernoulli(input, *, generator=None) = "
    "ops.bernoulli(input, input, h.key(generator, 'bernoulli'))",
)
@operation
def bernoulli(input: Tensor, p: TensorLike = 0.5, seed: int | None = None) -> Tensor:
    """Ones with probability `p`, else zeros, in the shape and dtype of `input`.

    Args:
        input: a Tensor, of which shape and dtype count.
        p: a number in [0, 1], or a Tensor of them that broadcasts to the shape.
        seed: the numbers are the same at each call; with None, 0 or -1 others at each.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: a number outside [0, 1], or a seed below -1.

    >>> print(ops.bernoulli(ops.zeros(3), 1.0))
    [1. 1. 1.]

    >>> print(Tensor([1.0, 0.0, 1.0]).bernoulli())
    [1. 0. 1.]

    >>> print(mint.bernoulli(Tensor([1.0, 0.0, 1.0])))
    [1. 0. 1.]
    """
    x = check_tensor(input, "bernoulli", "input")
    if not isinstance(p, Tensor) and not (is_number(p) and 0 <= p <= 1):
        raise argument_error(ValueError, "bernoulli", "p", "in [0, 1]", p)
    if isinstance(seed, int):
        check_int(seed, "bernoulli", "seed", at_least=-1)
    k = fixed_key(None if isinstance(seed, int) and seed == -1 else seed, "bernoulli")
    return cast_to(random.bernoulli(k, p, x.shape), x.dtype)


def _categorical(x: Tensor, count: int, key: Tensor, op: str) -> Tensor:
    """`count` indices for each row of weights."""
    logits = emit("cell.log", [x])
    drawn = random.categorical(key, logits, (count,))
    if x.ndim == 1:
        return drawn
    return emit("cell.transpose", [drawn], {"perm": [1, 0]})


@public(
    "Tensor.multinomial",
    "mint.multinomial(input, num_samples, replacement=False, *, generator=None) = "
    "ops.multinomial(input, num_samples, replacement, h.key(generator, 'multinomial'))",
)
@operation
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = True, seed: int | None = None
) -> Tensor:
    """Indices drawn with probabilities proportional to the rows of `input`, int32.

    Args:
        input: weights, not negative, of shape (n,) or (m, n).
        num_samples: how many to draw for each row.
        replacement: whether an index may be drawn again.
        seed: selects another stream.

    Returns:
        Tensor of shape (num_samples,) or (m, num_samples).

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: `input` has another rank, `num_samples` is not positive, or larger than n without
            replacement.

    >>> print(ops.multinomial(Tensor([0.0, 1.0, 0.0]), 4))
    [1 1 1 1]

    >>> print(mint.multinomial(Tensor([0.0, 1.0, 0.0]), 1))
    [1]
    """
    x = check_ndim(check_float(input, "multinomial", "input"), "multinomial", "input", 1, 2)
    if isinstance(num_samples, bool) or not isinstance(num_samples, int) or num_samples < 1:
        raise argument_error(
            ValueError, "multinomial", "num_samples", "a positive int", num_samples
        )
    key = next_key(seed, "multinomial")
    if not replacement:
        if num_samples > x.shape[-1]:
            raise error(
                ValueError,
                f"For 'multinomial', 'num_samples' must be at most the last dimension of the input "
                f"without replacement, but got {num_samples} of {x.shape[-1]}.",
            )
        # The order of logits plus Gumbel noise is that of draws without replacement.
        wide = cast_to(x, mstype.float32) if x.dtype.itemsize == 2 else x
        total = emit(
            "cell.add", [emit("cell.log", [wide]), random.unit_gumbel(key, x.shape, wide.dtype)]
        )
        dim = x.ndim - 1
        order = order_of(total, dim, True)
        limits = [*x.shape[:-1], num_samples]
        ones = [1] * x.ndim
        return emit(
            "cell.slice", [order], {"starts": [0] * x.ndim, "limits": limits, "strides": ones}
        )
    return cast_to(_categorical(x, num_samples, key, "multinomial"), mstype.int32)


@operation
def _randperm(n: int, dtype: Type, seed: int | Tensor | None) -> Tensor:
    k = fixed_key(seed, "randperm")
    order = random.positions(k, n, mstype.int64)
    return cast_to(order, dtype)


@public(
    "ops.RandpermV2(seed, offset, dtype)(n)",
    "mint.randperm(n, *, generator=None, dtype) = "
    "ops.randperm(n, h.key(generator, 'randperm'), dtype=dtype)",
)
def randperm(n: TensorLike, seed: int = 0, offset: int = 0, dtype: Type = mstype.int64) -> Tensor:
    """The ints from 0 to before n in random order.

    Args:
        n: a positive int, or a Tensor that holds one.
        seed, offset: if their sum is not 0, the order is the same at each call, and depends on the sum.
        dtype: a number type.

    Raises:
        TypeError: `n` is not an int.
        ValueError: `n` is not positive, or `offset` negative.

    >>> print(ops.sort(ops.randperm(4, dtype=ms.int32))[0])
    [0 1 2 3]
    """
    n = known_int(n, "randperm", "n")
    if n < 1 or offset < 0:
        raise error(
            ValueError,
            f"For 'randperm', 'n' must be positive and 'offset' not negative, but got {n} and "
            f"{offset}.",
        )
    stream: int | Tensor | None = seed
    if not isinstance(seed, Tensor):
        stream = offset or (None if seed in (0, -1) else seed)
    out: Tensor = _randperm(int(n), dtype, stream)
    return out


@public()
@operation
def shuffle(x: Tensor, seed: int | None = None) -> Tensor:
    """The elements of a tensor along its first dimension in random order; a scalar as it is.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.sort(ops.shuffle(Tensor([1.0, 2.0, 3.0])))[0])
    [1. 2. 3.]
    """
    given = check_tensor(x, "shuffle", "x")
    if not given.ndim:
        return given
    out: Tensor = random.permutation(next_key(seed, "shuffle"), given)
    return out


@public()
@operation
def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> Tensor:
    """x where it is not negative, else x times a random slope in [lower, upper) for each element. The derivative is 0
    at 0.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: `lower` is above `upper`.

    >>> print(ops.rrelu(Tensor([-1.0, 0.0, 2.0]), 0.25, 0.25))
    [-0.25  0.    2.  ]
    """
    given = check_float(input, "rrelu", "input")
    if not lower <= upper:
        raise error(
            ValueError, f"For 'rrelu', lower <= upper is expected, but got {lower} and {upper}."
        )
    u = random.unit_uniform(next_key(None, "rrelu"), given.shape, given.dtype)
    slope = ew.binary("cell.add", ew.binary("cell.mul", u, real(upper - lower)), real(lower))
    scaled = emit("cell.mul", [given, slope])
    kept = emit("cell.relu", [given])
    return emit("cell.select", [ew.compare("cell.less", given, 0), scaled, kept])
