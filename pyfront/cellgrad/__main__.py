"""``python -m cellgrad run script.py``: runs a script that says ``import mindspore``."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import types

import cellgrad
from cellgrad import dropin as _dropin
from cellgrad.compile.failures import without_own_frames


def run(path: str, arguments: list[str]) -> int:
    """Runs a script as the main program; 1 if it raised."""
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
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(code.co_filename)
    try:
        exec(code, main.__dict__)
    except Exception as e:
        traceback.print_exception(without_own_frames(e))
        return 1
    return 0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m cellgrad", description="Runs scripts for MindSpore with cellgrad."
    )
    parser.add_argument("--version", action="version", version=cellgrad.__version__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run", help="run a script that says 'import mindspore'")
    command.add_argument("script", help="a file of Python code")
    command.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="what the script gets in sys.argv"
    )
    options = parser.parse_args()
    return run(options.script, options.arguments)


if __name__ == "__main__":
    sys.exit(main())
