"""Class forms under the name older scripts use: ``from cellgrad.ops import operations as P``."""

from cellgrad.ops import *  # noqa: F403
from cellgrad.ops import __all__  # noqa: F401
from cellgrad.ops.classes.regions import PSROIPooling as PSROIPooling
from cellgrad.ops.operations._float_status import *  # noqa: F403
from cellgrad.ops.operations._sets import *  # noqa: F403
from cellgrad.ops.operations._unlisted import Eigh as Eigh
from cellgrad.ops.operations._unlisted import SparseMatrixSoftmax as SparseMatrixSoftmax
from cellgrad.ops.operations._unlisted import Uniform as Uniform
