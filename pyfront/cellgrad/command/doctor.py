"""Checks that this installation works: compiles, differentiates, runs, stores.

Each check is a line: ``ok``, ``note`` for what is missing and not needed, ``FAILED`` with what to do.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cellgrad
from cellgrad import _native
from cellgrad.compile import cache

HELP = "check that this installation works"


def arguments(command: argparse.ArgumentParser) -> None:
    """It takes nothing."""


class _Note(Exception):
    """Something is missing that not everyone needs."""


def _temporary() -> str:
    with tempfile.TemporaryDirectory(prefix="cellgrad-") as folder:
        free = shutil.disk_usage(folder).free
        if free < 64 << 20:
            raise OSError(f"{folder} has {free >> 20} MiB left; let TMPDIR name another folder")
        return f"{Path(folder).parent}, {free >> 30} GiB free"


def _compiled() -> str:
    began = time.perf_counter()
    x = cellgrad.Tensor(0.7, cellgrad.float64)
    got = float(cellgrad.grad(_curve)(x)), float(cellgrad.grad(cellgrad.grad(_curve))(x))
    took = time.perf_counter() - began
    s, c, e = math.sin(0.7), math.cos(0.7), math.exp(0.7)
    for ours, wanted in zip(got, ((s + c) * e, 2 * c * e), strict=True):
        if not math.isclose(ours, wanted, rel_tol=1e-14):
            raise ArithmeticError(
                f"a derivative is {ours!r} and should be {wanted!r}: please report it"
            )
    return f"first and second derivative right to 14 digits, {took * 1e3:.0f} ms"


def _curve(x: cellgrad.Tensor) -> cellgrad.Tensor:
    return cellgrad.ops.sin(x) * cellgrad.ops.exp(x)


def _exported() -> str:
    net = cellgrad.nn.Dense(3, 2)
    x = cellgrad.ops.ones((4, 3), cellgrad.float32)
    with tempfile.TemporaryDirectory(prefix="cellgrad-") as folder:
        cellgrad.export(net, x, file_name=os.path.join(folder, "dense"), file_format="SO")
        made = sorted(p.name for p in Path(folder).iterdir())
    return ", ".join(made)


def _stored() -> str:
    where = cache.folder()
    if where is None:
        raise _Note(
            "off: every process compiles anew (CELLGRAD_CACHE=0, or its folder cannot be made)"
        )
    if not os.access(where, os.W_OK):
        raise PermissionError(f"{where} cannot be written to; let CELLGRAD_CACHE_DIR name another")
    return str(where)


def _gpu() -> str:
    try:
        name, found, chip = _native.open_device(0)
    except _native.DeviceError as e:
        raise _Note(f"{e}; programs run on the CPU") from None
    if chip is None:
        raise _Note(f"{name} ({found}) is older than {_native.gpu_chips()[0]}")
    return f"{name} ({found})"


def _compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not found:
        raise _Note("none; only programs that call an exported model from C need one")
    return found


def _checks() -> Iterator[tuple[str, Callable[[], str]]]:
    yield "temporary folder", _temporary
    yield "compile and run", _compiled
    yield "export", _exported
    yield "cache", _stored
    yield "GPU", _gpu
    yield "C compiler", _compiler


def call(options: argparse.Namespace) -> int:
    """Prints a line a check; 1 if one failed."""
    failed = 0
    for name, check in _checks():
        try:
            word, said = "ok", check()
        except _Note as e:
            word, said = "note", str(e)
        except Exception as e:
            word, said = "FAILED", f"{type(e).__name__}: {e}"
            failed = 1
        print(f"{word:<7} {name}: {said}")
    return failed
