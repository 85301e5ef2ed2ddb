"""Operations that end a call with an error: of values that are not finite, of conditions that do not hold."""

from __future__ import annotations

from collections.abc import Sequence

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_dtype, check_int, check_sequence
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import _index
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.selection import full
from cellgrad.ops.shapes import reshape


@operation
def _finite(x: Tensor) -> Tensor:
    for bad, what in ((gen.isnan(x), "NaN"), (gen.isinf(x), "infinite")):
        text = f"For 'CheckNumerics', the tensor has {what} values"
        _index.check(
            gen.logical_not(bad), text, RuntimeError, "see where it comes from: ms.debug.nans()"
        )
    return x


@public()
class CheckNumerics(Primitive):
    """The tensor itself, if all of its numbers are finite.

    Raises:
        TypeError: `x` is no Tensor of floating-point numbers.
        RuntimeError: a number is NaN or infinite.

    >>> print(ops.CheckNumerics()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __call__(self, x: Tensor) -> Tensor:
        given = check_dtype(check_tensor(x, self.name, "x"), self.name, "x", "f")
        out: Tensor = _finite(given)
        return out


@operation
def _holds(condition: Tensor, text: str) -> Tensor:
    _index.check(condition, text, RuntimeError, "the condition must be true")
    return full((1,), 0, dtype=mstype.int32)


@public()
class Assert(Primitive):
    """Ends the call with an error unless a condition holds. Outside of compiled code the first elements of some
    tensors are printed then.

    Args:
        summarize: how many elements of each are printed.

    Raises:
        TypeError: a condition that is neither a bool nor a Tensor of one, or `input_data` that is no tuple or
            list.
        RuntimeError: the condition is false.

    >>> x = Tensor([1.0, 2.0])
    >>> print(ops.Assert()(x.sum() > 0, [x]))
    [0]
    """

    def __init__(self, summarize: int = 3):
        super().__init__()
        self.summarize = check_int(summarize, self.name, "summarize")

    def __call__(self, condition: TensorLike, input_data: Sequence[Tensor]) -> Tensor:
        data = check_sequence(input_data, self.name, "input_data", "Tensors", Tensor, empty=True)
        given = condition
        if isinstance(given, bool):
            given = Tensor(given)
        if not isinstance(given, Tensor) or given.dtype is not mstype.bool_ or given.size != 1:
            raise argument_error(
                TypeError, self.name, "condition", "a bool or a Tensor of one", condition
            )
        if state.current.scope is None and not bool(given.asnumpy().all()):
            print("For 'Assert' condition is false.")
            for x in data:
                shown = " ".join(
                    f"{v:g}" for v in x.asnumpy().reshape(-1)[: self.summarize].tolist()
                )
                print(f"input data: [{shown}]")
            raise error(RuntimeError, "For 'Assert', the condition is false: assert failed.")
        out: Tensor = _holds(
            reshape(given, ()), "For 'Assert', the condition is false: assert failed"
        )
        return out
