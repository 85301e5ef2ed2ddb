"""Capture: from Python functions and Cells to graphs of the ``cell`` dialect."""

from cellgrad.capture import builtin_forms as builtin_forms  # `calls` replaces builtins by it
from cellgrad.capture import choices as choices  # `calls` reads elements at tensors by it
from cellgrad.capture import reflection as reflection  # `calls` replaces builtins by it
from cellgrad.capture import statements as statements  # `calls` evaluates functions by it
