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


MAIN = [
    *(ms.grad, ms.value_and_grad, ms.vjp, ms.jvp, ms.vmap, ms.jacrev, ms.jacfwd, ms.hessian),
    *(ms.jit, ms.Parameter, ms.ParameterTuple, ms.stop_gradient, ms.Tensor.asnumpy),
    *(nn.Dense, nn.Conv2d, nn.LayerNorm, nn.Dropout, nn.ReLU, nn.CellList, nn.Embedding),
    *(nn.MSELoss, nn.CrossEntropyLoss, nn.SGD, nn.Adam, nn.Momentum, nn.TrainOneStepCell),
    *(ops.sum, ops.mean, ops.matmul, ops.concat, ops.reshape, ops.where, ops.gather, ops.softmax),
    *(
        value
        for value in map(vars(ops._generated).get, ops._generated.__all__)
        if inspect.isfunction(value)
    ),
]


@pytest.mark.parametrize("value", MAIN, ids=lambda v: v.__qualname__)
def test_the_main_api_has_examples(value):
    assert ">>> " in inspect.getdoc(value)


@pytest.mark.parametrize("module", [ms, ops, nn, ms.amp, ms.context])
def test_public_names_are_documented(module):
    missing = []
    for name in module.__all__:
        value = getattr(module, name)
        if (inspect.isfunction(value) or inspect.isclass(value)) and not inspect.getdoc(value):
            missing.append(name)
    assert missing == []
