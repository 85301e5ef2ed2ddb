"""A profile as text and as data."""

from __future__ import annotations

from typing import Any

from cellgrad.profiler.record import Ceilings, Kernel, Record, ceilings

_HEAD = "       ms      %    runs    us/run  GFLOP/s     GB/s  ceiling              phase    kernel"


def table(record: Record, most: int = 20) -> str:
    """Totals, the kernels that took longest, and the lines of the program with their derivatives."""
    kernels = record.kernels()
    in_kernels = sum(k.nanoseconds for k in kernels)
    limits = ceilings(record.threads())
    lines = [
        f"{record.total() / 1e6:.3f} ms in all: {record.in_calls() / 1e6:.3f} ms in "
        f"{len(record.calls)} calls of compiled code ({in_kernels / 1e6:.3f} ms in kernels), "
        f"{record.compiling() / 1e6:.3f} ms for {len(record.compilations)} compilations",
        f"ceilings of {limits.threads} thread{'s' * (limits.threads > 1)}: "
        f"{limits.float32 / 1e9:.1f} GFLOP/s in float32, {limits.float64 / 1e9:.1f} in float64, "
        f"{limits.bytes / 1e9:.1f} GB/s",
    ]
    took, waited = record.communication()
    if took:
        hidden = max(took - waited, 0)
        lines.append(
            f"collectives: {took / 1e6:.3f} ms, {hidden / 1e6:.3f} ms of them "
            f"({_share(hidden, took):.0f} %) behind computation, {waited / 1e6:.3f} ms waited for"
        )
    lines.append(_HEAD)
    lines += [_row(kernel, in_kernels, limits) for kernel in kernels[:most]]
    if len(kernels) > most:
        rest = sum(k.nanoseconds for k in kernels[most:])
        lines.append(
            f"{rest / 1e6:9.3f} {_share(rest, in_kernels):6.1f}  {len(kernels) - most} more"
        )
    pairs = record.pairs()
    if any(p.adjoint or p.tangent for p in pairs):
        lines.append("  forward   adjoint   tangent  line (ms)")
        for pair in pairs[:most]:
            times = f"{pair.forward:9.3f} {pair.adjoint:9.3f} {pair.tangent:9.3f}"
            lines.append(f"{times}  {pair.place}  {pair.cell}".rstrip())
    return "\n".join(lines)


def _share(part: int, whole: int) -> float:
    return 100 * part / max(whole, 1)


def _row(kernel: Kernel, whole: int, limits: Ceilings) -> str:
    ceiling = f"{100 * kernel.fraction(limits):6.1f}% {kernel.bound(limits)}"
    what = "  ".join(
        part for part in (kernel.kernel, name_of(kernel), kernel.place(), kernel.cell) if part
    )
    return (
        f"{kernel.nanoseconds / 1e6:9.3f} {_share(kernel.nanoseconds, whole):6.1f} "
        f"{kernel.runs:7d} {kernel.nanoseconds / 1e3 / kernel.runs:9.2f} "
        f"{kernel.flops() / 1e9:8.2f} {kernel.bandwidth() / 1e9:8.2f}  {ceiling:20} "
        f"{kernel.phase:8} {what}"
    )


def name_of(kernel: Kernel, most: int = 4) -> str:
    """The ops of a kernel: "add, tanh, mul"."""
    listed = ", ".join(kernel.ops[:most])
    return f"{listed}, ..." if len(kernel.ops) > most else listed


def as_dict(record: Record) -> dict[str, Any]:
    """All that `table` says, and the kernels in full, for json.dumps. Times in nanoseconds."""
    kernels = record.kernels()
    limits = ceilings(record.threads())
    return {
        "total": record.total(),
        "calls": len(record.calls),
        "in_calls": record.in_calls(),
        "collectives": record.communication()[0],
        "waited": record.communication()[1],
        "in_kernels": sum(k.nanoseconds for k in kernels),
        "compilations": len(record.compilations),
        "compiling": record.compiling(),
        "ceilings": dict(vars(limits)),
        "metadata": dict(record.metadata),
        "kernels": [
            {
                **vars(kernel),
                "flops": kernel.flops(),
                "bandwidth": kernel.bandwidth(),
                "fraction": kernel.fraction(limits),
                "bound": kernel.bound(limits),
            }
            for kernel in kernels
        ],
        "pairs": [dict(vars(pair)) for pair in record.pairs()],
    }
