"""Initial values of Parameters, with MindSpore's names, formulas and random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import generator, parameter
from cellgrad.core import philox as _philox
from cellgrad.core.arguments import (
    argument_error,
    check_int,
    check_number,
    check_one_of,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor

__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "get_seed",
    "initializer",
    "set_seed",
]

Array = np.ndarray[Any, Any]
_seed: int | None = None


def set_seed(seed: int) -> None:
    """Seeds the initializers and numpy's global generator, from which they draw, and the generator
    of `ops.rand`, `ops.dropout`, ....

    Raises:
        TypeError: a seed that is not an int.
        ValueError: a negative seed.

    >>> ms.set_seed(1)
    >>> ms.get_seed()
    1
    """
    global _seed
    seed = check_int(seed, "set_seed", "seed", at_least=0)
    _seed = seed
    np.random.seed(seed % 2**32)
    generator.manual_seed(seed % 2**63)


def get_seed() -> int | None:
    """The seed last set, or None.

    >>> ms.set_seed(5)
    >>> ms.get_seed()
    5
    """
    return _seed


def _fans(shape: Sequence[int]) -> tuple[int, int]:
    if len(shape) < 2:
        raise error(
            ValueError,
            f"An initializer that scales with the fan needs a shape of rank >= 2, but got "
            f"{tuple(shape)}.",
        )
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


_GAINS = {
    "relu": math.sqrt(2.0),
    "sigmoid": 1.0,
    "tanh": 5.0 / 3,
    **dict.fromkeys(["linear", *(f"conv{t}{n}d" for t in ("", "_transpose") for n in "123")], 1.0),
}


def _gain(nonlinearity: str, negative_slope: float) -> float:
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + negative_slope**2))
    if nonlinearity not in _GAINS:
        raise error(
            ValueError,
            f"nonlinearity must be one of {[*_GAINS, 'leaky_relu']}, but got {nonlinearity!r}.",
        )
    return _GAINS[nonlinearity]


class Initializer:
    """Base of initializers: subclasses define ``_initialize(self, arr)``, which fills a numpy array
    in place.

    >>> from cellgrad.common.initializer import Initializer, initializer
    >>> class Seven(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[...] = 7
    >>> print(initializer(Seven(), [2], ms.float32).init_data())
    [7. 7.]
    """

    def __init__(self, **kwargs: Any):
        self._kwargs = kwargs

    def _initialize(self, arr: Array) -> None:
        raise error(
            NotImplementedError,
            f"{type(self).__name__} must define _initialize(self, arr).",
            "fill the numpy array 'arr' in place, as in arr[...] = 7",
        )

    def __call__(self, arr: Array) -> None:
        self._initialize(arr)

    def sample(self, shape: Sequence[int], dtype: Any = np.float32) -> Array:
        """A new array of `shape` filled with initial values."""
        out = np.zeros(tuple(shape), dtype)
        self(out)
        return out


class Constant(Initializer):
    """All elements equal `value`.

    >>> from cellgrad.common.initializer import Constant, initializer
    >>> print(initializer(Constant(3), [2], ms.float32).init_data())
    [3. 3.]
    """

    def __init__(self, value: Any):
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: Array) -> None:
        arr[...] = self.value


class Zero(Constant):
    """Zeros.

    >>> from cellgrad.common.initializer import Zero, initializer
    >>> print(initializer(Zero(), [2], ms.float32).init_data())
    [0. 0.]
    """

    def __init__(self) -> None:
        super().__init__(0)


class One(Constant):
    """Ones.

    >>> from cellgrad.common.initializer import One, initializer
    >>> print(initializer(One(), [2], ms.float32).init_data())
    [1. 1.]
    """

    def __init__(self) -> None:
        super().__init__(1)


class Normal(Initializer):
    """Normal distribution.

    >>> from cellgrad.common.initializer import Normal, initializer
    >>> print(initializer(Normal(sigma=0.0, mean=5.0), [2], ms.float32).init_data())
    [5. 5.]
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0):
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr: Array) -> None:
        _check_sigma(self.sigma)
        arr[...] = _philox.normal(self.mean, self.sigma, arr.shape)


class TruncatedNormal(Initializer):
    """Normal distribution restricted to [a, b].

    >>> from cellgrad.common.initializer import TruncatedNormal, initializer
    >>> x = initializer(TruncatedNormal(sigma=1.0, a=-0.5, b=0.5), [2, 3], ms.float32).init_data()
    >>> print(x.shape, x.abs().max() <= 0.5)
    (2, 3) True
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0):
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr: Array) -> None:
        _check_sigma(self.sigma)
        arr[...] = _philox.truncated_normal(self.a, self.b, self.mean, self.sigma, arr.shape)


class Uniform(Initializer):
    """Uniform distribution on (-scale, scale).

    >>> from cellgrad.common.initializer import Uniform, initializer
    >>> x = initializer(Uniform(scale=0.5), [2, 3], ms.float32).init_data()
    >>> print(x.shape, x.abs().max() <= 0.5)
    (2, 3) True
    """

    def __init__(self, scale: float = 0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr: Array) -> None:
        arr[...] = _philox.uniform(-self.scale, self.scale, arr.shape)


class XavierUniform(Initializer):
    """Uniform with bound gain * sqrt(6 / (fan_in + fan_out)).

    >>> from cellgrad.common.initializer import XavierUniform, initializer
    >>> x = initializer(XavierUniform(), [2, 4], ms.float32).init_data()
    >>> print(x.shape, x.abs().max() <= 1)
    (2, 4) True
    """

    def __init__(self, gain: float = 1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: Array) -> None:
        bound = self.gain * math.sqrt(6.0 / sum(_fans(arr.shape)))
        arr[...] = _philox.uniform(-bound, bound, arr.shape)


class XavierNormal(Initializer):
    """Normal with standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    >>> from cellgrad.common.initializer import XavierNormal, initializer
    >>> print(initializer(XavierNormal(), [2, 3], ms.float32).init_data().shape)
    (2, 3)
    """

    def __init__(self, gain: float = 1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: Array) -> None:
        sigma = self.gain * math.sqrt(2.0 / sum(_fans(arr.shape)))
        arr[...] = _philox.normal(0.0, sigma, arr.shape)


class HeUniform(Initializer):
    """Uniform with bound gain * sqrt(3 / fan).

    >>> from cellgrad.common.initializer import HeUniform, initializer
    >>> x = initializer(HeUniform(), [2, 6], ms.float32).init_data()
    >>> print(x.shape, x.abs().max() <= 1)
    (2, 6) True
    """

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _std(self, shape: Sequence[int]) -> float:
        mode = self.mode.lower()
        check_one_of(mode, type(self).__name__, "mode", ("fan_in", "fan_out"))
        fan = _fans(shape)[mode == "fan_out"]
        return _gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)

    def _initialize(self, arr: Array) -> None:
        bound = math.sqrt(3.0) * self._std(arr.shape)
        arr[...] = _philox.uniform(-bound, bound, arr.shape)


class HeNormal(HeUniform):
    """Normal with standard deviation gain / sqrt(fan).

    >>> from cellgrad.common.initializer import HeNormal, initializer
    >>> print(initializer(HeNormal(), [2, 3], ms.float32).init_data().shape)
    (2, 3)
    """

    def _initialize(self, arr: Array) -> None:
        arr[...] = _philox.normal(0.0, self._std(arr.shape), arr.shape)


class Identity(Initializer):
    """Ones on the diagonal of a matrix, zeros elsewhere.

    >>> from cellgrad.common.initializer import Identity, initializer
    >>> print(initializer(Identity(), [2, 2], ms.float32).init_data())
    [[1. 0.]
     [0. 1.]]
    """

    def _initialize(self, arr: Array) -> None:
        _check_matrix(arr, "Identity")
        arr[...] = np.eye(arr.shape[0], arr.shape[1])


class Sparse(Initializer):
    """A matrix of normally distributed elements; the fraction `sparsity` of each column is zero.

    >>> from cellgrad.common.initializer import Sparse, initializer
    >>> x = initializer(Sparse(sparsity=0.5), [4, 3], ms.float32).init_data()
    >>> print((x == 0).sum(0))
    [2 2 2]
    """

    def __init__(self, sparsity: float, sigma: float = 0.01):
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: Array) -> None:
        _check_matrix(arr, "Sparse")
        rows, columns = arr.shape
        data = _philox.normal(0.0, self.sigma, arr.shape)
        for column in range(columns):
            zeros = np.random.permutation(list(range(rows)))[: math.ceil(self.sparsity * rows)]
            data[zeros, column] = 0
        arr[...] = data


class Dirac(Initializer):
    """Convolution weights that pass their input through: a one at the centre of the window of
    channel i to channel i, in each of `groups`.

    >>> from cellgrad.common.initializer import Dirac, initializer
    >>> print(initializer(Dirac(), [1, 1, 3], ms.float32).init_data())
    [[[0. 1. 0.]]]
    """

    def __init__(self, groups: int = 1):
        super().__init__(groups=groups)
        self.groups = groups

    def _initialize(self, arr: Array) -> None:
        if arr.ndim not in (3, 4, 5):
            raise error(ValueError, f"For 'Dirac', the rank must be 3, 4 or 5, but got {arr.ndim}.")
        if arr.shape[0] % self.groups:
            raise error(
                ValueError,
                f"For 'Dirac', the first dimension, {arr.shape[0]}, must be a multiple of groups = "
                f"{self.groups}.",
            )
        each = arr.shape[0] // self.groups
        centre = tuple(n // 2 for n in arr.shape[2:])
        arr[...] = 0
        for group in range(self.groups):
            for i in range(min(each, arr.shape[1])):
                arr[(group * each + i, i, *centre)] = 1


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix times `gain`; trailing dimensions count as one.

    >>> from cellgrad.common.initializer import Orthogonal, initializer
    >>> x = initializer(Orthogonal(), [2, 2], ms.float32).init_data()
    >>> print(ops.round(ops.abs(ops.det(x)), decimals=3))
    1.0
    """

    def __init__(self, gain: float = 1.0):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: Array) -> None:
        if arr.ndim < 2:
            raise error(
                ValueError, f"For 'Orthogonal', the rank must be at least 2, but got {arr.ndim}."
            )
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        data = _philox.normal(0.0, 1.0, (rows, columns))
        q, r = np.linalg.qr(data.T if rows < columns else data)
        q *= np.sign(np.diag(r))
        arr[...] = ((q.T if rows < columns else q) * self.gain).reshape(arr.shape)


class VarianceScaling(Initializer):
    """Values whose variance is scale / fan.

    Args:
        scale: a positive factor.
        mode: ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"untruncated_normal"``; MindSpore 2.10 draws the other two,
            ``"truncated_normal"`` and ``"uniform"``, from the uniform distribution, and so is it
            here.

    Raises:
        ValueError: another scale, mode or distribution.

    >>> from cellgrad.common.initializer import VarianceScaling, initializer
    >>> print(initializer(VarianceScaling(), [2, 3], ms.float32).init_data().shape)
    (2, 3)
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal"
    ):
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        check_number(scale, "VarianceScaling", "scale", above=0)
        check_one_of(mode, "VarianceScaling", "mode", ("fan_in", "fan_out", "fan_avg"))
        distributions = ("uniform", "truncated_normal", "untruncated_normal")
        check_one_of(distribution, "VarianceScaling", "distribution", distributions)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr: Array) -> None:
        fan_in, fan_out = _fans(arr.shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "untruncated_normal":
            arr[...] = _philox.normal(0.0, math.sqrt(variance), arr.shape)
        else:
            bound = math.sqrt(3.0 * variance)
            arr[...] = _philox.uniform(-bound, bound, arr.shape)


def _check_sigma(sigma: float) -> None:
    if sigma < 0:
        raise error(ValueError, f"An initializer's sigma must be >= 0, but got {sigma}.")


def _check_matrix(arr: Array, name: str) -> None:
    if arr.ndim != 2:
        raise error(ValueError, f"For '{name}', the rank must be 2, but got {arr.ndim}.")


_BY_NAME: dict[str, type[Initializer]] = {
    **{
        c.__name__.lower(): c
        for c in (
            Constant,
            Dirac,
            HeNormal,
            HeUniform,
            Identity,
            Normal,
            One,
            Orthogonal,
            Sparse,
            TruncatedNormal,
            Uniform,
            VarianceScaling,
            XavierNormal,
            XavierUniform,
            Zero,
        )
    },
    "zeros": Zero,
    "ones": One,
    "xavier_uniform": XavierUniform,
    "xavier_normal": XavierNormal,
    "he_uniform": HeUniform,
    "he_normal": HeNormal,
}


def initializer(init: Any, shape: Any = None, dtype: Type | None = None) -> Tensor:
    """A Tensor of initial values.

    Args:
        init: an initializer's name, an `Initializer`, a number, or a Tensor (checked against
            `shape`).
        shape: an int, tuple or list.
        dtype: the dtype; float32, or the one of `set_default_dtype`, unless given.

    Raises:
        ValueError: an unknown name, a shape with a dimension that is not positive, or a Tensor of
            another shape.
        TypeError: an `init` of another kind.

    >>> from cellgrad.common.initializer import initializer
    >>> print(initializer("ones", [1, 2]))
    [[1. 1.]]
    """
    dims = (shape,) if isinstance(shape, int) else tuple(shape or ())
    if isinstance(init, Tensor):
        if shape is not None:
            check_shape(init, "initializer", "init", dims)
        return init
    if not all(isinstance(n, int | np.integer) and n > 0 for n in dims):
        raise error(
            ValueError, f"For 'initializer', the shape must be positive integers, but got {shape}."
        )
    if isinstance(init, str):
        found = _BY_NAME.get(init.lower())
        if found is None:
            raise error(
                ValueError,
                f"For 'initializer', the name {init!r} is unknown; known: {sorted(_BY_NAME)}.",
            )
        init = found()
    elif isinstance(init, int | float | np.number):
        init = Constant(init)
    if not isinstance(init, Initializer):
        raise argument_error(
            TypeError, "initializer", "init", "a name, Initializer, number or Tensor", init
        )
    return Tensor(shape=dims, dtype=mstype.or_default(dtype), init=init)


parameter.fill = initializer
