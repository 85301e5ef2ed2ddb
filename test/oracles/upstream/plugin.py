"""A pytest plugin for `run.py`: names, marks, time limits and one line of JSON a test.

Loaded by ``-p plugin`` in a process whose environment says what to do: ``UPSTREAM_AS`` is "cellgrad"
or "mindspore", ``UPSTREAM_OUT`` the file of results, ``UPSTREAM_SECONDS`` the limit of one test;
``UPSTREAM_OTHERS`` is 1 for the tests that are marked for other devices alone, and not for the others.
"""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import numpy as np
import pytest

# Names that NumPy has dropped since these tests were written.
_DROPPED: dict[str, Any] = {
    "Inf": np.inf,
    "NINF": -np.inf,
    "NaN": np.nan,
    "PINF": np.inf,
    "alltrue": np.all,
    "asfarray": lambda a, dtype=np.float64: np.asarray(a, dtype),
    "bool": bool,
    "complex": complex,
    "complex_": np.complex128,
    "float": float,
    "float_": np.float64,
    "in1d": lambda a, b, **options: np.isin(np.ravel(a), b, **options),
    "infty": np.inf,
    "int": int,
    "object": object,
    "product": np.prod,
    "row_stack": np.vstack,
    "sometrue": np.any,
    "trapz": getattr(np, "trapezoid", None),
}
for _name, _value in _DROPPED.items():
    if _name not in np.__dict__:
        setattr(np, _name, _value)

if os.environ.get("UPSTREAM_AS") == "cellgrad":
    import cellgrad.dropin

    cellgrad.dropin.install()

OTHERS = os.environ.get("UPSTREAM_OTHERS") == "1"
SECONDS = int(os.environ.get("UPSTREAM_SECONDS", "60"))
PLATFORMS = {"platform_ascend", "platform_ascend910b", "platform_ascend310p", "platform_gpu"}
HOSTS = {"cpu_linux", "cpu_windows", "cpu_macos", "platform_x86_cpu", "platform_arm_cpu"}
_TEXT = 1500  # characters of an error kept


class TooLong(BaseException):
    """A test that takes longer than its limit; no test catches it as an error of its own."""


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave only the tests that run on a processor: those without marks, or with its mark; or only the others."""
    kept = []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if (bool(marks & PLATFORMS) and not marks & HOSTS) is OTHERS:
            kept.append(item)
    items[:] = kept


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Any:
    """Stop a test after its time."""

    def stop(*_: object) -> None:
        raise TooLong(f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def _write(record: dict[str, Any]) -> None:
    with open(os.environ["UPSTREAM_OUT"], "a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")


def pytest_runtest_logreport(report: Any) -> None:
    """Write what became of a test."""
    if report.when == "call" or (report.outcome != "passed" and report.when == "setup"):
        text = "" if report.passed else str(report.longrepr)
        _write(
            {
                "test": report.nodeid,
                "outcome": report.outcome,
                "seconds": round(report.duration, 3),
                "error": text[-_TEXT:],
            }
        )


def pytest_collectreport(report: Any) -> None:
    """Write what could not be imported."""
    if report.failed:
        text = str(report.longrepr)
        _write({"test": report.nodeid, "outcome": "import", "seconds": 0, "error": text[-_TEXT:]})
