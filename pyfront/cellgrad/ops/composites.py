"""Operations over collections of tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import TensorLike, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_number, check_one_of, check_sequence
from cellgrad.core.errors import error
from cellgrad.core.number import real
from cellgrad.core.record import cast_to, check_tensor, emit, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops import _index, reductions
from cellgrad.ops._public import public

T = TypeVar("T")


@public()
@operation
def clip_by_global_norm(
    x: Sequence[Tensor], clip_norm: float = 1.0, use_norm: None = None
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

    >>> x, y = ops.clip_by_global_norm((Tensor([3.0]), Tensor([4.0])), 1.0)
    >>> print(x, y)
    [0.6] [0.8]
    """
    check_sequence(x, "clip_by_global_norm", "x", "Tensors")
    if not isinstance(clip_norm, Tensor):
        clip_norm = check_number(clip_norm, "clip_by_global_norm", "clip_norm", above=0)
    check_one_of(use_norm, "clip_by_global_norm", "use_norm", (None,))
    tensors = [check_tensor(t, "clip_by_global_norm", f"x[{i}]") for i, t in enumerate(x)]
    total: Any = None
    for t in tensors:
        squares: Tensor = reductions.sum(emit("cell.square", [_wide(t)]))
        total = squares if total is None else ew.binary("cell.add", total, squares)
    norm = emit("cell.sqrt", [total])
    limit = clip_norm if isinstance(clip_norm, Tensor) else real(clip_norm)
    bound = ew.binary("cell.maximum", norm, limit)
    out = []
    for t in tensors:
        scaled = ew.binary("cell.div", ew.binary("cell.mul", _wide(t), limit), bound, True)
        out.append(cast_to(scaled, t.dtype))
    return tuple(out)


def _wide(t: Tensor) -> Tensor:
    """The elements in float32 at least: squares of float16 overflow."""
    return t if t.dtype is mstype.float64 else cast_to(t, mstype.float32)


@public()
def clip_by_norm(
    x: Tensor | Sequence[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> TensorOrTensors:
    """Scales tensors by ``max_norm / (norm + 1e-6)`` where that is below 1; the norm is that of all
    their elements together. Integers become float32.

    Args:
        x: a Tensor, or a tuple or list of them.
        max_norm: the largest norm of the result.
        norm_type: the order of the norm, positive or infinite.
        error_if_nonfinite: whether a norm that is not finite is an error.

    Raises:
        TypeError: `x` is neither, or a number argument is not a number.
        ValueError: an order that is not positive.
        RuntimeError: a norm that is not finite.

    >>> print(ops.clip_by_norm(Tensor([3.0, 4.0]), 1.0))
    [0.5999999  0.79999983]
    """
    op = "clip_by_norm"
    max_norm = check_number(max_norm, op, "max_norm")
    norm_type = check_number(norm_type, op, "norm_type", above=0)
    listed: Any = (x,) if isinstance(x, Tensor) else x
    if not isinstance(listed, tuple | list) or not listed:
        raise argument_error(TypeError, op, "x", "a Tensor or a tuple or list of them", x)
    tensors = tuple(check_tensor(t, op, f"x[{i}]") for i, t in enumerate(listed))
    clipped, norm = _clipped_by_norm(tensors, float(max_norm), float(norm_type))
    if error_if_nonfinite:
        text = f"For {op}, the total norm of order {norm_type} from input is non-finite."
        if state.current.scope is not None:
            _index.check(
                gen.isfinite(norm), text, RuntimeError, "see where it comes from: ms.debug.nans()"
            )
        elif not math.isfinite(norm.item()):
            raise error(RuntimeError, text)
    return clipped[0] if isinstance(x, Tensor) else tuple(clipped)


@operation
def _clipped_by_norm(
    tensors: tuple[Tensor, ...], max_norm: float, order: float
) -> tuple[tuple[Tensor, ...], Tensor]:
    parts: list[Tensor] = []
    for t in tensors:
        size = emit("cell.abs", [_wide(t)])
        if math.isinf(order):
            parts.append(reductions.amax(size))
        elif order == 2:
            parts.append(reductions.sum(emit("cell.square", [size])))
        else:
            parts.append(reductions.sum(ew.power(size, order)))
    norm = parts[0]
    for part in parts[1:]:
        norm = ew.binary("cell.maximum" if math.isinf(order) else "cell.add", norm, part)
    if order == 2:
        norm = emit("cell.sqrt", [norm])
    elif not math.isinf(order):
        norm = ew.power(norm, 1 / order)
    factor = ew.binary("cell.minimum", max_norm / (norm + 1e-6), 1.0)
    scaled = [(ew.binary("cell.mul", _wide(t), factor), t.dtype) for t in tensors]
    out = tuple(cast_to(new, kept) if kept.kind == "f" else new for new, kept in scaled)
    return out, norm


@public(
    "ops.Depend",
)
def depend(value: Tensor, expr: object) -> Tensor:
    """`value`; assignments happen in the order of the program, so nothing needs to be tied.

    >>> print(ops.depend(Tensor([1.0]), Tensor([2.0])))
    [1.]
    """
    return value


@public(
    "ops.AddN",
    "ops.AccumulateNV2",
)
@operation
def addn(x: TensorLike) -> Tensor:
    """The sum of a tuple or list of Tensors of one shape.

    >>> print(ops.addn([Tensor([1.0, 2.0]), Tensor([3.0, 4.0])]))
    [4. 6.]
    """
    if not isinstance(x, tuple | list) or not x:
        raise argument_error(TypeError, "addn", "x", "a non-empty tuple or list of Tensors", x)
    total = check_tensor(x[0], "addn", "x[0]")
    for t in x[1:]:
        total = ew.binary("cell.add", total, t)
    return total
