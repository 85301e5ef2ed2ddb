"""Loss scale managers under the name that scripts import them from."""

from cellgrad.train.loss_scale_managers import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]
