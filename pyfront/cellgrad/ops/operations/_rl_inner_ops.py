"""A primitive of recurrent layers: ``from cellgrad.ops.operations import _rl_inner_ops``."""

from cellgrad.nn.recurrent_primitives import GRUV2 as GRUV2
