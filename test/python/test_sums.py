"""Sums of many terms against numpy in extended precision: the bound of docs/math-accuracy.md, and 1e-6 where no
term is negative, in every form of loop."""

import math

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

UNIT = {"float32": 2.0**-24, "float64": 2.0**-53}
KINDS = ["ones", "tenth", "uniform", "mixed"]


def terms(kind, shape, dtype):
    rng = np.random.default_rng(7)
    if kind == "ones":
        return np.ones(shape, dtype)
    if kind == "tenth":  # rounds in the same direction again and again
        return np.full(shape, 0.1, dtype)
    if kind == "uniform":
        return rng.random(shape).astype(dtype)
    return (rng.normal(size=shape) * 10.0 ** rng.integers(-4, 5, shape)).astype(dtype)


def wide(array):
    return array.astype(np.longdouble if array.dtype == np.float64 else np.float64)


def agrees(got, wanted, size, count, kind, dtype, loops):
    """`size` is the sum of the magnitudes of `count` terms, `loops` the loops that the sum takes."""
    error = np.abs(wide(got.asnumpy()) - wanted)
    assert got.shape == wanted.shape
    bound = 32 * loops + 3 * math.log2(count)
    if kind == "ones":
        assert np.all(error == 0)
    elif kind != "mixed":  # 1e-6 in float32
        bound = min(bound, 16.7)
    worst = float(np.max(error / size)) / UNIT[dtype]
    assert worst <= bound, f"{worst} times the unit roundoff, not {bound}"


def check_sum(shape, dims, dtype="float32", kinds=KINDS):
    total = ms.jit(lambda x: ops.sum(x, dims))
    loops = 1 if isinstance(dims, int) else len(dims)
    for kind in kinds:
        x = terms(kind, shape, dtype)
        got, seen = total(Tensor(x)), wide(x)
        agrees(
            got,
            seen.sum(dims),
            np.abs(seen).sum(dims),
            x.size // math.prod(got.shape),
            kind,
            dtype,
            loops,
        )


# A vector of sums holds up to 64 elements; a block has 32 additions, and the next one 8 of these.
@pytest.mark.parametrize("trips", [1, 31, 32, 33, 64, 511, 512, 513, 1024, 16 * 1024 + 33])
@pytest.mark.parametrize("rest", [0, 1, 17, 63])
def test_a_row(trips, rest):
    check_sum((64 * trips + rest,), 0)


@pytest.mark.parametrize(
    "rows", [31, 32, 33, 65, 67, 255, 256, 257, 511, 512, 513, 1025, 8191, 8200, 8219]
)
@pytest.mark.parametrize("columns", [1, 3, 40, 150])
def test_columns(rows, columns):
    check_sum((rows, columns), 0)


@pytest.mark.parametrize("dtype", UNIT)
@pytest.mark.parametrize(
    "shape, dims",
    [
        ((3, 40, 1500), (0, 2)),
        ((1500, 3, 40), (0, 2)),
        ((1500, 40, 3), (0, 2)),
        ((70, 9, 65, 33), (0, 2)),
        ((9, 70, 33, 65), (1, 3)),
        ((40, 30, 20, 50), (0, 1, 2)),
        ((40, 3, 30, 130), (0, 2)),
        ((1030, 2, 9, 130), (0, 2)),
        ((9, 3000, 33), 1),
        ((3, 3000, 200), 1),
        ((200, 3000), 1),
        ((1000, 1000), (0, 1)),
    ],
)
def test_dimensions(shape, dims, dtype):
    check_sum(shape, dims, dtype)


@pytest.mark.parametrize(
    "shape, dims, view",
    [
        ((50000, 3), 0, lambda x: x[:, 1]),
        ((300, 100, 3), (0, 1), lambda x: x[:, 1:, 2]),
        ((9000, 40), 0, lambda x: x[::-1, ::2]),
        ((5, 40000), 1, lambda x: x.T.T[:, 1:]),
        ((40000, 5), 1, lambda x: x.T),
        ((1100,), (0, 1), lambda x: x.reshape(-1, 1) * x.reshape(1, -1)),
        ((1100,), (0, 1), lambda x: abs(x.reshape(-1, 1) + x.reshape(1, -1))),
        ((2500,), 0, lambda x: x.reshape(-1, 1) + x[:150].reshape(1, -1)),
    ],
)
def test_views_and_broadcasts(shape, dims, view):
    total = ms.jit(lambda x: ops.sum(view(x), dims))
    for kind in KINDS:
        x = terms(kind, shape, "float32")
        seen = view(wide(x))
        # A term that is rounded itself is off by the unit roundoff: as if there were one addition more.
        agrees(
            total(Tensor(x)),
            seen.sum(dims),
            np.abs(seen).sum(dims),
            2 * seen.size,
            kind,
            "float32",
            2,
        )


def test_means_of_many():
    x = np.ones(20_000, np.float32)
    mean = ms.jit(lambda x: (x.reshape(-1, 1) * x.reshape(1, -1)).mean())
    assert mean(Tensor(x)).asnumpy() == 1


@pytest.mark.parametrize("shape", [(1_000_000, 3), (20_000, 150)])
def test_variance_of_many_rows(shape):
    x = terms("uniform", shape, "float32")
    got = ms.jit(lambda x: ops.var(x, 0))(Tensor(x)).asnumpy()
    np.testing.assert_allclose(got, wide(x).var(0), rtol=1e-6)


def test_a_sum_beside_an_extremum():
    x = terms("uniform", (5000, 40), "float32")
    both = ms.jit(lambda x: (ops.sum(x, 0), ops.amax(x, 0), ops.sum(x * x, 0)))
    total, most, squares = both(Tensor(x))
    agrees(total, wide(x).sum(0), wide(x).sum(0), 5000, "uniform", "float32", 1)
    assert np.array_equal(most.asnumpy(), x.max(0))
    agrees(squares, (wide(x) ** 2).sum(0), (wide(x) ** 2).sum(0), 5000, "uniform", "float32", 1)


def test_half_precision_accumulates_in_single():
    x = np.ones((60_000, 2), np.float16)
    assert np.array_equal(ms.jit(lambda x: ops.sum(x, 0))(Tensor(x)).asnumpy(), [60_000, 60_000])


def test_gradients_of_broadcasts():
    row, number = Tensor(np.ones(33, np.float32)), Tensor(np.float32(1))
    gradient = ms.jit(ms.grad(lambda b, c, x: ops.sum(x * (b + c)), (0, 1)))
    for kind in KINDS:
        x = terms(kind, (9000, 33), "float32")
        by_row, by_all = gradient(row, number, Tensor(x))
        size = np.abs(wide(x))
        agrees(by_row, wide(x).sum(0), size.sum(0), 9000, kind, "float32", 1)
        agrees(by_all, wide(x).sum(), size.sum(), x.size, kind, "float32", 2)


def check_product(f, reference, shapes, depth, dtype="float32", loops=2, kinds=KINDS):
    product = ms.jit(f)
    for kind in kinds:
        a, b = (terms(kind, shape, dtype) for shape in shapes)
        wanted, size = reference(wide(a), wide(b)), reference(np.abs(wide(a)), np.abs(wide(b)))
        agrees(
            product(Tensor(a), Tensor(b)),
            wanted,
            size,
            depth,
            kind,
            dtype,
            loops + 3 * (dtype == "float64"),
        )


def matmul(a, b):
    return a @ b


@pytest.mark.parametrize(
    "depth", [63, 64, 65, 100, 128, 129, 255, 256, 257, 1000, 4096, 4097, 16384, 16385, 20000]
)
def test_products(depth):
    for m, n in [(5, 20), (20, 5), (33, 40)]:
        check_product(matmul, matmul, [(m, depth), (depth, n)], depth)


def check_equal_terms(product, depth, count):
    """Sums of products of equal numbers, `count`² of them. Those round in one direction."""
    rng = np.random.default_rng(depth)
    a, b = (np.sort(rng.uniform(0.5, 1, count)).astype(np.float32) for _ in range(2))
    got = product(a, b).asnumpy()
    wanted = depth * np.multiply.outer(wide(a), wide(b))
    assert got.shape == wanted.shape
    assert np.max(np.abs(got - wanted) / wanted) <= 1e-6


@pytest.mark.parametrize(
    "depth", [33, 48, 64, 65, 96, 97, 144, 256, 500, 784, 1024, 2304, 4096, 4100, 10_000, 16_384]
)
def test_products_of_equal_terms(depth):
    shape = (64, depth)

    def product(a, b):
        multiply = ms.jit(lambda a, b: a @ b)
        return multiply(
            Tensor(np.ascontiguousarray(np.broadcast_to(a[:, None], shape))),
            Tensor(np.ascontiguousarray(np.broadcast_to(b, shape[::-1]))),
        )

    check_equal_terms(product, depth, 64)


@pytest.mark.parametrize("channels, side", [(8, 3), (64, 3), (6, 5), (256, 1), (700, 2), (2, 16)])
def test_convolutions_of_equal_terms(channels, side):
    def product(a, b):
        x = np.ones((32, channels, side + 2, side), np.float32) * a[:, None, None, None]
        w = np.ones((32, channels, side, side), np.float32) * b[:, None, None, None]
        return ms.jit(lambda x, w: ops.conv2d(x, w)[:, :, 1, 0])(Tensor(x), Tensor(w))

    check_equal_terms(product, channels * side * side, 32)


@pytest.mark.parametrize("batch, side", [(17, 9), (100, 3), (300, 12)])
def test_filters_of_equal_terms(batch, side):
    def product(a, b):
        x = np.ones((batch, 32, side + 1, side), np.float32) * a[:, None, None]
        ct = np.ones((batch, 32, side, side - 1), np.float32) * b[:, None, None]
        gradient = ms.jit(ms.grad(lambda w, x, ct: ops.sum(ops.conv2d(x, w) * ct)))
        filters = Tensor(np.zeros((32, 32, 2, 2), np.float32))
        return gradient(filters, Tensor(x), Tensor(ct))[:, :, 1, 1].transpose()

    check_equal_terms(product, batch * side * (side - 1), 32)


@pytest.mark.parametrize("depth", [128, 129, 1000, 8192, 8193, 30_000])
def test_products_in_double_precision(depth):
    check_product(matmul, matmul, [(3, depth), (depth, 19)], depth, "float64")


def test_products_with_ragged_and_many_columns():
    k = 16_500

    def left(a, b):
        return a.T @ b

    def right(a, b):
        return a @ b.T

    check_product(matmul, matmul, [(2, k), (k, 1050)], k, kinds=["uniform"])
    check_product(matmul, matmul, [(30, k), (k, 70)], k, kinds=["uniform"])
    check_product(left, left, [(k, 30), (k, 70)], k, kinds=["uniform"])
    check_product(right, right, [(30, k), (70, k)], k, kinds=["uniform"])


@pytest.mark.parametrize(
    "equation, shapes",
    [
        ("iab,abj->ij", [(20, 70, 90), (70, 90, 24)]),
        ("iab,baj->ij", [(20, 70, 90), (90, 70, 24)]),
        ("iabc,cabj->ij", [(20, 40, 30, 9), (9, 40, 30, 24)]),
        ("aib,jba->ij", [(3000, 20, 3), (24, 3, 3000)]),
        ("gia,gaj->gij", [(3, 5, 20_000), (3, 20_000, 20)]),
    ],
)
def test_contractions_of_several_dimensions(equation, shapes):
    def reference(a, b):
        return np.einsum(equation, a, b, optimize=True)

    check_product(lambda a, b: ops.einsum(equation, a, b), reference, shapes, 10_000, loops=4)


@pytest.mark.parametrize("batch", [64, 65, 100, 1030])
def test_filters_of_many_images(batch):
    shape = (16, 3, 3, 3)
    gradient = ms.jit(ms.grad(lambda w, x, ct: ops.sum(ops.conv2d(x, w) * ct)))

    def reference(x, ct):
        windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3)).transpose(
            0, 2, 3, 1, 4, 5
        )
        return (ct.transpose(1, 0, 2, 3).reshape(16, -1) @ windows.reshape(-1, 27)).reshape(shape)

    for kind in KINDS:
        x, ct = (
            terms(kind, (batch, 3, 10, 10), "float32"),
            terms(kind, (batch, 16, 8, 8), "float32"),
        )
        got = gradient(Tensor(np.zeros(shape, np.float32)), Tensor(x), Tensor(ct))
        size = reference(np.abs(wide(x)), np.abs(wide(ct)))
        agrees(got, reference(wide(x), wide(ct)), size, 64 * batch, kind, "float32", 3)


def test_the_same_bits_again():
    x = terms("mixed", (3000, 150), "float32")
    f = ms.jit(lambda x: (ops.sum(x, 0), ops.sum(x), ops.matmul(x.T, x)))
    for first, second in zip(f(Tensor(x)), f(Tensor(x)), strict=True):
        assert np.array_equal(first.asnumpy(), second.asnumpy())


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS[:3])
@pytest.mark.parametrize(
    "shape, dims",
    [
        ((10**8,), 0),
        ((10**8 // 2, 2), 0),
        ((2, 10**8 // 2), 1),
        ((10**6, 100), 0),
        ((10**5, 10, 100), (0, 2)),
    ],
)
def test_a_hundred_million(shape, dims, kind):
    check_sum(shape, dims, kinds=[kind])


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS[:3])
@pytest.mark.parametrize("m, n", [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_a_product_of_depth_thirty_million(m, n, kind):
    k = 3 * 10**7
    check_product(matmul, matmul, [(m, k), (k, n)], k, kinds=[kind])
