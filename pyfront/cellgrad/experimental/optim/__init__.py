"""Optimizers with ``param_groups``, and schedules of their learning rates."""

from cellgrad.experimental.optim import lr_scheduler
from cellgrad.experimental.optim.optimizers import SGD, Adam, AdamW, Optimizer
from cellgrad.experimental.optim.others import (
    ASGD,
    Adadelta,
    Adagrad,
    Adamax,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)

__all__ = [
    "ASGD",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]
