"""Links the packages of SITE that this Python lacks into FOLDER.

    python tools/device/missing.py SITE FOLDER

A machine's own packages go before those that were packed: a framework there may need another version of one.
"""

import importlib.util
import sys
from pathlib import Path


def main() -> int:
    site, folder = map(Path, sys.argv[1:])
    folder.mkdir()
    for record in sorted(site.glob("*.dist-info/RECORD")):
        files = [line.split(",")[0] for line in record.read_text().splitlines()]
        tops = sorted({f.split("/")[0] for f in files if not f.startswith(("..", "bin/"))})
        modules = [
            t.removesuffix(".py")
            for t in tops
            if (site / t / "__init__.py").exists() or t.endswith(".py")
        ]
        if all(importlib.util.find_spec(m) for m in modules):
            continue
        for top in tops:
            if (site / top).exists():
                (folder / top).symlink_to((site / top).resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
