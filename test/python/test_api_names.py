"""The page of MindSpore's names is what the package has; a name that is refused says why."""

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import cellgrad as ms
from cellgrad import mint, nn, ops
from cellgrad.core import absent
from cellgrad.scipy import linalg

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/docs"))
SPEC = importlib.util.spec_from_file_location("api_names", ROOT / "tools/docs/api_names.py")
api_names = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(api_names)
FOUND = {found.module: found for found in api_names.everything()}


def test_the_page_is_up_to_date():
    assert api_names.PAGE.read_text() == api_names.page(), "make docs renews docs/api-names.md"


def test_a_name_is_sorted_by_what_is_here():
    facts = {"documented": True, "kind": "function"}
    inside = {"documented": False, "kind": "function"}
    names = {"abs": facts, "no_such_operation": facts, "no_such_primitive": inside, "nn": facts}
    found = api_names.sorted_out("ops", names)
    assert found.exist == ["abs"] and found.internal == ["no_such_primitive"]
    assert found.missing == ["no_such_operation", "nn"]
    assert found.covered == pytest.approx(1 / 3)
    assert api_names.sorted_out("ops", {"TCPStore": facts}).refused == ["TCPStore"]


def test_no_name_is_refused_that_exists():
    """The table of reasons names what MindSpore has, and what is not here."""
    for name in (name for names in absent.REASONS.values() for name in names):
        module, _, last = name.rpartition(".")
        known = FOUND.get(name) or FOUND[module]
        assert name in FOUND or last in known.refused, name


@pytest.mark.parametrize(
    "place, name, hint",
    [
        (ms, "tenser", "nearest: tensor"),
        (ops, "sofmax", "nearest: softmax"),
        (nn, "Dens", "nearest: Dense"),
        (mint.nn.functional, "sofplus", "nearest: softplus"),
        (ms.numpy, "einsum", "ops.einsum, mint.einsum$"),
        (ms, "Dense", "ops.Dense, nn.Dense$"),
        (linalg, "solve", "ops.solve$"),
        (linalg, "grad", "ms.grad$"),
        (mint, "npu_gelu", "A kernel of Ascend"),
    ],
)
def test_a_name_that_is_not_there(place, name, hint):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'\n  hint: .*{hint}"):
        getattr(place, name)
    with pytest.raises(ImportError, match=f"has no attribute '{name}'\n  hint: .*{hint}"):
        exec(f"from {place.__name__} import {name}")
    assert not hasattr(place, name)


def test_a_name_that_another_module_has():
    """All that a hint names is there."""
    for name in ("relu", "zeros", "Linear", "vmap", "solve", "normal"):
        for place in (ms, ops, nn, mint, ms.numpy, linalg):
            if not hasattr(place, name):
                with pytest.raises(AttributeError) as caught:
                    getattr(place, name)
                for path in str(caught.value).split("hint: ")[1].split(", "):
                    assert eval(
                        path, {"ms": ms, "ops": ops, "nn": nn, "mint": mint, "cellgrad": ms}
                    )


def test_a_method_that_is_refused(monkeypatch):
    monkeypatch.setitem(absent._BY_NAME, "Tensor.teleport", "Tensors stay where they are.")
    with pytest.raises(AttributeError, match="hint: Tensors stay where"):
        ms.Tensor(1.0).teleport  # noqa: B018


@pytest.mark.parametrize(
    "name, words",
    [
        ("mindspore.graph", "inside of MindSpore's compiler"),
        ("ops._op_impl.cpu", "inside of MindSpore's compiler"),
        ("device_context.ascend", "Ascend processors"),
        ("mindspore.hal.device_count", "ms.runtime and ms.device_context"),
    ],
)
def test_inner_names_have_a_reason_too(name, words):
    assert words in absent.reason(name)


def test_no_inner_name_is_refused_that_exists():
    for modules in absent.INNER.values():
        for name in absent._paths(modules):
            module, _, last = f"cellgrad.{name}".replace(".mindspore.", ".").rpartition(".")
            assert not hasattr(importlib.import_module(module), last), name


def test_in_compiled_code():
    @ms.jit
    def f(x):
        return ops.NeighborExchange(x)

    with pytest.raises(AttributeError, match=r"test_api_names.py:\d+(.|\n)*what ranks communicate"):
        f(ms.Tensor(1.0))


def test_under_the_name_mindspore(tmp_path):
    path = tmp_path / "script.py"
    path.write_text("import mindspore.nn.thor")
    command = [sys.executable, "-m", "cellgrad", "run", str(path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert "ModuleNotFoundError" in result.stderr and "THOR optimizer" in result.stderr
