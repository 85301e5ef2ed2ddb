"""Methods of Tensor on shapes, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, Dims, ShapeLike
from cellgrad.core.arguments import argument_error
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops._static import known_ints

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


def _varargs(values: tuple[Any, ...]) -> Any:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))` alike, also with a tensor of the sizes."""
    if len(values) == 1 and isinstance(values[0], Tensor) and values[0].ndim:
        return known_ints(values[0], "reshape", "shape")
    if len(values) == 1 and isinstance(values[0], tuple | list):
        return tuple(values[0])
    return values


def _given(values: tuple[Any, ...], op: str, **named: Any) -> tuple[Any, ...]:
    """What is given by position, or else under one of the names."""
    found = {k: v for k, v in named.items() if v is not None}
    if not found:
        return values
    if values or len(found) > 1:
        name = max(found)
        raise error(TypeError, f"{op}() got multiple values for argument '{name}'.")
    return tuple(found.values())


class ShapeMethods:
    """Methods."""

    __slots__ = ()

    # --- shape --------------------------------------------------------------------------------

    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reverse order.

        >>> print(Tensor([[1, 2], [3, 4]]).T)
        [[1 3]
         [2 4]]
        """
        return ops.transpose(self, tuple(range(self.ndim))[::-1])  # type: ignore[attr-defined]

    @property
    def mT(self) -> Tensor:
        """Matrices transposed; see `ops.adjoint`.

        >>> print(Tensor([[1, 2], [3, 4]]).mT)
        [[1 3]
         [2 4]]
        """
        return ops.adjoint(self)

    mH = mT

    @property
    def H(self) -> Tensor:
        """The matrix transposed and, of complex numbers, conjugated.

        Raises:
            ValueError: other than two dimensions.

        >>> print(Tensor([[1, 2], [3, 4]]).H)
        [[1 3]
         [2 4]]
        """
        if self.ndim != 2:  # type: ignore[attr-defined]
            raise error(ValueError, f"'H' is of matrices, but the shape is {list(self.shape)}.")  # type: ignore[attr-defined]
        return ops.adjoint(self)

    def trace(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Type | None = None
    ) -> Tensor:
        """The sum of a diagonal of two dimensions, which are dropped: int64 of integers (uint64 stays),
        and of bools whether any is True, as in MindSpore.

        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).trace())
        5.0
        """
        given: Type = self.dtype  # type: ignore[attr-defined]
        if dtype is None and given.kind in "iu" and given is not mstype.uint64:
            dtype = mstype.int64
        out = ops.products.trace_of(self, offset, axis1, axis2, dtype)
        return ops.cast(out, given) if dtype is None and given.kind == "b" else out  # type: ignore[no-any-return]

    def reshape(self, *sizes: ShapeLike, shape: ShapeLike | None = None) -> Tensor:
        """See `ops.reshape`; the shape may be given as several ints or one tuple.

        Raises:
            TypeError: no shape, or two.

        >>> print(Tensor([1, 2, 3, 4]).reshape(2, -1))
        [[1 2]
         [3 4]]
        """
        given = _given(sizes, "reshape", shape=shape)
        if not given:
            raise error(TypeError, "reshape() missing 1 required positional argument: shape.")
        return ops.reshape(self, _varargs(given))

    view = reshape

    def resize(self, *new_shape: ShapeLike) -> Tensor:
        """The elements in another shape, in order: the first ones, or all and zeros after them.

        Raises:
            TypeError, ValueError: a shape that is none.

        >>> print(Tensor([[1, 2], [3, 4]]).resize(3, 2))
        [[1 2]
         [3 4]
         [0 0]]
        """
        sizes = known_ints(_varargs(new_shape), "resize", "new_shape")
        if any(n < 0 for n in sizes):
            raise argument_error(ValueError, "resize", "new_shape", "of ints of at least 0", sizes)
        return ops.arrangement.resized(self, sizes)

    def flatten(
        self, order: str | int = "C", *end: int, start_dim: int = 0, end_dim: int = -1
    ) -> Tensor:
        """Joins dimensions `start_dim` to `end_dim`, by default all; see `ops.flatten`.

        Ints instead of an order are `start_dim` and `end_dim`.

        Raises:
            TypeError: more arguments by position than these.

        >>> print(Tensor([[1, 2], [3, 4]]).flatten())
        [1 2 3 4]
        """
        if len(end) > (not isinstance(order, str)):
            raise error(
                TypeError, "flatten() takes an order, or one or two dimensions, by position."
            )
        if not isinstance(order, str):
            start_dim, end_dim, order = order, (*end, end_dim)[0], "C"
        flat: Tensor = ops.flatten(self, order, start_dim=start_dim, end_dim=end_dim)
        return flat

    def transpose(
        self,
        *order: Axis,
        axes: Axis = None,
        dim0: int | None = None,
        dim1: int | None = None,
    ) -> Tensor:
        """See `ops.transpose`; two ints, or `dim0` and `dim1`, exchange those dimensions, and without
        arguments the dimensions are reversed.

        Raises:
            TypeError: dimensions that are given twice, or are no ints.

        >>> print(ops.ones((2, 3, 4)).transpose(2, 0, 1).shape)
        (4, 2, 3)
        """
        if dim1 is not None and dim0 is None and len(order) == 1:
            (dim0,), order = order, ()  # type: ignore[assignment]
        both = None if dim0 is None and dim1 is None else (dim0, dim1)
        given = _given(order, "transpose", axes=axes, dim1=both)
        if both is not None:
            return ops.swapaxes(self, *both)
        if len(given) == 2 and not isinstance(given[0], tuple | list):
            return ops.swapaxes(self, *given)
        listed = () if given == (None,) else _varargs(given)
        return ops.transpose(self, listed or tuple(range(self.ndim))[::-1])  # type: ignore[attr-defined]

    def permute(self, *order: Axis, axis: Axis = None, dims: Axis = None) -> Tensor:
        """See `ops.permute`; without arguments the dimensions are reversed.

        Raises:
            TypeError: dimensions that are given twice, or are no ints.

        >>> print(ops.ones((2, 3, 4)).permute(2, 0, 1).shape)
        (4, 2, 3)
        """
        given = _given(order, "permute", axis=axis, dims=dims)
        listed = () if given == (None,) else _varargs(given)
        return ops.transpose(self, listed or tuple(range(self.ndim))[::-1])  # type: ignore[attr-defined]

    def broadcast_to(self, *sizes: ShapeLike, shape: ShapeLike | None = None) -> Tensor:
        """See `ops.broadcast_to`; the shape may be given as several ints or one tuple.

        Raises:
            TypeError: a shape that is given twice, or is none.

        >>> print(Tensor([1, 2]).broadcast_to((2, 2)))
        [[1 2]
         [1 2]]
        """
        return ops.broadcast_to(self, _varargs(_given(sizes, "broadcast_to", shape=shape)))

    def expand(self, *sizes: ShapeLike, size: ShapeLike | None = None) -> Tensor:
        """Same as `broadcast_to`.

        >>> print(Tensor([1, 2]).expand(2, 2))
        [[1 2]
         [1 2]]
        """
        return ops.broadcast_to(self, _varargs(_given(sizes, "expand", size=size)))

    def dim(self) -> int:
        """The number of dimensions.

        >>> Tensor([[1, 2], [3, 4]]).dim()
        2
        """
        return self.ndim  # type: ignore[attr-defined,no-any-return]

    def numel(self) -> int:
        """The number of elements.

        >>> Tensor([[1, 2], [3, 4]]).numel()
        4
        """
        return self.size  # type: ignore[attr-defined,no-any-return]

    # --- repetition and arrangement -----------------------------------------------------------

    def tile(self, *numbers: int, dims: Axis = None, reps: Dims | None = None) -> Tensor:
        """See `ops.tile`; the numbers may be given as several ints, one tuple, `dims` or `reps`.

        Raises:
            TypeError: numbers that are given twice, or are no ints.

        >>> print(Tensor([1, 2]).tile((2, 2)))
        [[1 2 1 2]
         [1 2 1 2]]
        """
        return ops.tile(self, _varargs(_given(numbers, "tile", dims=dims, reps=reps)))

    def repeat(self, *numbers: Dims, repeats: Dims | None = None) -> Tensor:
        """The tensor repeated ``repeats[i]`` times along dimension i, of which there may be more
        than the tensor has; see `ops.tile`.

        Raises:
            RuntimeError: fewer numbers than dimensions.
            TypeError: numbers that are given twice, or are no ints.

        >>> print(Tensor([1, 2]).repeat(2))
        [1 2 1 2]
        """
        return ops.arrangement.repeat_dims(
            self, _varargs(_given(numbers, "repeat", repeats=repeats))
        )
