"""The set-up script says in one line what is missing, and the checks refuse what they should."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ["bash", "dirname", "sed", "sort", "head", "cmake", "gcc", "git", "python3"]


def bootstrap(tmp_path: Path, hide: str = "", fake: dict[str, str] | None = None):
    """Runs bootstrap.sh with only the commands it starts with, less one, plus stand-ins."""
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    for name in COMMANDS:
        if name != hide:
            found = sys._base_executable if name == "python3" else shutil.which(name)
            (bin_dir / name).symlink_to(found)
    for name, text in (fake or {}).items():
        (bin_dir / name).unlink(missing_ok=True)
        (bin_dir / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
        (bin_dir / name).chmod(0o755)
    return subprocess.run(
        [ROOT / "tools/setup/bootstrap.sh"],
        env={"PATH": str(bin_dir), "HOME": os.environ.get("HOME", "/")},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("command", ["git", "gcc", "cmake", "python3"])
def test_missing_prerequisite_is_one_line(tmp_path, command):
    run = bootstrap(tmp_path, hide=command)
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.startswith(f"error: {command} not found: apt-get install {command}")
    assert run.stderr.count("\n") == 1


def test_old_cmake_is_refused(tmp_path):
    run = bootstrap(tmp_path, fake={"cmake": "echo cmake version 3.18.4"})
    assert run.returncode == 1
    assert run.stderr == "error: cmake 3.18.4 is too old: 3.25 or later is needed\n"


def test_full_disk_is_refused(tmp_path):
    columns = "Filesystem 1024-blocks Used Available Capacity Mounted"
    full = f"echo '{columns}'; echo '/dev/sda 100 100 1048576 99% /'"
    run = bootstrap(tmp_path, fake={"df": full, **pass_through("awk", "dpkg-query", "grep")})
    assert run.returncode == 1
    assert run.stderr == "error: 1 GiB free on the disk of .: the build needs 3\n"


def pass_through(*names: str) -> dict[str, str]:
    return {name: f'exec {shutil.which(name)} "$@"' for name in names}


def test_other_distribution_is_refused(tmp_path):
    # dpkg-query that knows no package: everything would have to be installed.
    fake = {"dpkg-query": "exit 1", "df": "exit 1", "apt-get": "exit 1", "id": "echo 1000"}
    run = bootstrap(tmp_path, fake={**fake, **pass_through("grep")})
    assert run.returncode == 1
    assert run.stderr.startswith("error: ")
    assert "llvm-22-dev" in run.stderr
    assert run.stderr.count("\n") == 1


def test_long_file_is_refused(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "long.py").write_text("x = 1\n" * 601)
    (tmp_path / "short.py").write_text("x = 1\n" * 600)
    run = subprocess.run(
        [sys.executable, ROOT / "tools/setup/check_sizes.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert run.stdout == "long.py: 601 lines; split it (limit 600)\n"
