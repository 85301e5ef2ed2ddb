"""Convolutions and their gradients beside PyTorch: processor time on one thread.

    python bench/convolutions.py --torch /path/to/python [--write]

Prints the table of docs/figures.md, or renews it.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DOCS = Path(__file__).resolve().parents[1] / "docs" / "figures.md"
# name: shapes of input (with its padding) and filters, stride, groups
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], int, int]] = {
    "64 x 1 x 32 x 32, 6 filters 5 x 5": ((64, 1, 32, 32), (6, 1, 5, 5), 1, 1),
    "64 x 6 x 14 x 14, 16 filters 5 x 5": ((64, 6, 14, 14), (16, 6, 5, 5), 1, 1),
    "8 x 64 x 30 x 30, 64 filters 3 x 3": ((8, 64, 30, 30), (64, 64, 3, 3), 1, 1),
    "8 x 256 x 9 x 9, 256 filters 3 x 3": ((8, 256, 9, 9), (256, 256, 3, 3), 1, 1),
    "8 x 64 x 57 x 57, 128 filters 3 x 3, stride 2": ((8, 64, 57, 57), (128, 64, 3, 3), 2, 1),
    "4 x 3 x 230 x 230, 64 filters 7 x 7, stride 2": ((4, 3, 230, 230), (64, 3, 7, 7), 2, 1),
    "8 x 64 x 28 x 28, 128 filters 1 x 1": ((8, 64, 28, 28), (128, 64, 1, 1), 1, 1),
    "8 x 64 x 30 x 30, depthwise 3 x 3": ((8, 64, 30, 30), (64, 1, 3, 3), 1, 64),
}
KINDS = ("result", "gradient of input", "gradient of filters")


def seconds(call: Callable[[], Any]) -> float:
    """Processor time of the fastest of seven runs of 30 ms."""
    call()
    best = math.inf
    for _ in range(7):
        start, count = time.process_time(), 0
        while time.process_time() - start < 0.03:
            call()
            count += 1
        best = min(best, (time.process_time() - start) / count)
    return best


def with_torch() -> dict[str, list[float]]:
    import torch

    torch.set_num_threads(1)
    out = {}
    for name, (xs, ws, stride, groups) in CASES.items():
        x, w = torch.randn(xs), torch.randn(ws)
        y = torch.nn.functional.conv2d(x, w, stride=stride, groups=groups)
        ct = torch.randn_like(y)

        back = torch.ops.aten.convolution_backward
        pair = [stride, stride]
        convolve = functools.partial(torch.nn.functional.conv2d, x, w, None, stride, 0, 1, groups)
        calls: list[Callable[[], Any]] = [convolve]
        for mask in ([True, False, False], [False, True, False]):
            given = (ct, x, w, None, pair, [0, 0], [1, 1], False, [0, 0], groups, mask)
            calls.append(functools.partial(back, *given))
        out[name] = [seconds(call) for call in calls]
    return out


def with_cellgrad() -> dict[str, list[float]]:
    from cellgrad import _native

    def buffer(shape: tuple[int, ...]) -> Any:
        array = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        return _native.TensorBuffer.from_object(array)

    out = {}
    for name, (xs, ws, stride, groups) in CASES.items():
        graph = _native.Graph("conv")
        attrs = {"strides": [stride] * 2, "dilations": [1, 1], "groups": groups}
        given = [("float32", s, n, "input", None, None) for n, s in (("x", xs), ("w", ws))]
        f = graph.function("f", given, public=False)
        y = f.create("cell.conv", list(f.args), attrs, None, None)
        f.ret([y])
        ys = tuple(y.shape)
        entry = graph.function("k0", given, public=True)
        entry.ret(entry.call("f", list(entry.args)))
        for i in (0, 1):
            cotangent = ("float32", ys, "ct", "input", None, None)
            entry = graph.function(f"k{i + 1}", [*given, cotangent], public=True)
            args = list(entry.args)
            entry.ret(entry.vjp("f", args[:2], args[2:], of=[0], wrt=[i])[1:])
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "conv.so")
            _native.compile_graph(graph, path, "conv", {"opt_level": 2})
            model = _native.Model(path)
        x, w, ct = buffer(xs), buffer(ws), buffer(ys)
        out[name] = [
            seconds(functools.partial(model.entry(f"k{i}"), args))
            for i, args in enumerate(([x, w], [x, w, ct], [x, w, ct]))
        ]
    return out


def table(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> str:
    lines = ["| convolution | | PyTorch | cellgrad | ratio |", "| --- | --- | ---: | ---: | ---: |"]
    for name in CASES:
        for i, kind in enumerate(KINDS):
            a, b = theirs[name][i], ours[name][i]
            what = name if i == 0 else ""
            lines.append(f"| {what} | {kind} | {a * 1e3:.2f} ms | {b * 1e3:.2f} ms | {b / a:.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch", help="a Python that has torch")
    parser.add_argument("--write", action="store_true", help="renew docs/figures.md")
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        print(json.dumps(with_torch()))
        return
    command = [options.torch, __file__, "--peer"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    text = table(with_cellgrad(), json.loads(run.stdout))
    if not options.write:
        print(text)
        return
    begin, end = "<!-- convolutions: begin -->", "<!-- convolutions: end -->"
    page = DOCS.read_text()
    before, rest = page.split(begin)
    DOCS.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}")


if __name__ == "__main__":
    main()
