"""Notes on what the package does, on standard error: CELLGRAD_LOG names the kinds wanted.

``recompile``: why a function or Cell is compiled; ``cache``: what the cache on disk does; ``plan``: the
kernels of what is compiled, with their items, bytes and time; ``compile``: what each stage of compiling
costs; ``recompute``: what is computed again for a budget of memory. Several are separated by commas.
"""

from __future__ import annotations

import sys

from cellgrad.core import variables


def wanted(kind: str) -> bool:
    """Whether CELLGRAD_LOG names a kind of note."""
    return kind in variables.listed("LOG")


def write(kind: str, text: str) -> None:
    """Writes a note if its kind is wanted."""
    if wanted(kind):
        print(f"[cellgrad] {kind}: {text}", file=sys.stderr)
