"""The tool that runs MindSpore's own tests here, on tests made up for it."""

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "oracles/upstream/run.py"
TESTS = {
    "tests/st/test_a.py": """
import numpy as np
import pytest
import mindspore as ms
from mindspore import Tensor, ops

@pytest.mark.cpu_linux
def test_gradient():
    slope = ms.grad(lambda x: x * x)(Tensor(np.float32([3.0])))
    assert slope.asnumpy().tolist() == [6.0]

@pytest.mark.cpu_linux
@pytest.mark.parametrize("n", [1, 2])
def test_value(n):
    assert ops.add(n, Tensor([1])).asnumpy().tolist() == [2]

@pytest.mark.platform_ascend
def test_elsewhere():
    raise AssertionError

def test_long():
    while True:
        pass
""",
    "tests/st/test_b.py": """
from mindspore.no_such_module import anything

def test_nothing():
    anything()
""",
}


def called(*arguments):
    command = [sys.executable, str(TOOL), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_tests_run_and_are_compared(tmp_path):
    for name, text in TESTS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    names = tmp_path / "list"
    names.write_text("\n".join(TESTS))
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    called("run", names, ours, "--tests", tmp_path, "--as", "cellgrad", "--seconds", 2)
    results = {
        r["test"].partition("::")[2] or r["test"]: r["outcome"]
        for r in map(json.loads, ours.read_text().splitlines())
    }
    assert results == {
        "test_gradient": "passed",
        "test_value[1]": "passed",
        "test_value[2]": "failed",
        "test_long": "failed",
        "tests/st/test_b.py": "import",
    }

    # As if MindSpore passed them all.
    records = [json.loads(line) for line in ours.read_text().splitlines()]
    records[-1:] = [r | {"outcome": "passed"} for r in records]
    records.append({"test": "tests/st/test_b.py::test_nothing", "outcome": "passed"})
    theirs.write_text("\n".join(map(json.dumps, records)))
    said = called("report", "--tests", tmp_path, theirs, ours)
    assert "gradients: 1 of 1 (100.0 %)" in said
    assert "test_b.py::test_nothing\n      not imported" in said
    assert "more than 2 s" in said and "test_value[2]" in said

    # Those of other devices alone.
    called("run", names, ours, "--tests", tmp_path, "--as", "cellgrad", "--others")
    found = [json.loads(line)["test"].rpartition("::")[2] for line in ours.read_text().splitlines()]
    assert found == ["tests/st/test_b.py", "test_elsewhere"]
