"""Compiled code has the lines of the Python source where it is asked for, and frames can be walked always."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import nn, ops

CC = os.environ.get("CC", "cc")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(np.float32([[0.5, -1], [2, 0.25]]), name="w")

    def construct(self, x):
        y = ops.matmul(x, self.w)  # line of the product
        return ops.topk(ops.exp(y), 2)[0]  # line of the selection


MAIN = """
#include "net.h"
int main(void) {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4] = {0.5f, -1, 2, 0.25f}, y[8];
  return cg_net_forward(&(cg_net_forward_args){x, w, y}, 0);
}
"""


def line_of(what):
    lines = Path(__file__).read_text().split("\n")
    return 1 + next(i for i, line in enumerate(lines) if line.endswith(f"# line of the {what}"))


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A program with lines and one without."""
    out = tmp_path_factory.mktemp("lines")
    for name, lines in (("with", True), ("without", False)):
        folder = out / name
        ms.export(Net(), ms.Tensor(np.ones((4, 2), np.float32)), file_name=str(folder / "net"),
                  value_and_grad=False, lines=lines)  # fmt: skip
        (folder / "main.c").write_text(MAIN)
        command = [CC, "-g", "-I", folder, folder / "main.c", folder / "net.so"]
        subprocess.run([*command, f"-Wl,-rpath,{folder}", "-o", folder / "main"], check=True)
    return out


def gdb(program, *commands):
    words = [word for command in commands for word in ("-ex", command)]
    options = ["-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off"]
    environment = {**os.environ, "DEBUGINFOD_URLS": ""}
    done = subprocess.run(
        ["gdb", *options, *words, str(program)], capture_output=True, text=True, env=environment, timeout=60
    )  # fmt: skip
    return done.stdout + done.stderr


def test_gdb_stops_at_a_line_of_python_and_shows_it(programs):
    line = line_of("product")
    said = gdb(programs / "with" / "main", "set breakpoint pending on",
               f"break test_lines.py:{line}", "run", "backtrace", f"info line test_lines.py:{line + 1}")  # fmt: skip
    assert re.search(rf"^#0 .*test_lines\.py:{line}$", said, re.M), said
    assert re.search(r"^#\d+ .* main \(\) at .*main\.c:\d+$", said, re.M), said
    assert "# line of the product" in said
    # The other line has code, too.
    assert line + 1 == line_of("selection")
    assert re.search(rf'Line {line + 1} of ".*test_lines\.py" starts at address', said), said


def test_frames_are_walked_without_lines(programs):
    said = gdb(programs / "without" / "main", "set breakpoint pending on", "break cg_net_forward", "run",
               "stepi 40", "backtrace")  # fmt: skip
    assert re.search(r"^#\d+ .* main \(\) at .*main\.c:\d+$", said, re.M), said
    sections = subprocess.run(
        ["readelf", "-SW", programs / "without" / "net.so"], capture_output=True, text=True
    )
    assert ".eh_frame" in sections.stdout and ".debug" not in sections.stdout


def test_code_is_the_same(programs):
    def code(name):
        file = programs / name / "code"
        command = [
            "objcopy",
            "-O",
            "binary",
            "--only-section=.text",
            programs / name / "net.so",
            file,
        ]
        subprocess.run(command, check=True)
        return file.read_bytes()

    assert code("with") == code("without")
    with pytest.raises(TypeError, match="'lines' must be a bool"):
        ms.export(Net(), ms.Tensor(np.ones((4, 2), np.float32)), file_name="x", lines=1)
