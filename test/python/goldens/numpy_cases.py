"""Calls of ``mindspore.numpy`` that test_numpy.py compares: texts over ``mnp``, ``ms`` and tensors of each dtype.

``f32``, ``i32`` and the like make a tensor of a list.
"""

FLOATS = "[[0.5, -1.5, 2.0], [0.25, 0.0, -3.0]]"
INSIDE = "[[0.5, -0.75, 0.9], [0.25, 0.0, -0.3]]"
ABOVE = "[[1.5, 1.0, 2.0], [4.25, 10.0, 3.0]]"
INTS = "[[1, -2, 3], [4, 0, 6]]"
UNITS = "[[1, 0, -1], [0, 1, 1]]"
COUNTS = "[[1, 2, 3], [4, 5, 6]]"
BOOLS = "[[True, False, True], [False, False, True]]"

_PLAIN = [
    "absolute",
    "abs",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "floor",
    "invert",
    "bitwise_not",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "logical_not",
    "negative",
    "positive",
    "rad2deg",
    "deg2rad",
    "radians",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "square",
    "tan",
    "tanh",
    "trunc",
    "arctan",
    "arcsinh",
    "cumsum",
    "cumprod",
    "nancumsum",
    "ravel",
    "sum",
    "mean",
    "std",
    "var",
    "ptp",
    "amax",
    "amin",
    "max",
    "min",
    "argmax",
    "argmin",
    "nansum",
    "nanmax",
    "nanmin",
    "nanmean",
    "nanstd",
    "nanvar",
    "count_nonzero",
    "average",
    "sometrue",
    "any_",
    "all_",
    "size",
    "diff",
    "ediff1d",
    "fliplr",
    "flipud",
    "flip",
    "rot90",
    "transpose",
    "trace",
    "diagonal",
    "diag",
    "diagflat",
    "tril",
    "triu",
    "norm",
    "gradient",
    "argwhere",
    "unique",
    "copy",
    "around",
    "unwrap",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "ones_like",
    "zeros_like",
    "array",
    "asarray",
    "asfarray",
    "cov",
    "corrcoef",
    "isscalar",
    "squeeze",
    "concatenate",
    "stack",
    "array_str",
    "tril_indices_from",
    "triu_indices_from",
    "histogram_bin_edges",
]
_PLAIN = [name for name in _PLAIN if name not in ("any_", "all_", "copy", "around")]
_INSIDE = ["arcsin", "arccos", "arctanh"]
_ABOVE = ["arccosh", "cbrt", "log", "log10", "log1p", "log2", "reciprocal", "sqrt"]
_PAIRS = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "true_divide",
    "floor_divide",
    "mod",
    "remainder",
    "fmod",
    "divmod",
    "power",
    "float_power",
    "minimum",
    "maximum",
    "heaviside",
    "hypot",
    "arctan2",
    "logaddexp",
    "logaddexp2",
    "copysign",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_or",
    "logical_xor",
    "gcd",
    "lcm",
    "isclose",
    "array_equal",
    "array_equiv",
]
_DTYPES = ["f32", "i32", "b"]
_TRIGONOMETRIC = [
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arccosh",
    "arctanh",
]
_DOUBLE = ["ceil", "cov", "diff", "fix", "log", "mean", "norm", "nanstd", "sum"]


def _of(dtype, floats, ints=INTS):
    return {"b": BOOLS}.get(dtype, floats if dtype[0] == "f" else ints)


def _unary():
    for names, floats, ints in (
        (_PLAIN, FLOATS, INTS),
        (_INSIDE, INSIDE, UNITS),
        (_ABOVE, ABOVE, COUNTS),
    ):
        for name in names:
            more = ["f16", "i8"] if name in _TRIGONOMETRIC else ["f64"] if name in _DOUBLE else []
            for dtype in [*_DTYPES, *more]:
                yield f"mnp.{name}({dtype}({_of(dtype, floats, ints)}))"
            if floats == FLOATS:
                yield f"mnp.{name}([1, 2, 3])"
                yield f"mnp.{name}(2.5)"
            elif name in ("log", "sqrt", "arcsin"):
                yield f"mnp.{name}([1.0, 0.5])"
                yield f"mnp.{name}(1)"


_KINDS = ("f32 f32", "i32 i32", "f32 i32", "b b", "f64 f64")
_SECOND = {"f": "[[1.5], [-2.0]]", "i": "[[2], [-3]]", "b": "[[True], [False]]"}


def _pairs():
    for name in _PAIRS:
        first = ABOVE if name in ("power", "float_power", "gcd", "lcm") else FLOATS
        for pair in _KINDS:
            a, b = pair.split()
            yield f"mnp.{name}({a}({_of(a, first, COUNTS)}), {b}({_SECOND[b[0]]}))"
        yield f"mnp.{name}(f32({first}), 2)"
        yield f"mnp.{name}(i32({COUNTS}), 2.5)"
        yield f"mnp.{name}([1.5, 2.0], 2)"


_AXES = [
    "axis=0",
    "axis=1",
    "axis=-1",
    "axis=(0, 1)",
    "axis=None",
    "axis=2",
    "axis=0, keepdims=True",
    "keepdims=True",
    "axis=(1,), keepdims=True",
]
_REDUCTIONS = [
    "sum",
    "mean",
    "std",
    "var",
    "ptp",
    "amax",
    "amin",
    "max",
    "min",
    "nansum",
    "nanmax",
    "nanmin",
    "nanmean",
    "nanstd",
    "nanvar",
    "count_nonzero",
    "sometrue",
]


def _reductions():
    for name in _REDUCTIONS:
        for axis in _AXES:
            yield f"mnp.{name}(f32({FLOATS}), {axis})"
        yield f"mnp.{name}(i32({INTS}), axis=0, keepdims=True)"
        yield f"mnp.{name}(f32([[1.0, nan], [inf, 2.0]]), axis=1)"
    for name in ["sum", "mean", "nansum", "nanmax", "nanmean", "cumsum", "cumprod", "nancumsum"]:
        yield f"mnp.{name}(f32({FLOATS}), axis=0, dtype=ms.float16)"
        yield f"mnp.{name}(i32({INTS}), axis=1, dtype=ms.float32)"
    for name in ["argmax", "argmin", "cumsum", "cumprod", "nancumsum"]:
        for axis in _AXES[:6]:
            yield f"mnp.{name}(f32({FLOATS}), {axis})"
            yield f"mnp.{name}(i64({INTS}), {axis})"
    for name in ["amax", "amin", "max", "min"]:
        yield f"mnp.{name}(f32({FLOATS}), initial=1.0)"
        yield f"mnp.{name}(f32({FLOATS}), axis=1, initial=0.5, where=b({BOOLS}))"
    for name in ["std", "var", "nanstd", "nanvar"]:
        yield f"mnp.{name}(f32({FLOATS}), axis=1, ddof=1)"
    yield f"mnp.sum(f32({FLOATS}), axis=1, initial=3.0)"


_HAND = """
mnp.sin(f32([0.5, 1.0]), dtype=ms.float16)
mnp.add(f32([0.5, 1.0]), f32([1.0, 2.0]), dtype=ms.float16)
mnp.less(f32([0.5, 1.0]), f32([1.0, 2.0]), dtype=ms.float32)
mnp.add(f32([0.5, 1.0]), f32([1.0, 2.0, 3.0]))
mnp.minimum(f32([1.0, nan]), f32([nan, 2.0]))
mnp.maximum(f32([1.0, nan]), f32([0.5, 2.0]))
mnp.maximum(f32(1.0), f32(2.0))
mnp.clip(f32([-1.0, 0.5, 2.0]), 0, 1)
mnp.clip(i32([-1, 0, 2]), 0, 1)
mnp.clip(f32([-1.0, 0.5, 2.0]), None, 1.0)
mnp.clip(f32([-1.0, 0.5, 2.0]), None, None)
mnp.clip(f32([[-1.0, 0.5, 2.0]]), f32([0.0, 0.0, 1.0]), f32([[1.0], [1.5]]))
mnp.average(f32([[1.0, 2.0], [3.0, 4.0]]), axis=0)
mnp.average(f32([[1.0, 2.0], [3.0, 4.0]]), axis=0, returned=True)
mnp.average(f32([[1.0, 2.0], [3.0, 4.0]]), axis=1, weights=f32([1.0, 3.0]), returned=True)
mnp.average(f32([[1.0, 2.0], [3.0, 4.0]]), weights=f32([[1.0, 3.0], [0.0, 1.0]]))
mnp.average(f32([[1.0, 2.0], [3.0, 4.0]]), weights=f32([1.0, 3.0]))
mnp.inner(f32([1.0, 2.0]), f32([3.0, 4.0]))
mnp.inner(f32([[1.0, 2.0], [5.0, 6.0]]), f32([3.0, 4.0]))
mnp.inner(f32(2.0), f32([3.0, 4.0]))
mnp.inner(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]))
mnp.inner(i32([1, 2]), i32([3, 4]))
mnp.dot(f32([1.0, 2.0]), f32([3.0, 4.0]))
mnp.dot(f32([[1.0, 2.0], [5.0, 6.0]]), f32([3.0, 4.0]))
mnp.dot(f32([[1.0, 2.0], [5.0, 6.0]]), f32([[3.0, 4.0, 1.0], [1.0, 2.0, 0.0]]))
mnp.dot(f32([[[1.0, 2.0], [5.0, 6.0]]]), f32([[3.0, 4.0, 1.0], [1.0, 2.0, 0.0]]))
mnp.dot(f32([1.0, 2.0]), f32([[[3.0, 4.0], [1.0, 2.0]], [[1.0, 0.0], [2.0, 1.0]]]))
mnp.dot(f32(2.0), f32([3.0, 4.0]))
mnp.dot(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]))
mnp.outer(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]))
mnp.outer(f32([[1.0, 2.0]]), f32([3.0, 4.0, 5.0]))
mnp.outer(i32([1, 2]), i32([3, 4]))
mnp.tensordot(f32([[1.0, 2.0], [5.0, 6.0]]), f32([[3.0, 4.0], [1.0, 2.0]]))
mnp.tensordot(f32([[1.0, 2.0], [5.0, 6.0]]), f32([[3.0, 4.0], [1.0, 2.0]]), 1)
mnp.tensordot(f32([[1.0, 2.0], [5.0, 6.0]]), f32([[3.0, 4.0], [1.0, 2.0]]), axes=((0,), (1,)))
mnp.matmul(f32([[1.0, 2.0], [5.0, 6.0]]), f32([3.0, 4.0]))
mnp.matmul(f32([[[1.0, 2.0], [5.0, 6.0]]]), f32([[3.0, 4.0], [1.0, 2.0]]), dtype=ms.float16)
mnp.matmul(i32([[1, 2], [5, 6]]), i32([[3, 4], [1, 2]]))
mnp.kron(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]))
mnp.kron(f32([[1.0, 2.0]]), f32([[3.0], [4.0]]))
mnp.kron([1, 2], [3, 4])
mnp.cross(f32([1.0, 2.0, 3.0]), f32([4.0, 5.0, 6.0]))
mnp.cross(f32([1.0, 2.0]), f32([4.0, 5.0]))
mnp.cross(f32([1.0, 2.0, 3.0]), f32([4.0, 5.0]))
mnp.cross(f32([1.0, 2.0]), f32([4.0, 5.0, 6.0]))
mnp.cross(i32([[1, 2, 3], [4, 5, 6]]), i32([[4, 5, 6], [1, 2, 3]]))
mnp.cross(i32([[1, 2, 3], [4, 5, 6]]), i32([[4, 5, 6], [1, 2, 3]]), axisc=0)
mnp.cross(f32([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), f32([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]), axis=0)
mnp.cross(f32([1.0, 2.0, 3.0, 4.0]), f32([4.0, 5.0, 6.0]))
mnp.multi_dot((f32([[1.0, 2.0]]), f32([[3.0, 4.0], [1.0, 2.0]]), f32([[1.0], [2.0]])))
mnp.multi_dot([f32([1.0, 2.0]), f32([[3.0, 4.0], [1.0, 2.0]]), f32([1.0, 2.0])])
mnp.multi_dot([f32([1.0, 2.0])])
mnp.diff(f32([1.0, 4.0, 9.0, 16.0]), n=2)
mnp.diff(f32([[1.0, 4.0, 9.0], [0.0, 2.0, 1.0]]), axis=0)
mnp.diff(f32([1.0, 4.0, 9.0]), prepend=0)
mnp.diff(f32([1.0, 4.0, 9.0]), append=f32(3.0))
mnp.diff(f32([1.0, 4.0]), n=2)
mnp.diff(f32([1.0, 4.0]), n=-1)
mnp.ediff1d(i32([1, 4, 9]), to_begin=0, to_end=[1, 2])
mnp.trapz(f32([1.0, 2.0, 4.0]))
mnp.trapz(f32([[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]]), dx=0.5)
mnp.trapz(f32([[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]]), x=f32([0.0, 1.0, 3.0]))
mnp.trapz(f32([[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]]), axis=0)
mnp.trapz([1, 2, 3])
mnp.convolve([1, 2, 3], [0, 1, 0.5])
mnp.convolve(f32([1.0, 2.0, 3.0]), f32([0.0, 1.0]), mode="same")
mnp.convolve(f32([1.0, 2.0, 3.0]), f32([0.0, 1.0, 0.5, 2.0]), mode="valid")
mnp.convolve(i32([1, 2, 3]), i32([0, 1]), mode="full")
mnp.convolve(f32([1.0, 2.0, 3.0]), f32([0.0, 1.0]), mode="other")
mnp.correlate(f32([1.0, 2.0, 3.0]), f32([0.0, 1.0, 0.5]))
mnp.correlate(f32([1.0, 2.0, 3.0]), f32([0.0, 1.0, 0.5]), mode="same")
mnp.correlate(f32([1.0, 2.0, 3.0]), f32([0.0, 1.0]), mode="full")
mnp.correlate([1, 2, 3], [0, 1], mode="full")
mnp.cov(f32([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]))
mnp.cov(f32([[0.0, 2.0], [1.0, 1.0], [2.0, 0.5]]), rowvar=False)
mnp.cov(f32([0.0, 2.0, 5.0]), f32([1.0, 1.0, 0.0]))
mnp.cov(f32([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), bias=True)
mnp.cov(f32([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), ddof=0)
mnp.cov(f32([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), fweights=[1, 2, 1])
mnp.cov(f32([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), aweights=i32([1, 2, 1]))
mnp.corrcoef(f32([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]]))
mnp.corrcoef(f32([0.0, 2.0, 1.0]), f32([1.0, 1.0, 0.0]))
mnp.gradient(f32([[2.0, 4.0, 7.0], [1.0, 5.0, 2.0]]))
mnp.gradient(f32([[2.0, 4.0, 7.0], [1.0, 5.0, 2.0]]), axis=-1)
mnp.gradient(f32([[2.0, 4.0, 7.0], [1.0, 5.0, 2.0]]), 2.0)
mnp.gradient(f32([[2.0, 4.0, 7.0], [1.0, 5.0, 2.0]]), 2.0, 3)
mnp.gradient(i32([1, 4, 9, 16]))
mnp.gradient([1, 4, 9])
mnp.searchsorted([1, 2, 3, 4, 5], 3)
mnp.searchsorted([1, 2, 3, 4, 5], 3, side="right")
mnp.searchsorted(f32([1.0, 2.0, 4.0]), f32([[0.5, 2.0], [3.0, 9.0]]))
mnp.searchsorted(f32([4.0, 1.0, 2.0]), f32([0.5, 2.0, 9.0]), sorter=i32([1, 2, 0]))
mnp.searchsorted([1, 2, 3], 2, side="middle")
mnp.interp(f32([0.5, 1.0, 2.5, 9.0, -1.0]), f32([1.0, 2.0, 3.0]), f32([3.0, 2.0, 0.0]))
mnp.interp(2.5, [1, 2, 3], [3, 2, 0])
mnp.interp(f32([0.5, 9.0]), f32([1.0, 2.0, 3.0]), f32([3.0, 2.0, 0.0]), left=-1, right=-2.0)
mnp.interp([2.5], [1, 2, 3], [3, 2])
mnp.digitize(f32([0.2, 6.4, 3.0, 1.6]), f32([0.0, 1.0, 2.5, 4.0, 10.0]))
mnp.digitize(f32([0.2, 6.4, 3.0, 2.5]), f32([0.0, 1.0, 2.5, 4.0, 10.0]), right=True)
mnp.digitize(f32([0.2, 6.4, 3.0]), f32([10.0, 4.0, 2.5, 1.0, 0.0]))
mnp.digitize([2.3, 6.8], [1, 5, 7])
mnp.bincount(i32([0, 1, 1, 3, 2, 1, 7]))
mnp.bincount(i32([0, 1, 1, 3]), weights=f32([0.5, 1.0, 2.0, 0.25]))
mnp.bincount([0, 1, 1], minlength=5)
mnp.bincount(i32([0, 1, 1, 3]), length=3)
mnp.histogram(f32([1.0, 2.0, 1.0]), bins=[0, 1, 2, 3])
mnp.histogram(f32([1.0, 2.0, 1.0, 4.0]), bins=4)
mnp.histogram([1, 2, 1, 4], bins=3, range=(0, 6))
mnp.histogram(f32([1.0, 2.0, 1.0, 4.0]), bins=4, density=True)
mnp.histogram(f32([1.0, 2.0, 1.0]), bins=2, weights=f32([0.5, 1.0, 2.0]))
mnp.histogram2d(f32([1.0, 2.0, 1.0]), f32([0.0, 1.0, 2.0]), bins=2)
mnp.histogramdd(f32([[1.0, 2.0], [0.0, 1.0], [2.0, 3.0]]), bins=2)
mnp.histogramdd(f32([[1.0, 2.0], [0.0, 1.0], [2.0, 3.0]]), bins=(2, 3), density=True)
mnp.histogram_bin_edges(f32([0.0, 1.0, 4.0]), bins=4)
mnp.histogram_bin_edges([1, 2, 3], bins=[0, 2, 5])
mnp.histogram_bin_edges([1, 2, 3], bins="auto")
mnp.polyadd([1, 2], [9, 5, 4])
mnp.polyadd(f32([1.0, 2.0]), f32([0.5, 0.5]))
mnp.polysub([2, 10, -2], [3, 10, -4])
mnp.polysub([2, 10], [3, 10, -4])
mnp.polyval([3.0, 0.0, 1.0], 5.0)
mnp.polyval(f32([3.0, 0.0, 1.0]), f32([[1.0, 2.0], [0.5, 0.0]]))
mnp.polyder(f32([1.0, 1.0, 1.0, 1.0]))
mnp.polyder([1, 2, 3, 4], m=2)
mnp.polyder([1, 2], m=2)
mnp.polymul([3, 1, 2], [1, 0, 1])
mnp.polyint([1, 1, 1])
mnp.polyint(f32([1.0, 1.0, 1.0]), m=2, k=[3, 2])
mnp.polyint([1, 1, 1], m=2, k=1)
mnp.result_type("i2", ms.float32, "int8")
mnp.result_type(f32([1.0]), 1, True)
mnp.promote_types(ms.float32, ms.float64)
mnp.promote_types("int8", ms.float16)
mnp.promote_types("int32", "int64")
mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), axis=1)
mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), ord=1)
mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), ord=-1, axis=(0, 1))
mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), ord=inf)
mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), ord="fro", keepdims=True)
mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), ord=3, axis=0, keepdims=True)
mnp.norm(f32([[1.0, 0.0], [3.0, 4.0]]), ord=0, axis=0)
mnp.norm(f32([1.0, -2.0]), ord=inf)
mnp.norm(f32([1.0, -2.0]), ord=-inf)
mnp.norm(f32([[1.0, -2.0], [3.0, 4.0]]), ord="nuc")
mnp.norm([1, 2, 3])
mnp.unravel_index(i32([22, 41, 37]), (7, 6))
mnp.unravel_index(i32([31, 41, 13]), (7, 6), order="F")
mnp.unravel_index(5, (2, 3))
mnp.unravel_index([100, -100], (2, 3))
mnp.ravel_multi_index(i32([[3, 6, 6], [4, 5, 1]]), (7, 6))
mnp.ravel_multi_index(i32([[3, 9, 6], [4, 5, -1]]), (7, 6), mode="wrap")
mnp.ravel_multi_index(i32([[3, 6, 6], [4, 5, 1]]), (7, 6), order="F")
mnp.ravel_multi_index(i32([[3, 6, 6], [4, 5, 1]]), (7, 6), mode="raise")
mnp.unwrap(f32([0.0, 0.78539816, 1.5707963, 5.4977871, 6.2831853]))
mnp.unwrap([0.0, 3.0, 7.0], discont=1.0)
mnp.array([[1, 2], [3, 4]])
mnp.array([[1.0, 2], [3, 4]], dtype=ms.int32)
mnp.array(5, ndmin=2)
mnp.array(True)
mnp.array([True, False])
mnp.array(f32([1.0, 2.0]), dtype="float16")
mnp.array([[1, 2], [3]])
mnp.array("text")
mnp.asarray([f32([1.0, 2.0]), f32([3.0, 4.0])])
mnp.asarray([1.5, 2], dtype=ms.float16)
mnp.asarray([[1, 2], (3, 4)], dtype=int)
mnp.asarray(3.0, dtype="int8")
mnp.asfarray([1, 2])
mnp.asfarray([1, 2], dtype=ms.int32)
mnp.asfarray(f32([1.0]), dtype=ms.float16)
mnp.ones((2, 3))
mnp.ones(2, ms.int32)
mnp.ones([1, 2], "float16")
mnp.ones(2.5)
mnp.ones((2, -1))
mnp.zeros((2, 3))
mnp.zeros(2, dtype=ms.bool_)
mnp.empty((2, 2), ms.int32).shape
mnp.full((2, 2), 3)
mnp.full(2, 3.5)
mnp.full((2, 3), [1, 2, 3])
mnp.full((2, 3), f32([[1.0], [2.0]]))
mnp.full((2,), True)
mnp.full((2,), 3, dtype=ms.float16)
mnp.full_like([[1, 2], [3, 4]], 0.5)
mnp.full_like(f32([1.0, 2.0]), 7, shape=(2, 2))
mnp.ones_like([[1, 2], [3, 4]], dtype=ms.float16)
mnp.zeros_like(f32([1.0, 2.0]), shape=(3,))
mnp.empty_like(i32([1, 2])).dtype
mnp.arange(5)
mnp.arange(0, 5, 2)
mnp.arange(0.0, 1.0, 0.25)
mnp.arange(3, dtype=ms.float16)
mnp.arange(5, 0, -1)
mnp.arange(2.5)
mnp.arange(0)
mnp.arange(5, step=2)
mnp.linspace(0, 5, 6)
mnp.linspace(0, 1, 4, endpoint=False)
mnp.linspace(0.0, 1.0, 3, retstep=True)
mnp.linspace([1, 2], [3, 6], 3)
mnp.linspace(f32([1.0, 2.0]), f32([3.0, 6.0]), 3, axis=-1)
mnp.linspace(0, 5, 1)
mnp.linspace(0, 5, 3, dtype=ms.int32)
mnp.linspace(0, 5, 0)
mnp.linspace(0, 5, 2.5)
mnp.logspace(0, 2, 3)
mnp.logspace(0, 3, 4, base=2.0, endpoint=False)
mnp.logspace([0, 1], [2, 3], 3, dtype=ms.float16)
mnp.geomspace(1, 256, num=9)
mnp.geomspace(1, 8, num=3, endpoint=False)
mnp.geomspace([1, 2], [4, 32], num=3)
mnp.eye(2)
mnp.eye(2, 3, k=1)
mnp.eye(3, 2, k=-1, dtype=ms.int32)
mnp.eye(3, k=5)
mnp.eye(2.5)
mnp.identity(2, dtype=ms.int32)
mnp.tri(3)
mnp.tri(2, 4, k=1, dtype=ms.int32)
mnp.tri(3, k=-1, dtype=ms.bool_)
mnp.tril(f32([[1.0, 2.0], [3.0, 4.0]]), k=-1)
mnp.triu(i32([[1, 2], [3, 4]]), k=1)
mnp.tril([1, 2, 3])
mnp.triu(f32([[[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]]))
mnp.diagonal(f32([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]), offset=1)
mnp.diagonal(f32([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]), axis1=1, axis2=2)
mnp.trace(f32([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]))
mnp.trace(f32([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]), offset=-1, dtype=ms.float16)
mnp.diag(f32([1.0, 2.0]))
mnp.diag(f32([1.0, 2.0]), k=1)
mnp.diag(i32([[1, 2, 3], [4, 5, 6]]), k=1)
mnp.diag(i32([[1, 2, 3], [4, 5, 6]]), k=-1)
mnp.diag(f32([[[1.0]]]))
mnp.diagflat(f32([[1.0, 2.0], [3.0, 4.0]]))
mnp.diagflat(i32([1, 2]), k=-1)
mnp.diag_indices(3)
mnp.diag_indices(2, ndim=3)
mnp.ix_(i32([0, 1]), i32([2, 4]))
mnp.ix_(i32([[0, 1]]))
mnp.vander(f32([1.0, 2.0, 3.0]))
mnp.vander([1, 2, 3], N=2)
mnp.vander(f32([1.0, 2.0, 3.0]), increasing=True)
mnp.indices((2, 3))
mnp.indices((2, 3), sparse=True)
mnp.indices([2, 2], dtype=ms.float32)
mnp.bartlett(5)
mnp.bartlett(1)
mnp.blackman(5)
mnp.hamming(4)
mnp.hanning(4)
mnp.hanning(2.5)
mnp.tril_indices(3)
mnp.tril_indices(3, k=1, m=2)
mnp.triu_indices(3, k=-1)
mnp.triu_indices_from(f32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), k=1)
mnp.meshgrid(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]))
mnp.meshgrid(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]), indexing="ij")
mnp.meshgrid(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]), sparse=True)
mnp.meshgrid(f32([1.0, 2.0]), f32([3.0, 4.0, 5.0]), indexing="xz")
mnp.mgrid[0:3, 0:2]
mnp.mgrid[0:5:2]
mnp.mgrid[0:1:3j]
mnp.ogrid[0:3, 0:2]
mnp.ogrid[0:4]
mnp.pad(f32([1.0, 2.0, 3.0]), (1, 2))
mnp.pad(f32([[1.0, 2.0], [3.0, 4.0]]), ((1, 0), (0, 2)), constant_values=7)
mnp.pad([1, 2, 3], 1, constant_values=(4, 6))
mnp.pad(f32([1.0, 2.0, 3.0]), (1, 2), mode="edge")
mnp.pad(f32([1.0, 2.0, 3.0]), (4, 5), mode="reflect")
mnp.pad(f32([1.0, 2.0, 3.0]), (4, 5), mode="symmetric")
mnp.pad(f32([1.0, 2.0, 3.0]), (2, 3), mode="reflect", reflect_type="odd")
mnp.pad(f32([1.0, 2.0, 3.0]), (2, 3), mode="symmetric", reflect_type="odd")
mnp.pad(f32([1.0, 2.0, 3.0]), (4, 5), mode="wrap")
mnp.pad(f32([1.0, 2.0, 3.0]), (2, 3), mode="linear_ramp", end_values=(5.0, -4.0))
mnp.pad(f32([1.0, 2.0, 3.0]), (1, 2), mode="maximum")
mnp.pad(f32([1.0, 2.0, 3.0]), (1, 2), mode="minimum", stat_length=2)
mnp.pad(f32([[1.0, 2.0], [3.0, 5.0]]), ((1, 0), (0, 2)), mode="mean")
mnp.pad(f32([1.0, 2.0, 3.0]), (1, 2), mode="median")
mnp.pad(f32([1.0, 2.0, 3.0]), (1, 2), mode="nothing")
mnp.expand_dims(f32([1.0, 2.0]), 0)
mnp.expand_dims(f32([1.0, 2.0]), (0, 2))
mnp.expand_dims(f32([1.0, 2.0]), 3)
mnp.squeeze(f32([[[1.0], [2.0]]]))
mnp.squeeze(f32([[[1.0], [2.0]]]), axis=0)
mnp.squeeze(f32([[[1.0], [2.0]]]), axis=(0, 2))
mnp.squeeze(f32([[[1.0], [2.0]]]), axis=1)
mnp.transpose(f32([[[1.0], [2.0]]]))
mnp.transpose(f32([[[1.0], [2.0]]]), (1, 0, 2))
mnp.rollaxis(f32([[[1.0], [2.0]]]), 1, 0)
mnp.rollaxis(f32([[[1.0], [2.0]]]), 0, 3).shape
mnp.rollaxis(f32([[[1.0], [2.0]]]), 2).shape
mnp.rollaxis(f32([[[1.0], [2.0]]]), 0, 5)
mnp.swapaxes(f32([[[1.0], [2.0]]]), 0, 1)
mnp.swapaxes(f32([[[1.0], [2.0]]]), 0, 4)
mnp.moveaxis(f32([[[1.0], [2.0]]]), 0, -1)
mnp.moveaxis(f32([[[1.0], [2.0]]]), (0, 1), (-1, 0)).shape
mnp.moveaxis(f32([[[1.0], [2.0]]]), (0, 1), 0)
mnp.reshape(f32([[1.0, 2.0], [3.0, 4.0]]), (4,))
mnp.reshape(f32([[1.0, 2.0], [3.0, 4.0]]), -1)
mnp.reshape(f32([[1.0, 2.0], [3.0, 4.0]]), (3, -1))
mnp.concatenate((f32([[1.0, 2.0]]), f32([[3.0, 4.0]])))
mnp.concatenate([f32([[1.0, 2.0]]), i32([[3, 4]])], axis=1)
mnp.concatenate((f32([[1.0, 2.0]]), f32([3.0])), axis=None)
mnp.concatenate(f32([[[1.0, 2.0]], [[3.0, 4.0]]]))
mnp.concatenate(f32([[[1.0, 2.0]], [[3.0, 4.0]]]), axis=1)
mnp.concatenate((f32([[1.0, 2.0]]), f32([[3.0, 4.0]])), axis=2)
mnp.append(f32([[1.0, 2.0]]), f32([[3.0, 4.0]]))
mnp.append(f32([[1.0, 2.0]]), f32([[3.0, 4.0]]), axis=0)
mnp.append(f32([[1.0, 2.0]]), f32([3.0, 4.0]), axis=0)
mnp.column_stack((f32([1.0, 2.0]), f32([3.0, 4.0])))
mnp.column_stack((f32([1.0, 2.0]), f32([[3.0], [4.0]])))
mnp.vstack((f32([1.0, 2.0]), f32([3.0, 4.0])))
mnp.vstack((i32([1, 2]), f32([3.0, 4.0])))
mnp.hstack((f32([1.0, 2.0]), f32([3.0, 4.0])))
mnp.hstack((f32([[1.0], [2.0]]), f32([[3.0], [4.0]])))
mnp.dstack((f32([1.0, 2.0]), f32([3.0, 4.0])))
mnp.dstack([f32([[1.0], [2.0]]), f32([[3.0], [4.0]])])
mnp.vstack(())
mnp.stack((f32([1.0, 2.0]), f32([3.0, 4.0])), axis=1)
mnp.stack([f32([1.0, 2.0]), i32([3, 4])])
mnp.stack(f32([[1.0, 2.0], [3.0, 4.0]]), axis=1)
mnp.where(b([True, False]), f32([1.0, 2.0]), f32([3.0, 4.0]))
mnp.where(b([[True], [False]]), i32([1, 2]), f32([3.0, 4.0]))
mnp.where(f32([0.0, 2.0]), 1, 0)
mnp.where([True, False], [1, 2], [3.0, 4.0])
mnp.where(b([True, False]), b([False, True]), b([True, True]))
mnp.where(b([True, False]))
mnp.atleast_1d(f32(1.0), f32([[2.0]]))
mnp.atleast_2d(f32(1.0), f32([2.0, 3.0]))
mnp.atleast_3d(f32(1.0), f32([2.0, 3.0]), f32([[2.0, 3.0]]))
mnp.unique(i32([3, 1, 2, 2, 3]))
mnp.unique(f32([[3.0, 1.0], [1.0, 2.0]]))
mnp.unique(i32([3, 1, 2, 2, 3]), return_inverse=True)
mnp.roll(f32([1.0, 2.0, 3.0]), 1)
mnp.roll(f32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), -1)
mnp.roll(i32([[1, 2, 3], [4, 5, 6]]), (1, 2), axis=(0, 1))
mnp.roll(i32([[1, 2, 3], [4, 5, 6]]), 1, axis=(0, 1))
mnp.roll(i32([[1, 2, 3], [4, 5, 6]]), 1, axis=3)
mnp.tile(f32([1.0, 2.0]), 2)
mnp.tile(f32([[1.0, 2.0]]), (2, 1, 2))
mnp.tile(i32([[1, 2], [3, 4]]), (2,))
mnp.broadcast_to(f32([1.0, 2.0]), (3, 2))
mnp.broadcast_to(f32([[1.0], [2.0]]), (2, 3))
mnp.broadcast_to(f32([1.0, 2.0]), (2, 3))
mnp.broadcast_arrays(f32([[1.0], [2.0]]), f32([3.0, 4.0]))
mnp.broadcast_arrays(f32([1.0, 2.0, 3.0]), f32([3.0, 4.0]))
mnp.split(f32([1.0, 2.0, 3.0, 4.0]), 2)
mnp.split(f32([1.0, 2.0, 3.0, 4.0]), (1, 3))
mnp.split(f32([1.0, 2.0, 3.0, 4.0]), 3)
mnp.split(f32([[1.0, 2.0], [3.0, 4.0]]), 2, axis=1)
mnp.array_split(f32([1.0, 2.0, 3.0, 4.0, 5.0]), 3)
mnp.array_split(f32([1.0, 2.0, 3.0, 4.0, 5.0]), [2, -1])
mnp.hsplit(f32([[1.0, 2.0], [3.0, 4.0]]), 2)
mnp.vsplit(f32([[1.0, 2.0], [3.0, 4.0]]), 2)
mnp.dsplit(f32([[[1.0, 2.0], [3.0, 4.0]]]), 2)
mnp.split(f32([1.0, 2.0]), 5)
mnp.split(f32([1.0, 2.0]), 1.5)
mnp.flip(f32([[1.0, 2.0], [3.0, 4.0]]), axis=0)
mnp.flip(i32([[1, 2], [3, 4]]), axis=(0, 1))
mnp.flip(i32([[1, 2], [3, 4]]), axis=2)
mnp.rot90(i32([[1, 2], [3, 4]]), k=2)
mnp.rot90(i32([[1, 2], [3, 4]]), k=-1)
mnp.rot90(f32([[[1.0, 2.0], [3.0, 4.0]]]), axes=(1, 2))
mnp.rot90(i32([[1, 2], [3, 4]]), axes=(0, 0))
mnp.take(f32([4.0, 3.0, 5.0]), i32([0, 2]))
mnp.take(f32([[4.0, 3.0, 5.0], [1.0, 2.0, 6.0]]), i32([[0, 2]]), axis=1)
mnp.take(f32([4.0, 3.0, 5.0]), i32([-1, 9]))
mnp.take(f32([4.0, 3.0, 5.0]), i32([-1, 9]), mode="wrap")
mnp.take(f32([4.0, 3.0, 5.0]), i32([-1, 9]), mode="other")
mnp.take_along_axis(f32([[4.0, 3.0, 5.0], [1.0, 2.0, 6.0]]), i32([[0], [2]]), axis=1)
mnp.take_along_axis(f32([[4.0, 3.0, 5.0], [1.0, 2.0, 6.0]]), i32([0, 3]), axis=None)
mnp.take_along_axis(f32([[4.0, 3.0, 5.0], [1.0, 2.0, 6.0]]), i32([[1, 0, 1]]), axis=0)
mnp.repeat(f32([[1.0, 2.0], [3.0, 4.0]]), 2)
mnp.repeat(f32([[1.0, 2.0], [3.0, 4.0]]), 2, axis=1)
mnp.repeat(f32([[1.0, 2.0], [3.0, 4.0]]), [1, 2], axis=0)
mnp.repeat([1, 2], 3)
mnp.select([[True, False, False], [False, True, False]], [[1, 2, 3], [4, 5, 6]])
mnp.select([[True, False, False], [False, True, False]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], default=7)
mnp.choose(i32([2, 0, 1]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
mnp.choose(i32([5, 0, -1]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
mnp.choose(i32([5, 0, -1]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]], mode="wrap")
mnp.choose(i32([[1, 0], [0, 1]]), (f32([1.0, 2.0]), f32([[3.0], [4.0]])))
mnp.choose(i32([0]), [[1], [2]], mode="raise")
mnp.size(f32([[1.0, 2.0, 3.0]]), axis=1)
mnp.size([[1, 2, 3]])
mnp.array_str(f32([1.0, 2.0]))
mnp.apply_along_axis(lambda v: v.sum(), 0, f32([[1.0, 2.0], [3.0, 4.0]]))
mnp.apply_along_axis(lambda v: v * 2, 1, f32([[1.0, 2.0], [3.0, 4.0]]))
mnp.apply_along_axis(mnp.diag, -1, f32([[1.0, 2.0], [3.0, 4.0]]))
mnp.apply_over_axes(lambda v, axis: v.sum(axis), f32([[[1.0, 2.0], [3.0, 4.0]]]), (0, 1))
mnp.piecewise(f32([-1.0, 2.0]), [b([True, False]), b([False, True])], [lambda v: -v, lambda v: v * 10])
mnp.piecewise(f32([-1.0, 0.0, 2.0]), [b([True, False, False]), b([False, False, True])], [1, 2])
mnp.in1d(i32([0, 1, 2, 5]), i32([0, 2]))
mnp.in1d([0, 1, 2, 5], [0, 2], invert=True)
mnp.isin(i32([[0, 1], [2, 5]]), [0, 2])
mnp.isclose(f32([1.0, 1.00001, nan]), f32([1.0, 1.0, nan]), equal_nan=True)
mnp.isclose([1.0, 2.0], [1.0, 2.1], rtol=0.1)
mnp.array_equal(f32([1.0, nan]), f32([1.0, nan]), equal_nan=True)
mnp.array_equal([1, 2], [1, 2, 3])
mnp.array_equiv([1, 2], [[1, 2], [1, 2]])
mnp.array_equiv([1, 2], [[1, 2, 3], [1, 2, 3]])
mnp.isinf(f32([1.0, inf, -inf, nan]))
mnp.isposinf(f32([1.0, inf, -inf, nan]))
mnp.isneginf(f32([1.0, inf, -inf, nan]))
mnp.isnan(f32([1.0, inf, -inf, nan]))
mnp.isfinite(f32([1.0, inf, -inf, nan]))
mnp.isscalar(3.1)
mnp.isscalar("text")
mnp.isscalar((1,))
mnp.isscalar(True)
mnp.setdiff1d(i32([1, 2, 3, 2, 4]), i32([3, 4, 5]))
mnp.setdiff1d([3, 1, 2], [1], assume_unique=True)
mnp.intersect1d([1, 3, 4, 3], [3, 1, 2, 1])
mnp.intersect1d([1, 3, 4, 3], [3, 1, 2, 1], return_indices=True)
mnp.intersect1d([1, 3, 4], [3, 1, 2], assume_unique=True)
mnp.argwhere(f32([[1.0, 0.0], [2.0, 3.0]]))
mnp.count_nonzero(i32([[0, 1], [2, 0]]), axis=0)
mnp.sometrue(f32([[0.0, 0.0], [0.0, 3.0]]), axis=1)
mnp.logical_xor(b([True, False]), b([True, True]))
mnp.rint(f32([0.5, 1.5, -2.5, 2.4]))
mnp.fix(f32([0.5, 1.5, -2.5, 2.4]))
mnp.floor_divide(f32([5.0, -5.0]), f32([2.0, 2.0]))
mnp.remainder(f32([5.0, -5.0, 5.0]), f32([3.0, 3.0, -3.0]))
mnp.remainder(i32([5, -5, 5]), i32([3, 3, 0]))
mnp.fmod(f32([5.0, -5.0, 5.0]), f32([3.0, 3.0, -3.0]))
mnp.divmod(i32([5, -5, 5]), i32([3, 3, -3]))
mnp.sign(f32([1.5, -0.0, nan]))
mnp.heaviside(f32([-1.0, 0.0, 1.0]), f32(0.5))
mnp.rand(2, 3).shape
mnp.randn(2, 3, dtype=ms.float16).dtype
mnp.randint(1, 10, (2, 3)).dtype
mnp.randint(10, shape=3).shape
mnp.randint(0)
mnp.rand(2, dtype=ms.int32)
mnp.pi
mnp.e
mnp.inf
mnp.nan
mnp.float_
mnp.int_
mnp.uint8
mnp.numeric_types
"""


def _bare(lines):
    return [line for line in lines.strip().splitlines() if line]


CASES = list(dict.fromkeys([*_unary(), *_pairs(), *_reductions(), *_bare(_HAND)]))

# Of the sum of what a function gives, weighted, by its first argument; "second": by its second one.
_GRAD = """
absolute x:FLOATS
ceil x:FLOATS
cos x:FLOATS
exp2 x:FLOATS
expm1 x:FLOATS
deg2rad x:FLOATS
rad2deg x:FLOATS
fix x:FLOATS
rint x:FLOATS
sign x:ABOVE
square x:FLOATS
tan x:FLOATS
arctan x:FLOATS
arcsin x:INSIDE
arctanh x:INSIDE
cbrt x:ABOVE
log10 x:ABOVE
log2 x:ABOVE
log1p x:ABOVE
reciprocal x:ABOVE
sqrt x:ABOVE
cumsum x:FLOATS
cumprod x:ABOVE
nancumsum x:FLOATS
sum x:FLOATS
mean x:FLOATS
std x:FLOATS
var x:FLOATS
ptp x:FLOATS
amax x:FLOATS
nanmean x:FLOATS
nanstd x:FLOATS
average x:FLOATS
diff x:FLOATS
ediff1d x:FLOATS
flip x:FLOATS
rot90 x:FLOATS
trace x:FLOATS
diag x:FLOATS
diagflat x:FLOATS
tril x:FLOATS
norm x:FLOATS
cov x:FLOATS
corrcoef x:ABOVE
atleast_3d x:FLOATS
trapz x:FLOATS
vander x:[1.5, 2.0, 0.5]
unwrap x:FLOATS
"""


def _gradients():
    values = {"FLOATS": FLOATS, "INSIDE": INSIDE, "ABOVE": ABOVE}
    for line in _GRAD.strip().splitlines():
        name, _, x = line.partition(" x:")
        yield f"ms.grad(lambda x: weighted(mnp.{name}(x)))(f32({values.get(x, x)}))"
    two = [
        "hypot",
        "arctan2",
        "logaddexp",
        "logaddexp2",
        "maximum",
        "float_power",
        "remainder",
        "multiply",
        "divide",
    ]
    for name in two:
        yield f"ms.grad(lambda x, y: weighted(mnp.{name}(x, y)), (0, 1))(f32({ABOVE}), f32([[1.5], [2.5]]))"
    yield from _bare("""
ms.grad(lambda x: weighted(mnp.interp(x, [1, 2, 3], [3, 2, 0])))(f32([0.5, 1.2, 2.5]))
ms.grad(lambda x: weighted(mnp.interp(f32([0.5, 1.2, 2.5]), f32([1.0, 2.0, 3.0]), x)))(f32([3.0, 2.0, 0.0]))
ms.grad(lambda x: weighted(mnp.convolve(x, [1.0, 0.5])))(f32([3.0, 2.0, 1.0]))
ms.grad(lambda x: weighted(mnp.clip(x, 0, 2.2)))(f32([3.0, 2.0, -1.0]))
ms.grad(lambda x: weighted(mnp.pad(x, (2, 1), mode="reflect")))(f32([3.0, 2.0, 1.0]))
ms.grad(lambda x: weighted(mnp.pad(x, (2, 1), mode="mean")))(f32([3.0, 2.0, 1.0]))
ms.grad(lambda x: weighted(mnp.pad(x, (2, 1), mode="linear_ramp")))(f32([3.0, 2.0, 1.0]))
ms.grad(lambda x: weighted(mnp.polyval(x, f32([0.5, 2.0]))))(f32([3.0, 2.0, 1.0]))
ms.grad(lambda x: weighted(mnp.polyint(x, m=2)))(f32([3.0, 2.0, 1.0]))
ms.grad(lambda x: weighted(mnp.gradient(x)))(f32([3.0, 2.0, 1.0, 5.0]))
ms.grad(lambda x: weighted(mnp.cross(x, f32([1.0, 2.0, 3.0]))))(f32([3.0, 2.0, 1.0]))
ms.grad(lambda x: weighted(mnp.kron(x, f32([1.0, 2.0]))))(f32([3.0, 2.0]))
ms.grad(lambda x: weighted(mnp.tensordot(x, f32([[1.0, 2.0], [0.5, 1.0]]), 1)))(f32([[3.0, 2.0]]))
ms.grad(lambda x: weighted(mnp.where(x > 1, x * x, 3 * x)))(f32([3.0, 0.5]))
ms.grad(lambda x: weighted(mnp.select([x > 1, x > 2], [x, x * x])))(f32([3.0, 1.5, 0.5]))
ms.grad(lambda x: weighted(mnp.norm(x, ord=3, axis=0)))(f32([[3.0, 0.5], [1.0, -2.0]]))
ms.grad(lambda x: weighted(mnp.norm(x, ord=1)))(f32([[3.0, 0.5], [1.0, -2.0]]))
ms.grad(lambda x: weighted(mnp.take(x, i32([0, 0, 2]))))(f32([3.0, 0.5, 1.0]))
ms.grad(lambda x: weighted(mnp.linspace(x, 2.0, 3)))(f32([3.0, 0.5]))
ms.grad(lambda x: weighted(mnp.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * v])))(f32([3.0, -0.5]))
""")


GRADIENTS = list(_gradients())
