"""The optimizers of `cellgrad.experimental.optim`."""

from cellgrad.experimental.optim import SGD, Adam, AdamW

__all__ = ["SGD", "Adam", "AdamW"]
