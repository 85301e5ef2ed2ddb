"""What a Cell stores beside its Parameters, and its state as a dictionary."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from cellgrad.core.aliases import State
from cellgrad.core.arguments import check_instance
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn._state_hooks import StateHooks

if TYPE_CHECKING:
    from cellgrad.nn.cell import Cell


class IncompatibleKeys(NamedTuple):
    """Names a Cell has and a state lacks, and the other way round."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


_EXTRA = "_extra_state"


class CellState(StateHooks):
    """Buffers and the state of a Cell."""

    _buffers: dict[str, Tensor | None]
    _transient: set[str]  # buffers that are no part of the state

    def _init_state(self) -> None:
        object.__setattr__(self, "_buffers", {})
        object.__setattr__(self, "_transient", set())
        self._init_state_hooks()

    def get_extra_state(self) -> object:
        """What `state_dict` keeps beside Parameters and buffers, if a subclass defines this method.

        >>> class Counted(nn.Cell):
        ...     def get_extra_state(self):
        ...         return Tensor([3])
        ...     def set_extra_state(self, state):
        ...         print(state)
        >>> state = Counted().state_dict()
        >>> list(state)
        ['_extra_state']
        """
        raise error(RuntimeError, f"{type(self).__name__} has no method 'get_extra_state'.")

    def set_extra_state(self, state: object) -> None:
        """Takes what `get_extra_state` gave, from `load_state_dict`.

        >>> class Counted(nn.Cell):
        ...     def get_extra_state(self):
        ...         return Tensor([3])
        ...     def set_extra_state(self, state):
        ...         print(state)
        >>> _ = Counted().load_state_dict(Counted().state_dict())
        [3]
        """
        raise error(
            RuntimeError,
            f"{type(self).__name__} has no method 'set_extra_state', but the state to load has one "
            "for it.",
        )

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is part of the Cell's state but no Parameter.

        Compiled code reads it at each call. It is read as an attribute.

        Args:
            name: the attribute's name.
            tensor: the value.
            persistent: whether `state_dict` includes it.

        Raises:
            TypeError: a name that is not a str, or a value that is not a Tensor.
            KeyError: a name that is empty, has a dot or is taken.

        >>> net = nn.Cell()
        >>> net.register_buffer("table", Tensor([1.0, 2.0]))
        >>> print(net.table)
        [1. 2.]
        """
        owner: Any = self
        if "_buffers" not in self.__dict__:
            raise error(AttributeError, "cannot assign buffer before Cell.__init__() call")
        check_instance(name, "register_buffer", "name", str)
        if not name or "." in name:
            raise error(
                KeyError, f"The name of a buffer must not be empty or have a dot, but got {name!r}."
            )
        if name not in self._buffers and hasattr(self, name):
            raise error(KeyError, f"The attribute '{name}' already exists.")
        check_instance(tensor, "register_buffer", "tensor", Tensor | None)
        self._buffers[name] = tensor
        if persistent:
            self._transient.discard(name)
        else:
            self._transient.add(name)
        owner._changed()

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Buffers by attribute path.

        >>> net = nn.Cell()
        >>> net.register_buffer("table", Tensor([1.0, 2.0]))
        >>> [name for name, _ in net.named_buffers()]
        ['table']
        """
        owner: Any = self
        seen: set[int] = set()
        where = owner.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for path, cell in where:
            for name, value in cell._buffers.items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers (`recurse=False`: the Cell's own).

        >>> net = nn.Cell()
        >>> net.register_buffer("table", Tensor([1.0, 2.0]))
        >>> [buffer.shape for buffer in net.buffers()]
        [(2,)]
        """
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    def get_sub_cell(self, target: str) -> Cell:
        """The Cell at an attribute path; the Cell itself for the empty one.

        Raises:
            AttributeError: there is none.

        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> net.get_sub_cell("1")
        ReLU()
        """
        cell: Any = self
        for name in target.split(".") if target else []:
            inner = getattr(cell, name, None)
            if name not in cell._cells or inner is None:
                raise error(
                    AttributeError, f"{type(cell).__name__} has no Cell `{name}` (of '{target}')."
                )
            cell = inner
        return cell  # type: ignore[no-any-return]

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at an attribute path.

        Raises:
            AttributeError: there is none.

        >>> net = nn.Cell()
        >>> net.register_buffer("table", Tensor([1.0, 2.0]))
        >>> print(net.get_buffer("table"))
        [1. 2.]
        """
        path, _, name = target.rpartition(".")
        found = self.get_sub_cell(path)._buffers.get(name)
        if found is None:
            raise error(AttributeError, f"`{target}` is not a buffer.")
        return found

    def _own_state(self) -> dict[str, Any]:
        owner: Any = self
        kept = {k: v for k, v in self._buffers.items() if k not in self._transient}
        own = {k: v for k, v in {**owner._params, **kept}.items() if v is not None}
        if type(self).get_extra_state is not CellState.get_extra_state:
            own[_EXTRA] = self.get_extra_state()
        return own

    def _paths(self, path: str = "") -> Iterator[tuple[str, Any]]:
        """The Cell and those below, by every path to them."""
        owner: Any = self
        yield path, self
        for name, cell in owner._cells.items():
            if cell is not None:
                yield from cell._paths(f"{path}.{name}" if path else name)

    def state_dict(
        self,
        *,
        destination: dict[str, object] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> State:
        """Parameters, persistent buffers and extra state by attribute path: the objects themselves.

        Args:
            destination: a dictionary to add them to.
            prefix: goes before each path.
            keep_vars: kept for scripts.

        Raises:
            TypeError: an argument of another type.

        >>> list(nn.Dense(2, 1).state_dict())
        ['weight', 'bias']
        """
        owner: Any = self
        for argument, given, kind in (
            ("destination", destination, (dict, type(None))),
            ("prefix", prefix, str),
            ("keep_vars", keep_vars, bool),
        ):
            if not isinstance(given, kind):
                raise error(
                    TypeError,
                    f"For 'state_dict', '{argument}' has a wrong type: {type(given).__name__}.",
                )
        self._before_state(prefix, keep_vars)
        out = OrderedDict() if destination is None else destination
        for name, value in self._own_state().items():
            out[prefix + name] = value
        for name, cell in owner._cells.items():
            if cell is not None:
                cell.state_dict(destination=out, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        self._after_state(out, prefix)
        return out

    def load_state_dict(
        self, state_dict: Mapping[str, object], strict: bool = True
    ) -> IncompatibleKeys:
        """Takes values from a `state_dict` by attribute path.

        Args:
            state_dict: Tensors by path; they are converted to the dtypes here.
            strict: whether missing and unexpected names are errors.

        Returns:
            The missing and the unexpected names.

        Raises:
            TypeError: `state_dict` is not a mapping.
            RuntimeError: names or shapes that do not fit; nothing is loaded then.

        >>> first, second = nn.Dense(2, 1, "ones"), nn.Dense(2, 1)
        >>> _ = second.load_state_dict(first.state_dict())
        >>> print(second.weight.value())
        [[1. 1.]]
        """
        if not isinstance(state_dict, Mapping):
            raise error(
                TypeError,
                f"Expected state_dict to be dict-like, but got {type(state_dict).__name__}.",
            )
        problems: list[str] = []
        cells = dict(self._paths())
        for path, cell in cells.items():
            cell._before_loading(state_dict, f"{path}." if path else "", strict, problems)
        own = {
            f"{path}.{name}" if path else name: value
            for path, cell in cells.items()
            for name, value in cell._own_state().items()
        }
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        if strict and unexpected:
            problems.append(f"Unexpected key(s) in state_dict: {_listed(unexpected)}.")
        if strict and missing:
            problems.append(f"Missing key(s) in state_dict: {_listed(missing)}.")
        taken = {k: v for k, v in state_dict.items() if k in own}
        for name, value in taken.items():
            if name.rpartition(".")[2] == _EXTRA:
                continue
            if not isinstance(value, Tensor):
                problems.append(f"'{name}' must be a Tensor, but got {type(value).__name__}.")
            elif value.shape != own[name].shape:
                problems.append(
                    f"size mismatch for {name}: the shape here is {own[name].shape}, that of the "
                    f"state {value.shape}."
                )
        if problems:
            text = "\n\t".join(problems)
            raise error(
                RuntimeError, f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}"
            )
        for name, value in taken.items():
            path, _, last = name.rpartition(".")
            if last == _EXTRA:
                cells[path].set_extra_state(value)
            else:
                own[name].assign_value(Tensor(cast(Any, value), own[name].dtype))
        found = IncompatibleKeys(missing, unexpected)
        for cell in cells.values():
            cell._after_loading(found)
        return found


def _listed(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _all_parameters(values: Iterable[Any]) -> bool:
    return all(isinstance(v, Parameter) for v in values)


def _check_distinct(cell: Any, name: str, parameters: Iterable[Parameter]) -> None:
    """Refuses two Parameters of one name in a list or tuple that becomes an attribute, or one that
    another such attribute has.
    """
    seen: dict[str, Parameter] = {}
    for key, value in cell.__dict__.items():
        if key != name and type(value) in (list, tuple) and _all_parameters(value):
            seen.update((p.name, p) for p in value)
    for p in parameters:
        if seen.setdefault(p.name, p) is not p:
            raise error(
                ValueError,
                f"The value {p}, its name '{p.name}' already exists. Please set a unique name for "
                "the parameter.",
                "give each Parameter its own name",
            )
