"""What compiled code checks while it runs, beyond what the program says, and whether it is timed.

CELLGRAD_DEBUG_NANS=1: an op that gives NaN ends the call and is named. CELLGRAD_SANITIZE=address: every
access to memory is checked by AddressSanitizer, whose runtime must be in the process.
CELLGRAD_VERIFY_EACH=1: the compiler verifies its IR after every pass instead of after every stage, so that
a mistake of a pass is found where it is made; the code is the same.
"""

from __future__ import annotations

import ctypes

from cellgrad.core import variables
from cellgrad.core.context import current, note, noted
from cellgrad.core.errors import error

VERIFY_EACH = variables.flag("VERIFY_EACH")
_SANITIZE = variables.text("SANITIZE")
note("nans", variables.flag("DEBUG_NANS"))


def options() -> dict[str, bool]:
    """The compile options for these checks.

    Raises:
        ValueError: CELLGRAD_SANITIZE is neither empty nor 'address'.
        RuntimeError: it is 'address', and the process lacks the runtime.
    """
    chosen = {}
    if noted("probes") and current[0].device_id is None:
        chosen["profile"] = True
    if noted("nans"):
        chosen["check_nans"] = True
    if _SANITIZE:
        if _SANITIZE != "address":
            raise error(
                ValueError, f"CELLGRAD_SANITIZE must be empty or 'address', but is {_SANITIZE!r}."
            )
        if not hasattr(ctypes.CDLL(None), "__asan_init"):
            raise error(
                RuntimeError,
                "CELLGRAD_SANITIZE=address needs AddressSanitizer's runtime in the process.",
                'LD_PRELOAD="$(clang-22 -print-file-name=libclang_rt.asan-x86_64.so)" '
                "ASAN_OPTIONS=detect_leaks=0 python ...",
            )
        chosen["sanitize_address"] = True
    return chosen
