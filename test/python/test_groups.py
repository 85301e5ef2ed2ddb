"""Groups of ranks, and messages between two, against numpy; what is refused."""

import numpy as np
import pytest
from rank_groups import on_ranks, values

import cellgrad as ms
from cellgrad import communication, nn, ops
from cellgrad.communication import comm_func
from cellgrad.ops import collectives

DRAW = np.random.default_rng(1810)
X = DRAW.integers(-3, 4, (4, 4, 3)).astype(np.float64)


def test_collectives_of_groups_that_overlap():
    pairs = {"a": [2, 0], "b": [0, 1, 3], "all": [0, 1, 2, 3]}

    def body(rank):
        found = {}
        for name, members in pairs.items():
            if rank not in members:
                continue
            communication.create_group(name, members)
            count = len(members)
            assert communication.get_group_size(name) == count
            assert communication.get_rank(name) == members.index(rank)
            assert communication.get_process_group_ranks(name) == members

            @ms.jit
            def all_of(x, name=name, count=count, members=members):
                rows = ops.tile(x, (count, 1))
                return (
                    ops.AllReduce(group=name)(x),
                    ops.AllGather(name)(x),
                    ops.ReduceScatter("max", name)(rows),
                    ops.AlltoAll(count, 0, 0, name)(rows),
                    ops.Broadcast(members[-1], name)((x,))[0],
                    collectives.all_reduce(x, "mean", group=name),
                )

            found[name] = [y.asnumpy() for y in all_of(ms.Tensor(X[rank]))]
            ops.Barrier(name)()
        total = ops.AllReduce()(ms.Tensor(X[rank])).asnumpy()
        return found, total

    for rank, (found, total) in enumerate(values(4, body)):
        np.testing.assert_array_equal(total, X.sum(0))
        assert list(found) == [name for name, members in pairs.items() if rank in members]
        for name, got in found.items():
            members = pairs[name]
            x, place = X[members], members.index(rank)
            rows = np.tile(x, (1, len(members), 1))
            part = slice(4 * place, 4 * place + 4)
            want = [x.sum(0), np.concatenate(x), rows.max(0)[part]]
            want += [np.concatenate(rows[:, part]), x[-1], x.mean(0)]
            for a, b in zip(got, want, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-15)


def test_gradients_reduced_in_a_group():
    def body(rank):
        if rank == 1:
            return None
        communication.create_group("pair", [0, 2])
        reduced = nn.DistributedGradReducer([], True, group="pair")((ms.Tensor([1.0 + rank]),))
        f = lambda x: (ops.AllReduce(group="pair")(x * x) * (rank + 1)).sum()
        return reduced[0].item(), ms.grad(f)(ms.Tensor([1.0 + rank])).item()

    assert values(3, body) == [(2.0, 8.0), None, (2.0, 24.0)]


def test_ranks_agree_on_what_all_take_part_in_alone():
    """Programs that differ in collectives of groups and in messages are no mismatch."""

    def body(rank):
        if rank != 1:
            communication.create_group("pair", [0, 2])

        @ms.jit
        def f(x):
            y = collectives.all_reduce(x)
            if rank != 1:
                y = y * collectives.all_reduce(x, group="pair")
            if rank == 0:
                return collectives.send(y, 1, 5)
            return collectives.receive(y, 0, 5) if rank == 1 else y

        return f(ms.Tensor([rank + 1.0])).item()

    assert values(3, body) == [24.0, 24.0, 24.0]


def test_messages_of_all_dtypes_and_sizes_cross():
    """All send before they receive, more than there is room for."""
    large = DRAW.uniform(-1, 1, (3, 300_001)).astype(np.float32)
    dtypes = [ms.float16, ms.bfloat16, ms.float64, ms.int8, ms.int64, ms.bool_]

    def body(rank):
        after, before = (rank + 1) % 3, (rank - 1) % 3
        x = ms.Tensor(large[rank])
        comm_func.send(x, after, tag=7)
        for tag, dtype in enumerate(dtypes):
            comm_func.isend(ms.Tensor(X[rank]).astype(dtype), after, tag=tag).wait()
        found = []
        for tag, dtype in reversed(list(enumerate(dtypes))):
            y, handle = comm_func.irecv(ms.Tensor(X[rank]).astype(dtype), before, tag=tag)
            handle.wait()
            assert y.dtype is dtype
            found.append(y.astype(ms.float64).asnumpy())
        return found, comm_func.recv(x, before, tag=7).asnumpy()

    for rank, (found, got) in enumerate(values(3, body)):
        before = (rank - 1) % 3
        np.testing.assert_array_equal(got, large[before])
        for dtype, y in zip(reversed(dtypes), found, strict=True):
            want = X[before].astype(bool) if dtype is ms.bool_ else X[before]
            np.testing.assert_array_equal(y, want)


def test_a_pipeline_has_the_derivatives_of_the_whole():
    w = DRAW.uniform(-1, 1, (3, 3, 3))
    x = DRAW.uniform(-1, 1, (4, 3))

    def body(rank):
        into = ops.Receive(1, rank - 1, [4, 3], ms.float64) if rank else lambda h: h
        out = ops.Send(1, rank + 1) if rank < 2 else lambda h: h

        def f(w, h):
            h = out(ops.tanh(into(h) @ w))
            return (h * h).sum() if rank == 2 else (h * 0).sum()

        given = ms.Tensor(w[rank]), ms.Tensor(x)
        slopes = ms.grad(f, (0, 1))(*given)
        second = ms.grad(lambda *a: sum((g * g).sum() for g in ms.grad(f, (0, 1))(*a)), (0, 1))
        return slopes[0].asnumpy(), second(*given)[0].asnumpy()

    def whole(w):
        h = ms.Tensor(x)
        for each in w:
            h = ops.tanh(h @ each)
        return (h * h).sum()

    def squared(*w):
        # Rank 0 alone has the gradient by x; on the others it is zeros.
        with_x = lambda x, *w: _of(x, w)
        found = ms.grad(with_x, tuple(range(4)))(ms.Tensor(x), *w)
        return sum((g * g).sum() for g in found)

    def _of(h, w):
        for each in w:
            h = ops.tanh(h @ each)
        return (h * h).sum()

    alone = [ms.Tensor(each) for each in w]
    first = ms.grad(lambda *w: whole(w), (0, 1, 2))(*alone)
    second = ms.grad(squared, (0, 1, 2))(*alone)
    for got, a, b in zip(values(3, body), first, second, strict=True):
        np.testing.assert_allclose(got[0], a.asnumpy(), rtol=1e-12)
        np.testing.assert_allclose(got[1], b.asnumpy(), rtol=1e-10)


def test_a_batch_is_one_message():
    def body(rank):
        x = ms.Tensor(X[rank])
        if rank == 0:
            return ms.vmap(ops.Send(2, 1))(x).asnumpy()
        return ms.vmap(ops.Receive(2, 0, [3], ms.float64))(x).asnumpy()

    for got in values(2, body):
        np.testing.assert_array_equal(got, X[0])


def test_what_ranks_are_told():
    def words(call, *args, **named):
        try:
            call(*args, **named)
        except Exception as e:
            return str(e)
        return ""

    def body(rank):
        create = communication.create_group
        create("first", [0])
        found = [words(create, "first", [1]), words(create, "x", [0, 0]), words(create, "x", [2])]
        x = ms.Tensor([1.0])
        found += [words(ops.AllReduce(group="first"), x) if rank else ""]
        found += [words(comm_func.broadcast, x, 1, "first") if rank == 0 else ""]
        found += [words(ms.grad(lambda x: (ops.depend(x, ops.Send(1, 1 - rank)(x))).sum()), x)]
        communication.destroy_group("first")
        found += [words(ops.AllReduce, group="first")]
        if rank == 0:
            comm_func.send(ms.Tensor([1.0, 2.0]), 1)
            return [*found, words(ops.AllReduce(), x)]
        return [*found, words(comm_func.recv, x, 0)]

    for rank, found in enumerate(values(2, body)):
        assert "has the ranks [0], and cannot get [1]" in found[0]
        assert "expected different ranks" in found[1] and "expected different ranks" in found[2]
        assert rank == 0 or "has the ranks [0], and this is rank 1" in found[3]
        assert rank == 1 or "which is not in the group 'first'" in found[4]
        assert "what it gives is not used" in found[5]
        assert "there is no such group" in found[6]
        assert "rank 0 sends 2 elements of float32 to rank 1, which expects 1" in found[7]


@pytest.mark.parametrize("how", ["message", "meeting"])
def test_a_partner_that_does_not_come(how):
    def body(rank):
        communication.create_group("both", [1, 0])
        if rank == 0:
            return None
        if how == "message":
            return comm_func.recv(ms.Tensor([1.0]), 0)
        return ops.Barrier("both")()

    # Rank 0 ends.
    assert "rank 0 has ended" in str(on_ranks(2, body, env={"CELLGRAD_COMM_TIMEOUT": "20"})[1])
