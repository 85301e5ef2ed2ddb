"""Fourier transforms with NumPy's names and arguments, as in ``mindspore.numpy.fft``; see `ops.fft`."""

from typing import TYPE_CHECKING

from cellgrad.core import absent
from cellgrad.numpy._fft_forms import *  # noqa: F403
from cellgrad.numpy._fft_forms import __all__  # noqa: F401

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
