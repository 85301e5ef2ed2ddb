"""Builds the site in build/site, from the repository: `make site`.

    python tools/site/build.py [--out FOLDER]

The pages are those of docs/, as they are. README.md is the first one, and tools/site/navigation.py orders them.
Files of the repository that a page links to, such as tests and examples, become pages that show them. It runs
with the Python of build/site-env, where Sphinx is (tools/site/requirements.txt), and any warning is an error.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import navigation

ROOT = navigation.ROOT
HERE = Path(__file__).resolve().parent
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
FENCES = re.compile(r"(^```.*?^```$)", re.M | re.S)
# The first line of a block that is a file (tools/docs/snippets.py): Markdown elsewhere does not show the name.
FILE = re.compile(r"^```(?P<language>\w+) file=(?P<name>\S+)$", re.M)
LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".cpp": "cpp", ".mlir": "mlir", ".sh": "sh"}
# Names of pages outside of docs/, and where they go in the site.
OUTSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}


def captioned(match: re.Match[str]) -> str:
    """The first lines of a block with the name of its file above it."""
    return f"```{{code-block}} {match['language']}\n:caption: {match['name']}\n"


class Sources:
    """The folder that Sphinx reads."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.shown: set[str] = set()  # files of the repository that have a page

    def put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def page(self, source: str, name: str) -> None:
        """Copies a page of the repository to `name`; its links lead to pages of the site."""
        parts = FENCES.split((ROOT / source).read_text())
        parts[::2] = [LINK.sub(lambda m: self.link(m, source, name), part) for part in parts[::2]]
        parts[1::2] = [FILE.sub(captioned, part, count=1) for part in parts[1::2]]
        self.put(name, "".join(parts))

    def link(self, match: re.Match[str], source: str, name: str) -> str:
        target, _, anchor = match["target"].partition("#")
        if "://" in match["target"] or not target:
            return match[0]
        aim = os.path.relpath((ROOT / source).parent / target, ROOT)
        if match["image"] or (aim.startswith("docs/") and aim.endswith(".md")):
            inside = aim.removeprefix("docs/")
        elif aim in OUTSIDE:
            inside = OUTSIDE[aim]
        elif (ROOT / aim).is_file():
            inside = self.show(aim)
        else:
            return match["text"]  # a folder has no page
        there = os.path.relpath(inside, Path(name).parent)
        return f"{match['image']}[{match['text']}]({there}{'#' + anchor if anchor else ''})"

    def show(self, file: str) -> str:
        """The page that shows a file."""
        name = f"source/{file}.md"
        if file not in self.shown:
            self.shown.add(file)
            text = (ROOT / file).read_text()
            fence = "`" * 6
            language = LANGUAGES.get(Path(file).suffix, "text")
            self.put(name, f"---\norphan: true\n---\n\n# {file}\n\n{fence}{language}\n{text}{fence}\n")
        return name


def trees() -> str:
    """The sidebar, hidden at the end of the first page."""
    out = []
    for caption, names in navigation.sections().items():
        lines = [name.strip("<>").removesuffix(".md") for name in names]
        out.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(lines) + "\n```\n")
    return "\n".join(out)


def write_sources(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    sources = Sources(folder)
    for path in sorted(ROOT.glob("docs/**/*.md")):
        name = str(path.relative_to(ROOT / "docs"))
        sources.page(f"docs/{name}", name)
    for source, name in OUTSIDE.items():
        sources.page(source, name)
    shutil.copytree(ROOT / "docs/images", folder / "images")
    with (folder / "index.md").open("a") as first:
        first.write("\n" + trees())
    records = sorted(p.stem for p in ROOT.glob("docs/decisions/0*.md"))
    with (folder / "decisions/README.md").open("a") as decisions:
        decisions.write("\n```{toctree}\n:hidden:\n\n" + "\n".join(records) + "\n```\n")
    python = ROOT / ".venv/bin/python"
    subprocess.run([python, HERE / "reference.py", folder / "reference"], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build/site")
    out = parser.parse_args().out
    mistakes = navigation.mistakes()
    if mistakes:
        print("error:", *mistakes, sep="\n  ", file=sys.stderr)
        return 1
    folder = ROOT / "build/site-sources"
    write_sources(folder)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "2"]
    done = subprocess.run([*command, "-c", HERE, "-d", ROOT / "build/site-trees", folder, out])
    if done.returncode == 0:
        print(f"open {out / 'index.html'} in a browser")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
