"""`cellgrad.numpy` beside ``mindspore.numpy``: values, dtypes, errors and gradients.

The calls are in goldens/numpy_cases.py; goldens/record_numpy.py has recorded what MindSpore gives. Where that is plainly
wrong, or nothing, numpy says what is right.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
import cellgrad.numpy as mnp
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import numpy_cases  # noqa: E402
import numpy_values  # noqa: E402

RECORDED = json.loads((GOLDENS / "numpy.json").read_text())
NAMES = numpy_values.names(ms, mnp)

# What MindSpore refuses for reasons of its own, mostly for lack of a kernel.
WIDER = r"mnp\.(exp|logaddexp|isclose|divmod|count_nonzero|vstack)\("
REFUSED_THERE = ("no kernel", "AttributeError", "RuntimeError")
# Float64 stays float64, where MindSpore computes in float32 and returns that.
DOUBLE = r"mnp\.(ceil|fix|trunc|nanstd|nanvar|cov|corrcoef|divide|true_divide|float_power)\(f64"
# Wrong there: NaN that is lost, means of integers and bools that are rounded, 2 ** -3 as 0.
AS_NUMPY = (
    r"mnp\.(nanmean|nanstd|nanvar|mod|remainder)\(b\(|mnp\.(std|var)\(i32.*keepdims=True"
    r"|mnp\.(ptp|amax|amin|max|min)\(f32\(\[\[1.0, nan|mnp\.mean\(i32.*dtype=ms.float32|mnp\.logaddexp2\(f32.*i32\("
    r"|mnp\.cbrt\(b"
)
# Decided otherwise: see docs/differences.md.
OURS = {
    "mnp.argmin(2.5)": {"dtype": "int32", "shape": [], "values": [0]},
    "mnp.nanmean(f32([[0.5, -1.5, 2.0], [0.25, 0.0, -3.0]]), axis=0, dtype=ms.float16)": {
        "dtype": "float16",
        "shape": [3],
        "values": [0.375, -0.75, -0.5],
    },
    "mnp.squeeze(f32([[[1.0], [2.0]]]), axis=1)": {"error": "ValueError"},
    # The squares of the singular values add up to 30, and their product is 10: (s + t)^2 = 50.
    'mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), ord="nuc")': {
        "dtype": "float32",
        "shape": [],
        "values": 50**0.5,
    },
    "mnp.argwhere(2.5)": {"dtype": "int64", "shape": [1, 0], "values": []},
}
BOOLS = r"mnp\.(mean|std|var|average|floor_divide|divmod|fmod|reciprocal)\(b"
# Gradients that MindSpore loses (an array in a list, strides below 0) or divides by 0 for.
GRADIENTS = {
    'ms.grad(lambda x: weighted(mnp.pad(x, (2, 1), mode="reflect")))(f32([3.0, 2.0, 1.0]))': [
        3,
        12,
        6,
    ],
    "ms.grad(lambda x: weighted(mnp.select([x > 1, x > 2], [x, x * x])))(f32([3.0, 1.5, 0.5]))": [
        1,
        2,
        0,
    ],
    "ms.grad(lambda x: weighted(mnp.interp(x, [1, 2, 3], [3, 2, 0])))(f32([0.5, 1.2, 2.5]))": [
        0,
        -2,
        -6,
    ],
    "ms.grad(lambda x: weighted(mnp.interp(f32([0.5, 1.2, 2.5]), f32([1.0, 2.0, 3.0]), x)))"
    "(f32([3.0, 2.0, 0.0]))": [2.6, 1.9, 1.5],
}


def same(ours, wanted, rtol):
    if (
        isinstance(ours, dict)
        and isinstance(wanted, dict)
        and "values" in ours.keys() & wanted.keys()
    ):
        return (
            ours["dtype"] == wanted["dtype"]
            and ours["shape"] == wanted["shape"]
            and np.allclose(
                np.array(ours["values"], float),
                np.array(wanted["values"], float),
                rtol,
                rtol,
                equal_nan=True,
            )
        )
    if isinstance(ours, list) and isinstance(wanted, list):
        return len(ours) == len(wanted) and all(map(same, ours, wanted, [rtol] * len(ours)))
    if isinstance(ours, float) and isinstance(wanted, float):
        return np.isclose(ours, wanted, equal_nan=True)
    return ours == wanted


def by_numpy(text):
    """What numpy gives for a call."""
    kinds = {
        "f32": "f4",
        "f64": "f8",
        "i32": "i4",
        "i64": "i8",
        "b": "?",
        "nan": np.nan,
        "inf": np.inf,
    }
    made = {
        n: (lambda v, k=k: np.array(v, k)) if isinstance(k, str) else k for n, k in kinds.items()
    }
    text = text.replace("mnp.fix", "mnp.trunc").replace("ms.float32", "'f4'")
    if "(b(" in text and "mod" not in text and "remainder" not in text:
        text = text.replace("b([", "f32([")
    return np.asarray(eval(text, {"mnp": np, **made}))


def wrong(text):
    """Whether a call gives something else than it should."""
    wanted, ours = RECORDED[text], numpy_values.outcome(text, NAMES)
    if text in OURS:
        return not same(ours, OURS[text], 1e-6)
    if text in GRADIENTS:
        return "values" not in ours or not np.allclose(ours["values"], GRADIENTS[text], 1e-5)
    if text == "mnp.numeric_types":
        return not set(ours) <= set(wanted)
    if re.match(DOUBLE, text) or re.match(AS_NUMPY, text):
        right = by_numpy(text)
        if re.match(DOUBLE, text) and ours["dtype"] != "float64":
            return True
        values = np.array(ours["values"], float)
        return not np.allclose(values, right.astype(float).reshape(-1), 1e-6, 1e-6, equal_nan=True)
    refused = isinstance(wanted, dict) and wanted.get("error")
    if refused in REFUSED_THERE or (refused and re.match(WIDER, text)):
        return False
    if re.match(BOOLS, text):
        return "error" in ours and ours["error"] != "TypeError"
    half = "f16" in text or "float16" in json.dumps(wanted)
    return not same(ours, wanted, 2e-3 if half else 2e-5)


LETTERS = sorted({re.match(r"mnp\.(\w)", t)[1] for t in numpy_cases.CASES})
# Calls of many kinds are made from patterns: every fifth of them, and all in the long checks.
LEFT_OUT = set(numpy_cases.GENERATED) - set(numpy_cases.GENERATED[::5])


@pytest.mark.parametrize("letter", LETTERS)
def test_calls(letter):
    """All functions whose names begin with a letter."""
    texts = [t for t in numpy_cases.CASES if t.startswith(f"mnp.{letter}") and t not in LEFT_OUT]
    assert [t for t in texts if wrong(t)] == []


@pytest.mark.sweep
@pytest.mark.parametrize("letter", LETTERS)
def test_all_calls(letter):
    texts = [t for t in sorted(LEFT_OUT) if t.startswith(f"mnp.{letter}")]
    assert [t for t in texts if wrong(t)] == []


def test_gradients():
    assert [t for t in numpy_cases.GRADIENTS if wrong(t)] == []


def test_the_comparison_notices():
    one = {"dtype": "float32", "shape": [1], "values": [1.0]}
    assert same(one, {**one, "values": [1.0 + 1e-6]}, 2e-5)
    assert not same(one, {**one, "values": [1.1]}, 2e-5)
    assert not same(one, {**one, "dtype": "float64"}, 2e-5)
    assert not same(one, {"error": "TypeError"}, 2e-5)
    assert not same([one], [one, one], 2e-5)


def test_every_function_has_a_case():
    called = set(re.findall(r"mnp\.(\w+)", " ".join(numpy_cases.CASES)))
    assert {n for n in mnp.__all__ if callable(getattr(mnp, n))} - called == {"copy"}
    assert mnp.copy(ms.Tensor([1.0])).asnumpy() == [1.0]


X = np.array([[0.5, -1.25, 2.0], [0.75, 1.5, -0.3]])
SMOOTH = {
    "cumprod": lambda x: mnp.cumprod(x, 1),
    "std": lambda x: mnp.std(x, axis=1),
    "nanvar": lambda x: mnp.nanvar(x, axis=0, ddof=1),
    "cov": mnp.cov,
    "corrcoef": mnp.corrcoef,
    "trapz": lambda x: mnp.trapz(x * x, x),
    "polyval": lambda x: mnp.polyval(x[0], x[1]),
    "convolve": lambda x: mnp.convolve(x[0], x[1]),
    "cross": lambda x: mnp.cross(x[0], x[1]),
    "linspace": lambda x: mnp.linspace(x[0], x[1] ** 2, 3),
    "interp": lambda x: mnp.interp(x, [-2, -1, 1, 3], x[1, 0] * mnp.arange(4)),
    "multi_dot": lambda x: mnp.multi_dot([x, x.T, x]),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_second_derivatives(name):
    check_grads(SMOOTH[name], (ms.Tensor(X),), order=2)


def test_deviation_of_equal_elements_has_derivative_zero():
    """As that of `ops.std`."""
    for f, x in ((mnp.std, [2.0, 2.0]), (mnp.nanstd, [2.0, np.nan, 2.0])):
        assert f(ms.Tensor(x)).item() == 0
        np.testing.assert_array_equal(ms.grad(f)(ms.Tensor(x)).asnumpy(), 0)


def test_in_compiled_code_and_mapped():
    def f(x):
        low, high = mnp.amin(x), mnp.amax(x)
        scaled = (x - low) / (high - low)
        if mnp.mean(scaled) > 0.5:
            scaled = 1 - scaled
        return mnp.concatenate((mnp.diff(scaled), mnp.pad(scaled, 1, mode="reflect")))

    x = ms.Tensor(np.array([[0.5, 1.0, 4.0], [2.0, 9.0, 8.0]], np.float32))
    rows = [f(x[0]), f(x[1])]
    np.testing.assert_allclose(ms.jit(f)(x[0]).asnumpy(), rows[0].asnumpy(), 1e-6)
    np.testing.assert_allclose(ms.vmap(f)(x).asnumpy(), [r.asnumpy() for r in rows], 1e-6)


def test_a_number_beside_float64_keeps_its_digits():
    assert mnp.add(ms.Tensor(np.array([1.0])), 0.1).asnumpy()[0] == 1.1
    assert mnp.divide(1.0, ms.Tensor(np.array([3.0]))).asnumpy()[0] == 1 / 3


def test_spaces_of_round_numbers_are_exact():
    ends = ms.Tensor([-1.0, 9.0], ms.float32)
    for out in (mnp.linspace(-1, 9, 11), ms.ops.linspace(ends[0], ends[1], 11)):
        assert out.asnumpy().tolist() == list(range(-1, 10))
    half = ms.ops.linspace(ms.Tensor(0.0, ms.float16), ms.Tensor(4096.0, ms.float16), 4097)
    assert half.asnumpy()[-3:].tolist() == [4094, 4096, 4096]  # 4095 has 12 digits


def test_float64_is_counted_and_weighed_in_float64():
    x = np.random.default_rng(0).normal(size=20)
    count, edges = mnp.histogram(ms.Tensor(x), 4)
    np.testing.assert_array_equal(count.asnumpy(), np.histogram(x, 4)[0])
    np.testing.assert_allclose(edges.asnumpy(), np.histogram(x, 4)[1], 1e-15)
    count = mnp.histogram2d(ms.Tensor(x), ms.Tensor(x * x), 3)[0].asnumpy()
    np.testing.assert_array_equal(count, np.histogram2d(x, x * x, 3)[0])
    assert mnp.trapz(ms.Tensor([1.0, 1.0], ms.float64), dx=0.3).asnumpy() == 0.3


def test_remainders_of_large_integers_are_exact():
    x = ms.Tensor(np.array([2**31 - 1], np.int32))
    assert mnp.remainder(x, 10).asnumpy() == 7 and mnp.gcd(x, x).asnumpy() == 2**31 - 1


ERRORS = [
    (lambda: mnp.sin([1.0]), TypeError, "must be a Tensor, but got list"),
    (lambda: mnp.array("text"), TypeError, "'obj' must be|'a' must be a Tensor, number, list"),
    (lambda: mnp.array([[1], [1, 2]]), ValueError, "must have one length"),
    (lambda: mnp.zeros((2,), "float99"), TypeError, "'dtype' must be a dtype"),
    (lambda: mnp.sum(ms.Tensor([1.0]), axis=3), ValueError, "'axis'"),
    (lambda: mnp.flip(ms.Tensor([[1.0]]), (0, 0)), ValueError, "names a dimension twice"),
    (lambda: mnp.add(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.0, 3.0])), ValueError, "shape"),
    (lambda: mnp.where(True, [1, 2], [1, 2, 3]), ValueError, "do not broadcast"),
    (lambda: mnp.pad([1, 2], ((1, 1), (1, 1))), ValueError, "'pad_width' must be a number, a pair"),
    (
        lambda: mnp.pad([1, 2], 1, "median"),
        NotImplementedError,
        "the mode 'median' is not implemented",
    ),
    (
        lambda: mnp.split(ms.Tensor([1, 2, 3]), 2),
        ValueError,
        "3 elements cannot be split into 2 parts",
    ),
    (lambda: mnp.arange(3, 0), ValueError, "there is no number from 3 to 0"),
    (lambda: mnp.randint(5, 5), ValueError, "no integer from 5 to before 5"),
    (lambda: mnp.mgrid[:3], TypeError, "slices of ints"),
    (lambda: mnp.no_such_function, AttributeError, "hint: "),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=range(len(ERRORS)))
def test_errors(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_under_the_name_mindspore(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(
        "import mindspore.numpy as np\nfrom mindspore import numpy as mnp, Tensor\n"
        "from mindspore.numpy import array, mean\nassert np is mnp\n"
        "print(mean(array([1.0, 3.0])), np.sin(Tensor(0.0)), np.pi)"
    )
    command = [sys.executable, "-m", "cellgrad", "run", str(path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout == "2.0 0.0 3.141592653589793\n", result.stderr


# --- complex numbers ----------------------------------------------------------------------------

Z = np.array([[0.5 + 1j, -0.3 + 0.2j], [1.5 - 0.7j, 0.1 + 0.4j]], np.complex64)
OF_COMPLEX = ["var", "std", "abs", "square", "negative", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "reciprocal", "exp2", "isnan", "isfinite", "sum", "cumsum", "nansum", "transpose", "diff", "gradient", "norm"]  # fmt: skip
REFUSED = ["mean", "sign", "nanmean", "nanvar", "nanstd", "cov", "corrcoef", "floor", "ceil", "trunc", "rint", "deg2rad", "nanmax", "amax", "argwhere", "histogram_bin_edges"]  # fmt: skip


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_of_complex_numbers(name):
    """No function takes the real parts alone."""
    wanted = (np.linalg.norm if name == "norm" else getattr(np, name))(Z)
    got = getattr(mnp, name)(ms.Tensor(Z))
    for one, right in zip(
        *(x if isinstance(x, list | tuple) else [x] for x in (got, wanted)), strict=True
    ):
        np.testing.assert_allclose(one.asnumpy(), right, rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "true_divide",
        "power",
        "float_power",
        "matmul",
        "dot",
        "inner",
        "outer",
        "kron",
    ],
)
def test_of_two_complex_arrays(name):
    got = getattr(mnp, name)(ms.Tensor(Z), ms.Tensor(Z[::-1].copy()))
    np.testing.assert_allclose(got.asnumpy(), getattr(np, name)(Z, Z[::-1]), rtol=1e-5, atol=1e-6)


def test_complex_numbers_with_real_ones():
    z, v = ms.Tensor(Z), ms.Tensor(Z[0])
    np.testing.assert_allclose(mnp.divide(z, 2).asnumpy(), Z / 2)
    np.testing.assert_allclose(mnp.polyval(v, 0.5).asnumpy(), np.polyval(Z[0], 0.5), rtol=1e-6)
    np.testing.assert_allclose(mnp.convolve(v, v).asnumpy(), np.convolve(Z[0], Z[0]), rtol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_complex_numbers_are_refused(name):
    with pytest.raises(TypeError, match=r"(?s)Complex64.*ops\.real"):
        getattr(mnp, name)(ms.Tensor(Z))


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace", "gcd", "lcm", "correlate"])
def test_two_complex_arguments_are_refused(name):
    with pytest.raises(TypeError, match=r"(?s)Complex64.*ops\.real"):
        getattr(mnp, name)(ms.Tensor(Z[0]), ms.Tensor(Z[1]))


def test_asarray_gives_a_tensor_of_the_dtype_itself():
    x = mnp.array([1, 2])
    assert mnp.asarray(x) is x and mnp.asarray(x, ms.int32) is x and mnp.asarray(x, "int32") is x
    assert mnp.array(x, ms.int32) is not x and mnp.array(x, ms.int32, copy=False) is x
    assert mnp.asarray(x, ms.float32).dtype == ms.float32


@pytest.mark.parametrize("signed", ["int8", "int32", "int64", "uint8", "uint32", "bool"])
@pytest.mark.parametrize("unsigned", ["uint8", "uint16", "uint32", "uint64"])
def test_the_dtype_of_unsigned_integers_and_others(unsigned, signed):
    expected = np.promote_types(unsigned, signed)
    assert mnp.promote_types(unsigned, signed) == getattr(
        ms, expected.name.replace("bool", "bool_")
    )
    assert mnp.result_type(signed, unsigned) == mnp.promote_types(unsigned, signed)
    assert (
        mnp.promote_types(unsigned, "float16") == ms.float16
    )  # as MindSpore, which prefers short ones
