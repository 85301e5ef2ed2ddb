"""Functions of ``numpy`` that are forms of operations: rows beside those above the operations.

By the operation's name; `ops/_public.py` says what a form may be. ``hn`` is `numpy/_helpers.py`.
"""

ROWS: dict[str, tuple[str, ...]] = {
    # One operand. MindSpore computes trigonometric functions of integers in floating point.
    "abs": (
        "numpy.absolute(x, dtype=None) = hn.cast(hn.restored(ops.abs(hn.number(x)), x), dtype)",
        "numpy.abs(x, dtype=None) = hn.cast(hn.restored(ops.abs(hn.number(x)), x), dtype)",
        "numpy.fabs(x, dtype=None) = hn.cast(hn.restored(ops.abs(hn.number(x)), x), dtype)",
    ),
    "sin": ("numpy.sin(x, dtype=None) = hn.cast(ops.sin(hn.angle(x)), dtype)",),
    "cos": ("numpy.cos(x, dtype=None) = hn.cast(ops.cos(hn.angle(x)), dtype)",),
    "tan": ("numpy.tan(x, dtype=None) = hn.cast(ops.tan(hn.angle(x)), dtype)",),
    "asin": ("numpy.arcsin(x, dtype=None) = hn.cast(ops.asin(hn.angle(x)), dtype)",),
    "acos": (
        "numpy.arccos(input, dtype=None) = hn.cast(ops.acos(hn.angle(input, 'input')), dtype)",
    ),
    "atan": ("numpy.arctan(x, dtype=None) = hn.cast(ops.atan(hn.angle(x)), dtype)",),
    "sinh": ("numpy.sinh(x, dtype=None) = hn.cast(ops.sinh(hn.angle(x)), dtype)",),
    "cosh": ("numpy.cosh(x, dtype=None) = hn.cast(ops.cosh(hn.angle(x)), dtype)",),
    "tanh": ("numpy.tanh(x, dtype=None) = hn.cast(ops.tanh(hn.angle(x)), dtype)",),
    "asinh": ("numpy.arcsinh(x, dtype=None) = hn.cast(ops.asinh(hn.angle(x)), dtype)",),
    "acosh": ("numpy.arccosh(x, dtype=None) = hn.cast(ops.acosh(hn.angle(x)), dtype)",),
    "atanh": ("numpy.arctanh(x, dtype=None) = hn.cast(ops.atanh(hn.angle(x)), dtype)",),
    "exp": ("numpy.exp(x, dtype=None) = hn.cast(ops.exp(hn.floating(x)), dtype)",),
    "expm1": ("numpy.expm1(x, dtype=None) = hn.cast(ops.expm1(hn.floating(x)), dtype)",),
    "log": ("numpy.log(x, dtype=None) = hn.cast(ops.log(hn.floating(x)), dtype)",),
    "log2": ("numpy.log2(x, dtype=None) = hn.cast(ops.log2(hn.floating(x)), dtype)",),
    "log10": ("numpy.log10(x, dtype=None) = hn.cast(ops.log10(hn.floating(x)), dtype)",),
    "log1p": ("numpy.log1p(x, dtype=None) = hn.cast(ops.log1p(hn.floating(x)), dtype)",),
    "sqrt": ("numpy.sqrt(x, dtype=None) = hn.cast(ops.sqrt(hn.floating(x)), dtype)",),
    "square": ("numpy.square(x, dtype=None) = hn.cast(ops.square(hn.number(x)), dtype)",),
    "floor": ("numpy.floor(x, dtype=None) = hn.cast(ops.floor(hn.floating(x)), dtype)",),
    "ceil": ("numpy.ceil(x, dtype=None) = hn.cast(ops.ceil(hn.single(x)), dtype)",),
    "trunc": (
        "numpy.trunc(x, dtype=None) = hn.cast(ops.trunc(hn.floating(x)), dtype)",
        "numpy.fix(x) = ops.trunc(hn.floating(hn.only(x, 'fix', 'x')))",
    ),
    "neg": ("numpy.negative(x, dtype=None) = hn.cast(ops.neg(hn.number(x)), dtype)",),
    "isfinite": ("numpy.isfinite(x, dtype=None) = hn.cast(ops.isfinite(hn.floating(x)), dtype)",),
    "isnan": ("numpy.isnan(x, dtype=None) = hn.cast(ops.isnan(hn.floating(x)), dtype)",),
    "isinf": ("numpy.isinf(x, dtype=None) = hn.cast(ops.isinf(hn.floating(x)), dtype)",),
    "isposinf": ("numpy.isposinf(x) = ops.isposinf(hn.floating(hn.only(x, 'isposinf', 'x')))",),
    "isneginf": ("numpy.isneginf(x) = ops.isneginf(hn.floating(hn.only(x, 'isneginf', 'x')))",),
    "logical_not": (
        "numpy.logical_not(a, dtype=None) = hn.cast(ops.logical_not(hn.array(a)), dtype)",
    ),
    "deg2rad": (
        "numpy.deg2rad(x, dtype=None) = "
        "hn.cast(ops.deg2rad(hn.floating(hn.only(x, 'deg2rad', 'x'))), dtype)",
        "numpy.radians(x, dtype=None) = "
        "hn.cast(ops.deg2rad(hn.floating(hn.only(x, 'radians', 'x'))), dtype)",
    ),
    "rad2deg": (
        "numpy.rad2deg(x, dtype=None) = "
        "hn.cast(ops.rad2deg(hn.floating(hn.only(x, 'rad2deg', 'x'))), dtype)",
    ),
    "bitwise_not": (
        "numpy.invert(x, dtype=None) = hn.cast(ops.bitwise_not(hn.whole(x)), dtype)",
        "numpy.bitwise_not(x, dtype=None) = hn.cast(ops.bitwise_not(hn.whole(x)), dtype)",
    ),
    # Two operands.
    "add": (
        "numpy.add(x1, x2, dtype=None) = "
        "hn.cast(ops.add(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "sub": (
        "numpy.subtract(x1, x2, dtype=None) = "
        "hn.cast(ops.sub(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "mul": (
        "numpy.multiply(x1, x2, dtype=None) = "
        "hn.cast(ops.mul(hn.only(x1, 'multiply', 'x1'), hn.only(x2, 'multiply', 'x2')), "
        "dtype)",
    ),
    "floor_divide": (
        "numpy.floor_divide(x1, x2, dtype=None) = "
        "hn.cast(ops.floor_divide(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "atan2": (
        "numpy.arctan2(x1, x2, dtype=None) = "
        "hn.cast(ops.atan2(hn.angle(x1, 'x1'), hn.angle(x2, 'x2')), dtype)",
    ),
    "equal": (
        "numpy.equal(x1, x2, dtype=None) = "
        "hn.cast(ops.equal(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "not_equal": (
        "numpy.not_equal(x1, x2, dtype=None) = "
        "hn.cast(ops.not_equal(hn.only(x1, 'not_equal', 'x1'), hn.only(x2, 'not_equal', "
        "'x2')), dtype)",
    ),
    "less": (
        "numpy.less(x1, x2, dtype=None) = "
        "hn.cast(ops.less(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "less_equal": (
        "numpy.less_equal(x1, x2, dtype=None) = "
        "hn.cast(ops.less_equal(hn.only(x1, 'less_equal', 'x1'), hn.only(x2, 'less_equal', "
        "'x2')), dtype)",
    ),
    "greater": (
        "numpy.greater(x1, x2, dtype=None) = "
        "hn.cast(ops.greater(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "greater_equal": (
        "numpy.greater_equal(x1, x2, dtype=None) = "
        "hn.cast(ops.greater_equal(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "bitwise_and": (
        "numpy.bitwise_and(x1, x2, dtype=None) = "
        "hn.cast(ops.bitwise_and(hn.like(x1, x2), hn.like(x2, x1)), dtype)",
    ),
    "bitwise_or": (
        "numpy.bitwise_or(x1, x2, dtype=None) = "
        "hn.cast(ops.bitwise_or(hn.like(x1, x2), hn.like(x2, x1)), dtype)",
    ),
    "bitwise_xor": (
        "numpy.bitwise_xor(x1, x2, dtype=None) = "
        "hn.cast(ops.bitwise_xor(hn.like(x1, x2), hn.like(x2, x1)), dtype)",
    ),
    "logical_and": (
        "numpy.logical_and(x1, x2, dtype=None) = "
        "hn.cast(ops.logical_and(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "logical_or": (
        "numpy.logical_or(x1, x2, dtype=None) = "
        "hn.cast(ops.logical_or(hn.beside(x1, x2), hn.beside(x2, x1)), dtype)",
    ),
    "logical_xor": (
        "numpy.logical_xor(x1, x2, dtype=None) = "
        "hn.cast(ops.logical_xor(hn.only(x1, 'logical_xor', 'x1'), hn.only(x2, "
        "'logical_xor', 'x2')), dtype)",
    ),
    "logaddexp": (
        "numpy.logaddexp(x1, x2, dtype=None) = "
        "hn.cast(ops.logaddexp(hn.float_like(x1, x2), hn.float_like(x2, x1)), dtype)",
    ),
    "logaddexp2": (
        "numpy.logaddexp2(x1, x2, dtype=None) = "
        "hn.cast(ops.logaddexp2(hn.float_like(hn.only(x1, 'logaddexp2', 'x1'), x2), "
        "hn.float_like(hn.only(x2, 'logaddexp2', 'x2'), x1)), dtype)",
    ),
    "hypot": (
        "numpy.hypot(x1, x2, dtype=None) = "
        "hn.cast(ops.hypot(hn.float_like(x1, x2), hn.float_like(x2, x1)), dtype)",
    ),
    # Fourier transforms.
    "fft": ("numpy.fft.fft(a, n=None, axis=-1, norm=None) = ops.fft(a, n, axis, norm)",),
    "ifft": ("numpy.fft.ifft(a, n=None, axis=-1, norm=None) = ops.ifft(a, n, axis, norm)",),
    "rfft": ("numpy.fft.rfft(a, n=None, axis=-1, norm=None) = ops.rfft(a, n, axis, norm)",),
    "irfft": ("numpy.fft.irfft(a, n=None, axis=-1, norm=None) = ops.irfft(a, n, axis, norm)",),
    "hfft": ("numpy.fft.hfft(a, n=None, axis=-1, norm=None) = ops.hfft(a, n, axis, norm)",),
    "ihfft": ("numpy.fft.ihfft(a, n=None, axis=-1, norm=None) = ops.ihfft(a, n, axis, norm)",),
    "fft2": ("numpy.fft.fft2(a, s=None, axes=(-2, -1), norm=None) = ops.fft2(a, s, axes, norm)",),
    "ifft2": (
        "numpy.fft.ifft2(a, s=None, axes=(-2, -1), norm=None) = ops.ifft2(a, s, axes, norm)",
    ),
    "rfft2": (
        "numpy.fft.rfft2(a, s=None, axes=(-2, -1), norm=None) = ops.rfft2(a, s, axes, norm)",
    ),
    "irfft2": (
        "numpy.fft.irfft2(a, s=None, axes=(-2, -1), norm=None) = ops.irfft2(a, s, axes, norm)",
    ),
    "hfft2": (
        "numpy.fft.hfft2(a, s=None, axes=(-2, -1), norm=None) = ops.hfft2(a, s, axes, norm)",
    ),
    "ihfft2": (
        "numpy.fft.ihfft2(a, s=None, axes=(-2, -1), norm=None) = ops.ihfft2(a, s, axes, norm)",
    ),
    "fftn": ("numpy.fft.fftn(a, s=None, axes=None, norm=None) = ops.fftn(a, s, axes, norm)",),
    "ifftn": ("numpy.fft.ifftn(a, s=None, axes=None, norm=None) = ops.ifftn(a, s, axes, norm)",),
    "rfftn": ("numpy.fft.rfftn(a, s=None, axes=None, norm=None) = ops.rfftn(a, s, axes, norm)",),
    "irfftn": ("numpy.fft.irfftn(a, s=None, axes=None, norm=None) = ops.irfftn(a, s, axes, norm)",),
    "hfftn": ("numpy.fft.hfftn(a, s=None, axes=None, norm=None) = ops.hfftn(a, s, axes, norm)",),
    "ihfftn": ("numpy.fft.ihfftn(a, s=None, axes=None, norm=None) = ops.ihfftn(a, s, axes, norm)",),
    "fftshift": ("numpy.fft.fftshift(x, axes=None) = ops.fftshift(x, axes)",),
    "ifftshift": ("numpy.fft.ifftshift(x, axes=None) = ops.ifftshift(x, axes)",),
    "fftfreq": ("numpy.fft.fftfreq(n, d=1.0, dtype=None) = ops.fftfreq(n, d, dtype=dtype)",),
    "rfftfreq": ("numpy.fft.rfftfreq(n, d=1.0, dtype=None) = ops.rfftfreq(n, d, dtype=dtype)",),
}
