"""Prints versions, processor, GPU, folders and settings: what a report of a fault should contain."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

import numpy as np

import cellgrad
from cellgrad import _native
from cellgrad.compile import cache

HELP = "print versions, processor, GPU, folders and settings"


def arguments(command: argparse.ArgumentParser) -> None:
    """It takes nothing."""


def processor() -> str:
    """The processor's name, as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def gpu() -> str:
    """The GPU of number 0, or why there is none."""
    try:
        name, found, chip = _native.open_device(0)
    except _native.DeviceError as e:
        return f"none ({e})"
    return f"{name} ({found}), code for {chip}" if chip else f"{name} ({found}), which is too old"


def cache_line() -> str:
    """The folder of compiled code and what it holds."""
    where = cache.folder()
    if where is None:
        return "off"
    count, size = cache.content(where)
    return f"{where} ({count} programs, {size / 2**20:.1f} of {cache.limit() >> 20} MiB)"


def call(options: argparse.Namespace) -> int:
    """Prints a line for each thing."""
    native = Path(_native.__file__)
    rows = {
        "cellgrad": f"{cellgrad.__version__}, {native.parent}",
        "extension": f"{native.name}, {native.stat().st_size / 1e6:.0f} MB",
        "Python": f"{platform.python_version()}, numpy {np.__version__}",
        "system": f"{platform.platform()}",
        "processor": f"{processor()}, {_native.num_threads()} threads",
        "GPU": gpu(),
        "code for GPUs": ", ".join(_native.gpu_chips()),
        "cache": cache_line(),
    }
    rows |= {
        name: value for name, value in sorted(os.environ.items()) if name.startswith("CELLGRAD_")
    }
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:{width}}  {value}")
    return 0
