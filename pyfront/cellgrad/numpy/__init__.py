"""Functions with NumPy's names and arguments, as in ``mindspore.numpy``.

    import cellgrad.numpy as np

They take numbers and lists as well as Tensors, unless it says Tensor. Some are forms of operations
(`_rows.py`), the others are built from operations: all can be compiled, differentiated and mapped.
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

import math as _math
from typing import TYPE_CHECKING

from cellgrad.core import absent
from cellgrad.core import dtype as _dtype
from cellgrad.numpy import (
    _forms,
    arithmetic,
    creation,
    fft,
    indexing,
    joining,
    logic,
    manipulation,
    padding,
    products,
    reductions,
    statistics,
)
from cellgrad.numpy._forms import *  # noqa: F403
from cellgrad.numpy.arithmetic import *  # noqa: F403
from cellgrad.numpy.creation import *  # noqa: F403
from cellgrad.numpy.indexing import *  # noqa: F403
from cellgrad.numpy.joining import *  # noqa: F403
from cellgrad.numpy.logic import *  # noqa: F403
from cellgrad.numpy.manipulation import *  # noqa: F403
from cellgrad.numpy.padding import *  # noqa: F403
from cellgrad.numpy.products import *  # noqa: F403
from cellgrad.numpy.reductions import *  # noqa: F403
from cellgrad.numpy.statistics import *  # noqa: F403

pi, inf, nan = _math.pi, _math.inf, _math.nan
int_, float_, bool_ = _dtype.int32, _dtype.float32, _dtype.bool_
_WIDTHS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_DTYPES = [n for n in (*_WIDTHS, "float16", "float32", "float64") if hasattr(_dtype, n)]
globals().update({name: getattr(_dtype, name) for name in _DTYPES})
numeric_types = ["int_", *_DTYPES, "float_", "bool_"]

__all__ = [
    *_forms.__all__,
    *arithmetic.__all__,
    *creation.__all__,
    *indexing.__all__,
    *joining.__all__,
    *logic.__all__,
    *manipulation.__all__,
    *padding.__all__,
    *products.__all__,
    *reductions.__all__,
    *statistics.__all__,
    *_DTYPES,
    "bool_",
    "fft",
    "float_",
    "inf",
    "int_",
    "nan",
    "numeric_types",
    "pi",
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
