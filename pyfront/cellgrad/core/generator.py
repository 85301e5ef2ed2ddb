"""Generators: the default one, that `ops.dropout`, `ops.rand`, ... draw from, and others.

A state is a Parameter of two int64, the seed and the number of draws made since. Every draw reads
it and adds one, inside compiled code as well, where it is threaded through like any Parameter.
"""

from __future__ import annotations

import os
import weakref

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_int, check_shape
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def _fresh() -> int:
    return int.from_bytes(os.urandom(4), "little")


_states: set[int] = set()


def new_state(start: Tensor) -> Parameter:
    """The state of another generator."""
    state = Parameter(start, "random_state", False)
    _states.add(id(state))
    weakref.finalize(state, _states.discard, id(state))
    return state


def is_state(parameter: object) -> bool:
    """Whether a Parameter is the state of a generator."""
    return id(parameter) in _states


class Generator:
    """What random numbers are drawn from: a seed, and how many draws there were since.

    A new one has the seed 0. Functions that take a `generator` draw the numbers that they would draw
    from the default one with the same state. Its state is a Parameter, so compiled code draws other
    numbers at each call.

    >>> g = ms.Generator().manual_seed(5)
    >>> first = mint.rand(2, generator=g)
    >>> print((mint.rand(2, generator=g.manual_seed(5)) == first).all(), g.initial_seed())
    True 5
    """

    def __init__(self) -> None:
        self._state = new_state(Tensor(np.array([0, 0], np.int64)))

    @property
    def state(self) -> Parameter:
        """The Parameter of two int64: the seed, and the number of draws."""
        return self._state

    def manual_seed(self, seed: int) -> Generator:
        """Seeds it, and returns it; see `ms.manual_seed`.

        Raises:
            TypeError: a seed that is not an int.
            ValueError: a negative seed, or one of more than 63 bits.
        """
        seed = int(check_int(seed, "manual_seed", "seed"))
        if not 0 <= seed < 2**63:
            raise argument_error(ValueError, "manual_seed", "seed", "in [0, 2**63)", seed)
        self._state.set_data(Tensor(np.array([seed, 0], np.int64)))
        return self

    def seed(self) -> int:
        """Seeds it with a number from the operating system, and returns that."""
        return self.manual_seed(_fresh()).initial_seed()

    def initial_seed(self) -> int:
        """The seed."""
        return int(self._state.asnumpy()[0])

    def get_state(self) -> Tensor:
        """The state, for `set_state`: 16 bytes."""
        return Tensor(np.frombuffer(self._state.asnumpy().tobytes(), np.uint8), mstype.uint8)

    def set_state(self, state: Tensor) -> None:
        """Puts it where it was when `get_state` was called.

        Raises:
            TypeError: `state` is not a Tensor of uint8.
            ValueError: it has not 16 elements.
        """
        if not isinstance(state, Tensor) or state.dtype is not mstype.uint8:
            raise error(
                TypeError,
                "For 'set_rng_state', the 'state' must be a Tensor of uint8, as get_rng_state() "
                "gives.",
            )
        check_shape(state, "set_rng_state", "state", (16,))
        self._state.set_data(Tensor(np.frombuffer(state.asnumpy().tobytes(), np.int64)))

    def _step(self, step: Tensor) -> tuple[Tensor, Tensor]:
        """The seed and the number of draws; after it `step` more of them count as made."""
        now = self._state + Tensor(np.zeros(2, np.int64))
        self._state.set_data(now + step * Tensor(np.array([0, 1], np.int64)))
        return now[0], now[1]


default_generator = Generator()
"""What all numbers are drawn from that no other generator is named for."""
STATE = default_generator.state
default_generator.seed()


def manual_seed(seed: int) -> int:
    """Seeds the default generator: what is drawn next depends on the seed alone.

    Args:
        seed: a non-negative int; its low 32 bits count.

    Returns:
        the seed.

    Raises:
        TypeError: a seed that is not an int.
        ValueError: a negative seed, or one of more than 63 bits.

    >>> _ = ms.manual_seed(5)
    >>> first = ops.rand(2)
    >>> _ = ms.manual_seed(5)
    >>> print((ops.rand(2) == first).all())
    True
    """
    return default_generator.manual_seed(seed).initial_seed()


def seed() -> int:
    """Seeds the default generator with a number from the operating system, and returns that.

    >>> number = ms.seed()
    >>> number == ms.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator.

    >>> _ = ms.manual_seed(5)
    >>> ms.initial_seed()
    5
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator: 16 bytes (uint8), for `set_rng_state`.

    >>> state = ms.get_rng_state()
    >>> first = ops.rand(2)
    >>> _ = ms.set_rng_state(state)
    >>> print((ops.rand(2) == first).all())
    True
    """
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Puts the default generator where it was when `get_rng_state` was called.

    Raises:
        TypeError: `state` is not a Tensor of uint8.
        ValueError: it has not 16 elements.

    >>> state = ms.get_rng_state()
    >>> first = ops.rand(2)
    >>> _ = ms.set_rng_state(state)
    >>> print((ops.rand(2) == first).all())
    True
    """
    default_generator.set_state(state)
