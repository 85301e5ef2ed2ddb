"""Operations over collections of tensors."""

from __future__ import annotations

from typing import Any

from cellgrad._errors import error
from cellgrad.common import dtype as mstype
from cellgrad.common.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import reductions
from cellgrad.ops._core import cast_to, check_tensor, emit, operation

__all__ = [
    "addn",
    "clip_by_global_norm",
]


@operation
def clip_by_global_norm(
    x: Any, clip_norm: float = 1.0, use_norm: None = None
) -> tuple[Tensor, ...]:
    """Scales tensors by ``clip_norm / max(norm, clip_norm)``, where `norm` is that of all their
    elements together.

    Args:
        x: a tuple or list of Tensors.
        clip_norm: the largest norm of the result.
        use_norm: must be None, as in MindSpore.

    Raises:
        TypeError: `x` is not a tuple or list of Tensors.
        ValueError: `x` is empty, `clip_norm` is not positive, or `use_norm` is given.
    """
    if not isinstance(x, tuple | list):
        raise error(
            TypeError,
            f"For 'clip_by_global_norm', 'x' must be a tuple or list of Tensors, but got "
            f"{type(x).__name__}.",
            "put a single tensor into a tuple: (x,)" if isinstance(x, Tensor) else "",
        )
    if not x:
        raise error(ValueError, "For 'clip_by_global_norm', 'x' must not be empty.")
    if isinstance(clip_norm, bool) or not isinstance(clip_norm, int | float | Tensor):
        raise error(
            TypeError,
            f"For 'clip_by_global_norm', 'clip_norm' must be a number, but got "
            f"{type(clip_norm).__name__}.",
        )
    if not isinstance(clip_norm, Tensor) and clip_norm <= 0:
        raise error(
            ValueError,
            f"For 'clip_by_global_norm', 'clip_norm' must be positive, but got {clip_norm}.",
        )
    if use_norm is not None:
        raise error(ValueError, "For 'clip_by_global_norm', 'use_norm' must be None.")
    tensors = [check_tensor(t, "clip_by_global_norm", f"x[{i}]") for i, t in enumerate(x)]
    total: Any = None
    for t in tensors:
        squares: Tensor = reductions.sum(emit("cell.square", [_wide(t)]))
        total = squares if total is None else ew.binary("cell.add", total, squares)
    norm = emit("cell.sqrt", [total])
    limit = clip_norm if isinstance(clip_norm, Tensor) else float(clip_norm)
    bound = ew.binary("cell.maximum", norm, limit)
    out = []
    for t in tensors:
        scaled = ew.binary("cell.div", ew.binary("cell.mul", _wide(t), limit), bound, True)
        out.append(cast_to(scaled, t.dtype))
    return tuple(out)


def _wide(t: Tensor) -> Tensor:
    """The elements in float32 at least: squares of float16 overflow."""
    return t if t.dtype is mstype.float64 else cast_to(t, mstype.float32)


@operation
def addn(x: Any) -> Tensor:
    """The sum of a tuple or list of Tensors of one shape."""
    if not isinstance(x, tuple | list) or not x:
        raise error(TypeError, "For 'addn', 'x' must be a non-empty tuple or list of Tensors.")
    total = check_tensor(x[0], "addn", "x[0]")
    for t in x[1:]:
        total = ew.binary("cell.add", total, t)
    return total
