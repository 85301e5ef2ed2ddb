"""The threads that compiled calls compute on: how many, the same bits, forks and other callers."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import _native

MODEL = Path(__file__).parents[1] / "capi" / "Inputs" / "regions.mlir"
X = ((np.arange(1000) * 7919 % 10007) / 2500 - 2).astype(np.float32)


@pytest.fixture(autouse=True)
def own_number(monkeypatch):
    monkeypatch.delenv("CELLGRAD_NUM_THREADS", raising=False)
    yield
    ms.set_num_threads(0)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("regions") / "regions.so")
    _native.compile_text(MODEL.read_text(), path, "regions")
    return path


@pytest.fixture(scope="module")
def model(path):
    return _native.Model(path)


def sums() -> np.float32:
    """The sum in the order of the model: of 64 elements each, then of those."""
    total = np.float32(0)
    for start in range(0, 1000, 64):
        part = np.float32(0)
        for value in X[start : start + 64]:
            part += value
        total += part
    return total


def check(model):
    (y,) = model.entry("polynomial")([X])
    assert y.view().tobytes() == (X * X + X).tobytes()
    (total,) = model.entry("total")([X])
    assert total.view().tobytes() == sums().tobytes()


def threads():
    return len(os.listdir("/proc/self/task"))


def test_bits_are_those_of_one_thread(model):
    for count in (1, 2, 3, 8, 2):
        ms.set_num_threads(count)
        for _ in range(20):
            check(model)


def test_the_signature_tells_of_regions(model):
    parallel = {e["name"]: (e["parallel"], e["arena"]) for e in model.signature["entries"]}
    none = {"fixed": 0, "thread": 0}
    assert parallel == {
        "polynomial": (True, none),
        "total": (True, {"fixed": 64, "thread": 256}),
        "copy": (False, none),
    }
    assert model.entry("total").arena_bytes == 320


PROGRAM = """
import os, sys, time
import cellgrad as ms
from cellgrad import _native
import numpy as np

def threads():
    return len(os.listdir("/proc/self/task"))

x = np.ones(1000, np.float32)
before = threads()
model = _native.Model(sys.argv[1])
model.entry("copy")([np.float32(1)])
try:
    ms.ops.tanh(ms.Tensor(x)).asnumpy()
    print("without work", threads() - before, end=", ")
    model.entry("polynomial")([x])
    print("with", threads() - before, "of", ms.get_num_threads(), end=", ")
    ms.set_num_threads(3)
    model.entry("polynomial")([x])
    end = time.monotonic() + 10
    while threads() - before > 2 and time.monotonic() < end:
        time.sleep(0.001)  # those before end
    print("then", threads() - before)
except ValueError as e:
    print(e)
"""


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("5", "without work 0, with 4 of 5, then 2"),
        ("1", "without work 0, with 0 of 1, then 2"),
        (
            "many",
            "CELLGRAD_NUM_THREADS is 'many': expected a whole number from 1 to 1024; "
            "without it calls compute on all processors that the process may use",
        ),
    ],
)
def test_threads_start_with_the_first_work(path, variable, told):
    environment = os.environ | {"CELLGRAD_NUM_THREADS": variable}
    command = [sys.executable, "-c", PROGRAM, path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == (told, "")


def test_the_number(monkeypatch):
    most = len(os.sched_getaffinity(0))
    assert 1 <= ms.get_num_threads() <= most
    ms.set_context(runtime_num_threads=7)
    assert ms.get_num_threads() == ms.get_context("runtime_num_threads") == 7
    monkeypatch.setenv("CELLGRAD_NUM_THREADS", "6")
    assert ms.get_num_threads() == 7
    ms.set_num_threads(0)
    assert ms.get_num_threads() == 6


def test_an_arena_for_more_threads_than_before(model):
    """Each worker has its own part of it, whatever calls came before."""
    with ThreadPoolExecutor(1) as fresh:  # a thread without an arena yet
        for count in (1, 2, 8, 3):
            ms.set_num_threads(count)
            fresh.submit(check, model).result()


def test_callers_in_several_threads(model):
    ms.set_num_threads(3)
    with ThreadPoolExecutor(4) as callers:
        for done in [callers.submit(check, model) for _ in range(80)]:
            if not done.done():
                ms.set_num_threads(2 + threads() % 2)  # while they run
            done.result()


def child(path, results):
    model = _native.Model(path)
    for _ in range(10):
        check(model)
    results.put(threads())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # fork beside threads is what is tested
def test_after_a_fork(path, model):
    ms.set_num_threads(3)
    check(model)
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    children = [context.Process(target=child, args=(path, results)) for _ in range(3)]
    for process in children:
        process.start()
    check(model)
    for process in children:
        process.join(60)
        assert process.exitcode == 0
        assert results.get() >= 3

    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            check(model)
            ms.set_num_threads(2)
            check(model)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
    check(model)
