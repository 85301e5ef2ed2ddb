"""Types of arguments and results by name, for annotations.

They are texts, as annotations are: nothing is imported for them when a program runs, and modules that
the tensors stand on can use them, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import EllipsisType
    from typing import Any, ParamSpec, Protocol, TypeVar

    import numpy as np

    from cellgrad.core.dtype import Type
    from cellgrad.core.initializer import Initializer
    from cellgrad.core.parameter import Parameter
    from cellgrad.core.tensor import Tensor
    from cellgrad.nn.cell import Cell
    from cellgrad.nn.learning_rate_schedule import LearningRateSchedule

    P = ParamSpec("P")
    R = TypeVar("R")
    T = TypeVar("T", covariant=True)

    class Constructs(Protocol[P, T]):
        """A Cell, by what it computes."""

        @property
        def construct(self) -> Callable[P, T]: ...

    class Derivative(Protocol[P, T]):
        """What a transform makes of a function."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T: ...

    class NestedSequence(Protocol[T]):
        """Sequences of elements or of such sequences; a str is none, for what its `in` takes."""

        def __len__(self, /) -> int: ...
        def __getitem__(self, index: int, /) -> T | NestedSequence[T]: ...
        def __contains__(self, x: object, /) -> bool: ...
        def __iter__(self, /) -> Iterator[T | NestedSequence[T]]: ...

    class Exchanged(Protocol):
        """A tensor of another library."""

        def __dlpack__(self) -> object: ...


__all__ = [
    "Activation",
    "Array",
    "ArrayLike",
    "Axis",
    "Columns",
    "DTypeLike",
    "Dims",
    "Function",
    "Gradients",
    "Index",
    "InitLike",
    "LearningRate",
    "MappedAxes",
    "MaybeArray",
    "MetricValue",
    "Names",
    "Number",
    "Operand",
    "OptionalDims",
    "PaddingLike",
    "ParameterGroups",
    "Rate",
    "Scalar",
    "ShapeLike",
    "State",
    "TensorData",
    "TensorLike",
    "TensorOrTensors",
    "Weights",
]

Array: TypeAlias = "np.ndarray[Any, Any]"
"""A numpy array; its dtype is known when the program runs."""

Number: TypeAlias = "float | np.number | np.bool_"
"""A real number or bool, of Python or numpy."""

Scalar: TypeAlias = "complex | np.number | np.bool_"
"""A number or bool, of Python or numpy."""

TensorLike: TypeAlias = "Tensor | bool | int | float"
"""What an elementwise function takes: a Tensor, or a number beside one."""

ArrayLike: TypeAlias = "Tensor | Array | Scalar | NestedSequence[Tensor | Array | Scalar]"
"""What a tensor can be made of: a Tensor, an array, a number, or nested sequences of them."""

Operand: TypeAlias = "Tensor | Array | Scalar | Sequence[float] | Sequence[Sequence[float]]"
"""What stands beside a Tensor in an expression."""

MaybeArray: TypeAlias = "ArrayLike | None"
"""The same, or None for what there is without it."""

TensorData: TypeAlias = "ArrayLike | Exchanged"
"""What a Tensor is made of, tensors of other libraries included."""

ShapeLike: TypeAlias = "int | Sequence[int] | Tensor"
"""Lengths of dimensions; one int is one dimension."""

Axis: TypeAlias = "int | Sequence[int] | None"
"""Dimensions by number; None often means all of them."""

Dims: TypeAlias = "int | Sequence[int]"
"""A number for each dimension, or one for all."""

OptionalDims: TypeAlias = "int | Sequence[int | None] | None"
"""A number for each dimension, or one for all; None leaves a dimension as it is."""

PaddingLike: TypeAlias = "str | int | Sequence[int] | Sequence[Sequence[int]]"
"""Elements around each dimension, or a name as "same"."""

DTypeLike: TypeAlias = "Type | str | type[object] | np.dtype[np.generic]"
"""A dtype, its name, a type of Python's, or numpy's dtype."""

_Places: TypeAlias = "Tensor | Array | Sequence[int] | Sequence[Sequence[int]]"
_Place: TypeAlias = "int | np.integer | slice | EllipsisType | _Places | None"
Index: TypeAlias = "_Place | tuple[_Place, ...]"
"""What stands between brackets after a tensor."""

Function: TypeAlias = "Callable[P, R] | Constructs[P, R]"
"""A function or Cell that a transform takes."""

Names: TypeAlias = "str | Sequence[str]"
"""A name, or several."""

InitLike: TypeAlias = "Initializer | Tensor | Array | str | Number"
"""Initial values of a Parameter: an initializer or its name, a number, or the values."""

Activation: TypeAlias = "str | Cell | Callable[[Tensor], Tensor] | None"
"""An activation: its name, a Cell or function, or its class."""

LearningRate: TypeAlias = "Number | Tensor | Iterable[float] | LearningRateSchedule"
"""A learning rate: a number, one for each step, or a schedule that computes it."""

ParameterGroups: TypeAlias = "Iterable[Parameter] | Iterable[Mapping[str, object]]"
"""What an optimizer updates: Parameters, or groups of them with settings of their own."""

Weights: TypeAlias = "Parameter | Sequence[Parameter] | None"
"""Parameters to differentiate by."""

Gradients: TypeAlias = "Sequence[Tensor]"
"""A gradient for each Parameter."""

TensorOrTensors: TypeAlias = "Any"
"""A Tensor, or a tuple or list of them, as other arguments say, so that no type does."""

Columns: TypeAlias = "Any"
"""The arrays of a row of a data set, or the one array there is."""

MetricValue: TypeAlias = "Any"
"""What a metric gives: a number, or an array of them."""

Rate: TypeAlias = "float | Tensor"
"""A learning rate of one step."""

State: TypeAlias = "dict[str, Any]"
"""What an object keeps of itself, by name: of any kind, for a file."""

MappedAxes: TypeAlias = "int | Sequence[object] | Mapping[str, object] | None"
"""Which dimension of each input `vmap` goes along; nested as the inputs are."""
