"""Pictures of a profile: a roofline and a flame chart, as SVG, HTML or PNG.

The roofline has a point for each kernel: operations for each byte it moves, and operations a second,
under the ceilings of the machine. The flame chart has time as width: programs, the Cells in them,
lines, and kernels.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from cellgrad.profiler.record import Kernel, Record, ceilings
from cellgrad.profiler.table import name_of, table

_COLOURS = {"forward": "#4878a8", "adjoint": "#c8703c", "tangent": "#5a9a5a", "": "#c8c8c8"}
_WIDTH, _HEIGHT, _EDGE, _ROW = 960, 420, 60, 20


@dataclass
class Frame:
    """A bar of the flame chart; `nanoseconds` are those of what it holds."""

    name: str
    phase: str = ""
    nanoseconds: int = 0
    inner: dict[str, Frame] = field(default_factory=dict)

    def depth(self) -> int:
        return 1 + max((frame.depth() for frame in self.inner.values()), default=0)

    def bars(self, at: int = 0, level: int = 0) -> Iterator[tuple[Frame, int, int]]:
        """Every bar, with where it begins and how deep it lies."""
        yield self, at, level
        for frame in self.inner.values():
            yield from frame.bars(at, level + 1)
            at += frame.nanoseconds


def flames(kernels: list[Kernel]) -> Frame:
    """The kernels by program, Cell, and line."""
    root = Frame("all kernels")
    for kernel in kernels:
        cell = [part for part in kernel.cell.replace("/", ".").split(".") if part]
        path = [kernel.program, *cell, kernel.place() or "no line"]
        frame = root
        frame.nanoseconds += kernel.nanoseconds
        for name in path:
            frame = frame.inner.setdefault(name, Frame(name))
            frame.nanoseconds += kernel.nanoseconds
        name = f"{name_of(kernel) or kernel.kernel} ({kernel.phase})"
        leaf = frame.inner.setdefault(name, Frame(name, kernel.phase))
        leaf.nanoseconds += kernel.nanoseconds
    return root


def flame_chart(record: Record) -> str:
    """The flame chart as one SVG element."""
    root = flames(record.kernels())
    scale = _WIDTH / max(root.nanoseconds, 1)
    height = root.depth() * _ROW
    parts = [_open(_WIDTH, height)]
    for frame, at, level in root.bars():
        width = frame.nanoseconds * scale
        if width < 0.3:
            continue
        share = 100 * frame.nanoseconds / max(root.nanoseconds, 1)
        title = f"{frame.name}: {frame.nanoseconds / 1e6:.3f} ms, {share:.1f} %"
        x, y = at * scale, level * _ROW
        parts.append(
            f'<g><title>{html.escape(title)}</title><rect x="{x:.2f}" y="{y}" width="{width:.2f}" '
            f'height="{_ROW - 1}" fill="{_COLOURS[frame.phase]}"/>'
        )
        letters = int(width / 6.5)
        if letters > 2:
            parts.append(
                f'<text x="{x + 3:.2f}" y="{y + 14}">{html.escape(frame.name[:letters])}</text>'
            )
        parts.append("</g>")
    return "".join([*parts, "</svg>"])


def points(kernels: list[Kernel]) -> list[tuple[float, float, Kernel]]:
    """Of each kernel that computes and moves memory: operations a byte, and a second."""
    return [(k.operations / k.bytes, k.flops(), k) for k in kernels if k.operations and k.bytes]


def roofline(record: Record) -> str:
    """The roofline as one SVG element; both axes are logarithmic."""
    limits = ceilings(record.threads())
    shown = points(record.kernels())
    left = math.floor(math.log10(min([x for x, _, _ in shown], default=0.1)))
    right = math.ceil(math.log10(max([x for x, _, _ in shown] + [1e3])))
    top = math.ceil(math.log10(limits.float32))
    low = min([y for _, y, _ in shown] + [limits.float64 / 10])
    bottom = math.floor(math.log10(low))

    def x_of(value: float) -> float:
        return _EDGE + (math.log10(value) - left) / (right - left) * (_WIDTH - 2 * _EDGE)

    def y_of(value: float) -> float:
        return (
            _HEIGHT
            - _EDGE
            - (math.log10(value) - bottom) / (top - bottom) * (_HEIGHT - 1.5 * _EDGE)
        )

    parts = [_open(_WIDTH, _HEIGHT)]
    for power in range(left, right + 1):
        x = x_of(10.0**power)
        parts.append(_line(x, y_of(10.0**bottom), x, y_of(10.0**top), "#dddddd"))
        parts.append(f'<text x="{x - 12:.1f}" y="{_HEIGHT - _EDGE + 18}">1e{power}</text>')
    for power in range(bottom, top + 1):
        y = y_of(10.0**power)
        parts.append(_line(x_of(10.0**left), y, x_of(10.0**right), y, "#dddddd"))
        parts.append(f'<text x="{_EDGE - 38}" y="{y + 4:.1f}">1e{power}</text>')
    ends = 10.0**left, 10.0**right
    for name, peak in (("float32", limits.float32), ("float64", limits.float64)):
        knee = min(max(peak / limits.bytes, ends[0]), ends[1])
        start = max(10.0**bottom / limits.bytes, ends[0])
        parts.append(
            _line(x_of(start), y_of(start * limits.bytes), x_of(knee), y_of(peak), "#333333")
        )
        parts.append(_line(x_of(knee), y_of(peak), x_of(ends[1]), y_of(peak), "#333333"))
        words = f"{name}: {peak / 1e9:.1f} GFLOP/s"
        parts.append(f'<text x="{_WIDTH - _EDGE - 150}" y="{y_of(peak) - 5:.1f}">{words}</text>')
    longest = max([k.nanoseconds for _, _, k in shown], default=1)
    for intensity, rate, kernel in reversed(shown):
        radius = 3 + 9 * math.sqrt(kernel.nanoseconds / longest)
        title = (
            f"{name_of(kernel) or kernel.kernel} ({kernel.phase}) {kernel.place()}: "
            f"{kernel.nanoseconds / 1e6:.3f} ms, {100 * kernel.fraction(limits):.1f} % of the "
            f"{kernel.bound(limits)} ceiling"
        )
        parts.append(
            f'<circle cx="{x_of(intensity):.1f}" cy="{y_of(min(rate, 10.0**top)):.1f}" '
            f'r="{radius:.1f}" fill="{_COLOURS[kernel.phase]}" fill-opacity="0.7">'
            f"<title>{html.escape(title)}</title></circle>"
        )
    parts.append(
        f'<text x="{_WIDTH / 2 - 90}" y="{_HEIGHT - 12}">operations for each byte of memory</text>'
        f'<text x="8" y="16">operations a second; memory: {limits.bytes / 1e9:.1f} GB/s</text>'
    )
    return "".join([*parts, "</svg>"])


def page(record: Record) -> str:
    """Both pictures and the table as one HTML file that refers to nothing outside of it."""
    legend = " ".join(
        f'<span style="color:{colour}">&#9632; {phase}</span>'
        for phase, colour in _COLOURS.items()
        if phase
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Profile</title>'
        "<style>body{font-family:sans-serif;margin:2em}pre{font-size:12px}</style></head><body>"
        f"<h1>Profile</h1><p>{legend}</p><h2>Roofline</h2>{roofline(record)}"
        f"<h2>Time</h2>{flame_chart(record)}<h2>Table</h2>"
        f"<pre>{html.escape(table(record, most=100))}</pre></body></html>\n"
    )


def figure(record: Record, path: str) -> None:
    """Both pictures as a PNG file. Raises ImportError where matplotlib is not installed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # optional, and slow to import
    from matplotlib.figure import Figure

    limits = ceilings(record.threads())
    kernels = record.kernels()
    canvas = FigureCanvasAgg(Figure(figsize=(10, 8), layout="constrained"))
    above, below = canvas.figure.subplots(2, 1)
    shown = points(kernels)
    low = min([x for x, _, _ in shown], default=0.1)
    high = max([x for x, _, _ in shown] + [1e3])
    for peak in (limits.float32, limits.float64):
        knee = peak / limits.bytes
        above.plot([low, knee, high], [low * limits.bytes, peak, peak], color="#333333")
    longest = max([k.nanoseconds for _, _, k in shown], default=1)
    for phase, colour in _COLOURS.items():
        own = [(x, y, 300 * k.nanoseconds / longest + 10) for x, y, k in shown if k.phase == phase]
        if own:
            xs, ys, sizes = zip(*own, strict=True)
            above.scatter(xs, ys, s=sizes, color=colour, alpha=0.7, label=phase)
    above.set(xscale="log", yscale="log")
    above.set(xlabel="operations for each byte of memory", ylabel="operations a second")
    if shown:
        above.legend()
    for frame, at, level in flames(kernels).bars():
        width = frame.nanoseconds / 1e6
        below.barh(level, width, left=at / 1e6, color=_COLOURS[frame.phase], edgecolor="white")
        below.text(at / 1e6, level, frame.name, fontsize=6, va="center", clip_on=True)
    below.invert_yaxis()
    below.set(xlabel="ms", yticks=[])
    canvas.print_png(path)


def _open(width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def picture(record: Record) -> str:
    """Both pictures as one SVG file."""
    lower = flame_chart(record).replace("<svg ", f'<svg y="{_HEIGHT}" ', 1)
    height = _HEIGHT + flames(record.kernels()).depth() * _ROW
    return f"{_open(_WIDTH, height)}{roofline(record)}{lower}</svg>\n"
