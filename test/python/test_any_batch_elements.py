"""Programs for any batch size that take elements by the numbers of samples, put samples behind each other, take
extrema of segments, and compute with roots of the number of samples."""

import math
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import nn, ops

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import any_batch_elements


@pytest.mark.parametrize(
    ("seed", "sizes"), [(7, (5, 1, 139)), (12, (33, 2, 130)), (31, (3, 1, 17))]
)
def test_random_programs(seed, sizes):
    any_batch_elements.check(seed, sizes)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 160))
def test_more_random_programs(seed):
    any_batch_elements.check(seed, tuple(random.Random(seed).sample(any_batch_elements.SIZES, 4)))


X = np.random.default_rng(0).standard_normal((139, 6))
Y = np.random.default_rng(1).integers(0, 6, 139).astype(np.int32)


def _likelihood(x, y):
    """The logit of each row's class, as losses are written by hand."""
    return -ops.log_softmax(x, -1)[ops.arange(x.shape[0]), y].mean()


def _action_values(x, y):
    taken = x[ops.arange(len(y)), y]
    best = x[np.arange(x.shape[0]), x.argmax(axis=1)]
    return ((taken - ops.stop_gradient(0.9 * best + 1)) ** 2).mean()


def _margin(x, y):
    margins = ops.zeros_like(x)
    margins[ops.arange(x.shape[0]), y] = 0.35
    return ops.cross_entropy(4 * (x - margins), y)


def _tuples(x, y):
    tuples = ops.stack([ops.arange(x.shape[0]).astype(ms.int32), y], 1)
    return ops.gather_nd(ops.tensor_scatter_add(x, tuples, x[:, 0]), tuples).square().mean()


def _flat(x, y):
    return (
        ops.gather(x.reshape(-1), ops.arange(x.shape[0]) * 6 + y.astype(ms.int64), 0).exp().mean()
    )


def _words(x, y):
    """Rows of words: two of each sample."""
    words = ops.log_softmax(ops.stack([x, ops.flip(x, (1,))], 1), -1).reshape(-1, 6)
    wanted = ops.stack([y, 5 - y], 1).reshape(-1)
    return -words[ops.arange(words.shape[0]), wanted].sum() / x.shape[0]


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (_likelihood, lambda x, y, r: (np.log(np.exp(x).sum(1)) - x[r, y]).mean()),
        (_action_values, lambda x, y, r: ((x[r, y] - 0.9 * x.max(1) - 1) ** 2).mean()),
        (_margin, None),
        (_tuples, lambda x, y, r: ((x[r, y] + x[:, 0]) ** 2).mean()),
        (_flat, lambda x, y, r: np.exp(x[r, y]).mean()),
        (_words, lambda x, y, r: 2 * (np.log(np.exp(x).sum(1)) - x[r, y]).mean()),
    ],
)
def test_an_element_of_each_sample(loss, expected):
    """The loss beside numpy's, and its gradient beside that of a program for the size."""
    any_batch = ms.jit(ms.value_and_grad(loss), dynamic_batch=True)
    for n in (3, 1, 2, 7, 139):
        x, y = ms.Tensor(X[:n]), ms.Tensor(Y[:n])
        value, slope = any_batch(x, y)
        wanted = ms.jit(ms.value_and_grad(loss))(x, y)
        if expected is not None:
            np.testing.assert_allclose(value.asnumpy(), expected(X[:n], Y[:n], np.arange(n)), 1e-12)
        np.testing.assert_allclose(value.asnumpy(), wanted[0].asnumpy(), 1e-12)
        np.testing.assert_allclose(slope.asnumpy(), wanted[1].asnumpy(), 1e-12, 1e-15)


def test_an_index_of_another_sample_is_an_error():
    """A program for a size reads there what is in memory; one for any batch has samples for themselves."""

    def picked(x, y):
        return ops.gather(x.reshape(-1), ops.arange(x.shape[0]) * 6 + y, 0)

    any_batch = ms.jit(picked, dynamic_batch=True)
    any_batch(ms.Tensor(X[:2]), ms.Tensor(Y[:2].astype(np.int64)))
    for wrong in (6, -1):
        places = np.array([0, wrong, 0])
        with pytest.raises(
            IndexError, match=r"element of another sample.*test_any_batch_elements.py:"
        ):
            any_batch(ms.Tensor(X[:3]), ms.Tensor(places))


def test_labels_out_of_range_name_the_line():
    def picked(x, y):
        return x[ops.arange(x.shape[0]), y]

    any_batch = ms.jit(picked, dynamic_batch=True)
    any_batch(ms.Tensor(X[:2]), ms.Tensor(Y[:2]))
    np.testing.assert_array_equal(
        any_batch(ms.Tensor(X[:3]), ms.Tensor([-1, 0, -6])).asnumpy(), X[[0, 1, 2], [-1, 0, -6]]
    )
    with pytest.raises(IndexError, match="with size 6") as caught:
        any_batch(ms.Tensor(X[:3]), ms.Tensor([0, 6, 0]))
    assert f"test_any_batch_elements.py:{picked.__code__.co_firstlineno + 1}" in str(caught.value)


def test_messages_say_batch_for_its_number():
    """Exceptions of the user's, too, in programs for any size, and those for known ones."""

    def checked(x, y):
        if (y > 4).any():
            raise ValueError(
                f"one of {x.shape[0]} labels is too large, of {2 * x.shape[0]} at most 1.65521"
            )
        return x

    any_batch = ms.jit(checked, dynamic_batch=True)
    any_batch(ms.Tensor(X[:2]), ms.Tensor([0, 1]))
    with pytest.raises(
        ValueError, match=r"one of batch labels is too large, of 2 x batch at most 1\.65521"
    ):
        any_batch(ms.Tensor(X[:3]), ms.Tensor([0, 5, 0]))
    with pytest.raises(ValueError, match="one of 2 labels is too large, of 4 at most"):
        any_batch(ms.Tensor(X[:2]), ms.Tensor([5, 0]))


def test_numbers_of_samples():
    """Whole and floating-point numbers along the batch, in tiles and behind sums over it."""

    def numbered(x):
        numbers = ops.arange(x.shape[0])
        centred = x - x.mean(axis=0)
        return centred * numbers.float().reshape(-1, 1), numbers % 3 == 1, (numbers * 2).sum()

    any_batch = ms.jit(numbered, dynamic_batch=True)
    for n in (4, 1, 7, 139, 1030):
        x = np.random.default_rng(n).standard_normal((n, 3))
        found = [v.asnumpy() for v in any_batch(ms.Tensor(x))]
        wanted = (x - x.mean(0)) * np.arange(n)[:, None]
        np.testing.assert_allclose(found[0], wanted, 1e-6, 1e-6)
        np.testing.assert_array_equal(found[1], np.arange(n) % 3 == 1)
        assert found[2] == n * (n - 1)


class Siamese(nn.Cell):
    """Two views of samples through one network with statistics of both."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Dense(6, 8), nn.BatchNorm1d(8)

    def construct(self, a, b):
        both = ops.tanh(self.norm(self.first(ops.concat([a, b], 0))))
        one, other = ops.chunk(both, 2, 0)
        real = ops.concat([ops.ones((a.shape[0], 1)), ops.zeros((b.shape[0], 1))], 0)
        told = ops.sigmoid(both.sum(axis=1, keepdims=True))
        return (
            -ops.cosine_similarity(one, other, 1).mean()
            + ((told - real.astype(told.dtype)) ** 2).mean()
        )


def test_two_views_in_one_batch():
    with ms.default_dtype(ms.float64):
        net = Siamese()
        net.set_train()
        step = ms.value_and_grad(net, None, net.trainable_params())
        before = [p.asnumpy().copy() for p in net.get_parameters()]
        any_batch = ms.jit(step, dynamic_batch=True)
        for n in (4, 2, 5, 139):
            found = []
            for run in (any_batch, ms.jit(step)):
                for p, value in zip(net.get_parameters(), before, strict=True):
                    p.set_data(ms.Tensor(value))
                loss, slopes = run(ms.Tensor(X[:n]), ms.Tensor(np.cos(X[:n])))
                found.append([v.asnumpy().copy() for v in (loss, *slopes, *net.get_parameters())])
            for a, b in zip(*found, strict=True):
                np.testing.assert_allclose(a, b, 1e-9, 1e-12)


def test_parts_of_a_batch_are_refused():
    def halves(x):
        n = x.shape[0] // 2
        return (x[:n] - x[n : 2 * n]).sum()

    with pytest.raises(ms.CompileError, match="takes some samples of the batch"):
        ms.jit(halves, dynamic_batch=True)(ms.Tensor(X[:4]))


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_extrema_of_segments(dtype):
    """Equal ones have equal parts of the derivative, as in programs for the size."""

    def extrema(x, y):
        return ops.unsorted_segment_max(x, y, 6), ops.unsorted_segment_min(x, y, 6)

    def slope(x, y):
        made = extrema(x, y)
        return made, ms.grad(lambda x: (extrema(x, y)[0] * extrema(x, y)[1]).sum())(x)

    run = slope if dtype is np.float64 else extrema
    any_batch = ms.jit(run, dynamic_batch=True)
    for n in (3, 1, 8, 139):
        x = np.round(X[:n] * 2).astype(dtype)
        found, wanted = (f(ms.Tensor(x), ms.Tensor(Y[:n] - 1)) for f in (any_batch, ms.jit(run)))
        if dtype is np.float64:
            np.testing.assert_allclose(found[1].asnumpy(), wanted[1].asnumpy(), 1e-12)
            found, wanted = found[0], wanted[0]
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
        own = x[Y[:n] == 2]
        if len(own):
            np.testing.assert_array_equal(found[0].asnumpy()[1], own.max(0))


def test_sampled_images():
    """Results have the bits of a program for the size."""

    def sampled(x, grid):
        return ops.grid_sample(x, ops.tanh(grid)), ms.grad(
            lambda x, g: ops.grid_sample(x, ops.tanh(g), padding_mode="border").square().sum(),
            (0, 1),
        )(x, grid)

    any_batch, state = ms.jit(sampled, dynamic_batch=True), np.random.default_rng(0)
    for n in (3, 1, 6, 131):
        given = [ms.Tensor(state.standard_normal((n, *s))) for s in ((2, 4, 5), (3, 2, 2))]
        (made, slopes), (wanted, wanted_slopes) = any_batch(*given), ms.jit(sampled)(*given)
        np.testing.assert_array_equal(made.asnumpy(), wanted.asnumpy())
        for a, b in zip(slopes, wanted_slopes, strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), 1e-12, 1e-14)


def test_roots_and_squares_of_the_number():
    def scaled(x):
        n, total = x.shape[0], x.sum()
        return (
            total / math.sqrt(n),
            total / n**2,
            total * n**2,
            total * (n - 1) ** 2,
            total * (1 / np.sqrt(n)),
        )

    any_batch = ms.jit(scaled, dynamic_batch=True)
    for n in (4, 1, 3, 7, 139):
        total = X[:n].sum()
        wanted = [total / n**0.5, total / n**2, total * n**2, total * (n - 1) ** 2, total / n**0.5]
        for a, b in zip(any_batch(ms.Tensor(X[:n])), wanted, strict=True):
            np.testing.assert_allclose(a.asnumpy(), b, 1e-12)


def test_arrays_that_python_makes_of_the_number():
    """Those of equal numbers follow from it, and 0, 1, ...; others are refused with the line."""

    def made(x):
        shares = ms.Tensor(np.full((x.shape[0], 1), 1 / x.shape[0]))
        return x * shares + ms.Tensor(np.arange(x.shape[0]).reshape(-1, 1))

    def reversed_numbers(x):
        return x * ms.Tensor(np.arange(x.shape[0])[::-1].reshape(-1, 1).copy())

    any_batch = ms.jit(made, dynamic_batch=True)
    for n in (4, 1, 2, 3, 139):
        wanted = X[:n] / n + np.arange(n)[:, None]
        np.testing.assert_allclose(any_batch(ms.Tensor(X[:n])).asnumpy(), wanted, 1e-12)
    with pytest.raises(ms.CompileError, match="has elements for a batch of one size") as caught:
        ms.jit(reversed_numbers, dynamic_batch=True)(ms.Tensor(X[:4]))
    line = reversed_numbers.__code__.co_firstlineno + 1
    assert f"test_any_batch_elements.py:{line}" in str(caught.value)


def test_what_is_no_program_for_a_batch_of_one():
    def hardest(x):
        return ops.topk(x.sum(axis=1), 2)[0].mean()

    with pytest.raises(
        ms.CompileError, match="cannot be for a batch of 1: For 'topk', 'k' must be in"
    ):
        ms.jit(hardest, dynamic_batch=True)(ms.Tensor(X[:4]))


def test_samples_are_not_counted_in_python():
    def counted(x):
        return sum([row.sum() for row in x])

    with pytest.raises(ms.CompileError, match="cannot be counted in Python") as caught:
        ms.jit(counted, dynamic_batch=True)(ms.Tensor(X[:4]))
    assert "ms.vmap" in str(caught.value)


def test_products_of_all_samples_with_all_are_refused():
    def similar(x):
        return ops.logsumexp(x @ x.T, 1).mean()

    with pytest.raises(
        ms.CompileError, match=r"gives the shape \[batch, batch\], which pairs samples"
    ):
        ms.jit(similar, dynamic_batch=True)(ms.Tensor(X[:4]))


def test_sums_that_a_loop_stacks():
    """Each trip's sum over the batch is put into its place of what the loop gives."""

    def trips(x):
        def trip(carried, _):
            new = ops.tanh(carried * 1.5)
            return new, new.sum()

        last, sums = ops.Scan()(trip, x, None, 3)
        return last, ops.stack(sums), sum(sums)

    any_batch = ms.jit(trips, dynamic_batch=True)
    for n in (3, 1, 139):
        for a, b in zip(any_batch(ms.Tensor(X[:n])), ms.jit(trips)(ms.Tensor(X[:n])), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), 1e-12)


def test_random_numbers_behind_other_dimensions():
    """Those of a program for the size: dropout with time first, several draws for each sample."""

    def drawn(x):
        kept = ops.dropout(x.transpose(1, 0, 2), 0.5, True).transpose(1, 0, 2)
        return kept, ops.multinomial(ops.softmax(x[:, 0], 1), 4)

    any_batch = ms.jit(drawn, dynamic_batch=True)
    for n in (3, 1, 7, 139):
        x = ms.Tensor(np.random.default_rng(n).standard_normal((n, 5, 2)))
        found = []
        for run in (any_batch, ms.jit(drawn)):
            ms.set_seed(n)
            found.append([v.asnumpy() for v in run(x)])
        for a, b in zip(*found, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["numbers", "equal", "nan", "ints"])
def test_positions_of_extrema_over_the_batch(kind):
    """Those of the first that attain them, as numpy has them, and the elements there with their derivative."""

    def positions(x):
        extrema = (*ops.max(x, 0), *ops.min(x, 0, True))
        return x.argmax(axis=0), x.argmin(axis=0), x.argmax(), *extrema

    def slope(x):
        return ms.grad(lambda x: (ops.max(x, 0)[0] * ops.min(x, 0)[0]).sum())(x)

    any_batch = ms.jit(positions, dynamic_batch=True)
    of_any_batch = ms.jit(slope, dynamic_batch=True)
    for n in (3, 1, 8, 139):
        x = X[:n].copy()
        if kind == "equal":
            x = np.round(x)
        if kind == "nan":
            x[x > 1.5] = np.nan
        if kind == "ints":
            x = np.round(x * 9).astype(np.int8)
        found = [v.asnumpy() for v in any_batch(ms.Tensor(x))]
        wanted = [
            x.argmax(0),
            x.argmin(0),
            x.argmax(),
            x.max(0),
            x.argmax(0),
            x.min(0)[None],
            x.argmin(0)[None],
        ]
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b)
        if kind in ("numbers", "equal"):
            by_x = np.zeros_like(x)
            by_x[x.argmax(0), np.arange(6)] += x.min(0)
            by_x[x.argmin(0), np.arange(6)] += x.max(0)
            np.testing.assert_allclose(of_any_batch(ms.Tensor(x)).asnumpy(), by_x, 1e-12)
