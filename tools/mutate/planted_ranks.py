"""Plants mistakes in the passes for collectives and sees whether a random program of ranks or a test notices.

    python tools/mutate/planted_ranks.py [--sample 60] [--jobs 2] [--log FILE]

A scratch copy of the passes, as planted.py makes one; the programs are those of test/fuzz/collectives.py, on two
and three ranks, with memory that is poisoned while it is on its way and with a slow network. Which places they
execute is not known, as ranks are processes: each mutant is given to all of them, then to the tests that execute it.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import Judge, report, score
from planted import built, load
from scratch import ROOT, executed, lit_lines

FILES = {
    "passes/lower/tensors": ["CheckCollectives"],
    "passes/lower/buffers": ["BucketCollectives", "CollectiveBufferization", "ScheduleCollectives"],
    "passes/lower/cpu": ["Collectives"],
}
GROUP = "programs of ranks"
TESTED = ("lower", "rules", "autodiff")
ABOUT = re.compile(
    "collective|all_reduce|all_gather|all_to_all|reduce_scatter|broadcast_from|cell.send"
)
SECONDS = 60  # of the programs of a case; without a mistake they take two or three


@dataclass
class Case:
    """Some programs on so many ranks."""

    collectives: Any
    ranks: int
    network: str
    first: int
    count: int = 8
    seconds: float = 0.0
    seen: bytes = b"\1" * (1 << 16)

    def __post_init__(self) -> None:
        self.name = f"from {self.first} on {self.ranks} ranks"

    def check(self) -> None:
        seeds = list(range(self.first, self.first + self.count))
        if wrong := self.collectives.run(seeds, self.ranks, self.network, timeout=SECONDS):
            raise AssertionError(wrong[0])


def cases() -> list[Case]:
    os.environ["CELLGRAD_CACHE"] = "0"
    sys.path.insert(0, str(ROOT / "test" / "fuzz"))
    import collectives

    made = [
        Case(collectives, 2, "", 0),
        Case(collectives, 3, "", 100),
        Case(collectives, 2, "2000,1000", 200),
        Case(collectives, 3, "1000,100", 300, count=16),
    ]
    for case in made:
        case.check()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=0, help="only so many mutants")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--log", type=Path, help="write a line for each mutant here")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="cell-mutants-"))
    mutants = built(folder, FILES, {}, options.jobs)
    library = load(folder)
    chosen = mutants
    if options.sample:
        chosen = random.Random(0).sample(mutants, min(options.sample, len(mutants)))
    print(f"{len(mutants)} mutants are compiled, {len(chosen)} tried", flush=True)
    about = {
        p: lines for p, lines in lit_lines(TESTED).items() if ABOUT.search(Path(p).read_text())
    }
    tests = {path: (lines, executed(lines, folder)) for path, lines in about.items()}
    groups = {GROUP: cases()}
    switch = lambda number: setattr(ctypes.c_int.in_dll(library, "cellMutant"), "value", number)
    found = Judge(folder, switch, groups, tests).all_of(chosen, options.jobs, options.log)
    report(score(groups, {"mutants": Counter(stage for _, stage in found)}), None)
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
