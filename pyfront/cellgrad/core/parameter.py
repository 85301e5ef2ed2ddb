"""Parameter and ParameterTuple: named, trainable tensors that compiled code reads at call time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import ArrayLike, InitLike, Operand
from cellgrad.core.arguments import argument_error, check_bool, check_instance
from cellgrad.core.conversion import converted
from cellgrad.core.effects import assign
from cellgrad.core.errors import error
from cellgrad.core.storage import from_numpy, signature, to_numpy
from cellgrad.core.tensor import Tensor

__all__ = ["Parameter", "ParameterTuple"]

_GENERATED = "Parameter#"  # begins the name of a Parameter that nobody has named
_generated = itertools.count()


def _not_yet(init: Any, shape: Any, dtype: Any) -> Tensor:
    raise RuntimeError("initializers cannot be used before cellgrad is fully imported")


# The function `initializer`. Its module sets it, as it draws from the state of random numbers, which
# is a Parameter.
fill: Callable[[Any, Any, Any], Tensor] = _not_yet


class Part(NamedTuple):
    """Of which tensor a Parameter is the part of one rank (`ops.rank_parts`)."""

    shape: tuple[int, ...]  # of the whole
    rank: int
    ranks: int

    def own(self, whole: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The elements of this part of a whole array."""
        size = -(-whole.size // self.ranks)
        flat = np.zeros(self.ranks * size, whole.dtype)
        flat[: whole.size] = whole.reshape(-1)
        return flat[self.rank * size : (self.rank + 1) * size]


def is_generated(name: object) -> bool:
    """Whether a name is that of a Parameter that nobody has named."""
    return isinstance(name, str) and name.startswith(_GENERATED)


class Parameter(Tensor):
    """A tensor with a name that belongs to a Cell.

    Compiled code takes Parameters as inputs, read at each call, never as constants; inside compiled
    code an assignment updates them when the code runs.

    Args:
        default_input: a Tensor, number, list or numpy array; copied. An int gives int32.
        name: the name; a Cell that holds the Parameter gives its attribute's name where none is
            set.
        requires_grad: whether `Cell.trainable_params` lists it.

    Raises:
        ValueError: a name that is not a str.
        TypeError: `requires_grad` that is not a bool.

    >>> Parameter(Tensor([1.0, 2.0]), name="w")
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    _is_parameter = True
    __slots__ = ("_layerwise_parallel", "_name", "_requires_grad", "part")
    part: Part | None

    def __init__(
        self,
        default_input: ArrayLike,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
    ):
        if isinstance(default_input, bool):
            raise error(
                ValueError,
                f"Parameter data can not be `bool`, but got {default_input}.",
                "give a Tensor of bools, or a number",
            )
        whole = isinstance(default_input, int) and not isinstance(default_input, bool)
        super().__init__(default_input, mstype.int32 if whole else None)
        if name is not None and not isinstance(name, str):
            raise error(
                ValueError,
                f"The type of the Parameter's name should be 'string' or 'None', but got "
                f"{type(name)}.",
            )
        self._name = f"{_GENERATED}{next(_generated)}" if name is None else name
        self.requires_grad = requires_grad
        self._layerwise_parallel = check_bool(layerwise_parallel, "Parameter", "layerwise_parallel")
        self.part = None

    @property
    def name(self) -> str:
        """The Parameter's name; within a Cell, its attribute path.

        >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
        >>> w.name
        'w'
        """
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        if not isinstance(value, str) or not value:
            raise error(
                ValueError, f"The name of a Parameter must be a non-empty str, but got {value!r}."
            )
        self._name = value

    @property
    def _user_named(self) -> bool:
        return not is_generated(self._name)

    @property
    def requires_grad(self) -> bool:
        """Whether the Parameter is trainable.

        >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
        >>> w.requires_grad = False
        >>> w
        Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=False)
        """
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        check_bool(value, "Parameter", "requires_grad")
        self._requires_grad = value

    @property
    def layerwise_parallel(self) -> bool:
        """Kept for scripts; this version runs on one device."""
        return self._layerwise_parallel

    def _concrete(self, what: str) -> np.ndarray[Any, Any]:
        if state.current.scope is not None:
            raise error(
                TypeError,
                f"{what} of Parameter '{self.name}' in compiled code would freeze the value it has "
                "now: Parameters are read when the code runs.",
                "use the Parameter in operations instead",
            )
        return super()._concrete(what)

    @property
    def data(self) -> Tensor:
        """The Parameter without its derivative; see `Tensor.data`."""
        return super().data

    @data.setter
    def data(self, value: Any) -> None:
        self.set_data(value)

    def set_data(self, data: ArrayLike, slice_shape: bool = False) -> Parameter:
        """Replaces the value: any shape is taken, and the elements are converted to the Parameter's
        dtype.

        Inside compiled code it is an assignment, which needs the Parameter's shape.

        Raises:
            TypeError: `data` is not a Tensor, number, list or numpy array, or a float for a Parameter of integers.

        >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
        >>> _ = w.set_data(Tensor([3.0, 4.0]))
        >>> print(w.value())
        [3. 4.]
        """
        if state.current.scope is not None:
            assign(self, data)
            return self
        if state.current.tape is not None:
            state.current.tape.writing(self)
        if isinstance(data, float) and self.dtype.kind in "iub":
            raise error(
                TypeError,
                f"Parameter '{self.name}' is of {self.dtype.title}, and {data} is no whole number: "
                "Incoming Parameter dtype can not be converted to current dtype implicitly.",
                "give an int, or Tensor(value), whose elements are converted",
            )
        if not isinstance(data, Tensor):
            data = Tensor(data)
        array = to_numpy(data._buf, data.dtype)
        self._buf = from_numpy(converted(array, self.dtype), self.dtype)
        self._sig = signature(self.dtype, tuple(array.shape))
        return self

    def assign_value(self, value: ArrayLike) -> Parameter:
        """Same as `set_data`."""
        return self.set_data(value)

    def value(self) -> Tensor:
        """A Tensor with the current value; inside compiled code, the value at this point."""
        scope = state.current.scope
        if scope is not None:
            return scope.copied(self)
        return Tensor.copy(self)

    def clone(self, init: InitLike = "same") -> Parameter:
        """A new Parameter of the same name, shape and dtype; in compiled code a Tensor with the value at
        this point, as `value` gives it.

        Args:
            init: ``"same"`` copies the value; a number, or an initializer's name or object, fills
                it.
        """
        if isinstance(init, str) and init == "same":
            if state.current.scope is not None:
                return self.value()  # type: ignore[return-value]
            out = Parameter(Tensor(self), name=self.name, requires_grad=self.requires_grad)
        elif isinstance(init, int | float):
            out = Parameter(
                Tensor(np.full(self.shape, init), self.dtype),
                name=self.name,
                requires_grad=self.requires_grad,
            )
        else:
            out = Parameter(
                fill(init, self.shape, self.dtype),
                name=self.name,
                requires_grad=self.requires_grad,
            )
        out.part = self.part
        return out

    def _standing(self, value: Tensor) -> Parameter:
        """A Parameter with this one's name and flags, and a value: it stands for this one where that is read."""
        out = Parameter.__new__(type(self))
        for name in ("_buf", "_sig"):
            setattr(out, name, getattr(value, name))
        for name in Parameter.__slots__:
            if hasattr(self, name):
                setattr(out, name, getattr(self, name))
        return out

    def copy(self) -> Parameter:
        """Same as `clone`."""
        return self.clone()

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> Parameter:
        return self.clone()

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        function, arguments = super().__reduce__()
        return _unpickle_parameter, (function(*arguments), self.name, self.requires_grad)

    def __str__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype.title}, "
            f"requires_grad={self.requires_grad})"
        )

    __repr__ = __str__

    def __iadd__(self, other: Operand) -> Tensor:
        return self + other


def _unpickle_parameter(value: Tensor, name: str, requires_grad: bool) -> Parameter:
    return Parameter(value, name=name, requires_grad=requires_grad)


class Buffer:
    """A tensor that is part of the state of the Cell to which it is assigned; see `Cell.register_buffer`.

    Raises:
        TypeError: `data` is not a Tensor.

    >>> from cellgrad.common.parameter import _Buffer
    >>> net = nn.Cell()
    >>> net.table = _Buffer(Tensor([1.0, 2.0]))
    >>> print(net.table, list(net.state_dict()))
    [1. 2.] ['table']
    """

    def __init__(self, data: Tensor, *, persistent: bool = True):
        self.data = check_instance(data, "Buffer", "data", Tensor)
        self.persistent = check_bool(persistent, "Buffer", "persistent")


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of Parameters with distinct names.

    Raises:
        TypeError: an element that is not a Parameter.
        ValueError: two Parameters of one name; the same one may be there more than once.

    >>> net = nn.Dense(2, 1)
    >>> [p.name for p in ms.ParameterTuple(net.get_parameters())]
    ['weight', 'bias']
    """

    __slots__ = ()

    def __new__(cls, iterable: Iterable[Parameter]) -> ParameterTuple:
        data = tuple(iterable)
        seen: dict[str, Parameter] = {}
        for p in data:
            if not isinstance(p, Parameter):
                raise error(
                    TypeError,
                    f"ParameterTuple input should be 'Parameter' collection, but got a "
                    f"{type(p).__name__}.",
                )
            if seen.setdefault(p.name, p) is not p:
                raise error(
                    ValueError,
                    f"The value {p}, its name '{p.name}' already exists in the ParameterTuple.",
                    "give each Parameter its own name",
                )
        return tuple.__new__(cls, data)

    def clone(self, prefix: str, init: InitLike = "same") -> ParameterTuple:
        """New Parameters named ``prefix.name``; `init` as in `Parameter.clone`.

        >>> w = ms.ParameterTuple([Parameter(Tensor([1.0, 2.0]), name="w")])
        >>> w.clone("moments", "zeros")[0].name
        'moments.w'
        """
        if not isinstance(prefix, str) or not prefix:
            raise argument_error(
                ValueError, "ParameterTuple.clone", "prefix", "a non-empty str", prefix
            )
        out = []
        for p in self:
            new = p.clone(init)
            new.name = f"{prefix}.{p.name}"
            out.append(new)
        return ParameterTuple(out)
