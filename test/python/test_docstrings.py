"""The examples in docstrings run, and every public function and class has one."""

import doctest
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import nn, ops

MODULES = sorted(m.name for m in pkgutil.walk_packages(ms.__path__, "cellgrad."))
NAMES = {
    "ms": ms,
    "nn": nn,
    "ops": ops,
    "Tensor": ms.Tensor,
    "Parameter": ms.Parameter,
    "mint": ms.mint,
    "numpy": ms.numpy,
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FRACTION = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?")


class Checker(doctest.OutputChecker):
    """Takes another last digit of a fraction, which processors and libraries differ in."""

    def check_output(self, want, got, optionflags):
        if super().check_output(want, got, optionflags):
            return True
        wanted, found = (re.findall(FRACTION, text) for text in (want, got))
        rest = [re.sub(r"\s", "", re.sub(FRACTION, "#", text)) for text in (want, got)]
        return rest[0] == rest[1] and np.allclose(
            [float(n) for n in found], [float(n) for n in wanted], 2e-6, 1e-9
        )


def run(tests):
    runner = doctest.DocTestRunner(Checker(), optionflags=FLAGS)
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def find(value, name, module=None):
    """The examples, with the names that a user has, not those of the module."""
    return doctest.DocTestFinder(exclude_empty=True).find(value, name, module, NAMES)


@pytest.mark.parametrize("name", [m for m in MODULES if "_native" not in m])
def test_examples(name):
    module = importlib.import_module(name)
    assert module.__doc__ or name.endswith("_generated")
    run(find(module, name))


def test_another_last_digit_is_no_mistake():
    same = Checker().check_output
    assert same("[0.5 1.2345678]\n", "[0.5       1.2345679]\n", FLAGS)
    assert not same("[0.5 1.2345678]\n", "[0.5 1.2346678]\n", FLAGS)
    assert not same("[0.5 1.2345678]\n", "[[0.5 1.2345679]]\n", FLAGS)
    assert not same("(2, 3)\n", "(2, 4)\n", FLAGS)


WITHOUT = {"MnistDataset": "reads files that a user has to download"}


def public(module):
    """The functions and classes of a module by name, those of Python and exceptions apart."""
    for name in module.__all__:
        value = getattr(module, name)
        if not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        if inspect.isclass(value) and issubclass(value, Exception):
            continue
        if inspect.unwrap(value).__module__.startswith("cellgrad"):
            yield name, value


MODULES_OF_USERS = [
    *(ms, ops, nn, ms.amp, ms.train, ms.dataset, ms.random, ms.common.initializer, ms.scipy.linalg),
    *(ms.mint, ms.mint.nn, ms.mint.nn.functional, ms.mint.linalg, ms.mint.special),
    ms.mint.distributed,
    *(ms.experimental.optim, ms.experimental.optim.lr_scheduler),
    *(nn.probability.distribution, nn.probability.bijector),
]


@pytest.mark.parametrize("module", MODULES_OF_USERS, ids=lambda m: m.__name__)
def test_public_functions_and_classes_have_examples(module):
    found = dict(public(module))
    assert found
    without = {n for n, v in found.items() if ">>> " not in (v.__doc__ or "")}
    assert without - set(WITHOUT) == set()


@pytest.mark.parametrize(
    "module",
    [f"{name}._forms" for name in ("ops", "ops.methods", "nn", "mint", "mint.nn")]
    + ["mint.nn._functional_forms"],
)
def test_examples_of_forms_are_found(module):
    module = importlib.import_module(f"cellgrad.{module}")
    assert len([t for t in find(module, module.__name__) if t.examples]) > 20


def test_methods_of_tensors_have_examples():
    names = [name for name in dir(ms.Tensor) if not name.startswith("_")]
    assert len(names) > 300
    assert [n for n in names if ">>> " not in (getattr(ms.Tensor, n).__doc__ or "")] == []


@pytest.mark.parametrize(
    "kind", [nn.Cell, nn.SequentialCell, nn.CellList, nn.CellDict, ms.Parameter]
)
def test_methods_of_cells_and_parameters_have_examples(kind):
    base = {ms.Parameter: ms.Tensor, nn.Cell: object}.get(kind, nn.Cell)
    known = {
        "auto_prefix": "an argument of Cell",
        "layerwise_parallel": "for several devices",
        "part": "what a rank has of an optimizer's state",
    }
    names = {n for n in dir(kind) if not n.startswith("_")} - set(dir(base)) - set(known)
    assert names
    assert [n for n in names if ">>> " not in (getattr(kind, n).__doc__ or "")] == []


@pytest.mark.parametrize("module", [ms, ops, nn, ms.amp, ms.context])
def test_public_names_are_documented(module):
    missing = []
    for name in module.__all__:
        value = getattr(module, name)
        if (inspect.isfunction(value) or inspect.isclass(value)) and not inspect.getdoc(value):
            missing.append(name)
    assert missing == []
