"""Fourier transforms along dimensions of a tensor, as numpy.fft has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, Dims
from cellgrad.core.arguments import argument_error, check_ndim, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import axis_of, cast_to, check_tensor, emit, operation, reshape_to
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _fourier
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_int, known_ints
from cellgrad.ops.complex_rules import both_parts, complex_tensor
from cellgrad.ops.kinds import conj

_NORMS = ("backward", "forward", "ortho")
_OTHER = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


# --- arguments --------------------------------------------------------------------------------


def checked_input(x: Any, op: str, real: bool = False) -> Tensor:
    """A tensor of float32, float64 or complex numbers; integers and 16-bit floats become float32."""
    given = check_tensor(x, op, "input")
    if given.dtype.kind == "c":
        if not real:
            return given
        raise error(
            TypeError,
            f"For '{op}', 'input' must be real, but got {given.dtype.title}.",
            "use ops.fft and the like, or the real parts, ops.real(x)",
        )
    if given.dtype.kind == "b":
        raise argument_error(TypeError, op, "input", "a Tensor of numbers", given)
    wide = given.dtype.kind == "f" and given.dtype.itemsize > 2
    kind = mstype.float32 if given.dtype.kind == "f" else mstype.default_float()
    return given if wide else cast_to(given, kind)


def _norm(norm: Any, op: str) -> str:
    if norm is None:
        return "backward"
    check_one_of(norm, op, "norm", _NORMS)
    return str(norm)


def _scale(norm: str, n: int, forward: bool) -> float:
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "forward") == forward else 1.0


def _length(n: Any, own: int, op: str, name: str = "n") -> int:
    if n is None:
        if own < 1:
            raise error(ValueError, f"For '{op}', the transformed dimension has no elements.")
        return own
    return known_int(n, op, name, at_least=1)


def _axes(x: Tensor, s: Any, dim: Any, op: str) -> tuple[list[int], list[Any]]:
    """Dimensions to transform, and the length of each: None for that of the tensor."""
    sizes = None if s is None else [*known_ints((s,) if isinstance(s, int) else s, op, "s")]
    if dim is None:
        count = x.ndim if sizes is None else len(sizes)
        if count > x.ndim:
            raise error(
                ValueError,
                f"For '{op}', 's' has {count} sizes, but the tensor has {x.ndim} dimensions.",
            )
        dims = list(range(x.ndim - count, x.ndim))
    else:
        listed = known_ints((dim,) if isinstance(dim, int) else dim, op, "dim")
        dims = [axis_in(x, d, op) for d in listed]
        if len(set(dims)) != len(dims):
            raise error(ValueError, f"For '{op}', 'dim' names a dimension twice: {listed}.")
    if sizes is not None and len(sizes) != len(dims):
        raise error(
            ValueError,
            f"For '{op}', 's' and 'dim' must have the same length, but have {len(sizes)} and "
            f"{len(dims)}.",
        )
    return dims, [None] * len(dims) if sizes is None else sizes


def axis_in(x: Tensor, dim: Any, op: str) -> int:
    """A dimension of a tensor that has one."""
    check_ndim(x, op, "input", at_least=1)
    return axis_of(dim, x.ndim, op)


# --- one dimension ----------------------------------------------------------------------------


def _resized(x: Tensor, n: int) -> Tensor:
    """Zeros after the elements of the last dimension, or fewer elements, to give a length."""
    own = x.shape[-1]
    none = [0] * x.ndim
    if n < own:
        region = {"starts": none, "limits": [*x.shape[:-1], n], "strides": [1] * x.ndim}
        return emit("cell.slice", [x], region)
    if n > own:
        more = [*none[:-1], n - own]
        return emit("cell.pad", [x], {"low": none, "high": more, "interior": none})
    return x


def _moved(x: Tensor, axis: int) -> Tensor:
    """The dimension exchanged with the last one."""
    last = x.ndim - 1
    if axis == last:
        return x
    order = list(range(x.ndim))
    order[axis], order[last] = last, axis
    return emit("cell.transpose", [x], {"perm": order})


def _transform(
    x: Tensor, axis: int, n: int, sign: int, scale: float, real_out: bool = False
) -> Tensor:
    """A transform along one dimension, resized to n."""
    x = _resized(_moved(x, axis), n)
    lead = x.shape[:-1]
    parts = both_parts(x) if x.dtype.kind == "c" else (x,)
    rows = [reshape_to(p, (math.prod(lead), 1, n)) for p in parts]
    data = rows[0] if len(rows) == 1 else emit("cell.concat", rows, {"dim": 1})
    if not data.size:
        data = data if real_out else emit("cell.concat", [data, data][: 3 - len(rows)], {"dim": 1})
        found = data
    else:
        found = _fourier.transform(data, sign, real_out)
    if scale != 1:
        found = gen.mul(found, scale)
    if real_out:
        return _moved(reshape_to(found, (*lead, n)), axis)
    listed = [reshape_to(_fourier.part(found, i), (*lead, n)) for i in range(2)]
    return _moved(complex_tensor(listed[0], listed[1]), axis)


def _half(x: Tensor, axis: int, n: int, scale: float) -> Tensor:
    """The first n // 2 + 1 frequencies of real data."""
    found = _moved(_transform(x, axis, n, -1, scale), axis)
    return _moved(_resized(found, n // 2 + 1), axis)


def _from_half(x: Tensor, axis: int, n: int, sign: int, scale: float) -> Tensor:
    """Real data of the first n // 2 + 1 frequencies; those left are the conjugates of these."""
    x = _resized(_moved(x, axis), n // 2 + 1)
    a, b = both_parts(x)
    # Each frequency but 0 and n / 2 stands for two, whose sum is twice a real part.
    weights = np.full(n // 2 + 1, 2.0)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    factor = known(weights, a.dtype)
    full = _resized(complex_tensor(gen.mul(a, factor), gen.mul(b, factor)), n)
    return _moved(_transform(full, x.ndim - 1, n, sign, scale, real_out=True), axis)


def _along(
    x: Tensor, dims: list[int], sizes: list[Any], op: str, norm: str, forward: bool
) -> Tensor:
    """Complex transforms along dimensions, one after the other."""
    for d, s in zip(dims, sizes, strict=True):
        n = _length(s, x.shape[d], op, "s")
        x = _transform(x, d, n, -1 if forward else 1, _scale(norm, n, forward))
    if x.dtype.kind != "c":  # no dimension at all
        x = cast_to(x, mstype.complex_of(x.dtype))
    return x


@public()
@operation
def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The discrete Fourier transform along a dimension, ``sum_j x[j] exp(-2 pi i j k / n)``.

    Lengths of any size: mixed radix (Cooley and Tukey), and Bluestein's algorithm where a prime factor is large. All
    functions here are linear, and differentiable to any order.

    Args:
        input: Tensor of numbers; float64 gives complex128, other real numbers complex64.
        n: the length: elements are left out at the end, or zeros added; the dimension's by default.
        dim: the dimension.
        norm: "backward" (or None; no factor), "ortho" (1 / sqrt(n)) or "forward" (1 / n).

    Returns:
        A complex tensor.

    Raises:
        TypeError: `input` is not a Tensor of numbers.
        ValueError: `n` is below 1, `dim` out of range, or `norm` unknown.

    >>> print(ops.fft(Tensor([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j -2.-2.j]
    """
    return _one(input, n, dim, norm, "fft", True)


def _one(input: Any, n: Any, dim: Any, norm: Any, op: str, forward: bool) -> Tensor:
    x = checked_input(input, op)
    d = axis_in(x, dim, op)
    return _along(x, [d], [_length(n, x.shape[d], op)], op, _norm(norm, op), forward)


@public()
@operation
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`: ``sum_k X[k] exp(2 pi i j k / n) / n``.

    Raises:
        TypeError, ValueError: as `fft`.

    >>> print(ops.ifft(ops.fft(Tensor([1.0, 2.0]))))
    [1.+0.j 2.+0.j]
    """
    return _one(input, n, dim, norm, "ifft", False)


@public()
@operation
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The first n // 2 + 1 elements of `fft` of real data; the others are their conjugates.

    Raises:
        TypeError: `input` is complex, or no Tensor of numbers.
        ValueError: as `fft`.

    >>> print(ops.rfft(Tensor([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j]
    """
    x = checked_input(input, "rfft", real=True)
    d = axis_in(x, dim, "rfft")
    length = _length(n, x.shape[d], "rfft")
    return _half(x, d, length, _scale(_norm(norm, "rfft"), length, True))


@public()
@operation
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`: real data of length n, by default ``2 * (m - 1)`` of m elements.

    The imaginary parts of element 0, and of the last one where n is even, do not count.

    Raises:
        TypeError, ValueError: as `fft`.

    >>> print(ops.irfft(ops.rfft(Tensor([1.0, 2.0, 3.0, 4.0]))))
    [1. 2. 3. 4.]
    """
    x = checked_input(input, "irfft")
    d = axis_in(x, dim, "irfft")
    length = _length(n, 2 * (x.shape[d] - 1), "irfft")
    return _from_half(x, d, length, 1, _scale(_norm(norm, "irfft"), length, False))


@public()
@operation
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The transform of data that is the conjugate of itself backwards, of which `input` is the first half: real.

    Raises:
        TypeError, ValueError: as `fft`.

    >>> print(ops.hfft(Tensor([1.0, 2.0, 1.0])))
    [ 6.  0. -2.  0.]
    """
    x = checked_input(input, "hfft")
    d = axis_in(x, dim, "hfft")
    length = _length(n, 2 * (x.shape[d] - 1), "hfft")
    return _from_half(x, d, length, -1, _scale(_norm(norm, "hfft"), length, True))


@public()
@operation
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`: the first n // 2 + 1 elements.

    Raises:
        TypeError, ValueError: as `rfft`.

    >>> print(ops.real(ops.ihfft(Tensor([6.0, 0.0, -2.0, 0.0]))))
    [1. 2. 1.]
    """
    x = checked_input(input, "ihfft", real=True)
    d = axis_in(x, dim, "ihfft")
    length = _length(n, x.shape[d], "ihfft")
    return conj(_half(x, d, length, _scale(_norm(norm, "ihfft"), length, False)))  # type: ignore[no-any-return]


# --- several dimensions -----------------------------------------------------------------------


def _several(input: Any, s: Any, dim: Any, norm: Any, op: str, forward: bool) -> Tensor:
    x = checked_input(input, op)
    return _along(x, *_axes(x, s, dim, op), op, _norm(norm, op), forward)


def _several_half(input: Any, s: Any, dim: Any, norm: Any, op: str, forward: bool) -> Tensor:
    """Frequencies of real data: the last dimension first, of which half is kept."""
    x = checked_input(input, op, real=True)
    dims, sizes = _axes(x, s, dim, op)
    if not dims:
        raise error(ValueError, f"For '{op}', at least one dimension must be transformed.")
    way = _norm(norm, op)
    n = _length(sizes[-1], x.shape[dims[-1]], op, "s")
    # Backwards, these are the conjugates of a forward transform.
    half = _half(x, dims[-1], n, _scale(way, n, forward))
    if not forward:
        way = _OTHER[way]
    out = _along(half, dims[:-1], sizes[:-1], op, way, True)
    return out if forward else conj(out)  # type: ignore[no-any-return]


def _several_real(input: Any, s: Any, dim: Any, norm: Any, op: str, forward: bool) -> Tensor:
    """Real data of half of its frequencies: the last dimension last."""
    x = checked_input(input, op)
    dims, sizes = _axes(x, s, dim, op)
    if not dims:
        raise error(ValueError, f"For '{op}', at least one dimension must be transformed.")
    way = _norm(norm, op)
    x = _along(x, dims[:-1], sizes[:-1], op, way, forward)
    n = _length(sizes[-1], 2 * (x.shape[dims[-1]] - 1), op, "s")
    return _from_half(x, dims[-1], n, -1 if forward else 1, _scale(way, n, forward))


@public()
@operation
def fft2(
    input: Tensor, s: Dims | None = None, dim: Axis = (-2, -1), norm: str | None = None
) -> Tensor:
    """The transform along two dimensions; see `fft`.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.fft2(ops.ones((2, 2))).shape
    (2, 2)
    """
    return _several(input, s, dim, norm, "fft2", True)


@public()
@operation
def ifft2(
    input: Tensor, s: Dims | None = None, dim: Axis = (-2, -1), norm: str | None = None
) -> Tensor:
    """The inverse of `fft2`.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.ifft2(ops.ones((2, 2))).shape
    (2, 2)
    """
    return _several(input, s, dim, norm, "ifft2", False)


@public()
@operation
def rfft2(
    input: Tensor, s: Dims | None = None, dim: Axis = (-2, -1), norm: str | None = None
) -> Tensor:
    """`fft2` of real data: the first half along the last dimension of `dim`.

    Raises:
        TypeError, ValueError: as `rfft`; `s` and `dim` of different lengths.

    >>> ops.rfft2(ops.ones((2, 4))).shape
    (2, 3)
    """
    return _several_half(input, s, dim, norm, "rfft2", True)


@public()
@operation
def irfft2(
    input: Tensor, s: Dims | None = None, dim: Axis = (-2, -1), norm: str | None = None
) -> Tensor:
    """The inverse of `rfft2`: real data.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.irfft2(ops.ones((2, 3), ms.complex64)).shape
    (2, 4)
    """
    return _several_real(input, s, dim, norm, "irfft2", False)


@public()
@operation
def hfft2(
    input: Tensor, s: Dims | None = None, dim: Axis = (-2, -1), norm: str | None = None
) -> Tensor:
    """`hfft` along the last dimension of `dim`, after `fft` along the other one: real.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.hfft2(ops.ones((2, 3), ms.complex64)).shape
    (2, 4)
    """
    return _several_real(input, s, dim, norm, "hfft2", True)


@public()
@operation
def ihfft2(
    input: Tensor, s: Dims | None = None, dim: Axis = (-2, -1), norm: str | None = None
) -> Tensor:
    """The inverse of `hfft2`.

    Raises:
        TypeError, ValueError: as `rfft`; `s` and `dim` of different lengths.

    >>> ops.ihfft2(ops.ones((2, 4))).shape
    (2, 3)
    """
    return _several_half(input, s, dim, norm, "ihfft2", False)


@public()
@operation
def fftn(input: Tensor, s: Dims | None = None, dim: Axis = None, norm: str | None = None) -> Tensor:
    """The transform along several dimensions, all by default; see `fft`.

    Args:
        input: Tensor of numbers.
        s: the length along each dimension; those of the tensor by default.
        dim: the dimensions; by default the last ones, as many as `s` has, or all.
        norm: as in `fft`.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.fftn(ops.ones((2, 2))).shape
    (2, 2)
    """
    return _several(input, s, dim, norm, "fftn", True)


@public()
@operation
def ifftn(
    input: Tensor, s: Dims | None = None, dim: Axis = None, norm: str | None = None
) -> Tensor:
    """The inverse of `fftn`.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.ifftn(ops.ones((2, 2))).shape
    (2, 2)
    """
    return _several(input, s, dim, norm, "ifftn", False)


@public()
@operation
def rfftn(
    input: Tensor, s: Dims | None = None, dim: Axis = None, norm: str | None = None
) -> Tensor:
    """`fftn` of real data: the first half along the last dimension of `dim`.

    Raises:
        TypeError, ValueError: as `rfft`; `s` and `dim` of different lengths.

    >>> ops.rfftn(ops.ones((2, 4))).shape
    (2, 3)
    """
    return _several_half(input, s, dim, norm, "rfftn", True)


@public()
@operation
def irfftn(
    input: Tensor, s: Dims | None = None, dim: Axis = None, norm: str | None = None
) -> Tensor:
    """The inverse of `rfftn`: real data.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.irfftn(ops.ones((2, 3), ms.complex64)).shape
    (2, 4)
    """
    return _several_real(input, s, dim, norm, "irfftn", False)


@public()
@operation
def hfftn(
    input: Tensor, s: Dims | None = None, dim: Axis = None, norm: str | None = None
) -> Tensor:
    """`hfft` along the last dimension of `dim`, after `fft` along the others: real.

    Raises:
        TypeError, ValueError: as `fft`; `s` and `dim` of different lengths.

    >>> ops.hfftn(ops.ones((2, 3), ms.complex64)).shape
    (2, 4)
    """
    return _several_real(input, s, dim, norm, "hfftn", True)


@public()
@operation
def ihfftn(
    input: Tensor, s: Dims | None = None, dim: Axis = None, norm: str | None = None
) -> Tensor:
    """The inverse of `hfftn`.

    Raises:
        TypeError, ValueError: as `rfft`; `s` and `dim` of different lengths.

    >>> ops.ihfftn(ops.ones((2, 4))).shape
    (2, 3)
    """
    return _several_half(input, s, dim, norm, "ihfftn", False)
