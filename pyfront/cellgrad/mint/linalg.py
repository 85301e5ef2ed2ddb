"""Linear algebra under MindSpore's ``mint.linalg``."""

from cellgrad.mint._linalg_forms import *  # noqa: F403
from cellgrad.mint._linalg_forms import __all__  # noqa: F401
