"""``x[...]`` by numpy's rules: values against numpy, derivatives against differences, refusals."""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

A = np.random.default_rng(3).normal(size=(3, 4, 5))


def random_part(rng, n):
    """A slice or an int for a dimension of length n."""
    kind = rng.integers(6)
    if kind == 0:
        return slice(None)
    if kind == 1:
        return int(rng.integers(-n, n))
    lo, hi = (None if rng.integers(4) == 0 else int(rng.integers(-n - 2, n + 3)) for _ in "ab")
    return slice(lo, hi, [None, 1, 2, 3, -1, -2][rng.integers(6)])


def random_index(rng, shape, arrays):
    """An index of a shape, with up to three arrays of integers and maybe a mask."""
    parts, d = [], 0
    wide = [(), (3,), (2, 1), (1, 4), (2, 4)][rng.integers(5)]
    where = set(rng.permutation(len(shape))[: rng.integers(1, 4)]) if arrays else set()
    mask_at = -1
    if arrays and rng.integers(4) == 0 and len(wide) < 2:
        mask_at = min(where)
    stop = rng.integers(1, len(shape) + 1) if not arrays else len(shape)
    while d < stop:
        if rng.integers(8) == 0:
            parts.append(None)
        if d == mask_at:
            width = 2 if d + 1 < len(shape) and d + 1 not in where and rng.integers(2) else 1
            mask = np.zeros(shape[d : d + width], np.bool_)
            count = (wide or (1,))[0]
            if mask.size < count:
                mask_at = -1
                continue
            mask.reshape(-1)[rng.permutation(mask.size)[:count]] = True
            parts.append(mask)
            d += width
            continue
        if d in where:
            own = tuple(m if rng.integers(3) else 1 for m in wide) if wide else ()
            parts.append(rng.integers(-shape[d], shape[d], size=own))
        else:
            parts.append(random_part(rng, shape[d]))
        d += 1
    if rng.integers(3) == 0:
        keep = [k for k, p in enumerate(parts) if not (isinstance(p, slice) and p == slice(None))]
        if len(keep) == len(parts) and d == len(shape):
            parts.insert(int(rng.integers(len(parts) + 1)), Ellipsis)
    return tuple(parts)


def cases(count, arrays, seed):
    rng = np.random.default_rng(seed)
    while count:
        shape = tuple(rng.integers(1, 5, size=rng.integers(1, 5)))
        index = random_index(rng, shape, arrays)
        a = rng.normal(size=shape)
        try:
            expected = a[index]
        except IndexError:  # a mask whose count does not fit the other arrays
            continue
        count -= 1
        yield rng, a, index, expected


def tensors_in(index):
    """The index with arrays as what users write: arrays, lists and Tensors in turn."""
    out = []
    for k, p in enumerate(index):
        if isinstance(p, np.ndarray):
            p = [p, p.tolist() if p.size and p.ndim else p, Tensor(p)][k % 3]
        out.append(p)
    return tuple(out)


def test_random_basic_indices():
    for _, a, index, expected in cases(150, False, 0):
        got = Tensor(a)[index]
        np.testing.assert_array_equal(got.asnumpy(), expected, err_msg=str(index), strict=True)


def test_random_advanced_indices():
    for _, a, index, expected in cases(150, True, 1):
        got = Tensor(a)[tensors_in(index)]
        np.testing.assert_array_equal(got.asnumpy(), expected, err_msg=str(index), strict=True)


def test_random_indices_in_compiled_code():
    """Arrays of integers are arguments of the compiled code, or constants in it."""
    for _, a, index, expected in cases(80, True, 2):
        given = [Tensor(p) for p in index if isinstance(p, np.ndarray) and p.dtype.kind == "i"]

        @ms.jit
        def compiled(x, given, index=index):
            left = iter(given)
            named = tuple(
                next(left) if isinstance(p, np.ndarray) and p.dtype.kind == "i" else p
                for p in index
            )
            return x[named], x[index]

        for got in compiled(Tensor(a), given):
            np.testing.assert_array_equal(got.asnumpy(), expected, err_msg=str(index), strict=True)


def random_value(rng, shape):
    """Something that broadcasts to a shape: a tensor, its end, or a number."""
    kind = rng.integers(4)
    if kind == 0:
        return float(rng.integers(-9, 9))
    own = shape[rng.integers(len(shape) + 1) :] if kind == 1 else shape
    return rng.normal(size=tuple(n if rng.integers(4) else 1 for n in own))


@pytest.mark.parametrize(
    "arrays,compiled", [(False, False), (True, False), (False, True), (True, True)]
)
def test_random_assignments(arrays, compiled):
    for rng, a, index, expected in cases(100, arrays, 4 + compiled):
        value = random_value(rng, expected.shape)
        wanted = a.copy()
        wanted[index] = value
        given = value if isinstance(value, float) else Tensor(value)
        if compiled:

            @ms.jit
            def assign(x, v, index=index):
                x[index] = v
                return x

            got = assign(Tensor(a), given)
        else:
            got = Tensor(a)
            got[tensors_in(index)] = given
        np.testing.assert_array_equal(got.asnumpy(), wanted, err_msg=f"{index} = {value}")


INDICES = {
    "int": (1, slice(None), -1),
    "steps": (slice(None, None, 2), slice(-1, None, -2), slice(1, 4)),
    "new": (None, 2, ..., None),
    "vector": (slice(None), np.array([0, 2, 2, -1])),
    "pair": (np.array([0, 1, 1]), slice(None, None, -1), np.array([[1], [4]])),
    "mask": (slice(1, 3), A[0] > 0),
    "scalar": (np.array(1), np.array(2)),
}


@pytest.mark.parametrize("name", INDICES)
def test_derivatives(name):
    index = INDICES[name]
    check_grads(lambda x: ops.sin(x[index]) * x[index], Tensor(A), order=2)


@pytest.mark.parametrize("name", INDICES)
def test_derivatives_of_assignment(name):
    index = INDICES[name]

    def f(x, v):
        y = x * x
        y[index] = ops.sin(v)
        y[index] += x[0, 0, 0] * v
        return y

    # Values for places that are named twice: the last one counts.
    v = np.random.default_rng(5).normal(size=A[index].shape)
    check_grads(f, (Tensor(A), Tensor(v)), order=2)


def test_gradient_of_elements_named_twice_adds_up():
    x = Tensor(np.arange(4.0))
    i = Tensor([1, 1, 3])
    gradient = ms.grad(lambda x, i: (x[i] * Tensor(np.array([1.0, 10.0, 100.0]))).sum())(x, i)
    np.testing.assert_array_equal(gradient.asnumpy(), [0, 11, 0, 100])


def test_batches_of_indices():
    x, i = Tensor(A), Tensor([[0, 3], [1, 1], [2, -4]])
    np.testing.assert_array_equal(
        ms.vmap(lambda x, i: x[i])(x, i).asnumpy(), np.stack([r[k] for r, k in zip(A, i.asnumpy())])
    )
    np.testing.assert_array_equal(
        ms.vmap(lambda i: x[:, i])(i).asnumpy(), np.stack([A[:, k] for k in i.asnumpy()])
    )

    def put(x, i, v):
        y = x * 1
        y[i] = v
        return y

    wanted = A.copy()
    for k in range(3):
        wanted[k][i.asnumpy()[k]] = k
    got = ms.vmap(put)(x, i, Tensor(np.arange(3.0)))
    np.testing.assert_array_equal(got.asnumpy(), wanted)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.float16, np.float32])
@pytest.mark.parametrize("index_dtype", [np.int8, np.int32, np.int64])
def test_dtypes(dtype, index_dtype):
    a = np.arange(12).reshape(3, 4).astype(dtype)
    i = np.array([2, 0, -1], index_dtype)

    @ms.jit
    def f(x, i):
        y = x.copy()
        y[i, 1] = x[0, 0]
        return x[i], y

    wanted = a.copy()
    wanted[i, 1] = a[0, 0]
    for got, numbers in zip(f(Tensor(a), Tensor(i)), (a[i], wanted)):
        np.testing.assert_array_equal(got.asnumpy(), numbers, strict=True)


def test_values_are_converted_to_the_dtype_of_the_tensor():
    x = Tensor([1, 2, 3])
    x[0] = 2.7
    np.testing.assert_array_equal(x.asnumpy(), [2, 2, 3], strict=True)

    @ms.jit
    def f(x):
        x[1] = -7.9
        x[2] = Tensor(5.5)
        return x

    np.testing.assert_array_equal(f(x).asnumpy(), [2, -7, 5], strict=True)


# --- what assignment does to names ------------------------------------------------------------


def test_arguments_of_compiled_code_keep_their_elements():
    @ms.jit
    def f(x):
        x[0] = 5.0
        return (x * x).sum()

    def g(x):
        x[0] = 5.0
        return (x * x).sum()

    x = Tensor([1.0, 2.0, 3.0])
    assert f(x).item() == 38
    np.testing.assert_array_equal(ms.grad(g)(x).asnumpy(), [0, 4, 6])
    np.testing.assert_array_equal(x.asnumpy(), [1, 2, 3])
    assert g(x).item() == 38
    np.testing.assert_array_equal(x.asnumpy(), [5, 2, 3])


def test_names_of_one_tensor_and_copies():
    def f(x):
        y = x * 1.0
        same, part = y, y[1:]
        copies = [y.copy(), y.astype(ms.float32), ops.cast(y, ms.float32)]
        shaped = [y.reshape(3), y.view(3)]
        y[1] = 9.0
        return same, part, *shaped, *copies

    x = Tensor([1.0, 2.0, 3.0])
    for results, there in ((f(x), 9), (ms.jit(f)(x), 2)):  # views outside of compiled code
        same, part, *shaped, a, b, c = (r.asnumpy().tolist() for r in results)
        assert same == [1, 9, 3] and part == [there, 3]
        assert shaped == [[1, there, 3]] * 2
        assert [a, b, c] == [[1, 2, 3]] * 3


def test_functions_write_to_their_arguments():
    def fill(y):
        y[0] = 7.0

    @ms.jit
    def f(x):
        y = x + 0
        fill(y)
        return y

    np.testing.assert_array_equal(f(Tensor([1.0, 2.0])).asnumpy(), [7, 2])


def test_tensors_made_in_compiled_code():
    def f(x):
        out = Tensor(np.zeros(3))
        rows = [Tensor(np.zeros(2)), Tensor(np.ones(2))]
        for k in range(3):
            out[k] = x[k] * (k + 1)
        rows[1][0] = out[2]
        return out, rows[0], rows[1]

    x = Tensor(np.array([1.0, 2.0, 3.0]))
    for got, wanted in zip(ms.jit(f)(x), ([1, 4, 9], [0, 0], [9, 1])):
        np.testing.assert_array_equal(got.asnumpy(), wanted)
    gradient = ms.grad(lambda x: (f(x)[0] ** 2).sum())(x)
    np.testing.assert_array_equal(gradient.asnumpy(), [2, 16, 54])


def test_a_tensor_made_in_compiled_code_is_read_before_and_inside_transforms():
    def f(x):
        table = Tensor(np.array([1.0, 2.0]))
        before = table * x
        table[0] = x
        inner = ms.grad(lambda y: (table * y).sum())(x)
        return before, table, inner

    before, table, inner = ms.jit(f)(Tensor(np.array(3.0)))
    np.testing.assert_array_equal(before.asnumpy(), [3, 6])
    np.testing.assert_array_equal(table.asnumpy(), [3, 2])
    assert inner.item() == 5


def test_parameters():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="w")

        def construct(self, x, i):
            self.w[1] = x
            self.w[i] += 1.0
            return self.w.sum()

    net = Net()
    assert net(Tensor(5.0), Tensor([2, 2])).item() == 10
    np.testing.assert_array_equal(net.w.asnumpy(), [1, 5, 4])
    net.w[0] = 8.0
    np.testing.assert_array_equal(net.w.asnumpy(), [8, 5, 4])


def test_conversions_of_parameters_are_tensors_of_their_own():
    p = ms.Parameter(Tensor([1.0, 2.0]), name="p")

    def f(x):
        before = ops.cast(p, ms.float32)
        ops.assign(p, x)
        return before + 0

    for run in (f, ms.jit(f)):
        p.set_data(Tensor([1.0, 2.0]))
        np.testing.assert_array_equal(run(Tensor([5.0, 6.0])).asnumpy(), [1, 2])
        np.testing.assert_array_equal(p.asnumpy(), [5, 6])


def test_branches_and_loops_on_tensors():
    def fill(t, k):
        t[k] = 7.0

    def f(x, n):
        out = Tensor(np.zeros(4))
        y = x * 1
        alias, rows = y, [x + 0, x + 1]
        if x[0] > 0:
            y[1] = 10.0
            out[0] = x[0]
            fill(rows[0], 0)
        else:
            y[2] = 20.0
            fill(rows[1], -1)
        for _ in range(n):
            y[0] += x[3]
            out[3] = y[0] * y[1]
        return alias, out, *rows

    for first in (1.0, -1.0):
        a = np.array([first, 2, 3, 4])
        for n in (0, 3):
            y = np.array([first + 4 * n, 10, 3, 4] if first > 0 else [first + 4 * n, 2, 20, 4])
            out = np.array([max(first, 0), 0, 0, y[0] * y[1] if n else 0])
            rows = [a.copy(), a + 1]
            rows[0][0] = 7 if first > 0 else first
            rows[1][-1] = 5 if first > 0 else 7
            for got, wanted in zip(ms.jit(f)(Tensor(a), Tensor(n)), (y, out, *rows)):
                np.testing.assert_array_equal(got.asnumpy(), wanted)
    total = lambda x: sum((r * r * r).sum() for r in f(x, Tensor(2)))
    check_grads(total, Tensor(np.array([0.3, 0.2, 0.1, 0.4])), order=2)
    check_grads(total, Tensor(np.array([-0.3, 0.2, 0.1, 0.4])), order=2)


def test_masks_in_compiled_code():
    @ms.jit
    def f(x, row):
        y, z = x.copy(), x.copy()
        x[x > 0] = -1.0
        y[:, row > 1] *= 2
        z[row > 1, :] = row
        return x, y, z

    a, row = A[0, :, :4].copy(), np.array([0.0, 2.0, 3.0, 1.0])
    wanted = [np.where(a > 0, -1, a), a.copy(), a.copy()]
    wanted[1][:, 1:3] *= 2
    wanted[2][1:3] = row
    for got, numbers in zip(f(Tensor(a), Tensor(row)), wanted):
        np.testing.assert_array_equal(got.asnumpy(), numbers)

    def loss(x):
        y = x * x
        y[x < 0] = 3.0
        return y

    check_grads(loss, Tensor(a), order=2)


@pytest.mark.parametrize(
    "index",
    [
        ("mask 0", 0),
        ("mask 0", slice(1, 3)),
        (-1, "mask 1"),
        (slice(None), 1, "mask 2 3"),
        (slice(0, 1), "mask 1 2", slice(None, None, -2)),
        ("mask 0", slice(None), 1),
        (1, ..., "mask 3"),
        (0, "mask 1", 1),
    ],
    ids=str,
)
def test_masks_beside_numbers_and_slices(index):
    a = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
    named = next(i for i in index if isinstance(i, str))
    mask = np.random.default_rng(3).random([a.shape[int(d)] for d in named.split()[1:]]) > 0.4

    def of(m):
        return tuple(m if i is named else i for i in index)

    @ms.jit
    def f(x, m, v):
        y = x.copy()
        x[of(m)] = v
        y[of(m)] += v
        return x, y

    wanted = a.copy(), a.copy()
    wanted[0][of(mask)] = -1.0
    wanted[1][of(mask)] += -1.0
    for got, numbers in zip(f(Tensor(a), Tensor(mask), Tensor(-1.0)), wanted):
        np.testing.assert_array_equal(got.asnumpy(), numbers)
    check_grads(lambda x, v: f(x * x, Tensor(mask), v * v)[1], (Tensor(a / 50), Tensor(0.3)))


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_false_names_no_element(run):
    def f(x):
        x[False] = 1.0
        x[0, False] = 2.0
        x[np.bool_(False), 1:] = 3.0
        return x * 2

    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(run(f)(Tensor(rows)).asnumpy(), rows * 2)


# --- refusals ---------------------------------------------------------------------------------

X = Tensor(np.zeros((2, 3), np.float32))
OUTSIDE = Tensor([1.0, 2.0])


def put(x, index, value):
    x = x.copy()
    x[index] = value
    return x


REFUSED = {
    "x[2]": (IndexError, r"index 2 is out of bounds for dimension with size 2 \(dimension 0\)"),
    "x[:, -4]": (
        IndexError,
        r"index -4 is out of bounds for dimension with size 3 \(dimension 1\)",
    ),
    "x[0, 0, 0]": (IndexError, "too many indices for tensor of dimension 2"),
    "x[0][x > 0]": (ValueError, "too many indices for tensor of dimension 1"),
    "x[..., ...]": (IndexError, "single ellipsis"),
    "x[::0]": (ValueError, "step cannot be zero"),
    "x[1.0]": (IndexError, "Only support integers"),
    "x['a']": (IndexError, "Only support integers"),
    "x[[0.5]]": (IndexError, "Only support integers"),
    "x[[[0], [0, 1]]]": (IndexError, "Only support integers"),
    "x[Tensor([0.0])]": (IndexError, "Only support integers"),
    "x[1.5:]": (IndexError, "may bound a slice"),
    "x[False]": (IndexError, "only support 'True'"),
    "x[[0, 2]]": (IndexError, "index 2 is out of bounds for dimension 0"),
    "x[:, np.array([-4])]": (IndexError, "index -4 is out of bounds for dimension 1"),
    "x[[True, False, True]]": (IndexError, "shape of the dimensions it covers"),
    "x[[0, 1], [0, 1, 2]]": (IndexError, "could not be broadcast"),
    # As MindSpore's, they are a TypeError, or a ValueError, as well.
    "x[0, 0][0]": (TypeError, "too many indices for tensor of dimension 0"),
    "x[:1.5]": (TypeError, "may bound a slice"),
    "x[[[0, 1], [1, 0]], [0, 1, 2]]": (ValueError, "could not be broadcast"),
    "x[[True]]": (ValueError, "shape of the dimensions it covers"),
    "put(x, [True], 1.0)": (ValueError, "shape of the dimensions it covers"),
    "put(x, 5, 1.0)": (IndexError, "index 5 is out of bounds"),
    "put(x, [5], 1.0)": (IndexError, "index 5 is out of bounds"),
    "put(x, 0, None)": (TypeError, "can be assigned"),
    "put(x, 0, 'a')": (TypeError, "can be assigned"),
    "put(x, 0, [1.0, 2.0])": (ValueError, "broadcast"),
    "put(x, slice(0, 2), np.zeros((3, 3)))": (ValueError, "broadcast"),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("text", REFUSED)
def test_refused(text, compiled):
    kind, words = REFUSED[text]
    run = eval(f"lambda x: {text}", globals())
    with pytest.raises(kind) as caught:
        (ms.jit(run) if compiled else run)(X)
    assert re.search(words, said(caught.value))


REFUSED_IN_COMPILED_CODE = [
    (lambda x: x[x > 0], TypeError, "is not known while compiling"),
    (lambda x: put(x, x > 0, ops.ones((4,))), ValueError, "each element must get the same value"),
    (lambda x: put(x, (x[:, 0] > 0, None), 1.0), TypeError, "alone or beside slices and numbers"),
    (lambda x: put(x[None], (0, slice(None), x[0] > 0), OUTSIDE), TypeError, "next to it only"),
    (lambda x: put(x, (x[:, 0] > 0, x[0] > 0), 1.0), TypeError, "Two masks"),
    (lambda x: x[: x.sum().astype(ms.int32)], TypeError, "a slice needs the elements"),
    (lambda x: OUTSIDE.__setitem__(0, x.sum()), TypeError, "from around the compiled code"),
]


@pytest.mark.parametrize("call,kind,words", REFUSED_IN_COMPILED_CODE)
def test_refused_in_compiled_code(call, kind, words):
    with pytest.raises(kind) as caught:
        ms.jit(call)(X)
    assert re.search(words, said(caught.value))
    assert "test_indexing.py" in str(caught.value)


def test_assignment_across_a_transform():
    def f(x):
        y = x * 2

        def inner(z):
            y[0] = z[0]
            return (y * z).sum()

        return ms.grad(inner)(x)

    with pytest.raises(TypeError, match="inside 'inner', which is transformed"):
        ms.jit(f)(OUTSIDE)


def test_elements_assigned_in_compiled_code_are_not_known():
    kept = []

    @ms.jit
    def f(x):
        out = Tensor([0.0, 0.0])
        out[0] = x
        kept.append(out)
        return int(out)

    with pytest.raises(TypeError, match="assigned to"):
        f(Tensor(1.0))
    assert kept == []  # nothing is left of a call that failed
