"""Steps of optimizers on Parameters: ``ops.ApplyMomentum()(variable, accumulation, rate, gradient, m)``.

The Parameters (or Tensors) among the inputs, which come first, get their new values, and a call
returns these. Rates and coefficients are floats or Tensors of one; all is computed in the dtype of
the first input, of half precision in float32: there an `epsilon` of 1e-8 is not 0. Sources: Duchi et al. 2011 (Adagrad), Zeiler 2012 (Adadelta), Tieleman and Hinton
2012 (RMSProp), McMahan et al. 2013 (FTRL), Kingma and Ba 2015 (Adam, AdaMax), Bello et al. 2017
(AddSign, PowerSign), Reddi et al. 2018 (AMSGrad), Loshchilov and Hutter 2019 (weight decay).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from cellgrad.core.aliases import LearningRate, TensorLike, TensorOrTensors
from cellgrad.core.arguments import check_bool, check_number, check_same_shape
from cellgrad.core.dtype import Type, float32
from cellgrad.core.record import as_tensor, check_tensor, is_number, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.selection import cast, select

Tensors = tuple[Tensor, ...]


def wide_dtype(dtype: Type) -> Type:
    """The dtype that a step on tensors of another one is computed in."""
    return float32 if dtype.kind == "f" and dtype.itemsize == 2 else dtype


def wide(x: Tensor) -> Tensor:
    """A tensor in the dtype that a step is computed in."""
    dtype = wide_dtype(x.dtype)
    return x if dtype is x.dtype else cast(x, dtype)


def like_states(new: Sequence[Tensor], states: Sequence[Tensor]) -> Tensors:
    """What a step gives, in the dtypes of what is written to."""
    return tuple(
        [n if n.dtype is s.dtype else cast(n, s.dtype) for n, s in zip(new, states, strict=False)]
    )


class Update(Primitive):
    """A step: the first `states` inputs are written to."""

    states: ClassVar[int] = 1
    alone: ClassVar[bool] = False  # whether only the first of them is returned
    rule: ClassVar[Callable[..., Tensors]]

    def __init__(self, **settings: object):
        super().__init__()
        self._settings: dict[str, Any] = settings

    def __call__(self, *inputs: Any) -> TensorOrTensors:
        var = check_tensor(inputs[0], self.name, "var") if inputs else None
        given = [
            as_tensor(v, self.name, wide_dtype(var.dtype) if var is not None else None)
            if is_number(v)
            else check_tensor(v, self.name, f"inputs[{i}]")
            for i, v in enumerate(inputs)
        ]
        for k in range(1, min(self.states, len(given))):
            check_same_shape(given[0], given[k], self.name, ("var", f"inputs[{k}]"))
        out = like_states(type(self).rule(*map(wide, given), **self._settings), given)
        for state, new in zip(given, out):
            state[...] = new
        return out[0] if self.alone or len(out) == 1 else out


def _locking(name: str, use_locking: Any) -> None:
    check_bool(use_locking, name, "use_locking")


def _flag(name: str, argument: str, value: Any) -> bool:
    return check_bool(value, name, argument)


class _Locking(Update):
    def __init__(self, use_locking: bool = False):
        super().__init__()
        _locking(self.name, use_locking)


# --- descent and momentum ---------------------------------------------------------------------


@operation
def _descent(var: Tensor, alpha: Tensor, delta: Tensor) -> Tensors:
    return (var - alpha * delta,)


@public()
class ApplyGradientDescent(Update):
    """``var -= alpha * delta``.

    >>> print(ops.ApplyGradientDescent()(Tensor([1.0, 2.0]), 0.5, Tensor([1.0, 1.0])))
    [0.5 1.5]
    """

    rule = _descent

    def __init__(self) -> None:
        super().__init__()


def _proximal(prox: Tensor, rate: Tensor, l1: Tensor, l2: Tensor) -> Tensor:
    """Soft thresholding, and shrinking."""
    shrunk = gen.sign(prox) * gen.maximum(gen.abs(prox) - rate * l1, 0.0)
    return select(gen.greater(l1, 0), shrunk, prox) / (1.0 + rate * l2)


@operation
def _proximal_descent(var: Tensor, alpha: Tensor, l1: Tensor, l2: Tensor, delta: Tensor) -> Tensors:
    return (_proximal(var - alpha * delta, alpha, l1, l2),)


@public()
class ApplyProximalGradientDescent(Update):
    """Gradient descent with soft thresholding (`l1`) and shrinking (`l2`).

    >>> step = ops.ApplyProximalGradientDescent()
    >>> print(step(Tensor([1.0, 2.0]), 0.5, 0.0, 0.0, Tensor([1.0, 1.0])))
    [0.5 1.5]
    """

    rule = _proximal_descent

    def __init__(self) -> None:
        super().__init__()


@operation
def _momentum(
    var: Tensor,
    accum: Tensor,
    rate: Tensor,
    grad: Tensor,
    momentum: Tensor,
    nesterov: bool,
    scale: float,
) -> Tensors:
    grad = grad * scale
    accum = accum * momentum + grad
    return var - (grad + accum * momentum if nesterov else accum) * rate, accum


@public()
class ApplyMomentum(Update):
    """``accumulation = accumulation * momentum + gradient``, and `variable` moves against it;
    with `use_nesterov` against ``gradient + accumulation * momentum``.

    >>> w, a = Parameter(Tensor([1.0]), name="w"), Parameter(Tensor([2.0]), name="a")
    >>> print(ops.ApplyMomentum()(w, a, 0.1, Tensor([1.0]), 0.5))
    [0.8]
    """

    states, alone, rule = 2, True, _momentum

    def __init__(
        self,
        use_nesterov: bool = False,
        use_locking: bool = False,
        gradient_scale: float = 1.0,
    ):
        name = "ApplyMomentum"
        check_number(gradient_scale, name, "gradient_scale")
        nesterov = _flag(name, "use_nesterov", use_nesterov)
        super().__init__(nesterov=nesterov, scale=float(gradient_scale))
        _locking(name, use_locking)


@operation
def _keras_momentum(
    var: Tensor, accum: Tensor, rate: Tensor, grad: Tensor, momentum: Tensor, nesterov: bool
) -> Tensors:
    accum = accum * momentum - grad * rate
    return (var + accum * momentum - grad * rate if nesterov else var + accum), accum


@public()
class ApplyKerasMomentum(Update):
    """``accum = accum * momentum - grad * lr``, which is added to `var`.

    >>> step = ops.ApplyKerasMomentum()
    >>> var, accum = step(Tensor([1.0]), Tensor([2.0]), 0.1, Tensor([1.0]), 0.5)
    >>> print(var, accum)
    [1.9] [0.9]
    """

    states, rule = 2, _keras_momentum

    def __init__(self, use_locking: bool = False, use_nesterov: bool = False):
        name = "ApplyKerasMomentum"
        super().__init__(nesterov=_flag(name, "use_nesterov", use_nesterov))
        _locking(name, use_locking)


@operation
def _sgd(
    var: Tensor,
    grad: Tensor,
    rate: Tensor,
    accum: Tensor,
    momentum: Tensor,
    stat: Tensor,
    dampening: float,
    decay: float,
    nesterov: bool,
) -> Tensors:
    grad = grad + var * decay
    # A state of 1 says that this is the first step, whose gradient is not dampened.
    later = accum * momentum + grad * (1.0 - dampening)
    new = select(gen.greater(stat, 0), grad, later)
    new = select(gen.greater(momentum, 0), new, accum)
    step = grad + new * momentum if nesterov else new
    step = select(gen.greater(momentum, 0), step, grad)
    return var - step * rate, new, gen.minimum(stat, 0)


@public()
class SGD(Update):
    """Stochastic gradient descent with momentum: `accum` and `stat` are the state, and `stat` is 1
    before the first step.

    >>> one = Tensor([1.0])
    >>> step = ops.SGD()
    >>> print(step(Tensor([2.0]), one, Tensor(0.5), Tensor([0.0]), Tensor(0.9), one))
    [1.5]
    """

    rule = _sgd

    def __init__(self, dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False):
        name = "SGD"
        check_number(dampening, name, "dampening")
        check_number(weight_decay, name, "weight_decay")
        super().__init__(
            dampening=float(dampening),
            decay=float(weight_decay),
            nesterov=_flag(name, "nesterov", nesterov),
        )

    def __call__(
        self,
        parameters: Tensor,
        gradient: Tensor,
        learning_rate: LearningRate,
        accum: Tensor,
        momentum: TensorLike,
        stat: Tensor,
    ) -> Tensor:
        var = check_tensor(parameters, "SGD", "parameters")
        rate, mass = (as_tensor(v, "SGD", var.dtype) for v in (learning_rate, momentum))
        new, moved, used = _sgd(var, gradient, rate, accum, mass, stat, **self._settings)
        var[...], accum[...], stat[...] = new, moved, used
        return new


# --- signs ------------------------------------------------------------------------------------


@operation
def _add_sign(
    var: Tensor,
    m: Tensor,
    rate: Tensor,
    alpha: Tensor,
    decay: Tensor,
    beta: Tensor,
    grad: Tensor,
) -> Tensors:
    m = m * beta + grad * (1.0 - beta)
    return var - rate * (alpha + decay * gen.sign(grad) * gen.sign(m)) * grad, m


@public()
class ApplyAddSign(Update):
    """A step that is longer where gradient and moving average have one sign.

    >>> step = ops.ApplyAddSign()
    >>> var, m = step(Tensor([1.0]), Tensor([2.0]), 0.1, 1.0, 0.5, 0.5, Tensor([1.0]))
    >>> print(var, m)
    [0.85] [1.5]
    """

    states, rule = 2, _add_sign

    def __init__(self) -> None:
        super().__init__()


@operation
def _power_sign(
    var: Tensor,
    m: Tensor,
    rate: Tensor,
    base: Tensor,
    decay: Tensor,
    beta: Tensor,
    grad: Tensor,
) -> Tensors:
    m = m * beta + grad * (1.0 - beta)
    return var - rate * gen.exp(base * decay * gen.sign(grad) * gen.sign(m)) * grad, m


@public()
class ApplyPowerSign(Update):
    """A step with a factor of e to the power of ``logbase * sign_decay`` where gradient and moving
    average have one sign, and of its inverse elsewhere.

    >>> step = ops.ApplyPowerSign()
    >>> var, m = step(Tensor([1.0]), Tensor([2.0]), 0.1, 0.0, 0.5, 0.5, Tensor([1.0]))
    >>> print(var, m)
    [0.9] [1.5]
    """

    states, rule = 2, _power_sign

    def __init__(self) -> None:
        super().__init__()


# --- Adagrad ----------------------------------------------------------------------------------


@operation
def _adagrad(
    var: Tensor,
    accum: Tensor,
    rate: Tensor,
    grad: Tensor,
    slots: bool,
    epsilon: float,
    inside: float = 0.0,
) -> Tensors:
    if slots:
        accum = accum + gen.square(grad)
    scale = gen.sqrt(accum + inside if inside else accum)
    return var - rate * grad / (scale + epsilon if epsilon else scale), accum


@public()
class ApplyAdagrad(Update):
    """Adagrad: steps by the root of the sum of squares.

    >>> var, accum = ops.ApplyAdagrad()(Tensor([1.0]), Tensor([3.0]), 0.5, Tensor([1.0]))
    >>> print(var, accum)
    [0.75] [4.]
    """

    states, rule = 2, _adagrad

    def __init__(self, update_slots: bool = True):
        slots = _flag("ApplyAdagrad", "update_slots", update_slots)
        super().__init__(slots=slots, epsilon=0.0)


@public()
class ApplyAdagradV2(Update):
    """As `ApplyAdagrad`, with `epsilon` added to the root.

    >>> step = ops.ApplyAdagradV2(epsilon=0.0)
    >>> var, accum = step(Tensor([1.0]), Tensor([3.0]), 0.5, Tensor([1.0]))
    >>> print(var, accum)
    [0.75] [4.]
    """

    states, rule = 2, _adagrad

    def __init__(self, epsilon: float, update_slots: bool = True):
        name = "ApplyAdagradV2"
        check_number(epsilon, name, "epsilon")
        super().__init__(slots=_flag(name, "update_slots", update_slots), epsilon=float(epsilon))


@operation
def _adagrad_da(
    var: Tensor,
    total: Tensor,
    squares: Tensor,
    grad: Tensor,
    rate: Tensor,
    l1: Tensor,
    l2: Tensor,
    step: Tensor,
) -> Tensors:
    steps = step.astype(var.dtype)
    total, squares = total + grad, squares + gen.square(grad)
    shrunk = gen.sign(total) * gen.maximum(gen.abs(total) - l1 * steps, 0.0)
    moved = -select(gen.greater(l1, 0), shrunk, total) * rate
    return moved / (l2 * steps * rate + gen.sqrt(squares)), total, squares


@public()
class ApplyAdagradDA(_Locking):
    """Adagrad with dual averaging.

    >>> step = ops.ApplyAdagradDA()
    >>> one = Tensor([1.0])
    >>> print(step(one, Tensor([1.0]), Tensor([3.0]), one, 0.5, 0.0, 0.0, 1))
    [-0.5]
    """

    states, alone, rule = 3, True, _adagrad_da


@operation
def _proximal_adagrad(
    var: Tensor, accum: Tensor, rate: Tensor, l1: Tensor, l2: Tensor, grad: Tensor
) -> Tensors:
    accum = accum + gen.square(grad)
    scaled = rate / gen.sqrt(accum)
    return _proximal(var - grad * scaled, scaled, l1, l2), accum


@public()
class ApplyProximalAdagrad(_Locking):
    """Adagrad with soft thresholding (`l1`) and shrinking (`l2`).

    >>> step = ops.ApplyProximalAdagrad()
    >>> var, accum = step(Tensor([1.0]), Tensor([3.0]), 0.5, 0.0, 0.0, Tensor([1.0]))
    >>> print(var, accum)
    [0.75] [4.]
    """

    states, rule = 2, _proximal_adagrad


@operation
def _adadelta(
    var: Tensor,
    accum: Tensor,
    moved: Tensor,
    rate: Tensor,
    rho: Tensor,
    epsilon: Tensor,
    grad: Tensor,
) -> Tensors:
    accum = rho * accum + (1.0 - rho) * gen.square(grad)
    step = gen.sqrt(moved + epsilon) / gen.sqrt(accum + epsilon) * grad
    return var - rate * step, accum, rho * moved + (1.0 - rho) * gen.square(step)


@public()
class ApplyAdadelta(Update):
    """Adadelta: steps by the ratio of the roots of averages of squares.

    >>> step, zero = ops.ApplyAdadelta(), Tensor([0.0])
    >>> var, accum, moved = step(Tensor([1.0]), zero, zero, 1.0, 0.5, 0.5, Tensor([1.0]))
    >>> print(accum)
    [0.5]
    """

    states, rule = 3, _adadelta

    def __init__(self) -> None:
        super().__init__()


# --- RMSProp and FTRL -------------------------------------------------------------------------


@operation
def _rms_prop(
    var: Tensor,
    square: Tensor,
    moment: Tensor,
    rate: Tensor,
    grad: Tensor,
    decay: Tensor,
    momentum: Tensor,
    epsilon: Tensor,
) -> Tensors:
    square = square * decay + gen.square(grad) * (1.0 - decay)
    moment = moment * momentum + rate * grad / gen.sqrt(square + epsilon)
    return var - moment, square, moment


@public()
class ApplyRMSProp(_Locking):
    """RMSProp: steps by the root of the average of squares, with momentum.

    >>> step, zero = ops.ApplyRMSProp(), Tensor([0.0])
    >>> print(step(Tensor([1.0]), zero, zero, 0.5, Tensor([1.0]), 0.0, 0.0, 0.0))
    [0.5]
    """

    states, alone, rule = 3, True, _rms_prop


@operation
def _centered_rms_prop(
    var: Tensor,
    mean: Tensor,
    square: Tensor,
    moment: Tensor,
    grad: Tensor,
    rate: Tensor,
    decay: Tensor,
    momentum: Tensor,
    epsilon: Tensor,
) -> Tensors:
    square = square * decay + gen.square(grad) * (1.0 - decay)
    mean = mean * decay + grad * (1.0 - decay)
    moment = moment * momentum + rate * grad / gen.sqrt(square - gen.square(mean) + epsilon)
    return var - moment, mean, square, moment


@public()
class ApplyCenteredRMSProp(_Locking):
    """RMSProp by the variance instead of the average of squares.

    >>> step, zero = ops.ApplyCenteredRMSProp(), Tensor([0.0])
    >>> print(step(Tensor([1.0]), zero, zero, zero, Tensor([1.0]), 0.5, 0.5, 0.0, 0.0))
    [0.]
    """

    states, alone, rule = 4, True, _centered_rms_prop


@operation
def _ftrl(
    var: Tensor,
    accum: Tensor,
    linear: Tensor,
    grad: Tensor,
    rate: Tensor,
    l1: Tensor,
    l2: Tensor,
    power: Tensor,
    shrinkage: float = 0.0,
) -> Tensors:
    new = accum + gen.square(grad)
    after, before = ew.power(new, -power), ew.power(accum, -power)
    linear = linear + grad - (after - before) / rate * var
    if shrinkage:
        linear = linear + 2.0 * shrinkage * var
    moved = (gen.sign(linear) * l1 - linear) / (after / rate + 2.0 * l2)
    return select(gen.greater(gen.abs(linear), l1), moved, 0.0), new, linear


@public()
class ApplyFtrl(_Locking):
    """Follow the regularized leader.

    >>> step = ops.ApplyFtrl()
    >>> print(step(Tensor([1.0]), Tensor([1.0]), Tensor([0.0]), Tensor([0.0]), 1.0, 0.0, 0.0, -0.5))
    [0.]
    """

    states, alone, rule = 3, True, _ftrl

    def __call__(
        self,
        var: Tensor,
        accum: Tensor,
        linear: Tensor,
        grad: Tensor,
        lr: LearningRate,
        l1: TensorLike,
        l2: TensorLike,
        lr_power: TensorLike,
    ) -> Tensor:
        return super().__call__(var, accum, linear, grad, lr, l1, l2, lr_power)
