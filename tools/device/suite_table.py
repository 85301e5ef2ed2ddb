"""The table of a run of test_gpu.sh, from what each file printed.

    python tools/device/suite_table.py LOGS [--out FILE]

Exits with 1 if a test failed. A file whose last line counts no tests was stopped: out of time, or its process ended.
"""

import argparse
import re
import sys
from pathlib import Path

import device_pages

COUNT = re.compile(r"(\d+) (passed|failed|error|errors|skipped|xfailed)\b")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("logs", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    total: dict[str, int] = {}
    failed: list[list[object]] = []
    stopped: list[str] = []
    unbegun: list[str] = []
    logs = sorted(options.logs.glob("*.log"))
    for log in logs:
        text = log.read_text(errors="replace")
        lines = text.splitlines()
        if not lines:
            unbegun.append(log.stem)
            continue
        counts = COUNT.findall(lines[-1])
        if not counts and "deselected" not in lines[-1] and "no tests ran" not in lines[-1]:
            stopped.append(f"{log.stem}: {lines[-1][:120]}")
        for number, what in counts:
            what = "errors" if what == "error" else what
            total[what] = total.get(what, 0) + int(number)
        for found in re.findall(r"^(?:FAILED|ERROR) (\S+)(?: - (.*))?$", text, re.MULTILINE):
            failed.append([found[0], found[1][:160]])
    parts = [
        device_pages.table(("files", *total), [[len(logs), *total.values()]]),
        device_pages.table(("failed", "why"), failed) if failed else "Nothing failed.",
    ]
    if stopped:
        parts.append("Stopped:\n\n" + "\n".join(f"- {line}" for line in stopped))
    if unbegun:
        parts.append(f"Not begun, {len(unbegun)} files: " + ", ".join(unbegun))
    device_pages.write(options.out, "Python tests on the device", device_pages.device_name(), parts)
    return 1 if failed or not total.get("passed") else 0


if __name__ == "__main__":
    sys.exit(main())
