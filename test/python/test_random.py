"""Random numbers: bits against JAX's, distributions, state, dropout, derivatives."""

import math

import numpy as np
import pytest
from messages import said
from scipy import special, stats

import cellgrad as ms
from cellgrad import Tensor, nn, ops, random

COUNT = 1 << 17


def test_bits_are_those_of_jax():
    # jax.random.bits(key, (2, 3)) of JAX 0.10 with jax_threefry_partitionable, as int32 and int64.
    k = Tensor(np.array([1, -7], np.int32))
    wanted = [[-1113379620, -1228657762, -382294241], [1985247174, 155480040, 1581786415]]
    assert random.bits(k, (2, 3)).asnumpy().tolist() == wanted
    wanted = [-5377093896742136501, -5241076826674569221]
    assert random.bits(k, (2,), ms.int64).asnumpy().tolist() == wanted


def test_keys_are_those_of_jax():
    assert random.key(42).asnumpy().tolist() == [0, 42]
    assert random.key(2**40 + 5).asnumpy().tolist() == [256, 5]
    # jax.random.split(jax.random.key(42), 3)
    wanted = [[1832780943, 270669613], [64467757, -1378843660], [-1829035798, 255383827]]
    assert random.split(random.key(42), 3).asnumpy().tolist() == wanted
    first, second = random.split(random.key(42))
    assert first.asnumpy().tolist() == wanted[0] and second.asnumpy().tolist() == wanted[1]


def test_folded_keys_differ_from_each_other_and_from_split_ones():
    k = random.key(0)
    keys = [random.fold_in(k, i).asnumpy().tolist() for i in (0, 1, 2, 2**40)]
    keys += random.split(k, 4).asnumpy().tolist()
    assert len({tuple(pair) for pair in keys}) == 8
    folded = random.fold_in(k, Tensor(np.array(2, np.int64))).asnumpy()
    assert folded.tolist() == keys[2]


def kolmogorov(sample, distribution):
    """The p-value of the sample under a cumulative distribution function."""
    return stats.kstest(np.asarray(sample, np.float64).ravel(), distribution).pvalue


def normal_cdf(x):
    return special.ndtr(x)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_uniform_and_normal_numbers(dtype):
    k = random.key(5)
    u = random.uniform(k, (COUNT,), dtype).astype(ms.float64).asnumpy()
    assert u.min() >= 0 and u.max() < 1
    digits = {ms.float16: 11, ms.bfloat16: 8, ms.float32: 24, ms.float64: 53}[dtype]
    assert (u * 2.0**digits == np.round(u * 2.0**digits)).all()
    assert abs(u.mean() + 2.0 ** -(digits + 1) - 0.5) < 4 * math.sqrt(1 / 12 / COUNT)
    z = random.normal(k, (COUNT,), dtype).astype(ms.float64).asnumpy()
    assert np.isfinite(z).all()
    assert abs(z.mean()) < 4 / math.sqrt(COUNT)
    assert abs(z.var() - 1) < 4 * math.sqrt(2 / COUNT)
    assert abs((z**3).mean()) < 4 * math.sqrt(15 / COUNT)
    assert abs((z**4).mean() - 3) < 4 * math.sqrt(96 / COUNT)
    if dtype in (ms.float32, ms.float64):
        assert kolmogorov(u, "uniform") > 1e-3
        assert kolmogorov(z, normal_cdf) > 1e-3
        lag = np.corrcoef(z[:-1], z[1:])[0, 1]
        assert abs(lag) < 4 / math.sqrt(COUNT)


def test_bits_are_balanced():
    words = random.bits(random.key(9), (COUNT,)).asnumpy().view(np.uint32)
    for place in range(32):
        share = (words >> place & 1).mean()
        assert abs(share - 0.5) < 4 * 0.5 / math.sqrt(COUNT), place


def test_other_distributions():
    k = random.key(6)
    x = random.laplace(k, (COUNT,), ms.float64).asnumpy()
    assert kolmogorov(x, "laplace") > 1e-3
    assert kolmogorov(random.gumbel(k, (COUNT,), ms.float64).asnumpy(), "gumbel_r") > 1e-3
    narrow = random.gumbel(k, (COUNT,), ms.float16)
    assert narrow.dtype is ms.float16
    assert kolmogorov(random.gumbel(k, (COUNT,)).asnumpy(), "gumbel_r") > 1e-3
    dice = random.randint(k, (COUNT,), -2, 4).asnumpy()
    counts = np.bincount(dice + 2, minlength=6)
    assert dice.min() == -2 and dice.max() == 3 and stats.chisquare(counts).pvalue > 1e-3
    wide = random.randint(k, (COUNT,), -(2**40), 2**40, ms.int64).asnumpy() / 2.0**40
    assert kolmogorov((wide + 1) / 2, "uniform") > 1e-3
    p = Tensor([0.0, 0.25, 1.0])
    heads = random.bernoulli(k, p, (COUNT, 3)).asnumpy().mean(0)
    assert heads[0] == 0 and heads[2] == 1
    assert abs(heads[1] - 0.25) < 4 * math.sqrt(0.1875 / COUNT)
    weights = np.array([[0.5, 0.25, 0.25, 0], [0.1, 0.2, 0.3, 0.4]])
    with np.errstate(divide="ignore"):
        logits = Tensor(np.log(weights))
    drawn = random.categorical(k, logits, (20000,)).asnumpy()
    assert drawn.shape == (20000, 2) and (drawn[:, 0] != 3).all()
    for row in range(2):
        counts = np.bincount(drawn[:, row], minlength=4)
        used = weights[row] > 0
        assert stats.chisquare(counts[used], 20000 * weights[row][used]).pvalue > 1e-3


def test_permutations():
    k = random.key(10)
    order = random.permutation(k, 1000).asnumpy()
    np.testing.assert_array_equal(np.sort(order), np.arange(1000))
    assert abs(np.corrcoef(order, np.arange(1000))[0, 1]) < 0.15
    x = np.arange(12.0).reshape(6, 2)
    mixed = random.permutation(k, Tensor(x)).asnumpy()
    np.testing.assert_array_equal(mixed[np.argsort(mixed[:, 0])], x)
    # All orders of three with the same frequency.
    ms.set_seed(6)
    seen = [tuple(ops.randperm(3).asnumpy()) for _ in range(600)]
    counts = [seen.count(order) for order in set(seen)]
    assert len(counts) == 6 and stats.chisquare(counts).pvalue > 1e-3
    assert ops.randperm(Tensor(4), dtype=ms.int32).dtype is ms.int32
    np.testing.assert_array_equal(np.sort(ops.shuffle(Tensor(x)).asnumpy(), 0), x)
    np.testing.assert_array_equal(np.sort(ops.RandomShuffle()(Tensor(x)).asnumpy(), 0), x)


def test_draws_without_replacement():
    ms.set_seed(3)
    weights = Tensor(np.tile(np.array([0.6, 0.3, 0.1, 0.0]), (5000, 1)))
    drawn = ops.multinomial(weights, 3, False).asnumpy()
    assert drawn.shape == (5000, 3) and drawn.dtype == np.int32
    np.testing.assert_array_equal(np.sort(drawn, 1), np.tile([0, 1, 2], (5000, 1)))
    # First a, then b: p(a) p(b) / (1 - p(a)).
    for a, b, p in ((0, 1, 0.6 * 0.3 / 0.4), (1, 0, 0.3 * 0.6 / 0.7), (2, 0, 0.1 * 0.6 / 0.9)):
        share = ((drawn[:, 0] == a) & (drawn[:, 1] == b)).mean()
        assert abs(share - p) < 4 * math.sqrt(p * (1 - p) / 5000)


def test_keys_give_the_same_numbers_compiled_and_mapped():
    def f(k):
        return random.normal(k, (4,)), random.uniform(k, (2, 2), ms.float64, -1.0, 3.0)

    k = random.key(3)
    for eager, compiled in zip(f(k), ms.jit(f)(k)):
        np.testing.assert_array_equal(eager.asnumpy(), compiled.asnumpy())
    keys = random.split(k, 3)
    mapped = ms.vmap(f)(keys)
    for i in range(3):
        for one, batch in zip(f(keys[i]), mapped):
            np.testing.assert_array_equal(one.asnumpy(), batch[i].asnumpy())
    # One key for the whole batch gives all elements the same numbers.
    shared = ms.vmap(lambda x: x + random.normal(k, ()))(Tensor(np.zeros(3, np.float32))).asnumpy()
    assert (shared == shared[0]).all()


def test_derivatives_of_reparametrised_numbers():
    k = random.key(8)
    z = random.normal(k, (5,), ms.float64).asnumpy()

    def f(mean, deviation):
        x = mean + deviation * random.normal(k, (5,), ms.float64)
        return (x * x).sum()

    mean, deviation = Tensor(np.array(0.5)), Tensor(np.array(2.0))
    dm, ds = ms.grad(f, (0, 1))(mean, deviation)
    np.testing.assert_allclose(dm.asnumpy(), (2 * (0.5 + 2 * z)).sum(), rtol=1e-12)
    np.testing.assert_allclose(ds.asnumpy(), (2 * (0.5 + 2 * z) * z).sum(), rtol=1e-12)
    low = ms.grad(lambda a: random.uniform(k, (5,), ms.float64, a, 3.0).sum())(
        Tensor(np.array(1.0))
    )
    u = random.uniform(k, (5,), ms.float64).asnumpy()
    np.testing.assert_allclose(low.asnumpy(), (1 - u).sum(), rtol=1e-12)


# --- the generator with state ---------------------------------------------------------------------


def draws():
    return [
        ops.rand(3),
        ops.randn(2, 2),
        ops.standard_normal((3,)),
        ops.randint(0, 100, (4,)),
        ops.dropout(Tensor(np.ones(16, np.float32)), 0.5),
        ops.bernoulli(Tensor(np.ones(16, np.float32)), 0.5),
        ops.uniform((2,), Tensor(0.0), Tensor(1.0)),
        ops.normal((2,), Tensor(0.0), Tensor(1.0)),
    ]


def arrays(tensors):
    return [t.asnumpy() for t in tensors]


def test_a_seed_makes_draws_reproducible():
    ms.set_seed(7)
    first = arrays(draws())
    second = arrays(draws())
    ms.set_seed(7)
    again = arrays(draws())
    for a, b, c in zip(first, second, again):
        np.testing.assert_array_equal(a, c)
        assert (a != b).any()
    ms.set_seed(8)
    assert any((a != b).any() for a, b in zip(first, arrays(draws())))


def test_compiled_code_draws_what_eager_code_draws():
    @ms.jit
    def f():
        return draws()

    ms.set_seed(11)
    eager = arrays(draws()) + arrays(draws())
    ms.set_seed(11)
    compiled = arrays(f()) + arrays(f())
    for a, b in zip(eager, compiled):
        np.testing.assert_array_equal(a, b)


def test_state_can_be_saved_and_restored():
    ms.manual_seed(3)
    assert ms.initial_seed() == 3
    ops.rand(5)
    saved = ms.get_rng_state()
    assert saved.dtype is ms.uint8 and saved.shape == (16,)
    first = ops.rand(5).asnumpy()
    ms.set_rng_state(saved)
    np.testing.assert_array_equal(ops.rand(5).asnumpy(), first)
    assert ms.seed() == ms.initial_seed()


def test_a_seed_argument_selects_a_stream():
    ms.set_seed(1)
    plain = ops.rand(8).asnumpy()
    ms.set_seed(1)
    other = ops.rand(8, seed=5).asnumpy()
    ms.set_seed(1)
    again = ops.rand(8, seed=5).asnumpy()
    assert (plain != other).all()
    np.testing.assert_array_equal(other, again)


def test_a_draw_that_fails_leaves_the_state():
    ms.set_seed(2)
    with pytest.raises(ValueError, match="float type"):
        ops.rand(2, dtype=ms.int32)
    after = ops.rand(4).asnumpy()
    ms.set_seed(2)
    np.testing.assert_array_equal(after, ops.rand(4).asnumpy())


# --- dropout --------------------------------------------------------------------------------------


def test_dropout_keeps_the_mean():
    ms.set_seed(4)
    x = Tensor(np.ones(COUNT, np.float32))
    for p in (0.1, 0.5, 0.9):
        y = ops.dropout(x, p).asnumpy()
        values = np.unique(y)
        np.testing.assert_allclose(values, [0, 1 / (1 - p)], rtol=1e-6)
        assert abs((y == 0).mean() - p) < 4 * math.sqrt(p * (1 - p) / COUNT)


def test_dropout_has_one_mask_in_forward_and_adjoint_code():
    x = Tensor(np.linspace(1, 2, 64))
    value, gradient = ms.value_and_grad(lambda v: ops.dropout(v, 0.3).sum())(x)
    mask = gradient.asnumpy()
    assert set(np.round(np.unique(mask), 12)) == {0.0, round(1 / 0.7, 12)}
    np.testing.assert_allclose(value.asnumpy(), (mask * x.asnumpy()).sum(), rtol=1e-12)

    # At second order: the square of what dropout keeps.
    def square(v):
        y = ops.dropout(v, 0.3)
        return (y * y).sum()

    first = ms.grad(lambda v: (ms.grad(square)(v) * v).sum())(x).asnumpy()
    ratio = first / (4 * x.asnumpy())
    assert set(np.round(np.unique(ratio), 12)) == {0.0, round(1 / 0.49, 12)}


@pytest.mark.parametrize(
    "function, shape",
    [
        (ops.dropout1d, (8, 16, 5)),
        (ops.dropout1d, (64, 5)),
        (ops.dropout2d, (8, 16, 2, 3)),
        (ops.dropout3d, (8, 16, 2, 2, 2)),
    ],
)
def test_dropout_of_channels(function, shape):
    lead = 1 if len(shape) == 2 else 2
    y = function(Tensor(np.ones(shape, np.float32)), 0.5).asnumpy()
    flat = y.reshape(*shape[:lead], -1)
    assert (flat == flat[..., :1]).all()
    assert set(np.unique(y)) == {0.0, 2.0}
    assert (function(Tensor(np.ones(shape, np.float32)), 1.0).asnumpy() == 0).all()
    x = Tensor(np.ones(shape, np.float32))
    assert function(x, 0.5, False) is x or (function(x, 0.5, False).asnumpy() == 1).all()


def test_classes_give_the_mask():
    x = Tensor(np.full((4, 4), 3, np.float32))
    y, mask = ops.Dropout(0.5)(x)
    assert mask.dtype is ms.float32
    np.testing.assert_array_equal(y.asnumpy(), 6 * mask.asnumpy())
    y, mask = ops.Dropout2D(0.5)(Tensor(np.ones((2, 8, 2, 2), np.float32)))
    assert mask.dtype is ms.bool_
    np.testing.assert_array_equal(y.asnumpy(), 2.0 * mask.asnumpy())
    assert ops.Dropout3D(0.5)(Tensor(np.ones((2, 3, 2, 2, 2), np.float32)))[1].shape == (
        2,
        3,
        2,
        2,
        2,
    )


def test_cells_drop_in_training_only():
    x = Tensor(np.ones((4, 8), np.float32))
    for cell in (nn.Dropout(p=0.5), nn.Dropout(0.5), nn.Dropout1d(0.5)):
        assert (cell(x).asnumpy() == 1).all()
        cell.set_train()
        masks = [cell(x).asnumpy() for _ in range(3)]
        assert set(np.unique(masks)) == {0.0, 2.0}
        assert not (masks[0] == masks[1]).all() or not (masks[1] == masks[2]).all()


def test_a_training_step_draws_new_masks():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(p=0.5)

        def construct(self, x):
            return self.drop(x).sum()

    net = Net()
    net.set_train()
    step = ms.grad(net)
    x = Tensor(np.ones(64, np.float32))
    ms.set_seed(5)
    first, second = step(x).asnumpy(), step(x).asnumpy()
    ms.set_seed(5)
    assert (first != second).any() and (step(x).asnumpy() == first).all()


def test_an_exported_model_has_the_state_as_an_argument(tmp_path):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(p=0.5)

        def construct(self, x):
            return self.drop(x)

    net = Net()
    net.set_train()
    x = Tensor(np.ones(64, np.float32))
    ms.set_seed(21)
    ms.export(net, x, file_name=str(tmp_path / "net"), value_and_grad=False)
    model = ms.load(str(tmp_path / "net"))
    state = next(a for a in model.signature["entries"][0]["args"] if a["name"] == "random_state")
    assert state["role"] == "state"
    eager = [net(x).asnumpy() for _ in range(3)]
    exported = [model.forward(x).asnumpy() for _ in range(3)]
    np.testing.assert_array_equal(exported, eager)
    assert model.parameters["random_state"].asnumpy().tolist() == [21, 3]


# --- MindSpore's interfaces ---------------------------------------------------------------------


def test_shapes_and_dtypes():
    x = Tensor(np.zeros((2, 3), np.float16))
    cases = [
        (ops.rand(2, 3), (2, 3), ms.float32),
        (ops.rand((2, 3)), (2, 3), ms.float32),
        (ops.rand(2, dtype=ms.float16), (2,), ms.float16),
        (ops.randn(()), (), ms.float32),
        (ops.rand_like(x), (2, 3), ms.float16),
        (ops.randn_like(x), (2, 3), ms.float32),
        (ops.randn_like(x, dtype=ms.float64), (2, 3), ms.float64),
        (ops.randint(1, 5, (3,)), (3,), ms.int64),
        (ops.randint_like(Tensor([1, 2]), 1, 5), (2,), ms.int64),
        (ops.standard_normal((2,)), (2,), ms.float32),
        (ops.standard_laplace((2,)), (2,), ms.float32),
        (ops.normal((3, 1), Tensor([0.0, 1.0]), 1.0), (3, 2), ms.float32),
        (ops.normal((2,), 0.0, 1.0), (2,), ms.float32),
        (ops.laplace((2,), 0.0, 1.0), (2,), ms.float32),
        (ops.uniform((2,), Tensor(0.0), Tensor([5.0, 6.0])), (2,), ms.float32),
        (
            ops.uniform((4,), Tensor(1, ms.int32), Tensor([5], ms.int32), dtype=ms.int32),
            (4,),
            ms.int32,
        ),
        (ops.bernoulli(Tensor([1, 2, 3]), 1.0), (3,), ms.int64),
        (Tensor([0.5, 1.0]).bernoulli(), (2,), ms.float32),
        (ops.multinomial(Tensor([0.5, 0.5]), 4), (4,), ms.int32),
        (Tensor([[0.5, 0.5], [1.0, 0.0]]).multinomial(4), (2, 4), ms.int32),
        (ops.StandardNormal(2)((2,)), (2,), ms.float32),
        (ops.StandardLaplace(2)((2,)), (2,), ms.float32),
        (ops.UniformReal(2)((2, 2)), (2, 2), ms.float32),
        (ops.UniformInt(2)((2,), Tensor(1, ms.int32), Tensor(5, ms.int32)), (2,), ms.int32),
        (ops.Bernoulli()(Tensor([1.0]), 0.5), (1,), ms.float32),
        (ops.Multinomial()(Tensor([0.5, 0.5]), 3), (3,), ms.int32),
        (ops.rrelu(Tensor([-1.0, 2.0])), (2,), ms.float32),
    ]
    for number, (value, shape, dtype) in enumerate(cases):
        assert (value.shape, value.dtype) == (shape, dtype), number


def test_rrelu():
    y = ops.rrelu(Tensor(np.full(1000, -1, np.float32)), 0.2, 0.4).asnumpy()
    assert -0.4 <= y.min() < -0.35 and -0.25 < y.max() <= -0.2
    assert nn.RReLU()(Tensor([3.0])).asnumpy() == 3
    slope = ms.grad(lambda x: ops.rrelu(x, 0.25, 0.25).sum())(Tensor([-1.0, 2.0, 0.0])).asnumpy()
    np.testing.assert_array_equal(slope, [0.25, 1, 0])  # at 0 as in MindSpore


X = Tensor(np.ones((2, 3), np.float32))
ERRORS = [
    (lambda: ops.dropout(X, 1.0), ValueError, "in [0, 1)"),
    (lambda: ops.dropout(X, 1.5), ValueError, "in [0, 1)"),
    (lambda: ops.dropout(X, "a"), TypeError, "must be a number"),
    (lambda: ops.dropout(Tensor([1, 2]), 0.5), TypeError, "must be of floating-point numbers"),
    (lambda: ops.dropout(3, 0.5), TypeError, "must be a Tensor"),
    (lambda: ops.dropout2d(X), ValueError, "must have 4 dimensions"),
    (lambda: ops.dropout1d(X[0]), ValueError, "must have 2 or 3 dimensions"),
    (lambda: ops.dropout3d(X), ValueError, "must have 5 dimensions"),
    (lambda: ops.Dropout(0.0), ValueError, "in (0, 1]"),
    (lambda: ops.Dropout("a"), TypeError, "must be a number"),
    (lambda: nn.Dropout(0.0), ValueError, "must be in (0, 1]"),
    (lambda: nn.Dropout(p=1), ValueError, "must be in [0, 1)"),
    (lambda: nn.Dropout(p="a"), TypeError, "must be a number"),
    (lambda: nn.Dropout2d(1.5), ValueError, "must be in [0, 1]"),
    (lambda: ops.rand("a"), TypeError, "ints, or one tuple"),
    (lambda: ops.rand(2, seed=-1), ValueError, "must be at least 0"),
    (lambda: ops.rand(2, seed=1.5), TypeError, "must be an int or None"),
    (lambda: ops.randint(5, 1, (3,)), ValueError, "less than 'high'"),
    (lambda: ops.randint(1.5, 3, (3,)), TypeError, "must be an int"),
    (lambda: ops.randint(1, 5, 3), ValueError, "must be a tuple"),
    (lambda: ops.randint_like(X, 0, 5), ValueError, "int type"),
    (lambda: ops.uniform((2,), 0.0, 1.0), TypeError, "must be a Tensor"),
    (lambda: ops.uniform((2,), Tensor(0), Tensor(5), dtype=ms.int32), TypeError, "dtype of the"),
    (
        lambda: ops.uniform((2,), Tensor(0), Tensor(5), dtype=ms.int64),
        ValueError,
        "float32 or int32",
    ),
    (
        lambda: ops.uniform((2,), Tensor([0, 1], ms.int32), Tensor(5, ms.int32), dtype=ms.int32),
        ValueError,
        "one element",
    ),
    (lambda: ops.normal((2,), "a", 1.0), TypeError, "Tensors or numbers"),
    (lambda: ops.normal((2,), Tensor([0.0, 1.0, 2.0]), 1.0), ValueError, "broadcast"),
    (lambda: ops.bernoulli(X, 2.0), ValueError, "in [0, 1]"),
    (lambda: ops.multinomial(X, 0), ValueError, "positive int"),
    (lambda: ops.multinomial(Tensor(1.0), 1), ValueError, "1 or 2 dimensions"),
    (lambda: ops.multinomial(Tensor([0.5, 0.5]), 3, False), ValueError, "at most the last"),
    (lambda: ops.randperm(0), ValueError, "must be positive"),
    (lambda: ops.randperm(2.5), TypeError, "must be an int"),
    (lambda: random.permutation(random.key(0), 0), ValueError, "must be positive"),
    (lambda: random.permutation(random.key(0), "a"), TypeError, "int or a Tensor"),
    (lambda: ops.rrelu(X, 0.5, 0.2), ValueError, "lower <= upper"),
    (lambda: nn.RReLU(0.5, 0.2), ValueError, "'upper' must be"),
    (lambda: ops.StandardNormal(-1), ValueError, "must be >= 0"),
    (lambda: ops.StandardNormal(1.5), TypeError, "must be ints"),
    (lambda: random.key("a"), TypeError, "must be an int"),
    (lambda: random.normal(X, (2,)), TypeError, "whose last dimension is 2"),
    (lambda: random.normal(3, (2,)), TypeError, "random.key(seed)"),
    (lambda: random.normal(random.key(0), (2,), ms.int32), ValueError, "float type"),
    (lambda: random.bits(random.key(0), (2,), ms.int8), ValueError, "int32 or int64"),
    (lambda: random.split(random.key(0), 0), ValueError, "positive int"),
    (lambda: random.fold_in(random.key(0), Tensor(1.0)), TypeError, "one integer"),
    (lambda: random.randint(random.key(0), (2,), 3, 3), ValueError, "less than 'maxval'"),
    (lambda: random.randint(random.key(0), (2,), 0, 3, ms.float32), ValueError, "int type"),
    (lambda: random.bernoulli(random.key(0), Tensor([0.5, 0.5]), (3,)), ValueError, "broadcast"),
    (lambda: ms.manual_seed("a"), TypeError, "must be an int"),
    (lambda: ms.manual_seed(-1), ValueError, "in [0, 2**63)"),
    (lambda: ms.set_rng_state(3), TypeError, "get_rng_state()"),
    (lambda: ms.set_rng_state(Tensor(np.zeros(3, np.uint8))), ValueError, "must have shape [16]"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    function, kind, text = ERRORS[number]
    with pytest.raises(kind) as caught:
        function()
    assert text in said(caught.value)


def test_a_scalar_is_shuffled():
    assert ops.shuffle(Tensor(1.5)).item() == 1.5


def test_slopes_beyond_one():
    assert ops.rrelu(Tensor([-2.0, 3.0]), -1, -1).asnumpy().tolist() == [2.0, 3.0]
    assert ops.rrelu(Tensor([-2.0, 3.0]), 5, 5).asnumpy().tolist() == [-10.0, 3.0]


@pytest.mark.parametrize("rank", [4, 5])
def test_dropped_channels_of_integers(rank):
    """Elements that stay are divided by their probability and rounded towards 0."""
    dropped = {4: ops.Dropout2D, 5: ops.Dropout3D}[rank](keep_prob=0.4)
    x = Tensor(np.full((8, 8) + (2,) * (rank - 2), 3, np.int8))
    out, mask = (t.asnumpy() for t in dropped(x))
    assert out.dtype == np.int8 and mask.dtype == bool and 0 < mask.sum() < mask.size
    np.testing.assert_array_equal(out, np.where(mask, 7, 0))
