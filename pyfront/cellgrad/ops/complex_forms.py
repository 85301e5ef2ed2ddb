"""Which operations take complex tensors, and what those do that differ from their real form.

Operations that are not listed refuse them: a composition that is right for real numbers need not mean
anything for others.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from cellgrad.core.dtype import Type
from cellgrad.core.record import cast_to, complex_forms
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import (
    complex_factors,
    complex_linalg,
    complex_spectra,
    contractions,
    determinants,
    kinds,
    linalg,
    pointwise,
    reductions,
    selection,
    spectral,
    statistics,
)
from cellgrad.ops.complex_rules import both_parts

# Their bodies are right for complex numbers as well, where each op in them is.
_AS_THEY_ARE = {
    "arrangement": "_tile _repeat_interleave flip roll rot90 meshgrid cartesian_prod combinations",
    "bands": "_band _computed_band",
    "composites": "addn",
    "contractions": "matmul mat_mul batch_mat_mul mv addmm addmv baddbmm addbmm dot inner tensor_dot",
    "cumulative": "_cumsum _cumprod",
    "diagonals": "tril triu diagonal diag_embed diagflat diag diagonal_scatter",
    "einsums": "einsum",
    "gathering": "_gather _take_along _gather_elements _gather_nd _flat_elements",
    "fourier": "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn "
    "irfftn hfftn ihfftn",
    "indexing": "_take_region _take _store _choose",
    "joining": "concat stack hstack vstack dstack column_stack block_diag split tensor_split hsplit "
    "vsplit dsplit chunk unbind _narrow",
    "kinds": "isreal real imag conj angle view_as_real",
    "normed": "renorm",
    "padding": "padded",
    "keys": "permutation",
    "pointwise": "addcmul addcdiv lerp positive isclose float_power",
    "products": "addr outer ger kron cross trace_of vander",
    "random": "shuffle",
    "reductions": "sum mean all any std",
    "samples": "_summed diff trapz",
    "scattering": "_masked_fill _scatter_elements _scatter_at _along",
    "selection": "_select stop_gradient",
    "shapes": "reshape flatten transpose swapaxes _broadcast_to squeeze expand_dims movedim ravel",
    "smaller": "dense",
    "statistics": "prod count_nonzero std_mean var_mean",
    "short_time": "_spectra",
    "values": "_add_bias _widened",
}
for _module, _names in _AS_THEY_ARE.items():
    for _name in _names.split():
        complex_forms[f"{_module}.{_name}"] = True


# Bodies are called where the function itself would come back here.


def _form(module: Any, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers what an operation does with complex operands."""

    def registered(function: Callable[..., Any]) -> Callable[..., Any]:
        complex_forms[f"{module.__name__.rpartition('.')[2]}.{name}"] = function
        return function

    return registered


@_form(selection, "_cast")
def _cast(x: Tensor, target: Type) -> Tensor:
    """The real parts, where the target has no others, as in MindSpore."""
    if target.kind in "bc":
        return cast_to(x, target)
    return cast_to(both_parts(x)[0], target)


@_form(contractions, "vecdot")
def _vecdot(x: Tensor, y: Tensor, *, axis: int = -1) -> Tensor:
    """The first operand is conjugated, as in numpy."""
    out: Tensor = inspect.unwrap(contractions.vecdot)(kinds.conj(x), y, axis=axis)
    return out


@_form(statistics, "vector_norm")
def _vector_norm(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The norm of the distances from zero."""
    out: Tensor = inspect.unwrap(statistics.vector_norm)(gen.abs(x), *args, **kwargs)
    return out


@_form(reductions, "var")
def _var(input: Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The mean square of the distances from the mean: the variances of both parts together."""
    real, imag = both_parts(input)
    variance = inspect.unwrap(reductions.var)
    out: Tensor = variance(real, axis, ddof, keepdims) + variance(imag, axis, ddof, keepdims)
    return out


@_form(pointwise, "xlogy")
def _xlogy(input: Any, other: Any) -> Tensor:
    """0 where the first operand is 0 and the second one no NaN, as in scipy."""
    x, y = pointwise._floats(input, other, "xlogy")
    outside = gen.logical_and(gen.equal(x, 0.0), gen.logical_not(gen.isnan(y)))
    return x * gen.log(selection.select(outside, 1.0, y))


@_form(pointwise, "sinc")
def _sinc(input: Tensor) -> Tensor:
    """By the series of the real form where both parts are small."""
    z = input * math.pi
    near = gen.less(gen.abs(selection.stop_gradient(z)), 1.0)
    series = pointwise.sinc_series(selection.select(near, z, 0.0))
    far = selection.select(near, 1.0, z)
    return selection.select(near, series, gen.sin(far) / far)


_BY_VALUES = (2, -2, "nuc")


def _real(x: Tensor, dtype: Type | None) -> Tensor:
    return x if dtype is None else cast_to(x, dtype)


@_form(statistics, "norm")
def _norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    if ord in _BY_VALUES and (
        (isinstance(dim, tuple | list) and len(dim) > 1) or (dim is None and A.ndim == 2)
    ):
        axes = statistics.pair_of_axes((0, 1) if dim is None else dim, A, "norm")
        return _real(complex_spectra.norm_of_values(A, ord, axes, keepdim), dtype)
    out: Tensor = inspect.unwrap(statistics.norm)(gen.abs(A), ord, dim, keepdim, dtype=dtype)
    return out


@_form(statistics, "matrix_norm")
def _matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    axis: Any = (-2, -1),
    keepdims: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    if ord in _BY_VALUES:
        axes = statistics.pair_of_axes(axis, A, "matrix_norm")
        return _real(complex_spectra.norm_of_values(A, ord, axes, keepdims), dtype)
    out: Tensor = inspect.unwrap(statistics.matrix_norm)(
        gen.abs(A), ord, axis, keepdims, dtype=dtype
    )
    return out


_form(linalg, "matrix_solve")(complex_linalg.matrix_solve)
_form(linalg, "inverse")(complex_linalg.inverse)
_form(linalg, "matrix_power")(complex_linalg.matrix_power)
for _name in ("svd", "pinv", "lstsq", "cond"):
    _form(spectral, _name)(getattr(complex_spectra, _name))
_form(linalg, "cholesky")(complex_factors.cholesky)
_form(linalg, "qr")(complex_factors.qr)
_form(spectral, "matrix_exp")(complex_factors.matrix_exp)
for _name in ("det", "slogdet", "logdet"):
    _form(determinants, _name)(getattr(complex_factors, _name))
