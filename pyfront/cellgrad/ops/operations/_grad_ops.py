"""Primitives of gradients, where MindSpore has them: ``from cellgrad.ops.operations import _grad_ops``."""

from cellgrad.nn.recurrent_primitives import GRUV2Grad as GRUV2Grad
from cellgrad.transforms.gradients.arrays import *  # noqa: F403
from cellgrad.transforms.gradients.elementwise import *  # noqa: F403
from cellgrad.transforms.gradients.losses import *  # noqa: F403
from cellgrad.transforms.gradients.windows import *  # noqa: F403
