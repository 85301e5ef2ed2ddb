"""The code in the documentation runs and prints what the page says; its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "tools/docs/snippets.py"
sys.path.insert(0, str(SNIPPETS.parent))

import snippets  # noqa: E402


@pytest.mark.parametrize("page", snippets.all_pages(), ids=lambda page: page.name)
def test_page(page):
    run = subprocess.run([sys.executable, SNIPPETS, page], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_pages_that_run():
    """One that is missing here is not checked: its code has moved, or its fences are broken."""
    names = {page.stem for page in snippets.all_pages()}
    assert names >= {"README", "architecture", "artifact", "python", "sharp-bits", "training"}


def test_documented_commands_are_in_help():
    shown = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True)
    listed = set(re.findall(r"^  make ([a-z-]+)  +\S", shown.stdout, re.M))
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.M)
    assert set(phony[1].split()) == set(re.findall(r"^([a-z-]+):(?!=)", makefile, re.M)) == listed
    documented = {}
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for command in re.findall(r"(?:`|^    )make ([a-z][a-z-]*)", page.read_text(), re.M):
            documented.setdefault(command, page.name)
    assert {c: p for c, p in documented.items() if c not in listed} == {}
    assert {"build", "test", "sweep", "oracle"} <= documented.keys()


def test_wrong_output_is_found_and_renewed(tmp_path):
    page = tmp_path / "page.md"
    text = "```python\nprint(6 * 7)\n```\n\nprints\n\n```text\n{}\n```\n"
    page.write_text(text.format("41"))
    command = [sys.executable, SNIPPETS, page]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1
    assert "-41\n+42\n" in run.stdout
    assert subprocess.run([*command, "--renew"], capture_output=True).returncode == 0
    assert page.read_text() == text.format("42")


def test_failing_code_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("text\n\n```sh\nfalse\ntrue\n```\n")
    run = subprocess.run([sys.executable, SNIPPETS, page], capture_output=True, text=True)
    assert run.returncode == 1
    assert "page.md, line 3: exit status 1" in run.stderr


def test_output_that_nothing_prints_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```sh\necho 1\n```\n\n```text\n1\n```\n\n```mlir\nmodule {}\n```\n")
    run = subprocess.run([sys.executable, SNIPPETS, page], capture_output=True, text=True)
    assert run.returncode == 1
    assert "page.md, line 9: no code before this block prints it" in run.stderr


def test_links_lead_somewhere():
    broken = []
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    for page in pages:
        words = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", words):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []


def test_decisions_are_listed():
    folder = ROOT / "docs/decisions"
    index = (folder / "README.md").read_text()
    assert [p.name for p in folder.glob("0*.md") if f"({p.name})" not in index] == []
