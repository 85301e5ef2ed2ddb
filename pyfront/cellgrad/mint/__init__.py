"""Interfaces under MindSpore's ``mint``: optimizers."""

from cellgrad.mint import optim

__all__ = ["optim"]
