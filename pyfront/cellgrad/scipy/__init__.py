"""Functions with SciPy's names and arguments, as in ``mindspore.scipy``."""

from cellgrad.scipy import fft, linalg, ops, optimize

__all__ = ["fft", "linalg", "ops", "optimize"]
