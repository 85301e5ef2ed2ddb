"""Functions that change the tensor they are given, and return it: names that end with an underscore.

In compiled code the tensor has another value from there on, as after an assignment to all its elements.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_ndim,
    check_one_of,
    check_same_dtype,
    check_sequence,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, axis_of, check_tensor, is_number
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import random
from cellgrad.ops._public import public
from cellgrad.ops.gathering import index_tensor
from cellgrad.ops.indexing import add_elements, setitem
from cellgrad.ops.limits import clip
from cellgrad.ops.next_keys import key_of
from cellgrad.ops.selection import cast, div, full, select, stop_gradient
from cellgrad.ops.shapes import reshape


def _changed(x: Any, value: Tensor, name: str) -> Any:
    """The tensor, with these elements from here on."""
    return x._replace(value, name)


def _given(input: Any, op: str, kinds: str = "") -> Tensor:
    x = check_tensor(input, op, "input")
    return check_dtype(x, op, "input", kinds) if kinds else x


def _bound(value: Any, op: str, name: str) -> float:
    """A number, or a Tensor of one that is known."""
    if isinstance(value, Tensor) and value.size == 1:
        return float(value.asnumpy().item())
    if not is_number(value):
        raise argument_error(TypeError, op, name, "a number or a Tensor of one element", value)
    return float(value)


# --- values ---------------------------------------------------------------------------------------


@public()
def zero_(input: Tensor) -> Tensor:
    """Zeros in place of all elements.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> x = Tensor([1.0, 2.0])
    >>> print(ops.zero_(x), x)
    [0. 0.] [0. 0.]
    """
    x = _given(input, "zero_")
    out: Tensor = _changed(x, full(x.shape, 0, dtype=x.dtype), "zero_")
    return out


@public()
def clamp_(input: Tensor, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """The elements limited to [`min`, `max`]; see `ops.clamp`.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: neither limit.

    >>> x = Tensor([1.0, 4.0])
    >>> print(ops.clamp_(x, 2.0, 3.0), x)
    [2. 3.] [2. 3.]
    """
    x = _given(input, "clamp_")
    out: Tensor = _changed(x, clip(x, min, max), "clamp_")
    return out


@public()
def tanh_(input: Tensor) -> Tensor:
    """The hyperbolic tangent of each element in its place.

    Raises:
        TypeError: `input` is not a Tensor of floating-point numbers.

    >>> x = Tensor([0.0, 1.0])
    >>> print(ops.tanh_(x), x)
    [0.         0.76159416] [0.         0.76159416]
    """
    x = _given(input, "tanh_", "f")
    out: Tensor = _changed(x, gen.tanh(x), "tanh_")
    return out


@public("Tensor.erfinv_() = ops.erfinv_(self)")
def erfinv_(input: Tensor) -> Tensor:
    """The inverse error function of each element in its place.

    Raises:
        TypeError: `input` is not a Tensor of floating-point numbers.

    >>> x = Tensor([0.0, 0.5])
    >>> print(ops.erfinv_(x), x)
    [0.         0.47693628] [0.         0.47693628]

    >>> print(Tensor([0.0, 0.5]).erfinv_())
    [0.         0.47693628]
    """
    x = _given(input, "erfinv_", "f")
    out: Tensor = _changed(x, gen.erfinv(x), "erfinv_")
    return out


@public()
def stop_gradient_(input: Tensor) -> Tensor:
    """The elements as they are, as constants to derivatives; see `ops.stop_gradient`.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.stop_gradient_(Tensor([1.0, 2.0])))
    [1. 2.]
    """
    x = _given(input, "stop_gradient_")
    out: Tensor = _changed(x, stop_gradient(x), "stop_gradient_")
    return out


# --- parts ----------------------------------------------------------------------------------------


@public("Tensor.put_(index, source, accumulate=False) = ops.put_(self, index, source, accumulate)")
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The elements of `source` at positions of the flattened tensor; added to what is there with
    `accumulate`. Where a position occurs twice without it, the last one stays.

    Args:
        input: the tensor that changes.
        index: integers, as many as `source` has elements; negative ones count from the end.
        source: a Tensor of the dtype of `input`.
        accumulate: whether to add.

    Raises:
        TypeError: no Tensors, positions that are no integers, or dtypes that differ.
        ValueError: other numbers of elements.

    >>> x = Tensor([[4.0, 3.0, 5.0], [6.0, 7.0, 8.0]])
    >>> print(ops.put_(x, Tensor([1, 3]), Tensor([9.0, 10.0])))
    [[ 4.  9.  5.]
     [10.  7.  8.]]

    >>> print(Tensor([1.0, 2.0]).put_(Tensor([1, 1]), Tensor([3.0, 4.0]), accumulate=True))
    [1. 9.]
    """
    x = _given(input, "put_")
    at = reshape(index_tensor(index, "put_", "index"), (-1,))
    new = check_tensor(source, "put_", "source")
    check_same_dtype(x, new, "put_", ("input", "source"))
    add = check_bool(accumulate, "put_", "accumulate")
    new = check_shape(reshape(new, (-1,)), "put_", "source", at.shape, "as many as 'index' has")
    flat = (add_elements if add else setitem)(reshape(x, (-1,)), at, new)
    out: Tensor = _changed(x, reshape(flat, x.shape), "put_")
    return out


def copied(input: Tensor, dim: Any, index: Any, tensor: Any) -> Tensor:
    """What `Tensor.index_copy_` puts in place."""
    x, op = _given(input, "index_copy_"), "index_copy_"
    at, new = index_tensor(index, op, "index"), check_tensor(tensor, op, "tensor")
    d = axis_of(dim, x.ndim, op)
    check_ndim(at, op, "index", 1)
    check_same_dtype(x, new, op, ("self", "tensor"))
    check_shape(new, op, "tensor", (*x.shape[:d], at.size, *x.shape[d + 1 :]), "one part an index")
    return setitem(x, (*(slice(None),) * d, at), new)


def chosen(input: Tensor, choices: Any, mode: str) -> Tensor:
    """What `Tensor.choose` gives."""
    x = index_tensor(input, "choose", "input")
    check_one_of(mode, "choose", "mode", ("clip", "wrap"))
    parts = [as_tensor(c, "choose") if is_number(c) else c for c in choices]
    parts = [c if isinstance(c, Tensor) else Tensor(c) for c in parts]
    n = len(check_sequence(parts, "choose", "choices", "Tensors"))
    at = gen.floor_mod(x, n) if mode == "wrap" else clip(x, 0, n - 1)
    out = parts[0] + gen.mul(at, 0).astype(parts[0].dtype)
    for k in builtins.range(1, n):
        out = select(gen.equal(at, k), parts[k], out)
    return out


# --- random numbers -------------------------------------------------------------------------------


@public(
    "Tensor.uniform_(from_=0, to=1, *, generator=None) = "
    "ops.uniform_(self, from_, to, generator=generator)"
)
def uniform_(
    input: Tensor, from_: TensorLike = 0, to: TensorLike = 1, *, generator: object = None
) -> Tensor:
    """Uniform numbers in [`from_`, `to`) in place of all elements.

    Raises:
        TypeError: `input` is not a Tensor of floating-point numbers, or a limit no number.
        ValueError: `from_` is larger than `to`.

    >>> x = ops.uniform_(ops.zeros(3), 4.0, 5.0)
    >>> print(x.min() >= 4, x.max() < 5)
    True True

    >>> print(Tensor([1.0, 2.0]).uniform_(3.0, 3.0))
    [3. 3.]
    """
    x = _given(input, "uniform_", "f")
    low, high = _bound(from_, "uniform_", "from_"), _bound(to, "uniform_", "to")
    if low > high:
        raise error(ValueError, f"For 'uniform_', 'from_' = {low} is larger than 'to' = {high}.")
    unit = random.rand_like(x, key_of(generator, "uniform_"))
    out: Tensor = _changed(x, gen.add(gen.mul(unit, high - low), low), "uniform_")
    return out


@public(
    "Tensor.normal_(mean=0, std=1, *, generator=None) = "
    "ops.normal_(self, mean, std, generator=generator)"
)
def normal_(
    input: Tensor, mean: TensorLike = 0, std: TensorLike = 1, *, generator: object = None
) -> Tensor:
    """Normal numbers of a mean and a standard deviation in place of all elements.

    Raises:
        TypeError: `input` is not a Tensor of floating-point numbers, or `mean` or `std` no number.
        ValueError: a negative `std`.

    >>> print(ops.normal_(ops.zeros(2), 5.0, 0.0))
    [5. 5.]

    >>> print(Tensor([1.0, 2.0]).normal_(std=0.0))
    [0. 0.]
    """
    x = _given(input, "normal_", "f")
    mu, sigma = _bound(mean, "normal_", "mean"), _bound(std, "normal_", "std")
    if sigma < 0:
        raise argument_error(ValueError, "normal_", "std", "at least 0", sigma)
    unit = random.randn_like(x, key_of(generator, "normal_"))
    out: Tensor = _changed(x, gen.add(gen.mul(unit, sigma), mu), "normal_")
    return out


@public(
    "Tensor.exponential_(lambd=1, *, generator=None) = "
    "ops.exponential_(self, lambd, generator=generator)"
)
def exponential_(input: Tensor, lambd: TensorLike = 1, *, generator: object = None) -> Tensor:
    """Numbers of the exponential distribution with the rate `lambd` in place of all elements.

    Raises:
        TypeError: `input` is not a Tensor of floating-point numbers, or `lambd` no number.
        ValueError: a rate that is not positive.

    >>> print(ops.exponential_(ops.zeros(3)).min() >= 0)
    True

    >>> print(Tensor([1.0, 2.0]).exponential_(2.0).min() >= 0)
    True
    """
    x = _given(input, "exponential_", "f")
    rate = _bound(lambd, "exponential_", "lambd")
    if not rate > 0:
        raise argument_error(ValueError, "exponential_", "lambd", "positive", lambd)
    drawn = random.rand_like(x, key_of(generator, "exponential_"))
    unit = gen.neg(gen.log1p(gen.neg(drawn)))  # of 1 - u in (0, 1]
    out: Tensor = _changed(x, div(unit, rate), "exponential_")
    return out


@public(
    "Tensor.bernoulli_(p=0.5, *, generator=None) = ops.bernoulli_(self, p, generator=generator)"
)
def bernoulli_(input: Tensor, p: TensorLike = 0.5, *, generator: object = None) -> Tensor:
    """Ones with probability `p`, else zeros, in place of all elements; see `ops.bernoulli`.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: a number outside [0, 1].

    >>> print(ops.bernoulli_(ops.zeros(3), 1.0))
    [1. 1. 1.]

    >>> print(Tensor([5.0, 6.0]).bernoulli_(0.0))
    [0. 0.]
    """
    x = _given(input, "bernoulli_")
    out: Tensor = _changed(x, random.bernoulli(x, p, key_of(generator, "bernoulli_")), "bernoulli_")
    return out


# The largest integer up to which a floating-point type has all.
_WHOLE = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}


@public(
    "Tensor.random_(from_=0, to=None, *, generator=None) = "
    "ops.random_(self, from_, to, generator=generator)"
)
def random_(
    input: Tensor, from_: TensorLike = 0, to: TensorLike | None = None, *, generator: object = None
) -> Tensor:
    """Integers in [`from_`, `to`) in place of all elements, with the same probability each.

    Args:
        input: the tensor that changes.
        from_: the least one.
        to: where they end; by default after the largest one up to which the dtype has all, or of
            int64 the largest one that int64 has.
        generator: what the numbers are drawn from, by default `ms.default_generator`.

    Raises:
        TypeError: `input` is not a Tensor of numbers, or a limit no int.
        ValueError: there is none.

    >>> print(ops.random_(Tensor([1.0, 2.0]), 5, 6))
    [5. 5.]

    >>> print(Tensor([1, 2]).random_(3, 4))
    [3 3]
    """
    x = _given(input, "random_", "iuf")
    low = int(_bound(from_, "random_", "from_"))
    if to is not None:
        high = int(_bound(to, "random_", "to"))
    elif x.dtype.kind == "f":
        high = _WHOLE[x.dtype.name] + 1
    else:
        high = min(int(np.iinfo(mstype.to_numpy(x.dtype)).max), 2**63 - 2) + 1
    if low >= high:
        raise error(ValueError, f"For 'random_', no integer is in [{low}, {high}).")
    key = key_of(generator, "random_")
    drawn = random.randint(low, high, x.shape, key, dtype=mstype.int64)
    out: Tensor = _changed(x, cast(drawn, x.dtype), "random_")
    return out
