"""A type checker knows the public API, from outside of the package; and how much of it tells no type."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/main.py"))

PROGRAM = """\
import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc = nn.Dense(width, 1)
        self.scale = Parameter(Tensor([1.0]), name="scale")

    def construct(self, x: Tensor) -> Tensor:
        return ops.softmax(self.fc(x)) * self.scale


net = Net(3)
x = Tensor([[1.0, 2.0, 3.0]], ms.float32)
reveal_type(x + 1)  # Tensor
reveal_type(x.sum(0).shape)  # tuple[int, ...]
reveal_type(x.dtype)  # Type
reveal_type(ops.softmax(x))  # Tensor
reveal_type(ops.tanh(2 / x) > 1)  # Tensor
reveal_type(ops.Tanh()(x))  # Tensor
reveal_type(ms.jit(ops.tanh))  # def (input: Tensor | bool | int | float) -> Tensor
reveal_type(nn.SequentialCell(net, net)[0])  # Cell
reveal_type(net.trainable_params())  # list[Parameter]
reveal_type(list(net.cells_and_names()))  # list[tuple[str, Cell]]
reveal_type(nn.CellList([net]).extend([net]))  # CellList
reveal_type(ms.load_checkpoint("a.ckpt"))  # dict[str, Any]
x.reshap(3)  # "Tensor" has no attribute "reshap"
ops.tanhh(x)  # has no attribute "tanhh"
ops.tanh("a")  # Argument 1 to "tanh" has incompatible type "str"
nn.Dense("3", 1)  # expected "int"
ms.save_checkpoint(net, 3)  # expected "str"
net.set_train("yes")  # expected "bool"
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What one strict run of mypy says of the program and of the examples, by file."""
    place = tmp_path_factory.mktemp("typing")
    (place / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--ignore-missing-imports", "--explicit-package-bases", "--config-file="]
    command += [f"--cache-dir={place}", place / "program.py", *EXAMPLES]
    env = {"MYPYPATH": f"{ROOT / 'pyfront'}:{ROOT}:{place}", "PATH": "/usr/bin:/bin"}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=env)
    assert f"(checked {len(EXAMPLES) + 1} source files)" in run.stdout, run.stdout + run.stderr
    found = re.findall(r"^(.*?\.py):(\d+): (?:note|error): (.*)", run.stdout, re.MULTILINE)
    return [(Path(file), int(line), text) for file, line, text in found]


def test_a_program_of_a_user(said):
    lines = {}
    for file, number, text in said:
        if file.name == "program.py":
            lines.setdefault(number, re.sub(r"cellgrad\.[a-z_.]+\.", "", text))
    for number, line in enumerate(PROGRAM.splitlines(), 1):
        wanted = line.partition("  # ")[2]
        assert bool(wanted) == (number in lines), (line, lines.get(number))
        assert wanted in lines.get(number, ""), (line, lines[number])


def test_examples_are_typed(said):
    assert [s for s in said if s[0].name != "program.py"] == []
    assert [e for e in EXAMPLES if "type: ignore" in e.read_text()] == []


def test_few_places_tell_no_type():
    """A tool counts them; `--list` names them."""
    tool = ROOT / "tools/annotations/count_any.py"
    run = subprocess.run([sys.executable, tool], capture_output=True, text=True)
    count = int(re.search(r"^(\d+) places", run.stdout, re.MULTILINE)[1])
    assert 0 < count < 50, run.stdout + run.stderr
