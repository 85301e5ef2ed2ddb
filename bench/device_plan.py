"""How long the launches of a program should take: a prediction for bench/device.py, from the compiler's plan alone."""

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuda_driver import CLOCK_KHZ, SMS, Driver

# A warp waits so long for memory, and each thread has asked for so many bytes meanwhile.
LATENCY, IN_FLIGHT, THREADS = 700e-9, 16, 256
# Of its multiprocessor's peak, a block without tiles in shared memory.
BUSY = 0.1
LAUNCH = 3e-6  # if it was not measured


@dataclass(frozen=True)
class Launch:
    runs: int
    blocks: int
    moved: int
    operations: int


def planned(call: Callable[[], Any]) -> tuple[Any, list[Launch]]:
    """What a call gives that compiles, and the launches of what it compiled. The plan is in the log, too."""
    before = os.environ.get("CELLGRAD_LOG", "")
    os.environ["CELLGRAD_LOG"] = "plan"
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            result = call()
    finally:
        os.environ["CELLGRAD_LOG"] = before
        sys.stderr.write(said.getvalue())
    return result, launches_of(said.getvalue())


def launches_of(text: str) -> list[Launch]:
    """The rows of plans. Where nobody knows how often, once."""
    rows = re.findall(r"^ +(\S+) +(\d+) +(\d+) +(\d+)  \S", text, re.MULTILINE)
    return [Launch(int(r) if r.isdigit() else 1, int(b), int(m), int(o)) for r, b, m, o in rows]


class Ceilings:
    """Bytes and operations a second: copies as measured, f32 from the clock and the multiprocessors."""

    def __init__(self, driver: Driver, file: Path | None) -> None:
        known = json.loads(file.read_text()) if file and file.exists() else {}
        self.sms = driver.attribute(SMS)
        self.copy: float | None = 1e9 * known["copy"] if known else None
        self.launch: float = 1e-6 * known["launch_us"] if known else LAUNCH
        self.flops = 256 * self.sms * 1e3 * driver.attribute(CLOCK_KHZ)

    def predicted(self, launches: list[Launch]) -> float:
        """Seconds of launches, one after another."""
        return sum(each.runs * (self.launch + self.of_one(each)) for each in launches)

    def of_one(self, launch: Launch) -> float:
        """What its blocks have asked for until it comes, or their share of the peak."""
        streamed = launch.blocks * THREADS * IN_FLIGHT / LATENCY
        memory = launch.moved / min(streamed, self.copy or streamed)
        share = min(launch.blocks / self.sms, 1)
        return max(memory, launch.operations / (self.flops * BUSY * share))
