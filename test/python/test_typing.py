"""A type checker knows the public API, from outside of the package; and how much of it tells no type."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

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


def test_a_program_of_a_user(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports"]
    command += ["--namespace-packages", "--config-file=", f"--cache-dir={tmp_path}", "program.py"]
    env = {"MYPYPATH": str(ROOT / "pyfront"), "PATH": "/usr/bin:/bin"}
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env)
    said = {}
    for line in run.stdout.splitlines():
        found = re.match(r"program.py:(\d+): (?:note|error): (.*)", line)
        if found:
            said.setdefault(int(found[1]), re.sub(r"cellgrad\.[a-z_.]+\.", "", found[2]))
    for number, line in enumerate(PROGRAM.splitlines(), 1):
        wanted = line.partition("  # ")[2]
        assert bool(wanted) == (number in said), (line, said.get(number), run.stdout)
        assert wanted in said.get(number, ""), (line, said[number])


def test_few_places_tell_no_type():
    """A tool counts them; `--list` names them."""
    tool = ROOT / "tools/annotations/count_any.py"
    run = subprocess.run([sys.executable, tool], capture_output=True, text=True)
    count = int(re.search(r"^(\d+) places", run.stdout, re.MULTILINE)[1])
    assert 0 < count < 50, run.stdout + run.stderr
