"""CELLGRAD_LOG=plan: the kernels of what is compiled."""

import re

import numpy as np

import cellgrad as ms
from cellgrad import Tensor, ops


def test_kernels_are_listed(monkeypatch, capfd):
    """Each time a program is compiled, whether its code is stored or not, and never else."""
    x = Tensor(np.ones((64, 32), np.float32))
    for _ in range(2):
        monkeypatch.setenv("CELLGRAD_LOG", "cache,plan")
        gradient = ms.grad(lambda x: ops.softmax(x).sum())
        result = gradient(x)
        told = capfd.readouterr().err
        header = re.search(
            r"\[cellgrad\] plan: '.*'\n@\S+: (\d+) kernels run, [\d.]+ MB through memory "
            r"\(arguments and results are 0\.016 MB\)",
            told,
        )
        assert header, told
        rows = [line for line in told.splitlines() if "test_plan.py:" in line]
        assert len(rows) == int(header[1]) > 0
        np.testing.assert_allclose(result.asnumpy(), 0, atol=1e-6)
        gradient(x)
        monkeypatch.setenv("CELLGRAD_LOG", "recompile")
        ms.grad(lambda x: ops.tanh(x).sum())(x)
        assert "kernels run" not in capfd.readouterr().err
