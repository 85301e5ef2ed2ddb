"""Collectives beside the computation: what is hidden, that bits are those of before, and what ends them."""

import ctypes
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from rank_groups import on_ranks, values

import cellgrad as ms
from cellgrad import nn, ops
from cellgrad.core import ranks
from cellgrad.ops import collectives

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import communicators

DRAW = np.random.default_rng(49)
X = DRAW.uniform(-1, 1, (2, 64, 256)).astype(np.float32)


class Deep(nn.Cell):
    """Six layers of 256 KiB, with biases that are no multiple of a place in the arena."""

    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(
            [nn.Dense(256, 256, activation="tanh") for _ in range(6)] + [nn.Dense(256, 5)]
        )

    def construct(self, x):
        return (self.layers(x) ** 2).mean()


def trained(rank, steps=3):
    ms.set_seed(3)
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    net = Deep()
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    step.set_train()
    losses = [step(ms.Tensor(X[rank])).item() for _ in range(steps)]
    return losses, [p.asnumpy() for p in net.get_parameters()], ranks.times()


def test_training_has_the_same_bits_with_and_without_a_thread_and_under_poison():
    plain = values(2, trained, env={"CELLGRAD_COMM_THREAD": "1"})
    others = [
        {"CELLGRAD_COMM_THREAD": "0"},
        {"CELLGRAD_COMM_THREAD": "1", "CELLGRAD_COMM_POISON": "1"},
        {"CELLGRAD_COMM_NETWORK": "3000,500"},
    ]
    for env in others:
        for (losses, weights, _), (want, right, _) in zip(
            values(2, trained, env=env), plain, strict=True
        ):
            assert losses == want
            for a, b in zip(weights, right, strict=True):
                np.testing.assert_array_equal(a, b)
    alone, ours = (sum(np.abs(w).sum() for w in weights) for _, weights, _ in plain)
    assert alone == ours


def test_ranks_whose_processors_all_compute_have_no_thread():
    # The ranks are forks, and have one processor between them.
    before = os.sched_getaffinity(0)

    def threads(rank):
        at_first = len(os.listdir("/proc/self/task"))
        trained(rank, steps=1)
        return len(os.listdir("/proc/self/task")) - at_first

    computing = ms.get_num_threads()
    try:
        os.sched_setaffinity(0, {min(before)})
        ms.set_num_threads(1)  # what other tests have asked of this process
        for env, more in (
            ({}, 0),
            ({"CELLGRAD_COMM_THREAD": "1"}, 1),
            ({"CELLGRAD_COMM_NETWORK": "1,0"}, 1),
        ):
            assert values(2, threads, env=env) == [more] * 2
    finally:
        ms.set_num_threads(computing)
        os.sched_setaffinity(0, before)


def test_the_network_is_hidden_and_profiles_say_so():
    def body(rank):
        @ms.jit
        def f(x, y):
            total = ops.AllReduce()(x)
            for _ in range(40):  # needs nothing of the sum
                y = ops.tanh(y @ y)
            return total, y

        y = ms.Tensor(np.eye(300, dtype=np.float32) / 2)
        f(ms.Tensor(X[rank]), y)
        with ms.profile() as p:
            total, _ = f(ms.Tensor(X[rank]), y)
        found = p.to_dict()
        kinds = [kernel["kernel"] for kernel in found["kernels"]]
        np.testing.assert_allclose(total.asnumpy(), X.sum(0), rtol=1e-6)
        return found["collectives"], found["waited"], kinds, p.table()

    for took, waited, kinds, table in values(2, body, env={"CELLGRAD_COMM_NETWORK": "20000,0"}):
        assert took >= 20e6 and took - waited > 1e6
        assert {"start of a collective", "wait for a collective"} <= set(kinds)
        assert "behind computation" in table


def test_a_rank_that_ends_while_collectives_are_on_their_way():
    def body(rank):
        ms.set_auto_parallel_context(parallel_mode="data_parallel")
        net = Deep()
        step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
        step(ms.Tensor(X[0]))
        if rank == 1:
            os._exit(3)
        before = [p.asnumpy() for p in net.get_parameters()]
        with pytest.raises(RuntimeError, match="rank 1 has ended"):
            step(ms.Tensor(X[0]))
        return all(
            (p.asnumpy() == b).all() for p, b in zip(net.get_parameters(), before, strict=True)
        )

    assert on_ranks(2, body)[0] is True


def test_poison_notices_who_reads_and_writes_too_early(tmp_path):
    """A program in C that does what the compiler must not."""
    path = communicators.built(tmp_path)

    def on_rank(rank, size, name):
        wrong = []
        for case in ("reads", "writes", "writes what it sends", "waits"):
            joined = communicators.Rank(path, f"{name}-{case.replace(' ', '')}", rank, size)
            library = ctypes.CDLL(str(path))
            library.cg_comm_poison.argtypes = [ctypes.c_void_p]
            library.cg_comm_poison(ctypes.cast(joined.comm, ctypes.c_void_p))
            send, got = np.ones(5, np.float32), np.zeros(5, np.float32)
            what = communicators.Collective(
                ctypes.sizeof(communicators.Collective), 0, 0, 8, 0, 0, 5
            )
            what.send, what.recv = send.ctypes.data, got.ctypes.data
            request, face = ctypes.c_void_p(), joined.comm.contents
            status = face.start(joined.comm, ctypes.byref(what), ctypes.byref(request))
            if status or not np.isnan(got).all():
                wrong.append(f"{case}: {status}, {got}")
            if case == "writes":
                got[1] = 3
            if case == "writes what it sends":
                send[1] = 3
            status = face.wait(joined.comm, ctypes.byref(request))
            said = face.message(joined.comm)
            right = (got == 2).all() and status == 0
            if case.startswith("writes"):
                right = status == communicators.GONE and b"somebody writes" in said
            if not right:
                wrong.append(f"{case}: {status}, {got}, {said}")
        return wrong

    assert communicators.on_ranks(2, on_rank, f"poison-{os.getpid()}") == []


def test_sums_that_are_results_are_not_lost():
    """Small ones are copied out of a bucket, large ones are reduced by themselves."""
    shapes = [(3,), (5, 7), (300, 300), (1,), (64, 1030)]
    given = [DRAW.integers(-9, 9, (2, *shape)).astype(np.float32) for shape in shapes]

    def body(rank):
        @ms.jit
        def f(*xs):
            sums = [collectives.all_reduce(x) for x in xs]
            twice = [collectives.all_reduce(x) for x in (xs[0], xs[0], xs[1] + 1)]
            return (*sums, *twice, *xs[:1])

        return [y.asnumpy() for y in f(*(ms.Tensor(x[rank]) for x in given))]

    for env in ({}, {"CELLGRAD_COMM_POISON": "1"}):
        for rank, got in enumerate(values(2, body, env=env)):
            want = [x.sum(0) for x in given]
            want += [want[0], want[0], want[1] + 2, given[0][rank]]
            for a, b in zip(got, want, strict=True):
                np.testing.assert_array_equal(a, b)
