"""Callbacks of `Model`."""

from cellgrad.train.callback._callback import (
    Callback,
    CallbackManager,
    CallbackParam,
    LambdaCallback,
    RunContext,
)
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

# As training loops of programs import them from MindSpore.
_CallbackManager, _InternalCallbackParam = CallbackManager, CallbackParam
