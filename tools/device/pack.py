"""Packs a build and the sources into one file, as pack.sh says; its layout is that of a checkout with a build.

    python tools/device/pack.py BUILD FOLDER [--limit MEBIBYTES]

Run by the Python that the build is for.
"""

import argparse
import lzma
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = ".".join(map(str, sys.version_info[:2]))
# What every Linux with a Python has.
SYSTEM = {
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "libdl.so.2",
    "libpthread.so.0",
}
BINARIES = ("bin/cellc", "bin/cell-opt", "bin/ptx-run", "test/emulator/libcuda.so.1")
# The three copies of LLVM, each of 80 MB, become one where the window is large.
FILTERS = [
    {"id": lzma.FILTER_X86},
    {"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 256 << 20},
]


def run(*command: object, **more: object) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"error: {command[0]} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return str(done.stdout)


def check_needs(file: Path) -> tuple[int, ...]:
    """The version of glibc that a binary needs; fails if it needs a library that the machine may lack."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", file)))
    if needed - SYSTEM:
        raise SystemExit(f"error: {file.name} needs {', '.join(sorted(needed - SYSTEM))}")
    versions = re.findall(r"GLIBC_([0-9.]+)", run("readelf", "-V", file))
    return max(tuple(map(int, v.split("."))) for v in versions)


def sources() -> list[str]:
    """Tracked files, and new ones that are not ignored."""
    listed = run(
        "git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT
    )
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def fill(tree: Path, build: Path) -> tuple[int, ...]:
    """Makes the layout; the version of glibc that it needs."""
    for name in sources():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)
    out = tree / "build"
    shutil.copytree(build / "python", out / "python", ignore=shutil.ignore_patterns("__pycache__"))
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    for native in (out / "python/cellgrad").glob("_native*.so"):
        if not native.name.endswith(suffix):  # of an earlier build, for another Python
            native.unlink()
    for name in ("records.json", "ops.json"):
        (out / "dialect").mkdir(exist_ok=True)
        shutil.copy2(build / "dialect" / name, out / "dialect" / name)
    for name in BINARIES:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(build / name, out / name)
    binaries = [*(out / name for name in BINARIES), *(out / "python/cellgrad").glob("_native*.so")]
    for file in binaries:
        run("strip", "--strip-all", file)
    packed = tree / "packed"
    shutil.copytree(
        build / "site", packed / "site", ignore=shutil.ignore_patterns("__pycache__", "bin")
    )
    (packed / "python").write_text(VERSION + "\n")
    # From here on what is packed does the work, so that it is known to.
    paths = [tree / "pyfront", out / "python", packed / "site"]
    os.environ.update(
        PYTHONPATH=":".join(map(str, paths)), PYTHONDONTWRITEBYTECODE="1", CELLGRAD_CACHE="0"
    )
    tools = tree / "tools/device"
    print(run(sys.executable, tools / "device_kernels.py", packed / "kernels", "--rules").strip())
    for rows in ("--rows=1024", "--rows=262144"):  # of a trial, and of a measurement
        checksums = packed / "expected.json"
        run(sys.executable, tools / "mathematics.py", rows, "--expected", checksums, "--write")
    return max(map(check_needs, binaries))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=64)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir()
    payload = options.folder / "payload.tar.xz"
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        glibc = fill(tree, options.build.resolve())
        with (
            lzma.open(payload, "wb", filters=FILTERS) as out,
            tarfile.open(fileobj=out, mode="w") as tar,  # type: ignore[call-overload]
        ):
            for entry in sorted(tree.iterdir()):
                tar.add(entry, entry.name)
    shutil.copy2(ROOT / "tools/device/run.sh", options.folder / "run.sh")
    size = sum(p.stat().st_size for p in options.folder.iterdir()) / 2**20
    needs = f"Python {VERSION} with numpy, glibc {'.'.join(map(str, glibc))}"
    print(f"{options.folder}: {size:.1f} MiB; it needs {needs}")
    if size > options.limit:
        print(f"error: that is more than {options.limit} MiB", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
