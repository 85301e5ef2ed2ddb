"""Operations: functions of tensors, and MindSpore's class forms of them.

Elementwise operations are generated from the dialect's records (``ops/_generated.py`` in the
build folder).
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

from typing import TYPE_CHECKING, Any

from cellgrad.ops import _generated

if TYPE_CHECKING:  # built on the operations, and handed on by the package: see `hand_on`
    from cellgrad.capture.loop_ops import ForiLoop as ForiLoop
    from cellgrad.capture.loop_ops import Scan as Scan
    from cellgrad.capture.loop_ops import WhileLoop as WhileLoop
    from cellgrad.capture.maps import HyperMap as HyperMap
    from cellgrad.capture.maps import Map as Map
    from cellgrad.capture.maps import MultitypeFuncGraph as MultitypeFuncGraph
    from cellgrad.capture.maps import partial as partial
    from cellgrad.nn.loss.ctc_loss import ctc_loss as ctc_loss
    from cellgrad.transforms.grad import GradOperation as GradOperation
    from cellgrad.transforms.grad import get_grad as get_grad
    from cellgrad.transforms.grad import grad as grad
    from cellgrad.transforms.grad import jvp as jvp
    from cellgrad.transforms.grad import value_and_grad as value_and_grad
    from cellgrad.transforms.grad import vjp as vjp
    from cellgrad.transforms.jacobian import jacfwd as jacfwd
    from cellgrad.transforms.jacobian import jacrev as jacrev
    from cellgrad.transforms.vmap import vmap as vmap

from cellgrad.ops import (
    activations,
    adaptive_pooling,
    arrangement,
    channels,
    class_losses,
    composites,
    contractions,
    convolutions,
    creation,
    cumulative,
    determinants,
    diagonals,
    dropouts,
    einsums,
    exponentials,
    extrema,
    gathering,
    indexing,
    interpolation,
    joining,
    linalg,
    losses,
    norm_pooling,
    normalization,
    padding,
    pointwise,
    pooling,
    products,
    random,
    reductions,
    rounding,
    samples,
    scattering,
    searching,
    segments,
    selection,
    shapes,
    shifts,
    sorting,
    special,
    statistics,
    updates,
)
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._generated import *  # noqa: F403
from cellgrad.ops.activations import *  # noqa: F403
from cellgrad.ops.adaptive_pooling import *  # noqa: F403
from cellgrad.ops.arrangement import *  # noqa: F403
from cellgrad.ops.channels import *  # noqa: F403
from cellgrad.ops.class_losses import *  # noqa: F403
from cellgrad.ops.classes import contraction as contraction_classes
from cellgrad.ops.classes import index as index_classes
from cellgrad.ops.classes import linalg as linalg_classes
from cellgrad.ops.classes import loss as loss_classes
from cellgrad.ops.classes import order as order_classes
from cellgrad.ops.classes import pointwise as pointwise_classes
from cellgrad.ops.classes import primitives, renamed
from cellgrad.ops.classes import random as random_classes
from cellgrad.ops.classes import shape as shape_classes
from cellgrad.ops.classes import window as window_classes
from cellgrad.ops.classes.contraction import *  # noqa: F403
from cellgrad.ops.classes.index import *  # noqa: F403
from cellgrad.ops.classes.linalg import *  # noqa: F403
from cellgrad.ops.classes.loss import *  # noqa: F403
from cellgrad.ops.classes.order import *  # noqa: F403
from cellgrad.ops.classes.pointwise import *  # noqa: F403
from cellgrad.ops.classes.primitives import *  # noqa: F403
from cellgrad.ops.classes.random import *  # noqa: F403
from cellgrad.ops.classes.renamed import *  # type: ignore[assignment]  # noqa: F403
from cellgrad.ops.classes.shape import *  # noqa: F403
from cellgrad.ops.classes.window import *  # noqa: F403
from cellgrad.ops.composites import *  # noqa: F403
from cellgrad.ops.contractions import *  # noqa: F403
from cellgrad.ops.convolutions import *  # noqa: F403
from cellgrad.ops.creation import *  # noqa: F403
from cellgrad.ops.cumulative import *  # noqa: F403
from cellgrad.ops.determinants import *  # noqa: F403
from cellgrad.ops.diagonals import *  # noqa: F403
from cellgrad.ops.dropouts import *  # noqa: F403
from cellgrad.ops.einsums import *  # noqa: F403
from cellgrad.ops.exponentials import *  # noqa: F403
from cellgrad.ops.extrema import *  # noqa: F403
from cellgrad.ops.gathering import *  # noqa: F403
from cellgrad.ops.indexing import *  # noqa: F403
from cellgrad.ops.interpolation import *  # noqa: F403
from cellgrad.ops.joining import *  # noqa: F403
from cellgrad.ops.linalg import *  # noqa: F403
from cellgrad.ops.losses import *  # noqa: F403
from cellgrad.ops.norm_pooling import *  # noqa: F403
from cellgrad.ops.normalization import *  # noqa: F403
from cellgrad.ops.padding import *  # noqa: F403
from cellgrad.ops.pointwise import *  # noqa: F403
from cellgrad.ops.pooling import *  # noqa: F403
from cellgrad.ops.products import *  # noqa: F403
from cellgrad.ops.random import *  # noqa: F403
from cellgrad.ops.reductions import *  # noqa: F403
from cellgrad.ops.rounding import *  # noqa: F403
from cellgrad.ops.samples import *  # noqa: F403
from cellgrad.ops.scattering import *  # noqa: F403
from cellgrad.ops.searching import *  # noqa: F403
from cellgrad.ops.segments import *  # noqa: F403
from cellgrad.ops.selection import *  # noqa: F403
from cellgrad.ops.shapes import *  # noqa: F403
from cellgrad.ops.shifts import *  # noqa: F403
from cellgrad.ops.sorting import *  # noqa: F403
from cellgrad.ops.special import *  # noqa: F403
from cellgrad.ops.statistics import *  # noqa: F403
from cellgrad.ops.updates import *  # noqa: F403

# Other names of the same functions.
absolute = _generated.abs
negative = _generated.neg
multiply = _generated.mul
divide = selection.div
eq = _generated.equal
ne = _generated.not_equal
lt = _generated.less
le = _generated.less_equal
gt = _generated.greater
ge = _generated.greater_equal
arccos = _generated.acos
arctan = _generated.atan
arctan2 = _generated.atan2
arcsinh = _generated.asinh
arccosh = _generated.acosh
arctanh = _generated.atanh


__all__ = [
    *_generated.__all__,
    *activations.__all__,
    *adaptive_pooling.__all__,
    *arrangement.__all__,
    *channels.__all__,
    *class_losses.__all__,
    *composites.__all__,
    *contraction_classes.__all__,
    *contractions.__all__,
    *convolutions.__all__,
    *creation.__all__,
    *cumulative.__all__,
    *determinants.__all__,
    *diagonals.__all__,
    *dropouts.__all__,
    *einsums.__all__,
    *exponentials.__all__,
    *extrema.__all__,
    *gathering.__all__,
    *index_classes.__all__,
    *indexing.__all__,
    *interpolation.__all__,
    *joining.__all__,
    *linalg.__all__,
    *linalg_classes.__all__,
    *loss_classes.__all__,
    *losses.__all__,
    *norm_pooling.__all__,
    *normalization.__all__,
    *order_classes.__all__,
    *padding.__all__,
    *pointwise.__all__,
    *pointwise_classes.__all__,
    *pooling.__all__,
    *primitives.__all__,
    *products.__all__,
    *random.__all__,
    *random_classes.__all__,
    *reductions.__all__,
    *renamed.__all__,
    *rounding.__all__,
    *samples.__all__,
    *scattering.__all__,
    *searching.__all__,
    *segments.__all__,
    *selection.__all__,
    *shape_classes.__all__,
    *shapes.__all__,
    *shifts.__all__,
    *sorting.__all__,
    *special.__all__,
    *statistics.__all__,
    *updates.__all__,
    *window_classes.__all__,
    "Primitive",
    "absolute",
    "arccos",
    "arccosh",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "divide",
    "eq",
    "ge",
    "gt",
    "le",
    "lt",
    "multiply",
    "ne",
    "negative",
]


def hand_on(functions: dict[str, Any], listed: bool = True) -> None:
    """Names of this module for what is built on the operations: loops, gradients.

    Args:
        functions: the names and what they stand for.
        listed: whether ``from cellgrad.ops import *`` gives them.
    """
    globals().update(functions)
    if listed:
        __all__.extend(functions)
