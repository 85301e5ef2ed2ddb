"""Runs the rule test of every op on a CUDA device and records how its numbers were compared, for docs/op-status.md.

    python tools/docs/device_rules.py

writes device_rules.json: for each file of test/rules, "bits" where the device gave the bits of the CPU's code, or
"tolerance" where sums and products stand in it (test/python/test_device_rules.py). The device is the emulated one, or
that of CELLGRAD_CUDA_DRIVER. It takes a minute; `make docs` puts the record into the page.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "python"))


def main() -> int:
    import test_device_rules as rules

    record = {}
    for name in rules.FILES:
        with tempfile.TemporaryDirectory() as folder:
            record[name] = rules.check(name, Path(folder))
        print(name, record[name], flush=True)
    rules.RECORD.write_text(json.dumps(record, indent=0, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
