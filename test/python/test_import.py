"""The package imports from the project's own environment, and its version is CMake's."""

import re
from pathlib import Path

import cellgrad

ROOT = Path(__file__).resolve().parents[2]


def test_version_is_the_one_of_cmake():
    text = (ROOT / "CMakeLists.txt").read_text()
    assert cellgrad.__version__ == re.search(r"project\(cellgrad VERSION ([0-9.]+)", text).group(1)
