# ruff: noqa: E402
"""Operations: functions of tensors, and MindSpore's class forms of them.

Elementwise operations are generated from the dialect's records (``ops/_generated.py`` in the
build folder).
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

from typing import TYPE_CHECKING, Any

from cellgrad.ops import _generated

# These are functions of the package; they are built on the operations.
_TRANSFORMS = ("get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp", "vmap")

if TYPE_CHECKING:
    from cellgrad.grad import get_grad as get_grad
    from cellgrad.grad import grad as grad
    from cellgrad.grad import jvp as jvp
    from cellgrad.grad import value_and_grad as value_and_grad
    from cellgrad.grad import vjp as vjp
    from cellgrad.jacobian import jacfwd as jacfwd
    from cellgrad.jacobian import jacrev as jacrev
    from cellgrad.vmap import vmap as vmap
else:

    def __getattr__(name: str) -> Any:
        if name in _TRANSFORMS:
            import cellgrad

            return getattr(cellgrad, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


from cellgrad.ops import (
    activations,
    adaptive_pooling,
    arrangement,
    channels,
    class_losses,
    composites,
    contraction_classes,
    contractions,
    convolutions,
    creation,
    ctc,
    cumulative,
    determinants,
    diagonals,
    dropouts,
    einsums,
    exponentials,
    extrema,
    gathering,
    higher_order,
    index_classes,
    indexing,
    interpolation,
    joining,
    linalg,
    linalg_classes,
    loops,
    loss_classes,
    losses,
    norm_pooling,
    normalization,
    order_classes,
    padding,
    pointwise,
    pointwise_classes,
    pooling,
    primitives,
    products,
    random,
    random_classes,
    reductions,
    renamed,
    rounding,
    samples,
    scattering,
    searching,
    segments,
    selection,
    shape_classes,
    shapes,
    shifts,
    sorting,
    special,
    statistics,
    updates,
    window_classes,
)
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._generated import *  # noqa: F403
from cellgrad.ops.activations import *  # noqa: F403
from cellgrad.ops.adaptive_pooling import *  # noqa: F403
from cellgrad.ops.arrangement import *  # noqa: F403
from cellgrad.ops.channels import *  # noqa: F403
from cellgrad.ops.class_losses import *  # noqa: F403
from cellgrad.ops.composites import *  # noqa: F403
from cellgrad.ops.contraction_classes import *  # noqa: F403
from cellgrad.ops.contractions import *  # noqa: F403
from cellgrad.ops.convolutions import *  # noqa: F403
from cellgrad.ops.creation import *  # noqa: F403
from cellgrad.ops.ctc import *  # noqa: F403
from cellgrad.ops.cumulative import *  # noqa: F403
from cellgrad.ops.determinants import *  # noqa: F403
from cellgrad.ops.diagonals import *  # noqa: F403
from cellgrad.ops.dropouts import *  # noqa: F403
from cellgrad.ops.einsums import *  # noqa: F403
from cellgrad.ops.exponentials import *  # noqa: F403
from cellgrad.ops.extrema import *  # noqa: F403
from cellgrad.ops.gathering import *  # noqa: F403
from cellgrad.ops.higher_order import *  # noqa: F403
from cellgrad.ops.index_classes import *  # noqa: F403
from cellgrad.ops.indexing import *  # noqa: F403
from cellgrad.ops.interpolation import *  # noqa: F403
from cellgrad.ops.joining import *  # noqa: F403
from cellgrad.ops.linalg import *  # noqa: F403
from cellgrad.ops.linalg_classes import *  # noqa: F403
from cellgrad.ops.loops import *  # noqa: F403
from cellgrad.ops.loss_classes import *  # noqa: F403
from cellgrad.ops.losses import *  # noqa: F403
from cellgrad.ops.norm_pooling import *  # noqa: F403
from cellgrad.ops.normalization import *  # noqa: F403
from cellgrad.ops.order_classes import *  # noqa: F403
from cellgrad.ops.padding import *  # noqa: F403
from cellgrad.ops.pointwise import *  # noqa: F403
from cellgrad.ops.pointwise_classes import *  # noqa: F403
from cellgrad.ops.pooling import *  # noqa: F403
from cellgrad.ops.primitives import *  # noqa: F403
from cellgrad.ops.products import *  # noqa: F403
from cellgrad.ops.random import *  # noqa: F403
from cellgrad.ops.random_classes import *  # noqa: F403
from cellgrad.ops.reductions import *  # noqa: F403
from cellgrad.ops.renamed import *  # type: ignore[assignment]  # noqa: F403
from cellgrad.ops.rounding import *  # noqa: F403
from cellgrad.ops.samples import *  # noqa: F403
from cellgrad.ops.scattering import *  # noqa: F403
from cellgrad.ops.searching import *  # noqa: F403
from cellgrad.ops.segments import *  # noqa: F403
from cellgrad.ops.selection import *  # noqa: F403
from cellgrad.ops.shape_classes import *  # noqa: F403
from cellgrad.ops.shapes import *  # noqa: F403
from cellgrad.ops.shifts import *  # noqa: F403
from cellgrad.ops.sorting import *  # noqa: F403
from cellgrad.ops.special import *  # noqa: F403
from cellgrad.ops.statistics import *  # noqa: F403
from cellgrad.ops.updates import *  # noqa: F403
from cellgrad.ops.window_classes import *  # noqa: F403

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

from cellgrad.grad import GradOperation  # built on the operations

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
    *ctc.__all__,
    *cumulative.__all__,
    *determinants.__all__,
    *diagonals.__all__,
    *dropouts.__all__,
    *einsums.__all__,
    *exponentials.__all__,
    *extrema.__all__,
    *gathering.__all__,
    *higher_order.__all__,
    *index_classes.__all__,
    *indexing.__all__,
    *interpolation.__all__,
    *joining.__all__,
    *linalg.__all__,
    *linalg_classes.__all__,
    *loss_classes.__all__,
    *loops.__all__,
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
    "GradOperation",
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
