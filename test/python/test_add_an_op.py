"""Follows docs/add-an-op.md and docs/add-a-function.md on a copy of the repository: what they add is
built, tested and used.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def copy_of_repository(target: Path) -> None:
    listed = subprocess.run(
        [
            "git",
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, listed):
        source, path = ROOT / name, target / name
        if source.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read_bytes())
            path.chmod(source.stat().st_mode)
    (target / ".venv").symlink_to(ROOT / ".venv")


@pytest.mark.xdist_group("build")
@pytest.mark.rebuild
def test_add_an_op(tmp_path):
    copy = tmp_path / "copy"
    copy_of_repository(copy)
    subprocess.run(
        ["cmake", "--preset", "dev", f"-DPython_EXECUTABLE={ROOT}/.venv/bin/python"],
        cwd=copy,
        check=True,
        capture_output=True,
    )
    for page in ("docs/add-an-op.md", "docs/add-a-function.md"):
        command = [sys.executable, copy / "tools/docs/snippets.py", ROOT / page, "--in", copy]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
