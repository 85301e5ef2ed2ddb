"""Training: `Model`, callbacks, metrics, loss scale managers."""

from typing import TYPE_CHECKING

from cellgrad.checkpoints.conversion import ckpt_to_safetensors, safetensors_to_ckpt
from cellgrad.checkpoints.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from cellgrad.core import absent
from cellgrad.train import callback, metrics
from cellgrad.train.callback import *  # noqa: F403
from cellgrad.train.callback import __all__ as _callbacks
from cellgrad.train.loss_scale_managers import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from cellgrad.train.metrics import *  # noqa: F403
from cellgrad.train.metrics import __all__ as _metrics
from cellgrad.train.mixed_precision import build_train_network
from cellgrad.train.model import Model
from cellgrad.train.summary import SummaryCollector, SummaryRecord

__all__ = [
    *_callbacks,
    *_metrics,
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "Model",
    "SummaryCollector",
    "SummaryRecord",
    "build_train_network",
    "callback",
    "ckpt_to_safetensors",
    "load_checkpoint",
    "load_param_into_net",
    "metrics",
    "safetensors_to_ckpt",
    "save_checkpoint",
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
