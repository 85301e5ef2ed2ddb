"""Whether two checkouts make the same code: what they put into an empty cache, byte for byte.

    python tools/compare/artifacts.py OLD NEW script.py ...
    python tools/compare/artifacts.py OLD NEW -- -m pytest -q test/python/test_gradients.py
    python tools/compare/artifacts.py --compilers OLD NEW ...

Runs the same scripts, or the same command of Python, with the package of each checkout, and compares
the entries of the two caches: their names are digests of the IR's text and the options, their content
is the code. Both checkouts are built; both use the native module of NEW, so that what differs comes
from the package. With --compilers each uses its own; as its build is part of the names, the code is
compared without them.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TAIL = 48  # bytes of an entry after the code: the digest, which is of the name, too, and a mark


def built(checkout: Path, compiler: Path, folder: Path) -> Path:
    """What the build of `checkout` made for Python, with the native module of `compiler`."""
    python = folder / "python"
    shutil.copytree(
        checkout / "build/python", python, ignore=shutil.ignore_patterns("_native*", "__pycache__")
    )
    for module in (compiler / "build/python/cellgrad").glob("_native*.so"):
        (python / "cellgrad" / module.name).symlink_to(module)
    return python


def entries(checkout: Path, compiler: Path, command: list[str], named: bool) -> Counter[str]:
    """Digests of what running `command` leaves in an empty cache, with their names if `named`."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "cache")
        env = os.environ | {
            "CELLGRAD_CACHE": "1",
            "CELLGRAD_CACHE_DIR": str(folder),
            "PYTHONPATH": f"{checkout / 'pyfront'}:{built(checkout, compiler, Path(scratch))}",
            "PYTHONHASHSEED": "0",
        }
        run = subprocess.run([sys.executable, *command], env=env, stdout=subprocess.DEVNULL)
        if run.returncode:
            print(f"{' '.join(command)} ends with {run.returncode} in {checkout}", file=sys.stderr)
        files = [p for p in folder.rglob("*") if p.is_file()]
        return Counter(
            p.name + hashlib.sha256(p.read_bytes()).hexdigest()
            if named
            else hashlib.sha256(p.read_bytes()[:-TAIL]).hexdigest()
            for p in files
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compilers", action="store_true", help="each with its own compiler")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("run", nargs="+", help="scripts, or after -- what Python is called with")
    options = parser.parse_args()
    new_tree = options.new.resolve()
    whole = options.run[0].startswith("-")
    status = 0
    for command in [options.run] if whole else [[script] for script in options.run]:
        old, new = (
            entries(
                checkout.resolve(),
                checkout.resolve() if options.compilers else new_tree,
                command,
                not options.compilers,
            )
            for checkout in (options.old, options.new)
        )
        same = (old & new).total()
        print(
            f"{' '.join(command)}: {same} of {old.total()} entries are the same, {new.total()} in the new checkout"
        )
        status |= old != new or not old
    return status


if __name__ == "__main__":
    raise SystemExit(main())
