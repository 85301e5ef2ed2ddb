"""Collectives and messages that write into the tensors they are given, as in `mint.distributed`.

Tensors of a list lie behind each other in what is communicated; where their sizes differ, each has the room
of the largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core import groups, ranks
from cellgrad.core.arguments import argument_error, check_bool, check_ints, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives
from cellgrad.ops._public import public
from cellgrad.ops.collectives import CommHandle
from cellgrad.ops.joining import concat
from cellgrad.ops.process_groups import group_name, member
from cellgrad.ops.selection import div
from cellgrad.ops.shapes import reshape

KINDS = ("sum", "prod", "min", "max", "avg")


def handle_of(async_op: Any, op: str) -> CommHandle | None:
    return CommHandle() if check_bool(async_op, op, "async_op") else None


def flat(x: Tensor, size: int | None = None) -> Tensor:
    """The elements in one dimension, with zeros behind them up to a size."""
    out: Tensor = reshape(x, (x.size,))
    if size is None or size == x.size:
        return out
    return concat((out, splat(0, x.dtype, (size - x.size,))))


def write(out: Any, value: Tensor, op: str, argument: str) -> None:
    """Puts elements into a tensor of as many, and of their dtype."""
    out = check_tensor(out, op, argument)
    if out.dtype is not value.dtype:
        raise argument_error(
            TypeError, op, argument, f"a Tensor of {value.dtype}, as what is sent", out.dtype
        )
    if out.size != value.size:
        raise error(
            ValueError,
            f"For '{op}', '{argument}' has {out.size} elements of shape {list(out.shape)}, and gets {value.size}.",
            "give a tensor of as many elements",
        )
    out._replace(reshape(value, out.shape), op)


def tensors_of(
    given: Any, count: int | None, op: str, argument: str, like: Tensor | None = None
) -> list[Tensor]:
    """A list of tensors of one dtype, one for each rank.

    Raises:
        TypeError: something else, or a tensor of another dtype than the first, or than `like`.
        ValueError: another number of them.
    """
    if not isinstance(given, list | tuple):
        raise argument_error(TypeError, op, argument, "a list of Tensors", given)
    found = [check_tensor(x, op, argument) for x in given]
    if count is not None and len(found) != count:
        raise argument_error(
            ValueError, op, argument, f"{count} Tensors, one for each rank", len(found)
        )
    kind = (like if like is not None else found[0]).dtype
    for x in found:
        if x.dtype is not kind:
            raise argument_error(TypeError, op, argument, f"Tensors of {kind}", x.dtype)
    return found


def averaged(total: Tensor, kind: str, count: int) -> Tensor:
    """The sum, divided for "avg": an integer without its fraction."""
    if kind != "avg":
        return total
    rounding = None if total.dtype.kind == "f" else "trunc"
    out: Tensor = div(total, count, rounding_mode=rounding)
    return out.astype(total.dtype)


def _combined(tensor: Any, kind: str, group: str | None, op: str) -> Tensor:
    x = check_tensor(tensor, op, "tensor")
    total = collectives.all_reduce(x, "sum" if kind == "avg" else kind, group=group)
    return averaged(total, kind, len(groups.members(group, op)))


def team(group: Any, op: str) -> tuple[str | None, tuple[int, ...], int]:
    """The group, its ranks, and the place of this one."""
    name = group_name(group, op)
    found = groups.taking_part(name, op)
    return name, found, found.index(ranks.rank())


# --- all ranks get something ----------------------------------------------------------------------


@public()
def all_reduce(
    tensor: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Puts each element combined over all ranks into the tensor, on all; see `ops.AllReduce`.

    Args:
        tensor: of the same shape and dtype on all ranks.
        op: "sum", "prod", "min", "max", or "avg", the sum divided by the number of ranks.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `op` is another, or this rank is not in the group.

    >>> x = Tensor([1.0, 2.0])
    >>> ops.all_reduce(x)
    >>> print(x)  # on one rank
    [1. 2.]
    """
    handle, (name, _, _) = handle_of(async_op, "all_reduce"), team(group, "all_reduce")
    check_one_of(op, "all_reduce", "op", KINDS)
    write(tensor, _combined(tensor, op, name, "all_reduce"), "all_reduce", "tensor")
    return handle


@public()
def reduce(
    tensor: Tensor, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Puts each element combined over all ranks into the tensor of rank `dst`; see `ops.all_reduce`.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, or `dst` not an int.
        ValueError: `op` is another, or `dst` or this rank is not in the group.

    >>> x = Tensor([1.0, 2.0])
    >>> ops.reduce(x, 0)
    >>> print(x)
    [1. 2.]
    """
    handle, (name, _, _) = handle_of(async_op, "reduce"), team(group, "reduce")
    check_one_of(op, "reduce", "op", KINDS)
    to = member(dst, name, "reduce", "dst")
    total = _combined(tensor, op, name, "reduce")
    if ranks.rank() == to:
        write(tensor, total, "reduce", "tensor")
    return handle


@public()
def broadcast(
    tensor: Tensor, src: int, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Puts the tensor of rank `src` into that of all; see `ops.Broadcast`.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, or `src` not an int.
        ValueError: `src` or this rank is not in the group.

    >>> x = Tensor([1.0, 2.0])
    >>> ops.broadcast(x, 0)
    >>> print(x)
    [1. 2.]
    """
    handle, (name, _, _) = handle_of(async_op, "broadcast"), team(group, "broadcast")
    root = member(src, name, "broadcast", "src")
    write(tensor, collectives.broadcast(tensor, root, name), "broadcast", "tensor")
    return handle


@public()
def barrier(
    group: str | None = None, async_op: bool = False, device_ids: object = None
) -> CommHandle | None:
    """Waits until all ranks are here; see `ops.Barrier`.

    Args:
        group: whose ranks are waited for, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.
        device_ids: kept for scripts.

    Raises:
        ValueError: this rank is not in the group.

    >>> ops.barrier()
    """
    handle, (name, _, _) = handle_of(async_op, "barrier"), team(group, "barrier")
    collectives.barrier(name)
    return handle


# --- gather ---------------------------------------------------------------------------------------


def gathered(parts: Sequence[Tensor], own: Tensor, group: str | None) -> list[Tensor]:
    """The tensors of all ranks, whose sizes are those of `parts`."""
    room = max(x.size for x in parts)
    whole = collectives.all_gather(flat(own, room), group)
    return [whole[i * room : i * room + x.size] for i, x in enumerate(parts)]


@public()
def all_gather(
    tensor_list: Sequence[Tensor], tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Puts the tensors of all ranks into those of a list, on all.

    Args:
        tensor_list: a Tensor for each rank, of the shape of the tensor there; the same on all ranks.
        tensor: what this rank gives.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: another number of them, `tensor` has another shape than the one in its place, or this
            rank is not in the group.

    >>> whole = [Tensor([0.0, 0.0])]
    >>> ops.all_gather(whole, Tensor([1.0, 2.0]))
    >>> print(whole[0])
    [1. 2.]
    """
    op = "all_gather"
    handle, (name, members, place) = handle_of(async_op, op), team(group, op)
    own = check_tensor(tensor, op, "tensor")
    parts = tensors_of(tensor_list, len(members), op, "tensor_list", own)
    if own.shape != parts[place].shape:
        expected = f"the shape {list(parts[place].shape)} of its place in 'tensor_list'"
        raise argument_error(ValueError, op, "tensor", expected, list(own.shape))
    for out, value in zip(parts, gathered(parts, own, name), strict=True):
        write(out, value, op, "tensor_list")
    return handle


@public()
def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Puts the tensors of all ranks, one behind the other, into one, on all; see `ops.AllGather`.

    Args:
        output_tensor: of as many elements as all have; the first dimension is that of the ranks, or of
            their tensors joined.
        input_tensor: what this rank gives.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: another number of elements, or this rank is not in the group.

    >>> whole = Tensor([0.0, 0.0])
    >>> ops.all_gather_into_tensor(whole, Tensor([1.0, 2.0]))
    >>> print(whole)
    [1. 2.]
    """
    op = "all_gather_into_tensor"
    handle, (name, _, _) = handle_of(async_op, op), team(group, op)
    own = check_tensor(input_tensor, op, "input_tensor")
    write(output_tensor, collectives.all_gather(flat(own), name), op, "output_tensor")
    return handle


@public()
def gather_into_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    dst: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Puts the tensors of all ranks, one behind the other, into one of rank `dst`.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged, or `dst` not an int.
        ValueError: another number of elements on rank `dst`, or it or this one is not in the group.

    >>> whole = Tensor([0.0, 0.0])
    >>> ops.gather_into_tensor(whole, Tensor([1.0, 2.0]))
    >>> print(whole)
    [1. 2.]
    """
    op = "gather_into_tensor"
    handle, (name, _, _) = handle_of(async_op, op), team(group, op)
    to = member(dst, name, op, "dst")
    whole = collectives.all_gather(flat(check_tensor(input_tensor, op, "input_tensor")), name)
    if ranks.rank() == to:
        write(output_tensor, whole, op, "output_tensor")
    return handle


def sizes_of(given: Any, rows: int, count: int, op: str, argument: str) -> tuple[int, ...]:
    """How many of the rows belong to each rank: as many each, if it is not said."""
    if given is None or len(given) == 0:
        if rows % count:
            raise error(
                ValueError,
                f"For '{op}', {rows} rows cannot be divided among {count} ranks.",
                f"say how many belong to each: {argument}",
            )
        return (rows // count,) * count
    if len(given) != count:
        raise argument_error(ValueError, op, argument, f"{count} ints", len(given))
    sizes = check_ints(given, op, argument, count, at_least=0)
    if sum(sizes) != rows:
        raise argument_error(
            ValueError, op, argument, f"{rows} rows in all, as the tensor has", list(sizes)
        )
    return sizes


def rows_of(x: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """The rows of each rank."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [x[end - n : end] for end, n in zip(ends, sizes, strict=True)]


def with_rows(x: Any, op: str, argument: str) -> Tensor:
    out: Tensor = check_tensor(x, op, argument)
    if out.ndim == 0:
        raise argument_error(ValueError, op, argument, "at least one dimension", 0)
    return out


@public()
def all_gather_into_tensor_uneven(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Puts the tensors of all ranks, of which each has as many rows as it is said, into one, on all.

    Args:
        output: of all rows.
        input: the rows of this rank.
        output_split_sizes: how many rows each rank has; as many each where it is left out.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: sizes that do not add up to the rows of `output`, another number of rows of `input`,
            or this rank is not in the group.

    >>> whole = Tensor([0.0, 0.0])
    >>> ops.all_gather_into_tensor_uneven(whole, Tensor([1.0, 2.0]), [2])
    >>> print(whole)
    [1. 2.]
    """
    op = "all_gather_into_tensor_uneven"
    handle, (name, members, place) = handle_of(async_op, op), team(group, op)
    whole, own = with_rows(output, op, "output"), with_rows(input, op, "input")
    sizes = sizes_of(output_split_sizes, whole.shape[0], len(members), op, "output_split_sizes")
    if own.shape != (sizes[place], *whole.shape[1:]):
        expected = f"the shape {[sizes[place], *whole.shape[1:]]}"
        raise argument_error(ValueError, op, "input", expected, list(own.shape))
    write(whole, concat(gathered(rows_of(whole, sizes), own, name)), op, "output")
    return handle
