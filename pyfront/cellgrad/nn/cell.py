"""Cell: the base class of networks, with MindSpore's naming, traversal and printing."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cellgrad.capture import calls
from cellgrad.compile import program as _jit
from cellgrad.core import context, state
from cellgrad.core.aliases import State
from cellgrad.core.arguments import check_instance
from cellgrad.core.errors import error
from cellgrad.core.exact import same
from cellgrad.core.parameter import Buffer, Parameter, ParameterTuple, is_generated
from cellgrad.core.tensor import Tensor
from cellgrad.nn._cell_modes import CellModes
from cellgrad.nn._cell_state import CellState, _all_parameters, _check_distinct
from cellgrad.nn._hidden import in_place_of_construct, tell_hidden
from cellgrad.nn._hooks import CellHooks
from cellgrad.transforms import custom

if TYPE_CHECKING:
    from cellgrad.core.aliases import Constructs, P, R

__all__ = ["Cell"]


# Attributes of other libraries' modules and optimizers, and what stands for them.
_INIT = "write super().__init__() as the first line of __init__"
_ELSEWHERE = {
    "train": "net.set_train()",
    "eval": "net.set_train(False)",
    "parameters": "net.trainable_params(), or net.get_parameters() for all",
    "named_parameters": "net.parameters_and_names()",
    "load_state_dict": "ms.load_param_into_net(net, ms.load_checkpoint(path))",
    "to": "ms.set_device('GPU') for the device; net.to_float(ms.float16) for the dtype that it computes in",
    "step": "an optimizer is called with the gradients: optimizer(gradients)",
    "zero_grad": "gradients are results of ms.value_and_grad, there is nothing to set to zero",
    "cuda": "ms.set_device('GPU') has programs compute on an NVIDIA GPU; Parameters move as needed",
}


class Cell(CellState, CellModes, CellHooks):
    """A network, or a part of one: Parameters, sub-Cells and the computation in `construct`.

    Calling a Cell compiles `construct` once per signature of its inputs (in `GRAPH_MODE`) and runs
    the compiled code. Parameters are inputs of that code, read at each call. A Parameter takes the
    name of the attribute it is assigned to, sub-Cells prefix the names of theirs.

    Args:
        auto_prefix: whether assigning this Cell's sub-Cells prefixes their Parameters' names.

    >>> class Net(nn.Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.fc = nn.Dense(3, 1)
    ...     def construct(self, x):
    ...         return self.fc(x)
    >>> [p.name for p in Net().trainable_params()]
    ['fc.weight', 'fc.bias']
    """

    training: bool
    requires_grad: bool
    _params: dict[str, Parameter | None]
    _cells: dict[str, Cell | None]

    def __init__(self, auto_prefix: bool = True, flags: dict[str, object] | None = None):
        set_ = object.__setattr__
        set_(self, "_params", {})
        set_(self, "_cells", {})
        set_(self, "_auto_prefix", auto_prefix)
        set_(self, "_dependents", weakref.WeakSet())
        self._init_state()
        self._init_hooks()
        set_(self, "training", False)
        set_(self, "requires_grad", False)
        for key, value in (flags or {}).items():
            set_(self, key, value)

    @property
    def cls_name(self) -> str:
        """The name of the class.

        >>> nn.Dense(2, 1).cls_name
        'Dense'
        """
        return type(self).__name__

    @property
    def auto_prefix(self) -> bool:
        """Whether assigning sub-Cells prefixes their Parameters' names."""
        return bool(self.__dict__["_auto_prefix"])

    # --- calling ------------------------------------------------------------------------------

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; subclasses define it. One that does not, and has one method under `ms.jit`, computes
        what that does.

        >>> class Double(nn.Cell):
        ...     def construct(self, x):
        ...         return 2 * x
        >>> print(Double()(Tensor([1.0, 2.0])))
        [2. 4.]
        """
        return in_place_of_construct(self)(*args, **kwargs)

    if TYPE_CHECKING:  # it takes and gives what `construct` does

        @property
        def __call__(self: Constructs[P, R]) -> Callable[P, R]: ...

    else:

        def __call__(self, *args: object, **kwargs: object) -> object:
            if state.current.scope is not None:
                return self._inlined(args, kwargs)
            if context.graph_mode() and not state.current.plain:
                return _jit.call_cell(self, args, kwargs)
            return self._plain(*args, **kwargs)

    def _plain(self, *args: Any, **kwargs: Any) -> Any:
        """The call as ordinary Python, operation by operation."""
        run = self.construct
        if hasattr(self, "bprop"):
            run = lambda *a, **k: custom.call_plainly(self.construct, a, k, self.bprop)
        if self._has_hooks():
            return self._hooked(run, lambda f, a, k: f(*a, **k), args, kwargs)
        return run(*args, **kwargs)

    def compile(self, *args: object, **kwargs: object) -> None:
        """Compiles `construct` for inputs of these shapes and dtypes without running it, also in
        `PYNATIVE_MODE`. The first call with such inputs in `GRAPH_MODE` then compiles nothing.

        >>> net = nn.Dense(2, 1, "ones")
        >>> net.compile(Tensor([[1.0, 2.0]]))
        """
        _jit.cell_program(self).prepare(args, kwargs)

    def compile_and_run(self, *args: object, **kwargs: object) -> Any:
        """Calls the Cell through compiled code, also in `PYNATIVE_MODE`.

        >>> print(nn.Dense(2, 1, "ones", has_bias=False).compile_and_run(Tensor([[1.0, 2.0]])))
        [[3.]]
        """
        return _jit.call_cell(self, args, kwargs)

    def _inlined(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call inside a capture: evaluated, with the Cell's path noted in locations."""
        current = state.current
        scope = current.scope
        assert scope is not None
        calls.load_attribute(self, "construct")  # noted, like the Cell itself
        path, composite = current.cell_path, current.composite
        name = scope.trace.paths.get(id(self))
        if name is None:
            scope.trace.add_paths(self)
            name = ""
        current.cell_path = name or path
        current.composite = ""
        try:
            if self._has_hooks():
                out = self._hooked(self._constructed, calls.call, args, kwargs)
            else:
                out = self._constructed(*args, **kwargs)
            if current.called is not None:
                current.called(self, out)
            return out
        finally:
            current.cell_path = path
            current.composite = composite

    def _constructed(self, *args: Any, **kwargs: Any) -> Any:
        """`construct` in a capture, with the derivative of `bprop` or recomputed where asked for."""
        bprop = getattr(self, "bprop", None)
        if bprop is not None:
            return custom.call_with_rule(self.construct, args, bprop, forward=False, of_cell=True)
        scope = state.current.scope
        if self.__dict__.get("_recompute") or (scope and id(self) in scope.trace.recomputed):
            return custom.recompute(self.construct, *args, **kwargs)
        return calls.call(self.construct, args, kwargs)

    def recompute(self, **kwargs: object) -> None:
        """Makes reverse mode compute this Cell again instead of keeping its intermediate values.

        See `cellgrad.recompute`. Keyword arguments of MindSpore's, which are about parallel runs,
        are accepted.

        Raises:
            TypeError: a `budget`, which is of a whole program.

        >>> net = nn.Dense(2, 1, "ones", has_bias=False)
        >>> net.recompute()
        >>> print(ms.grad(net)(Tensor([[1.0, 2.0]])))
        [[1. 1.]]
        """
        if "budget" in kwargs:
            raise error(
                TypeError,
                "For 'Cell.recompute', a budget of memory is of a whole program, not of a Cell.",
                "call ms.recompute(budget=...)(step) for the gradient function or training step",
            )
        self.__dict__["_recompute"] = True

    # --- attributes ---------------------------------------------------------------------------

    def _initialised(self, what: str) -> None:
        if "_params" not in self.__dict__:
            raise error(
                AttributeError,
                f"For 'insert_{what}_to_cell', please call Cell.__init__() firstly.",
                _INIT,
            )

    def _changed(self, mode: bool = False) -> None:
        """Compiled code that read this Cell is compiled again on its next call; where only the
        training flag changed (`mode`), unless it was compiled for this flag before.
        """
        for program in list(self.__dict__.get("_dependents", ())):
            program.outdate(mode)

    def __setattr__(self, name: str, value: object) -> None:
        if (
            state.current.scope is not None
            and "_params" in self.__dict__
            and id(self) in state.current.scope.trace.cells
        ):
            calls.store_attribute(self, name, value)
            return
        if isinstance(value, Parameter):
            self.__dict__.pop(name, None)
            self.insert_param_to_cell(name, value)
        elif isinstance(value, ParameterTuple):
            self._initialised("param")
            for p in value:
                if is_generated(p.name):
                    # By its place in the Cell, so that a checkpoint has the names that a later process looks for.
                    self.__dict__["_unnamed"] = number = self.__dict__.get("_unnamed", 0) + 1
                    p.name = f"Parameter${number}"
                self.insert_param_to_cell(p.name, p, check_name_contain_dot=False)
            object.__setattr__(self, name, value)
        elif isinstance(value, Cell):
            self._initialised("child")
            self.__dict__.pop(name, None)
            if self.__dict__["_auto_prefix"]:
                value.update_parameters_name(name + ".")
            self.insert_child_to_cell(name, value)
        elif isinstance(value, tuple | list) and value and _all_parameters(value):
            _check_distinct(self, name, value)
            object.__setattr__(self, name, value)
        elif not self._set_object(name, value):
            return
        self._changed()

    def _set_object(self, name: str, value: Any) -> bool:
        """Assigns something that is no Parameter or Cell; whether compiled code may differ."""
        params = self.__dict__.get("_params")
        if params is not None and name in params:
            before = params.get(name)
            if isinstance(value, Tensor) and before is not None:
                before.set_data(value)
                return False
            if value is not None:
                raise error(
                    TypeError,
                    f"Parameter '{name}' already exists in network, can not assign this type: "
                    f"'{type(value)}' as a parameter.",
                    "assign a Tensor to change its value, or a Parameter to replace it",
                )
            params[name] = None
            return True
        cells = self.__dict__.get("_cells")
        if cells is not None and name in cells:
            if value is not None:
                raise error(
                    TypeError,
                    f"Sub cell '{name}' already exists in network, can not assign this type: "
                    f"'{type(value)}' as a cell.",
                )
            cells[name] = None
            return True
        if isinstance(value, Buffer):
            self.register_buffer(name, value.data, value.persistent)
            return False
        buffers = self.__dict__.get("_buffers")
        if buffers is not None and name in buffers:
            if value is not None:
                raise error(
                    TypeError,
                    f"Buffer '{name}' already exists in network, can not assign this type: "
                    f"'{type(value)}' as a buffer.",
                    f"change its value with self.{name}.assign_value(tensor), or delete it first",
                )
            buffers[name] = None
            return True
        old = self.__dict__.get(name, self)
        object.__setattr__(self, name, value)
        return not same(old, value)

    def __getattr__(self, name: str) -> Any:
        d = self.__dict__
        if "_params" in d:
            if name in d["_params"]:
                return d["_params"][name]
            if name in d["_cells"]:
                return d["_cells"][name]
            if name in d["_buffers"]:
                return d["_buffers"][name]
        text = f"The '{type(self).__name__}' object has no attribute '{name}'."
        hint = _ELSEWHERE.get(name)
        if "_params" not in d and name[0] == "_" != name[1:2]:  # one that every Cell has
            hint = _INIT
        if hint:
            raise error(AttributeError, text, hint)
        raise AttributeError(text)

    def __delattr__(self, name: str) -> None:
        if name in self._params:
            del self._params[name]
        elif name in self._cells:
            del self._cells[name]
        elif name in self._buffers:
            del self._buffers[name]
        else:
            object.__delattr__(self, name)
        self._changed()

    def __dir__(self) -> Iterable[str]:
        return [*object.__dir__(self), *self._params, *self._cells, *self._buffers]

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Adds a Parameter under an attribute name.

        Raises:
            KeyError: an empty name, one with a dot, or one that another attribute has.
            TypeError: `param` is not a Parameter.

        >>> net = nn.Cell()
        >>> net.insert_param_to_cell("scale", Parameter(Tensor(2.0)))
        >>> print(net.scale.value())
        2.0
        """
        self._initialised("param")
        if not param_name:
            raise error(
                KeyError,
                "For 'insert_param_to_cell', the argument 'param_name' should not be None.",
            )
        if check_name_contain_dot and "." in param_name:
            raise error(
                KeyError,
                "For 'insert_param_to_cell', the argument 'param_name' should not contain '.'.",
            )
        check_instance(param, "insert_param_to_cell", "param", Parameter | None)
        if param_name not in self._params and (
            param_name in self.__dict__ or hasattr(type(self), param_name)
        ):
            raise error(
                KeyError,
                f"For 'insert_param_to_cell', the {param_name} parameter already exists in the "
                f"network. "
                "Cannot insert another parameter with the same name.",
            )
        if param is not None and not param._user_named:
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Adds a sub-Cell under an attribute name.

        Raises:
            KeyError: an empty name, one with a dot, or one that another attribute has.
            TypeError: `child_name` is not a str, or `child_cell` not a Cell.

        >>> net = nn.Cell()
        >>> net.insert_child_to_cell("act", nn.ReLU())
        >>> print(net.act(Tensor([-1.0, 2.0])))
        [0. 2.]
        """
        self._initialised("child")
        where = "For 'insert_child_to_cell'"
        check_instance(child_name, "insert_child_to_cell", "child_name", str)
        if not child_name or "." in child_name:
            raise error(
                KeyError,
                f"{where}, 'child_name' can not be empty and can not contain '.', but got "
                f"{child_name!r}.",
            )
        if child_name not in self._cells and hasattr(self, child_name):
            raise error(
                KeyError,
                f"{where}, the attribute '{child_name}' already exists in the network.",
                "choose another name, or delete the attribute first",
            )
        check_instance(child_cell, "insert_child_to_cell", "child_cell", Cell | None)
        self._cells[child_name] = child_cell
        self._changed()

    # --- traversal ----------------------------------------------------------------------------

    def cells_and_names(
        self, cells: set[Cell] | None = None, name_prefix: str = ""
    ) -> Iterator[tuple[str, Cell]]:
        """This Cell and all below it with their attribute paths, each once.

        >>> net = nn.SequentialCell(nn.ReLU())
        >>> [name for name, cell in net.cells_and_names()]
        ['', '0']
        """
        seen = cells if cells is not None else set()
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self
        for name, cell in self._cells.items():
            if cell:  # an empty container has nothing to visit
                yield from cell.cells_and_names(
                    seen, f"{name_prefix}.{name}" if name_prefix else name
                )

    def cells(self) -> Iterable[Cell]:
        """The immediate sub-Cells.

        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> [cell.cls_name for cell in net.cells()]
        ['Dense', 'ReLU']
        """
        return self.name_cells().values()

    def name_cells(self) -> dict[str, Cell]:
        """The immediate sub-Cells by attribute name, each once.

        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> [name for name in net.name_cells()]
        ['0', '1']
        """
        seen: set[int] = set()
        out: dict[str, Cell] = {}
        for name, cell in self._cells.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                out[name] = cell
        return out

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters by attribute path, each once, own ones before those of sub-Cells.

        >>> net = nn.SequentialCell(nn.Dense(2, 1))
        >>> [name for name, p in net.parameters_and_names()]
        ['0.weight', '0.bias']
        """
        where = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        seen: set[int] = set()
        for path, cell in where:
            for name, p in cell._params.items():
                if p is not None and id(p) not in seen:
                    seen.add(id(p))
                    yield (f"{path}.{name}" if path else name), p

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """All Parameters (`expand=False`: the Cell's own).

        >>> [parameter.name for parameter in nn.Dense(2, 1).get_parameters()]
        ['weight', 'bias']
        """
        for _, p in self.parameters_and_names(expand=expand):
            yield p

    def parameters_dict(self, recurse: bool = True) -> dict[str, Parameter]:
        """Parameters by name.

        >>> list(nn.Dense(2, 1).parameters_dict())
        ['weight', 'bias']
        """
        return {p.name: p for p in self.get_parameters(expand=recurse)}

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters with `requires_grad`.

        >>> [p.name for p in nn.Dense(2, 1).trainable_params()]
        ['weight', 'bias']
        """
        tell_hidden(self)
        return [p for p in self.get_parameters(expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters without `requires_grad`.

        >>> net = nn.BatchNorm1d(2)
        >>> [parameter.name for parameter in net.untrainable_params()]
        ['mean', 'variance']
        """
        return [p for p in self.get_parameters(expand=recurse) if not p.requires_grad]

    def check_names_and_refresh_name(self) -> None:
        """Names Parameters by their attribute paths if two have the same name.

        >>> net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
        >>> net.check_names_and_refresh_name()
        >>> [parameter.name for parameter in net.trainable_params()]
        ['0.weight', '0.bias', '1.weight', '1.bias']
        """
        names = [p.name for p in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Names every Parameter `prefix` plus its attribute path.

        >>> net = nn.Dense(2, 1)
        >>> net.update_parameters_name("first.")
        >>> [parameter.name for parameter in net.get_parameters()]
        ['first.weight', 'first.bias']
        """
        for name, p in list(self.parameters_and_names(expand=recurse)):
            p.name = prefix + name

    def check_names(self) -> None:
        """Checks that Parameters have distinct names.

        Raises:
            ValueError: two have the same name.

        >>> nn.Dense(2, 1).check_names()
        >>> len(nn.Dense(2, 1).trainable_params())
        2
        """
        names: dict[str, str] = {}
        for path, p in self.parameters_and_names():
            if p.name in names:
                raise error(
                    ValueError,
                    f"The value of {path} is {p}, its name '{p.name}' already exists. "
                    "Please set a unique name for the parameter.",
                    f"'{names[p.name]}' and '{path}' share it; leave the name out of "
                    f"Parameter(...) to use the attribute's",
                )
            names[p.name] = path

    # --- text ---------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """What `repr` shows between the parentheses; subclasses may define it.

        >>> class Scaled(nn.Cell):
        ...     def extend_repr(self):
        ...         return "scale=2"
        >>> Scaled()
        Scaled(scale=2)
        """
        return ""

    def __repr__(self) -> str:
        extra = self.extend_repr()
        lines = extra.split("\n") if extra else []
        children = []
        for key, cell in self._cells.items():
            children += f"({key}): {cell!r}".split("\n")
        name = type(self).__name__
        if len(lines) == 1 and not children:
            return f"{name}({lines[0]})"
        if not lines and not children:
            return f"{name}()"
        return "\n".join([f"{name}(", *("  " + line for line in lines + children), ")"])

    __str__ = __repr__

    def __getstate__(self) -> State:
        return {
            k: v
            for k, v in self.__dict__.items()
            if k != "_dependents" and not k.startswith("_jit")
        }

    def __setstate__(self, values: dict[str, object]) -> None:
        self.__dict__.update(values)
        self.__dict__["_dependents"] = weakref.WeakSet()

    def __bool__(self) -> bool:
        return True

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
