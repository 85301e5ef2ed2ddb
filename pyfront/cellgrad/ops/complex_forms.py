"""Which operations take complex tensors, and what those do that differ from their real form.

Operations that are not listed refuse them: a composition that is right for real numbers need not mean
anything for others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from cellgrad.core.dtype import Type
from cellgrad.core.record import cast_to, complex_forms
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import (
    complex_linalg,
    complex_spectra,
    contractions,
    kinds,
    linalg,
    selection,
    spectral,
    statistics,
)
from cellgrad.ops.complex_rules import both_parts

# Their bodies are right for complex numbers as well, where each op in them is.
_AS_THEY_ARE = {
    "arrangement": "_tile _repeat_interleave flip roll rot90 meshgrid cartesian_prod combinations",
    "bands": "_band",
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
    "padding": "padded",
    "keys": "permutation",
    "pointwise": "addcmul addcdiv lerp positive isclose",
    "products": "addr outer ger kron cross trace_of vander",
    "random": "shuffle",
    "reductions": "sum mean all any",
    "samples": "_summed diff trapz",
    "scattering": "_masked_fill _scatter_elements _scatter_at _along",
    "selection": "_select stop_gradient",
    "shapes": "reshape flatten transpose swapaxes _broadcast_to squeeze expand_dims movedim ravel",
    "smaller": "dense",
    "statistics": "prod count_nonzero",
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
