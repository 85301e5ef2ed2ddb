# ruff: noqa: E402
"""cellgrad: MindSpore's Cells and gradients, compiled ahead of time.

import cellgrad as ms
from cellgrad import nn, ops

ms.grad(lambda x: x * x)(ms.Tensor(3.0))
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

from cellgrad import _errors, _failures

_errors.PACKAGES = tuple(p.rstrip("/") + "/" for p in __path__)
_failures.install()

from cellgrad import (
    amp,
    common,
    context,
    dataset,
    dtype,
    experimental,
    mint,
    nn,
    ops,
    parallel,
    random,
    train,
)
from cellgrad._errors import CompileError
from cellgrad._jit import jit
from cellgrad._settings import (
    DTYPES,
    JitConfig,
    from_numpy,
    is_tensor,
    jit_class,
    set_deterministic,
    set_recursion_limit,
)
from cellgrad.common.dtype import *  # noqa: F403
from cellgrad.common.dtype import dtype_to_nptype, dtype_to_pytype, pytype_to_dtype
from cellgrad.common.generator import (
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from cellgrad.common.initializer import get_seed, set_seed
from cellgrad.common.parameter import Parameter, ParameterTuple
from cellgrad.common.tensor import Tensor, tensor
from cellgrad.context import (
    GRAPH_MODE,
    PYNATIVE_MODE,
    ParallelMode,
    cancel_calls,
    get_context,
    set_context,
    set_device,
)
from cellgrad.custom import custom_rule, recompute
from cellgrad.export import export, load
from cellgrad.grad import get_grad, grad, jvp, value_and_grad, vjp
from cellgrad.jacobian import hessian, hvp, jacfwd, jacrev
from cellgrad.ops import stop_gradient
from cellgrad.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from cellgrad.train import *  # noqa: F403
from cellgrad.train import __all__ as _train
from cellgrad.vmap import vmap


def mutable(input_data: object, dynamic_len: bool = False) -> object:
    """The argument itself: every tensor in an input is a run-time value here.

    >>> ms.mutable((1, 2))
    (1, 2)
    """
    return input_data


# ``ms.int``, ``ms.float``, ...: not names of this module's code, in which they are Python's types.
globals().update(DTYPES)
del DTYPES

__version__ = "0.1.0"

__all__ = [
    *(name for name in _train if name not in ("callback", "metrics")),
    "GRAPH_MODE",
    "JitConfig",
    "PYNATIVE_MODE",
    "CompileError",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "Tensor",
    "amp",
    "cancel_calls",
    "common",
    "context",
    "custom_rule",
    "dataset",
    "dtype",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "experimental",
    "export",
    "from_numpy",
    "get_context",
    "get_grad",
    "get_rng_state",
    "get_seed",
    "grad",
    "hessian",
    "hvp",
    "initial_seed",
    "is_tensor",
    "jacfwd",
    "jacrev",
    "jit",
    "jit_class",
    "jvp",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "manual_seed",
    "mint",
    "mutable",
    "nn",
    "ops",
    "parallel",
    "pytype_to_dtype",
    "random",
    "recompute",
    "save_checkpoint",
    "seed",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_recursion_limit",
    "set_rng_state",
    "set_seed",
    "stop_gradient",
    "tensor",
    "train",
    "value_and_grad",
    "vjp",
    "vmap",
]
