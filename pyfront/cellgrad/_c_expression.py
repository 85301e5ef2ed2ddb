"""What programs import from ``mindspore._c_expression``, MindSpore's native module, beside Tensors themselves."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from cellgrad.core import inner_types as typing  # noqa: F401
from cellgrad.core import philox
from cellgrad.core.tensor import Tensor

TensorPy = Tensor


class CreationType(enum.Enum):
    """What MindSpore's executor notes of a tensor, to allow writes to it. Kept, without effect: what may be written
    to does not depend on it here.

    >>> from cellgrad import _c_expression
    >>> _c_expression.CreationType.DEFAULT.name
    'DEFAULT'
    """

    DEFAULT = 0
    NO_GRAD_MODE = 1
    MULTI_OUTPUT = 2
    CUSTOM_BPROP = 3


def get_code_extra(function: object) -> None:
    """None, as in MindSpore of a function that is not compiled from its bytecode: here none is.

    >>> from cellgrad import _c_expression
    >>> print(_c_expression.get_code_extra(print))
    None
    """


class security:
    """Whether MindSpore was built without what may show a model, such as files of graphs: never here.

    >>> from cellgrad import _c_expression
    >>> _c_expression.security.enable_security()
    False
    """

    @staticmethod
    def enable_security() -> bool:
        """False."""
        return False


def _random_normal(seed: int, data: np.ndarray[Any, Any], mean: float, sigma: float) -> None:
    """Fills an array with numbers of a normal distribution, those of MindSpore for the seed.

    >>> import numpy as np
    >>> from cellgrad._c_expression import _random_normal
    >>> data = np.zeros(2, np.float32)
    >>> _random_normal(1, data, 5.0, 0.0)
    >>> print(data)
    [5. 5.]
    """
    data[...] = philox.normal(mean, sigma, data.shape, seed)


def _random_uniform(seed: int, data: np.ndarray[Any, Any], low: float, high: float) -> None:
    """As `_random_normal`, of numbers uniform on [low, high)."""
    data[...] = philox.uniform(low, high, data.shape, seed)


def _truncated_normal(
    seed: int, data: np.ndarray[Any, Any], low: float, high: float, mean: float, sigma: float
) -> None:
    """As `_random_normal`, within [low, high]."""
    data[...] = philox.truncated_normal(low, high, mean, sigma, data.shape, seed)
