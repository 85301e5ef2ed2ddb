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
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chosen import CHOSEN
from judge import Judge, report, score
from scratch import BUILD, ROOT, Chosen, Mutant, executed, link, lit_lines, objects

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
        *("Schedule", "SeparateInits", "SinkStores", "SumBehindLoops", "SumOfPads"),
    ],
    "passes/autodiff": ["ChainSums", "CountLoops", "NormalForm", "Rematerialize"],
}


def built(folder: Path, files: Mapping[str, list[str]], chosen: Chosen, jobs: int) -> list[Mutant]:
    """A native module, a cell-opt and a cell-run in `folder`, with the mistakes that they have."""
    planted = objects(folder, files, chosen, jobs)
    native = next((BUILD / "python" / "cellgrad").glob("_native*.so")).name
    tools = {f"bin/{name}": folder / "bin" / name for name in ("cell-opt", "cell-run")}
    link(folder, {f"python/cellgrad/{native}": folder / native, **tools})
    return planted


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
    "... and those for the lowering": {
        "small": 1.0,
        "large": 0.4,
        "conv": 0.5,
        "loops": 0.4,
        "recurrent": 0.4,
        "epilogues": 0.5,
        "shared": 0.4,
        "packed": 0.6,
    },
    "... and those with donations and layers": {"donations": 1.5, "layers": 0.2},
    "... and those about kernels": {"rows": 1.0},
}
TESTED = ("lower", "autodiff")


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
        only = options.files.split(",") if options.files else []
        files = {
            place: [n for n in names if not only or n in only] for place, names in FILES.items()
        }
        planted = built(folder, files, CHOSEN, options.jobs)
        made.write_text(json.dumps([m.__dict__ for m in planted]))
    mutants = [Mutant(**m) for m in json.loads(made.read_text())]
    if options.only:
        mutants = [m for m in mutants if m.file in options.only.split(",")]
    if options.chosen:
        mutants = [m for m in mutants if m.is_chosen()]
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
    tests = {path: (lines, executed(lines, folder)) for path, lines in lit_lines(TESTED).items()}
    switch = lambda number: setattr(ctypes.c_int.in_dll(library, "cellMutant"), "value", number)
    found = Judge(folder, switch, groups, tests).all_of(chosen, options.jobs, options.log)
    lines = [
        f"{len(mutants)} mutants of {len({m.file for m in mutants})} files compile; the programs execute "
        f"{len(reached)} of them. Of {len(chosen)} of these,",
        "drawn at random:",
        "",
        *score(GROUPS, {"mutants": Counter(stage for _, stage in found)}),
    ]
    report(lines, (PAGE, BEGIN, END) if options.write else None)
    if not options.folder:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
