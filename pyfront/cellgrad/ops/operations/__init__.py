"""Class forms under the name older scripts use: ``from cellgrad.ops import operations as P``."""

from cellgrad.ops import *  # noqa: F403
from cellgrad.ops import __all__  # noqa: F401
from cellgrad.ops.classes.regions import PSROIPooling as PSROIPooling
from cellgrad.ops.operations._by_name import *  # noqa: F403
from cellgrad.ops.operations._float_status import *  # noqa: F403
from cellgrad.ops.operations._sets import *  # noqa: F403
from cellgrad.ops.operations._sparse import *  # noqa: F403
from cellgrad.ops.operations._unlisted import Eigh as Eigh
from cellgrad.ops.operations._unlisted import Load as Load
from cellgrad.ops.operations._unlisted import MatrixLogarithm as MatrixLogarithm
from cellgrad.ops.operations._unlisted import Shift as Shift
from cellgrad.ops.operations._unlisted import (
    SparseSoftmaxCrossEntropyWithLogitsV2 as SparseSoftmaxCrossEntropyWithLogitsV2,
)
from cellgrad.ops.operations._unlisted import Uniform as Uniform
