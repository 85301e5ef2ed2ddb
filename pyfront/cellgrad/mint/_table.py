"""The functions of ``mint``: which operation each is, and the arguments it takes there."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.mint import _helpers as h
from cellgrad.mint._examples import EXAMPLES
from cellgrad.ops.sorting import kth

# Operations with the same arguments in `ops`.
SAME = [
    "abs",
    "acos",
    "acosh",
    "addbmm",
    "addmm",
    "addmv",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "baddbmm",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "broadcast_to",
    "ceil",
    "clamp",
    "clip",
    "cos",
    "cosh",
    "cross",
    "cumprod",
    "div",
    "divide",
    "dot",
    "dstack",
    "einsum",
    "eq",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "flip",
    "float_power",
    "floor",
    "floor_divide",
    "fmod",
    "full",
    "full_like",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "histc",
    "hstack",
    "inverse",
    "isclose",
    "isfinite",
    "isinf",
    "isneginf",
    "le",
    "less",
    "less_equal",
    "lerp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lt",
    "masked_select",
    "matmul",
    "maximum",
    "meshgrid",
    "minimum",
    "mm",
    "mul",
    "nan_to_num",
    "ne",
    "neg",
    "negative",
    "nonzero",
    "not_equal",
    "ones_like",
    "outer",
    "pow",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "searchsorted",
    "sigmoid",
    "sign",
    "sin",
    "sinc",
    "sinh",
    "square",
    "sum",
    "swapaxes",
    "t",
    "take",
    "tan",
    "tanh",
    "tile",
    "trace",
    "tril",
    "triu",
    "trunc",
    "unbind",
    "unique_consecutive",
    "unsqueeze",
    "xlogy",
    "zeros",
    "zeros_like",
]

OTHER: dict[str, Callable[..., Any]] = {
    "add": lambda input, other, *, alpha=1: ops.add(input, h.scaled(other, alpha)),
    "addcdiv": lambda input, tensor1, tensor2, *, value=1: ops.addcdiv(
        input, tensor1, tensor2, value
    ),
    "addcmul": lambda input, tensor1, tensor2, *, value=1: ops.addcmul(
        input, tensor1, tensor2, value
    ),
    "addr_": lambda input, vec1, vec2, beta=1, alpha=1: h.into(
        input, ops.addr(input, vec1, vec2, beta=beta, alpha=alpha)
    ),
    "all": lambda input, dim=None, keepdim=False: ops.all(input, dim, keepdim),
    "allclose": lambda input, other, rtol=1e-05, atol=1e-08, equal_nan=False: builtins.bool(
        ops.all(ops.isclose(input, other, rtol, atol, equal_nan))
    ),
    "amax": lambda input, dim=(), keepdim=False: ops.amax(input, dim, keepdim),
    "amin": lambda input, dim=(), keepdim=False: ops.amin(input, dim, keepdim),
    "any": lambda input, dim=None, keepdim=False: ops.any(input, dim, keepdim),
    "argmin": lambda input, dim=None, keepdim=False: ops.argmin(input, dim, keepdim).astype(
        mstype.int64
    ),
    "argsort": lambda input, dim=-1, descending=False, stable=False: ops.argsort(
        input, dim, descending
    ).astype(mstype.int64),
    "bernoulli": lambda input, *, generator=None: h.drawn(ops.bernoulli(input, input), generator),
    "bincount": lambda input, weights=None, minlength=0: h.to(
        ops.bincount(input, weights, minlength), mstype.int64 if weights is None else None
    ),
    "bmm": lambda input, mat2: ops.bmm(input, mat2),
    "cat": lambda tensors, dim=0: ops.cat(tensors, dim),
    "cdist": lambda x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary": ops.cdist(
        x1, x2, p
    ),
    "chunk": lambda input, chunks, dim=0: ops.chunk(input, chunks, dim),
    "clone": lambda input: input.copy(),
    "concat": lambda tensors, dim=0: ops.cat(tensors, dim),
    "conv2d": lambda input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1: (
        h.convolved(ops.conv2d, input, weight, bias, stride, padding, dilation, groups)
    ),
    "count_nonzero": lambda input, dim=None: ops.count_nonzero(
        input, () if dim is None else dim
    ).astype(mstype.int64),
    "cummax": lambda input, dim: h.long(ops.cummax(input, dim)),
    "cummin": lambda input, dim: h.long(ops.cummin(input, dim)),
    "cumsum": lambda input, dim, dtype=None: ops.cumsum(input, dim, dtype),
    "diag": lambda input, diagonal=0: h.diagonal(input, diagonal),
    "diff": lambda input, n=1, dim=-1, prepend=None, append=None: ops.diff(
        input, n, dim, prepend, append
    ),
    "fix": lambda input: ops.trunc(input),
    "flatten": lambda input, start_dim=0, end_dim=-1: ops.flatten(
        input, start_dim=start_dim, end_dim=end_dim
    ),
    "frac": lambda input: ops.frac(input),
    "gather": lambda input, dim, index: ops.gather_elements(input, dim, index),
    "histc": lambda input, bins=100, min=0, max=0: ops.histc(input, bins, min, max),
    "index_add": lambda input, dim, index, source, *, alpha=1: ops.index_add(
        input, index, h.scaled(source, alpha), dim
    ),
    "index_select": lambda input, dim, index: ops.index_select(input, dim, index),
    "isnan": lambda tensor: ops.isnan(tensor),
    "kthvalue": lambda input, k, dim=-1, keepdim=False: kth(input, k, dim, keepdim),
    "linspace": lambda start, end, steps, *, dtype=None: h.to(
        ops.linspace(start, end, steps), dtype
    ),
    "max": lambda input, dim=None, keepdim=False: h.extremum("max", input, dim, keepdim),
    "mean": lambda input, dim=None, keepdim=False, *, dtype=None: ops.mean(
        h.to(input, dtype), dim, keepdim
    ),
    "median": lambda input, dim=None, keepdim=False: h.median(input, dim, keepdim),
    "meshgrid": lambda *tensors, indexing=None: ops.meshgrid(*tensors, indexing=indexing or "ij"),
    "min": lambda input, dim=None, keepdim=False: h.extremum("min", input, dim, keepdim),
    "multinomial": lambda input, num_samples, replacement=False, *, generator=None: h.drawn(
        ops.multinomial(input, num_samples, replacement), generator
    ),
    "mv": lambda input, vec: ops.mv(input, vec),
    "nansum": lambda input, dim=None, keepdim=False, *, dtype=None: ops.nansum(
        input, dim, keepdim, dtype=dtype
    ),
    "narrow": lambda input, dim, start, length: ops.narrow(input, dim, start, length),
    "norm": lambda input, p="fro", dim=None, keepdim=False, *, dtype=None: ops.vector_norm(
        input, 2 if p == "fro" else p, dim, keepdim, dtype=dtype
    ),
    "ones": lambda size, *, dtype=None: ops.ones(size, dtype),
    "permute": lambda input, dims: ops.permute(input, dims),
    "prod": lambda input, dim=None, keepdim=False, *, dtype=None: ops.prod(
        input, dim, keepdim, dtype
    ),
    "rand": lambda *size, generator=None, dtype=None, device=None: h.drawn(
        ops.rand(*size, dtype=dtype), generator, device
    ),
    "rand_like": lambda input, *, dtype=None, device=None: h.drawn(
        ops.rand_like(input, dtype=dtype), None, device
    ),
    "randn": lambda *size, generator=None, dtype=None, device=None: h.drawn(
        ops.randn(*size, dtype=dtype), generator, device
    ),
    "randn_like": lambda input, *, dtype=None, device=None: h.drawn(
        ops.randn_like(input, dtype=dtype), None, device
    ),
    "randperm": lambda n, *, generator=None, dtype=mstype.int64: h.drawn(
        ops.randperm(n, dtype=dtype), generator
    ),
    "repeat_interleave": lambda input, repeats, dim=None, *, output_size=None: (
        ops.repeat_interleave(input, repeats, dim)
    ),
    "scatter": lambda input, dim, index, src: ops.scatter(input, dim, index, src),
    "scatter_add": lambda input, dim, index, src: ops.tensor_scatter_elements(
        input, index, src, dim, "add"
    ),
    "select": lambda input, dim, index: h.selected(input, dim, index),
    "softmax": lambda input, dim, *, dtype=None: ops.softmax(input, dim, dtype=dtype),
    "sort": lambda input, *, dim=-1, descending=False, stable=False: h.long(
        ops.sort(input, dim, descending)
    ),
    "split": lambda tensor, split_size_or_sections, dim=0: ops.split(
        tensor, split_size_or_sections, dim
    ),
    "sqrt": lambda input: ops.sqrt(input),
    "squeeze": lambda input, dim=None: ops.squeeze(input, dim),
    "stack": lambda tensors, dim=0: ops.stack(tensors, dim),
    "std": lambda input, dim=None, *, correction=1, keepdim=False: ops.std(
        input, dim, correction, keepdim
    ),
    "std_mean": lambda input, dim=None, *, correction=1, keepdim=False: ops.std_mean(
        input, dim, correction, keepdim
    ),
    "sub": lambda input, other, *, alpha=1: ops.subtract(input, other, alpha=alpha),
    "topk": lambda input, k, dim=-1, largest=True, sorted=True: h.long(
        ops.topk(input, k, dim, largest, sorted)
    ),
    "transpose": lambda input, dim0, dim1: ops.swapaxes(input, dim0, dim1),
    "var": lambda input, dim=None, *, correction=1, keepdim=False: ops.var(
        input, dim, correction, keepdim
    ),
    "var_mean": lambda input, dim=None, *, correction=1, keepdim=False: ops.var_mean(
        input, dim, correction, keepdim
    ),
    "vdot": lambda input, other: ops.dot(input, other),
    "where": lambda condition, input=None, other=None: (
        ops.nonzero(condition, as_tuple=True)
        if input is None
        else ops.where(condition, input, other)
    ),
}

FUNCTIONS = {name: getattr(ops, name) for name in SAME} | h.named(OTHER, "cellgrad.mint", EXAMPLES)
