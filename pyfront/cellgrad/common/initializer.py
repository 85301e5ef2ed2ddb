"""Initial values of Parameters, with MindSpore's names and formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad._errors import error
from cellgrad.common import dtype as mstype
from cellgrad.common.dtype import Type
from cellgrad.common.tensor import Tensor

__all__ = [
    "Constant",
    "HeNormal",
    "HeUniform",
    "Initializer",
    "Normal",
    "One",
    "Uniform",
    "XavierUniform",
    "Zero",
    "get_seed",
    "initializer",
    "set_seed",
]

_seed: int | None = None
_random = np.random.default_rng()


def set_seed(seed: int) -> None:
    """Seeds the initializers (and numpy's global generator, as MindSpore does).

    Raises:
        TypeError: a seed that is not an int.
        ValueError: a negative seed.
    """
    global _seed, _random
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise error(
            TypeError, f"For 'set_seed', the seed must be an int, but got {type(seed).__name__}."
        )
    if seed < 0:
        raise error(ValueError, f"For 'set_seed', the seed must be >= 0, but got {seed}.")
    _seed = seed
    _random = np.random.default_rng(seed)
    np.random.seed(seed % 2**32)


def get_seed() -> int | None:
    """The seed last set, or None."""
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


def _gain(nonlinearity: str, negative_slope: float) -> float:
    gains = {"sigmoid": 1.0, "linear": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0)}
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + negative_slope**2))
    if nonlinearity not in gains:
        raise error(
            ValueError,
            f"nonlinearity must be one of {[*gains, 'leaky_relu']}, but got {nonlinearity!r}.",
        )
    return gains[nonlinearity]


class Initializer:
    """Base of initializers: `sample` gives the values for a shape."""

    def sample(self, shape: Sequence[int]) -> np.ndarray[Any, Any]:
        """Float64 values for `shape`."""
        raise NotImplementedError


class Constant(Initializer):
    """All elements equal `value`."""

    def __init__(self, value: float):
        self.value = value

    def sample(self, shape: Sequence[int]) -> np.ndarray[Any, Any]:
        return np.full(tuple(shape), self.value)


class Zero(Constant):
    """Zeros."""

    def __init__(self) -> None:
        super().__init__(0)


class One(Constant):
    """Ones."""

    def __init__(self) -> None:
        super().__init__(1)


class Normal(Initializer):
    """Normal distribution."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0):
        self.sigma, self.mean = sigma, mean

    def sample(self, shape: Sequence[int]) -> np.ndarray[Any, Any]:
        return _random.normal(self.mean, self.sigma, tuple(shape))


class Uniform(Initializer):
    """Uniform distribution on (-scale, scale)."""

    def __init__(self, scale: float = 0.07):
        self.scale = scale

    def sample(self, shape: Sequence[int]) -> np.ndarray[Any, Any]:
        return _random.uniform(-self.scale, self.scale, tuple(shape))


class XavierUniform(Initializer):
    """Uniform with bound gain * sqrt(6 / (fan_in + fan_out))."""

    def __init__(self, gain: float = 1):
        self.gain = gain

    def sample(self, shape: Sequence[int]) -> np.ndarray[Any, Any]:
        fan_in, fan_out = _fans(shape)
        bound = self.gain * math.sqrt(6.0 / (fan_in + fan_out))
        return _random.uniform(-bound, bound, tuple(shape))


class HeUniform(Initializer):
    """Uniform with bound gain * sqrt(3 / fan)."""

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ):
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _std(self, shape: Sequence[int]) -> float:
        if self.mode not in ("fan_in", "fan_out"):
            raise error(ValueError, f"mode must be 'fan_in' or 'fan_out', but got {self.mode!r}.")
        fan = _fans(shape)[self.mode == "fan_out"]
        return _gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)

    def sample(self, shape: Sequence[int]) -> np.ndarray[Any, Any]:
        bound = math.sqrt(3.0) * self._std(shape)
        return _random.uniform(-bound, bound, tuple(shape))


class HeNormal(HeUniform):
    """Normal with standard deviation gain / sqrt(fan)."""

    def sample(self, shape: Sequence[int]) -> np.ndarray[Any, Any]:
        return _random.normal(0.0, self._std(shape), tuple(shape))


_BY_NAME: dict[str, type[Initializer]] = {
    "zeros": Zero,
    "zero": Zero,
    "ones": One,
    "one": One,
    "normal": Normal,
    "uniform": Uniform,
    "xavier_uniform": XavierUniform,
    "xavieruniform": XavierUniform,
    "he_uniform": HeUniform,
    "heuniform": HeUniform,
    "he_normal": HeNormal,
    "henormal": HeNormal,
}


def initializer(init: Any, shape: Any = None, dtype: Type = mstype.float32) -> Tensor:
    """A Tensor of initial values.

    Args:
        init: an initializer's name, an `Initializer`, a number, or a Tensor (checked against
            `shape`).
        shape: an int, tuple or list.
        dtype: the dtype.

    Raises:
        ValueError: an unknown name, or a Tensor of another shape.
        TypeError: an `init` of another kind.
    """
    dims = (shape,) if isinstance(shape, int) else tuple(shape or ())
    if isinstance(init, Tensor):
        if shape is not None and init.shape != dims:
            raise error(
                ValueError,
                f"For 'initializer', the shape of 'init' must be {dims}, but got {init.shape}.",
            )
        return init
    if isinstance(init, str):
        found = _BY_NAME.get(init.lower())
        if found is None:
            raise error(
                ValueError,
                f"For 'initializer', the name {init!r} is unknown; known: {sorted(_BY_NAME)}.",
            )
        init = found()
    elif isinstance(init, int | float) and not isinstance(init, bool):
        init = Constant(init)
    if not isinstance(init, Initializer):
        raise error(
            TypeError,
            f"For 'initializer', 'init' must be a name, Initializer, number or Tensor, but got "
            f"{type(init).__name__}.",
        )
    return Tensor(init.sample(dims), dtype)
