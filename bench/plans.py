"""Counts the kernels of workloads, and the bytes they move, beside the least possible.

    python bench/plans.py --workloads /path/to/workloads [--write]

A workload is a folder with `data.py` (`make_data()` gives what goes to the program), `ms.py` (`make(...)` gives a step, in
MindSpore's API) and `spec.json` (`bytes`: the least that a step moves, `flops`). Counted are the programs
that the first step compiles, as CELLGRAD_LOG=plan tells them. --write puts the table into docs/figures.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/figures.md"
BEGIN, END = "<!-- plans: begin -->", "<!-- plans: end -->"
ENTRY = re.compile(
    r"^@\S+: (\d+) kernels run, ([\d.]+) MB .*?, ([\d.]+) million operations, about ([\d.]+) ms",
    re.M,
)


def step(folder):
    """Runs the first step of a workload; what it compiles is told on standard error."""
    import importlib
    import importlib.util

    importlib.import_module("cellgrad")

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
    os.environ["CELLGRAD_LOG"] = "plan"
    run()


def row(folder):
    done = subprocess.run(
        [sys.executable, __file__, "--step", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    entries = [[float(value) for value in found] for found in ENTRY.findall(done.stderr)]
    kernels, megabytes, operations, _ = (sum(column) for column in zip(*entries, strict=True))
    spec = json.loads((folder / "spec.json").read_text())
    return (
        f"| {folder.name} | {kernels:.0f} | {megabytes:.3g} | {spec['bytes'] / 1e6:.3g} |"
        f" {operations:.3g} | {spec['flops'] / 1e6:.3g} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--workloads", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--step", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step:
        step(args.step)
        return
    table = [
        "| workload | kernels a step | MB | least MB | million operations | least |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    table += [
        row(folder) for folder in sorted(args.workloads.iterdir()) if (folder / "ms.py").exists()
    ]
    text = "\n".join(table)
    print(text)
    if args.write:
        page = PAGE.read_text()
        head, rest = page.split(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
