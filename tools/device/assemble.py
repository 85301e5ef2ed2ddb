"""Assembles the PTX of a folder: what has been compiled to run on a device is what ptxas takes, in registers alone.

    mkdir ptx && CELL_EMU_PTX=$PWD/ptx make test-gpu && python tools/device/assemble.py ptx

Each file is assembled for the chip that it names. Told are those that ptxas refuses, kernels that spill or have a stack,
and the most registers that one needs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "python"))


def assemble(ptxas: Path, source: Path) -> tuple[str, int, int]:
    """What is wrong with a file, how many kernels it has, and the most registers that one needs."""
    chip = re.search(r"^\.target (\w+)", source.read_text(), re.M)
    if not chip:
        return f"{source}: no .target", 0, 0
    command = [str(ptxas), f"-arch={chip[1]}", "-v", "-o", os.devnull, str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"{source}: {done.stderr[:500]}", 0, 0
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+)", done.stderr)
    used = [int(n) for n in re.findall(r"Used (\d+) registers", done.stderr)]
    wrong = f"{source}: stack and spills {set(frames)}" if set(frames) - {("0", "0", "0")} else ""
    return wrong, len(used), max(used, default=0)


def main() -> int:
    from test_ptxas import PTXAS

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    if PTXAS is None:
        print("no ptxas: pip install nvidia-cuda-nvcc", file=sys.stderr)
        return 1
    files = sorted(options.folder.glob("*.ptx"))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda file: assemble(PTXAS, file), files))
    wrong = [words for words, _, _ in found if words]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    kernels, most = sum(n for _, n, _ in found), max((r for _, _, r in found), default=0)
    print(
        f"{len(files)} modules, {kernels} kernels, at most {most} registers, {len(wrong)} findings"
    )
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
