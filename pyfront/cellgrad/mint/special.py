"""Special functions under MindSpore's ``mint.special``."""

from cellgrad.mint._special_forms import *  # noqa: F403
from cellgrad.mint._special_forms import __all__  # noqa: F401
