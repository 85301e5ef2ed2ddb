"""Counts the kernels of workloads, and the bytes they move, beside the least possible.

    python bench/plans.py --workloads /path/to/workloads [--device=cuda] [--write]

A workload is a folder with `data.py` (`make_data()` gives what goes to the program), `ms.py` (`make(...)` gives a step, in
MindSpore's API) and `spec.json` (`bytes`: the least that a step moves, `flops`). Counted are the programs
that the first step compiles, as CELLGRAD_LOG=plan tells them; for a GPU what the emulated device counts while
it runs that step (docs/emulator.md). --write puts the table into docs/figures.md or docs/gpu.md.
"""

import argparse
import ctypes
import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"cpu": ROOT / "docs/figures.md", "cuda": ROOT / "docs/gpu.md"}
DRIVER = ROOT / "build/test/emulator/libcuda.so.1"
BEGIN, END = "<!-- plans: begin -->", "<!-- plans: end -->"
HEADS = {
    "cpu": "| workload | kernels a step | MB | least MB | million operations | least |",
    "cuda": "| workload | kernels | launches | of one block | MB | MB of all accesses | least MB |",
}
ENTRY = re.compile(
    r"^@\S+: (\d+) kernels run, ([\d.]+) MB .*?, ([\d.]+) million operations, about ([\d.]+) ms",
    re.M,
)


def step(folder, device):
    """Runs the first step of a workload; what it compiles is told on standard error. Prints what a device counts."""
    import importlib
    import importlib.util

    cellgrad = importlib.import_module("cellgrad")
    if device == "cuda":
        cellgrad.set_context(device_target="GPU")

    for name, module in list(sys.modules.items()):
        if name == "cellgrad" or name.startswith("cellgrad."):
            sys.modules["mindspore" + name[len("cellgrad") :]] = module

    def load(file):
        spec = importlib.util.spec_from_file_location(
            Path(file).stem + "_of_workload", folder / file
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    run = load("ms.py").make(*load("data.py").make_data())
    if device == "cpu":
        os.environ["CELLGRAD_LOG"] = "plan"
        run()
        return
    driver, context = ctypes.CDLL(os.environ["CELLGRAD_CUDA_DRIVER"]), ctypes.c_void_p()
    driver.cellEmuCounter.restype = ctypes.c_uint64
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    driver.cuCtxSynchronize()
    driver.cellEmuReset()
    run()
    if driver.cuCtxSynchronize() != 0:
        raise RuntimeError(f"{folder.name}: a kernel failed")
    print(json.dumps({name: driver.cellEmuCounter(name.encode()) for name in COUNTED}))


COUNTED = (
    *("kernels", "launches", "launches_of_one_block", "bytes_read", "bytes_written"),
    *("bytes_loaded", "bytes_stored", "bytes_on_device", "bytes_filled"),
)


def row(folder, device):
    done = subprocess.run(
        [sys.executable, __file__, "--step", str(folder), f"--device={device}"],
        capture_output=True,
        text=True,
        env={**os.environ, **({"CELLGRAD_CUDA_DRIVER": str(DRIVER)} if device == "cuda" else {})},
    )
    if done.returncode:
        raise SystemExit(f"{folder.name}:\n{done.stderr}")
    spec = json.loads((folder / "spec.json").read_text())
    if device == "cuda":
        n = json.loads(done.stdout.splitlines()[-1])
        copied = 2 * n["bytes_on_device"] + n["bytes_filled"]
        moved, accessed = (
            (n[f"bytes_{a}"] + n[f"bytes_{b}"] + copied) / 1e6
            for a, b in (("read", "written"), ("loaded", "stored"))
        )
        return (
            f"| {folder.name} | {n['kernels']} | {n['launches']} | {n['launches_of_one_block']} |"
            f" {moved:.3g} | {accessed:.3g} | {spec['bytes'] / 1e6:.3g} |"
        )
    entries = [[float(value) for value in found] for found in ENTRY.findall(done.stderr)]
    kernels, megabytes, operations, _ = (sum(column) for column in zip(*entries, strict=True))
    return (
        f"| {folder.name} | {kernels:.0f} | {megabytes:.3g} | {spec['bytes'] / 1e6:.3g} |"
        f" {operations:.3g} | {spec['flops'] / 1e6:.3g} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--workloads", type=Path)
    parser.add_argument("--device", choices=PAGES, default="cpu")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--step", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step:
        step(args.step, args.device)
        return
    head = HEADS[args.device]
    table = [head, "| --- |" + " ---: |" * (head.count("|") - 2)]
    for folder in sorted(args.workloads.iterdir()):
        if (folder / "ms.py").exists():
            table.append(row(folder, args.device))
            print(table[-1], flush=True)
    if args.write:
        if args.device == "cuda":
            table[:0] = [f"{datetime.date.today()}, one step each.", ""]
        page = PAGES[args.device]
        head, rest = page.read_text().split(BEGIN)
        text = "\n".join(table)
        page.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
