"""Runs a script that says ``import mindspore``."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import types

from cellgrad import dropin as _dropin
from cellgrad.command.ranks import start_ranks
from cellgrad.compile.failures import without_own_frames
from cellgrad.core import ranks

HELP = "run a script that says 'import mindspore'"


def arguments(command: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    command.add_argument(
        "--ranks", type=int, default=0, help="start so many processes, which train together"
    )
    command.add_argument("script", help="a file of Python code")
    command.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="what the script gets in sys.argv"
    )


def call(options: argparse.Namespace) -> int:
    """Runs the script as the main program; 1 if it raised, 2 if it cannot be read."""
    if options.ranks:
        return start_ranks(options)
    path: str = options.script
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), os.path.abspath(path), "exec")
    except (OSError, SyntaxError) as e:
        print(f"cellgrad: {e}", file=sys.stderr)
        return 2
    _dropin.install()
    main = types.ModuleType("__main__")
    main.__file__ = code.co_filename
    sys.modules["__main__"] = main
    sys.argv = [path, *options.arguments]
    sys.path[0] = os.path.dirname(code.co_filename)
    try:
        exec(code, main.__dict__)
    except Exception as e:
        traceback.print_exception(without_own_frames(e))
        ranks.abort()
        return 1
    return 0
