"""Exchange with packages that have MLIR's Python bindings, under its public name."""

from cellgrad.export.mlir import *  # noqa: F403
from cellgrad.export.mlir import __all__  # noqa: F401
