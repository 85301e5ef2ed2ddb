"""What several ranks compute together. Every rank calls the same functions in the same order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import groups, ranks, state
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

GROUP = groups.WORLD
_REDUCER = "DistributedGradReducer"
_KINDS = ("sum", "prod", "min", "max")
check_group = groups.check
# No tag of a program, and not of a derivative.
_EXCHANGE = 2**31


class CommHandle:
    """What is waited for: `wait()` returns when it is done, and does it where it has to come last."""

    def __init__(self, work: Callable[[], Any] | None = None):
        self._work = work

    def wait(self) -> None:
        """Returns when it is done."""
        work, self._work = self._work, None
        if work is not None:
            work()


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


def _parted(x: Tensor, op: str, group: str | None) -> int:
    """The number of ranks, among which dimension 0 of x is divided."""
    count = len(groups.members(group, op))
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
def all_reduce(
    tensor: Tensor, op: str = "sum", ordered: bool = False, group: str | None = None
) -> Tensor:
    """Each element combined over all ranks, on all.

    Args:
        tensor: of the same shape and dtype on all ranks.
        op: "sum", "prod", "min", "max", or "mean": the sum divided by the number of ranks.
        ordered: whether ranks are combined as a balanced binary tree whatever the communicator is.
        group: whose ranks take part, instead of all.

    Derivatives are those of the sum of all ranks' objectives; of "min" and "max", equal parts go to the
    elements that attain it. That of "prod" does not divide: it is exact where elements are zero.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `op` is another, or this rank is not in the group.
    """
    check_one_of(op, "all_reduce", "op", (*_KINDS, "mean"))
    x = _given(tensor, "all_reduce")
    combine = "sum" if op == "mean" else op
    taking = groups.attribute(group, "all_reduce")
    attrs = {"combine": combine, "ordered": bool(ordered), **taking}
    if op == "prod":  # what its derivative is made for
        attrs["ranks"] = len(groups.members(group, "all_reduce"))
    y = emit("cell.all_reduce", [x], attrs)
    if op == "mean":
        check_dtype(tensor, "all_reduce", "tensor", "f")
        y = _divided(y, len(taking["group"]) if taking else None)
    return _back(y, tensor)


@operation
def all_gather(tensor: Tensor, group: str | None = None) -> Tensor:
    """The tensors of all ranks, or those of `group`, one behind the other along dimension 0, on all.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: it has no dimension, or this rank is not in the group.
    """
    x, count = _given(tensor, "all_gather"), len(groups.members(group, "all_gather"))
    if x.ndim == 0:
        raise argument_error(ValueError, "all_gather", "tensor", "at least one dimension", 0)
    shape = (count * x.shape[0], *x.shape[1:])
    attrs = {"ranks": count, **groups.attribute(group, "all_gather")}
    return _back(emit("cell.all_gather", [x], attrs, x.dtype, shape), tensor)


@operation
def reduce_scatter(tensor: Tensor, op: str = "sum", group: str | None = None) -> Tensor:
    """Combines the tensors of all ranks, or those of `group`; each gets its part along dimension 0.

    Derivatives are as those of `all_reduce`.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `op` is not "sum", "prod", "min" or "max", dimension 0 cannot be divided, or this
            rank is not in the group.
    """
    check_one_of(op, "reduce_scatter", "op", _KINDS)
    x = _given(tensor, "reduce_scatter")
    count = _parted(x, "reduce_scatter", group)
    shape = (x.shape[0] // count, *x.shape[1:])
    attrs = {"combine": op, "ranks": count, **groups.attribute(group, "reduce_scatter")}
    return _back(emit("cell.reduce_scatter", [x], attrs, x.dtype, shape), tensor)


@operation
def all_to_all(tensor: Tensor, group: str | None = None) -> Tensor:
    """Part i of the tensor along dimension 0 goes to rank i; the parts that come are in order of ranks.

    With `group`, to the i-th of its ranks.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: dimension 0 cannot be divided by the number of ranks, or this rank is not in the group.
    """
    x = _given(tensor, "all_to_all")
    count = _parted(x, "all_to_all", group)
    attrs = {"ranks": count, **groups.attribute(group, "all_to_all")}
    return _back(emit("cell.all_to_all", [x], attrs), tensor)


@operation
def broadcast(tensor: Tensor, root: int = 0, group: str | None = None) -> Tensor:
    """The tensor of rank `root`, on all, or those of `group`; its number is that among all ranks.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, or `root` not an int.
        ValueError: there is no such rank, or it or this one is not in the group.
    """
    root = check_int(root, "broadcast", "root", at_least=0, below=ranks.size())
    if root not in groups.members(group, "broadcast"):
        raise error(
            ValueError,
            f"For 'broadcast', 'root' is {root}, which is not in the group {group!r}.",
            "give the number of a rank among all ranks",
        )
    attrs = {"root": root, **groups.attribute(group, "broadcast")}
    return _back(emit("cell.broadcast_from", [_given(tensor, "broadcast")], attrs), tensor)


def _message(peer: int, tag: int, op: str, name: str) -> dict[str, int]:
    """The attributes of a message with that rank, whose number is that among all ranks."""
    peer = check_int(peer, op, name, at_least=0, below=ranks.size())
    if peer == ranks.rank():
        raise error(
            ValueError,
            f"For '{op}', '{name}' is {peer}, which is this rank.",
            "a message is between two ranks",
        )
    return {"peer": peer, "tag": check_int(tag, op, "tag", at_least=0, below=2**31)}


@operation
def send(tensor: Tensor, to: int, tag: int = 0) -> Tensor:
    """Sends the tensor to another rank, which receives it by the same tag; returns the tensor.

    Does not wait for the receiver, unless there is no more room for what it has not received. Messages to
    one rank by one tag come in their order.

    The cotangent that the receiver sends back is in the gradient where what this returns is used in place
    of `tensor`.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, `to` or `tag` not an int.
        ValueError: there is no such rank, it is this one, or `tag` is not from 0 to 2**31 - 1.
    """
    attrs = _message(to, tag, "send", "to")
    x = _given(tensor, "send")
    return _back(emit("cell.add", [x, emit("cell.send", [x], attrs)]), tensor)


@operation
def receive(like: Tensor, source: int, tag: int = 0) -> Tensor:
    """The tensor of the shape and dtype of `like` that another rank sends by the same tag.

    Its cotangent is sent back where `like` is computed from what is differentiated.

    Raises:
        TypeError: `like` is not a Tensor that can be exchanged, `source` or `tag` not an int.
        ValueError: there is no such rank, it is this one, or `tag` is not from 0 to 2**31 - 1.
    """
    attrs = _message(source, tag, "receive", "source")
    return _back(emit("cell.receive", [_given(like, "receive")], attrs), like)


@operation
def exchange(
    parts: tuple[Tensor, ...], like: tuple[Tensor, ...], group: str | None = None
) -> tuple[Tensor, ...]:
    """What the ranks send to this one, of the shapes and dtype of `like`; part i goes to the i-th of them.

    Sizes may differ, as each part is a message.

    Raises:
        TypeError: one is not a Tensor that can be exchanged.
        ValueError: this rank is not in the group.
    """
    members, own = groups.taking_part(group, "exchange"), ranks.rank()
    for part, peer in zip(parts, members, strict=True):
        if peer != own:
            emit("cell.send", [_given(part, "exchange")], {"peer": peer, "tag": _EXCHANGE})
    found = []
    for part, kind, peer in zip(parts, like, members, strict=True):
        attrs = {"peer": peer, "tag": _EXCHANGE}
        if peer != own:
            part = _back(emit("cell.receive", [_given(kind, "exchange")], attrs), kind)
        found.append(part)
    return tuple(found)


@operation
def barrier(group: str | None = None) -> Tensor:
    """Waits until all ranks, or those of `group`, are here; returns 0.

    Raises:
        ValueError: this rank is not in the group.
    """
    emit_several("cell.meet", [], groups.attribute(group, "barrier"))
    return splat(0, mstype.int32, ())


@operation
def _reduced(
    gradients: tuple[Tensor, ...], mean: bool, degree: int | None, group: str | None
) -> tuple[Tensor, ...]:
    sums, taking = list(gradients), groups.attribute(group, _REDUCER)
    if taking and degree is None:
        degree = len(taking["group"])
    # In the order in which a gradient is computed: that of the last layer is there first.
    for i in reversed(range(len(sums))):
        sums[i] = emit("cell.all_reduce", [sums[i]], {"combine": "sum", **taking})
    return tuple(_divided(x, degree) for x in sums) if mean else tuple(sums)


def reduced_gradients(
    gradients: Sequence[Tensor], mean: bool, degree: int | None = None, group: str | None = None
) -> tuple[Tensor, ...]:
    """Sums of gradients over all ranks, or those of `group`; with `mean`, divided by `degree`, or their number.

    The compiler makes one collective of those of one dtype, an eighth at a time, and begins it as soon as its
    gradients are there.

    Raises:
        TypeError: one is not a Tensor of floating-point numbers.
    """
    for gradient in gradients:
        check_dtype(check_tensor(gradient, _REDUCER, "grads"), _REDUCER, "grads", "f")
    if state.current.scope is None and ranks.size() == 1 and degree in (None, 1):
        return tuple(gradients)
    return _reduced(tuple(gradients), mean, degree, group)  # type: ignore[no-any-return]
