"""Steps of optimizers on rows of Parameters: gradients, and the numbers of the rows they belong to.

Where a row has several gradients, the fused forms and `SparseApplyAdagrad` add them up; the others
make a step with each, in order. The formulas are those of `optimizers` and `adam`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_bool, check_number, check_shape
from cellgrad.core.record import as_tensor, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import scattering
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import is_known
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.classes import adam, optimizers
from cellgrad.ops.classes.optimizers import Tensors
from cellgrad.ops.gathering import gather, index_tensor
from cellgrad.ops.selection import select


@operation
def _dense_rows(like: Tensor, grad: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """The sums of the rows, and where there are any: a truth value a row."""
    at = indices.reshape(-1, 1)
    summed = scattering.tensor_scatter_add(gen.mul(like, 0), at, grad)
    one = like.reshape(like.shape[0], -1)[:, :1] * 0
    count = scattering.tensor_scatter_add(one, at, grad.reshape(grad.shape[0], -1)[:, :1] * 0 + 1)
    return summed, gen.greater(count, 0).reshape(-1, *(1,) * (like.ndim - 1))


def _rounds(at: Tensor) -> list[np.ndarray[Any, Any]]:
    """Positions in a vector of indices, so that no index is twice in one part; one each if they are
    not known.
    """
    if not is_known(at):
        return [np.array([k]) for k in range(at.size)]
    numbers = at._concrete("indices")
    order: dict[int, list[int]] = {}
    for k, number in enumerate(numbers.tolist()):
        order.setdefault(number, []).append(k)
    longest = max(map(len, order.values()), default=0)
    return [np.array([ks[r] for ks in order.values() if r < len(ks)]) for r in range(longest)]


class _RowUpdate(Primitive):
    """A step of `rule` in the rows that have a gradient; the others stay.

    Where a row has several gradients, they are added up, or each makes a step of its own.
    """

    states: ClassVar[int] = 2
    rule: ClassVar[Callable[..., Tensors]]
    everywhere: ClassVar[bool] = False
    summed: ClassVar[bool] = False

    def __init__(self, use_locking: bool = False, **settings: object):
        super().__init__()
        check_bool(use_locking, self.name, "use_locking")
        self._settings: dict[str, Any] = settings

    def arranged(self, inputs: tuple[Tensor, ...], grad: Tensor) -> tuple[Tensor, ...]:
        """The inputs of the rule, of those before the indices."""
        return (*inputs[:-1], grad)

    def __call__(self, *inputs: Any) -> tuple[Tensor, ...]:
        *given, grad, indices = inputs
        dtype = optimizers.wide_dtype(inputs[0].dtype)
        tensors = [optimizers.wide(as_tensor(v, self.name, dtype)) for v in given]
        at = index_tensor(indices, self.name, "indices")
        update = optimizers.wide(check_tensor(grad, self.name, "grad"))
        states, rest = tensors[: self.states], tensors[self.states :]
        check_shape(update, self.name, "grad", (at.size, *states[0].shape[1:]), "a row an index")
        for part in [np.arange(at.size)] if self.summed else _rounds(at):
            listed = known(part, mstype.int32)
            dense, there = _dense_rows(states[0], gather(update, listed, 0), gather(at, listed, 0))
            arranged = self.arranged((*states, *rest, update), dense)
            out: Tensors = type(self).rule(*arranged, **self._settings)
            states = [
                new if self.everywhere else select(there, new, state)
                for state, new in zip(states, out)
            ]
        found = optimizers.like_states(states, inputs)
        for state, new in zip(inputs, found):
            state[...] = new
        return found


@public()
class SparseApplyAdagrad(_RowUpdate):
    """`ApplyAdagrad` of rows.

    >>> step = ops.SparseApplyAdagrad(lr=0.5)
    >>> var, accum = step(Tensor([[1.0]]), Tensor([[3.0]]), Tensor([[1.0]]), Tensor([0]))
    >>> print(var, accum)
    [[0.75]] [[4.]]
    """

    rule, summed = optimizers._adagrad, True

    def __init__(self, lr: float, update_slots: bool = True, use_locking: bool = False):
        check_number(lr, type(self).__name__, "lr")
        slots = check_bool(update_slots, type(self).__name__, "update_slots")
        super().__init__(use_locking, slots=slots, epsilon=0.0)
        self.lr = float(lr)

    def arranged(self, inputs: tuple[Tensor, ...], grad: Tensor) -> tuple[Tensor, ...]:
        return (*inputs[:2], as_tensor(self.lr, self.name, grad.dtype), grad)


@public()
class SparseApplyAdagradV2(SparseApplyAdagrad):
    """`ApplyAdagrad` of rows, with `epsilon` added under the root.

    >>> step = ops.SparseApplyAdagradV2(lr=0.5, epsilon=0.0)
    >>> var, accum = step(Tensor([[1.0]]), Tensor([[3.0]]), Tensor([[1.0]]), Tensor([0]))
    >>> print(var, accum)
    [[0.75]] [[4.]]
    """

    summed = False

    def __init__(
        self, lr: float, epsilon: float, use_locking: bool = False, update_slots: bool = True
    ):
        super().__init__(lr, update_slots, use_locking)
        check_number(epsilon, self.name, "epsilon")
        self._settings["inside"] = float(epsilon)


@public()
class SparseApplyProximalAdagrad(_RowUpdate):
    """`ApplyProximalAdagrad` of rows.

    >>> step, x = ops.SparseApplyProximalAdagrad(), Tensor([[3.0]])
    >>> var, accum = step(Tensor([[1.0]]), x, 0.5, 0.0, 0.0, Tensor([[1.0]]), Tensor([0]))
    >>> print(var, accum)
    [[0.75]] [[4.]]
    """

    rule = optimizers._proximal_adagrad


@public()
class FusedSparseProximalAdagrad(SparseApplyProximalAdagrad):
    """`SparseApplyProximalAdagrad`.

    >>> step, x = ops.FusedSparseProximalAdagrad(), Tensor([[3.0]])
    >>> var, accum = step(Tensor([[1.0]]), x, 0.5, 0.0, 0.0, Tensor([[1.0]]), Tensor([0]))
    >>> print(var, accum)
    [[0.75]] [[4.]]
    """

    summed = True


@public()
class SparseApplyFtrl(_RowUpdate):
    """`ApplyFtrl` of rows.

    >>> step, x = ops.SparseApplyFtrl(lr=1.0, l1=0.0, l2=0.0, lr_power=-0.5), Tensor([[1.0]])
    >>> var, accum, linear = step(x, Tensor([[1.0]]), Tensor([[0.0]]), Tensor([[0.0]]), Tensor([0]))
    >>> print(var)
    [[0.]]
    """

    states = 3
    rule = optimizers._ftrl

    def __init__(self, lr: float, l1: float, l2: float, lr_power: float, use_locking: bool = False):
        super().__init__(use_locking)
        for value, argument in ((lr, "lr"), (l1, "l1"), (l2, "l2"), (lr_power, "lr_power")):
            check_number(value, self.name, argument)
        self._coefficients = (float(lr), float(l1), float(l2), float(lr_power))

    def arranged(self, inputs: tuple[Tensor, ...], grad: Tensor) -> tuple[Tensor, ...]:
        rest = [as_tensor(v, self.name, grad.dtype) for v in self._coefficients]
        return (*inputs[:3], grad, *rest)


@public()
class SparseApplyFtrlV2(SparseApplyFtrl):
    """`SparseApplyFtrl` with a shrinkage of `l2_shrinkage` beside that of `l2`.

    >>> step, x = ops.SparseApplyFtrlV2(1.0, 0.0, 0.0, 0.0, -0.5), Tensor([[1.0]])
    >>> var, accum, linear = step(x, Tensor([[1.0]]), Tensor([[0.0]]), Tensor([[0.0]]), Tensor([0]))
    >>> print(var)
    [[0.]]
    """

    def __init__(
        self,
        lr: float,
        l1: float,
        l2: float,
        l2_shrinkage: float,
        lr_power: float,
        use_locking: bool = False,
    ):
        super().__init__(lr, l1, l2, lr_power, use_locking)
        check_number(l2_shrinkage, self.name, "l2_shrinkage")
        self._settings["shrinkage"] = float(l2_shrinkage)


@public()
class FusedSparseFtrl(SparseApplyFtrl):
    """`SparseApplyFtrl`.

    >>> step, x = ops.FusedSparseFtrl(lr=1.0, l1=0.0, l2=0.0, lr_power=-0.5), Tensor([[1.0]])
    >>> var, accum, linear = step(x, Tensor([[1.0]]), Tensor([[0.0]]), Tensor([[0.0]]), Tensor([0]))
    >>> print(var)
    [[0.]]
    """

    summed = True


@public()
class SparseApplyRMSProp(_RowUpdate):
    """`ApplyRMSProp` of rows.

    >>> step, x = ops.SparseApplyRMSProp(0.0, 0.0, 0.0), Tensor([[1.0]])
    >>> out = step(x, Tensor([[0.0]]), Tensor([[0.0]]), 0.5, Tensor([[1.0]]), Tensor([0]))
    >>> print(out[0])
    [[0.5]]
    """

    states = 3
    rule = optimizers._rms_prop

    def __init__(self, rho: float, momentum: float, epsilon: float, use_locking: bool = False):
        super().__init__(use_locking)
        for value, argument in ((rho, "rho"), (momentum, "momentum"), (epsilon, "epsilon")):
            check_number(value, self.name, argument)
        self._coefficients = (float(rho), float(momentum), float(epsilon))

    def arranged(self, inputs: tuple[Tensor, ...], grad: Tensor) -> tuple[Tensor, ...]:
        rest = [as_tensor(v, self.name, grad.dtype) for v in self._coefficients]
        return (*inputs[:4], grad, *rest)


@public()
class SparseApplyAdadelta(_RowUpdate):
    """`ApplyAdadelta` of rows.

    >>> step, zero, one = ops.SparseApplyAdadelta(0.5), Tensor([[0.0]]), Tensor([[1.0]])
    >>> var, accum, moved = step(one, zero, Tensor([[0.0]]), 1.0, 0.5, one, Tensor([0]))
    >>> print(accum)
    [[0.5]]
    """

    states = 3
    rule = optimizers._adadelta

    def __init__(self, epsilon: float, use_locking: bool = False):
        super().__init__(use_locking)
        check_number(epsilon, self.name, "epsilon")
        self.epsilon = float(epsilon)

    def arranged(self, inputs: tuple[Tensor, ...], grad: Tensor) -> tuple[Tensor, ...]:
        return (*inputs[:5], as_tensor(self.epsilon, self.name, grad.dtype), grad)


@public()
class FusedSparseAdam(_RowUpdate):
    """`Adam` with the gradients of rows; the moments of all rows move.

    >>> step, zero, one = ops.FusedSparseAdam(), Tensor([[0.0]]), Tensor([[1.0]])
    >>> x, numbers = Tensor([[1.0]]), (0.5, 0.75, 0.5, 0.5, 0.75, 0.0)
    >>> out = step(x, zero, Tensor([[0.0]]), *numbers, one, Tensor([0]))
    >>> print(x)
    [[0.5]]
    """

    states = 3
    everywhere = summed = True
    rule = adam._adam

    def __init__(self, use_locking: bool = False, use_nesterov: bool = False):
        nesterov = check_bool(use_nesterov, type(self).__name__, "use_nesterov")
        super().__init__(use_locking, nesterov=nesterov)


@public()
class FusedSparseLazyAdam(FusedSparseAdam):
    """`Adam` of the rows that have a gradient.

    >>> step, zero, one = ops.FusedSparseLazyAdam(), Tensor([[0.0]]), Tensor([[1.0]])
    >>> x, numbers = Tensor([[1.0]]), (0.5, 0.75, 0.5, 0.5, 0.75, 0.0)
    >>> out = step(x, zero, Tensor([[0.0]]), *numbers, one, Tensor([0]))
    >>> print(x)
    [[0.5]]
    """

    everywhere = False
