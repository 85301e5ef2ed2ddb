"""Plants mistakes in the lowering and sees whether a random program or a test notices.

    python tools/mutate/planted.py [--files GemmPlan,TilePlan] [--sample 200] [--write]

A scratch copy of the passes that fuse, plan, tile, pack, mask, place and lay out has every mistake of
source.py and chosen.py in it, each behind its number; it is compiled once and linked into a native module and a
cell-opt in a scratch folder. Random programs run first without a mistake, which shows the places that
each of them executes. Then, for every mutant, the programs that execute it are compiled and run in a
process of their own, the quick ones first, until one gives a wrong number, does not compile, crashes
or takes too long: first those of differential.py, then those of lowering.py, donations and layers, last rows.py. Of those
that execute a place, the ones that have noticed others of the file come first, then the quick ones.
Mutants that no number notices are given to the tests of test/lower and test/autodiff that execute them.
--write puts the score into docs/lowering-nets.md.

Nothing of it is in the product: the scratch build alone knows of mutants.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from chosen import CHOSEN
from mutate import replaced
from source import Source

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LLVM = Path("/usr/lib/llvm-22")
PAGE = ROOT / "docs" / "lowering-nets.md"
BEGIN, END = "<!-- lowering mutants: begin -->", "<!-- lowering mutants: end -->"
# What only prints, or hands on to passes of others.
OTHERS = {"Pipeline", "Print", "PrintBufferization", "SeparateTemporaries", "ToLLVM"}
FILES = {
    **{
        f"passes/lower/{room}": sorted(
            {p.stem for p in (ROOT / "passes/lower" / room).glob("*.cpp")} - OTHERS
        )
        for room in ("buffers", "fuse", "cpu")
    },
    "passes/lower/tensors": [
        *("CanFail", "CarryBuffers", "EntryPoints", "InsertPolls", "LowerStash", "PlaceResults"),
        *("Schedule", "SeparateInits", "SinkStores"),
    ],
    "passes/autodiff": ["CountLoops", "NormalForm", "Rematerialize"],
}
PROGRAMS, SECONDS, MEMORY = 30, 30, 6 << 30
TABLES = 'extern "C" {{ __attribute__((visibility("default"))) int cellMutant = -1; __attribute__((visibility("default"))) unsigned char cellMutantsSeen[1 << 16]; }}'
# Which mutant a tool is, and where it says what it executed.
ENVIRONMENT = """
#include <cstdio>
#include <cstdlib>
static void say() {
  if (FILE *out = fopen(getenv("CELL_MUTANTS_SEEN"), "ab")) {
    fwrite(cellMutantsSeen, 1, sizeof cellMutantsSeen, out);
    fclose(out);
  }
}
static int chosen = [] {
  if (const char *text = getenv("CELL_MUTANT"))
    cellMutant = atoi(text);
  if (getenv("CELL_MUTANTS_SEEN"))
    atexit(say);
  return 0;
}();
"""


@dataclass
class Mutant:
    number: int
    file: str
    line: int
    what: str


# --- the scratch copy -------------------------------------------------------------------------


def objects(folder: Path, files: list[str], jobs: int) -> list[Mutant]:
    """Compiles the planted copies; what does not compile is left out."""
    commands = {
        c["file"]: c["command"] for c in json.loads((BUILD / "compile_commands.json").read_text())
    }
    jobs_to_do, planted, first = [], [], 0
    for place, names in FILES.items():
        for name in names:
            if files and name not in files:
                continue
            path = ROOT / place / f"{name}.cpp"
            source = Source(path.read_text(), CHOSEN.get(name, ()))
            jobs_to_do.append((path, source, first, commands[str(path)]))
            first += len(source.mutants)

    def make(job: tuple[Path, Source, int, str]) -> list[Mutant]:
        path, source, start, command = job
        copy, made = folder / path.name, folder / f"{path.stem}.o"
        without: set[int] = set()
        for _ in range(8):
            head = f'#include "{ROOT}/tools/mutate/Mutants.h"\n#line 1 "{copy}"\n'
            copy.write_text(head + source.planted(start, without))
            again = re.sub(r" -o \S+", f" -o {made}", command).replace(str(path), str(copy))
            again = again.replace(" -O2", " -O0 -w -ferror-limit=0")
            run = subprocess.run(again, shell=True, cwd=BUILD, capture_output=True, text=True)
            if run.returncode == 0:
                return [
                    Mutant(start + i, path.stem, m.line, m.what)
                    for i, m in enumerate(source.mutants)
                    if i not in without
                ]
            lines = {
                int(n) for n in re.findall(rf"^{re.escape(str(copy))}:(\d+):", run.stderr, re.M)
            }
            without |= {
                i
                for i, m in enumerate(source.mutants)
                if any(at in lines for at in source.lines_of(m))
            }
        raise RuntimeError(f"{path.name} does not compile:\n{run.stderr[:3000]}")

    with ThreadPoolExecutor(jobs) as pool:
        for made in pool.map(make, jobs_to_do):
            planted += made
    return planted


def link(folder: Path) -> None:
    """A native module, cell-opt and cell-run with these objects in place of those of the libraries."""
    table = folder / "table.cpp"
    table.write_text(TABLES.format() + ENVIRONMENT)
    made = folder / "table.o"
    subprocess.run(["clang++-22", "-fPIC", "-O1", "-c", table, "-o", made], check=True)
    own = " ".join(str(o) for o in sorted(folder.glob("*.o")))
    (folder / "bin").mkdir(exist_ok=True)
    native = next((BUILD / "python" / "cellgrad").glob("_native*.so")).name
    for target, out in [
        (f"python/cellgrad/{native}", folder / native),
        ("bin/cell-opt", folder / "bin" / "cell-opt"),
        ("bin/cell-run", folder / "bin" / "cell-run"),
    ]:
        shown = ["ninja", "-C", BUILD, "-t", "commands", target]
        command = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
        command = command.strip().splitlines()[-1].removeprefix(": && ").split(" && ")[0]
        # Before the libraries, so that the linker does not look for these there.
        command = command.replace(f" -o {target}", f" {own} -o {out}").replace("-Wl,-s ", "")
        subprocess.run(command, shell=True, check=True, cwd=BUILD)


def load(folder: Path) -> ctypes.CDLL:
    """Puts the scratch module in place of the package's."""
    path = next(folder.glob("_native*.so"))
    spec = importlib.util.spec_from_file_location("cellgrad._native", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["cellgrad._native"] = module
    spec.loader.exec_module(module)
    return ctypes.CDLL(str(path))


# --- random programs --------------------------------------------------------------------------


@dataclass
class Case:
    """A program with the numbers that it should give, and the places that it executes."""

    name: str
    graph: Any
    options: dict[str, Any]
    run: Callable[[Path], Any]  # of the program compiled to a path; raises if results are wrong
    native: Any
    seconds: float = 0.0
    seen: bytes = b""
    code: str = ""

    def lowered(self) -> str:
        """The code in the LLVM dialect: where it is the same, the numbers are."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fuzz.mlir"
            options = {**self.options, "llvm_dialect": str(path)}
            self.native.compile_graph(self.graph, "", "fuzz", options)
            return path.read_text()

    def check(self) -> None:
        if self.code and self.lowered() == self.code:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fuzz.so"
            self.native.compile_graph(self.graph, str(path), "fuzz", self.options)
            self.run(path)


class Cases:
    """Draws programs, and computes once what they should give."""

    def __init__(self) -> None:
        sys.path.insert(0, str(ROOT / "test" / "fuzz"))
        import differential
        import donations
        import guarded
        import lowering
        import rows
        from failing import Call
        from generator import records

        self.differential, self.lowering, self.table = differential, lowering, records()
        self.donations, self.guarded, self.call = donations, guarded, Call
        self.rows = rows

    def of(self, kind: str, seed: int) -> Case:
        d, native = self.differential, sys.modules["cellgrad._native"]
        name, options = f"{kind} {seed}", {"opt_level": 1, "poison": seed % 2 == 0}
        if kind == "donations":
            text, expected = self.donations.Donations(seed).program(), dict[Any, Any]()
            options = self.donations.options(seed)
            run = lambda path: self.call(text, path, seed, expected).all_ways()
            return Case(name, native.Graph.parse(text), options, run, native)
        if kind == "rows":
            program = self.rows.draw(seed)
            run = self.rows.prepared(program, seed)
            return Case(name, program.graph, self.rows.options(seed), run, native)
        if kind in self.lowering.DRAWN:
            program, drawn = self.lowering.draw(kind, seed)
            target, (entry, given, compare) = self.lowering.prepare(program, seed, drawn)
            run = lambda path: self.lowering.called(
                self.guarded.Model(path).entry(entry), given, compare, seed
            )
            return Case(name, program.graph, self.lowering.options(seed, target, 1), run, native)
        if kind in self.lowering.TEXTS:
            program = self.lowering.draw(kind, seed)[0]
        elif kind == "forward":
            program = d.forward_program(seed, self.table)
        else:
            program = d.smooth_program(seed, self.table)
        runs = self.forward(program, seed)
        if kind != "forward" and program.dtype == "float64":
            runs += self.derivatives(program, seed)
        return Case(name, program.graph, options, self.all_of(runs), native)

    def all_of(self, runs: list[Any]) -> Callable[[Path], None]:
        def run(path: Path) -> None:
            model = self.guarded.Model(path)
            for entry, given, compare in runs:
                compare(model.entry(entry)(given()))

        return run

    def compared(self, program: Any, name: str, inputs: Any, moved: Any) -> Any:
        d = self.differential
        reference = d.Reference(program, name, inputs, moved)
        given = lambda: d.buffers(inputs)
        return name, given, lambda made: d.compare(program, name, d.arrays(made), reference)

    def forward(self, program: Any, seed: int) -> list[Any]:
        import numpy as np

        d, rng = self.differential, np.random.default_rng(seed)
        donated = self.lowering.donated(program, seed)
        f, args = d.entry(program, "main", [], donated)
        f.ret(f.call("f", args))
        self.inputs = [rng.normal(size=s).astype(program.dtype) for s in program.arguments]
        noise = [1 + d.ULPS[program.dtype] * rng.uniform(-1, 1, s) for s in program.arguments]
        self.moved = [
            (x * n).astype(program.dtype) for x, n in zip(self.inputs, noise, strict=True)
        ]
        return [self.compared(program, "main", self.inputs, self.moved)]

    def derivatives(self, program: Any, seed: int) -> list[Any]:
        """The gradient of the results times numbers, and the gradient of that times numbers."""
        import numpy as np

        d, rng = self.differential, np.random.default_rng(seed + 1)
        of = [i for i, (dtype, _) in enumerate(program.results) if dtype != "bool"]
        n, m, cts = (
            len(program.arguments),
            len(program.results),
            [program.results[i][1] for i in of],
        )
        if not of or sum(map(d.count, program.arguments)) > d.SMALL:
            return []
        wrt = list(range(n))
        g, args = d.entry(program, "g", cts)
        g.ret(g.vjp("f", args[:n], args[n:], of=of, wrt=wrt)[m:])
        k, args = d.entry(program, "k", [*cts, *program.arguments])
        k.ret(k.vjp("g", args[: n + len(of)], args[n + len(of) :], of=wrt, wrt=wrt)[n:])
        c = [rng.normal(size=s) for s in cts]
        u = [rng.normal(size=s) for s in program.arguments]
        return [
            self.compared(program, "g", self.inputs + c, self.moved + c),
            self.compared(program, "k", self.inputs + c + u, self.moved + c + u),
        ]


# The kinds of each group, and how many programs of them of each 100.
GROUPS = {
    "programs of every op": {"forward": 1.0, "derivatives": 0.5},
    "... and those for the lowering": {"small": 1.0, "large": 0.4, "conv": 0.5, "loops": 0.4},
    "... and those with donations and layers": {"donations": 1.5, "layers": 0.2},
    "... and those about kernels": {"rows": 1.0},
}
TESTS = "... and the tests of the passes"


def observed(kinds: dict[str, float], programs: int, library: ctypes.CDLL) -> list[Case]:
    """The cases that pass without a mistake, with the time they take and what they execute."""
    seen = (ctypes.c_ubyte * (1 << 16)).in_dll(library, "cellMutantsSeen")
    passing, cases = [], Cases()
    for kind, part in kinds.items():
        for seed in range(int(programs * part)):
            try:
                case = cases.of(kind, seed)
                ctypes.memset(seen, 0, 1 << 16)
                start = time.process_time()
                case.check()
                case.seconds, case.seen = time.process_time() - start, bytes(seen)
                case.code = case.lowered()
            except Exception as finding:
                print(
                    f"without a mistake, {kind} {seed} fails: {str(finding)[:150]}", file=sys.stderr
                )
                continue
            passing.append(case)
    return passing


def notices(number: int, found: list[Case], library: ctypes.CDLL, known: Counter[str]) -> str:
    """The case that notices mutant `number`, or nothing. `known`: how many of the file each has noticed."""
    reach = sorted((c for c in found if c.seen[number]), key=lambda c: (-known[c.name], c.seconds))
    reach = reach[:PROGRAMS]
    if not reach:
        return ""
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
        ctypes.c_int.in_dll(library, "cellMutant").value = number
        for i, case in enumerate(reach):
            os.write(write, bytes([i]))
            try:
                case.check()
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
    ran = b""
    while part := os.read(read, 4096):
        ran += part
    os.close(read)
    return reach[ran[-1]].name if status and ran else ("start" if status else "")


# --- tests of the passes ----------------------------------------------------------------------


def lit_lines() -> dict[str, list[str]]:
    """The RUN lines of test/lower and test/autodiff that use cell-opt or cell-run, by file."""
    found = {}
    for path in sorted(
        p for f in ("lower", "autodiff") for p in (ROOT / "test" / f).rglob("*.mlir")
    ):
        lines = [
            x.split("RUN:", 1)[1].strip() for x in path.read_text().splitlines() if "// RUN:" in x
        ]
        joined = "\n".join(lines).replace("\\\n", "")
        found[str(path)] = [
            x.replace("%s", str(path))
            for x in joined.splitlines()
            if re.search("cell-(opt|run)", x)
        ]
    return {k: v for k, v in found.items() if v}


def passes(lines: list[str], folder: Path, **more: str) -> bool:
    path = os.pathsep.join(
        [str(folder / "bin"), str(BUILD / "bin"), str(LLVM / "bin"), os.environ["PATH"]]
    )
    for line in lines:
        line = line.replace("%t", str(folder / f"t{os.getpid()}"))
        shell = ["bash", "-c", f"set -o pipefail; ulimit -t {SECONDS} -v {MEMORY >> 10}; {line}"]
        if subprocess.run(
            shell, env={**os.environ, "PATH": path, **more}, capture_output=True
        ).returncode:
            return False
    return True


def executed(lines: list[str], folder: Path) -> bytes:
    """What a test executes, and nothing if it fails without a mistake."""
    out = folder / "seen"
    out.unlink(missing_ok=True)
    if not passes(lines, folder, CELL_MUTANTS_SEEN=str(out)) or not out.exists():
        return bytes(1 << 16)
    data, total = out.read_bytes(), bytearray(1 << 16)
    for at in range(0, len(data), 1 << 16):
        total = bytearray(a | b for a, b in zip(total, data[at : at + (1 << 16)], strict=False))
    return bytes(total)


# --- the score --------------------------------------------------------------------------------


@dataclass
class Judge:
    """What notices mutants; `known` has the programs that have noticed others of a file."""

    folder: Path
    library: ctypes.CDLL
    groups: dict[str, list[Case]]
    tests: dict[str, tuple[list[str], bytes]]
    known: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def of(self, mutant: Mutant) -> tuple[str, str]:
        """The stage that notices a mutant, and the program or test."""
        number, known = mutant.number, self.known[mutant.file]
        for stage, cases in self.groups.items():
            if case := notices(number, cases, self.library, known):
                known[case] += 1
                return stage, case
        for path, (lines, seen) in self.tests.items():
            if seen[number] and not passes(lines, self.folder, CELL_MUTANT=str(number)):
                return TESTS, Path(path).name
        return "nothing", "-"


judges: list[Judge] = []  # that of a process


def verdict(mutant: Mutant) -> tuple[Mutant, str, str]:
    return mutant, *judges[0].of(mutant)


def score(noticed: dict[str, int], mutants: int, executed: int, files: int) -> list[str]:
    """The table: `noticed` says how many each stage has noticed that none before it did."""
    total, drawn = 0, sum(noticed.values())
    lines = [
        f"{mutants} mutants of {files} files compile; the programs execute {executed} of them. Of {drawn} of these,",
        "drawn at random:",
        "",
        "| noticed by | mutants |",
        "| --- | ---: |",
    ]
    for stage in (*GROUPS, TESTS):
        total += noticed[stage]
        lines.append(f"| {stage} | {total} |")
    return [*lines, f"| nothing | {drawn - total} |"]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", default="", help="plant in these only, by name")
    parser.add_argument("--only", default="", help="of what is planted, try these files only")
    parser.add_argument("--chosen", action="store_true", help="... and those of chosen.py only")
    parser.add_argument("--sample", type=int, default=0, help="only so many mutants")
    parser.add_argument("--programs", type=int, default=150, help="random programs of each kind")
    parser.add_argument("--kinds", default="", help="random programs of these kinds only")
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
        planted = objects(folder, options.files.split(",") if options.files else [], options.jobs)
        link(folder)
        made.write_text(json.dumps([m.__dict__ for m in planted]))
    mutants = [Mutant(**m) for m in json.loads(made.read_text())]
    if options.only:
        mutants = [m for m in mutants if m.file in options.only.split(",")]
    if options.chosen:
        mutants = [m for m in mutants if m.what.startswith("chosen: ")]
    print(f"{len(mutants)} mutants are compiled", flush=True)
    library = load(folder)
    wanted = (
        set(options.kinds.split(",")) if options.kinds else set.union(*map(set, GROUPS.values()))
    )
    groups = {
        g: observed({k: n for k, n in kinds.items() if k in wanted}, options.programs, library)
        for g, kinds in GROUPS.items()
    }
    reached = [m for m in mutants if any(c.seen[m.number] for g in groups.values() for c in g)]
    print(f"{len(reached)} are executed by {[*map(len, groups.values())]} programs", flush=True)
    chosen = reached
    if options.sample:
        chosen = random.Random(0).sample(reached, min(options.sample, len(reached)))
    tests = {path: (lines, executed(lines, folder)) for path, lines in lit_lines().items()}
    judge = Judge(folder, library, groups, tests)
    noticed = Counter[str]()
    log = options.log.open("a") if options.log else None
    with get_context("fork").Pool(options.jobs, judges.append, [judge]) as pool:
        for mutant, stage, by in pool.imap(verdict, chosen):
            noticed[stage] += 1
            if log:
                where = f"{mutant.file}:{mutant.line}"
                print(mutant.number, where, stage, by, mutant.what, sep=" | ", file=log, flush=True)
    lines = score(noticed, len(mutants), len(reached), len({m.file for m in mutants}))
    print("\n".join(lines))
    if options.write:
        PAGE.write_text(replaced(PAGE.read_text(), BEGIN, END, lines))
    if not options.folder:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
