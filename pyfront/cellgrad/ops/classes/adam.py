"""Steps of Adam and its kin on Parameters; see `optimizers`."""

from __future__ import annotations

from typing import Any

from cellgrad.core.aliases import LearningRate, TensorOrTensors
from cellgrad.core.arguments import check_bool, check_number
from cellgrad.core.record import as_tensor, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.classes.optimizers import (
    Tensors,
    Update,
    _Locking,
    like_states,
    wide,
    wide_dtype,
)
from cellgrad.ops.selection import select


@operation
def _adam(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    power1: Tensor,
    power2: Tensor,
    rate: Tensor,
    beta1: Tensor,
    beta2: Tensor,
    epsilon: Tensor,
    grad: Tensor,
    nesterov: bool,
) -> Tensors:
    step = rate * gen.sqrt(1.0 - power2) / (1.0 - power1)
    m = m * beta1 + grad * (1.0 - beta1)
    v = v * beta2 + gen.square(grad) * (1.0 - beta2)
    along = m * beta1 + grad * (1.0 - beta1) if nesterov else m
    return var - step * along / (gen.sqrt(v) + epsilon), m, v


@public()
class Adam(Update):
    """Adam; `beta1_power` and `beta2_power` are the powers of the step.

    >>> step, zero = ops.Adam(), Tensor([0.0])
    >>> var, m, v = step(Tensor([1.0]), zero, zero, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, Tensor([1.0]))
    >>> print(var, v)
    [0.5] [0.25]
    """

    states, rule = 3, _adam

    def __init__(self, use_locking: bool = False, use_nesterov: bool = False):
        check_bool(use_locking, "Adam", "use_locking")
        super().__init__(nesterov=check_bool(use_nesterov, "Adam", "use_nesterov"))


@operation
def _adam_step(
    m: Tensor,
    v: Tensor,
    power1: Tensor,
    power2: Tensor,
    rate: Tensor,
    beta1: Tensor,
    beta2: Tensor,
    epsilon: Tensor,
    grad: Tensor,
    nesterov: bool,
) -> Tensors:
    moved, m, v = _adam(
        gen.mul(m, 0), m, v, power1, power2, rate, beta1, beta2, epsilon, grad, nesterov
    )
    return moved, m, v


@public()
class AdamNoUpdateParam(Update):
    """What `Adam` adds to a Parameter; only the moments are written to.

    >>> step, zero = ops.AdamNoUpdateParam(), Tensor([0.0])
    >>> print(step(zero, zero, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, Tensor([1.0])))
    [-0.5]
    """

    states = 2

    def __init__(self, use_locking: bool = False, use_nesterov: bool = False):
        check_bool(use_locking, "AdamNoUpdateParam", "use_locking")
        super().__init__(nesterov=check_bool(use_nesterov, "AdamNoUpdateParam", "use_nesterov"))

    def __call__(self, m: Tensor, v: Tensor, *inputs: object) -> Tensor:
        given: list[Any] = [wide(as_tensor(x, self.name, wide_dtype(m.dtype))) for x in inputs]
        found = _adam_step(wide(m), wide(v), *given, **self._settings)
        moved, m[...], v[...] = like_states(found, (m, m, v))
        return moved


@operation
def _adam_decay(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    rate: Tensor,
    beta1: Tensor,
    beta2: Tensor,
    epsilon: Tensor,
    decay: Tensor,
    grad: Tensor,
) -> Tensors:
    m = m * beta1 + grad * (1.0 - beta1)
    v = v * beta2 + gen.square(grad) * (1.0 - beta2)
    return var - rate * (m / (gen.sqrt(v) + epsilon) + decay * var), m, v


@public()
class AdamWeightDecay(_Locking):
    """Adam with decoupled weight decay, without correction of the moments.

    >>> step, zero = ops.AdamWeightDecay(), Tensor([0.0])
    >>> var, m, v = step(Tensor([1.0]), zero, zero, 0.5, 0.5, 0.75, 0.0, 0.0, Tensor([1.0]))
    >>> print(var, v)
    [0.5] [0.25]
    """

    states, rule = 3, _adam_decay


@public()
class FusedCastAdamWeightDecay(AdamWeightDecay):
    """`AdamWeightDecay` with a gradient of any floating-point dtype.

    >>> step, zero = ops.FusedCastAdamWeightDecay(), Tensor([0.0])
    >>> half = Tensor([1.0], ms.float16)
    >>> var, m, v = step(Tensor([1.0]), zero, zero, 0.5, 0.5, 0.75, 0.0, 0.0, half)
    >>> print(var, v)
    [0.5] [0.25]
    """

    def __call__(self, *inputs: Tensor) -> TensorOrTensors:
        var, grad = inputs[0], check_tensor(inputs[-1], self.name, "gradient")
        return super().__call__(*inputs[:-1], grad.astype(var.dtype))


@operation
def _ada_max(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    power1: Tensor,
    rate: Tensor,
    beta1: Tensor,
    beta2: Tensor,
    epsilon: Tensor,
    grad: Tensor,
) -> Tensors:
    m = m * beta1 + grad * (1.0 - beta1)
    v = gen.maximum(v * beta2, gen.abs(grad))
    return var - rate / (1.0 - power1) * m / (v + epsilon), m, v


@public()
class ApplyAdaMax(Update):
    """AdaMax: Adam by the largest gradient.

    >>> step, zero = ops.ApplyAdaMax(), Tensor([0.0])
    >>> var, m, v = step(Tensor([1.0]), zero, zero, 0.5, 0.5, 0.5, 0.75, 0.0, Tensor([1.0]))
    >>> print(var, v)
    [0.5] [1.]
    """

    states, rule = 3, _ada_max

    def __init__(self) -> None:
        super().__init__()


@operation
def _amsgrad(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    top: Tensor,
    power1: Tensor,
    power2: Tensor,
    rate: Tensor,
    beta1: Tensor,
    beta2: Tensor,
    epsilon: Tensor,
    grad: Tensor,
) -> Tensors:
    step = rate * gen.sqrt(1.0 - power2) / (1.0 - power1)
    m = m * beta1 + grad * (1.0 - beta1)
    v = v * beta2 + gen.square(grad) * (1.0 - beta2)
    top = gen.maximum(top, v)
    return var - step * m / (gen.sqrt(top) + epsilon), m, v, top


@public()
class ApplyAdamWithAmsgradV2(_Locking):
    """Adam by the largest average of squares; the coefficients are inputs.

    >>> step, zero, one = ops.ApplyAdamWithAmsgradV2(), Tensor([0.0]), Tensor([1.0])
    >>> out = step(Tensor([1.0]), zero, zero, Tensor([0.0]), 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, one)
    >>> print(out[0], out[3])
    [0.5] [0.25]
    """

    states, rule = 4, _amsgrad


@public()
class ApplyAdamWithAmsgrad(ApplyAdamWithAmsgradV2):
    """Adam by the largest average of squares.

    >>> step, zero, one = ops.ApplyAdamWithAmsgrad(0.5, 0.75, 0.0), Tensor([0.0]), Tensor([1.0])
    >>> out = step(Tensor([1.0]), zero, zero, Tensor([0.0]), 0.5, 0.75, 0.5, one)
    >>> print(out[0], out[3])
    [0.5] [0.25]
    """

    def __init__(
        self,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
    ):
        super().__init__(use_locking)
        for value, argument in ((beta1, "beta1"), (beta2, "beta2"), (epsilon, "epsilon")):
            check_number(value, self.name, argument)
        self._coefficients = (float(beta1), float(beta2), float(epsilon))

    def __call__(self, *inputs: object) -> tuple[Tensor, ...]:
        return super().__call__(*inputs[:7], *self._coefficients, *inputs[7:])


# --- layer-wise rates -------------------------------------------------------------------------


@operation
def _lars(
    weight: Tensor,
    gradient: Tensor,
    squares: Tensor,
    gradient_squares: Tensor,
    decay: Tensor,
    rate: Tensor,
    epsilon: float,
    trust: float,
    clipped: bool,
) -> Tensor:
    norm, slope = gen.sqrt(squares), gen.sqrt(gradient_squares)
    ratio = trust * norm / (slope + decay * norm + epsilon)
    if clipped:
        ratio = gen.minimum(ratio / rate, 1.0)
    both = gen.logical_and(gen.greater(norm, 0), gen.greater(slope, 0))
    return select(both, ratio, 1.0) * (gradient + decay * weight)


@public()
class LARSUpdate(Primitive):
    """A gradient scaled by the ratio of the norms of weight and gradient (You et al. 2017). The norms
    are given as sums of squares.

    >>> step = ops.LARSUpdate(epsilon=0.0, hyperpara=0.5)
    >>> print(step(Tensor([2.0]), Tensor([1.0]), Tensor(4.0), Tensor(1.0), 0.0, 0.1))
    [1.]
    """

    def __init__(self, epsilon: float = 1e-05, hyperpara: float = 0.001, use_clip: bool = False):
        super().__init__()
        check_number(epsilon, "LARSUpdate", "epsilon")
        check_number(hyperpara, "LARSUpdate", "hyperpara")
        check_bool(use_clip, "LARSUpdate", "use_clip")
        self.epsilon, self.hyperpara = float(epsilon), float(hyperpara)
        self.use_clip = use_clip

    def __call__(
        self,
        weight: Tensor,
        gradient: Tensor,
        norm_weight: Tensor,
        norm_gradient: Tensor,
        weight_decay: LearningRate,
        learning_rate: LearningRate,
    ) -> Tensor:
        w = check_tensor(weight, "LARSUpdate", "weight")
        decay, rate = (as_tensor(v, "LARSUpdate", w.dtype) for v in (weight_decay, learning_rate))
        settings = (self.epsilon, self.hyperpara, self.use_clip)
        out: Tensor = _lars(w, gradient, norm_weight, norm_gradient, decay, rate, *settings)
        return out
