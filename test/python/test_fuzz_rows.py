"""Random programs about kernels: a few hundred here, many thousand in the sweep."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import differential
import guarded
import rows

CHUNK, FEW, MANY = 20, 200, 10_000
FEW_STACKED, MANY_STACKED = 40, 3_000


@pytest.fixture(autouse=True)
def own_threads():
    yield
    rows._native.set_num_threads(0)


@pytest.mark.parametrize("first", range(0, FEW, CHUNK))
def test_programs_about_kernels(first):
    regions = sum(rows.check(seed) for seed in range(first, first + CHUNK))
    assert regions > CHUNK, "most programs have something to share"


@pytest.mark.parametrize("kind", [rows.PLANES, rows.HEADS])
@pytest.mark.parametrize("first", range(0, FEW_STACKED, CHUNK))
def test_programs_of_stacked_matrices(first, kind):
    """Of which a matrix is larger than a tile, and cut again in most; and of attention, with products."""
    seeds = range(kind + first, kind + first + CHUNK)
    assert sum(rows.check(seed) for seed in seeds) > CHUNK
    found = sum((rows.forms(seed) for seed in seeds), Counter())
    assert found["within a tile"] > CHUNK // 5
    if kind == rows.HEADS:
        assert found["with products"] > CHUNK
        assert found["with products that a loop adds up"] > 0


@pytest.mark.sweep
@pytest.mark.parametrize("kind", [rows.PLANES, rows.HEADS])
@pytest.mark.parametrize("first", range(1000, 1000 + MANY_STACKED, 250))
def test_many_programs_of_stacked_matrices(first, kind):
    for seed in range(kind + first, kind + first + 250):
        rows.check(seed)
    assert differential.peak_gigabytes() < 4


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 1000 + MANY, 250))
def test_many_programs_about_kernels(first):
    for seed in range(first, first + 250):
        rows.check(seed)
    assert differential.peak_gigabytes() < 4


def test_every_form_is_drawn():
    """Items, several tiles of them and of rows, rows left over, sums over rows, fills, temporaries, ops
    that come after; kernels of one op and of several, and with products; and memory of workers."""
    products = ("with products", "with products that a loop adds up")
    wanted = {"kernels", "of one op", "memory of workers", *products, *rows.FORMS}
    found = Counter()
    for seed in range(200):
        found += rows.forms(seed)
        if all(found[form] >= 3 for form in wanted):
            return
    assert {form: found[form] for form in wanted if found[form] < 3} == {}


TRIPLE = """func.func @main(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %y = cell.tanh %x : tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}"""


def test_a_pool_runs_each_item_once(tmp_path):
    """In pieces that are cut anywhere, of more workers than one, in another order each time."""
    native = rows._native
    path = tmp_path / "triple.so"
    native.compile_text(TRIPLE, str(path), "triple", {"kernel_bytes": 1})
    entry, x = guarded.Model(path).entry("main"), np.ones((64, 8), np.float32)
    orders = set()
    for seed in range(5):
        pool = Recorded(3, seed)
        entry([x], pool)
        items = sorted(i for begin, end, _ in pool.calls for i in range(begin, end))
        assert items == list(range(64))
        assert {worker for *_, worker in pool.calls} <= {0, 1, 2}
        orders.add(tuple(pool.calls))
    assert len(orders) == 5


class Recorded(guarded.Shuffled):
    """A pool that knows which pieces it has run."""

    def __init__(self, threads, seed):
        super().__init__(threads, seed)
        self.calls = []

    def run(self, own, count, task, frame):
        def told(frame, begin, end, worker):
            self.calls.append((begin, end, worker))
            task(frame, begin, end, worker)

        super().run(own, count, told, frame)


def test_a_worker_that_writes_to_the_memory_of_another_is_found():
    pool = guarded.Shuffled(3, 0)
    pool.memory = np.zeros((3, 8), np.uint8)

    def task(frame, begin, end, worker):
        assert (pool.memory == 0xFF).all(), "what was there before is gone"
        pool.memory[worker] = 1

    for _ in range(5):
        pool.run(None, 10, task, None)
    assert not pool.strayed
    for _ in range(5):
        pool.run(None, 10, lambda frame, begin, end, worker: pool.memory[0].fill(1), None)
    assert pool.strayed


def test_items_that_write_to_one_place_are_found():
    pool = guarded.Shuffled(3, 0)
    pool.shared = [np.zeros(10, np.uint8)]

    def task(frame, begin, end, worker):
        pool.shared[0][begin:end] += 1

    for _ in range(5):
        pool.run(None, 10, task, None)
    assert not pool.met
    for _ in range(5):
        pool.run(None, 10, lambda *item: pool.shared[0][:1].fill(item[1]), None)
    assert pool.met


@pytest.mark.parametrize("seed", [1, 3, 10])
def test_bits_that_depend_on_the_worker_are_found(monkeypatch, seed):
    """One result of one worker, off by one bit."""
    original = guarded.Entry.run

    def run(self, given, pool=None, **context):
        status, args, results = original(self, given, pool, **context)
        if pool and pool.face.threads == 8 and results[0].size:
            results[0].view(np.uint8).reshape(-1)[0] ^= 1
        return status, args, results

    monkeypatch.setattr(guarded.Entry, "run", run)
    with pytest.raises(differential.Mismatch, match="8 workers: result 0 has other bits, 1 bytes"):
        rows.check_program(rows.draw(seed), seed)
