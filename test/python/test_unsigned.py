"""Unsigned integers, compared with numpy at the ends of their ranges."""

import operator
import pickle

import numpy as np
import pytest

import cellgrad as ms
import cellgrad.numpy as mnp
from cellgrad import Parameter, Tensor, nn, ops

BITS = (8, 16, 32, 64)
NAMES = tuple(f"uint{bits}" for bits in BITS)
MANY = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def edges(bits):
    top = 1 << bits
    values = [0, 1, 2, 3, 7, 100, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1]
    return np.array(values, f"uint{bits}")


def of(name):
    return getattr(ms, "bool_" if name == "bool" else name)


def same(got, wanted, what=""):
    wanted = np.asarray(wanted)
    assert got.asnumpy().dtype == wanted.dtype, (what, got.dtype, wanted.dtype)
    np.testing.assert_array_equal(got.asnumpy(), wanted, err_msg=str(what))


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floor_div": np.floor_divide,
    "floor_mod": np.mod,
    "truncate_mod": np.fmod,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
}


def all_binary(x, y):
    return tuple(getattr(ops, name)(x, y) for name in BINARY)


@pytest.mark.parametrize("bits", BITS)
@np.errstate(all="ignore")
def test_every_pair_of_edges(bits):
    v = edges(bits)
    a, b = (m.reshape(-1) for m in np.meshgrid(v, v))
    wanted = [f(a, b) for f in BINARY.values()]
    for got, want, name in zip(
        ms.jit(all_binary)(Tensor(a), Tensor(b)), wanted, BINARY, strict=True
    ):
        same(got, want, name)
    # The same as constants, which the compiler computes, element by element and as a splat.
    for left, right in ((v, v[::-1].copy()), (v[-1:].repeat(3), v[7:8].repeat(3))):
        folded = ms.jit(lambda: all_binary(Tensor(left), Tensor(right)))()  # noqa: B023
        for got, name in zip(folded, BINARY, strict=True):
            same(got, BINARY[name](left, right), name)


def test_operations_by_themselves(mode):
    v = edges(8)
    a, b = (m.reshape(-1) for m in np.meshgrid(v, v))
    with np.errstate(all="ignore"):
        for name, function in BINARY.items():
            same(getattr(ops, name)(Tensor(a), Tensor(b)), function(a, b), name)


@pytest.mark.parametrize("bits", BITS)
def test_functions_of_one_tensor(bits):
    v = edges(bits)
    x = Tensor(v)
    p = np.random.default_rng(bits).permutation(v)
    total = np.int64 if bits == 8 else v.dtype  # as in MindSpore 2.10
    cases = {
        "neg": (ops.neg, -p),
        "abs": (ops.abs, p),
        "sign": (ops.sign, np.sign(p)),
        "square": (ops.square, p * p),
        "relu": (ops.relu, p),
        "floor": (ops.floor, p),
        "round": (ops.round, p),
        "logical_not": (ops.logical_not, p == 0),
        "sum": (ops.sum, p.sum(dtype=total)),
        "reduce_sum": (ops.reduce_sum, p.sum(dtype=v.dtype)),
        "prod": (lambda t: ops.prod(t[:4]), p[:4].astype(total).prod(dtype=total)),
        "amax": (ops.amax, p.max()),
        "amin": (lambda t: ops.amin(ops.maximum(t, t[:1])), np.maximum(p, p[:1]).min()),
        "columns": (lambda t: ops.amax(t[:10].reshape(2, 5), 0), p[:10].reshape(2, 5).max(0)),
        "rows": (lambda t: ops.amin(t[:10].reshape(2, 5), 1), p[:10].reshape(2, 5).min(1)),
        "argmax": (ops.argmax, np.array(p.argmax())),
        "argmin": (ops.argmin, np.array(p.argmin(), np.int32)),
        "sort": (lambda t: ops.sort(t)[0], np.sort(p)),
        "descending": (lambda t: ops.sort(t, descending=True)[0], np.sort(p)[::-1]),
        "argsort": (ops.argsort, p.argsort(kind="stable").astype(np.int32)),
        "topk": (lambda t: ops.topk(t, 3)[0], np.sort(p)[:-4:-1]),
        "cumsum": (lambda t: ops.cumsum(t, 0), p.cumsum(dtype=v.dtype)),
        "cummax": (lambda t: ops.cummax(t, 0)[0], np.maximum.accumulate(p)),
        "cummin": (lambda t: ops.cummin(t, 0)[0], np.minimum.accumulate(p)),
        "clamp": (lambda t: ops.clamp(t, x[2], x[7]), np.clip(p, v[2], v[7])),
        "where": (lambda t: ops.where(t > x[6], t, x[9]), np.where(p > v[6], p, v[9])),
        "matmul": (
            lambda t: ops.matmul(t[:10].reshape(2, 5), t[1:].reshape(5, 2)),
            p[:10].reshape(2, 5) @ p[1:].reshape(5, 2),
        ),
        "pad": (lambda t: ops.pad(t, (1, 2)), np.pad(p, (1, 2))),
        "flip": (lambda t: ops.flip(t, (0,)), p[::-1]),
        "cat": (lambda t: ops.cat([t, x]), np.concatenate([p, v])),
        "left": (lambda t: ops.bitwise_left_shift(t, 3), p << v.dtype.type(3)),
        "right": (lambda t: ops.bitwise_right_shift(t, 3), p >> v.dtype.type(3)),
        "last bit": (lambda t: ops.bitwise_right_shift(t, bits - 1), p >> v.dtype.type(bits - 1)),
        "all bits": (lambda t: ops.bitwise_right_shift(t, bits), 0 * p),
        "number": (lambda t: 3 - t * 2 + 1, (4 - p * v.dtype.type(2)).astype(v.dtype)),
        "to index": (lambda t: x[ops.clamp(t, 0, 10)], v[np.clip(p, 0, 10)]),
        "segments": (
            lambda t: ops.unsorted_segment_max(t, Tensor([0] * 6 + [1] * 5, ms.int32), 2),
            np.array([p[:6].max(), p[6:].max()]),
        ),
        "scatter": (
            lambda t: ops.tensor_scatter_elements(t, Tensor([0, 1]), x[9:], reduction="add"),
            np.concatenate([p[:2] + v[9:], p[2:]]),
        ),
        "count": (lambda t: ops.arange(200).astype(t.dtype), np.arange(200).astype(v.dtype)),
        "full": (lambda t: ops.full((2,), int(v[-1]), dtype=t.dtype), v[[-1, -1]]),
        "division": (lambda t: t / x[3], p.astype(np.float32) / np.float32(3)),
        "fifth power": (lambda t: t**5, p * p * p * p * p),
        "grad": (ms.grad(lambda t: (t * t * 3).sum()), p * v.dtype.type(6)),
        "grad of max": (ms.grad(lambda t: t.max()), (p == p.max()).astype(v.dtype)),
        "vmap": (ms.vmap(lambda t: ops.maximum(t, x[7])), np.maximum(p, v[7])),
    }
    got = ms.jit(lambda t: tuple(f(t) for f, _ in cases.values()))(Tensor(p))
    with np.errstate(all="ignore"):
        for (name, (_, want)), value in zip(cases.items(), got, strict=True):
            same(value, want, name)


@pytest.mark.parametrize("bits", BITS)
def test_casts(bits):
    v, kind = edges(bits), of(f"uint{bits}")
    floats = ("float16", "float32", "float64")
    to = ms.jit(lambda x: tuple(x.astype(of(t)) for t in (*MANY, *floats)))(Tensor(v))
    with np.errstate(over="ignore"):
        for got, t in zip(to, (*MANY, *floats), strict=True):
            same(got, v.astype(t), t)
    # Rounded once: between two float32 and at the tie that goes to the even one.
    ties = np.array([0xFFFFFF7F, 0xFFFFFF80, 0x8000007F, 0x80000080, 0x80000081], np.uint32)
    if bits >= 32:
        wide = ties.astype(v.dtype) << v.dtype.type(bits - 32) | v.dtype.type(bits == 64)
        same(Tensor(wide).astype(ms.float32), wide.astype(np.float32))
    for t in MANY:
        ends = [0, 1] if t == "bool" else [np.iinfo(t).min, np.iinfo(t).max, 0, 1]
        source = np.array(ends, t)
        same(Tensor(source).astype(kind), source.astype(v.dtype), t)
    # Truncated towards zero, saturated, 0 for NaN: as casts to signed integers.
    top = 2**bits - 1
    exact = {2.0**bits: top, 2.0 ** (bits - 1): 2 ** (bits - 1), -1.0: 0, -0.5: 0, 0.9: 0, 7.9: 7}
    exact |= {np.nan: 0, np.inf: top, -np.inf: 0, 2.0 ** (bits - 1) * 1.5: 3 << (bits - 2)}
    for t in ("float32", "float64", "bfloat16"):
        x = Tensor(np.array(list(exact)), of(t))
        if t == "bfloat16":
            same(x[:6].astype(kind), np.array([*list(exact.values())[:4], 0, 7], v.dtype), t)
            continue
        same(x.astype(kind), np.array(list(exact.values()), v.dtype), t)
    infinite = Tensor(np.array([np.inf, 60000.0, -2.0]), ms.float16)
    same(infinite.astype(kind), np.array([top, min(top, 60000), 0], v.dtype))


# MindSpore 2.10, PyNative: int8 with uint8 is int16, uint16 to uint64 go with bools alone.
@pytest.mark.parametrize("bits", BITS)
def test_promotion(bits, mode):
    x = Tensor(np.array([200, 3], f"uint{bits}"))
    assert (x + Tensor([True, False])).dtype is x.dtype
    assert (x + x).dtype is (x * 2).dtype is (5 - x).dtype is x.dtype
    if bits == 8:
        assert (x + Tensor([1, -1], ms.int8)).dtype is ms.int16
        same(x + Tensor([1, -1], ms.int32), np.array([201, 2], np.int32))
        same(x * Tensor([0.5, 1.0]), np.array([100.0, 3.0], np.float32))
        same(x + 300, np.array([244, 47], np.uint8))
        return
    for other in (ms.int64, ms.uint8, ms.float32):
        for pair in ((x, Tensor([1, 2], other)), (Tensor([1, 2], other), x)):
            with pytest.raises(TypeError, match="is not supported"):
                ops.add(*pair)


@pytest.mark.parametrize("name", ["int8", "int32", "uint8", "uint64"])
def test_integer_powers_wrap(name):
    """As products do, and as in MindSpore 2.10, which gives 64 for the int8 120 ** 2."""
    info, bits = np.iinfo(name), np.dtype(name).itemsize * 8
    rng = np.random.default_rng(bits)
    x = np.array([120, 3, 7, 0, 0, 10, info.max, info.min, *rng.integers(0, 100, 20)], name)
    y = np.array([2, 3, 2, 0, 5, 21, info.max, 3, *rng.integers(0, 100, 20)], name)
    wanted = np.array([pow(int(a), int(b), 1 << bits) for a, b in zip(x, y, strict=True)], object)
    wanted = wanted.astype(f"uint{bits}").astype(name)
    same(Tensor(x) ** Tensor(y), wanted)
    same(Tensor(x) ** 21, np.array([pow(int(a), 21, 1 << bits) for a in x], "uint64").astype(name))
    if info.min:  # truncated towards zero
        negative = Tensor(np.array([2, 1, -1, 5], name)) ** Tensor(np.array([-1, -3, -3, -2], name))
        same(negative, np.array([0, 1, -1, 0], name))


def doubled(x, n):
    i = ops.zeros_like(n)
    while i < n:
        x = x + x
        i = i + 1
    return x


@pytest.mark.parametrize("name", (*NAMES, "int8"))
def test_negative_numbers_do_not_wrap_in_functions_of_floats(name, mode):
    """What MindSpore gives for uint8: quotients and powers of numbers, not of 255."""
    x, wide = Tensor([3, 100], of(name)), np.array([3.0, 100.0])
    for got, wanted in (
        (x / -2, wide / -2),
        (-1 / x, -1 / wide),
        (x / [-1, 2], wide / [-1, 2]),
        (ops.div(x, -2), wide / -2),
        (ops.atan2(x, -1), np.arctan2(wide, -1)),
        (ops.copysign(x, -1), -wide),
        (ops.hypot(x, -4), np.hypot(wide, -4)),
        (ms.jit(lambda x: x / -2)(x), wide / -2),
    ):
        assert got.dtype is ms.float32
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-6)
    assert np.isnan(ops.xlogy(x, -1).asnumpy()).all()
    same(Tensor([1, 3], of(name)) ** -1, np.array([1, 0], name))


def test_sums_of_numpy():
    """The dtypes of MindSpore: sums of the widest integers do not turn negative, those of bytes do not wrap."""
    top = Tensor([[1 << 63, 5]], ms.uint64)
    same(mnp.sum(top), np.uint64((1 << 63) + 5))
    same(mnp.trace(top), np.uint64(1 << 63))
    for name, kind in (("uint8", np.int64), ("uint16", np.uint16), ("uint32", np.uint32)):
        same(mnp.sum(Tensor([3, 250], of(name))), kind(253))
    for name, kinds in (("uint8", ("int32", "uint32")), ("uint16", ("uint16", "uint32"))):
        x = Tensor([3, 250], of(name))
        same(mnp.cumsum(x), np.array([3, 253], kinds[0]))
        same(mnp.cumprod(x), np.array([3, 750], kinds[1]))


def test_loops_and_branches(mode):
    x = Tensor(np.array([250, 3, 7], np.uint8))
    same(doubled(x, Tensor(np.array(3, np.uint8))), np.array([208, 24, 56], np.uint8))
    # More trips than int8 counts.
    n = Tensor(np.array(200, np.uint8))
    same(ms.jit(lambda x, n: doubled(x * 0 + 1, n // 40))(x, n), np.array([32] * 3, np.uint8))

    @ms.jit
    def known():
        i, count = Tensor(0, ms.uint8), Tensor(0)
        while i < Tensor(250, ms.uint8):
            i, count = i + Tensor(5, ms.uint8), count + 1
        return count

    same(known(), np.array(50))

    @ms.jit
    def either(x):
        return x // 3 if x.max() > 127 else x * 2

    same(either(x), np.array([83, 1, 2], np.uint8))
    same(either(x % 8), np.array([4, 6, 14], np.uint8))


def cubed_three_times(x, n):
    i = 0 * n
    while i < n:
        x = x * x * x
        i = i + 1
    return x


def test_gradients_wrap_as_other_integers(mode):
    """27 x^26, through a loop that keeps its values."""
    v = np.array([3, 5, 2**31 + 1], np.uint32)
    got = ms.grad(ms.jit(cubed_three_times))(Tensor(v), Tensor(3))
    same(got, np.array([27 * int(n) ** 26 % 2**32 for n in v], np.uint32))
    both = ms.grad(lambda x, n: (x * n).sum(), (0, 1))
    product = both(Tensor([1.0, 2.0, 300.0]), Tensor(v % 256).astype(ms.uint8))
    same(product[0], np.array([3.0, 5.0, 1.0], np.float32))
    same(product[1], np.array([1, 2, 255], np.uint8))  # saturates, as all casts from floats


def test_an_index_that_is_too_large_is_none_that_wraps(mode):
    rows = Tensor([10, 20, 30])
    for bad in (np.array([0, 2**64 - 1], np.uint64), np.array([0, 2**32 - 1], np.uint32)):
        with pytest.raises(IndexError, match="out of bounds"):
            ms.jit(lambda x, i: x[i])(rows, Tensor(bad))
    same(ms.jit(lambda x, i: x[i])(rows, Tensor(np.array([2, 0], np.uint16))), np.array([30, 10]))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_bins(name):
    at = Tensor(np.array([1, 3, 1], name))
    same(ops.bincount(at), np.array([0, 2, 0, 1], np.float32))
    same(ops.bincount(at[:0], minlength=2), np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="of dtype int16, int32 or int64"):  # as in MindSpore
        ops.unsorted_segment_sum(Tensor([1.0, 2.0, 3.0]), at, 4)


def test_state(mode):
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = Parameter(Tensor(np.array([254], np.uint8)), name="n")

        def construct(self, x):
            self.n += 1
            return x + self.n

    net = Counter()
    x = Tensor(np.array([1, 5], np.uint8))
    same(net(x), np.array([0, 4], np.uint8))
    same(net(x), np.array([1, 5], np.uint8))
    same(net.n, np.array([0], np.uint8))


VALUES = {f"uint{bits}": edges(bits) for bits in BITS}


@pytest.mark.parametrize("name", VALUES)
def test_elements_in_and_out(name, tmp_path):
    v = VALUES[name]
    x = Tensor(v)
    assert x.dtype is of(name) and str(x.dtype) == name.replace("ui", "UI")
    assert x.tolist() == v.tolist() and x[-1].item() == int(v[-1]) == int(x[-1])
    assert str(x) == str(v)
    same(Tensor.from_dlpack(x), v)
    same(Tensor.from_dlpack(v), v)
    same(Tensor.from_numpy(v), v)
    assert np.from_dlpack(x).dtype == v.dtype
    same(pickle.loads(pickle.dumps(x)), v)
    assert (
        ms.dtype_to_nptype(x.dtype) is v.dtype.type and ms.pytype_to_dtype(v.dtype.type) is x.dtype
    )
    for form in ("ckpt", "safetensors"):
        path = str(tmp_path / f"x.{form}")
        ms.save_checkpoint([{"name": "x", "data": x}], path, format=form)
        same(ms.load_checkpoint(path, format=form)["x"], v)


def test_large_numbers_are_uint64():
    same(Tensor(2**64 - 1), np.array(2**64 - 1, np.uint64))
    same(Tensor([2**63]), np.array([2**63], np.uint64))
    same(Tensor(2**63, ms.uint64) + 2**63, np.array(0, np.uint64))
    with pytest.raises(TypeError, match="the int 18446744073709551616 does not fit uint64"):
        Tensor(2**64, ms.uint64)


def test_prints(capfd):
    arrays = [v[-3:] for v in VALUES.values()]

    @ms.jit
    def show(*xs):
        print("of", *xs)
        return xs[0]

    show(*map(Tensor, arrays))
    assert capfd.readouterr().out == " ".join(["of", *map(str, arrays)]) + "\n"


def remainders(a, b, c, d):
    return a // 3, b.max(), c > c[0], d % 1000, ops.sort(d)[0]


def test_exported_model(tmp_path):
    stem = str(tmp_path / "parts")
    arrays = list(VALUES.values())
    xs = list(map(Tensor, arrays))
    ms.export(remainders, *xs, file_name=stem, file_format="SO", value_and_grad=False)
    header = (tmp_path / "parts.h").read_text()
    for n, bits in zip("abcd", BITS, strict=True):
        assert f'const uint{bits}_t *{n}; /* input "{n}": uint{bits}[11] */' in header
    a, b, c, d = arrays
    wanted = [a // 3, b.max(), c > c[0], d % 1000, np.sort(d)]
    loaded = ms.load(stem).forward
    for got, want in zip(loaded(*xs), wanted, strict=True):
        same(got, want)
    with pytest.raises(ValueError, match=r"takes 'a' as uint8\[11\]"):
        loaded(xs[0].astype(ms.int8), *xs[1:])


DRAWN = ("add", "sub", "mul", "floor_div", "floor_mod", "maximum", "minimum", "bitwise_xor")


def drawn_program(seed):
    """A function of arrays of all unsigned types, in terms of `ops` or of numpy: random steps, each on
    values that are there.
    """
    rng = np.random.default_rng(seed)
    steps = []
    kinds = list(NAMES)
    for _ in range(30):
        what = rng.choice(["binary", "binary", "binary", "cast", "less", "order", "sum", "branch"])
        a = int(rng.integers(len(kinds)))
        alike = [i for i, kind in enumerate(kinds) if kind == kinds[a]]
        b = int(rng.choice(alike))
        name = str(rng.choice(DRAWN if what == "binary" else (*NAMES, "int8", "int64", "float32")))
        if (what == "cast" and name in NAMES) or what == "binary":
            kinds.append(name if what == "cast" else kinds[a])
            steps.append((what, name, a, b))
        elif what != "cast":
            kinds.append(kinds[a])
            steps.append((what, name, a, b))
        else:  # there and back, by another kind
            kinds.append(kinds[a])
            steps.append(("by", name if name != "float32" else "int64", a, b))

    def with_ops(*xs):
        values = list(xs)
        for what, name, a, b in steps:
            x, y = values[a], values[b]
            values.append(
                {
                    "binary": lambda: getattr(ops, name)(x, y),  # noqa: B023
                    "cast": lambda: x.astype(of(name)),  # noqa: B023
                    "by": lambda: x.astype(of(name)).astype(x.dtype),  # noqa: B023
                    "less": lambda: ops.where(x < y, x, y + y),  # noqa: B023
                    "order": lambda: ops.sort(x)[0] - ops.cummax(y, 0)[0],  # noqa: B023
                    "sum": lambda: x * ops.amin(y) + ops.cumsum(y, 0),  # noqa: B023
                    "branch": lambda: x // 3 if x[0] > y[1] else y + x,  # noqa: B023
                }[what]()
            )
        return tuple(values)

    def with_numpy(*xs):
        values = list(xs)
        for what, name, a, b in steps:
            x, y = values[a], values[b]
            kind = x.dtype.type
            values.append(
                {
                    "binary": lambda: BINARY[name](x, y),  # noqa: B023
                    "cast": lambda: x.astype(name),  # noqa: B023
                    "by": lambda: x.astype(name).astype(kind),  # noqa: B023
                    "less": lambda: np.where(x < y, x, y + y),  # noqa: B023
                    "order": lambda: np.sort(x) - np.maximum.accumulate(y),  # noqa: B023
                    "sum": lambda: x * y.min() + y.cumsum(dtype=kind),  # noqa: B023
                    "branch": lambda: x // kind(3) if x[0] > y[1] else y + x,  # noqa: B023
                }[what]()
            )
        return values

    return with_ops, with_numpy


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed):
    rng = np.random.default_rng(1000 + seed)
    arrays = [np.concatenate([rng.permutation(v), rng.permutation(v)]) for v in VALUES.values()]
    with_ops, with_numpy = drawn_program(seed)
    with np.errstate(all="ignore"):
        wanted = with_numpy(*arrays)
    for i, (got, want) in enumerate(
        zip(ms.jit(with_ops)(*map(Tensor, arrays)), wanted, strict=True)
    ):
        same(got, want, i)


def test_remainders_by_negative_numbers():
    """MindSpore's: -7 is no 249 there, as the sign is that of the dividend."""
    same(ops.fmod(Tensor([200, 3, 7], ms.uint8), -7), np.array([4, 3, 0], np.uint8))


ALL_INTEGERS = [np.dtype(kind + str(bits // 8)).name for kind in "iu" for bits in BITS]
BEYOND = [-1, 300, -300, 40000, 2**31, -(2**31) - 1, 2**32 + 3, 2**63, -(2**63) - 1, 2**64 + 3]
COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")


@pytest.mark.parametrize("name", ALL_INTEGERS)
@pytest.mark.parametrize("compiled", [False, True])
def test_numbers_beyond_a_dtype_are_compared_as_they_are(name, compiled):
    """Against Python's own comparison of ints; numbers used to wrap into the dtype of the tensor."""
    ends = np.iinfo(name)
    values = [int(ends.min), 0, 1, 100, int(ends.max)]
    x = Tensor(np.array(values, name))
    numbers = [*BEYOND, int(ends.max) + 1, int(ends.min) - 1, int(ends.max)]

    def all_of(x):
        return [
            [getattr(operator, f)(*a) for a in ((x, n), (n, x))] for n in numbers for f in COMPARED
        ]

    found = (ms.jit(all_of) if compiled else all_of)(x)
    wanted = [list(row) for row in zip(*map(all_of, values), strict=True)]
    for got, of_values in zip(found, wanted, strict=True):
        for side in (0, 1):
            same(got[side], [bool(row[side]) for row in of_values])


@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_computed_numbers_beyond_a_dtype_are_compared_as_they_are(name):
    x = Tensor(np.array([0, 3, 100], name))
    less = ms.jit(lambda x, n: (x < int(n), int(n) <= x, x != int(n)))
    for n, wanted in ((300, (True, False, True)), (-200, (False, True, True))):
        for got, truth in zip(less(x, Tensor(n)), wanted, strict=True):
            same(got, [truth] * 3)


LIMITED = {
    "maximum": (ops.maximum, max),
    "minimum": (ops.minimum, min),
    "clamp": (lambda x, n: x.clamp(min=n), max),
    "mint.clamp": (lambda x, n: ms.mint.clamp(x, max=n), min),
    "clip_by_value": (ops.clip_by_value, max),
}


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "uint32"])
@pytest.mark.parametrize("function", LIMITED)
def test_limits_beyond_a_dtype_are_its_ends(name, function):
    call, of_numbers = LIMITED[function]
    ends = np.iinfo(name)
    values = [int(ends.min), 0, 1, 100, int(ends.max)]
    for n in (*BEYOND, 2, int(ends.max)):
        wanted = np.array([of_numbers(v, n) for v in values], object).clip(
            int(ends.min), int(ends.max)
        )
        for run in (call, ms.jit(lambda x, n=n: call(x, n))):
            out = (
                run(Tensor(np.array(values, name)), n)
                if run is call
                else run(Tensor(np.array(values, name)))
            )
            same(out, wanted.astype(name), n)


def test_the_number_beyond_a_dtype_under_vmap_and_in_a_branch():
    x = Tensor(np.array([[0, 200], [3, 4]], np.uint8))
    same(ms.vmap(lambda row: row > -1)(x), np.ones((2, 2), bool))
    chosen = ms.jit(lambda x: x + 1 if (x < 300).all() else x)
    same(chosen(x), np.array([[1, 201], [4, 5]], np.uint8))
