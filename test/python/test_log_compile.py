"""CELLGRAD_LOG=compile: what the stages of compiling cost."""

import re

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, _native, ops
from cellgrad.compile import instrument

ROW = re.compile(r" *([\d.]+) ms +([\d.]+) % +([+-][\d.]+) MiB +(?:(\d+) x  )?(\S.*)")


def test_stages_are_listed(monkeypatch, capfd):
    """The longest first; times add up to the total, though some passes run others."""
    monkeypatch.setenv("CELLGRAD_LOG", "compile")
    x = Tensor(np.linspace(0, 1, 64, dtype=np.float32))
    gradient = ms.grad(lambda x: ops.sin(x).sum())
    result = gradient(x)
    told = capfd.readouterr().err
    assert re.search(r"\[cellgrad\] compile: '.*' is captured, [\d.]+ ms", told), told
    rows = [m.groups() for m in map(ROW.fullmatch, told.splitlines()) if m]
    *stages, (total, share, *_, last) = rows
    assert last == "total" and float(share) == 100
    times = [float(ms) for ms, *_ in stages]
    assert times == sorted(times, reverse=True)
    assert sum(times) == pytest.approx(float(total), abs=0.001 * len(times))
    runs = {name: int(count) for *_, count, name in stages}
    assert runs["codegen"] == runs["link"] == runs["cell-differentiate"] == 1
    assert runs["cse"] > 1
    assert len(runs) == len(stages)  # each once
    np.testing.assert_allclose(result.asnumpy(), np.cos(x.asnumpy()), rtol=1e-6)
    gradient(x)
    monkeypatch.setenv("CELLGRAD_LOG", "recompile")
    ms.grad(lambda x: ops.tanh(x).sum())(x)
    assert "MiB" not in capfd.readouterr().err


def test_stages_verify_where_passes_do_not(monkeypatch):
    """What users have: the tests verify after every pass, which finds a mistake where it is made."""
    options = []
    compile_graph = _native.compile_graph

    def compiling(graph, path, name, given):
        options.append(given)
        return compile_graph(graph, path, name, given)

    monkeypatch.setattr(_native, "compile_graph", compiling)
    x = Tensor(np.linspace(-1, 1, 96, dtype=np.float32).reshape(8, 12))
    results = []
    for each in (False, True):
        monkeypatch.setattr(instrument, "VERIFY_EACH", each)
        gradient = ms.grad(lambda x: (ops.softmax(ops.sin(x)) * x).sum())
        results.append(gradient(x).asnumpy())
    assert [o["verify_each"] for o in options] == [False, True]
    np.testing.assert_array_equal(*results)
