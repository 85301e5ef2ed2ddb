"""Class forms of the contractions that have one: ``ops.Ger()(x, y)``."""

from __future__ import annotations

from typing import Any

from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import einsums, products
from cellgrad.ops._elementwise import Primitive

__all__ = ["Cross", "Einsum", "Ger", "Trace"]


class Cross(Primitive):
    """See `ops.cross`; the `dim` -65530 means the first dimension of length 3.

    >>> x, y = Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])
    >>> print(ops.Cross(dim=0)(x, y))
    [0. 0. 1.]
    """

    def __init__(self, dim: int = -65530):
        super().__init__()
        self.dim = dim

    def __call__(self, input: Tensor, other: Tensor) -> Tensor:
        out: Tensor = products.cross(input, other, None if self.dim == -65530 else self.dim)
        return out


class Einsum(Primitive):
    """See `ops.einsum`; the operands are given as a tuple.

    >>> x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    >>> print(ops.Einsum("i,j->ij")((x, y)))
    [[3. 4.]
     [6. 8.]]
    """

    def __init__(self, equation: str):
        super().__init__()
        if not isinstance(equation, str):
            raise error(
                TypeError,
                f"For 'Einsum', the equation must be a str, but got {type(equation).__name__}.",
            )
        self.equation = equation

    def __call__(self, inputs: Any) -> Tensor:
        if not isinstance(inputs, tuple | list):
            raise error(
                TypeError,
                f"For 'Einsum', the operands must be a tuple or list of Tensors, but got "
                f"{type(inputs).__name__}.",
            )
        out: Tensor = einsums.einsum(self.equation, *inputs)
        return out


class Ger(Primitive):
    """See `ops.ger`.

    >>> print(ops.Ger()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [[3. 4.]
     [6. 8.]]
    """

    def __call__(self, x: Tensor, vec2: Tensor) -> Tensor:
        out: Tensor = products.ger(x, vec2)
        return out


class Trace(Primitive):
    """See `ops.trace`.

    >>> print(ops.Trace()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    5.0
    """

    def __call__(self, input: Tensor) -> Tensor:
        return products.trace(input)
