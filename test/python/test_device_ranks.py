"""Ranks with a GPU each, on emulated devices: through memory of the host, and by the fake NCCL."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rank_groups
from rank_groups import on_ranks, values

import cellgrad as ms
from cellgrad import nn, ops
from cellgrad.core import ranks

HERE = Path(__file__).resolve().parent
DRAW = np.random.default_rng(18)
X = DRAW.uniform(-1, 1, (2, 16, 12)).astype(np.float32)
Y = DRAW.uniform(-1, 1, (2, 16, 3)).astype(np.float32)
BACKENDS = pytest.mark.parametrize("backend", ["mccl", "nccl"])


# --- run by the tests below in processes that have opened no device, on whatever CELL_TEST_RANKS says ---------------


def trained(rank):
    """Losses and Parameters of a step whose gradients are two buckets, with statistics of both ranks."""
    ms.set_seed(3)
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    body = nn.SequentialCell(nn.Dense(12, 8), nn.SyncBatchNorm(8), nn.Tanh(), nn.Dense(8, 3))
    net = nn.WithLossCell(body, nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    step.set_train()
    losses = [step(ms.Tensor(X[rank]), ms.Tensor(Y[rank])).item() for _ in range(3)]
    on = {p.device for p in net.get_parameters()} if rank_groups.BACKEND else set()
    return losses, [p.asnumpy() for p in net.get_parameters()], sorted(map(str, on)), ranks.kind()


def own_step(rank):
    """A train cell of one's own, with a reducer; the rank is a part of the program."""
    ms.set_seed(3)
    net = nn.Dense(12, 3)
    reduce = nn.DistributedGradReducer(net.trainable_params(), mean=True)
    slope = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, net.trainable_params())

    @ms.jit
    def step(x):
        value, gradients = slope(x)
        return value, reduce(gradients), ops.AllReduce("max")(value)

    value, gradients, most = step(ms.Tensor(X[rank]))
    return value.item(), [g.asnumpy() for g in gradients], most.item()


def ended(rank):
    """What a rank hears where the other one does something else."""
    x = ms.Tensor(np.ones(4 + rank, np.float32))
    return ops.AllReduce()(x).asnumpy()


def save(path):
    """For the tests below: what these functions give, on both ranks."""
    import pickle

    found = [values(2, trained), values(2, own_step), [str(e) for e in on_ranks(2, ended)]]
    Path(path).write_bytes(pickle.dumps(found))


def found_by(backend, path, **env):
    import pickle

    code = f"import test_device_ranks as t; t.save({str(path)!r})"
    environment = {**os.environ, "CELL_TEST_RANKS": backend, **env}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=HERE,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return pickle.loads(path.read_bytes())


@pytest.fixture(scope="module")
def of_cpu(tmp_path_factory):
    return found_by("", tmp_path_factory.mktemp("cpu") / "found")


@BACKENDS
def test_training_is_that_of_the_cpus_ranks(backend, of_cpu, tmp_path):
    trained_, own, errors = found_by(backend, tmp_path / "found")
    for rank, (got, want) in enumerate(zip(trained_, of_cpu[0], strict=True)):
        np.testing.assert_allclose(got[0], want[0], rtol=1e-6)
        for a, b in zip(got[1], want[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        assert got[2] == [f"GPU:{rank}"], "each rank has its GPU, where Parameters stay"
        kind = "NCCL and shared memory" if backend == "nccl" else "shared memory"
        assert got[3] == kind
    # Parameters of all ranks have the same bits.
    for a, b in zip(trained_[0][1][:2], trained_[1][1][:2], strict=True):
        np.testing.assert_array_equal(a, b)
    for got, want in zip(own, of_cpu[1], strict=True):
        np.testing.assert_allclose(got[0], want[0], rtol=1e-6)
        for a, b in zip(got[1], want[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        assert got[2] == max(each[0] for each in own)
    for error in errors:
        assert "rank 1 " in error and "0" in error


def passed(backend, file, chosen):
    """Runs some tests of a file on emulated devices; its last line."""
    environment = {**os.environ, "CELL_TEST_RANKS": backend}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file, "-k", chosen]
    done = subprocess.run(
        command, cwd=HERE, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@BACKENDS
def test_every_collective_is_numpys(backend):
    chosen = "(every_collective and 4-) or derivatives"
    assert "3 passed" in passed(backend, "test_communication.py", chosen)


@BACKENDS
def test_groups_and_messages_go_through_memory_of_the_host(backend):
    chosen = "different_sizes or test_messages or between_those"
    assert "3 passed" in passed(backend, "test_mint_distributed.py", chosen)


def test_without_nccl(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import cellgrad as ms, sys\n"
        "from cellgrad import communication, ops\n"
        "ms.set_device('GPU')\n"
        "communication.init(*sys.argv[1:])\n"
        "print(ops.AllReduce()(ms.Tensor([1.0])))\n"
    )
    environment = {
        **os.environ,
        **rank_groups.ON_DEVICES,
        "CELLGRAD_NCCL_LIBRARY": "/none/libnccl.so.2",
    }

    def run(*arguments, **env):
        command = [sys.executable, "-m", "cellgrad", "run", "--ranks=2", script, *arguments]
        return subprocess.run(
            command, env={**environment, **env}, capture_output=True, text=True, timeout=120
        )

    done = run()
    assert done.returncode == 0 and done.stdout.count("[2.]") == 2, done.stderr
    assert "no NCCL library: /none/libnccl.so.2" in done.stderr
    assert "goes through memory of the host" in done.stderr
    done = run("nccl")
    assert done.returncode != 0
    assert "RuntimeError: NCCL does not start between the ranks: no NCCL library" in done.stderr
    assert "init('mccl') goes through memory of the host" in done.stderr
    # Two ranks on one device are NCCL's to refuse.
    library = rank_groups.ON_DEVICES["CELLGRAD_NCCL_LIBRARY"]
    done = run("nccl", CELLGRAD_NCCL_LIBRARY=library, CELL_EMU_DEVICES="1")
    assert done.returncode != 0 and "Duplicate GPU detected" in done.stderr
