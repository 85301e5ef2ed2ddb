"""Callbacks of `Model`."""

from cellgrad.train.callback._callback import Callback, LambdaCallback, RunContext
from cellgrad.train.callback.adaptation import (
    EarlyStopping,
    LearningRateScheduler,
    ReduceLROnPlateau,
)
from cellgrad.train.callback.checkpoints import (
    BackupAndRestore,
    CheckpointConfig,
    ModelCheckpoint,
)
from cellgrad.train.callback.monitors import History, LossMonitor, TimeMonitor

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "ReduceLROnPlateau",
    "RunContext",
    "TimeMonitor",
]
