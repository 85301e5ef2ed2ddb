"""`Cell.summary`: the Cells of a network with their outputs and Parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cellgrad.compile import program as _jit
from cellgrad.core import html, state
from cellgrad.core.scope import NeedsIdentity
from cellgrad.core.tree import tensors

if TYPE_CHECKING:
    from cellgrad.nn.cell import Cell

_HEAD = ("Cell", "class", "output", "Parameters", "trainable")


@dataclass(frozen=True)
class Row:
    """A Cell: its path, class, the dtypes and shapes of what it gave first (empty where it was not called), and the
    numbers of elements of its own Parameters.
    """

    path: str
    kind: str
    output: str
    parameters: int
    trainable: int


class Summary:
    """The Cells of a network in the order of their paths, as text and for notebooks."""

    def __init__(self, name: str, rows: list[Row], parameters: int, trainable: int):
        self.name = name
        self.rows = rows
        self.parameters = parameters
        self.trainable = trainable

    def _cells(self) -> list[tuple[Any, ...]]:
        return [
            (r.path or "(itself)", r.kind, r.output, r.parameters, r.trainable) for r in self.rows
        ]

    def __str__(self) -> str:
        shown = [
            _HEAD,
            *[tuple(f"{c:,}" if isinstance(c, int) else c for c in r) for r in self._cells()],
        ]
        widths = [max(len(row[i]) for row in shown) for i in range(len(_HEAD))]
        lines = []
        for row in shown:
            parts = [
                f"{c:<{w}}" if i < 3 else f"{c:>{w}}"
                for i, (c, w) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(parts).rstrip())
        lines.append(
            f"{self.parameters:,} elements in Parameters, of which {self.trainable:,} are trainable"
        )
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        caption = (
            f"{self.name}: {self.parameters:,} elements in Parameters, {self.trainable:,} trainable"
        )
        return html.table(_HEAD, self._cells(), caption)


def summary(net: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Summary:
    """The summary of a network; with arguments it is captured for its outputs, and does not run."""
    outputs: dict[int, str] = {}

    def called(cell: Any, out: Any) -> None:
        text = ", ".join(f"{t.dtype.title}{list(t.shape)}" for t in tensors(out))
        outputs.setdefault(id(cell), text)

    if args or kwargs:
        program = _jit.cell_program(net)
        before, state.current.called = state.current.called, called
        try:
            with _jit.compiling:
                try:
                    _, found = program.captured(args, kwargs)
                except NeedsIdentity:
                    program.by_identity = True
                    _, found = program.captured(args, kwargs)
        finally:
            state.current.called = before
        if isinstance(found, Exception):
            raise found
    rows = []
    for path, cell in net.cells_and_names():
        own = list(cell.get_parameters(expand=False))
        elements = sum(p.size for p in own)
        trainable = sum(p.size for p in own if p.requires_grad)
        rows.append(Row(path, cell.cls_name, outputs.get(id(cell), ""), elements, trainable))
    all_ = list(net.get_parameters())
    trained = sum(p.size for p in all_ if p.requires_grad)
    return Summary(net.cls_name, rows, sum(p.size for p in all_), trained)
