"""Plants mistakes in the lowering for GPUs and sees whether a random program or a test notices.

    python tools/mutate/planted_gpu.py [--files NestCode,PlanGrid] [--sample 200] [--write]

As planted.py, with a scratch copy of passes/lower/gpu in a cell-opt and a cellc of a scratch folder. The
programs are those of test/fuzz/nests.py (one op, as a nest of a grid and in parts), kernels.py (programs of
every op as one kernel) and device_calls.py (models that may fail, cancel or donate, half of them cut into as
many kernels as can be). They run on the emulated device: a fault that the emulator finds counts as noticed by
numbers. Mutants that no number notices are given to the tests of test/lower/gpu, and to those of programs and
models on the device. Mistakes of chosen_gpu.py are all tried, those of source.py by sample. --write puts the
score into docs/lowering-nets.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from chosen_gpu import CHOSEN
from judge import Judge, apart, report, score
from scratch import BUILD, ROOT, Mutant, executed, link, lit_lines, objects, union

PAGE = ROOT / "docs" / "lowering-nets.md"
BEGIN, END = "<!-- gpu mutants: begin -->", "<!-- gpu mutants: end -->"
PLACE = "passes/lower/gpu"
# Pipelines hand on to passes of others.
FILES = sorted({p.stem for p in (ROOT / PLACE).glob("*.cpp")} - {"Pipeline"})
# The kinds of each group, and how many programs of them of each 100.
GROUPS = {
    "nests": {"nests": 1.0},
    "... and programs of every op": {"kernels": 0.6},
    "... and models that are called": {"failing": 0.3, "donations": 0.3},
}
# Tests of chosen programs, which need neither the processor's code nor minutes.
CALLED = ("test_device_models.py", "test_device_programs.py")
INSTRUCTIONS = "20000000"  # of a warp, before a kernel counts as endless


@cache
def programs() -> dict[str, ModuleType]:
    """The modules that draw programs, which find the tools when they are imported."""
    sys.path.insert(0, str(ROOT / "test" / "fuzz"))
    import device_calls
    import kernels
    import nests

    return {
        "nests": nests,
        "kernels": kernels,
        "failing": device_calls,
        "donations": device_calls,
    }


@dataclass
class Case:
    kind: str
    seed: int
    seconds: float = 0.0
    seen: bytes = b""

    @property
    def name(self) -> str:
        return f"{self.kind} {self.seed}"

    def check(self) -> None:
        module = programs()[self.kind]
        if self.kind in ("failing", "donations"):
            module.check(self.kind, self.seed)
            return
        found = module.check(self.seed)
        fine = (module.PASSED,) if self.kind == "kernels" else module.FINE
        if found not in fine:
            raise RuntimeError(found)


def observed(kinds: dict[str, float], count: int, folder: Path) -> list[Case]:
    """The cases that pass without a mistake, with the time they take and what they execute."""
    passing, out = [], folder / "seen"
    for kind, part in kinds.items():
        for seed in range(int(count * part)):
            case = Case(kind, seed)
            out.unlink(missing_ok=True)

            def work(_: int, case: Case = case) -> None:
                os.environ["CELL_MUTANTS_SEEN"] = str(out)
                case.check()

            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            status, _ = apart(work)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if status:
                print(f"without a mistake, {case.name} fails", file=sys.stderr)
                continue
            case.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            case.seen = union(out.read_bytes())
            passing.append(case)
    return passing


def tests() -> dict[str, list[str]]:
    """The commands of the tests that are run, by file."""
    found = lit_lines(["lower/gpu"])
    for name in CALLED:
        path = ROOT / "test" / "python" / name
        command = f"{sys.executable} -m pytest -qx -p no:cacheprovider {path} -k 'not random'"
        found[str(path)] = [command]
    return found


def target(folder: Path) -> None:
    """Names the tools of `folder` to the programs, and what of the build they need besides."""
    for name in ("dialect", "test"):
        if not (folder / name).exists():
            (folder / name).symlink_to(BUILD / name)
    os.environ["CELLGRAD_BUILD_DIR"] = str(folder)
    os.environ["CELL_EMU_LIMIT"] = INSTRUCTIONS
    programs()


def drawn(mutants: list[Mutant], sample: int) -> list[Mutant]:
    """The chosen ones, and a sample of the others."""
    chosen = [m for m in mutants if m.is_chosen()]
    others = [m for m in mutants if not m.is_chosen()]
    return chosen + random.Random(0).sample(others, min(sample, len(others)))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", default="", help="plant in these only, by name")
    parser.add_argument("--only", default="", help="of what is planted, try these files only")
    parser.add_argument("--numbers", default="", help="try the mutants of these numbers only")
    parser.add_argument("--sample", type=int, default=0, help="so many that were not chosen")
    parser.add_argument("--programs", type=int, default=150, help="random nests; others by these")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument(
        "--folder", type=Path, help="keep the scratch copy here, or take what is there"
    )
    parser.add_argument("--write", action="store_true", help="renew docs/lowering-nets.md")
    parser.add_argument("--log", type=Path, help="write a line for each mutant here")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="cell-mutants-"))
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / "mutants.json"
    if not made.exists():
        names = options.files.split(",") if options.files else FILES
        planted = objects(folder, {PLACE: names}, CHOSEN, options.jobs)
        link(folder, {f"bin/{name}": folder / "bin" / name for name in ("cell-opt", "cellc")})
        made.write_text(json.dumps([m.__dict__ for m in planted]))
    mutants = [Mutant(**m) for m in json.loads(made.read_text())]
    if options.only:
        mutants = [m for m in mutants if m.file in options.only.split(",")]
    if options.numbers:
        mutants = [m for m in mutants if str(m.number) in options.numbers.split(",")]
    print(f"{len(mutants)} mutants are compiled", flush=True)
    target(folder)
    groups = {g: observed(kinds, options.programs, folder) for g, kinds in GROUPS.items()}
    known = {path: (lines, executed(lines, folder)) for path, lines in tests().items()}
    seen = [c.seen for cases in groups.values() for c in cases] + [s for _, s in known.values()]
    reached = [m for m in mutants if any(s[m.number] for s in seen)]
    print(f"{len(reached)} are executed by {[*map(len, groups.values())]} programs", flush=True)

    def switch(number: int) -> None:
        os.environ["CELL_MUTANT"] = str(number)

    judge = Judge(folder, switch, groups, known, programs=60)
    tried = drawn(reached, len(reached) if options.numbers else options.sample)
    found = judge.all_of(tried, options.jobs, options.log)
    counts = {
        name: Counter(stage for mutant, stage in found if mutant.is_chosen() == chosen)
        for name, chosen in (("chosen", True), ("drawn at random", False))
    }
    lines = [
        f"{len(mutants)} mutants of {len({m.file for m in mutants})} files compile; programs and tests execute "
        f"{len(reached)} of them. All that were",
        f"chosen, and {counts['drawn at random'].total()} of the others:",
        "",
        *score(GROUPS, counts),
    ]
    report(lines, (PAGE, BEGIN, END) if options.write else None)
    if not options.folder:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
