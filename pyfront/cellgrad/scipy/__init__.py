"""Functions with SciPy's names and arguments, as in ``mindspore.scipy``."""

from cellgrad.scipy import linalg

__all__ = ["linalg"]
