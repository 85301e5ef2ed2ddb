"""Compiles kernels for a device, to be loaded there: PTX, and machine code where ptxas is at hand.

    python tools/device/device_kernels.py FOLDER [--rules] [--chip sm_90]

They are those of test/lower/gpu, and with --rules the programs of test/rules too.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--chip", default="sm_90", help="the chip of the machine code")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    inputs = "test/lower/gpu/Inputs"
    sources: list[tuple[Path, tuple[str, ...]]] = [
        (p, ()) for p in sorted((ROOT / inputs).glob("*.mlir"))
    ]
    if options.rules:
        sources += [(p, ("--device=cuda",)) for p in sorted((ROOT / "test/rules").glob("*.mlir"))]
    ptxas = os.environ.get("PTXAS") or shutil.which("ptxas")
    for source, flags in sources:
        ptx = options.folder / f"{source.parent.name}-{source.stem}.ptx".lower()
        command = [BUILD / "bin" / "cellc", source, *flags, "--emit=ptx", "--chip=sm_80", "-o", ptx]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{source.name}: {done.stderr[:500]}", file=sys.stderr)
            return 1
        if ptxas:
            cubin = ptx.with_suffix(".cubin")
            subprocess.run([ptxas, f"-arch={options.chip}", "-o", cubin, ptx], check=True)
    print(f"{len(sources)} programs" + ("" if ptxas else "; no ptxas, so no machine code"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
