# ruff: noqa: E402
"""cellgrad: MindSpore's Cells and gradients, compiled ahead of time.

import cellgrad as ms
from cellgrad import nn, ops

ms.grad(lambda x: x * x)(ms.Tensor(3.0))
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

import importlib
from typing import TYPE_CHECKING

from cellgrad.compile import failures as _failures
from cellgrad.core import absent as _absent
from cellgrad.core import errors as _errors
from cellgrad.core import variables as _variables

_errors.PACKAGES = tuple(p.rstrip("/") + "/" for p in __path__)
_variables.check()
_failures.install()

from cellgrad import (
    amp,
    common,
    communication,
    context,
    dataset,
    debug,
    dtype,
    experimental,
    log,
    mint,
    nn,
    ops,
    parallel,
    profiler,
    random,
    train,
)
from cellgrad import numpy as numpy  # not in __all__, as a star import must not hide NumPy
from cellgrad import serialization as serialization
from cellgrad.capture import loop_ops as _loop_ops
from cellgrad.capture import maps as _maps
from cellgrad.capture import sequences as _sequences
from cellgrad.capture.constants import _primexpr, constexpr, lazy_inline, mutable, no_inline
from cellgrad.checkpoints.conversion import ckpt_to_safetensors, safetensors_to_ckpt
from cellgrad.checkpoints.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from cellgrad.compile.jit import jit
from cellgrad.core.context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
    cancel_calls,
    get_context,
    get_num_threads,
    set_context,
    set_device,
    set_num_threads,
)
from cellgrad.core.default_dtype import default_dtype, get_default_dtype, set_default_dtype
from cellgrad.core.dtype import *  # noqa: F403
from cellgrad.core.dtype import (
    dtype_to_nptype,
    dtype_to_pytype,
    get_py_obj_dtype,
    pytype_to_dtype,
)
from cellgrad.core.errors import CompileError
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
from cellgrad.core.nodes import register_pytree_node
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.settings import (
    DTYPES,
    JitConfig,
    from_numpy,
    frombuffer,
    is_tensor,
    jit_class,
    set_deterministic,
    set_recursion_limit,
)
from cellgrad.core.symbol import Symbol
from cellgrad.core.tensor import Tensor, tensor
from cellgrad.export.export import export, load
from cellgrad.installed import run_check
from cellgrad.log import get_level
from cellgrad.nn import random_draws as _random_draws
from cellgrad.nn import recurrent_primitives as _recurrent_primitives
from cellgrad.nn import suppression as _suppression
from cellgrad.nn.grad.cell_grad import custom_vjp as _custom_vjp
from cellgrad.nn.loss import ctc_loss as _ctc_loss
from cellgrad.nn.loss import ctc_primitives as _ctc_primitives
from cellgrad.ops import _loops, stop_gradient
from cellgrad.ops import methods as _methods
from cellgrad.ops.sparse import COOTensor, CSRTensor
from cellgrad.parallel._auto_parallel_context import (
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)
from cellgrad.profiler import Profiler, memory_report, profile, show
from cellgrad.train import *  # noqa: F403
from cellgrad.train import __all__ as _train
from cellgrad.train.metrics import (
    ROC,
    BleuScore,
    HausdorffDistance,
    MeanSurfaceDistance,
    OcclusionSensitivity,
    RootMeanSquareDistance,
    auc,
)
from cellgrad.transforms.custom import custom_rule, recompute
from cellgrad.transforms.function import _Function as _Function
from cellgrad.transforms.function import _no_grad as _no_grad
from cellgrad.transforms.grad import GradOperation as _GradOperation
from cellgrad.transforms.grad import get_grad, grad, value_and_grad
from cellgrad.transforms.hooks import HookBackward as _HookBackward
from cellgrad.transforms.hooks import InsertGradientOf as _InsertGradientOf
from cellgrad.transforms.host import PyFunc as _PyFunc
from cellgrad.transforms.host import host_call
from cellgrad.transforms.jacobian import hessian, hvp, jacfwd, jacrev
from cellgrad.transforms.morph import Morph as _Morph
from cellgrad.transforms.products import jvp, vjp
from cellgrad.transforms.products import linearize as _linearize
from cellgrad.transforms.taylor import derivative as _derivative
from cellgrad.transforms.taylor import jet as _jet
from cellgrad.transforms.vmap import vmap


def _hand_on() -> None:
    """Gives Tensor its methods, and `ops` the names of what is built on the operations."""
    _methods.install()
    _loops.ForiLoop, _loops.WhileLoop = _loop_ops.ForiLoop, _loop_ops.WhileLoop
    losses = (_ctc_loss, _ctc_primitives)
    for module in (_loop_ops, _maps, *losses, _random_draws, _recurrent_primitives, _suppression):
        ops.hand_on({name: getattr(module, name) for name in module.__all__})
    for made in (_GradOperation, _HookBackward, _InsertGradientOf, _Morph, _PyFunc):
        ops.hand_on({made.__name__: made})
    for function in (_custom_vjp, _derivative, _jet, _linearize):
        ops.hand_on({function.__name__: function})
    transforms = (get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp, vmap)
    ops.hand_on({f.__name__: f for f in (*transforms, constexpr, _primexpr)}, listed=False)
    for file in (export, load):  # of a higher layer than `train`
        setattr(train, file.__name__, file)
    sequences = {name: getattr(_sequences, name) for name in _sequences.__all__}
    ops.hand_on(sequences, listed=False)


_hand_on()
for _module in ("composite", "function", "function.grad", "functional", "operations"):
    importlib.import_module(f"cellgrad.ops.{_module}")
# ``ms.int``, ``ms.float``, ...: not names of this module's code, in which they are Python's types.
globals().update(DTYPES)
del DTYPES

__version__ = "0.1.0"

__all__ = [
    "ROC",
    "BleuScore",
    "HausdorffDistance",
    "MeanSurfaceDistance",
    "OcclusionSensitivity",
    "RootMeanSquareDistance",
    "auc",
    *(name for name in _train if name not in ("callback", "metrics")),
    "COMPATIBLE",
    "COOTensor",
    "CSRTensor",
    "GRAPH_MODE",
    "Generator",
    "JitConfig",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "CompileError",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "Profiler",
    "Symbol",
    "Tensor",
    "amp",
    "cancel_calls",
    "ckpt_to_safetensors",
    "common",
    "communication",
    "constexpr",
    "context",
    "custom_rule",
    "dataset",
    "debug",
    "default_dtype",
    "default_generator",
    "dtype",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "experimental",
    "export",
    "from_numpy",
    "frombuffer",
    "get_auto_parallel_context",
    "get_context",
    "get_default_dtype",
    "get_grad",
    "get_level",
    "get_num_threads",
    "get_py_obj_dtype",
    "get_rng_state",
    "get_seed",
    "grad",
    "hessian",
    "host_call",
    "hvp",
    "initial_seed",
    "is_tensor",
    "jacfwd",
    "jacrev",
    "jit",
    "jit_class",
    "jvp",
    "lazy_inline",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "log",
    "manual_seed",
    "memory_report",
    "mint",
    "mutable",
    "nn",
    "no_inline",
    "ops",
    "parallel",
    "profile",
    "profiler",
    "pytype_to_dtype",
    "random",
    "recompute",
    "register_pytree_node",
    "reset_auto_parallel_context",
    "run_check",
    "safetensors_to_ckpt",
    "save_checkpoint",
    "seed",
    "set_auto_parallel_context",
    "set_context",
    "set_default_dtype",
    "set_deterministic",
    "set_device",
    "set_num_threads",
    "set_recursion_limit",
    "set_rng_state",
    "set_seed",
    "show",
    "stop_gradient",
    "tensor",
    "train",
    "value_and_grad",
    "vjp",
    "vmap",
]

if not TYPE_CHECKING:
    __getattr__ = _absent.attributes(__name__)
