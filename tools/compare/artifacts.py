"""Whether two checkouts make the same code: what they put into an empty cache, byte for byte.

    python tools/compare/artifacts.py OLD NEW script.py ...
    python tools/compare/artifacts.py OLD NEW -- -m pytest -q test/python/test_gradients.py

Runs the same scripts, or the same command of Python, with the package of each checkout, and compares
the entries of the two caches: their names are digests of the IR's text and the options, their content
is the code. Both use the native module of NEW, so that what differs comes from the package.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def entries(checkout: Path, native: Path, command: list[str]) -> dict[str, str]:
    """Digests of what running `command` leaves in an empty cache, by name."""
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {
            "CELLGRAD_CACHE_DIR": folder,
            "PYTHONPATH": f"{checkout / 'pyfront'}:{native}",
            "PYTHONHASHSEED": "0",
        }
        run = subprocess.run([sys.executable, *command], env=env, stdout=subprocess.DEVNULL)
        if run.returncode:
            print(f"{' '.join(command)} ends with {run.returncode} in {checkout}", file=sys.stderr)
        files = [p for p in Path(folder).rglob("*") if p.is_file()]
        return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("run", nargs="+", help="scripts, or after -- what Python is called with")
    options = parser.parse_args()
    native = options.new.resolve() / "build" / "python"
    whole = options.run[0].startswith("-")
    status = 0
    for command in [options.run] if whole else [[script] for script in options.run]:
        old, new = (entries(c.resolve(), native, command) for c in (options.old, options.new))
        same = sum(new.get(name) == digest for name, digest in old.items())
        print(
            f"{' '.join(command)}: {same} of {len(old)} entries are the same, {len(new)} in the new checkout"
        )
        status |= old != new or not old
    return status


if __name__ == "__main__":
    raise SystemExit(main())
