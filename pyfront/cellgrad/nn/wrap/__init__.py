"""Cells around networks: with a loss, with their gradient, as a training step."""

from cellgrad.nn.wrap.cell_wrapper import (
    ForwardValueAndGrad,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from cellgrad.nn.wrap.grad_reducer import DistributedGradReducer
from cellgrad.nn.wrap.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)

__all__ = [
    "DistributedGradReducer",
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]
