"""What compiled code checks while it runs, beyond what the program says.

CELLGRAD_DEBUG_NANS=1: an op that gives NaN ends the call and is named. CELLGRAD_SANITIZE=address: every
access to memory is checked by AddressSanitizer, whose runtime must be in the process.
CELLGRAD_VERIFY_EACH=1: the compiler verifies its IR after every pass instead of after every stage, so that
a mistake of a pass is found where it is made; the code is the same.
"""

from __future__ import annotations

import ctypes
import os

from cellgrad.core.errors import error

VERIFY_EACH = os.environ.get("CELLGRAD_VERIFY_EACH", "0") not in ("", "0")
CHECK_NANS = os.environ.get("CELLGRAD_DEBUG_NANS", "0") not in ("", "0")
_SANITIZE = os.environ.get("CELLGRAD_SANITIZE", "")


def options() -> dict[str, bool]:
    """The compile options for these checks.

    Raises:
        ValueError: CELLGRAD_SANITIZE is neither empty nor 'address'.
        RuntimeError: it is 'address', and the process lacks the runtime.
    """
    chosen = {}
    if CHECK_NANS:
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
