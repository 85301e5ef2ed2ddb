"""Operations under the name that scripts import from: ``cellgrad.ops.function``."""

from cellgrad.ops import *  # noqa: F403
