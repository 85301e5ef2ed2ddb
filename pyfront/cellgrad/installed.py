"""What scripts ask of an installation: whether it computes."""

from __future__ import annotations

import sys

from cellgrad import ops
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor


def run_check() -> None:
    """Multiplies two tensors and prints whether the product is right; ``cellgrad doctor`` checks more.

    Raises:
        RuntimeError: the product is wrong.

    >>> ms.run_check()
    cellgrad version: 0.1.0
    The result of multiplication calculation is correct, cellgrad has been installed successfully!
    """
    package = sys.modules[run_check.__module__.partition(".")[0]]  # which imports this file
    print(f"cellgrad version: {package.__version__}")
    product = ops.mul(Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])).asnumpy().tolist()
    if product != [4.0, 10.0, 18.0]:
        raise error(
            RuntimeError,
            f"The product of [1, 2, 3] and [4, 5, 6] must be [4, 10, 18], but got {product}.",
            "run 'cellgrad doctor'",
        )
    text = "The result of multiplication calculation is correct"
    print(f"{text}, cellgrad has been installed successfully!")
