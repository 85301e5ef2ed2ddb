"""``multiprocessing`` of the standard library, under the name that scripts import it by. Tensors can be sent
between processes.
"""

from multiprocessing import *  # noqa: F403
from multiprocessing import __all__  # noqa: F401
