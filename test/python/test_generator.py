"""Generators of random numbers beside the default one: `ms.Generator`, and functions that take them."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, mint, nn, ops
from cellgrad.common.generator import Generator, default_generator

CALLS = {
    "rand": lambda g: mint.rand(5, generator=g),
    "randn": lambda g: mint.randn(5, generator=g),
    "randint": lambda g: mint.randint(0, 1000, (5,), generator=g),
    "randperm": lambda g: mint.randperm(9, generator=g),
    "normal": lambda g: mint.normal(Tensor(np.zeros(5)), 1.0, generator=g),
    "normal of a size": lambda g: mint.normal(0.0, 1.0, (5,), generator=g),
    "bernoulli": lambda g: mint.bernoulli(ops.zeros(32) + 0.5, generator=g),
    "multinomial": lambda g: mint.multinomial(ops.ones(9), 9, generator=g),
    "uniform_": lambda g: ops.zeros(5).uniform_(generator=g),
    "normal_": lambda g: ops.zeros(5).normal_(generator=g),
    "exponential_": lambda g: ops.zeros(5).exponential_(generator=g),
    "bernoulli_": lambda g: ops.zeros(32).bernoulli_(generator=g),
    "random_": lambda g: ops.zeros(5).random_(generator=g),
}


@pytest.mark.parametrize("name", CALLS)
def test_draws_of_a_generator(name, mode):
    """Those of the default one with the same seed, compiled and not; the default one has no part in them."""
    draw, g = CALLS[name], ms.Generator()
    compiled = ms.jit(lambda: draw(g))
    ms.manual_seed(7)
    wanted = [draw(None).asnumpy() for _ in range(3)]
    before = ms.get_rng_state()
    g.manual_seed(7)
    np.testing.assert_array_equal(draw(g).asnumpy(), wanted[0])
    np.testing.assert_array_equal(compiled().asnumpy(), wanted[1])
    np.testing.assert_array_equal(draw(g).asnumpy(), wanted[2])
    assert (wanted[0] != wanted[1]).any()
    np.testing.assert_array_equal(ms.get_rng_state().asnumpy(), before.asnumpy())


def test_state_of_a_generator():
    """As in MindSpore 2.10, bytes included."""
    g = Generator()
    assert g.initial_seed() == 0
    assert g.manual_seed(5) is g and g.initial_seed() == 5
    state = g.get_state()
    assert state.asnumpy().tolist() == [5, *[0] * 15] and state.dtype is ms.uint8
    first = mint.rand(4, generator=g)
    other = Generator()
    other.set_state(state)
    np.testing.assert_array_equal(mint.rand(4, generator=other).asnumpy(), first.asnumpy())
    assert other.seed() == other.initial_seed() != 5
    assert isinstance(default_generator, Generator)
    for call in (
        lambda: g.manual_seed("a"),
        lambda: g.set_state(5),
        lambda: mint.rand(2, generator=5),
        lambda: ops.zeros(2).normal_(generator="g"),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="16"):
        g.set_state(Tensor([1, 2], ms.uint8))
    with pytest.raises(ValueError, match="'CPU'"):
        mint.rand(2, device="moon")


class Steps(nn.Cell):
    def construct(self, generator):
        return generator._step(Tensor(3, ms.int64))


def test_steps(mode):
    """MindSpore's functions take the seed and how many numbers were drawn, and note theirs."""
    g = ms.Generator().manual_seed(4)
    net = Steps()
    found = [[int(v) for v in net(g)] for _ in range(3)]
    assert found == [[4, 0], [4, 3], [4, 6]]


def test_each_element_of_a_batch_draws_its_own():
    g = ms.Generator().manual_seed(4)
    rows = ms.vmap(lambda x: x + mint.rand(3, generator=g))(ops.zeros((2, 1))).asnumpy()
    assert (rows[0] != rows[1]).all()
    assert (mint.rand(3, generator=g).asnumpy() != rows).all()


class Shuffled(nn.Cell):
    def construct(self, n):
        return ops.randperm(n, dtype=ms.float16)


def test_a_length_that_is_a_tensor(mode):
    """It is a shape: compiled code is made for each, as MindSpore's takes it."""
    net = Shuffled()
    for n in (4, 6):
        found = net(Tensor([n]))
        assert found.dtype is ms.float16 and sorted(found.asnumpy().tolist()) == list(range(n))
