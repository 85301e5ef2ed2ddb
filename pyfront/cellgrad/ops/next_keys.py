"""Keys that nobody had before, from the states of generators, which make a step for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import effects, generator
from cellgrad.core import state as state_now
from cellgrad.core.arguments import argument_error, check_int
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import cast_to, emit
from cellgrad.core.scope import constant
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.ops import keys


def next_key(seed: Any = None, op: str = "random") -> Tensor:
    """A key that nobody had before, from the default generator, which makes a step.

    `seed` other than None or 0 selects another stream; a key in its place is that key.
    """
    if isinstance(seed, Tensor):
        return seed
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer)):
        raise argument_error(TypeError, op, "seed", "an int or None", seed)
    if seed is not None:
        check_int(seed, op, "seed", at_least=0)
    return _key_of(generator.STATE, (seed or 0) * 0x9E3779B1 & 0x7FFFFFFF ^ _APART)


def fixed_key(seed: Any, op: str) -> Tensor:
    """The key of a seed, which is the same at each call; of None and 0 one that nobody had before.

    A key in the place of the seed is that key.
    """
    if isinstance(seed, int) and not isinstance(seed, bool) and seed != 0:
        return keys.key(seed)
    return next_key(seed, op)


# Other keys than those that random.key makes of small seeds.
_APART = 0x5BD1E995


def _key_of(state: Parameter, stream: int) -> Tensor:
    """The next key of a generator's state, which makes a step."""
    apart = np.array([stream, 0], np.int32)
    if state_now.current.scope is None:
        words = state.asnumpy()
        k = Tensor(words.astype(np.int32) ^ apart)
        state.set_data(Tensor(words + np.array([0, 1])))
        return k
    known = constant(apart, signature(mstype.int32, (2,)))
    k = emit("cell.bitwise_xor", [cast_to(state, mstype.int32), known])
    _advance(state)
    return k


def key_of(generator_: Any, op: str) -> Any:
    """The next key of a generator that a function is given, in place of a seed; None for the default one.

    Raises:
        TypeError: it is no generator.
    """
    if generator_ is None or generator_ is generator.default_generator:
        return None
    if not isinstance(generator_, generator.Generator):
        raise argument_error(TypeError, op, "generator", "a Generator or None", generator_)
    return _key_of(generator_.state, _APART)


def _advance(state: Parameter) -> None:
    step = constant(np.array([0, 1]), signature(mstype.int64, (2,)))
    effects.assign(state, emit("cell.add", [state, step]))


def states_of_elements(state: Parameter, count: int) -> Tensor:
    """States of generators, a row each, from a generator's, which makes a step."""
    apart = constant(np.array([0x3C6EF372, 0], np.int32), signature(mstype.int32, (2,)))
    k = emit("cell.bitwise_xor", [cast_to(state, mstype.int32), apart])
    _advance(state)
    return cast_to(keys.split(k, count), mstype.int64)


class Stream:
    """The keys of an operation with seeds of its own, which the default generator has no part in. Two
    operations with the same seeds have the same keys.
    """

    def __init__(self, seed: int, seed2: int):
        word = seed * 0x9E3779B1 + seed2 * 0x85EBCA6B + 0x27D4EB2F & 0x7FFFFFFF
        start = Tensor(np.array([word, 0], np.int64))
        seeded = seed != 0 or seed2 != 0
        self._state = generator.new_state(start) if seeded else None

    def next(self, seed: int = 0) -> Any:
        """The next key, in place of a seed; None without seeds, where the default generator has it.

        `seed` is one more, which an operation is called with.
        """
        return None if self._state is None else _key_of(self._state, seed & 0x7FFFFFFF)
