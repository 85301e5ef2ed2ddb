"""Calls of ``mindspore.numpy`` that test_numpy.py compares: texts over ``mnp``, ``ms`` and tensors of each dtype.

``f32``, ``i32`` and the like make a tensor of a list.
"""

import pathlib

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


# Others, one a line.
_HAND = (pathlib.Path(__file__).parent / "numpy_calls.txt").read_text()


def _bare(lines):
    return [line for line in lines.strip().splitlines() if line]


GENERATED = list(dict.fromkeys([*_unary(), *_pairs(), *_reductions()]))
CASES = list(dict.fromkeys([*GENERATED, *_bare(_HAND)]))

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
ms.grad(lambda x: weighted(mnp.matrix_power(x, 3)))(f32([[3.0, 2.0], [0.5, 1.0]]))
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
