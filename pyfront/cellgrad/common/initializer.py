"""Initial values, and what initializers of programs import to make them."""

from typing import Any

import numpy as np

from cellgrad.core.initializer import *  # noqa: F403
from cellgrad.core.initializer import __all__  # noqa: F401
from cellgrad.core.initializer import _fans as _calculate_fan_in_and_fan_out  # noqa: F401
from cellgrad.core.philox import normal as _init_random_normal  # noqa: F401
from cellgrad.core.philox import truncated_normal as _init_truncated_normal  # noqa: F401
from cellgrad.core.philox import uniform as _init_random_uniform  # noqa: F401


def _assignment(arr: np.ndarray[Any, Any], num: Any) -> np.ndarray[Any, Any]:
    """Fills an array, which is returned.

    >>> import numpy as np
    >>> from cellgrad.common.initializer import _assignment
    >>> print(_assignment(np.zeros(2), 3))
    [3. 3.]
    """
    arr[...] = num
    return arr
