"""Under the name older scripts use: ``from cellgrad.ops import composite as C``."""

from cellgrad.capture.maps import HyperMap, Map, MultitypeFuncGraph
from cellgrad.ops import (
    count_nonzero,
    cummin,
    dot,
    laplace,
    matmul,
    mm,
    multinomial,
    normal,
    ones_like,
    repeat_elements,
    repeat_interleave,
    sequence_mask,
    tensor_dot,
    uniform,
    vecdot,
    zeros_like,
)
from cellgrad.ops.composites import clip_by_global_norm
from cellgrad.ops.selection import clip_by_value
from cellgrad.transforms.grad import GradOperation

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "clip_by_global_norm",
    "clip_by_value",
    "count_nonzero",
    "cummin",
    "dot",
    "laplace",
    "matmul",
    "mm",
    "multinomial",
    "normal",
    "ones_like",
    "repeat_elements",
    "repeat_interleave",
    "sequence_mask",
    "tensor_dot",
    "uniform",
    "vecdot",
    "zeros_like",
]
