"""Which program or test notices a mutant, and the table of it; planted.py and planted_gpu.py draw the programs."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from mutate import replaced
from scratch import MEMORY, SECONDS, Mutant, passes

TESTS = "... and the tests of the passes"
NOTHING = "nothing"


class Case(Protocol):
    """A program that gives the right numbers without a mistake, and the places that it executes."""

    name: str
    seconds: float
    seen: bytes

    def check(self) -> None:
        """Compiles and runs it; raises if results are wrong."""


def apart(work: Callable[[int], None]) -> tuple[int, bytes]:
    """The status of `work` in a process of its own, and what it has written to the file it is given."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            work(write)
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(write)
    deadline = time.time() + 20 * SECONDS
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        if time.time() > deadline:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
        time.sleep(0.005)
    written = b""
    while part := os.read(read, 4096):
        written += part
    os.close(read)
    return status, written


def notices(number: int, reach: Sequence[Case], switch: Callable[[int], None]) -> str:
    """The first case that notices mutant `number`, or nothing."""
    if not reach:
        return ""

    def work(write: int) -> None:
        switch(number)
        for i, case in enumerate(reach):
            os.write(write, bytes([i]))
            case.check()

    status, ran = apart(work)
    return reach[ran[-1]].name if status and ran else ("start" if status else "")


@dataclass
class Judge:
    """What notices mutants; `known` has the programs that have noticed others of a file."""

    folder: Path
    switch: Callable[[int], None]  # switches a mutant on
    groups: Mapping[str, Sequence[Case]]
    tests: Mapping[str, tuple[list[str], bytes]]
    programs: int = 30  # of a group, that are run against a mutant
    known: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def of(self, mutant: Mutant) -> tuple[str, str]:
        """The stage that notices a mutant, and the program or test."""
        number, known = mutant.number, self.known[mutant.file]
        for stage, cases in self.groups.items():
            reach = sorted(
                (c for c in cases if c.seen[number]), key=lambda c: (-known[c.name], c.seconds)
            )
            if case := notices(number, reach[: self.programs], self.switch):
                known[case] += 1
                return stage, case
        for path, (lines, seen) in self.tests.items():
            if seen[number] and not passes(lines, self.folder, CELL_MUTANT=str(number)):
                return TESTS, Path(path).name
        return NOTHING, "-"

    def all_of(
        self, mutants: Iterable[Mutant], jobs: int, log: Path | None
    ) -> list[tuple[Mutant, str]]:
        """The stage that notices each mutant, with a line of the log each."""
        found = []
        out = log.open("a") if log else None
        with get_context("fork").Pool(jobs, judges.append, [self]) as pool:
            for mutant, stage, by in pool.imap(verdict, mutants):
                found.append((mutant, stage))
                if out:
                    where = f"{mutant.file}:{mutant.line}"
                    print(mutant.number, where, stage, by, mutant.what, sep=" | ", file=out)
                    out.flush()
        return found


judges: list[Judge] = []  # that of a process


def verdict(mutant: Mutant) -> tuple[Mutant, str, str]:
    return mutant, *judges[0].of(mutant)


def report(lines: list[str], page: tuple[Path, str, str] | None) -> None:
    """Prints a table, and writes it into a page between two marks."""
    print("\n".join(lines))
    if page:
        path, begin, end = page
        path.write_text(replaced(path.read_text(), begin, end, lines))


def score(stages: Iterable[str], columns: Mapping[str, Counter[str]]) -> list[str]:
    """The table: each column says how many each stage has noticed that none before it did."""
    lines = [
        f"| noticed by | {' | '.join(columns)} |",
        f"| --- |{' ---: |' * len(columns)}",
    ]
    totals = dict.fromkeys(columns, 0)
    for stage in (*stages, TESTS):
        for name, noticed in columns.items():
            totals[name] += noticed[stage]
        lines.append(f"| {stage} | {' | '.join(map(str, totals.values()))} |")
    rest = (str(noticed[NOTHING]) for noticed in columns.values())
    return [*lines, f"| {NOTHING} | {' | '.join(rest)} |"]
