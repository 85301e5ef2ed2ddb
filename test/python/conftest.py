"""Tests compile what they test, with all checks of the compiler: the cache on disk is off unless a test
switches it on."""

import os
import zlib

os.environ.setdefault("CELLGRAD_CACHE", "0")
os.environ.setdefault("CELLGRAD_VERIFY_EACH", "1")

import numpy as np
import on_gpu  # noqa: F401  (`make test-gpu`)
import pytest

import cellgrad as ms
from cellgrad.core import context


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request):
    """The mode that the test runs in."""
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.GRAPH_MODE)


@pytest.fixture(autouse=True)
def own_numbers(request, monkeypatch):
    """A test's generators start anew: what it draws does not depend on which tests ran before it."""
    seed = zlib.crc32(request.node.name.encode())
    for name, value in vars(request.module).items():
        if isinstance(value, np.random.Generator):
            monkeypatch.setattr(request.module, name, np.random.default_rng(seed))


@pytest.fixture(autouse=True)
def own_mode():
    """A test that chooses a mode, or a level of syntax, chooses it for itself."""
    yield
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    context.strict_as_there(False)  # which a script's import of mindspore has asked for
