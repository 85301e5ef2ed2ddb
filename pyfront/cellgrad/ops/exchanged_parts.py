"""Collectives that give each rank another part, into the tensors they are given, as in `mint.distributed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core import groups, ranks
from cellgrad.core.arguments import argument_error, check_one_of
from cellgrad.core.record import check_tensor, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives
from cellgrad.ops._public import public
from cellgrad.ops.collectives import CommHandle
from cellgrad.ops.exchanges import (
    KINDS,
    averaged,
    flat,
    handle_of,
    rows_of,
    sizes_of,
    team,
    tensors_of,
    with_rows,
    write,
)
from cellgrad.ops.joining import concat
from cellgrad.ops.process_groups import member


def _scattered(x: Tensor, kind: str, group: str | None, op: str) -> Tensor:
    total = collectives.reduce_scatter(x, "sum" if kind == "avg" else kind, group)
    return averaged(total, kind, len(groups.members(group, op)))


# --- reduce and scatter ---------------------------------------------------------------------------


def _reduced_part(
    parts: Sequence[Tensor], output: Any, kind: str, group: str | None, op: str
) -> None:
    room = max(x.size for x in parts)
    part = _scattered(concat([flat(x, room) for x in parts]), kind, group, op)
    own = parts[groups.members(group, op).index(ranks.rank())]
    write(output, part[: own.size], op, "output")


@public()
def reduce_scatter(
    output: Tensor,
    input_list: Sequence[Tensor],
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Combines the lists of all ranks tensor by tensor; each rank gets the one in its place.

    Args:
        output: of the shape of this rank's place in the list.
        input_list: a Tensor for each rank; of the same shapes on all.
        op: "sum", "prod", "min", "max", or "avg", the sum divided by the number of ranks.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: `op` is another, another number of Tensors or elements, or this rank is not in the group.

    >>> part = Tensor([0.0, 0.0])
    >>> ops.reduce_scatter(part, [Tensor([1.0, 2.0])])
    >>> print(part)
    [1. 2.]
    """
    handle, (name, members, _) = (
        handle_of(async_op, "reduce_scatter"),
        team(group, "reduce_scatter"),
    )
    check_one_of(op, "reduce_scatter", "op", KINDS)
    parts = tensors_of(input_list, len(members), "reduce_scatter", "input_list")
    _reduced_part(parts, output, op, name, "reduce_scatter")
    return handle


@public()
def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Combines the tensors of all ranks; each gets its part; see `ops.ReduceScatter`.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: `op` is another, `input` has not as many elements as all outputs, or this rank is not
            in the group.

    >>> part = Tensor([0.0, 0.0])
    >>> ops.reduce_scatter_tensor(part, Tensor([1.0, 2.0]))
    >>> print(part)
    [1. 2.]
    """
    here = "reduce_scatter_tensor"
    handle, (name, _, _) = handle_of(async_op, here), team(group, here)
    check_one_of(op, here, "op", KINDS)
    x = check_tensor(input, here, "input")
    write(output, _scattered(flat(x), op, name, here), here, "output")
    return handle


@public()
def reduce_scatter_tensor_uneven(
    output: Tensor,
    input: Tensor,
    input_split_sizes: Sequence[int] | None = None,
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Combines the tensors of all ranks; each gets as many rows as it is said.

    Args:
        output: of the rows of this rank.
        input: of all rows.
        input_split_sizes: how many rows belong to each rank; as many each where it is left out.
        op: "sum", "min", "max", or "avg", the sum divided by the number of ranks.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: `op` is another, sizes that do not add up to the rows of `input`, another number of
            elements of `output`, or this rank is not in the group.

    >>> part = Tensor([0.0, 0.0])
    >>> ops.reduce_scatter_tensor_uneven(part, Tensor([1.0, 2.0]), [2])
    >>> print(part)
    [1. 2.]
    """
    here = "reduce_scatter_tensor_uneven"
    handle, (name, members, _) = handle_of(async_op, here), team(group, here)
    check_one_of(op, here, "op", ("sum", "min", "max", "avg"))
    x = with_rows(input, here, "input")
    sizes = sizes_of(input_split_sizes, x.shape[0], len(members), here, "input_split_sizes")
    _reduced_part(rows_of(x, sizes), output, op, name, here)
    return handle


def scattered(parts: Sequence[Tensor] | None, like: Tensor, src: int, group: str | None) -> Tensor:
    """This rank's of the parts, all of the size of `like`, that rank `src` has."""
    members = groups.members(group, "scatter")
    if parts is None:
        whole = splat(0, like.dtype, (len(members) * like.size,))
    else:
        whole = concat([flat(x) for x in parts])
    place = members.index(src)
    exchanged = collectives.all_to_all(whole, group)
    return exchanged[place * like.size : (place + 1) * like.size]


@public()
def scatter_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    src: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Puts this rank's part of the tensor of rank `src` into one.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged, or `src` not an int.
        ValueError: `input_tensor` has not as many elements as all outputs, or `src` or this rank is not in
            the group.

    >>> part = Tensor([0.0, 0.0])
    >>> ops.scatter_tensor(part, Tensor([1.0, 2.0]))
    >>> print(part)
    [1. 2.]
    """
    op = "scatter_tensor"
    handle, (name, members, _) = handle_of(async_op, op), team(group, op)
    root = member(src, name, op, "src")
    out, whole = (
        check_tensor(output_tensor, op, "output_tensor"),
        check_tensor(input_tensor, op, "input_tensor"),
    )
    if whole.size != len(members) * out.size:
        expected = f"{len(members)} times the {out.size} elements of 'output_tensor'"
        raise argument_error(ValueError, op, "input_tensor", expected, whole.size)
    write(out, scattered([whole], out, root, name), op, "output_tensor")
    return handle


# --- to each another one --------------------------------------------------------------------------


@public()
def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Sends the i-th tensor of a list to rank i, and puts what that sends into the i-th of another list.

    Args:
        output_tensor_list: a Tensor for each rank, of as many elements as that sends to this one.
        input_tensor_list: a Tensor for each rank, of any shape.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: another number of them, or this rank is not in the group.
        RuntimeError: a rank sends another number of elements.

    >>> parts = [Tensor([0.0, 0.0])]
    >>> ops.all_to_all(parts, [Tensor([1.0, 2.0])])
    >>> print(parts[0])
    [1. 2.]
    """
    op = "all_to_all"
    handle, (name, members, _) = handle_of(async_op, op), team(group, op)
    given = tensors_of(input_tensor_list, len(members), op, "input_tensor_list")
    outputs = tensors_of(output_tensor_list, len(members), op, "output_tensor_list", given[0])
    for out, value in zip(
        outputs, collectives.exchange(tuple(given), tuple(outputs), name), strict=True
    ):
        write(out, value, op, "output_tensor_list")
    return handle


@public()
def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Sends some rows of a tensor to each rank, and puts those that come into another, in order of ranks.

    Args:
        output: of the rows that come.
        input: of the rows of all.
        output_split_sizes: how many rows come from each rank; as many each where it is left out.
        input_split_sizes: how many rows go to each.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged.
        ValueError: sizes that do not add up, or this rank is not in the group.
        RuntimeError: a rank sends another number of elements.

    >>> out = Tensor([0.0, 0.0])
    >>> ops.all_to_all_single(out, Tensor([1.0, 2.0]))
    >>> print(out)
    [1. 2.]
    """
    op = "all_to_all_single"
    handle, (name, members, _) = handle_of(async_op, op), team(group, op)
    out, x = with_rows(output, op, "output"), with_rows(input, op, "input")
    tensors_of([out], 1, op, "output", x)
    to = sizes_of(input_split_sizes, x.shape[0], len(members), op, "input_split_sizes")
    come = sizes_of(output_split_sizes, out.shape[0], len(members), op, "output_split_sizes")
    if not input_split_sizes and not output_split_sizes:
        value = collectives.all_to_all(flat(x), name)
    else:
        value = concat(collectives.exchange(tuple(rows_of(x, to)), tuple(rows_of(out, come)), name))
    write(out, value, op, "output")
    return handle
