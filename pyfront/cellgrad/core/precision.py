"""What `amp.auto_mixed_precision` at level "auto" has operations compute in, each by its name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.dtype import Type

_PRODUCTS = (
    *("matmul", "mat_mul", "batch_mat_mul", "mv", "dot", "inner", "tensor_dot"),
    *("addmm", "addmv", "addbmm", "baddbmm"),
)
_FULL = {
    "activations": ("softplus",),
    "class_losses": (
        *("cross_entropy", "nll_loss", "multi_margin_loss", "multilabel_margin_loss"),
    ),
    "cumulative": ("_cumsum", "_cumprod"),
    "exponentials": ("log_softmax", "logsumexp"),
    "losses": (
        *("binary_cross_entropy_with_logits", "kl_div", "smooth_l1_loss", "soft_margin_loss"),
        "triplet_margin_loss",
    ),
    "normalization": (
        *("layer_norm", "group_norm", "_layer_norm_with_statistics"),
        *("_batch_norm_inference", "_batch_norm_training"),
    ),
    "normed": ("pdist", "renorm"),
    "pointwise": ("float_power",),
    "reductions": ("softmax", "sum", "var", "std"),
    "samples": ("cdist",),
    "statistics": ("prod",),
    "cell": (
        *("pow", "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log1p", "log2"),
        *("reciprocal", "rsqrt", "sinh", "tan"),
    ),
}
# By module and name, as in `record.complex_forms`: whether an operation computes in the lower precision, else
# in float32. Those that are not listed compute in what they are given.
LISTED: dict[str, bool] = {
    **{f"contractions.{name}": True for name in _PRODUCTS},
    "convolution": True,
    "activations.prelu": True,
    "einsums.einsum": True,
    "smaller.dense": True,
    **{f"{module}.{name}": False for module, names in _FULL.items() for name in names},
}


def wanted(key: str) -> Type | None:
    """What a listed operation computes in here, or None for what it is given."""
    lower: Type | None = state.current.precision
    if lower is None:
        return None
    listed = LISTED.get(key)
    return None if listed is None else lower if listed else mstype.float32


@contextlib.contextmanager
def computing_in(lower: Type | None) -> Iterator[None]:
    """Has listed operations compute in a precision, in this thread; None is as without."""
    before = state.current.precision
    state.put("precision", lower)
    try:
        yield
    finally:
        state.put("precision", before)
