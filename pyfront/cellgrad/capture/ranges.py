"""`range` with bounds that are tensors."""

from __future__ import annotations

from typing import Any, NoReturn

from cellgrad.capture.merge import describe
from cellgrad.core import dtype as mstype
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, cast_to, reshape_to


class TensorRange:
    """`range` with bounds that are tensors."""

    def __init__(self, *args: Any):
        bounds: list[Any] = [0, None, 1]
        if len(args) == 1:
            bounds[1] = args[0]
        else:
            bounds[: len(args)] = args
        self.step = bounds[2]
        if not isinstance(self.step, int) or self.step == 0:
            raise error(
                TypeError,
                "The step of a range over tensors must be a Python int other than 0, but got "
                f"{describe(self.step)}.",
            )
        ends = []
        for value in bounds[:2]:
            t = as_tensor(value, "range")
            if t.size != 1 or t.dtype.kind not in "iu":
                raise error(
                    TypeError,
                    f"The bounds of a range must be integers, but got a tensor of shape "
                    f"{list(t.shape)} and dtype {t.dtype.title}.",
                )
            ends.append(cast_to(reshape_to(t, ()), mstype.int64))
        self.start, self.stop = ends

    def __iter__(self) -> NoReturn:
        raise error(
            TypeError,
            "How many numbers a range over tensors has is known only when the code runs: it cannot "
            "become a list, or be used in a comprehension or by zip.",
            "use a for statement, or a Python int where the number never changes",
        )
