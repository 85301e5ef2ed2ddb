"""Containers: SequentialCell, CellList and CellDict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Self, cast, overload

from cellgrad.core.aliases import TensorOrTensors
from cellgrad.core.arguments import argument_error, check_instance, check_int
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["CellDict", "CellList", "SequentialCell"]


def _check_cell(cell: Any, owner: str) -> Cell:
    if not isinstance(cell, Cell):
        raise error(
            TypeError,
            f"For '{owner}', each cell must be subclass of Cell, but got {type(cell).__name__}.",
        )
    return cell


class _Container(Cell):
    """Cells held by name; their Parameters are named after them."""

    def _place(self) -> tuple[str, int]:
        """The prefix of this container's Parameters, and how many parts it has.

        It is read off a Parameter's name, as the container does not know where it was assigned to.
        """
        names = []
        for key, cell in self._cells.items():
            first = None if cell is None else next(iter(cell.get_parameters()), None)
            if first is not None:
                names.append((key, first.name.split(".")))
        found = ("", 0)
        if names:
            key, path = names[0]
            for index, part in enumerate(path):
                if part == key:
                    found = ("".join(p + "." for p in path[:index]), index)
                    if len(names) > 1 and names[1][1][index : index + 1] == [names[1][0]]:
                        break
        return found

    def _hold(self, name: str, cell: Cell) -> None:
        if self.auto_prefix:
            cell.update_parameters_name(f"{self._place()[0]}{name}.")
        self._cells[name] = cell
        self._changed()

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Kept for scripts: gradients are compiled wherever they are asked for."""
        for cell in self._cells.values():
            if cell is not None:
                cell.set_grad(requires_grad)
        return super().set_grad(requires_grad)

    def __len__(self) -> int:
        return len(self._cells)


class _Numbered(_Container):
    """Cells named by their index."""

    def _check_index(self, index: Any, last: int) -> int:
        count = len(self._cells)
        index = check_int(
            index, self.cls_name, "index", at_least=-count, below=last + 1, outside=IndexError
        )
        return index + count if index < 0 else index

    def _at(self, index: Any) -> str:
        if isinstance(index, Tensor):
            index = operator.index(index)
        return list(self._cells)[self._check_index(index, len(self._cells) - 1)]

    def _fixed(self) -> set[str]:
        """Names that stay when others are removed."""
        return set()

    def _sequence(self) -> list[Cell]:
        return [c for c in self._cells.values() if c is not None]

    def _renumber(self, cells: dict[str, Cell | None], place: int, prefix: str) -> None:
        """Holds `cells` under consecutive indices and renames their Parameters."""
        fixed, out = self._fixed(), {}
        for i, (old, cell) in enumerate(cells.items()):
            new = old if old in fixed else str(i)
            if cell is not None and self.auto_prefix and new != old:
                for p in cell.get_parameters():
                    p.name = f"{prefix}{new}." + ".".join(p.name.split(".")[place + 1 :])
            out[new] = cell
        object.__setattr__(self, "_cells", out)
        self._changed()

    def __bool__(self) -> bool:
        return len(self._cells) != 0

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._sequence())

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._hold(self._at(index), _check_cell(cell, self.cls_name))

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._cells)[index] if isinstance(index, slice) else [self._at(index)]
        kept = {k: c for k, c in self._cells.items() if k not in names}
        prefix, place = self._place()
        self._renumber(kept, place, prefix)

    def append(self, cell: Cell) -> None:
        """Adds a Cell at the end.

        >>> net = nn.SequentialCell(nn.Dense(2, 3))
        >>> _ = net.append(nn.ReLU())
        >>> len(net)
        2
        """
        self._hold(str(len(self._cells)), _check_cell(cell, self.cls_name))

    def insert(self, index: int, cell: Cell) -> None:
        """Puts a Cell before the one at `index`; those behind it move by one.

        Raises:
            TypeError: `index` is not an int, or `cell` not a Cell.
            IndexError: `index` is out of range.

        >>> net = nn.SequentialCell(nn.Dense(2, 3))
        >>> net.insert(0, nn.ReLU())
        >>> net[0]
        ReLU()
        """
        at = self._check_index(index, len(self._cells))
        _check_cell(cell, self.cls_name)
        prefix, place = self._place()
        items: list[tuple[str, Cell | None]] = list(self._cells.items())
        shifted = dict(items[:at]) | {f"+{at}": None} | dict(items[at:])
        self._renumber(shifted, place, prefix)
        if self.auto_prefix:
            cell.update_parameters_name(f"{prefix}{at}.")
        self._cells[str(at)] = cell


class SequentialCell(_Numbered):
    """Cells called one after the other.

    Args:
        args: Cells, one list of them, or one OrderedDict that names them.

    Raises:
        TypeError: something that is not a Cell.

    >>> nn.SequentialCell(nn.Dense(2, 1), nn.ReLU())
    SequentialCell(
      (0): Dense(input_channels=2, output_channels=1, has_bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: object):
        super().__init__()
        given = args[0] if len(args) == 1 and isinstance(args[0], list | OrderedDict) else args
        if isinstance(given, OrderedDict):
            items = list(given.items())
            object.__setattr__(self, "_names", set(given))
        else:
            items = [(str(i), c) for i, c in enumerate(given)]
            object.__setattr__(self, "_names", set())
        for i, (name, cell) in enumerate(items):
            if not isinstance(cell, Cell):
                raise argument_error(
                    TypeError, "SequentialCell", f"args[{i}]", "Cell, list or orderedDict", cell
                )
            self._hold(name, cell)

    def _fixed(self) -> set[str]:
        return self.__dict__["_names"]  # type: ignore[no-any-return]

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> SequentialCell: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return self._cells[self._at(index)]

    def construct(self, input_data: Tensor) -> Tensor:
        for cell in self._sequence():
            input_data = cell(input_data)
        return input_data


class CellList(_Numbered):
    """A list of Cells, for a Cell whose `construct` says how they are used.

    Args:
        args: one list of Cells, or none.
        auto_prefix: whether Parameters are named after the index.

    Raises:
        TypeError: something that is not a Cell.

    >>> layers = nn.CellList([nn.Dense(2, 3), nn.ReLU()])
    >>> len(layers)
    2
    """

    _is_ensemble = True  # `vmap` gives each Cell one element

    def __init__(self, *args: list[Cell], auto_prefix: bool = True):
        super().__init__(auto_prefix)
        if len(args) > 1:
            raise error(
                TypeError,
                f"For 'CellList', expected one list of Cells, but got {len(args)} arguments.",
            )
        if args:
            self.extend(args[0])

    def extend(self, cells: list[Cell]) -> CellList:
        """Adds several Cells at the end.

        Raises:
            TypeError: `cells` is not a list, or has something that is not a Cell.

        >>> cells = nn.CellList([nn.ReLU()]).extend([nn.Tanh(), nn.ReLU()])
        >>> len(cells)
        3
        """
        if not isinstance(cells, list):
            raise error(
                TypeError,
                f"For 'CellList', the new cells wanted to append should be instance of list, but "
                f"got {type(cells).__name__}.",
            )
        prefix = self._place()[0]
        for cell in cells:
            if isinstance(cell, CellDict):
                raise error(TypeError, "For 'CellList', a cell can not be a CellDict.")
            name = str(len(self._cells))
            _check_cell(cell, self.cls_name)
            if self.auto_prefix:
                cell.update_parameters_name(f"{prefix}{name}.")
            self._cells[name] = cell
        self._changed()
        return self

    def __iadd__(self, cells: list[Cell]) -> CellList:
        return self.extend(cells)

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> CellList: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return CellList(self._sequence()[index])
        return self._cells[self._at(index)]

    def construct(self, *inputs: object) -> TensorOrTensors:
        raise error(
            NotImplementedError,
            "A CellList is a list: it cannot be called.",
            "call its Cells, for example: for cell in self.layers: x = cell(x); or use "
            "nn.SequentialCell",
        )


class CellDict(_Container):
    """A dictionary of Cells, for a Cell whose `construct` says how they are used.

    Args:
        args: one mapping of names to Cells, or an iterable of pairs, or none.
        auto_prefix: whether Parameters are named after the key.

    Raises:
        TypeError: a key that is not a str, a value that is not a Cell or is a container.
        KeyError: a key that is empty, has a dot or is an attribute of Cells.

    >>> cells = nn.CellDict({"fc": nn.Dense(2, 1), "act": nn.ReLU()})
    >>> list(cells.keys()), "act" in cells, cells["fc"].weight.name
    (['fc', 'act'], True, 'fc.weight')
    """

    def __init__(
        self, *args: Mapping[str, Cell] | Iterable[tuple[str, Cell]], auto_prefix: bool = True
    ):
        super().__init__(auto_prefix)
        if len(args) > 1:
            raise error(
                TypeError,
                f"For 'CellDict', expected one mapping of Cells, but got {len(args)} arguments.",
            )
        if args:
            self.update(args[0])

    def __getitem__(self, key: str) -> Cell:
        return cast(Cell, self._cells[key])

    def __setitem__(self, key: str, cell: Cell) -> None:
        check_instance(key, "CellDict", "key", str)
        if not key or "." in key:
            raise error(
                KeyError,
                f"For 'CellDict', the key must not be empty or contain '.', but got {key!r}.",
            )
        if key not in self._cells and hasattr(self, key):
            raise error(
                KeyError, f"For 'CellDict', the key {key!r} is the name of an attribute of Cells."
            )
        if isinstance(cell, _Container):
            raise error(
                TypeError,
                f"For 'CellDict', the type of cell can not be CellDict, CellList or "
                f"SequentialCell, but got {type(cell).__name__}.",
            )
        self._hold(key, _check_cell(cell, self.cls_name))

    def __delitem__(self, key: str) -> None:
        del self._cells[key]
        self._changed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def clear(self) -> None:
        """Removes all Cells.

        >>> cells = nn.CellDict({"act": nn.ReLU(), "last": nn.Tanh()})
        >>> cells.clear()
        >>> len(cells)
        0
        """
        self._cells.clear()
        self._changed()

    def pop(self, key: str) -> Cell:
        """Removes a Cell and returns it.

        Raises:
            KeyError: there is none.

        >>> cells = nn.CellDict({"act": nn.ReLU(), "last": nn.Tanh()})
        >>> cells.pop("act")
        ReLU()
        """
        cell = self[key]
        del self[key]
        return cell

    def keys(self) -> KeysView[str]:
        """The names, in order.

        >>> cells = nn.CellDict({"act": nn.ReLU(), "last": nn.Tanh()})
        >>> list(cells.keys())
        ['act', 'last']
        """
        return self._cells.keys()

    def values(self) -> ValuesView[Cell]:
        """The Cells, in order.

        >>> cells = nn.CellDict({"act": nn.ReLU(), "last": nn.Tanh()})
        >>> list(cells.values())
        [ReLU(), Tanh()]
        """
        return cast(ValuesView[Cell], self._cells.values())

    def items(self) -> ItemsView[str, Cell]:
        """Pairs of name and Cell, in order.

        >>> cells = nn.CellDict({"act": nn.ReLU(), "last": nn.Tanh()})
        >>> [name for name, cell in cells.items()]
        ['act', 'last']
        """
        return cast(ItemsView[str, Cell], self._cells.items())

    def update(self, cells: Mapping[str, Cell] | Iterable[tuple[str, Cell]]) -> None:
        """Adds the Cells of a mapping or of an iterable of pairs.

        Raises:
            TypeError: `cells` or one of its elements is not iterable.
            ValueError: an element that is not a pair.

        >>> cells = nn.CellDict({"act": nn.ReLU(), "last": nn.Tanh()})
        >>> cells.update({"act": nn.Tanh()})
        >>> cells["act"]
        Tanh()
        """
        if not isinstance(cells, Iterable):
            raise error(
                TypeError,
                f"CellDict.update() should be called with an iterable of key-value pairs, but got "
                f"{type(cells).__name__}",
            )
        if isinstance(cells, Mapping | CellDict):
            cells = cells.items()
        for i, pair in enumerate(cells):
            if not isinstance(pair, Iterable):
                raise error(
                    TypeError,
                    f"CellDict update sequence element #{i} should be Iterable; but got "
                    f"{type(pair).__name__}",
                )
            both = tuple(pair)
            if len(both) != 2:
                raise error(
                    ValueError,
                    f"CellDict update sequence element #{i}, length should be 2; but has length "
                    f"{len(both)}",
                )
            self[both[0]] = both[1]

    def construct(self, *inputs: object) -> TensorOrTensors:
        raise error(
            NotImplementedError,
            "A CellDict is a dictionary: it cannot be called.",
            'call its Cells, for example: x = self.layers["fc"](x)',
        )
