"""Interfaces under MindSpore's ``experimental``."""

from cellgrad.experimental import optim

__all__ = ["optim"]
