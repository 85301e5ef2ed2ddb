"""Draws docs/images/overview.svg: a Cell, its adjoint, and its shared object called from C.

    python tools/docs/overview.py

The text, sizes and times in it are of this machine: the adjoint is what cell-opt prints, times are the best of
several runs. The size of the shared object is compared by a test.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.sax.saxutils import escape

from snippets import ROOT, environment

import cellgrad as ms
from cellgrad import nn, ops

CELL = """\
class Wave(nn.Cell):
    def construct(self, x):
        return ops.sin(x) * ops.exp(x)

net, x = Wave(), ms.Tensor(1.0)
ms.grad(net)(x)
ms.grad(ms.grad(net))(x)
ms.export(net, x, file_name="wave")"""
CALL = """\
#include "wave.h"

float x = 1, value, slope;
cg_wave_value_and_grad_args args = {
    .x = &x, .value = &value,
    .grad_x = &slope};
status = cg_wave_value_and_grad(
    &args, NULL);"""
TIMED = """\
#include "wave.h"
#include <stdio.h>
#include <time.h>
int main(void) {
  float x = 1, value, slope;
  cg_wave_value_and_grad_args args = {.x = &x, .value = &value, .grad_x = &slope};
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 100000; ++i)
      if (cg_wave_value_and_grad(&args, NULL) != CG_OK)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 100000;
    best = ns < best ? ns : best;
  }
  printf("%.0f\\n", best);
  return 0;
}
"""


class Wave(nn.Cell):
    def construct(self, x):
        return ops.sin(x) * ops.exp(x)


def export(folder: Path) -> Path:
    """The shared object of the picture."""
    ms.export(Wave(), ms.Tensor(1.0), file_name=str(folder / "wave"))
    return folder / "wave.so"


def adjoint(folder: Path) -> str:
    """The entry value_and_grad as cell-opt prints it, without names and roles of arguments."""
    ms.export(Wave(), ms.Tensor(1.0), file_name=str(folder / "wave"), file_format="MLIR")
    passes = ["--cell-differentiate", "--cse", "--canonicalize", "--symbol-dce"]
    command = ["cell-opt", "wave.mlir", *passes]
    done = subprocess.run(
        command, cwd=folder, env=environment(ROOT), check=True, capture_output=True, text=True
    )
    body = re.search(r"func\.func @value_and_grad\(.*?\n  }", done.stdout, re.S)
    assert body
    lines = [line.removeprefix("    ") for line in body[0].splitlines()[1:-1]]
    lines = [re.sub(r" : tensor<f32>(, tensor<f32>)?$", "", line) for line in lines]
    return "\n".join(lines)


def first_gradient() -> float:
    """Milliseconds from a new Cell to its first gradient, in a process without a cache."""
    code = (
        "import time, cellgrad as ms\nfrom overview import Wave\nx = ms.Tensor(1.0)\n"
        "a = time.perf_counter()\nms.grad(Wave())(x).item()\nprint(1000 * (time.perf_counter() - a))\n"
    )
    env = environment(ROOT) | {"CELLGRAD_CACHE": "0"}
    env["PYTHONPATH"] += f":{Path(__file__).parent}"
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, env=env, check=True, capture_output=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def call_time(folder: Path) -> int:
    """Nanoseconds of a call from C."""
    (folder / "main.c").write_text(TIMED)
    command = ["cc", "-O2", "main.c", "./wave.so", "-Wl,-rpath,.", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    return int(subprocess.run(["./main"], cwd=folder, check=True, capture_output=True).stdout)


def export_time(folder: Path) -> float:
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        export(folder)
        best = min(best, time.perf_counter() - begin)
    return 1000 * best


def panel(left: int, title: str, code: str, foot: list[str]) -> str:
    lines = "".join(
        f'<tspan x="{left + 18}" dy="{19 if i else 0}">{escape(line) or " "}</tspan>'
        for i, line in enumerate(code.splitlines())
    )
    feet = "".join(
        f'<text class="foot" x="{left + 18}" y="{280 + 20 * i}">{escape(line)}</text>'
        for i, line in enumerate(foot)
    )
    return (
        f'<rect x="{left}" y="14" width="364" height="312" rx="8"/>'
        f'<text class="title" x="{left + 18}" y="44">{escape(title)}</text>'
        f'<text class="code" x="{left + 18}" y="76" xml:space="preserve">{lines}</text>'
        f'<line x1="{left + 18}" x2="{left + 346}" y1="256" y2="256"/>{feet}'
    )


def draw(panels: list[tuple[str, str, list[str]]]) -> str:
    style = (
        "rect{fill:#fafbfc;stroke:#c9d1d9}line{stroke:#c9d1d9}.arrow{stroke:#57606a;stroke-width:2;fill:none}"
        ".title{font:600 16px sans-serif;fill:#0b57d0}.code{font:12.5px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}"
        ".foot{font:13.5px sans-serif;fill:#1f2328}"
    )
    body = "".join(panel(12 + 400 * i, *p) for i, p in enumerate(panels))
    arrows = "".join(
        f'<path class="arrow" d="M{380 + 400 * i} 170h26m-7 -6l7 6l-7 6"/>' for i in range(2)
    )
    text = "A Cell in Python, its adjoint as text, its shared object called from C"
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1188 340" width="1188" height="340" role="img" '
        f'aria-label="{text}">\n<style>{style}</style>\n<rect width="1188" height="340" style="fill:#fff;stroke:none"/>\n'
        f"{body}\n{arrows}\n</svg>\n"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = export(folder).stat().st_size
        exported, call = export_time(folder), call_time(folder)
        text = adjoint(folder)
    first = first_gradient()
    panels = [
        (
            "A Cell in Python",
            CELL,
            [
                f"{first:.0f} ms to the first gradient, compiling",
                "included; there is no highest order",
            ],
        ),
        (
            "Its value and adjoint, as text",
            text,
            ["made of the same ops as the Cell:", "so it can be differentiated again"],
        ),
        (
            "Its .so, called from C",
            CALL,
            [
                f"{size / 1000:.1f} kB, written in {exported:.0f} ms; needs libc at most",
                f"{call} ns for value and gradient, no allocation",
            ],
        ),
    ]
    target = ROOT / "docs/images/overview.svg"
    target.write_text(draw(panels))
    print(f"{target.relative_to(ROOT)}: {size} bytes, {exported:.1f} ms, {call} ns, {first:.1f} ms")


if __name__ == "__main__":
    main()
