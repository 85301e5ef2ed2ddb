"""Tests compile what they test: the cache on disk is off unless a test switches it on."""

import os

os.environ.setdefault("CELLGRAD_CACHE", "0")

import on_gpu  # noqa: F401  (`make test-gpu`)
import pytest

import cellgrad as ms


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request):
    """The mode that the test runs in."""
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.GRAPH_MODE)
