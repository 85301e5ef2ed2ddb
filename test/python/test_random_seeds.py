"""Operations and functions with seeds of their own: what they draw again, and what not."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops

SEEDED = {
    "UniformReal": lambda s: ops.UniformReal(*s)((8,)),
    "StandardNormal": lambda s: ops.StandardNormal(*s)((8,)),
    "StandardLaplace": lambda s: ops.StandardLaplace(*s)((8,)),
    "UniformInt": lambda s: ops.UniformInt(*s)((8,), Tensor(0, ms.int32), Tensor(10**6, ms.int32)),
    "RandomShuffle": lambda s: ops.RandomShuffle(*s)(Tensor(np.arange(30))),
    "Multinomial": lambda s: ops.Multinomial(*s)(ops.ones(1000), 8),
    "Dropout": lambda s: ops.Dropout(0.5, *s)(ops.ones(64))[0],
}

CLASSES = Tensor([[1], [3]])
WEIGHTS = ops.ones(1000)
SCORES = ops.zeros((1, 1000))
# Operations that have one seed, made and called; functions that have one.
ONE_SEED = {
    "UniformCandidateSampler": lambda s: (
        ops.UniformCandidateSampler(1, 8, True, 1000, s),
        lambda draw: draw(CLASSES)[0],
    ),
    "LogUniformCandidateSampler": lambda s: (
        ops.LogUniformCandidateSampler(1, 8, True, 1000, s),
        lambda draw: draw(CLASSES)[0],
    ),
    "RandomCategorical": lambda s: (ops.RandomCategorical(), lambda draw: draw(SCORES, 8, s)),
}
FUNCTIONS = {
    "uniform_candidate_sampler": lambda s: ops.uniform_candidate_sampler(
        CLASSES, 1, 8, True, 1000, s
    )[0],
    "log_uniform_candidate_sampler": lambda s: ops.log_uniform_candidate_sampler(
        CLASSES, 1, 8, True, 1000, s
    )[0],
    "random_categorical": lambda s: ops.random_categorical(SCORES, 8, s),
    "multinomial_with_replacement": lambda s: ops.multinomial_with_replacement(
        WEIGHTS, s, 0, 8, True
    ),
    "bernoulli": lambda s: ops.bernoulli(ops.zeros(64), 0.5, s),
    "Bernoulli": lambda s: ops.Bernoulli(s)(ops.zeros(64), 0.5),
    "randperm": lambda s: ops.randperm(20, s),
}


@pytest.mark.parametrize("name", SEEDED)
def test_operations_with_seeds_of_their_own(name):
    """As in MindSpore 2.10: they do not depend on `ms.set_seed`, and start anew in each operation."""
    draw = SEEDED[name]
    found = {}
    for seeds in ((1, 2), (0, 5), (7, 0), (2, 1)):
        ms.set_seed(1)
        first = draw(seeds).asnumpy()
        ms.set_seed(2)
        np.testing.assert_array_equal(draw(seeds).asnumpy(), first)
        found[first.tobytes()] = seeds
    assert len(found) == 4
    ms.set_seed(1)
    first = draw((0, 0)).asnumpy()
    assert (draw((0, 0)).asnumpy() != first).any()
    ms.set_seed(1)
    np.testing.assert_array_equal(draw((0, 0)).asnumpy(), first)


@pytest.mark.parametrize("name", ONE_SEED)
def test_operations_with_one_seed(name):
    """As in MindSpore 2.10: two operations draw the same, and one of them never the same again."""
    runs = {}
    for seed in (5, 6, 5):
        ms.set_seed(len(runs))
        draw, call = ONE_SEED[name](seed)
        run = [call(draw).asnumpy().tolist() for _ in range(3)]
        assert run[0] != run[1] and run[1] != run[2]
        assert runs.setdefault(seed, run) == run
    assert runs[5] != runs[6]
    draw, call = ONE_SEED[name](0)
    ms.set_seed(1)
    first = call(draw).asnumpy().tolist()
    assert call(draw).asnumpy().tolist() != first
    ms.set_seed(1)
    assert call(draw).asnumpy().tolist() == first


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_a_seed(name, compiled):
    """As in MindSpore 2.10: the same numbers for one seed, whatever was drawn before."""

    def draw(seed):
        call = (lambda: FUNCTIONS[name](seed) + 0) if compiled else (lambda: FUNCTIONS[name](seed))
        return (ms.jit(call) if compiled else call)().asnumpy().tolist()

    ms.set_seed(1)
    first = draw(5)
    ms.set_seed(2)
    assert draw(5) == first and draw(5) == first
    assert draw(6) != first
    ms.set_seed(1)
    unseeded = draw(0)
    assert draw(0) != unseeded
    ms.set_seed(1)
    assert draw(0) == unseeded


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.UniformCandidateSampler(1, 8, True, 1000, -1),
        lambda: ops.uniform_candidate_sampler(CLASSES, 1, 8, True, 1000, -1),
        lambda: ops.random_categorical(SCORES, 8, -1),
        lambda: ops.RandomCategorical()(SCORES, 8, -1),
        lambda: ops.bernoulli(ops.zeros(3), 0.5, -2),
    ],
)
def test_seeds_below_zero_are_refused(call):
    with pytest.raises(ValueError, match="seed"):
        call()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_an_operation_with_seeds_goes_on(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.drop = ops.Dropout(0.5, 3, 4)
            self.draw = ops.UniformReal(seed=3)

        def construct(self, x):
            return self.drop(x)[0], self.draw((8,))

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        runs = []
        for seed in (1, 2):
            ms.set_seed(seed)
            net = Net()
            runs.append([[t.asnumpy().tolist() for t in net(ops.ones(64))] for _ in range(3)])
    finally:
        ms.set_context(mode=before)
    assert runs[0] == runs[1]
    for kind in (0, 1):
        a, b, c = (run[kind] for run in runs[0])
        assert a != b and b != c and a != c


def test_the_mask_of_a_seeded_dropout_is_that_of_its_gradient():
    drop = ops.Dropout(0.5, 3, 4)
    out, gradient = ms.value_and_grad(lambda x: drop(x)[0])(ops.ones(64))
    np.testing.assert_array_equal(out.asnumpy(), gradient.asnumpy())


def test_randperm_with_a_seed():
    """As in MindSpore 2.10: one order for each seed."""
    ms.set_seed(1)
    first = ops.randperm(20, 5).asnumpy()
    ms.set_seed(2)
    np.testing.assert_array_equal(ops.randperm(20, 5).asnumpy(), first)
    assert (ops.randperm(20, 6).asnumpy() != first).any()
    assert sorted(first) == list(range(20))
