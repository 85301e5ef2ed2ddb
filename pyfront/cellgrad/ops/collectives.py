"""What several ranks compute together. Every rank calls the same functions in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import ranks, state
from cellgrad.core.arguments import argument_error, check_dtype, check_int, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import (
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    emit_several,
    operation,
    splat,
)
from cellgrad.core.tensor import Tensor

GROUP = "world"
_REDUCER = "DistributedGradReducer"
_GROUPS = ("", GROUP, "hccl_world_group", "nccl_world_group", "mccl_world_group")
_KINDS = ("sum", "prod", "min", "max")


def check_group(group: Any, op: str) -> str:
    """The group of all ranks, which is the only one.

    Raises:
        ValueError: another one.
    """
    if group is not None and group not in _GROUPS:
        raise error(
            ValueError,
            f"For '{op}', 'group' is {group!r}, but the group of all ranks is the only one.",
            "leave 'group' out",
        )
    return GROUP


def _given(x: Any, op: str) -> Tensor:
    """A tensor that ranks can exchange: bools are exchanged as int8."""
    x = check_tensor(x, op, "tensor")
    kind = x.dtype
    if kind in (mstype.uint8, mstype.uint16, mstype.uint32, mstype.uint64) or kind.kind == "c":
        raise argument_error(
            TypeError, op, "tensor", "a Tensor of bool, signed integers or floats", kind
        )
    return cast_to(x, mstype.int8) if kind is mstype.bool_ else x


def _back(y: Tensor, x: Any) -> Tensor:
    return cast_to(y, x.dtype) if y.dtype is not x.dtype else y


def _parted(x: Tensor, op: str) -> int:
    """The number of ranks, among which dimension 0 of x is divided."""
    count = ranks.size()
    if x.ndim == 0 or x.shape[0] % count:
        raise error(
            ValueError,
            f"For '{op}', dimension 0 of the tensor is divided among {count} ranks, but its shape is "
            f"{x.shape}.",
            f"give it a first dimension that is a multiple of {count}",
        )
    return count


def _divided(x: Tensor, degree: int | None) -> Tensor:
    """x / degree, or by the number of ranks, which is known when the program runs."""
    if degree is not None:
        return emit("cell.div", [x, splat(degree, x.dtype, x.shape)])
    count = cast_to(emit("cell.group_size", [], {}, mstype.int64, ()), x.dtype)
    return emit("cell.div", [x, broadcast_to_shape(count, x.shape)])


@operation
def all_reduce(tensor: Tensor, op: str = "sum", ordered: bool = False) -> Tensor:
    """Each element combined over all ranks, on all.

    Args:
        tensor: of the same shape and dtype on all ranks.
        op: "sum", "prod", "min", "max", or "mean": the sum divided by the number of ranks.
        ordered: whether ranks are combined as a balanced binary tree whatever the communicator is.

    Derivatives are those of the sum of all ranks' objectives; of "min" and "max", equal parts go to the
    elements that attain it, and "prod" has none.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `op` is another.
    """
    check_one_of(op, "all_reduce", "op", (*_KINDS, "mean"))
    x = _given(tensor, "all_reduce")
    combine = "sum" if op == "mean" else op
    y = emit("cell.all_reduce", [x], {"combine": combine, "ordered": bool(ordered)})
    if op == "mean":
        check_dtype(tensor, "all_reduce", "tensor", "f")
        y = _divided(y, None)
    return _back(y, tensor)


@operation
def all_gather(tensor: Tensor) -> Tensor:
    """The tensors of all ranks, one behind the other along dimension 0, on all.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: it has no dimension.
    """
    x, count = _given(tensor, "all_gather"), ranks.size()
    if x.ndim == 0:
        raise argument_error(ValueError, "all_gather", "tensor", "at least one dimension", 0)
    shape = (count * x.shape[0], *x.shape[1:])
    return _back(emit("cell.all_gather", [x], {"ranks": count}, x.dtype, shape), tensor)


@operation
def reduce_scatter(tensor: Tensor, op: str = "sum") -> Tensor:
    """Combines the tensors of all ranks; each gets its part along dimension 0.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `op` is not "sum", "prod", "min" or "max", or dimension 0 cannot be divided.
    """
    check_one_of(op, "reduce_scatter", "op", _KINDS)
    x = _given(tensor, "reduce_scatter")
    count = _parted(x, "reduce_scatter")
    shape = (x.shape[0] // count, *x.shape[1:])
    attrs = {"combine": op, "ranks": count}
    return _back(emit("cell.reduce_scatter", [x], attrs, x.dtype, shape), tensor)


@operation
def all_to_all(tensor: Tensor) -> Tensor:
    """Part i of the tensor along dimension 0 goes to rank i; the parts that come are in order of ranks.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: dimension 0 cannot be divided by the number of ranks.
    """
    x = _given(tensor, "all_to_all")
    count = _parted(x, "all_to_all")
    return _back(emit("cell.all_to_all", [x], {"ranks": count}), tensor)


@operation
def broadcast(tensor: Tensor, root: int = 0) -> Tensor:
    """The tensor of rank `root`, on all.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, or `root` not an int.
        ValueError: there is no such rank.
    """
    root = check_int(root, "broadcast", "root", at_least=0, below=ranks.size())
    return _back(emit("cell.broadcast_from", [_given(tensor, "broadcast")], {"root": root}), tensor)


@operation
def barrier() -> Tensor:
    """Waits until all ranks are here; returns 0."""
    emit_several("cell.meet", [])
    return splat(0, mstype.int32, ())


@operation
def _reduced(gradients: tuple[Tensor, ...], mean: bool, degree: int | None) -> tuple[Tensor, ...]:
    sums = list(gradients)
    # In the order in which a gradient is computed: that of the last layer is there first.
    for i in reversed(range(len(sums))):
        sums[i] = emit("cell.all_reduce", [sums[i]], {"combine": "sum"})
    return tuple(_divided(x, degree) for x in sums) if mean else tuple(sums)


def reduced_gradients(
    gradients: Sequence[Tensor], mean: bool, degree: int | None = None
) -> tuple[Tensor, ...]:
    """Sums of gradients over all ranks; with `mean`, divided by `degree`, or the number of ranks.

    The compiler makes one collective of those of one dtype, 25 MB at a time, and begins it as soon as its
    gradients are there.

    Raises:
        TypeError: one is not a Tensor of floating-point numbers.
    """
    for gradient in gradients:
        check_dtype(check_tensor(gradient, _REDUCER, "grads"), _REDUCER, "grads", "f")
    if state.current.scope is None and ranks.size() == 1 and degree in (None, 1):
        return tuple(gradients)
    return _reduced(tuple(gradients), mean, degree)  # type: ignore[no-any-return]
