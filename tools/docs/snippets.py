"""Runs the code of a documentation page, in order, and compares what it prints with the page.

    python tools/docs/snippets.py [PAGE...] [--renew] [--in FOLDER]

What a fenced block means is in its first line:

    ```python, ```sh            run (each python block is a program of its own)
    ```LANGUAGE file=NAME       written to NAME; python is then run as well
    ```LANGUAGE insert=NAME before=LINE     put into the file NAME, before its last line LINE
    ```LANGUAGE insert=NAME after=LINE      ... or after its first line LINE
    ```LANGUAGE insert=NAME     ... or at its end
    ```LANGUAGE                 after a block that ran: what it printed (```text, ```mlir: only there)

All blocks of a page share a folder: a temporary one, or the one named with --in, which is taken for
a checkout whose build/ and pyfront/ are used. --renew writes what was printed into the page. Without
a PAGE, all those run that need no checkout.
"""

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRINTED = ("text", "mlir")  # languages of blocks that are what code printed, never examples
FENCE = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<text>.*?)^```$", re.M | re.S)


@dataclass
class Block:
    language: str
    options: dict[str, str]
    text: str
    span: tuple[int, int]
    line: int

    @property
    def runs(self) -> bool:
        return "insert" not in self.options and self.language in ("python", "sh")

    @property
    def acts(self) -> bool:
        return self.runs or bool(self.options)


def blocks_of(page: str) -> list[Block]:
    found = []
    for match in FENCE.finditer(page):
        language, *rest = shlex.split(match["info"])
        options = dict(item.split("=", 1) for item in rest)
        line = page.count("\n", 0, match.start()) + 1
        found.append(Block(language, options, match["text"], match.span("text"), line))
    return found


def all_pages() -> list[Path]:
    """The pages with code that runs in an empty folder; one that inserts code needs a checkout."""
    found = []
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        blocks = blocks_of(page.read_text())
        if any(b.runs for b in blocks) and not any("insert" in b.options for b in blocks):
            found.append(page)
    return found


def environment(checkout: Path) -> dict[str, str]:
    """Tools and package of the checkout, whichever one .venv was made for."""
    major = re.search(r"^llvm=(\d+)", (ROOT / ".dep-versions").read_text(), re.M)
    assert major
    path = [checkout / "build/bin", ROOT / ".venv/bin", f"/usr/lib/llvm-{major[1]}/bin"]
    package = [checkout / "pyfront", checkout / "build/python"]
    return os.environ | {
        "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(map(str, package)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def insert(block: Block, folder: Path) -> None:
    path = folder / block.options["insert"]
    lines = path.read_text().splitlines(keepends=True)
    where = block.options.get("after") or block.options.get("before")
    if where is None:
        path.write_text("".join([*lines, block.text]))
        return
    places = [i for i, line in enumerate(lines) if line.strip() == where]
    if not places:
        raise SystemExit(f"{path} has no line '{where}'")
    at = places[0] + 1 if "after" in block.options else places[-1]
    path.write_text("".join([*lines[:at], block.text, *lines[at:]]))


def run(block: Block, folder: Path, env: dict[str, str]) -> str:
    if block.language == "python" and "file" in block.options:
        command = [sys.executable, block.options["file"]]
    elif block.language == "python":
        # A file, as compiled code is made from source.
        (folder / "example.py").write_text(block.text)
        command = [sys.executable, "example.py"]
    else:
        command = ["bash", "-euo", "pipefail", "-c", block.text]
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"line {block.line}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout.rstrip("\n") + "\n" if done.stdout.strip() else ""


def check(path: Path, folder: Path, checkout: Path, renew: bool) -> bool:
    """Runs a page; returns whether every block printed what the page says."""
    page = path.read_text()
    blocks = blocks_of(page)
    env = environment(checkout)
    good, edits = True, []
    printed: str | None = None
    for block in blocks:
        if not block.acts:
            if printed is None:
                if block.language in PRINTED:
                    raise SystemExit(
                        f"{path.name}, line {block.line}: no code before this block prints it"
                    )
                continue
            if printed != block.text:
                good = False
                edits.append((block.span, printed))
                diff = difflib.unified_diff(
                    block.text.splitlines(), printed.splitlines(), "page", "printed", lineterm=""
                )
                print(f"{path.name}, line {block.line}:", *diff, sep="\n")
            printed = None
            continue
        if "file" in block.options:
            (folder / block.options["file"]).write_text(block.text)
        if "insert" in block.options:
            insert(block, folder)
        if block.runs:
            try:
                printed = run(block, folder, env)
            except SystemExit as e:
                raise SystemExit(f"{path.name}, {e}") from None
    if renew and edits:
        for (start, end), text in reversed(edits):
            page = page[:start] + text + page[end:]
        path.write_text(page)
    return good or renew


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="*")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--in", dest="folder", type=Path)
    options = parser.parse_args()
    good = True
    for page in options.pages or all_pages():
        if options.folder:
            good &= check(page, options.folder, options.folder, options.renew)
            continue
        with tempfile.TemporaryDirectory() as folder:
            good &= check(page, Path(folder), ROOT, options.renew)
    if not good:
        print("the pages above are out of date: 'make docs' renews what they print")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
