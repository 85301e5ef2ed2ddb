"""What programs import from ``mindspore._c_expression``, MindSpore's native module, beside Tensors themselves."""

from __future__ import annotations

import enum

from cellgrad.core import inner_types as typing  # noqa: F401
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
