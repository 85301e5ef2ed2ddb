"""A profile in the Trace Event Format, which chrome://tracing and https://ui.perfetto.dev show."""

from __future__ import annotations

import os
from typing import Any

from cellgrad.profiler.record import Record, describe
from cellgrad.profiler.table import name_of


def trace_events(record: Record) -> dict[str, Any]:
    """The object of a trace file: complete events of compilations, of calls, and of kernels in
    these. Times are microseconds from the start of the profile.
    """
    start = record.first or 0
    process = os.getpid()
    events: list[dict[str, Any]] = []

    def add(name: str, kind: str, begin: int, end: int, thread: int, args: dict[str, Any]) -> None:
        events.append(
            {
                "name": name,
                "cat": kind,
                "ph": "X",
                "ts": (begin - start) / 1e3,
                "dur": (end - begin) / 1e3,
                "pid": process,
                "tid": thread,
                "args": args,
            }
        )

    for made in record.compilations:
        add(f"compile {made.name}", "compile", made.begin, made.end, made.thread, {})
    left_out = 0
    for call in record.calls:
        add(call.name, "call", call.begin, call.end, call.thread, {"threads": call.threads})
        left_out += sum(runs for runs, _ in call.totals) - len(call.runs)
        known = {number: describe(call, number) for number in {run[0] for run in call.runs}}
        for number, begin, end in call.runs:
            kernel = known[number]
            args = {
                "kernel": kernel.kernel,
                "ops": list(kernel.ops),
                "phase": kernel.phase,
                "line": kernel.place(),
                "cell": kernel.cell,
                "bytes": kernel.bytes,
                "operations": kernel.operations,
            }
            add(name_of(kernel) or kernel.kernel, "kernel", begin, end, call.thread, args)
    metadata = {**record.metadata, "runs_left_out": left_out}
    return {"traceEvents": events, "displayTimeUnit": "ns", "metadata": metadata}
