"""Operations: functions of tensors, and MindSpore's class forms of them.

Which there are stands above the functions, in the rows ``@public(...)`` (``ops/_public.py``); those of
elementwise operations come from the dialect's records.
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # built on the operations, and handed on by the package: see `hand_on`
    from cellgrad.capture.loop_ops import ForiLoop as ForiLoop
    from cellgrad.capture.loop_ops import Scan as Scan
    from cellgrad.capture.loop_ops import WhileLoop as WhileLoop
    from cellgrad.capture.maps import HyperMap as HyperMap
    from cellgrad.capture.maps import Map as Map
    from cellgrad.capture.maps import MultitypeFuncGraph as MultitypeFuncGraph
    from cellgrad.capture.maps import Partial as Partial
    from cellgrad.capture.maps import partial as partial
    from cellgrad.nn.grad.cell_grad import custom_vjp as custom_vjp
    from cellgrad.nn.loss.ctc_loss import ctc_loss as ctc_loss
    from cellgrad.nn.loss.ctc_primitives import CTCLoss as CTCLoss
    from cellgrad.nn.loss.ctc_primitives import CTCLossV2 as CTCLossV2
    from cellgrad.nn.random_draws import Gamma as Gamma
    from cellgrad.nn.random_draws import Poisson as Poisson
    from cellgrad.nn.random_draws import RandomGamma as RandomGamma
    from cellgrad.nn.random_draws import RandomPoisson as RandomPoisson
    from cellgrad.nn.random_draws import gamma as gamma
    from cellgrad.nn.random_draws import poisson as poisson
    from cellgrad.nn.random_draws import random_gamma as random_gamma
    from cellgrad.nn.random_draws import random_poisson as random_poisson
    from cellgrad.nn.recurrent_primitives import LSTM as LSTM
    from cellgrad.nn.suppression import NMSWithMask as NMSWithMask
    from cellgrad.transforms.grad import GradOperation as GradOperation
    from cellgrad.transforms.grad import get_grad as get_grad
    from cellgrad.transforms.grad import grad as grad
    from cellgrad.transforms.grad import value_and_grad as value_and_grad
    from cellgrad.transforms.hooks import HookBackward as HookBackward
    from cellgrad.transforms.hooks import InsertGradientOf as InsertGradientOf
    from cellgrad.transforms.host import PyFunc as PyFunc
    from cellgrad.transforms.jacobian import jacfwd as jacfwd
    from cellgrad.transforms.jacobian import jacrev as jacrev
    from cellgrad.transforms.morph import Morph as Morph
    from cellgrad.transforms.products import jvp as jvp
    from cellgrad.transforms.products import linearize as linearize
    from cellgrad.transforms.products import vjp as vjp
    from cellgrad.transforms.taylor import derivative as derivative
    from cellgrad.transforms.taylor import jet as jet
    from cellgrad.transforms.vmap import vmap as vmap

from cellgrad.core import absent
from cellgrad.ops import _forms, complex_forms
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._forms import *  # noqa: F403
from cellgrad.ops._other_names import other_names
from cellgrad.ops.own_primitives import (
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    prim_attr_register,
)
from cellgrad.ops.sparse_elements import elementwise
from cellgrad.ops.summaries import HistogramSummary, ImageSummary, ScalarSummary, TensorSummary

assert complex_forms  # which registers what takes complex tensors

_OTHERS = other_names(vars(_forms)) | elementwise(vars(_forms))
globals().update(_OTHERS)
__all__ = [*_forms.__all__, *_OTHERS, "Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer"]
__all__ += ["prim_attr_register"]
__all__ += ["HistogramSummary", "ImageSummary", "ScalarSummary", "TensorSummary"]


def hand_on(functions: dict[str, Any], listed: bool = True) -> None:
    """Names of this module for what is built on the operations: loops, gradients.

    Args:
        functions: the names and what they stand for.
        listed: whether ``from cellgrad.ops import *`` gives them.
    """
    globals().update(functions)
    if listed:
        __all__.extend(functions)


if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
