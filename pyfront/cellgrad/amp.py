"""Mixed precision: networks in float16 or bfloat16, loss scalers, and `all_finite`."""

from typing import TYPE_CHECKING

from cellgrad.core import absent
from cellgrad.train.loss_scale_managers import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from cellgrad.train.loss_scalers import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite
from cellgrad.train.mixed_precision import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from cellgrad.train.mixed_precision import outputs_to_32 as _OutputTo32  # noqa: F401

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
