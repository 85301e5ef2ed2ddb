"""A scratch copy of passes with mistakes planted in them, each behind its number, and the tests of passes.

planted.py and planted_gpu.py draw the programs that may notice them. The scratch build alone knows of mutants.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from source import Source

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LLVM = Path("/usr/lib/llvm-22")
SECONDS, MEMORY = 30, 6 << 30  # of a compilation or a test
Chosen = Mapping[str, Iterable[tuple[str, str, str]]]
# The mutant that is switched on, and those that were executed; a tool takes and gives them by its environment.
TABLES = """
extern "C" {
__attribute__((visibility("default"))) int cellMutant = -1;
__attribute__((visibility("default"))) unsigned char cellMutantsSeen[1 << 16];
}
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

    def is_chosen(self) -> bool:
        return self.what.startswith("chosen: ")


def objects(
    folder: Path, files: Mapping[str, list[str]], chosen: Chosen, jobs: int
) -> list[Mutant]:
    """Compiles planted copies of `files`, by folder; what does not compile is left out."""
    commands = {
        c["file"]: c["command"] for c in json.loads((BUILD / "compile_commands.json").read_text())
    }
    jobs_to_do, planted, first = [], [], 0
    for place, names in files.items():
        for name in names:
            path = ROOT / place / f"{name}.cpp"
            source = Source(path.read_text(), chosen.get(name, ()))
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
                for i in sorted(without):
                    if source.mutants[i].what.startswith("chosen: "):
                        print(f"{path.name}: {source.mutants[i].what} does not compile")
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


def link(folder: Path, targets: Mapping[str, Path], instead: str = "") -> None:
    """Links these targets of the build with the objects of the copy in place of the libraries', or `instead` of one."""
    table = folder / "table.cpp"
    table.write_text(TABLES)
    made = folder / "table.o"
    subprocess.run(["clang++-22", "-fPIC", "-O1", "-c", table, "-o", made], check=True)
    own = " ".join(str(o) for o in sorted(folder.glob("*.o")))
    for target, out in targets.items():
        out.parent.mkdir(exist_ok=True)
        shown = ["ninja", "-C", BUILD, "-t", "commands", target]
        command = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
        command = command.strip().splitlines()[-1].removeprefix(": && ").split(" && ")[0]
        if instead:
            assert instead in command
            command = command.replace(f" {instead} ", " ")
        # Before the libraries, so that the linker does not look for these there.
        command = command.replace(f" -o {target}", f" {own} -o {out}").replace("-Wl,-s ", "")
        subprocess.run(command, shell=True, check=True, cwd=BUILD)


# --- tests of the passes ----------------------------------------------------------------------


def lit_lines(folders: Iterable[str]) -> dict[str, list[str]]:
    """The RUN lines of tests that use cell-opt or cell-run, by file."""
    found = {}
    for path in sorted(p for f in folders for p in (ROOT / "test" / f).rglob("*.mlir")):
        lines = [
            x.split("RUN:", 1)[1].strip() for x in path.read_text().splitlines() if "// RUN:" in x
        ]
        joined = "\n".join(lines).replace("\\\n", "")
        if re.search("cell-(opt|run)", joined):
            here = joined.replace("%s", str(path)).replace("%S", str(path.parent))
            found[str(path)] = here.splitlines()
    return found


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
    if not passes(lines, folder, CELL_MUTANTS_SEEN=str(out)):
        print(f"without a mistake, this test fails: {lines[-1]}", file=sys.stderr)
        return bytes(1 << 16)
    if not out.exists():
        return bytes(1 << 16)
    return union(out.read_bytes())


def union(data: bytes) -> bytes:
    """What several runs of tools have executed, which their tables one after another say."""
    total = 0
    for at in range(0, len(data), 1 << 16):
        total |= int.from_bytes(data[at : at + (1 << 16)], "little")
    return total.to_bytes(1 << 16, "little")
