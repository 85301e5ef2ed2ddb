"""Collectives of two and four ranks of one machine, against numpy; what ends them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rank_groups import Ended, on_ranks, values

import cellgrad as ms
from cellgrad import _native, communication, nn, ops
from cellgrad.compile import scratch
from cellgrad.core import ranks
from cellgrad.ops import collectives

ROOT = Path(__file__).resolve().parents[2]
DRAW = np.random.default_rng(1800)
COMBINE = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


def combined(op, parts):
    out = parts[0]
    for part in parts[1:]:
        out = COMBINE[op](out, part)
    return out


# Small integers: exact in every dtype and order.
INTEGERS = DRAW.integers(-3, 4, (4, 8, 3))
DTYPES = [ms.float16, ms.bfloat16, ms.float32, ms.float64, ms.int8, ms.int16, ms.int32, ms.int64]


@pytest.mark.parametrize(("count", "dtypes"), [(2, DTYPES), (4, [ms.float32, ms.int8])])
def test_every_collective_of_every_dtype(count, dtypes):
    @ms.jit
    def all_of(given):
        found = []
        for dtype in dtypes:
            x = given.astype(dtype)
            y = [ops.AllReduce(op)(x) for op in COMBINE]
            y += [ops.ReduceScatter(op)(x) for op in COMBINE]
            y += [ops.AllGather()(x), ops.AlltoAll(count, 0, 0)(x), ops.Broadcast(1)((x,))[0]]
            found.append(tuple(y))
        return tuple(found)

    def body(rank):
        names = [*COMBINE, *(f"scatter {op}" for op in COMBINE), "gather", "exchange", "from 1"]
        found = {}
        for dtype, each in zip(dtypes, all_of(ms.Tensor(INTEGERS[rank])), strict=True):
            for name, y in zip(names, each, strict=True):
                assert y.dtype is dtype
                found[name, str(dtype)] = y.asnumpy().astype(np.float64)
        flags = ops.AllReduce("max")(ms.Tensor([rank == 1, False]))
        assert flags.dtype is ms.bool_
        found["flags"] = flags.asnumpy().tolist()
        ops.Barrier()()
        return found

    parts = [INTEGERS[r].astype(np.float64) for r in range(count)]
    rows = 8 // count
    for rank, found in enumerate(values(count, body)):
        own = slice(rank * rows, (rank + 1) * rows)
        want = {op: combined(op, parts) for op in COMBINE}
        want |= {f"scatter {op}": want[op][own] for op in COMBINE}
        want["gather"] = np.concatenate(parts)
        want["exchange"] = np.concatenate([part[own] for part in parts])
        want["from 1"] = parts[1]
        assert found.pop("flags") == [True, False]
        assert len(found) == len(want) * len(dtypes)
        for (name, dtype), got in found.items():
            np.testing.assert_array_equal(got, want[name], err_msg=f"{name} {dtype}")


def test_large_tensors_go_in_pieces():
    # Several pieces of a slot, the last of which is not full; of 3 ranks, whose parts are not equal.
    large = DRAW.integers(-100, 100, (3, 3, 100_003)).astype(np.float32)

    def body(rank):
        x = ms.Tensor(large[rank])
        assert ops.AllReduce()(ms.Tensor(np.zeros((0, 3), np.float32))).shape == (0, 3)
        kinds = (ops.AllReduce(), ops.AllGather(), ops.ReduceScatter(), ops.AlltoAll(3, 0, 0))
        return [kind(x).asnumpy() for kind in kinds] + [collectives.broadcast(x, 2).asnumpy()]

    for rank, got in enumerate(values(3, body)):
        want = [large.sum(0), np.concatenate(large), large.sum(0)[rank : rank + 1]]
        want += [large[:, rank], large[2]]
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b)


def test_derivatives_are_of_the_sum_of_all_ranks_objectives():
    x = DRAW.uniform(-1, 1, (2, 4))

    def body(rank):
        def f(x):
            y = ops.AllReduce()(ops.sin(x))
            z = ops.AllGather()(x * y) * ops.AllReduce("max")(x).sum()
            w = collectives.broadcast(ops.AlltoAll(2, 0, 0)(x) * y, 1)
            return (z**3).sum() * (rank + 1) + (ops.ReduceScatter()(w) ** 2).sum()

        given = ms.Tensor(x[rank])
        second = ms.grad(lambda x: (ms.grad(f)(x) ** 2).sum())
        value, gradient = ms.value_and_grad(f)(given)
        tangent = ms.jvp(f, given, ops.cos(given))[1]
        return value.item(), gradient.asnumpy(), second(given).asnumpy(), tangent.item()

    def objective(x):
        """Of both ranks, in numpy."""
        y = np.sin(x).sum(0)
        z = np.concatenate([x[0] * y, x[1] * y]) * x.max(0).sum()
        w = np.concatenate([x[0, 2:], x[1, 2:]]) * y
        return np.array(
            [(z**3).sum() * (r + 1) + ((2 * w[2 * r :][:2]) ** 2).sum() for r in (0, 1)]
        )

    def slope(f, at):
        out = np.zeros_like(at)
        for i in np.ndindex(at.shape):
            step = np.zeros_like(at)
            step[i] = 1e-4
            near, far = f(at + step) - f(at - step), f(at + 2 * step) - f(at - 2 * step)
            out[i] = (8 * near - far) / 12e-4
        return out

    first = slope(lambda x: objective(x).sum(), x)
    found = values(2, body)
    np.testing.assert_allclose([f[0] for f in found], objective(x), rtol=1e-12)
    np.testing.assert_allclose([f[1] for f in found], first, rtol=1e-8)
    second = slope(lambda x: (slope(lambda y: objective(y).sum(), x) ** 2).sum(), x)
    np.testing.assert_allclose([f[2] for f in found], second, rtol=1e-4)
    along = objective_along(objective, x, np.cos(x))
    np.testing.assert_allclose([f[3] for f in found], along, rtol=1e-8)


def objective_along(f, x, t):
    near = f(x + 1e-4 * t) - f(x - 1e-4 * t)
    far = f(x + 2e-4 * t) - f(x - 2e-4 * t)
    return (8 * near - far) / 12e-4


def test_third_derivatives_of_a_product_over_ranks_with_zeros():
    """F = sum of c x0 x1 x2: by x0 and so on, in directions u and v, in both modes."""
    x = DRAW.uniform(-2, 2, (3, 5))
    x[0, 0] = x[:2, 1] = x[:, 2] = 0  # of one rank, of two, of all
    u, v, c = DRAW.uniform(-1, 1, (3, 3, 5))

    def body(rank):
        own = [ms.Tensor(each[rank]) for each in (x, u, v, c)]

        def objective(x):
            return (ops.AllReduce("prod")(x) * own[3]).sum()

        first = ms.grad(objective)
        second = ms.grad(lambda x: (first(x) * own[1]).sum())
        third = ms.grad(lambda x: (second(x) * own[2]).sum())
        forward = lambda x: ms.jvp(first, (x,), (own[1],))[1]
        found = (first(own[0]), second(own[0]), forward(own[0]), third(own[0]))
        found += (ms.jvp(forward, (own[0],), (own[2],))[1],)
        return [each.asnumpy() for each in found]

    total = c.sum(0)
    for rank, (first, second, forward, third, ahead) in enumerate(values(3, body)):
        a, b = (r for r in range(3) if r != rank)
        np.testing.assert_allclose(first, total * x[a] * x[b], rtol=1e-12)
        want = total * (u[a] * x[b] + u[b] * x[a])
        np.testing.assert_allclose(second, want, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(forward, want, rtol=1e-12, atol=1e-15)
        want = total * (u[a] * v[b] + u[b] * v[a])
        np.testing.assert_allclose(third, want, rtol=1e-12)
        np.testing.assert_allclose(ahead, want, rtol=1e-12)


def test_batches_of_collectives():
    x = DRAW.integers(-3, 4, (2, 5, 4)).astype(np.float32)

    def body(rank):
        given = ms.Tensor(x[rank])
        kinds = (ops.AllReduce(), ops.AllGather(), ops.ReduceScatter(), ops.AlltoAll(2, 0, 0))
        return [ms.vmap(lambda v, kind=kind: kind(v))(given).asnumpy() for kind in kinds]

    total = x.sum(0)
    for rank, got in enumerate(values(2, body)):
        own = slice(2 * rank, 2 * rank + 2)
        want = [
            total,
            np.concatenate(x, axis=1),
            total[:, own],
            np.concatenate(x[:, :, own], axis=1),
        ]
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b)


# --- training -----------------------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self, norm=None):
        super().__init__()
        self.first, self.last = nn.Dense(6, 8), nn.Dense(8, 1)
        self.norm = norm or nn.LayerNorm((8,))

    def construct(self, x, y):
        return ((self.last(ops.tanh(self.norm(self.first(x)))) - y) ** 2).mean()


X = DRAW.uniform(-1, 1, (3, 8, 6)).astype(np.float32)
Y = X.sum(axis=2, keepdims=True) ** 2


class OwnStep(nn.Cell):
    """As scripts write it."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        from cellgrad.parallel._utils import (
            _get_device_num,
            _get_gradients_mean,
            _get_parallel_mode,
        )

        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters
        self.grad_reducer = ops.identity
        modes = (ms.ParallelMode.DATA_PARALLEL, ms.ParallelMode.HYBRID_PARALLEL)
        if _get_parallel_mode() in modes:
            self.grad_reducer = nn.DistributedGradReducer(
                self.weights, _get_gradients_mean(), _get_device_num()
            )

    def construct(self, *inputs):
        loss, grads = ms.value_and_grad(self.network, None, self.weights)(*inputs)
        self.optimizer(self.grad_reducer(grads))
        return loss


def trained(step_of, norm, rows):
    ms.set_seed(3)
    net = Net(norm() if norm else None)
    # The bias before a batch norm has a gradient of rounding errors alone: no Adam.
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
    step = step_of(net, optimizer)
    step.set_train()
    for x, y in zip(X, Y, strict=True):
        step(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
    return [p.asnumpy() for p in net.get_parameters()]


@pytest.mark.parametrize("step_of", [nn.TrainOneStepCell, OwnStep])
@pytest.mark.parametrize("sync", [False, True])
def test_two_ranks_train_as_one(step_of, sync):
    def body(rank):
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        norm = (lambda: nn.SyncBatchNorm(8)) if sync else None
        return trained(step_of, norm, slice(4 * rank, 4 * rank + 4))

    alone = trained(step_of, (lambda: nn.BatchNorm1d(8)) if sync else None, slice(None))
    first, second = values(2, body)
    for a, b, want in zip(first, second, alone, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, want, rtol=2e-4, atol=2e-6)


def test_gradients_of_all_shapes_and_dtypes():
    shapes = [((3,), ms.float32), ((2, 2), ms.float16), ((), ms.float32), ((0,), ms.float32)]
    shapes += [((5,), ms.float32), ((40,), ms.float32), ((1,), ms.float32)]
    like = [ms.Tensor(np.zeros(shape)).astype(dtype) for shape, dtype in shapes]

    def body(rank):
        made = [ops.full_like(t, rank + i) for i, t in enumerate(like)]
        sums = nn.DistributedGradReducer([], False)(made)
        means = nn.DistributedGradReducer([], True)(made)
        thirds = nn.DistributedGradReducer([], True, 3)(made)
        return [[g.asnumpy() for g in each] for each in (sums, means, thirds)]

    for sums, means, thirds in values(2, body):
        for i, (shape, _) in enumerate(shapes):
            np.testing.assert_array_equal(sums[i], np.full(shape, 1 + 2 * i))
            np.testing.assert_array_equal(means[i], np.full(shape, 0.5 + i))
            np.testing.assert_allclose(thirds[i], np.full(shape, (1 + 2 * i) / 3), rtol=1e-3)


def test_an_overflow_on_one_rank_skips_the_step_of_all():
    def body(rank):
        ms.set_auto_parallel_context(
            parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True
        )
        ms.set_seed(rank)  # other Parameters, until those of rank 0 are on all
        net = Net()
        scale = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 1000)
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = nn.TrainOneStepWithLossScaleCell(net, optimizer, scale)
        begin = [p.asnumpy() for p in net.get_parameters()]
        x = X[0].copy()
        x[0, 0] = np.inf if rank == 1 else 0
        _, overflow, factor = step(ms.Tensor(x), ms.Tensor(Y[0]))
        assert overflow.item() and factor.item() == 2.0**9
        assert all(
            (p.asnumpy() == b).all() for p, b in zip(net.get_parameters(), begin, strict=True)
        )
        assert not step(ms.Tensor(X[0]), ms.Tensor(Y[0]))[1].item()
        return [p.asnumpy() for p in net.get_parameters()]

    first, second = values(2, body)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


# --- what ends ranks ----------------------------------------------------------------------------


def failing(body, limit="60"):
    """What the ranks raise; both end long before the test's own limit."""
    return on_ranks(2, body, env={"CELLGRAD_COMM_TIMEOUT": limit})


def reduce(*shape, dtype=ms.float32):
    return ops.AllReduce()(ops.ones(shape, dtype))


def test_other_programs_are_a_mismatch():
    cases = {
        "shape": lambda rank: reduce(2 + rank),
        "dtype": lambda rank: reduce(2, dtype=[ms.float32, ms.int32][rank]),
        "op": lambda rank: ops.AllReduce(["sum", "max"][rank])(ops.ones((2,))),
        "kind": lambda rank: [ops.AllReduce(), ops.AllGather()][rank](ops.ones((2,))),
        "root": lambda rank: ops.Broadcast(rank)((ops.ones((2,)),)),
        "order": lambda rank: [reduce(n) for n in ((2, 3), (3, 2))[rank]],
    }

    def body(rank):
        said = {}
        for name, case in cases.items():
            try:
                case(rank)
            except RuntimeError as e:
                said[name] = str(e)
            communication.release()
            os.environ["CELLGRAD_GROUP"] += name
            communication.init()
        return said

    on_all = failing(body)
    for said in on_all:
        assert list(said) == list(cases)
        for text in said.values():
            assert (
                "rank 1 does another collective than rank 0: the ranks run different programs"
                in text
            ), on_all


def test_a_collective_that_one_rank_leaves_out_is_a_mismatch():
    def body(rank):
        reduce(2)
        reduce(3)
        if rank == 0:
            reduce(2)
        reduce(3)

    for error in failing(body):
        assert "rank 1 does another collective than rank 0" in str(error)


@pytest.mark.parametrize("how", ["killed", "raises", "leaves"])
def test_a_rank_that_ends_ends_the_others(how):
    def body(rank):
        reduce(2)
        if rank == 1 and how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if rank == 1 and how == "raises":
            raise KeyError("of rank 1")
        if rank == 0 or how != "leaves":
            reduce(2)
        return "left"

    begun = time.monotonic()
    first, second = failing(body)
    assert time.monotonic() - begun < 50
    assert isinstance(first, RuntimeError) and "rank 1 has ended" in str(first)
    if how == "killed":
        assert isinstance(second, Ended) and second.args == (-signal.SIGKILL,)
    elif how == "raises":
        assert isinstance(second, KeyError)
    else:
        assert second == "left"


def test_other_versions_are_an_error_on_all():
    def body(rank):
        communication.release()
        os.environ["CELLGRAD_GROUP"] += "again"
        if rank == 1:
            _native.VERSION = "0.0.9"
        communication.init()

    for found, own in zip(on_ranks(2, body), (_native.VERSION, "0.0.9"), strict=True):
        assert isinstance(found, RuntimeError)
        assert f"different versions of cellgrad; this one has {own}." in str(found)


def test_a_rank_that_is_late_is_an_error_on_all():
    def body(rank):
        reduce(2)
        if rank == 1:
            time.sleep(4)
        reduce(2)

    for error in failing(body, limit="1"):
        assert "ranks have waited 1000 ms for one that did not come" in str(error)


def test_parameters_stay_when_a_rank_ends():
    def body(rank):
        ms.set_auto_parallel_context(parallel_mode="data_parallel")
        net = Net()
        step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
        step(ms.Tensor(X[0]), ms.Tensor(Y[0]))
        if rank == 1:
            os._exit(3)
        before = [p.asnumpy() for p in net.get_parameters()]
        with pytest.raises(RuntimeError, match="rank 1 has ended"):
            step(ms.Tensor(X[0]), ms.Tensor(Y[0]))
        return all(
            (p.asnumpy() == b).all() for p, b in zip(net.get_parameters(), before, strict=True)
        )

    assert failing(body)[0] is True


# --- what is refused ----------------------------------------------------------------------------


def test_a_collective_that_not_all_come_to_is_refused_with_its_line():
    @ms.jit
    def f(x):
        if x.sum() > 0:
            x = ops.AllReduce()(x)
        return x

    with pytest.raises(ms.CompileError) as caught:
        f(ms.Tensor([1.0, 2.0]))
    text = str(caught.value)
    assert "is in a branch whose condition may differ between ranks" in text
    assert "test_communication.py:" in text and "cell.all_reduce" in text


def test_arguments_that_cannot_be():
    with pytest.raises(ValueError, match="'group' is 'other', but there is no such group"):
        ops.AllReduce(group="other")
    with pytest.raises(RuntimeError, match=r"call communication.init\(\) first"):
        communication.create_group("pair", [0])
    with pytest.raises(ValueError, match="'to' is 0, which is this rank"):
        collectives.send(ms.Tensor([1.0]), 0)
    with pytest.raises(ValueError, match="sr_tag"):
        ops.Send(-1, 0)
    with pytest.raises(ValueError, match="the input is Float32 of shape"):
        ops.Receive(3, 0, [2], ms.float32)(ms.Tensor([1.0]))
    with pytest.raises(ValueError, match="'split_count' must be the number of ranks, 1"):
        ops.AlltoAll(2, 0, 0)
    with pytest.raises(ValueError, match="AllReduce"):
        ops.AllReduce("mean of all")
    with pytest.raises(TypeError, match="signed integers or floats"):
        ops.AllReduce()(ms.Tensor([1], ms.uint8))
    with pytest.raises(ValueError, match="is divided among 1 ranks"):
        ops.ReduceScatter()(ms.Tensor(1.0))
    with pytest.raises(TypeError, match="grads"):
        nn.DistributedGradReducer([])((ms.Tensor([1], ms.int32),))
    with pytest.raises(RuntimeError, match=r"call communication.init\(\) first"):
        communication.get_rank()
    with pytest.raises(ValueError, match="there is no setting 'gradient_mean'"):
        ms.set_auto_parallel_context(gradient_mean=True)
    with pytest.raises(ValueError, match="'device_num' is 8, but the launcher says 1"):
        ms.set_auto_parallel_context(device_num=8)
    with pytest.raises(ValueError, match="parallel_mode"):
        ms.set_auto_parallel_context(parallel_mode="auto_parallel")
    with pytest.raises(TypeError, match="a communicator of mpi4py"):
        communication.init(comm=3)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"CELLGRAD_RANK": "x"}, "CELLGRAD_RANK='x'; expected a whole number"),
        ({"CELLGRAD_RANK": "0", "CELLGRAD_RANKS": "99"}, "rank 0 of 99 is not possible"),
        ({"CELLGRAD_RANK": "0", "CELLGRAD_COMM_TIMEOUT": "no"}, "CELLGRAD_COMM_TIMEOUT is 'no'"),
        ({"CELLGRAD_RANK": "0", "CELLGRAD_COMM_NETWORK": "1"}, "expected a delay in microseconds"),
        ({"CELLGRAD_RANK": "0", "CELLGRAD_COMM_TIMEOUT": "0.2"}, "1 of 2 ranks have come within"),
    ],
)
def test_environments_that_cannot_be(monkeypatch, variables, words):
    group = {"CELLGRAD_GROUP": f"test-{os.getpid()}", "CELLGRAD_RANKS": "2"}
    for name, value in {**group, **variables}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises((RuntimeError, ValueError), match=words):
        communication.init()
    assert not communication.is_initialized()


# --- launchers ----------------------------------------------------------------------------------

EXAMPLE = ROOT / "examples" / "data_parallel" / "main.py"
SCRIPTS = Path(sys.executable).parent


def test_one_rank_and_two_by_memory_and_by_mpi_give_the_same_bits(tmp_path):
    # The first one compiles for all.
    env = {**os.environ, "CELLGRAD_CACHE": "1", "CELLGRAD_CACHE_DIR": str(tmp_path)}
    env |= {"CELLGRAD_VERIFY_EACH": "0", "CELLGRAD_NUM_THREADS": "1"}

    def hash_by(*launcher):
        command = [*launcher, str(EXAMPLE), "--steps=3", "--hash"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    alone = hash_by(sys.executable)
    assert "hash" in alone
    assert hash_by(SCRIPTS / "cellgrad", "run", "--ranks=2") == alone
    assert hash_by(SCRIPTS / "mpiexec", "-n", "2", sys.executable) == alone


def test_the_launcher_ends_all_when_one_fails(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text(
        "from cellgrad import communication, ops\n"
        "communication.init()\n"
        "if communication.get_rank() == 1:\n"
        "    raise SystemExit(7)\n"
        "ops.AllReduce()(ops.ones((2,)))\n"
    )
    command = [SCRIPTS / "cellgrad", "run", "--ranks=2", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 7
    assert "rank 1 has ended" in done.stderr and "rank 1 ended with status 7" in done.stderr


def test_forks_compile_in_folders_of_their_own():
    (before,) = {os.path.dirname(scratch.fresh_path())}
    made = values(2, lambda rank: os.path.dirname(scratch.fresh_path()))
    assert len({before, *made}) == 3 and os.path.isdir(before)


def test_one_rank_needs_no_launcher():
    communication.init()
    try:
        assert (communication.get_rank(), communication.get_group_size()) == (0, 1)
        assert ranks.kind() == ""
        assert collectives.all_reduce(ms.Tensor([4.0]), "mean").asnumpy() == 4
    finally:
        communication.release()
