"""The gradient family under the name that scripts import from."""

from cellgrad.ops.function.grad.grad_func import *  # noqa: F403
