"""Tensors, Parameters, dtypes, initial values, and what MindSpore lists beside them."""

from typing import TYPE_CHECKING

from cellgrad.capture.constants import lazy_inline, mutable, no_inline
from cellgrad.common import api as api
from cellgrad.common import dtype as dtype
from cellgrad.common import generator as generator
from cellgrad.common import initializer as initializer
from cellgrad.common import parameter as parameter

# Before the function `tensor`, which importing the module later would replace.
from cellgrad.common import tensor as _tensor  # noqa: F401
from cellgrad.compile.jit import jit
from cellgrad.core import absent
from cellgrad.core.dtype import *  # noqa: F403
from cellgrad.core.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from cellgrad.core.initializer import get_seed, set_seed
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.settings import (
    DTYPES,
    JitConfig,
    from_numpy,
    is_tensor,
    jit_class,
    set_recursion_limit,
)
from cellgrad.core.symbol import Symbol
from cellgrad.core.tensor import Tensor, tensor
from cellgrad.ops.row_tensor import RowTensorInner as RowTensorInner
from cellgrad.ops.sparse import COOTensor, CSRTensor
from cellgrad.transforms.custom import recompute

# ``common.byte``, ``common.long``, ...: not names of this module's code.
globals().update(DTYPES)
del DTYPES

__all__ = [
    "COOTensor",
    "CSRTensor",
    "Generator",
    "JitConfig",
    "Parameter",
    "ParameterTuple",
    "Symbol",
    "Tensor",
    "default_generator",
    "from_numpy",
    "get_rng_state",
    "get_seed",
    "initial_seed",
    "is_tensor",
    "jit",
    "jit_class",
    "lazy_inline",
    "manual_seed",
    "mutable",
    "no_inline",
    "recompute",
    "seed",
    "set_recursion_limit",
    "set_rng_state",
    "set_seed",
    "tensor",
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
