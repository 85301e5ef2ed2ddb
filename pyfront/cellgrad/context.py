"""Settings of the process, under the name scripts use."""

from cellgrad.core.context import *  # noqa: F403
from cellgrad.core.context import __all__  # noqa: F401
from cellgrad.parallel._auto_parallel_context import (
    get_auto_parallel_context as get_auto_parallel_context,
)
from cellgrad.parallel._auto_parallel_context import (
    reset_auto_parallel_context as reset_auto_parallel_context,
)
from cellgrad.parallel._auto_parallel_context import (
    set_auto_parallel_context as set_auto_parallel_context,
)
