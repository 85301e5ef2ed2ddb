"""The primitives that read and write at indices: compiled, interpreted and on batches, against numpy.

The graphs are built op by op; what Python's functions make of them is tested with those.
"""

import itertools

import numpy as np
import pytest

from cellgrad import _native

RNG = np.random.default_rng(7)


def buffers(arrays):
    return [_native.TensorBuffer.from_object(np.array(a, order="C")) for a in arrays]


def build(body, args, results, batch=None):
    """A graph whose entry applies `body` to `args`, or to every element of a batch of them."""
    graph = _native.Graph("m")
    of = lambda shape, i: shape[1:] if batch and batch[i] == 0 else shape
    specs = [
        (str(a.dtype), of(a.shape, i), f"a{i}", "input", None, None) for i, a in enumerate(args)
    ]
    f = graph.function("f", specs, public=False)
    f.ret(body(f, *f.args))
    specs = [(str(a.dtype), a.shape, f"a{i}", "input", None, None) for i, a in enumerate(args)]
    g = graph.function("main", specs, public=True)
    if batch:
        g.ret(g.vmap("f", list(g.args), in_dims=batch, out_dims=[0] * results))
    else:
        g.ret(g.call("f", list(g.args)))
    return graph


def run(tmp_path, body, args, results=1, batch=None):
    """Results of the compiled code, which equal those of the interpreter."""
    graph = build(body, args, results, batch)
    interpreted = [np.asarray(r) for r in _native.interpret(graph, "main", buffers(args))]
    path = tmp_path / "m.so"
    _native.compile_graph(build(body, args, results, batch), str(path), "m", {})
    compiled = [np.asarray(r) for r in _native.Model(str(path)).entry("main")(buffers(args))]
    for a, b in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(a, b)
    return compiled


def numbers(shape, dtype="float32"):
    return RNG.integers(-8, 8, shape).astype(dtype)


def gathered(x, indices, dim, batch_dims):
    """numpy's take, batch by batch."""
    if batch_dims:
        parts = [gathered(a, i, dim - 1, batch_dims - 1) for a, i in zip(x, indices, strict=True)]
        return np.stack(parts)
    return np.take(x, np.clip(indices, 0, x.shape[dim] - 1), axis=dim)


def scattered(x, indices, updates, dim, batch_dims, combine):
    """One assignment or sum after the other."""
    x = x.copy()
    if batch_dims:
        triples = zip(x, indices, updates, strict=True)
        return np.stack([scattered(*t, dim - 1, batch_dims - 1, combine) for t in triples])
    rows, flat = np.moveaxis(x, dim, 0), np.clip(indices.ravel(), 0, x.shape[dim] - 1)
    shape = (*x.shape[:dim], flat.size, *x.shape[dim + 1 :])
    for at, row in zip(flat, np.moveaxis(updates.reshape(shape), dim, 0), strict=True):
        rows[at] = rows[at] + row if combine == "add" else row
    return x


# x, indices, dim, batch_dims: rows, elements, what stands before, batches, a scalar index.
CASES = [
    ((9, 40), (5,), 0, 0),
    ((9, 40), (3, 5), 0, 0),
    ((40,), (17,), 0, 0),
    ((3, 40), (17,), 1, 0),
    ((3, 40, 2), (4,), 1, 0),
    ((3, 40, 2, 3), (2, 2), 1, 0),
    ((3, 40), (3, 17), 1, 1),
    ((3, 2, 9, 5), (3, 7), 2, 1),
    ((3, 2, 9), (3, 2, 7), 2, 2),
    ((4, 3), (), 0, 0),
    ((2, 4), (2,), 1, 1),
    ((1, 1), (1,), 0, 0),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "bool"])
@pytest.mark.parametrize("case", CASES)
def test_gather(tmp_path, case, dtype):
    shape, own, dim, batch_dims = case
    x = numbers(shape, dtype)
    indices = RNG.integers(-3, shape[dim] + 3, own).astype("int64" if dtype == "int8" else "int32")
    body = lambda f, x, i: f.create("cell.gather", [x, i], {"dim": dim, "batch_dims": batch_dims})
    got = run(tmp_path, lambda *a: [body(*a)], [x, indices])[0]
    np.testing.assert_array_equal(got, gathered(x, indices, dim, batch_dims))


@pytest.mark.parametrize("combine", ["add", "set"])
@pytest.mark.parametrize("case", CASES)
def test_scatter(tmp_path, case, combine):
    shape, own, dim, batch_dims = case
    x, indices = numbers(shape), RNG.integers(-3, shape[dim] + 3, own).astype("int32")
    updates = numbers(gathered(x, indices, dim, batch_dims).shape)
    attributes = {"dim": dim, "batch_dims": batch_dims, "combine": combine}
    body = lambda f, *a: [f.create("cell.scatter", list(a), attributes)]
    got = run(tmp_path, body, [x, indices, updates])[0]
    np.testing.assert_array_equal(got, scattered(x, indices, updates, dim, batch_dims, combine))


@pytest.mark.parametrize("batched", [(0, -1), (-1, 0), (0, 0)])
@pytest.mark.parametrize("case", CASES)
def test_gather_on_a_batch(tmp_path, case, batched):
    shape, own, dim, batch_dims = case
    x = numbers((3, *shape) if batched[0] == 0 else shape)
    indices = RNG.integers(0, shape[dim], (3, *own) if batched[1] == 0 else own).astype("int32")
    body = lambda f, x, i: [f.create("cell.gather", [x, i], {"dim": dim, "batch_dims": batch_dims})]
    got = run(tmp_path, body, [x, indices], batch=list(batched))[0]
    one = lambda a, k: (
        a[k] if (a is x and batched[0] == 0) or (a is indices and batched[1] == 0) else a
    )
    expected = [gathered(one(x, k), one(indices, k), dim, batch_dims) for k in range(3)]
    np.testing.assert_array_equal(got, np.stack(expected))


@pytest.mark.parametrize("batched", [b for b in itertools.product([0, -1], repeat=3) if 0 in b])
@pytest.mark.parametrize("case", [CASES[0], CASES[3], CASES[7]])
def test_scatter_on_a_batch(tmp_path, case, batched):
    shape, own, dim, batch_dims = case
    slices = (*shape[:dim], *own[batch_dims:], *shape[dim + 1 :])
    shapes = [(3, *s) if b == 0 else s for s, b in zip((shape, own, slices), batched, strict=True)]
    args = [numbers(s) for s in shapes]
    args[1] = RNG.integers(0, shape[dim], shapes[1]).astype("int64")
    attributes = {"dim": dim, "batch_dims": batch_dims, "combine": "set"}
    body = lambda f, *a: [f.create("cell.scatter", list(a), attributes)]
    got = run(tmp_path, body, args, batch=list(batched))[0]
    one = lambda k: [a[k] if b == 0 else a for a, b in zip(args, batched, strict=True)]
    expected = [scattered(*one(k), dim, batch_dims, "set") for k in range(3)]
    np.testing.assert_array_equal(got, np.stack(expected))


@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64"])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions(tmp_path, name, dtype, kind):
    x = numbers((5, 37, 3), dtype)
    if dtype.startswith("float"):
        x[2, 5:7, :2] = np.nan
        x[3] = np.inf if name == "argmin" else -np.inf
    reduce = lambda f, x, dims, shape: f.create(
        f"cell.{name}", [x], {"dims": dims}, None, (kind, shape)
    )
    body = lambda f, x: [
        reduce(f, x, [1], (5, 3)),
        reduce(f, x, [0, 1, 2], ()),
        reduce(f, x, [0, 2], (37,)),
    ]
    got = run(tmp_path, body, [x], 3)
    numpy = getattr(np, name)
    both = np.moveaxis(x, 1, 0).reshape(37, 15)
    for a, b in zip(got, [numpy(x, axis=1), numpy(x), numpy(both, axis=1)], strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == kind
    mapped = lambda f, x: [reduce(f, x, [0], (3,))]
    np.testing.assert_array_equal(run(tmp_path, mapped, [x], batch=[0])[0], numpy(x, axis=1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool"])
def test_reverse(tmp_path, dtype):
    x = numbers((3, 5, 35), dtype)
    reverse = lambda f, x, dims: f.create("cell.reverse", [x], {"dims": dims})
    body = lambda f, x: [reverse(f, x, d) for d in ([2], [0, 2], [1], [0, 1, 2], [])]
    got = run(tmp_path, body, [x], 5)
    expected = [x[:, :, ::-1], x[::-1, :, ::-1], x[:, ::-1], x[::-1, ::-1, ::-1], x]
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    mapped = lambda f, x: [reverse(f, x, [1])]
    np.testing.assert_array_equal(run(tmp_path, mapped, [x], batch=[0])[0], x[:, :, ::-1])


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int32", "int64"])
def test_iota(tmp_path, dtype):
    iota = lambda f, dim: f.create("cell.iota", [], {"dim": dim}, None, (dtype, (37, 100)))
    got = run(tmp_path, lambda f: [iota(f, 0), iota(f, 1)], [], 2)
    expected = np.indices((37, 100)).astype(dtype)
    np.testing.assert_array_equal(got, expected)


SCANNED = [(1,), (37,), (3, 37), (37, 3), (2, 37, 2, 20), (5, 1, 4), (3, 7, 1)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64"])
@pytest.mark.parametrize("shape", SCANNED)
def test_cumsum(tmp_path, shape, dtype):
    x = numbers(shape, dtype)
    cases = list(itertools.product(range(len(shape)), [False, True], [False, True]))

    def body(f, x):
        names = ("dim", "reverse", "exclusive")
        return [f.create("cell.cumsum", [x], dict(zip(names, c, strict=True))) for c in cases]

    for got, (dim, reverse, exclusive) in zip(
        run(tmp_path, body, [x], len(cases)), cases, strict=True
    ):
        turned = np.flip(x, dim) if reverse else x
        sums = np.cumsum(turned, axis=dim, dtype="float64" if "float" in dtype else dtype)
        sums = sums - turned if exclusive else sums
        np.testing.assert_array_equal(got, (np.flip(sums, dim) if reverse else sums).astype(dtype))


def test_sums_of_half_precision_are_rounded_once(tmp_path):
    x = np.full((2, 4096), 0.1, "float16")
    body = lambda f, x: [f.create("cell.cumsum", [x], {"dim": 1})]
    got = run(tmp_path, body, [x])[0]
    np.testing.assert_array_equal(got, np.cumsum(x, axis=1, dtype="float32").astype("float16"))


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int8", "int16", "int32", "int64"]
)
@pytest.mark.parametrize("shape", [(1,), (5,), (128,), (129,), (3, 65), (300, 3), (2, 200, 3)])
def test_argsort(tmp_path, shape, dtype):
    x = numbers(shape, dtype)
    if dtype.startswith("float"):
        x = (x / 3).astype(dtype)
        x.ravel()[::5] = np.nan
        x.ravel()[1::7] = np.inf
        x.ravel()[2::11] = -0.0
    else:
        info = np.iinfo(dtype)
        x.ravel()[::3] = RNG.integers(info.min, info.max, x.ravel()[::3].shape, dtype, True)
    cases = list(itertools.product(range(len(shape)), [False, True], ["int32", "int64"]))

    def body(f, x):
        sort = lambda dim, descending, kind: f.create(
            "cell.argsort", [x], {"dim": dim, "descending": descending}, None, (kind, shape)
        )
        return [sort(*c) for c in cases]

    for got, (dim, descending, kind) in zip(
        run(tmp_path, body, [x], len(cases)), cases, strict=True
    ):
        # Descending and stable: the reverse of a stable sort of the reverse.
        turned = np.flip(x, dim) if descending else x
        order = np.argsort(turned, axis=dim, kind="stable")
        expected = np.flip(shape[dim] - 1 - order, dim) if descending else order
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == kind


def test_scans_on_a_batch(tmp_path):
    x = numbers((3, 40, 5))

    def body(f, x):
        sort = f.create("cell.argsort", [x], {"dim": 0}, None, ("int32", (40, 5)))
        return [f.create("cell.cumsum", [x], {"dim": 0}), sort]

    sums, order = run(tmp_path, body, [x], 2, batch=[0])
    np.testing.assert_array_equal(sums, np.cumsum(x, axis=1))
    np.testing.assert_array_equal(order, np.argsort(x, axis=1, kind="stable"))


@pytest.mark.parametrize("batch", [None, [0]])
def test_a_failed_check_raises_with_the_line(tmp_path, batch):
    loc = _native.Loc("/somewhere/model.py", 42, 7, "net/take")

    def body(f, i, n):
        f.create("cell.check", [f.create("cell.less", [i, n])], {"message": "no such row"}, loc)
        return [f.create("cell.add", [i, n])]

    good = [np.zeros((3, 20), "int32"), np.ones((3, 20), "int32")]
    np.testing.assert_array_equal(run(tmp_path, body, good, batch=batch and [0, 0])[0], 1)
    bad = [good[0].copy(), good[1]]
    bad[0][2, 17] = 1
    graph = build(body, bad, 1, batch and [0, 0])
    with pytest.raises(_native.GraphError, match="no such row"):
        _native.interpret(graph, "main", buffers(bad))
    _native.compile_graph(graph, str(tmp_path / "m.so"), "m", {})
    with pytest.raises(IndexError, match=r"^no such row \(model.py:42\)$"):
        _native.Model(str(tmp_path / "m.so")).entry("main")(buffers(bad))


def test_what_feeds_and_follows_is_fused_and_right(tmp_path):
    """Views of what is gathered from, and producers and consumers of the same elements."""

    def body(f, x, i):
        turned = f.create("cell.transpose", [x], {"perm": [1, 0]})
        rows = f.create("cell.gather", [turned, i], {"dim": 0, "batch_dims": 0})
        double = f.create("cell.add", [x, x])
        more = f.create("cell.gather", [double, i], {"dim": 1, "batch_dims": 0})
        both = f.create("cell.add", [more, f.create("cell.transpose", [rows], {"perm": [1, 0]})])
        whole = f.create("cell.reduce_sum", [both], {"dims": [0, 1]})
        mixed = f.create("cell.gather", [double, i], {"dim": 0, "batch_dims": 0})
        rest = f.create(
            "cell.slice", [double], {"starts": [0, 0], "limits": [4, 6], "strides": [1, 1]}
        )
        return [both, whole, f.create("cell.mul", [mixed, rest])]

    x, i = numbers((5, 6)), np.array([4, 0, 2, 2], "int32")
    got = run(tmp_path, body, [x, i], 3)
    np.testing.assert_array_equal(got[0], 3 * x[:, i])
    np.testing.assert_array_equal(got[1], 3 * x[:, i].sum())
    np.testing.assert_array_equal(got[2], 2 * x[i] * 2 * x[:4])
