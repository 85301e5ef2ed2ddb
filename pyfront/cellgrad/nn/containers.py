"""Containers: SequentialCell and CellList."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from cellgrad._errors import error
from cellgrad.nn.cell import Cell

__all__ = ["CellList", "SequentialCell"]


def _check_cell(cell: Any, owner: str) -> Cell:
    if not isinstance(cell, Cell):
        raise error(
            TypeError,
            f"For '{owner}', each cell must be subclass of Cell, but got {type(cell).__name__}.",
        )
    return cell


class _Numbered(Cell):
    """Cells named by their index."""

    def _at(self, index: int) -> str:
        count = len(self._cells)
        if isinstance(index, bool) or not isinstance(index, int):
            raise error(
                TypeError,
                f"For '{self.cls_name}', the index must be int, but got {type(index).__name__}.",
            )
        if not -count <= index < count:
            raise error(
                IndexError,
                f"For '{self.cls_name}', the index must be in [{-count}, {count}), but got "
                f"{index}.",
            )
        return list(self._cells)[index % count]

    def _add(self, name: str, cell: Cell) -> None:
        if self.auto_prefix:
            cell.update_parameters_name(name + ".")
        self._cells[name] = cell
        self._changed()

    def _sequence(self) -> list[Cell]:
        return [c for c in self._cells.values() if c is not None]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._sequence())

    def __bool__(self) -> bool:
        return len(self._cells) != 0

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._add(self._at(index), _check_cell(cell, self.cls_name))

    def append(self, cell: Cell) -> Any:
        """Adds a Cell at the end."""
        self._add(str(len(self._cells)), _check_cell(cell, self.cls_name))


class SequentialCell(_Numbered):
    """Cells called one after the other.

    Args:
        args: Cells, one list of them, or one OrderedDict that names them.

    Raises:
        TypeError: something that is not a Cell.
    """

    def __init__(self, *args: Any):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], list | OrderedDict):
            given = args[0]
            items: Iterable[tuple[str, Any]] = (
                given.items()
                if isinstance(given, OrderedDict)
                else ((str(i), c) for i, c in enumerate(given))
            )
        else:
            items = ((str(i), c) for i, c in enumerate(args))
        for i, (name, cell) in enumerate(items):
            if not isinstance(cell, Cell):
                raise error(
                    TypeError,
                    f"For 'SequentialCell', the 'args[{i}]' must be Cell, list or orderedDict, "
                    f"but got {type(cell).__name__}",
                )
            self._add(name, cell)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return self._cells[self._at(index)]

    def construct(self, input_data: Any) -> Any:
        for cell in self._sequence():
            input_data = cell(input_data)
        return input_data


class CellList(_Numbered):
    """A list of Cells, for a Cell whose `construct` says how they are used.

    Args:
        args: one iterable of Cells, or none.

    Raises:
        TypeError: something that is not a Cell.
    """

    def __init__(self, *args: Any, auto_prefix: bool = True):
        super().__init__(auto_prefix)
        if len(args) > 1:
            raise error(
                TypeError,
                f"For 'CellList', expected one list of Cells, but got {len(args)} arguments.",
            )
        if args:
            self.extend(args[0])

    def extend(self, cells: Iterable[Cell]) -> CellList:
        """Adds several Cells at the end."""
        if not isinstance(cells, Iterable):
            raise error(
                TypeError,
                f"For 'CellList', expected a list of Cells, but got {type(cells).__name__}.",
            )
        for cell in cells:
            self.append(cell)
        return self

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self._sequence()[index])
        return self._cells[self._at(index)]

    def construct(self, *inputs: Any) -> Any:
        raise error(
            NotImplementedError,
            "A CellList is a list: it cannot be called.",
            "call its Cells, for example: for cell in self.layers: x = cell(x); or use "
            "nn.SequentialCell",
        )
