"""Tensors without elements, compared with numpy: what is made of nothing, and what cannot be."""

import numpy as np
import pytest

import cellgrad as ms
import cellgrad.dataset as ds
from cellgrad import Parameter, Tensor, nn, ops


def nothing(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


ROWS, COLUMNS = nothing(0, 3), nothing(2, 0)
VECTOR, INDEX = nothing(0), nothing(0, dtype=np.int64)
FULL = np.arange(6, dtype=np.float32).reshape(2, 3)
NAN = np.float32(np.nan)


def case(function, wanted, *args):
    return function, args, wanted


CASES = {
    # elementwise, with broadcasting
    "add": case(lambda x: x + x, ROWS, ROWS),
    "number": case(lambda x: 2 * x + 1, ROWS, ROWS),
    "row": case(lambda x, y: x * y, ROWS, ROWS, FULL[0]),
    "one": case(lambda x, y: x - y, ROWS, ROWS, FULL[:1]),
    "scalar": case(ops.maximum, VECTOR, VECTOR, np.float32(3)),
    "compare": case(lambda x: x > 0, ROWS > 0, ROWS),
    "where": case(lambda x: ops.where(x > 0, x, 1.0), ROWS, ROWS),
    "cast": case(lambda x: x.astype(ms.uint16), nothing(0, 3, dtype=np.uint16), ROWS),
    "power": case(lambda x: x**2.5, ROWS, ROWS),
    "integers": case(lambda x: x // x % 3, INDEX, INDEX),
    # reductions: over nothing, and of nothing over something
    "sum": case(ops.sum, np.float32(0), ROWS),
    "sum of columns": case(lambda x: x.sum(0), np.zeros(3, np.float32), ROWS),
    "sum of rows": case(lambda x: x.sum(1), VECTOR, ROWS),
    "kept": case(lambda x: x.sum(0, keepdims=True), np.zeros((1, 3), np.float32), ROWS),
    "prod": case(lambda x: ops.prod(x, 0), np.ones(3, np.float32), ROWS),
    "mean": case(ops.mean, NAN, ROWS),
    "mean of columns": case(lambda x: x.mean(0), np.full(3, NAN), ROWS),
    "mean of rows": case(lambda x: x.mean(1), VECTOR, ROWS),
    "var": case(ops.var, NAN, ROWS),
    "any": case(lambda x: ops.any(x > 0), np.array(False), ROWS),
    "all": case(lambda x: ops.all(x > 0, 0), np.ones(3, bool), ROWS),
    "max of rows": case(lambda x: ops.amax(x, 1), VECTOR, ROWS),
    "argmax of rows": case(lambda x: ops.argmax(x, 1), INDEX, ROWS),
    "logsumexp": case(lambda x: ops.logsumexp(x, 0), np.full(3, -np.inf, np.float32), ROWS),
    "norm": case(ops.norm, np.float32(0), ROWS),
    "count": case(ops.count_nonzero, np.int32(0), ROWS),
    "softmax": case(lambda x: ops.softmax(x, 0), ROWS, ROWS),
    # products
    "inner": case(ops.matmul, np.zeros((2, 3), np.float32), COLUMNS, ROWS),
    "outer": case(ops.matmul, nothing(0, 2), ROWS, FULL.T),
    "dot": case(ops.matmul, np.float32(0), VECTOR, VECTOR),
    "batch": case(ops.bmm, nothing(0, 2, 2), nothing(0, 2, 3), nothing(0, 3, 2)),
    "einsum": case(
        lambda x, y: ops.einsum("ij,jk->ki", x, y), np.zeros((3, 2), np.float32), COLUMNS, ROWS
    ),
    # shapes
    "cat": case(lambda x, y: ops.cat([x, y, x]), FULL, ROWS, FULL),
    "stack": case(lambda x: ops.stack([x, x]), nothing(2, 0, 3), ROWS),
    "split": case(lambda x: ops.split(x, 1, 1)[2], nothing(0, 1), ROWS),
    "transpose": case(lambda x: x.T, nothing(3, 0), ROWS),
    "reshape": case(lambda x: x.reshape(5, 0), nothing(5, 0), ROWS),
    "rest": case(lambda x: x.reshape(-1, 3), ROWS, ROWS),
    "rest of nothing": case(lambda x: x.reshape(0, -1), nothing(0, 0), ROWS),
    "tile": case(lambda x: ops.tile(x, (2, 0)), nothing(4, 0), FULL),
    "broadcast": case(lambda x: ops.broadcast_to(x, (0, 2, 3)), nothing(0, 2, 3), FULL),
    "pad": case(lambda x: ops.pad(x, (0, 0, 1, 1)), np.zeros((2, 3), np.float32), ROWS),
    "flip": case(lambda x: ops.flip(x, (0,)), ROWS, ROWS),
    "roll": case(lambda x: ops.roll(x, 1, 0), ROWS, ROWS),
    "tril": case(ops.tril, ROWS, ROWS),
    "diag": case(ops.diag, nothing(0, 0), VECTOR),
    # elements
    "slice": case(lambda x: x[2:2], ROWS, FULL),
    "past": case(lambda x: x[5:, ::2], nothing(0, 2), FULL),
    "column": case(lambda x: x[:, 1], VECTOR, ROWS),
    "list": case(lambda x: x[[]], ROWS, FULL),
    "index": case(lambda x, i: x[i], ROWS, FULL, INDEX),
    "indices": case(lambda x, i: x[:, i], COLUMNS, FULL, INDEX),
    "gather": case(lambda x, i: ops.gather(x, i, 0), ROWS, FULL, INDEX),
    "gather columns": case(lambda x, i: ops.gather(x, i, 1), nothing(0, 2), ROWS, np.array([2, 0])),
    "scatter": case(
        lambda x, i, y: ops.index_add(x, i.astype(ms.int32), y, 0), FULL, FULL, INDEX, ROWS
    ),
    "one hot": case(lambda i: ops.one_hot(i, 3), nothing(0, 3, dtype=np.int64), INDEX),
    "segments": case(
        lambda x, i: ops.unsorted_segment_sum(x, i, 2), np.zeros((2, 3), np.float32), ROWS, INDEX
    ),
    # orders and running combinations
    "cumsum": case(lambda x: ops.cumsum(x, 0), ROWS, ROWS),
    "cummax": case(lambda x: ops.cummax(x, 0)[0], COLUMNS, COLUMNS),
    "sort": case(lambda x: ops.sort(x, 0)[0], ROWS, ROWS),
    "argsort": case(ops.argsort, nothing(0, dtype=np.int32), VECTOR),
    "topk": case(lambda x: ops.topk(x, 2)[0], nothing(0, 2), ROWS),
    "searchsorted": case(ops.searchsorted, np.zeros((2, 3), np.int64), VECTOR, FULL),
    # matrices
    "inverse": case(ops.inverse, nothing(0, 2, 2), nothing(0, 2, 2)),
    "det": case(ops.det, np.float32(1), nothing(0, 0)),
    "cholesky": case(ops.cholesky, nothing(0, 0), nothing(0, 0)),
    "trace": case(ops.trace, np.float32(0), nothing(0, 0)),
    # what creates them
    "zeros": case(lambda: ops.zeros((0, 2)), nothing(0, 2)),
    "arange": case(lambda: ops.arange(3, 3), INDEX),
    "full": case(lambda: ops.full((2, 0), 7.0), COLUMNS),
    "eye": case(lambda: ops.eye(0), nothing(0, 0)),
}


def same(got, wanted, what=""):
    wanted = np.asarray(wanted)
    assert (got.shape, got.asnumpy().dtype) == (wanted.shape, wanted.dtype), what
    np.testing.assert_array_equal(got.asnumpy(), wanted, err_msg=str(what))


def test_each_operation_by_itself():
    for name, (function, args, wanted) in CASES.items():
        same(function(*map(Tensor, args)), wanted, name)


def test_in_compiled_code():
    """As arguments and results of one program."""
    inputs = [list(map(Tensor, args)) for _, args, _ in CASES.values()]
    results = ms.jit(lambda xs: [f(*x) for (f, _, _), x in zip(CASES.values(), xs, strict=True)])(
        inputs
    )
    for got, (name, (_, _, wanted)) in zip(results, CASES.items(), strict=True):
        same(got, wanted, name)


# Whose inputs are all of floats; mean and var are NaN, whose derivatives by nothing are nothing.
DIFFERENTIABLE = [
    name
    for name, (_, args, wanted) in CASES.items()
    if args and all(a.dtype.kind == "f" for a in args) and np.asarray(wanted).dtype.kind == "f"
]


def test_gradients_have_the_shape_of_the_input(mode):
    assert len(DIFFERENTIABLE) > 40
    for name in DIFFERENTIABLE:
        function, args, _ = CASES[name]
        gradients = ms.grad(lambda *xs: function(*xs).sum(), tuple(range(len(args))))(  # noqa: B023
            *map(Tensor, args)
        )
        gradients = gradients if len(args) > 1 else [gradients]
        for got, a in zip(gradients, args, strict=True):
            assert (got.shape, got.dtype) == (a.shape, ms.float32), name
            # Elements that there are have no part in what is empty, or are summed, or copied.
            copied = name in ("cat", "softmax")
            assert a.size == 0 or (got.asnumpy() == (1 if copied else 0)).all(), name


def test_second_order_and_batches():
    x, rows = Tensor(VECTOR), Tensor(ROWS)
    same(ms.hessian(lambda v: (v**3).sum())(x), nothing(0, 0))
    same(ms.jacrev(lambda v: v * v)(x), nothing(0, 0))
    same(ms.grad(lambda v: ms.grad(lambda u: (u**3).sum())(v).sum())(x), VECTOR)
    same(ms.vmap(lambda v: v.sum() + 1)(rows), VECTOR)
    same(ms.vmap(lambda v: v.sum() + 1, 1)(rows), np.ones(3, np.float32))
    same(ms.vmap(ms.grad(lambda v: (v**3).sum()))(rows), ROWS)
    value, tangent = ms.jvp(lambda v: ops.exp(v).sum(), rows, rows)
    same(value, np.float32(0))
    same(tangent, np.float32(0))


def total(x):
    out = ops.zeros((3,))
    for row in x:
        out = out + row * row
    return out


def until(x, n):
    i = 0 * n
    while i < n:
        x = x * 2 + 1
        i = i + 1
    return x


def test_control_flow(mode):
    rows = Tensor(ROWS)
    same(ms.jit(total)(rows), np.zeros(3, np.float32))
    same(ms.grad(total)(rows), ROWS)
    same(ms.jit(until)(rows, Tensor(3)), ROWS)
    same(ms.grad(until)(rows, Tensor(3)), ROWS)
    same(ms.jit(lambda x: x + 1 if x.sum() >= 0 else x - 1)(rows), ROWS)


def assign(x):
    x[0:0] = 5.0
    x[:, 1] = 2.0
    return x


def test_writes(mode):
    same(ms.jit(assign)(Tensor(ROWS)), ROWS)
    p = Parameter(Tensor(ROWS), name="p")
    ops.assign(p, p + 1)
    same(p, ROWS)


def test_layers():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.LayerNorm((4,)))
    weights = net.trainable_params()
    same(net(Tensor(ROWS)), nothing(0, 4))
    for got in ms.grad(lambda x: net(x).sum(), None, weights)(Tensor(ROWS)):
        assert not got.asnumpy().any()
    conv = nn.Conv2d(3, 4, 3)
    images = Tensor(nothing(0, 3, 8, 8))
    same(conv(images), nothing(0, 4, 8, 8))
    (got,) = ms.grad(lambda x: conv(x).sum(), None, conv.trainable_params())(images)
    assert got.shape == (4, 3, 3, 3) and not got.asnumpy().any()


REFUSED = {
    "max": lambda x: x.max(),
    "amax": lambda x: ops.amax(x, 0),
    "min": lambda x: ops.min(x, 0),
    "argmax": lambda x: ops.argmax(x, 0),
    "argmin": lambda x: ops.argmin(x, 0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_largest_of_nothing_is_an_error(name, mode):
    with pytest.raises(ValueError, match=r"tensor of shape \[0, 3\] has no elements to compare"):
        REFUSED[name](Tensor(ROWS))


def test_other_errors(mode):
    x = Tensor(ROWS)
    with pytest.raises(
        IndexError, match=r"out of bounds for dimension with size 0 \(dimension 0\)"
    ):
        x[0]
    with pytest.raises(ValueError, match="only one element"):
        bool(x)
    with pytest.raises(ValueError, match="invalid for an input"):
        x.reshape(0, 3, 2).reshape(3)


def test_elements_in_and_out(tmp_path):
    x = Tensor(COLUMNS)
    assert (x.size, x.tolist(), str(x), len(Tensor([]))) == (0, [[], []], "[]", 0)
    assert Tensor([]).dtype is ms.float32 and list(Tensor(ROWS)) == []
    same(Tensor(shape=(0, 3), dtype=ms.float32), ROWS)
    same(Tensor.from_dlpack(x), COLUMNS)
    same(Tensor.from_numpy(ROWS[::-1]), ROWS)
    assert np.from_dlpack(x).shape == (2, 0)
    for form in ("ckpt", "safetensors"):
        path = str(tmp_path / f"x.{form}")
        ms.save_checkpoint([{"name": "x", "data": x}], path, format=form)
        same(ms.load_checkpoint(path, format=form)["x"], COLUMNS)


def test_datasets():
    assert list(ds.GeneratorDataset(lambda: iter([]), ["a"])) == []
    columns = ds.NumpySlicesDataset(nothing(3, 0), shuffle=False).batch(2)
    assert [x.shape for (x,) in columns.create_tuple_iterator()] == [(2, 0), (1, 0)]


def test_prints(capfd):
    @ms.jit
    def show(x, y):
        print("x", x, "of", y, x[0], y.sum())
        return x

    same(show(Tensor(nothing(2, 0, 3)), Tensor(ROWS)), nothing(2, 0, 3))
    assert capfd.readouterr().out == "x [] of [] [] 0.0\n"


def test_exported_model(tmp_path):
    stem = str(tmp_path / "m")
    x, y = Tensor(ROWS), Tensor(COLUMNS.astype(np.uint8))

    def parts(x, y):
        return x * 2, x.sum(), y + 1, ops.matmul(ops.zeros((2, 0)), x)

    ms.export(parts, x, y, file_name=stem, file_format="SO", value_and_grad=False)
    wanted = [ROWS, np.float32(0), COLUMNS.astype(np.uint8), np.zeros((2, 3), np.float32)]
    for got, want in zip(ms.load(stem).forward(x, y), wanted, strict=True):
        same(got, want)
