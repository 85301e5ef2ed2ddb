"""Optimizers with ``param_groups``: Adam, AdamW, SGD, and schedules of their learning rates."""

from cellgrad.experimental.optim import lr_scheduler
from cellgrad.experimental.optim.optimizers import SGD, Adam, AdamW, Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
