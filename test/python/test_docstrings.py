"""The examples in docstrings run, and every public function has a docstring."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import cellgrad as ms
from cellgrad import nn, ops

MODULES = sorted(m.name for m in pkgutil.walk_packages(ms.__path__, "cellgrad."))
NAMES = {"ms": ms, "nn": nn, "ops": ops, "Tensor": ms.Tensor, "Parameter": ms.Parameter}


@pytest.mark.parametrize("name", [m for m in MODULES if "_native" not in m])
def test_examples(name):
    module = importlib.import_module(name)
    assert module.__doc__ or name.endswith("_generated")
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in finder.find(module, extraglobs=NAMES):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("module", [ms, ops, nn, ms.amp, ms.context])
def test_public_names_are_documented(module):
    missing = []
    for name in module.__all__:
        value = getattr(module, name)
        if (inspect.isfunction(value) or inspect.isclass(value)) and not inspect.getdoc(value):
            missing.append(name)
    assert missing == []
