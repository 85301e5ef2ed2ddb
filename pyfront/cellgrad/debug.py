"""Looking into a running program: values and conditions of compiled code, NaN, and running without compiling."""

from cellgrad.transforms.debugging import check, eager, nans, print

__all__ = ["check", "eager", "nans", "print"]
