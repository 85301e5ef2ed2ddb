"""Training: loss scale managers."""

from cellgrad.train.loss_scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]
