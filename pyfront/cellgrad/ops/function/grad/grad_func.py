"""The gradient family under the name that scripts import from."""

from cellgrad.nn.grad.cell_grad import custom_vjp
from cellgrad.ops import stop_gradient
from cellgrad.transforms.grad import get_grad, grad, value_and_grad
from cellgrad.transforms.jacobian import jacfwd, jacrev
from cellgrad.transforms.products import jvp, linearize, vjp
from cellgrad.transforms.taylor import derivative, jet

__all__ = [
    "custom_vjp",
    "derivative",
    "get_grad",
    "grad",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
