"""`ms.profile`: what is timed, what it says of kernels, and the forms it is written in."""

import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.compile import probes
from cellgrad.core import context
from cellgrad.profiler import record as _record
from cellgrad.profiler.table import as_dict


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(48, 64, "normal")
        self.second = nn.Dense(64, 16, "normal")

    def construct(self, x):
        return self.second(ops.tanh(self.first(x))).sum()


@pytest.fixture(scope="module")
def trained():
    """A gradient function that was profiled, its profile, and what it gives."""
    ms.set_seed(0)
    net = Net()
    step = ms.value_and_grad(net, None, net.trainable_params())
    x = Tensor(np.linspace(-1, 1, 32 * 48, dtype=np.float32).reshape(32, 48))
    plain = step(x)
    with ms.profile() as p:
        for _ in range(3):
            told = step(x)
    return step, x, plain, told, p


def flat(results):
    loss, gradients = results
    return [t.asnumpy().tobytes() for t in (loss, *gradients)]


def test_results_have_the_same_bits(trained):
    step, x, plain, told, p = trained
    assert flat(plain) == flat(told) == flat(step(x))
    assert len(p._record.calls) == 3  # not the call after the profile


def test_bytes_and_operations_of_products(trained):
    """Multiplications and additions, and each element read or written once."""
    *_, p = trained
    products = {k.kernel: k for k in p.kernels if k.kernel.startswith("product")}
    forward = products["product 32x64x48"]
    assert forward.runs == 3
    assert forward.phase == "forward"
    assert forward.cell.split("/")[0] == "first"
    assert "matmul" in forward.ops
    assert forward.operations == 2 * 32 * 64 * 48
    assert forward.bytes == 4 * (32 * 48 + 64 * 48 + 32 * 64)
    weights = [k for k in products.values() if k.phase == "adjoint"]
    # The gradient of the first weight: (64 x 32) @ (32 x 48).
    assert 2 * 64 * 48 * 32 in {k.operations for k in weights}


@pytest.mark.parametrize(
    ("function", "shape", "operations", "moved"),
    [
        (lambda x: x * 2 + 1, (1000,), 2000, 8000),
        (lambda x: ops.exp(x), (64, 32), 2048, 2 * 4 * 2048),
        (lambda x: x.sum(), (4096,), 4096, 4 * 4096 + 4 + 4),  # the zero it starts from
    ],
    ids=["axpy", "exp", "sum"],
)
def test_bytes_and_operations(function, shape, operations, moved):
    with ms.profile() as p:
        ms.jit(function)(Tensor(np.ones(shape, np.float32)))
    assert sum(k.operations * k.runs for k in p.kernels) == operations
    assert sum(k.bytes * k.runs for k in p.kernels) == moved


def test_double_precision_is_told():
    with ms.profile() as p:
        ms.jit(lambda x: ops.matmul(x, x))(Tensor(np.ones((16, 16))))
    (kernel,) = p.kernels
    assert kernel.double
    limits = _record.Ceilings(1, 100e9, 50e9, 10e9)
    kernel.nanoseconds = 1000
    assert kernel.flops() == pytest.approx(2 * 16**3 / 1e-6)
    assert kernel.fraction(limits) == pytest.approx(
        max(2 * 16**3 / 1e-6 / 50e9, 2 * 8 * 256 / 1e-6 / 10e9)
    )
    assert kernel.bound(limits) == "memory"


def test_times_add_up(trained):
    *_, p = trained
    told = json.loads(json.dumps(p.to_dict()))
    kernels = sum(k["nanoseconds"] for k in told["kernels"])
    assert 0 < kernels == told["in_kernels"] <= told["in_calls"] <= told["total"]
    assert 0 < told["compiling"] <= told["total"] - told["in_calls"]
    assert told["calls"] == 3
    assert told["compilations"] == 1
    pairs = sum(p["forward"] + p["adjoint"] + p["tangent"] for p in told["pairs"])
    assert pairs == pytest.approx(kernels * 1e-6)


def test_lines_and_cells_with_forward_and_adjoint(trained):
    *_, p = trained
    line = Net.construct.__code__.co_firstlineno + 1
    here = [k for k in p.kernels if k.file == __file__ and k.line == line]
    assert {"forward", "adjoint"} >= {k.phase for k in here}
    cells = {k.cell.split("/")[0] for k in p.kernels}
    assert {"first", "second"} <= cells
    both = [pair for pair in p._record.pairs() if pair.forward > 0 and pair.adjoint > 0]
    assert both, p.table()


def test_tangents():
    with ms.profile() as p:
        ms.jvp(
            lambda x: ops.sin(x), Tensor(np.ones(100, np.float32)), Tensor(np.ones(100, np.float32))
        )
    phases = {o["phase"] for call in p._record.calls for k in call.kernels for o in k["origins"]}
    assert "tangent" in phases


def test_loops_count_their_runs():
    @ms.jit
    def f(x):
        i = Tensor(0)
        while i < 7:
            x = ops.matmul(x, x) * 0.1
            i = i + 1
        return x

    with ms.profile() as p:
        f(Tensor(np.eye(32, dtype=np.float32)))
    assert 7 in {k.runs for k in p.kernels if k.kernel.startswith("product")}


def test_table(trained):
    *_, p = trained
    text = str(p)
    assert re.search(r"in 3 calls of compiled code \([\d.]+ ms in kernels\)", text)
    assert re.search(r"ceilings of \d+ threads?: [\d.]+ GFLOP/s in float32", text)
    assert "product 32x64x48" in text
    assert "adjoint" in text
    short = p.table(most=1)
    assert f"{len(p.kernels) - 1} more" in short


def test_ceilings_are_of_this_machine():
    limits = _record.ceilings(1)
    assert limits is _record.ceilings(1)  # measured once
    assert limits.float32 > limits.float64 > 1e8
    assert 1e8 < limits.bytes < 1e12


def test_trace(trained, tmp_path):
    *_, p = trained
    p.trace(tmp_path / "t.json")
    told = json.loads((tmp_path / "t.json").read_text())
    events = told["traceEvents"]
    by_kind = {
        kind: [e for e in events if e["cat"] == kind] for kind in ("call", "kernel", "compile")
    }
    assert len(by_kind["call"]) == 3
    assert len(by_kind["compile"]) == 1
    assert len(by_kind["kernel"]) == sum(k.runs for k in p.kernels)
    assert told["metadata"]["runs_left_out"] == 0
    for event in events:
        assert event["ph"] == "X"
        assert event["ts"] >= 0
        assert event["dur"] >= 0
    for kernel in by_kind["kernel"]:  # each lies in a call
        assert any(
            call["ts"] <= kernel["ts"]
            and kernel["ts"] + kernel["dur"] <= call["ts"] + call["dur"] + 1e-3
            for call in by_kind["call"]
        )
        assert kernel["args"]["bytes"] > 0


def test_runs_beyond_a_limit_are_counted_only(monkeypatch, tmp_path):
    monkeypatch.setattr(probes, "MOST_RUNS", 2)
    f = ms.jit(lambda x: ops.exp(x))
    with ms.profile() as p:
        for _ in range(5):
            f(Tensor(np.ones(8, np.float32)))
    assert sum(k.runs for k in p.kernels) == 5
    p.trace(tmp_path / "t.json")
    told = json.loads((tmp_path / "t.json").read_text())
    assert len([e for e in told["traceEvents"] if e["cat"] == "kernel"]) == 2
    assert told["metadata"]["runs_left_out"] == 3


def test_pictures(trained, tmp_path):
    *_, p = trained
    p.picture(tmp_path / "p.svg")
    root = ElementTree.parse(tmp_path / "p.svg").getroot()
    spaces = {"svg": "http://www.w3.org/2000/svg"}
    assert len(root.findall(".//svg:circle", spaces)) == len(
        [k for k in p.kernels if k.operations and k.bytes]
    )
    titles = [t.text for t in root.findall(".//svg:title", spaces)]
    assert any(t.startswith("first: ") for t in titles)  # the Cell's bar
    p.picture(tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text()
    assert page.count("<svg") == 2
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")  # nothing from outside
    with pytest.raises(ValueError, match=r"ends in .html, .svg or .png"):
        p.picture(tmp_path / "p.gif")


def test_png_needs_matplotlib(trained, tmp_path, monkeypatch):
    *_, p = trained
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        p.picture(tmp_path / "p.png")
    assert not (tmp_path / "p.png").exists()


def test_decorator():
    @ms.profile
    def f(x):
        """Doc."""
        return ops.exp(x) * 2

    x = Tensor(np.ones(16, np.float32))
    first, again = f(x), f(x)
    assert first.asnumpy().tobytes() == again.asnumpy().tobytes()
    assert f.__name__ == "f"
    assert f.__doc__ == "Doc."
    assert {k.runs for k in f.kernels} == {2}

    @ms.profile()
    def g(x):
        return ops.exp(x)

    g(x)
    assert len(g.kernels) == 1


def test_nothing_is_left_when_it_is_off():
    """The code without probes is used again, nothing is compiled again, and no listener is left."""
    f = ms.jit(lambda x: ops.exp(x))
    x = Tensor(np.ones(8, np.float32))
    f(x)
    entries = {id(c.entry) for c in f.program.cache.values()}
    with pytest.raises(RuntimeError, match="stop"), ms.profile() as p:
        f(x)
        raise RuntimeError("stop")
    f(x)
    assert probes._listeners == []
    assert context.prefix == []
    plain = [c for key, c in f.program.cache.items() if "probes" not in key]
    assert {id(c.entry) for c in plain} == entries
    assert "kernels" not in plain[0].entry.model.signature["entries"][0]
    assert len(p._record.calls) == 1


def test_stored_code_has_its_kernels(monkeypatch, tmp_path):
    """Code from the cache on disk tells as much as code that was compiled."""
    monkeypatch.setenv("CELLGRAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("CELLGRAD_CACHE", "1")
    x = Tensor(np.ones((8, 8), np.float32))
    told = []
    for _ in range(2):
        with ms.profile() as p:
            ms.jit(lambda x: ops.matmul(x, x))(x)
        told.append([(k.kernel, k.bytes, k.operations, k.line) for k in p.kernels])
    assert told[0] == told[1] != []


def test_nested_profiles_are_both_told():
    f = ms.jit(lambda x: ops.exp(x))
    x = Tensor(np.ones(8, np.float32))
    with ms.profile() as outer:
        f(x)
        with ms.profile() as inner:
            f(x)
        f(x)
    assert sum(k.runs for k in outer.kernels) == 3
    assert sum(k.runs for k in inner.kernels) == 1


def test_a_call_that_fails_is_an_error_as_ever():
    table = Tensor(np.ones(4, np.float32))
    f = ms.jit(lambda i: ops.gather(table, i, 0))
    with ms.profile() as p:
        with pytest.raises((IndexError, ValueError)):
            f(Tensor([9]))
        f(Tensor([1]))
    assert len(p._record.calls) == 1


def test_schedule_and_trace_handler(tmp_path):
    f = ms.jit(lambda x: ops.exp(x))
    x = Tensor(np.ones(8, np.float32))
    plan = ms.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    handler = ms.profiler.tensorboard_trace_handler(str(tmp_path), "worker")
    with ms.profiler.profile(schedule=plan, on_trace_ready=handler) as p:
        for _ in range(6):
            f(x)
            p.step()
    assert sum(k.runs for k in p.kernels) == 2
    assert sorted(os.listdir(tmp_path / "worker")) == [
        "profile.html",
        "profile.json",
        "profile.txt",
        "trace.json",
    ]


def test_profiler_of_mindspore(tmp_path):
    """The names and the order of calls of MindSpore's examples."""
    profiler = ms.Profiler(
        profiler_level=ms.profiler.ProfilerLevel.Level0,
        activities=[ms.profiler.ProfilerActivity.CPU],
        aic_metrics=ms.profiler.AicoreMetrics.AiCoreNone,
        output_path=str(tmp_path / "data"),
        start_profile=False,
    )
    f = ms.jit(lambda x: ops.exp(x))
    x = Tensor(np.ones(8, np.float32))
    f(x)
    profiler.start()
    f(x)
    profiler.stop()
    f(x)
    profiler.add_metadata("run", "7")
    profiler.add_metadata_json("sizes", "[1, 2]")
    profiler.analyse()
    told = json.loads((tmp_path / "data" / "profile.json").read_text())
    assert told["calls"] == 1
    assert told["metadata"] == {"run": "7", "sizes": [1, 2]}
    assert told == json.loads(json.dumps(as_dict(profiler._record)))
    with pytest.raises(ValueError, match="nothing to read offline"):
        profiler.analyse(offline_path="x")


def test_mistakes(monkeypatch):
    with pytest.raises(TypeError, match="unexpected option 'steps'"):
        ms.profile(steps=3)
    with pytest.raises(TypeError, match="'function'"):
        ms.profile(3)
    with pytest.raises(TypeError, match="'schedule'"):
        ms.profile(schedule=3)
    with pytest.raises(ValueError, match="'active'"):
        ms.profiler.schedule(wait=0, active=0)
    monkeypatch.setattr(context, "current", [context.Placement(0, "sm_80")])
    with pytest.raises(RuntimeError, match="code runs on a GPU"):
        ms.profile().start()
