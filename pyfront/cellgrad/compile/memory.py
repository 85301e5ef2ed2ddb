"""What the compiler says of programs without code for them: nothing is run or loaded."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from cellgrad import _native
from cellgrad.compile import program as _jit
from cellgrad.compile.failures import compile_error, reproducers
from cellgrad.compile.scratch import fresh_path
from cellgrad.core.context import current
from cellgrad.core.errors import error
from cellgrad.core.scope import NeedsIdentity, Trace


def planned(
    program: _jit.Program, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], Trace]:
    """What the compiler says of the memory of a call, see passes/MemoryReport.h; and its trace.

    Raises:
        RuntimeError: code is made for a GPU.
        CompileError: the compiler refused the program.
    """
    text, trace = told(program, "memory_report", args, kwargs)
    report: dict[str, Any] = json.loads(text)["entries"][0]
    return report, trace


def told(
    program: _jit.Program, kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[str, Trace]:
    """A report on a call, by the option of the compiler that names its file; and the trace.

    Raises:
        RuntimeError: code is made for a GPU.
        CompileError: the compiler refused the program.
    """
    if current[0].device_id is not None:
        raise error(
            RuntimeError,
            "Reports of memory, and pages, are of code for the CPU, but code is made for a GPU.",
            "call ms.set_device('CPU') before",
        )
    with _jit.compiling:
        try:
            trace, captured = program.captured(args, kwargs)
        except NeedsIdentity:
            program.by_identity = True
            trace, captured = program.captured(args, kwargs)
        if isinstance(captured, Exception):
            raise captured
        path = fresh_path() + ".json"
        options = {kind: path, "reproducers": reproducers()}
        try:
            _native.compile_graph(trace.graph, "", "m", options)
            return Path(path).read_text(), trace
        except _native.CompileError as e:
            raise compile_error(f"'{program.name}'", e) from None
        finally:
            if os.path.exists(path):
                os.unlink(path)
