"""The optimizers of `cellgrad.experimental.optim`."""

from typing import TYPE_CHECKING

from cellgrad.core import absent
from cellgrad.experimental.optim import SGD, Adam, AdamW

__all__ = ["SGD", "Adam", "AdamW"]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
