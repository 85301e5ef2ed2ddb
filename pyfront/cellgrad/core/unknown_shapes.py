"""Tensors that stand for others of unknown lengths: what `Cell.set_inputs` is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.storage import Signature, signature


def declared(dtype: Type, shape: Sequence[int | None] | None) -> Signature:
    """The signature with -1 for lengths that are None, and the shape (-2,) where all are unknown."""
    dims = (-2,) if shape is None else tuple(-1 if n is None else int(n) for n in shape)
    return signature(dtype, dims)


class WithoutElements:
    """What a class of Tensors before it in the order of bases has instead: a dtype and a shape with
    unknown lengths. Whoever asks for elements, or for a shape to compile for, has an error.
    """

    __slots__ = ()

    def _refuse(self, *_: Any) -> NoReturn:
        of = "any rank" if self.shape == (-2,) else f"shape {list(self.shape)}"
        raise error(
            ValueError,
            f"This Tensor of {of} stands for tensors whose lengths are not known, and has no "
            "elements.",
            "give it to Cell.set_inputs alone, and call with a Tensor that has elements",
        )

    _sig = _buf = size = property(_refuse)
    _concrete = _refuse

    @property
    def dtype(self) -> Type:
        found: Type = super()._sig.dtype  # type: ignore[misc]
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = super()._sig.shape  # type: ignore[misc]
        return found

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype.title}, value= )"

    def __len__(self) -> int:
        if self.shape[0] < 0:
            self._refuse()
        return self.shape[0]
