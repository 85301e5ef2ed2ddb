"""Environment variables: one table, read everywhere; names and values that are not in it are errors."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cellgrad.core import log, variables

ROOT = Path(__file__).resolve().parents[2]
KNOWN = {variables.PREFIX + v.name for v in (*variables.USERS, *variables.DEVELOPERS)}
# Names of the build, of C and of include guards.
OTHERS = re.compile(
    r"CELLGRAD_(\w+_TD|\w*_H|ABI_VERSION|BUILT|COVERAGE|PYTHON|UBSAN|VERSION|WERROR|WHEEL|)$"
)


def named(*folders):
    """Where names with the prefix stand in sources."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if (
                path.suffix in {".py", ".c", ".cpp", ".h", ".sh", ".md", ".cfg"}
                and "third_party" not in path.parts
            ):
                text = path.read_text(errors="replace")
                for name in set(re.findall(r"\bCELLGRAD_[A-Z0-9_]+", text)):
                    yield name, path


def test_every_name_that_is_written_somewhere_is_in_the_table():
    wrong = {
        f"{path}: {name}"
        for name, path in named("pyfront", "runtime", "tools", "docs", "test", "passes")
        if name not in KNOWN and not OTHERS.match(name) and path.name != "test_variables.py"
    }
    assert wrong == set()


def test_nothing_in_the_package_reads_the_environment_past_the_table():
    reads = re.compile(r"environ(\.get\(|\[)[\"']CELLGRAD_|getenv\([\"']CELLGRAD_")
    found = [
        str(p) for p in (ROOT / "pyfront/cellgrad").rglob("*.py") if reads.search(p.read_text())
    ]
    assert found == []


def test_each_variable_is_used():
    used = {
        name
        for name, path in named("pyfront", "runtime", "tools", "test")
        if path.name != "test_variables.py"
    }
    text = "\n".join(
        p.read_text() for p in (ROOT / "pyfront/cellgrad").rglob("*.py") if p.name != "variables.py"
    )
    by_table = {variables.PREFIX + n for n in re.findall(r'variables\.\w+\("([A-Z_]+)"', text)}
    assert KNOWN - used - by_table == set()


@pytest.mark.parametrize(
    "given, words",
    [
        (
            {"CELLGRAD_EAGR": "1"},
            ("CELLGRAD_EAGR is not one of cellgrad", "nearest: CELLGRAD_EAGER"),
        ),
        ({"CELLGRAD_DEBUG_NAN": "1"}, ("CELLGRAD_DEBUG_NAN is", "nearest: CELLGRAD_DEBUG_NANS")),
        ({"CELLGRAD_QQQQ": "1"}, ("unset it; there are CELLGRAD_EAGER, CELLGRAD_DEBUG_NANS",)),
        ({"CELLGRAD_EAGER": "yes"}, ("CELLGRAD_EAGER must be 0 or 1, but is 'yes'.",)),
        ({"CELLGRAD_LOG": "plan,recompil"}, ("has 'recompil'", "nearest: recompile")),
    ],
    ids=lambda v: next(iter(v)) if isinstance(v, dict) else "",
)
def test_mistakes_are_errors(given, words, monkeypatch):
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError) as caught:
        variables.check()
    for word in words:
        assert word in str(caught.value)


def test_a_mistake_is_an_error_of_the_import():
    env = {**os.environ, "CELLGRAD_EAGR": "1"}
    command = [sys.executable, "-c", "import cellgrad"]
    run = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (
        run.returncode == 1 and "ValueError: The environment variable CELLGRAD_EAGR" in run.stderr
    )


def test_right_names_are_taken(monkeypatch):
    for name, value in (("EAGER", "1"), ("LOG", "cache,plan"), ("CACHE", ""), ("JAX_PYTHON", "x")):
        monkeypatch.setenv(variables.PREFIX + name, value)
    variables.check()


def test_reading(monkeypatch):
    monkeypatch.setenv("CELLGRAD_MAX_OPS", "12")
    assert variables.count("MAX_OPS", 3) == 12
    monkeypatch.setenv("CELLGRAD_MAX_OPS", "many")
    with pytest.raises(
        ValueError, match="CELLGRAD_MAX_OPS must be an integer of at least 1, but is 'many'"
    ):
        variables.count("MAX_OPS", 3)
    monkeypatch.delenv("CELLGRAD_MAX_OPS")
    assert variables.count("MAX_OPS", 3) == 3
    monkeypatch.setenv("CELLGRAD_CACHE", "")
    assert variables.flag("CACHE", True) and not variables.flag("CACHE")
    monkeypatch.setenv("CELLGRAD_LOG", "plan,,cache")
    assert log.wanted("plan") and log.wanted("cache") and not log.wanted("compile")
    with pytest.raises(KeyError):
        variables.text("NO_SUCH_NAME")


def test_the_page_is_what_the_table_says():
    command = [sys.executable, ROOT / "tools/docs/variables.py", "--check"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
