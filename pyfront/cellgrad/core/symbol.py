"""Symbol: the size of a dimension that is not known yet, as MindSpore's."""

from __future__ import annotations

from cellgrad.core.arguments import check_bool, check_int
from cellgrad.core.open_shape import LARGEST, AnySize

__all__ = ["Symbol"]


class Symbol(AnySize):
    """The size of the first dimension of inputs, the batch, which is known when a model runs.

    All open sizes of a model are the same batch. `max` is checked at each call; `min`, `divisor`,
    `remainder` and `unique` are MindSpore's promises about sizes: they are taken and have no effect.

    Args:
        max: the largest size; 0 or less: 2147483647.
        min: the smallest size.
        divisor, remainder: sizes are ``divisor * n + remainder``.
        unique: whether equal sizes have equal symbols.

    Raises:
        TypeError: a size that is no int, or a `unique` that is no bool.
        ValueError: a `min` or `divisor` below 1, or a `remainder` that is not in ``[0, divisor)``.

    >>> x = Tensor(shape=[ms.Symbol(max=256), 784], dtype=ms.float32)
    >>> x.shape
    (-1, 784)
    """

    def __init__(
        self,
        max: int = 0,
        min: int = 1,
        divisor: int = 1,
        remainder: int = 0,
        unique: bool = False,
        **kwargs: object,
    ):
        given = check_int(max, "Symbol", "max")
        self.max = given if given > 0 else LARGEST
        self.min = check_int(min, "Symbol", "min", at_least=1)
        self.divisor = check_int(divisor, "Symbol", "divisor", at_least=1)
        self.remainder = check_int(remainder, "Symbol", "remainder", at_least=0, below=self.divisor)
        self.unique = check_bool(unique, "Symbol", "unique")

    def __repr__(self) -> str:
        said = {} if self.max == LARGEST else {"max": self.max}
        for name, usual in (("min", 1), ("divisor", 1), ("remainder", 0), ("unique", False)):
            if getattr(self, name) != usual:
                said[name] = getattr(self, name)
        return repr(said)
